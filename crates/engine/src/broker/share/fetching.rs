//! ShareFetch: acknowledgements first, then records; it waits while there are none.
//!
//! Follows `KafkaApis.handleShareFetchRequest` and `DelayedShareFetch` of Kafka 4.3.1. Several requests may wait for the
//! same records: who came first gets them.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::acquiring::Wanted;
use super::{Broker, tell};
use crate::coordinator::requests::send_answer;
use crate::coordinator::writing::Asker;
use crate::error::KafkaError;
use crate::event::internal::ShareKey;
use crate::event::{BatchView, Codec, MessageView, Name, TopicPartition};
use crate::message::{PartitionResults, Payload, ShareFetch, ShareFetched};
use crate::outbox::{Outbox, Parcel};
use crate::share::DeliveredRecord;
use crate::time::Time;

/// What came of the partitions that records were wanted from.
type Records = Vec<(TopicPartition, Result<Vec<DeliveredRecord>, KafkaError>)>;

/// A request that is being served.
#[derive(Clone, Debug)]
pub(super) struct Serving {
    pub asker: Asker,
    /// The fetch; none for acknowledgements alone.
    pub fetch: Option<Rc<ShareFetch>>,
    pub acknowledged: PartitionResults,
    /// Writes that its acknowledgements wait for.
    pub waiting: BTreeSet<(ShareKey, u64)>,
    /// The session that ends once its acknowledgements count, and the writes by which it does.
    pub ending: Option<(Name, Name)>,
    pub releasing: BTreeSet<(ShareKey, u64)>,
    /// Records that are on their way, once there are some.
    pub records: Option<Records>,
    /// Since when it waits for records, and until when.
    pub since: Time,
    pub deadline: Option<Time>,
}

impl Broker {
    /// ShareFetch.
    pub(in crate::broker) fn share_fetch(
        &mut self,
        message: &Rc<MessageView>,
        asked: &ShareFetch,
        outbox: &mut Outbox,
    ) {
        let asker = Asker { message: Rc::clone(message), sender: asked.sender };
        if let Err(error) = self.share_session(&asker, &asked.group, &asked.member, asked.epoch, true) {
            let payload = Payload::ShareFetchAnswer { request: message.id, result: Err(error.clone()) };
            return send_answer(&asker, payload, Some(error), outbox);
        }
        // A newer fetch of a member takes the place of one that still waits.
        self.shares.requests.retain(|_, serving| serving.fetch.is_none() || serving.asker.sender != asked.sender);
        let has_said_something = !asked.acknowledgements.is_empty();
        let deadline = has_said_something.then(|| outbox.now() + asked.wait_max);
        let serving = Serving {
            asker,
            fetch: Some(Rc::new(asked.clone())),
            acknowledged: Vec::new(),
            waiting: BTreeSet::new(),
            ending: None,
            releasing: BTreeSet::new(),
            records: None,
            since: outbox.now(),
            deadline,
        };
        self.shares.requests.insert(message.id, serving);
        self.take_acknowledgements(message.id, &asked.group, &asked.member, &asked.acknowledgements, outbox);
        self.look_at_share_fetch(message.id, outbox);
        self.arm_shares(outbox);
    }

    /// Something may be there for whoever waits for one of these partitions.
    pub(in crate::broker) fn look_at_share_fetches(&mut self, partitions: &[TopicPartition], outbox: &mut Outbox) {
        if self.shares.requests.is_empty() {
            return;
        }
        let waits = |serving: &Serving| {
            serving.records.is_none()
                && serving
                    .fetch
                    .as_ref()
                    .is_some_and(|fetch| fetch.partitions.iter().any(|own| partitions.contains(own)))
        };
        let ids: Vec<u64> = self.shares.requests.iter().filter(|(_, it)| waits(it)).map(|(id, _)| *id).collect();
        ids.into_iter().for_each(|id| self.look_at_share_fetch(id, outbox));
        self.arm_shares(outbox);
    }

