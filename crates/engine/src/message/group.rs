//! Requests of groups: joining, assignments, heartbeats, offsets.
//!
//! Generations, member epochs and sizes are Kafka's own. Follows the request schemas of Kafka 4.3.1; where
//! Kafka sends opaque bytes between members, their content is here as it is.

use std::rc::Rc;

use crate::error::KafkaError;
use crate::event::{Name, TopicPartition};
use crate::queue::Target;
use crate::time::Duration;

/// JoinGroup of the classic protocol.
#[derive(Clone, Debug)]
pub(crate) struct JoinGroup {
    pub group: Name,
    /// Empty for a member that has none yet.
    pub member: Name,
    /// `group.instance.id`.
    pub instance: Option<Name>,
    pub client_id: Name,
    /// `consumer`, or another protocol type.
    pub protocol_type: Name,
    /// Assignors by name, the first is preferred, each with what the member tells by it.
    pub protocols: Vec<(Name, Rc<Subscription>)>,
    pub session_timeout: Duration,
    pub rebalance_timeout: Duration,
    /// It need not assign when it comes back as a static leader (JoinGroup 9).
    pub can_skip_assignment: bool,
    /// Why it joins, in the client's words.
    #[expect(dead_code, reason = "a coordinator writes it to its application log and nowhere else")]
    pub reason: Name,
    pub sender: Target,
}

/// What a member of a classic group tells the others (`ConsumerProtocolSubscription` 3, and the user data of the
/// sticky assignors).
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Subscription {
    pub topics: Vec<Name>,
    pub owned: Vec<TopicPartition>,
    /// The generation in which it got what it owns; -1 for none.
    pub generation: i32,
    pub rack: Option<Name>,
    /// User data of `sticky`: the previous assignment and its generation. Of `cooperative-sticky`: its generation.
    pub user_data: Option<(Vec<TopicPartition>, Option<i32>)>,
}

/// JoinGroup's answer. MEMBER_ID_REQUIRED comes with the id to join with.
#[derive(Clone, Debug)]
pub(crate) struct JoinGroupAnswer {
    pub request: u64,
    pub member: Name,
    pub result: Result<Joined, KafkaError>,
}

/// A generation has begun.
#[derive(Clone, Debug)]
pub(crate) struct Joined {
    pub generation: i32,
    /// The assignor that was chosen.
    pub protocol: Name,
    pub leader: Name,
    /// For the leader only, in the coordinator's order.
    pub members: Vec<JoinedMember>,
    /// A static leader that came back need not assign.
    pub skip_assignment: bool,
}

/// A member, as the leader is told.
#[derive(Clone, Debug)]
pub(crate) struct JoinedMember {
    pub member: Name,
    pub instance: Option<Name>,
    pub subscription: Rc<Subscription>,
}

/// SyncGroup: the leader brings the assignment, the others ask for theirs.
#[derive(Clone, Debug)]
pub(crate) struct SyncGroup {
    pub group: Name,
    pub generation: i32,
    pub member: Name,
    pub instance: Option<Name>,
    pub protocol_type: Name,
    pub protocol: Name,
    /// By member; empty if the sender does not lead.
    pub assignments: Vec<(Name, Vec<TopicPartition>)>,
    pub sender: Target,
}

/// Heartbeat of the classic protocol.
#[derive(Clone, Debug)]
pub(crate) struct Heartbeat {
    pub group: Name,
    pub generation: i32,
    pub member: Name,
    pub instance: Option<Name>,
    pub sender: Target,
}

/// LeaveGroup: members by id, or by instance id with an empty member id.
#[derive(Clone, Debug)]
pub(crate) struct LeaveGroup {
    pub group: Name,
    pub members: Vec<(Name, Option<Name>)>,
    #[expect(dead_code, reason = "a coordinator writes it to its application log and nowhere else")]
    pub reason: Name,
    pub sender: Target,
}

/// OffsetCommit.
#[derive(Clone, Debug)]
pub(crate) struct OffsetCommit {
    pub group: Name,
    /// Generation or member epoch; -1 without membership.
    pub generation: i32,
    /// Empty without membership.
    pub member: Name,
    pub instance: Option<Name>,
    pub offsets: Vec<(TopicPartition, u64)>,
    pub sender: Target,
}

/// OffsetFetch.
#[derive(Clone, Debug)]
pub(crate) struct OffsetFetch {
    pub group: Name,
    /// Member id and epoch of a member of the consumer protocol.
    pub member: Option<(Name, i32)>,
    /// Absent for all.
    pub partitions: Option<Vec<TopicPartition>>,
    /// Offsets in open transactions are waited for (UNSTABLE_OFFSET_COMMIT).
    pub require_stable: bool,
    pub sender: Target,
}

/// OffsetFetch's answer: an offset, none, or an error for each partition.
pub(crate) type FetchedOffsets = Vec<(TopicPartition, Result<Option<u64>, KafkaError>)>;

/// ConsumerGroupHeartbeat (KIP-848). What did not change since the last request is absent.
#[derive(Clone, Debug)]
pub(crate) struct ConsumerGroupHeartbeat {
    pub group: Name,
    pub member: Name,
    /// 0 joins, -1 leaves, -2 leaves for a while (static members).
    pub epoch: i32,
    pub instance: Option<Name>,
    pub client_id: Name,
    pub rack: Option<Name>,
    pub rebalance_timeout: Option<Duration>,
    pub topics: Option<Vec<Name>>,
    /// A pattern of RE2/J that the broker evaluates; empty takes it back.
    pub pattern: Option<Name>,
    /// `group.remote.assignor`.
    pub assignor: Option<Name>,
    /// What it owns.
    pub owned: Option<Vec<TopicPartition>>,
    pub sender: Target,
}

/// ConsumerGroupHeartbeat's answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MemberHeartbeat {
    pub member: Name,
    pub epoch: i32,
    pub interval: Duration,
    /// What it shall own; absent if that is told already.
    pub assignment: Option<Vec<TopicPartition>>,
}

/// DeleteGroups with one group.
#[derive(Clone, Debug)]
pub(crate) struct DeleteGroup {
    pub group: Name,
    pub sender: Target,
}

/// OffsetDelete.
#[derive(Clone, Debug)]
pub(crate) struct OffsetDelete {
    pub group: Name,
    pub partitions: Vec<TopicPartition>,
    pub sender: Target,
}
