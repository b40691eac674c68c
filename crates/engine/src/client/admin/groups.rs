//! What the Admin client asks of a group's coordinator: other offsets, members that leave, groups and offsets that go.
//!
//! Follows the handlers of `KafkaAdminClient` in Kafka 4.3.1: the coordinator is found first, and found again when it
//! turns out to be somebody else. Simplified: to remove all members, the Admin client lists them first; here the
//! coordinator knows them.

use std::rc::Rc;

use super::{Admin, Asked, Sent};
use crate::command::{PartitionName, PartitionOutcome};
use crate::error::KafkaError;
use crate::event::{Api, Name};
use crate::message::{
    AlterShareOffsets, CoordinatorKind, DeleteGroup, DeleteShareOffsets, FindCoordinator, LeaveGroup, OffsetCommit,
    OffsetDelete, PartitionResults, Payload,
};
use crate::outbox::Outbox;
use crate::queue::Target;
use crate::simulation::resolve::GroupAct;

impl Admin {
    /// Makes a call for a command.
    pub fn group_request(&mut self, asked: GroupAct, command: u64, outbox: &mut Outbox) {
        self.call(Asked::Group(asked), command, outbox);
    }

    /// The next step of a call: find the coordinator.
    pub(super) fn advance_group(&mut self, command: u64, outbox: &mut Outbox) {
        let Asked::Group(asked) = &self.calls[&command].request else { return };
        let key = Rc::clone(group_of(asked));
        let asked = FindCoordinator { kind: CoordinatorKind::Group, key, sender: Target::Admin };
        self.ask_any(command, Sent::Finding, Api::FindCoordinator, Payload::FindCoordinator(asked), outbox);
    }

    /// The coordinator answered.
    pub fn group_answer(&mut self, answer: &Payload, outbox: &mut Outbox) {
        let (request, result) = match answer {
            Payload::OffsetCommitAnswer { request, results } => (*request, Ok(results.clone())),
            Payload::OffsetDeleteAnswer { request, result } => (*request, result.clone()),
            Payload::DeleteGroupAnswer { request, result } => (*request, result.clone().map(|()| Vec::new())),
            Payload::LeaveGroupAnswer { request, result } => (*request, left(result)),
            Payload::ShareOffsetsAnswer { request, result } => (*request, result.clone()),
            other => panic!("a coordinator does not answer {other:?}"),
        };
        let Some((command, sent)) = self.take(request) else { return };
        self.heard(sent);
        let partition_errors = result.iter().flatten().filter_map(|(_, result)| result.as_ref().err());
        if partition_errors.chain(result.as_ref().err()).any(is_tried_again) {
            return self.try_later(command, outbox);
        }
        self.calls.remove(&command);
        match result {
            Ok(results) => finish(command, results, outbox),
            Err(error) => outbox.finish(command, Err(error)),
        }
    }
}

/// A command is over. It has failed if it has for any partition.
fn finish(command: u64, results: PartitionResults, outbox: &mut Outbox) {
    let error = results.iter().find_map(|(_, result)| result.as_ref().err().cloned());
    let outcome = |(partition, result): (crate::event::TopicPartition, Result<(), KafkaError>)| PartitionOutcome {
        partition: PartitionName { topic: partition.topic.to_string(), partition: partition.partition },
        error: result.err(),
        low_watermark: None,
    };
    let partitions = results.into_iter().map(outcome).collect();
    outbox.finish_partitions(command, error.map_or(Ok(None), Err), partitions);
}

/// The first member that could not be removed fails the call.
fn left(result: &Result<Vec<Result<(), KafkaError>>, KafkaError>) -> Result<PartitionResults, KafkaError> {
    result.clone().and_then(|members| members.into_iter().collect::<Result<Vec<()>, _>>()).map(|_| Vec::new())
}

/// The group of a call.
fn group_of(asked: &GroupAct) -> &Name {
    match asked {
        GroupAct::AlterOffsets { group, .. }
        | GroupAct::DeleteOffsets { group, .. }
        | GroupAct::Delete { group }
        | GroupAct::AlterShareOffsets { group, .. }
        | GroupAct::DeleteShareOffsets { group, .. }
        | GroupAct::RemoveMembers { group, .. } => group,
    }
}

/// The request as it is sent to the coordinator.
pub(super) fn wire(asked: &GroupAct) -> (Api, Payload) {
    let sender = Target::Admin;
    match asked {
        GroupAct::AlterOffsets { group, offsets } => {
            // As somebody who is no member.
            let (group, offsets, member) = (Rc::clone(group), offsets.clone(), "".into());
            let asked = OffsetCommit { group, generation: -1, member, instance: None, offsets, sender };
            (Api::OffsetCommit, Payload::OffsetCommit(asked))
        }
        GroupAct::DeleteOffsets { group, partitions } => {
            let asked = OffsetDelete { group: Rc::clone(group), partitions: partitions.clone(), sender };
            (Api::OffsetDelete, Payload::OffsetDelete(asked))
        }
        GroupAct::AlterShareOffsets { group, offsets } => {
            let asked = AlterShareOffsets { group: Rc::clone(group), offsets: offsets.clone(), sender };
            (Api::AlterShareGroupOffsets, Payload::AlterShareOffsets(asked))
        }
        GroupAct::DeleteShareOffsets { group, topics } => {
            let asked = DeleteShareOffsets { group: Rc::clone(group), topics: topics.clone(), sender };
            (Api::DeleteShareGroupOffsets, Payload::DeleteShareOffsets(asked))
        }
        GroupAct::Delete { group } => {
            (Api::DeleteGroups, Payload::DeleteGroup(DeleteGroup { group: Rc::clone(group), sender }))
        }
        GroupAct::RemoveMembers { group, instances } => {
            let members = instances.iter().map(|instance| ("".into(), Some(Rc::clone(instance)))).collect();
            let reason = "member was removed by an admin".into();
            (Api::LeaveGroup, Payload::LeaveGroup(LeaveGroup { group: Rc::clone(group), members, reason, sender }))
        }
    }
}

/// Errors after which the coordinator is looked up again; a commit also waits for the end of a rebalance.
fn is_tried_again(error: &KafkaError) -> bool {
    let names =
        ["NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS", "REBALANCE_IN_PROGRESS"];
    names.contains(&error.error.as_str())
}
