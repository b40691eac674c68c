//! The producer of librdkafka and its bindings: a queue that never blocks, one request for each partition,
//! delivery reports that the application fetches.
//!
//! Follows librdkafka 2.16.0. One object is one `rd_kafka_t` with its threads: what they do, they do together in
//! `run`, whenever something is due. Simplified: no compression, no statistics, no TLS.

mod answers;
mod brokers;
mod coordinator;
pub(in crate::client) mod errors;
mod identity;
mod message;
mod partitioning;
mod reports;
mod requests;
mod sending;
mod settings;
#[cfg(test)]
mod tests;
mod timeouts;
mod topics;
mod transactions;
mod view;
mod within;

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use super::alarm::Alarm;
use super::connections::Backoff;
use super::producer::Outgoing;
use super::producer::partitioning::KeyMemories;
use crate::error::KafkaError;
use crate::event::{EventKind, Name, NodeId, RecordId, RefreshReason};
use crate::outbox::Outbox;
use crate::queue::Target;
use crate::rng::{PartitionerSource, Stream};
use crate::scenario::ProducerPlan;
use crate::snapshot::{LastRecord, ProducerState};
use crate::time::{Duration, Time};

use brokers::Brokers;
use identity::Identity;
use message::{Key, Message, wire_size_max};
use reports::Report;
use requests::Requests;
use settings::Settings;
use topics::{Query, Topic};
use transactions::{ClientPhase, Transactions};

pub use errors::error_code;
use transactions::Offsets;

/// One producer object.
#[derive(Clone, Debug)]
pub(crate) struct Librdkafka {
    number: u32,
    plan: Rc<ProducerPlan>,
    settings: Settings,
    pub state: ProducerState,
    started: Time,
    brokers: Brokers,
    /// Requests to brokers that were lost: broker, and when it is given up.
    probes: BTreeMap<u64, (u32, Time)>,
    topics: BTreeMap<Name, Topic>,
    query: Query,
    requests: Requests,
    /// Where the next pass over the partitions of a broker begins, if the limit of requests in flight has left some
    /// out of the last one.
    turns: BTreeMap<u32, Key>,
    /// Absent where idempotence is off.
    identity: Option<Identity>,
    /// Absent without a `transactional.id`.
    txn: Option<Transactions>,
    /// The error after which nothing works any more.
    fatal: Option<KafkaError>,
    /// An error asks for the queue to be given up.
    purge_wanted: bool,
    reports: VecDeque<Report>,
    is_polling: bool,
    /// Messages whose reports are not served, and the bytes of their values.
    queued_records: u64,
    queued_bytes: u64,
    /// The last message was refused because the queue is full.
    found_no_room: bool,
    /// Calls of `flush()` that wait, and until when.
    flushes: Vec<(u64, Option<Time>)>,
    closing: Option<u64>,
    /// When `flush()` before the end of the object has had its time.
    closes_by: Option<Time>,
    /// The next Produce request breaks its connection.
    breaks_next: bool,
    /// When what is too old was looked for last.
    scanned: Option<Time>,
    pub keys: Rc<KeyMemories>,
    random: PartitionerSource,
    jitter: Stream,
    alarm: Alarm,
    pub last: Option<LastRecord>,
    pub sent_count: u64,
    pub acknowledged_count: u64,
    pub failed_count: u64,
}

