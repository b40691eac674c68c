//! Batches that wait in a producer, by partition.
//!
//! Follows `RecordAccumulator` and `ProducerBatch` of Kafka 4.3.1 as far as the partition choice and the
//! sending need it. How much memory there is for batches is in `pool.rs`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use super::queues::{Queue, Queues, Slot};
use crate::event::{Name, Record};
use crate::storage::batch::{BATCH_OVERHEAD, ProducerStamp, content_size, framed_size, upper_bound};
use crate::time::Time;

/// A topic and a partition inside a producer.
pub(crate) type Key = (Name, u32);

/// Records that a new batch has room for, at most.
const ROOM_AT_FIRST: u32 = 16;

/// A batch that is being filled or waits to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    /// Empty once the batch was given up while its request was on its way.
    pub records: Vec<Rc<Record>>,
    /// As far as the client knows: with compression an estimate, until the batch is closed.
    pub size_bytes: u32,
    /// Its records as they are, without the header.
    plain_bytes: u32,
    /// What the client expects compression to leave of them, in millionths; absent without compression.
    estimate: Option<u32>,
    write_limit: u32,
    pub is_closed: bool,
    /// What it holds of the pool; 0 for parts of a batch that was too large, and where there is no pool.
    pub memory: u32,
    pub created: Time,
    pub attempts: u32,
    /// A retried batch waits until then.
    pub not_before: Time,
    /// Producer id, epoch and first sequence, from the first time that it is sent on.
    pub stamp: Option<ProducerStamp>,
    /// Its sequence was given anew after an epoch bump.
    pub is_renumbered: bool,
    /// It is a part of a batch that was too large.
    is_part: bool,
    /// The newest leader epoch that was known while it waited, and the attempts up to then.
    leader_epoch: Option<(u32, u32)>,
    /// Upper bound of the largest record.
    pub record_bytes_max: u32,
    /// Timestamp of the first record; those of the others are stored as the difference to it.
    base_timestamp: i64,
}

impl Batch {
    fn new(record: &Record, batch_size: u32, created: Time) -> Batch {
        let bound = size_upper_bound(record);
        let write_limit = batch_size.max(bound);
        Batch {
            // About as many as fit, if they are all like this one; a batch of very many grows as it fills.
            records: Vec::with_capacity((write_limit / bound).min(ROOM_AT_FIRST) as usize),
            size_bytes: BATCH_OVERHEAD,
            plain_bytes: 0,
            estimate: None,
            write_limit,
            is_closed: false,
            memory: 0,
            created,
            attempts: 0,
            not_before: Time::ZERO,
            stamp: None,
            is_renumbered: false,
            is_part: false,
            leader_epoch: None,
            record_bytes_max: 0,
            base_timestamp: record.create_time,
        }
    }

    /// Whether it was sent before and goes back to the broker.
    pub fn is_in_retry(&self) -> bool {
        self.attempts > 0
    }

    /// Whether it waits for its backoff. A leader that is new since the last attempt is tried at once (KIP-951).
    pub fn is_backing_off(&self, now: Time) -> bool {
        let has_new_leader = self.leader_epoch.is_some_and(|(_, attempts)| attempts == self.attempts);
        self.attempts > 0 && self.not_before > now && !has_new_leader
    }

    /// Takes note of the partition's leader epoch.
    pub fn see_leader(&mut self, epoch: u32) {
        if self.leader_epoch.is_none_or(|(known, _)| known < epoch) {
            self.leader_epoch = Some((epoch, self.attempts));
        }
    }

    /// Nothing more goes in.
    pub fn is_full(&self) -> bool {
        self.is_closed || (!self.records.is_empty() && self.size_bytes >= self.write_limit)
    }

    /// Appends if there is room; returns the growth in bytes.
    fn try_append(&mut self, record: &Rc<Record>, records_max: u32) -> Option<u32> {
        let count = self.records.len() as u32;
        let delta = record.create_time - self.base_timestamp;
        let content = content(record);
        let size = framed_size(count, delta, content);
        let has_room = count == 0 || (!self.is_full() && self.size_bytes + size <= self.write_limit);
        if self.is_closed || !has_room || count >= records_max {
            return None;
        }
        self.records.push(Rc::clone(record));
        let before = self.size_bytes;
        self.plain_bytes += size;
        self.size_bytes = self.estimated();
        self.record_bytes_max = self.record_bytes_max.max(upper_bound(content));
        Some(self.size_bytes - before)
    }

    /// `estimatedBytesWritten`: with 5 % on top, in case compression does worse than it did.
    fn estimated(&self) -> u32 {
        let plain = u64::from(self.plain_bytes);
        let share = self.estimate.map_or(plain, |millionths| plain * u64::from(millionths) / 1_000_000 * 105 / 100);
        BATCH_OVERHEAD + share as u32
    }

    /// Nothing more goes in, and its size is what compression leaves of it. Gives that share in millionths.
    pub fn close(&mut self, percent: u32) -> Option<u32> {
        self.is_closed = true;
        self.estimate?;
        let compressed = u64::from(self.plain_bytes) * u64::from(percent) / 100;
        self.size_bytes = BATCH_OVERHEAD + compressed as u32;
        Some(percent * 10_000)
    }

