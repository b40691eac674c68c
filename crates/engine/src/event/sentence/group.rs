//! What happened to groups, in sentences.
//!
//! Commands that asked for it are in `command.rs`.

use std::fmt;

use super::count;
use crate::event::TopicPartition;
use crate::group::{CommitKind, GroupEvent, RemovalReason};

/// The sentence of an event.
pub(super) fn sentence(out: &mut fmt::Formatter<'_>, event: &GroupEvent) -> fmt::Result {
    match event {
        GroupEvent::GroupsLoaded { broker, partition, groups } => {
            write!(out, "Broker {broker} read __consumer_offsets-{partition}: {}.", count(u64::from(*groups), "group"))
        }
        GroupEvent::GroupStateChanged { group, state, epoch, .. } => {
            write!(out, "Group {group} is {} at {epoch}.", state.name())
        }
        GroupEvent::MemberJoined { group, member, .. } => write!(out, "{member} joined {group}."),
        GroupEvent::MemberRemoved { group, member, reason, .. } => {
            write!(out, "{member} is out of {group}: {}.", removal(*reason))
        }
        GroupEvent::GenerationStarted { group, generation, protocol, leader, members, .. } => {
            let members = count(members.len() as u64, "member");
            write!(out, "Generation {generation} of {group} begins with {members}; {leader} assigns by {protocol}.")
        }
        GroupEvent::AssignmentMade { group, epoch, assignor, assignment, .. } => {
            write!(out, "Assignment of {group} at {epoch} by {assignor}:")?;
            for (member, partitions) in assignment {
                write!(out, " {member} {};", list(partitions))?;
            }
            Ok(())
        }
        GroupEvent::MemberReconciled { member, epoch, state, assigned, .. } => {
            write!(out, "{member} is {} in epoch {epoch} with {}.", state.name(), list(assigned))
        }
        GroupEvent::OffsetsCommitted { group, offsets, .. } => {
            write!(out, "Group {group} committed {}.", positions(offsets))
        }
        GroupEvent::OffsetsRemoved { group, partitions, .. } => {
            write!(out, "Group {group} has no offsets any more for {}.", list(partitions))
        }
        other => of_member(out, other),
    }
}

/// What a member did or met.
fn of_member(out: &mut fmt::Formatter<'_>, event: &GroupEvent) -> fmt::Result {
    match event {
        GroupEvent::ClientMemberStateChanged { consumer, state, .. } => write!(out, "{consumer} is {state:?}."),
        GroupEvent::MemberIdAssigned { consumer, member } => write!(out, "{consumer} has the member id {member}."),
        GroupEvent::JoinAnswered { consumer, error: Some(error), .. } => write!(out, "{consumer} is not in: {error}"),
        GroupEvent::JoinAnswered { consumer, generation, protocol, .. } => {
            write!(out, "{consumer} is in generation {generation}, which is assigned by {protocol}.")
        }
        GroupEvent::CallbackStarted { consumer, callback, partitions, is_librdkafka, .. } => {
            write!(out, "{consumer}: {}({}).", callback.name_in(*is_librdkafka), list(partitions))
        }
        GroupEvent::CallbackReturned { consumer, callback, is_librdkafka } => {
            write!(out, "{consumer}: {} returned.", callback.name_in(*is_librdkafka))
        }
        GroupEvent::AssignmentChanged { consumer, owned } => write!(out, "{consumer} owns {}.", list(owned)),
        GroupEvent::PollFailed { consumer, error } => write!(out, "{consumer}: poll() threw {error}"),
        GroupEvent::CommitReturned { consumer, how, offsets, error } => {
            let how = match how {
                CommitKind::Sync => "commitSync()",
                CommitKind::Async => "commitAsync()",
                CommitKind::Auto => "the automatic commit",
                CommitKind::InRevoked => "commitSync() in onPartitionsRevoked",
                CommitKind::InLost => "commitSync() in onPartitionsLost",
            };
            match error {
                Some(error) => write!(out, "{consumer}: {how} failed with {error}"),
                None => write!(out, "{consumer}: {how} took {}.", positions(offsets)),
            }
        }
        GroupEvent::RecordsReadAgain { consumer, partition, first_offset, count: again } => {
            let records = count(*again, "record");
            write!(out, "{consumer} processes {records} of {partition} again, from offset {first_offset} on.")
        }
        GroupEvent::ConsumerClosed { consumer } => write!(out, "{consumer} closed."),
        other => unreachable!("{other:?} is told above"),
    }
}

fn removal(reason: RemovalReason) -> &'static str {
    match reason {
        RemovalReason::Left => "it left",
        RemovalReason::SessionExpired => "its session expired",
        RemovalReason::RebalanceTimeout => "it did not join again in time",
        RemovalReason::RevocationTimeout => "it did not give its partitions up in time",
        RemovalReason::NeverSynced => "it never asked for its assignment",
        RemovalReason::Replaced => "another process has its instance id",
        RemovalReason::ByAdmin => "it was removed",
    }
}

/// "orders-0, orders-1", or "nothing".
fn list(partitions: &[TopicPartition]) -> String {
    if partitions.is_empty() {
        return "nothing".to_string();
    }
    partitions.iter().map(TopicPartition::to_string).collect::<Vec<_>>().join(", ")
}

fn positions(offsets: &[(TopicPartition, u64)]) -> String {
    if offsets.is_empty() {
        return "nothing".to_string();
    }
    offsets.iter().map(|(partition, offset)| format!("{partition} at {offset}")).collect::<Vec<_>>().join(", ")
}
