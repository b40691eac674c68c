//! From a record to a partition and into a batch.
//!
//! Follows `KafkaProducer.doSend` and `RecordAccumulator.append` of Kafka 4.3.1, the switch of the
//! sticky partition around the append included. The rules themselves are the `partitioner` crate's.

use std::collections::BTreeMap;
use std::rc::Rc;

use partitioner::{Explanation, Keyless, View};

use super::Producer;
use super::accumulator::{Appended, Key};
use super::metadata::KnownTopic;
use super::pool::Allocation;
use super::sending::{Attempt, Waiting};
use crate::event::{Decision, EventKind, Name, TopicPartition};
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

/// The partition of a record, and why.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub partition: u32,
    /// Absent for records without a usable key: their rule is told after the append.
    decision: Option<Decision>,
    /// The partition that the same key went to before, if it was another.
    moved_from: Option<u32>,
    /// The keyless rule's partition before this record.
    sticky_before: Option<u32>,
}

impl Choice {
    fn of(partition: u32, decision: Decision, moved_from: Option<u32>) -> Choice {
        Choice { partition, decision: Some(decision), moved_from, sticky_before: None }
    }
}

impl Sticky {
    /// The rule before its first record.
    pub fn new(keyless: Keyless) -> Sticky {
        Sticky { keyless, queue_sizes: None, records: 0, bytes: 0 }
    }

    /// A record went to the current partition.
    pub fn count(&mut self, bytes: u64) {
        self.records += 1;
        self.bytes += bytes;
    }

    /// What went to the partition before, at a switch.
    pub fn take_counts(&mut self) -> (u64, u64) {
        (std::mem::take(&mut self.records), std::mem::take(&mut self.bytes))
    }
}

impl KeyMemory {
    /// What is remembered of a key.
    pub fn new(partition: u32, partitions: u32, explanation: Rc<Explanation>) -> KeyMemory {
        KeyMemory { partition, partitions, explanation }
    }

    /// Whether the key would still go there.
    pub fn is_for(&self, partitions: u32, client: &str) -> bool {
        self.partitions == partitions && self.explanation.client == client
    }

    /// Where the key went.
    pub fn partition(&self) -> u32 {
        self.partition
    }

    /// Why.
    pub fn explanation(&self) -> Rc<Explanation> {
        Rc::clone(&self.explanation)
    }
}

impl Producer {
    /// Chooses a partition, unless that was done before the record had to wait, and appends.
    pub(super) fn choose_and_append(
        &mut self,
        waiting: &Waiting,
        chosen: Option<Choice>,
        granted: Option<u32>,
        topic: &KnownTopic,
        outbox: &mut Outbox,
    ) -> (Choice, Attempt) {
        let count = topic.leaders.len() as u32;
        let fixed = match chosen {
            Some(choice) if choice.decision.is_some() => Some(choice),
            Some(choice) => return self.append_keyless(waiting, Some(choice), granted, topic, outbox),
            None => match waiting.partition {
                Some(partition) => Some(Choice::of(partition, Decision::Explicit, None)),
                None => self.hashed(waiting, count).map(|(partition, explanation, moved_from)| {
                    Choice::of(partition, Decision::Hashed { explanation }, moved_from)
                }),
            },
        };
        match fixed {
            Some(choice) => {
                let key = (Rc::clone(&waiting.topic), choice.partition);
                let attempt = self.append(&key, &waiting.record, granted, outbox.now());
                (choice, attempt)
            }
            None => self.append_keyless(waiting, None, granted, topic, outbox),
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

    fn append_keyless(
        &mut self,
        waiting: &Waiting,
        chosen: Option<Choice>,
        granted: Option<u32>,
        topic: &KnownTopic,
        outbox: &mut Outbox,
    ) -> (Choice, Attempt) {
        let rules = self.plan.rules;
        let settings = self.plan.settings.keyless();
        let mut sticky = self.sticky.remove(&waiting.topic).unwrap_or_else(|| Sticky {
            keyless: rules.keyless(&settings),
            queue_sizes: None,
            records: 0,
            bytes: 0,
        });
        let sizes = sticky.queue_sizes.take();
        let view = View {
            now_us: outbox.now().0,
            partitions: topic.leaders.len() as u32,
            available: &topic.available,
            queue_sizes: sizes.as_deref(),
        };
        let before = chosen.as_ref().map_or(sticky.keyless.current(), |choice| choice.sticky_before);
        let chosen = chosen.map(|choice| choice.partition);
        let (partition, attempt) =
            self.append_where_it_sticks(&mut sticky.keyless, waiting, &view, chosen, granted, outbox.now());
        let mut choice = Choice { partition, decision: None, moved_from: None, sticky_before: before };
        if let Attempt::Appended(appended) = &attempt {
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
            choice.decision = Some(Decision::Keyless {
                partitions: view.partitions,
                produced_bytes: sticky.keyless.produced_bytes(),
                threshold_bytes: sticky.keyless.threshold_bytes().unwrap_or(0),
            });
        }
        sticky.queue_sizes = sizes;
        self.sticky.insert(Rc::clone(&waiting.topic), sticky);
        (choice, attempt)
    }

    /// Chooses and appends until both agree: an append that would open a batch may move the choice.
    fn append_where_it_sticks(
        &mut self,
        keyless: &mut Keyless,
        waiting: &Waiting,
        view: &View,
        chosen: Option<u32>,
        granted: Option<u32>,
        now: Time,
    ) -> (u32, Attempt) {
        let settings = &self.plan.settings;
        let (records_max, batch_size) = (settings.batch_records_max, settings.batch_size);
        let record = &waiting.record;
        let key = |partition: u32| -> Key { (Rc::clone(&waiting.topic), partition) };
        let record_bytes = record.value_size + record.key.as_ref().map_or(0, |key| key.len() as u32);
        let mut may_move = chosen.is_none();
        let mut partition = chosen.unwrap_or_else(|| keyless.choose_for(record_bytes, view, &mut self.random));
        loop {
            if self.accumulator.no_incomplete_batch(&key(partition)) {
                // KAFKA-14156: a switch that an open batch had postponed is completed first.
                keyless.complete_switch(view, &mut self.random);
                partition = keyless.current().unwrap_or(partition);
            }
            let open = self.accumulator.append_open(&key(partition), record, records_max);
            let appended = match open {
                Some(appended) => {
                    self.give_back(granted);
                    appended
                }
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
                    let memory =
                        match granted.map_or_else(|| self.reserve(record), |size| Ok((size, Allocation::Granted))) {
                            Ok((size, Allocation::Granted)) => size,
                            Ok((size, Allocation::Waits(ticket))) => return (partition, Attempt::Waits(ticket, size)),
                            Err(error) => return (partition, Attempt::Refused(error)),
                        };
                    self.accumulator.append_new(&key(partition), record, batch_size, memory, now)
                }
            };
            let no_incomplete = self.accumulator.no_incomplete_batch(&key(partition));
            keyless.appended(appended.bytes, no_incomplete, view, &mut self.random);
            return (partition, Attempt::Appended(appended));
        }
    }

    /// The record is in a batch.
    pub(super) fn tell(
        &mut self,
        waiting: Waiting,
        partitions: u32,
        choice: Choice,
        appended: Appended,
        outbox: &mut Outbox,
    ) {
        let Choice { partition, decision, moved_from, .. } = choice;
        let decision = decision.expect("a record in a batch has its partition for a reason");
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
}