impl Librdkafka {
    /// A producer that has not started.
    pub fn new(number: u32, plan: Rc<ProducerPlan>, seed: u64) -> Librdkafka {
        let shared = &plan.settings;
        let settings = Settings::new(shared, &plan.configs);
        let random = match plan.random_start {
            Some(start) => PartitionerSource::Counting(start),
            None => PartitionerSource::Seeded(Stream::new(seed, "partitioner", &plan.name)),
        };
        let backoff = Backoff { first: shared.reconnect_backoff, longest: shared.reconnect_backoff_max };
        Librdkafka {
            number,
            state: ProducerState::Ready,
            started: Time::ZERO,
            brokers: Brokers::new(backoff, Stream::new(seed, "reconnect", &plan.name)),
            probes: BTreeMap::new(),
            topics: BTreeMap::new(),
            query: Query::new(plan.metadata_age),
            requests: Requests::default(),
            turns: BTreeMap::new(),
            identity: settings.is_idempotent.then(Identity::default),
            txn: settings.transactional_id.clone().map(Transactions::new),
            fatal: None,
            purge_wanted: false,
            reports: VecDeque::new(),
            is_polling: true,
            queued_records: 0,
            queued_bytes: 0,
            found_no_room: false,
            flushes: Vec::new(),
            closing: None,
            closes_by: None,
            breaks_next: false,
            scanned: None,
            keys: Rc::default(),
            random,
            jitter: Stream::new(seed, "backoff", &plan.name),
            alarm: Alarm::default(),
            last: None,
            sent_count: 0,
            acknowledged_count: 0,
            failed_count: 0,
            settings,
            plan,
        }
    }

    fn node(&self) -> NodeId {
        NodeId::Producer { name: Rc::clone(&self.plan.name) }
    }

    /// The object is made.
    pub fn start(&mut self, outbox: &mut Outbox) {
        self.started = outbox.now();
        if let Some(own) = self.identity.as_mut().filter(|_| self.txn.is_none()) {
            own.ask_soon(outbox.now());
        }
        self.wake_soon(outbox);
    }

    /// The application calls `produce()`. It never waits: the message is queued, or refused at once.
    pub fn produce(&mut self, outgoing: Outgoing, outbox: &mut Outbox) {
        let id = RecordId { producer: self.number, number: self.sent_count };
        let (topic, wanted) = (Rc::clone(&outgoing.topic), outgoing.partition);
        let record = outgoing.into_record(id, &self.plan.name, outbox.now());
        self.sent_count += 1;
        let message = Message {
            wanted: wanted.filter(|partition| *partition != -1),
            number: 0,
            enqueued: outbox.now(),
            expires: self.settings.message_timeout.map(|timeout| outbox.now() + timeout),
            retries: 0,
            not_before: Time::ZERO,
            batch_end: None,
            stored_bytes: 0,
            record,
        };
        let refused = self.enqueue(&topic, message, outbox).err();
        self.found_no_room = refused.as_ref().is_some_and(|(_, error)| error.error == "_QUEUE_FULL");
        if let Some((message, error)) = refused {
            self.failed_count += 1;
            outbox.emit(EventKind::SendFailed {
                producer: Rc::clone(&self.plan.name),
                records: [Rc::clone(&message.record)].into(),
                error: error.clone().into(),
            });
            if let Some(command) = message.record.command {
                outbox.throw(command, error);
            }
        }
        self.wake_soon(outbox);
    }

    /// `rd_kafka_produce`: the checks in their order.
    #[expect(clippy::result_large_err, reason = "a refused message goes back as it is, and rarely")]
    fn enqueue(&mut self, topic: &Name, message: Message, outbox: &mut Outbox) -> Result<(), (Message, KafkaError)> {
        let settings = &self.settings;
        let bytes = message.queue_bytes();
        let is_outside =
            self.txn.as_ref().is_some_and(|txn| txn.phase != ClientPhase::InTransaction || txn.is_ending());
        let is_full = settings.queue_records_max > 0 && self.queued_records >= settings.queue_records_max;
        let refusal = if self.fatal.is_some() {
            Some("_FATAL")
        } else if self.state != ProducerState::Ready || is_outside {
            Some("_STATE")
        } else if wire_size_max(&message.record) > u64::from(settings.record_size_max) {
            Some("MSG_SIZE_TOO_LARGE")
        } else if is_full || self.queued_bytes + bytes > settings.queue_bytes_max {
            Some("_QUEUE_FULL")
        } else {
            None
        };
        if let Some(name) = refusal {
            return Err((message, errors::plain(name)));
        }
        let now = outbox.now();
        if !self.topics.contains_key(topic) {
            self.topics.insert(Rc::clone(topic), Topic::new(now));
            self.query.want(RefreshReason::FirstUse);
        }
        self.assign(topic, message, outbox)?;
        self.queued_records += 1;
        self.queued_bytes += bytes;
        Ok(())
    }

