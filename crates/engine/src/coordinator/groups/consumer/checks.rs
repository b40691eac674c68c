//! What a heartbeat is refused for, in the words of Kafka.
//!
//! Follows `throwIfConsumerGroupHeartbeatRequestIsInvalid` and the `throwIf...` methods of `GroupMetadataManager` of
//! Kafka 4.3.1. What the members of the classic protocol are refused for is not here.

use assignor::server::Assignor;

use super::{AWAY, ConsumerGroup, Member};
use crate::error::KafkaError;
use crate::event::TopicPartition;
use crate::message::ConsumerGroupHeartbeat;
use crate::re2j;

/// What can be told without looking at the group.
pub(super) fn check_heartbeat(asked: &ConsumerGroupHeartbeat) -> Result<(), KafkaError> {
    let empty = |text: Option<&str>| text.is_some_and(str::is_empty);
    let named = [
        (empty(Some(&asked.member)), "MemberId can't be empty."),
        (empty(Some(&asked.group)), "GroupId can't be empty."),
        (empty(asked.instance.as_deref()), "InstanceId can't be empty."),
        (empty(asked.rack.as_deref()), "RackId can't be empty."),
    ];
    if let Some((_, text)) = named.iter().find(|(is_wrong, _)| *is_wrong) {
        return Err(invalid(text));
    }
    let by_epoch = match asked.epoch {
        0 => [
            (asked.rebalance_timeout.is_none(), "RebalanceTimeoutMs must be provided in first request."),
            (
                asked.owned.as_ref().is_none_or(|owned| !owned.is_empty()),
                "TopicPartitions must be empty when (re-)joining.",
            ),
            (
                asked.topics.is_none() && asked.pattern.is_none(),
                "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.",
            ),
        ],
        epoch => [
            (epoch == AWAY && asked.instance.is_none(), "InstanceId can't be null."),
            (epoch < AWAY, "MemberEpoch is invalid."),
            (false, ""),
        ],
    };
    if let Some((_, text)) = by_epoch.iter().find(|(is_wrong, _)| *is_wrong) {
        return Err(invalid(text));
    }
    match &asked.assignor {
        Some(name) if Assignor::from_name(name).is_none() => Err(unsupported_assignor(name)),
        _ => Ok(()),
    }
}

fn invalid(text: &str) -> KafkaError {
    KafkaError::new("INVALID_REQUEST", "InvalidRequestException", text)
}

fn unsupported_assignor(name: &str) -> KafkaError {
    let known = Assignor::ALL.map(Assignor::name).join(", ");
    let text = format!("ServerAssignor {name} is not supported. Supported assignors: {known}.");
    KafkaError::new("UNSUPPORTED_ASSIGNOR", "UnsupportedAssignorException", text)
}

/// A request came to a group that is not there, that is of the other protocol, or that stays of it.
pub(super) fn group_not_found(text: String) -> KafkaError {
    KafkaError::new("GROUP_ID_NOT_FOUND", "GroupIdNotFoundException", text)
}

pub(super) fn full(size_max: u32) -> KafkaError {
    let text = format!("The consumer group has reached its maximum capacity of {size_max} members.");
    KafkaError::new("GROUP_MAX_SIZE_REACHED", "GroupMaxSizeReachedException", text)
}

pub(super) fn unknown_member(text: String) -> KafkaError {
    KafkaError::new("UNKNOWN_MEMBER_ID", "UnknownMemberIdException", text)
}

pub(super) fn unreleased_instance(member: &str, instance: &str, owner: &str) -> KafkaError {
    let text = format!(
        "Static member {member} with instance id {instance} cannot join the group because the instance id is owned by \
         {owner} member."
    );
    KafkaError::new("UNRELEASED_INSTANCE_ID", "UnreleasedInstanceIdException", text)
}

pub(super) fn fenced_instance(member: &str, instance: &str, owner: &str) -> KafkaError {
    let text = format!("Static member {member} with instance id {instance} was fenced by member {owner}.");
    KafkaError::new("FENCED_INSTANCE_ID", "FencedInstanceIdException", text)
}

/// The pattern that a member brings, if nobody in the group has it yet.
pub(super) fn check_pattern(pattern: &str) -> Result<(), KafkaError> {
    re2j::check(pattern).map_err(|description| {
        let text = format!("SubscribedTopicRegex `{pattern}` is not a valid regular expression: {description}.");
        KafkaError::new("INVALID_REGULAR_EXPRESSION", "InvalidRegularExpression", text)
    })
}

/// `throwIfConsumerGroupMemberEpochIsInvalid`.
pub(super) fn check_epoch(member: &Member, received: i32, owned: Option<&[TopicPartition]>) -> Result<(), KafkaError> {
    let known = member.current.epoch;
    // An answer with the newer epoch may have been lost.
    let is_repeated = received == member.current.previous_epoch
        && owned
            .is_some_and(|owned| owned.iter().all(|partition| epoch_of(&member.current.assigned, partition).is_some()));
    let side = match received {
        0 => return Ok(()),
        received if received > known => "greater",
        received if received < known && !is_repeated => "smaller",
        _ => return Ok(()),
    };
    let text = format!(
        "The consumer group member has a {side} member epoch ({received}) than the one known by the group coordinator \
         ({known}). The member must abandon all its partitions and rejoin."
    );
    Err(KafkaError::new("FENCED_MEMBER_EPOCH", "FencedMemberEpochException", text))
}

/// The epoch in which a partition was given, out of a list in order.
pub(super) fn epoch_of(assigned: &[(TopicPartition, i32)], partition: &TopicPartition) -> Option<i32> {
    let place = assigned.binary_search_by(|(known, _)| known.cmp(partition)).ok()?;
    Some(assigned[place].1)
}

impl ConsumerGroup {
    /// `getOrMaybeCreateMember(memberId, false)`.
    pub(super) fn known(&self, id: &str) -> Result<&Member, KafkaError> {
        let text = || format!("Member {id} is not a member of group {}.", self.name);
        self.members.get(id).ok_or_else(|| unknown_member(text()))
    }

    /// The id of the static member, which is the one that asks.
    pub(super) fn check_instance(&self, id: &str, instance: &str) -> Result<(), KafkaError> {
        match self.instances.get(instance) {
            None => Err(unknown_member(format!("Instance id {instance} is unknown."))),
            Some(owner) if **owner != *id => Err(fenced_instance(id, instance, owner)),
            Some(_) => Ok(()),
        }
    }
}
