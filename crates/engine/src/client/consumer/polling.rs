//! One pass through `poll`: the membership's part, positions, and records out of the buffer.
//!
//! Follows `ClassicKafkaConsumer.poll` and `FetchCollector` of Kafka 4.3.1. Whom it asks for records is in
//! `client/reader/fetching.rs`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use crate::client::reader::Reader;
use crate::client::reader::fetching::Piece;
use crate::error::KafkaError;
use crate::event::{EventKind, Record, TopicPartition};
use crate::group::GroupEvent;
use crate::message::FetchedPartition;
use crate::order;
use crate::outbox::{Copied, Outbox};
use crate::time::Duration;

/// Records of a partition that were fetched and not polled yet.
#[derive(Clone, Debug)]
pub(crate) struct Completed {
    pub partition: TopicPartition,
    /// The position that it goes on from; stale if the consumer is somewhere else.
    from: u64,
    pieces: VecDeque<Piece>,
    /// The position when all of it was polled.
    end: u64,
}

/// What one `poll` returns of a partition.
#[derive(Debug, Default)]
struct Polled {
    records: Vec<(u64, Rc<Record>)>,
    first: u64,
    end: u64,
    count: u64,
}

impl Completed {
    /// How many records it holds.
    pub fn count(&self) -> u64 {
        let count = |piece: &Piece| match piece {
            Piece::Record(..) => 1,
            Piece::Bare { from, until } => until - from,
        };
        self.pieces.iter().map(count).sum()
    }

    /// Takes up to `room` records; returns how many they were.
    fn take(&mut self, room: u64, polled: &mut Polled) -> u64 {
        let mut taken = 0;
        let is_new = polled.count == 0;
        while taken < room
            && let Some(piece) = self.pieces.pop_front()
        {
            let (first, end) = match piece {
                Piece::Record(offset, record) => {
                    polled.records.push((offset, record));
                    taken += 1;
                    (offset, offset + 1)
                }
                Piece::Bare { from, until } => {
                    let end = until.min(from + (room - taken));
                    if end < until {
                        self.pieces.push_front(Piece::Bare { from: end, until });
                    }
                    taken += end - from;
                    (from, end)
                }
            };
            if is_new && polled.end == 0 {
                polled.first = first;
            }
            polled.end = end;
            self.from = end;
        }
        if self.pieces.is_empty() {
            self.from = self.end;
        }
        polled.count += taken;
        taken
    }
}

impl Reader {
    /// One pass through `poll`: partition, first offset, end and number of the records that it returns, in the order
    /// in which Java's map has them. Nothing if it goes on waiting, or if callbacks are to run first.
    pub(super) fn poll_once(
        &mut self,
        outbox: &mut Outbox,
    ) -> Result<Vec<(TopicPartition, u64, u64, u64)>, KafkaError> {
        self.library_polled(outbox);
        if self.inner().subscription.is_none() && !self.inner().is_manual {
            if self.is_librdkafka() {
                return Ok(Vec::new());
            }
            let text = "Consumer is not subscribed to any topics or assigned any partitions";
            return Err(KafkaError::new("", "IllegalStateException", text));
        }
        self.return_commits(outbox);
        if self.inner().commits.is_fenced && !self.is_librdkafka() {
            return Err(self.fenced());
        }
        if self.is_librdkafka()
            && let Some(error) = self.inner_mut().failures.pop_front()
        {
            return Err(error);
        }
        let is_ready = self.poll_membership(outbox)?;
        if self.has_callbacks() {
            return Ok(Vec::new());
        }
        if is_ready {
            self.commit_automatically(outbox);
            self.find_positions(outbox)?;
        }
        if let Some(error) = self.inner_mut().failures.pop_front() {
            return Err(error);
        }
        let polled = self.collect(outbox);
        self.ask_for_offsets(outbox);
        self.fetch(outbox);
        Ok(polled)
    }

    /// What `poll` throws once a commit in the background was fenced.
    fn fenced(&self) -> KafkaError {
        let instance = self.plan.settings.member.instance.as_deref().unwrap_or("unset_instance_id");
        let member = self.membership_snapshot().map(|membership| membership.member).unwrap_or_default();
        let text = format!("Get fenced exception for group.instance.id {instance}, current member.id is {member}");
        KafkaError::new("FENCED_INSTANCE_ID", "FencedInstanceIdException", text)
    }

    /// Keeps what was fetched until `poll` takes it.
    pub(crate) fn keep(&mut self, fetched: &FetchedPartition, broker: u32) {
        let Some(reading) = self.partitions.get_mut(&fetched.partition) else { return };
        let Some(position) = reading.position else { return };
        reading.failures = 0;
        let sifted = self.sift(fetched, position);
        self.count_bytes(broker, sifted.bytes);
        if sifted.end > position {
            let completed = Completed {
                partition: fetched.partition.clone(),
                from: position,
                pieces: sifted.pieces.into(),
                end: sifted.end,
            };
            self.inner_mut().buffer.push_back(completed);
        }
    }

