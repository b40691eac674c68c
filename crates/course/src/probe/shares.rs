//! Values of share groups: of their partitions and of their members.
//!
//! Paths are taken apart in `probe.rs`; a share group's state and members are those of any group, in `groups.rs`.

use engine::Snapshot;
use engine::share::RecordState;

use super::Reading;
use super::transactions::{listed, text};

/// A value of a share partition: `share/workers/tasks-0/start_offset`, or of all partitions of the group together:
/// `share/workers/archived`. Nothing is known of a group that has not joined.
pub(super) fn of_share(snapshot: &Snapshot, group: &str, rest: &[&str]) -> Option<Reading> {
    let (partition, field) = match rest {
        [field] => (None, *field),
        [partition, field] => (Some(*partition), *field),
        _ => return None,
    };
    let is_asked = |name: String| partition.is_none_or(|asked| name == asked);
    let known = || {
        let of_group = snapshot.share_partitions.iter().filter(|one| *one.group == *group);
        of_group.filter(|one| is_asked(one.partition.to_string()))
    };
    let count = |state: RecordState| {
        let in_flight = known().flat_map(|one| &one.in_flight);
        Reading::Number(in_flight.filter(|record| record.state == state).count() as u64)
    };
    Some(match field {
        "start_offset" => known().next().and_then(|one| one.start_offset).map_or_else(|| text("none"), Reading::Number),
        "held" => count(RecordState::Acquired),
        "available" => count(RecordState::Available),
        "acknowledged" => count(RecordState::Acknowledged),
        "archived" => count(RecordState::Archived),
        "deliveries" => {
            let most = known().flat_map(|one| &one.in_flight).map(|record| record.delivery_count).max();
            Reading::Number(most.unwrap_or(0).into())
        }
        // Who reads it, by name.
        "members" => {
            let members = snapshot.share_consumers.iter().filter(|member| *member.group == *group);
            let reads = members.filter(|member| member.assigned.iter().any(|at| is_asked(at.to_string())));
            listed(reads.map(|member| member.name.to_string()))
        }
        _ => return None,
    })
}

/// A value of a share consumer: `consumer/worker-1/accepted`.
pub(super) fn of_member(snapshot: &Snapshot, name: &str, field: &str) -> Option<Reading> {
    let member = snapshot.share_consumers.iter().rfind(|member| *member.name == *name)?;
    let [accepted, released, rejected] = member.acknowledged_counts;
    Some(Reading::Number(match field {
        "read_count" => member.read_count,
        "held" => member.held.len() as u64,
        "accepted" => accepted,
        "released" => released,
        "rejected" => rejected,
        _ => return None,
    }))
}
