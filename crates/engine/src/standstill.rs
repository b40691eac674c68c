//! How long the partitions of a group stood still: time in which no member might read them.
//!
//! Told from events alone, so that the same counter serves pictures, comparisons and checks. It is no metric of
//! Kafka's. Simplified: a process that is frozen or busy counts as one that reads.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::event::{Event, EventKind, Name, NodeId, TopicPartition};
use crate::group::{Callback, GroupEvent, GroupState};
use crate::scenario::ConsumerSpec;
use crate::time::{Duration, Time};
use crate::transaction::TransactionEvent;
use crate::{Command, Scenario};

/// The counter of all groups of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standstill {
    /// The group of each consumer.
    groups_of: BTreeMap<Name, Name>,
    groups: BTreeMap<Name, Group>,
    now: Time,
}

/// What a group's partitions did since the count began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stood {
    /// Partitions that nobody may read now.
    pub now: u32,
    /// Time, summed over the partitions: two of them for a second are two seconds.
    pub partition_time: Duration,
    /// The same since a member last joined, left or was removed.
    pub since_change: Duration,
    /// Partitions that stood still at least once.
    pub stopped: u32,
    /// Partitions whose reader is another one than when the count began.
    pub moved: u32,
    /// Which these are, in order.
    pub moved_partitions: Vec<TopicPartition>,
    /// Partitions that `onPartitionsAssigned` named, each time that it did.
    pub given: u32,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Group {
    /// Every partition that had a reader once, with the one it has now.
    readers: BTreeMap<TopicPartition, Option<Name>>,
    /// When it was last read by nobody, for those that nobody reads.
    idle_since: BTreeMap<TopicPartition, Time>,
    /// Readers when the count began.
    before: BTreeMap<TopicPartition, Name>,
    stopped: BTreeSet<TopicPartition>,
    given: u32,
    counted: Duration,
    /// What was counted when a member last joined, left or was removed.
    counted_before: Duration,
    /// It has no members: then nobody waits for its partitions.
    is_empty: bool,
}

impl Standstill {
    /// A counter that knows the consumers of a scenario; others are learned from commands.
    pub fn new(scenario: &Scenario) -> Standstill {
        let mut standstill = Standstill::default();
        scenario.consumers.iter().for_each(|consumer| standstill.learn(consumer));
        standstill
    }

    fn learn(&mut self, consumer: &ConsumerSpec) {
        if let Some(group) = consumer.configs.get("group.id") {
            self.groups_of.insert(consumer.name.as_str().into(), group.as_str().into());
        }
    }

    /// Whether an event can change what is counted.
    pub fn concerns(event: &EventKind) -> bool {
        match event {
            EventKind::CommandApplied { command, .. } => matches!(**command, Command::Consumer(_)),
            EventKind::Transaction(event) => matches!(event, TransactionEvent::ClientCrashed { .. }),
            EventKind::Group(event) => matches!(
                event,
                GroupEvent::MemberJoined { .. }
                    | GroupEvent::GroupStateChanged { .. }
                    | GroupEvent::CallbackStarted { .. }
                    | GroupEvent::AssignmentChanged { .. }
                    | GroupEvent::ConsumerClosed { .. }
            ),
            _ => false,
        }
    }

    /// Takes the next event in.
    pub fn take(&mut self, event: &Event) {
        self.now = event.moment.time;
        match &event.kind {
            EventKind::CommandApplied { command, .. } => {
                if let Command::Consumer(spec) = &**command {
                    self.learn(spec);
                }
            }
            EventKind::Group(event) => self.take_group(event),
            EventKind::Transaction(TransactionEvent::ClientCrashed { client: NodeId::Consumer { name } }) => {
                self.read_by(&Rc::clone(name), &[]);
            }
            _ => {}
        }
    }

    fn take_group(&mut self, event: &GroupEvent) {
        match event {
            GroupEvent::MemberJoined { client, group, .. } => {
                // Without the scenario, a consumer's `client.id` tells its group.
                if !self.groups_of.contains_key(client) {
                    self.groups_of.insert(Rc::clone(client), Rc::clone(group));
                }
                self.change(group);
            }
            GroupEvent::MemberRemoved { group, .. } => self.change(group),
            GroupEvent::GroupStateChanged { group, state, .. } => {
                let now = self.now;
                let is_empty = matches!(state, GroupState::Empty | GroupState::Dead);
                self.groups.get_mut(group).into_iter().for_each(|group| group.turn(is_empty, now));
            }
            GroupEvent::CallbackStarted {
                consumer, callback: Callback::Revoked | Callback::Lost, partitions, ..
            } => {
                let now = self.now;
                if let Some(group) = self.group_of(consumer) {
                    partitions.iter().for_each(|partition| group.give_up(partition, consumer, now));
                }
            }
            GroupEvent::CallbackStarted { consumer, callback: Callback::Assigned, partitions, .. } => {
                if let Some(group) = self.group_of(consumer) {
                    group.given += partitions.len() as u32;
                }
            }
            GroupEvent::AssignmentChanged { consumer, owned } => self.read_by(consumer, owned),
            GroupEvent::ConsumerClosed { consumer } => self.read_by(consumer, &[]),
            _ => {}
        }
    }

