//! Transactions in a log: markers, how far it is decided, the index of aborted ones, and what is refused.
//!
//! Offsets are those of recordings where one exists. Coordinators are not here; markers are appended by hand.

use super::super::batch::Control;
use super::super::log::Log;
use super::super::markers::Marker;
use super::super::{Verified, producers};
use super::{HOUR, at, batch, log, record};
use crate::message::ProducerIdentity;
use crate::storage::batch::ProducerStamp;
use crate::time::{Duration, Time};
use crate::transaction::MarkerKind::{self, Abort, Commit};

/// One step: a transactional batch, a plain batch, a marker, or a move of the high watermark.
enum Step {
    /// Producer, epoch, first sequence, records.
    Data(u64, u16, i32, u32),
    /// The same outside of transactions.
    Plain(u64, u16, i32, u32),
    /// Producer, epoch, end, coordinator epoch, transaction version.
    End(u64, u16, MarkerKind, u32, u16),
    /// The high watermark.
    Replicated(u64),
}

use Step::{Data, End, Plain, Replicated};

/// Takes a step: the first offset, or the name of the error.
fn take(log: &mut Log, step: &Step) -> Result<u64, String> {
    let appended = match *step {
        Data(producer_id, epoch, base_sequence, count) => {
            let stamp = ProducerStamp { producer_id, epoch, base_sequence };
            let guard = log.start_verification(stamp, true);
            let records = vec![record(Some("k"), Some(2), 0); count as usize];
            let verified = Some(Verified { guard, is_demanded: true });
            log.append_produced(&batch(records), Some(stamp), verified, 0, at(HOUR))
        }
        Plain(producer_id, epoch, base_sequence, count) => {
            let stamp = ProducerStamp { producer_id, epoch, base_sequence };
            let records = vec![record(Some("k"), Some(2), 0); count as usize];
            log.append_as_leader(&batch(records), Some(stamp), 0, at(HOUR))
        }
        End(producer_id, epoch, marker, coordinator_epoch, transaction_version) => {
            let identity = ProducerIdentity { producer_id, epoch };
            let control = Control { marker, coordinator_epoch };
            log.append_marker(&Marker { identity, control, transaction_version, number: 0 }, 0, at(HOUR))
        }
        Replicated(offset) => {
            log.set_high_watermark(offset, HOUR);
            return Ok(offset);
        }
    };
    appended.map(|appended| appended.base_offset).map_err(|error| error.error)
}

/// Takes all steps; everything is replicated at once unless the steps say where the high watermark is.
fn log_after(steps: &[Step]) -> Log {
    let mut log = log(&[]);
    for step in steps {
        take(&mut log, step).unwrap();
    }
    log
}

fn entries(log: &Log) -> Vec<[u64; 4]> {
    let aborted = log.aborted();
    let entry = |entry: &crate::snapshot::AbortedTransaction| {
        [entry.producer_id, entry.first_offset, entry.last_offset, entry.last_stable_offset]
    };
    aborted.iter().map(entry).collect()
}

#[test]
fn a_log_is_decided_up_to_the_oldest_open_transaction() {
    let check = |steps: &[Step], stable: u64| assert_eq!(log_after(steps).last_stable_offset(), stable);
    check(&[Plain(9, 0, 0, 1), Replicated(1)], 1);
    check(&[Plain(9, 0, 0, 1), Data(1, 0, 0, 1), Plain(9, 0, 1, 1), Replicated(3)], 1);
    check(&[Data(1, 0, 0, 1), Data(2, 0, 0, 1), End(2, 1, Abort, 0, 2), Replicated(3)], 0);
    // A marker that is not replicated does not count yet.
    check(&[Data(1, 0, 0, 1), End(1, 1, Commit, 0, 2), Replicated(1)], 0);
    check(&[Data(1, 0, 0, 1), End(1, 1, Commit, 0, 2), Replicated(2)], 2);
    // Nothing beyond the high watermark is decided.
    check(&[Plain(9, 0, 0, 4), Data(1, 0, 0, 1), Replicated(2)], 2);
}

