//! Markers on their way from a coordinator to the leaders of a transaction's partitions.
//!
//! Follows `TransactionMarkerChannelManager` and `TransactionMarkerRequestCompletionHandler` of Kafka 4.3.1. How a
//! leader writes a marker is in `broker/`.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::metadata::Transit;
use super::writing::Then;
use crate::broker::Broker;
use crate::event::{Api, EventKind, Name, NodeId, TopicPartition};
use crate::message::{ClusterImage, PartitionResults, Payload, ProducerIdentity, TxnMarkers};
use crate::outbox::{Outbox, Parcel};
use crate::queue::Timer;
use crate::time::{Duration, Time};
use crate::transaction::{MarkerKind, TransactionEvent};

/// Simplified: what a leader refused is sent again after this pause; Kafka sends it again at once, which differs by
/// the time of some round trips.
const PAUSE: Duration = Duration::from_millis(50);

/// Transactions whose markers are on their way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Markers {
    /// The step that is taken when every partition has its marker, by id.
    completing: BTreeMap<Name, Completing>,
    /// What is to be sent, by leader.
    queued: BTreeMap<u32, Vec<Entry>>,
    /// Requests on their way.
    in_flight: BTreeMap<u64, InFlight>,
    /// What waits for its next try.
    later: Vec<(Time, Later)>,
    alarm: Option<Time>,
}

#[derive(Clone, Debug)]
struct Completing {
    /// The coordinator's epoch.
    epoch: u32,
    step: Transit,
}

/// The markers of one transaction for one leader.
#[derive(Clone, Debug)]
struct Entry {
    id: Name,
    markers: TxnMarkers,
    /// It was sent before.
    is_again: bool,
}

#[derive(Clone, Debug)]
struct InFlight {
    broker: u32,
    entries: Vec<Entry>,
    /// It counts as lost from then on.
    deadline: Time,
}

/// What is tried again.
#[derive(Clone, Debug)]
enum Later {
    /// Markers, at whoever leads by then.
    Markers(Entry),
    /// The record of the end.
    Complete { id: Name, epoch: u32, step: Transit },
}

impl Markers {
    /// Whether something is to be sent.
    pub fn has_queued(&self) -> bool {
        !self.queued.is_empty()
    }

    /// Transactions that are not complete.
    pub fn len(&self) -> usize {
        self.completing.len() + self.in_flight.len()
    }

    /// `removeMarkersForTxn`.
    fn cancel(&mut self, id: &Name) {
        self.completing.remove(id);
    }
}

impl Broker {
    /// `addTxnMarkersToSend`: a transaction is decided.
    pub(super) fn add_markers(&mut self, id: &Name, epoch: u32, end: MarkerKind, step: Transit, outbox: &mut Outbox) {
        let partition = self.partition_of(id);
        let Some(known) = self.coordinator.find_in_epoch(partition, id, epoch) else { return };
        let identity = ProducerIdentity { producer_id: known.producer_id, epoch: known.epoch.unwrap_or(0) };
        let markers = TxnMarkers {
            identity,
            end,
            coordinator_epoch: epoch,
            partitions: known.partitions.iter().cloned().collect(),
            transaction_version: step.client_version,
        };
        self.coordinator.markers.completing.insert(Rc::clone(id), Completing { epoch, step });
        self.queue_markers(Entry { id: Rc::clone(id), markers, is_again: false }, outbox);
        self.complete_if_marked(id, outbox);
    }