    /// `ProducerBatch.split`: parts for a broker that finds the batch too large. The first time they are as
    /// large as `batch.size` allows, then each time half as large. Sequences stay with their records.
    pub fn split(self, batch_size: u32) -> Vec<Batch> {
        let limit = if self.is_part { self.record_bytes_max.max(self.size_bytes / 2) } else { batch_size };
        let mut parts: Vec<Batch> = Vec::new();
        for record in &self.records {
            if parts.last_mut().is_none_or(|part| part.try_append(record, u32::MAX).is_none()) {
                let mut part = Batch { estimate: self.estimate, ..Batch::new(record, limit, self.created) };
                let room = part.try_append(record, u32::MAX);
                assert!(room.is_some(), "an empty batch takes any record");
                parts.push(part);
            }
        }
        let mut stamp = self.stamp;
        for part in &mut parts {
            part.is_closed = true;
            part.is_part = true;
            part.is_renumbered = self.is_renumbered;
            part.stamp = stamp;
            stamp = stamp.map(|stamp| stamp.after(part.records.len() as u32));
        }
        parts
    }
}

impl ProducerStamp {
    /// The stamp of what follows that many records. After the largest sequence comes 0.
    pub fn after(self, records: u32) -> ProducerStamp {
        let sequence = (i64::from(self.base_sequence) + i64::from(records)) % (1 << 31);
        ProducerStamp { base_sequence: sequence as i32, ..self }
    }
}

/// What an append did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Appended {
    /// Growth of the batch's size; a new batch counts its header too.
    pub bytes: u32,
    pub batch_size_bytes: u32,
    pub opened_batch: bool,
    /// The batch takes nothing more.
    pub is_full: bool,
}

/// The queues.
#[derive(Clone, Debug, Default)]
pub(crate) struct Accumulator {
    pub queues: Queues,
    /// Batches in all queues: most of the time there is none, and then there is nothing to look at.
    waiting: u32,
    /// Records in all queues.
    records: u64,
    /// Those of them that were sent before.
    retried: u32,
    compresses: bool,
    /// What compression is expected to leave of a topic's records, in millionths.
    estimates: BTreeMap<Name, u32>,
}

impl Accumulator {
    /// Empty queues; `compresses`: batches are compressed.
    pub fn new(compresses: bool) -> Accumulator {
        Accumulator { compresses, ..Accumulator::default() }
    }

    /// `CompressionRatioEstimator`: quickly up, slowly down.
    pub fn learn_ratio(&mut self, topic: &Name, observed: u32) {
        let estimate = self.estimates.entry(Rc::clone(topic)).or_insert(1_000_000);
        *estimate = match observed.cmp(estimate) {
            Ordering::Greater => observed.max(*estimate + 50_000),
            Ordering::Less => observed.max(estimate.saturating_sub(5_000)),
            Ordering::Equal => observed,
        };
    }

    /// Appends to the open batch of a partition. `None`: it has no room (and is closed now), or there is none.
    pub fn append_open(&mut self, key: &Key, record: &Rc<Record>, records_max: u32) -> Option<Appended> {
        let last = Rc::make_mut(self.queues.get_mut(key)?.back_mut()?);
        match last.try_append(record, records_max) {
            Some(bytes) => {
                self.records += 1;
                Some(Appended {
                    bytes,
                    batch_size_bytes: last.size_bytes,
                    opened_batch: false,
                    is_full: last.is_full(),
                })
            }
            None => {
                last.is_closed = true;
                None
            }
        }
    }

    /// Appends to a new batch in memory of the pool.
    pub fn append_new(&mut self, key: &Key, record: &Rc<Record>, batch_size: u32, memory: u32, now: Time) -> Appended {
        let estimate = self.compresses.then(|| self.estimates.get(&key.0).copied().unwrap_or(1_000_000));
        let mut batch = Batch { memory, estimate, ..Batch::new(record, batch_size, now) };
        let room = batch.try_append(record, u32::MAX);
        assert!(room.is_some(), "an empty batch takes any record");
        let (bytes, is_full) = (batch.size_bytes, batch.is_full());
        self.queues.entry(key).push_back(Rc::new(batch));
        self.waiting += 1;
        self.records += 1;
        Appended { bytes, batch_size_bytes: bytes, opened_batch: true, is_full }
    }

    /// Whether the partition has no batch that could still take a record.
    pub fn no_incomplete_batch(&self, key: &Key) -> bool {
        self.queues.get(key).and_then(VecDeque::back).is_none_or(|last| last.is_full())
    }

    /// Batches waiting for each partition of a topic, once every one of them has had a batch.
    pub fn queue_sizes(&self, topic: &Name, partitions: u32) -> Option<Vec<u32>> {
        let slots = self.queues.of_topic(topic).get(..partitions as usize)?;
        // They stand in order, so the last one tells whether there are gaps.
        let is_whole = slots.last().is_none_or(|slot| slot.key.1 + 1 == partitions);
        is_whole.then(|| slots.iter().map(|slot| slot.queue.len() as u32).collect())
    }

