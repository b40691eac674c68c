//! The idempotent producer: its id and epoch, and the sequences of each partition.
//!
//! Follows the sequence keeping of `TransactionManager` of Kafka 4.3.1; the states of a transaction and its
//! requests are in `transactions.rs`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Producer;
use super::accumulator::{Batch, Key};
use crate::error::KafkaError;
use crate::event::{Api, EventKind, NodeId};
use crate::message::{InitProducerId, Payload, ProducerIdentity};
use crate::order::Order;
use crate::outbox::{Outbox, Parcel};
use crate::queue::Target;
use crate::storage::batch::ProducerStamp;
use crate::time::{Duration, Time};
use crate::transaction::TransactionEvent;

/// The largest producer epoch; the next bump needs a new producer id.
const EPOCH_MAX: u16 = i16::MAX as u16;

/// A request for a producer id on its way.
#[derive(Clone, Copy, Debug)]
struct IdRequest {
    request: u64,
    broker: u32,
    deadline: Time,
}

/// What an idempotent producer knows of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Idempotence {
    pub identity: Option<ProducerIdentity>,
    asked: Option<IdRequest>,
    partitions: BTreeMap<Key, Sequences>,
    /// Partitions where a batch expired after it may have reached the broker, and the sequence after it.
    unresolved: BTreeMap<Key, i32>,
    /// Partitions that need the next epoch, because of a gap in their sequences.
    bumped: BTreeSet<Key>,
    /// Of a transactional producer: the partitions that take part, and so may be written to.
    pub taking_part: Option<BTreeSet<Key>>,
    /// A partition of a transactional producer stays without the answers that it waited for.
    is_unresolvable: bool,
    /// The last request for a producer id was refused; the next one leaves then.
    not_before: Time,
}

/// The sequences of one partition.
#[derive(Clone, Debug)]
struct Sequences {
    identity: ProducerIdentity,
    next: i32,
    last_acknowledged: Option<i32>,
    /// First sequences of the batches that are sent or wait to be sent again, lowest first.
    in_flight: Vec<i32>,
}

impl Sequences {
    fn new(identity: ProducerIdentity) -> Sequences {
        Sequences { identity, next: 0, last_acknowledged: None, in_flight: Vec::new() }
    }

    /// `isNextSequence`.
    fn is_next(&self, sequence: i32) -> bool {
        self.last_acknowledged.map_or(0, |last| after(last, 1)) == sequence
    }
}

impl Idempotence {
    /// Without an identity yet.
    pub fn new(is_transactional: bool) -> Idempotence {
        Idempotence { taking_part: is_transactional.then(BTreeSet::new), ..Idempotence::default() }
    }

    /// Whether the first batch of a partition may leave. A batch that is sent again waits until it is the
    /// lowest one; a new one waits while earlier ones are of another epoch or their fate is unknown.
    pub fn may_send(&self, key: &Key, batch: &Batch) -> bool {
        let Some(identity) = self.identity else { return false };
        if self.taking_part.as_ref().is_some_and(|partitions| !partitions.contains(key)) {
            return false;
        }
        let Some(known) = self.partitions.get(key) else { return true };
        match batch.stamp {
            Some(stamp) => known.in_flight.first().is_none_or(|first| *first == stamp.base_sequence),
            None => {
                let is_stale = known.identity != identity && !known.in_flight.is_empty();
                !is_stale && !self.unresolved.contains_key(key)
            }
        }
    }

    /// Gives a batch that leaves for the first time its sequence.
    pub fn number(&mut self, key: &Key, batch: &mut Batch) {
        let Some(identity) = self.identity.filter(|_| batch.stamp.is_none()) else { return };
        let known = self.partitions.entry(key.clone()).or_insert_with(|| Sequences::new(identity));
        if known.identity != identity {
            *known = Sequences::new(identity);
        }
        let ProducerIdentity { producer_id, epoch } = identity;
        batch.stamp = Some(ProducerStamp { producer_id, epoch, base_sequence: known.next });
        known.in_flight.push(known.next);
        known.next = after(known.next, batch.records.len() as u32);
    }

    /// A batch of `count` records was acknowledged.
    pub fn acknowledged(&mut self, key: &Key, stamp: ProducerStamp, count: u32) {
        let last = after(stamp.base_sequence, count - 1);
        if let Some(known) = self.known(key, stamp) {
            known.last_acknowledged = known.last_acknowledged.max(Some(last));
        }
        self.forget(key, stamp);
    }

    /// A batch is over without success. `is_gap`: its sequences will not come, so the next epoch is needed.
    pub fn failed(&mut self, key: &Key, stamp: ProducerStamp, is_gap: bool) {
        self.forget(key, stamp);
        if is_gap && !self.is_transactional() {
            self.bumped.insert(key.clone());
        }
    }

