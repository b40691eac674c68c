//! Fetches and questions of clients: records below the high watermark, offsets, metadata.
//!
//! Follows `KafkaApis.handleFetchRequest` and `DelayedFetch` of Kafka 4.3.1, and KIP-392 for reading from
//! followers. What followers fetch is in `session.rs`.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Broker;
use super::produce::not_leader;
use super::replica::Replica;
use crate::error::KafkaError;
use crate::event::{Api, BatchView, MessageView, Name, NodeId, TopicPartition};
use crate::message::{AdminRequest, FetchedPartition, NewTopic, OffsetSpec, Payload};
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};

/// A reader's fetch that waits for records.
#[derive(Clone, Debug)]
pub(crate) struct WaitingFetch {
    message: Rc<MessageView>,
    payload: Rc<Payload>,
    /// Nothing at all was found.
    is_bare: bool,
}

impl Broker {
    /// A reader fetches: a newer fetch takes the place of one that still waits.
    pub(super) fn fetch(&mut self, message: &Rc<MessageView>, payload: &Rc<Payload>, outbox: &mut Outbox) {
        self.fetches.retain(|_, waiting| waiting.message.from != message.from);
        let (message, payload) = (Rc::clone(message), Rc::clone(payload));
        let id = message.id;
        self.fetches.insert(id, WaitingFetch { message, payload, is_bare: false });
        self.look_at_fetch(id, outbox);
    }

    /// Answers fetches that wait for one of these partitions, if they find something now.
    pub(super) fn complete_fetches(&mut self, partitions: &[TopicPartition], outbox: &mut Outbox) {
        self.look_at_share_fetches(partitions, outbox);
        if self.fetches.is_empty() || partitions.is_empty() {
            return;
        }
        let may_find = |waiting: &WaitingFetch| {
            let Payload::Fetch { from, rack, is_committed_only, .. } = &*waiting.payload else { return false };
            let mut asked = from.iter().filter(|(partition, _)| partitions.contains(partition));
            // Where nothing was found before, only what has changed can have something.
            asked.any(|(partition, offset)| {
                let rack = rack.as_ref();
                !waiting.is_bare || self.read_partition(partition, *offset, rack, *is_committed_only, 1).is_some()
            })
        };
        let ready: Vec<u64> = self.fetches.iter().filter(|(_, waiting)| may_find(waiting)).map(|(id, _)| *id).collect();
        ready.into_iter().for_each(|id| self.look_at_fetch(id, outbox));
    }

    /// Answers a fetch if there is enough for it. While there is nothing at all it waits without a timer:
    /// an empty answer and the next request would change nothing.
    fn look_at_fetch(&mut self, id: u64, outbox: &mut Outbox) {
        let Some(WaitingFetch { message, payload, .. }) = self.fetches.get(&id).cloned() else { return };
        let Payload::Fetch { limits, .. } = &*payload else { panic!("only Fetch requests wait here") };
        let found = self.read(&payload);
        let sizes = found.iter().flat_map(|fetched| &fetched.batches).map(|batch| u64::from(batch.size_bytes));
        let is_enough = sizes.sum::<u64>() >= u64::from(limits.bytes_min);
        if let Some(waiting) = self.fetches.get_mut(&id) {
            waiting.is_bare = found.is_empty();
        }
        if found.is_empty() {
            return;
        }
        let is_urgent = |part: &FetchedPartition| part.error.is_some() || part.preferred_read_replica.is_some();
        if is_enough || found.iter().any(is_urgent) {
            self.fetches.remove(&id);
            self.answer_fetch(&message, &payload, found, outbox);
        } else {
            let timer = Timer::FetchExpired { request: id };
            outbox.wake(Target::Broker(self.number), outbox.now() + limits.wait_max, timer);
        }
    }

    /// `fetch.max.wait.ms` is over: what there is has to do.
    pub(super) fn fetch_expired(&mut self, request: u64, outbox: &mut Outbox) {
        if let Some(WaitingFetch { message, payload, .. }) = self.fetches.remove(&request) {
            let found = self.read(&payload);
            self.answer_fetch(&message, &payload, found, outbox);
        }
    }

    fn read(&self, payload: &Payload) -> Vec<FetchedPartition> {
        let Payload::Fetch { from, rack, limits, is_committed_only, .. } = payload else {
            panic!("only Fetch requests are read for")
        };
        let mut found = Vec::new();
        let mut room = limits.bytes_max;
        for (partition, offset) in from {
            let bytes_max = limits.partition_bytes_max.min(room);
            let read = self.read_partition(partition, *offset, rack.as_ref(), *is_committed_only, bytes_max);
            let Some(fetched) = read else { continue };
            room = room.saturating_sub(fetched.batches.iter().map(|batch| batch.size_bytes).sum());
            found.push(fetched);
        }
        found
    }

