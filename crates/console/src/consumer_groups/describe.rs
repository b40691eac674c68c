//! `--describe`: offsets and lag of a group, and its state.
//!
//! Members are in `members.rs`.

use engine::Observer;
use engine::event::TopicPartition;
use engine::group::{GroupState, GroupType};
use engine::order::Order;
use engine::snapshot::{GroupMemberSnapshot, GroupSnapshot, Snapshot};

use super::members::print_members;
use super::service::{Service, committed, group, partition, unknown_topic};
use super::{list, print_error};
use crate::Printed;
use crate::exception::Exception;
use crate::java_order::{hash_order, string_hash};
use crate::options::Options;
use crate::place::host;
use crate::stop::Stop;

/// What is printed where there is nothing to print.
pub(super) const MISSING: &str = "-";

/// A row of offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    partition: TopicPartition,
    offset: Option<u64>,
    end: Option<u64>,
    member: String,
    host: String,
    client: String,
}

/// Prints what is known of groups.
pub(super) fn describe<O: Observer>(
    service: &mut Service<'_, O>,
    options: &Options,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let ids = if options.has("all-groups") { list::ids(service)? } else { options.all("group").to_vec() };
    let snapshot = service.coordinated(&ids, "describeGroups").map_err(|error| Stop::Failed(error.in_future()))?;
    show(&snapshot, ids, options, printed)
}

/// The same of a cluster that is at hand.
pub(super) fn show(
    snapshot: &Snapshot,
    ids: Vec<String>,
    options: &Options,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let groups = described(snapshot, ids)?;
    let is_verbose = options.has("verbose");
    if options.has("members") {
        groups.iter().for_each(|group| print_members(group, is_verbose, printed));
    } else if options.has("state") {
        groups.iter().for_each(|group| print_state(group, is_verbose, printed));
    } else {
        let rows = groups.iter().map(|group| rows(snapshot, group)).collect::<Result<Vec<_>, _>>();
        let rows = rows.map_err(Stop::Failed)?;
        groups.iter().zip(&rows).for_each(|(group, rows)| print_offsets(group, rows, is_verbose, printed));
    }
    Ok(())
}

/// The groups of these ids, by id. The first in the order of the client's hash table that is unknown ends the tool.
pub(super) fn described(snapshot: &Snapshot, mut ids: Vec<String>) -> Result<Vec<&GroupSnapshot>, Stop> {
    ids.order();
    ids.dedup();
    for id in hash_order(ids.clone(), |id| string_hash(id)) {
        if let Some(error) = unknown_group(snapshot, &id) {
            return Err(Stop::Failed(error.in_future()));
        }
    }
    Ok(ids.iter().filter_map(|id| group(snapshot, id)).collect())
}

/// What DescribeConsumerGroups throws for a group that is none of consumers.
pub(super) fn unknown_group(snapshot: &Snapshot, id: &str) -> Option<Exception> {
    let text = match group(snapshot, id) {
        None => format!("Group {id} not found."),
        Some(group) if group.group_type == GroupType::Share => format!("Group {id} is not a classic group."),
        Some(_) => return None,
    };
    Some(Exception::new("org.apache.kafka.common.errors.GroupIdNotFoundException", text))
}

/// Tells what is special about a group's state; whether a table follows.
pub(super) fn tell_state(group: &GroupSnapshot, rows: usize, printed: &mut Printed) -> bool {
    let id = &group.group;
    match group.state {
        GroupState::Dead => print_error(&format!("Consumer group '{id}' does not exist."), None, printed),
        GroupState::Empty => printed.err(&format!("\nConsumer group '{id}' has no active members.\n")),
        GroupState::Stable => {}
        _ => printed.err(&format!("\nWarning: Consumer group '{id}' is rebalancing.\n")),
    }
    group.state != GroupState::Dead && rows > 0
}

