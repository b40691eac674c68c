//! Values of groups and of memberships.
//!
//! Paths are taken apart in `probe.rs`; nothing is computed here that the snapshot does not hold.

use engine::Snapshot;
use engine::event::TopicPartition;
use engine::group::GroupState;
use engine::order::Order;
use engine::snapshot::{ClientProcess, ConsumerSnapshot, GroupMemberSnapshot, GroupSnapshot};

use super::transactions::{listed, text};
use super::{Reading, broker_or_none};

/// A value of a group: `group/analytics/state`, `group/analytics/committed/orders-0`, `group/analytics/lag`,
/// `group/analytics/lag/orders-0`, `group/analytics/read_count`,
/// `group/analytics/member/analytics-1/epoch` (by `client.id`). A group that does not exist has the state `none`.
pub(super) fn of_group(snapshot: &Snapshot, name: &str, rest: &[&str]) -> Option<Reading> {
    let group = snapshot.groups.iter().find(|group| &*group.group == name);
    match (group, rest) {
        (None, ["state"]) => Some(text("none")),
        (None, ["members"]) => Some(Reading::Number(0)),
        (_, ["committed", partition]) => Some(committed(snapshot, name, partition)),
        (_, ["lag"]) => Some(lag(snapshot, name, None)),
        (_, ["lag", partition]) => Some(lag(snapshot, name, Some(partition))),
        (_, ["read_count"]) => Some(Reading::Number(read_count(snapshot, name))),
        (Some(group), [field]) => field_of(group, field),
        (Some(group), ["member", client, field]) => {
            let member = group.members.iter().find(|member| &*member.client == *client || &*member.member == *client);
            member.map_or_else(|| Some(text("none")), |member| of_member(member, field))
        }
        _ => None,
    }
}

fn field_of(group: &GroupSnapshot, field: &str) -> Option<Reading> {
    let counts = || {
        let mut counts: Vec<usize> = group.members.iter().map(|member| member.assigned.len()).collect();
        counts.order_by(|one, other| other.cmp(one));
        counts
    };
    Some(match field {
        "state" => text(group.state.name()),
        "type" => text(group.group_type.name()),
        "is_stable" => Reading::YesNo(group.state == GroupState::Stable),
        "partition" => Reading::Number(u64::from(group.partition)),
        "coordinator" => broker_or_none(group.coordinator),
        "epoch" => number(group.epoch),
        "assignment_epoch" => number(group.assignment_epoch),
        "assignor" => text(if group.assignor.is_empty() { "none" } else { &group.assignor }),
        "members" => Reading::Number(group.members.len() as u64),
        // How many partitions each member has, the most first.
        "split" => listed(counts().into_iter()),
        "idle" => Reading::Number(counts().iter().filter(|count| **count == 0).count() as u64),
        "busy" => Reading::Number(counts().iter().filter(|count| **count > 0).count() as u64),
        "joining" => Reading::Number(group.members.iter().filter(|member| member.is_joining).count() as u64),
        _ => return None,
    })
}

fn of_member(member: &GroupMemberSnapshot, field: &str) -> Option<Reading> {
    Some(match field {
        "id" => text(&member.member),
        "epoch" => number(member.epoch),
        "state" => text(member.state.name()),
        "assigned" => partitions(&member.assigned),
        "target" => partitions(&member.target),
        "revoking" => partitions(&member.revoking),
        "is_classic" => Reading::YesNo(member.is_classic),
        "is_joining" => Reading::YesNo(member.is_joining),
        _ => return None,
    })
}

fn committed(snapshot: &Snapshot, name: &str, partition: &str) -> Reading {
    let group = snapshot.group_offsets.iter().find(|group| &*group.group == name);
    let found = group.and_then(|group| group.committed.iter().find(|(known, _)| known.to_string() == partition));
    found.map_or_else(|| text("none"), |(_, offset)| Reading::Number(*offset))
}

/// The lag of one partition, or of all with a committed offset together; `none` while nothing is committed.
fn lag(snapshot: &Snapshot, name: &str, partition: Option<&str>) -> Reading {
    let is_asked = |known: &TopicPartition| partition.is_none_or(|asked| known.to_string() == asked);
    snapshot.lag(name, &is_asked).map_or_else(|| text("none"), Reading::Number)
}

/// Records that the consumers of a group have read, those included that have left it.
fn read_count(snapshot: &Snapshot, name: &str) -> u64 {
    let is_of = |consumer: &&ConsumerSnapshot| consumer.membership.as_ref().is_some_and(|it| &*it.group == name);
    snapshot.consumers.iter().filter(is_of).map(|consumer| consumer.read_count).sum()
}

/// A value of a consumer that is a member of a group.
pub(super) fn of_membership(consumer: &ConsumerSnapshot, field: &str) -> Option<Reading> {
    match field {
        "process" => {
            return Some(text(match consumer.process {
                ClientProcess::Running => "running",
                ClientProcess::Frozen => "frozen",
                ClientProcess::Crashed => "crashed",
            }));
        }
        "error" => {
            let error = consumer.error.as_ref();
            return Some(error.map_or_else(|| text("none"), |error| Reading::Text(error.to_string())));
        }
        _ => {}
    }
    let membership = consumer.membership.as_ref()?;
    Some(match field {
        "owned" => partitions(&membership.owned),
        "owned_count" => Reading::Number(membership.owned.len() as u64),
        "held" => partitions(&membership.held),
        "paused" => partitions(&membership.paused),
        "generation" => number(membership.generation),
        "member_id" => text(&membership.member),
        "callback" => match &membership.callback {
            Some((callback, of)) => {
                let callback = callback.name_in(membership.is_librdkafka);
                Reading::Text(format!("{callback}({})", of.iter().map(name).collect::<Vec<_>>().join(", ")))
            }
            None => text("none"),
        },
        "is_closed" => Reading::YesNo(membership.is_closed),
        "repeated" => Reading::Number(membership.repeated_count),
        _ => return None,
    })
}

fn partitions(list: &[TopicPartition]) -> Reading {
    let mut sorted: Vec<&TopicPartition> = list.iter().collect();
    sorted.order();
    listed(sorted.into_iter().map(name))
}

fn name(partition: &TopicPartition) -> String {
    partition.to_string()
}

fn number(number: i32) -> Reading {
    u64::try_from(number).map_or_else(|_| Reading::Text(number.to_string()), Reading::Number)
}
