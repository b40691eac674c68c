//! A reader: a consumer with partitions assigned by hand, from the beginning, without a group.
//!
//! Simplified: one Fetch for each leader at a time, offsets are not committed, and fetch sessions are
//! not modelled. Groups, commits and isolation levels come with the consumer.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use super::alarm::Alarm;
use super::producer::metadata::Metadata;
use crate::event::{Api, EventKind, Name, NodeId, Record, TopicPartition};
use crate::message::{ClusterImage, FetchedPartition, Payload};
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};
use crate::scenario::ConsumerPlan;
use crate::snapshot::ReadRecord;
use crate::time::{Duration, Time};

/// `fetch.max.wait.ms`: a reader that has to wait by itself looks again after this long.
const POLL_AGAIN: Duration = Duration::from_millis(500);
/// Records that a reader remembers for the picture.
const RECENT_MAX: usize = 64;

/// A reader.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    number: u32,
    pub plan: ConsumerPlan,
    metadata: Metadata,
    pub positions: BTreeMap<TopicPartition, u64>,
    /// Brokers that owe an answer, by request.
    fetching: BTreeMap<u64, u32>,
    /// Brokers that are not asked before this time.
    resting: BTreeMap<u32, Time>,
    alarm: Alarm,
    pub read_count: u64,
    pub recent: VecDeque<ReadRecord>,
}

impl Reader {
    /// A reader that has not started.
    pub fn new(number: u32, plan: ConsumerPlan) -> Reader {
        let (age, backoff, backoff_max) =
            (Duration::from_secs(300), Duration::from_millis(100), Duration::from_secs(1));
        Reader {
            number,
            plan,
            metadata: Metadata::new(age, Duration::ZERO, backoff, backoff_max),
            positions: BTreeMap::new(),
            fetching: BTreeMap::new(),
            resting: BTreeMap::new(),
            alarm: Alarm::default(),
            read_count: 0,
            recent: VecDeque::new(),
        }
    }

    fn node(&self) -> NodeId {
        NodeId::Consumer { name: Rc::clone(&self.plan.name) }
    }

    /// A timer fired.
    pub fn wake(&mut self, timer: Timer, outbox: &mut Outbox) {
        match timer {
            Timer::Start => {
                for assigned in &self.plan.assign {
                    self.metadata.want(&assigned.topic);
                }
            }
            _ => self.alarm.rang(outbox.now()),
        }
        self.run(outbox);
    }

    fn run(&mut self, outbox: &mut Outbox) {
        self.refresh_metadata(outbox);
        self.fetch(outbox);
        let metadata = self.metadata.due().map(|(at, _)| at);
        let rested = self.resting.values().copied().min();
        let next = metadata.into_iter().chain(rested).filter(|at| *at > outbox.now()).min();
        if let Some(next) = next {
            self.alarm.set(Target::Consumer(self.number), next, outbox);
        }
    }

    fn refresh_metadata(&mut self, outbox: &mut Outbox) {
        let Some((_, reason)) = self.metadata.due().filter(|(at, _)| *at <= outbox.now()) else { return };
        let to = NodeId::Broker { id: outbox.first_broker };
        let payload = Payload::Metadata { topics: self.metadata.wanted(), sender: Target::Consumer(self.number) };
        let id = outbox.send(Parcel::request(Api::Metadata, self.node(), to, Target::Broker(0), payload, true));
        self.metadata.sent(id, reason);
    }

    /// A metadata answer arrived: new partitions are read from their start.
    pub fn metadata_answer(&mut self, request: u64, image: &ClusterImage, outbox: &mut Outbox) {
        let Some(reason) = self.metadata.update(request, image, outbox.now()) else { return };
        let topics: Vec<(Name, u32)> =
            self.metadata.topics.iter().map(|(name, topic)| (Rc::clone(name), topic.leaders.len() as u32)).collect();
        for (topic, count) in &topics {
            for partition in 0..*count {
                let is_mine = |assigned: &crate::scenario::Assigned| {
                    assigned.topic == *topic && assigned.partition.is_none_or(|only| only == partition)
                };
                if self.plan.assign.iter().any(is_mine) {
                    let partition = TopicPartition { topic: Rc::clone(topic), partition };
                    self.positions.entry(partition).or_insert(0);
                }
            }
        }
        outbox.emit_cause(EventKind::MetadataRefreshed { client: self.node(), reason, topics });
        self.run(outbox);
    }

    fn fetch(&mut self, outbox: &mut Outbox) {
        self.resting.retain(|_, until| *until > outbox.now());
        let mut wanted: BTreeMap<u32, Vec<(TopicPartition, u64)>> = BTreeMap::new();
        for (partition, position) in &self.positions {
            let topic = self.metadata.topics.get(&partition.topic);
            let leader = topic.and_then(|topic| topic.leaders.get(partition.partition as usize).copied().flatten());
            if let Some(leader) = leader {
                wanted.entry(leader).or_default().push((partition.clone(), *position));
            }
        }
        for (broker, from) in wanted {
            let is_busy = self.fetching.values().any(|other| *other == broker) || self.resting.contains_key(&broker);
            if is_busy {
                continue;
            }
            let target = outbox.broker_target(broker);
            let payload = Payload::Fetch { from, sender: self.number, rack: None };
            let to = NodeId::Broker { id: broker };
            let id = outbox.send(Parcel::request(Api::Fetch, self.node(), to, target, payload, false));
            self.fetching.insert(id, broker);
        }
    }

    /// A fetch answer arrived.
    pub fn fetch_answer(&mut self, request: u64, partitions: &[FetchedPartition], outbox: &mut Outbox) {
        let Some(broker) = self.fetching.remove(&request) else { return };
        let mut left_behind = false;
        for fetched in partitions {
            let until = fetched.high_watermark.saturating_sub(self.plan.behind);
            left_behind |= self.take(fetched, until, outbox);
        }
        if left_behind {
            // The broker would answer at once with the same records.
            self.resting.insert(broker, outbox.now() + POLL_AGAIN);
        }
        self.run(outbox);
    }

    /// Reads up to an offset; true if there was more.
    fn take(&mut self, fetched: &FetchedPartition, until: u64, outbox: &mut Outbox) -> bool {
        let Some(position) = self.positions.get_mut(&fetched.partition) else { return false };
        let first_offset = *position;
        let mut records: Vec<Rc<Record>> = Vec::new();
        let mut left_behind = false;
        for batch in &fetched.batches {
            for (offset, record) in batch.entries().filter(|(offset, _)| *offset >= first_offset) {
                left_behind |= offset >= until;
                if offset < until {
                    records.push(Rc::clone(record));
                    *position = offset + 1;
                    self.recent.push_back(ReadRecord {
                        topic: Rc::clone(&fetched.partition.topic),
                        partition: fetched.partition.partition,
                        offset,
                        read: outbox.moment,
                        record: Rc::clone(record),
                    });
                }
            }
        }
        self.read_count += records.len() as u64;
        let surplus = self.recent.len().saturating_sub(RECENT_MAX);
        self.recent.drain(..surplus);
        if !records.is_empty() {
            let partition = fetched.partition.clone();
            outbox.emit(EventKind::RecordsRead {
                consumer: Rc::clone(&self.plan.name),
                partition,
                first_offset,
                records,
            });
        }
        left_behind
    }
}
