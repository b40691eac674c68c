//! The state machine of a share partition: locks, deliveries, portions, and what is written.

use super::acquiring::{Readable, Wanted};
use super::partition::{SharePartition, ShareRules, Write};
use crate::event::internal::{ShareKey, ShareState, StateBatch};
use crate::event::{Name, TopicPartition};
use crate::share::AcknowledgeType::{Accept, Reject, Release, Renew};
use crate::share::RecordState::{Acknowledged, Archived, Available};
use crate::share::{AcknowledgeType, ShareEvent};
use crate::time::{Duration, Time};

const RULES: ShareRules =
    ShareRules { lock_duration: Duration::from_secs(30), delivery_limit: 5, locks_max: 2_000, may_renew: true };

/// A share partition on a log of batches of so many records.
struct Bench {
    partition: SharePartition,
    readable: Readable,
    rules: ShareRules,
    now: Time,
}

fn key() -> ShareKey {
    ShareKey { group: "g".into(), partition: TopicPartition { topic: "jobs".into(), partition: 0 } }
}

fn bench(batches: &[u64]) -> Bench {
    let mut readable = Readable::default();
    for size in batches {
        (readable.end_offset..readable.end_offset + size)
            .for_each(|offset| drop(readable.records.insert(offset, None)));
        readable.end_offset += size;
        readable.batch_ends.push(readable.end_offset - 1);
    }
    let partition = SharePartition::open(1, key(), 3, &ShareState::default(), 0);
    Bench { partition, readable, rules: RULES, now: Time::ZERO }
}

impl Bench {
    fn acquire(&mut self, member: &str, records_max: u32) -> Vec<(u64, u16)> {
        let member = Name::from(member);
        let wanted = Wanted { member: &member, records_max, is_limited: false };
        self.partition.acquire(wanted, &self.readable, &self.rules, self.now).0
    }

    fn say(&mut self, member: &str, said: AcknowledgeType, offsets: &[u64]) -> Result<Option<Write>, String> {
        let said: Vec<_> = offsets.iter().map(|offset| (*offset, said)).collect();
        let effects = self.partition.acknowledge(&member.into(), &said, &self.rules, self.now);
        effects.map(|effects| effects.write).map_err(|error| error.error)
    }

    /// Says it, and the share coordinator takes it.
    fn settle(&mut self, member: &str, said: AcknowledgeType, offsets: &[u64]) -> Vec<ShareEvent> {
        let write = self.say(member, said, offsets).unwrap().unwrap();
        self.partition.written(write.id, true)
    }

    fn offsets(&self) -> (u64, u64) {
        (self.partition.start_offset(), self.partition.end_offset())
    }
}

fn counted(offsets: impl IntoIterator<Item = u64>, delivery_count: u16) -> Vec<(u64, u16)> {
    offsets.into_iter().map(|offset| (offset, delivery_count)).collect()
}

#[test]
fn a_second_member_gets_only_what_the_first_has_not() {
    let mut bench = bench(&[3, 2]);
    assert_eq!(bench.acquire("a", 3), counted(0..3, 1));
    assert_eq!(bench.acquire("b", 500), counted(3..5, 1));
    assert_eq!(bench.acquire("a", 500), []);
    bench.settle("a", Release, &[1]);
    assert_eq!(bench.acquire("b", 500), counted([1], 2));
}

#[test]
fn whole_batches_are_taken_unless_records_are_limited() {
    let mut whole = bench(&[4, 4]);
    assert_eq!(whole.acquire("a", 5), counted(0..8, 1));
    let mut limited = bench(&[4, 4]);
    let member = Name::from("a");
    let wanted = Wanted { member: &member, records_max: 5, is_limited: true };
    assert_eq!(limited.partition.acquire(wanted, &limited.readable, &RULES, Time::ZERO).0, counted(0..5, 1));
}

