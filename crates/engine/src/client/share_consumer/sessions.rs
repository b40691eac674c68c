//! Share sessions: what is fetched from each leader, and acknowledgements on their way to it.
//!
//! Follows `ShareConsumeRequestManager` and `ShareSessionHandler` of Kafka 4.3.1: one request at a time to each broker,
//! and acknowledgements leave with the next fetch if there is one.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{RETRY, ShareConsumer};
use crate::client::reader::REQUEST_TIMEOUT;
use crate::error::KafkaError;
use crate::event::{Api, RefreshReason, TopicPartition};
use crate::message::{Acknowledgements, PartitionResults, Payload, ShareAcknowledge, ShareFetch, ShareFetched};
use crate::outbox::Outbox;
use crate::queue::Timer;
use crate::share::{AcknowledgeType, AcknowledgementResult, ShareEvent};
use crate::time::Time;

/// The epoch that ends a session.
const FINAL_EPOCH: i32 = -1;

/// The session with one broker.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    /// Of the next request; 0 opens it.
    epoch: i32,
    /// The request on its way.
    sent: Option<Sent>,
    /// What is to be sent.
    waiting: BTreeMap<TopicPartition, BTreeMap<u64, AcknowledgeType>>,
}

#[derive(Clone, Debug)]
struct Sent {
    request: u64,
    is_fetch: bool,
    is_final: bool,
    acknowledgements: Vec<(TopicPartition, Acknowledgements)>,
    /// A fetch may wait for records at the broker for any time.
    deadline: Option<Time>,
}

impl Session {
    pub fn due(&self) -> Option<Time> {
        self.sent.as_ref().and_then(|sent| sent.deadline)
    }

    /// The broker does not answer any more.
    pub fn give_up_at(&mut self, deadline: Time) {
        if let Some(sent) = &mut self.sent {
            sent.deadline.get_or_insert(deadline);
        }
    }

    /// It does again.
    pub fn wait_on(&mut self) {
        if let Some(sent) = self.sent.as_mut().filter(|sent| sent.is_fetch) {
            sent.deadline = None;
        }
    }

    fn take_waiting(&mut self) -> Vec<(TopicPartition, Acknowledgements)> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().map(|(partition, said)| (partition, said.into_iter().collect())).collect()
    }
}

impl ShareConsumer {
    /// What was said of records leaves with the next requests.
    pub(super) fn hand_over(&mut self) -> Vec<(TopicPartition, u64)> {
        let mut handed = Vec::new();
        for held in self.held.iter_mut().filter(|held| !held.is_sent) {
            let Some(said) = held.said else { continue };
            held.is_sent = true;
            let session = self.sessions.entry(held.broker).or_default();
            let partition = &held.record.partition;
            session.waiting.entry(partition.clone()).or_default().insert(held.record.offset, said);
            handed.push((partition.clone(), held.record.offset));
        }
        handed
    }

    /// Sends what is to be sent: fetches while the application polls and nothing is at hand, and acknowledgements.
    pub(super) fn send_requests(&mut self, outbox: &mut Outbox) {
        if self.is_closed {
            return;
        }
        let now = outbox.now();
        let mut wanted: BTreeMap<u32, Vec<TopicPartition>> = BTreeMap::new();
        if self.is_polling() && self.buffer.is_empty() {
            let mut is_leaderless = false;
            for partition in &self.assigned {
                match self.metadata.leader(&partition.topic, partition.partition) {
                    Some(leader) if self.not_before.get(partition).is_none_or(|(at, _)| *at <= now) => {
                        wanted.entry(leader).or_default().push(partition.clone());
                    }
                    Some(_) => {}
                    None => is_leaderless = true,
                }
            }
            if is_leaderless {
                self.metadata.request(RefreshReason::Error);
            }
        }
        let saying = self.sessions.iter().filter(|(_, session)| !session.waiting.is_empty()).map(|(broker, _)| *broker);
        let brokers = crate::order::set(wanted.keys().copied().chain(saying));
        for broker in brokers {
            let session = self.sessions.entry(broker).or_default();
            if session.sent.is_some() || !self.connections.may_send(broker, now) {
                continue;
            }
            // What a broker does not know the session of cannot be acknowledged.
            if session.epoch == 0 && !session.waiting.is_empty() {
                let lost = session.take_waiting();
                self.settle_all(lost, &KafkaError::protocol("SHARE_SESSION_NOT_FOUND"), outbox);
            }
            match wanted.remove(&broker) {
                Some(partitions) => self.send_fetch(broker, partitions, outbox),
                None => self.send_acknowledgements(broker, false, outbox),
            }
        }
    }

