//! Who may commit and fetch offsets of a group of the consumer protocol.
//!
//! Follows `ConsumerGroup.validateOffsetCommit`, `createAssignmentEpochValidator` (KIP-1251) and
//! `validateOffsetFetch` of Kafka 4.3.1. The offsets themselves are not here.

use std::cmp::Ordering;

use super::ConsumerGroup;
use super::checks::epoch_of;
use crate::error::KafkaError;
use crate::event::{Name, TopicPartition};

impl ConsumerGroup {
    /// OffsetCommit, or TxnOffsetCommit. `epoch` is the member's epoch; without membership it is negative and the
    /// member empty. An older epoch counts if the member had all partitions in it already.
    pub fn check_commit(
        &self,
        member: &str,
        instance: Option<&Name>,
        epoch: i32,
        is_transactional: bool,
        offsets: &[(TopicPartition, u64)],
    ) -> Result<(), KafkaError> {
        let is_simple = epoch < 0 && self.members.is_empty();
        let is_without_member = is_transactional && epoch == -1 && member.is_empty() && instance.is_none();
        if is_simple || is_without_member {
            return Ok(());
        }
        let known = self.known(member)?;
        let had = |(partition, _): &(TopicPartition, u64)| {
            let lists = [&known.current.assigned, &known.current.revoking];
            lists.iter().find_map(|list| epoch_of(list, partition)).is_some_and(|given| epoch >= given)
        };
        match epoch.cmp(&known.current.epoch) {
            Ordering::Less if !offsets.iter().all(had) => Err(self.stale(member)),
            Ordering::Greater => Err(self.stale(member)),
            _ => Ok(()),
        }
    }

    /// OffsetFetch of a member with its epoch; without a member it is always served.
    pub fn check_fetch(&self, member: Option<&(Name, i32)>) -> Result<(), KafkaError> {
        let Some((member, epoch)) = member else { return Ok(()) };
        let known = self.known(member)?;
        if known.current.epoch == *epoch { Ok(()) } else { Err(self.stale(member)) }
    }

    fn stale(&self, member: &str) -> KafkaError {
        let is_classic = self.members.get(member).is_some_and(|member| member.value.classic.is_some());
        KafkaError::protocol(if is_classic { "ILLEGAL_GENERATION" } else { "STALE_MEMBER_EPOCH" })
    }
}
