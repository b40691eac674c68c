//! Groups and memberships in the inspector, and what groups do with a partition.
//!
//! A group is told as its coordinator sees it, a membership as the member does.

use engine::Snapshot;
use engine::event::TopicPartition;
use engine::group::GroupType;
use engine::snapshot::{ConsumerSnapshot, GroupMemberSnapshot, GroupSnapshot, MembershipSnapshot, PartitionSnapshot};
use yew::Html;

use super::{facts, items, text};
use crate::app::session::Session;

/// A group: its state, its epochs, what stood still, its members, and where it is in each partition.
pub(super) fn group(session: &Session, side: usize, snapshot: &Snapshot, name: &str) -> Option<Html> {
    let known = snapshot.groups.iter().find(|one| &*one.group == name);
    let members = || snapshot.consumers.iter().filter_map(|one| Some((one, one.membership.as_ref()?)));
    if known.is_none() && !members().any(|(_, membership)| &*membership.group == name) {
        return None;
    }
    let mut rows = known.map(coordinated).unwrap_or_default();
    let stood = session.read(|player| player.timeline(side).observer().standstill().of(name, player.now()));
    rows.push((
        "paused",
        text(format!(
            "{} partitions now, {} partition-seconds so far",
            stood.now,
            scene::text::tenths(stood.partition_time)
        )),
    ));
    let told: Vec<String> = known.map(|known| known.members.iter().map(member).collect()).unwrap_or_default();
    rows.push(("members", items(&told, "none")));
    rows.push(("offsets", items(&offsets(snapshot, name), "none committed")));
    Some(facts(text(format!("Group {name}")), rows))
}

fn coordinated(known: &GroupSnapshot) -> Vec<(&'static str, Html)> {
    let is_classic = known.group_type == GroupType::Classic;
    let coordinator = known.coordinator.map_or_else(|| "none".to_owned(), |broker| format!("broker {broker}"));
    let mut rows = vec![
        ("type", text(known.group_type.name())),
        ("state", text(known.state.name())),
        ("assignor", text(if known.assignor.is_empty() { "none" } else { &known.assignor })),
        ("coordinator", text(coordinator)),
        ("kept in", text(format!("__consumer_offsets-{}", known.partition))),
    ];
    if is_classic {
        rows.push(("generation", text(known.epoch)));
        rows.push(("leader", text(known.leader.as_deref().unwrap_or("none"))));
    } else {
        rows.push(("group epoch", text(known.epoch)));
        rows.push(("assignment epoch", text(known.assignment_epoch)));
    }
    rows.extend(known.due.map(|due| ("its timer ends", text(due))));
    rows
}

fn member(member: &GroupMemberSnapshot) -> String {
    let instance = member.instance.as_ref().map_or_else(String::new, |instance| format!(", instance {instance}"));
    let joining = if member.is_joining { ", waits for the others" } else { "" };
    let owned = list(&member.assigned);
    format!("{}: {owned}{instance}{joining}, id {}", member.client, member.member)
}

/// Committed offset, position and lag of a group in every partition that it has to do with.
fn offsets(snapshot: &Snapshot, group: &str) -> Vec<String> {
    let committed = snapshot.group_offsets.iter().filter(|one| &*one.group == group).flat_map(|one| &one.committed);
    let told = committed.map(|(at, offset)| {
        let lag = partition(snapshot, at).map_or(0, |found| found.high_watermark.saturating_sub(*offset));
        format!("{at}: committed {offset}, {lag} behind the high watermark")
    });
    told.collect()
}

fn partition<'a>(snapshot: &'a Snapshot, at: &TopicPartition) -> Option<&'a PartitionSnapshot> {
    snapshot.topics.iter().find(|topic| topic.name == at.topic)?.partitions.get(at.partition as usize)
}

fn list(partitions: &[TopicPartition]) -> String {
    let names: Vec<String> = partitions.iter().map(ToString::to_string).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// What a consumer knows of its membership.
pub(super) fn membership(snapshot: &Snapshot, reader: &ConsumerSnapshot) -> Vec<(&'static str, Html)> {
    let Some(known) = &reader.membership else { return Vec::new() };
    let none_if_empty = |name: &str| text(if name.is_empty() { "none" } else { name });
    let mut rows = vec![
        ("group.id", text(&known.group)),
        ("group.protocol", text(known.protocol.name().to_ascii_lowercase())),
        ("member id", none_if_empty(&known.member)),
        ("group.instance.id", none_if_empty(known.instance.as_deref().unwrap_or_default())),
        ("member state", text(format!("{:?}", known.state))),
        (if known.protocol == GroupType::Classic { "generation" } else { "member epoch" }, text(known.generation)),
        ("subscription", text(known.topics.join(", "))),
        ("assignment()", text(list(&known.owned))),
        ("paused()", text(list(&known.paused))),
        ("may not read", text(list(&known.held))),
        ("lag", text(lag(snapshot, reader, known))),
        ("fetched, not polled yet", text(known.buffered_count)),
        ("records processed twice", text(known.repeated_count)),
    ];
    if let Some((callback, partitions)) = &known.callback {
        rows.push((
            "callback that runs",
            text(format!("{}({})", callback.name_in(known.is_librdkafka), list(partitions))),
        ));
    }
    rows.extend(known.busy_until.map(|until| ("busy until", text(until))));
    rows.extend(known.heartbeat_due.map(|due| ("next heartbeat", text(due))));
    rows
}

/// How far a member is behind in what it owns.
fn lag(snapshot: &Snapshot, reader: &ConsumerSnapshot, known: &MembershipSnapshot) -> u64 {
    let position = |owned: &TopicPartition| {
        let here = reader.positions.iter().find(|at| at.topic == owned.topic && at.partition == owned.partition)?;
        Some(partition(snapshot, owned)?.high_watermark.saturating_sub(here.position))
    };
    known.owned.iter().filter_map(position).sum()
}
