//! Where a protocol plugs in: every question that the consumer has for its membership.
//!
//! One arm for each protocol; a reader that names no group, and one whose partitions are assigned by hand, has no
//! membership, but a consumer with a `group.id` commits also then.

use super::classic::Classic;
use super::commits::Failure;
use super::network::Network;
use crate::client::consumer_call::Membership as Operation;
use crate::client::reader::Reader;
use crate::error::KafkaError;
use crate::event::{Name, TopicPartition};
use crate::group::{Callback, ClientMemberState, GroupEvent, GroupType};
use crate::message::Payload;
use crate::outbox::Outbox;
use crate::scenario::ConsumerPlan;
use crate::time::Time;

/// The protocol in use.
#[derive(Clone, Debug)]
pub(crate) enum Membership {
    /// No `group.id`.
    None,
    Classic(Box<Classic>),
    Consumer(Box<Network>),
}

/// Who commits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Identity {
    /// Generation or member epoch; -1 without membership.
    pub generation: i32,
    /// Empty without membership.
    pub member: Name,
    pub instance: Option<Name>,
}

impl Identity {
    /// A consumer whose partitions are assigned by hand.
    pub fn none() -> Identity {
        Identity { generation: -1, member: "".into(), instance: None }
    }
}

impl Membership {
    /// A membership that has not begun.
    pub fn new(plan: &ConsumerPlan, instance: u32) -> Membership {
        let member = &plan.settings.member;
        match (&member.group, member.protocol) {
            (Some(_), GroupType::Classic) => {
                Membership::Classic(Box::new(Classic::new(member.library, &member.assignors)))
            }
            (Some(_), GroupType::Consumer) => Membership::Consumer(Box::new(Network::new(plan, instance))),
            _ => Membership::None,
        }
    }
}

impl Reader {
    /// Whether partitions come from a subscription (`hasAutoAssignedPartitions`).
    pub(super) fn is_auto_assigned(&self) -> bool {
        self.inner().subscription.is_some()
    }

    /// The membership's own thread looks at the clock: heartbeats, timeouts.
    pub(super) fn wake_membership(&mut self, outbox: &mut Outbox) {
        match self.inner().membership {
            Membership::Classic(_) => self.wake_classic(outbox),
            Membership::Consumer(_) => self.wake_network(outbox),
            Membership::None => {}
        }
    }

    /// When it has to look again.
    pub(super) fn membership_due(&self, now: Time) -> Option<Time> {
        match &self.inner().membership {
            Membership::Classic(_) => self.classic_due(now),
            Membership::Consumer(network) => network.due(now),
            Membership::None => None,
        }
    }

    /// Whether its thread looks at the network while the user thread does not.
    pub(super) fn membership_polls_network(&self) -> bool {
        match &self.inner().membership {
            Membership::Classic(classic) => classic.polls_network() || self.is_librdkafka(),
            Membership::Consumer(_) => true,
            Membership::None => false,
        }
    }

    /// Its part of `poll`. True if positions may be looked for; false while it waits. An error is thrown out of
    /// `poll`.
    pub(super) fn poll_membership(&mut self, outbox: &mut Outbox) -> Result<bool, KafkaError> {
        match self.inner().membership {
            // The main thread of librdkafka joins by itself.
            Membership::Classic(_) if self.is_librdkafka() => {
                self.serve_classic(outbox);
                Ok(true)
            }
            Membership::Classic(_) => self.poll_classic(outbox),
            Membership::Consumer(_) => {
                self.poll_network(outbox);
                Ok(true)
            }
            Membership::None => Ok(true),
        }
    }

    /// A callback that it asked for is about to run.
    pub(super) fn calls_back(&mut self, outbox: &mut Outbox) {
        if let Membership::Consumer(_) = self.inner().membership {
            self.network_calls(outbox);
        }
    }

    /// A callback that it asked for has returned.
    pub(super) fn called_back(&mut self, callback: Callback, partitions: &[TopicPartition], outbox: &mut Outbox) {
        // The classic protocol goes on by itself once all callbacks have returned.
        let _ = (callback, partitions);
        match self.inner().membership {
            Membership::Consumer(_) => self.network_called_back(outbox),
            Membership::Classic(_) if self.is_librdkafka() => self.serve_classic(outbox),
            _ => {}
        }
    }

    /// The application subscribes to something else. The classic protocol looks at the subscription in `poll`.
    pub(super) fn membership_subscribed(&mut self) {
        if let Membership::Consumer(_) = self.inner().membership {
            self.network_subscribed();
        }
    }

    /// An answer that belongs to the membership.
    pub(super) fn membership_answer(&mut self, answer: &Payload, outbox: &mut Outbox) {
        match self.inner().membership {
            Membership::Classic(_) => self.classic_answer(answer, outbox),
            Membership::Consumer(_) => self.network_answer(answer, outbox),
            Membership::None => {}
        }
    }

    /// The coordinator was found.
    pub(super) fn membership_found_coordinator(&mut self, now: Time) {
        match self.inner().membership {
            Membership::Classic(_) => self.classic_found_coordinator(now),
            Membership::Consumer(_) | Membership::None => {}
        }
    }