    /// Partitions that have something in the buffer, and brokers that are not asked for more until it is polled.
    pub(crate) fn buffered(&self) -> (BTreeSet<TopicPartition>, BTreeSet<u32>) {
        let Some(consumer) = &self.consumer else { return Default::default() };
        let buffered: BTreeSet<TopicPartition> =
            order::set(consumer.buffer.iter().map(|completed| completed.partition.clone()));
        let is_free = |partition: &&TopicPartition| {
            self.partitions.get(*partition).is_some_and(|reading| !reading.is_paused && !reading.is_held)
        };
        let host = |partition: &TopicPartition| {
            let preferred = self.partitions.get(partition).and_then(|reading| reading.preferred);
            let leader = || self.metadata.leader(&partition.topic, partition.partition);
            preferred.map(|(follower, _)| follower).or_else(leader)
        };
        let brokers = order::set(buffered.iter().filter(is_free).filter_map(host));
        (buffered, brokers)
    }

    /// Takes up to `max.poll.records` out of the buffer and moves the positions.
    fn collect(&mut self, outbox: &mut Outbox) -> Vec<(TopicPartition, u64, u64, u64)> {
        // A poll of librdkafka returns one message: that matters once the application works on it.
        let is_single = self.is_librdkafka() && self.inner().thread.processing > Duration::ZERO;
        let mut room = if is_single { 1 } else { u64::from(self.plan.settings.records_max) };
        let mut polled: BTreeMap<TopicPartition, Polled> = BTreeMap::new();
        let mut order: Vec<TopicPartition> = Vec::new();
        let mut buffer = std::mem::take(&mut self.inner_mut().buffer);
        let mut left = VecDeque::new();
        while let Some(mut completed) = buffer.pop_front() {
            let Some(reading) = self.partitions.get_mut(&completed.partition) else { continue };
            if reading.position != Some(completed.from) {
                continue;
            }
            if room > 0 && !reading.is_paused && !reading.is_held {
                let part = polled.entry(completed.partition.clone()).or_default();
                if part.count == 0 && !order.contains(&completed.partition) {
                    order.push(completed.partition.clone());
                }
                let taken = completed.take(room, part);
                room -= taken;
                reading.position = Some(completed.from);
                if taken > 0 {
                    reading.stored = reading.position;
                }
            }
            if !completed.pieces.is_empty() {
                left.push_back(completed);
            }
        }
        self.inner_mut().buffer = left;
        self.return_records(&order, polled, outbox)
    }

    /// Tells what `poll` returned, partition by partition.
    fn return_records(
        &mut self,
        order: &[TopicPartition],
        mut polled: BTreeMap<TopicPartition, Polled>,
        outbox: &mut Outbox,
    ) -> Vec<(TopicPartition, u64, u64, u64)> {
        let filled: Vec<&TopicPartition> =
            order.iter().filter(|partition| polled.get(partition).is_some_and(|part| part.count > 0)).collect();
        let names: Vec<(&str, u32)> = filled.iter().map(|partition| (&*partition.topic, partition.partition)).collect();
        let mut returned = Vec::new();
        for place in assignor::java::partition_map_order(&names) {
            let partition = filled[place as usize];
            let Some(part) = polled.remove(partition) else { continue };
            self.read_count += part.count - part.records.len() as u64;
            self.remember_records(partition, &part.records, outbox);
            if !part.records.is_empty() {
                outbox.emit(EventKind::RecordsRead {
                    consumer: self.name(),
                    partition: partition.clone(),
                    first_offset: part.records[0].0,
                    records: part.records.iter().map(|(_, record)| Rc::clone(record)).collect(),
                });
            }
            self.tell_repeated(partition, &part, outbox);
            self.copy(&part.records, outbox);
            returned.push((partition.clone(), part.first, part.end, part.count));
        }
        returned
    }

    /// A copier sends on what it read. Simplified: it does so as soon as it has the records, however long it works on
    /// each, and what has no content of its own (filler that a log began with) is not sent.
    fn copy(&self, records: &[(u64, Rc<Record>)], outbox: &mut Outbox) {
        let Some((producer, topic)) = &self.plan.copy_to else { return };
        let copies = records.iter().map(|(_, record)| Copied {
            producer: Rc::clone(producer),
            topic: Rc::clone(topic),
            record: Rc::clone(record),
        });
        outbox.post.copied.extend(copies);
    }

    /// Records that the group had processed before.
    fn tell_repeated(&mut self, partition: &TopicPartition, part: &Polled, outbox: &mut Outbox) {
        let Some(group) = self.plan.settings.member.group.clone() else { return };
        for (first_offset, end) in outbox.post.processed.overlap(&group, partition, part.first, part.end) {
            let is_inside = |(offset, _): &&(u64, Rc<Record>)| *offset >= first_offset && *offset < end;
            let count = match part.records.is_empty() {
                true => end - first_offset,
                false => part.records.iter().filter(is_inside).count() as u64,
            };
            if count > 0 {
                self.inner_mut().repeated_count += count;
                let (consumer, partition) = (self.name(), partition.clone());
                self.tell(GroupEvent::RecordsReadAgain { consumer, partition, first_offset, count }, outbox);
            }
        }
    }
}
