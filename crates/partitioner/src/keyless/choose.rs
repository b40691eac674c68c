//! The transitions of the keyless rules.
//!
//! Deliberately not here: keyed records; a client that ignores keys sends them through here as well.

use super::{Keyless, Random, View, adaptive::LoadTable};
use crate::{KeylessRule, Over, Start};

/// Draws after which a rule that wants a different partition takes the next one instead. Java would draw on; the
/// bound only matters for a source of randomness that is stuck.
const DRAWS_MAX: u32 = 64;

impl Keyless {
    /// The partition of the next record, before it is appended.
    pub fn choose(&mut self, view: &View, random: &mut dyn Random) -> u32 {
        self.choose_for(0, view, random)
    }

    /// As [`choose`](Self::choose), for a record of `record_bytes`. franz-go decides with the size of the record
    /// at hand: its attributes, deltas, lengths, key, value and headers, uncompressed. With 0 the size is taken
    /// from [`appended`](Self::appended), so a switch comes one record later.
    pub fn choose_for(&mut self, record_bytes: u32, view: &View, random: &mut dyn Random) -> u32 {
        self.replace_table(view);
        self.drop_partition_that_is_gone(view);
        match self.rule {
            KeylessRule::StickyBytes | KeylessRule::StickyBatch | KeylessRule::StickyBatchOrNext => {
                self.stay_or(|keyless| keyless.draw(view, random))
            }
            KeylessRule::UniformBytes { .. } => self.choose_uniform_bytes(record_bytes, view, random),
            KeylessRule::StickyTime => self.choose_sticky_time(view, random),
            KeylessRule::StickyMetadata => self.choose_sticky_metadata(view, random),
            KeylessRule::RoundRobin { start, over, .. } => self.count_on(start, over, view, random),
            KeylessRule::Random { over } => pick(over, view, random.next_u31()),
            KeylessRule::RandomTwice => random_twice(view, random),
            KeylessRule::LeastBytes => self.least_bytes(view),
            KeylessRule::First => 0,
            KeylessRule::Given => self.settings.given % view.partitions.max(1),
        }
    }

    /// As [`choose`](Self::choose), for a record whose key the client ignores. Only librdkafka's `random` tells
    /// the two apart: it is sticky for records without a key and draws for every record that has one.
    pub fn choose_keyed(&mut self, view: &View, random: &mut dyn Random) -> u32 {
        match self.rule {
            KeylessRule::StickyTime => random_twice(view, random),
            _ => self.choose_for(0, view, random),
        }
    }

    /// Completes a switch that an incomplete batch postponed (Java since 3.3.0). Call it before
    /// [`choose`](Self::choose) when the queue of the [`current`](Self::current) partition has no incomplete batch.
    pub fn complete_switch(&mut self, view: &View, random: &mut dyn Random) {
        if self.rule == KeylessRule::StickyBytes {
            self.replace_table(view);
            self.switch_after(0, true, view, random);
        }
    }

    /// The append to `previous` would open a new batch: `Some` names the partition to use instead (it may be the
    /// same number). Java 2.4 to 3.2 changes its sticky partition here; `RoundRobinPartitioner` before 4.0 loses a
    /// step (KAFKA-9965); `None` for every other rule. Ask once per record.
    pub fn opens_new_batch(&mut self, view: &View, previous: u32, random: &mut dyn Random) -> Option<u32> {
        match self.rule {
            KeylessRule::StickyBatch => {
                if self.current.is_none_or(|current| current == previous) {
                    self.current = Some(draw_different(view, self.current, random));
                }
                self.current
            }
            KeylessRule::StickyBatchOrNext => {
                let drawn = pick(Over::Available, view, random.next_u31());
                let next = if Some(drawn) == self.current { after(Over::Available, view, drawn) } else { drawn };
                self.current = Some(next);
                self.current
            }
            KeylessRule::RoundRobin { start, over, doubled: true } => Some(self.count_on(start, over, view, random)),
            _ => None,
        }
    }

    /// A record was appended. `bytes` is the growth of the batch's estimated size (franz-go, kafka-go: the size of
    /// the record); `no_incomplete_batch`: the partition's queue is empty, or its last batch is full or closed.
    pub fn appended(&mut self, bytes: u32, no_incomplete_batch: bool, view: &View, random: &mut dyn Random) {
        match self.rule {
            KeylessRule::StickyBytes => self.switch_after(bytes, no_incomplete_batch, view, random),
            KeylessRule::UniformBytes { threshold_bytes } if !self.record_counted => {
                self.produced_bytes = self.produced_bytes.saturating_add(bytes);
                if self.produced_bytes >= threshold_bytes {
                    (self.produced_bytes, self.current) = (0, None);
                }
            }
            KeylessRule::LeastBytes => {
                let last = self.counter.unwrap_or(0) as usize;
                if let Some(given) = self.bytes_given.get_mut(last) {
                    *given += u64::from(bytes);
                }
            }
            _ => {}
        }
    }

    fn stay_or(&mut self, next: impl FnOnce(&mut Self) -> u32) -> u32 {
        let partition = match self.current {
            Some(current) => current,
            None => next(self),
        };
        self.current = Some(partition);
        partition
    }

