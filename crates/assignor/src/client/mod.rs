//! The assignors that the leader of a classic group runs: range, roundrobin, sticky, cooperative-sticky.
//!
//! `org.apache.kafka.clients.consumer.{Range,RoundRobin,Sticky,CooperativeSticky}Assignor`, entered as the leader
//! enters them, with metadata and subscriptions. Deliberately not here: user data as bytes, and the choice of the
//! assignor by vote.

mod layout;
mod racks;
mod range;
mod range_racks;
mod round_robin;
mod sticky;

use alloc::borrow::ToOwned;
use alloc::vec::Vec;

use crate::check::{self, MemberView, Sorted};
use crate::{Assignment, AssignorError, InputProblem, TopicPartition};
use layout::Layout;

/// A topic as the leader's metadata has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Topic<'a> {
    /// Its name.
    pub name: &'a str,
    /// How many partitions it has; 0 if the metadata does not know it (never created, or deleted).
    pub partitions: u32,
    /// For each partition the racks of its replicas. Empty if no broker has a rack.
    pub racks: &'a [Vec<&'a str>],
}

impl<'a> Topic<'a> {
    /// A topic on brokers without racks.
    pub const fn new(name: &'a str, partitions: u32) -> Self {
        Self { name, partitions, racks: &[] }
    }
}

/// A member with its subscription.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// `member.id`, unique in the group.
    pub id: &'a str,
    /// `group.instance.id` of a static member.
    pub instance_id: Option<&'a str>,
    /// `client.rack`; an empty text is no rack.
    pub rack: Option<&'a str>,
    /// The topics that it subscribes to: places in [`Group::topics`], in the order of its subscription.
    pub topics: &'a [u32],
    /// The partitions that it reports as owned. Read by the sticky assignors: sticky finds them in the user data,
    /// cooperative-sticky in the subscription.
    pub owned: &'a [TopicPartition],
    /// The generation in the subscription; below 0 if none is reported.
    pub generation: i32,
    /// The generation in the user data of the sticky assignors; below 0 if none is reported. It goes with `owned`
    /// for sticky, and for cooperative-sticky where the subscription has no generation.
    pub user_data_generation: i32,
}

impl Default for Member<'_> {
    /// A member that has never had an assignment.
    fn default() -> Self {
        Self {
            id: "",
            instance_id: None,
            rack: None,
            topics: &[],
            owned: &[],
            generation: NO_GENERATION,
            user_data_generation: NO_GENERATION,
        }
    }
}

/// No generation is reported.
pub const NO_GENERATION: i32 = -1;

/// Whose assignors they are: the client library of the leader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Library {
    /// Java, 4.3.1.
    #[default]
    Java,
    /// librdkafka, 2.16.0: members of all kinds are sorted by id, and cooperative-sticky follows Java's of before 2.7.
    Librdkafka,
}

/// What the leader knows.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    /// Every topic that a member names, subscribed or owned, in any order.
    pub topics: &'a [Topic<'a>],
    /// The members in the order of Java's `HashMap` of subscriptions: [`crate::java::hash_map_order`] of their ids.
    /// Range and roundrobin sort them, so for these any order will do.
    pub members: &'a [Member<'a>],
}

/// An assignor that runs in the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignor {
    /// Topic by topic, each member a run of neighbours; rack-aware since 3.5 (KIP-881).
    Range,
    /// All partitions of all topics dealt in turn.
    RoundRobin,
    /// Balanced, and members keep what they had.
    Sticky,
    /// The same, and a partition that moves is first taken away, then given in the next rebalance.
    CooperativeSticky,
}

impl Assignor {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Range, Self::RoundRobin, Self::Sticky, Self::CooperativeSticky];

    /// The name of the protocol that a member offers in JoinGroup.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::RoundRobin => "roundrobin",
            Self::Sticky => "sticky",
            Self::CooperativeSticky => "cooperative-sticky",
        }
    }

    /// The assignor of that protocol name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|assignor| assignor.name() == name)
    }

    /// The assignment by the Java client: for each member of `group.members` its partitions, in the order of Java's
    /// list.
    ///
    /// # Errors
    /// What Kafka's assignor throws, and inputs that contradict themselves.
    pub fn assign(self, group: &Group<'_>) -> Result<Assignment, AssignorError> {
        self.assign_by(Library::Java, group)
    }

    /// The same by the library of the leader.
    ///
    /// # Errors
    /// As of [`Assignor::assign`].
    pub fn assign_by(self, library: Library, group: &Group<'_>) -> Result<Assignment, AssignorError> {
        let by_id: Vec<Member<'_>>;
        let group = match library {
            Library::Java => group,
            // Who is static is of no account.
            Library::Librdkafka => {
                by_id = group.members.iter().map(|member| Member { instance_id: None, ..*member }).collect();
                &Group { members: &by_id, ..*group }
            }
        };
        let Sorted { members, topics } = group.check()?;
        let layout = Layout::new(group, topics);
        match self {
            Self::Range => Ok(range::assign(group, &layout, &members)),
            Self::RoundRobin => round_robin::assign(group, &layout, &members),
            Self::Sticky => sticky::assign(library, group, layout, members, sticky::Protocol::Eager),
            Self::CooperativeSticky => sticky::assign(library, group, layout, members, sticky::Protocol::Cooperative),
        }
    }
}

impl Group<'_> {
    fn check(&self) -> Result<Sorted, InputProblem> {
        let names: Vec<&str> = self.topics.iter().map(|topic| topic.name).collect();
        let sorted = check::check(
            &names,
            self.members.iter().map(|member| MemberView { id: member.id, topics: member.topics, named: member.owned }),
        )?;
        let all = self.topics.iter().try_fold(0_u32, |all, topic| all.checked_add(topic.partitions));
        if all.is_none_or(|all| all == u32::MAX) {
            return Err(InputProblem::TooManyPartitions);
        }
        let half =
            |topic: &&Topic<'_>| !topic.racks.is_empty() && topic.racks.len() as u64 != u64::from(topic.partitions);
        match self.topics.iter().find(half) {
            Some(topic) => Err(InputProblem::RacksMissing {
                topic: topic.name.to_owned(),
                partitions: topic.partitions,
                racks: topic.racks.len() as u32,
            }),
            None => Ok(sorted),
        }
    }
}