#[test]
fn an_index_tells_what_was_aborted_and_how_far_the_log_was_decided_then() {
    // `storage/txnindex-and-snapshot`.
    let steps = [Data(1, 0, 0, 1), Data(2, 0, 0, 1), End(2, 1, Abort, 0, 2), End(1, 1, Abort, 0, 2), Replicated(4)];
    let log = log_after(&steps);
    assert_eq!(entries(&log), [[2, 1, 2, 0], [1, 0, 3, 4]]);
    let check = |from: u64, below: u64, producers: &[u64]| {
        let found: Vec<u64> = log.aborted_between(from, below).iter().map(|entry| entry.producer_id).collect();
        assert_eq!(found, producers, "{from} to {below}");
    };
    check(0, 1, &[1]);
    check(0, 4, &[2, 1]);
    check(3, 4, &[1]);
    check(4, 5, &[]);
}

#[test]
fn an_empty_transaction_is_not_in_the_index() {
    let log = log_after(&[End(1, 0, Abort, 0, 0), Replicated(1)]);
    assert_eq!((entries(&log), log.last_stable_offset()), (Vec::new(), 1));
    assert_eq!(log.producer(1, HOUR).unwrap().coordinator_epoch, Some(0));
}

#[test]
fn markers_take_78_bytes_and_one_offset() {
    let log = log_after(&[Data(1, 0, 0, 1), End(1, 1, Commit, 3, 2)]);
    let marker = log.read(1, 1_000, 2).pop().unwrap();
    assert_eq!((marker.size_bytes, marker.base_offset, marker.last_offset, marker.count), (78, 1, 1, 1));
}

#[test]
fn what_a_producer_may_not_write_is_refused() {
    let check = |before: &[Step], step: Step, expected: Result<u64, &str>| {
        let found = take(&mut log_after(before), &step);
        assert_eq!(found.as_ref().map_err(String::as_str), expected.as_ref().map_err(|error| *error));
    };
    let (old_epoch, disorder, state) = ("INVALID_PRODUCER_EPOCH", "OUT_OF_ORDER_SEQUENCE_NUMBER", "INVALID_TXN_STATE");
    // Data.
    check(&[Data(1, 1, 0, 1)], Data(1, 0, 0, 1), Err(old_epoch));
    check(&[], Data(1, 0, 4, 1), Err(disorder));
    check(&[], Plain(1, 0, 4, 1), Ok(0));
    check(&[Plain(1, 0, 4, 1)], Plain(1, 0, 0, 1), Err(disorder));
    check(&[Plain(1, 0, 0, 1)], Plain(1, 1, 1, 1), Err(disorder));
    check(&[Plain(1, 0, 0, 1)], Plain(1, 1, 0, 1), Ok(1));
    check(&[Data(1, 0, 0, 1)], Plain(1, 0, 1, 1), Err(state));
    // The marker of version 2 raises the epoch, and sequences begin at 0 again.
    check(&[Data(1, 0, 0, 1), End(1, 1, Commit, 0, 2)], Data(1, 1, 0, 1), Ok(2));
    check(&[Data(1, 0, 0, 1), End(1, 1, Commit, 0, 2)], Data(1, 0, 1, 1), Err(old_epoch));
    // That of older versions does not, and sequences go on.
    check(&[Data(1, 0, 0, 1), End(1, 0, Commit, 0, 0)], Data(1, 0, 1, 1), Ok(2));
    // Markers.
    check(&[Data(1, 3, 0, 1)], End(1, 2, Commit, 0, 0), Err(old_epoch));
    check(&[Data(1, 3, 0, 1)], End(1, 3, Commit, 0, 0), Ok(1));
    check(&[Data(1, 3, 0, 1)], End(1, 3, Commit, 0, 2), Err(old_epoch));
    check(&[Data(1, 3, 0, 1)], End(1, 4, Commit, 0, 2), Ok(1));
    check(&[Data(1, 3, 0, 1), End(1, 4, Commit, 0, 2)], End(1, 4, Commit, 0, 2), Ok(2));
    check(&[Data(1, 32_767, 0, 1)], End(1, 32_767, Commit, 0, 2), Ok(1));
    check(&[End(1, 3, Commit, 5, 2)], End(1, 4, Commit, 4, 2), Err("TRANSACTION_COORDINATOR_FENCED"));
}

