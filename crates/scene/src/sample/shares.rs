//! A share group made by hand: two members that read one partition together, with a record in every state.
//!
//! As `sample.rs`, it need not be reachable by a run.

use engine::group::{ClientMemberState, GroupState, GroupType};
use engine::share::RecordState;
use engine::snapshot::{InFlightRecord, ShareConsumerSnapshot, SharePartitionSnapshot};
use engine::{Snapshot, Time};

use super::groups::{self, group, parts};
use super::{append, cluster, record, topic};

fn member(name: &str) -> ShareConsumerSnapshot {
    ShareConsumerSnapshot {
        name: name.into(),
        group: "workers".into(),
        member: format!("{name}-id").into(),
        state: ClientMemberState::Stable,
        epoch: 2,
        topics: vec!["jobs".into()],
        assigned: parts("jobs", &[0]),
        read_count: 4,
        acknowledged_counts: [1, 0, 0],
        ..ShareConsumerSnapshot::default()
    }
}

/// Offset 0 is done and below the start offset; 1 is acknowledged, 2 archived, 3 and 4 are held, 5 waits for somebody
/// again, and 6 was never delivered.
pub fn two_members() -> Snapshot {
    let mut snapshot = cluster(1);
    snapshot.topics.push(topic("jobs", 1, 1));
    for number in 0..7 {
        append(&mut snapshot.topics[0].partitions[0], record(number, Some("job")));
    }
    snapshot.share_consumers = vec![member("worker-1"), member("worker-2")];
    let in_flight = |offset, state, delivery_count, member: Option<&str>| InFlightRecord {
        offset,
        state,
        delivery_count,
        member: member.map(|name| format!("{name}-id").into()),
        locked_until: member.map(|_| Time::from_millis(30_000)),
    };
    snapshot.share_partitions = vec![SharePartitionSnapshot {
        group: "workers".into(),
        partition: parts("jobs", &[0]).remove(0),
        leader: Some(1),
        state_partition: 7,
        coordinator: Some(1),
        start_offset: Some(1),
        end_offset: Some(6),
        in_flight: vec![
            in_flight(1, RecordState::Acknowledged, 1, None),
            in_flight(2, RecordState::Archived, 5, None),
            in_flight(3, RecordState::Acquired, 2, Some("worker-1")),
            in_flight(4, RecordState::Acquired, 1, Some("worker-2")),
            in_flight(5, RecordState::Available, 1, None),
        ],
        persisted: None,
    }];
    let known = ["worker-1", "worker-2"].map(|name| groups::member(name, "workers", GroupType::Share, &[]));
    snapshot.groups = vec![group("workers", GroupType::Share, GroupState::Stable, &known)];
    snapshot
}
