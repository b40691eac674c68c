//! Groups of the classic protocol: what their coordinator knows, and the small questions about it.
//!
//! Follows `ClassicGroup` of Kafka 4.3.1. Joining is in `joining.rs`, the rebalance itself in `rebalance.rs`, and the
//! other requests in `requests.rs`. Groups that have only offsets are of this kind too, without a protocol type.

mod converting;
mod joining;
mod member;
mod rebalance;
mod requests;
mod stored;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::rc::Rc;

use assignor::java::hash_map_order;

use super::effects::{Effects, GroupContext};
use crate::error::KafkaError;
use crate::event::{Name, TopicPartition};
use crate::group::{GroupEvent, GroupState, GroupType};
use crate::message::group::Subscription;
use crate::time::{Duration, Time};

pub(super) use joining::join;
use member::Member;
pub(super) use requests::{expire, heartbeat, leave, sync};
pub(super) use stored::HOST;

/// The protocol type of consumers.
pub(super) const CONSUMER: &str = "consumer";
/// `CLASSIC_GROUP_NEW_MEMBER_JOIN_TIMEOUT_MS`: how long a new member's JoinGroup may wait.
const NEW_MEMBER_TIMEOUT: Duration = Duration::from_secs(300);

/// A group.
#[derive(Clone, Debug)]
pub(crate) struct ClassicGroup {
    pub name: Name,
    pub state: GroupState,
    previous: GroupState,
    /// When it came into its state.
    since: Time,
    /// Such as `consumer`; none before the first member.
    pub protocol_type: Option<Name>,
    pub generation: i32,
    /// The assignor in use.
    pub protocol: Option<Name>,
    pub leader: Option<Name>,
    /// In the order in which they came.
    members: Vec<Rc<Member>>,
    /// Ids that were given away and not used yet, each with the end of its time.
    pending: Vec<(Name, Time)>,
    /// Members of this generation that have not asked for their assignment yet.
    unsynced: Vec<Name>,
    /// A member came while the initial rebalance waited.
    has_newcomer: bool,
    /// The end of the time for joining.
    join: Option<JoinTimer>,
    /// The end of the time for SyncGroup.
    sync_due: Option<Time>,
    /// Topics of all members, while it is known that they are consumers.
    subscribed: Option<BTreeSet<Name>>,
}

/// A timer that ends the phase of joining.
#[derive(Clone, Copy, Debug)]
struct JoinTimer {
    due: Time,
    /// For the first rebalance of an empty group: how much longer it may be put off.
    remaining: Option<Duration>,
}

impl ClassicGroup {
    /// A group without members.
    fn empty(name: Name, now: Time) -> ClassicGroup {
        ClassicGroup {
            name,
            state: GroupState::Empty,
            previous: GroupState::Empty,
            since: now,
            protocol_type: None,
            generation: 0,
            protocol: None,
            leader: None,
            members: Vec::new(),
            pending: Vec::new(),
            unsynced: Vec::new(),
            has_newcomer: false,
            join: None,
            sync_due: None,
            subscribed: None,
        }
    }

    /// A group that has only offsets.
    pub fn simple(name: Name, now: Time) -> ClassicGroup {
        ClassicGroup::empty(name, now)
    }

    /// Whether nobody has ever joined it.
    pub fn is_simple(&self) -> bool {
        self.protocol_type.is_none() && self.generation == 0 && self.members.is_empty()
    }

    /// When its next timer is due.
    pub fn next_due(&self) -> Option<Time> {
        let sessions = self.members.iter().filter_map(|member| member.session_ends);
        let pending = self.pending.iter().map(|(_, ends)| *ends);
        let phases = self.join.map(|timer| timer.due).into_iter().chain(self.sync_due);
        sessions.chain(pending).chain(phases).min()
    }

    /// Whether its members are consumers.
    fn has_consumers(&self) -> bool {
        self.protocol_type.as_deref() == Some(CONSUMER)
    }

    /// Whether a member subscribes to a topic.
    pub fn is_subscribed_to(&self, topic: &str) -> bool {
        self.has_consumers() && self.subscribed.as_ref().is_some_and(|topics| topics.contains(topic))
    }

    /// `offsetExpirationCondition`: from when the retention of an offset counts; none while it may not expire.
    pub fn expiry_base(&self, partition: &TopicPartition, committed: Time) -> Option<Time> {
        match (&self.protocol_type, self.state) {
            (None, _) => Some(committed),
            (Some(_), GroupState::Empty) => Some(self.since),
            (Some(_), GroupState::Stable) if self.has_consumers() && self.subscribed.is_some() => {
                Some(committed).filter(|_| !self.is_subscribed_to(&partition.topic))
            }
            _ => None,
        }
    }

    /// `validateOffsetCommit`.
    pub fn check_commit(
        &self,
        member: &str,
        instance: Option<&Name>,
        generation: i32,
        is_transactional: bool,
    ) -> Result<(), KafkaError> {
        if generation < 0 && self.state == GroupState::Empty {
            return Ok(());
        }
        if generation >= 0 || !member.is_empty() || instance.is_some() {
            self.check_member(member, instance)?;
            if generation != self.generation {
                return Err(KafkaError::protocol("ILLEGAL_GENERATION"));
            }
        } else if !is_transactional && self.state != GroupState::Empty {
            return Err(KafkaError::protocol("UNKNOWN_MEMBER_ID"));
        }
        if !is_transactional && self.state == GroupState::CompletingRebalance {
            return Err(KafkaError::protocol("REBALANCE_IN_PROGRESS"));
        }
        Ok(())
    }

