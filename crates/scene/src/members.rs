//! Who is in which group, and who owns which partition: found once for a picture, from a snapshot.
//!
//! Decides nothing about places and shapes. What a group thinks is its coordinator's view; what a member owns is its
//! own.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use engine::Snapshot;
use engine::event::{Name, TopicPartition};
use engine::group::{ClientMemberState, GroupState, GroupType};
use engine::snapshot::{
    ClientProcess, ConsumerSnapshot, GroupMemberSnapshot, GroupSnapshot, MembershipSnapshot, PartitionSnapshot,
    ShareConsumerSnapshot,
};

use crate::class::MEMBERS;

/// Letters of a member's sign, at most.
const LETTERS: usize = 3;
/// A topic's name is told in full up to this length, beside the number of a partition.
const TOPIC_SHORT: usize = 8;

/// The color and the letter of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberLook {
    /// Which color, 0 to 7.
    pub color: u8,
    /// What stands on its tabs: unlike that of any other member.
    pub letter: Rc<str>,
}

/// A member with a card.
#[derive(Clone, Debug)]
pub(crate) struct Member<'a> {
    /// Its place in the snapshot's list of consumers.
    pub index: usize,
    pub consumer: &'a ConsumerSnapshot,
    pub membership: &'a MembershipSnapshot,
    /// What the coordinator knows of it.
    pub known: Option<&'a GroupMemberSnapshot>,
    /// What only a member of a share group has.
    pub shared: Option<&'a ShareConsumerSnapshot>,
    pub look: MemberLook,
}

impl Member<'_> {
    /// Its process has ended.
    pub fn is_gone(&self) -> bool {
        self.membership.is_closed
            || self.consumer.process == ClientProcess::Crashed
            || self.consumer.error.is_some() && self.membership.owned.is_empty()
    }

    /// It owns partitions and reads none of them at present, whatever the group does.
    pub fn is_still(&self) -> bool {
        self.consumer.process == ClientProcess::Frozen || self.consumer.is_paused
    }

    /// Whether a partition is its own and may be read.
    pub fn reads(&self, partition: &TopicPartition) -> bool {
        !self.is_gone() && !self.membership.held.contains(partition)
    }

    /// Partitions that its coordinator wants it to have, and that it has not. While a group prepares a rebalance nobody
    /// knows.
    pub fn awaited(&self, group: &Group<'_>) -> Vec<&TopicPartition> {
        let Some(known) = self.known.filter(|_| !self.is_gone() && group.barrier().is_none()) else {
            return Vec::new();
        };
        let wanted = if self.membership.protocol == GroupType::Classic { &known.assigned } else { &known.target };
        wanted.iter().filter(|partition| !self.membership.owned.contains(partition)).collect()
    }
}

/// A group with members on the stage.
#[derive(Clone, Debug)]
pub(crate) struct Group<'a> {
    pub name: &'a Name,
    /// What its coordinator knows.
    pub state: Option<&'a GroupSnapshot>,
    pub members: Vec<Member<'a>>,
    /// Topics that anybody in it subscribes to, or owns partitions of.
    pub topics: BTreeSet<&'a Name>,
    /// Committed offsets.
    pub committed: BTreeMap<(&'a str, u32), u64>,
    /// Members that its coordinator knows, and that have no card.
    pub stranger_count: usize,
    /// Partitions of its topics that nobody may read, and all of them.
    pub paused: (usize, usize),
}