    /// Other members than before: the time of this rebalance is counted from here on.
    fn change(&mut self, group: &Name) {
        let now = self.now;
        if let Some(group) = self.groups.get_mut(group) {
            group.counted_before = group.total(now);
        }
    }

    fn group_of(&mut self, consumer: &Name) -> Option<&mut Group> {
        let group = self.groups_of.get(consumer)?;
        if !self.groups.contains_key(group) {
            self.groups.insert(Rc::clone(group), Group::default());
        }
        self.groups.get_mut(group)
    }

    /// A consumer reads exactly these from now on.
    fn read_by(&mut self, consumer: &Name, owned: &[TopicPartition]) {
        let now = self.now;
        let Some(group) = self.group_of(consumer) else { return };
        let given_up = group
            .readers
            .iter()
            .filter(|(partition, reader)| reader.as_ref() == Some(consumer) && !owned.contains(partition));
        let given_up: Vec<TopicPartition> = given_up.map(|(partition, _)| partition.clone()).collect();
        given_up.iter().for_each(|partition| group.give_up(partition, consumer, now));
        for partition in owned {
            group.readers.insert(partition.clone(), Some(Rc::clone(consumer)));
            if let Some(since) = group.idle_since.remove(partition) {
                group.counted.0 += now.since(since).0;
            }
        }
    }

    /// Counts from this time on.
    pub fn restart(&mut self, now: Time) {
        self.now = now;
        for group in self.groups.values_mut() {
            let with_reader =
                group.readers.iter().filter_map(|(partition, reader)| Some((partition, reader.as_ref()?)));
            let with_reader = with_reader.map(|(partition, reader)| (partition.clone(), Rc::clone(reader)));
            group.before = crate::order::map(with_reader);
            (group.counted, group.counted_before) = (Duration::ZERO, Duration::ZERO);
            group.stopped.clear();
            group.given = 0;
            group.idle_since.values_mut().for_each(|since| *since = self.now);
        }
    }

    /// What a group's partitions did, up to a time.
    pub fn of(&self, group: &str, until: Time) -> Stood {
        let Some(group) = self.groups.get(group) else { return Stood::default() };
        let total = group.total(until);
        let moved = group.before.iter().filter(|(partition, reader)| {
            group.readers.get(partition).and_then(Option::as_ref).is_some_and(|now| now != *reader)
        });
        let moved_partitions: Vec<TopicPartition> = moved.map(|(partition, _)| partition.clone()).collect();
        Stood {
            now: group.idle_since.len() as u32,
            partition_time: total,
            since_change: Duration(total.0.saturating_sub(group.counted_before.0)),
            stopped: group.stopped.len() as u32,
            moved: moved_partitions.len() as u32,
            moved_partitions,
            given: group.given,
        }
    }

    /// Partitions of a group that had a reader once.
    pub fn partition_count(&self, group: &str) -> usize {
        self.groups.get(group).map_or(0, |group| group.readers.len())
    }

    /// The groups that had a reader once, by name.
    pub fn groups(&self) -> impl Iterator<Item = &Name> {
        self.groups.keys()
    }
}

impl Group {
    /// Time up to now, open stretches included.
    fn total(&self, now: Time) -> Duration {
        Duration(self.counted.0 + self.idle_since.values().map(|since| now.since(*since).0).sum::<u64>())
    }

    /// Its last member has gone, or a first one has come.
    fn turn(&mut self, is_empty: bool, now: Time) {
        self.is_empty = is_empty;
        if is_empty {
            self.counted = self.total(now);
            self.idle_since.clear();
        }
    }

