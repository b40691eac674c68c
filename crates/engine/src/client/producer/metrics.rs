//! The metrics of a producer under their real names, over the client's own sample windows.
//!
//! Follows `SenderMetricsRegistry`, `BufferPool` and `metrics.stats` of Kafka 4.3.1 with their two samples of
//! 30 s, in whole numbers. Simplified: only totals over all topics and brokers; Kafka counts each apart as well.

use std::collections::BTreeMap;

use super::Producer;
use super::accumulator::Key;
use crate::event::TopicPartition;
use crate::snapshot::BufferSnapshot;
use crate::time::{Duration, Time};

/// `metrics.sample.window.ms`, and how many of them (`metrics.num.samples`).
const WINDOW: Duration = Duration::from_secs(30);
const SAMPLES: u64 = 2;

/// What fell into one window.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    start: Time,
    count: u64,
    sum: u64,
    max: u64,
}

/// `SampledStat`: the present window and the one before.
#[derive(Clone, Copy, Debug, Default)]
struct Stat {
    present: Sample,
    before: Option<Sample>,
    total: u64,
}

impl Stat {
    fn record(&mut self, value: u64, now: Time) {
        if now.since(self.present.start) >= WINDOW {
            self.before = Some(self.present);
            self.present = Sample { start: now, ..Sample::default() };
        }
        let present = &mut self.present;
        present.count += 1;
        present.sum += value;
        present.max = present.max.max(value);
        self.total += value;
    }

    /// Samples that are not too old.
    fn samples(&self, now: Time) -> impl Iterator<Item = &Sample> {
        let is_young = move |sample: &&Sample| now.since(sample.start).0 < SAMPLES * WINDOW.0;
        self.before.iter().chain([&self.present]).filter(is_young)
    }

    /// The average, in thousandths.
    fn average(&self, now: Time) -> Option<i64> {
        let (count, sum) =
            self.samples(now).fold((0, 0), |(count, sum), sample| (count + sample.count, sum + sample.sum));
        (count > 0).then(|| (u128::from(sum) * 1_000 / u128::from(count)) as i64)
    }

    fn max(&self, now: Time) -> Option<i64> {
        let some = self.samples(now).filter(|sample| sample.count > 0);
        some.map(|sample| sample.max as i64 * 1_000).max()
    }

    /// `Rate`: a second's share, in thousandths. A client that is young counts as one window old.
    fn rate(&self, now: Time) -> i64 {
        let sum: u64 = self.samples(now).map(|sample| sample.sum).sum();
        let oldest = self.samples(now).map(|sample| sample.start).min().unwrap_or(now);
        let elapsed = now.since(oldest).0;
        let elapsed = if elapsed < WINDOW.0 { elapsed + WINDOW.0 } else { elapsed };
        (u128::from(sum) * 1_000_000_000 / u128::from(elapsed)) as i64
    }
}

/// What a producer counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Metrics {
    /// Microseconds that batches waited before they were sent.
    queue_time: Stat,
    batch_size: Stat,
    record_size: Stat,
    records_per_request: Stat,
    /// Microseconds from request to answer.
    latency: Stat,
    retries: Stat,
    errors: Stat,
    splits: Stat,
    /// Microseconds that callers waited for memory.
    pool_wait: Stat,
    exhausted: Stat,
    /// Compressed size over plain size, in millionths.
    compression: Stat,
    flush_time: u64,
}

/// What is read off the producer itself.
pub(crate) struct Gauges {
    pub buffer: Option<(u64, u64, u32)>,
    pub in_flight: u32,
    pub metadata_age: Option<Duration>,
}

impl Metrics {
    /// A batch leaves.
    pub fn drained(&mut self, waited: Duration, size: u32, record_max: u32, ratio: u64, now: Time) {
        self.queue_time.record(waited.0, now);
        self.batch_size.record(u64::from(size), now);
        self.record_size.record(u64::from(record_max), now);
        self.compression.record(ratio, now);
    }

    /// A request leaves with so many records.
    pub fn requested(&mut self, records: u64, now: Time) {
        self.records_per_request.record(records, now);
    }

    /// A request was answered.
    pub fn answered(&mut self, latency: Duration, now: Time) {
        self.latency.record(latency.0, now);
    }

    /// Records go back into the queue.
    pub fn retried(&mut self, records: u64, now: Time) {
        self.retries.record(records, now);
    }

    /// Records failed.
    pub fn failed(&mut self, records: u64, now: Time) {
        self.errors.record(records, now);
    }

    /// A batch was cut into parts.
    pub fn split(&mut self, now: Time) {
        self.splits.record(1, now);
    }

    /// A caller has waited for memory.
    pub fn waited(&mut self, time: Duration, now: Time) {
        self.pool_wait.record(time.0, now);
    }

    /// A caller got no memory in time.
    pub fn exhausted(&mut self, now: Time) {
        self.exhausted.record(1, now);
    }

    /// A `flush` returned.
    pub fn flushed(&mut self, time: Duration) {
        self.flush_time += time.0;
    }

