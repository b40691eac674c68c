//! Where a consumer begins: committed offsets, else its reset policy.
//!
//! Follows `ConsumerCoordinator.initWithCommittedOffsetsIfNeeded` and `SubscriptionState` of Kafka 4.3.1.

use super::librdkafka;
use crate::client::reader::{Pending, Reader};
use crate::error::KafkaError;
use crate::event::{Api, TopicPartition};
use crate::message::{FetchedOffsets, OffsetFetch, Payload};
use crate::outbox::Outbox;
use crate::queue::Target;
use crate::time::Time;

/// An OffsetFetch request on its way, or the pause after one that failed.
#[derive(Clone, Debug)]
pub(crate) struct Lookup {
    pub request: Option<u64>,
    pub broker: u32,
    pub deadline: Time,
}

impl Lookup {
    /// When it is given up, or tried again.
    pub fn due(&self) -> Time {
        self.deadline
    }
}

impl Reader {
    /// `updateFetchPositions`: partitions without a position get the committed one, or one by the policy.
    pub(super) fn find_positions(&mut self, outbox: &mut Outbox) -> Result<(), KafkaError> {
        // One that librdkafka has told of as being without an offset is held.
        let is_held = |reading: &crate::client::reader::Reading| reading.is_held && self.is_librdkafka();
        let is_missing = |reading: &crate::client::reader::Reading| {
            reading.position.is_none() && reading.reset.is_none() && !is_held(reading)
        };
        let missing: Vec<TopicPartition> = self
            .partitions
            .iter()
            .filter(|(_, reading)| is_missing(reading))
            .map(|(partition, _)| partition.clone())
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        if self.plan.settings.member.group.is_some() {
            let is_open = |partition: &&TopicPartition| !self.partitions[*partition].is_looked_up;
            let open: Vec<TopicPartition> = missing.iter().filter(is_open).cloned().collect();
            if !open.is_empty() {
                self.ask_for_committed(open, outbox);
                return Ok(());
            }
        }
        self.reset_positions(&missing, outbox)
    }

    /// Partitions without a committed offset begin by the policy; without one the application has to say where.
    fn reset_positions(&mut self, missing: &[TopicPartition], outbox: &mut Outbox) -> Result<(), KafkaError> {
        let at = self.plan.settings.reset.spec(outbox.now());
        for partition in missing {
            let Some(reading) = self.partitions.get_mut(partition) else { continue };
            reading.is_looked_up = false;
            reading.reset = at.map(|at| Pending { at, lost: None });
        }
        if at.is_some() {
            return Ok(());
        }
        if self.is_librdkafka() {
            for partition in missing {
                self.partitions.entry(partition.clone()).and_modify(|reading| reading.is_held = true);
                self.inner_mut().failures.push_back(librdkafka::no_reset());
            }
            return Ok(());
        }
        // They are in a hash set, and its order is the text's.
        let keys: Vec<(&str, u32)> = missing.iter().map(|key| (&*key.topic, key.partition)).collect();
        let order = assignor::java::partition_map_order(&keys);
        let names: Vec<String> = order.into_iter().map(|place| missing[place as usize].to_string()).collect();
        let text = format!("Undefined offset with no reset policy for partitions: [{}]", names.join(", "));
        Err(KafkaError::new("", "NoOffsetForPartitionException", text))
    }

    fn ask_for_committed(&mut self, partitions: Vec<TopicPartition>, outbox: &mut Outbox) {
        let now = outbox.now();
        if self.inner().lookup.as_ref().is_some_and(|lookup| lookup.request.is_some() || lookup.deadline > now) {
            return;
        }
        self.inner_mut().lookup = None;
        let Some(broker) = self.coordinator(outbox) else { return };
        let payload = Payload::OffsetFetch(OffsetFetch {
            group: self.group(),
            member: self.offset_fetch_identity(),
            partitions: Some(partitions),
            require_stable: true,
            sender: Target::Consumer(self.number),
        });
        let request = self.send(Api::OffsetFetch, broker, payload, true, outbox);
        let deadline = now + self.plan.settings.member.request_timeout;
        self.inner_mut().lookup = Some(Lookup { request: Some(request), broker, deadline });
    }

    /// Committed offsets arrived.
    pub(super) fn offsets_fetched(
        &mut self,
        request: u64,
        result: &Result<FetchedOffsets, KafkaError>,
        outbox: &mut Outbox,
    ) {
        let is_ours = |lookup: &mut Lookup| lookup.request == Some(request);
        let Some(lookup) = self.inner_mut().lookup.take_if(is_ours) else { return };
        self.connections.answered(lookup.broker);
        match result {
            Ok(offsets) => {
                for (partition, found) in offsets {
                    self.offset_fetched(partition, found, outbox);
                }
            }
            Err(error) => self.offset_fetch_failed(error, outbox),
        }
    }

    fn offset_fetched(
        &mut self,
        partition: &TopicPartition,
        found: &Result<Option<u64>, KafkaError>,
        outbox: &mut Outbox,
    ) {
        let Some(reading) = self.partitions.get_mut(partition) else { return };
        match found {
            Ok(Some(offset)) => {
                if reading.position.is_none() && reading.reset.is_none() {
                    reading.position = Some(*offset);
                }
                self.inner_mut().commits.known.insert(partition.clone(), *offset);
            }
            Ok(None) => reading.is_looked_up = true,
            Err(error) if error.error == "UNSTABLE_OFFSET_COMMIT" => self.pause_lookup(outbox.now()),
            Err(error) if error.error == "UNKNOWN_TOPIC_OR_PARTITION" => {
                let text = format!("Topic or Partition {partition} does not exist");
                self.inner_mut().failures.push_back(KafkaError::new(&error.error, "KafkaException", text));
            }
            Err(error) => {
                let text =
                    format!("Unexpected error in fetch offset response for partition {partition}: {}", error.message);
                self.inner_mut().failures.push_back(KafkaError::new(&error.error, "KafkaException", text));
            }
        }
    }

    fn offset_fetch_failed(&mut self, error: &KafkaError, outbox: &mut Outbox) {
        match error.error.as_str() {
            "NOT_COORDINATOR" | "COORDINATOR_NOT_AVAILABLE" => self.coordinator_unknown(outbox),
            "COORDINATOR_LOAD_IN_PROGRESS" | "STALE_MEMBER_EPOCH" | "UNKNOWN_MEMBER_ID" | "REQUEST_TIMED_OUT" => {}
            _ => {
                let text = format!("Unexpected error in fetch offset response: {}", error.message);
                self.inner_mut().failures.push_back(KafkaError::new(&error.error, "KafkaException", text));
            }
        }
        self.pause_lookup(outbox.now());
    }

    /// It asks again after `retry.backoff.ms`.
    fn pause_lookup(&mut self, now: Time) {
        let deadline = now + self.plan.settings.member.retry_backoff.0;
        self.inner_mut().lookup = Some(Lookup { request: None, broker: 0, deadline });
    }
}
