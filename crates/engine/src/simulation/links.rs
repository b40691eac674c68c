//! Links between nodes that are cut or slow.
//!
//! Every pair of nodes is linked; only links that are not as fast as the network are listed here.

use std::collections::BTreeMap;

use crate::event::{LinkState, NodeId};
use crate::time::Duration;

/// The links that are not whole, by their ends in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    list: BTreeMap<(NodeId, NodeId), LinkState>,
}

impl Links {
    /// How the link between two nodes is.
    pub fn state(&self, from: &NodeId, to: &NodeId) -> LinkState {
        if self.list.is_empty() {
            return LinkState::Whole;
        }
        self.list.get(&ends(from, to)).copied().unwrap_or(LinkState::Whole)
    }

    /// Whether every link is as fast as the network.
    pub fn is_whole(&self) -> bool {
        self.list.is_empty()
    }

    /// Changes a link.
    pub fn set(&mut self, from: &NodeId, to: &NodeId, state: LinkState) {
        match state {
            LinkState::Whole => self.list.remove(&ends(from, to)),
            state => self.list.insert(ends(from, to), state),
        };
    }

    /// What the link adds to the network's delay.
    pub fn delay(&self, from: &NodeId, to: &NodeId) -> Duration {
        match self.state(from, to) {
            LinkState::Slow { delay } => delay,
            LinkState::Whole | LinkState::Cut => Duration::ZERO,
        }
    }

    /// Whether nothing gets through.
    pub fn is_cut(&self, from: &NodeId, to: &NodeId) -> bool {
        self.state(from, to) == LinkState::Cut
    }

    /// The links that are not whole.
    pub fn iter(&self) -> impl Iterator<Item = (&NodeId, &NodeId, LinkState)> {
        self.list.iter().map(|((from, to), state)| (from, to, *state))
    }
}

fn ends(from: &NodeId, to: &NodeId) -> (NodeId, NodeId) {
    let (first, second) = if from <= to { (from, to) } else { (to, from) };
    (first.clone(), second.clone())
}