#[test]
fn what_is_written_lags_one_write_behind() {
    let mut bench = bench(&[3]);
    bench.acquire("a", 500);
    let write = bench.say("a", Accept, &[0, 1]).unwrap().unwrap();
    let batch = StateBatch { first_offset: 0, last_offset: 1, state: Acknowledged, delivery_count: 1 };
    assert_eq!((write.state.start_offset, write.state.delivery_complete_count), (Some(0), 2));
    assert_eq!(write.state.batches, [batch]);
    assert_eq!(bench.offsets(), (0, 3), "nothing counts before it is written");
    bench.partition.written(write.id, true);
    assert_eq!(bench.offsets(), (2, 3));
    let next = bench.say("a", Accept, &[2]).unwrap().unwrap();
    assert_eq!((next.state.start_offset, next.state.delivery_complete_count), (Some(2), 1));
}

#[test]
fn a_write_that_fails_leaves_the_lock_with_its_member() {
    let mut bench = bench(&[2]);
    bench.acquire("a", 500);
    let write = bench.say("a", Release, &[0, 1]).unwrap().unwrap();
    assert_eq!(bench.acquire("b", 500), [], "what is being written is nobody's");
    assert_eq!(bench.partition.written(write.id, false), []);
    assert_eq!(bench.acquire("b", 500), []);
    bench.settle("a", Release, &[0, 1]);
    assert_eq!(bench.acquire("b", 500), counted(0..2, 2));
}

#[test]
fn acknowledgements_of_a_partition_count_all_or_none() {
    let mut bench = bench(&[3]);
    bench.acquire("a", 500);
    bench.settle("a", Accept, &[1]);
    for (member, offsets) in [("a", vec![0, 1]), ("b", vec![0]), ("a", vec![2, 7])] {
        assert_eq!(bench.say(member, Accept, &offsets), Err("INVALID_RECORD_STATE".into()), "{member} {offsets:?}");
    }
    assert!(bench.say("a", Accept, &[0, 2]).is_ok());
}

#[test]
fn a_lock_that_expires_gives_the_record_to_others() {
    let mut bench = bench(&[2]);
    bench.acquire("a", 500);
    let due = bench.partition.next_due().unwrap();
    assert_eq!(due, Time::from_millis(30_000));
    bench.now = due;
    let effects = bench.partition.expire(&RULES, due);
    assert!(matches!(&effects.events[..], [ShareEvent::LocksExpired { .. }]), "{:?}", effects.events);
    let batch = StateBatch { first_offset: 0, last_offset: 1, state: Available, delivery_count: 1 };
    assert_eq!(effects.write.unwrap().state.batches, [batch]);
    assert_eq!(bench.acquire("b", 500), counted(0..2, 2));
    assert_eq!(bench.say("a", Accept, &[0]), Err("INVALID_RECORD_STATE".into()), "it is late");
}

#[test]
fn a_renewed_lock_begins_anew() {
    let mut bench = bench(&[1]);
    bench.acquire("a", 500);
    bench.now = Time::from_millis(20_000);
    assert_eq!(bench.say("a", Renew, &[0]), Ok(None), "nothing is written for it");
    assert_eq!(bench.partition.next_due(), Some(Time::from_millis(50_000)));
    bench.rules.may_renew = false;
    assert_eq!(bench.say("a", Renew, &[0]), Err("INVALID_REQUEST".into()));
}

#[test]
fn the_end_of_a_session_releases_and_the_count_stays() {
    let mut bench = bench(&[3]);
    bench.acquire("a", 500);
    bench.settle("a", Accept, &[0]);
    let write = bench.partition.release(&"a".into(), &RULES).write.unwrap();
    assert_eq!(write.state.start_offset, Some(1));
    bench.partition.written(write.id, true);
    assert_eq!(bench.acquire("b", 500), counted(1..3, 2));
}

