//! Records whose key does not choose the partition: one state machine per producer and topic.
//!
//! Deliberately not here: queues, batches and clocks. The caller owns them and says what it sees in a [`View`].

mod adaptive;
mod choose;

use alloc::vec::Vec;

use crate::{Client, KeylessRule};
use adaptive::LoadTable;

/// The source of randomness. Java: `ThreadLocalRandom.nextInt() & 0x7fffffff`.
///
/// ```
/// use partitioner::Random;
/// let mut next = 0;
/// let mut counting = || { next += 1; next };
/// assert_eq!(Random::next_u31(&mut counting), 1);
/// ```
pub trait Random {
    /// A uniform number below 2^31.
    fn next_u31(&mut self) -> u32;
}

impl<F: FnMut() -> u32> Random for F {
    fn next_u31(&mut self) -> u32 {
        self() & 0x7fff_ffff
    }
}

/// What the producer knows about the topic when it places a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View<'a> {
    /// The producer's clock, in microseconds.
    pub now_us: u64,
    /// Partitions in the producer's metadata, with and without leader. At least 1.
    pub partitions: u32,
    /// The partitions that have a leader, in ascending order.
    pub available: &'a [u32],
    /// Batches (franz-go: records) waiting per partition, for every partition of the topic. Java replaces its
    /// table of weights in each pass of the sender, so hand the sizes in at that moment and `None` in between:
    /// the last table stays. Fewer entries than partitions, also none at all, remove the table, as Java does
    /// while some partition has no queue. [`View::LEFT_OUT`] marks a partition whose broker is late
    /// (`partitioner.availability.timeout.ms`).
    pub queue_sizes: Option<&'a [u32]>,
}

impl View<'_> {
    /// The queue size that keeps a partition with a leader out of the table of weights.
    pub const LEFT_OUT: u32 = u32::MAX;
}

/// The configuration that keyless rules read. Other rules ignore what is not theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeylessSettings {
    /// Java `batch.size` in bytes; 0 acts as 1.
    pub batch_size: u32,
    /// Java `partitioner.adaptive.partitioning.enable`; also franz-go's adaptive flag.
    pub adaptive: bool,
    /// `linger.ms` in microseconds; librdkafka's stickiness lasts twice as long unless it is set on its own.
    pub linger_us: u64,
    /// librdkafka `sticky.partitioning.linger.ms` in microseconds; `None` follows `linger_us`.
    pub sticky_linger_us: Option<u64>,
    /// How long the metadata of a topic is kept, in microseconds, for the Scala producer.
    pub metadata_refresh_us: u64,
    /// The number that [`KeylessRule::Given`] reduces modulo the partition count: Flink's subtask index.
    pub given: u32,
}

impl Default for KeylessSettings {
    /// The defaults of Apache Kafka 4.3 and librdkafka 2.
    fn default() -> Self {
        Self {
            batch_size: 16_384,
            adaptive: true,
            linger_us: 5_000,
            sticky_linger_us: None,
            metadata_refresh_us: 600_000_000,
            given: 0,
        }
    }
}

impl KeylessSettings {
    /// How long librdkafka stays on a partition, in microseconds: whole milliseconds, at most 900 s, 0 = not sticky.
    pub fn sticky_us(&self) -> u64 {
        let wanted = self.sticky_linger_us.unwrap_or(self.linger_us.saturating_mul(2));
        (wanted / 1000 * 1000).min(900_000_000)
    }
}

/// The keyless state of one producer for one topic.
///
/// The calls for one record, in this order:
/// 1. If [`current`](Self::current) names a partition whose queue has no incomplete batch now (it is empty, or its
///    last batch is full or closed): [`complete_switch`](Self::complete_switch). Java's KAFKA-14156; without it a
///    switch that an open batch postponed would wait for twice `batch.size`.
/// 2. [`choose`](Self::choose), or [`choose_for`](Self::choose_for) with the record's size.
/// 3. If the append would open a new batch: [`opens_new_batch`](Self::opens_new_batch), which may name another
///    partition. Then append there.
/// 4. [`appended`](Self::appended).
///
/// A caller makes every call for every client; rules that have no use for one ignore it.
///
/// ```
/// use partitioner::{KeylessSettings, View};
/// let kafka_go = partitioner::client("kafka-go").expect("kafka-go is in the catalogue");
/// let mut keyless = kafka_go.keyless(&KeylessSettings::default());
/// let view = View { now_us: 0, partitions: 3, available: &[0, 1, 2], queue_sizes: None };
/// let mut random = || 0;
/// let chosen: Vec<u32> = (0..4).map(|_| keyless.choose(&view, &mut random)).collect();
/// assert_eq!(chosen, [0, 1, 2, 0]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyless {
    rule: KeylessRule,
    settings: KeylessSettings,
    current: Option<u32>,
    produced_bytes: u32,
    counter: Option<u32>,
    picked_at_us: Option<u64>,
    table: Option<LoadTable>,
    record_counted: bool,
    bytes_given: Vec<u64>,
}

impl Client {
    /// A fresh state for the records of one topic whose key does not choose the partition.
    pub fn keyless(&self, settings: &KeylessSettings) -> Keyless {
        Keyless::new(self.keyless, settings)
    }
}

impl Keyless {
    /// A fresh state of `rule`.
    pub fn new(rule: KeylessRule, settings: &KeylessSettings) -> Self {
        Self {
            rule,
            settings: *settings,
            current: None,
            produced_bytes: 0,
            counter: None,
            picked_at_us: None,
            table: None,
            record_counted: false,
            bytes_given: Vec::new(),
        }
    }

    /// The rule that this state follows.
    pub fn rule(&self) -> KeylessRule {
        self.rule
    }

    /// The partition that a sticky rule is on; `None` before the first record and for rules that do not stick.
    pub fn current(&self) -> Option<u32> {
        self.current
    }

    /// Bytes counted towards the next switch.
    pub fn produced_bytes(&self) -> u32 {
        self.produced_bytes
    }

    /// Bytes after which the partition may change; `None` for rules that do not count bytes.
    pub fn threshold_bytes(&self) -> Option<u32> {
        match self.rule {
            KeylessRule::StickyBytes => Some(self.settings.batch_size.max(1)),
            KeylessRule::UniformBytes { threshold_bytes } => Some(threshold_bytes.max(1)),
            _ => None,
        }
    }

    /// The adaptive table that the next draw uses: partitions with their cumulated weights, both ascending.
    /// `None` if every partition is equally likely.
    pub fn weights(&self) -> Option<(&[u32], &[u64])> {
        self.table.as_ref().map(|table| (table.partitions(), table.cumulated()))
    }
}
