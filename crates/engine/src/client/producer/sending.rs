//! What `send` does before a record is in a batch: it waits for metadata, checks the record, waits for memory.
//!
//! Follows `KafkaProducer.doSend` and `RecordAccumulator.append` of Kafka 4.3.1. Which partition it is, is
//! `partitioning.rs`; how much memory there is, `pool.rs`.

use std::rc::Rc;

use super::Producer;
use super::accumulator::{Appended, Key, size_upper_bound};
use super::calls::{Progress, Wait};
use super::metadata::KnownTopic;
use super::partitioning::Choice;
use super::pool::{Allocation, BufferPool};
use super::settings::Dialect;
use crate::controller::topic_names::check_name;
use crate::error::KafkaError;
use crate::event::{Name, Record};
use crate::outbox::Outbox;
use crate::time::{Duration, Time};
use crate::transaction::WaitReason;

/// A record whose `send` has not returned: it waits for metadata or for memory.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub record: Rc<Record>,
    pub topic: Name,
    pub partition: Option<u32>,
    /// Java classes of key and value.
    pub classes: [Option<&'static str>; 2],
    /// When `send` gives up; set when the record is first in line.
    pub deadline: Option<Time>,
    /// Set once the partition is known and memory was asked for.
    pub memory: Option<Box<Memory>>,
}

/// Memory that a record waits for, or has got and not used yet.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub ticket: u64,
    pub size: u32,
    pub choice: Choice,
    since: Time,
    /// What is left of `max.block.ms`, in milliseconds.
    limit: u64,
    /// The topic as it was known when the partition was chosen. The client may have forgotten it by the time that
    /// there is memory.
    topic: Rc<KnownTopic>,
}

/// What came of an append.
pub(super) enum Attempt {
    Appended(Appended),
    /// A new batch needs that much, and the caller waits for it under this number.
    Waits(u64, u32),
    /// The pool can never give that much.
    Refused(KafkaError),
}

impl Producer {
    /// A record goes into a batch, or behind those that wait. Most go in at once.
    pub(super) fn find_a_place(&mut self, mut waiting: Waiting, outbox: &mut Outbox) {
        let known = self.metadata.topics.get(&waiting.topic).filter(|_| self.waiting.is_empty());
        let is_there = |topic: &&Rc<KnownTopic>| waiting.partition.is_none_or(|it| (it as usize) < topic.leaders.len());
        if let Some(topic) = known.filter(is_there).cloned() {
            waiting.deadline = Some(outbox.now() + self.plan.settings.block_max);
            if let Some(waiting) = self.place(waiting, &topic, outbox) {
                self.waiting.push_front(waiting);
            }
            return;
        }
        self.waiting.push_back(waiting);
        self.work_off_waiting(outbox);
    }

    /// Sends on the records that have all that they wait for, in order.
    pub fn work_off_waiting(&mut self, outbox: &mut Outbox) {
        while let Some(first) = self.waiting.front_mut() {
            if let (Some(memory), Some(pool)) = (&first.memory, &self.pool)
                && pool.is_waiting(memory.ticket)
            {
                return;
            }
            let deadline = outbox.now() + self.plan.settings.block_max;
            first.deadline.get_or_insert(deadline);
            let chosen = first.memory.as_ref().map(|memory| Rc::clone(&memory.topic));
            let topic = chosen.or_else(|| self.metadata.topics.get(&first.topic).cloned());
            match topic {
                Some(topic) if first.partition.is_none_or(|partition| (partition as usize) < topic.leaders.len()) => {
                    let waiting = self.waiting.pop_front().expect("it was just looked at");
                    if let Some(waiting) = self.place(waiting, &topic, outbox) {
                        self.waiting.push_front(waiting);
                        return;
                    }
                }
                Some(topic) if self.plan.dialect != Dialect::Java => {
                    let waiting = self.waiting.pop_front().expect("it was just looked at");
                    let error = unknown_partition(&waiting, topic.leaders.len());
                    self.refuse(waiting.record, error, outbox);
                }
                None if self.plan.dialect == Dialect::Java
                    && self.metadata.is_missing(&first.topic)
                    && check_name(&first.topic).is_err() =>
                {
                    let waiting = self.waiting.pop_front().expect("it was just looked at");
                    self.metadata.forget(&waiting.topic);
                    self.refuse(waiting.record, invalid_topic(&waiting.topic), outbox);
                }
                _ => {
                    if topic.is_some()
                        && self.metadata.due().is_none_or(|(at, _)| at > outbox.now() + self.plan.settings.backoff_max)
                    {
                        self.metadata.again(outbox.now());
                    }
                    return;
                }
            }
        }
    }