impl Group<'_> {
    /// Its protocol.
    pub fn group_type(&self) -> GroupType {
        let of_member = || self.members.first().map(|member| member.membership.protocol);
        self.state
            .filter(|state| !state.members.is_empty())
            .map(|state| state.group_type)
            .or_else(of_member)
            .unwrap_or_default()
    }

    /// Whether anybody in it could read: while nobody is there, nothing is paused.
    pub fn is_live(&self) -> bool {
        match self.state {
            Some(state) if matches!(state.state, GroupState::Empty | GroupState::Dead) => false,
            Some(state) if !state.members.is_empty() => true,
            _ => self.members.iter().any(|member| !member.is_gone() && !member.membership.owned.is_empty()),
        }
    }

    /// Members wait for each other: who has joined, and of how many. None if nobody waits.
    pub fn barrier(&self) -> Option<(usize, usize)> {
        let state = self.state?;
        let all = state.members.len();
        match state.state {
            _ if self.group_type() != GroupType::Classic => None,
            GroupState::PreparingRebalance => Some((state.members.iter().filter(|one| one.is_joining).count(), all)),
            GroupState::CompletingRebalance => Some((all, all)),
            _ => None,
        }
    }

    /// A partition as short as the group's topics allow: `p3`, or with the topic's name.
    pub fn partition_word(&self, partition: &TopicPartition) -> String {
        if self.topics.len() < 2 {
            return format!("p{}", partition.partition);
        }
        let letters: Vec<char> = partition.topic.chars().collect();
        if letters.len() <= TOPIC_SHORT {
            return partition.to_string();
        }
        // What several topics begin with tells nothing.
        let common = common_prefix(self.topics.iter().map(|topic| &***topic));
        let rest = &letters[common.min(letters.len() - 1)..];
        let short: String = rest.iter().take(TOPIC_SHORT).collect();
        format!("{short}-{}", partition.partition)
    }
}

/// What one group does with a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Which group.
    pub group: usize,
    /// Which of its members owns it.
    pub member: Option<usize>,
    /// Nobody may read it for the group.
    pub is_paused: bool,
}

/// The groups of a snapshot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups<'a> {
    pub groups: Vec<Group<'a>>,
    places: BTreeMap<(&'a str, u32), Vec<Place>>,
    /// High watermarks of all partitions of topics of groups.
    ends: BTreeMap<(&'a str, u32), u64>,
}

impl<'a> Groups<'a> {
    /// Finds them. Groups stand in the order of their first members.
    pub fn of(snapshot: &'a Snapshot) -> Groups<'a> {
        let mut groups: Vec<Group<'a>> = Vec::new();
        let mut looks = looks(snapshot).into_iter();
        for (index, consumer) in snapshot.consumers.iter().enumerate() {
            let Some(membership) = membership(consumer) else { continue };
            let at = groups.iter().position(|group| *group.name == membership.group).unwrap_or_else(|| {
                groups.push(group(snapshot, &membership.group));
                groups.len() - 1
            });
            let known = groups[at].state.and_then(|state| known(state, consumer, membership));
            let look = looks.next().expect("every member has a look");
            let is_shared = membership.protocol == GroupType::Share;
            let shared = snapshot.share_consumers.iter().find(|one| is_shared && one.name == consumer.name);
            groups[at].members.push(Member { index, consumer, membership, known, shared, look });
        }
        for group in &mut groups {
            let members = || group.members.iter();
            let topics = members().flat_map(|one| one.membership.topics.iter().chain(owned_topics(one)));
            group.topics = engine::order::set(topics);
            let known = members().filter(|one| one.known.is_some()).count();
            group.stranger_count = group.state.map_or(0, |state| state.members.len().saturating_sub(known));
        }
        let places = places(snapshot, &groups);
        for place in places.values().flatten() {
            let (paused, all) = &mut groups[place.group].paused;
            *paused += usize::from(place.is_paused);
            *all += 1;
        }
        let ends = snapshot
            .topics
            .iter()
            .flat_map(|topic| topic.partitions.iter().map(|one| ((&*topic.name, one.partition), one.high_watermark)));
        let ends = engine::order::map(ends.filter(|(at, _)| places.contains_key(at)));
        Groups { groups, places, ends }
    }

    /// How far a member is behind in all that it owns.
    pub fn lag_of(&self, member: &Member<'_>) -> u64 {
        let owned: BTreeSet<(&str, u32)> =
            engine::order::set(member.membership.owned.iter().map(|one| (&*one.topic, one.partition)));
        let here = member.consumer.positions.iter().filter(|at| owned.contains(&(&*at.topic, at.partition)));
        here.map(|at| self.end(&at.topic, at.partition).saturating_sub(at.position)).sum()
    }

    fn end<'b>(&'b self, topic: &'b str, partition: u32) -> u64 {
        self.ends.get(&(topic, partition)).copied().unwrap_or_default()
    }

    /// What groups do with a partition, in the order of groups.
    pub fn places<'b>(&'b self, topic: &'b str, partition: u32) -> &'b [Place] {
        self.places.get(&(topic, partition)).map_or(&[], Vec::as_slice)
    }

    /// The owner of a place.
    pub fn owner(&self, place: Place) -> Option<&Member<'a>> {
        self.groups[place.group].members.get(place.member?)
    }

    /// Where a group stands in a partition: the owner's position, the committed offset, and how far the position, or
    /// without an owner the committed offset, is behind the high watermark.
    pub fn progress(&self, place: Place, topic: &str, partition: &PartitionSnapshot) -> Progress {
        let position = self.owner(place).and_then(|owner| {
            let is_here = |one: &&engine::snapshot::PositionSnapshot| {
                *one.topic == *topic && one.partition == partition.partition
            };
            Some(owner.consumer.positions.iter().find(is_here)?.position)
        });
        let committed = self.groups[place.group].committed.get(&(topic, partition.partition)).copied();
        let lag = position.or(committed).map(|offset| partition.high_watermark.saturating_sub(offset));
        Progress { position, committed, lag }
    }
}