    /// What a reader gets of one partition; nothing if it has to wait.
    fn read_partition(
        &self,
        partition: &TopicPartition,
        offset: u64,
        rack: Option<&Name>,
        is_committed_only: bool,
        bytes_max: u32,
    ) -> Option<FetchedPartition> {
        let fetched = |(high_watermark, last_stable_offset)| FetchedPartition {
            last_stable_offset,
            aborted: Vec::new(),
            partition: partition.clone(),
            high_watermark,
            batches: Vec::new(),
            error: None,
            preferred_read_replica: None,
        };
        let Some(replica) = self.replicas.get(partition) else {
            return Some(FetchedPartition { error: Some(self.not_hosted(partition)), ..fetched((0, 0)) });
        };
        let log = &replica.log;
        let offsets = (log.high_watermark, log.last_stable_offset());
        if replica.is_idle() {
            return Some(FetchedPartition { error: Some(not_leader()), ..fetched(offsets) });
        }
        if offset < log.log_start_offset || offset > log.log_end_offset {
            let text = "The requested offset is not within the range of offsets maintained by the server.";
            let error = KafkaError::new("OFFSET_OUT_OF_RANGE", "OffsetOutOfRangeException", text);
            return Some(FetchedPartition { error: Some(error), ..fetched(offsets) });
        }
        if let Some(preferred) = self.preferred_read_replica(replica, offset, rack) {
            let preferred_read_replica = Some(preferred);
            return Some(FetchedPartition { preferred_read_replica, ..fetched(offsets) });
        }
        let bound = if is_committed_only { offsets.1 } else { offsets.0 };
        if offset >= bound || bytes_max == 0 {
            return None;
        }
        let batches = log.read(offset, bytes_max, bound);
        let end = batches.last()?.end();
        let aborted = if is_committed_only { log.aborted_between(offset, end) } else { Vec::new() };
        let aborted = aborted.iter().map(|entry| (entry.producer_id, entry.first_offset)).collect();
        Some(FetchedPartition { batches, aborted, ..fetched(offsets) })
    }

    /// `RackAwareReplicaSelector`: the most caught-up in-sync follower in the reader's rack, unless the
    /// leader is there itself.
    fn preferred_read_replica(&self, replica: &Replica, offset: u64, rack: Option<&Name>) -> Option<u32> {
        let rack = rack.filter(|rack| self.settings.is_rack_aware && self.rack.as_ref() != Some(*rack))?;
        let leadership = replica.leadership()?;
        let in_rack = |id: u32| self.image.brokers.get(&id).is_some_and(|broker| broker.rack.as_ref() == Some(rack));
        let nearby = leadership.remotes.iter().filter(|remote| {
            let holds = remote.log_start_offset <= offset && remote.log_end_offset.is_some_and(|end| end >= offset);
            holds && leadership.isr.contains(&remote.id) && in_rack(remote.id)
        });
        nearby.max_by_key(|remote| (remote.log_end_offset, remote.last_caught_up)).map(|remote| remote.id)
    }

    fn answer_fetch(
        &mut self,
        message: &MessageView,
        payload: &Payload,
        found: Vec<FetchedPartition>,
        outbox: &mut Outbox,
    ) {
        let Payload::Fetch { sender, .. } = payload else { panic!("only Fetch requests are answered here") };
        let views =
            |part: &FetchedPartition| part.batches.iter().map(|batch| batch.view(&part.partition)).collect::<Vec<_>>();
        let batches: Vec<BatchView> = found.iter().flat_map(views).collect();
        let bytes = batches.iter().map(|batch| u64::from(batch.size_bytes)).sum();
        let error = found.iter().find_map(|part| part.error.clone());
        let answer = Payload::FetchAnswer { request: message.id, partitions: found };
        let mut parcel = Parcel::answer(message, Target::Consumer(*sender), answer, true);
        parcel.batches = batches;
        parcel.error = error;
        parcel.held_until = self.uplink.take(outbox.now(), outbox.now(), bytes);
        outbox.send(parcel);
    }

    /// A reader asks where logs begin or end.
    pub(super) fn list_offsets(
        &self,
        message: &MessageView,
        partitions: &[TopicPartition],
        at: OffsetSpec,
        sender: u32,
        outbox: &mut Outbox,
    ) {
        let offset = |partition: &TopicPartition| {
            let replica = self.replicas.get(partition).ok_or_else(|| self.not_hosted(partition))?;
            replica.leadership().ok_or_else(not_leader)?;
            Ok(match at {
                OffsetSpec::Earliest => replica.log.log_start_offset,
                OffsetSpec::Latest => replica.log.high_watermark,
                OffsetSpec::LastStable => replica.log.last_stable_offset(),
                OffsetSpec::Since(millis) => {
                    let found = replica.log.timestamp_path(millis).map(|path| path.found.1);
                    found.unwrap_or(replica.log.high_watermark).min(replica.log.high_watermark)
                }
            })
        };
        let offsets: Vec<_> = partitions.iter().map(|partition| (partition.clone(), offset(partition))).collect();
        let error = offsets.iter().find_map(|(_, offset)| offset.as_ref().err().cloned());
        let payload = Payload::ListOffsetsAnswer { request: message.id, offsets };
        let parcel = Parcel::answer(message, Target::Consumer(sender), payload, true);
        outbox.send(Parcel { error, ..parcel });
    }

    /// A client asks for topics and leaders.
    pub(super) fn metadata(&mut self, message: &MessageView, topics: &[Name], sender: Target, outbox: &mut Outbox) {
        for topic in topics.iter().filter(|topic| !self.image.topics.contains_key(*topic)) {
            let by_producer = matches!(sender, Target::Producer(_));
            if self.settings.auto_create_topics && by_producer {
                self.create_automatically(topic, outbox);
            }
        }
        let payload = Payload::MetadataAnswer { request: message.id, image: Rc::clone(&self.image) };
        outbox.send(Parcel::answer(message, sender, payload, true));
    }

    /// `auto.create.topics.enable`: the answer still says that the topic is unknown; the client asks again.
    fn create_automatically(&self, topic: &Name, outbox: &mut Outbox) {
        let topic = NewTopic {
            name: Rc::clone(topic),
            partitions: -1,
            replication_factor: -1,
            assignment: None,
            topic_id: None,
            configs: BTreeMap::new(),
        };
        let payload = Payload::Admin(AdminRequest::CreateTopic(topic));
        let (to, target) = (NodeId::Controller, Target::Controller);
        outbox.send(Parcel::request(Api::CreateTopics, self.node(), to, target, payload, true));
    }
}
