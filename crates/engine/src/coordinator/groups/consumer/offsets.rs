//! Who may commit and fetch offsets of a group of the consumer protocol.
//!
//! Follows `ConsumerGroup.validateOffsetCommit`, `createAssignmentEpochValidator` (KIP-1251) and
//! `validateOffsetFetch` of Kafka 4.3.1. The offsets themselves are not here.

use std::cmp::Ordering;

use super::ConsumerGroup;
use super::checks::epoch_of;
use crate::error::KafkaError;
use crate::event::{Name, TopicPartition};

/// Which partitions of a commit count.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CommitCheck {
    /// All of them.
    All,
    /// Those that the member got in an epoch which is not newer than this one.
    Since(i32),
}

impl ConsumerGroup {
    /// OffsetCommit, or TxnOffsetCommit. `epoch` is the member's epoch.
    pub fn check_commit(
        &self,
        member: &str,
        instance: Option<&Name>,
        epoch: i32,
        is_transactional: bool,
    ) -> Result<CommitCheck, KafkaError> {
        let is_simple = epoch < 0 && self.is_empty();
        let is_without_member = is_transactional && epoch == -1 && member.is_empty() && instance.is_none();
        if is_simple || is_without_member {
            return Ok(CommitCheck::All);
        }
        let known = self.known(member)?;
        match epoch.cmp(&known.current.epoch) {
            Ordering::Equal => Ok(CommitCheck::All),
            Ordering::Greater => Err(self.stale(member)),
            Ordering::Less => Ok(CommitCheck::Since(epoch)),
        }
    }

    /// Whether one partition of a commit counts.
    pub fn check_partition(
        &self,
        member: &str,
        check: &CommitCheck,
        partition: &TopicPartition,
    ) -> Result<(), KafkaError> {
        let CommitCheck::Since(epoch) = check else { return Ok(()) };
        let current = &self.known(member)?.current;
        let given = epoch_of(&current.assigned, partition).or_else(|| epoch_of(&current.revoking, partition));
        if given.is_some_and(|given| *epoch >= given) { Ok(()) } else { Err(self.stale(member)) }
    }

    /// OffsetFetch of a member; one without a member is always served.
    pub fn check_fetch(&self, member: &str, epoch: i32) -> Result<(), KafkaError> {
        let known = self.known(member)?;
        if known.current.epoch == epoch { Ok(()) } else { Err(stale_epoch()) }
    }

    fn stale(&self, member: &str) -> KafkaError {
        let is_classic = self.members.get(member).is_some_and(|member| member.value.classic.is_some());
        if is_classic { KafkaError::protocol("ILLEGAL_GENERATION") } else { stale_epoch() }
    }
}

fn stale_epoch() -> KafkaError {
    KafkaError::protocol("STALE_MEMBER_EPOCH")
}