    /// Whether no partition takes part in the transaction yet.
    pub fn has_nothing_taking_part(&self) -> bool {
        self.taking_part.as_ref().is_some_and(BTreeSet::is_empty)
    }

    /// Whether the epoch is the coordinator's business.
    pub fn is_transactional(&self) -> bool {
        self.taking_part.is_some()
    }

    /// Every partition begins again at sequence 0 (`resetSequenceNumbers`).
    pub fn begin_again(&mut self) {
        self.partitions.clear();
        self.unresolved.clear();
    }

    /// One partition begins again at sequence 0: its leader has forgotten the producer.
    pub fn forget_partition(&mut self, key: &Key) {
        self.partitions.remove(key);
        self.unresolved.remove(key);
    }

    /// Whether a partition was found without the answers that it waited for, since the last look.
    pub fn take_unresolvable(&mut self) -> bool {
        std::mem::take(&mut self.is_unresolvable)
    }

    /// A batch was cut into parts that keep its sequences.
    pub fn split(&mut self, key: &Key, whole: ProducerStamp, parts: &[Batch]) {
        let Some(known) = self.known(key, whole) else { return };
        let Some(place) = known.in_flight.iter().position(|first| *first == whole.base_sequence) else { return };
        let firsts = parts.iter().filter_map(|part| part.stamp).map(|stamp| stamp.base_sequence);
        known.in_flight.splice(place..=place, firsts);
    }

    /// A batch expired that was sent more than once: nobody knows whether it was written.
    pub fn leave_unresolved(&mut self, key: &Key, stamp: ProducerStamp, count: u32) {
        let next = after(stamp.base_sequence, count);
        let known = self.unresolved.entry(key.clone()).or_insert(next);
        *known = next.max(*known);
    }

    /// Whether a batch is tried again after OUT_OF_ORDER_SEQUENCE_NUMBER. If it is the one that the broker
    /// should expect, there is a gap in the log: the epoch is raised first, or a transaction cannot go on.
    pub fn out_of_order(&mut self, key: &Key, batch: &Batch) -> bool {
        let Some(stamp) = batch.stamp else { return true };
        let is_gap = match self.unresolved.get(key) {
            Some(next) => *next == stamp.base_sequence,
            None => {
                let is_next = self.known(key, stamp).is_some_and(|known| known.is_next(stamp.base_sequence));
                is_next && !batch.is_renumbered
            }
        };
        if self.is_transactional() {
            return !is_gap && !self.unresolved.contains_key(key);
        }
        if is_gap {
            self.bumped.insert(key.clone());
        }
        true
    }

    /// Whether a batch is tried again after UNKNOWN_PRODUCER_ID, which brokers before 4.0 sent. Simplified:
    /// the answer's log start offset, by which Kafka's client tells retention from loss, is taken as known
    /// and as nothing new.
    pub fn unknown_id(&mut self, key: &Key, batch: &Batch) -> bool {
        if batch.is_renumbered {
            return true;
        }
        if self.is_transactional() {
            return false;
        }
        self.bumped.insert(key.clone());
        true
    }

    fn known(&mut self, key: &Key, stamp: ProducerStamp) -> Option<&mut Sequences> {
        let identity = ProducerIdentity { producer_id: stamp.producer_id, epoch: stamp.epoch };
        self.partitions.get_mut(key).filter(|known| known.identity == identity)
    }

    fn forget(&mut self, key: &Key, stamp: ProducerStamp) {
        if let Some(known) = self.known(key, stamp) {
            known.in_flight.retain(|first| *first != stamp.base_sequence);
        }
    }

    /// `maybeResolveSequences`: once nothing of an unresolved partition is in flight, it is clear whether
    /// later batches went through. If not, the epoch is raised.
    fn resolve(&mut self) {
        if self.unresolved.is_empty() {
            return;
        }
        for key in std::mem::take(&mut self.unresolved) {
            let Some(known) = self.partitions.get(&key.0) else { continue };
            if !known.in_flight.is_empty() {
                self.unresolved.insert(key.0, key.1);
            } else if !known.is_next(known.next) {
                match self.is_transactional() {
                    true => self.is_unresolvable = true,
                    false => {
                        self.bumped.insert(key.0);
                    }
                }
            }
        }
    }

    /// When the request for a producer id is given up.
    pub fn deadline(&self) -> Option<Time> {
        self.asked.map(|asked| asked.deadline)
    }

    /// When the next request for a producer id may leave, if it has to wait.
    pub fn asks_again(&self, now: Time) -> Option<Time> {
        (self.identity.is_none() && self.not_before > now).then_some(self.not_before)
    }

    /// The broker that owes a producer id.
    pub fn asked(&self) -> Option<u32> {
        self.asked.map(|asked| asked.broker)
    }

