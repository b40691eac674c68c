//! Groups and members in words: for labels, for the tree, and for headings.
//!
//! No places and no shapes.

use engine::Time;
use engine::event::TopicPartition;
use engine::group::{ClientMemberState, GroupType, MemberState};
use engine::snapshot::{ClientProcess, PartitionSnapshot};

use super::words::{counted, records};
use crate::members::{Group, Groups, Member};
use crate::text;

/// An application that works on what it polled for so long is told to be busy, in microseconds.
const BUSY: u64 = 500_000;

/// A group's protocol.
pub(super) fn protocol_words(group: &Group<'_>, is_wide: bool) -> String {
    protocol_name(group.group_type(), is_wide)
}

/// The name of a protocol, alone or as words of their own.
pub(super) fn protocol_name(group_type: GroupType, is_wide: bool) -> String {
    let name = match group_type {
        GroupType::Classic => "classic",
        GroupType::Consumer => "consumer",
        GroupType::Share => "share",
    };
    if is_wide { format!("{name} protocol") } else { name.to_string() }
}

/// The generation, or the group's epochs.
pub(super) fn epoch_words(group: &Group<'_>) -> String {
    let Some(state) = group.state else { return String::new() };
    match group.group_type() {
        GroupType::Classic => format!("generation {}", state.epoch),
        _ if state.assignment_epoch == state.epoch => format!("epoch {}", state.epoch),
        _ => format!("epoch {}, target {}", state.epoch, state.assignment_epoch),
    }
}

/// A group in one sentence.
pub(crate) fn group_words(group: &Group<'_>) -> String {
    let mut words = format!("group {}, {}", group.name, protocol_words(group, true));
    match group.state {
        None => words.push_str(", not known to a coordinator"),
        Some(state) => {
            words.push_str(&format!(", {}, {}", state.state.name(), epoch_words(group)));
            if !state.assignor.is_empty() {
                words.push_str(&format!(", assignor {}", state.assignor));
            }
            match state.coordinator {
                Some(broker) => words.push_str(&format!(", coordinated by broker {broker}")),
                None => words.push_str(", no coordinator"),
            }
            words.push_str(&format!(", kept in __consumer_offsets-{}", state.partition));
            words.push_str(&format!(", {}", counted(state.members.len() as u64, "member", "members")));
        }
    }
    if let Some((joined, all)) = group.barrier() {
        words.push_str(&format!(", {joined} of {all} have joined"));
    }
    if let (paused @ 1.., all) = group.paused {
        words.push_str(&format!(", {paused} of {all} partitions paused"));
    }
    if group.stranger_count > 0 {
        words.push_str(&format!(", {} without a process", group.stranger_count));
    }
    words
}

/// Partitions as the group calls them: "p0, p1".
pub(crate) fn partition_list(group: &Group<'_>, partitions: &[TopicPartition]) -> String {
    let words: Vec<String> = partitions.iter().map(|partition| group.partition_word(partition)).collect();
    if words.is_empty() { "nothing".to_string() } else { words.join(", ") }
}

/// A member in one sentence. Long lists of partitions are counted.
pub(crate) fn member_words(group: &Group<'_>, member: &Member<'_>, lag: u64) -> String {
    let membership = member.membership;
    let kind = if member.shared.is_some() { "share consumer" } else { "consumer" };
    let mut words = format!("{kind} {}, member of {}", member.consumer.name, group.name);
    if let Some(process) = process_word(member) {
        words.push_str(&format!(", {process}"));
    }
    if let Some(instance) = &membership.instance {
        words.push_str(&format!(", static member {instance}"));
    }
    words.push_str(&format!(", {}, {}", state_name(membership.state), generation_words(member)));
    if let Some(known) = member.known.filter(|_| membership.protocol == GroupType::Consumer) {
        words.push_str(&format!(", {} at the coordinator", known.state.name()));
    }
    let owned = match membership.owned.len() {
        0..=8 => partition_list(group, &membership.owned),
        many => counted(many as u64, "partition", "partitions"),
    };
    if let Some(shared) = member.shared {
        let [accepted, released, rejected] = shared.acknowledged_counts;
        words.push_str(&format!(", reads {owned}, holds {}", records(shared.held.len() as u64)));
        words.push_str(&format!(", has read {}", records(member.consumer.read_count)));
        words.push_str(&format!(", accepted {accepted}, released {released}, rejected {rejected}"));
        return words;
    }
    words.push_str(&format!(", owns {owned}"));
    if !membership.held.is_empty() {
        words.push_str(&format!(", may not read {}", partition_list(group, &membership.held)));
    }
    if let Some((callback, partitions)) = &membership.callback {
        let name = callback.name_in(membership.is_librdkafka);
        words.push_str(&format!(", in {name} with {}", partition_list(group, partitions)));
    }
    words.push_str(&format!(", has read {}, lag {}", records(member.consumer.read_count), text::count(lag)));
    if membership.repeated_count > 0 {
        words.push_str(&format!(", {} twice", records(membership.repeated_count)));
    }
    words
}

