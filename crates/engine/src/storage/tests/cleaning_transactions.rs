//! What a cleaning leaves of transactions: open ones stop it, aborted records go at once, markers later.
//!
//! The numbers are those of the recording that a case names. Plain records are in `cleaning.rs`.

use super::super::Verified;
use super::super::batch::Control;
use super::super::markers::Marker;
use super::*;
use crate::event::RollReason;
use crate::message::ProducerIdentity;
use crate::transaction::MarkerKind::{self, Abort, Commit};

const COMPACT: [(&str, &str); 3] =
    [("cleanup.policy", "compact"), ("segment.ms", "1000"), ("min.cleanable.dirty.ratio", "0.01")];

/// Appends one record of a producer, in a transaction if `is_transactional`.
fn send(log: &mut Log, stamp: (u64, u16, i32), is_transactional: bool, key: &str, value_bytes: u32, timestamp: i64) {
    let (producer_id, epoch, base_sequence) = stamp;
    let stamp = ProducerStamp { producer_id, epoch, base_sequence };
    let verified = is_transactional.then_some(Verified { guard: None, is_demanded: false });
    let batch = batch(vec![record(Some(key), Some(value_bytes), timestamp)]);
    log.append_produced(&batch, Some(stamp), verified, 0, at(HOUR)).unwrap();
    log.set_high_watermark(log.log_end_offset, HOUR);
}

fn end(log: &mut Log, producer_id: u64, epoch: u16, marker: MarkerKind, now: Time) {
    let control = Control { marker, coordinator_epoch: 0 };
    let identity = ProducerIdentity { producer_id, epoch };
    log.append_marker(&Marker { identity, control, transaction_version: 2, number: 0 }, 0, at(now)).unwrap();
    log.set_high_watermark(log.log_end_offset, now);
}

/// Offsets of batches with what is left in each.
fn left(log: &Log) -> Vec<(u64, u32)> {
    log.batches_from(0).map(|batch| (batch.base_offset, batch.count)).collect()
}

#[test]
fn an_open_transaction_stops_the_cleaner() {
    // storage/compact-open-transaction
    let mut log = log(&COMPACT);
    let plain = |log: &mut Log, sequence: i32, key: &str, timestamp: i64| {
        send(log, (2, 0, sequence), false, key, 1, timestamp);
    };
    plain(&mut log, 0, "a", 0);
    plain(&mut log, 1, "a", 1);
    plain(&mut log, 2, "roll", 2_000);
    send(&mut log, (1, 0, 0), true, "a", 2, 2_001);
    plain(&mut log, 3, "a", 2_002);
    plain(&mut log, 4, "a", 4_000);
    plain(&mut log, 5, "roll", 6_000);
    log.clean(HOUR, false).unwrap();
    assert_eq!(shape(&log), [(0, 70, 1, 1), (2, 214, 4, 3), (5, 70, 5, 1), (6, 73, 6, 1)]);
    assert_eq!(log.cleanable_at(HOUR), None, "it waits for the end of the transaction");
    // In the recording the marker is no more than a second older than the record after it.
    end(&mut log, 1, 1, Commit, Time::from_millis(3_700_000));
    plain(&mut log, 6, "roll", 3_700_000);
    log.clean(HOUR, false).unwrap();
    assert_eq!(shape(&log), [(0, 143, 6, 2), (7, 151, 8, 2)]);
}

#[test]
fn aborted_records_go_and_their_marker_follows_after_its_horizon() {
    let mut log = log(&[&COMPACT[..], &[("delete.retention.ms", "1000")]].concat());
    send(&mut log, (9, 0, 0), false, "k", 1, 0);
    send(&mut log, (1, 0, 0), true, "k", 1, 1);
    end(&mut log, 1, 1, Abort, HOUR);
    // Its producer writes on, so that the marker is not the last that is known of it.
    send(&mut log, (1, 1, 0), false, "other", 1, 2);
    log.roll(HOUR, RollReason::Command);
    send(&mut log, (9, 0, 1), false, "x", 1, 3);
    log.clean(HOUR, true).unwrap();
    assert_eq!(left(&log), [(0, 1), (2, 1), (3, 1), (4, 1)], "what was aborted does not supersede the record before");
    assert_eq!(log.aborted().len(), 1, "the index keeps it as long as its records were there");

    let later = |log: &mut Log, sequence: i32, now: Time| {
        log.roll(now, RollReason::Command);
        send(log, (9, 0, sequence), false, "y", 1, 4);
        log.clean(now, true).unwrap();
    };
    later(&mut log, 2, HOUR);
    let marker = log.batches_from(2).next().map(|batch| (batch.delete_horizon, batch.size_bytes));
    assert_eq!(marker, Some((Some(3_601_000), 79)), "nothing of it is left: the marker gets its horizon");
    assert_eq!(log.aborted(), []);
    later(&mut log, 3, HOUR);
    assert_eq!(left(&log)[..3], [(0, 1), (2, 1), (3, 1)]);
    later(&mut log, 4, Time::from_millis(3_601_000));
    assert_eq!(left(&log)[..2], [(0, 1), (3, 1)]);
}

#[test]
fn the_marker_that_tells_a_producers_epoch_stays() {
    let mut log = log(&[&COMPACT[..], &[("delete.retention.ms", "0")]].concat());
    send(&mut log, (1, 0, 0), true, "k", 1, 1);
    end(&mut log, 1, 1, Abort, HOUR);
    send(&mut log, (9, 0, 0), false, "k", 1, 2);
    for sequence in 1..4 {
        log.roll(HOUR, RollReason::Command);
        send(&mut log, (9, 0, sequence), false, "k", 1, 3);
        log.clean(HOUR, true).unwrap();
    }
    assert_eq!(left(&log)[0], (1, 0), "only its header is left");
}