    /// Offsets were committed: that keeps the session alive, except while assignments are awaited.
    pub fn committed(&mut self, member: &str, now: Time) {
        if matches!(self.state, GroupState::Stable | GroupState::PreparingRebalance) {
            self.keep_alive(member, now);
        }
    }

    /// `validateOffsetDelete`.
    pub fn check_offset_delete(&self) -> Result<(), KafkaError> {
        match self.state {
            GroupState::Empty => Ok(()),
            _ if self.has_consumers() => Ok(()),
            _ => Err(KafkaError::protocol("NON_EMPTY_GROUP")),
        }
    }

    /// `validateMember`.
    fn check_member(&self, member: &str, instance: Option<&Name>) -> Result<(), KafkaError> {
        if let Some(instance) = instance {
            match self.static_member(instance) {
                None => return Err(KafkaError::protocol("UNKNOWN_MEMBER_ID")),
                Some(known) if *known.id != *member => return Err(KafkaError::protocol("FENCED_INSTANCE_ID")),
                Some(_) => {}
            }
        }
        self.member(member).map(|_| ()).ok_or_else(|| KafkaError::protocol("UNKNOWN_MEMBER_ID"))
    }

    fn member(&self, id: &str) -> Option<&Rc<Member>> {
        self.members.iter().find(|member| *member.id == *id)
    }

    fn member_mut(&mut self, id: &str) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| *member.id == *id).map(Rc::make_mut)
    }

    fn static_member(&self, instance: &str) -> Option<&Rc<Member>> {
        self.members.iter().find(|member| member.instance.as_deref() == Some(instance))
    }

    fn is_pending(&self, id: &str) -> bool {
        self.pending.iter().any(|(other, _)| **other == *id)
    }

    fn is_leader(&self, id: &str) -> bool {
        self.leader.as_deref() == Some(id)
    }

    /// The members in the order in which Java walks through the map that they are in.
    fn in_map_order(&self) -> Vec<&Rc<Member>> {
        let ids: Vec<&str> = self.members.iter().map(|member| &*member.id).collect();
        hash_map_order(&ids).into_iter().map(|index| &self.members[index as usize]).collect()
    }

    /// The largest rebalance timeout of the members.
    fn rebalance_timeout(&self) -> Duration {
        self.members.iter().map(|member| member.rebalance_timeout).max().unwrap_or(Duration::ZERO)
    }

    /// The member is alive: its session begins anew.
    fn keep_alive(&mut self, id: &str, now: Time) {
        if let Some(member) = self.member_mut(id) {
            member.session_ends = Some(now + member.session_timeout);
        }
    }

    /// Protocols that all members support.
    fn candidates(&self) -> BTreeSet<&Name> {
        let Some((first, others)) = self.members.split_first() else { return BTreeSet::new() };
        let is_shared = |name: &&Name| others.iter().all(|member| member.supports(name));
        first.protocols.iter().map(|(name, _)| name).filter(is_shared).collect()
    }

    /// `supportsProtocols`: whether a member with these protocols fits in.
    fn fits(&self, protocol_type: &str, protocols: &[(Name, Rc<Subscription>)]) -> bool {
        if self.state == GroupState::Empty {
            return !protocol_type.is_empty() && !protocols.is_empty();
        }
        let candidates = self.candidates();
        let is_same_type = self.protocol_type.as_deref() == Some(protocol_type);
        is_same_type && protocols.iter().any(|(name, _)| candidates.contains(name))
    }

    /// `selectProtocol`: each member votes for the first of its protocols that all support. With as many votes for
    /// two, the one that comes first in Java's map wins.
    fn select_protocol(&self) -> Option<Name> {
        let candidates = self.candidates();
        let mut votes: Vec<(&Name, u32)> = Vec::new();
        for member in self.in_map_order() {
            let vote = member.protocols.iter().map(|(name, _)| name).find(|name| candidates.contains(name))?;
            match votes.iter_mut().find(|(name, _)| *name == vote) {
                Some((_, count)) => *count += 1,
                None => votes.push((vote, 1)),
            }
        }
        let names: Vec<&str> = votes.iter().map(|(name, _)| &***name).collect();
        let in_order = hash_map_order(&names).into_iter().map(|index| votes[index as usize]);
        let most = in_order.fold(None::<(&Name, u32)>, |best, next| match best {
            Some(best) if best.1 >= next.1 => Some(best),
            _ => Some(next),
        });
        most.map(|(name, _)| Rc::clone(name))
    }

    /// `computeSubscribedTopics`.
    fn subscribed_topics(&self) -> Option<BTreeSet<Name>> {
        if self.members.is_empty() {
            return Some(BTreeSet::new());
        }
        let protocol = self.protocol.as_ref().filter(|_| self.has_consumers())?;
        let told = self.members.iter().filter_map(|member| member.subscription(protocol));
        Some(told.flat_map(|told| told.topics.iter().map(Rc::clone)).collect())
    }

    /// Goes into another state.
    fn transition(&mut self, state: GroupState, context: &GroupContext, effects: &mut Effects) {
        let before = std::mem::replace(&mut self.state, state);
        self.previous = before;
        self.since = context.now;
        effects.events.push(GroupEvent::GroupStateChanged {
            broker: context.broker,
            group: Rc::clone(&self.name),
            group_type: GroupType::Classic,
            before: Some(before),
            state,
            epoch: self.generation,
        });
    }
}
