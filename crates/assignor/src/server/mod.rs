//! The assignors that the coordinator runs for a group of the consumer protocol (KIP-848): uniform and range.
//!
//! `org.apache.kafka.coordinator.group.assignor.{Uniform,Range}Assignor`. None of them looks at racks.
//! Deliberately not here: when a target assignment is computed, and how members get to it.

mod range;
mod spec;
mod topic_order;
mod uniform;
mod uniform_mixed;

use alloc::vec::Vec;

use crate::check::{self, MemberView, Sorted};
use crate::{Assignment, AssignorError, InputProblem, TopicPartition, Uuid};

pub(crate) use spec::Spec;

/// A topic as the coordinator's metadata has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Topic<'a> {
    /// Its name; the order of a hash set of names decides between ids that share a bucket.
    pub name: &'a str,
    /// Its id.
    pub id: Uuid,
    /// How many partitions it has; none if the metadata does not know it.
    pub partitions: Option<u32>,
    /// Share groups: the partitions that may be assigned; none for all of them.
    pub assignable: Option<&'a [u32]>,
}

/// A member with its subscription and its present target assignment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Member<'a> {
    /// The member id, unique in the group.
    pub id: &'a str,
    /// `group.instance.id` of a static member.
    pub instance_id: Option<&'a str>,
    /// The topics that it subscribes to, resolved: places in [`Group::topics`].
    pub topics: &'a [u32],
    /// Its target assignment until now.
    pub previous: &'a [TopicPartition],
}

/// What the coordinator knows.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    /// Every topic that a member names, subscribed or previous, in any order.
    pub topics: &'a [Topic<'a>],
    /// The members in the order of the map that the coordinator hands over; for a real one that is
    /// [`crate::java::hash_map_order`] of their ids. Range sorts them, so for it any order will do.
    pub members: &'a [Member<'a>],
}

/// An assignor that runs in the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assignor {
    /// Balanced, and members keep what they had. The default.
    Uniform,
    /// Topic by topic, each member a run of neighbours; nothing is kept on purpose.
    Range,
    /// Uniform as Kafka 4.0.0 had it: of new members the first get what does not divide. No other version runs it.
    Uniform400,
}

impl Assignor {
    /// Those of 4.3.1, in the order of `group.consumer.assignors`: the first is the default.
    pub const ALL: [Self; 2] = [Self::Uniform, Self::Range];

    /// The name in `group.remote.assignor`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform | Self::Uniform400 => "uniform",
            Self::Range => "range",
        }
    }

    /// The assignor of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|assignor| assignor.name() == name)
    }

    /// The target assignment: for each member of `group.members` its partitions, ascending by topic and partition.
    ///
    /// # Errors
    /// What Kafka's assignor throws, and inputs that contradict themselves.
    pub fn assign(self, group: &Group<'_>) -> Result<Assignment, AssignorError> {
        let mut assignment = self.deal(group)?;
        for list in &mut assignment {
            list.sort_unstable();
            list.dedup();
        }
        Ok(assignment)
    }

    /// The same, with a member's topics in the order in which Kafka's map came by them. Where two topics fall into one
    /// bucket of that map, the next assignment depends on it: so this is what `previous` has to be then.
    ///
    /// # Errors
    /// As [`Assignor::assign`].
    pub fn deal(self, group: &Group<'_>) -> Result<Assignment, AssignorError> {
        let sorted = group.check()?;
        if group.members.is_empty() {
            return Ok(Vec::new());
        }
        let spec = Spec::new(group);
        match self {
            Self::Uniform if spec.is_homogeneous => uniform::assign(&spec, uniform::Extra::GivenBack),
            Self::Uniform400 if spec.is_homogeneous => uniform::assign(&spec, uniform::Extra::Kept),
            Self::Uniform | Self::Uniform400 => uniform_mixed::assign(&spec),
            Self::Range => range::assign(&spec, &sorted.members),
        }
    }
}

impl Group<'_> {
    pub(crate) fn check(&self) -> Result<Sorted, InputProblem> {
        let names: Vec<&str> = self.topics.iter().map(|topic| topic.name).collect();
        let view = |member| {
            let &Member { id, topics, previous: named, .. } = member;
            MemberView { id, topics, named }
        };
        let sorted = check::check(&names, self.members.iter().map(view))?;
        let all = self.topics.iter().try_fold(0_u32, |all, topic| all.checked_add(topic.partitions.unwrap_or(0)));
        if all.is_none_or(|all| all == u32::MAX) { Err(InputProblem::TooManyPartitions) } else { Ok(sorted) }
    }
}