    /// `addTxnMarkersToBrokerQueue`: markers go to whoever leads now. A partition without a leader is skipped, as
    /// if it had been deleted.
    fn queue_markers(&mut self, entry: Entry, outbox: &mut Outbox) {
        let mut skipped = Vec::new();
        for partition in &entry.markers.partitions {
            let Some(leader) = leader_of(&self.image, partition) else {
                skipped.push(partition.clone());
                continue;
            };
            let queue = self.coordinator.markers.queued.entry(leader).or_default();
            let is_same = |other: &&mut Entry| {
                other.id == entry.id && other.markers.coordinator_epoch == entry.markers.coordinator_epoch
            };
            match queue.iter_mut().find(is_same) {
                Some(same) => same.markers.partitions.push(partition.clone()),
                None => {
                    let markers = TxnMarkers { partitions: vec![partition.clone()], ..entry.markers.clone() };
                    queue.push(Entry { id: Rc::clone(&entry.id), markers, is_again: entry.is_again });
                }
            }
        }
        if skipped.is_empty() {
            return;
        }
        let broker = self.id;
        for partition in &skipped {
            let partition = partition.clone();
            outbox.emit(EventKind::Transaction(TransactionEvent::MarkerSkipped { broker, partition }));
        }
        self.marked(&entry, &skipped);
        self.complete_if_marked(&entry.id, outbox);
    }

    /// Partitions need no marker any more.
    fn marked(&mut self, entry: &Entry, partitions: &[TopicPartition]) {
        let state_partition = self.partition_of(&entry.id);
        let epoch = entry.markers.coordinator_epoch;
        if let Some(known) = self.coordinator.find_in_epoch(state_partition, &entry.id, epoch) {
            known.partitions.retain(|partition| !partitions.contains(partition));
        }
    }

    /// `maybeWriteTxnCompletion`: the end is written when no partition is left.
    fn complete_if_marked(&mut self, id: &Name, outbox: &mut Outbox) {
        let Some(Completing { epoch, .. }) = self.coordinator.markers.completing.get(id) else { return };
        let (epoch, partition) = (*epoch, self.partition_of(id));
        let Some(known) = self.coordinator.find_in_epoch(partition, id, epoch) else { return };
        if known.partitions.is_empty()
            && let Some(Completing { step, .. }) = self.coordinator.markers.completing.remove(id)
        {
            self.write_step(id, epoch, step, Then::Nothing, outbox);
        }
    }

    /// The end could not be written now.
    pub(super) fn complete_later(&mut self, id: &Name, epoch: u32, step: Transit, outbox: &mut Outbox) {
        self.try_later(Later::Complete { id: Rc::clone(id), epoch, step }, outbox);
    }

    /// Sends what is queued, one request for each leader.
    pub(super) fn send_markers(&mut self, outbox: &mut Outbox) {
        let timeout = self.settings.request_timeout;
        for (broker, entries) in std::mem::take(&mut self.coordinator.markers.queued) {
            let markers = entries.iter().map(|entry| entry.markers.clone()).collect();
            let is_notable = entries.iter().any(|entry| !entry.is_again);
            let payload = Payload::WriteTxnMarkers { markers, sender: self.target() };
            let (to, target) = (NodeId::Broker { id: broker }, outbox.broker_target(broker));
            let request = Parcel::request(Api::WriteTxnMarkers, self.node(), to, target, payload, is_notable);
            let id = outbox.send(request);
            let deadline = outbox.now() + timeout;
            self.coordinator.markers.in_flight.insert(id, InFlight { broker, entries, deadline });
        }
        self.arm_markers(outbox);
    }

    /// A leader answered.
    pub(crate) fn markers_answered(&mut self, request: u64, results: &[PartitionResults], outbox: &mut Outbox) {
        let Some(sent) = self.coordinator.markers.in_flight.remove(&request) else { return };
        for (entry, results) in sent.entries.into_iter().zip(results) {
            self.marker_results(entry, results, outbox);
        }
    }

