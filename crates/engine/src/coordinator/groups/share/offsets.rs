//! What an Admin client does to the start offsets of a share group: sets them, deletes them.
//!
//! Follows `GroupCoordinatorService.alterShareGroupOffsets` and `deleteShareGroupOffsets` of Kafka 4.3.1: only a group
//! without members lets them be changed, and the share coordinators do it. What a share coordinator makes of it is in
//! `coordinator/share/`.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::ShareGroup;
use crate::broker::Broker;
use crate::broker::share::persister::CallFor;
use crate::coordinator::groups::Place;
use crate::coordinator::groups::group::{Group, Slot, group_mut};
use crate::coordinator::offsets::exists;
use crate::coordinator::requests::send_answer;
use crate::coordinator::writing::Asker;
use crate::error::KafkaError;
use crate::event::internal::ShareKey;
use crate::event::{EventKind, Name, TopicPartition};
use crate::group::GroupState;
use crate::message::{PartitionResults, Payload};
use crate::outbox::Outbox;
use crate::share::ShareEvent;

/// A request whose partitions are with their share coordinators.
#[derive(Clone, Debug)]
pub(in crate::coordinator::groups) struct Changing {
    asker: Asker,
    group: Name,
    /// The start offset is set, or the state deleted.
    is_deletion: bool,
    left: BTreeSet<TopicPartition>,
    results: PartitionResults,
}

/// The group, if its offsets may be changed.
fn changeable(slot: Option<&Group>, name: &str) -> Result<(), KafkaError> {
    let not_found = |text| Err(KafkaError::new("GROUP_ID_NOT_FOUND", "GroupIdNotFoundException", text));
    match slot {
        None => not_found(format!("Group {name} not found.")),
        Some(Group::Share(group)) if group.state() == GroupState::Empty => Ok(()),
        Some(Group::Share(_)) => Err(KafkaError::protocol("NON_EMPTY_GROUP")),
        Some(_) => not_found(format!("Group {name} is not a share group.")),
    }
}

impl Broker {
    /// AlterShareGroupOffsets or DeleteShareGroupOffsets.
    pub(in crate::coordinator::groups) fn change_share_offsets(
        &mut self,
        partition: u32,
        asker: Asker,
        asked: &Payload,
        outbox: &mut Outbox,
    ) {
        let request = asker.message.id;
        let (group, is_deletion) = match asked {
            Payload::AlterShareOffsets(asked) => (Rc::clone(&asked.group), false),
            Payload::DeleteShareOffsets(asked) => (Rc::clone(&asked.group), true),
            other => panic!("{other:?} changes no offsets of share groups"),
        };
        let known = self.groups.partitions.get(&partition).and_then(|own| own.groups.get(&group));
        if let Err(error) = changeable(known.map(|group| &**group), &group) {
            let payload = Payload::ShareOffsetsAnswer { request, result: Err(error.clone()) };
            return send_answer(&asker, payload, Some(error), outbox);
        }
        let share = match known.map(|group| &**group) {
            Some(Group::Share(share)) => share.clone(),
            _ => unreachable!("it was just found to be one"),
        };
        let (calls, results) = match asked {
            Payload::AlterShareOffsets(asked) => self.alterations(&share, &asked.offsets, request),
            Payload::DeleteShareOffsets(asked) => deletions(&share, &asked.topics, request),
            _ => unreachable!("it was looked at above"),
        };
        let left = crate::order::set(calls.iter().map(|(partition, _)| partition.clone()));
        let changing = Changing { asker, group: Rc::clone(&group), is_deletion, left, results };
        self.groups.changing.insert(request, changing);
        for (partition, call) in calls {
            self.call_share_coordinator(ShareKey { group: Rc::clone(&group), partition }, call, outbox);
        }
        self.answer_share_offsets(request, outbox);
    }

    fn alterations(
        &self,
        group: &ShareGroup,
        offsets: &[(TopicPartition, u64)],
        request: u64,
    ) -> (Vec<(TopicPartition, CallFor)>, PartitionResults) {
        let (known, unknown): (Vec<_>, Vec<_>) =
            offsets.iter().cloned().partition(|(partition, _)| exists(&self.image, partition));
        let call = |(partition, start_offset)| {
            (partition, CallFor::Alter { request, state_epoch: group.epoch(), start_offset })
        };
        let refused = |(partition, _)| (partition, Err(KafkaError::protocol("UNKNOWN_TOPIC_OR_PARTITION")));
        (known.into_iter().map(call).collect(), unknown.into_iter().map(refused).collect())
    }

