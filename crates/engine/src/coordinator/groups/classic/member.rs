//! A member of a classic group.
//!
//! Follows `ClassicGroupMember` of Kafka 4.3.1.

use std::rc::Rc;

use crate::coordinator::writing::Asker;
use crate::event::{Name, TopicPartition};
use crate::message::JoinGroup;
use crate::message::group::Subscription;
use crate::time::{Duration, Time};

/// A member.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub id: Name,
    /// `group.instance.id`.
    pub instance: Option<Name>,
    pub client: Name,
    pub session_timeout: Duration,
    pub rebalance_timeout: Duration,
    /// Assignors in the order of its preference, with what it tells by each.
    pub protocols: Vec<(Name, Rc<Subscription>)>,
    /// What it was given.
    pub assigned: Rc<[TopicPartition]>,
    /// It has not been in a generation yet.
    pub is_new: bool,
    /// Its JoinGroup, while that waits.
    pub joining: Option<Asker>,
    /// Its SyncGroup, while that waits.
    pub syncing: Option<Asker>,
    /// When it is removed if nothing is heard of it.
    pub session_ends: Option<Time>,
}

impl Member {
    /// A member that joins.
    pub fn new(id: Name, asked: &JoinGroup, asker: Asker, session_ends: Time) -> Member {
        Member {
            id,
            instance: asked.instance.clone(),
            client: Rc::clone(&asked.client_id),
            session_timeout: asked.session_timeout,
            rebalance_timeout: asked.rebalance_timeout,
            protocols: asked.protocols.clone(),
            assigned: Rc::new([]),
            is_new: true,
            joining: Some(asker),
            syncing: None,
            session_ends: Some(session_ends),
        }
    }

    /// Takes what a new JoinGroup says.
    pub fn update(&mut self, asked: &JoinGroup, asker: Asker) {
        self.protocols = asked.protocols.clone();
        self.session_timeout = asked.session_timeout;
        self.rebalance_timeout = asked.rebalance_timeout;
        self.joining = Some(asker);
    }

    pub fn supports(&self, protocol: &Name) -> bool {
        self.protocols.iter().any(|(name, _)| name == protocol)
    }

    /// What it tells by a protocol.
    pub fn subscription(&self, protocol: &Name) -> Option<&Rc<Subscription>> {
        self.protocols.iter().find(|(name, _)| name == protocol).map(|(_, told)| told)
    }

    /// A waiting member counts as alive, unless it is new: a client that gave up its JoinGroup would never end.
    pub fn is_waiting(&self) -> bool {
        !self.is_new && (self.joining.is_some() || self.syncing.is_some())
    }
}
