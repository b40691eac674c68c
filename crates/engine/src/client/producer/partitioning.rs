//! From a record to a partition and into a batch.
//!
//! Follows `KafkaProducer.doSend` and `RecordAccumulator.append` of Kafka 4.3.1, the switch of the
//! sticky partition around the append included. The rules themselves are the `partitioner` crate's.

use std::collections::BTreeMap;
use std::rc::Rc;

use partitioner::{Explanation, Keyless, View};

use super::accumulator::{Appended, Key, size_upper_bound};
use super::metadata::KnownTopic;
use super::settings::Dialect;
use super::{Producer, Waiting};
use crate::error::KafkaError;
use crate::event::{Decision, EventKind, Name, Record, TopicPartition};
use crate::limits::KEYS_REMEMBERED_MAX;
use crate::outbox::Outbox;
use crate::snapshot::LastRecord;
use crate::time::Time;

/// The keyless rule at one topic.
#[derive(Clone, Debug)]
pub(crate) struct Sticky {
    pub keyless: Keyless,
    /// Batches waiting for each partition at the sender's last look.
    pub queue_sizes: Option<Vec<u32>>,
    records: u64,
    bytes: u64,
}

/// Where each key of each topic went last.
pub(crate) type KeyMemories = BTreeMap<(Name, Rc<[u8]>), KeyMemory>;

/// Where a key went last, and why.
#[derive(Clone, Debug)]
pub(crate) struct KeyMemory {
    partition: u32,
    partitions: u32,
    explanation: Rc<Explanation>,
}

impl Producer {
    /// Sends on the records whose topic is known by now, in order.
    pub fn work_off_waiting(&mut self, outbox: &mut Outbox) {
        while let Some(first) = self.waiting.front_mut() {
            let deadline = outbox.now() + self.plan.settings.block_max;
            first.deadline.get_or_insert(deadline);
            let topic = self.metadata.topics.get(&first.topic).cloned();
            match topic {
                Some(topic) if first.partition.is_none_or(|partition| (partition as usize) < topic.leaders.len()) => {
                    let waiting = self.waiting.pop_front().expect("it was just looked at");
                    self.partition(waiting, &topic, outbox);
                }
                Some(topic) if self.plan.dialect != Dialect::Java => {
                    let waiting = self.waiting.pop_front().expect("it was just looked at");
                    let error = unknown_partition(self.plan.dialect, &waiting, topic.leaders.len());
                    self.fail(&[waiting.record], error, outbox);
                }
                _ => {
                    if topic.is_some()
                        && self.metadata.due().is_none_or(|(at, _)| at > outbox.now() + self.plan.settings.backoff_max)
                    {
                        self.metadata.again(outbox.now());
                    }
                    return;
                }
            }
        }
    }

    /// `send` gives up on records whose metadata did not come.
    pub fn expire_waiting(&mut self, outbox: &mut Outbox) {
        while self.waiting.front().is_some_and(|first| first.deadline.is_some_and(|at| at <= outbox.now())) {
            let waiting = self.waiting.pop_front().expect("it was just looked at");
            let known = self.metadata.topics.get(&waiting.topic).map(|topic| topic.leaders.len());
            let millis = self.plan.settings.block_max.millis();
            let topic = &waiting.topic;
            let text = match (waiting.partition, known) {
                (Some(partition), Some(count)) => format!(
                    "Partition {partition} of topic {topic} with partition count {count} is not present in metadata after {millis} ms."
                ),
                _ => format!("Topic {topic} not present in metadata after {millis} ms."),
            };
            self.refuse(waiting.record, KafkaError::new("", "TimeoutException", text), outbox);
        }
    }

