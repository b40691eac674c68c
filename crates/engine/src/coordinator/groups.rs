//! The coordinator of groups: a broker's part for the groups whose partition of `__consumer_offsets` it leads.
//!
//! Follows `GroupCoordinatorService` and `CoordinatorRuntime` of Kafka 4.3.1. A request goes to its group, which
//! changes at once and says what follows; this file writes the records and answers once they are committed. What a
//! group makes of a request is in the files of its folder, which know neither brokers nor logs.

mod answers;
pub(crate) mod classic;
pub(crate) mod consumer;
pub(crate) mod effects;
mod fetching;
mod group;
mod loading;
pub(crate) mod offset_state;
pub(super) mod records;
pub(super) mod serving;
mod share;
mod timeline_order;
mod timers;
mod topics;
mod view;

use std::collections::BTreeMap;
use std::rc::Rc;

use self::answers::{failed, refused, whose};
use self::effects::{Effects, GroupContext, GroupSettings, Reply};
use self::group::{Group, Slot};
use self::offset_state::OffsetState;
use super::offsets::told_to_client;
use super::requests::send_answer;
use super::writing::{Append, Appending, Asker};
use super::{TICKET, partition_count};
use crate::broker::Broker;
use crate::controller::topic_names::CONSUMER_OFFSETS;
use crate::error::KafkaError;
use crate::event::{EventKind, MessageView, Name, TopicPartition};
use crate::group::GroupEvent;
use crate::internal_partition::partition_for;
use crate::message::{OffsetFetch, Payload, TxnOffsetCommit};
use crate::outbox::Outbox;
use crate::rng::Stream;
use crate::time::{Duration, Time};

pub(crate) use self::view::{group_offsets, groups};

/// What a broker knows as coordinator of groups.
#[derive(Clone, Debug)]
pub(crate) struct GroupCoordinator {
    /// Partitions of `__consumer_offsets` that it leads, by number.
    pub(super) partitions: BTreeMap<u32, GroupPartition>,
    /// Requests whose transaction is being verified, by the id of the message.
    pub(super) held: BTreeMap<u64, (Asker, TxnOffsetCommit)>,
    /// Where ids of members come from.
    member_ids: Stream,
    /// Requests about offsets of share groups, by the id of the message.
    changing: BTreeMap<u64, share::Changing>,
    /// The timer that is set.
    alarm: Option<Time>,
}

/// One partition of `__consumer_offsets` at its leader.
#[derive(Clone, Debug)]
pub(super) struct GroupPartition {
    /// The leader epoch.
    epoch: u32,
    /// Whether its log was read.
    pub(super) is_loaded: bool,
    /// Since when: expired offsets are looked for in intervals from there.
    loaded: Time,
    /// When they are looked for next, if some may be there.
    check: Option<Time>,
    pub(super) offsets: Rc<OffsetState>,
    pub(super) groups: BTreeMap<Name, Rc<Group>>,
}

/// A group that is to be served, or whose timer is due.
pub(super) struct Place {
    pub partition: u32,
    pub group: Name,
}

impl GroupCoordinator {
    /// A coordinator of nothing.
    pub fn new(seed: u64, broker: u32) -> GroupCoordinator {
        GroupCoordinator {
            partitions: BTreeMap::new(),
            held: BTreeMap::new(),
            member_ids: Stream::new(seed, "member id", &format!("broker-{broker}")),
            changing: BTreeMap::new(),
            alarm: None,
        }
    }

    /// The process ends. Ids go on, so that none is given twice.
    pub fn stop(&mut self) {
        self.partitions.clear();
        self.held.clear();
        self.changing.clear();
        self.alarm = None;
    }

    /// Rough size in bytes of what a checkpoint copies.
    pub fn own_bytes(&self) -> u64 {
        let groups: usize = self.partitions.values().map(|own| own.groups.len()).sum();
        (self.partitions.len() * 64 + groups * 48 + self.held.len() * 256) as u64
    }