/// Partitions of members, the member with the most partitions first; then those that only have an offset.
fn rows(snapshot: &Snapshot, group: &GroupSnapshot) -> Result<Vec<Row>, Exception> {
    let committed = committed(snapshot, &group.group);
    let row = |name: &TopicPartition, member: Option<&GroupMemberSnapshot>| {
        let in_topic = snapshot.topics.iter().any(|topic| *topic.name == *name.topic);
        if !in_topic {
            return Err(unknown_topic().in_future().inside("java.lang.RuntimeException"));
        }
        let text = |text: fn(&GroupMemberSnapshot) -> &str| member.map_or(MISSING, text).to_string();
        Ok(Row {
            partition: name.clone(),
            offset: committed.iter().find(|(known, _)| known == name).map(|(_, offset)| *offset),
            end: partition(snapshot, name).filter(|found| found.leader.is_some()).map(|found| found.high_watermark),
            member: text(|member| &member.member),
            host: text(|member| &member.host),
            client: text(|member| &member.client),
        })
    };
    let mut members: Vec<(&GroupMemberSnapshot, Vec<TopicPartition>)> =
        group.members.iter().map(|member| (member, member.described())).collect();
    members.order_by_key(|(_, described)| std::cmp::Reverse(described.len()));
    let mut rows = Vec::new();
    for (member, described) in &members {
        for name in described {
            rows.push(row(name, Some(member))?);
        }
    }
    for (name, _) in &committed {
        if !members.iter().any(|(_, described)| described.contains(name)) {
            rows.push(row(name, None)?);
        }
    }
    Ok(rows)
}

fn print_offsets(group: &GroupSnapshot, rows: &[Row], is_verbose: bool, printed: &mut Printed) {
    if !tell_state(group, rows.len(), printed) {
        return;
    }
    let width = |text: &dyn Fn(&Row) -> usize| rows.iter().map(text).max().unwrap_or(0).max(15);
    let length = |text: &str| text.chars().count();
    let group_width = length(&group.group).max(15);
    let topic_width = width(&|row| length(&row.partition.topic));
    let member_width = width(&|row| length(&row.member));
    let host_width = width(&|row| length(&row.host));
    let mut line = |cells: [&str; 9]| {
        let [id, topic, partition, offset, end, lag, member, host, client] = cells;
        // The epoch of the leader is not part of what the simulated coordinator keeps.
        let epoch = match (is_verbose, id) {
            (false, _) => String::new(),
            (true, "GROUP") => format!(" {:<15}", "LEADER-EPOCH"),
            (true, _) => format!(" {MISSING:<15}"),
        };
        printed.out(&format!(
            "\n{id:<group_width$} {topic:<topic_width$} {partition:<10}{epoch} {offset:<15} {end:<15} {lag:<15} \
             {member:<member_width$} {host:<host_width$} {client}"
        ));
    };
    line([
        "GROUP",
        "TOPIC",
        "PARTITION",
        "CURRENT-OFFSET",
        "LOG-END-OFFSET",
        "LAG",
        "CONSUMER-ID",
        "HOST",
        "CLIENT-ID",
    ]);
    let shown = |number: Option<i64>| number.map_or(MISSING.to_string(), |number| number.to_string());
    for row in rows {
        let (offset, end) = (row.offset.map(|offset| offset as i64), row.end.map(|end| end as i64));
        let lag = offset.and_then(|offset| end.map(|end| end - offset));
        line([
            &group.group,
            &row.partition.topic,
            &row.partition.partition.to_string(),
            &shown(offset),
            &shown(end),
            &shown(lag),
            &row.member,
            &row.host,
            &row.client,
        ]);
    }
    printed.out("\n");
}

fn print_state(group: &GroupSnapshot, is_verbose: bool, printed: &mut Printed) {
    if !tell_state(group, 1, printed) {
        return;
    }
    let coordinator = group.coordinator.map_or(String::new(), |id| format!("{}  ({id})", host(id)));
    let is_consumer = group.group_type == GroupType::Consumer;
    // A classic group names its assignor only while it is stable.
    let has_assignor = !group.assignor.is_empty() && (is_consumer || group.state == GroupState::Stable);
    let assignor = if has_assignor { &*group.assignor } else { MISSING };
    let epoch = |epoch: i32| if is_consumer { epoch.to_string() } else { MISSING.to_string() };
    let group_width = group.group.chars().count().max(15);
    let width = coordinator.chars().count().max(25);
    let mut line = |cells: [&str; 7]| {
        let [id, coordinator, assignor, state, epoch, target, members] = cells;
        let epochs = if is_verbose { format!(" {epoch:<15} {target:<25}") } else { String::new() };
        printed
            .out(&format!("\n{id:<group_width$} {coordinator:<width$} {assignor:<20} {state:<20}{epochs} {members}"));
    };
    line([
        "GROUP",
        "COORDINATOR (ID)",
        "ASSIGNMENT-STRATEGY",
        "STATE",
        "GROUP-EPOCH",
        "TARGET-ASSIGNMENT-EPOCH",
        "#MEMBERS",
    ]);
    line([
        &group.group,
        &coordinator,
        assignor,
        group.state.name(),
        &epoch(group.epoch),
        &epoch(group.assignment_epoch),
        &group.members.len().to_string(),
    ]);
    printed.out("\n");
}
