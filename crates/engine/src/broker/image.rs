//! What a broker does with the controller's images: it leads, follows, starts and removes replicas.
//!
//! Follows `ReplicaManager.applyDelta` of Kafka 4.3.1. Only what changed is looked at.

use std::rc::Rc;

use super::Broker;
use super::replica::{Leadership, Replica, Role};
use super::settings::TopicSettings;
use crate::event::{Name, TopicPartition};
use crate::message::{ClusterImage, PartitionImage, TopicImage};
use crate::outbox::Outbox;

impl Broker {
    /// Takes over an image.
    pub(super) fn take_image(&mut self, image: &Rc<ClusterImage>, outbox: &mut Outbox) {
        // An image may still tell of the process before this one, which led what this one must not lead.
        if self.awaits_epoch {
            return;
        }
        let before = std::mem::replace(&mut self.image, Rc::clone(image));
        let are_defaults_new = !Rc::ptr_eq(&before.broker_defaults, &image.broker_defaults)
            || !Rc::ptr_eq(&before.broker_configs, &image.broker_configs);
        if are_defaults_new {
            self.resolve_settings(outbox.now());
        }
        if let Some(own) = image.brokers.get(&self.id) {
            self.broker_epoch = self.broker_epoch.max(own.epoch);
        }
        for partition in self.replicas.keys() {
            // A stopped broker misses deletions.
            if before.topics.is_empty() && !image.topics.contains_key(&partition.topic) {
                self.remove_replica(&partition, outbox);
            }
        }
        for (topic, old) in &before.topics {
            if image.topics.get(topic).is_none_or(|new| new.number != old.number) {
                self.remove_topic(topic, old, outbox);
                self.forget_offsets_of(topic, outbox);
            }
        }
        for (topic, new) in &image.topics {
            let old = before.topics.get(topic).filter(|old| old.number == new.number);
            let is_same = old.is_some_and(|old| Rc::ptr_eq(old, new));
            if are_defaults_new || old.is_none_or(|old| old.configs != new.configs) {
                self.configure_topic(topic, new);
            }
            if !is_same {
                self.take_topic(topic, old.map(|old| &**old), new, outbox);
            }
            if are_defaults_new || !is_same {
                self.apply_configs(topic, new, outbox);
            }
        }
        if before.brokers != image.brokers {
            self.replicas.keys().iter().for_each(|partition| self.reconsider_followers(partition, outbox));
        }
        self.send_fetches(outbox);
    }

    fn take_topic(&mut self, topic: &Name, old: Option<&TopicImage>, new: &TopicImage, outbox: &mut Outbox) {
        for (number, state) in (0..).zip(&new.partitions) {
            if old.and_then(|old| old.partitions.get(number as usize)) == Some(state) {
                continue;
            }
            let partition = TopicPartition { topic: Rc::clone(topic), partition: number };
            if state.replicas.contains(&self.id) {
                self.start_replica(&partition, new, outbox);
                self.take_partition(&partition, state, outbox);
            } else {
                self.remove_replica(&partition, outbox);
            }
        }
    }

    /// Makes a log where there is none.
    fn start_replica(&mut self, partition: &TopicPartition, topic: &TopicImage, outbox: &mut Outbox) {
        if self.replicas.get(partition).is_some_and(|replica| replica.topic_number == topic.number) {
            return;
        }
        // A log of a deleted topic of the same name, whose deletion a stopped broker has missed, goes.
        self.remove_replica(partition, outbox);
        let log = self.new_log(partition, outbox.now());
        let replica = Replica {
            log,
            topic_number: topic.number,
            leader_epoch: 0,
            partition_epoch: 0,
            role: Role::Idle,
            leader_throttled: false,
            follower_throttled: false,
            watched: None,
        };
        self.replicas.insert(partition, Rc::new(replica));
    }

