//! The idempotent producer of librdkafka: producer id and epoch, and what makes it take the next epoch.
//!
//! Follows `rdkafka_idempotence.c` of librdkafka 2.16.0: a producer that lost a message waits until nothing is
//! in flight (it drains) and takes the next epoch by itself; with transactions it asks the coordinator, once the
//! transaction is aborted. Deliberately not here: which errors lead there.

use super::Librdkafka;
use super::errors;
use super::transactions::ClientPhase;
use crate::error::{ErrorFlags, KafkaError};
use crate::event::{Api, EventKind};
use crate::message::{InitProducerId, Payload, ProducerIdentity};
use crate::outbox::Outbox;
use crate::queue::Target;
use crate::storage::batch::ProducerStamp;
use crate::time::{Duration, Time};
use crate::transaction::TransactionEvent;

/// Pause before a producer id is asked for again, and before the first time: no connection is up then.
const RETRY: Duration = Duration::from_millis(500);
/// librdkafka's version of InitProducerId.
const INIT_PRODUCER_ID_VERSION: u16 = 4;

/// How far the producer id is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum IdState {
    /// Nobody wants one yet.
    #[default]
    Idle,
    /// It is asked for at that time.
    AskAt(Time),
    /// A broker owes it.
    Asked { request: u64, broker: u32, deadline: Time },
    /// There is one.
    Assigned,
    /// Nothing leaves until nothing is in flight; then comes the next epoch.
    Draining,
    /// Drained inside a transaction: the abort asks for the next epoch.
    Drained,
}

/// The producer's identity.
#[derive(Clone, Debug, Default)]
pub(super) struct Identity {
    pub state: IdState,
    pub current: Option<ProducerIdentity>,
}

/// Sequences of one partition: those of message `base + n` are `n`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbering {
    pub identity: ProducerIdentity,
    /// The number of the message with sequence 0.
    pub base: u64,
    /// The number of the message that the broker should acknowledge next.
    pub next_ack: u64,
}

impl Identity {
    /// Asks in the background, when a connection is up.
    pub fn ask_soon(&mut self, now: Time) {
        self.state = IdState::AskAt(now + RETRY);
    }

    /// The identity, if messages may leave under it.
    pub fn usable(&self) -> Option<ProducerIdentity> {
        self.current.filter(|_| self.state == IdState::Assigned)
    }

    /// When something is due.
    pub fn due(&self) -> Option<Time> {
        match self.state {
            IdState::AskAt(at) => Some(at),
            IdState::Asked { deadline, .. } => Some(deadline),
            _ => None,
        }
    }
}

impl Numbering {
    /// The stamp of a batch whose first message has this number. Sequences go on at 0 after the largest.
    pub fn stamp(&self, first: u64) -> ProducerStamp {
        let ProducerIdentity { producer_id, epoch } = self.identity;
        let base_sequence = ((first - self.base) % (1 << 31)) as i32;
        ProducerStamp { producer_id, epoch, base_sequence }
    }
}

impl Librdkafka {
    /// Asks for a producer id when it is time, and ends a drain when nothing is in flight.
    pub(super) fn look_after_identity(&mut self, outbox: &mut Outbox) {
        self.end_drain(outbox);
        let Some(own) = &self.identity else { return };
        if self.fatal.is_some() || !matches!(own.state, IdState::AskAt(at) if at <= outbox.now()) {
            return;
        }
        let transactional_id = self.settings.transactional_id.clone();
        let broker = match &transactional_id {
            Some(_) => self.coordinator(outbox),
            None => self.brokers.choose(&outbox.post.brokers),
        };
        let Some(broker) = broker else { return };
        let timeout = match transactional_id {
            Some(_) => self.settings.transaction_timeout,
            None => Duration::ZERO,
        };
        let expected = self.identity.as_ref().and_then(|own| own.current);
        let payload = Payload::InitProducerId(InitProducerId {
            expected: expected.filter(|_| transactional_id.is_some()),
            transactional_id,
            timeout,
            keep_prepared: false,
            enable_two_phase_commit: false,
            sender: Target::Producer(self.number),
        });
        let version = Some(INIT_PRODUCER_ID_VERSION);
        let request = self.request(Api::InitProducerId, broker, version, payload, outbox);
        let deadline = outbox.now() + self.settings.socket_timeout;
        if let Some(own) = &mut self.identity {
            own.state = IdState::Asked { request, broker, deadline };
        }
    }