/// Where a group stands in a partition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    pub position: Option<u64>,
    pub committed: Option<u64>,
    pub lag: Option<u64>,
}

/// The membership of a consumer; none if its application assigns partitions itself and only commits for the group.
pub(crate) fn membership(consumer: &ConsumerSnapshot) -> Option<&MembershipSnapshot> {
    let is_member = |one: &&MembershipSnapshot| {
        let has_joined = !one.member.is_empty() || one.state != ClientMemberState::Unsubscribed;
        has_joined || !one.topics.is_empty() || one.owned.is_empty()
    };
    consumer.membership.as_ref().filter(is_member)
}

fn group<'a>(snapshot: &'a Snapshot, name: &'a Name) -> Group<'a> {
    let offsets = snapshot.group_offsets.iter().find(|one| one.group == *name);
    let committed = offsets.into_iter().flat_map(|one| &one.committed);
    Group {
        name,
        state: snapshot.groups.iter().find(|one| one.group == *name),
        members: Vec::new(),
        topics: BTreeSet::new(),
        committed: engine::order::map(committed.map(|(at, offset)| ((&*at.topic, at.partition), *offset))),
        stranger_count: 0,
        paused: (0, 0),
    }
}

/// The coordinator's view of a member: by its member id, else by its `client.id` before it knows its id.
fn known<'a>(
    state: &'a GroupSnapshot,
    consumer: &ConsumerSnapshot,
    membership: &MembershipSnapshot,
) -> Option<&'a GroupMemberSnapshot> {
    let by_id = state.members.iter().find(|one| one.member == membership.member);
    by_id.or_else(|| {
        let is_it = |one: &&GroupMemberSnapshot| one.client == consumer.name && membership.member.is_empty();
        state.members.iter().find(is_it)
    })
}

fn owned_topics<'a>(member: &Member<'a>) -> impl Iterator<Item = &'a Name> {
    member.membership.owned.iter().map(|partition| &partition.topic)
}

