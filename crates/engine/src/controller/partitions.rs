//! Partitions of the image: looked up, changed, and every change told.
//!
//! What becomes of one is decided in `change.rs`; which ones are asked is decided by the callers.

use std::rc::Rc;

use super::Controller;
use super::change::{Change, Election, Rules};
use crate::event::{EventKind, Name, TopicPartition};
use crate::message::{PartitionImage, TopicImage};
use crate::outbox::Outbox;

/// A broker that no longer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loss {
    /// Fenced or shutting down: it leaves the in-sync sets.
    Removed(u32),
    /// Back without its clean-shutdown marker: it is not even eligible any more.
    Unclean(u32),
}

impl Controller {
    /// A partition of the image.
    pub(super) fn partition(&self, partition: &TopicPartition) -> Option<&PartitionImage> {
        let topic = self.image.topics.get(&partition.topic)?;
        topic.partitions.get(partition.partition as usize)
    }

    /// The rules of a topic for an election of this kind; topics may allow unclean ones.
    pub(super) fn rules(&self, topic: &TopicImage, election: Election) -> Rules {
        let view = self.configs(None);
        let is_unclean = election == Election::Online && view.topic_flag(topic, "unclean.leader.election.enable");
        let election = if is_unclean { Election::Unclean } else { election };
        Rules { elr: self.elr, min_isr: view.min_isr(topic), election }
    }

    /// Elects a leader. False if nothing changes.
    pub(super) fn elect(&mut self, partition: &TopicPartition, election: Election, outbox: &mut Outbox) -> bool {
        self.alter(partition, election, |_| {}, outbox).is_some()
    }

    /// Changes a partition and tells what came of it; none if nothing changes or there is no such partition.
    pub(super) fn alter(
        &mut self,
        partition: &TopicPartition,
        election: Election,
        set: impl FnOnce(&mut Change),
        outbox: &mut Outbox,
    ) -> Option<&PartitionImage> {
        let topic = self.image.topics.get(&partition.topic)?;
        let before = topic.partitions.get(partition.partition as usize)?;
        let is_acceptable = |broker| self.is_active(broker);
        let mut change = Change::new(before, self.rules(topic, election), &is_acceptable);
        set(&mut change);
        let after = change.build()?;
        self.replace(partition, after, outbox);
        self.partition(partition)
    }

    /// Takes a broker out of the in-sync sets and leaderships of all partitions, in the order of their names.
    pub(super) fn after_loss(&mut self, loss: Loss, outbox: &mut Outbox) {
        let is_concerned = |partition: &PartitionImage| match loss {
            Loss::Removed(broker) => partition.isr.contains(&broker),
            Loss::Unclean(broker) => partition.isr.contains(&broker) || partition.elr.contains(&broker),
        };
        for partition in self.partitions_that(is_concerned) {
            let set = |change: &mut Change| match loss {
                Loss::Removed(broker) => change.isr.retain(|replica| *replica != broker),
                Loss::Unclean(broker) => {
                    change.isr.retain(|replica| *replica != broker);
                    change.unclean_shutdown = Some(broker);
                }
            };
            self.alter(&partition, Election::Online, set, outbox);
        }
    }

    /// All partitions of which something is true. Looks at the whole image.
    pub(super) fn partitions_that(&self, is_wanted: impl Fn(&PartitionImage) -> bool) -> Vec<TopicPartition> {
        let mut found = Vec::new();
        for (name, topic) in &self.image.topics {
            let wanted = (0..).zip(&topic.partitions).filter(|(_, partition)| is_wanted(partition));
            found.extend(wanted.map(|(partition, _)| TopicPartition { topic: Rc::clone(name), partition }));
        }
        found
    }

    /// Puts a changed partition into the image and tells the differences.
    pub(super) fn replace(&mut self, partition: &TopicPartition, after: PartitionImage, outbox: &mut Outbox) {
        let image = Rc::make_mut(&mut self.image);
        let topic = Rc::make_mut(image.topics.get_mut(&partition.topic).expect("the partition was looked up"));
        let slot = &mut topic.partitions[partition.partition as usize];
        let before = std::mem::replace(slot, after);
        let after = slot.clone();
        if partition.partition == 0 {
            topic.replication_factor = (after.replicas.len() - after.adding.len()) as u32;
        }
        self.keep_track(partition, Some(&after));
        tell(partition, &before, &after, outbox);
    }

    /// Keeps the sets of partitions that the periodic checks look at.
    pub(super) fn keep_track(&mut self, partition: &TopicPartition, image: Option<&PartitionImage>) {
        let is_leaderless = image.is_some_and(|image| image.leader.is_none());
        let is_off = image.is_some_and(|image| image.leader != image.replicas.first().copied());
        for (set, belongs) in [(&mut self.leaderless, is_leaderless), (&mut self.off_preferred, is_off)] {
            if belongs && !set.contains(partition) {
                Rc::make_mut(set).insert(partition.clone());
            } else if !belongs && set.contains(partition) {
                Rc::make_mut(set).remove(partition);
            }
        }
    }
}

fn tell(partition: &TopicPartition, before: &PartitionImage, after: &PartitionImage, outbox: &mut Outbox) {
    let partition = || partition.clone();
    let is_changed =
        before.isr != after.isr || before.elr != after.elr || before.last_known_elr != after.last_known_elr;
    if is_changed {
        outbox.emit(EventKind::IsrChanged {
            partition: partition(),
            before: before.isr.as_slice().into(),
            isr: after.isr.as_slice().into(),
            elr: after.elr.as_slice().into(),
            last_known_elr: after.last_known_elr.as_slice().into(),
        });
    }
    if before.leader_epoch == after.leader_epoch {
        return;
    }
    match after.leader {
        Some(leader) => {
            let leader_epoch = after.leader_epoch;
            outbox.emit(EventKind::LeaderElected { partition: partition(), leader, leader_epoch });
        }
        None if before.leader.is_some() => {
            outbox.emit(EventKind::LeaderLost { partition: partition() });
        }
        None => {}
    }
}

/// A partition by topic and number.
pub(super) fn at(topic: &Name, partition: u32) -> TopicPartition {
    TopicPartition { topic: Rc::clone(topic), partition }
}
