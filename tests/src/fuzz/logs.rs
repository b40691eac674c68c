//! Rules about the state: in-sync sets, log ends, and the records in every replica's log.
//!
//! Deliberately not here: rules about single events (`model.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use engine::event::{Record, RecordId};
use engine::snapshot::{PartitionSnapshot, ReplicaSnapshot, Snapshot, TopicSnapshot};

use super::Watched;
use super::model::{Known, Promise};

/// High watermarks that leaders have told their readers, by topic id, partition and leader epoch.
pub(super) type Marks = BTreeMap<(String, u32, u32), u64>;

/// Leader epoch and record by offset.
type Records = BTreeMap<u64, (u32, Rc<Record>)>;

/// Checks the present state.
pub(super) fn check(seed: u64, timeline: &Watched, marks: &mut Marks) {
    let snapshot = timeline.snapshot(0);
    for topic in &snapshot.topics {
        let promise = timeline.observer().promise(&topic.name);
        let mut written = BTreeSet::new();
        for partition in &topic.partitions {
            let place = format!("seed {seed}: {}-{} at {}", topic.name, partition.partition, timeline.now());
            check_sets(&place, &snapshot, partition);
            check_ends(&place, promise, partition);
            check_mark(&place, topic, partition, marks);
            let logs = contents(&place, promise, timeline, topic, partition);
            if promise.is_clean {
                check_agreement(&place, partition, &logs);
            }
            let leader = partition.leader.and_then(|leader| logs.get(&leader));
            let known = timeline.observer().known(&topic.name, partition.partition);
            if let (Some(leader), Some(known)) = (leader, known) {
                check_promises(&place, promise, partition, known, leader);
            }
            if let (Some(leader), true) = (leader, promise.is_clean) {
                check_once(&place, timeline, leader, &mut written);
            }
        }
    }
}

/// Only live replicas are in sync. Without eligible leader replicas, the last one stays in the set.
fn check_sets(place: &str, snapshot: &Snapshot, partition: &PartitionSnapshot) {
    let PartitionSnapshot { isr, replicas, leader, .. } = partition;
    assert!(isr.iter().all(|broker| replicas.contains(broker)), "{place}: ISR {isr:?} is not among {replicas:?}");
    assert!(leader.is_none_or(|leader| isr.contains(&leader)), "{place}: {leader:?} leads outside of {isr:?}");
    let is_fenced = |broker: &u32| snapshot.brokers.iter().any(|found| found.id == *broker && found.is_fenced);
    let is_last = isr.len() == 1 && leader.is_none();
    assert!(is_last || !isr.iter().any(is_fenced), "{place}: a fenced broker is in {isr:?}");
}

fn check_ends(place: &str, promise: Promise, partition: &PartitionSnapshot) {
    for log in &partition.logs {
        let (start, mark, end) = (log.log_start_offset, log.high_watermark, log.log_end_offset);
        assert!(start <= end && mark <= end, "{place}: {start}, {mark}, {end} at broker {}", log.broker);
        let is_member = partition.isr.contains(&log.broker) && partition.leader.is_some();
        let least = partition.high_watermark;
        assert!(
            !(is_member && promise.is_clean) || end >= least,
            "{place}: {} is in sync and ends at {end}, below {least}",
            log.broker
        );
    }
}

/// For the readers of one leader the high watermark never goes back.
fn check_mark(place: &str, topic: &TopicSnapshot, partition: &PartitionSnapshot, marks: &mut Marks) {
    let leads = |log: &&ReplicaSnapshot| {
        let knows_it = log.epochs.last().is_none_or(|(epoch, _)| *epoch <= partition.leader_epoch);
        Some(log.broker) == partition.leader && log.is_leader && knows_it
    };
    let Some(log) = partition.logs.iter().find(leads) else { return };
    let key = (topic.topic_id.to_string(), partition.partition, partition.leader_epoch);
    let before = marks.insert(key, log.high_watermark).unwrap_or(0);
    assert!(log.high_watermark >= before, "{place}: readers are taken back from {before} to {}", log.high_watermark);
}

/// Every replica's records by offset: offsets rise, and none is missing unless something was compacted.
fn contents(
    place: &str,
    promise: Promise,
    timeline: &Watched,
    topic: &TopicSnapshot,
    partition: &PartitionSnapshot,
) -> BTreeMap<u32, Records> {
    let mut logs = BTreeMap::new();
    for log in &partition.logs {
        let mut records = Records::new();
        let Some(directory) = timeline.log_view(log.broker, &topic.name, partition.partition) else { continue };
        for segment in &directory.segments {
            let batches = timeline.batches(log.broker, &topic.name, partition.partition, segment.base_offset);
            for batch in batches {
                for (offset, record) in &batch.records {
                    let last = records.last_key_value().map(|(last, _)| *last);
                    let is_next = last.is_none_or(|last| *offset == last + 1);
                    let rises = last.is_none_or(|last| *offset > last);
                    assert!(rises, "{place}: offset {offset} follows {last:?} at {}", log.broker);
                    assert!(is_next || !promise.has_no_gaps, "{place}: {offset} follows {last:?} at {}", log.broker);
                    records.insert(*offset, (batch.leader_epoch, Rc::clone(record)));
                }
            }
        }
        let last = records.last_key_value().map(|(last, _)| *last);
        assert!(last.is_none_or(|last| last < log.log_end_offset), "{place}: {last:?} lies behind the end");
        logs.insert(log.broker, records);
    }
    logs
}

/// Below the high watermark all replicas have the same record at an offset.
fn check_agreement(place: &str, partition: &PartitionSnapshot, logs: &BTreeMap<u32, Records>) {
    let mark = |broker: u32| partition.logs.iter().find(|log| log.broker == broker).map_or(0, |log| log.high_watermark);
    let mut agreed: BTreeMap<u64, (u32, (u32, RecordId))> = BTreeMap::new();
    for (broker, records) in logs {
        for (offset, (epoch, record)) in records.range(..mark(*broker)) {
            let record = (*epoch, record.id);
            let (other, first) = agreed.entry(*offset).or_insert((*broker, record));
            assert_eq!(*first, record, "{place}: {other} and {broker} differ at {offset}");
        }
    }
}

/// What was acknowledged or read is still there, at its offset.
fn check_promises(place: &str, promise: Promise, partition: &PartitionSnapshot, known: &Known, leader: &Records) {
    let start = partition.log_start_offset;
    for (offset, id) in known.acknowledged.range(start..).filter(|_| promise.keeps) {
        let found = leader.get(offset).map(|(_, record)| &record.id);
        assert_eq!(found, Some(id), "{place}: acknowledged offset {offset} is lost");
    }
    for (offset, id) in known.read.range(start..).filter(|_| promise.is_clean) {
        let found = leader.get(offset).map(|(_, record)| &record.id);
        let may_miss = !promise.has_no_gaps && found.is_none();
        assert!(may_miss || found == Some(id), "{place}: offset {offset} was read as {id:?} and is {found:?}");
    }
}

/// An idempotent producer's record is in a topic once.
fn check_once(place: &str, timeline: &Watched, leader: &Records, written: &mut BTreeSet<RecordId>) {
    for (offset, (_, record)) in leader {
        let is_new = written.insert(record.id);
        let may_repeat = !timeline.observer().is_careful(&record.producer);
        assert!(is_new || may_repeat, "{place}: {:?} is written twice, at {offset} again", record.id);
    }
}