    /// The application calls `flush()`, which polls as well.
    pub fn flush(&mut self, command: Option<u64>, timeout_ms: Option<u32>, outbox: &mut Outbox) {
        let deadline = timeout_ms.map(|millis| outbox.now() + Duration::from_millis(u64::from(millis)));
        self.flushes.extend(command.map(|command| (command, deadline)));
        self.wake_soon(outbox);
    }

    /// The application calls `purge()`.
    pub fn purge_by_hand(&mut self, in_flight: bool, outbox: &mut Outbox) {
        self.purge(true, in_flight, outbox);
        self.wake_soon(outbox);
    }

    /// The application calls `close()`, or the process is replaced (`command` is `None`). `rd_kafka_destroy` knows
    /// no timeout: it stands for an application that flushes for so long and then destroys the object.
    pub fn close(&mut self, command: Option<u64>, timeout: Option<Duration>, outbox: &mut Outbox) {
        if self.state == ProducerState::Ready {
            self.state = ProducerState::Closing;
            self.closes_by = timeout.map(|timeout| outbox.now() + timeout);
        }
        self.closing = command.or(self.closing);
        self.abort_for_close(outbox);
        self.wake_soon(outbox);
    }

    /// The object or its process is gone, without a word to anybody.
    pub fn vanish(&mut self) -> Vec<u64> {
        let mut commands = self.forget_messages();
        commands.extend(self.txn.take().and_then(|txn| txn.running).and_then(|running| running.command));
        commands.extend(self.closing.take());
        commands
    }

    /// The messages that the object holds go with it. The commands that wait for them.
    fn forget_messages(&mut self) -> Vec<u64> {
        self.state = ProducerState::Closed;
        let sent = self.requests.take().flat_map(|request| request.messages);
        let queued = self.topics.values_mut().flat_map(|topic| {
            let waiting = topic.partitions.iter_mut().flat_map(|partition| partition.queue.take_all());
            topic.unassigned.take_all().into_iter().chain(waiting.collect::<Vec<_>>())
        });
        let mut commands: Vec<u64> = sent.chain(queued).filter_map(|message| message.record.command).collect();
        commands.extend(self.reports.drain(..).flat_map(|report| report.commands()));
        commands.extend(std::mem::take(&mut self.flushes).into_iter().map(|(command, _)| command));
        (self.queued_records, self.queued_bytes) = (0, 0);
        commands
    }

    /// The threads of the library look a moment later, after everything else that the application does now.
    pub fn wake_soon(&mut self, outbox: &mut Outbox) {
        if self.state != ProducerState::Closed {
            self.alarm.set(Target::Producer(self.number), outbox.now(), outbox);
        }
    }

    /// A timer fired.
    pub fn rang(&mut self, outbox: &mut Outbox) {
        self.alarm.rang(outbox.now());
        self.run(outbox);
    }

    /// Everything that is due, then the next timer.
    pub(crate) fn run(&mut self, outbox: &mut Outbox) {
        if self.state == ProducerState::Closed {
            return;
        }
        self.scan(outbox);
        if std::mem::take(&mut self.purge_wanted) {
            self.purge(true, false, outbox);
        }
        self.look_after_identity(outbox);
        self.look_after_transaction(outbox);
        self.send_ready_batches(outbox);
        self.refresh_metadata(outbox);
        if !self.flushes.is_empty() || self.state == ProducerState::Closing || self.is_hurried() {
            self.serve_reports(outbox);
        }
        let before = self.txn.as_ref().and_then(|txn| txn.running.clone()).map(|running| running.step);
        self.move_on(outbox);
        let after = self.txn.as_ref().and_then(|txn| txn.running.clone()).map(|running| running.step);
        if before != after || self.purge_wanted {
            self.wake_soon(outbox);
        }
        self.finish_flush_and_close(outbox);
        self.set_next_wake(outbox);
    }

