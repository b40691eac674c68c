//! A reader's fetches: whom it asks, and what it does with what comes.
//!
//! Follows `AbstractFetch` and `FetchCollector` of Kafka 4.3.1. Each broker has at most one fetch of a reader,
//! which stays there until there is something to tell; a fetch that asks for something else replaces it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{REQUEST_TIMEOUT, Reader};
use crate::error::KafkaError;
use crate::event::{Api, EventKind, Record, RefreshReason, TopicPartition};
use crate::message::{FetchedPartition, Payload};
use crate::order::Order;
use crate::outbox::Outbox;
use crate::snapshot::ReadRecord;
use crate::storage::batch::{Batch, Control};
use crate::time::Time;
use crate::transaction::MarkerKind;

/// Records that a reader remembers for the picture.
const RECENT_MAX: usize = 64;

/// A fetch that a broker has.
#[derive(Clone, Debug)]
pub(crate) struct Fetching {
    pub request: u64,
    from: Vec<(TopicPartition, u64)>,
    /// When the broker counts as lost; only while it is known not to answer.
    pub deadline: Option<Time>,
}

impl Reader {
    /// Sends a fetch to every broker that has none, or one for something else.
    pub(in crate::client) fn fetch(&mut self, outbox: &mut Outbox) {
        let wanted = self.wanted(outbox.now());
        self.fetching.retain(|broker, fetching| wanted.get(broker) == Some(&fetching.from));
        for (broker, from) in wanted {
            if self.fetching.contains_key(&broker) {
                continue;
            }
            let (rack, limits) = (self.plan.settings.rack.clone(), self.plan.settings.limits);
            let is_committed_only = self.plan.settings.is_committed_only;
            let payload = Payload::Fetch { from: from.clone(), sender: self.number, rack, limits, is_committed_only };
            let request = self.send(Api::Fetch, broker, payload, false, outbox);
            let deadline = self.silent.contains(&broker).then(|| outbox.now() + REQUEST_TIMEOUT);
            self.fetching.insert(broker, Fetching { request, from, deadline });
        }
    }

    /// What is to be asked of each broker.
    fn wanted(&mut self, now: Time) -> BTreeMap<u32, Vec<(TopicPartition, u64)>> {
        let mut wanted: BTreeMap<u32, Vec<(TopicPartition, u64)>> = BTreeMap::new();
        let mut is_leaderless = false;
        let (buffered, held_back) = self.buffered();
        for (partition, reading) in &mut self.partitions {
            let is_free = reading.not_before <= now && !reading.is_paused && !reading.is_held;
            let Some(position) = reading.position.filter(|_| is_free && !buffered.contains(partition)) else {
                continue;
            };
            reading.preferred.take_if(|(_, until)| *until <= now);
            let leader = self.metadata.leader(&partition.topic, partition.partition);
            match reading.preferred.map(|(follower, _)| follower).or(leader) {
                Some(broker) if held_back.contains(&broker) => {}
                Some(broker) if self.connections.may_send(broker, now) => {
                    let from = reading.watched.unwrap_or(position);
                    wanted.entry(broker).or_default().push((partition.clone(), from));
                }
                Some(_) => {}
                None => is_leaderless = true,
            }
        }
        if is_leaderless {
            self.metadata.request(RefreshReason::Error);
        }
        wanted
    }

    /// A fetch answer arrived.
    pub fn fetch_answer(&mut self, request: u64, partitions: &[FetchedPartition], outbox: &mut Outbox) {
        let found = self.fetching.iter().find(|(_, fetching)| fetching.request == request);
        let Some(broker) = found.map(|(broker, _)| *broker) else { return };
        self.fetching.remove(&broker);
        self.connections.answered(broker);
        if self.consumer.is_none() && (self.is_paused || self.error.is_some()) {
            return;
        }
        for fetched in partitions {
            match (&fetched.error, fetched.preferred_read_replica) {
                (Some(error), _) => self.fetch_failed(&fetched.partition, error, outbox),
                (None, Some(follower)) => {
                    let until = outbox.now() + self.plan.settings.metadata_age_max;
                    if let Some(reading) = self.partitions.get_mut(&fetched.partition) {
                        reading.preferred = Some((follower, until));
                    }
                }
                (None, None) if self.consumer.is_some() => self.keep(fetched, broker),
                (None, None) => self.take(fetched, broker, outbox),
            }
        }
        self.run(outbox);
    }

    /// An error goes back to the leader first; the leader's own calls for fresh metadata or a new position.
    fn fetch_failed(&mut self, partition: &TopicPartition, error: &KafkaError, outbox: &mut Outbox) {
        let Some(reading) = self.partitions.get_mut(partition) else { return };
        let is_follower = reading.preferred.take().is_some();
        reading.watched = None;
        let is_out_of_range = error.error == "OFFSET_OUT_OF_RANGE";
        if !is_out_of_range {
            self.metadata.request(RefreshReason::Error);
        }
        match (is_follower, is_out_of_range) {
            (true, _) => {}
            (false, true) => self.out_of_range(partition, error, outbox),
            (false, false) => reading.back_off(outbox.now(), &mut self.jitter),
        }
    }

    /// Reads what came, as far as the reader may.
    fn take(&mut self, fetched: &FetchedPartition, broker: u32, outbox: &mut Outbox) {
        let Some(reading) = self.partitions.get_mut(&fetched.partition) else { return };
        let Some(position) = reading.position else { return };
        reading.failures = 0;
        if reading.watched.take().is_some() {
            // Something came behind what was known: the next fetch reads on from the position.
            return;
        }
        let sifted = self.sift(fetched, position);
        let Some(reading) = self.partitions.get_mut(&fetched.partition) else { return };
        reading.position = Some(sifted.end);
        if sifted.is_cut {
            // The broker would answer at once with the same records.
            reading.watched = Some(sifted.bound);
        }
        let mut records: Vec<(u64, Rc<Record>)> = Vec::new();
        for piece in sifted.pieces {
            match piece {
                Piece::Record(offset, record) => records.push((offset, record)),
                Piece::Bare { from, until } => self.read_count += until - from,
            }
        }
        self.count_bytes(broker, sifted.bytes);
        self.show(&fetched.partition, records, outbox);
    }

