//! The requests of a transactional producer: which comes next, where it goes, and when it is sent again.
//!
//! Follows `TransactionManager.nextRequest` and `Sender.maybeSendAndPollTransactionalRequest` of Kafka 4.3.1:
//! one request at a time, and no batch leaves meanwhile. Answers are handled in `answers.rs`.

use std::collections::VecDeque;
use std::rc::Rc;

use super::Transactions;
use crate::client::producer::Producer;
use crate::client::producer::calls::OffsetsToSend;
use crate::event::{Api, Name, NodeId, TopicPartition};
use crate::message::{
    AddOffsetsToTxn, AddPartitionsToTxn, CoordinatorKind, EndTxn, FindCoordinator, InitProducerId, Payload,
    ProducerIdentity, TxnOffsetCommit,
};
use crate::outbox::{Outbox, Parcel};
use crate::queue::Target;
use crate::time::{Duration, Time};
use crate::transaction::{ClientState, MarkerKind};

/// `ADD_PARTITIONS_RETRY_BACKOFF_MS`: before the first partition of a transaction is added once more, while
/// the one before is being completed.
const FIRST_PARTITIONS_BACKOFF: Duration = Duration::from_millis(20);

/// What is asked for.
#[derive(Clone, Debug)]
pub(super) enum Ask {
    FindCoordinator {
        kind: CoordinatorKind,
        key: Name,
    },
    /// With the present identity if the epoch is to be raised.
    InitProducerId {
        expected: Option<ProducerIdentity>,
    },
    AddPartitions {
        partitions: Vec<TopicPartition>,
        identity: ProducerIdentity,
    },
    AddOffsets {
        offsets: OffsetsToSend,
        identity: ProducerIdentity,
    },
    /// The offsets that are not acknowledged yet.
    CommitOffsets {
        offsets: OffsetsToSend,
        identity: ProducerIdentity,
    },
    EndTxn {
        end: MarkerKind,
        identity: ProducerIdentity,
        is_v2: bool,
    },
}

/// Which call of the application waits for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waiter {
    Transition,
    Offsets,
}

/// A request of the queue.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub ask: Ask,
    pub waiter: Option<Waiter>,
    /// It was sent before, so it waits a moment.
    pub is_retry: bool,
    /// It waits for a shorter moment than `retry.backoff.ms`.
    pub is_hasty: bool,
}

/// A request on its way.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub id: u64,
    pub broker: u32,
    pub deadline: Time,
    pub request: Request,
}

/// Everything that is asked for or about to be.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    /// By priority, then in order.
    queue: VecDeque<Request>,
    /// A request that is sent again once its pause is over. The sender sleeps until then.
    asleep: Option<(Time, Request)>,
    pub sent: Option<Sent>,
    pub transaction_coordinator: Option<u32>,
    pub group_coordinator: Option<u32>,
}

impl Request {
    pub fn new(ask: Ask, waiter: Option<Waiter>) -> Request {
        Request { ask, waiter, is_retry: false, is_hasty: false }
    }

    /// Epoch bumps come after the end of the transaction that they belong to.
    fn priority(&self) -> u8 {
        match self.ask {
            Ask::FindCoordinator { .. } => 0,
            Ask::InitProducerId { expected: None } => 1,
            Ask::AddPartitions { .. } | Ask::AddOffsets { .. } | Ask::CommitOffsets { .. } => 2,
            Ask::EndTxn { .. } => 3,
            Ask::InitProducerId { expected: Some(_) } => 4,
        }
    }

    /// Who has to be asked; any broker can tell who coordinates.
    pub fn coordinator(&self, transactional_id: &Name) -> Option<(CoordinatorKind, Name)> {
        match &self.ask {
            Ask::FindCoordinator { .. } => None,
            Ask::CommitOffsets { offsets, .. } => Some((CoordinatorKind::Group, Rc::clone(&offsets.group))),
            _ => Some((CoordinatorKind::Transaction, Rc::clone(transactional_id))),
        }
    }

    fn is_end(&self) -> bool {
        matches!(self.ask, Ask::EndTxn { .. })
    }
}

