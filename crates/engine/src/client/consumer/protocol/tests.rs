//! The member of the consumer protocol against the answers of a coordinator.
//!
//! The worked example of a second member that joins, then everything that can go wrong. No broker is involved.

use std::collections::BTreeMap;

use super::*;
use crate::message::group::MemberHeartbeat;
use crate::scenario::ConsumerSpec;

/// A member with what came of its steps.
struct Bench {
    member: Member,
    now: Time,
    requests: u64,
    /// Heartbeats that were sent.
    sent: Vec<ConsumerGroupHeartbeat>,
    /// Callbacks that wait for the application.
    calls: VecDeque<(Callback, Vec<TopicPartition>)>,
    /// Everything else, in words.
    told: Vec<String>,
    knows: bool,
}

fn partitions(numbers: &[u32]) -> Vec<TopicPartition> {
    numbers.iter().map(|partition| TopicPartition { topic: "t".into(), partition: *partition }).collect()
}

fn bench(configs: &[(&str, &str)]) -> Bench {
    let mut all = BTreeMap::from([("group.id".to_string(), "g".to_string())]);
    all.insert("group.protocol".to_string(), "consumer".to_string());
    all.insert("enable.auto.commit".to_string(), "false".to_string());
    all.extend(configs.iter().map(|(name, value)| (name.to_string(), value.to_string())));
    let spec = ConsumerSpec {
        name: "A".into(),
        subscribe: vec!["t".into()],
        member_id: Some("id-a".into()),
        configs: all,
        ..ConsumerSpec::default()
    };
    let plan = ConsumerPlan::new(&spec, "consumer", 1).unwrap();
    let mut member = Member::new(&plan, 0);
    member.subscribe(vec!["t".into()], None);
    let (sent, calls, told) = (Vec::new(), VecDeque::new(), Vec::new());
    Bench { member, now: Time::ZERO, requests: 0, sent, calls, told, knows: true }
}

impl Bench {
    fn at(&mut self, millis: u64) -> &mut Bench {
        self.now = Time::from_millis(millis);
        self
    }

    fn work(&mut self) {
        for step in self.member.take_steps() {
            match step {
                Step::Heartbeat(heartbeat) => {
                    self.requests += 1;
                    self.member.heartbeat_sent(self.requests);
                    self.sent.push(*heartbeat);
                }
                Step::Call(callback, partitions, _) => self.calls.push_back((callback, partitions)),
                Step::State(_, state) => self.told.push(format!("{state:?}")),
                other => self.told.push(format!("{other:?}")),
            }
        }
    }

    fn poll(&mut self) -> &mut Bench {
        let knows = self.knows;
        self.member.poll(self.now, &|_| knows);
        self.background()
    }

    fn background(&mut self) -> &mut Bench {
        let knows = self.knows;
        self.member.background(self.now, true, &|_| knows);
        self.work();
        self
    }

    fn answer(&mut self, epoch: i32, assignment: Option<&[u32]>) -> &mut Bench {
        let answer = MemberHeartbeat {
            member: "id-a".into(),
            epoch,
            interval: Duration::from_secs(5),
            assignment: assignment.map(partitions),
        };
        self.member.answered(self.requests, &Ok(answer), self.now);
        self.background()
    }

    fn refuse(&mut self, error: &str) -> &mut Bench {
        self.member.answered(self.requests, &Err(KafkaError::new(error, "Exception", "text")), self.now);
        self.background()
    }

    /// The application runs its next callback, which has to be that one.
    fn callback(&mut self, callback: Callback, numbers: &[u32]) -> &mut Bench {
        assert_eq!(self.calls.pop_front(), Some((callback, partitions(numbers))));
        self.member.returned();
        self.background()
    }

    /// Epoch and owned partitions in the heartbeats that were sent since this was asked last.
    fn heartbeats(&mut self) -> Vec<(i32, Option<Vec<u32>>)> {
        let owned = |heartbeat: &ConsumerGroupHeartbeat| {
            heartbeat.owned.as_ref().map(|owned| owned.iter().map(|own| own.partition).collect())
        };
        self.sent.drain(..).map(|heartbeat| (heartbeat.epoch, owned(&heartbeat))).collect()
    }

    fn joined(configs: &[(&str, &str)], numbers: &[u32]) -> Bench {
        let mut bench = bench(configs);
        bench.poll().answer(2, Some(numbers)).callback(Callback::Assigned, numbers).answer(2, None);
        assert_eq!(bench.member.state(), ClientMemberState::Stable);
        bench.heartbeats();
        bench.told.clear();
        bench
    }
}

