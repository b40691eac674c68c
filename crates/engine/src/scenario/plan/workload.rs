//! A workload after validation: keys as bytes, values as text, and how often.
//!
//! Drawing the next record is in `client/producer/workload.rs`.

use std::rc::Rc;

use partitioner::encoding::Encoding;

use crate::error::InputError;
use crate::event::Name;
use crate::limits::{BURST_MAX, KEY_BYTES_MAX, KEYS_MAX, RATE_MAX, VALUE_TEXT_BYTES_MAX};
use crate::scenario::{WhenFull, Workload};
use crate::time::Duration;

/// Patterns up to this size are spelled out once, so that equal keys share their bytes.
const SPELLED_OUT_MAX: u64 = 4_096;

/// A validated workload.
#[derive(Clone, Debug)]
pub struct WorkloadPlan {
    pub(crate) topic: Name,
    pub(crate) keys: KeySource,
    pub(crate) values: Vec<Name>,
    pub(crate) value_size: Option<u32>,
    pub(crate) compressed_percent: Option<u32>,
    pub(crate) partition: Option<i32>,
    pub(crate) partitions: Option<u32>,
    pub(crate) pace: Pace,
    pub(crate) burst: u32,
    pub(crate) start: Duration,
    pub(crate) count: Option<u64>,
    pub(crate) skew_percent: Option<u32>,
    pub(crate) records_per_transaction: Option<u32>,
    pub(crate) init_on_fence: bool,
    pub(crate) when_full: WhenFull,
}

/// How bursts follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pace {
    /// Time between two.
    Every(Duration),
    /// So many a second.
    Rate(u32),
}

impl Pace {
    /// From the first burst to one that comes that many later.
    pub fn after(self, bursts: u64) -> Duration {
        match self {
            Pace::Every(every) => Duration(every.0.saturating_mul(bursts)),
            Pace::Rate(rate) => {
                let (rate, second) = (u64::from(rate), 1_000_000);
                Duration((bursts / rate).saturating_mul(second) + bursts % rate * second / rate)
            }
        }
    }

    /// From this burst to the next one: what [`Pace::after`] grows by, without its bounds.
    pub fn pause(self, bursts: u64) -> Duration {
        match self {
            Pace::Every(every) => every,
            Pace::Rate(rate) => {
                let (rate, second) = (u64::from(rate), 1_000_000);
                let place = bursts % rate;
                Duration((place + 1) * second / rate - place * second / rate)
            }
        }
    }
}

/// Where keys come from.
#[derive(Clone, Debug)]
pub(crate) enum KeySource {
    /// Records without a key.
    None,
    /// Bytes, and text to show.
    List(Vec<(Rc<[u8]>, Name)>),
    /// Prefix, first number and how many.
    Pattern { prefix: String, first: u64, count: u64, encoding: Encoding },
}

impl KeySource {
    /// How many different keys.
    pub fn count(&self) -> u64 {
        match self {
            KeySource::None => 1,
            KeySource::List(keys) => keys.len() as u64,
            KeySource::Pattern { count, .. } => *count,
        }
    }
}

impl WorkloadPlan {
    /// Validates a workload; `path` is where it stands in the input.
    pub fn new(workload: &Workload, path: &str) -> Result<WorkloadPlan, InputError> {
        let wrong =
            |field: &str, text: String| Err(InputError::new("scenario.workload", text).at(format!("{path}.{field}")));
        if workload.topic.is_empty() {
            return wrong("topic", "A workload needs the topic that it writes to.".to_string());
        }
        let pace = match (workload.every, workload.rate) {
            (Some(_), Some(_)) => {
                return wrong("rate", "Bursts come by `every` or by `rate`, not by both.".to_string());
            }
            (Some(Duration::ZERO), None) => {
                return wrong("every", "The time between two bursts is more than 0.".to_string());
            }
            (None, Some(rate)) if !(1..=RATE_MAX).contains(&rate) => {
                return wrong("rate", format!("There are 1 to {RATE_MAX} bursts a second."));
            }
            (None, Some(rate)) => Pace::Rate(rate),
            (every, None) => Pace::Every(every.unwrap_or(Duration::from_millis(500))),
        };
        if workload.compressed_percent.is_some_and(|percent| !(1..=150).contains(&percent)) {
            return wrong("compressed_percent", "Compressed records have 1 to 150 percent of their size.".to_string());
        }
        if workload.partition.is_some() && workload.partitions.is_some() {
            return wrong("partitions", "Records go to one partition or round several, not both.".to_string());
        }
        if workload.partitions == Some(0) {
            return wrong("partitions", "Records go round at least one partition.".to_string());
        }
        let burst = workload.burst.unwrap_or(1);
        if burst == 0 || burst > BURST_MAX {
            return wrong("burst", format!("A burst has 1 to {BURST_MAX} records."));
        }
        if workload.skew_percent.is_some_and(|percent| !(1..=100).contains(&percent)) {
            return wrong("skew_percent", "The share of the first key is 1 to 100 percent.".to_string());
        }
        if workload.records_per_transaction == Some(0) {
            return wrong("records_per_transaction", "A transaction has at least one record.".to_string());
        }
        if workload.init_on_fence && workload.records_per_transaction.is_none() {
            let text = "Only a workload in transactions can be fenced.";
            return Err(InputError::new("scenario.workload", text)
                .at(format!("{path}.init_on_fence"))
                .hint("Set records_per_transaction as well."));
        }
        let mut values: Vec<Name> = workload.values.iter().chain(&workload.value).map(|value| shown(value)).collect();
        // A value of a given size without text is still a value, not a tombstone.
        let of_size = workload.value_size.map(|size| Name::from(format!("{size} bytes")));
        values.extend(of_size.filter(|_| values.is_empty()));
        let keys = keys(workload, path)?;
        let is_one_pass =
            matches!(&keys, KeySource::List(_)) && !workload.keys.is_empty() && workload.skew_percent.is_none();
        let one_pass = is_one_pass.then(|| workload.keys.len().max(workload.values.len()) as u64);
        Ok(WorkloadPlan {
            topic: workload.topic.as_str().into(),
            values,
            value_size: workload.value_size,
            compressed_percent: workload.compressed_percent,
            partition: workload.partition,
            partitions: workload.partitions,
            pace,
            burst,
            start: workload.start.unwrap_or_default(),
            count: workload.count.or(one_pass),
            skew_percent: workload.skew_percent,
            records_per_transaction: workload.records_per_transaction,
            init_on_fence: workload.init_on_fence,
            when_full: workload.when_full,
            keys,
        })
    }