    /// The connection to a broker broke.
    pub fn lost(&mut self, broker: u32) {
        self.asked.take_if(|asked| asked.broker == broker);
    }
}

/// `DefaultRecordBatch.incrementSequence`: after 2147483647 comes 0.
fn after(sequence: i32, count: u32) -> i32 {
    ((i64::from(sequence) + i64::from(count)) % (1 << 31)) as i32
}

impl Producer {
    /// What the sender does first in each turn (`Sender.runOnce`): it settles what is unresolved and raises the
    /// epoch if a partition needs it. What expires later in a turn is left for the next one.
    pub(super) fn resolve_sequences(&mut self, outbox: &mut Outbox) {
        let Some(own) = &mut self.idempotence else { return };
        own.resolve();
        if !own.bumped.is_empty() {
            self.bump_epoch(outbox);
        }
    }

    /// Asks for a producer id if there is none. With batches that wait, the next turn follows at once.
    pub(super) fn look_after_identity(&mut self, outbox: &mut Outbox) {
        if self.transactions.is_some() || !self.accumulator.is_empty() {
            self.resolve_sequences(outbox);
        }
        if self.idempotence.is_some() && self.transactions.is_none() {
            self.ask_for_id(outbox);
        }
    }

    /// `bumpIdempotentProducerEpoch`: without asking a broker. The partitions that needed it start again at
    /// sequence 0 with what they have in flight; the others follow once their batches are through.
    fn bump_epoch(&mut self, outbox: &mut Outbox) {
        let Some(own) = &mut self.idempotence else { return };
        let keys = std::mem::take(&mut own.bumped);
        own.identity = own.identity.filter(|identity| identity.epoch < EPOCH_MAX);
        let Some(identity) = &mut own.identity else { return };
        identity.epoch += 1;
        let identity = *identity;
        self.tell_epoch(identity, outbox);
        for key in keys {
            let Some(own) = &mut self.idempotence else { return };
            own.unresolved.remove(&key);
            let before = own.partitions.remove(&key).map(|known| known.in_flight).unwrap_or_default();
            let mut renewed = Sequences::new(identity);
            self.renumber(&key, &before, &mut renewed);
            if let Some(own) = &mut self.idempotence {
                own.partitions.insert(key, renewed);
            }
        }
    }

    /// Gives the batches of a partition that were sent, by their old first sequences, the next ones.
    fn renumber(&mut self, key: &Key, before: &[i32], renewed: &mut Sequences) {
        let sent = self.in_flight.values_mut().flat_map(|request| &mut request.batches);
        let sent = sent.filter(|(other, ..)| other == key).map(|(_, batch, _)| batch);
        let queued = self.accumulator.queues.get_mut(key).into_iter().flatten();
        let queued = queued.filter(|batch| batch.stamp.is_some()).map(Rc::make_mut);
        let place = |batch: &Batch| before.iter().position(|first| Some(*first) == first_sequence(batch));
        let mut batches: Vec<_> = sent
            .chain(queued)
            .filter(|batch| !batch.records.is_empty())
            .filter_map(|batch| Some((place(batch)?, batch)))
            .collect();
        batches.order_by_key(|(place, _)| *place);
        for (_, batch) in batches {
            batch.is_renumbered = true;
            let ProducerIdentity { producer_id, epoch } = renewed.identity;
            batch.stamp = Some(ProducerStamp { producer_id, epoch, base_sequence: renewed.next });
            renewed.in_flight.push(renewed.next);
            renewed.next = after(renewed.next, batch.records.len() as u32);
        }
    }

    /// `adjustSequencesDueToFailedBatch`: in a transaction the sequences of a batch that was refused go to the
    /// batches after it.
    pub(super) fn close_gap(&mut self, key: &Key, stamp: ProducerStamp) {
        let Some(own) = &mut self.idempotence else { return };
        let Some(known) = own.known(key, stamp) else { return };
        let Some(place) = known.in_flight.iter().position(|first| *first == stamp.base_sequence) else { return };
        let before = known.in_flight.split_off(place + 1);
        known.in_flight.pop();
        let mut renewed = Sequences { next: stamp.base_sequence, ..known.clone() };
        self.renumber(key, &before, &mut renewed);
        if let Some(own) = &mut self.idempotence {
            own.partitions.insert(key.clone(), renewed);
        }
    }

    /// The producer has an identity from now on, or none.
    pub(super) fn take_identity(&mut self, identity: Option<ProducerIdentity>, outbox: &mut Outbox) {
        let before = self.identity();
        if let Some(own) = &mut self.idempotence {
            own.identity = identity;
        }
        let Some(now) = identity.filter(|_| identity != before) else { return };
        if before.is_some_and(|before| before.producer_id == now.producer_id) {
            self.tell_epoch(now, outbox);
        } else {
            let ProducerIdentity { producer_id, epoch } = now;
            let producer = Rc::clone(&self.plan.name);
            let event = TransactionEvent::ProducerIdAssigned { producer, producer_id, epoch };
            outbox.emit(EventKind::Transaction(event));
        }
    }

