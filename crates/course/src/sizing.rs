//! How many partitions a topic needs, and what each one costs: the arithmetic of the sizing lab.
//!
//! Whole numbers only: rates are thousandths of a megabyte a second, so nothing is rounded by accident. Where a
//! result is rounded, it says so. Deliberately not here: the page that asks for the numbers.

use engine::InputError;

/// Counts with many divisors, from which a topic's count is best taken.
pub const FRIENDLY_COUNTS: [u32; 9] = [6, 12, 24, 36, 48, 60, 72, 96, 120];

/// `buffer.memory` of the Java producer: 32 MiB.
pub const BUFFER_MEMORY: u64 = 33_554_432;

/// `batch.size` of the Java producer: 16 KiB.
pub const BATCH_SIZE: u64 = 16_384;

/// The largest count that is calculated with; a cluster has room for more, a reader has not.
pub const COUNT_MAX: u32 = 4_000;

/// A number with three decimals, kept as thousandths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Milli(pub u64);

/// What was measured, and what is planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizing {
    /// Megabytes (10^6 bytes) a second at the peak.
    pub peak: Milli,
    /// Megabytes a second that one producer instance writes to one partition.
    pub produce: Milli,
    /// Megabytes a second that one consumer processes.
    pub consume: Milli,
    /// Factor by which the peak may grow.
    pub growth: Milli,
    /// Replicas of each partition.
    pub replication_factor: u32,
    /// Brokers.
    pub brokers: u32,
    /// Megabytes a second that one consumer of a second, heavier group processes.
    pub second_consume: Option<Milli>,
    /// The count that the reader has chosen; without one it is the recommended count.
    pub chosen: Option<u32>,
}

/// Which side asks for more partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binds {
    /// Producers.
    Producers,
    /// Consumers.
    Consumers,
    /// The second group's consumers.
    SecondGroup,
}

/// What follows from a [`Sizing`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Partitions that producers need at today's peak.
    pub by_producers: Milli,
    /// Partitions that consumers need at today's peak.
    pub by_consumers: Milli,
    /// Partitions that the second group needs at today's peak.
    pub by_second_group: Option<Milli>,
    /// Which of them decides.
    pub binds: Binds,
    /// The largest of them.
    pub base: Milli,
    /// The base after growth.
    pub need: Milli,
    /// The need as a whole number, rounded up.
    pub need_whole: u32,
    /// The next friendly count, or the need itself beyond the list.
    pub recommended: u32,
    /// The count that the figures below are for.
    pub count: u32,
    /// Group sizes up to 24 that share the count evenly.
    pub even_groups: Vec<u32>,
    /// Replicas in the cluster.
    pub replicas: u64,
    /// Replicas on each broker.
    pub replicas_per_broker: Milli,
    /// Leaders on each broker, which is also how many elections the loss of one brings.
    pub leaders_per_broker: Milli,
    /// Bytes a second of each partition at the peak.
    pub bytes_per_partition: u64,
    /// Bytes that come together in `linger.ms` (5 ms) for one partition.
    pub bytes_per_linger: u64,
    /// Bytes of the producer's buffer that one open batch for every partition takes.
    pub open_batches_bytes: u64,
}

impl Milli {
    /// Reads "60", "66.67" or "0.5": at most three decimals.
    ///
    /// ```
    /// use course::sizing::Milli;
    ///
    /// assert_eq!(Milli::parse("2.5").map(|rate| rate.0), Ok(2_500));
    /// assert!(Milli::parse("2,5").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Milli, InputError> {
        let wrong = || {
            let text = format!("\"{}\" is not a number with at most three decimals.", text.trim());
            InputError::new("sizing.number", text).hint("Write for example 60 or 2.5.")
        };
        let (whole, decimals) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
        let digits_only = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || decimals.len() > 3 || !digits_only(whole) || !digits_only(decimals) {
            return Err(wrong());
        }
        let whole: u64 = whole.parse().map_err(|_| wrong())?;
        let decimals: u64 = format!("{decimals:0<3}").parse().map_err(|_| wrong())?;
        match whole.checked_mul(1_000).map(|thousandths| thousandths + decimals) {
            Some(number) if number <= 1_000_000_000 => Ok(Milli(number)),
            _ => Err(InputError::new("sizing.number", "That is more than a million.").hint("Check the unit: MB/s.")),
        }
    }

    /// `numerator / denominator`, rounded to the nearest thousandth.
    fn ratio(numerator: u64, denominator: u64) -> Milli {
        Milli(((u128::from(numerator) * 2_000 + u128::from(denominator)) / (2 * u128::from(denominator))) as u64)
    }
}