    /// Looks for records, and answers if there are some.
    fn look_at_share_fetch(&mut self, id: u64, outbox: &mut Outbox) {
        let Some(fetch) =
            self.shares.requests.get(&id).filter(|it| it.records.is_none()).and_then(|it| it.fetch.clone())
        else {
            return;
        };
        let mut records: Records = Vec::new();
        let mut left = fetch.records_max;
        for partition in rotated(&fetch) {
            let key = ShareKey { group: Rc::clone(&fetch.group), partition: partition.clone() };
            if let Err(error) = self.open_share_partition(&key, outbox) {
                records.push((partition, Err(error)));
                continue;
            }
            let found = self.acquire(&key, &fetch, left, outbox);
            if !found.is_empty() {
                left = left.saturating_sub(found.len() as u32);
                records.push((partition, Ok(found)));
            }
            if left == 0 {
                break;
            }
        }
        if !records.is_empty()
            && let Some(serving) = self.shares.requests.get_mut(&id)
        {
            serving.records = Some(records);
        }
        self.answer_share_request(id, outbox);
    }

    /// Locks records of one partition for the member that fetches.
    fn acquire(
        &mut self,
        key: &ShareKey,
        fetch: &ShareFetch,
        records_max: u32,
        outbox: &mut Outbox,
    ) -> Vec<DeliveredRecord> {
        let rules = self.share_rules(&key.group);
        let Some(end) = self.share_end(key) else { return Vec::new() };
        let log_start = self.replicas.get(&key.partition).map_or(0, |replica| replica.log.log_start_offset);
        let Some(open) = self.shares.open_mut(key) else { return Vec::new() };
        let moved = open.log_moved(log_start);
        let has_something = open.has_something(end, &rules);
        let (from, until) = (open.start_offset(), open.end_offset().saturating_add(u64::from(records_max)));
        tell(moved, outbox);
        if !has_something {
            return Vec::new();
        }
        let Some(readable) = self.readable(key, from, until, rules.locks_max) else { return Vec::new() };
        let Some(open) = self.shares.open_mut(key) else { return Vec::new() };
        let wanted = Wanted { member: &fetch.member, records_max, is_limited: fetch.is_limited };
        let (acquired, events) = open.acquire(wanted, &readable, &rules, outbox.now());
        tell(events, outbox);
        let delivered = |(offset, delivery_count): (u64, u16)| DeliveredRecord {
            partition: key.partition.clone(),
            offset,
            delivery_count,
            record: readable.records.get(&offset).cloned().flatten(),
        };
        acquired.into_iter().map(delivered).collect()
    }

    /// A fetch cannot be served from a share partition.
    pub(super) fn fail_share_fetches(&mut self, key: &ShareKey, error: &KafkaError, outbox: &mut Outbox) {
        let is_meant = |serving: &&mut Serving| {
            serving.records.is_none()
                && serving
                    .fetch
                    .as_ref()
                    .is_some_and(|fetch| fetch.group == key.group && fetch.partitions.contains(&key.partition))
        };
        let mut failed = Vec::new();
        for (id, serving) in self.shares.requests.iter_mut().filter(|(_, serving)| is_meant(serving)) {
            serving.records = Some(vec![(key.partition.clone(), Err(error.clone()))]);
            failed.push(*id);
        }
        failed.into_iter().for_each(|id| self.answer_share_request(id, outbox));
    }

    /// Fetches that have waited for long enough are answered with nothing.
    pub(super) fn expire_share_fetches(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let is_late = |serving: &Serving| serving.deadline.is_some_and(|deadline| deadline <= now);
        let late: Vec<u64> = self.shares.requests.iter().filter(|(_, it)| is_late(it)).map(|(id, _)| *id).collect();
        for id in late {
            if let Some(serving) = self.shares.requests.get_mut(&id) {
                serving.deadline = None;
                serving.records.get_or_insert_with(Vec::new);
            }
            self.answer_share_request(id, outbox);
        }
    }