/// How a member's process is, if that is unusual.
pub(super) fn process_word(member: &Member<'_>) -> Option<&'static str> {
    match member.consumer.process {
        ClientProcess::Crashed => Some("crashed"),
        ClientProcess::Frozen => Some("stands still"),
        ClientProcess::Running if member.membership.is_closed => Some("closed"),
        ClientProcess::Running if member.consumer.error.is_some() => Some("ended"),
        ClientProcess::Running if member.consumer.is_paused => Some("does not poll"),
        ClientProcess::Running => None,
    }
}

/// Generation or member epoch.
pub(super) fn generation_words(member: &Member<'_>) -> String {
    let generation = member.membership.generation;
    match member.membership.protocol {
        GroupType::Classic if generation < 0 => "no generation".to_string(),
        GroupType::Classic => format!("generation {generation}"),
        _ if generation < 0 => "no epoch".to_string(),
        _ => format!("epoch {generation}"),
    }
}

/// What is told of a member besides numbers: its callback, else its state or what the coordinator waits for.
pub(super) fn telling_state(member: &Member<'_>, now: Time) -> Option<String> {
    if member.is_gone() {
        return None;
    }
    if let Some((callback, _)) = &member.membership.callback {
        return Some(format!("in {}", callback.name_in(member.membership.is_librdkafka)));
    }
    let busy = member.membership.busy_until.filter(|until| until.since(now).0 >= BUSY);
    match (member.membership.state, member.known.map(|known| known.state)) {
        (ClientMemberState::Stable, _) if busy.is_some() => busy.map(|until| format!("busy until {until}")),
        (ClientMemberState::Stable, Some(MemberState::UnreleasedPartitions))
            if member.membership.protocol == GroupType::Consumer =>
        {
            Some("waits for others".to_string())
        }
        (ClientMemberState::Stable, _) => None,
        (state, _) => Some(state_name(state).to_string()),
    }
}

/// The state in the member's own eyes, in words.
fn state_name(state: ClientMemberState) -> &'static str {
    match state {
        ClientMemberState::Unsubscribed => "not subscribed",
        ClientMemberState::Joining => "joining",
        ClientMemberState::PreparingRebalance => "prepares to join again",
        ClientMemberState::CompletingRebalance => "waits for its assignment",
        ClientMemberState::Reconciling => "reconciling",
        ClientMemberState::Acknowledging => "acknowledging",
        ClientMemberState::Stable => "stable",
        ClientMemberState::Fenced => "fenced",
        ClientMemberState::PrepareLeaving => "about to leave",
        ClientMemberState::Leaving => "leaving",
        ClientMemberState::Stale => "stale: polled too late",
        ClientMemberState::Fatal => "failed for good",
    }
}

/// What groups do with a partition: ", read by A for payments, position 5, committed 4, lag 3".
pub(crate) fn places_words(groups: &Groups<'_>, topic: &str, partition: &PartitionSnapshot) -> String {
    let mut words = String::new();
    for place in groups.places(topic, partition.partition) {
        let group = groups.groups[place.group].name;
        let progress = groups.progress(*place, topic, partition);
        match groups.owner(*place) {
            Some(owner) if place.is_paused => {
                words.push_str(&format!(", owned by {} of {group} and read by nobody", owner.consumer.name));
            }
            Some(owner) => words.push_str(&format!(", read by {} of {group}", owner.consumer.name)),
            None => words.push_str(&format!(", read by nobody of {group}")),
        }
        for (name, offset) in
            [("position", progress.position), ("committed", progress.committed), ("lag", progress.lag)]
        {
            words.extend(offset.map(|offset| format!(", {name} {offset}")));
        }
    }
    words
}