    fn give_up(&mut self, partition: &TopicPartition, consumer: &Name, now: Time) {
        let Some(reader) = self.readers.get_mut(partition) else { return };
        if reader.as_ref() == Some(consumer) {
            *reader = None;
            if !self.is_empty {
                self.idle_since.insert(partition.clone(), now);
                self.stopped.insert(partition.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Moment;
    use crate::group::GroupType;

    /// Steps such as `17600 A revoked 0,1` or `17700 A owns 0,1`, from the start of the count at `restart` on.
    fn check(steps: &str, restart: u64, until: u64, expected: (u32, u64, u32, u32)) {
        let mut standstill = Standstill::default();
        for name in ["A", "B", "C"] {
            standstill.groups_of.insert(name.into(), "g".into());
        }
        let mut is_counting = false;
        for step in steps.split("; ") {
            let words: Vec<&str> = step.split(' ').collect();
            let time = Time::from_millis(words[0].parse().unwrap());
            if time >= Time::from_millis(restart) && !std::mem::replace(&mut is_counting, true) {
                standstill.restart(Time::from_millis(restart));
            }
            let consumer: Name = words[1].into();
            let numbers = words.get(3).into_iter().flat_map(|list| list.split(','));
            let partitions: Vec<TopicPartition> = numbers
                .map(|number| TopicPartition { topic: "orders".into(), partition: number.parse().unwrap() })
                .collect();
            let event = match words[2] {
                "owns" => GroupEvent::AssignmentChanged { consumer, owned: partitions },
                "closed" => GroupEvent::ConsumerClosed { consumer },
                "last" => GroupEvent::GroupStateChanged {
                    broker: 1,
                    group: "g".into(),
                    group_type: GroupType::Classic,
                    before: Some(GroupState::Stable),
                    state: GroupState::Empty,
                    epoch: 4,
                },
                _ => GroupEvent::CallbackStarted {
                    consumer,
                    callback: Callback::Revoked,
                    partitions,
                    generation: 1,
                    is_librdkafka: false,
                    owned: Vec::new(),
                },
            };
            let moment = Moment { time, sequence: 0 };
            standstill.take(&Event { moment, index: 0, cause: None, kind: EventKind::Group(event) });
        }
        let stood = standstill.of("g", Time::from_millis(until));
        assert_eq!((stood.now, stood.partition_time.millis(), stood.stopped, stood.moved), expected, "{steps}");
    }

    const START: &str = "9000 A owns 0,1,2; 9000 B owns 3,4,5";

    #[test]
    fn an_eager_join_stops_all_for_a_moment() {
        let join = "17600 A revoked 0,1,2; 17600 A owns; 17600 B revoked 3,4,5; 17600 B owns; 17700 A owns 0,1; \
                    17700 B owns 2,3; 17700 C owns 4,5";
        check(&format!("{START}; {join}"), 17_000, 24_000, (0, 600, 6, 3));
        check(&format!("{START}; {}", &join[..join.find("; 17700").unwrap()]), 17_000, 17_650, (6, 300, 6, 0));
    }

    #[test]
    fn a_cooperative_join_stops_what_moves() {
        let join = "19000 A revoked 2; 19000 A owns 0,1; 19000 B revoked 5; 19000 B owns 3,4; 22000 C owns 2,5; \
                    22000 A owns 0,1";
        check(&format!("{START}; {join}"), 17_000, 24_000, (0, 6_000, 2, 2));
    }

    #[test]
    fn what_a_member_leaves_behind_stands_still() {
        check(&format!("{START}; 24100 B closed"), 24_000, 24_600, (3, 1_500, 3, 0));
        let three = "9000 A owns 0,1; 9000 B owns 2,3; 9000 C owns 4,5; 24100 B revoked 2,3; 24100 B closed";
        let eager = "26600 A revoked 0,1; 26600 A owns; 26600 C revoked 4,5; 26600 C owns; 26700 A owns 0,1,2; \
                     26700 C owns 3,4,5";
        check(&format!("{three}; {eager}"), 24_000, 30_000, (0, 5_600, 6, 2));
        let three = "9000 A owns 0,1; 9000 B owns 3,4; 9000 C owns 2,5; 24100 B closed";
        check(&format!("{three}; 25000 A owns 0,1,3; 25000 C owns 2,4,5"), 24_000, 30_000, (0, 1_800, 2, 2));
        check(&format!("{three}; 26000 A owns 0,1,4; 26200 C owns 2,3,5"), 24_000, 30_000, (0, 4_000, 2, 2));
    }

    #[test]
    fn nothing_stands_still_in_a_group_without_members() {
        check(&format!("{START}; 24100 B closed; 24200 A closed; 24300 x last"), 24_000, 90_000, (0, 900, 6, 0));
        check(&format!("{START}; 24100 B closed; 24200 x last; 24200 A closed"), 24_000, 90_000, (0, 300, 3, 0));
    }
}
