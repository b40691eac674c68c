//! A producer: from `send` to the acknowledged batch.
//!
//! Follows `KafkaProducer` and `Sender` of Kafka 4.3.1, with the differences of other libraries in
//! `settings.rs`.

pub(crate) mod accumulator;
pub(crate) mod calls;
mod closing;
pub(crate) mod draining;
pub(crate) mod failures;
pub(crate) mod idempotence;
pub(crate) mod metadata;
pub(crate) mod metrics;
pub(crate) mod partitioning;
pub(crate) mod pool;
pub(crate) mod queues;
mod retries;
pub(crate) mod sender;
pub(crate) mod sending;
pub(crate) mod serializing;
pub(crate) mod settings;
#[cfg(test)]
mod tests;
pub(crate) mod transactions;
pub(crate) mod workload;

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use super::alarm::Alarm;
use super::connections::{Backoff, Connections};
use super::librdkafka::Librdkafka;
use crate::error::KafkaError;
use crate::event::{Codec, EventKind, Name, NodeId, Record, RecordId};
use crate::outbox::Outbox;
use crate::queue::{Target, Timer};
use crate::rng::{PartitionerSource, Stream};
use crate::scenario::ProducerPlan;
use crate::snapshot::{ClientProcess, LastRecord, ProducerState};
use crate::time::{RUN_START_MS, Time};
use crate::transaction::{Call, WaitReason};

use accumulator::Accumulator;
use calls::{Calls, Progress, Wait};
use draining::Lane;
use idempotence::Idempotence;
use metadata::Metadata;
use metrics::Metrics;
use partitioning::{KeyMemories, Sticky};
use pool::BufferPool;
use sender::InFlight;
use sending::Waiting;
use settings::Dialect;
use transactions::Transactions;
use workload::RunningWorkload;

/// A record that the application wants to send.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    pub topic: Name,
    pub key: Option<(Rc<[u8]>, Name)>,
    /// Java classes of key and value, where a serializer may look at them.
    pub classes: [Option<&'static str>; 2],
    pub value: Option<Name>,
    pub value_size: u32,
    pub partition: Option<i32>,
    /// An explicit timestamp, in milliseconds.
    pub timestamp: Option<i64>,
    pub headers: Option<Rc<[(Name, Name)]>>,
    pub command: Option<u64>,
}

impl Outgoing {
    /// A record that was read, as a copier sends it on: the producer chooses the partition again.
    pub fn copy(record: &Record, topic: Name) -> Outgoing {
        Outgoing {
            topic,
            key: record.key.clone().zip(record.key_text.clone()),
            classes: [None, None],
            value: record.value.clone(),
            value_size: record.value_size,
            partition: None,
            timestamp: None,
            headers: record.headers.clone(),
            command: None,
        }
    }

    /// The record that this becomes when `send` is called.
    pub fn into_record(self, id: RecordId, producer: &Name, now: Time) -> Rc<Record> {
        let (key, key_text) = self.key.unzip();
        Rc::new(Record {
            id,
            producer: Rc::clone(producer),
            key,
            key_text,
            value: self.value,
            value_size: self.value_size,
            timestamp: now,
            create_time: self.timestamp.unwrap_or(now.millis() as i64),
            headers: self.headers,
            command: self.command,
            internal: None,
        })
    }
}

