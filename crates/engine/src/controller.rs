//! The active controller: topics, partitions, leaders, in-sync sets and dynamic settings.
//!
//! Follows `QuorumController` of Kafka 4.3.1. Simplified: the metadata log and its quorum are not
//! modelled; the controller decides at once and sends each broker the whole new image.

mod brokers;
mod change;
mod configs;
mod elections;
mod isr;
mod partitions;
pub(crate) mod placement;
mod reassign;
mod refusals;
pub(crate) mod topic_names;
mod topics;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::command::PartitionOutcome;
use crate::config_view::{ConfigView, StaticConfigs};
use crate::error::KafkaError;
use crate::event::{Api, EventKind, MessageView, Name, NodeId, TopicPartition};
use crate::message::{AdminRequest, ClusterImage, NewTopic, Payload};
use crate::order;
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};
use crate::rng::{JavaRandom, Stream};
use crate::scenario::Plan;
use crate::time::{Duration, Time};

use brokers::Session;

/// The controller's state.
#[derive(Clone, Debug)]
pub(crate) struct Controller {
    image: Rc<ClusterImage>,
    /// The image that the brokers were sent last.
    published: Rc<ClusterImage>,
    fixed: Rc<StaticConfigs>,
    /// Whether eligible leader replicas (KIP-966) are on.
    elr: bool,
    /// The broker whose process is the active controller.
    host: Option<u32>,
    /// Ids and racks, in the order of the plan.
    brokers: Rc<[(u32, Option<Name>)]>,
    sessions: BTreeMap<u32, Session>,
    next_broker_epoch: u64,
    placement: JavaRandom,
    topic_ids: Stream,
    next_topic: u64,
    /// Who shall coordinate which transactional id or group.
    coordinators: Rc<BTreeMap<Name, u32>>,
    partitions_default: u32,
    replication_default: u32,
    /// Partitions without a leader.
    leaderless: Rc<BTreeSet<TopicPartition>>,
    /// Partitions that another than their preferred replica leads.
    off_preferred: Rc<BTreeSet<TopicPartition>>,
    /// When the host became active: the grid of the periodic checks starts here.
    activated: Time,
    /// When the next periodic checks are due, if they are armed.
    preferred_due: Option<Time>,
    unclean_due: Option<Time>,
}

/// An answer to the Admin client: as a whole, and for each partition that was named.
type Answer = Result<Vec<PartitionOutcome>, KafkaError>;

impl Controller {
    /// The controller of a cluster before anything is registered; the first broker hosts it.
    pub fn new(plan: &Plan) -> Controller {
        let broker = |broker: &crate::scenario::BrokerPlan| (broker.id, broker.rack.as_deref().map(Name::from));
        let mut controller = Controller {
            image: Rc::default(),
            published: Rc::default(),
            fixed: Rc::clone(&plan.fixed),
            elr: plan.features.elr,
            host: plan.brokers.first().map(|broker| broker.id),
            brokers: plan.brokers.iter().map(broker).collect(),
            sessions: order::map(plan.brokers.iter().map(|broker| (broker.id, Session::default()))),
            next_broker_epoch: 0,
            placement: JavaRandom::new(plan.placement),
            topic_ids: Stream::new(plan.seed, "topic id", ""),
            next_topic: 0,
            coordinators: Rc::clone(&plan.coordinators),
            partitions_default: plan.partitions_default,
            replication_default: plan.replication_default,
            leaderless: Rc::default(),
            off_preferred: Rc::default(),
            activated: Time::ZERO,
            preferred_due: None,
            unclean_due: None,
        };
        controller.register_all();
        controller.published = Rc::clone(&controller.image);
        controller
    }

    /// The present image.
    pub fn image(&self) -> &Rc<ClusterImage> {
        &self.image
    }

    /// The broker whose process is the active controller.
    pub fn host(&self) -> Option<u32> {
        self.host
    }