    /// Puts a batch back in front of its queue; behind those with lower sequences, if it has one.
    pub fn put_back(&mut self, key: &Key, batch: Batch) {
        let queue = self.queues.entry(key);
        let sequence = |batch: &Batch| batch.stamp.map(|stamp| stamp.base_sequence);
        let is_earlier = |other: &&Rc<Batch>| match (sequence(other), sequence(&batch)) {
            (Some(other), Some(own)) => other < own,
            _ => false,
        };
        let place = queue.iter().take_while(is_earlier).count();
        self.retried += u32::from(batch.is_in_retry());
        self.waiting += 1;
        self.records += batch.records.len() as u64;
        queue.insert(place, Rc::new(batch));
    }

    /// Tells the first batch of each partition the leader epoch that is known. Those that leave for the first
    /// time learn it then.
    pub fn see_leaders(&mut self, epoch: impl Fn(&Key) -> Option<u32>) {
        if self.retried == 0 {
            return;
        }
        for slot in self.queues.slots_mut() {
            if let Some(first) = slot.queue.front_mut()
                && let Some(epoch) = epoch(&slot.key)
            {
                Rc::make_mut(first).see_leader(epoch);
            }
        }
    }

    /// Takes the first batch of a partition, if it passes the test.
    pub fn take_first(&mut self, key: &Key, test: impl FnOnce(&Batch) -> bool) -> Option<Batch> {
        let queue = self.queues.get_mut(key)?;
        let batch = queue.pop_front_if(|batch| test(batch))?;
        self.waiting -= 1;
        self.records -= batch.records.len() as u64;
        self.retried -= u32::from(batch.is_in_retry());
        Some(Rc::unwrap_or_clone(batch))
    }

    /// Takes all batches of a partition that pass the test.
    pub fn take_all(&mut self, key: &Key, test: impl Fn(&Batch) -> bool) -> Vec<Batch> {
        let Some(queue) = self.queues.get_mut(key) else { return Vec::new() };
        let (taken, left): (Vec<_>, Vec<_>) = queue.drain(..).partition(|batch| test(batch));
        *queue = left.into();
        self.waiting -= taken.len() as u32;
        self.records -= taken.iter().map(|batch| batch.records.len() as u64).sum::<u64>();
        self.retried -= taken.iter().filter(|batch| batch.is_in_retry()).count() as u32;
        taken.into_iter().map(Rc::unwrap_or_clone).collect()
    }

    /// Nobody waits any more for what becomes of the record that was appended last.
    pub fn forget_command(&mut self, key: &Key) {
        let last = self.queues.get_mut(key).and_then(VecDeque::back_mut);
        if let Some(record) = last.and_then(|batch| Rc::make_mut(batch).records.last_mut()) {
            *record = Rc::new(Record { command: None, ..(**record).clone() });
        }
    }

    /// The first batch of a partition.
    pub fn first(&self, key: &Key) -> Option<&Batch> {
        self.queues.get(key)?.front().map(|first| &**first)
    }

    /// The first batch of every partition that has one.
    pub fn firsts(&self) -> impl Iterator<Item = (&Key, &Queue)> {
        let some = (self.waiting > 0).then(|| self.queues.slots()).into_iter().flatten();
        some.filter(|slot| !slot.queue.is_empty()).map(|slot| (&slot.key, &slot.queue))
    }

    /// The partitions that have had a batch, by topic; none if nothing waits.
    pub fn topics(&self) -> impl Iterator<Item = (&Name, &[Slot])> {
        (self.waiting > 0).then(|| self.queues.topics()).into_iter().flatten()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Batches in all queues.
    pub fn waiting(&self) -> u32 {
        self.waiting
    }

    /// Rough size of what a checkpoint copies, in bytes: a pointer for each batch, and the open ones, which change.
    pub fn own_bytes(&self) -> usize {
        let queues = self.queues.slots().map(|slot| {
            let open = slot.queue.back().map_or(0, |batch| size_of::<Batch>() + batch.records.len() * 8);
            open + 96
        });
        queues.sum::<usize>() + self.waiting as usize * 8
    }

    /// Records in all queues.
    pub fn record_count(&self) -> u64 {
        self.records
    }
}

/// Upper bound of the size of a batch with this record alone.
pub(crate) fn size_upper_bound(record: &Record) -> u32 {
    upper_bound(content(record))
}

/// Bytes of its key, its value and its headers.
fn content(record: &Record) -> u32 {
    content_size(key_size(record), value_size(record), headers(record))
}

fn key_size(record: &Record) -> Option<u32> {
    record.key.as_ref().map(|key| key.len() as u32)
}

/// The value's size; absent for a null value.
fn value_size(record: &Record) -> Option<u32> {
    record.value.as_ref().map(|_| record.value_size)
}

fn headers(record: &Record) -> &[(Name, Name)] {
    record.headers.as_deref().unwrap_or_default()
}