    fn send_fetch(&mut self, broker: u32, partitions: Vec<TopicPartition>, outbox: &mut Outbox) {
        let settings = &self.plan.member.settings;
        let session = self.sessions.entry(broker).or_default();
        let acknowledgements = session.take_waiting();
        let asked = ShareFetch {
            group: settings.member.group.clone().unwrap_or_default(),
            member: Rc::clone(self.member.id()),
            epoch: session.epoch,
            partitions,
            acknowledgements: acknowledgements.clone(),
            records_max: settings.records_max,
            is_limited: self.plan.is_limited,
            wait_max: settings.limits.wait_max,
            sender: self.target(),
        };
        let request = self.send(Api::ShareFetch, broker, Payload::ShareFetch(asked), outbox);
        let deadline = self.silent.contains(&broker).then(|| outbox.now() + REQUEST_TIMEOUT);
        let sent = Sent { request, is_fetch: true, is_final: false, acknowledgements, deadline };
        self.sessions.entry(broker).or_default().sent = Some(sent);
    }

    fn send_acknowledgements(&mut self, broker: u32, is_final: bool, outbox: &mut Outbox) {
        let session = self.sessions.entry(broker).or_default();
        if session.waiting.is_empty() && !is_final {
            return;
        }
        let acknowledgements = session.take_waiting();
        let asked = ShareAcknowledge {
            group: self.plan.member.settings.member.group.clone().unwrap_or_default(),
            member: Rc::clone(self.member.id()),
            epoch: if is_final { FINAL_EPOCH } else { session.epoch },
            acknowledgements: acknowledgements.clone(),
            sender: self.target(),
        };
        let request = self.send(Api::ShareAcknowledge, broker, Payload::ShareAcknowledge(asked), outbox);
        let deadline = Some(outbox.now() + REQUEST_TIMEOUT);
        let sent = Sent { request, is_fetch: false, is_final, acknowledgements, deadline };
        self.sessions.entry(broker).or_default().sent = Some(sent);
    }

    /// Ends all sessions; what is held goes back. A fetch that waits is not waited for.
    pub(super) fn end_sessions(&mut self, outbox: &mut Outbox) {
        let open = self.sessions.iter().filter(|(_, session)| session.epoch > 0 || session.sent.is_some());
        let open: Vec<u32> = open.map(|(broker, _)| *broker).collect();
        self.sessions.retain(|broker, _| open.contains(broker));
        for broker in open {
            let is_reachable = self.connections.may_send(broker, outbox.now());
            let before = self.sessions.get_mut(&broker).and_then(|session| session.sent.take());
            if let Some(before) = before.filter(|before| !before.acknowledgements.is_empty()) {
                // Whatever comes of them, nobody waits for it any more.
                self.settle_all(before.acknowledgements, &disconnected(), outbox);
            }
            if is_reachable {
                self.send_acknowledgements(broker, true, outbox);
            }
        }
        self.buffer.clear();
    }

    /// Whether all sessions have ended.
    pub(super) fn have_sessions_ended(&self) -> bool {
        self.sessions.values().all(|session| session.sent.is_none())
    }

    /// The request that was answered, and the broker.
    fn answered(&mut self, request: u64) -> Option<(u32, Sent)> {
        let is_it = |session: &Session| session.sent.as_ref().is_some_and(|sent| sent.request == request);
        let broker = self.sessions.iter().find(|(_, session)| is_it(session)).map(|(broker, _)| *broker)?;
        let sent = self.sessions.get_mut(&broker)?.sent.take()?;
        self.connections.answered(broker);
        Some((broker, sent))
    }

    pub(super) fn fetch_answered(
        &mut self,
        request: u64,
        result: &Result<ShareFetched, KafkaError>,
        outbox: &mut Outbox,
    ) {
        let Some((broker, sent)) = self.answered(request) else { return };
        let fetched = match result {
            Ok(fetched) => fetched,
            Err(error) => return self.session_failed(broker, sent.acknowledgements, error, outbox),
        };
        self.count_epoch(broker);
        self.settle(sent.acknowledgements, &fetched.acknowledged, outbox);
        for (partition, records) in &fetched.records {
            match records {
                Ok(records) => {
                    self.not_before.remove(partition);
                    self.buffer.extend(records.iter().map(|record| (broker, record.clone())));
                }
                Err(_) => {
                    let failures = self.not_before.get(partition).map_or(0, |(_, failures)| *failures);
                    let pause = RETRY.pause(failures, &mut self.jitter);
                    self.not_before.insert(partition.clone(), (outbox.now() + pause, failures + 1));
                    self.metadata.request(RefreshReason::Error);
                }
            }
        }
    }

