//! Groups and members as plain values.
//!
//! A group is told as its coordinator sees it, a membership as the member sees it.

use serde::Serialize;

use super::Snapshot;
use crate::event::{Name, TopicPartition};
use crate::group::{Callback, ClientMemberState, GroupState, GroupType, MemberState};
use crate::time::Time;

impl Snapshot {
    /// What the tool prints under LAG, summed over partitions of a group: how far the committed offset is behind the
    /// high watermark. Nothing while no offset of these partitions is committed.
    pub fn lag(&self, group: &str, is_asked: &dyn Fn(&TopicPartition) -> bool) -> Option<u64> {
        let committed = &self.group_offsets.iter().find(|known| &*known.group == group)?.committed;
        let of = |(partition, offset): &(TopicPartition, u64)| {
            let topic = self.topics.iter().find(|topic| topic.name == partition.topic)?;
            let log = topic.partitions.get(partition.partition as usize)?;
            Some(log.high_watermark.saturating_sub(*offset))
        };
        let lags = committed.iter().filter(|(partition, _)| is_asked(partition)).filter_map(of);
        lags.fold(None, |sum, lag| Some(sum.unwrap_or(0) + lag))
    }
}

/// A group.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GroupSnapshot {
    /// Its id.
    pub group: Name,
    /// Its partition of `__consumer_offsets`.
    pub partition: u32,
    /// The broker that coordinates it.
    pub coordinator: Option<u32>,
    /// Its protocol.
    pub group_type: GroupType,
    /// Its state.
    pub state: GroupState,
    /// Classic: the generation. Else the group epoch.
    pub epoch: i32,
    /// Epoch of the target assignment; the generation of a classic group.
    pub assignment_epoch: i32,
    /// The assignor in use; empty while there is none.
    pub assignor: Name,
    /// Classic: the protocol type, such as `consumer`; empty for a group that has only offsets.
    pub protocol_type: Name,
    /// Classic: id of the member that assigns.
    pub leader: Option<Name>,
    /// Members, in the coordinator's order.
    pub members: Vec<GroupMemberSnapshot>,
    /// When a timer of the group ends its present state: the initial delay, or the time for joining.
    pub due: Option<Time>,
}

/// A member.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GroupMemberSnapshot {
    /// Its id.
    pub member: Name,
    /// Its `group.instance.id`.
    pub instance: Option<Name>,
    /// Its `client.id`.
    pub client: Name,
    /// Its host, such as `/127.0.0.1`.
    pub host: Name,
    /// Its `client.rack`.
    pub rack: Option<Name>,
    /// Consumer: whether it uses the classic protocol in a group of the consumer protocol.
    pub is_classic: bool,
    /// Consumer: its epoch; -2 for a static member that left for a while. Classic: the generation.
    pub epoch: i32,
    /// Consumer: its state.
    pub state: MemberState,
    /// Topics that it subscribes to.
    pub topics: Vec<Name>,
    /// The pattern that it subscribes by, on the broker.
    pub pattern: Option<Name>,
    /// What it was told to own.
    pub assigned: Vec<TopicPartition>,
    /// Consumer: what it shall own in the end.
    pub target: Vec<TopicPartition>,
    /// Consumer: what it has to give up first.
    pub revoking: Vec<TopicPartition>,
    /// Classic: whether its JoinGroup waits at the coordinator.
    pub is_joining: bool,
    /// When it is removed if it stays silent.
    pub session_ends: Option<Time>,
}

impl GroupMemberSnapshot {
    /// What a description of the group says that it has: what it has to give up is its own until it has done so
    /// (verified on a running broker).
    pub fn described(&self) -> Vec<TopicPartition> {
        let mut described = [&self.assigned[..], &self.revoking].concat();
        described.sort();
        described
    }
}

/// A membership as the member sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MembershipSnapshot {
    /// `group.id`.
    pub group: Name,
    /// It is a client of librdkafka, and not of Java.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_librdkafka: bool,
    /// `group.protocol`.
    pub protocol: GroupType,
    /// Its member id; empty while it has none.
    pub member: Name,
    /// Its `group.instance.id`.
    pub instance: Option<Name>,
    /// Its state.
    pub state: ClientMemberState,
    /// Generation or member epoch; -1 or 0 while it has none.
    pub generation: i32,
    /// What it owns: `assignment()`.
    pub owned: Vec<TopicPartition>,
    /// What it paused: `paused()`.
    pub paused: Vec<TopicPartition>,
    /// What it owns but may not read at present: it is being revoked, or its callback still runs.
    pub held: Vec<TopicPartition>,
    /// Topics that it subscribes to.
    pub topics: Vec<Name>,
    /// The callback that runs, with its partitions.
    pub callback: Option<(Callback, Vec<TopicPartition>)>,
    /// Records that were fetched and not polled yet.
    pub buffered_count: u64,
    /// Until when its application works on what it polled, if it does.
    pub busy_until: Option<Time>,
    /// When its next heartbeat is due.
    pub heartbeat_due: Option<Time>,
    /// What it committed last, by partition.
    pub committed: Vec<(TopicPartition, u64)>,
    /// Records that its group had processed before.
    pub repeated_count: u64,
    /// Whether it is closed.
    pub is_closed: bool,
}
