//! AlterPartitionReassignments: partitions get other replicas, or keep the old ones after all.
//!
//! Follows `ReplicationControlManager`, `PartitionReassignmentReplicas` and `PartitionReassignmentRevert` of
//! Kafka 4.3.1. A move ends in `change.rs`, when its new replicas are in sync.

use super::Controller;
use super::change::{Change, Election};
use super::elections::outcome;
use super::isr::is_moving;
use super::refusals::{Code, invalid_assignment, invalid_factor, unknown_partition};
use crate::command::PartitionOutcome;
use crate::error::KafkaError;
use crate::event::{EventKind, TopicPartition};
use crate::message::PartitionImage;
use crate::outbox::Outbox;

impl Controller {
    /// Each partition by itself: some may be refused and the others move.
    pub(super) fn alter_reassignments(
        &mut self,
        changes: &[(TopicPartition, Option<Vec<u32>>)],
        allows_factor_change: bool,
        outbox: &mut Outbox,
    ) -> Vec<PartitionOutcome> {
        let mut outcomes = Vec::new();
        for (partition, target) in changes {
            let result = match target {
                Some(target) => self.reassign(partition, target, allows_factor_change, outbox),
                None => self.cancel_reassignment(partition, outbox),
            };
            outcomes.push(outcome(partition, result.err()));
        }
        outcomes
    }

    fn reassigned(&self, partition: &TopicPartition) -> Result<PartitionImage, KafkaError> {
        if !self.image.topics.contains_key(&partition.topic) {
            return Err(unknown_partition(format!("Unable to find a topic named {}.", partition.topic)));
        }
        self.partition(partition).cloned().ok_or_else(|| {
            unknown_partition(format!("Unable to find partition {}:{}.", partition.topic, partition.partition))
        })
    }

    fn reassign(
        &mut self,
        partition: &TopicPartition,
        target: &[u32],
        allows_factor_change: bool,
        outbox: &mut Outbox,
    ) -> Result<(), KafkaError> {
        let before = self.reassigned(partition)?;
        let factor = before.replicas.len() - before.removing.len();
        if !allows_factor_change && factor != target.len() {
            return Err(invalid_factor(format!("The replication factor is changed from {factor} to {}", target.len())));
        }
        self.check_replicas(target, None)?;
        let without = |from: &[u32], other: &[u32]| {
            let mut rest: Vec<u32> = from.iter().copied().filter(|replica| !other.contains(replica)).collect();
            rest.sort_unstable();
            rest
        };
        let adding = without(target, &before.replicas);
        let removing = without(&before.replicas, target);
        let replicas = [target, &removing].concat();
        if (&adding, &removing, &replicas) == (&before.adding, &before.removing, &before.replicas) {
            return Ok(());
        }
        outbox.emit(EventKind::ReassignmentStarted {
            partition: partition.clone(),
            replicas: replicas.clone(),
            adding: adding.as_slice().into(),
            removing: removing.as_slice().into(),
        });
        let set =
            |change: &mut Change| (change.replicas, change.adding, change.removing) = (replicas, adding, removing);
        let after = self.alter(partition, Election::Online, set, outbox);
        // Nothing to wait for: another order, or fewer replicas that are in sync already.
        if let Some(after) = after.filter(|after| !is_moving(after)) {
            let replicas = after.replicas.clone();
            outbox.emit(EventKind::ReassignmentCompleted { partition: partition.clone(), replicas });
        }
        Ok(())
    }

    fn cancel_reassignment(&mut self, partition: &TopicPartition, outbox: &mut Outbox) -> Result<(), KafkaError> {
        let before = self.reassigned(partition)?;
        if !is_moving(&before) {
            return Err(Code::NoReassignmentInProgress.into());
        }
        let stays = |replica: &u32| !before.adding.contains(replica);
        let replicas: Vec<u32> = before.replicas.iter().copied().filter(stays).collect();
        let mut isr: Vec<u32> = before.isr.iter().copied().filter(stays).collect();
        let Some(first) = replicas.first() else {
            return Err(invalid_assignment("Invalid replica assignment: addingReplicas contains all replicas."));
        };
        if isr.is_empty() {
            let topic = &self.image.topics[&partition.topic];
            if !self.configs(None).topic_flag(topic, "unclean.leader.election.enable") {
                return Err(invalid_assignment(format!(
                    "Unable to revert partition assignment for {}:{} because it would require an unclean leader \
                     election.",
                    partition.topic, partition.partition
                )));
            }
            isr.push(*first);
        }
        let set = |change: &mut Change| {
            change.isr = isr;
            change.replicas = replicas.clone();
            change.adding.clear();
            change.removing.clear();
        };
        self.alter(partition, Election::Online, set, outbox);
        outbox.emit(EventKind::ReassignmentCancelled { partition: partition.clone(), replicas });
        Ok(())
    }
}