    /// A producer id arrived, or did not.
    pub fn producer_id_answer(
        &mut self,
        request: u64,
        result: &Result<ProducerIdentity, KafkaError>,
        outbox: &mut Outbox,
    ) {
        let Some(own) = &mut self.identity else { return };
        let IdState::Asked { request: asked, broker, .. } = own.state else { return };
        if asked != request {
            return;
        }
        own.state = IdState::AskAt(outbox.now() + RETRY);
        self.brokers.answered(broker);
        match result {
            Ok(identity) => self.adopt(*identity, outbox),
            Err(error) => self.id_refused(broker, error),
        }
        self.run(outbox);
    }

    fn adopt(&mut self, identity: ProducerIdentity, outbox: &mut Outbox) {
        let Some(own) = &mut self.identity else { return };
        own.state = IdState::Assigned;
        own.current = Some(identity);
        let ProducerIdentity { producer_id, epoch } = identity;
        let producer = std::rc::Rc::clone(&self.plan.name);
        outbox.emit(EventKind::Transaction(TransactionEvent::ProducerIdAssigned { producer, producer_id, epoch }));
    }

    /// `rd_kafka_idemp_check_error`.
    fn id_refused(&mut self, broker: u32, error: &KafkaError) {
        let told = errors::of_broker(error);
        let is_transactional = self.txn.is_some();
        match error.error.as_str() {
            "NOT_COORDINATOR" | "COORDINATOR_NOT_AVAILABLE" => self.forget_coordinator(),
            "PRODUCER_FENCED" | "INVALID_PRODUCER_EPOCH" if is_transactional => {
                let text = format!(
                    "Failed to acquire transactional PID from broker TxnCoordinator/{broker}: {}",
                    errors::text("_FENCED")
                );
                self.raise_fatal(errors::worded("_FENCED", text));
            }
            "INVALID_TRANSACTION_TIMEOUT"
            | "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"
            | "CLUSTER_AUTHORIZATION_FAILED"
            | "UNSUPPORTED_VERSION"
                if is_transactional =>
            {
                let text = format!(
                    "Failed to acquire transactional PID from broker TxnCoordinator/{broker}: {}",
                    told.message
                );
                self.raise_fatal(errors::worded(&told.error, text));
            }
            _ => {}
        }
    }

    /// A message is lost, so the sequences of its partition have a gap: nothing leaves until nothing is in
    /// flight, then the next epoch begins.
    pub(super) fn drain(&mut self, error: &str, text: String) {
        let Some(own) = self.identity.as_mut().filter(|own| own.state == IdState::Assigned) else { return };
        own.state = IdState::Draining;
        if self.txn.is_some() {
            self.raise_abortable(errors::worded(error, text), true);
        }
    }

    fn end_drain(&mut self, outbox: &mut Outbox) {
        let is_busy = !self.requests.is_empty();
        let Some(own) = self.identity.as_mut().filter(|own| own.state == IdState::Draining && !is_busy) else { return };
        if self.txn.is_some() {
            own.state = IdState::Drained;
            return;
        }
        let Some(current) = &mut own.current else { return };
        // rd_kafka_pid_bump: without asking a broker; after the largest epoch comes 0.
        current.epoch = (current.epoch + 1) & (i16::MAX as u16);
        own.state = IdState::Assigned;
        let ProducerIdentity { producer_id, epoch } = *current;
        let producer = std::rc::Rc::clone(&self.plan.name);
        outbox.emit(EventKind::Transaction(TransactionEvent::ProducerEpochRaised { producer, producer_id, epoch }));
    }

    /// The producer cannot go on: queued messages are given up, those in flight still get their answers.
    pub(super) fn raise_fatal(&mut self, error: KafkaError) {
        if self.fatal.is_some() {
            return;
        }
        let error = error.flagged(ErrorFlags { is_fatal: true, ..ErrorFlags::default() });
        self.fatal = Some(error.clone());
        if let Some(txn) = &mut self.txn {
            txn.phase = ClientPhase::FatalError;
            txn.error = Some(error);
        }
        self.purge_wanted = true;
    }
}
