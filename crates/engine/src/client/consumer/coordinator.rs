//! The coordinator of the consumer's group: finding it, losing it.
//!
//! Follows `AbstractCoordinator.ensureCoordinatorReady` and `markCoordinatorUnknown` of Kafka 4.3.1.

use crate::client::connections::Backoff;
use crate::client::reader::Reader;
use crate::error::KafkaError;
use crate::event::{Api, Name};
use crate::message::{CoordinatorKind, FindCoordinator, Payload};
use crate::outbox::Outbox;
use crate::queue::Target;
use crate::time::{Duration, Time};

/// Who coordinates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coordinator {
    pub broker: Option<u32>,
    /// A question on its way: its id, the broker that was asked, and when it is given up.
    asked: Option<(u64, u32, Time)>,
    /// When it was found.
    found: Time,
    not_before: Time,
    failures: u32,
}

impl Coordinator {
    /// When it has to be looked at.
    pub fn due(&self) -> Option<Time> {
        match (self.broker, self.asked) {
            (None, Some((.., deadline))) => Some(deadline),
            (None, None) => Some(self.not_before),
            _ => None,
        }
    }

    /// It is another one, or cannot be reached. One that was found only just now is not looked for at once: the
    /// brokers would name it again. (`AbstractCoordinator` sleeps for `retry.backoff.ms`; a coordinator of the consumer
    /// protocol is looked for as fast as connections are tried.)
    fn forget(&mut self, pause: Duration) -> Option<u32> {
        let broker = self.broker.take()?;
        self.not_before = self.not_before.max(self.found + pause);
        Some(broker)
    }
}

impl Reader {
    /// `group.id`.
    pub(super) fn group(&self) -> Name {
        self.plan.settings.member.group.clone().unwrap_or_default()
    }

    /// The coordinator, if it is known and can be reached; else it is looked for.
    pub(super) fn coordinator(&mut self, outbox: &mut Outbox) -> Option<u32> {
        match self.inner().coordinator.broker {
            Some(broker) if self.connections.may_send(broker, outbox.now()) => Some(broker),
            Some(_) => {
                self.coordinator_unknown(outbox);
                None
            }
            None => {
                self.find_coordinator(outbox);
                None
            }
        }
    }

    /// The pause before a request is sent again, give or take 20 %.
    pub(super) fn retry_pause(&mut self, failures: u32) -> Duration {
        let (first, longest) = self.plan.settings.member.retry_backoff;
        Backoff { first, longest }.pause(failures, &mut self.jitter)
    }

    fn find_coordinator(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let coordinator = &self.inner().coordinator;
        if coordinator.asked.is_some() || coordinator.not_before > now {
            return;
        }
        let Some(broker) = self.connections.choose(&outbox.post.brokers, now) else { return };
        let (kind, key, sender) = (CoordinatorKind::Group, self.group(), Target::Consumer(self.number));
        let payload = Payload::FindCoordinator(FindCoordinator { kind, key, sender });
        let request = self.send(Api::FindCoordinator, broker, payload, true, outbox);
        let deadline = now + self.plan.settings.member.request_timeout;
        self.inner_mut().coordinator.asked = Some((request, broker, deadline));
    }

    /// The answer of the broker that was asked.
    pub(super) fn coordinator_found(&mut self, request: u64, result: &Result<u32, KafkaError>, outbox: &mut Outbox) {
        let is_ours = |asked: &mut (u64, u32, Time)| asked.0 == request;
        let Some((_, broker, _)) = self.inner_mut().coordinator.asked.take_if(is_ours) else { return };
        self.connections.answered(broker);
        match result {
            Ok(found) => {
                let coordinator = &mut self.inner_mut().coordinator;
                coordinator.broker = Some(*found);
                coordinator.found = outbox.now();
                coordinator.failures = 0;
                self.membership_found_coordinator(outbox.now());
            }
            Err(error) if is_fatal(error) => self.inner_mut().failures.push_back(error.clone()),
            Err(_) => {
                let failures = self.inner().coordinator.failures;
                let not_before = outbox.now() + self.retry_pause(failures);
                let coordinator = &mut self.inner_mut().coordinator;
                coordinator.failures += 1;
                coordinator.not_before = not_before;
            }
        }
    }

    /// The coordinator is another one, or cannot be reached: what it owes is not waited for.
    pub(super) fn coordinator_unknown(&mut self, outbox: &mut Outbox) {
        let (pause, _) = self.plan.settings.member.retry_backoff;
        if let Some(broker) = self.inner_mut().coordinator.forget(pause) {
            self.coordinator_requests_lost(broker, outbox);
        }
    }

    /// The connection to a broker broke.
    pub(crate) fn coordinator_disconnected(&mut self, broker: u32, outbox: &mut Outbox) {
        let (pause, _) = self.plan.settings.member.retry_backoff;
        let coordinator = &mut self.inner_mut().coordinator;
        coordinator.asked.take_if(|asked| asked.1 == broker);
        if coordinator.broker == Some(broker) {
            coordinator.forget(pause);
        }
        self.coordinator_requests_lost(broker, outbox);
    }

    fn coordinator_requests_lost(&mut self, broker: u32, outbox: &mut Outbox) {
        self.inner_mut().lookup.take_if(|lookup| lookup.request.is_some() && lookup.broker == broker);
        self.commits_lost(broker);
        self.membership_lost_coordinator(broker, outbox);
    }

    /// A broker that owes an answer for too long counts as lost.
    pub(super) fn expire_coordinator(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let consumer = self.inner();
        let asked = consumer.coordinator.asked.filter(|asked| asked.2 <= now).map(|asked| asked.1);
        let is_late = |lookup: &&super::Lookup| lookup.request.is_some() && lookup.deadline <= now;
        let lookup = consumer.lookup.as_ref().filter(is_late).map(|lookup| lookup.broker);
        let commit = consumer.commits.late(now);
        for broker in [asked, lookup, commit].into_iter().flatten() {
            if self.connections.is_open(broker) {
                self.lose_connection(broker, outbox);
            }
        }
    }
}

fn is_fatal(error: &KafkaError) -> bool {
    matches!(error.error.as_str(), "GROUP_AUTHORIZATION_FAILED" | "INVALID_GROUP_ID")
}
