//! `--describe`: start offsets and lag of a share group, its members, and its state.
//!
//! Nothing is changed.

use engine::Observer;
use engine::group::{GroupState, GroupType};
use engine::order::Order;
use engine::snapshot::{GroupSnapshot, SharePartitionSnapshot, Snapshot};

use super::listings;
use crate::Printed;
use crate::consumer_groups::{Service, group, shown};
use crate::exception::Exception;
use crate::java_order::{hash_order, string_hash};
use crate::options::Options;
use crate::place::host;
use crate::stop::Stop;

/// What is printed where there is nothing to print.
const MISSING: &str = "-";

/// The groups that are named, or all; by id.
pub(super) fn ids<O: Observer>(service: &mut Service<'_, O>, options: &Options) -> Result<Vec<String>, Stop> {
    let mut ids: Vec<String> = match options.has("all-groups") {
        true => listings(service)?.iter().map(|group| group.group.to_string()).collect(),
        false => options.all("group").to_vec(),
    };
    ids.order();
    ids.dedup();
    Ok(ids)
}

/// A share group of that id, or what DescribeShareGroups throws.
pub(super) fn known<'a>(snapshot: &'a Snapshot, id: &str) -> Result<&'a GroupSnapshot, Exception> {
    let why = match group(snapshot, id) {
        Some(group) if group.group_type == GroupType::Share => return Ok(group),
        Some(_) => "is not a share group.",
        None => "not found.",
    };
    let class = "org.apache.kafka.common.errors.GroupIdNotFoundException";
    Err(Exception::new(class, format!("Group {id} {why}")))
}

/// Prints what is known of groups.
pub(super) fn describe<O: Observer>(
    service: &mut Service<'_, O>,
    options: &Options,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let ids = ids(service, options)?;
    let snapshot = service.coordinated(&ids, "describeShareGroups").map_err(|error| Stop::Failed(error.in_future()))?;
    for id in hash_order(ids.clone(), |id| string_hash(id)) {
        known(&snapshot, &id).map_err(|error| Stop::Failed(error.in_future()))?;
    }
    let is_verbose = options.has("verbose");
    for found in ids.iter().filter_map(|id| group(&snapshot, id)) {
        if options.has("members") {
            print_members(found, is_verbose, printed);
        } else if options.has("state") {
            print_state(found, is_verbose, printed);
        } else {
            print_offsets(found, &offsets(&snapshot, &found.group), is_verbose, printed);
        }
    }
    Ok(())
}

/// What ListShareGroupOffsets tells: every partition that the group may use.
pub(super) fn offsets<'a>(snapshot: &'a Snapshot, group: &str) -> Vec<&'a SharePartitionSnapshot> {
    let mut known: Vec<_> = snapshot.share_partitions.iter().filter(|known| *known.group == *group).collect();
    known.order_by_key(|known| known.partition.clone());
    known
}

fn print_offsets(group: &GroupSnapshot, offsets: &[&SharePartitionSnapshot], is_verbose: bool, printed: &mut Printed) {
    if offsets.is_empty() {
        return printed.out(&format!("\nShare group '{}' has no offset information.\n", group.group));
    }
    let length = |text: &str| text.chars().count();
    let group_width = length(&group.group).max(15);
    let topic_width = offsets.iter().map(|known| length(&known.partition.topic)).max().unwrap_or(0).max(15);
    let mut line = |cells: [&str; 6]| {
        let [id, topic, partition, epoch, start, lag] = cells;
        let epoch = if is_verbose { format!(" {epoch:<13}") } else { String::new() };
        printed.out(&format!("\n{id:<group_width$} {topic:<topic_width$} {partition:<10}{epoch} {start:<13} {lag}"));
    };
    line(["GROUP", "TOPIC", "PARTITION", "LEADER-EPOCH", "START-OFFSET", "LAG"]);
    for known in offsets {
        let text = |number: Option<u64>| number.map_or(MISSING.to_string(), |number| number.to_string());
        let state = known.persisted;
        line([
            &group.group,
            &known.partition.topic,
            &known.partition.partition.to_string(),
            &text(state.map(|state| u64::from(state.leader_epoch))),
            &text(state.map(|state| state.start_offset)),
            &text(state.and_then(|state| state.lag)),
        ]);
    }
    printed.out("\n");
}

/// Tells that nobody is in a group.
fn tell_state(group: &GroupSnapshot, printed: &mut Printed) {
    if group.state == GroupState::Empty {
        printed.out(&format!("\nShare group '{}' has no active members.\n", group.group));
    }
}

fn print_members(group: &GroupSnapshot, is_verbose: bool, printed: &mut Printed) {
    tell_state(group, printed);
    if group.members.is_empty() {
        return;
    }
    let length = |text: &str| text.chars().count();
    let width = |text: &dyn Fn(usize) -> usize| (0..group.members.len()).map(text).max().unwrap_or(0).max(15);
    let group_width = length(&group.group).max(15);
    let member_width = width(&|at| length(&group.members[at].member));
    let host_width = width(&|at| length(&group.members[at].host));
    let client_width = width(&|at| length(&group.members[at].client));
    let mut line = |cells: [&str; 7]| {
        let [id, member, host, client, count, epoch, assignment] = cells;
        let epoch = if is_verbose { format!(" {epoch:<13}") } else { String::new() };
        printed.out(&format!(
            "\n{id:<group_width$} {member:<member_width$} {host:<host_width$} {client:<client_width$} {count:<12}{epoch} \
             {assignment}"
        ));
    };
    line(["GROUP", "CONSUMER-ID", "HOST", "CLIENT-ID", "#PARTITIONS", "MEMBER-EPOCH", "ASSIGNMENT"]);
    for member in &group.members {
        line([
            &group.group,
            &member.member,
            &member.host,
            &member.client,
            &member.assigned.len().to_string(),
            &member.epoch.to_string(),
            &shown(&member.assigned),
        ]);
    }
    printed.out("\n");
}

fn print_state(group: &GroupSnapshot, is_verbose: bool, printed: &mut Printed) {
    tell_state(group, printed);
    let coordinator = group.coordinator.map_or(String::new(), |id| format!("{}  ({id})", host(id)));
    let group_width = group.group.chars().count().max(15);
    let width = coordinator.chars().count().max(25);
    let mut line = |cells: [&str; 6]| {
        let [id, coordinator, state, epoch, target, members] = cells;
        let epochs = if is_verbose { format!(" {epoch:<15} {target:<25}") } else { String::new() };
        printed.out(&format!("\n{id:<group_width$} {coordinator:<width$} {state:<15}{epochs} {members}"));
    };
    line(["GROUP", "COORDINATOR (ID)", "STATE", "GROUP-EPOCH", "TARGET-ASSIGNMENT-EPOCH", "#MEMBERS"]);
    line([
        &group.group,
        &coordinator,
        group.state.name(),
        &group.epoch.to_string(),
        &group.assignment_epoch.to_string(),
        &group.members.len().to_string(),
    ]);
    printed.out("\n");
}
