//! From a message to its partition.
//!
//! Follows `rd_kafka_msg_partitioner` of librdkafka 2.16.0. The rules themselves are the `partitioner` crate's.

use std::rc::Rc;

use partitioner::{Explanation, View};

use super::Librdkafka;
use super::errors;
use super::message::{Key, Message};
use super::topics::Existence;
use crate::client::producer::partitioning::{KeyMemory, Sticky};
use crate::error::KafkaError;
use crate::event::{Decision, EventKind, Name, TopicPartition};
use crate::limits::KEYS_REMEMBERED_MAX;
use crate::outbox::Outbox;
use crate::snapshot::LastRecord;

/// A partition with the reason for it.
struct Choice {
    partition: u32,
    decision: Decision,
    moved_from: Option<u32>,
}

impl Librdkafka {
    /// Puts a message into the queue of its partition, or of those that wait for metadata. The error is the one
    /// that `produce()` returns, or that the delivery report holds if the message has waited.
    #[expect(clippy::result_large_err, reason = "a refused message goes back as it is, and rarely")]
    pub(super) fn assign(
        &mut self,
        name: &Name,
        mut message: Message,
        outbox: &mut Outbox,
    ) -> Result<(), (Message, KafkaError)> {
        let topic = self.topics.get_mut(name).expect("produce() makes the topic");
        let count = topic.partitions.len() as u32;
        let error = match &topic.existence {
            Existence::Exists => None,
            Existence::Unknown => {
                topic.unassigned.push_back(message);
                return Ok(());
            }
            Existence::Missing => Some(errors::plain("_UNKNOWN_TOPIC")),
            Existence::Illegal(error) => Some(error.clone()),
        };
        if let Some(error) = error {
            return Err((message, error));
        }
        let choice = match message.wanted {
            Some(wanted) => u32::try_from(wanted).ok().filter(|wanted| *wanted < count).map(|partition| Choice {
                partition,
                decision: Decision::Explicit,
                moved_from: None,
            }),
            None => Some(self.choose(name, &message, count, outbox)),
        };
        let Some(choice) = choice else { return Err((message, errors::plain("_UNKNOWN_PARTITION"))) };
        let key: Key = (Rc::clone(name), choice.partition);
        let partition = self.partition_mut(&key).expect("it is below the count");
        partition.last_number += 1;
        message.number = partition.last_number;
        let opened_batch = partition.queue.is_empty();
        let record = Rc::clone(&message.record);
        partition.queue.push_back(message);
        let batch_size_bytes = self.waiting_bytes(&key);
        self.enter_transaction(&key);
        self.last = Some(LastRecord {
            record: Rc::clone(&record),
            topic: Rc::clone(name),
            partition: choice.partition,
            decision: choice.decision.clone(),
        });
        outbox.emit(EventKind::RecordPartitioned {
            record,
            producer: Rc::clone(&self.plan.name),
            partition: TopicPartition { topic: Rc::clone(name), partition: choice.partition },
            decision: choice.decision,
            partitions: count,
            opened_batch,
            batch_size_bytes,
            moved_from: choice.moved_from,
        });
        Ok(())
    }

    fn choose(&mut self, name: &Name, message: &Message, count: u32, outbox: &mut Outbox) -> Choice {
        match self.hashed(name, message, count) {
            Some((partition, explanation, moved_from)) => {
                Choice { partition, decision: Decision::Hashed { explanation }, moved_from }
            }
            None => self.drawn(name, message, count, outbox),
        }
    }

    /// The partition that the key's bytes decide, with the arithmetic and the key's partition before.
    fn hashed(&mut self, name: &Name, message: &Message, count: u32) -> Option<(u32, Rc<Explanation>, Option<u32>)> {
        let rules = self.plan.rules;
        let Some(key) = &message.record.key else {
            let partition = rules.partition(None, count)?;
            return Some((partition, Rc::new(rules.explain(None, count)), None));
        };
        let place = (Rc::clone(name), Rc::clone(key));
        let known = self.keys.get(&place);
        if let Some(memory) = known.filter(|memory| memory.is_for(count, rules.id)) {
            return Some((memory.partition(), memory.explanation(), None));
        }
        let moved_from = known.map(KeyMemory::partition);
        let partition = rules.partition(Some(key), count)?;
        let explanation = Rc::new(rules.explain(Some(key), count));
        if known.is_some() || self.keys.len() < KEYS_REMEMBERED_MAX {
            let memory = KeyMemory::new(partition, count, Rc::clone(&explanation));
            Rc::make_mut(&mut self.keys).insert(place, memory);
        }
        Some((partition, explanation, moved_from.filter(|before| *before != partition)))
    }

    fn drawn(&mut self, name: &Name, message: &Message, count: u32, outbox: &mut Outbox) -> Choice {
        let rules = self.plan.rules;
        let topic = self.topics.get_mut(name).expect("produce() makes the topic");
        let mut sticky =
            topic.sticky.take().unwrap_or_else(|| Sticky::new(rules.keyless(&self.plan.settings.keyless())));
        let view = View { now_us: outbox.now().0, partitions: count, available: &topic.available, queue_sizes: None };
        let before = sticky.keyless.current();
        // With `random` a key does not decide, but a record that has one is drawn for on its own.
        let ignores_keys = rules.partition(Some(b"key"), count).is_none();
        let partition = match &message.record.key {
            Some(_) if ignores_keys => sticky.keyless.choose_keyed(&view, &mut self.random),
            _ => sticky.keyless.choose(&view, &mut self.random),
        };
        if let Some(before) =
            before.filter(|before| *before != partition && Some(partition) == sticky.keyless.current())
        {
            let (records, bytes) = sticky.take_counts();
            outbox.emit(EventKind::StickyPartitionSwitched {
                producer: Rc::clone(&self.plan.name),
                topic: Rc::clone(name),
                before,
                after: partition,
                records,
                bytes,
            });
        }
        sticky.count(message.payload_bytes());
        let decision = Decision::Keyless {
            partitions: count,
            produced_bytes: sticky.keyless.produced_bytes(),
            threshold_bytes: sticky.keyless.threshold_bytes().unwrap_or(0),
        };
        let topic = self.topics.get_mut(name).expect("it was just there");
        topic.sticky = Some(sticky);
        Choice { partition, decision, moved_from: None }
    }
}