/// One producer instance.
#[derive(Clone, Debug)]
pub(crate) struct Producer {
    pub number: u32,
    pub plan: Rc<ProducerPlan>,
    pub state: ProducerState,
    /// librdkafka's producer is another client; all calls and answers are its own.
    pub librdkafka: Option<Box<Librdkafka>>,
    pub process: ClientProcess,
    /// Messages with a smaller id went over a connection that is broken.
    pub connected_since: u64,
    /// The next Produce request breaks the connection.
    pub breaks_next: bool,
    pub metadata: Metadata,
    connections: Connections,
    /// Absent where idempotence is off.
    idempotence: Option<Idempotence>,
    /// Present with a `transactional.id`. librdkafka keeps its own.
    pub transactions: Option<Box<Transactions>>,
    waiting: VecDeque<Waiting>,
    /// The Java client's memory; other libraries have none of this kind.
    pub pool: Option<BufferPool>,
    pub metrics: Metrics,
    /// The sender has something to look at.
    is_stirred: bool,
    /// The application makes a call at this moment.
    is_called: bool,
    /// When `close` gives up what is not over.
    closes_by: Option<Time>,
    /// The topic that `partitionsFor` waits for, and until when.
    asking: Option<(Name, Time)>,
    lanes: BTreeMap<u32, Lane>,
    pub accumulator: Accumulator,
    pub sticky: BTreeMap<Name, Sticky>,
    pub keys: Rc<KeyMemories>,
    pub in_flight: BTreeMap<u64, InFlight>,
    random: PartitionerSource,
    jitter: Stream,
    workload: Option<Box<RunningWorkload>>,
    workload_generation: u32,
    /// The application's thread.
    pub calls: Calls,
    alarm: Alarm,
    /// When `run` was last called: timers up to then have done their work.
    ran_at: Time,
    pub last: Option<LastRecord>,
    pub sent_count: u64,
    pub acknowledged_count: u64,
    pub failed_count: u64,
}

impl Producer {
    /// A producer that has not started.
    pub fn new(number: u32, plan: Rc<ProducerPlan>, seed: u64) -> Producer {
        let settings = &plan.settings;
        let random = match plan.random_start {
            Some(start) => PartitionerSource::Counting(start),
            None => PartitionerSource::Seeded(Stream::new(seed, "partitioner", &plan.name)),
        };
        let transactional_id = settings.transactional_id.clone().filter(|_| plan.dialect != Dialect::Librdkafka);
        let transactions = transactional_id.map(|id| Box::new(Transactions::new(id, Rc::clone(&plan.name))));
        let backoff = Backoff { first: settings.reconnect_backoff, longest: settings.reconnect_backoff_max };
        Producer {
            number,
            state: ProducerState::Ready,
            librdkafka: (plan.dialect == Dialect::Librdkafka)
                .then(|| Box::new(Librdkafka::new(number, Rc::clone(&plan), seed))),
            process: ClientProcess::Running,
            connected_since: 0,
            breaks_next: false,
            metadata: Metadata::new(
                settings.metadata_age_max,
                plan.metadata_age,
                settings.metadata_idle_max,
                settings.backoff,
                settings.backoff_max,
            ),
            connections: Connections::new(backoff, Stream::new(seed, "reconnect", &plan.name)),
            idempotence: settings.is_idempotent.then(|| Idempotence::new(transactions.is_some())),
            transactions,
            waiting: VecDeque::new(),
            pool: (plan.dialect == Dialect::Java).then(|| BufferPool::new(settings.buffer_memory, settings.batch_size)),
            metrics: Metrics::default(),
            is_stirred: false,
            is_called: false,
            closes_by: None,
            asking: None,
            lanes: BTreeMap::new(),
            accumulator: Accumulator::new(settings.codec != Codec::None),
            sticky: BTreeMap::new(),
            keys: Rc::default(),
            in_flight: BTreeMap::new(),
            random,
            jitter: Stream::new(seed, "backoff", &plan.name),
            workload: None,
            workload_generation: 0,
            calls: Calls::default(),
            alarm: Alarm::default(),
            ran_at: Time::ZERO,
            last: None,
            sent_count: 0,
            acknowledged_count: 0,
            failed_count: 0,
            plan,
        }
    }

    /// The producer's name on the stage.
    pub fn node(&self) -> NodeId {
        NodeId::Producer { name: Rc::clone(&self.plan.name) }
    }

    fn target(&self) -> Target {
        Target::Producer(self.number)
    }

    /// The process starts: constructor, then its workload.
    pub fn start(&mut self, outbox: &mut Outbox) {
        outbox.emit_cause(EventKind::ProducerStarted {
            producer: Rc::clone(&self.plan.name),
            client: self.plan.client.id.into(),
        });
        for warning in &self.plan.warnings {
            outbox.emit(EventKind::Warned { client: self.node(), text: warning.text.as_str().into() });
        }
        self.start_librdkafka(outbox);
        // A workload that was set before the start takes the place of the planned one.
        if self.workload_generation == 0
            && let Some(workload) = self.plan.workload.clone()
        {
            self.set_workload(Some(workload), outbox);
        }
    }

