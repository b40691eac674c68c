//! Partitions of groups that nobody may read: how many at present, for how long, how often, and whose they were.
//!
//! Made from events alone and kept with the pace, so that a moment has the same counts however it was reached. A
//! partition counts from the moment on at which anybody in its group owns anything of its topic, and while the group
//! has members. A member that owns it and does not poll is not told apart from one that does.

use std::collections::BTreeMap;

use engine::Time;
use engine::event::{Event, EventKind, Name, NodeId, TopicPartition};
use engine::group::{Callback, GroupEvent, GroupState};
use engine::transaction::TransactionEvent;

/// The groups of a run up to a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pauses {
    groups: BTreeMap<Name, GroupPauses>,
    /// Partitions of each topic.
    topics: BTreeMap<Name, u32>,
    /// Groups of member ids, member ids of consumers, and groups of client ids.
    members: BTreeMap<Name, Name>,
    ids: BTreeMap<Name, Name>,
    clients: BTreeMap<Name, Name>,
}

/// One group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupPauses {
    parts: BTreeMap<TopicPartition, Part>,
    is_live: bool,
    /// Up to when time is counted.
    counted: Time,
    /// Partitions times microseconds.
    partition_micros: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Part {
    owner: Option<Name>,
    /// Whether the owner may read it.
    is_read: bool,
    /// Who read it last.
    reader: Option<Name>,
    /// How often it was read no more while the group had members.
    stops: u64,
}

/// What a group went through since an earlier moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Toll {
    /// Partitions that were paused at some time.
    pub stopped: usize,
    /// Partitions that another member reads now.
    pub moved: usize,
    /// Partitions times microseconds without a reader.
    pub partition_micros: u64,
}

impl Toll {
    /// Partition-seconds to a tenth: `5.6`.
    pub fn seconds(self) -> String {
        tenths(self.partition_micros)
    }
}

impl Pauses {
    /// The groups of a list of events, oldest first.
    pub fn of(events: &[Event]) -> Pauses {
        let mut pauses = Pauses::default();
        events.iter().for_each(|event| pauses.count(event.moment.time, &event.kind));
        pauses
    }

    /// A group; none before its first member.
    pub fn group(&self, group: &str) -> Option<&GroupPauses> {
        self.groups.get(group)
    }

    /// Partition-seconds of all groups up to a time, to a tenth; none if there is no group.
    pub fn seconds(&self, now: Time) -> Option<String> {
        let all = self.groups.values().map(|group| group.partition_micros(now)).sum();
        (!self.groups.is_empty()).then(|| tenths(all))
    }

    /// Whether an event changes anything here.
    pub(crate) fn concerns(kind: &EventKind) -> bool {
        match kind {
            EventKind::TopicCreated { .. }
            | EventKind::PartitionsCreated { .. }
            | EventKind::TopicDeleted { .. }
            | EventKind::ConsumerFailed { .. } => true,
            EventKind::Transaction(event) => matches!(event, TransactionEvent::ClientCrashed { .. }),
            EventKind::Group(event) => matches!(
                event,
                GroupEvent::GroupStateChanged { .. }
                    | GroupEvent::MemberJoined { .. }
                    | GroupEvent::MemberRemoved { .. }
                    | GroupEvent::MemberIdAssigned { .. }
                    | GroupEvent::CallbackStarted { .. }
                    | GroupEvent::AssignmentChanged { .. }
                    | GroupEvent::ConsumerClosed { .. }
            ),
            _ => false,
        }
    }

    /// Takes an event in.
    pub(crate) fn count(&mut self, time: Time, kind: &EventKind) {
        match kind {
            EventKind::TopicCreated { topic, partitions, .. } => {
                self.topics.insert(topic.clone(), *partitions);
            }
            EventKind::PartitionsCreated { topic, after, .. } => {
                self.topics.insert(topic.clone(), *after);
                let with_topic = self.groups.values_mut().filter(|group| group.has_topic(topic));
                with_topic.for_each(|group| group.add(time, topic, *after));
            }
            EventKind::TopicDeleted { topic } => {
                self.topics.remove(topic);
                self.groups.values_mut().for_each(|group| group.forget(time, topic));
            }
            EventKind::ConsumerFailed { consumer, .. } => self.stop(time, consumer),
            EventKind::Transaction(TransactionEvent::ClientCrashed { client: NodeId::Consumer { name } }) => {
                self.stop(time, name);
            }
            EventKind::Group(event) => self.of_group(time, event),
            _ => {}
        }
    }