    pub(super) fn acknowledge_answered(
        &mut self,
        request: u64,
        result: &Result<PartitionResults, KafkaError>,
        outbox: &mut Outbox,
    ) {
        let Some((broker, sent)) = self.answered(request) else { return };
        match result {
            Err(error) => self.session_failed(broker, sent.acknowledgements, error, outbox),
            Ok(results) => {
                if sent.is_final {
                    self.sessions.remove(&broker);
                } else {
                    self.count_epoch(broker);
                }
                self.settle(sent.acknowledgements, results, outbox);
            }
        }
    }

    fn count_epoch(&mut self, broker: u32) {
        let session = self.sessions.entry(broker).or_default();
        session.epoch = session.epoch.checked_add(1).unwrap_or(1);
    }

    /// The broker does not know the session, or another epoch of it: the next request opens a new one.
    fn session_failed(
        &mut self,
        broker: u32,
        acknowledgements: Vec<(TopicPartition, Acknowledgements)>,
        error: &KafkaError,
        outbox: &mut Outbox,
    ) {
        if let Some(session) = self.sessions.get_mut(&broker) {
            session.epoch = 0;
        }
        self.settle_all(acknowledgements, error, outbox);
    }

    /// The connection broke: the broker has released what was held, and what was said may have been taken or not.
    pub(super) fn lose_session(&mut self, broker: u32, outbox: &mut Outbox) {
        let Some(mut session) = self.sessions.remove(&broker) else { return };
        let mut lost = session.take_waiting();
        lost.extend(session.sent.into_iter().flat_map(|sent| sent.acknowledgements));
        self.settle_all(lost, &disconnected(), outbox);
    }

    fn settle_all(&mut self, said: Vec<(TopicPartition, Acknowledgements)>, error: &KafkaError, outbox: &mut Outbox) {
        let results: PartitionResults =
            said.iter().map(|(partition, _)| (partition.clone(), Err(error.clone()))).collect();
        self.settle(said, &results, outbox);
    }

    /// What came of acknowledgements.
    fn settle(
        &mut self,
        said: Vec<(TopicPartition, Acknowledgements)>,
        results: &PartitionResults,
        outbox: &mut Outbox,
    ) {
        let mut told = Vec::new();
        for (partition, said) in said {
            let result = results.iter().find(|(other, _)| *other == partition).map(|(_, result)| result.clone());
            let error = result.unwrap_or_else(|| Err(disconnected())).err();
            for (offset, said) in &said {
                self.settle_one(&partition, *offset, *said, error.is_none());
            }
            let offsets: Vec<u64> = said.into_iter().map(|(offset, _)| offset).collect();
            self.note_result(&partition, &offsets, error.as_ref());
            told.push(AcknowledgementResult { partition, offsets, error });
        }
        if !told.is_empty() {
            let consumer = Rc::clone(self.name());
            self.tell(ShareEvent::AcknowledgementsReturned { consumer, results: told }, outbox);
        }
    }

    fn settle_one(&mut self, partition: &TopicPartition, offset: u64, said: AcknowledgeType, is_taken: bool) {
        let place = self.held.iter().position(|held| held.is_sent && held.is_at(partition, offset));
        let Some(place) = place else { return };
        if said == AcknowledgeType::Renew && is_taken {
            let held = &mut self.held[place];
            (held.said, held.is_sent, held.is_renewed) = (None, false, true);
            return;
        }
        self.held.remove(place);
        let kind = match said {
            AcknowledgeType::Accept => 0,
            AcknowledgeType::Release => 1,
            AcknowledgeType::Reject => 2,
            AcknowledgeType::Renew => return,
        };
        self.acknowledged_counts[kind] += u64::from(is_taken);
    }

    /// `poll` has returned, or nobody runs it any more: fetches that wait end with their time.
    pub(super) fn poll_returned(&mut self, outbox: &mut Outbox) {
        for (broker, session) in &self.sessions {
            if let Some(sent) = session.sent.as_ref().filter(|sent| sent.is_fetch) {
                let target = outbox.broker_target(*broker);
                outbox.wake(target, outbox.now(), Timer::SharePollEnded { request: sent.request });
            }
        }
    }
}

/// What a client makes of an answer that does not come.
fn disconnected() -> KafkaError {
    KafkaError::new("NETWORK_EXCEPTION", "DisconnectException", "")
}