impl std::fmt::Display for Milli {
    /// Two decimals at most, rounded; none if the number is whole: `15`, `2.4`, `66.67`.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hundredths = (self.0 + 5) / 10;
        let (whole, part) = (hundredths / 100, hundredths % 100);
        match part {
            0 => write!(out, "{whole}"),
            _ if part % 10 == 0 => write!(out, "{whole}.{}", part / 10),
            _ => write!(out, "{whole}.{part:02}"),
        }
    }
}

impl Default for Sizing {
    /// The topic `payments` of the lesson.
    fn default() -> Sizing {
        Sizing {
            peak: Milli(60_000),
            produce: Milli(25_000),
            consume: Milli(4_000),
            growth: Milli(2_000),
            replication_factor: 3,
            brokers: 6,
            second_consume: None,
            chosen: None,
        }
    }
}

impl Sizing {
    /// Calculates the plan.
    ///
    /// ```
    /// let plan = course::sizing::Sizing::default().plan()?;
    /// assert_eq!((plan.base.to_string(), plan.need_whole, plan.recommended), ("15".to_string(), 30, 36));
    /// # Ok::<(), engine::InputError>(())
    /// ```
    pub fn plan(&self) -> Result<Plan, InputError> {
        self.check()?;
        let by_producers = Milli::ratio(self.peak.0, self.produce.0);
        let by_consumers = Milli::ratio(self.peak.0, self.consume.0);
        let by_second_group = self.second_consume.map(|rate| Milli::ratio(self.peak.0, rate.0));
        let rates = [
            (self.produce, Binds::Producers),
            (self.consume, Binds::Consumers),
            (self.second_consume.unwrap_or(self.consume), Binds::SecondGroup),
        ];
        // The smallest rate binds; of equal ones the first.
        let (rate, binds) = rates.into_iter().min_by_key(|(rate, _)| *rate).expect("there are three");
        let grown = u128::from(self.peak.0) * u128::from(self.growth.0);
        let need_whole = grown.div_ceil(u128::from(rate.0) * 1_000).max(1);
        let need_whole = u32::try_from(need_whole).ok().filter(|need| *need <= COUNT_MAX).ok_or_else(|| {
            InputError::new("sizing.too_many", format!("That would need {need_whole} partitions."))
                .hint("Check the rates; one topic rarely has more than a few hundred.")
        })?;
        let recommended = FRIENDLY_COUNTS.into_iter().find(|count| *count >= need_whole).unwrap_or(need_whole);
        let count = self.chosen.unwrap_or(recommended);
        let (per_count, brokers) = (u64::from(count), u64::from(self.brokers));
        let replicas = per_count * u64::from(self.replication_factor);
        let peak_bytes = self.peak.0 * 1_000;
        Ok(Plan {
            by_producers,
            by_consumers,
            by_second_group,
            binds,
            base: Milli::ratio(self.peak.0, rate.0),
            need: Milli::ratio((grown / 1_000) as u64, rate.0),
            need_whole,
            recommended,
            count,
            even_groups: (2..=24).filter(|size| count.is_multiple_of(*size)).collect(),
            replicas,
            replicas_per_broker: Milli::ratio(replicas, brokers),
            leaders_per_broker: Milli::ratio(per_count, brokers),
            bytes_per_partition: peak_bytes / per_count,
            bytes_per_linger: peak_bytes / per_count * 5 / 1_000,
            open_batches_bytes: per_count * BATCH_SIZE,
        })
    }