    /// What `send` does first.
    fn send(&mut self, outgoing: Outgoing, outbox: &mut Outbox) {
        let id = RecordId { producer: self.number, number: self.sent_count };
        let (topic, classes) = (Rc::clone(&outgoing.topic), outgoing.classes);
        let (wanted, timestamp) = (outgoing.partition, outgoing.timestamp);
        let record = outgoing.into_record(id, &self.plan.name, outbox.now());
        self.sent_count += 1;
        if self.state != ProducerState::Ready {
            let text = "Cannot perform operation after producer has been closed";
            self.throw(record, KafkaError::new("", "IllegalStateException", text), outbox);
            return;
        }
        let partition = match wanted.map(u32::try_from).transpose() {
            Ok(partition) => partition,
            Err(_) => {
                // The ProducerRecord constructor refuses it, before any producer sees it.
                let number = wanted.unwrap_or(-1);
                let text =
                    format!("Invalid partition: {number}. Partition number should always be non-negative or null.");
                self.throw(record, KafkaError::new("", "IllegalArgumentException", text), outbox);
                return;
            }
        };
        self.metadata.want(&topic, outbox.now());
        if let Some(error) = timestamp.and_then(negative_timestamp) {
            self.throw(record, error, outbox);
            return;
        }
        self.find_a_place(Waiting { record, topic, partition, classes, deadline: None, memory: None }, outbox);
    }

    /// Only the Java client's `send` waits.
    fn send_goes_on(&self) -> Progress {
        match self.send_waits() {
            Some((reason, deadline)) if self.plan.dialect == Dialect::Java => {
                Progress::Waits(Wait { reason, deadline })
            }
            _ => Progress::Returned(Ok(())),
        }
    }

    fn flush_goes_on(&self) -> Progress {
        match self.is_idle() {
            true => Progress::Returned(Ok(())),
            false => Progress::Waits(Wait { reason: WaitReason::Batches, deadline: None }),
        }
    }

    /// The process dies: nothing in its memory is left, and nobody learns what became of it.
    pub fn crash(&mut self, outbox: &mut Outbox) {
        self.end_workload();
        self.process = ClientProcess::Crashed;
        self.state = ProducerState::Closed;
        let waiting = std::mem::take(&mut self.waiting).into_iter().map(|waiting| waiting.record);
        let queued = std::mem::take(&mut self.accumulator).queues.into_batches();
        let sent = std::mem::take(&mut self.in_flight).into_values().flat_map(|request| request.batches);
        let queued = queued.map(Rc::unwrap_or_clone);
        let batches = queued.chain(sent.map(|(_, batch, _)| batch)).flat_map(|batch| batch.records);
        let mut commands: Vec<u64> = waiting.chain(batches).filter_map(|record| record.command).collect();
        commands.extend(self.calls.abandon());
        commands.extend(self.vanish_librdkafka());
        let text = "The process died before the call had come to an end.";
        for command in commands {
            outbox.finish(command, Err(KafkaError::new("CLIENT_CRASHED", "", text)));
        }
        // What is left is what a picture of the past may still show: names, settings and counters.
        self.transactions = None;
        self.idempotence = None;
        self.sticky.clear();
    }

    /// The application makes no more records by itself.
    pub fn end_workload(&mut self) {
        self.workload = None;
        self.workload_generation += 1;
    }

    /// A timer fired.
    pub fn wake(&mut self, timer: Timer, outbox: &mut Outbox) {
        match timer {
            Timer::Start => self.start(outbox),
            Timer::Workload { generation } if generation == self.workload_generation => {
                self.send_burst(outbox);
                // As in Java, an append that neither opens nor fills a batch does not wake the sender.
                if !std::mem::take(&mut self.is_stirred) && self.waiting.is_empty() {
                    return;
                }
            }
            Timer::Wake => self.alarm.rang(outbox.now()),
            _ => return,
        }
        self.run(outbox);
    }

