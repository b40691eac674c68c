//! Topics: created, grown and deleted.
//!
//! Follows `ReplicationControlManager` of Kafka 4.3.1. Where replicas go without an assignment is
//! `placement.rs`; which names are legal is `topic_names.rs`.

use std::rc::Rc;

use super::Controller;
use super::partitions::at;
use super::placement::{self, UsableBroker};
use super::refusals::{invalid_assignment, invalid_factor, invalid_partitions, invalid_request, policy, unknown_topic};
use super::topic_names;
use crate::error::KafkaError;
use crate::event::{EventKind, Name};
use crate::internal_partition::partition_for;
use crate::limits::{PARTITIONS_MAX, TOPICS_MAX};
use crate::message::{NewTopic, PartitionImage, TopicImage};
use crate::outbox::Outbox;

impl Controller {
    /// Creates a topic, or says why not.
    pub fn create_topic(&mut self, topic: &NewTopic, outbox: &mut Outbox) -> Result<(), KafkaError> {
        topic_names::check_name(&topic.name)?;
        topic_names::check_collision(&topic.name, self.image.topics.keys().map(|name| &**name))?;
        if self.image.topics.contains_key(&topic.name) {
            let text = format!("Topic '{}' already exists.", topic.name);
            return Err(KafkaError::new("TOPIC_ALREADY_EXISTS", "TopicExistsException", text));
        }
        if self.image.topics.len() >= TOPICS_MAX as usize {
            return Err(policy(format!("This playground holds {TOPICS_MAX} topics at most.")));
        }
        self.check_topic_settings(&Default::default(), &topic.configs)?;
        let partitions = self.new_partitions(topic)?;
        let image = TopicImage {
            number: self.next_topic,
            topic_id: topic.topic_id.clone().unwrap_or_else(|| self.topic_ids.uuid()),
            replication_factor: partitions.first().map_or(0, |partition| partition.replicas.len() as u32),
            configs: topic.configs.clone(),
            partitions,
        };
        self.next_topic += 1;
        outbox.emit_cause(EventKind::TopicCreated {
            topic: Rc::clone(&topic.name),
            partitions: image.partitions.len() as u32,
            replication_factor: image.replication_factor,
        });
        self.tell_leaders(&topic.name, 0, &image.partitions, outbox);
        Rc::make_mut(&mut self.image).topics.insert(Rc::clone(&topic.name), Rc::new(image));
        Ok(())
    }

    fn new_partitions(&mut self, topic: &NewTopic) -> Result<Vec<PartitionImage>, KafkaError> {
        if let Some(assignment) = &topic.assignment {
            if topic.replication_factor != -1 {
                return Err(invalid_request(
                    "A manual partition assignment was specified, but replication factor was not set to -1.",
                ));
            }
            if topic.partitions != -1 {
                return Err(invalid_request(
                    "A manual partition assignment was specified, but numPartitions was not set to -1.",
                ));
            }
            return self.assigned(assignment, 0, None);
        }
        let factor = match topic.replication_factor {
            -1 => self.replication_default,
            factor if factor <= 0 => {
                return Err(invalid_factor(
                    "Replication factor must be larger than 0, or -1 to use the default value.",
                ));
            }
            factor => factor as u32,
        };
        let count = match topic.partitions {
            -1 => self.partitions_default,
            count if count <= 0 => {
                return Err(invalid_partitions(
                    "Number of partitions was set to an invalid non-positive value.".to_string(),
                ));
            }
            count => count as u32,
        };
        check_count(count)?;
        let refused = |text| invalid_factor(format!("Unable to replicate the partition {factor} time(s): {text}"));
        let mut lists = self.place(count, factor).map_err(refused)?;
        self.wish_for_leaders(&topic.name, &mut lists);
        self.placed(lists, factor)
    }

    /// Replica lists of the placer's choice. The error is Kafka's text.
    fn place(&mut self, count: u32, factor: u32) -> Result<Vec<Vec<u32>>, String> {
        let usable = |(id, broker): (&u32, &crate::message::BrokerImage)| UsableBroker {
            id: *id,
            rack: broker.rack.as_deref().map(str::to_string),
            is_fenced: broker.is_fenced,
        };
        // Brokers that are about to stop get nothing more.
        let brokers = self.image.brokers.iter().filter(|(_, broker)| broker.is_fenced || !broker.is_shutting_down);
        let brokers: Vec<_> = brokers.map(usable).collect();
        placement::place(&brokers, count, factor, &mut self.placement)
    }

    /// Partitions of Kafka's own topics get the leaders that the scenario wishes for.
    fn wish_for_leaders(&self, topic: &Name, lists: &mut [Vec<u32>]) {
        if !topic_names::INTERNAL_TOPICS.contains(&&**topic) {
            return;
        }
        for (id, broker) in &*self.coordinators {
            let list = &mut lists[partition_for(id, lists.len() as u32) as usize];
            match list.iter().position(|replica| replica == broker) {
                Some(place) => list.swap(0, place),
                None => list[0] = *broker,
            }
        }
    }

    fn placed(&self, lists: Vec<Vec<u32>>, factor: u32) -> Result<Vec<PartitionImage>, KafkaError> {
        let new = |replicas| {
            self.new_partition(replicas).ok_or_else(|| {
                invalid_factor(format!(
                    "Unable to replicate the partition {factor} time(s): All brokers are currently fenced or in \
                     controlled shutdown."
                ))
            })
        };
        lists.into_iter().map(new).collect()
    }

