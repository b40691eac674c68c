//! The assignors under one name each, and a group that owns its texts as what they are given.
//!
//! Deliberately not here: how they assign. That is the crate `assignor`.

use assignor::{Assignment, AssignorError, TopicPartition, Uuid, client, server, share};
use thiserror::Error;

/// An assignor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignor {
    /// The leader of a classic group runs it.
    Client(client::Assignor),
    /// The coordinator runs it for a group of the consumer protocol.
    Server(server::Assignor),
    /// The coordinator runs it for a share group.
    Share,
}

/// Who computes the assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A member, the leader of the group: classic protocol.
    Member,
    /// The group coordinator, for a group of the consumer protocol.
    Broker,
    /// The group coordinator, for a share group.
    ShareBroker,
}

/// A group as an assignor is given it: texts and lists are its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The topics.
    pub topics: Vec<GroupTopic>,
    /// The members in the order of Java's map of them.
    pub members: Vec<GroupMember>,
}

/// A topic of a [`Group`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupTopic {
    /// Its name.
    pub name: String,
    /// Its id; one that orders as the list of topics does if there is none. Only the coordinator's assignors look.
    pub id: Option<Uuid>,
    /// How many partitions it has; `None` if the metadata does not know it.
    pub partitions: Option<u32>,
    /// For each partition the racks of its replicas, or nothing. Only assignors that run in a member look.
    pub racks: Vec<Vec<String>>,
    /// Share groups: the partitions that may be assigned, if not all.
    pub assignable: Option<Vec<u32>>,
}

/// A member of a [`Group`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupMember {
    /// Its id.
    pub id: String,
    /// `group.instance.id`.
    pub instance_id: Option<String>,
    /// `client.rack`.
    pub rack: Option<String>,
    /// Places of its topics.
    pub topics: Vec<u32>,
    /// What it had.
    pub owned: Vec<TopicPartition>,
    /// The generation in which it got that; below 0 for none.
    pub generation: i32,
}

/// A name that no assignor has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnknownAssignor {
    /// Of the coordinator; the words are those of UNSUPPORTED_ASSIGNOR.
    #[error("ServerAssignor {name} is not supported. Supported assignors: uniform, range.")]
    Server {
        /// What was asked for.
        name: String,
    },
    /// Any other.
    #[error("There is no assignor \"{name}\".")]
    Other {
        /// What was asked for.
        name: String,
    },
}

impl Assignor {
    /// All of them; those of Kafka 4.3.1 come first.
    pub const ALL: [Self; 8] = [
        Self::Client(client::Assignor::Range),
        Self::Client(client::Assignor::RoundRobin),
        Self::Client(client::Assignor::Sticky),
        Self::Client(client::Assignor::CooperativeSticky),
        Self::Server(server::Assignor::Uniform),
        Self::Server(server::Assignor::Range),
        Self::Share,
        Self::Server(server::Assignor::Uniform400),
    ];

    /// Those of Kafka 4.3.1.
    pub const fn current() -> &'static [Self] {
        Self::ALL.split_at(7).0
    }

    /// Its name in links and in the API: the side and Kafka's own name.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Client(client::Assignor::Range) => "client-range",
            Self::Client(client::Assignor::RoundRobin) => "client-roundrobin",
            Self::Client(client::Assignor::Sticky) => "client-sticky",
            Self::Client(client::Assignor::CooperativeSticky) => "client-cooperative-sticky",
            Self::Server(server::Assignor::Uniform) => "server-uniform",
            Self::Server(server::Assignor::Range) => "server-range",
            Self::Server(server::Assignor::Uniform400) => "server-uniform-4.0.0",
            Self::Share => "share-simple",
        }
    }

    /// Its name in Kafka: of the protocol, of `group.remote.assignor`, of the share group's list.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client(assignor) => assignor.name(),
            Self::Server(assignor) => assignor.name(),
            Self::Share => share::SIMPLE,
        }
    }

    /// The assignor of an id. Kafka's own name is one too; `range` alone is the client's.
    ///
    /// # Errors
    /// If there is none; for `server-…` in the words of the coordinator.
    pub fn from_id(id: &str) -> Result<Self, UnknownAssignor> {
        let found = Self::ALL.into_iter().find(|assignor| assignor.id() == id || assignor.name() == id);
        found.ok_or_else(|| match id.strip_prefix("server-") {
            Some(name) => UnknownAssignor::Server { name: name.to_owned() },
            None => UnknownAssignor::Other { name: id.to_owned() },
        })
    }

    /// Who runs it.
    pub const fn side(self) -> Side {
        match self {
            Self::Client(_) => Side::Member,
            Self::Server(_) => Side::Broker,
            Self::Share => Side::ShareBroker,
        }
    }

    /// Its place in [`Assignor::ALL`].
    pub fn place(self) -> usize {
        Self::ALL.iter().position(|assignor| *assignor == self).expect("the list has every assignor")
    }

    /// Do members give up everything before each rebalance?
    pub const fn is_eager(self) -> bool {
        matches!(self, Self::Client(assignor) if !matches!(assignor, client::Assignor::CooperativeSticky))
    }

    /// The assignment: for each member its partitions.
    ///
    /// # Errors
    /// What Kafka's assignor throws, and groups that contradict themselves.
    pub fn assign(self, group: &Group) -> Result<Assignment, AssignorError> {
        match self {
            Self::Client(assignor) => on_client(assignor, group),
            Self::Server(assignor) => on_server(group, |group| assignor.assign(group)),
            Self::Share => on_server(group, share::assign),
        }
    }
}

fn on_client(assignor: client::Assignor, group: &Group) -> Result<Assignment, AssignorError> {
    let racks: Vec<Vec<Vec<&str>>> = (group.topics.iter())
        .map(|topic| topic.racks.iter().map(|racks| racks.iter().map(String::as_str).collect()).collect())
        .collect();
    let topics: Vec<client::Topic<'_>> = (group.topics.iter().zip(&racks))
        .map(|(topic, racks)| client::Topic { name: &topic.name, partitions: topic.partitions.unwrap_or(0), racks })
        .collect();
    let members: Vec<client::Member<'_>> = group
        .members
        .iter()
        .map(|member| client::Member {
            id: &member.id,
            instance_id: member.instance_id.as_deref(),
            rack: member.rack.as_deref(),
            topics: &member.topics,
            owned: &member.owned,
            generation: member.generation,
            user_data_generation: member.generation,
        })
        .collect();
    assignor.assign(&client::Group { topics: &topics, members: &members })
}

fn on_server(
    group: &Group,
    assign: impl FnOnce(&server::Group<'_>) -> Result<Assignment, AssignorError>,
) -> Result<Assignment, AssignorError> {
    // Hashes that follow each other stand side by side in a hash set, so the topics keep their order.
    let stand_in = |place: usize| Uuid { most_significant: 0, least_significant: 1_024 + place as u64 };
    let topics: Vec<server::Topic<'_>> = (group.topics.iter().enumerate())
        .map(|(place, topic)| server::Topic {
            name: &topic.name,
            id: topic.id.unwrap_or_else(|| stand_in(place)),
            partitions: topic.partitions,
            assignable: topic.assignable.as_deref(),
        })
        .collect();
    let members: Vec<server::Member<'_>> = (group.members.iter())
        .map(|member| server::Member {
            id: &member.id,
            instance_id: member.instance_id.as_deref(),
            topics: &member.topics,
            previous: &member.owned,
        })
        .collect();
    assign(&server::Group { topics: &topics, members: &members })
}