#[test]
fn the_first_heartbeat_tells_everything_and_later_ones_what_has_changed() {
    let mut bench = bench(&[("group.remote.assignor", "range"), ("client.rack", "r1"), ("group.instance.id", "i")]);
    bench.poll();
    let first = bench.sent.pop().unwrap();
    assert_eq!((first.epoch, &*first.member, first.instance.as_deref()), (0, "id-a", Some("i")));
    assert_eq!((first.rack.as_deref(), first.assignor.as_deref()), (Some("r1"), Some("range")));
    assert_eq!(first.rebalance_timeout, Some(Duration::from_secs(300)));
    assert_eq!((first.topics, first.pattern, first.owned), (Some(vec!["t".into()]), None, Some(vec![])));
    bench.at(10).answer(2, Some(&[0])).callback(Callback::Assigned, &[0]);
    let acknowledgement = bench.sent.pop().unwrap();
    assert_eq!((acknowledgement.epoch, acknowledgement.owned), (2, Some(partitions(&[0]))));
    assert_eq!((acknowledgement.rack, acknowledgement.assignor, acknowledgement.topics), (None, None, None));
    assert_eq!((acknowledgement.instance.as_deref(), acknowledgement.rebalance_timeout), (Some("i"), None));
    bench.at(20).answer(2, None);
    assert_eq!(bench.member.next_due(bench.now), Some(Time::from_millis(5_010)), "from the acknowledgement on");
    bench.at(5_010).background();
    assert_eq!(bench.heartbeats(), [(2, None)]);
    bench.answer(2, None).member.subscribe(vec!["t".into(), "u".into()], None);
    bench.at(6_000).poll();
    assert_eq!(bench.heartbeats(), [], "a new subscription waits for the next heartbeat");
    bench.at(10_010).background();
    assert_eq!(bench.sent.pop().unwrap().topics, Some(vec!["t".into(), "u".into()]));
}

#[test]
fn the_worked_example_of_a_second_member() {
    // A has both partitions and is told that p1 is not its own any more.
    let mut a = Bench::joined(&[], &[0, 1]);
    a.at(5_000).background().answer(2, Some(&[0]));
    assert_eq!(a.heartbeats(), [(2, None)]);
    assert_eq!(a.told, ["Reconciling", &format!("{:?}", Step::Hold(partitions(&[1])))]);
    a.callback(Callback::Revoked, &[1]).callback(Callback::Assigned, &[]);
    assert_eq!(a.heartbeats(), [(2, Some(vec![0]))], "acknowledged at once");
    a.answer(3, None);
    assert_eq!((a.member.state(), a.member.generation()), (ClientMemberState::Stable, 3));
    // B joins and gets nothing at first.
    let mut b = bench(&[]);
    b.poll().answer(3, Some(&[])).callback(Callback::Assigned, &[]).answer(3, None);
    assert_eq!(b.heartbeats(), [(0, Some(vec![])), (3, Some(vec![]))]);
    b.at(5_000).background().answer(3, Some(&[1])).callback(Callback::Assigned, &[1]).answer(3, None);
    assert_eq!(b.heartbeats(), [(3, None), (3, Some(vec![1]))]);
    assert_eq!(b.member.state(), ClientMemberState::Stable);
}

#[test]
fn heartbeats_go_on_while_a_callback_runs() {
    let mut bench = Bench::joined(&[], &[0, 1]);
    bench.at(5_000).background().answer(2, Some(&[0]));
    bench.at(10_000).background().answer(2, None);
    bench.at(15_000).background().answer(2, None);
    assert_eq!(bench.heartbeats(), [(2, None), (2, None), (2, None)]);
    bench.at(16_000).callback(Callback::Revoked, &[1]).callback(Callback::Assigned, &[]);
    assert_eq!(bench.heartbeats(), [(2, Some(vec![0]))]);
}

#[test]
fn an_assignment_that_comes_during_a_reconciliation_waits_for_its_end() {
    let mut bench = Bench::joined(&[], &[0, 1, 2]);
    bench.at(5_000).background().answer(2, Some(&[0, 1]));
    bench.at(10_000).background().answer(2, Some(&[0]));
    bench.callback(Callback::Revoked, &[2]).callback(Callback::Assigned, &[]);
    assert_eq!(bench.heartbeats(), [(2, None), (2, None), (2, Some(vec![0, 1]))]);
    bench.answer(2, None).callback(Callback::Revoked, &[1]).callback(Callback::Assigned, &[]);
    assert_eq!(bench.heartbeats(), [(2, Some(vec![0]))]);
}

