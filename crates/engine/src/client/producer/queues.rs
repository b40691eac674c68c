//! The queues of a producer by topic and partition, laid out for a look at all of them with every pass.
//!
//! What lies in a queue is the accumulator's business.

use std::collections::VecDeque;
use std::rc::Rc;

use super::accumulator::{Batch, Key};
use crate::client::named::Named;
use crate::event::Name;

/// The batches of one partition, oldest first. Checkpoints share what does not change.
pub(crate) type Queue = VecDeque<Rc<Batch>>;

/// A partition that has had a batch.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub key: Key,
    pub queue: Queue,
}

/// All queues, in the order of topic and partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queues {
    topics: Named<Vec<Slot>>,
}

impl Queues {
    /// The queue of a partition, if it has had a batch.
    pub fn get(&self, key: &Key) -> Option<&Queue> {
        let slots = self.topics.get(&key.0)?;
        place(slots, key.1).ok().map(|place| &slots[place].queue)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, key: &Key) -> Option<&mut Queue> {
        let slots = self.topics.get_mut(&key.0)?;
        place(slots, key.1).ok().map(|place| &mut slots[place].queue)
    }

    /// The queue of a partition.
    pub fn entry(&mut self, key: &Key) -> &mut Queue {
        let slots = self.topics.entry(&key.0, Vec::new);
        let place = match place(slots, key.1) {
            Ok(place) => place,
            Err(place) => {
                slots.insert(place, Slot { key: key.clone(), queue: Queue::new() });
                place
            }
        };
        &mut slots[place].queue
    }

    /// The partitions of a topic that have had a batch.
    pub fn of_topic(&self, topic: &Name) -> &[Slot] {
        self.topics.get(topic).map_or(&[], Vec::as_slice)
    }

    /// Topics and their partitions that have had a batch.
    pub fn topics(&self) -> impl Iterator<Item = (&Name, &[Slot])> {
        self.topics.iter().map(|(topic, slots)| (topic, slots.as_slice()))
    }

    /// All of them.
    pub fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.topics.iter().flat_map(|(_, slots)| slots)
    }

    /// The same, to change them.
    pub fn slots_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.topics.iter_mut().flat_map(|(_, slots)| slots)
    }

    /// The batches, in the order of their partitions.
    pub fn into_batches(self) -> impl Iterator<Item = Rc<Batch>> {
        self.topics.into_values().flatten().flat_map(|slot| slot.queue)
    }
}

/// Where a partition stands among those of its topic: at its own number, if all before it have had a batch.
fn place(slots: &[Slot], partition: u32) -> Result<usize, usize> {
    match slots.get(partition as usize) {
        Some(slot) if slot.key.1 == partition => Ok(partition as usize),
        _ => slots.binary_search_by_key(&partition, |slot| slot.key.1),
    }
}