#[test]
fn a_record_is_archived_at_the_limit_or_when_it_is_rejected() {
    let mut bench = bench(&[2]);
    bench.rules.delivery_limit = 2;
    bench.acquire("a", 500);
    bench.settle("a", Release, &[0]);
    assert_eq!(bench.acquire("a", 500), counted([0], 2));
    let write = bench.say("a", Release, &[0]).unwrap().unwrap();
    assert_eq!(write.state.batches[0].state, Archived);
    let events = bench.partition.written(write.id, true);
    assert!(events.iter().any(|event| matches!(event, ShareEvent::RecordsArchived { .. })), "{events:?}");
    assert_eq!(bench.offsets(), (1, 2));
    bench.settle("a", Reject, &[1]);
    assert_eq!(bench.offsets(), (2, 2));
}

#[test]
fn suspicious_records_go_out_in_portions_and_alone_the_last_time() {
    let mut bench = bench(&[8, 2]);
    let mut portions = Vec::new();
    loop {
        let portion = bench.acquire("a", 8);
        let Some((first, count)) = portion.first().copied() else { break };
        if first < 8 {
            portions.push((first, portion.len(), count));
        }
        let offsets: Vec<u64> = portion.iter().map(|(offset, _)| *offset).collect();
        let said = if first < 8 { Release } else { Accept };
        bench.settle("a", said, &offsets);
    }
    let whole = [(0, 8, 1), (0, 8, 2), (0, 8, 3)];
    assert_eq!(portions[..3], whole);
    // Half of the batch for the fourth time, and its records one by one for the fifth; then the other half.
    let alone = |from: u64| (from..from + 4).map(|offset| (offset, 1, 5));
    let rest: Vec<_> = [(0, 4, 4)].into_iter().chain(alone(0)).chain([(4, 4, 4)]).chain(alone(4)).collect();
    assert_eq!(portions[3..], rest);
}

#[test]
fn no_more_is_locked_than_there_may_be_locks() {
    let mut bench = bench(&[1; 10]);
    bench.rules.locks_max = 4;
    assert_eq!(bench.acquire("a", 500).len(), 4);
    assert!(!bench.partition.has_something(10, &bench.rules));
    bench.settle("a", Accept, &[3]);
    assert_eq!(bench.acquire("b", 500), [], "the first one is still held");
    bench.settle("a", Accept, &[0]);
    assert_eq!(bench.acquire("b", 500), counted([4], 1));
}

#[test]
fn what_is_not_for_readers_is_passed_over() {
    let mut bench = bench(&[5]);
    bench.readable.records.remove(&0);
    bench.readable.records.remove(&3);
    assert_eq!(bench.acquire("a", 500), counted([1, 2, 4], 1));
    assert_eq!(bench.offsets(), (1, 5));
    bench.settle("a", Accept, &[1, 2]);
    assert_eq!(bench.offsets(), (4, 5));
}

#[test]
fn a_log_that_begins_later_takes_what_nobody_holds() {
    let mut bench = bench(&[4]);
    bench.acquire("a", 500);
    bench.settle("a", Release, &[0, 1]);
    bench.acquire("b", 1);
    let before = bench.partition.view().len();
    bench.partition.log_moved(2);
    assert_eq!((before, bench.offsets()), (4, (0, 4)), "what is held stays until it is settled");
    bench.settle("b", Accept, &[0, 1]);
    assert_eq!(bench.offsets(), (2, 4));
}

#[test]
fn a_new_leader_goes_on_where_the_state_says() {
    let mut bench = bench(&[6]);
    let batch = |first_offset, last_offset, state| StateBatch { first_offset, last_offset, state, delivery_count: 2 };
    let state = ShareState {
        start_offset: Some(1),
        batches: vec![batch(1, 1, Acknowledged), batch(3, 3, Available), batch(4, 4, Archived)],
        ..ShareState::default()
    };
    bench.partition = SharePartition::open(2, key(), 4, &state, 0);
    assert_eq!(bench.offsets(), (2, 5));
    assert_eq!(bench.acquire("a", 500), [(2, 1), (3, 3), (5, 1)]);
    let write = bench.say("a", Accept, &[2, 3]).unwrap().unwrap();
    assert_eq!(write.state.leader_epoch, 4);
    bench.partition.written(write.id, true);
    assert_eq!(bench.offsets(), (5, 6));
}
