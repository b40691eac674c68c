//! kafka-dump-log.sh over a directory made by hand, in the words that were recorded from Kafka 4.3.1.
//!
//! Positions and index entries are the engine's; here they are given.

use std::rc::Rc;

use engine::event::{Record, RecordId};
use engine::log_view::{BatchInSegment, LogView, ProducerStateView, SegmentView};
use engine::snapshot::AbortedTransaction;

use super::{OPTIONS, dump};
use crate::Printed;
use crate::disk::Disk;

/// Batches of two segments, the second one active: offset, last offset, position, timestamp.
struct Folder {
    first: Vec<(u64, u64, u64, i64)>,
    second: Vec<(u64, u64, u64, i64)>,
    index: Vec<(u32, u32)>,
    times: Vec<(i64, u32)>,
}

const SECOND: u64 = 5;

impl Disk for Folder {
    fn directory(&self, broker: u32, topic: &str, partition: u32) -> Option<LogView> {
        if (broker, topic, partition) != (1, "t", 0) {
            return None;
        }
        let segment = |base_offset: u64, batches: &[(u64, u64, u64, i64)], is_active: bool| SegmentView {
            base_offset,
            size_bytes: 0,
            first_batch_base_offset: batches.first().map(|batch| batch.0),
            last_offset: batches.last().map(|batch| batch.1),
            batch_count: batches.len() as u64,
            record_count: 0,
            largest_timestamp: None,
            is_active,
            offset_index: if is_active { self.index.clone() } else { Vec::new() },
            time_index: if is_active { self.times.clone() } else { Vec::new() },
            aborted: vec![AbortedTransaction {
                producer_id: 4,
                first_offset: 1,
                last_offset: 5,
                last_stable_offset: 2,
            }],
        };
        let state = ProducerStateView {
            producer_id: 4,
            producer_epoch: 0,
            last_sequence: 1,
            first_sequence: 1,
            last_offset: 1,
            offset_delta: 0,
            last_timestamp: 10,
            coordinator_epoch: None,
            transaction_start: None,
        };
        let names = ["log", "index", "timeindex", "snapshot", "txnindex"];
        let files =
            names.iter().flat_map(|name| [(format!("{:020}.{name}", 0), 0), (format!("{SECOND:020}.{name}"), 0)]);
        Some(LogView {
            topic: topic.into(),
            partition,
            broker,
            log_start_offset: 0,
            local_log_start_offset: 0,
            log_end_offset: 8,
            high_watermark: 0,
            clean_until: 0,
            dirty_bytes: (0, 0),
            segments: vec![segment(0, &self.first, false), segment(SECOND, &self.second, true)],
            remote_segments: Vec::new(),
            epochs: Vec::new(),
            producers: Vec::new(),
            snapshots: vec![(SECOND, vec![state])],
            files: files.collect(),
        })
    }

    fn batches(&self, _broker: u32, _topic: &str, _partition: u32, segment: u64) -> Vec<BatchInSegment> {
        let batches = if segment == 0 { &self.first } else { &self.second };
        let batch = |(base, last, position, time): &(u64, u64, u64, i64)| BatchInSegment {
            base_offset: *base,
            last_offset: *last,
            count: 1,
            position: *position,
            size_bytes: 119,
            codec: engine::event::Codec::None,
            leader_epoch: 0,
            producer: Some((4, 0, *base as i32)),
            last_sequence: *base as i32,
            base_timestamp: *time,
            is_log_append_time: false,
            is_transactional: false,
            control: None,
            max_timestamp: *time,
            delete_horizon: None,
            records: vec![(*last, record(*time))],
        };
        batches.iter().map(batch).collect()
    }
}

fn record(create_time: i64) -> Rc<Record> {
    Rc::new(Record {
        id: RecordId { producer: 0, number: 0 },
        producer: "p".into(),
        key: Some(Rc::from(&b"k"[..])),
        key_text: Some("k".into()),
        value: Some("v1".into()),
        value_size: 2,
        timestamp: engine::Time::ZERO,
        create_time,
        headers: None,
        command: None,
        internal: None,
    })
}

fn check(folder: &Folder, line: &str, stdout: &str, stderr: &str) {
    let words: Vec<String> = line.split(' ').map(str::to_string).collect();
    let mut printed = Printed::default();
    let home = |topic: &str, _| (topic == "t").then_some(1);
    if let Some(exception) =
        dump(folder, &words, &mut printed, home).err().and_then(|stop| stop.print(OPTIONS, &mut printed))
    {
        printed.stderr.push_str(&format!("{}\n{}", exception.text(), exception.trace()));
    }
    // Checksums are tested beside their arithmetic.
    let shown: Vec<String> = printed
        .stdout
        .lines()
        .map(|line| match line.split_once(" crc: ") {
            Some((before, after)) => {
                format!("{before} crc: <crc>{}", after.trim_start_matches(|c: char| c.is_ascii_digit()))
            }
            None => line.to_string(),
        })
        .collect();
    assert_eq!((shown.join("\n") + "\n", printed.stderr), (stdout.to_string(), stderr.to_string()), "{line}");
}

fn folder() -> Folder {
    Folder {
        first: vec![(0, 0, 0, 0), (1, 1, 119, 10)],
        second: vec![(5, 5, 0, 20), (6, 7, 119, 30)],
        index: vec![(2, 119)],
        times: vec![(30, 2)],
    }
}

const LOG: &str = "/var/lib/kafka/data-1/t-0/00000000000000000000.log";