    fn of_group(&mut self, time: Time, event: &GroupEvent) {
        match event {
            GroupEvent::GroupStateChanged { group, state, .. } => {
                let known = self.groups.entry(group.clone()).or_default();
                known.pass(time);
                known.is_live = !matches!(state, GroupState::Empty | GroupState::Dead);
            }
            GroupEvent::MemberJoined { group, member, client, .. } => {
                self.members.insert(member.clone(), group.clone());
                self.clients.insert(client.clone(), group.clone());
                let known = self.groups.entry(group.clone()).or_default();
                known.pass(time);
                known.is_live = true;
            }
            GroupEvent::MemberRemoved { member, .. } => {
                // Its client may still tell what it gives up.
                if !self.ids.values().any(|id| id == member) {
                    self.members.remove(member);
                }
            }
            GroupEvent::MemberIdAssigned { consumer, member } => {
                self.ids.insert(consumer.clone(), member.clone());
            }
            GroupEvent::CallbackStarted {
                consumer, callback: Callback::Revoked | Callback::Lost, partitions, ..
            } => {
                let known = self.group_of(consumer);
                known.into_iter().for_each(|group| group.hold(time, consumer, partitions));
            }
            GroupEvent::AssignmentChanged { consumer, owned } => {
                let topics = self.topics.clone();
                let known = self.group_of(consumer);
                known.into_iter().for_each(|group| group.assign(time, consumer, owned, &topics));
            }
            GroupEvent::ConsumerClosed { consumer } => self.stop(time, consumer),
            _ => {}
        }
    }

    fn stop(&mut self, time: Time, consumer: &Name) {
        let known = self.group_of(consumer);
        known.into_iter().for_each(|group| group.assign(time, consumer, &[], &BTreeMap::new()));
    }

    fn group_of(&mut self, consumer: &Name) -> Option<&mut GroupPauses> {
        let by_id = self.ids.get(consumer).and_then(|id| self.members.get(id));
        let group = by_id.or_else(|| self.clients.get(consumer))?;
        self.groups.get_mut(group)
    }
}

impl GroupPauses {
    /// How many partitions nobody may read now, and how many there are.
    pub fn paused(&self) -> (usize, usize) {
        let paused = if self.is_live { self.parts.values().filter(|part| !part.is_read).count() } else { 0 };
        (paused, self.parts.len())
    }

    /// Partitions times microseconds without a reader up to a time.
    pub fn partition_micros(&self, now: Time) -> u64 {
        self.partition_micros + self.paused().0 as u64 * now.since(self.counted).0
    }

    /// The same in partition-seconds, to a tenth: `5.6`.
    pub fn seconds(&self, now: Time) -> String {
        tenths(self.partition_micros(now))
    }

    /// What happened from an earlier moment to `now`.
    pub fn since(&self, earlier: &GroupPauses, then: Time, now: Time) -> Toll {
        let before = |at: &TopicPartition| earlier.parts.get(at);
        let was_stopped = |(at, part): &(&TopicPartition, &Part)| {
            let stops = before(at).map_or(0, |part| part.stops);
            part.stops > stops || self.is_live && !part.is_read && before(at).is_some_and(|part| part.is_read)
        };
        let has_moved = |(at, part): &(&TopicPartition, &Part)| {
            let reader = before(at).and_then(|part| part.reader.as_ref());
            reader.is_some() && part.is_read && part.reader.as_ref() != reader
        };
        Toll {
            stopped: self.parts.iter().filter(was_stopped).count(),
            moved: self.parts.iter().filter(has_moved).count(),
            partition_micros: self.partition_micros(now).saturating_sub(earlier.partition_micros(then)),
        }
    }

    fn has_topic(&self, topic: &Name) -> bool {
        self.parts.keys().any(|part| part.topic == *topic)
    }

    /// Counts the time up to now as things have been.
    fn pass(&mut self, time: Time) {
        self.partition_micros = self.partition_micros(time);
        self.counted = self.counted.max(time);
    }

    fn add(&mut self, time: Time, topic: &Name, partitions: u32) {
        self.pass(time);
        for partition in 0..partitions {
            self.parts.entry(TopicPartition { topic: topic.clone(), partition }).or_default();
        }
    }

    fn forget(&mut self, time: Time, topic: &Name) {
        self.pass(time);
        self.parts.retain(|part, _| part.topic != *topic);
    }

    /// A member may not read some of its partitions any more.
    fn hold(&mut self, time: Time, consumer: &Name, partitions: &[TopicPartition]) {
        self.pass(time);
        for at in partitions {
            if let Some(part) = self.parts.get_mut(at).filter(|part| part.owner.as_ref() == Some(consumer)) {
                part.stop(self.is_live);
            }
        }
    }

    /// A member may read exactly these.
    fn assign(&mut self, time: Time, consumer: &Name, owned: &[TopicPartition], topics: &BTreeMap<Name, u32>) {
        self.pass(time);
        for at in owned.iter().filter(|at| !self.parts.contains_key(at)).collect::<Vec<_>>() {
            let count = topics.get(&at.topic).copied().unwrap_or_default().max(at.partition + 1);
            self.add(time, &at.topic, count);
        }
        for (at, part) in &mut self.parts {
            if owned.contains(at) {
                (part.owner, part.reader) = (Some(consumer.clone()), Some(consumer.clone()));
                part.is_read = true;
            } else if part.owner.as_ref() == Some(consumer) {
                part.stop(self.is_live);
                part.owner = None;
            }
        }
    }
}

impl Part {
    fn stop(&mut self, is_live: bool) {
        self.stops += u64::from(self.is_read && is_live);
        self.is_read = false;
    }
}

/// Microseconds as seconds to a tenth, rounded.
fn tenths(micros: u64) -> String {
    let tenths = (micros + 50_000) / 100_000;
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
#[path = "pauses_tests.rs"]
mod tests;
