//! What the lab refuses, as sentences that say what is expected. Where Kafka has words for it, they are Kafka's.

use thiserror::Error;

use crate::limits;

/// Why a plan or a change cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    /// An id that is none.
    #[error("{what} is 1 to {max} letters, digits, dots, dashes and underscores; \"{name}\" is not.", max = limits::ID_LENGTH_MAX)]
    Name {
        /// What was named.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A rack that is none.
    #[error("A rack is 1 to {max} letters, digits, dashes and underscores; \"{name}\" is not.", max = limits::ID_LENGTH_MAX)]
    RackName {
        /// The name.
        name: String,
    },
    /// A name that is no topic's.
    #[error("A topic's name is 1 to {max} letters, digits, dots, dashes and underscores; \"{name}\" is not.", max = limits::TOPIC_LENGTH_MAX)]
    TopicName {
        /// The name.
        name: String,
    },
    /// The topic is there already; the words are those of CreateTopics.
    #[error("Topic '{topic}' already exists.")]
    TopicExists {
        /// Its name.
        topic: String,
    },
    /// There is no such topic.
    #[error("There is no topic \"{topic}\".")]
    NoTopic {
        /// The name.
        topic: String,
    },
    /// A topic does not shrink; the words are those of CreatePartitions.
    #[error("The topic {topic} currently has {partitions} partition(s); {wanted} would not be an increase.")]
    NotAnIncrease {
        /// Its name.
        topic: String,
        /// What it has.
        partitions: u32,
        /// What was asked for.
        wanted: u32,
    },
    /// No partition, or more than the lab shows.
    #[error("A topic has 1 to {max} partitions here, not {partitions}.", max = limits::PARTITIONS_MAX)]
    Partitions {
        /// What was asked for.
        partitions: u32,
    },
    /// All topics together are too large.
    #[error("All topics together would have {total} partitions; the lab shows {max}.", max = limits::PARTITIONS_TOTAL_MAX)]
    TooManyPartitions {
        /// What was asked for.
        total: u32,
    },
    /// One topic too many.
    #[error("The lab shows {max} topics; delete one first.", max = limits::TOPICS_MAX)]
    TooManyTopics,
    /// One member too many.
    #[error("The lab shows {max} members; let one leave first.", max = limits::MEMBERS_MAX)]
    TooManyMembers,
    /// A long list of racks.
    #[error("The lab takes the racks of {max} partitions; the list begins again behind its end, so a shorter one will do.", max = limits::RACKS_MAX)]
    TooManyRacks,
    /// One change too many.
    #[error("A story has {max} changes here; take the present group as a new start.", max = limits::CHANGES_MAX)]
    TooManyChanges,
    /// The id is taken.
    #[error("The group has a member {id} already; ids are unique in a group.")]
    MemberExists {
        /// The id.
        id: String,
    },
    /// There is no such member.
    #[error("The group has no member \"{id}\".")]
    NoMember {
        /// The id.
        id: String,
    },
    /// The instance id is taken.
    #[error(
        "{member} has the group.instance.id {instance} already; in Kafka the newcomer takes its place, and the older one is fenced."
    )]
    InstanceTaken {
        /// The instance id.
        instance: String,
        /// Who has it.
        member: String,
    },
    /// A topic is named twice.
    #[error("{member} names {topic} twice; once is enough.")]
    SubscribedTwice {
        /// The member.
        member: String,
        /// The topic.
        topic: String,
    },
}

/// Why the text of a link is no story.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkError {
    /// A later version of the lab made it.
    #[error(
        "The link is of version {version}; this page reads version 1. Reload it, or open the link where it was made."
    )]
    NewerVersion {
        /// What the link says.
        version: String,
    },
    /// A field that does not exist.
    #[error("The link has a field \"{field}\" that the assignment lab does not know.")]
    UnknownField {
        /// Its name.
        field: String,
    },
    /// A value that does not fit its field.
    #[error("The link says {field}={value}; expected {expected}.")]
    BadValue {
        /// Name of the field.
        field: &'static str,
        /// What the link says.
        value: String,
        /// What it could say.
        expected: &'static str,
    },
    /// It can be read, and the lab or Kafka refuses it.
    #[error("The link cannot be shown: {0}")]
    Refused(#[from] Refused),
}
