//! The leader's care for its in-sync set: high watermark, growing and shrinking.
//!
//! Follows `Partition.maybeIncrementLeaderHW`, `maybeExpandIsr` and `maybeShrinkIsr` of Kafka 4.3.1. The
//! controller decides; this proposes.

use std::rc::Rc;

use super::Broker;
use super::replica::{PendingIsr, Remote};
use crate::error::KafkaError;
use crate::event::{Api, EventKind, NodeId, TopicPartition};
use crate::message::{AlterPartition, ClusterImage, PartitionImage, Payload};
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};
use crate::time::Duration;
use crate::transaction::TransactionEvent;

impl Broker {
    /// Moves the high watermark of a partition if it may move; true if it did. Readers are not answered yet.
    pub(super) fn advance_high_watermark(&mut self, partition: &TopicPartition, outbox: &mut Outbox) -> bool {
        let (now, lag_max) = (outbox.now(), self.settings.lag_max);
        let Some(replica) = self.replicas.get_mut(partition) else { return false };
        let Some(leadership) = replica.leadership() else { return false };
        let image = &self.image;
        let may_join = |remote: &Remote| is_eligible(image, remote);
        let offset = leadership.high_watermark(replica.log.log_end_offset, now, lag_max, may_join);
        let Some(offset) = offset.filter(|offset| *offset > replica.log.high_watermark) else { return false };
        let (log, leadership) = Rc::make_mut(replica).leading().expect("it leads");
        let before = log.high_watermark;
        let stable_before = log.last_stable_offset();
        log.set_high_watermark(offset, now);
        let stable = Some(log.last_stable_offset()).filter(|stable| log.has_transactions() && *stable > stable_before);
        let reached_count = leadership.waiting.partition_point(|(end, _, _)| *end <= offset);
        let reached: Vec<_> = leadership.waiting.drain(..reached_count).collect();
        let is_enough = leadership.maximal_isr().len() as u32 >= leadership.min_isr;
        outbox.emit(EventKind::HighWatermarkAdvanced { partition: partition.clone(), high_watermark: offset });
        if let Some(last_stable_offset) = stable {
            let partition = partition.clone();
            let event = TransactionEvent::LastStableOffsetAdvanced { partition, last_stable_offset };
            outbox.emit(EventKind::Transaction(event));
        }
        self.list_news(partition, false, outbox);
        self.complete_produces(&reached, is_enough, outbox);
        self.offsets_replicated(partition, outbox);
        self.high_watermark_moved(partition, before, outbox);
        true
    }

    /// A follower that has caught up joins the in-sync set.
    pub(super) fn expand_isr(&mut self, partition: &TopicPartition, follower: u32, outbox: &mut Outbox) {
        let replica = self.replicas.get(partition).expect("the caller has it");
        let leadership = replica.leadership().expect("the caller has it");
        if leadership.pending.is_some() || leadership.maximal_isr().contains(&follower) {
            return;
        }
        let Some(remote) = leadership.remotes.iter().find(|remote| remote.id == follower) else { return };
        let end = remote.log_end_offset.unwrap_or(0);
        let has_caught_up = end >= replica.log.high_watermark && end >= leadership.epoch_start;
        if has_caught_up && is_eligible(&self.image, remote) {
            let mut isr = leadership.isr.clone();
            isr.push(follower);
            self.propose_isr(partition, isr, true, outbox);
        }
    }

    /// Sets the timer of the next check, unless every in-sync follower has everything.
    pub(super) fn look_at_isr(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        if self.alarms.isr.is_some() {
            return;
        }
        let Some(replica) = self.replicas.get(partition) else { return };
        let log_end = replica.log.log_end_offset;
        if replica.leadership().is_some_and(|leadership| leadership.has_laggard(log_end)) {
            let check = Duration(self.settings.lag_max.0 / 2);
            let at = self.next_on_grid(Duration::ZERO, check, outbox.now());
            self.alarms.isr = Some(at);
            outbox.wake(Target::Broker(self.number), at, Timer::IsrCheck);
        }
    }

    /// `isr-expiration`: followers that have lagged for too long leave.
    pub(super) fn check_isr(&mut self, outbox: &mut Outbox) {
        self.alarms.isr = None;
        let (now, lag_max) = (outbox.now(), self.settings.lag_max);
        for partition in self.replicas.keys() {
            self.look_at_isr(&partition, outbox);
            let Some(replica) = self.replicas.get(&partition) else { continue };
            let Some(leadership) = replica.leadership().filter(|leadership| leadership.pending.is_none()) else {
                continue;
            };
            let log_end = replica.log.log_end_offset;
            let stays = |id: &&u32| {
                let remote = leadership.remotes.iter().find(|remote| remote.id == **id);
                remote.is_none_or(|remote| remote.is_caught_up(log_end, now, lag_max))
            };
            let isr: Vec<u32> = leadership.isr.iter().filter(stays).copied().collect();
            if isr.len() < leadership.isr.len() {
                self.propose_isr(&partition, isr, false, outbox);
            }
        }
    }