    /// Transactions need a producer that can have them.
    pub(crate) fn check_producer(&self, is_transactional: bool, path: &str) -> Result<(), InputError> {
        if self.records_per_transaction.is_none() || is_transactional {
            return Ok(());
        }
        let text = "The producer has no transactional.id, so it cannot write in transactions.";
        Err(InputError::new("scenario.workload", text)
            .at(format!("{path}.records_per_transaction"))
            .hint("Give the producer a transactional.id."))
    }

    /// When the last record is sent, if there is a last one.
    pub(crate) fn ends_after(&self) -> Option<Duration> {
        let bursts = self.count?.div_ceil(u64::from(self.burst));
        Some(Duration(self.start.0.saturating_add(self.pace.after(bursts.saturating_sub(1)).0)))
    }
}

fn keys(workload: &Workload, path: &str) -> Result<KeySource, InputError> {
    let encoding = encoding(workload.key_encoding.as_deref(), &format!("{path}.key_encoding"))?;
    let list = |texts: &mut dyn Iterator<Item = String>, field: &str| {
        texts
            .enumerate()
            .map(|(index, text)| {
                let bytes = encoded(encoding, &text).map_err(|error| error.at(format!("{path}.{field}[{index}]")))?;
                Ok((bytes, text.as_str().into()))
            })
            .collect::<Result<Vec<_>, InputError>>()
            .map(KeySource::List)
    };
    match &workload.key_pattern {
        Some(_) if !workload.keys.is_empty() => {
            Err(InputError::new("scenario.workload", "Keys come from a list or from a pattern, not from both.")
                .at(format!("{path}.keys")))
        }
        Some(pattern) if pattern.count == 0 || pattern.count > KEYS_MAX => {
            let text = format!("A pattern makes 1 to {KEYS_MAX} keys.");
            Err(InputError::new("scenario.workload", text).at(format!("{path}.key_pattern.count")))
        }
        Some(pattern) if pattern.count <= SPELLED_OUT_MAX => {
            let numbers = pattern.first..pattern.first.saturating_add(pattern.count);
            list(&mut numbers.map(|number| format!("{}{number}", pattern.prefix)), "key_pattern")
        }
        Some(pattern) => {
            encoded(encoding, &format!("{}{}", pattern.prefix, pattern.first))
                .map_err(|error| error.at(format!("{path}.key_pattern")))?;
            Ok(KeySource::Pattern {
                prefix: pattern.prefix.clone(),
                first: pattern.first,
                count: pattern.count,
                encoding,
            })
        }
        None if workload.keys.is_empty() => Ok(KeySource::None),
        None => list(&mut workload.keys.iter().cloned(), "keys"),
    }
}

/// The bytes of a key, or why the text does not fit the encoding.
pub(crate) fn encode_key(text: &str, name: Option<&str>, path: &str) -> Result<Rc<[u8]>, InputError> {
    encoded(encoding(name, path)?, text).map_err(|error| error.at(path))
}

fn encoded(encoding: Encoding, text: &str) -> Result<Rc<[u8]>, InputError> {
    let bytes = encoding.encode(text).map_err(|error| InputError::new("scenario.key", error.to_string()))?;
    if bytes.len() > KEY_BYTES_MAX {
        return Err(InputError::new("scenario.key", format!("A key has at most {KEY_BYTES_MAX} bytes.")));
    }
    Ok(bytes.into())
}

fn encoding(name: Option<&str>, path: &str) -> Result<Encoding, InputError> {
    let name = name.unwrap_or("text");
    Encoding::from_id(name).ok_or_else(|| {
        InputError::new("scenario.key_encoding", format!("There is no key encoding \"{name}\"."))
            .at(path)
            .hint(format!("Use one of {}.", Encoding::IDS.join(", ")))
    })
}

/// The part of a value that is kept for showing.
pub(crate) fn shown(value: &str) -> Name {
    let mut end = value.len().min(VALUE_TEXT_BYTES_MAX);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    value[..end].into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_add_up_to_the_whole() {
        for pace in [Pace::Every(Duration(44_000)), Pace::Rate(1), Pace::Rate(7), Pace::Rate(10_000)] {
            let mut passed = Duration::ZERO;
            for bursts in 0..30_000 {
                assert_eq!(pace.after(bursts), passed, "{pace:?} {bursts}");
                passed = Duration(passed.0 + pace.pause(bursts).0);
            }
        }
    }
}