    /// Whoever polled does so no more: its fetch ends when `fetch.max.wait.ms` is over, as it would have all along.
    pub(crate) fn share_poll_ended(&mut self, request: u64, outbox: &mut Outbox) {
        let now = outbox.now();
        let Some(serving) = self.shares.requests.get_mut(&request) else { return };
        let Some(fetch) = &serving.fetch else { return };
        let wait = fetch.wait_max.0.max(1);
        let passed = now.since(serving.since).0.div_ceil(wait).max(1);
        serving.deadline.get_or_insert(serving.since + crate::time::Duration(passed * wait));
        self.arm_shares(outbox);
        self.expire_share_fetches(outbox);
    }

    /// Answers a request of which nothing is left to wait for.
    pub(super) fn answer_share_request(&mut self, id: u64, outbox: &mut Outbox) {
        let said = self.shares.requests.get_mut(&id).filter(|serving| serving.waiting.is_empty());
        if let Some((group, member)) = said.and_then(|serving| serving.ending.take()) {
            let releasing = self.end_share_session(&group, &member, outbox);
            if let Some(serving) = self.shares.requests.get_mut(&id) {
                serving.releasing = releasing;
            }
        }
        let is_ready = |serving: &Serving| {
            serving.waiting.is_empty()
                && serving.releasing.is_empty()
                && (serving.fetch.is_none() || serving.records.is_some())
        };
        let Some(serving) = self.shares.requests.get(&id).filter(|serving| is_ready(serving)) else { return };
        let Serving { asker, fetch, acknowledged, records, .. } = serving.clone();
        self.shares.requests.remove(&id);
        let error = acknowledged.iter().find_map(|(_, result)| result.as_ref().err().cloned());
        if fetch.is_none() {
            let payload = Payload::ShareAcknowledgeAnswer { request: id, result: Ok(acknowledged) };
            return send_answer(&asker, payload, error, outbox);
        }
        let records = records.unwrap_or_default();
        let views: Vec<BatchView> = records.iter().filter_map(view).collect();
        let error = error.or_else(|| records.iter().find_map(|(_, result)| result.as_ref().err().cloned()));
        let bytes = views.iter().map(|view| u64::from(view.size_bytes)).sum();
        let is_notable = !views.is_empty() || !acknowledged.is_empty() || error.is_some();
        let payload = Payload::ShareFetchAnswer { request: id, result: Ok(ShareFetched { acknowledged, records }) };
        let mut parcel = Parcel::answer(&asker.message, asker.sender, payload, is_notable);
        parcel.batches = views;
        parcel.error = error;
        parcel.held_until = self.uplink.take(outbox.now(), outbox.now(), bytes);
        outbox.send(parcel);
    }
}

/// The partitions, beginning with another one in each request of a session (`PartitionRotateStrategy`).
fn rotated(fetch: &ShareFetch) -> Vec<TopicPartition> {
    let mut partitions = fetch.partitions.clone();
    if !partitions.is_empty() {
        let by = fetch.epoch.unsigned_abs() as usize % partitions.len();
        partitions.rotate_left(by);
    }
    partitions
}

/// The records of a partition as a message shows them.
fn view((partition, result): &(TopicPartition, Result<Vec<DeliveredRecord>, KafkaError>)) -> Option<BatchView> {
    let records: Vec<_> = result.as_ref().ok()?.iter().filter_map(|delivered| delivered.record.clone()).collect();
    let sizes = records.iter().map(|record| crate::storage::batch::stored_size(record, 0, 0));
    let size_bytes = crate::storage::batch::BATCH_OVERHEAD + sizes.sum::<u32>();
    Some(BatchView { partition: partition.clone(), records: records.into(), size_bytes, codec: Codec::None })
}