    /// A random UUID of version 4, as Java writes it.
    fn uuid(&mut self) -> String {
        let high = (self.member_ids.draw() & 0xffff_ffff_ffff_0fff) | 0x4000;
        let low = (self.member_ids.draw() & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000;
        let (a, b, c) = (high >> 32, (high >> 16) & 0xffff, high & 0xffff);
        format!("{a:08x}-{b:04x}-{c:04x}-{:04x}-{:012x}", low >> 48, low & 0xffff_ffff_ffff)
    }
}

pub(super) fn offsets_partition(partition: u32) -> TopicPartition {
    TopicPartition { topic: CONSUMER_OFFSETS.into(), partition }
}

impl Broker {
    /// A request of a group arrived.
    pub(crate) fn group_request(&mut self, message: &Rc<MessageView>, payload: &Rc<Payload>, outbox: &mut Outbox) {
        let (group, sender) = whose(payload);
        let asker = Asker { message: Rc::clone(message), sender };
        let partition = match self.coordinated(&group) {
            Ok(partition) => partition,
            // `GroupCoordinatorService.heartbeat`: while the group is loaded, heartbeats are answered blindly.
            Err(error)
                if error.error == "COORDINATOR_LOAD_IN_PROGRESS" && matches!(&**payload, Payload::Heartbeat(_)) =>
            {
                let answer = Payload::HeartbeatAnswer { request: message.id, result: Ok(()) };
                return send_answer(&asker, answer, None, outbox);
            }
            Err(error) => return send_answer(&asker, refused(payload, message.id, &error), Some(error), outbox),
        };
        if let Payload::OffsetFetch(asked) = &**payload {
            return self.fetch_offsets(partition, asker, asked, outbox);
        }
        if let Payload::AlterShareOffsets(_) | Payload::DeleteShareOffsets(_) = &**payload {
            return self.change_share_offsets(partition, asker, payload, outbox);
        }
        let uuid = if serving::needs_id(payload) { self.groups.uuid() } else { String::new() };
        self.change_group(&Place { partition, group }, outbox, |slot, offsets, context, effects| {
            serving::serve(slot, &serving::Request { asker, payload, uuid: &uuid, offsets }, context, effects);
        });
    }

    /// The partition of a group, if this broker coordinates it and has read it.
    pub(super) fn coordinated(&self, group: &str) -> Result<u32, KafkaError> {
        if group.is_empty() {
            return Err(KafkaError::protocol("INVALID_GROUP_ID"));
        }
        let partition = self.group_partition(group);
        match self.groups.partitions.get(&partition) {
            None => Err(KafkaError::protocol("NOT_COORDINATOR")),
            Some(own) if !own.is_loaded => Err(KafkaError::protocol("COORDINATOR_LOAD_IN_PROGRESS")),
            Some(_) => Ok(partition),
        }
    }

    /// The partition of `__consumer_offsets` of a group.
    pub(super) fn group_partition(&self, group: &str) -> u32 {
        let count = partition_count(&self.image, CONSUMER_OFFSETS).unwrap_or(self.settings.offsets_partitions);
        partition_for(group, count)
    }

    /// The settings of a group: its own over those of the broker.
    pub(super) fn group_settings(&self, group: &str) -> GroupSettings {
        let settings = self.settings.groups.clone();
        match self.image.group_configs.get(group) {
            Some(own) => settings.with(own),
            None => settings,
        }
    }

    /// Lets a group change, and does what follows.
    pub(super) fn change_group(
        &mut self,
        place: &Place,
        outbox: &mut Outbox,
        change: impl FnOnce(&mut Slot, &OffsetState, &GroupContext, &mut Effects),
    ) {
        let Some(own) = self.groups.partitions.get_mut(&place.partition) else { return };
        let mut slot = own.groups.remove(&place.group);
        let offsets = Rc::clone(&own.offsets);
        // What cannot be written did not happen.
        let before = self.may_fail_to_append(place.partition).then(|| slot.clone());
        let settings = self.group_settings(&place.group);
        let context = GroupContext { broker: self.id, now: outbox.now(), image: &self.image, settings: &settings };
        let mut effects = Effects::default();
        change(&mut slot, &offsets, &context, &mut effects);
        drop(offsets);
        let Some(own) = self.groups.partitions.get_mut(&place.partition) else { return };
        if let Some(group) = slot {
            own.groups.insert(Rc::clone(&place.group), group);
        }
        if !effects.events.is_empty() || !effects.records.is_empty() {
            self.plan_check(place.partition, outbox.now() + Duration(1));
        }
        let (initialize, forget) = (std::mem::take(&mut effects.initialize), std::mem::take(&mut effects.forget));
        let is_written = self.carry_out(place.partition, effects, outbox);
        if is_written {
            self.initialize_share_partitions(&place.group, initialize, outbox);
            self.forget_share_states(&place.group, forget, outbox);
        }
        if let (false, Some(before), Some(own)) = (is_written, before, self.groups.partitions.get_mut(&place.partition))
        {
            match before {
                Some(group) => own.groups.insert(Rc::clone(&place.group), group),
                None => own.groups.remove(&place.group),
            };
        }
        self.arm_group(place, outbox);
    }

