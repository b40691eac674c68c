//! What can happen to a group and its topics.
//!
//! Deliberately not here: what an assignor makes of it.

use std::fmt;

use crate::{Member, Plan, Refused, Subscription, Topic};

/// Something that happens; a rebalance follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A member joins.
    Join(Member),
    /// A member leaves.
    Leave {
        /// Its id.
        member: String,
    },
    /// A member subscribes anew.
    Subscribe {
        /// Its id.
        member: String,
        /// To what.
        subscription: Subscription,
    },
    /// A topic is created.
    Create(Topic),
    /// A topic gets more partitions.
    Grow {
        /// Its name.
        topic: String,
        /// How many it has afterwards.
        partitions: u32,
    },
    /// A topic is deleted, and with it every mention of it.
    Delete {
        /// Its name.
        topic: String,
    },
}

impl Change {
    /// The plan after the change.
    ///
    /// # Errors
    /// What Kafka or the lab refuses; see [`Refused`].
    pub fn apply(&self, plan: &Plan) -> Result<Plan, Refused> {
        let mut next = plan.clone();
        match self {
            Self::Join(member) => next.members.push(member.clone()),
            Self::Leave { member } => {
                next.members.remove(place_of_member(plan, member)?);
            }
            Self::Subscribe { member, subscription } => {
                next.members[place_of_member(plan, member)?].subscription.clone_from(subscription);
            }
            Self::Create(topic) => next.topics.push(topic.clone()),
            Self::Grow { topic, partitions } => {
                let place = place_of_topic(plan, topic)?;
                let before = std::mem::replace(&mut next.topics[place].partitions, *partitions);
                if *partitions <= before {
                    return Err(Refused::NotAnIncrease {
                        topic: topic.clone(),
                        partitions: before,
                        wanted: *partitions,
                    });
                }
            }
            Self::Delete { topic } => {
                next.topics.remove(place_of_topic(plan, topic)?);
                for member in &mut next.members {
                    if let Subscription::Named(names) = &mut member.subscription {
                        names.retain(|name| name != topic);
                    }
                }
            }
        }
        next.check()?;
        Ok(next)
    }
}

fn place_of_member(plan: &Plan, id: &str) -> Result<usize, Refused> {
    plan.member(id).ok_or_else(|| Refused::NoMember { id: id.to_owned() })
}

fn place_of_topic(plan: &Plan, name: &str) -> Result<usize, Refused> {
    plan.topic(name).ok_or_else(|| Refused::NoTopic { topic: name.to_owned() })
}

impl fmt::Display for Change {
    /// A short sentence without its full stop: `C joins`, `orders grows to 8 partitions`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Join(member) => write!(f, "{} joins", member.id),
            Self::Leave { member } => write!(f, "{member} leaves"),
            Self::Subscribe { member, subscription: Subscription::All } => write!(f, "{member} subscribes to all"),
            Self::Subscribe { member, subscription: Subscription::Named(names) } if names.is_empty() => {
                write!(f, "{member} subscribes to nothing")
            }
            Self::Subscribe { member, subscription: Subscription::Named(names) } => {
                write!(f, "{member} subscribes to {}", names.join(", "))
            }
            Self::Create(topic) => write!(f, "{} is created", topic.name),
            Self::Grow { topic, partitions } => write!(f, "{topic} grows to {partitions}"),
            Self::Delete { topic } => write!(f, "{topic} is deleted"),
        }
    }
}
