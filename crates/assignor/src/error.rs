//! Why there is no assignment: what Kafka's assignors throw, and what is wrong with the input.

use alloc::format;
use alloc::string::String;
use core::fmt;

use crate::Uuid;

/// Why there is no assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AssignorError {
    /// Roundrobin walks around a circle of members, and there are none.
    NoMembersInCircle,
    /// A sticky assignor divides the partitions by the number of members, which is 0.
    NoMembersToDivideBy,
    /// A sticky assignor has partitions left and no member that may take one. Owned partitions that no longer
    /// exist lead there.
    NoUnfilledMembers,
    /// A sticky assignor has no partition left, and too few members have more than the smallest share.
    TooFewOverMinimum,
    /// A sticky assignor has no partition left for a member below the smallest share.
    BelowMinimum {
        /// The id of the member.
        member: String,
    },
    /// A sticky assignor wants to return a partition to a member that takes no part in the balancing any more.
    PreviousOwnerIsFixed,
    /// Uniform, and simple for share groups: a member subscribes to a topic that has no metadata.
    UnknownTopic {
        /// The id of the topic.
        id: Uuid,
    },
    /// Range on the server: a member subscribes to a topic that has no metadata.
    NonExistentTopic,
    /// Uniform has partitions left and no member with room.
    PartitionsLeft,
    /// Uniform meets a partition in a previous assignment that the topic does not have any more.
    PartitionOutOfBounds {
        /// The partition.
        partition: u32,
        /// How many partitions the topic has.
        partitions: u32,
    },
    /// Simple, for share groups, looks for a member that may take one more partition, and every one is full.
    NoMemberLeft,
    /// The input contradicts itself; Kafka cannot get such an input.
    Input(InputProblem),
}

/// What is wrong with an input. Numbers are places in the lists of the input, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputProblem {
    /// Two members have one id.
    DuplicateMember {
        /// The id.
        id: String,
    },
    /// Two topics have one name.
    DuplicateTopic {
        /// The name.
        name: String,
    },
    /// A member names a topic that is not in the list.
    NoSuchTopic {
        /// The id of the member.
        member: String,
        /// The number that is too large.
        topic: u32,
    },
    /// A member names a topic twice in its subscription.
    SubscribedTwice {
        /// The id of the member.
        member: String,
        /// The name of the topic.
        topic: String,
    },
    /// A topic has racks for some of its partitions only.
    RacksMissing {
        /// The name of the topic.
        topic: String,
        /// How many partitions it has.
        partitions: u32,
        /// For how many of them there are racks.
        racks: u32,
    },
    /// There are more partitions than a list can number.
    TooManyPartitions,
}

impl AssignorError {
    /// What Java throws, as `class: message`; `None` for an input that Kafka cannot get.
    pub fn java(&self) -> Option<String> {
        const EXCEPTION: &str = "org.apache.kafka.coordinator.group.api.assignor.PartitionAssignorException";
        const STATE: &str = "java.lang.IllegalStateException";
        Some(match self {
            Self::NoMembersInCircle => {
                "java.lang.IllegalArgumentException: CircularIterator can only be used on non-empty lists".into()
            }
            Self::NoMembersToDivideBy => "java.lang.ArithmeticException: / by zero".into(),
            Self::NoUnfilledMembers => format!("{STATE}: No more unfilled consumers to be assigned."),
            Self::TooFewOverMinimum => format!(
                "{STATE}: We haven't reached the expected number of members with more than the minQuota partitions, \
                 but no more partitions to be assigned"
            ),
            Self::BelowMinimum { member } => format!(
                "{STATE}: Consumer: [{member}] doesn't reach minQuota partitions, and no more partitions to be assigned"
            ),
            Self::PreviousOwnerIsFixed => "java.lang.NullPointerException: Cannot invoke \"java.util.List.size()\" \
                                           because the return value of \"java.util.Map.get(Object)\" is null"
                .into(),
            Self::UnknownTopic { id } => {
                format!("{EXCEPTION}: Members are subscribed to topic {id} which doesn't exist in the topic metadata.")
            }
            Self::NonExistentTopic => format!("{EXCEPTION}: Member is subscribed to a non-existent topic"),
            Self::PartitionsLeft => format!("{EXCEPTION}: Partitions were left unassigned"),
            Self::PartitionOutOfBounds { partition, partitions } => format!(
                "java.lang.ArrayIndexOutOfBoundsException: Index {partition} out of bounds for length {partitions}"
            ),
            Self::NoMemberLeft => "java.util.NoSuchElementException: null".into(),
            Self::Input(_) => return None,
        })
    }
}

impl fmt::Display for AssignorError {
    /// A sentence for people; [`AssignorError::java`] has Kafka's own words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMembersInCircle | Self::NoMembersToDivideBy => {
                f.write_str("The group has no member; this assignor needs at least one.")
            }
            Self::NoUnfilledMembers => f.write_str(
                "Partitions are left over and every member is full; a member claims a partition that does not exist.",
            ),
            Self::TooFewOverMinimum => {
                f.write_str("All partitions are given out, and too few members have more than the smallest share.")
            }
            Self::BelowMinimum { member } => {
                write!(f, "All partitions are given out, and member {member} is below the smallest share.")
            }
            Self::PreviousOwnerIsFixed => f.write_str(
                "A partition should return to a member of an older generation that does not subscribe to it any more.",
            ),
            Self::UnknownTopic { id } => {
                write!(
                    f,
                    "A member subscribes to the topic with the id {id}, and the coordinator has no metadata of it."
                )
            }
            Self::NonExistentTopic => f.write_str("A member subscribes to a topic that does not exist."),
            Self::PartitionsLeft => f.write_str("Partitions are left over and no member has room for one."),
            Self::PartitionOutOfBounds { partition, partitions } => write!(
                f,
                "A member had partition {partition} of a topic with {partitions} partitions; drop it from its \
                 previous assignment."
            ),
            Self::NoMemberLeft => f.write_str("A partition should be shared once more, and every member is full."),
            Self::Input(problem) => problem.fmt(f),
        }
    }
}

impl fmt::Display for InputProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateMember { id } => write!(f, "Two members have the id {id}; ids are unique in a group."),
            Self::DuplicateTopic { name } => write!(f, "Two topics have the name {name}."),
            Self::NoSuchTopic { member, topic } => {
                write!(f, "Member {member} names topic number {topic}, and the list of topics is shorter.")
            }
            Self::SubscribedTwice { member, topic } => {
                write!(f, "Member {member} subscribes to {topic} twice; name it once.")
            }
            Self::RacksMissing { topic, partitions, racks } => {
                write!(f, "Topic {topic} has {partitions} partitions and racks for {racks}; give all of them or none.")
            }
            Self::TooManyPartitions => f.write_str("There are more than 4294967294 partitions; use fewer."),
        }
    }
}

impl core::error::Error for AssignorError {}
impl core::error::Error for InputProblem {}

impl From<InputProblem> for AssignorError {
    fn from(problem: InputProblem) -> Self {
        Self::Input(problem)
    }
}