    /// A topic was deleted: the offsets in it go, in all groups.
    pub(crate) fn forget_offsets_of(&mut self, topic: &Name, outbox: &mut Outbox) {
        let of = |(partition, own): (&u32, &GroupPartition)| {
            let (partition, groups) = (*partition, own.groups.keys().map(Rc::clone).collect::<Vec<_>>());
            groups.into_iter().map(move |group| Place { partition, group })
        };
        let places: Vec<Place> = self.groups.partitions.iter().filter(|(_, own)| own.is_loaded).flat_map(of).collect();
        for place in places {
            self.change_group(&place, outbox, |slot, offsets, context, effects| {
                let is_share = matches!(slot.as_deref(), Some(Group::Share(_)));
                if let Some(Group::Share(group)) = slot.as_mut().filter(|_| is_share).map(Rc::make_mut) {
                    group.forget_topic(topic, effects);
                }
                serving::forget_topic(&place.group, topic, offsets, context, effects);
            });
        }
    }

    fn may_fail_to_append(&self, partition: u32) -> bool {
        let replica = self.replicas.get(&offsets_partition(partition));
        let leadership = replica.and_then(|replica| replica.leadership());
        leadership.is_none_or(|leadership| leadership.is_under_min_isr())
    }

    /// Writes the records, tells the events, and answers when everything written so far is committed. False if the
    /// records could not be written.
    pub(super) fn carry_out(&mut self, partition: u32, effects: Effects, outbox: &mut Outbox) -> bool {
        let Effects { records, events, replies, joins, .. } = effects;
        if records.is_empty() {
            tell(events, outbox);
            joins.into_iter().for_each(|reply| give(reply, outbox));
            match self.last_group_append(partition) {
                Some(waiting) => waiting.extend(replies),
                None => replies.into_iter().for_each(|reply| give(reply, outbox)),
            }
            return true;
        }
        let now = outbox.now();
        let mut written = Vec::with_capacity(records.len());
        for record in records {
            let number = self.coordinator.ticket() & !TICKET;
            written.push(records::record(record, self.writer(number, now)));
        }
        let ticket = self.coordinator.ticket();
        let appended = self.append_own(&offsets_partition(partition), written, None, ticket, outbox);
        match appended {
            Ok(_) => {
                tell(events, outbox);
                joins.into_iter().for_each(|reply| give(reply, outbox));
                let (epoch, deadline) = (0, now + self.settings.offsets_commit_timeout);
                let what = Appending::Group { replies, fetches: Vec::new() };
                self.coordinator.appends.insert(ticket, Append { partition, epoch, deadline, what });
                self.arm_appends(outbox);
                true
            }
            Err(error) => {
                replies.into_iter().chain(joins).for_each(|reply| give(failed(reply, &told_to_client(&error)), outbox));
                false
            }
        }
    }

    /// The answers that wait for the last records of a partition, if such records wait.
    fn last_group_append(&mut self, partition: u32) -> Option<&mut Vec<Reply>> {
        let appends = self.coordinator.appends.values_mut().rev().filter(|append| append.partition == partition);
        appends.into_iter().find_map(|append| match &mut append.what {
            Appending::Group { replies, .. } => Some(replies),
            _ => None,
        })
    }

    /// A question for offsets waits until everything written so far is committed; false if nothing waits.
    pub(super) fn wait_to_fetch(&mut self, partition: u32, asker: &Asker, asked: &OffsetFetch) -> bool {
        let appends = self.coordinator.appends.values_mut().rev().filter(|append| append.partition == partition);
        let waiting = appends.into_iter().find_map(|append| match &mut append.what {
            Appending::Group { fetches, .. } => Some(fetches),
            _ => None,
        });
        let is_waiting = waiting.is_some();
        waiting.into_iter().for_each(|fetches| fetches.push((asker.clone(), asked.clone())));
        is_waiting
    }

    /// Records of groups are replicated, or are not going to be.
    pub(super) fn groups_settled(
        &mut self,
        partition: u32,
        replies: Vec<Reply>,
        fetches: Vec<(Asker, OffsetFetch)>,
        error: Option<&KafkaError>,
        outbox: &mut Outbox,
    ) {
        let error = error.map(told_to_client);
        for reply in replies {
            give(error.as_ref().map_or_else(|| reply.clone(), |error| failed(reply.clone(), error)), outbox);
        }
        for (asker, asked) in fetches {
            match &error {
                None => self.fetch_offsets(partition, asker, &asked, outbox),
                Some(error) => {
                    let payload = refused(&Payload::OffsetFetch(asked), asker.message.id, error);
                    send_answer(&asker, payload, Some(error.clone()), outbox);
                }
            }
        }
    }
}

/// Sends an answer.
fn give(reply: Reply, outbox: &mut Outbox) {
    send_answer(&reply.asker, reply.payload, reply.error, outbox);
}

fn tell(events: Vec<GroupEvent>, outbox: &mut Outbox) {
    for event in events {
        outbox.emit(EventKind::Group(event));
    }
}
