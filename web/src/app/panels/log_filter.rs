//! Which events the log shows: by node and by kind. Says nothing about how a row looks.

use engine::Snapshot;
use engine::event::{Api, Event, EventKind, NodeId};
use engine::group::GroupEvent;
use engine::share::ShareEvent;
use engine::transaction::TransactionEvent;

/// A group of event kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KindGroup {
    /// Everything.
    #[default]
    All,
    /// Records: placed, appended, acknowledged, read.
    Records,
    /// Requests and answers.
    Requests,
    /// Brokers, topics, settings and metadata.
    Cluster,
    /// Leaders, followers, in-sync sets and moves.
    Replication,
    /// Segments, retention and compaction.
    Logs,
    /// Producer ids, transactions and markers.
    Transactions,
    /// Members, assignments, commits and what becomes of shared records.
    Groups,
    /// What went wrong.
    Errors,
    /// What somebody did.
    Commands,
}

impl KindGroup {
    /// All of them, with the words of the menu.
    pub const ALL: [(KindGroup, &'static str); 10] = [
        (KindGroup::All, "All kinds"),
        (KindGroup::Records, "Records"),
        (KindGroup::Requests, "Requests"),
        (KindGroup::Cluster, "Brokers and topics"),
        (KindGroup::Replication, "Replication"),
        (KindGroup::Logs, "Segments and logs"),
        (KindGroup::Transactions, "Transactions"),
        (KindGroup::Groups, "Groups"),
        (KindGroup::Errors, "Errors"),
        (KindGroup::Commands, "Commands"),
    ];

    /// Whether an event belongs to it.
    pub fn holds(self, event: &Event) -> bool {
        match self {
            KindGroup::All => true,
            KindGroup::Errors => is_error(&event.kind),
            group => group_of(&event.kind) == group,
        }
    }
}

fn group_of(kind: &EventKind) -> KindGroup {
    match kind {
        EventKind::RecordPartitioned { .. }
        | EventKind::StickyPartitionSwitched { .. }
        | EventKind::BatchAppended { .. }
        | EventKind::DuplicateIgnored { .. }
        | EventKind::HighWatermarkAdvanced { .. }
        | EventKind::BatchAcknowledged { .. }
        | EventKind::BatchRetried { .. }
        | EventKind::SendFailed { .. }
        | EventKind::PositionReset { .. }
        | EventKind::ConsumerFailed { .. }
        | EventKind::RecordsRead { .. } => KindGroup::Records,
        EventKind::MessageSent { .. } | EventKind::MessageArrived { .. } | EventKind::MessageLost { .. } => {
            KindGroup::Requests
        }
        EventKind::CommandApplied { .. } | EventKind::CommandFinished { .. } => KindGroup::Commands,
        EventKind::LeaderElected { .. }
        | EventKind::LeaderLost { .. }
        | EventKind::IsrChanged { .. }
        | EventKind::BatchReplicated { .. }
        | EventKind::FollowerHighWatermarkAdvanced { .. }
        | EventKind::LogTruncated { .. }
        | EventKind::ReassignmentStarted { .. }
        | EventKind::ReassignmentCompleted { .. }
        | EventKind::ReassignmentCancelled { .. } => KindGroup::Replication,
        EventKind::SegmentRolled { .. }
        | EventKind::SegmentDeleted { .. }
        | EventKind::SegmentUploaded { .. }
        | EventKind::LogStartMoved { .. }
        | EventKind::LogCleaned { .. } => KindGroup::Logs,
        EventKind::Transaction(_) => KindGroup::Transactions,
        EventKind::Group(_) | EventKind::Share(_) => KindGroup::Groups,
        _ => KindGroup::Cluster,
    }
}

fn is_error(kind: &EventKind) -> bool {
    match kind {
        EventKind::MessageLost { .. }
        | EventKind::BatchRetried { .. }
        | EventKind::SendFailed { .. }
        | EventKind::ConsumerFailed { .. }
        | EventKind::LeaderLost { .. }
        | EventKind::LogTruncated { .. }
        | EventKind::Warned { .. } => true,
        EventKind::MessageArrived { message } | EventKind::MessageSent { message } => message.error.is_some(),
        EventKind::CommandFinished { outcome } => outcome.error.is_some(),
        EventKind::Transaction(event) => is_failure(event),
        EventKind::Group(GroupEvent::PollFailed { .. }) => true,
        EventKind::Group(GroupEvent::CommitReturned { error, .. }) => error.is_some(),
        EventKind::Share(ShareEvent::AcknowledgementsReturned { results, .. }) => {
            results.iter().any(|result| result.error.is_some())
        }
        _ => false,
    }
}

fn is_failure(event: &TransactionEvent) -> bool {
    match event {
        TransactionEvent::ClientStateChanged { error, .. } | TransactionEvent::CallReturned { error, .. } => {
            error.is_some()
        }
        TransactionEvent::TransactionTimedOut { .. }
        | TransactionEvent::ProducerFenced { .. }
        | TransactionEvent::MarkerSkipped { .. }
        | TransactionEvent::ClientCrashed { .. } => true,
        _ => false,
    }
}

/// Whether a topic is one of Kafka's own: each of them has fifty partitions.
fn is_internal(topic: &str) -> bool {
    matches!(topic, "__transaction_state" | "__consumer_offsets" | "__share_group_state")
}

/// Whether it is the steady traffic of replication: every append brings a fetch, a copy and a high watermark for each
/// follower, which would drown everything else. A failed one is not steady.
pub fn is_replication_traffic(event: &Event) -> bool {
    match &event.kind {
        EventKind::BatchReplicated { .. } | EventKind::FollowerHighWatermarkAdvanced { .. } => true,
        // The first leaders and in-sync sets of Kafka's own topics come with their creation.
        EventKind::LeaderElected { partition, leader_epoch: 0, .. } => is_internal(&partition.topic),
        EventKind::IsrChanged { partition, before, .. } => before.is_empty() && is_internal(&partition.topic),
        EventKind::HighWatermarkAdvanced { partition, .. } => is_internal(&partition.topic),
        EventKind::MessageSent { message } | EventKind::MessageArrived { message } => {
            let is_between_brokers =
                matches!((&message.from, &message.to), (NodeId::Broker { .. }, NodeId::Broker { .. }));
            message.error.is_none() && (!message.is_notable || (message.api == Api::Fetch && is_between_brokers))
        }
        _ => false,
    }
}

/// Whether a node takes part in an event.
pub fn concerns(event: &Event, node: &NodeId) -> bool {
    let is_producer = |name: &str| matches!(node, NodeId::Producer { name: own } if **own == *name);
    let is_consumer = |name: &str| matches!(node, NodeId::Consumer { name: own } if **own == *name);
    let is_broker = |id: u32| matches!(node, NodeId::Broker { id: own } if *own == id);
    match &event.kind {
        EventKind::BrokerRegistered { broker }
        | EventKind::BrokerFenced { broker }
        | EventKind::BrokerUnfenced { broker } => is_broker(*broker) || *node == NodeId::Controller,
        EventKind::BrokerStarted { broker }
        | EventKind::BrokerStopped { broker, .. }
        | EventKind::BrokerPaused { broker }
        | EventKind::BrokerResumed { broker }
        | EventKind::BatchReplicated { broker, .. }
        | EventKind::FollowerHighWatermarkAdvanced { broker, .. }
        | EventKind::LogTruncated { broker, .. }
        | EventKind::SegmentRolled { broker, .. }
        | EventKind::SegmentDeleted { broker, .. }
        | EventKind::SegmentUploaded { broker, .. }
        | EventKind::LogStartMoved { broker, .. }
        | EventKind::LogCleaned { broker, .. } => is_broker(*broker),
        EventKind::ControllerElected { controller } => controller.is_some_and(is_broker) || *node == NodeId::Controller,
        EventKind::IsrChanged { before, isr, .. } => {
            before.iter().chain(isr).copied().any(is_broker) || *node == NodeId::Controller
        }
        EventKind::ReassignmentStarted { replicas, .. }
        | EventKind::ReassignmentCompleted { replicas, .. }
        | EventKind::ReassignmentCancelled { replicas, .. } => {
            replicas.iter().copied().any(is_broker) || *node == NodeId::Controller
        }
        EventKind::ConfigChanged { broker, .. } => broker.is_some_and(is_broker) || *node == NodeId::Controller,
        EventKind::LeaderLost { .. } => *node == NodeId::Controller,
        EventKind::LinkChanged { from, to, .. } => from == node || to == node,
        EventKind::LeaderElected { leader, .. } => is_broker(*leader) || *node == NodeId::Controller,
        EventKind::BatchAppended { broker, batch, .. } | EventKind::DuplicateIgnored { broker, batch, .. } => {
            is_broker(*broker) || batch.records.iter().any(|record| is_producer(&record.producer))
        }
        EventKind::TopicCreated { .. } | EventKind::PartitionsCreated { .. } | EventKind::TopicDeleted { .. } => {
            *node == NodeId::Controller
        }
        EventKind::ProducerStarted { producer, .. }
        | EventKind::ProducerClosed { producer }
        | EventKind::RecordPartitioned { producer, .. }
        | EventKind::StickyPartitionSwitched { producer, .. }
        | EventKind::BatchAcknowledged { producer, .. }
        | EventKind::BatchRetried { producer, .. }
        | EventKind::SendFailed { producer, .. } => is_producer(producer),
        EventKind::MetadataRefreshed { client, .. } | EventKind::Warned { client, .. } => client == node,
        EventKind::MessageSent { message }
        | EventKind::MessageArrived { message }
        | EventKind::MessageLost { message } => message.from == *node || message.to == *node,
        EventKind::RecordsRead { consumer, .. }
        | EventKind::PositionReset { consumer, .. }
        | EventKind::ConsumerFailed { consumer, .. } => is_consumer(consumer),
        EventKind::CommandApplied { .. } | EventKind::CommandFinished { .. } => *node == NodeId::Admin,
        EventKind::HighWatermarkAdvanced { .. } => false,
        EventKind::Transaction(event) => takes_part(event, node),
        EventKind::Group(event) => takes_part_in_group(event, node),
        EventKind::Share(event) => takes_part_in_sharing(event, node),
    }
}

/// Whether a node takes part in an event of groups.
fn takes_part_in_group(event: &GroupEvent, node: &NodeId) -> bool {
    use GroupEvent as Event;
    match event {
        Event::GroupsLoaded { broker, .. }
        | Event::GroupStateChanged { broker, .. }
        | Event::GenerationStarted { broker, .. }
        | Event::AssignmentMade { broker, .. }
        | Event::MemberReconciled { broker, .. }
        | Event::OffsetsCommitted { broker, .. }
        | Event::OffsetsRemoved { broker, .. }
        | Event::MemberJoined { broker, .. }
        | Event::MemberRemoved { broker, .. } => matches!(node, NodeId::Broker { id } if id == broker),
        Event::ClientMemberStateChanged { consumer, .. }
        | Event::MemberIdAssigned { consumer, .. }
        | Event::JoinAnswered { consumer, .. }
        | Event::CallbackStarted { consumer, .. }
        | Event::CallbackReturned { consumer, .. }
        | Event::AssignmentChanged { consumer, .. }
        | Event::PollFailed { consumer, .. }
        | Event::CommitReturned { consumer, .. }
        | Event::RecordsReadAgain { consumer, .. }
        | Event::ConsumerClosed { consumer } => matches!(node, NodeId::Consumer { name } if name == consumer),
    }
}

/// Whether a node takes part in an event of share groups.
fn takes_part_in_sharing(event: &ShareEvent, node: &NodeId) -> bool {
    use ShareEvent as Event;
    match event {
        Event::ShareCoordinatorLoaded { broker, .. }
        | Event::SharePartitionsInitialized { broker, .. }
        | Event::SharePartitionOpened { broker, .. }
        | Event::ShareStateWritten { broker, .. }
        | Event::ShareStartOffsetMoved { broker, .. } => matches!(node, NodeId::Broker { id } if id == broker),
        Event::RecordsAcquired { range, .. }
        | Event::RecordsAcknowledged { range, .. }
        | Event::LocksExpired { range, .. }
        | Event::LocksReleased { range, .. }
        | Event::RecordsArchived { range, .. } => matches!(node, NodeId::Broker { id } if *id == range.broker),
        Event::RecordsPolled { consumer, .. }
        | Event::RecordWorkStarted { consumer, .. }
        | Event::AcknowledgementChosen { consumer, .. }
        | Event::AcknowledgementsReturned { consumer, .. } => {
            matches!(node, NodeId::Consumer { name } if name == consumer)
        }
    }
}

/// Whether a node takes part in an event of transactions.
fn takes_part(event: &TransactionEvent, node: &NodeId) -> bool {
    use TransactionEvent as Event;
    match event {
        Event::ProducerIdAssigned { producer, .. }
        | Event::ProducerEpochRaised { producer, .. }
        | Event::ClientStateChanged { producer, .. }
        | Event::CallBlocked { producer, .. }
        | Event::CallReturned { producer, .. } => matches!(node, NodeId::Producer { name } if name == producer),
        Event::ClientCrashed { client } | Event::ClientFrozen { client } | Event::ClientThawed { client } => {
            client == node
        }
        Event::CoordinatorLoaded { broker, .. }
        | Event::TransactionStateLogged { broker, .. }
        | Event::TransactionStateChanged { broker, .. }
        | Event::TransactionTimedOut { broker, .. }
        | Event::ProducerFenced { broker, .. }
        | Event::MarkerAppended { broker, .. }
        | Event::MarkerSkipped { broker, .. }
        | Event::TransactionalIdExpired { broker, .. } => matches!(node, NodeId::Broker { id } if id == broker),
        Event::LastStableOffsetAdvanced { .. } => false,
    }
}

/// The nodes that a log can be filtered by, with their words.
pub fn nodes(snapshot: &Snapshot) -> Vec<(NodeId, String)> {
    let producers = snapshot
        .producers
        .iter()
        .map(|producer| (NodeId::Producer { name: producer.name.clone() }, producer.name.to_string()));
    let brokers =
        snapshot.brokers.iter().map(|broker| (NodeId::Broker { id: broker.id }, format!("Broker {}", broker.id)));
    let consumers = snapshot
        .consumers
        .iter()
        .map(|reader| (NodeId::Consumer { name: reader.name.clone() }, reader.name.to_string()));
    let rest = [(NodeId::Controller, "Controller".to_owned()), (NodeId::Admin, "Commands".to_owned())];
    let mut all: Vec<(NodeId, String)> = producers.chain(brokers).chain(consumers).chain(rest).collect();
    // A redeployed producer keeps its name.
    all.dedup_by(|left, right| left.0 == right.0);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::event::{MessageView, Moment};

    fn event(kind: EventKind) -> Event {
        Event { moment: Moment::default(), index: 0, cause: None, kind }
    }

    fn check(kind: EventKind, group: KindGroup, node: NodeId) {
        let event = event(kind);
        let found: Vec<KindGroup> =
            KindGroup::ALL.iter().map(|(group, _)| *group).filter(|group| group.holds(&event)).collect();
        assert_eq!(found, [KindGroup::All, group], "{event:?}");
        assert!(concerns(&event, &node), "{event:?}");
    }

    #[test]
    fn an_event_is_found_by_its_kind_and_its_node() {
        check(EventKind::BrokerRegistered { broker: 3 }, KindGroup::Cluster, NodeId::Broker { id: 3 });
        check(
            EventKind::ProducerClosed { producer: "P".into() },
            KindGroup::Cluster,
            NodeId::Producer { name: "P".into() },
        );
        check(
            EventKind::StickyPartitionSwitched {
                producer: "P".into(),
                topic: "t".into(),
                before: 0,
                after: 1,
                records: 1,
                bytes: 1,
            },
            KindGroup::Records,
            NodeId::Producer { name: "P".into() },
        );
        let partition = || engine::event::TopicPartition { topic: "t".into(), partition: 0 };
        let replicated = EventKind::BatchReplicated { broker: 2, partition: partition(), log_end_offset: 1 };
        check(replicated, KindGroup::Replication, NodeId::Broker { id: 2 });
        let moved = EventKind::LogStartMoved { broker: 2, partition: partition(), log_start_offset: 1 };
        check(moved, KindGroup::Logs, NodeId::Broker { id: 2 });
        let closed = EventKind::Group(GroupEvent::ConsumerClosed { consumer: "A".into() });
        check(closed, KindGroup::Groups, NodeId::Consumer { name: "A".into() });
        let moved = ShareEvent::ShareStartOffsetMoved {
            broker: 2,
            group: "jobs".into(),
            partition: partition(),
            before: 0,
            start_offset: 3,
        };
        check(EventKind::Share(moved), KindGroup::Groups, NodeId::Broker { id: 2 });
    }

    #[test]
    fn copies_and_followers_fetches_are_traffic_and_failures_are_not() {
        let partition = engine::event::TopicPartition { topic: "t".into(), partition: 0 };
        let message = |from, to, error| {
            let message = MessageView {
                id: 1,
                api: Api::Fetch,
                version: None,
                is_response: true,
                from,
                to,
                sent: Moment::default(),
                arrives: engine::Time::ZERO,
                batches: Vec::new(),
                is_notable: true,
                error,
                end: None,
                markers: Vec::new(),
            };
            event(EventKind::MessageArrived { message: std::rc::Rc::new(message) })
        };
        let broker = |id| NodeId::Broker { id };
        let failed = engine::KafkaError::new(
            "NOT_LEADER_OR_FOLLOWER",
            "NotLeaderOrFollowerException",
            "For requests intended only for the leader.",
        );
        let copied = EventKind::BatchReplicated { broker: 2, partition: partition.clone(), log_end_offset: 1 };
        let advanced = EventKind::HighWatermarkAdvanced { partition, high_watermark: 1 };
        assert!(is_replication_traffic(&event(copied)));
        assert!(is_replication_traffic(&message(broker(1), broker(2), None)));
        assert!(!is_replication_traffic(&message(broker(1), broker(2), Some(failed))));
        assert!(!is_replication_traffic(&message(broker(1), NodeId::Consumer { name: "R".into() }, None)));
        assert!(!is_replication_traffic(&event(advanced)));
    }
}