    /// Everything that is due: metadata, records that wait for it, batches, timeouts, then the next timer.
    pub fn run(&mut self, outbox: &mut Outbox) {
        if self.state == ProducerState::Closed || self.librdkafka.is_some() {
            return;
        }
        self.ran_at = outbox.now();
        self.set_up_connections(outbox);
        self.resolve_sequences(outbox);
        self.expire(outbox);
        self.work_off_waiting(outbox);
        self.work_off_calls(outbox);
        loop {
            self.look_after_identity(outbox);
            if !self.drive_transactions(outbox) {
                self.send_ready_batches(outbox);
            }
            self.refresh_metadata(outbox);
            // A call that returns here makes room for the next one, which may have something to send.
            if !self.calls.is_busy() || !self.work_off_calls(outbox) {
                break;
            }
        }
        self.is_called = false;
        self.set_next_wake(outbox);
    }

    /// A connection is only used once it stands.
    fn set_up_connections(&mut self, outbox: &mut Outbox) {
        let is_needed = !outbox.post.links.is_whole() || self.connections.has_silent();
        if !is_needed {
            return;
        }
        let node = self.node();
        for id in outbox.post.brokers.clone() {
            let is_cut = outbox.post.links.is_cut(&node, &NodeId::Broker { id });
            self.connections.set_up(id, is_cut, outbox.now());
        }
    }

    /// Whether every record is either acknowledged or given up.
    fn is_idle(&self) -> bool {
        let is_open = |request: &InFlight| request.batches.iter().any(|(_, batch, _)| !batch.records.is_empty());
        self.waiting.is_empty() && self.accumulator.is_empty() && !self.in_flight.values().any(is_open)
    }

    /// Whether `linger.ms` counts for nothing at present.
    fn is_hurried(&self) -> bool {
        let is_completing = self.transactions.as_ref().is_some_and(|own| own.is_completing());
        self.state == ProducerState::Closing || self.calls.current() == Some(Call::Flush) || is_completing
    }

    fn set_next_wake(&mut self, outbox: &mut Outbox) {
        let waiting = self.waiting.front().and_then(|waiting| waiting.deadline);
        let identity = self.idempotence.as_ref().and_then(|own| own.asks_again(outbox.now()));
        let transactions = self.transactions_due();
        let next =
            [waiting, self.calls.deadline(), self.next_due(), identity, transactions].into_iter().flatten().min();
        if let Some(next) = next.filter(|_| self.state != ProducerState::Closed) {
            self.alarm.set(self.target(), next, outbox);
        }
    }

    /// The application learns that records failed.
    fn fail(&mut self, records: &[Rc<Record>], error: KafkaError, outbox: &mut Outbox) {
        self.failed_count += records.len() as u64;
        self.is_stirred = true;
        self.metrics.failed(records.len() as u64, outbox.now());
        outbox.emit(EventKind::SendFailed {
            producer: Rc::clone(&self.plan.name),
            records: records.into(),
            error: error.clone().into(),
        });
        for command in records.iter().filter_map(|record| record.command) {
            outbox.fail_future(command, error.clone());
        }
    }

    /// `send` throws: there is no Future.
    fn throw(&mut self, record: Rc<Record>, error: KafkaError, outbox: &mut Outbox) {
        self.failed_count += 1;
        let command = record.command;
        let (producer, records) = (Rc::clone(&self.plan.name), [record].into());
        outbox.emit(EventKind::SendFailed { producer, records, error: error.clone().into() });
        if let Some(command) = command {
            outbox.throw(command, error);
        }
    }

    /// Records that wait for metadata, or for the call before them.
    pub fn waiting_count(&self) -> u64 {
        self.waiting.len() as u64 + self.calls.sends_ahead()
    }

    /// Rough size of what a checkpoint copies, in bytes.
    pub fn own_bytes(&self) -> u64 {
        let in_flight: usize = self.in_flight.values().map(InFlight::own_bytes).sum();
        (1_024
            + in_flight
            + self.calls.own_bytes()
            + self.workload.as_ref().map_or(0, |workload| workload.own_bytes())
            + self.waiting.len() * 64
            + self.accumulator.own_bytes()) as u64
            + self.librdkafka.as_ref().map_or(0, |own| own.own_bytes())
    }
}

/// The `ProducerRecord` constructor refuses times before 1970.
fn negative_timestamp(millis: i64) -> Option<KafkaError> {
    let timestamp = millis.saturating_add(RUN_START_MS);
    let text = format!("Invalid timestamp: {timestamp}. Timestamp should always be non-negative or null.");
    (timestamp < 0).then(|| KafkaError::new("", "IllegalArgumentException", text))
}
