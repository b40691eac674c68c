//! Time that has run out: messages, requests and calls.
//!
//! Follows the scans of librdkafka 2.16.0, once a second (`rd_kafka_broker_producer_serve`,
//! `rd_kafka_broker_timeout_scan`, `rd_kafka_topic_scan_all`): what is too old is found at the next second.

use std::rc::Rc;

use super::Librdkafka;
use super::errors;
use super::identity::IdState;
use super::message::{Key, Message};
use crate::error::KafkaError;
use crate::event::{EventKind, MessageView, RefreshReason};
use crate::outbox::Outbox;
use crate::time::{Duration, Time};

/// How often the library looks.
const SCAN: Duration = Duration::from_secs(1);
/// Its threads start a little before the constructor returns, so the looks are that much earlier. How much it is,
/// is chance.
const HEAD_START: Duration = Duration::from_millis(100);

impl Librdkafka {
    /// The first look at or after a time. They happen at whole seconds after the start.
    fn scan_at(&self, time: Time) -> Time {
        let passed = (time + HEAD_START).since(self.started).0.div_ceil(SCAN.0);
        Time((self.started.0 + passed * SCAN.0).saturating_sub(HEAD_START.0))
    }

    /// Looks for what is too old, once a second.
    pub(super) fn scan(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        if self.scanned.is_some_and(|last| self.scan_at(Time(last.0 + 1)) > now) {
            return;
        }
        self.scanned = Some(now);
        self.scan_requests(outbox);
        self.scan_messages(outbox);
    }

    /// A broker that does not answer in time loses its connection, with everything that it was asked.
    fn scan_requests(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let late = |(broker, deadline): (u32, Time)| (deadline <= now).then_some(broker);
        let produce = self.requests.values().map(|request| (request.broker, request.deadline));
        let mut brokers: Vec<u32> = produce.chain(self.owed()).filter_map(late).collect();
        brokers.sort_unstable();
        brokers.dedup();
        for broker in brokers {
            self.lose_connection(broker, "_TIMED_OUT", true, outbox);
        }
    }

    /// What brokers owe besides answers to Produce, with the time when it is given up.
    fn owed(&self) -> Vec<(u32, Time)> {
        let probes = self.probes.values().copied();
        let identity = self.identity.as_ref().and_then(|own| match own.state {
            IdState::Asked { broker, deadline, .. } => Some((broker, deadline)),
            _ => None,
        });
        let txn = self.txn.iter().flat_map(|txn| txn.owed());
        probes.chain(identity).chain(self.query.owed()).chain(txn).collect()
    }

    fn scan_messages(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let error = errors::plain("_MSG_TIMED_OUT");
        for name in self.topics.keys().cloned().collect::<Vec<_>>() {
            let Some(topic) = self.topics.get_mut(&name) else { continue };
            let late = topic.unassigned.take_expired(now);
            let mut all: Vec<(Key, Vec<Message>)> = Vec::new();
            for (number, partition) in (0..).zip(&mut topic.partitions) {
                let late = partition.queue.take_expired(now);
                if !late.is_empty() {
                    all.push(((Rc::clone(&name), number), late));
                }
            }
            self.report_failed(late, None, &error, outbox);
            for (key, late) in all {
                if self.identity.is_some() {
                    let text = format!("{} message(s) timed out on {} [{}]", late.len(), key.0, key.1);
                    self.drain("_TIMED_OUT", text);
                }
                self.report_failed(late, Some(&key), &error, outbox);
            }
        }
    }

    /// What is in flight to a broker will not be answered. `is_read`: its process may still find some of it.
    pub(super) fn lose_connection(&mut self, broker: u32, reason: &str, is_read: bool, outbox: &mut Outbox) {
        let lost = self.requests.ids_at(broker);
        let unread: &[u64] = if is_read { &lost } else { &[] };
        self.brokers.broke(broker, unread, outbox.post.messages, outbox.now());
        self.query.lost(broker);
        self.query.want(RefreshReason::Error);
        self.probes.retain(|_, (other, _)| *other != broker);
        if let Some(own) = &mut self.identity
            && matches!(own.state, IdState::Asked { broker: asked, .. } if asked == broker)
        {
            own.state = IdState::AskAt(outbox.now());
        }
        self.coordinator_lost(broker);
        let error = KafkaError::new(reason, "", errors::text(reason));
        for id in lost {
            let request = self.requests.remove(id).expect("it was just listed");
            self.settle(request, Err(error.clone()), outbox);
        }
    }

    /// The connection to a broker broke, or could not be made: the broker is down.
    pub fn broker_disconnected(&mut self, broker: u32, outbox: &mut Outbox) {
        if self.brokers.is_used(broker) {
            self.lose_connection(broker, "_TRANSPORT", false, outbox);
            self.run(outbox);
        }
    }

    /// Whether a message went over a connection that is gone.
    pub fn has_lost(&self, message: &MessageView) -> bool {
        self.brokers.has_lost(message)
    }

    /// A message of this producer went over a connection that is gone.
    pub fn lose(&mut self, message: &Rc<MessageView>, outbox: &mut Outbox) {
        outbox.emit_cause(EventKind::MessageLost { message: Rc::clone(message) });
        if let Some(broker) = self.requests.get(message.id).map(|request| request.broker) {
            self.lose_connection(broker, "_TRANSPORT", false, outbox);
            self.run(outbox);
        }
    }

    /// Fault: the connections break. What is on its way is lost; if nothing is, the next Produce request.
    pub fn disconnect(&mut self, outbox: &mut Outbox) {
        if self.requests.is_empty() {
            self.breaks_next = true;
            return;
        }
        for broker in self.brokers.used() {
            self.lose_connection(broker, "_TRANSPORT", false, outbox);
        }
        self.run(outbox);
    }

    /// When the next look finds something.
    pub(super) fn next_scan(&self) -> Option<Time> {
        let queued = self.topics.values().flat_map(|topic| {
            let waiting = topic.partitions.iter().filter_map(|partition| partition.queue.front());
            topic.unassigned.front().into_iter().chain(waiting).filter_map(|message| message.expires)
        });
        let owed = self.owed().into_iter().map(|(_, deadline)| deadline);
        queued.chain(owed).chain(self.requests.next_deadline()).min().map(|at| self.scan_at(at))
    }
}
