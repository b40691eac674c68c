//! What must be true once every fault is over and nothing has happened for a while.
//!
//! Deliberately not here: what is true all the time (`watch.rs`).

use std::collections::{BTreeMap, BTreeSet};

use engine::event::{Name, TopicPartition};
use engine::group::{ClientMemberState, GroupState};
use engine::snapshot::{
    ClientProcess, ConsumerSnapshot, GroupSnapshot, MembershipSnapshot, PartitionSnapshot, Snapshot,
};

use super::Run;
use super::stage::PATTERNS;

type Check = Result<(), String>;

/// A consumer that takes part in its group.
pub(super) struct Member<'a> {
    pub consumer: &'a ConsumerSnapshot,
    pub membership: &'a MembershipSnapshot,
}

/// The members of a group in their own eyes: consumers that run and subscribe to something.
pub(super) fn members<'a>(snapshot: &'a Snapshot, group: &str) -> Vec<Member<'a>> {
    let member = |consumer: &'a ConsumerSnapshot| {
        let membership = consumer.membership.as_ref()?;
        let is_out = matches!(membership.state, ClientMemberState::Unsubscribed | ClientMemberState::Fatal);
        let is_in = *membership.group == *group && !is_out;
        let runs = consumer.process == ClientProcess::Running && !membership.is_closed;
        (is_in && runs).then_some(Member { consumer, membership })
    };
    snapshot.consumers.iter().filter_map(member).collect()
}

pub(super) fn check(run: &Run) -> Check {
    let snapshot = run.simulation.snapshot(0);
    for (id, _) in &run.plans {
        let members = members(&snapshot, id);
        let group = snapshot.groups.iter().find(|group| *group.group == **id);
        let words = |broken: String| format!("{broken}; group {group:?}");
        agrees(&members, group).map_err(words)?;
        let Some(group) = group.filter(|_| !members.is_empty()) else { continue };
        owned_once(&snapshot, &members, group).map_err(words)?;
        has_read(run, &snapshot, &members).map_err(words)?;
        committed(run, &snapshot, group).map_err(words)?;
    }
    Ok(())
}

/// The coordinator has exactly the members that there are, each with what it owns.
fn agrees(members: &[Member<'_>], group: Option<&GroupSnapshot>) -> Check {
    for Member { consumer, membership } in members {
        if membership.state != ClientMemberState::Stable || membership.callback.is_some() {
            return Err(format!("{} rests in {:?}, {:?}", consumer.name, membership.state, membership.callback));
        }
    }
    let Some(group) = group else {
        return if members.is_empty() { Ok(()) } else { Err("members without a group".to_string()) };
    };
    let expected = if members.is_empty() { GroupState::Empty } else { GroupState::Stable };
    if group.state != expected || group.coordinator.is_none() {
        return Err(format!("it rests in {:?}", group.state));
    }
    let own: BTreeMap<&Name, &[TopicPartition]> =
        members.iter().map(|member| (&member.membership.member, &*member.membership.owned)).collect();
    let told: BTreeMap<&Name, &[TopicPartition]> =
        group.members.iter().map(|member| (&member.member, &*member.assigned)).collect();
    let sorted = |map: BTreeMap<&Name, &[TopicPartition]>| -> BTreeMap<Name, BTreeSet<TopicPartition>> {
        map.into_iter().map(|(id, list)| (id.clone(), list.iter().cloned().collect())).collect()
    };
    let (own, told) = (sorted(own), sorted(told));
    if own != told { Err(format!("members own {own:?}, their coordinator has {told:?}")) } else { Ok(()) }
}

/// Whether a member subscribes to a topic.
fn subscribes(member: &Member<'_>, group: &GroupSnapshot, topic: &Name) -> bool {
    let told = group.members.iter().find(|told| told.member == member.membership.member);
    let pattern = told.and_then(|told| told.pattern.as_ref());
    let matches = PATTERNS.iter().any(|(text, topics)| {
        pattern.is_some_and(|pattern| **pattern == **text) && topics.iter().any(|known| **known == **topic)
    });
    member.membership.topics.contains(topic) || matches
}

/// Every partition of a topic that somebody subscribes to has one owner, who subscribes to it.
fn owned_once(snapshot: &Snapshot, members: &[Member<'_>], group: &GroupSnapshot) -> Check {
    for topic in snapshot.topics.iter().filter(|topic| !topic.is_internal) {
        let is_wanted = members.iter().any(|member| subscribes(member, group, &topic.name));
        for partition in &topic.partitions {
            let name = TopicPartition { topic: topic.name.clone(), partition: partition.partition };
            let owners: Vec<&Member<'_>> =
                members.iter().filter(|member| member.membership.owned.contains(&name)).collect();
            let is_right = match &owners[..] {
                [] => !is_wanted,
                [owner] => subscribes(owner, group, &topic.name),
                _ => false,
            };
            if !is_right {
                let owners: Vec<&Name> = owners.iter().map(|owner| &owner.consumer.name).collect();
                return Err(format!("{name:?} is owned by {owners:?}"));
            }
        }
    }
    Ok(())
}

fn partition<'a>(snapshot: &'a Snapshot, name: &TopicPartition) -> Option<&'a PartitionSnapshot> {
    let topic = snapshot.topics.iter().find(|topic| topic.name == name.topic)?;
    topic.partitions.iter().find(|partition| partition.partition == name.partition)
}

/// Everybody has read to the end, and a group without resets has read everything.
fn has_read(run: &Run, snapshot: &Snapshot, members: &[Member<'_>]) -> Check {
    for Member { consumer, membership } in members {
        for name in &membership.owned {
            let Some(found) = partition(snapshot, name) else { return Err(format!("{name:?} is not there")) };
            // Whoever commits what it has read of a log of commits never comes to its end.
            if membership.paused.contains(name) || name.topic.starts_with("__") {
                continue;
            }
            let position =
                consumer.positions.iter().find(|at| at.topic == name.topic && at.partition == name.partition);
            let position = position.map(|position| position.position);
            if position != Some(found.high_watermark) {
                let end = found.high_watermark;
                return Err(format!("{} stands at {position:?} of {name:?}, which ends at {end}", consumer.name));
            }
            let is_whole = !run.has_resets && run.starts_early(&membership.group);
            if is_whole && !run.watch.is_deleted(&name.topic) {
                let read = run.watch.has_read(&membership.group, name);
                let missing = (0..found.high_watermark).find(|offset| !read.is_some_and(|read| read.contains(offset)));
                if let Some(offset) = missing {
                    return Err(format!("nobody has read {offset} of {name:?}"));
                }
            }
        }
    }
    Ok(())
}

/// What members know to be committed is what the coordinator has, or less.
fn committed(run: &Run, snapshot: &Snapshot, group: &GroupSnapshot) -> Check {
    if run.has_resets {
        return Ok(());
    }
    let offsets = snapshot.group_offsets.iter().find(|offsets| offsets.group == group.group);
    for ((_, partition), known) in run.watch.committed().iter().filter(|((id, _), _)| *id == group.group) {
        let found = offsets.and_then(|offsets| offsets.committed.iter().find(|(name, _)| name == partition));
        if found.is_none_or(|(_, offset)| offset < known) {
            return Err(format!("{known} of {partition:?} was committed, there is {found:?}"));
        }
    }
    Ok(())
}
