//! What a leader takes and refuses, and what a cut leaves.
//!
//! Texts are those that a running broker gave.

use super::*;
use crate::event::RollReason;

fn check(configs: &[(&str, &str)], records: Vec<Rc<Record>>, refusal: Option<(&str, &str)>) {
    let mut log = log(configs);
    let result = log.append_as_leader(&batch(records), None, 0, at(HOUR));
    let found = result.as_ref().err().map(|error| (error.error.as_str(), error.message.as_str()));
    assert_eq!(found, refusal, "{configs:?}");
    assert_eq!(log.log_end_offset > 0, refusal.is_none(), "nothing is written of a refused batch");
}

#[test]
fn batches_are_refused_in_kafkas_words() {
    let filler = |bytes| vec![record(Some("k"), Some(bytes), 3_600_000)];
    check(&[("max.message.bytes", "1071")], filler(1_000), None);
    let too_large = "The request included a message larger than the max message size the server will accept.";
    check(&[("max.message.bytes", "1070")], filler(1_000), Some(("MESSAGE_TOO_LARGE", too_large)));
    let above_segment = "The request included message batch larger than the configured segment size on the server.";
    let configs = [("segment.bytes", "1048576"), ("max.message.bytes", "3000000")];
    check(&configs, filler(2_000_000), Some(("RECORD_LIST_TOO_LARGE", above_segment)));
    let keyless = "Compacted topic cannot accept message without key in topic partition t-0";
    let compact = [("cleanup.policy", "compact")];
    check(&compact, vec![record(None, Some(1), 3_600_000)], Some(("INVALID_RECORD", keyless)));
    let both = "One or more records have been rejected due to 2 record errors in total, and only showing the first \
                three errors at most: [RecordError(batchIndex=0, message='Compacted topic cannot accept message without \
                key in topic partition t-0'), RecordError(batchIndex=1, message='Compacted topic cannot accept message \
                without key in topic partition t-0')]";
    check(&compact, vec![record(None, Some(1), 3_600_000); 2], Some(("INVALID_RECORD", both)));
}

#[test]
fn timestamps_too_far_from_the_clock_are_refused() {
    let stamped = |timestamp| vec![record(Some("k"), Some(1), timestamp)];
    check(&[], stamped(7_200_000), None);
    let future = "Timestamp 7200001 of message with offset 0 is out of range. The timestamp should be within \
                  [-9223372036851175807, 7200000]";
    check(&[], stamped(7_200_001), Some(("INVALID_TIMESTAMP", future)));
    let past = "Timestamp 3598999 of message with offset 0 is out of range. The timestamp should be within \
                [3599000, 7200000]";
    check(&[("message.timestamp.before.max.ms", "1000")], stamped(3_598_999), Some(("INVALID_TIMESTAMP", past)));
    check(&[("message.timestamp.type", "LogAppendTime")], stamped(7_200_001), None);
    check(&[], stamped(-30_960_000_000), None);
}

/// Epoch, base sequence and records of each batch, with the offset of the answer or the error.
fn check_sequences(cases: &[(u16, i32, usize, Result<u64, &str>)]) {
    let mut log = log(&[]);
    for (epoch, base_sequence, count, expected) in cases {
        let result = produce(&mut log, *epoch, *base_sequence, *count);
        let found = result.map(|appended| appended.base_offset).map_err(|error| error.error);
        assert_eq!(found, expected.map_err(str::to_string), "epoch {epoch}, sequence {base_sequence} of {cases:?}");
    }
}

#[test]
fn sequences_are_checked_against_the_last_five_batches() {
    const GAP: &str = "OUT_OF_ORDER_SEQUENCE_NUMBER";
    check_sequences(&[(0, 0, 2, Ok(0)), (0, 2, 1, Ok(2)), (0, 0, 2, Ok(0)), (0, 4, 1, Err(GAP)), (0, 3, 1, Ok(3))]);
    // The first batch is forgotten after five more.
    let six: Vec<_> = (0..6).map(|number| (0, number, 1, Ok(number as u64))).collect();
    check_sequences(&[&six[..], &[(0, 0, 1, Err(GAP)), (0, 1, 1, Ok(1))]].concat());
    // Without any state every sequence is taken; a new epoch starts at 0, an old one is refused.
    check_sequences(&[
        (3, 9, 1, Ok(0)),
        (4, 1, 1, Err(GAP)),
        (4, 0, 1, Ok(1)),
        (3, 10, 1, Err("INVALID_PRODUCER_EPOCH")),
    ]);
    // After 2147483647 comes 0, also inside a batch.
    check_sequences(&[(0, i32::MAX - 1, 3, Ok(0)), (0, 1, 1, Ok(3))]);
}

#[test]
fn producers_are_known_again_after_a_cut() {
    let mut log = log(&[]);
    (0..4).for_each(|sequence| {
        produce(&mut log, 0, sequence, 1).unwrap();
    });
    log.roll(HOUR, RollReason::Command);
    (4..6).for_each(|sequence| {
        produce(&mut log, 0, sequence, 1).unwrap();
    });
    log.truncate_to(5, HOUR);
    assert_eq!(produce(&mut log, 0, 5, 1).unwrap().base_offset, 5);
    log.truncate_to(2, HOUR);
    assert_eq!((log.segment_count(), log.log_end_offset), (1, 2));
    assert_eq!(produce(&mut log, 0, 1, 1).unwrap().duplicate_of, Some(1));
    assert_eq!(produce(&mut log, 0, 2, 1).unwrap().base_offset, 2);
}

#[test]
fn a_cut_takes_epochs_and_index_entries_along() {
    let mut log = log(&[("index.interval.bytes", "0")]);
    for epoch in [0, 0, 0, 0, 1, 1] {
        log.append_as_leader(&batch(vec![record(Some("k"), Some(50), 0)]), None, epoch, at(HOUR)).unwrap();
    }
    assert_eq!(log.end_offset_for_epoch(0), Some((0, 4)));
    log.set_high_watermark(6, HOUR);
    log.truncate_to(4, HOUR);
    let view = log.view(&"t".into(), 0, 1, HOUR);
    assert_eq!((view.epochs, log.high_watermark, log.size_bytes), (vec![(0, 0)], 4, 4 * 119));
    assert_eq!(view.segments[0].offset_index, [(1, 119), (2, 238), (3, 357)]);
    log.truncate_fully_and_start_at(9, HOUR);
    assert_eq!((shape(&log), log.log_start_offset, log.latest_epoch()), (vec![(9, 0, -1, 0)], 9, None));
}

#[test]
fn reads_take_whole_batches_up_to_a_bound() {
    let mut log = log(&[("segment.bytes", "1048576")]);
    for _ in 0..9 {
        log.append_as_leader(&batch(vec![record(None, Some(300_000), 0); 3]), None, 0, at(HOUR)).unwrap();
    }
    let offsets = |offset, bytes, below| -> Vec<u64> {
        log.read(offset, bytes, below).iter().map(|batch| batch.base_offset).collect()
    };
    assert_eq!(log.segment_count(), 9);
    assert_eq!(offsets(4, 2_000_000, 27), [3, 6]);
    assert_eq!(offsets(4, 1, 27), [3], "at least one");
    assert_eq!(offsets(20, 9_000_000, 24), [18, 21], "below the bound");
    assert_eq!(offsets(24, 9_000_000, 26), [0u64; 0], "a batch that the bound cuts");
    let last: Vec<_> = log.last_records(4).iter().map(|record| record.offset).collect();
    assert_eq!(last, [23, 24, 25, 26]);
}