    /// The connection to a broker broke, or it does not coordinate any more: it owes nothing.
    pub(super) fn membership_lost_coordinator(&mut self, broker: u32, outbox: &mut Outbox) {
        match self.inner().membership {
            Membership::Classic(_) => self.classic_lost_coordinator(broker, outbox),
            Membership::Consumer(_) => self.network_lost_coordinator(broker, outbox),
            Membership::None => {}
        }
    }

    /// No broker can be asked, so the metadata are those of `bootstrap.servers` again (KIP-899): no topics.
    pub(in crate::client) fn membership_rebootstrapped(&mut self) {
        match self.inner().membership {
            Membership::Classic(_) => self.classic_rebootstrapped(),
            // The coordinator watches the topics.
            Membership::Consumer(_) | Membership::None => {}
        }
    }

    /// `enforceRebalance`.
    pub(super) fn enforce_rebalance(&mut self) {
        match self.inner().membership {
            Membership::Classic(_) => self.request_rejoin("rebalance enforced by user"),
            // The coordinator decides; the call does nothing.
            Membership::Consumer(_) | Membership::None => {}
        }
    }

    /// The consumer is being closed: its own thread ends.
    pub(super) fn stop_membership_thread(&mut self) {
        match self.inner().membership {
            Membership::Classic(_) => self.stop_heartbeats(),
            Membership::Consumer(_) | Membership::None => {}
        }
    }

    /// Callbacks that `poll` would have run are not run by `close`, which has its own.
    pub(super) fn forget_callbacks(&mut self) {
        if let Membership::Consumer(network) = &mut self.inner_mut().membership {
            network.forget_callbacks();
            self.inner_mut().thread.callbacks.clear();
        }
    }

    /// It asks for the callbacks before it leaves.
    pub(super) fn prepare_leave(&mut self, is_close: bool, outbox: &mut Outbox) {
        match self.inner().membership {
            Membership::Classic(_) => self.prepare_classic_leave(),
            Membership::Consumer(_) => self.prepare_network_leave(is_close, outbox),
            Membership::None => {}
        }
    }

    /// It leaves; the callbacks have returned.
    pub(super) fn leave(&mut self, operation: Operation, is_close: bool, outbox: &mut Outbox) {
        match self.inner().membership {
            Membership::Classic(_) => {
                let reason =
                    if is_close { "the consumer is being closed" } else { "the consumer unsubscribed from all topics" };
                self.leave_classic(operation, reason, outbox);
            }
            Membership::Consumer(_) => self.leave_network(operation, is_close, outbox),
            Membership::None => {}
        }
    }

    /// Whether `close` or `unsubscribe` need not wait any longer.
    pub(super) fn has_left(&self, is_close: bool) -> bool {
        match &self.inner().membership {
            Membership::Classic(classic) => !is_close || classic.has_left(),
            Membership::Consumer(network) => !network.member().is_leaving(),
            Membership::None => true,
        }
    }

    /// In whose name offsets are committed, or why that is not possible.
    pub(super) fn commit_identity(&self) -> Result<Identity, Failure> {
        match &self.inner().membership {
            Membership::Classic(classic) if self.is_auto_assigned() => {
                classic.commit_identity(self.plan.settings.member.instance.clone())
            }
            Membership::Consumer(network) => Ok(network.identity(self.plan.settings.member.instance.clone())),
            _ => Ok(Identity::none()),
        }
    }

    /// What an error in the answer to a commit means.
    pub(super) fn commit_failed(
        &mut self,
        error: &KafkaError,
        partition: &TopicPartition,
        identity: &Identity,
        outbox: &mut Outbox,
    ) -> Failure {
        match self.inner().membership {
            _ if self.is_librdkafka() => self.library_commit_failed(error, outbox),
            Membership::Classic(_) => self.classic_commit_failed(error, partition, identity, outbox),
            Membership::Consumer(_) => self.network_commit_failed(error, outbox),
            Membership::None => Failure { error: error.clone(), is_retriable: false },
        }
    }

    /// What OffsetFetch says of the member: only the consumer protocol says something.
    pub(super) fn offset_fetch_identity(&self) -> Option<(Name, i32)> {
        match &self.inner().membership {
            Membership::Consumer(network) => {
                let member = network.member();
                Some((Name::clone(member.id()), member.epoch()?))
            }
            _ => None,
        }
    }

    /// `groupMetadata().generationId()`.
    pub(super) fn told_generation(&self) -> i32 {
        match &self.inner().membership {
            Membership::Classic(classic) => classic.told_generation(),
            Membership::Consumer(network) => network.member().generation(),
            Membership::None => -1,
        }
    }

    /// The state to show.
    pub(super) fn member_state(&self) -> ClientMemberState {
        match &self.inner().membership {
            Membership::Classic(classic) if self.is_auto_assigned() => classic.shown_state(),
            Membership::Consumer(network) => network.member().state(),
            _ => ClientMemberState::Unsubscribed,
        }
    }

    /// Tells of a new state, once.
    pub(super) fn tell_state(&mut self, outbox: &mut Outbox) {
        let state = self.member_state();
        let before = std::mem::replace(&mut self.inner_mut().told_state, state);
        if before != state {
            self.tell(GroupEvent::ClientMemberStateChanged { consumer: self.name(), before, state }, outbox);
        }
    }
}
