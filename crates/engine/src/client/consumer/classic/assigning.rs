//! What the leader of a generation does: it assigns, and watches the topics of the group.
//!
//! Follows `ConsumerCoordinator.onLeaderElected` and `MetadataSnapshot` of Kafka 4.3.1; the assignors are in the crate
//! `assignor`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use assignor::client::{Assignor, Group, Library, Member, Topic};
use assignor::java::hash_map_order;

use super::{Join, Reader, Snapshot};
use crate::client::consumer::commits::Failure;
use crate::error::KafkaError;
use crate::event::{Name, TopicPartition};
use crate::message::group::{Joined, JoinedMember};
use crate::order;
use crate::outbox::Outbox;

impl Reader {
    /// Assigns once the metadata knows all topics of the group. Whether it has.
    pub(super) fn assign_group(&mut self, outbox: &mut Outbox) -> bool {
        let Join::Leading(joined) = &self.classic().join else { return true };
        let joined = Rc::clone(joined);
        let topics: BTreeSet<Name> =
            order::set(joined.members.iter().flat_map(|member| member.subscription.topics.iter().cloned()));
        if !self.knows_topics(&topics, outbox) {
            return false;
        }
        let is_fresh = topics.iter().any(|topic| !self.inner().topics.contains(topic));
        let classic = self.classic_mut();
        classic.is_leader = true;
        classic.awaited_version = None;
        classic.group_topics = topics;
        if is_fresh {
            // Topics that only others subscribe to are looked up anew.
            self.classic_mut().metadata_snapshot = self.watched_topics();
        }
        self.look_at_metadata();
        let assigned = if joined.skip_assignment { Ok(Vec::new()) } else { self.assign(&joined) };
        match assigned {
            Ok(assignments) => {
                let classic = self.classic_mut();
                classic.assignment_snapshot = Some(classic.metadata_snapshot.clone());
                self.send_sync(assignments, outbox);
            }
            Err(error) => self.classic_mut().join = Join::Failed(Failure { error, is_retriable: false }),
        }
        true
    }

    /// `updateGroupSubscription`: topics that only others subscribe to need fresh metadata.
    fn knows_topics(&mut self, topics: &BTreeSet<Name>, outbox: &mut Outbox) -> bool {
        let version = self.inner().metadata_version;
        if let Some(awaited) = self.classic().awaited_version {
            // An answer that was on its way already says nothing of them.
            let is_told = |topic: &Name| self.metadata.topics.get(topic).is_some() || self.metadata.is_missing(topic);
            return version > awaited && topics.iter().all(is_told);
        }
        let strange: Vec<Name> =
            topics.iter().filter(|topic| self.metadata.topics.get(topic).is_none()).cloned().collect();
        let is_new = strange.iter().any(|topic| !self.inner().topics.contains(topic));
        for topic in &strange {
            self.metadata.want(topic, outbox.now());
        }
        if is_new {
            self.classic_mut().awaited_version = Some(version);
        }
        !is_new
    }

    /// The assignor's answer by member id.
    fn assign(&self, joined: &Joined) -> Result<Vec<(Name, Vec<TopicPartition>)>, KafkaError> {
        let assignor = Assignor::from_name(&joined.protocol).ok_or_else(|| {
            let text = format!("Coordinator selected invalid assignment protocol: {}", joined.protocol);
            KafkaError::new("", "IllegalStateException", text)
        })?;
        let ids: Vec<&str> = joined.members.iter().map(|member| &*member.member).collect();
        let members: Vec<&JoinedMember> =
            hash_map_order(&ids).into_iter().map(|place| &joined.members[place as usize]).collect();
        let input = Input::new(self, assignor, &members);
        let racks: Vec<Vec<Vec<&str>>> = input.topics.iter().map(|topic| racks_of(&topic.racks)).collect();
        let topics: Vec<Topic<'_>> = input
            .topics
            .iter()
            .zip(&racks)
            .map(|(topic, racks)| Topic { name: &topic.name, partitions: topic.partitions, racks })
            .collect();
        let described: Vec<Member<'_>> = members
            .iter()
            .zip(&input.members)
            .map(|(member, of)| Member {
                id: &member.member,
                instance_id: member.instance.as_deref(),
                rack: member.subscription.rack.as_deref(),
                topics: &of.topics,
                owned: &of.owned,
                generation: of.generation,
                user_data_generation: of.user_data_generation,
            })
            .collect();
        let assignment = assignor
            .assign_by(self.classic().library, &Group { topics: &topics, members: &described })
            .map_err(|error| thrown(&error))?;
        let own = |own: &assignor::TopicPartition| TopicPartition {
            topic: Rc::clone(&input.topics[own.topic as usize].name),
            partition: own.partition,
        };
        let by_member = (0..members.len())
            .map(|place| (Rc::clone(&members[place].member), assignment[place].iter().map(own).collect::<Vec<_>>()));
        Ok(by_member.collect())
    }

