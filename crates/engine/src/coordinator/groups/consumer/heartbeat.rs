//! ConsumerGroupHeartbeat: a member joins, tells what changed, and is told what it shall own.
//!
//! Follows `GroupMetadataManager.consumerGroupHeartbeat` of Kafka 4.3.1, step by step. Members that leave are in
//! `leave.rs`.

use std::rc::Rc;

use super::checks::{self, check_epoch};
use super::indexes::new_member;
use super::reconcile::{self, Step};
use super::{AWAY, ConsumerGroup, Member, write};
use crate::coordinator::groups::classic::HOST;
use crate::coordinator::groups::effects::{Effects, GroupContext};
use crate::error::KafkaError;
use crate::event::internal::{CurrentValue, GroupRecord, MemberValue};
use crate::event::{Name, TopicPartition};
use crate::group::{GroupEvent, MemberState, RemovalReason};
use crate::message::{ConsumerGroupHeartbeat, MemberHeartbeat};
use crate::time::Duration;

/// What a new subscription of a member asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Subscribed {
    /// The names or the pattern are others.
    pub is_changed: bool,
    /// The topics behind them are known, so that the group has to be assigned anew.
    pub asks_for_epoch: bool,
    /// Patterns are to be resolved once the heartbeat at hand is answered.
    pub has_to_resolve: bool,
}

impl ConsumerGroup {
    /// A request that passed [`super::checks::check_heartbeat`].
    pub(super) fn take_heartbeat(
        &mut self,
        asked: &ConsumerGroupHeartbeat,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) -> Result<MemberHeartbeat, KafkaError> {
        let answer = match asked.epoch {
            -1 | AWAY => self.leave(asked, context, effects)?,
            _ => self.beat(asked, context, effects)?,
        };
        self.tell_state(context, effects);
        Ok(answer)
    }

    fn beat(
        &mut self,
        asked: &ConsumerGroupHeartbeat,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) -> Result<MemberHeartbeat, KafkaError> {
        let id = &asked.member;
        let mut owned = asked.owned.clone();
        if let Some(owned) = &mut owned {
            owned.sort();
        }
        let replaced = self.admit(asked, owned.as_deref(), context)?;
        let is_new = !self.members.contains_key(id);
        if let Some(replaced) = replaced {
            self.replace(&replaced, id, context, effects);
        }
        let before = self.members.get(id).cloned().unwrap_or_else(new_member);
        let value = updated(&before.value, asked);
        if is_new {
            self.tell_joined(id, &value, context, effects);
        }
        let subscribed = self.subscribe(id, &before.value, value, context, effects);
        self.refresh_epoch(subscribed.asks_for_epoch, context, effects);
        self.write_if_new(effects);
        self.update_target(Some(id).filter(|_| is_new), context, effects)?;
        self.reconcile(id, owned.as_deref(), subscribed.is_changed, context, effects);
        let session_ends = context.now + context.settings.consumer_session_timeout;
        self.member_mut(id).timers.session = Some(session_ends);
        let is_full = asked.rebalance_timeout.is_some()
            && (asked.topics.is_some() || asked.pattern.is_some())
            && asked.owned.is_some();
        let current = &self.member_mut(id).current;
        let is_told = asked.epoch == 0 || is_full || partitions_differ(&before.current, current);
        let answer = MemberHeartbeat {
            member: Rc::clone(id),
            epoch: current.epoch,
            interval: context.settings.consumer_heartbeat_interval,
            assignment: is_told.then(|| names(&current.assigned)),
        };
        if subscribed.has_to_resolve {
            self.resolve(context, effects);
        }
        Ok(answer)
    }