impl Requests {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.asleep.is_none() && self.sent.is_none()
    }

    /// Whether something waits until the request on its way is answered.
    pub fn has_more(&self) -> bool {
        !self.queue.is_empty() || self.asleep.is_some()
    }

    /// Puts a request behind those that are as urgent.
    pub fn add(&mut self, request: Request) {
        let place = self.queue.iter().take_while(|other| other.priority() <= request.priority()).count();
        self.queue.insert(place, request);
    }

    /// `reenqueue`.
    pub fn again(&mut self, request: Request) {
        self.add(Request { is_retry: true, ..request });
    }

    /// `lookupCoordinator`.
    pub fn look_up(&mut self, kind: CoordinatorKind, key: Name) {
        match kind {
            CoordinatorKind::Transaction => self.transaction_coordinator = None,
            CoordinatorKind::Group => self.group_coordinator = None,
        }
        self.add(Request::new(Ask::FindCoordinator { kind, key }, None));
    }

    /// When the sender wakes up, or gives up on an answer.
    pub fn due(&self) -> Option<Time> {
        let wakes = self.asleep.as_ref().map(|(until, _)| *until);
        wakes.into_iter().chain(self.sent.as_ref().map(|sent| sent.deadline)).min()
    }

    /// Everything that was asked for, given up.
    pub fn abandon(&mut self) {
        self.queue.clear();
        self.asleep = None;
    }
}

impl Transactions {
    /// Tells the coordinator of the partitions that were written to (transaction version 1).
    pub(super) fn add_new_partitions(&mut self, identity: ProducerIdentity) {
        if self.new_partitions.is_empty() {
            return;
        }
        self.pending_partitions.append(&mut self.new_partitions);
        let partitions = self
            .pending_partitions
            .iter()
            .map(|(topic, partition)| TopicPartition { topic: Rc::clone(topic), partition: *partition });
        let ask = Ask::AddPartitions { partitions: partitions.collect(), identity };
        self.requests.add(Request::new(ask, None));
    }

    /// `nextRequest`, without a word about what is not sent at all.
    fn next_request(&mut self, has_incomplete_batches: bool, outbox: &mut Outbox) -> Option<Request> {
        loop {
            if self.requests.queue.front()?.is_end() && has_incomplete_batches {
                return None;
            }
            let request = self.requests.queue.pop_front()?;
            if self.has_error() {
                let is_harmless =
                    matches!(request.ask, Ask::FindCoordinator { .. }) && self.state == ClientState::AbortableError;
                if !is_harmless {
                    let error = self.error.clone();
                    self.settle(request.waiter, error.map_or(Ok(()), Err));
                    continue;
                }
            }
            if request.is_end() && !self.is_started {
                self.settle(request.waiter, Ok(()));
                self.complete(outbox);
                continue;
            }
            return Some(request);
        }
    }

    /// The call that waits gets its result.
    pub(super) fn settle(&mut self, waiter: Option<Waiter>, result: Result<(), crate::error::KafkaError>) {
        let awaited = match waiter {
            Some(Waiter::Transition) => &mut self.transition,
            Some(Waiter::Offsets) => &mut self.offsets,
            None => return,
        };
        if let Some(awaited) = awaited {
            awaited.outcome = Some(result);
        }
    }
}

impl Producer {
    /// When there is something to do for the transaction.
    pub(in crate::client::producer) fn transactions_due(&self) -> Option<Time> {
        let own = self.transactions.as_ref()?;
        if own.requests.is_empty() {
            return None;
        }
        own.requests.due().or_else(|| self.connections.next_attempt(self.ran_at))
    }

    /// The broker whose answer about the transaction does not come.
    pub(in crate::client::producer) fn late_coordinator(&self, now: Time) -> Option<u32> {
        let sent = self.transactions.as_ref()?.requests.sent.as_ref()?;
        (sent.deadline <= now).then_some(sent.broker)
    }

    /// Sends what comes next. Tells whether the sender is busy with it: then no batch leaves.
    pub(in crate::client::producer) fn drive_transactions(&mut self, outbox: &mut Outbox) -> bool {
        self.settle_sequences(outbox);
        loop {
            if self.abort_what_cannot_go(outbox) {
                return true;
            }
            let has_incomplete_batches = self.has_incomplete_batches();
            let identity = self.identity();
            let Some(own) = &mut self.transactions else { return false };
            if own.requests.sent.is_some() {
                return true;
            }
            let request = match own.requests.asleep.take() {
                Some((until, request)) if until > outbox.now() => {
                    own.requests.asleep = Some((until, request));
                    return true;
                }
                Some((_, request)) => request,
                None => {
                    if let Some(identity) = identity {
                        own.add_new_partitions(identity);
                    }
                    match own.next_request(has_incomplete_batches, outbox) {
                        Some(request) if request.is_retry => {
                            self.sleep(request, outbox);
                            return true;
                        }
                        Some(request) => request,
                        None => return false,
                    }
                }
            };
            if !self.dispatch(request, outbox) {
                return true;
            }
        }
    }

