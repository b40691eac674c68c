//! `--describe --members`: who is in a group, and what each of them has.
//!
//! The header is printed even if nobody is in it.

use engine::event::TopicPartition;
use engine::group::GroupType;
use engine::order::Order;
use engine::snapshot::{GroupMemberSnapshot, GroupSnapshot};

use super::describe::{MISSING, tell_state};
use crate::Printed;

/// The widths of the columns, each at least as wide as the tool wants it.
struct Widths {
    group: usize,
    member: usize,
    instance: usize,
    host: usize,
    client: usize,
    current: usize,
    target: usize,
}

/// Prints the members of a group.
pub(super) fn print_members(group: &GroupSnapshot, is_verbose: bool, printed: &mut Printed) {
    let has_table = tell_state(group, group.members.len(), printed);
    let members = if has_table { &group.members[..] } else { &[] };
    let length = |text: &str| text.chars().count();
    let width = |least: usize, text: &dyn Fn(&GroupMemberSnapshot) -> usize| {
        members.iter().map(text).max().unwrap_or(0).max(least)
    };
    let is_consumer = group.group_type == GroupType::Consumer;
    let targets = |member: &GroupMemberSnapshot| if is_consumer { shown(&member.target) } else { MISSING.to_string() };
    let instance = |member: &GroupMemberSnapshot| member.instance.as_deref().unwrap_or_default().to_string();
    let widths = Widths {
        group: if members.is_empty() { 15 } else { length(&group.group).max(15) },
        member: width(15, &|member| length(&member.member)),
        instance: width(17, &|member| length(&instance(member))),
        host: width(15, &|member| length(&member.host)),
        client: width(15, &|member| length(&member.client)),
        current: width(20, &|member| length(&shown(&member.described()))),
        target: width(20, &|member| length(&targets(member))),
    };
    let has_instance = members.iter().any(|member| !instance(member).is_empty());
    let is_mixed = is_consumer
        && members.iter().any(|member| member.is_classic)
        && members.iter().any(|member| !member.is_classic);
    printed.out("\n");
    let mut line = |cells: [&str; 11]| {
        let [id, member, instance, host, client, count, epoch, current, target_epoch, target, upgraded] = cells;
        let Widths { group: a, member: b, instance: c, host: d, client: e, current: f, target: g } = widths;
        let instance = if has_instance { format!(" {instance:<c$}") } else { String::new() };
        let mut text = format!("{id:<a$} {member:<b$}{instance} {host:<d$} {client:<e$} {count:<15} ");
        if is_verbose {
            text.push_str(&format!("{epoch:<15} {current:<f$} {target_epoch:<15} {target:<g$}"));
            if is_mixed {
                text.push_str(&format!(" {upgraded}"));
            }
        }
        printed.out(&format!("{text}\n"));
    };
    line([
        "GROUP",
        "CONSUMER-ID",
        "GROUP-INSTANCE-ID",
        "HOST",
        "CLIENT-ID",
        "#PARTITIONS",
        "CURRENT-EPOCH",
        "CURRENT-ASSIGNMENT",
        "TARGET-EPOCH",
        "TARGET-ASSIGNMENT",
        "UPGRADED",
    ]);
    let epoch = |epoch: i32| if is_consumer { epoch.to_string() } else { MISSING.to_string() };
    for member in members {
        line([
            &group.group,
            &member.member,
            &instance(member),
            &member.host,
            &member.client,
            &member.described().len().to_string(),
            &epoch(member.epoch),
            &shown(&member.described()),
            &epoch(group.assignment_epoch),
            &targets(member),
            if member.is_classic { "false" } else { "true" },
        ]);
    }
}

/// Partitions as `orders:0,1;payments:2`.
pub(crate) fn shown(partitions: &[TopicPartition]) -> String {
    let mut sorted: Vec<&TopicPartition> = partitions.iter().collect();
    sorted.order();
    let mut topics: Vec<(&str, String)> = Vec::new();
    for name in sorted {
        match topics.last_mut().filter(|(topic, _)| *topic == &*name.topic) {
            Some((_, text)) => text.push_str(&format!(",{}", name.partition)),
            None => topics.push((&name.topic, format!("{}:{}", name.topic, name.partition))),
        }
    }
    // The tool sorts what it has put together, so "a-b:0" comes before "a:0".
    let mut texts: Vec<String> = topics.into_iter().map(|(_, text)| text).collect();
    texts.order();
    if texts.is_empty() { MISSING.to_string() } else { texts.join(";") }
}