#[test]
fn a_batch_of_a_transaction_needs_the_guard_of_its_verification() {
    let stamp = ProducerStamp { producer_id: 1, epoch: 0, base_sequence: 0 };
    let view = batch(vec![record(Some("k"), Some(2), 0)]);
    let check = |log: &mut Log, guard: Option<u64>, is_demanded: bool, expected: Option<&str>| {
        let found = log.append_produced(&view, Some(stamp), Some(Verified { guard, is_demanded }), 0, at(HOUR));
        assert_eq!(found.err().map(|error| error.error).as_deref(), expected);
    };
    let mut log = log(&[]);
    check(&mut log.clone(), None, true, Some("INVALID_TXN_STATE"));
    check(&mut log.clone(), None, false, None);
    let guard = log.start_verification(stamp, false);
    assert_eq!(log.start_verification(stamp, false), guard, "a producer is verified once at a time");
    // A marker that comes meanwhile ends the transaction that was verified.
    let mut ended = log.clone();
    take(&mut ended, &End(1, 0, Abort, 0, 0)).unwrap();
    check(&mut ended, guard, true, Some("INVALID_TXN_STATE"));
    check(&mut log, guard, true, None);
    assert_eq!(log.start_verification(stamp, false), None, "its transaction is open");
}

#[test]
fn a_cut_log_knows_what_is_left_of_its_transactions() {
    let steps = [Data(1, 0, 0, 1), Data(2, 0, 0, 1), End(2, 1, Abort, 0, 2), End(1, 1, Commit, 0, 2), Replicated(1)];
    let check = |end: u64, open: &[u64], aborted: usize| {
        let mut log = log_after(&steps);
        log.truncate_to(end, HOUR);
        let open_now: Vec<u64> = log
            .known_producers(HOUR)
            .filter(|(_, state)| state.transaction_start.is_some())
            .map(|(id, _)| id)
            .collect();
        assert_eq!((open_now.as_slice(), log.aborted().len()), (open, aborted), "cut to {end}");
        assert_eq!(log.last_stable_offset(), 0);
        log.set_high_watermark(end, HOUR);
        let stable = if open.contains(&1) { 0 } else { end };
        assert_eq!(log.last_stable_offset(), stable, "cut to {end}");
    };
    check(4, &[], 1);
    check(3, &[1], 1);
    check(2, &[1, 2], 0);
    check(1, &[1], 0);
}

#[test]
fn a_process_that_starts_again_knows_open_transactions() {
    for is_clean in [true, false] {
        let mut log = log_after(&[Data(1, 0, 0, 1), Data(2, 0, 0, 1), End(2, 1, Abort, 0, 2), Replicated(3)]);
        log.close(HOUR, is_clean);
        log.open(HOUR, Duration::from_secs(5), is_clean);
        log.set_high_watermark(3, HOUR);
        assert_eq!((log.last_stable_offset(), log.aborted().len()), (0, 1));
        take(&mut log, &Data(1, 0, 1, 1)).unwrap();
    }
}

#[test]
fn producers_are_forgotten_unless_a_transaction_is_open() {
    let mut log = log_after(&[Data(1, 0, 0, 1), Plain(2, 0, 0, 1), Replicated(2)]);
    log.set_producer_expiry(Duration::from_millis(5_000), Duration::from_millis(1_000));
    let known = |log: &Log, millis: u64| {
        let now = Time::from_millis(millis);
        log.known_producers(now).map(|(id, _)| id).collect::<Vec<u64>>()
    };
    // Records are stamped 0; checks come every second after the log was made.
    assert_eq!(known(&log, 4_999), [1, 2]);
    assert_eq!(known(&log, 5_000), [1]);
    take(&mut log, &Plain(2, 0, 7, 1)).unwrap();
    let state = log.producer(2, Time::ZERO).unwrap();
    assert_eq!((state.batches.len(), state.batches[0].base_sequence), (1, 7), "a forgotten producer begins anew");
    assert_eq!(producers::sequence_after(i32::MAX, 1), 0);
}

#[test]
fn deleted_records_take_the_beginning_of_an_open_transaction_with_them() {
    let mut log = log_after(&[Data(1, 0, 0, 3), Replicated(3)]);
    log.advance_log_start(2);
    assert_eq!(log.last_stable_offset(), 2);
}