    /// Everything that a member can be refused for. Returns the static member whose place it takes.
    fn admit(
        &self,
        asked: &ConsumerGroupHeartbeat,
        owned: Option<&[TopicPartition]>,
        context: &GroupContext<'_>,
    ) -> Result<Option<Name>, KafkaError> {
        let id = &asked.member;
        let size_max = context.settings.consumer_size_max;
        if self.size() >= size_max && !self.members.contains_key(id) {
            return Err(checks::full(size_max));
        }
        let is_joining = asked.epoch == 0;
        let owner = asked.instance.as_ref().and_then(|instance| self.instances.get(instance));
        let before = match (&asked.instance, owner) {
            (None, _) if is_joining => self.members.get(id),
            (None, _) => Some(self.known(id)?),
            (Some(_), None) if is_joining => self.members.get(id),
            (Some(instance), Some(owner)) if is_joining => {
                let member = self.known(owner)?;
                if member.value.classic.is_none() && member.current.epoch != AWAY {
                    return Err(checks::unreleased_instance(id, instance, owner));
                }
                Some(member)
            }
            (Some(instance), _) => {
                self.check_instance(id, instance)?;
                Some(self.known(id)?)
            }
        };
        if let Some(member) = before.filter(|_| !is_joining) {
            check_epoch(member, asked.epoch, owned)?;
        }
        let known_pattern = before.and_then(|member| member.value.pattern.as_ref());
        if let Some(pattern) = asked.pattern.as_ref().filter(|pattern| !pattern.is_empty())
            && known_pattern != Some(pattern)
            && !self.patterns.contains_key(pattern)
        {
            checks::check_pattern(pattern)?;
        }
        Ok(owner.filter(|owner| is_joining && *owner != id).cloned())
    }

    /// `replaceMember`: a static member is back with another member id, and keeps what it shall own.
    pub(super) fn replace(&mut self, old: &Name, new: &Name, context: &GroupContext<'_>, effects: &mut Effects) {
        let Some(member) = self.take(old) else { return };
        effects.events.push(GroupEvent::MemberRemoved {
            broker: context.broker,
            group: Rc::clone(&self.name),
            member: Rc::clone(old),
            reason: RemovalReason::Replaced,
        });
        self.write_removal(old, effects);
        let current = CurrentValue { epoch: 0, previous_epoch: 0, ..(*member.current).clone() };
        let (value, target) = (Rc::clone(&member.value), Rc::clone(&member.target));
        self.member_mut(new).target = Rc::clone(&target);
        self.write_member(new, &value, effects);
        self.set_value(new, value);
        let record =
            GroupRecord::TargetMember { group: Rc::clone(&self.name), member: Rc::clone(new), value: Some(target) };
        write(record, effects);
        self.move_to(new, current, effects);
    }

    pub(super) fn tell_joined(
        &self,
        id: &Name,
        value: &MemberValue,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) {
        effects.events.push(GroupEvent::MemberJoined {
            broker: context.broker,
            group: Rc::clone(&self.name),
            member: Rc::clone(id),
            client: Rc::clone(&value.client),
            instance: value.instance.clone(),
        });
    }

    /// Takes what a member tells of itself.
    pub(super) fn subscribe(
        &mut self,
        id: &Name,
        before: &MemberValue,
        value: MemberValue,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) -> Subscribed {
        let is_named_anew = before.topics != value.topics;
        if *before != value || !self.members.contains_key(id) {
            self.write_member(id, &value, effects);
            self.set_value(id, Rc::new(value.clone()));
        }
        let by_pattern = self.change_pattern(before.pattern.as_ref(), value.pattern.as_ref(), context, effects);
        Subscribed {
            is_changed: is_named_anew || by_pattern.is_changed,
            asks_for_epoch: is_named_anew || by_pattern.asks_for_epoch,
            has_to_resolve: by_pattern.has_to_resolve,
        }
    }

    /// `updateSubscriptionMetadata`: another epoch if a member or the topics ask for it.
    pub(super) fn refresh_epoch(&mut self, is_asked_for: bool, context: &GroupContext<'_>, effects: &mut Effects) {
        let is_seen = std::ptr::eq(self.seen.as_ptr(), Rc::as_ptr(context.image));
        if !is_asked_for && is_seen {
            return;
        }
        let hash = self.hash_topics(context);
        self.seen = Rc::downgrade(context.image);
        if is_asked_for || hash != self.metadata_hash {
            self.bump(hash, effects);
        }
    }

    /// A group whose first member brings no topics yet has to be written too.
    fn write_if_new(&self, effects: &mut Effects) {
        if self.told.is_none() && self.epoch == super::FIRST_EPOCH {
            self.write_epoch(effects);
            self.write_target_epoch(effects);
        }
    }