    /// `maybeUpdateSubscriptionMetadata`: only other metadata makes another snapshot. So a topic that nobody in the
    /// group subscribes to any more is in the snapshot of the next assignment still, and is missed when the metadata
    /// come again: the leader then asks for one more rebalance.
    pub(super) fn look_at_metadata(&mut self) {
        let version = self.inner().metadata_version;
        if self.classic().checked_version != version {
            self.classic_mut().metadata_snapshot = self.watched_topics();
            self.classic_mut().checked_version = version;
        }
    }

    /// What the metadata have of the topics that it watches.
    pub(super) fn watched_topics(&self) -> Snapshot {
        let has_rack = self.plan.settings.rack.is_some();
        let racks = |topic: &Name| -> Vec<BTreeSet<Name>> {
            let count = self.partition_count(topic).unwrap_or(0);
            (0..count)
                .map(|partition| match has_rack {
                    true => order::set(self.replica_racks(topic, partition)),
                    false => BTreeSet::new(),
                })
                .collect()
        };
        // Every member of librdkafka watches what it subscribes to itself, and the leader nothing else.
        let is_watched = |_: &&Name| self.classic().library == Library::Java;
        let topics = self.inner().topics.iter().chain(self.classic().group_topics.iter().filter(is_watched));
        order::map(topics.map(|topic| (Rc::clone(topic), racks(topic))))
    }

    /// Whether the leader has to assign anew. A topic that is deleted is no reason: in recordings of a running broker
    /// nothing happens to its group.
    pub(super) fn has_metadata_changed(&self) -> bool {
        let Some(before) = &self.classic().assignment_snapshot else { return false };
        let now = &self.classic().metadata_snapshot;
        before.keys().any(|topic| !now.contains_key(topic))
            || now.iter().any(|(topic, racks)| !racks.is_empty() && before.get(topic) != Some(racks))
    }

    fn replica_racks(&self, topic: &Name, partition: u32) -> Vec<Name> {
        let image = &self.inner().image;
        let replicas = image.topics.get(topic).and_then(|topic| topic.partitions.get(partition as usize));
        let rack = |id: &u32| image.brokers.get(id).and_then(|broker| broker.rack.clone());
        replicas.map(|partition| partition.replicas.iter().filter_map(rack).collect()).unwrap_or_default()
    }
}

fn thrown(error: &assignor::AssignorError) -> KafkaError {
    let text = error.java().unwrap_or_else(|| format!("IllegalStateException: {error}"));
    let (class, message) = text.split_once(": ").unwrap_or((&text, ""));
    KafkaError::new("", class.rsplit('.').next().unwrap_or(class), message)
}

fn racks_of(racks: &[Vec<Name>]) -> Vec<Vec<&str>> {
    racks.iter().map(|partition| partition.iter().map(|rack| &**rack).collect()).collect()
}

/// The input of an assignor, with topics by number.
struct Input {
    topics: Vec<KnownTopic>,
    members: Vec<KnownMember>,
}

struct KnownTopic {
    name: Name,
    partitions: u32,
    racks: Vec<Vec<Name>>,
}

struct KnownMember {
    topics: Vec<u32>,
    owned: Vec<assignor::TopicPartition>,
    generation: i32,
    user_data_generation: i32,
}

impl Input {
    fn new(reader: &Reader, assignor: Assignor, members: &[&JoinedMember]) -> Input {
        let owned = |member: &JoinedMember| -> Vec<TopicPartition> {
            let subscription = &member.subscription;
            match (assignor, &subscription.user_data) {
                (Assignor::Sticky, Some((partitions, _))) => partitions.clone(),
                (Assignor::Sticky, None) => Vec::new(),
                _ => subscription.owned.clone(),
            }
        };
        let owned: Vec<Vec<TopicPartition>> = members.iter().map(|member| owned(member)).collect();
        let subscribed = members.iter().flat_map(|member| member.subscription.topics.iter());
        let named = owned.iter().flatten().map(|partition| &partition.topic);
        let names: BTreeSet<Name> = order::set(subscribed.chain(named).cloned());
        let places: BTreeMap<Name, u32> = order::map(names.iter().cloned().zip(0..));
        let has_racks = reader.inner().image.brokers.values().any(|broker| broker.rack.is_some());
        let topic = |name: &Name| {
            let partitions = reader.partition_count(name).unwrap_or(0);
            let racks = (0..partitions).map(|partition| reader.replica_racks(name, partition));
            let racks = if has_racks { racks.collect() } else { Vec::new() };
            KnownTopic { name: Rc::clone(name), partitions, racks }
        };
        let member = |(member, owned): (&&JoinedMember, &Vec<TopicPartition>)| {
            let subscription = &member.subscription;
            let own = |partition: &TopicPartition| assignor::TopicPartition {
                topic: places[&partition.topic],
                partition: partition.partition,
            };
            let user_data = subscription.user_data.as_ref().and_then(|(_, generation)| *generation);
            KnownMember {
                topics: subscription.topics.iter().map(|topic| places[topic]).collect(),
                owned: owned.iter().map(own).collect(),
                generation: subscription.generation,
                user_data_generation: user_data.unwrap_or(super::NO_GENERATION),
            }
        };
        Input { topics: names.iter().map(topic).collect(), members: members.iter().zip(&owned).map(member).collect() }
    }
}