    /// A manual assignment, for partitions from `first` on.
    fn assigned(&self, lists: &[Vec<u32>], first: u32, factor: Option<u32>) -> Result<Vec<PartitionImage>, KafkaError> {
        check_count(first + lists.len() as u32)?;
        let mut expected = factor;
        let mut partitions = Vec::new();
        for (number, replicas) in (first..).zip(lists) {
            self.check_replicas(replicas, expected)?;
            expected.get_or_insert(replicas.len() as u32);
            partitions.push(self.new_partition(replicas.clone()).ok_or_else(|| {
                invalid_assignment(format!(
                    "All brokers specified in the manual partition assignment for partition {number} are fenced or in \
                     controlled shutdown."
                ))
            })?);
        }
        Ok(partitions)
    }

    /// The first active replica leads, and the active ones are in sync; none if there is none.
    fn new_partition(&self, replicas: Vec<u32>) -> Option<PartitionImage> {
        let isr: Vec<u32> = replicas.iter().copied().filter(|replica| self.is_active(*replica)).collect();
        let leader = *isr.first()?;
        Some(PartitionImage { leader: Some(leader), isr, replicas, ..PartitionImage::default() })
    }

    pub(super) fn create_partitions(
        &mut self,
        topic: &Name,
        count: i32,
        assignment: Option<&[Vec<u32>]>,
        outbox: &mut Outbox,
    ) -> Result<(), KafkaError> {
        let image = self.image.topics.get(topic).ok_or_else(unknown_topic)?;
        let before = image.partitions.len() as u32;
        let factor = image.partitions[0].replicas.len() as u32;
        if count == before as i32 {
            return Err(invalid_partitions(format!("Topic already has {before} partition(s).")));
        }
        if count < before as i32 {
            return Err(invalid_partitions(format!(
                "The topic {topic} currently has {before} partition(s); {count} would not be an increase."
            )));
        }
        let after = count as u32;
        check_count(after)?;
        let added = match assignment {
            Some(lists) if lists.len() as u32 != after - before => {
                let text = format!(
                    "Attempted to add {} additional partition(s), but only {} assignment(s) were specified.",
                    after - before,
                    lists.len()
                );
                return Err(invalid_assignment(text));
            }
            Some(lists) => self.assigned(lists, before, Some(factor))?,
            None => {
                let lists = self.place(after - before, factor).map_err(invalid_factor)?;
                self.placed(lists, factor)?
            }
        };
        outbox.emit_cause(EventKind::PartitionsCreated { topic: Rc::clone(topic), before, after });
        self.tell_leaders(topic, before, &added, outbox);
        let image = Rc::make_mut(&mut self.image).topics.get_mut(topic).expect("looked up above");
        Rc::make_mut(image).partitions.extend(added);
        Ok(())
    }

    pub(super) fn delete_topic(&mut self, topic: &Name, outbox: &mut Outbox) -> Result<(), KafkaError> {
        let Some(image) = Rc::make_mut(&mut self.image).topics.remove(topic) else {
            return Err(unknown_topic());
        };
        for number in 0..image.partitions.len() as u32 {
            self.keep_track(&at(topic, number), None);
        }
        outbox.emit_cause(EventKind::TopicDeleted { topic: Rc::clone(topic) });
        Ok(())
    }

    /// `validateManualPartitionAssignment` of one partition.
    pub(super) fn check_replicas(&self, replicas: &[u32], factor: Option<u32>) -> Result<(), KafkaError> {
        if replicas.is_empty() {
            return Err(invalid_assignment("The manual partition assignment includes an empty replica list."));
        }
        let mut sorted = replicas.to_vec();
        sorted.sort_unstable();
        for (at, broker) in sorted.iter().enumerate() {
            if !self.image.brokers.contains_key(broker) {
                return Err(invalid_assignment(format!(
                    "The manual partition assignment includes broker {broker}, but no such broker is registered."
                )));
            }
            if at > 0 && sorted[at - 1] == *broker {
                return Err(invalid_assignment(format!(
                    "The manual partition assignment includes the broker {broker} more than once."
                )));
            }
        }
        let count = replicas.len() as u32;
        match factor {
            Some(factor) if factor != count => Err(invalid_assignment(format!(
                "The manual partition assignment includes a partition with {count} replica(s), but this is not \
                 consistent with previous partitions, which have {factor} replica(s)."
            ))),
            _ => Ok(()),
        }
    }

    fn tell_leaders(&mut self, topic: &Name, first: u32, partitions: &[PartitionImage], outbox: &mut Outbox) {
        for (number, image) in (first..).zip(partitions) {
            let partition = at(topic, number);
            self.keep_track(&partition, Some(image));
            if let Some(leader) = image.leader {
                outbox.emit(EventKind::LeaderElected { partition, leader, leader_epoch: image.leader_epoch });
            }
        }
    }
}

fn check_count(count: u32) -> Result<(), KafkaError> {
    if count > PARTITIONS_MAX {
        return Err(policy(format!("This playground draws {PARTITIONS_MAX} partitions of a topic at most.")));
    }
    Ok(())
}