    /// All of them by name, in thousandths of their unit.
    pub fn by_name(&self, gauges: &Gauges, now: Time) -> BTreeMap<&'static str, i64> {
        let mut named: BTreeMap<&'static str, i64> = BTreeMap::new();
        let mut add = |name: &'static str, value: Option<i64>| {
            if let Some(value) = value {
                named.insert(name, value);
            }
        };
        let whole = |number: u64| Some(number as i64 * 1_000);
        if let Some((total, available, waiting)) = gauges.buffer {
            add("buffer-total-bytes", whole(total));
            add("buffer-available-bytes", whole(available));
            add("waiting-threads", whole(u64::from(waiting)));
            // Microseconds waited in a second are millionths of it.
            add("bufferpool-wait-ratio", Some(self.pool_wait.rate(now) / 1_000_000));
            add("bufferpool-wait-time-ns-total", whole(self.pool_wait.total * 1_000));
            add("buffer-exhausted-rate", Some(self.exhausted.rate(now)));
            add("buffer-exhausted-total", whole(self.exhausted.total));
        }
        let millis = |micros: Option<i64>| micros.map(|micros| micros / 1_000);
        add("record-queue-time-avg", millis(self.queue_time.average(now)));
        add("record-queue-time-max", millis(self.queue_time.max(now)));
        add("request-latency-avg", millis(self.latency.average(now)));
        add("request-latency-max", millis(self.latency.max(now)));
        add("batch-size-avg", self.batch_size.average(now));
        add("batch-size-max", self.batch_size.max(now));
        add("record-size-avg", self.record_size.average(now));
        add("record-size-max", self.record_size.max(now));
        add("compression-rate-avg", self.compression.average(now).map(|millionths| millionths / 1_000_000));
        add("records-per-request-avg", self.records_per_request.average(now));
        let rates = [
            ("record-send-rate", "record-send-total", &self.records_per_request),
            ("record-retry-rate", "record-retry-total", &self.retries),
            ("record-error-rate", "record-error-total", &self.errors),
            ("batch-split-rate", "batch-split-total", &self.splits),
        ];
        for (rate, total, stat) in rates {
            add(rate, Some(stat.rate(now)));
            add(total, whole(stat.total));
        }
        add("requests-in-flight", whole(u64::from(gauges.in_flight)));
        // Brokers throttle no producers here.
        add("produce-throttle-time-avg", self.latency.average(now).map(|_| 0));
        add("produce-throttle-time-max", self.latency.average(now).map(|_| 0));
        add("metadata-age", gauges.metadata_age.map(|age| (age.0 / 1_000) as i64));
        add("flush-time-ns-total", whole(self.flush_time * 1_000));
        named
    }
}

impl Producer {
    /// The producer's memory and who holds it.
    pub fn buffer(&self) -> BufferSnapshot {
        let Some(pool) = &self.pool else { return BufferSnapshot::default() };
        let mut batches: BTreeMap<&Key, u32> = BTreeMap::new();
        for (key, queue) in self.accumulator.firsts() {
            let held = queue.iter().filter(|batch| batch.memory > 0).count() as u32;
            if held > 0 {
                batches.insert(key, held);
            }
        }
        let sent = self.in_flight.values().flat_map(|request| &request.batches);
        for (key, ..) in sent.filter(|(_, batch, _)| batch.memory > 0) {
            *batches.entry(key).or_default() += 1;
        }
        let partition = |((topic, partition), count): (&Key, u32)| {
            (TopicPartition { topic: topic.clone(), partition: *partition }, count)
        };
        BufferSnapshot {
            total_bytes: pool.total(),
            available_bytes: pool.available(),
            buffer_bytes: pool.poolable() as u32,
            messages: None,
            batches: batches.into_iter().map(partition).collect(),
        }
    }

    /// The metrics by name, in thousandths.
    pub fn named_metrics(&self, now: Time) -> BTreeMap<&'static str, i64> {
        let buffer = self.pool.as_ref().map(|pool| (pool.total(), pool.available(), pool.waiting()));
        let gauges = Gauges {
            buffer,
            in_flight: self.in_flight.len() as u32,
            metadata_age: self.metadata.refreshed.map(|refreshed| now.since(refreshed)),
        };
        let mut named = self.metrics.by_name(&gauges, now);
        named.extend(self.transaction_metrics());
        named
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(values: &[(u64, u64)]) -> Stat {
        let mut stat = Stat::default();
        for (millis, value) in values {
            stat.record(*value, Time::from_millis(*millis));
        }
        stat
    }

    fn check(what: &str, values: &[(u64, u64)], millis: u64, expected: (Option<i64>, Option<i64>, i64)) {
        let (stat, now) = (stat(values), Time::from_millis(millis));
        assert_eq!((stat.average(now), stat.max(now), stat.rate(now)), expected, "{what}");
    }

    #[test]
    fn averages_and_rates_cover_two_windows() {
        check("nothing yet", &[], 1_000, (None, None, 0));
        check(
            "a young client is taken for 30 s older",
            &[(0, 62), (0, 31)],
            1_000,
            (Some(46_500), Some(62_000), 3_000),
        );
        check("two windows", &[(0, 60), (30_000, 120)], 60_000 - 1, (Some(90_000), Some(120_000), 3_000));
        check(
            "what is 60 s old is forgotten",
            &[(0, 60), (30_000, 120)],
            60_000,
            (Some(120_000), Some(120_000), 4_000),
        );
        check("everything is forgotten", &[(0, 60), (30_000, 120)], 90_000, (None, None, 0));
    }

    #[test]
    fn ratios_are_thousandths_too() {
        let mut metrics = Metrics::default();
        metrics.waited(Duration::from_secs(15), Time::from_millis(29_000));
        let gauges = Gauges { buffer: Some((1, 1, 0)), in_flight: 0, metadata_age: None };
        let named = metrics.by_name(&gauges, Time::from_millis(30_000));
        assert_eq!(named["bufferpool-wait-ratio"], 500);
        assert_eq!(named["bufferpool-wait-time-ns-total"], 15_000_000_000_000);
    }
}