    /// A share coordinator has done its part of a request.
    pub(crate) fn share_offset_changed(
        &mut self,
        request: u64,
        key: &ShareKey,
        result: Result<(), KafkaError>,
        outbox: &mut Outbox,
    ) {
        let Some(changing) = self.groups.changing.get_mut(&request) else { return };
        changing.left.remove(&key.partition);
        changing.results.push((key.partition.clone(), result));
        self.answer_share_offsets(request, outbox);
    }

    /// Answers when all share coordinators have done their parts, and remembers which partitions they know now.
    fn answer_share_offsets(&mut self, request: u64, outbox: &mut Outbox) {
        let Some(changing) = self.groups.changing.remove(&request) else { return };
        if !changing.left.is_empty() {
            self.groups.changing.insert(request, changing);
            return;
        }
        let Changing { asker, group, is_deletion, mut results, .. } = changing;
        results.sort_by(|one, other| one.0.cmp(&other.0));
        let done: Vec<TopicPartition> =
            results.iter().filter(|(_, result)| result.is_ok()).map(|(partition, _)| partition.clone()).collect();
        let place = Place { partition: self.group_partition(&group), group };
        let error = results.iter().find_map(|(_, result)| result.as_ref().err().cloned());
        let payload = Payload::ShareOffsetsAnswer { request, result: Ok(results) };
        self.change_group(&place, outbox, |slot: &mut Slot, _, _, effects| {
            if let Some(Group::Share(group)) = group_mut(slot) {
                let before = group.initialized.clone();
                match is_deletion {
                    true => group.initialized.retain(|partition| !done.contains(partition)),
                    false => group.initialized.extend(done),
                }
                if group.initialized != before {
                    group.write_initialized(effects);
                }
            }
            effects.answer(asker, payload, error);
        });
    }

    /// Has share coordinators take partitions in that a group may want to use.
    pub(in crate::coordinator::groups) fn initialize_share_partitions(
        &mut self,
        group: &Name,
        partitions: Vec<(TopicPartition, i32)>,
        outbox: &mut Outbox,
    ) {
        for (partition, state_epoch) in partitions {
            let key = ShareKey { group: Rc::clone(group), partition };
            self.call_share_coordinator(key, CallFor::Initialize { state_epoch }, outbox);
        }
    }

    /// A share coordinator has taken a partition in, or refuses to.
    pub(crate) fn share_partition_initialized(&mut self, key: &ShareKey, is_taken: bool, outbox: &mut Outbox) {
        let (broker, group) = (self.id, Rc::clone(&key.group));
        let place = Place { partition: self.group_partition(&group), group: Rc::clone(&group) };
        let mut taken = None;
        self.change_group(&place, outbox, |slot: &mut Slot, _, _, effects| {
            if let Some(Group::Share(group)) = group_mut(slot) {
                taken = group.take_initialized(&key.partition, is_taken, effects);
            }
        });
        if let Some(partitions) = taken {
            let event = ShareEvent::SharePartitionsInitialized { broker, group, partitions };
            outbox.emit(EventKind::Share(event));
        }
    }

    /// The states of a group that is deleted go with it.
    pub(in crate::coordinator::groups) fn forget_share_states(
        &mut self,
        group: &Name,
        partitions: Vec<TopicPartition>,
        outbox: &mut Outbox,
    ) {
        for partition in partitions {
            let key = ShareKey { group: Rc::clone(group), partition };
            self.call_share_coordinator(key, CallFor::Delete { request: None }, outbox);
        }
    }

    /// Share partitions that groups of this coordinator may use.
    pub(crate) fn initialized_share_partitions(&self) -> Vec<ShareKey> {
        let groups = self.groups.partitions.values().flat_map(|own| own.groups.values());
        let keys = groups.filter_map(|group| match &**group {
            Group::Share(group) => Some(group),
            _ => None,
        });
        let of = |group: &ShareGroup| {
            let name = Rc::clone(group.name());
            let key = |partition: &TopicPartition| ShareKey { group: Rc::clone(&name), partition: partition.clone() };
            group.initialized().iter().map(key).collect::<Vec<_>>()
        };
        keys.flat_map(of).collect()
    }
}

fn deletions(group: &ShareGroup, topics: &[Name], request: u64) -> (Vec<(TopicPartition, CallFor)>, PartitionResults) {
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    for topic in topics {
        let own: Vec<_> = group.initialized().iter().filter(|partition| partition.topic == *topic).cloned().collect();
        if own.is_empty() {
            let text = "There is no offset information to delete.";
            let error = KafkaError::new("UNKNOWN_TOPIC_OR_PARTITION", "UnknownTopicOrPartitionException", text);
            results.push((TopicPartition { topic: Rc::clone(topic), partition: 0 }, Err(error)));
        }
        calls.extend(own.into_iter().map(|partition| (partition, CallFor::Delete { request: Some(request) })));
    }
    (calls, results)
}
