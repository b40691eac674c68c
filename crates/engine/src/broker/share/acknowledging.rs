//! ShareAcknowledge, and acknowledgements that come with a fetch: they count once the share coordinator has them.
//!
//! Follows `SharePartitionManager.acknowledge` and `releaseSession` of Kafka 4.3.1. What a share partition makes of them
//! is in `partition.rs`.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::fetching::Serving;
use super::persister::FINAL_EPOCH;
use super::{Broker, tell};
use crate::coordinator::requests::send_answer;
use crate::coordinator::writing::Asker;
use crate::error::KafkaError;
use crate::event::internal::ShareKey;
use crate::event::{MessageView, Name, TopicPartition};
use crate::message::{Acknowledgements, Payload, ShareAcknowledge};
use crate::outbox::Outbox;

impl Broker {
    /// ShareAcknowledge.
    pub(in crate::broker) fn share_acknowledge(
        &mut self,
        message: &Rc<MessageView>,
        asked: &ShareAcknowledge,
        outbox: &mut Outbox,
    ) {
        let asker = Asker { message: Rc::clone(message), sender: asked.sender };
        let ShareAcknowledge { group, member, epoch, .. } = asked;
        if let Err(error) = self.share_session(&asker, group, member, *epoch, false) {
            let payload = Payload::ShareAcknowledgeAnswer { request: message.id, result: Err(error.clone()) };
            return send_answer(&asker, payload, Some(error), outbox);
        }
        let serving = Serving {
            asker,
            fetch: None,
            acknowledged: Vec::new(),
            waiting: BTreeSet::new(),
            ending: (*epoch == FINAL_EPOCH).then(|| (Rc::clone(group), Rc::clone(member))),
            releasing: BTreeSet::new(),
            records: None,
            since: outbox.now(),
            deadline: None,
        };
        self.shares.requests.insert(message.id, serving);
        self.take_acknowledgements(message.id, group, member, &asked.acknowledgements, outbox);
        if *epoch == FINAL_EPOCH {
            // A fetch that still waits would lock records for somebody who is gone.
            self.shares.requests.retain(|_, other| other.fetch.is_none() || other.asker.sender != asked.sender);
        }
        self.answer_share_request(message.id, outbox);
    }

    /// Takes acknowledgements of a request; it waits for those that are being written.
    pub(super) fn take_acknowledgements(
        &mut self,
        request: u64,
        group: &Name,
        member: &Name,
        all: &[(TopicPartition, Acknowledgements)],
        outbox: &mut Outbox,
    ) {
        let rules = self.share_rules(group);
        for (partition, said) in all {
            let key = ShareKey { group: Rc::clone(group), partition: partition.clone() };
            let leads = self.replicas.get(partition).is_some_and(|replica| replica.leadership().is_some());
            let now = outbox.now();
            let taken = match self.shares.open_mut(&key) {
                Some(open) => open.acknowledge(member, said, &rules, now),
                None if leads => Err(KafkaError::protocol("INVALID_RECORD_STATE")),
                None => Err(KafkaError::protocol("NOT_LEADER_OR_FOLLOWER")),
            };
            let Some(serving) = self.shares.requests.get_mut(&request) else { return };
            match taken {
                Err(error) => serving.acknowledged.push((partition.clone(), Err(error))),
                Ok(effects) => {
                    match &effects.write {
                        Some(write) => drop(serving.waiting.insert((key.clone(), write.id))),
                        None => serving.acknowledged.push((partition.clone(), Ok(()))),
                    }
                    self.carry_out_share(&key, effects, outbox);
                }
            }
        }
    }

    /// The share coordinator has taken a write, or refuses it: then somebody else leads, or the state was made anew.
    pub(super) fn share_state_written(
        &mut self,
        key: &ShareKey,
        write: u64,
        error: Option<&KafkaError>,
        outbox: &mut Outbox,
    ) {
        let Some(open) = self.shares.open_mut(key) else { return };
        let events = open.written(write, error.is_none());
        tell(events, outbox);
        self.share_acknowledged(key, write, error.cloned().map_or(Ok(()), Err), outbox);
        if let Some(error) = error {
            return self.drop_share_partition(key, error, outbox);
        }
        self.forget_unused(&key.group);
        self.look_at_share_fetches(std::slice::from_ref(&key.partition), outbox);
    }

    /// Requests that waited for a write go on.
    pub(super) fn share_acknowledged(
        &mut self,
        key: &ShareKey,
        write: u64,
        result: Result<(), KafkaError>,
        outbox: &mut Outbox,
    ) {
        let place = (key.clone(), write);
        let mut ready = Vec::new();
        for (id, serving) in &mut self.shares.requests {
            if serving.waiting.remove(&place) {
                serving.acknowledged.push((key.partition.clone(), result.clone()));
                ready.push(*id);
            } else if serving.releasing.remove(&place) {
                ready.push(*id);
            }
        }
        ready.into_iter().for_each(|id| self.answer_share_request(id, outbox));
    }
}
