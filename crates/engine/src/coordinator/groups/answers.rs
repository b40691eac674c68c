//! Answers to requests of groups, when they fail as a whole.
//!
//! What an answer says when all went well is its group's business.

use std::rc::Rc;

use super::effects::Reply;
use crate::error::KafkaError;
use crate::event::{Name, TopicPartition};
use crate::message::{JoinGroupAnswer, Payload};
use crate::queue::Target;

/// The group that a request is about, and who asks.
pub(super) fn whose(payload: &Payload) -> (Name, Target) {
    let group = match payload {
        Payload::JoinGroup(asked) => &asked.group,
        Payload::SyncGroup(asked) => &asked.group,
        Payload::Heartbeat(asked) => &asked.group,
        Payload::LeaveGroup(asked) => &asked.group,
        Payload::OffsetCommit(asked) => &asked.group,
        Payload::OffsetFetch(asked) => &asked.group,
        Payload::ConsumerGroupHeartbeat(asked) => &asked.group,
        Payload::DeleteGroup(asked) => &asked.group,
        Payload::OffsetDelete(asked) => &asked.group,
        Payload::ShareGroupHeartbeat(asked) => &asked.group,
        Payload::AlterShareOffsets(asked) => &asked.group,
        Payload::DeleteShareOffsets(asked) => &asked.group,
        other => panic!("{other:?} is not for a group"),
    };
    (Rc::clone(group), payload.sender().expect("requests of groups have a sender"))
}

/// The answer to a request that was not looked at.
pub(super) fn refused(request: &Payload, id: u64, error: &KafkaError) -> Payload {
    let error = error.clone();
    let request_id = id;
    match request {
        Payload::JoinGroup(asked) => Payload::JoinGroupAnswer(JoinGroupAnswer {
            request: request_id,
            member: Rc::clone(&asked.member),
            result: Err(error),
        }),
        Payload::SyncGroup(_) => Payload::SyncGroupAnswer { request: id, result: Err(error) },
        Payload::Heartbeat(_) => Payload::HeartbeatAnswer { request: id, result: Err(error) },
        Payload::LeaveGroup(_) => Payload::LeaveGroupAnswer { request: id, result: Err(error) },
        Payload::OffsetCommit(asked) => {
            let all = asked.offsets.iter().map(|(partition, _)| partition);
            Payload::OffsetCommitAnswer { request: id, results: all_failed(all, &error) }
        }
        Payload::OffsetFetch(_) => Payload::OffsetFetchAnswer { request: id, result: Err(error) },
        Payload::ConsumerGroupHeartbeat(_) => Payload::ConsumerGroupHeartbeatAnswer { request: id, result: Err(error) },
        Payload::DeleteGroup(_) => Payload::DeleteGroupAnswer { request: id, result: Err(error) },
        Payload::OffsetDelete(_) => Payload::OffsetDeleteAnswer { request: id, result: Err(error) },
        Payload::ShareGroupHeartbeat(_) => Payload::ShareGroupHeartbeatAnswer { request: id, result: Err(error) },
        Payload::AlterShareOffsets(_) | Payload::DeleteShareOffsets(_) => {
            Payload::ShareOffsetsAnswer { request: id, result: Err(error) }
        }
        other => panic!("{other:?} is not for a group"),
    }
}

/// The same for an answer whose records could not be written. What failed anyway fails as it did.
pub(super) fn failed(reply: Reply, error: &KafkaError) -> Reply {
    let Reply { asker, payload, error: before } = reply;
    let payload = match payload {
        Payload::JoinGroupAnswer(answer) => {
            let result = answer.result.and_then(|_| Err(error.clone()));
            Payload::JoinGroupAnswer(JoinGroupAnswer { result, ..answer })
        }
        Payload::SyncGroupAnswer { request, result } => {
            Payload::SyncGroupAnswer { request, result: result.and_then(|_| Err(error.clone())) }
        }
        Payload::HeartbeatAnswer { request, result } => {
            Payload::HeartbeatAnswer { request, result: result.and_then(|()| Err(error.clone())) }
        }
        Payload::LeaveGroupAnswer { request, result } => {
            Payload::LeaveGroupAnswer { request, result: result.and_then(|_| Err(error.clone())) }
        }
        Payload::OffsetCommitAnswer { request, results } => {
            let results = results.into_iter().map(|(partition, result)| (partition, failing(result, error)));
            Payload::OffsetCommitAnswer { request, results: results.collect() }
        }
        Payload::ConsumerGroupHeartbeatAnswer { request, result } => {
            Payload::ConsumerGroupHeartbeatAnswer { request, result: result.and_then(|_| Err(error.clone())) }
        }
        Payload::ShareGroupHeartbeatAnswer { request, result } => {
            Payload::ShareGroupHeartbeatAnswer { request, result: result.and_then(|_| Err(error.clone())) }
        }
        Payload::ShareOffsetsAnswer { request, result } => {
            Payload::ShareOffsetsAnswer { request, result: result.and_then(|_| Err(error.clone())) }
        }
        Payload::DeleteGroupAnswer { request, result } => {
            Payload::DeleteGroupAnswer { request, result: failing(result, error) }
        }
        Payload::OffsetDeleteAnswer { request, result } => {
            Payload::OffsetDeleteAnswer { request, result: result.and_then(|_| Err(error.clone())) }
        }
        other => other,
    };
    Reply { asker, payload, error: before.or_else(|| Some(error.clone())) }
}

fn failing(result: Result<(), KafkaError>, error: &KafkaError) -> Result<(), KafkaError> {
    result.and_then(|()| Err(error.clone()))
}

fn all_failed<'a>(
    partitions: impl Iterator<Item = &'a TopicPartition>,
    error: &KafkaError,
) -> Vec<(TopicPartition, Result<(), KafkaError>)> {
    partitions.map(|partition| (partition.clone(), Err(error.clone()))).collect()
}
