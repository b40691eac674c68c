//! FindCoordinator: who coordinates a transactional id or a group, and the topics that are made for it.
//!
//! Follows `KafkaApis.getCoordinator` and `AutoTopicCreationManager` of Kafka 4.3.1: the first question makes the
//! topic, and whoever asked has to come again.

use super::refusals::Refusal;
use crate::broker::Broker;
use crate::config_view::ConfigView;
use crate::controller::topic_names::{CONSUMER_OFFSETS, SHARE_GROUP_STATE, TRANSACTION_STATE};
use crate::event::{Api, MessageView, Name, NodeId};
use crate::internal_partition::coordinator_of;
use crate::message::{AdminRequest, CoordinatorKind, FindCoordinator, NewTopic, Payload};
use crate::order;
use crate::outbox::{Outbox, Parcel};
use crate::queue::Target;

impl Broker {
    /// FindCoordinator.
    pub(crate) fn find_coordinator(&self, message: &MessageView, asked: &FindCoordinator, outbox: &mut Outbox) {
        let topic = match asked.kind {
            CoordinatorKind::Transaction => TRANSACTION_STATE,
            CoordinatorKind::Group => CONSUMER_OFFSETS,
        };
        let result = match coordinator_of(&self.image, topic, &asked.key) {
            Some((_, leader)) => {
                let is_alive = |id: &u32| self.image.brokers.get(id).is_some_and(|broker| !broker.is_fenced);
                leader.filter(is_alive).ok_or(Refusal::NotAvailable)
            }
            None => {
                self.create_internal(topic, outbox);
                Err(Refusal::NotAvailable)
            }
        };
        let result = result.map_err(Refusal::error);
        let error = result.as_ref().err().cloned();
        let payload = Payload::FindCoordinatorAnswer { request: message.id, result };
        let parcel = Parcel::answer(message, asked.sender, payload, message.is_notable);
        outbox.send(Parcel { error, ..parcel });
    }

    /// Has Kafka's own topic made.
    pub(crate) fn create_internal(&self, topic: &str, outbox: &mut Outbox) {
        let payload = Payload::Admin(AdminRequest::CreateTopic(internal_topic(topic, &self.view())));
        let (to, target) = (NodeId::Controller, Target::Controller);
        outbox.send(Parcel::request(Api::CreateTopics, self.node(), to, target, payload, true));
    }
}

/// An internal topic as a broker asks for it (`AutoTopicCreationManager.creatableTopic`).
pub(crate) fn internal_topic(topic: &str, view: &ConfigView) -> NewTopic {
    let (partitions, factor) = match topic {
        TRANSACTION_STATE => ("transaction.state.log.num.partitions", "transaction.state.log.replication.factor"),
        SHARE_GROUP_STATE => {
            ("share.coordinator.state.topic.num.partitions", "share.coordinator.state.topic.replication.factor")
        }
        _ => ("offsets.topic.num.partitions", "offsets.topic.replication.factor"),
    };
    let number = |name| i32::try_from(view.broker_number(name)).unwrap_or(i32::MAX);
    NewTopic {
        name: topic.into(),
        partitions: number(partitions),
        replication_factor: number(factor),
        assignment: None,
        topic_id: None,
        configs: order::map(internal_configs(topic, view).into_iter().map(|(name, value)| (name.into(), value))),
    }
}

/// The settings of an internal topic.
fn internal_configs(topic: &str, view: &ConfigView) -> Vec<(&'static str, Name)> {
    if topic == SHARE_GROUP_STATE {
        vec![
            ("cleanup.policy", "delete".into()),
            ("compression.type", "producer".into()),
            ("min.insync.replicas", view.broker("share.coordinator.state.topic.min.isr").into()),
            ("retention.ms", "-1".into()),
            ("segment.bytes", view.broker("share.coordinator.state.topic.segment.bytes").into()),
        ]
    } else if topic == TRANSACTION_STATE {
        vec![
            ("cleanup.policy", "compact".into()),
            ("compression.type", "uncompressed".into()),
            ("min.insync.replicas", view.broker("transaction.state.log.min.isr").into()),
            ("segment.bytes", view.broker("transaction.state.log.segment.bytes").into()),
            ("unclean.leader.election.enable", "false".into()),
        ]
    } else {
        vec![
            ("cleanup.policy", "compact".into()),
            ("compression.type", "producer".into()),
            ("segment.bytes", view.broker("offsets.topic.segment.bytes").into()),
        ]
    }
}