    fn partition(&mut self, waiting: Waiting, topic: &KnownTopic, outbox: &mut Outbox) {
        if let Some(error) = self.too_large(&waiting.record) {
            self.refuse(waiting.record, error, outbox);
            return;
        }
        let count = topic.leaders.len() as u32;
        match waiting.partition {
            Some(partition) => {
                let appended = self.append(&waiting.topic, partition, &waiting.record, outbox.now());
                self.tell(waiting, partition, count, Decision::Explicit, appended, None, outbox);
            }
            None => match self.hashed(&waiting, count) {
                Some((partition, explanation, moved_from)) => {
                    let appended = self.append(&waiting.topic, partition, &waiting.record, outbox.now());
                    self.tell(
                        waiting,
                        partition,
                        count,
                        Decision::Hashed { explanation },
                        appended,
                        moved_from,
                        outbox,
                    );
                }
                None => self.partition_keyless(waiting, topic, outbox),
            },
        }
    }

    /// The partition that the key's bytes decide, with the arithmetic and the key's partition before.
    fn hashed(&mut self, waiting: &Waiting, count: u32) -> Option<(u32, Rc<Explanation>, Option<u32>)> {
        let rules = self.plan.rules;
        let Some(key) = &waiting.record.key else {
            let partition = rules.partition(None, count)?;
            return Some((partition, Rc::new(rules.explain(None, count)), None));
        };
        let name = (Rc::clone(&waiting.topic), Rc::clone(key));
        let known = self.keys.get(&name);
        if let Some(memory) = known.filter(|memory| memory.partitions == count && memory.explanation.client == rules.id)
        {
            return Some((memory.partition, Rc::clone(&memory.explanation), None));
        }
        let moved_from = known.map(|memory| memory.partition);
        let partition = rules.partition(Some(key), count)?;
        let explanation = Rc::new(rules.explain(Some(key), count));
        if known.is_some() || self.keys.len() < KEYS_REMEMBERED_MAX {
            let memory = KeyMemory { partition, partitions: count, explanation: Rc::clone(&explanation) };
            Rc::make_mut(&mut self.keys).insert(name, memory);
        }
        Some((partition, explanation, moved_from.filter(|before| *before != partition)))
    }

    fn partition_keyless(&mut self, waiting: Waiting, topic: &KnownTopic, outbox: &mut Outbox) {
        let rules = self.plan.rules;
        let settings = self.plan.settings.keyless();
        let mut sticky = self.sticky.remove(&waiting.topic).unwrap_or_else(|| Sticky {
            keyless: rules.keyless(&settings),
            queue_sizes: None,
            records: 0,
            bytes: 0,
        });
        let view = View {
            now_us: outbox.now().0,
            partitions: topic.leaders.len() as u32,
            available: &topic.available,
            queue_sizes: sticky.queue_sizes.as_deref(),
        };
        let before = sticky.keyless.current();
        let (partition, appended) = self.append_keyless(&mut sticky.keyless, &waiting, &view, outbox.now());
        if let Some(before) = before.filter(|before| *before != partition) {
            outbox.emit(EventKind::StickyPartitionSwitched {
                producer: Rc::clone(&self.plan.name),
                topic: Rc::clone(&waiting.topic),
                before,
                after: partition,
                records: std::mem::take(&mut sticky.records),
                bytes: std::mem::take(&mut sticky.bytes),
            });
        }
        sticky.records += 1;
        sticky.bytes += u64::from(appended.bytes);
        let decision = Decision::Keyless {
            partitions: view.partitions,
            produced_bytes: sticky.keyless.produced_bytes(),
            threshold_bytes: sticky.keyless.threshold_bytes().unwrap_or(0),
        };
        let count = view.partitions;
        self.sticky.insert(Rc::clone(&waiting.topic), sticky);
        self.tell(waiting, partition, count, decision, appended, None, outbox);
    }

