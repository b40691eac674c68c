//! The active controller: topics, partitions and leaders.
//!
//! Follows `ReplicationControlManager` of Kafka 4.3.1. Simplified: the metadata log and its quorum are
//! not modelled; the controller decides at once and sends each broker the whole new image.

pub(crate) mod placement;
pub(crate) mod topic_names;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::error::KafkaError;
use crate::event::{Api, EventKind, MessageView, Name, NodeId, TopicPartition};
use crate::limits::{PARTITIONS_MAX, TOPICS_MAX};
use crate::message::{AdminRequest, ClusterImage, NewTopic, PartitionImage, Payload, TopicImage};
use crate::outbox::{Outbox, Parcel};
use crate::queue::Target;
use crate::rng::{JavaRandom, Stream};

/// The controller's state.
#[derive(Clone, Debug)]
pub(crate) struct Controller {
    /// Broker ids and racks, in the order of the plan.
    brokers: Vec<(u32, Option<String>)>,
    image: Rc<ClusterImage>,
    placement: JavaRandom,
    topic_ids: Stream,
    next_topic: u64,
    partitions_default: u32,
    replication_default: u32,
}

impl Controller {
    /// A controller of these brokers.
    pub fn new(brokers: Vec<(u32, Option<String>)>, placement: u64, seed: u64, defaults: (u32, u32)) -> Controller {
        Controller {
            brokers,
            image: Rc::default(),
            placement: JavaRandom::new(placement),
            topic_ids: Stream::new(seed, "topic id", ""),
            next_topic: 0,
            partitions_default: defaults.0,
            replication_default: defaults.1,
        }
    }

    /// The present image.
    pub fn image(&self) -> &Rc<ClusterImage> {
        &self.image
    }

    /// Registers the brokers and creates the scenario's topics.
    pub fn start(&mut self, topics: &[NewTopic], outbox: &mut Outbox) {
        for (broker, _) in &self.brokers {
            outbox.emit(EventKind::BrokerRegistered { broker: *broker });
        }
        for topic in topics {
            let created = self.create_topic(topic, outbox);
            assert!(created.is_ok(), "the plan has tried every topic of the scenario: {created:?}");
        }
        self.publish(outbox);
    }