    /// What the first `send` in line waits for, and when it gives up.
    pub(super) fn send_waits(&self) -> Option<(WaitReason, Option<Time>)> {
        let first = self.waiting.front()?;
        let reason = if first.memory.is_some() { WaitReason::Buffer } else { WaitReason::Metadata };
        Some((reason, first.deadline))
    }

    /// `send` gives up on records that had to wait for too long.
    pub fn expire_waiting(&mut self, outbox: &mut Outbox) {
        while self.waiting.front().is_some_and(|first| first.deadline.is_some_and(|at| at <= outbox.now())) {
            if let (Some(memory), Some(pool)) =
                (self.waiting.front().and_then(|first| first.memory.as_ref()), &self.pool)
                && !pool.is_waiting(memory.ticket)
            {
                // It got its memory at the last moment.
                return;
            }
            let waiting = self.waiting.pop_front().expect("it was just looked at");
            let error = match &waiting.memory {
                Some(memory) => self.exhausted(memory, outbox.now()),
                None => self.no_metadata(&waiting.topic, waiting.partition),
            };
            self.refuse(waiting.record, error, outbox);
        }
    }

    /// `partitionsFor`, looked at again.
    pub(super) fn partitions_for_goes_on(&mut self, now: Time) -> Progress {
        let Some((topic, deadline)) = self.asking.clone() else { return Progress::Returned(Ok(())) };
        let result = if self.metadata.topics.contains_key(&topic) {
            Ok(())
        } else if self.metadata.is_missing(&topic) && check_name(&topic).is_err() {
            self.metadata.forget(&topic);
            Err(invalid_topic(&topic))
        } else if deadline <= now {
            Err(self.no_metadata(&topic, None))
        } else {
            return Progress::Waits(Wait { reason: WaitReason::Metadata, deadline: Some(deadline) });
        };
        self.asking = None;
        Progress::Returned(result)
    }

    fn no_metadata(&self, topic: &Name, partition: Option<u32>) -> KafkaError {
        let known = self.metadata.topics.get(topic).map(|topic| topic.leaders.len());
        let millis = self.plan.settings.block_max.millis();
        let text = match (partition, known) {
            (Some(partition), Some(count)) => format!(
                "Partition {partition} of topic {topic} with partition count {count} is not present in metadata after \
                 {millis} ms."
            ),
            _ => format!("Topic {topic} not present in metadata after {millis} ms."),
        };
        let error = KafkaError::new("", "TimeoutException", text);
        if !self.metadata.is_missing(topic) {
            return error;
        }
        let cause = "This server does not host this topic-partition.";
        error.caused_by(KafkaError::new("UNKNOWN_TOPIC_OR_PARTITION", "UnknownTopicOrPartitionException", cause))
    }

    /// The pool had nothing for this caller in time. Up to 2.5 the error was another one.
    fn exhausted(&mut self, memory: &Memory, now: Time) -> KafkaError {
        let pool = self.pool.as_mut().expect("only the Java client waits for memory");
        let available = pool.available();
        pool.give_up(memory.ticket);
        self.metrics.exhausted(now);
        self.metrics.waited(now.since(memory.since), now);

        let (size, limit, total, poolable) = (memory.size, memory.limit, pool.total(), pool.poolable());
        if self.plan.settings.has_old_pool {
            let text = format!("Failed to allocate memory within the configured max blocking time {limit} ms.");
            return KafkaError::new("", "TimeoutException", text);
        }
        let text = format!(
            "Failed to allocate {size} bytes within the configured max blocking time {limit} ms. Total memory: {total} \
             bytes. Available memory: {available} bytes. Poolable size: {poolable} bytes"
        );
        KafkaError::new("", "BufferExhaustedException", text)
    }