    fn check(&self) -> Result<(), InputError> {
        let positive = [
            (Some(self.peak), "peak"),
            (Some(self.produce), "produce"),
            (Some(self.consume), "consume"),
            (Some(self.growth), "growth"),
            (self.second_consume, "second"),
        ];
        for (number, field) in positive {
            if number == Some(Milli(0)) {
                return Err(InputError::new("sizing.zero", "It must be more than 0.").at(field));
            }
        }
        if self.brokers == 0 || self.replication_factor == 0 || self.chosen == Some(0) {
            return Err(InputError::new("sizing.zero", "There is at least one broker, one replica and one partition."));
        }
        if self.replication_factor > self.brokers {
            let text = format!(
                "{} replicas do not fit on {} brokers: no broker holds two of one partition.",
                self.replication_factor, self.brokers
            );
            return Err(InputError::new("sizing.replicas", text).at("replication_factor"));
        }
        if self.chosen.is_some_and(|count| count > COUNT_MAX) {
            let text = format!("{COUNT_MAX} partitions are the most that is calculated with.");
            return Err(InputError::new("sizing.too_many", text).at("count"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rates: [&str; 4], expected: (&str, &str, u32)) {
        let [peak, produce, consume, growth] = rates.map(|text| Milli::parse(text).unwrap());
        let plan = Sizing { peak, produce, consume, growth, ..Sizing::default() }.plan().unwrap();
        let got = (plan.base.to_string(), plan.need.to_string(), plan.recommended);
        assert_eq!((got.0.as_str(), got.1.as_str(), got.2), expected, "{rates:?}");
    }

    #[test]
    fn counts_follow_from_measured_rates_and_are_rounded_up() {
        check(["60", "25", "4", "2"], ("15", "30", 36));
        check(["600", "25", "9", "2"], ("66.67", "133.33", 134));
        check(["260", "25", "4", "2"], ("65", "130", 130));
        check(["1", "25", "25", "1"], ("0.04", "0.04", 6));
    }

    #[test]
    fn each_partition_has_its_price() {
        let plan = |chosen| Sizing { chosen: Some(chosen), ..Sizing::default() }.plan().unwrap();
        let few = plan(48);
        assert_eq!((few.replicas, few.replicas_per_broker, few.leaders_per_broker), (144, Milli(24_000), Milli(8_000)));
        assert_eq!((few.bytes_per_partition, few.bytes_per_linger), (1_250_000, 6_250));
        assert_eq!(few.even_groups, [2, 3, 4, 6, 8, 12, 16, 24]);
        let many = plan(1_000);
        assert_eq!((many.bytes_per_partition, many.bytes_per_linger), (60_000, 300));
        assert_eq!(many.leaders_per_broker.to_string(), "166.67");
    }

    #[test]
    fn the_slowest_side_binds() {
        let binds = |produce, second| {
            let second_consume = Some(Milli(second));
            Sizing { produce: Milli(produce), second_consume, ..Sizing::default() }.plan().unwrap().binds
        };
        assert_eq!(binds(3_000, 9_000), Binds::Producers);
        assert_eq!(binds(25_000, 9_000), Binds::Consumers);
        assert_eq!(binds(25_000, 1_000), Binds::SecondGroup);
    }

    #[test]
    fn impossible_numbers_are_refused_with_a_reason() {
        let refused = |sizing: Sizing| sizing.plan().unwrap_err().code;
        assert_eq!(refused(Sizing { consume: Milli(0), ..Sizing::default() }), "sizing.zero");
        assert_eq!(refused(Sizing { brokers: 2, ..Sizing::default() }), "sizing.replicas");
        assert_eq!(refused(Sizing { consume: Milli(1), ..Sizing::default() }), "sizing.too_many");
        for text in ["", "-1", "1e3", "1.2345", "60 MB", "9999999"] {
            assert!(Milli::parse(text).is_err(), "{text}");
        }
    }
}