    fn tell_epoch(&self, identity: ProducerIdentity, outbox: &mut Outbox) {
        let ProducerIdentity { producer_id, epoch } = identity;
        let producer = Rc::clone(&self.plan.name);
        let event = TransactionEvent::ProducerEpochRaised { producer, producer_id, epoch };
        outbox.emit(EventKind::Transaction(event));
    }

    fn ask_for_id(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let needs_one = |own: &&mut Idempotence| own.identity.is_none() && own.asked.is_none() && own.not_before <= now;
        let Some(own) = self.idempotence.as_mut().filter(needs_one) else { return };
        let Some(broker) = self.connections.choose(&outbox.post.brokers, outbox.now()) else { return };
        let payload = Payload::InitProducerId(InitProducerId {
            transactional_id: None,
            timeout: Duration::ZERO,
            expected: None,
            keep_prepared: false,
            enable_two_phase_commit: false,
            sender: Target::Producer(self.number),
        });
        let from = NodeId::Producer { name: Rc::clone(&self.plan.name) };
        let (to, target) = (NodeId::Broker { id: broker }, outbox.broker_target(broker));
        let request = outbox.send(Parcel::request(Api::InitProducerId, from, to, target, payload, true));
        let deadline = outbox.now() + self.plan.settings.answer_timeout;
        own.asked = Some(IdRequest { request, broker, deadline });
        self.connections.sent(broker);
    }

    /// A producer id arrived.
    pub fn producer_id_answer(
        &mut self,
        request: u64,
        result: &Result<ProducerIdentity, KafkaError>,
        outbox: &mut Outbox,
    ) {
        let Some(own) = &mut self.idempotence else { return };
        let Some(asked) = own.asked.take_if(|asked| asked.request == request) else { return };
        // Simplified: whatever is refused is asked for again; Kafka's client gives up on what is not retriable,
        // which no broker answers to a request without a transactional id.
        own.not_before = outbox.now() + self.plan.settings.backoff;
        if let Ok(identity) = *result {
            self.take_identity(Some(identity), outbox);
        }
        self.connections.answered(asked.broker);
        self.run(outbox);
    }

    /// Producer id and epoch, once there are some.
    pub fn identity(&self) -> Option<ProducerIdentity> {
        self.idempotence.as_ref()?.identity
    }
}

fn first_sequence(batch: &Batch) -> Option<i32> {
    batch.stamp.map(|stamp| stamp.base_sequence)
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: ProducerIdentity = ProducerIdentity { producer_id: 7, epoch: 0 };

    fn stamp(base_sequence: i32) -> ProducerStamp {
        ProducerStamp { producer_id: 7, epoch: 0, base_sequence }
    }

    #[test]
    fn sequences_go_on_at_zero_after_the_largest() {
        assert_eq!(after(i32::MAX - 1, 1), i32::MAX);
        assert_eq!(after(i32::MAX, 1), 0);
        assert_eq!(after(i32::MAX - 2, 5), 2);
        assert_eq!(stamp(i32::MAX).after(3).base_sequence, 2);
    }

    /// What comes of three batches of two records: `bumped` tells whether the epoch has to be raised.
    fn check(what: &str, script: impl Fn(&mut Idempotence, &Key), is_bumped: bool) {
        let key: Key = ("t".into(), 0);
        let mut own = Idempotence { identity: Some(IDENTITY), ..Idempotence::default() };
        let known = Sequences { identity: IDENTITY, next: 6, last_acknowledged: None, in_flight: vec![0, 2, 4] };
        own.partitions.insert(key.clone(), known);
        script(&mut own, &key);
        own.resolve();
        assert_eq!(!own.bumped.is_empty(), is_bumped, "{what}");
        assert!(own.unresolved.is_empty(), "{what}");
    }

    #[test]
    fn an_expired_batch_raises_the_epoch_only_if_nothing_after_it_went_through() {
        let expire = |own: &mut Idempotence, key: &Key, first: i32| {
            own.failed(key, stamp(first), false);
            own.leave_unresolved(key, stamp(first), 2);
        };
        check("all expired", |own, key| [0, 2, 4].into_iter().for_each(|first| expire(own, key, first)), true);
        check(
            "the last one went through",
            |own, key| {
                expire(own, key, 0);
                own.acknowledged(key, stamp(2), 2);
                own.acknowledged(key, stamp(4), 2);
            },
            false,
        );
        check(
            "the last one expired",
            |own, key| {
                own.acknowledged(key, stamp(0), 2);
                own.acknowledged(key, stamp(2), 2);
                expire(own, key, 4);
            },
            true,
        );
    }
}
