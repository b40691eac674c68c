//! OffsetFetch: what a group has committed.
//!
//! Follows `OffsetMetadataManager.fetchOffsets` and `fetchAllOffsets` of Kafka 4.3.1.

use std::rc::Rc;

use super::answers::refused;
use super::group::Group;
use super::serving;
use crate::broker::Broker;
use crate::coordinator::requests::send_answer;
use crate::coordinator::writing::Asker;
use crate::error::KafkaError;
use crate::event::TopicPartition;
use crate::message::{FetchedOffsets, OffsetFetch, Payload};
use crate::outbox::Outbox;

impl Broker {
    /// OffsetFetch. Whoever needs stable offsets waits for what is being written.
    pub(super) fn fetch_offsets(&mut self, partition: u32, asker: Asker, asked: &OffsetFetch, outbox: &mut Outbox) {
        if asked.require_stable && self.wait_to_fetch(partition, &asker, asked) {
            return;
        }
        let request = asker.message.id;
        match self.fetched(partition, asked) {
            Ok(offsets) => {
                let error = offsets.iter().find_map(|(_, offset)| offset.as_ref().err().cloned());
                send_answer(&asker, Payload::OffsetFetchAnswer { request, result: Ok(offsets) }, error, outbox);
            }
            Err(error) => {
                let payload = refused(&Payload::OffsetFetch(asked.clone()), request, &error);
                send_answer(&asker, payload, Some(error), outbox);
            }
        }
    }

    fn fetched(&self, partition: u32, asked: &OffsetFetch) -> Result<FetchedOffsets, KafkaError> {
        let own = self.groups.partitions.get(&partition).ok_or_else(|| KafkaError::protocol("NOT_COORDINATOR"))?;
        let nothing = || asked.partitions.iter().flatten().map(|partition| (partition.clone(), Ok(None))).collect();
        let Some(group) = own.groups.get(&asked.group) else { return Ok(nothing()) };
        if let Group::Consumer(group) = &**group {
            group.check_fetch(asked.member.as_ref())?;
        }
        if let Group::Share(_) = &**group {
            return Err(serving::no_consumer_group(&asked.group));
        }
        let pending = if asked.require_stable { own.offsets.pending_of(&asked.group) } else { Default::default() };
        let of = |partition: &TopicPartition| {
            let offset = if pending.contains(partition) {
                Err(KafkaError::protocol("UNSTABLE_OFFSET_COMMIT"))
            } else {
                Ok(own.offsets.get(&asked.group, partition))
            };
            (partition.clone(), offset)
        };
        Ok(match &asked.partitions {
            Some(partitions) => partitions.iter().map(of).collect(),
            None => own.offsets.of(&Rc::clone(&asked.group)).map(|(partition, _)| of(partition)).collect(),
        })
    }
}