    fn finish_flush_and_close(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let is_over = |deadline: Option<Time>| deadline.is_some_and(|deadline| deadline <= now);
        if self.state == ProducerState::Closing && is_over(self.closes_by) {
            return self.destroy(outbox);
        }
        if self.queued_records > 0 {
            let late: Vec<_> = self.flushes.extract_if(.., |(_, deadline)| is_over(*deadline)).collect();
            for (command, _) in late {
                outbox.throw(command, errors::plain("_TIMED_OUT"));
            }
            return;
        }
        for (command, _) in std::mem::take(&mut self.flushes) {
            outbox.finish(command, Ok(None));
        }
        let is_ending = self.fatal.is_none()
            && self.txn.as_ref().is_some_and(|txn| {
                !matches!(txn.phase, ClientPhase::Init | ClientPhase::Ready | ClientPhase::FatalError)
            });
        if self.state == ProducerState::Closing && !is_ending {
            self.state = ProducerState::Closed;
            outbox.emit(EventKind::ProducerClosed { producer: Rc::clone(&self.plan.name) });
            if let Some(command) = self.closing.take() {
                outbox.finish(command, Ok(None));
            }
            // A call of another thread that is still waiting: its answer will not come.
            self.end_call(Some(errors::plain("_DESTROY")), outbox);
        }
    }

    /// `rd_kafka_destroy` while there is something left: it is lost, and no report tells of it. What was sent may
    /// be in the log, and an open transaction stays open.
    fn destroy(&mut self, outbox: &mut Outbox) {
        self.end_call(Some(errors::plain("_DESTROY")), outbox);
        for command in self.forget_messages() {
            outbox.fail_future(command, errors::plain("_DESTROY"));
        }
        outbox.emit(EventKind::ProducerClosed { producer: Rc::clone(&self.plan.name) });
        if let Some(command) = self.closing.take() {
            outbox.finish(command, Ok(None));
        }
    }

    fn set_next_wake(&mut self, outbox: &mut Outbox) {
        if self.state == ProducerState::Closed {
            return;
        }
        let now = outbox.now();
        let ready = self.topics.values().flat_map(|topic| &topic.partitions).filter_map(|it| it.queue.front());
        let ready = ready.map(|first| self.lingered(first));
        let identity = self.identity.as_ref().and_then(Identity::due);
        let txn = self.txn.iter().flat_map(|txn| {
            let deadline = txn.running.as_ref().filter(|running| running.is_awaited).and_then(|it| it.deadline);
            deadline.into_iter().chain([txn.not_before])
        });
        let query = self.query.due().map(|(at, _)| at).filter(|_| !self.topics.is_empty());
        let calls = self.flushes.iter().filter_map(|(_, deadline)| *deadline).chain(self.closes_by);
        let due = calls.chain(ready).chain(identity).chain(txn).chain(query).chain(self.brokers.next_probe());
        // What is due already waits for an answer that makes room, not for a timer.
        let due = due.filter(|at| *at > now).chain(self.next_scan().filter(|at| *at > now));
        if let Some(next) = due.min() {
            self.alarm.set(Target::Producer(self.number), next, outbox);
        }
    }

    /// Messages whose reports are not served, and reports that wait (`rd_kafka_outq_len`).
    pub fn outq_len(&self) -> u64 {
        self.queued_records + self.report_count()
    }

    /// Whether the last message was refused because the queue is full.
    pub fn found_no_room(&self) -> bool {
        self.found_no_room
    }

    /// Messages that are neither written nor failed.
    pub fn open_records(&self) -> u64 {
        let sent: u64 = self.requests.values().map(|request| request.messages.len() as u64).sum();
        let queued = self.topics.values().map(|topic| {
            topic.unassigned.len() + topic.partitions.iter().map(|partition| partition.queue.len()).sum::<u64>()
        });
        sent + queued.sum::<u64>()
    }

    /// Rough size of what a checkpoint copies, in bytes.
    pub fn own_bytes(&self) -> u64 {
        1_024 + self.queued_records * 96 + (self.requests.len() as u64) * 160
    }
}
