//! The stage as a tree of words: for the keyboard and for screen readers, in reading order.
//!
//! Says nothing about places and colors.

use std::rc::Rc;

use engine::Snapshot;

use crate::stage::Stage;

/// A thing on the stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The id of its item in the display list.
    pub id: Rc<str>,
    /// What a screen reader says.
    pub label: Rc<str>,
    /// Things inside.
    pub children: Vec<Node>,
}

impl Stage {
    /// Producers, then brokers with their partitions and records, then readers.
    pub fn tree(&self, snapshot: &Snapshot) -> Vec<Node> { let _ = snapshot; todo!() }
}