    fn marker_results(&mut self, entry: Entry, results: &PartitionResults, outbox: &mut Outbox) {
        let partition = self.partition_of(&entry.id);
        let epoch = entry.markers.coordinator_epoch;
        if self.coordinator.find_in_epoch(partition, &entry.id, epoch).is_none() {
            return;
        }
        let (mut done, mut again) = (Vec::new(), Vec::new());
        for (partition, result) in results {
            match result.as_ref().err().map(|error| error.error.as_str()) {
                None | Some("UNSUPPORTED_FOR_MESSAGE_FORMAT" | "UNSUPPORTED_VERSION") => done.push(partition.clone()),
                // The producer or the coordinator is a newer one: this transaction is none of ours any more.
                Some("INVALID_PRODUCER_EPOCH" | "TRANSACTION_COORDINATOR_FENCED") => {
                    self.coordinator.markers.cancel(&entry.id);
                    return;
                }
                Some(_) => again.push(partition.clone()),
            }
        }
        self.marked(&entry, &done);
        if again.is_empty() {
            self.complete_if_marked(&entry.id, outbox);
            return;
        }
        let markers = TxnMarkers { partitions: again, ..entry.markers };
        self.try_later(Later::Markers(Entry { markers, is_again: true, ..entry }), outbox);
    }

    /// The connection to a broker broke: what it had is sent to whoever leads then.
    pub(crate) fn marker_peer_lost(&mut self, broker: u32, outbox: &mut Outbox) {
        let markers = &mut self.coordinator.markers;
        let lost = markers.in_flight.iter().filter(|(_, sent)| sent.broker == broker).map(|(id, _)| *id);
        for request in lost.collect::<Vec<_>>() {
            self.marker_request_lost(request, outbox);
        }
    }

    fn marker_request_lost(&mut self, request: u64, outbox: &mut Outbox) {
        let Some(sent) = self.coordinator.markers.in_flight.remove(&request) else { return };
        for entry in sent.entries {
            self.try_later(Later::Markers(Entry { is_again: true, ..entry }), outbox);
        }
    }

    fn try_later(&mut self, what: Later, outbox: &mut Outbox) {
        let at = outbox.now() + PAUSE;
        self.coordinator.markers.later.push((at, what));
        self.arm_markers(outbox);
    }

    /// Sends again what has waited, and gives requests up that were not answered in time.
    pub(super) fn retry_markers(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let markers = &mut self.coordinator.markers;
        markers.alarm = None;
        let late = markers.in_flight.iter().filter(|(_, sent)| sent.deadline <= now).map(|(id, _)| *id);
        let late: Vec<u64> = late.collect();
        let (due, later) = std::mem::take(&mut markers.later).into_iter().partition(|(at, _)| *at <= now);
        markers.later = later;
        late.into_iter().for_each(|request| self.marker_request_lost(request, outbox));
        for (_, what) in due {
            let (id, epoch) = match &what {
                Later::Markers(entry) => (&entry.id, entry.markers.coordinator_epoch),
                Later::Complete { id, epoch, .. } => (id, *epoch),
            };
            // Another coordinator may have taken the id over.
            if self.coordinator.find_in_epoch(self.partition_of(id), id, epoch).is_none() {
                continue;
            }
            match what {
                Later::Markers(entry) => self.queue_markers(entry, outbox),
                Later::Complete { id, epoch, step } => self.write_step(&id, epoch, step, Then::Nothing, outbox),
            }
        }
        self.arm_markers(outbox);
    }

    fn arm_markers(&mut self, outbox: &mut Outbox) {
        let markers = &self.coordinator.markers;
        let tries = markers.later.iter().map(|(at, _)| *at);
        let deadlines = markers.in_flight.values().map(|sent| sent.deadline);
        let Some(at) = tries.chain(deadlines).min() else { return };
        if markers.alarm.is_none_or(|set| at < set) {
            self.coordinator.markers.alarm = Some(at);
            outbox.wake(self.target(), at, Timer::Markers);
        }
    }

    /// This broker does not coordinate a partition of `__transaction_state` any more.
    pub(super) fn drop_markers(&mut self, partition: u32) {
        let ids: Vec<Name> = self.coordinator.markers.completing.keys().cloned().collect();
        for id in &ids {
            if self.partition_of(id) == partition {
                self.coordinator.markers.cancel(id);
            }
        }
    }
}

fn leader_of(image: &ClusterImage, partition: &TopicPartition) -> Option<u32> {
    image.topics.get(&partition.topic)?.partitions.get(partition.partition as usize)?.leader
}