    /// Chooses and appends until both agree: an append that would open a batch may move the choice.
    fn append_keyless(&mut self, keyless: &mut Keyless, waiting: &Waiting, view: &View, now: Time) -> (u32, Appended) {
        let settings = &self.plan.settings;
        let record = &waiting.record;
        let key = |partition: u32| -> Key { (Rc::clone(&waiting.topic), partition) };
        let record_bytes = record.value_size + record.key.as_ref().map_or(0, |key| key.len() as u32);
        let mut partition = keyless.choose_for(record_bytes, view, &mut self.random);
        let mut may_move = true;
        loop {
            if self.accumulator.no_incomplete_batch(&key(partition)) {
                // KAFKA-14156: a switch that an open batch had postponed is completed first.
                keyless.complete_switch(view, &mut self.random);
                partition = keyless.current().unwrap_or(partition);
            }
            let open = self.accumulator.append_open(&key(partition), record, settings.batch_records_max);
            let appended = match open {
                Some(appended) => appended,
                None => {
                    // The open batch, if there was one, is closed by now: look at the switch again.
                    keyless.complete_switch(view, &mut self.random);
                    if let Some(switched) = keyless.current().filter(|current| *current != partition) {
                        partition = switched;
                        continue;
                    }
                    if may_move && let Some(moved) = keyless.opens_new_batch(view, partition, &mut self.random) {
                        may_move = false;
                        partition = moved;
                        continue;
                    }
                    self.accumulator.append_new(&key(partition), record, settings.batch_size, now)
                }
            };
            let no_incomplete = self.accumulator.no_incomplete_batch(&key(partition));
            keyless.appended(appended.bytes, no_incomplete, view, &mut self.random);
            return (partition, appended);
        }
    }

    fn append(&mut self, topic: &Name, partition: u32, record: &Rc<Record>, now: Time) -> Appended {
        let key = (Rc::clone(topic), partition);
        let settings = &self.plan.settings;
        match self.accumulator.append_open(&key, record, settings.batch_records_max) {
            Some(appended) => appended,
            None => self.accumulator.append_new(&key, record, settings.batch_size, now),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of one event")]
    fn tell(
        &mut self,
        waiting: Waiting,
        partition: u32,
        partitions: u32,
        decision: Decision,
        appended: Appended,
        moved_from: Option<u32>,
        outbox: &mut Outbox,
    ) {
        self.last = Some(LastRecord {
            record: Rc::clone(&waiting.record),
            topic: Rc::clone(&waiting.topic),
            partition,
            decision: decision.clone(),
        });
        let (key, record) = ((Rc::clone(&waiting.topic), partition), Rc::clone(&waiting.record));
        outbox.emit(EventKind::RecordPartitioned {
            record: waiting.record,
            producer: Rc::clone(&self.plan.name),
            partition: TopicPartition { topic: waiting.topic, partition },
            decision,
            partitions,
            opened_batch: appended.opened_batch,
            batch_size_bytes: appended.batch_size_bytes,
            moved_from,
        });
        self.add_partition(&key, &record, outbox);
    }

    fn too_large(&self, record: &Record) -> Option<KafkaError> {
        let size = size_upper_bound(record);
        let most = self.plan.settings.request_size_max;
        if size <= most {
            return None;
        }
        if self.plan.dialect == Dialect::Librdkafka {
            return Some(KafkaError::new("MSG_SIZE_TOO_LARGE", "", "Broker: Message size too large"));
        }
        let text = format!(
            "The message is {size} bytes when serialized which is larger than {most}, which is the value of the \
             max.request.size configuration."
        );
        Some(KafkaError::new("", "RecordTooLargeException", text))
    }
}

fn unknown_partition(dialect: Dialect, waiting: &Waiting, count: usize) -> KafkaError {
    if dialect == Dialect::Librdkafka {
        return KafkaError::new("_UNKNOWN_PARTITION", "", "Local: Unknown partition");
    }
    let partition = waiting.partition.unwrap_or(0);
    let text = format!("Topic {} has {count} partitions, so there is no partition {partition}.", waiting.topic);
    KafkaError::new("UNKNOWN_TOPIC_OR_PARTITION", "", text)
}
