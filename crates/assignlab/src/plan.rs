//! A group and its topics at one moment, and what both must hold.
//!
//! Deliberately not here: who has which partition. A plan is what an assignor is given.

use assignor::TopicPartition;

use crate::{Refused, limits};

/// A topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// How many partitions it has, 1 or more.
    pub partitions: u32,
    /// For each partition the racks of its replicas; the list begins again when there are more partitions. Empty if no
    /// broker has a rack.
    pub racks: Vec<Vec<String>>,
}

/// What a member subscribes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Subscription {
    /// Every topic, also those to come.
    #[default]
    All,
    /// These topics, by name; none of them may be left out twice or be unknown.
    Named(Vec<String>),
}

/// A member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// `member.id`; in a real group it ends with a random UUID.
    pub id: String,
    /// `group.instance.id` of a static member.
    pub instance_id: Option<String>,
    /// `client.rack`.
    pub rack: Option<String>,
    /// Its topics.
    pub subscription: Subscription,
}

/// A group with its topics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// In the order of their creation.
    pub topics: Vec<Topic>,
    /// In the order in which they joined.
    pub members: Vec<Member>,
}

impl Topic {
    /// A topic on brokers without racks.
    pub fn new(name: impl Into<String>, partitions: u32) -> Self {
        Self { name: name.into(), partitions, racks: Vec::new() }
    }

    /// The racks of each partition; empty if there are none.
    pub fn racks_by_partition(&self) -> Vec<Vec<String>> {
        let count = if self.racks.is_empty() { 0 } else { self.partitions as usize };
        self.racks.iter().cycle().take(count).cloned().collect()
    }
}

impl Member {
    /// A dynamic member without a rack that subscribes to everything.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Does it subscribe to this topic?
    pub fn subscribes_to(&self, topic: &str) -> bool {
        match &self.subscription {
            Subscription::All => true,
            Subscription::Named(names) => names.iter().any(|name| name == topic),
        }
    }
}

impl Plan {
    /// The place of a member.
    pub fn member(&self, id: &str) -> Option<usize> {
        self.members.iter().position(|member| member.id == id)
    }

    /// The place of a topic.
    pub fn topic(&self, name: &str) -> Option<usize> {
        self.topics.iter().position(|topic| topic.name == name)
    }

    /// Places of the topics that a member subscribes to.
    pub fn subscribed(&self, member: &Member) -> Vec<u32> {
        (0..).zip(&self.topics).filter(|(_, topic)| member.subscribes_to(&topic.name)).map(|(place, _)| place).collect()
    }

    /// Every partition, topic after topic.
    pub fn partitions(&self) -> impl Iterator<Item = TopicPartition> + '_ {
        let of = |(place, topic): (u32, &Topic)| (0..topic.partitions).map(move |partition| (place, partition));
        (0..).zip(&self.topics).flat_map(of).map(|(topic, partition)| TopicPartition { topic, partition })
    }

    /// `p2`, or `orders-2` where there are several topics.
    pub fn label(&self, own: TopicPartition) -> String {
        match self.topics.as_slice() {
            [_] => format!("p{}", own.partition),
            topics => format!("{}-{}", topics[own.topic as usize].name, own.partition),
        }
    }

    /// Holds the plan to what the lab does and Kafka takes.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), Refused> {
        if self.topics.len() > limits::TOPICS_MAX {
            return Err(Refused::TooManyTopics);
        }
        if self.members.len() > limits::MEMBERS_MAX {
            return Err(Refused::TooManyMembers);
        }
        for (place, topic) in self.topics.iter().enumerate() {
            topic.check()?;
            if self.topic(&topic.name) != Some(place) {
                return Err(Refused::TopicExists { topic: topic.name.clone() });
            }
        }
        let total: u32 = self.topics.iter().map(|topic| topic.partitions).sum();
        if total > limits::PARTITIONS_TOTAL_MAX {
            return Err(Refused::TooManyPartitions { total });
        }
        self.members.iter().enumerate().try_for_each(|(place, member)| self.check_member(place, member))
    }

    fn check_member(&self, place: usize, member: &Member) -> Result<(), Refused> {
        check_name("A member id", &member.id)?;
        if self.member(&member.id) != Some(place) {
            return Err(Refused::MemberExists { id: member.id.clone() });
        }
        if let Some(instance) = &member.instance_id {
            check_name("A group.instance.id", instance)?;
            let other = self.members[..place].iter().find(|other| other.instance_id.as_ref() == Some(instance));
            if let Some(other) = other {
                return Err(Refused::InstanceTaken { instance: instance.clone(), member: other.id.clone() });
            }
        }
        if let Some(rack) = &member.rack {
            check_rack(rack)?;
        }
        let Subscription::Named(names) = &member.subscription else { return Ok(()) };
        for (place, name) in names.iter().enumerate() {
            if self.topic(name).is_none() {
                return Err(Refused::NoTopic { topic: name.clone() });
            }
            if names[..place].contains(name) {
                return Err(Refused::SubscribedTwice { member: member.id.clone(), topic: name.clone() });
            }
        }
        Ok(())
    }
}

impl Topic {
    fn check(&self) -> Result<(), Refused> {
        let is_name = is_plain(&self.name, limits::TOPIC_LENGTH_MAX, ".") && self.name != "." && self.name != "..";
        if !is_name {
            return Err(Refused::TopicName { name: self.name.clone() });
        }
        if !(1..=limits::PARTITIONS_MAX).contains(&self.partitions) {
            return Err(Refused::Partitions { partitions: self.partitions });
        }
        if self.racks.len() > limits::RACKS_MAX {
            return Err(Refused::TooManyRacks);
        }
        self.racks.iter().flatten().try_for_each(|rack| check_rack(rack))
    }
}

fn check_name(what: &'static str, name: &str) -> Result<(), Refused> {
    match is_plain(name, limits::ID_LENGTH_MAX, ".") {
        true => Ok(()),
        false => Err(Refused::Name { what, name: name.to_owned() }),
    }
}

fn check_rack(rack: &str) -> Result<(), Refused> {
    match is_plain(rack, limits::ID_LENGTH_MAX, "") {
        true => Ok(()),
        false => Err(Refused::RackName { name: rack.to_owned() }),
    }
}

fn is_plain(name: &str, length_max: usize, others: &str) -> bool {
    let is_known = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter) || others.contains(letter);
    (1..=length_max).contains(&name.len()) && name != "-" && name.chars().all(is_known)
}