    /// What of an answer the application may see, and how far the position may go.
    pub(in crate::client) fn sift(&mut self, fetched: &FetchedPartition, position: u64) -> Sifted {
        let bound =
            if self.plan.settings.is_committed_only { fetched.last_stable_offset } else { fetched.high_watermark };
        let until = bound.saturating_sub(self.plan.behind);
        let mut aborted = AbortedFilter::new(&fetched.aborted);
        let mut sifted = Sifted { pieces: Vec::new(), end: position, bytes: 0, bound, is_cut: false };
        for batch in fetched.batches.iter().filter(|batch| batch.end() > position) {
            sifted.bytes += u64::from(batch.size_bytes);
            let at = sifted.end;
            let end = batch.end().min(until).max(at);
            let is_due = |(offset, _): &(u64, &Rc<Record>)| *offset >= at && *offset < end;
            let due = batch.entries().filter(is_due);
            // The position moves over markers and what was aborted, but the application sees nothing of them.
            if aborted.drops(batch) {
                self.skipped_count += due.count() as u64;
            } else if batch.control.is_none() {
                sifted.pieces.extend(due.map(|(offset, record)| Piece::Record(offset, Rc::clone(record))));
                let bare = without_content(batch, at, end);
                if bare > 0 {
                    sifted.pieces.push(Piece::Bare { from: at, until: at + bare });
                }
            }
            sifted.end = end;
            if let Some(reading) = self.partitions.get_mut(&fetched.partition) {
                reading.epoch = Some(batch.leader_epoch);
            }
            if end < batch.end() {
                sifted.is_cut = true;
                break;
            }
        }
        sifted
    }

    pub(in crate::client) fn count_bytes(&mut self, broker: u32, bytes: u64) {
        let rack = self.metadata.racks.get(&broker).cloned().flatten();
        if rack.is_some() && rack == self.plan.settings.rack {
            self.read_bytes.0 += bytes;
        } else {
            self.read_bytes.1 += bytes;
        }
    }

    /// The application gets records, at most `max.poll.records` at a time.
    fn show(&mut self, partition: &TopicPartition, records: Vec<(u64, Rc<Record>)>, outbox: &mut Outbox) {
        self.remember_records(partition, &records, outbox);
        for polled in records.chunks(self.plan.settings.records_max as usize) {
            outbox.emit(EventKind::RecordsRead {
                consumer: Rc::clone(&self.plan.name),
                partition: partition.clone(),
                first_offset: polled[0].0,
                records: polled.iter().map(|(_, record)| Rc::clone(record)).collect(),
            });
        }
    }

    /// Counts records that the application got, and keeps the last ones for the picture.
    pub(in crate::client) fn remember_records(
        &mut self,
        partition: &TopicPartition,
        records: &[(u64, Rc<Record>)],
        outbox: &Outbox,
    ) {
        self.read_count += records.len() as u64;
        for (offset, record) in records {
            self.recent.push_back(ReadRecord {
                topic: Rc::clone(&partition.topic),
                partition: partition.partition,
                offset: *offset,
                read: outbox.moment,
                record: Rc::clone(record),
            });
        }
        let surplus = self.recent.len().saturating_sub(RECENT_MAX);
        self.recent.drain(..surplus);
    }
}

/// A part of what was fetched.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Record(u64, Rc<Record>),
    /// Records without content.
    Bare {
        from: u64,
        until: u64,
    },
}

/// An answer without what the application may not see.
pub(crate) struct Sifted {
    pub pieces: Vec<Piece>,
    /// The position after it.
    pub end: u64,
    pub bytes: u64,
    /// The high watermark, or the last stable offset.
    pub bound: u64,
    /// The last batch may not be read to its end yet.
    pub is_cut: bool,
}

/// Which batches of an answer were aborted (`CompletedFetch.consumeAbortedTransactionsUpTo`). Empty for readers
/// of everything.
pub(crate) struct AbortedFilter {
    /// Producer ids and first offsets, the nearest last.
    ahead: Vec<(u64, u64)>,
    /// Producers whose transaction was aborted, as far as the batches have come.
    ids: BTreeSet<u64>,
}

impl AbortedFilter {
    pub fn new(aborted: &[(u64, u64)]) -> AbortedFilter {
        let mut ahead = aborted.to_vec();
        ahead.order_by_key(|(_, first)| std::cmp::Reverse(*first));
        AbortedFilter { ahead, ids: BTreeSet::new() }
    }

    /// Whether the next batch belongs to an aborted transaction.
    pub fn drops(&mut self, batch: &Batch) -> bool {
        let Some(stamp) = batch.stamp else { return false };
        while let Some((id, _)) = self.ahead.pop_if(|(_, first)| *first <= batch.last_offset) {
            self.ids.insert(id);
        }
        match batch.control {
            Some(Control { marker: MarkerKind::Abort, .. }) => {
                self.ids.remove(&stamp.producer_id);
                false
            }
            Some(_) => false,
            None => batch.is_transactional && self.ids.contains(&stamp.producer_id),
        }
    }
}

/// Records without content between two offsets.
fn without_content(batch: &Batch, from: u64, until: u64) -> u64 {
    if batch.records.is_empty() { until.saturating_sub(from).min(u64::from(batch.count)) } else { 0 }
}
