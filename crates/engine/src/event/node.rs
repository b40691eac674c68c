//! Who takes part, and where: nodes and partitions by name.
//!
//! How they are called in sentences is in `sentence.rs`.

use std::cmp::Ordering;
use std::rc::Rc;

use serde::Serialize;

use super::Name;

/// Something that takes part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "node", rename_all = "snake_case")]
pub enum NodeId {
    /// The active controller.
    Controller,
    /// A broker.
    Broker {
        /// Its `broker.id`.
        id: u32,
    },
    /// A producer instance.
    Producer {
        /// Its name.
        name: Name,
    },
    /// A reader.
    Consumer {
        /// Its name.
        name: Name,
    },
    /// The Admin client behind commands and command-line tools.
    Admin,
}

impl NodeId {
    /// Its name in commands, such as `broker-1`.
    pub fn in_commands(&self) -> String {
        match self {
            NodeId::Controller => "controller".to_string(),
            NodeId::Broker { id } => format!("broker-{id}"),
            NodeId::Producer { name } | NodeId::Consumer { name } => name.to_string(),
            NodeId::Admin => "admin".to_string(),
        }
    }
}

/// A partition of a topic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TopicPartition {
    /// The topic.
    pub topic: Name,
    /// The partition.
    pub partition: u32,
}

/// By topic and number. Whoever looks a partition up nearly always shares the name with the map that has it, and
/// then its text is not read.
impl Ord for TopicPartition {
    fn cmp(&self, other: &TopicPartition) -> Ordering {
        let is_same = Rc::ptr_eq(&self.topic, &other.topic);
        let topics = if is_same { Ordering::Equal } else { self.topic.cmp(&other.topic) };
        topics.then(self.partition.cmp(&other.partition))
    }
}

impl PartialOrd for TopicPartition {
    fn partial_cmp(&self, other: &TopicPartition) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl TopicPartition {
    /// Topic and number out of a name such as `orders-0`, as it is displayed; topics may have dashes themselves.
    ///
    /// ```
    /// use engine::event::TopicPartition;
    ///
    /// assert_eq!(TopicPartition::split("page-views-12"), Some(("page-views", 12)));
    /// assert_eq!(TopicPartition::split("page-views"), None);
    /// ```
    pub fn split(name: &str) -> Option<(&str, u32)> {
        let (topic, number) = name.rsplit_once('-')?;
        Some((topic, number.parse().ok()?))
    }
}
