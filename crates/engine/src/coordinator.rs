//! Coordinators: a broker's part for the transactional ids and groups whose partition of `__transaction_state` or
//! `__consumer_offsets` it leads.
//!
//! Follows `TransactionCoordinator`, `TransactionStateManager` and `TransactionMarkerChannelManager` of Kafka
//! 4.3.1. Every state is a record in the broker's own log, appended and replicated like any other; what a
//! partition's leader does with markers is in `broker/`.

pub(crate) mod decision;
pub(crate) mod end;
pub(crate) mod find;
pub(crate) mod groups;
pub(crate) mod loading;
pub(crate) mod markers;
pub(crate) mod metadata;
pub(crate) mod offsets;
pub(crate) mod refusals;
pub(crate) mod requests;
pub(crate) mod scan;
pub(crate) mod share;
pub(crate) mod state_record;
pub(crate) mod view;
pub(crate) mod writing;

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use crate::broker::Broker;
use crate::controller::topic_names::TRANSACTION_STATE;
use crate::error::KafkaError;
use crate::event::{Name, TopicPartition};
use crate::internal_partition::partition_for;
use crate::message::ClusterImage;
use crate::outbox::Outbox;
use crate::queue::Timer;
use crate::time::Time;

use markers::Markers;
use metadata::TransactionMetadata;
use refusals::Refusal;
use writing::Append;

/// What a broker knows as coordinator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coordinator {
    /// Partitions of `__transaction_state` that it leads, by number.
    partitions: BTreeMap<u32, Coordinated>,
    /// Records that are not replicated yet, by ticket.
    appends: BTreeMap<u64, Append>,
    /// What became of records, until it is looked at: when the broker has handled what it is handling.
    settled: VecDeque<(u64, Option<KafkaError>)>,
    next_ticket: u64,
    markers: Markers,
    alarms: Alarms,
}

/// One partition of `__transaction_state` at its leader.
#[derive(Clone, Debug)]
struct Coordinated {
    /// The leader epoch: the coordinator's epoch in markers.
    epoch: u32,
    /// The ids by name; none while the log is being read.
    ids: Option<BTreeMap<Name, Rc<TransactionMetadata>>>,
}

/// Timers that are set, so that none is set twice.
#[derive(Clone, Copy, Debug, Default)]
struct Alarms {
    appends: Option<Time>,
    timeouts: Option<Time>,
    expiry: Option<Time>,
}

/// Tickets are told apart from the requests of clients by this bit.
const TICKET: u64 = 1 << 63;

impl Coordinator {
    /// Whether an id of a waiting append is one of ours.
    pub fn is_ticket(id: u64) -> bool {
        id & TICKET != 0
    }

    fn ticket(&mut self) -> u64 {
        self.next_ticket += 1;
        TICKET | self.next_ticket
    }

    /// A record is replicated, or is not going to be.
    pub fn settle(&mut self, ticket: u64, error: Option<KafkaError>) {
        self.settled.push_back((ticket, error));
    }

    /// The process ends. Tickets go on counting, so that none means something else later.
    pub fn stop(&mut self) {
        *self = Coordinator { next_ticket: self.next_ticket, ..Coordinator::default() };
    }

    /// `getTransactionState`: the id, if this broker coordinates it and knows it, with the coordinator's epoch.
    fn find(&self, partition: u32, id: &str) -> Result<Option<(u32, &Rc<TransactionMetadata>)>, Refusal> {
        let coordinated = self.partitions.get(&partition).ok_or(Refusal::NotCoordinator)?;
        let ids = coordinated.ids.as_ref().ok_or(Refusal::LoadInProgress)?;
        Ok(ids.get(id).map(|known| (coordinated.epoch, known)))
    }

    /// The same, to be changed; none if it is not there in this epoch.
    fn find_in_epoch(&mut self, partition: u32, id: &str, epoch: u32) -> Option<&mut TransactionMetadata> {
        let coordinated = self.partitions.get_mut(&partition).filter(|coordinated| coordinated.epoch == epoch)?;
        coordinated.ids.as_mut()?.get_mut(id).map(Rc::make_mut)
    }

    /// Rough size in bytes of what a checkpoint copies.
    pub fn own_bytes(&self) -> u64 {
        let ids = |coordinated: &Coordinated| coordinated.ids.as_ref().map_or(0, BTreeMap::len);
        let ids: usize = self.partitions.values().map(ids).sum();
        (self.partitions.len() * 64 + ids * 48 + self.appends.len() * 256 + self.markers.len() * 128) as u64
    }
}

/// How many partitions an internal topic has; none before it exists.
fn partition_count(image: &ClusterImage, topic: &str) -> Option<u32> {
    image.topics.get(topic).map(|topic| topic.partitions.len() as u32)
}

fn state_partition(partition: u32) -> TopicPartition {
    TopicPartition { topic: TRANSACTION_STATE.into(), partition }
}

impl Broker {
    /// The partition of `__transaction_state` of an id; before the topic exists nobody coordinates it.
    fn partition_of(&self, id: &str) -> u32 {
        let count = partition_count(&self.image, TRANSACTION_STATE).unwrap_or(1);
        partition_for(id, count)
    }

    /// The broker has handled an entry: what happened to records and markers meanwhile is looked at.
    pub(crate) fn coordinate(&mut self, outbox: &mut Outbox) {
        while let Some((ticket, error)) = self.coordinator.settled.pop_front() {
            self.settled(ticket, error, outbox);
        }
        if self.coordinator.markers.has_queued() {
            self.send_markers(outbox);
        }
    }

    /// A timer of the coordinator fired.
    pub(crate) fn coordinator_woke(&mut self, timer: Timer, outbox: &mut Outbox) {
        match timer {
            Timer::CoordinatorLoad { partition, epoch } => self.load_coordinator(partition, epoch, outbox),
            Timer::CoordinatorAppends => self.expire_appends(outbox),
            Timer::Markers => self.retry_markers(outbox),
            Timer::TransactionTimeouts => self.abort_timed_out(outbox),
            Timer::TransactionExpiry => self.expire_ids(outbox),
            Timer::GroupLoad { partition, epoch } => self.load_groups(partition, epoch, outbox),
            Timer::Groups => self.groups_woke(outbox),
            Timer::ShareLoad { partition, epoch } => self.load_share_states(partition, epoch, outbox),
            other => panic!("a coordinator does not set {other:?}"),
        }
    }
}