    /// `maybeReconcile`.
    pub(super) fn reconcile(
        &mut self,
        id: &Name,
        owned: Option<&[TopicPartition]>,
        is_subscription_changed: bool,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) {
        let Some(member) = self.members.get(id) else { return };
        if !is_subscription_changed && self.is_reconciled(member) {
            return;
        }
        let next = reconcile::step(
            &member.current,
            &Step {
                target_epoch: self.assignment_epoch,
                target: &member.target,
                is_subscribed: &|topic| self.is_subscribed(member, topic, context),
                is_taken: &|partition| self.is_taken(id, partition),
                owned,
                is_subscription_changed,
            },
        );
        if next == *member.current {
            return;
        }
        self.tell_moved(id, &next, context, effects);
        let revocation = (next.state == MemberState::UnrevokedPartitions && member.value.classic.is_none())
            .then(|| (context.now + member.value.rebalance_timeout, next.epoch));
        self.move_to(id, next, effects);
        self.member_mut(id).timers.revocation = revocation;
    }

    pub(super) fn tell_moved(
        &self,
        id: &Name,
        current: &CurrentValue,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) {
        effects.events.push(GroupEvent::MemberReconciled {
            broker: context.broker,
            group: Rc::clone(&self.name),
            member: Rc::clone(id),
            epoch: current.epoch,
            state: current.state,
            assigned: names(&current.assigned),
        });
    }

    /// Writes where a member stands, and has it stand there.
    pub(super) fn move_to(&mut self, id: &Name, current: CurrentValue, effects: &mut Effects) {
        let current = Rc::new(current);
        let value = Some(Rc::clone(&current));
        write(GroupRecord::Current { group: Rc::clone(&self.name), member: Rc::clone(id), value }, effects);
        self.set_current(id, current);
    }

    pub(super) fn write_member(&self, id: &Name, value: &MemberValue, effects: &mut Effects) {
        let value = Some(Rc::new(value.clone()));
        write(GroupRecord::Member { group: Rc::clone(&self.name), member: Rc::clone(id), value }, effects);
    }

    fn is_subscribed(&self, member: &Member, topic: &Name, context: &GroupContext<'_>) -> bool {
        let by_pattern = |pattern: &Name| {
            self.resolved.get(pattern).is_some_and(|resolved| resolved.topics.binary_search(topic).is_ok())
        };
        context.image.topics.contains_key(topic)
            && (member.value.topics.binary_search(topic).is_ok()
                || member.value.pattern.as_ref().is_some_and(by_pattern))
    }
}

/// The member as the request changes it. What the request leaves out stays.
fn updated(before: &MemberValue, asked: &ConsumerGroupHeartbeat) -> MemberValue {
    let mut topics = asked.topics.clone().unwrap_or_else(|| before.topics.clone());
    topics.sort();
    topics.dedup();
    let pattern = asked.pattern.clone().or_else(|| before.pattern.clone());
    MemberValue {
        instance: asked.instance.clone().or_else(|| before.instance.clone()),
        rack: asked.rack.clone().or_else(|| before.rack.clone()),
        client: Rc::clone(&asked.client_id),
        host: HOST.into(),
        topics,
        pattern: pattern.filter(|pattern| !pattern.is_empty()),
        rebalance_timeout: asked.rebalance_timeout.unwrap_or(before.rebalance_timeout),
        assignor: asked.assignor.clone().or_else(|| before.assignor.clone()),
        classic: None,
    }
}

/// The partitions without their epochs.
pub(super) fn names(assigned: &[(TopicPartition, i32)]) -> Vec<TopicPartition> {
    assigned.iter().map(|(partition, _)| partition.clone()).collect()
}

/// `hasAssignedPartitionsChanged`.
fn partitions_differ(one: &CurrentValue, other: &CurrentValue) -> bool {
    one.assigned.len() != other.assigned.len()
        || one.assigned.iter().zip(&other.assigned).any(|(one, other)| one.0 != other.0)
}

/// What a member that leaves is told as its interval.
pub(super) const NO_INTERVAL: Duration = Duration::ZERO;