#[test]
fn positions_are_committed_in_a_poll_before_anything_is_revoked() {
    let mut bench = Bench::joined_with_commits(&[0, 1]);
    bench.at(5_000).background().answer(2, Some(&[0]));
    assert_eq!(bench.told, ["Reconciling"], "the application does not poll");
    bench.told.clear();
    bench.at(6_000).poll();
    let commit = format!("{:?}", Step::Commit(Duration::from_secs(300)));
    assert_eq!(bench.told, [format!("{:?}", Step::Hold(partitions(&[1]))), commit]);
    assert!(bench.calls.is_empty(), "the commit comes first");
    bench.member.committed();
    bench.background().callback(Callback::Revoked, &[1]);
}

impl Bench {
    fn joined_with_commits(numbers: &[u32]) -> Bench {
        let mut bench = bench(&[("enable.auto.commit", "true")]);
        bench.poll().answer(2, Some(numbers)).poll();
        bench.member.committed();
        bench.background().callback(Callback::Assigned, numbers).answer(2, None);
        bench.told.clear();
        bench
    }
}

#[test]
fn a_fenced_member_loses_everything_and_joins_again() {
    for error in ["FENCED_MEMBER_EPOCH", "UNKNOWN_MEMBER_ID"] {
        let mut bench = Bench::joined(&[], &[0, 1]);
        bench.at(5_000).background().refuse(error);
        assert_eq!((bench.member.state(), bench.member.epoch()), (ClientMemberState::Fenced, None));
        assert_eq!(bench.heartbeats().len(), 1, "nothing is sent before the callback has returned");
        bench.callback(Callback::Lost, &[0, 1]);
        assert_eq!(bench.heartbeats(), [(0, Some(vec![]))]);
        bench.answer(4, Some(&[0])).callback(Callback::Assigned, &[0]);
        assert_eq!(bench.member.state(), ClientMemberState::Stable);
    }
}

#[test]
fn a_member_that_is_fenced_in_a_callback_does_not_go_on_with_it() {
    let mut bench = Bench::joined(&[], &[0, 1]);
    bench.at(5_000).background().answer(2, Some(&[0]));
    bench.at(10_000).background().refuse("UNKNOWN_MEMBER_ID");
    bench.heartbeats();
    bench.callback(Callback::Revoked, &[1]).callback(Callback::Lost, &[0, 1]);
    assert_eq!(bench.heartbeats(), [(0, Some(vec![]))]);
    assert!(bench.calls.is_empty());
}

#[test]
fn an_application_that_does_not_poll_is_out_with_the_first_heartbeat_after_the_limit() {
    let mut bench = Bench::joined(&[("max.poll.interval.ms", "6000")], &[0]);
    bench.at(1_000).member.poll_ended(Time::from_millis(1_000));
    bench.at(5_000).background().answer(2, None);
    bench.at(8_000).background();
    assert_eq!(bench.heartbeats(), [(2, None), (-1, Some(vec![]))]);
    assert_eq!(bench.member.state(), ClientMemberState::Stale);
    bench.at(13_000).background();
    assert_eq!(bench.heartbeats(), [], "it stays out until the application polls");
    bench.at(20_000).poll().callback(Callback::Lost, &[0]);
    assert_eq!(bench.heartbeats(), [(0, Some(vec![]))]);
}

#[test]
fn an_error_that_nothing_helps_against_is_thrown() {
    let mut bench = Bench::joined(&[], &[0]);
    bench.at(5_000).background().refuse("FENCED_INSTANCE_ID").callback(Callback::Lost, &[0]);
    let thrown = Step::Throw(KafkaError::new("FENCED_INSTANCE_ID", "Exception", "text"));
    assert_eq!(bench.told, ["Fatal", &format!("{thrown:?}"), "Release"]);
    bench.heartbeats();
    bench.at(60_000).poll();
    assert_eq!(bench.heartbeats(), []);
}

#[test]
fn other_errors_are_tried_again() {
    let mut bench = Bench::joined(&[], &[0]);
    bench.at(5_000).background().refuse("NOT_COORDINATOR");
    assert_eq!(bench.told, ["LoseCoordinator"]);
    let again = bench.sent.pop().unwrap();
    assert_eq!((again.epoch, again.owned, again.topics), (2, Some(partitions(&[0])), Some(vec!["t".into()])));
    bench.heartbeats();
    bench.refuse("COORDINATOR_LOAD_IN_PROGRESS");
    assert_eq!(bench.heartbeats(), []);
    let due = bench.member.next_due(bench.now).unwrap();
    assert!((5_080..=5_120).contains(&due.millis()), "{due}");
}

