//! Records of groups in `__consumer_offsets`, one variant for each key.
//!
//! A record without a value is a tombstone. Who writes and reads them is in `coordinator/groups/`.

use std::rc::Rc;

use crate::event::{Name, TopicPartition};
use crate::group::MemberState;
use crate::time::{Duration, Time};

/// A record of a group.
#[derive(Clone, Debug, PartialEq)]
pub enum GroupRecord {
    /// `GroupMetadataKey`: a classic group.
    Classic {
        /// The group.
        group: Name,
        /// Everything that a new coordinator has to know.
        value: Option<Rc<ClassicGroupValue>>,
    },
    /// `ConsumerGroupMetadataKey`: the group epoch.
    Consumer {
        /// The group.
        group: Name,
        /// The epoch, and what it was made for.
        value: Option<EpochValue>,
    },
    /// `ConsumerGroupMemberMetadataKey`.
    Member {
        /// The group.
        group: Name,
        /// The member's id.
        member: Name,
        /// What it told of itself.
        value: Option<Rc<MemberValue>>,
    },
    /// `ConsumerGroupTargetAssignmentMetadataKey`: the assignment epoch.
    Target {
        /// The group.
        group: Name,
        /// The epoch, and when it was computed.
        value: Option<TargetValue>,
    },
    /// `ConsumerGroupTargetAssignmentMemberKey`.
    TargetMember {
        /// The group.
        group: Name,
        /// The member's id.
        member: Name,
        /// What it shall own.
        value: Option<Rc<[TopicPartition]>>,
    },
    /// `ConsumerGroupCurrentMemberAssignmentKey`.
    Current {
        /// The group.
        group: Name,
        /// The member's id.
        member: Name,
        /// Where it stands.
        value: Option<Rc<CurrentValue>>,
    },
    /// `ConsumerGroupRegularExpressionKey`.
    Regex {
        /// The group.
        group: Name,
        /// The pattern.
        pattern: Name,
        /// Topics that match.
        value: Option<Rc<RegexValue>>,
    },
    /// A record of a share group.
    Share {
        /// The group.
        group: Name,
        /// Which, and its value.
        record: ShareGroupRecord,
    },
    /// `OffsetCommitKey` without a value: an offset that is gone.
    OffsetRemoved {
        /// The group.
        group: Name,
        /// The partition.
        partition: TopicPartition,
    },
}

/// A record of a share group; without a value it is a tombstone. The values are those of the consumer protocol.
#[derive(Clone, Debug, PartialEq)]
pub enum ShareGroupRecord {
    /// `ShareGroupMetadataKey`: the group epoch.
    Epoch(Option<EpochValue>),
    /// `ShareGroupMemberMetadataKey`.
    Member {
        /// The member's id.
        member: Name,
        /// What it told of itself.
        value: Option<Rc<MemberValue>>,
    },
    /// `ShareGroupTargetAssignmentMetadataKey`: the assignment epoch.
    Target(Option<TargetValue>),
    /// `ShareGroupTargetAssignmentMemberKey`.
    TargetMember {
        /// The member's id.
        member: Name,
        /// What it shall fetch from.
        value: Option<Rc<[TopicPartition]>>,
    },
    /// `ShareGroupCurrentMemberAssignmentKey`.
    Current {
        /// The member's id.
        member: Name,
        /// Where it stands.
        value: Option<Rc<CurrentValue>>,
    },
    /// `ShareGroupStatePartitionMetadataKey`: partitions that a share coordinator knows of.
    Initialized(Option<Rc<[TopicPartition]>>),
}

/// `GroupMetadataValue`.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassicGroupValue {
    /// Such as `consumer`; empty for a group that has only offsets.
    pub protocol_type: Name,
    /// The generation.
    pub generation: i32,
    /// The assignor, if one was chosen.
    pub protocol: Option<Name>,
    /// The member that assigns.
    pub leader: Option<Name>,
    /// The members.
    pub members: Vec<ClassicMemberValue>,
}

/// A member of a classic group.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassicMemberValue {
    /// Its id.
    pub member: Name,
    /// Its `group.instance.id`.
    pub instance: Option<Name>,
    /// Its `client.id`.
    pub client: Name,
    /// Its host.
    pub host: Name,
    /// `session.timeout.ms`.
    pub session_timeout: Duration,
    /// `max.poll.interval.ms`.
    pub rebalance_timeout: Duration,
    /// Topics, owned partitions and generation that it told with the chosen assignor.
    pub topics: Vec<Name>,
    /// What it owned when it joined.
    pub owned: Vec<TopicPartition>,
    /// What it was given.
    pub assigned: Vec<TopicPartition>,
}

/// `ConsumerGroupMemberMetadataValue`.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberValue {
    /// Its `group.instance.id`.
    pub instance: Option<Name>,
    /// Its `client.rack`.
    pub rack: Option<Name>,
    /// Its `client.id`.
    pub client: Name,
    /// Its host.
    pub host: Name,
    /// Topics that it names.
    pub topics: Vec<Name>,
    /// Its pattern.
    pub pattern: Option<Name>,
    /// `max.poll.interval.ms`.
    pub rebalance_timeout: Duration,
    /// `group.remote.assignor`.
    pub assignor: Option<Name>,
    /// For a member that uses the classic protocol: its session timeout, and its assignors in order.
    pub classic: Option<(Duration, Vec<Name>)>,
}

/// `ConsumerGroupCurrentMemberAssignmentValue`.
#[derive(Clone, Debug, PartialEq)]
pub struct CurrentValue {
    /// The member's epoch.
    pub epoch: i32,
    /// Its epoch before.
    pub previous_epoch: i32,
    /// Its state.
    pub state: MemberState,
    /// What it may own, each with the epoch in which it got it.
    pub assigned: Vec<(TopicPartition, i32)>,
    /// What it has to give up.
    pub revoking: Vec<(TopicPartition, i32)>,
}

/// `ConsumerGroupMetadataValue`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpochValue {
    /// The group epoch.
    pub epoch: i32,
    /// A hash of the subscribed topics as they were then: another one asks for a new epoch.
    pub metadata_hash: u64,
}

/// `ConsumerGroupTargetAssignmentMetadataValue`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetValue {
    /// The assignment epoch.
    pub epoch: i32,
    /// When it was computed; absent if it never was.
    pub computed: Option<Time>,
}

/// `ConsumerGroupRegularExpressionValue`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegexValue {
    /// Topics that match, by name.
    pub topics: Vec<Name>,
    /// How many topics had been created when it was resolved.
    pub version: u64,
    /// When it was resolved.
    pub resolved: Time,
}