/// Every partition of the topics of each group, with its owner.
fn places<'a>(snapshot: &'a Snapshot, groups: &[Group<'a>]) -> BTreeMap<(&'a str, u32), Vec<Place>> {
    let mut places: BTreeMap<(&'a str, u32), Vec<Place>> = BTreeMap::new();
    // Partitions of a share group have no owner: see `share.rs`.
    for (index, group) in groups.iter().enumerate().filter(|(_, group)| group.group_type() != GroupType::Share) {
        let is_live = group.is_live();
        for topic in snapshot.topics.iter().filter(|topic| group.topics.contains(&topic.name)) {
            for partition in &topic.partitions {
                let place = Place { group: index, member: None, is_paused: is_live };
                places.entry((&topic.name, partition.partition)).or_default().push(place);
            }
        }
        for (at, member) in group.members.iter().enumerate() {
            for owned in &member.membership.owned {
                let Some(known) = places.get_mut(&(&*owned.topic, owned.partition)) else { continue };
                let Some(place) = known.iter_mut().find(|place| place.group == index) else { continue };
                // One that still believes to own what another one reads is not its owner.
                if place.member.is_none() || place.is_paused {
                    (place.member, place.is_paused) = (Some(at), is_live && !member.reads(owned));
                }
            }
        }
    }
    places
}

/// Colors by the order of members, letters by their names.
fn looks(snapshot: &Snapshot) -> Vec<MemberLook> {
    let names: Vec<&str> =
        snapshot.consumers.iter().filter(|one| membership(one).is_some()).map(|one| &*one.name).collect();
    let letters = letters(&names);
    letters
        .into_iter()
        .enumerate()
        .map(|(index, letter)| MemberLook { color: (index % usize::from(MEMBERS)) as u8, letter })
        .collect()
}

/// What tells names apart, in a few letters: their ends, else their beginnings, else a number.
fn letters(names: &[&str]) -> Vec<Rc<str>> {
    let mut taken: BTreeSet<Rc<str>> = BTreeSet::new();
    let mut letters = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let beginning = |count: usize| name.chars().take(count).collect::<String>().to_uppercase();
        let wanted = [end_of(name), beginning(1), beginning(2), (index + 1).to_string(), format!("#{}", index + 1)];
        let letter: Rc<str> = wanted.into_iter().map(Rc::from).find(|one| !taken.contains(one)).unwrap_or_default();
        taken.insert(Rc::clone(&letter));
        letters.push(letter);
    }
    letters
}

/// The last part of a name if it is short, else the number at its end, else its first letter.
fn end_of(name: &str) -> String {
    let last = name.rsplit(['-', '_', ' ', '.']).next().unwrap_or(name);
    if (1..=LETTERS).contains(&last.chars().count()) {
        return last.to_uppercase();
    }
    // `worker12` ends with its number.
    let digits: String = last.chars().rev().take_while(char::is_ascii_digit).collect();
    if (1..=LETTERS).contains(&digits.len()) {
        return digits.chars().rev().collect();
    }
    name.chars().next().map_or_else(|| "?".to_string(), |letter| letter.to_uppercase().collect())
}

/// How many letters all words begin with.
fn common_prefix<'b>(mut words: impl Iterator<Item = &'b str>) -> usize {
    let Some(first) = words.next() else { return 0 };
    let mut common: Vec<char> = first.chars().collect();
    for word in words {
        let same = common.iter().zip(word.chars()).take_while(|(one, other)| **one == *other).count();
        common.truncate(same);
    }
    common.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::groups;

    fn check(names: &[&str], expected: &[&str]) {
        let found = letters(names);
        assert_eq!(found.iter().map(|letter| &**letter).collect::<Vec<&str>>(), expected, "{names:?}");
    }

    #[test]
    fn letters_tell_members_apart() {
        check(&["consumer-A", "consumer-B"], &["A", "B"]);
        check(&["worker1", "worker12"], &["1", "12"]);
        check(&["loader", "audit"], &["L", "A"]);
        check(&["consumer-A", "audit", "analytics"], &["A", "AU", "AN"]);
        check(&["same", "same", "same"], &["S", "SA", "3"]);
        check(&["a", "-"], &["A", "-"]);
    }

    #[test]
    fn a_partition_that_is_given_up_is_paused_and_keeps_its_owner() {
        let snapshot = groups::cooperative();
        let groups = Groups::of(&snapshot);
        let of = |partition: u32| {
            let place = groups.places("events", partition)[0];
            (groups.owner(place).map(|owner| &*owner.look.letter), place.is_paused)
        };
        assert_eq!([0, 2, 3, 5].map(of), [(Some("A"), false), (Some("A"), true), (Some("B"), false), (None, true)]);
        assert_eq!(groups.groups[0].paused, (2, 6));
    }

    #[test]
    fn nothing_is_paused_in_a_group_without_members() {
        let mut snapshot = groups::cooperative();
        snapshot.groups[0].members.clear();
        snapshot.groups[0].state = GroupState::Empty;
        for consumer in &mut snapshot.consumers {
            let membership = consumer.membership.as_mut().expect("a member");
            (membership.is_closed, membership.owned) = (true, Vec::new());
        }
        assert_eq!(Groups::of(&snapshot).groups[0].paused, (0, 6));
    }
}