    /// Something changed that may have kept followers out of the in-sync set. Those that wait for records
    /// would be seen again with their next fetch; those whose fetch is on its way are looked at when it comes.
    pub(super) fn reconsider_followers(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        let Some(leadership) = self.replicas.get(partition).and_then(|replica| replica.leadership()) else { return };
        let is_outside = |remote: &&Remote| !leadership.isr.contains(&remote.id);
        let outside: Vec<u32> = leadership.remotes.iter().filter(is_outside).map(|remote| remote.id).collect();
        for follower in outside {
            if self.is_fetching(follower) {
                self.expand_isr(partition, follower, outbox);
            } else if let Some(session) = self.sessions.get_mut(&follower) {
                session.passed_over.insert(partition.clone());
            }
        }
    }

    /// A follower fetches: partitions that it was passed over for. An incremental fetch does not name those in
    /// which nothing is new, and yet it stands for all of them.
    pub(super) fn look_again(&mut self, follower: u32, outbox: &mut Outbox) {
        let Some(session) = self.sessions.get_mut(&follower) else { return };
        for partition in std::mem::take(&mut session.passed_over) {
            let leads = self.replicas.get(&partition).is_some_and(|replica| replica.leadership().is_some());
            let is_followed = self.sessions.get(&follower).is_some_and(|all| all.partitions.get(&partition).is_some());
            if leads && is_followed {
                self.expand_isr(&partition, follower, outbox);
            }
        }
    }

    fn propose_isr(&mut self, partition: &TopicPartition, isr: Vec<u32>, is_expansion: bool, outbox: &mut Outbox) {
        let replica = Rc::make_mut(self.replicas.get_mut(partition).expect("the caller has it"));
        let leadership = replica.leadership_mut().expect("the caller has it");
        leadership.pending = Some(PendingIsr { isr, is_expansion, request: 0 });
        self.send_proposal(partition, outbox);
    }

    /// Sends what was proposed, again if need be.
    fn send_proposal(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        let Some(replica) = self.replicas.get(partition) else { return };
        let Some(leadership) = replica.leadership() else { return };
        let Some(pending) = &leadership.pending else { return };
        let epoch = |id: &u32| match leadership.remotes.iter().find(|remote| remote.id == *id) {
            Some(remote) if remote.log_end_offset.is_some() => remote.broker_epoch,
            _ => self.image.brokers.get(id).map_or(0, |broker| broker.epoch),
        };
        let isr = pending.isr.iter().map(|id| (*id, if *id == self.id { self.broker_epoch } else { epoch(id) }));
        let payload = Payload::AlterPartition(AlterPartition {
            broker: self.id,
            broker_epoch: self.broker_epoch,
            partition: partition.clone(),
            leader_epoch: replica.leader_epoch,
            partition_epoch: replica.partition_epoch,
            isr: isr.collect(),
            is_recovered: true,
        });
        let (from, to) = (self.node(), NodeId::Controller);
        let id = outbox.send(Parcel::request(Api::AlterPartition, from, to, Target::Controller, payload, true));
        let replica = self.replicas.get_mut(partition).map(Rc::make_mut);
        let leadership = replica.and_then(|replica| replica.leadership_mut());
        if let Some(pending) = leadership.and_then(|leadership| leadership.pending.as_mut()) {
            pending.request = id;
        }
    }

    /// The controller can be reached again: proposals that may have been lost are repeated.
    pub fn resend_proposals(&mut self, outbox: &mut Outbox) {
        for partition in self.replicas.keys() {
            self.send_proposal(&partition, outbox);
        }
    }

    /// The controller's answer to a proposal. After most refusals the leader waits for the controller's next
    /// image, which tells why.
    pub(super) fn alter_partition_answer(
        &mut self,
        request: u64,
        partition: &TopicPartition,
        result: &Result<PartitionImage, KafkaError>,
        outbox: &mut Outbox,
    ) {
        let error = match result {
            Ok(image) => return self.take_partition(partition, image, outbox),
            Err(error) => error,
        };
        let is_reset = matches!(error.error.as_str(), "INELIGIBLE_REPLICA" | "OPERATION_NOT_ATTEMPTED");
        let replica = self.replicas.get_mut(partition).map(Rc::make_mut);
        if is_reset && let Some(leadership) = replica.and_then(|replica| replica.leadership_mut()) {
            leadership.pending.take_if(|pending| pending.request == request);
        }
    }
}

/// Whether a replica may join the in-sync set, as far as this broker's image tells.
fn is_eligible(image: &ClusterImage, remote: &Remote) -> bool {
    let Some(broker) = image.brokers.get(&remote.id) else { return false };
    !broker.is_fenced && !broker.is_shutting_down && broker.epoch == remote.broker_epoch
}