    /// `BuiltInPartitioner.updatePartitionInfo`.
    fn switch_after(&mut self, bytes: u32, no_incomplete_batch: bool, view: &View, random: &mut dyn Random) {
        if self.current.is_none() {
            return;
        }
        let threshold = self.settings.batch_size.max(1);
        self.produced_bytes = self.produced_bytes.saturating_add(bytes);
        let enough = self.produced_bytes >= threshold && no_incomplete_batch;
        if enough || self.produced_bytes >= threshold.saturating_mul(2) {
            self.current = Some(self.draw(view, random));
            self.produced_bytes = 0;
        }
    }

    fn draw(&self, view: &View, random: &mut dyn Random) -> u32 {
        let number = random.next_u31();
        match (self.rule, &self.table) {
            (KeylessRule::UniformBytes { .. }, Some(table)) => table.draw_from_the_last(number),
            (_, Some(table)) => table.draw(number),
            (_, None) => pick(Over::Available, view, number),
        }
    }

    fn choose_uniform_bytes(&mut self, record_bytes: u32, view: &View, random: &mut dyn Random) -> u32 {
        self.record_counted = record_bytes > 0;
        let sum = self.produced_bytes.saturating_add(record_bytes);
        let full = self.threshold_bytes().is_some_and(|threshold| sum >= threshold);
        self.produced_bytes = if full { record_bytes } else { sum };
        if full {
            self.current = None;
        }
        self.stay_or(|keyless| keyless.draw(view, random))
    }

    /// `rd_kafka_msg_sticky_partition`: purely by time, or when the partition has lost its leader.
    fn choose_sticky_time(&mut self, view: &View, random: &mut dyn Random) -> u32 {
        let sticky_us = self.settings.sticky_us();
        if sticky_us == 0 {
            self.current = None;
            return random_twice(view, random);
        }
        let over = self.picked_at_us.is_none_or(|picked| view.now_us.saturating_sub(picked) > sticky_us);
        let leaderless = self.current.is_none_or(|current| !view.available.contains(&current));
        if over || leaderless {
            self.picked_at_us = Some(view.now_us);
            self.current = None;
        }
        self.stay_or(|_| random_twice(view, random))
    }

    fn choose_sticky_metadata(&mut self, view: &View, random: &mut dyn Random) -> u32 {
        let age = |picked: u64| view.now_us.saturating_sub(picked);
        if self.picked_at_us.is_none_or(|picked| age(picked) >= self.settings.metadata_refresh_us) {
            self.picked_at_us = Some(view.now_us);
            self.current = None;
        }
        self.stay_or(|_| pick(Over::Available, view, random.next_u31()))
    }

    fn count_on(&mut self, start: Start, over: Over, view: &View, random: &mut dyn Random) -> u32 {
        let count = match (self.counter, start) {
            (Some(count), _) => count,
            (None, Start::Zero) => 0,
            (None, Start::Random) => random.next_u31(),
        };
        self.counter = Some(count.wrapping_add(1));
        pick(over, view, count & 0x7fff_ffff)
    }

    fn least_bytes(&mut self, view: &View) -> u32 {
        self.bytes_given.resize(view.partitions.max(1) as usize, 0);
        let least = (0..).zip(&self.bytes_given).min_by_key(|(_, bytes)| **bytes).map_or(0, |(partition, _)| partition);
        self.counter = Some(least);
        least
    }

    fn replace_table(&mut self, view: &View) {
        if !self.settings.adaptive || view.queue_sizes.is_none() {
            return;
        }
        match self.rule {
            KeylessRule::StickyBytes => self.table = LoadTable::java(view),
            KeylessRule::UniformBytes { .. } => self.table = LoadTable::franz_go(view),
            _ => {}
        }
    }

    /// A topic that was deleted and created again can have fewer partitions than the one that was chosen.
    fn drop_partition_that_is_gone(&mut self, view: &View) {
        let gone = |partition: &u32| *partition >= view.partitions;
        self.current = self.current.filter(|partition| !gone(partition));
        self.table = self.table.take().filter(|table| !table.partitions().iter().any(gone));
    }
}

/// `number` modulo the partitions that `over` names.
fn pick(over: Over, view: &View, number: u32) -> u32 {
    match over {
        Over::Available if !view.available.is_empty() => view.available[number as usize % view.available.len()],
        _ => number % view.partitions.max(1),
    }
}

/// librdkafka's `rd_kafka_msg_partitioner_random`: a leaderless partition is drawn once more, and then kept.
fn random_twice(view: &View, random: &mut dyn Random) -> u32 {
    let first = pick(Over::All, view, random.next_u31());
    if view.available.contains(&first) { first } else { pick(Over::All, view, random.next_u31()) }
}

/// `StickyPartitionCache.nextPartition`: draws until the partition differs, if there is a choice.
fn draw_different(view: &View, current: Option<u32>, random: &mut dyn Random) -> u32 {
    let choice = view.available.iter().any(|partition| Some(*partition) != current);
    for _ in 0..DRAWS_MAX {
        let drawn = pick(Over::Available, view, random.next_u31());
        if view.available.len() < 2 || Some(drawn) != current || !choice {
            return drawn;
        }
    }
    after(Over::Available, view, current.unwrap_or(0))
}

/// The partition that follows `partition` in the list that `over` names, around the end.
fn after(over: Over, view: &View, partition: u32) -> u32 {
    match over {
        Over::Available if !view.available.is_empty() => {
            let index = view.available.iter().position(|other| *other == partition).map_or(0, |index| index + 1);
            view.available[index % view.available.len()]
        }
        _ => (partition + 1) % view.partitions.max(1),
    }
}
