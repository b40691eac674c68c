//! Where a reader begins, and what it does when its position is not in the log any more.
//!
//! Follows `OffsetFetcher` and `auto.offset.reset` of Kafka 4.3.1.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Pending, REQUEST_TIMEOUT, Reader};
use crate::error::KafkaError;
use crate::event::{Api, EventKind, RefreshReason, TopicPartition};
use crate::message::{OffsetSpec, Payload};
use crate::outbox::Outbox;
use crate::time::Time;

/// A ListOffsets request on its way.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub broker: u32,
    pub deadline: Time,
    pub partitions: Vec<TopicPartition>,
}

impl Reader {
    /// Without a reset policy a partition without a position is an error.
    pub(super) fn demand_positions(&mut self, outbox: &mut Outbox) {
        let is_lost =
            |(_, reading): &(&TopicPartition, &super::Reading)| reading.position.is_none() && reading.reset.is_none();
        let lost: Vec<String> =
            self.partitions.iter().filter(is_lost).map(|(partition, _)| partition.to_string()).collect();
        if !lost.is_empty() {
            let text = format!("Undefined offset with no reset policy for partitions: [{}]", lost.join(", "));
            self.fail(KafkaError::new("", "NoOffsetForPartitionException", text), outbox);
        }
    }

    /// Asks leaders for the positions that are missing.
    pub(in crate::client) fn ask_for_offsets(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let mut wanted: BTreeMap<(u32, OffsetSpec), (OffsetSpec, Vec<TopicPartition>)> = BTreeMap::new();
        let mut is_leaderless = false;
        for (partition, reading) in &self.partitions {
            let Some(pending) = reading.reset.as_ref().filter(|_| reading.not_before <= now) else { continue };
            if self.listing.values().any(|listing| listing.partitions.contains(partition)) {
                continue;
            }
            match self.metadata.leader(&partition.topic, partition.partition) {
                Some(leader) if self.connections.may_send(leader, now) => {
                    let key = (leader, pending.at);
                    wanted.entry(key).or_insert((pending.at, Vec::new())).1.push(partition.clone());
                }
                Some(_) => {}
                None => is_leaderless = true,
            }
        }
        if is_leaderless {
            self.metadata.request(RefreshReason::Error);
        }
        for ((broker, _), (at, partitions)) in wanted {
            let at = match at {
                OffsetSpec::Latest if self.plan.settings.is_committed_only => OffsetSpec::LastStable,
                at => at,
            };
            let payload = Payload::ListOffsets { partitions: partitions.clone(), at, sender: self.number };
            let request = self.send(Api::ListOffsets, broker, payload, true, outbox);
            let deadline = now + REQUEST_TIMEOUT;
            self.listing.insert(request, Listing { broker, deadline, partitions });
        }
    }

    /// Offsets arrived.
    pub fn offsets_answer(
        &mut self,
        request: u64,
        offsets: &[(TopicPartition, Result<u64, KafkaError>)],
        outbox: &mut Outbox,
    ) {
        let Some(listing) = self.listing.remove(&request) else { return };
        self.connections.answered(listing.broker);
        for (partition, result) in offsets {
            let Some(reading) = self.partitions.get_mut(partition) else { continue };
            match result {
                Ok(offset) => {
                    let Some(pending) = reading.reset.take() else { continue };
                    reading.position = Some(*offset);
                    reading.failures = 0;
                    if let Some((before, error)) = pending.lost {
                        outbox.emit(EventKind::PositionReset {
                            consumer: Rc::clone(&self.plan.name),
                            partition: partition.clone(),
                            before,
                            position: *offset,
                            error: Some(error.into()),
                        });
                    }
                }
                Err(_) => {
                    reading.back_off(outbox.now(), &mut self.jitter);
                    self.metadata.request(RefreshReason::Error);
                }
            }
        }
        self.run(outbox);
    }

    /// The leader has nothing at the position: the reset policy decides.
    pub(super) fn out_of_range(&mut self, partition: &TopicPartition, error: &KafkaError, outbox: &mut Outbox) {
        let at = self.plan.settings.reset.spec(outbox.now());
        let text = self.fetch_position(partition);
        let Some(reading) = self.partitions.get_mut(partition) else { return };
        match at {
            Some(at) => {
                let lost = Some((reading.position.take().unwrap_or(0), error.clone()));
                reading.reset = Some(Pending { at, lost });
            }
            None => {
                let text = format!("Fetch position {text} is out of range for partition {partition}");
                self.fail(KafkaError::new("OFFSET_OUT_OF_RANGE", "OffsetOutOfRangeException", text), outbox);
            }
        }
    }

    /// `FetchPosition.toString`.
    fn fetch_position(&self, partition: &TopicPartition) -> String {
        let reading = self.partitions.get(partition);
        let offset = reading.and_then(|reading| reading.position).unwrap_or(0);
        let epoch = reading.and_then(|reading| reading.epoch);
        let offset_epoch = epoch.map_or("Optional.empty".to_string(), |epoch| format!("Optional[{epoch}]"));
        let leader = self.metadata.leader(&partition.topic, partition.partition);
        let leader_text = leader.map_or("Optional.empty".to_string(), |id| {
            let rack = self.metadata.racks.get(&id).cloned().flatten();
            format!("Optional[broker{id}:9092 (id: {id} rack: {} isFenced: false)]", rack.as_deref().unwrap_or("null"))
        });
        let leader_epoch = self.metadata.epoch(&partition.topic, partition.partition);
        let leader_epoch = leader_epoch.map_or("absent".to_string(), |epoch| epoch.to_string());
        format!(
            "FetchPosition{{offset={offset}, offsetEpoch={offset_epoch}, \
             currentLeader=LeaderAndEpoch{{leader={leader_text}, epoch={leader_epoch}}}}}"
        )
    }
}
