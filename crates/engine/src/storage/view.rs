//! A log opened for reading: segments, indexes, batches, producers and files.
//!
//! Made when somebody opens a partition; nothing here changes the log.

use std::rc::Rc;

use super::files::Files;
use super::log::Log;
use super::producers::{ProducerState, sequence_after};
use super::segment::{Segment, Stored};
use crate::event::Name;
use crate::log_view::{BatchInSegment, LogView, ProducerStateView, SegmentView};
use crate::order::Order;
use crate::snapshot::ProducerStateSnapshot;
use crate::time::Time;

impl Log {
    /// What is known of the producers, as a snapshot tells it.
    pub fn producer_snapshots(&self, now: Time) -> Vec<ProducerStateSnapshot> {
        let snapshot = |(producer_id, state): (u64, &ProducerState)| ProducerStateSnapshot {
            producer_id,
            epoch: state.epoch,
            last_sequence: state.batches.back().map(|last| last.last_sequence),
            last_timestamp: state.last_timestamp,
            coordinator_epoch: state.coordinator_epoch,
            transaction_start: state.transaction_start,
        };
        self.known_producers(now).map(snapshot).collect()
    }

    /// The whole directory, as of `now`.
    pub fn view(&self, topic: &Name, partition: u32, broker: u32, now: Time) -> LogView {
        let active = self.active_base_offset();
        LogView {
            topic: Rc::clone(topic),
            partition,
            broker,
            log_start_offset: self.log_start_offset,
            local_log_start_offset: self.local_log_start_offset(),
            high_watermark: self.high_watermark,
            log_end_offset: self.log_end_offset,
            clean_until: self.clean_until(),
            dirty_bytes: self.dirty_bytes(now),
            segments: self.segments.iter().map(|segment| segment.view(segment.base_offset == active)).collect(),
            remote_segments: self.remote.iter().map(|segment| (segment.base_offset, segment.size_bytes)).collect(),
            epochs: self.leader_epochs().to_vec(),
            producers: self.known_producers(now).map(producer_view).collect(),
            snapshots: self
                .snapshots
                .iter()
                .map(|(offset, states)| {
                    (*offset, states.iter().map(|(id, state)| producer_view((*id, state))).collect())
                })
                .collect(),
            files: self.file_names(now),
        }
    }

    /// The batches of a segment, by its first offset; of one in remote storage, too. Empty if there is none.
    pub fn batches(&self, segment_base: u64) -> Vec<BatchInSegment> {
        let found = self.segments.iter().chain(self.remote.iter()).find(|segment| segment.base_offset == segment_base);
        found.map_or_else(Vec::new, |segment| segment.batches.iter().map(batch_view).collect())
    }

    fn file_names(&self, now: Time) -> Vec<(String, u64)> {
        let mut files: Vec<(String, u64)> = Files::fixed(self.leader_epochs()).into();
        for segment in &self.segments {
            let is_active = segment.base_offset == self.active_base_offset();
            files.extend(Files::of_segment(segment, is_active.then_some(&*self.settings)));
        }
        let snapshots = self.snapshots.iter();
        files.extend(snapshots.map(|(offset, states)| (Files::snapshot(*offset), Files::snapshot_bytes(states))));
        files.extend(self.files.waiting(now));
        files.order();
        files
    }
}

impl Segment {
    fn view(&self, is_active: bool) -> SegmentView {
        SegmentView {
            base_offset: self.base_offset,
            size_bytes: self.size_bytes,
            first_batch_base_offset: self.batches.first().map(|first| first.batch.base_offset),
            last_offset: self.batches.last().map(|last| last.batch.last_offset),
            batch_count: self.batches.len() as u64,
            record_count: self.record_count,
            largest_timestamp: self.largest.map(|(timestamp, _)| timestamp),
            is_active,
            offset_index: self.offset_index.iter().copied().collect(),
            time_index: self.time_index.iter().copied().collect(),
            aborted: self.aborted.clone(),
        }
    }
}

fn batch_view(stored: &Stored) -> BatchInSegment {
    let batch = &stored.batch;
    let delta = (batch.last_offset - batch.base_offset) as u32;
    BatchInSegment {
        base_offset: batch.base_offset,
        last_offset: batch.last_offset,
        count: batch.count,
        position: u64::from(stored.position),
        size_bytes: batch.size_bytes,
        codec: batch.codec,
        leader_epoch: batch.leader_epoch,
        producer: batch.stamp.map(|stamp| (stamp.producer_id, stamp.epoch, stamp.base_sequence)),
        last_sequence: batch
            .stamp
            .filter(|stamp| stamp.base_sequence >= 0)
            .map_or(-1, |stamp| sequence_after(stamp.base_sequence, delta)),
        base_timestamp: batch.base_timestamp,
        max_timestamp: batch.max_timestamp,
        is_log_append_time: batch.is_log_append_time,
        is_transactional: batch.is_transactional,
        control: batch.control.map(|control| (control.marker, control.coordinator_epoch)),
        delete_horizon: batch.delete_horizon,
        records: batch.entries().map(|(offset, record)| (offset, Rc::clone(record))).collect(),
    }
}

fn producer_view((producer_id, state): (u64, &ProducerState)) -> ProducerStateView {
    let last = state.batches.back();
    ProducerStateView {
        producer_id,
        producer_epoch: state.epoch,
        last_sequence: last.map_or(-1, |last| last.last_sequence),
        first_sequence: last.map_or(-1, |last| last.base_sequence),
        last_offset: last.map_or(-1, |last| last.last_offset as i64),
        offset_delta: last.map_or(0, |last| (last.last_offset - last.base_offset) as u32),
        last_timestamp: state.last_timestamp,
        coordinator_epoch: state.coordinator_epoch,
        transaction_start: state.transaction_start,
    }
}