    /// Finds the partition and appends; gives the record back if it has to wait for memory.
    fn place(&mut self, mut waiting: Waiting, topic: &Rc<KnownTopic>, outbox: &mut Outbox) -> Option<Waiting> {
        let memory = waiting.memory.take();
        if memory.is_none()
            && let Some(error) = self.cannot_serialize(waiting.classes)
        {
            self.throw(waiting.record, error, outbox);
            return None;
        }
        if memory.is_none()
            && let Some(error) = self.too_large(&waiting.record)
        {
            self.refuse(waiting.record, error, outbox);
            return None;
        }
        let granted = memory.as_ref().map(|memory| memory.size);
        if let Some(memory) = &memory {
            self.metrics.waited(outbox.now().since(memory.since), outbox.now());
        }
        let choice = memory.map(|memory| memory.choice);
        let (choice, attempt) = self.choose_and_append(&waiting, choice, granted, topic, outbox);
        match attempt {
            Attempt::Appended(appended) => {
                self.is_stirred |= appended.opened_batch || appended.is_full;
                self.tell(waiting, topic.leaders.len() as u32, choice, appended, outbox);
                None
            }
            Attempt::Waits(ticket, size) => {
                let deadline = waiting.deadline.unwrap_or(outbox.now());
                let limit = Duration(deadline.0.saturating_sub(outbox.now().0)).millis();
                let since = outbox.now();
                let memory = Memory { ticket, size, choice, since, limit, topic: Rc::clone(topic) };
                waiting.memory = Some(Box::new(memory));
                self.is_stirred = true;
                Some(waiting)
            }
            Attempt::Refused(error) => {
                self.throw(waiting.record, error, outbox);
                None
            }
        }
    }

    /// Appends to the partition's open batch, or to a new one as soon as there is memory for it. What was
    /// granted and is not needed goes back.
    pub(super) fn append(&mut self, key: &Key, record: &Rc<Record>, granted: Option<u32>, now: Time) -> Attempt {
        let settings = &self.plan.settings;
        if let Some(appended) = self.accumulator.append_open(key, record, settings.batch_records_max) {
            self.give_back(granted);
            return Attempt::Appended(appended);
        }
        let memory = match granted {
            Some(size) => size,
            None => match self.reserve(record) {
                Ok((size, Allocation::Granted)) => size,
                Ok((size, Allocation::Waits(ticket))) => return Attempt::Waits(ticket, size),
                Err(error) => return Attempt::Refused(error),
            },
        };
        let settings = &self.plan.settings;
        Attempt::Appended(self.accumulator.append_new(key, record, settings.batch_size, memory, now))
    }

    /// Asks the pool for a buffer that holds the record.
    pub(super) fn reserve(&mut self, record: &Record) -> Result<(u32, Allocation), KafkaError> {
        let Some(pool) = &mut self.pool else { return Ok((0, Allocation::Granted)) };
        let size = self.plan.settings.batch_size.max(size_upper_bound(record));
        if u64::from(size) > pool.total() {
            let text = format!(
                "Attempt to allocate {size} bytes, but there is a hard limit of {} on memory allocations.",
                pool.total()
            );
            return Err(KafkaError::new("", "IllegalArgumentException", text));
        }
        Ok((size, pool.allocate(size)))
    }

    /// Memory of a batch that is over, or of one that was not needed.
    pub(super) fn give_back(&mut self, bytes: Option<u32>) {
        if let (Some(pool), Some(bytes)) = (&mut self.pool, bytes.filter(|bytes| *bytes > 0)) {
            pool.release(bytes);
        }
    }

    /// `ensureValidRecordSize`.
    fn too_large(&self, record: &Record) -> Option<KafkaError> {
        let size = size_upper_bound(record);
        let most = self.plan.settings.request_size_max;
        let text = if size > most {
            format!(
                "The message is {size} bytes when serialized which is larger than {most}, which is the value of the \
                 max.request.size configuration."
            )
        } else if self.pool.as_ref().map(BufferPool::total).is_some_and(|total| u64::from(size) > total) {
            format!(
                "The message is {size} bytes when serialized which is larger than the total memory buffer you have \
                 configured with the buffer.memory configuration."
            )
        } else {
            return None;
        };
        Some(KafkaError::new("", "RecordTooLargeException", text))
    }
}

fn invalid_topic(topic: &Name) -> KafkaError {
    KafkaError::new("INVALID_TOPIC_EXCEPTION", "InvalidTopicException", format!("Invalid topics: [{topic}]"))
}

fn unknown_partition(waiting: &Waiting, count: usize) -> KafkaError {
    let partition = waiting.partition.unwrap_or(0);
    let text = format!("Topic {} has {count} partitions, so there is no partition {partition}.", waiting.topic);
    KafkaError::new("UNKNOWN_TOPIC_OR_PARTITION", "", text)
}