    /// Handles a request of the Admin client.
    pub fn handle(&mut self, message: &MessageView, request: &AdminRequest, outbox: &mut Outbox) {
        let result = match request {
            AdminRequest::CreateTopic(topic) => self.create_topic(topic, outbox),
            AdminRequest::CreatePartitions { topic, partitions, assignment } => {
                self.create_partitions(topic, *partitions, assignment.as_deref(), outbox)
            }
            AdminRequest::DeleteTopic { topic } => self.delete_topic(topic, outbox),
        };
        if result.is_ok() {
            self.publish(outbox);
        }
        if message.from == NodeId::Admin {
            let error = result.as_ref().err().cloned();
            let payload = Payload::AdminAnswer { request: message.id, result };
            let parcel = Parcel::answer(message, Target::Admin, payload, true);
            outbox.send(Parcel { error, ..parcel });
        }
    }

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
        let replicas = self.new_replicas(topic)?;
        let image = TopicImage {
            number: self.next_topic,
            topic_id: self.topic_id(),
            replication_factor: replicas.first().map_or(0, |list| list.len() as u32),
            configs: topic.configs.clone(),
            partitions: replicas.into_iter().map(new_partition).collect(),
        };
        self.next_topic += 1;
        outbox.emit_cause(EventKind::TopicCreated {
            topic: Rc::clone(&topic.name),
            partitions: image.partitions.len() as u32,
            replication_factor: image.replication_factor,
        });
        tell_leaders(&topic.name, 0, &image.partitions, outbox);
        Rc::make_mut(&mut self.image).topics.insert(Rc::clone(&topic.name), image);
        Ok(())
    }

    fn new_replicas(&mut self, topic: &NewTopic) -> Result<Vec<Vec<u32>>, KafkaError> {
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
            self.check_assignment(assignment, None)?;
            return Ok(assignment.clone());
        }
        let factor = match topic.replication_factor {
            -1 => self.replication_default,
            factor if factor <= 0 => {
                let text = "Replication factor must be larger than 0, or -1 to use the default value.";
                return Err(KafkaError::new("INVALID_REPLICATION_FACTOR", "InvalidReplicationFactorException", text));
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
        self.place(count, factor)
    }

    fn place(&mut self, count: u32, factor: u32) -> Result<Vec<Vec<u32>>, KafkaError> {
        placement::place(&self.brokers, count, factor, &mut self.placement).map_err(|text| {
            let text = format!("Unable to replicate the partition {factor} time(s): {text}");
            KafkaError::new("INVALID_REPLICATION_FACTOR", "InvalidReplicationFactorException", text)
        })
    }

    fn create_partitions(
        &mut self,
        topic: &Name,
        count: i32,
        assignment: Option<&[Vec<u32>]>,
        outbox: &mut Outbox,
    ) -> Result<(), KafkaError> {
        let image = self.image.topics.get(topic).ok_or_else(unknown_topic)?;
        let before = image.partitions.len() as u32;
        let factor = image.replication_factor;
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
            Some(lists) => {
                self.check_assignment(lists, Some(factor))?;
                lists.to_vec()
            }
            None => self.place(after - before, factor)?,
        };
        let added: Vec<_> = added.into_iter().map(new_partition).collect();
        outbox.emit_cause(EventKind::PartitionsCreated { topic: Rc::clone(topic), before, after });
        tell_leaders(topic, before, &added, outbox);
        let image = Rc::make_mut(&mut self.image).topics.get_mut(topic).expect("looked up above");
        image.partitions.extend(added);
        Ok(())
    }

    fn delete_topic(&mut self, topic: &Name, outbox: &mut Outbox) -> Result<(), KafkaError> {
        if !self.image.topics.contains_key(topic) {
            return Err(unknown_topic());
        }
        Rc::make_mut(&mut self.image).topics.remove(topic);
        outbox.emit_cause(EventKind::TopicDeleted { topic: Rc::clone(topic) });
        Ok(())
    }

    fn check_assignment(&self, lists: &[Vec<u32>], factor: Option<u32>) -> Result<(), KafkaError> {
        check_count(lists.len() as u32)?;
        let mut expected = factor;
        for replicas in lists {
            if replicas.is_empty() {
                return Err(invalid_assignment("The manual partition assignment includes an empty replica list."));
            }
            let mut sorted = replicas.clone();
            sorted.sort_unstable();
            for (at, broker) in sorted.iter().enumerate() {
                if !self.brokers.iter().any(|(id, _)| id == broker) {
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
            let previous = *expected.get_or_insert(count);
            if previous != count {
                return Err(invalid_assignment(format!(
                    "The manual partition assignment includes a partition with {count} replica(s), but this is not \
                     consistent with previous partitions, which have {previous} replica(s)."
                )));
            }
        }
        Ok(())
    }

    /// Topic ids are version-4 uuids, shown as 22 characters of URL-safe base64.
    fn topic_id(&mut self) -> Name {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let high = (self.topic_ids.draw() & 0xffff_ffff_ffff_0fff) | 0x4000;
        let low = (self.topic_ids.draw() & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000;
        let bits = (u128::from(high) << 64) | u128::from(low);
        let digit = |at: u32| ALPHABET[if at < 21 { (bits >> (122 - 6 * at)) & 63 } else { (bits << 4) & 63 } as usize];
        (0..22).map(|at| char::from(digit(at))).collect::<String>().into()
    }

    fn publish(&self, outbox: &mut Outbox) {
        for (index, (broker, _)) in self.brokers.iter().enumerate() {
            let payload = Payload::Image(Rc::clone(&self.image));
            let (to, target) = (NodeId::Broker { id: *broker }, Target::Broker(index as u32));
            outbox.send(Parcel::request(Api::Metadata, NodeId::Controller, to, target, payload, false));
        }
    }
}

fn new_partition(replicas: Vec<u32>) -> PartitionImage {
    PartitionImage { leader: replicas.first().copied(), leader_epoch: 0, isr: replicas.clone(), replicas }
}

fn tell_leaders(topic: &Name, first: u32, partitions: &[PartitionImage], outbox: &mut Outbox) {
    for (partition, image) in (first..).zip(partitions) {
        if let Some(leader) = image.leader {
            let partition = TopicPartition { topic: Rc::clone(topic), partition };
            outbox.emit(EventKind::LeaderElected { partition, leader, leader_epoch: image.leader_epoch });
        }
    }
}

fn check_count(count: u32) -> Result<(), KafkaError> {
    if count > PARTITIONS_MAX {
        return Err(policy(format!("This playground draws {PARTITIONS_MAX} partitions of a topic at most.")));
    }
    Ok(())
}

/// A bound of ours, told as a cluster with a policy would tell it.
fn policy(text: String) -> KafkaError {
    KafkaError::new("POLICY_VIOLATION", "PolicyViolationException", text)
}

fn invalid_partitions(text: String) -> KafkaError {
    KafkaError::new("INVALID_PARTITIONS", "InvalidPartitionsException", text)
}

fn invalid_request(text: &str) -> KafkaError {
    KafkaError::new("INVALID_REQUEST", "InvalidRequestException", text)
}

fn invalid_assignment(text: impl Into<String>) -> KafkaError {
    KafkaError::new("INVALID_REPLICA_ASSIGNMENT", "InvalidReplicaAssignmentException", text)
}

fn unknown_topic() -> KafkaError {
    let text = "This server does not host this topic-partition.";
    KafkaError::new("UNKNOWN_TOPIC_OR_PARTITION", "UnknownTopicOrPartitionException", text)
}

/// Settings by name, as the image keeps them.
pub(crate) fn shared_configs(configs: &BTreeMap<String, String>) -> BTreeMap<Name, Name> {
    let mut shared = BTreeMap::new();
    shared.extend(configs.iter().map(|(name, value)| (Name::from(name.as_str()), Name::from(value.as_str()))));
    shared
}