    /// `time.sleep` before a request is sent again.
    fn sleep(&mut self, request: Request, outbox: &mut Outbox) {
        let backoff = self.plan.settings.backoff;
        let pause = if request.is_hasty { backoff.min(FIRST_PARTITIONS_BACKOFF) } else { backoff };
        if let Some(own) = &mut self.transactions {
            own.requests.asleep = Some((outbox.now() + pause, request));
        }
    }

    /// Sends a request to its coordinator, or asks first who that is. False: no broker can be asked now.
    ///
    /// Simplified: a request whose coordinator was not known leaves as soon as it is; Kafka's client waits
    /// `retry.backoff.ms` first, as before every second try.
    fn dispatch(&mut self, request: Request, outbox: &mut Outbox) -> bool {
        let now = outbox.now();
        let Some(own) = &mut self.transactions else { return false };
        let broker = match request.coordinator(&own.id) {
            Some((kind, key)) => {
                let known = match kind {
                    CoordinatorKind::Transaction => own.requests.transaction_coordinator,
                    CoordinatorKind::Group => own.requests.group_coordinator,
                };
                let Some(broker) = known.filter(|broker| self.connections.may_send(*broker, now)) else {
                    own.requests.look_up(kind, key);
                    let is_retry = known.is_some();
                    own.requests.add(Request { is_retry, ..request });
                    return true;
                };
                own.has_met_coordinator |= kind == CoordinatorKind::Transaction;
                broker
            }
            None => match self.connections.choose(&outbox.post.brokers, now) {
                Some(broker) => broker,
                None => {
                    own.requests.add(request);
                    return false;
                }
            },
        };
        let (api, payload) = self.payload(&request.ask);
        let (to, target) = (NodeId::Broker { id: broker }, outbox.broker_target(broker));
        let id = outbox.send(Parcel::request(api, self.node(), to, target, payload, true));
        self.connections.sent(broker);
        let deadline = now + self.plan.settings.answer_timeout;
        if let Some(own) = &mut self.transactions {
            own.requests.sent = Some(Sent { id, broker, deadline, request: Request { is_retry: false, ..request } });
        }
        true
    }

    fn payload(&self, ask: &Ask) -> (Api, Payload) {
        let sender = Target::Producer(self.number);
        let id = self.transactions.as_ref().map(|own| Rc::clone(&own.id)).unwrap_or_default();
        let is_v2 = self.transactions.as_ref().is_some_and(|own| own.is_v2);
        let transactional_id = Rc::clone(&id);
        match ask.clone() {
            Ask::FindCoordinator { kind, key } => {
                (Api::FindCoordinator, Payload::FindCoordinator(FindCoordinator { kind, key, sender }))
            }
            Ask::InitProducerId { expected } => {
                let asked = InitProducerId {
                    transactional_id: Some(id),
                    timeout: self.plan.settings.transaction_timeout,
                    expected,
                    keep_prepared: false,
                    enable_two_phase_commit: self.plan.settings.is_two_phase,
                    sender,
                };
                (Api::InitProducerId, Payload::InitProducerId(asked))
            }
            Ask::AddPartitions { partitions, identity } => {
                let is_verify_only = false;
                let version = 3;
                let asked =
                    AddPartitionsToTxn { transactional_id, identity, partitions, is_verify_only, version, sender };
                (Api::AddPartitionsToTxn, Payload::AddPartitionsToTxn(asked))
            }
            Ask::AddOffsets { offsets, identity } => {
                let asked = AddOffsetsToTxn { transactional_id, identity, group: offsets.group, sender };
                (Api::AddOffsetsToTxn, Payload::AddOffsetsToTxn(asked))
            }
            Ask::CommitOffsets { offsets: OffsetsToSend { group, offsets, member }, identity } => {
                let version = if is_v2 { 5 } else { 4 };
                let asked = TxnOffsetCommit { transactional_id, identity, group, member, offsets, version, sender };
                (Api::TxnOffsetCommit, Payload::TxnOffsetCommit(asked))
            }
            Ask::EndTxn { end, identity, is_v2 } => {
                let version = if is_v2 { 5 } else { 4 };
                (Api::EndTxn, Payload::EndTxn(EndTxn { transactional_id, identity, end, version, sender }))
            }
        }
    }
}
