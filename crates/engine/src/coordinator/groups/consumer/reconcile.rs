//! One step of a member from what it has to what it shall have.
//!
//! Follows `CurrentAssignmentBuilder` of Kafka 4.3.1. A pure function of the member and what is around it.

use std::rc::Rc;

use super::checks::epoch_of;
use crate::event::internal::CurrentValue;
use crate::event::{Name, TopicPartition};
use crate::group::MemberState;

/// Partitions by name and number, each with the epoch in which the member got it.
type Epochs = Vec<(TopicPartition, i32)>;

/// What a step looks at.
pub(super) struct Step<'a> {
    pub target_epoch: i32,
    /// What the member shall own.
    pub target: &'a [TopicPartition],
    /// Whether the member subscribes to a topic that is there.
    pub is_subscribed: &'a dyn Fn(&Name) -> bool,
    /// Whether another member has a partition still.
    pub is_taken: &'a dyn Fn(&TopicPartition) -> bool,
    /// What the member says that it owns, if it says.
    pub owned: Option<&'a [TopicPartition]>,
    pub is_subscription_changed: bool,
}

/// Where the member stands after the step.
pub(super) fn step(current: &CurrentValue, step: &Step<'_>) -> CurrentValue {
    let is_at_target = current.epoch == step.target_epoch;
    match current.state {
        MemberState::Stable if is_at_target && step.is_subscription_changed => drop_unsubscribed(current, step),
        MemberState::Stable if is_at_target => current.clone(),
        MemberState::UnrevokedPartitions if step.owns_any(&current.revoking) => {
            if step.is_subscription_changed {
                drop_unsubscribed(current, step)
            } else {
                current.clone()
            }
        }
        _ => go_on(current, step),
    }
}

/// `updateCurrentAssignment`: topics that the member does not subscribe to any more leave at once.
fn drop_unsubscribed(current: &CurrentValue, step: &Step<'_>) -> CurrentValue {
    let mut is_subscribed = by_topic(step.is_subscribed);
    let (assigned, dropped): (Epochs, Epochs) =
        current.assigned.iter().cloned().partition(|(partition, _)| is_subscribed(&partition.topic));
    if dropped.is_empty() {
        return current.clone();
    }
    let mut revoking = [current.revoking.clone(), dropped].concat();
    revoking.sort_by(|one, other| one.0.cmp(&other.0));
    if step.owns_any(&revoking) {
        moved(current, current.epoch, MemberState::UnrevokedPartitions, assigned, revoking)
    } else {
        moved(current, current.epoch, current.state, assigned, current.revoking.clone())
    }
}

/// `computeNextAssignment`.
fn go_on(current: &CurrentValue, step: &Step<'_>) -> CurrentValue {
    let mut is_subscribed = by_topic(step.is_subscribed);
    let mut wanted: Vec<&TopicPartition> =
        step.target.iter().filter(|partition| is_subscribed(&partition.topic)).collect();
    wanted.sort_unstable();
    let is_wanted = |partition: &TopicPartition| wanted.binary_search(&partition).is_ok();
    let (mut assigned, revoking): (Epochs, Epochs) =
        current.assigned.iter().cloned().partition(|(partition, _)| is_wanted(partition));
    if step.owns_any(&revoking) {
        return moved(current, current.epoch, MemberState::UnrevokedPartitions, assigned, revoking);
    }
    let missing: Vec<&TopicPartition> =
        wanted.into_iter().filter(|partition| epoch_of(&assigned, partition).is_none()).collect();
    let (taken, free): (Vec<_>, Vec<_>) = missing.into_iter().partition(|partition| (step.is_taken)(partition));
    assigned.extend(free.into_iter().map(|partition| (partition.clone(), step.target_epoch)));
    assigned.sort_by(|one, other| one.0.cmp(&other.0));
    let state = if taken.is_empty() { MemberState::Stable } else { MemberState::UnreleasedPartitions };
    moved(current, step.target_epoch, state, assigned, Vec::new())
}

fn moved(current: &CurrentValue, epoch: i32, state: MemberState, assigned: Epochs, revoking: Epochs) -> CurrentValue {
    CurrentValue { epoch, previous_epoch: current.epoch, state, assigned, revoking }
}

/// Asks once for each run of partitions of a topic.
fn by_topic(is_subscribed: &dyn Fn(&Name) -> bool) -> impl FnMut(&Name) -> bool {
    let mut last: Option<(Name, bool)> = None;
    move |topic| match &last {
        Some((same, answer)) if same == topic => *answer,
        _ => {
            let answer = is_subscribed(topic);
            last = Some((Rc::clone(topic), answer));
            answer
        }
    }
}

impl Step<'_> {
    /// `ownsRevokedPartitions`: who does not say what it owns may own all of it still.
    fn owns_any(&self, revoking: &Epochs) -> bool {
        let owns = |owned: &[TopicPartition]| owned.iter().any(|partition| epoch_of(revoking, partition).is_some());
        !revoking.is_empty() && self.owned.is_none_or(owns)
    }
}