#[test]
fn unsubscribing_revokes_and_leaves() {
    let mut bench = Bench::joined(&[], &[0, 1]);
    bench.member.unsubscribe();
    bench.background();
    assert_eq!(bench.heartbeats(), []);
    bench.callback(Callback::Revoked, &[0, 1]);
    assert_eq!(bench.heartbeats(), [(-1, Some(vec![]))]);
    assert!(!bench.told.contains(&"Left".to_string()));
    bench.answer(-1, None);
    assert_eq!(bench.told.last().map(String::as_str), Some("Left"));
    assert_eq!((bench.member.state(), bench.member.generation()), (ClientMemberState::Unsubscribed, -1));
    bench.member.subscribe(vec!["t".into()], None);
    bench.poll();
    assert_eq!(bench.heartbeats(), [(0, Some(vec![]))], "the same member joins again");
}

#[test]
fn a_static_member_leaves_for_a_while_unless_it_is_told_to_leave() {
    let check = |configs: &[(&str, &str)], operation: Membership, epoch: i32| {
        let mut bench = Bench::joined(configs, &[0]);
        bench.member.close(operation);
        bench.background();
        assert_eq!(bench.heartbeats(), [(epoch, Some(vec![]))], "{operation:?}");
        bench.answer(epoch, None);
        assert_eq!(bench.told.last().map(String::as_str), Some("Left"));
    };
    let fixed = [("group.instance.id", "i")];
    check(&fixed, Membership::Default, -2);
    check(&fixed, Membership::RemainInGroup, -2);
    check(&fixed, Membership::LeaveGroup, -1);
    check(&[], Membership::Default, -1);
    check(&[], Membership::RemainInGroup, -1);
}

#[test]
fn without_a_coordinator_it_leaves_without_telling() {
    let mut bench = Bench::joined(&[], &[0]);
    bench.member.close(Membership::Default);
    bench.member.background(bench.now, false, &|_| true);
    bench.work();
    assert_eq!(bench.heartbeats(), []);
    assert_eq!(bench.told.last().map(String::as_str), Some("Left"));
}

#[test]
fn topics_that_the_client_does_not_know_wait_for_its_metadata() {
    let mut bench = Bench::joined(&[], &[]);
    bench.knows = false;
    bench.at(5_000).background().answer(3, Some(&[0]));
    assert_eq!(bench.told, ["Reconciling", "RefreshMetadata", "Acknowledging", "Reconciling"]);
    assert_eq!(bench.heartbeats(), [(2, None), (3, Some(vec![]))]);
    bench.answer(3, None);
    assert_eq!(bench.heartbeats(), []);
    bench.knows = true;
    bench.background().callback(Callback::Assigned, &[0]);
    assert_eq!(bench.heartbeats(), [(3, Some(vec![0]))]);
}

#[test]
fn a_pattern_for_the_broker_is_told_and_taken_back() {
    let mut bench = bench(&[]);
    bench.member.subscribe(Vec::new(), Some("t.*".into()));
    bench.poll();
    assert_eq!(bench.sent.pop().unwrap().pattern.as_deref(), Some("t.*"));
    bench.answer(2, Some(&[])).callback(Callback::Assigned, &[]).answer(2, None);
    bench.member.subscribe(vec!["t".into()], None);
    bench.at(5_000).background();
    let changed = bench.sent.pop().unwrap();
    assert_eq!((changed.pattern.as_deref(), changed.topics), (Some(""), Some(vec!["t".into()])));
}

#[test]
fn an_invalid_pattern_is_told_in_the_words_of_the_client() {
    let mut bench = bench(&[]);
    bench.poll().refuse("INVALID_REGULAR_EXPRESSION");
    let text = "Invalid RE2J SubscriptionPattern provided in the call to subscribe. text";
    assert!(bench.told.iter().any(|told| told.contains(text)), "{:?}", bench.told);
}

#[test]
fn member_ids_of_consumers_of_one_name_differ() {
    let spec = ConsumerSpec { name: "A".into(), assign: vec!["t".into()], ..ConsumerSpec::default() };
    let plan = ConsumerPlan::new(&spec, "consumer", 1).unwrap();
    let (first, second) = (Member::new(&plan, 0), Member::new(&plan, 1));
    assert_eq!((first.id().len(), second.id().len()), (22, 22));
    assert_ne!(first.id(), second.id());
}