    /// Settings in force at a broker; by default at the first one.
    pub fn configs(&self, broker: Option<u32>) -> ConfigView<'_> {
        let broker = broker.or(self.host).unwrap_or(self.brokers[0].0);
        ConfigView { fixed: &self.fixed, image: &self.image, broker }
    }

    /// The cluster is formatted, its brokers are up: creates the scenario's topics and tells the brokers.
    pub fn start(&mut self, topics: &[NewTopic], outbox: &mut Outbox) {
        for (broker, _) in &*self.brokers {
            outbox.emit(EventKind::BrokerRegistered { broker: *broker });
        }
        for topic in topics {
            let created = self.create_topic(topic, outbox);
            assert!(created.is_ok(), "the plan has tried every topic of the scenario: {created:?}");
        }
        self.send_image(outbox);
        self.arm_checks(outbox);
    }

    /// Handles a message.
    pub fn handle(&mut self, message: &MessageView, payload: &Payload, outbox: &mut Outbox) {
        match payload {
            Payload::Admin(request) => self.administer(message, request, outbox),
            Payload::AlterPartition(request) => self.alter_partition(message, request, outbox),
            Payload::BrokerRegistration { broker, is_clean } => {
                self.registration(message, *broker, *is_clean, outbox);
            }
            Payload::ControlledShutdown { broker } => self.controlled_shutdown(message, *broker, outbox),
            other => panic!("the controller does not handle {other:?}"),
        }
        self.publish(outbox);
    }

    /// A timer fired.
    pub fn wake(&mut self, timer: Timer, outbox: &mut Outbox) {
        match timer {
            Timer::Session { broker, generation } => self.session_expired(broker, generation, outbox),
            Timer::Unfence { broker, generation } => self.heard_again(broker, generation, outbox),
            Timer::PreferredLeaders if self.preferred_due == Some(outbox.now()) => {
                self.preferred_due = None;
                self.balance_leaders(outbox);
            }
            Timer::UncleanElections if self.unclean_due == Some(outbox.now()) => {
                self.unclean_due = None;
                self.elect_unclean_leaders(outbox);
            }
            // Armed by a controller that is no longer active.
            _ => {}
        }
        self.publish(outbox);
    }

    /// Another broker's process is the active controller from now on, or none. It knows what the one
    /// before knew; sessions start anew.
    pub fn activate(&mut self, host: Option<u32>, outbox: &mut Outbox) {
        self.host = host;
        self.activated = outbox.now();
        self.preferred_due = None;
        self.unclean_due = None;
        outbox.emit_cause(EventKind::ControllerElected { controller: host });
        self.restart_sessions(outbox);
        self.publish(outbox);
    }

    fn administer(&mut self, message: &MessageView, request: &AdminRequest, outbox: &mut Outbox) {
        let answer: Answer = match request {
            AdminRequest::CreateTopic(topic) => self.create_topic(topic, outbox).map(|()| Vec::new()),
            AdminRequest::CreatePartitions { topic, partitions, assignment } => {
                self.create_partitions(topic, *partitions, assignment.as_deref(), outbox).map(|()| Vec::new())
            }
            AdminRequest::DeleteTopic { topic } => self.delete_topic(topic, outbox).map(|()| Vec::new()),
            AdminRequest::AlterConfigs { resource, changes } => {
                self.alter_configs(resource, changes, outbox).map(|()| Vec::new())
            }
            AdminRequest::AlterReassignments { changes, allow_factor_change } => {
                Ok(self.alter_reassignments(changes, *allow_factor_change, outbox))
            }
            AdminRequest::ElectLeaders { election, partitions } => {
                Ok(self.elect_leaders(*election, partitions.as_deref(), outbox))
            }
            AdminRequest::DeleteRecords { .. } => panic!("a partition's leader deletes records, not the controller"),
        };
        // Brokers know the outcome before the client does.
        self.publish(outbox);
        if message.from == NodeId::Admin {
            let (result, partitions) = match answer {
                Ok(partitions) => (Ok(()), partitions),
                Err(error) => (Err(error), Vec::new()),
            };
            let error = result.as_ref().err().cloned();
            let payload = Payload::AdminAnswer { request: message.id, result, partitions };
            let parcel = Parcel::answer(message, Target::Admin, payload, true);
            outbox.send(Parcel { error, ..parcel });
        }
    }

    /// Sends the image to all brokers if it has changed since the last time.
    fn publish(&mut self, outbox: &mut Outbox) {
        if self.host.is_none() || Rc::ptr_eq(&self.image, &self.published) {
            return;
        }
        self.send_image(outbox);
        self.arm_checks(outbox);
    }

    fn send_image(&mut self, outbox: &mut Outbox) {
        self.published = Rc::clone(&self.image);
        for (broker, _) in &*self.brokers {
            self.send_image_to(*broker, outbox);
        }
    }

    fn send_image_to(&self, broker: u32, outbox: &mut Outbox) {
        let payload = Payload::Image(Rc::clone(&self.image));
        let (to, target) = (NodeId::Broker { id: broker }, outbox.broker_target(broker));
        outbox.send(Parcel::request(Api::Metadata, NodeId::Controller, to, target, payload, false));
    }

    /// The next point of a periodic check's grid.
    fn next_check(&self, every: Duration, now: Time) -> Time {
        let passed = now.since(self.activated).0 / every.0.max(1);
        self.activated + Duration((passed + 1).saturating_mul(every.0.max(1)))
    }
}

/// Settings by name, as the image keeps them.
pub(crate) fn shared_configs(configs: &BTreeMap<String, String>) -> BTreeMap<Name, Name> {
    let mut shared = BTreeMap::new();
    shared.extend(configs.iter().map(|(name, value)| (Name::from(name.as_str()), Name::from(value.as_str()))));
    shared
}
