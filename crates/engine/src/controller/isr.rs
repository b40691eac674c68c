//! AlterPartition: a leader proposes a new in-sync set.
//!
//! Follows `ReplicationControlManager.alterPartition` of Kafka 4.3.1. When a leader proposes one is the
//! broker's business.

use super::Controller;
use super::change::Election;
use super::refusals::{Code, unknown_topic};
use crate::error::KafkaError;
use crate::event::{EventKind, MessageView};
use crate::message::{AlterPartition, PartitionImage, Payload};
use crate::outbox::{Outbox, Parcel};

impl Controller {
    pub(super) fn alter_partition(&mut self, message: &MessageView, request: &AlterPartition, outbox: &mut Outbox) {
        let result = self.change_isr(request, outbox);
        // The leader reads of other changes in the image, and of this one in the answer.
        let target = outbox.broker_target(request.broker);
        let error = result.as_ref().err().cloned();
        let payload =
            Payload::AlterPartitionAnswer { request: message.id, partition: request.partition.clone(), result };
        let parcel = Parcel::answer(message, target, payload, message.is_notable);
        outbox.send(Parcel { error, ..parcel });
    }

    fn change_isr(&mut self, request: &AlterPartition, outbox: &mut Outbox) -> Result<PartitionImage, KafkaError> {
        self.check_isr(request)?;
        let isr: Vec<u32> = request.isr.iter().map(|(replica, _)| *replica).collect();
        let was_moving = self.partition(&request.partition).is_some_and(is_moving);
        let is_recovered = request.is_recovered;
        self.alter(
            &request.partition,
            Election::Online,
            |change| {
                change.isr = isr;
                change.is_recovering &= !is_recovered;
            },
            outbox,
        );
        let after = self.partition(&request.partition).ok_or_else(unknown_topic)?.clone();
        if was_moving && !is_moving(&after) {
            let (partition, replicas) = (request.partition.clone(), after.replicas.clone());
            outbox.emit(EventKind::ReassignmentCompleted { partition, replicas });
        }
        if after.leader == Some(request.broker) { Ok(after) } else { Err(Code::NewLeaderElected.into()) }
    }

    /// The checks, in Kafka's order.
    fn check_isr(&self, request: &AlterPartition) -> Result<(), KafkaError> {
        let epoch = self.image.brokers.get(&request.broker).map(|broker| broker.epoch);
        if epoch != Some(request.broker_epoch) {
            return Err(Code::StaleBrokerEpoch.into());
        }
        if !self.image.topics.contains_key(&request.partition.topic) {
            return Err(Code::UnknownTopicId.into());
        }
        let known = self.partition(&request.partition).ok_or_else(unknown_topic)?;
        if request.leader_epoch > known.leader_epoch || request.partition_epoch > known.partition_epoch {
            return Err(Code::NotController.into());
        }
        if request.leader_epoch < known.leader_epoch {
            return Err(Code::FencedLeaderEpoch.into());
        }
        if known.leader != Some(request.broker) {
            return Err(Code::InvalidRequest.into());
        }
        if request.partition_epoch < known.partition_epoch {
            return Err(Code::InvalidUpdateVersion.into());
        }
        let is_member = |broker: u32| request.isr.iter().any(|(member, _)| *member == broker);
        let are_replicas = request.isr.iter().all(|(member, _)| known.replicas.contains(member));
        let is_repeated = (1..request.isr.len())
            .any(|end| request.isr[..end].iter().any(|(member, _)| *member == request.isr[end].0));
        let stays_recovering = known.is_recovering && !request.is_recovered;
        if !are_replicas || is_repeated || !is_member(request.broker) || (stays_recovering && request.isr.len() > 1) {
            return Err(Code::InvalidRequest.into());
        }
        if !request.isr.iter().all(|(member, epoch)| self.is_eligible(*member, *epoch)) {
            return Err(Code::IneligibleReplica.into());
        }
        Ok(())
    }

    fn is_eligible(&self, member: u32, epoch: u64) -> bool {
        self.is_active(member) && self.image.brokers.get(&member).is_some_and(|broker| broker.epoch == epoch)
    }
}

/// Whether a reassignment is in progress.
pub(super) fn is_moving(partition: &PartitionImage) -> bool {
    !partition.adding.is_empty() || !partition.removing.is_empty()
}