#[test]
fn a_log_is_shown_batch_by_batch() {
    let batch = |offset: u32, position: u32, time: u64| {
        format!(
            "baseOffset: {offset} lastOffset: {offset} count: 1 baseSequence: {offset} lastSequence: {offset} producerId: 4 producerEpoch: 0 partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty position: {position} CreateTime: {time} size: 119 magic: 2 compresscodec: none crc: <crc> isvalid: true\n"
        )
    };
    let (one, two) = (batch(0, 0, 1_767_225_600_000), batch(1, 119, 1_767_225_600_010));
    let head = format!("Dumping {LOG}\nLog starting offset: 0\n");
    check(&folder(), &format!("--files {LOG}"), &format!("{head}{one}{two}"), "");
    let record = |offset: u32, time: u64| {
        format!(
            "| offset: {offset} CreateTime: {time} keySize: 1 valueSize: 2 sequence: {offset} headerKeys: [] key: k payload: v1\n"
        )
    };
    check(
        &folder(),
        &format!("--files {LOG} --print-data-log"),
        &format!("{head}{one}{}{two}{}", record(0, 1_767_225_600_000), record(1, 1_767_225_600_010)),
        "",
    );
    check(&folder(), &format!("--files {LOG} --max-bytes 119"), &format!("{head}{one}"), "");
    let short = "t-0/00000000000000000000.log";
    check(
        &folder(),
        &format!("--files {short} --print-data-log --skip-record-metadata --max-bytes 119"),
        &format!("Dumping {short}\nLog starting offset: 0\n{one}| key: k payload: v1\n"),
        "",
    );
}

#[test]
fn an_index_is_shown_and_checked() {
    let path = |offset: u64, kind: &str| format!("/var/lib/kafka/data-1/t-0/{offset:020}.{kind}");
    let (closed, open) = (path(0, "index"), path(SECOND, "index"));
    check(&folder(), &format!("--files {closed}"), &format!("Dumping {closed}\n{closed} is empty.\n"), "");
    check(&folder(), &format!("--files {open}"), &format!("Dumping {open}\noffset: 7 position: 119\n"), "");
    check(
        &folder(),
        &format!("--files {open} --index-sanity-check"),
        &format!("Dumping {open}\n{open} passed sanity check.\n"),
        "",
    );
    check(&folder(), &format!("--files {open} --verify-index-only"), &format!("Dumping {open}\n"), "");
    let times = path(SECOND, "timeindex");
    check(
        &folder(),
        &format!("--files {times}"),
        &format!("Dumping {times}\ntimestamp: 1767225600030 offset: 7\n"),
        "",
    );
}

#[test]
fn an_active_index_without_entries_shows_the_zeros_behind_them() {
    let empty = Folder { index: Vec::new(), times: Vec::new(), ..folder() };
    let path = |kind: &str| format!("/var/lib/kafka/data-1/t-0/{SECOND:020}.{kind}");
    let (index, times) = (path("index"), path("timeindex"));
    check(&empty, &format!("--files {index}"), &format!("Dumping {index}\noffset: 5 position: 0\n"), "");
    check(
        &empty,
        &format!("--files {times}"),
        &format!("Dumping {times}\ntimestamp: 0 offset: 5\n"),
        &format!("Found timestamp mismatch in :{times}\n  Index timestamp: 0, log timestamp: 1767225600020\n"),
    );
}

#[test]
fn a_snapshot_tells_the_last_batch_of_each_producer() {
    let path = format!("/var/lib/kafka/data-1/t-0/{SECOND:020}.snapshot");
    check(
        &folder(),
        &format!("--files {path}"),
        &format!(
            "Dumping {path}\nproducerId: 4 producerEpoch: 0 coordinatorEpoch: -1 currentTxnFirstOffset: OptionalLong.empty lastTimestamp: 1767225600010 firstSequence: 1 lastSequence: 1 lastOffset: 1 offsetDelta: 0 timestamp: 1767225600010\n"
        ),
        "",
    );
}

#[test]
fn an_index_of_aborted_transactions_shows_its_entries() {
    let path = format!("/var/lib/kafka/data-1/t-0/{SECOND:020}.txnindex");
    let entry = "version: 0 producerId: 4 firstOffset: 1 lastOffset: 5 lastStableOffset: 2";
    check(&folder(), &format!("--files {path}"), &format!("Dumping {path}\n{entry}\n"), "");
}

#[test]
fn a_marker_shows_what_it_ends() {
    let folder = folder();
    let mut batch = folder.batches(1, "t", 0, 0).remove(0);
    batch.control = Some((engine::transaction::MarkerKind::Abort, 3));
    batch.producer = Some((4, 1, -1));
    let style = super::Style { is_deep: true, prints_data: true, ..super::Style::default() };
    let line = super::log::record_line(&batch, 0, &batch.records[0].1, style);
    let end = " keySize: 4 valueSize: 6 sequence: -1 headerKeys: [] endTxnMarker: ABORT coordinatorEpoch: 3\n";
    assert!(line.ends_with(end), "{line}");
}

#[test]
fn files_that_are_not_there_are_told() {
    let missing = "/var/lib/kafka/data-2/t-0/00000000000000000000.log";
    let told = format!("{missing}\njava.nio.file.NoSuchFileException: {missing}\n");
    check(&folder(), &format!("--files {missing}"), &format!("Dumping {missing}\n"), &told);
    check(&folder(), "--files t-0/a.txt", "Dumping t-0/a.txt\n", "Ignoring unknown file t-0/a.txt\n");
}