    /// The state of one partition: by an image, or by the answer to a proposal.
    pub(super) fn take_partition(&mut self, partition: &TopicPartition, state: &PartitionImage, outbox: &mut Outbox) {
        let (own, now) = (self.id, outbox.now());
        let min_isr = self.topics.get(&partition.topic).map_or(1, |topic| topic.min_isr);
        let Some(replica) = self.replicas.get_mut(partition) else { return };
        let is_known = !replica.is_idle() && state.partition_epoch <= replica.partition_epoch;
        if is_known && state.leader_epoch <= replica.leader_epoch {
            return;
        }
        let replica = Rc::make_mut(replica);
        let log_end = replica.log.log_end_offset;
        let is_new_epoch = replica.is_idle() || state.leader_epoch > replica.leader_epoch;
        replica.leader_epoch = state.leader_epoch;
        replica.partition_epoch = state.partition_epoch;
        let before = std::mem::replace(&mut replica.role, Role::Idle);
        match (state.leader, before) {
            (Some(leader), before) if leader == own => {
                let mut leadership = match before {
                    Role::Leader(mut same) if !is_new_epoch => {
                        same.update(state, own, now, log_end);
                        *same
                    }
                    before => {
                        replica.log.assign_epoch_start(state.leader_epoch, log_end);
                        let before = if let Role::Leader(before) = before { Some(*before) } else { None };
                        Leadership::renewed(before, state, own, log_end, now)
                    }
                };
                leadership.min_isr = min_isr.min(state.replicas.len() as u32);
                replica.role = Role::Leader(Box::new(leadership));
                self.leads(partition, outbox);
                if is_new_epoch {
                    self.coordinator_elected(partition, state.leader_epoch, outbox);
                }
            }
            (leader, before) => {
                let is_in_sync = state.isr.contains(&own);
                let is_same =
                    !is_new_epoch && matches!(before, Role::Follower { leader: old, .. } if Some(old) == leader);
                if let Some(leader) = leader {
                    replica.role = Role::Follower { leader, is_in_sync };
                }
                if !is_same {
                    self.leave(partition);
                    leader.into_iter().for_each(|leader| self.follow(partition, leader, outbox));
                }
                if let Role::Leader(before) = before {
                    self.coordinator_resigned(partition, outbox);
                    self.leads_no_more(partition, *before, outbox);
                }
            }
        }
    }

    /// The replica leads, perhaps with another in-sync set than before.
    fn leads(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        self.leave(partition);
        if self.advance_high_watermark(partition, outbox) {
            self.complete_fetches(std::slice::from_ref(partition), outbox);
        }
        self.look_at_isr(partition, outbox);
        self.reconsider_followers(partition, outbox);
        self.log_changed(partition, outbox);
    }

    /// Whoever waits for the leader learns that it is another one.
    fn leads_no_more(&mut self, partition: &TopicPartition, before: Leadership, outbox: &mut Outbox) {
        self.fail_produces(before, outbox);
        self.complete_fetches(std::slice::from_ref(partition), outbox);
    }

    fn remove_topic(&mut self, topic: &Name, old: &TopicImage, outbox: &mut Outbox) {
        for number in 0..old.partitions.len() as u32 {
            self.remove_replica(&TopicPartition { topic: Rc::clone(topic), partition: number }, outbox);
        }
        self.topics.remove(topic);
    }

    fn remove_replica(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        let Some(replica) = self.replicas.remove(partition) else { return };
        self.leave(partition);
        if let Role::Leader(before) = Rc::unwrap_or_clone(replica).role {
            self.coordinator_resigned(partition, outbox);
            self.fail_produces(*before, outbox);
        }
        self.complete_fetches(std::slice::from_ref(partition), outbox);
    }

    fn configure_topic(&mut self, topic: &Name, image: &TopicImage) {
        let settings = TopicSettings::new(&self.view(), image);
        self.topics.insert(Rc::clone(topic), settings);
    }

    /// Lets the topic's settings work on its replicas here.
    fn apply_configs(&mut self, topic: &Name, image: &TopicImage, outbox: &mut Outbox) {
        let own = self.id;
        for (number, state) in (0..).zip(&image.partitions) {
            let partition = TopicPartition { topic: Rc::clone(topic), partition: number };
            let Some(settings) = self.topics.get(topic) else { return };
            let Some(replica) = self.replicas.get_mut(&partition) else { continue };
            let replica = Rc::make_mut(replica);
            replica.log.set_settings(Rc::clone(&settings.log));
            replica.leader_throttled = settings.leader_throttled.names(number, own);
            replica.follower_throttled = settings.follower_throttled.names(number, own);
            let min_isr = settings.min_isr.min(state.replicas.len() as u32);
            let is_lower = replica.leadership_mut().is_some_and(|leadership| {
                let before = std::mem::replace(&mut leadership.min_isr, min_isr);
                min_isr < before
            });
            if is_lower && self.advance_high_watermark(&partition, outbox) {
                self.complete_fetches(std::slice::from_ref(&partition), outbox);
            }
            self.log_changed(&partition, outbox);
        }
    }
}

impl Replica {
    /// Whether its broker knows no leader.
    pub fn is_idle(&self) -> bool {
        matches!(self.role, Role::Idle)
    }
}
