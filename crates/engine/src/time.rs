//! Simulated time: whole microseconds since the start of a scenario.
//!
//! Nothing here reads a clock. Text and numbers are converted at the edge only; the engine adds and
//! compares integers.

use std::fmt;
use std::ops::{Add, Sub};

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};

/// When runs begin, as Kafka's clocks tell it: 2026-01-01 00:00 UTC in milliseconds after 1970.
pub const RUN_START_MS: i64 = 1_767_225_600_000;

/// An instant of a simulation, in microseconds after its start. Serialized as milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A length of simulated time, in microseconds. Serialized as text with a unit ("500 ms").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub u64);

impl Time {
    /// The start of every scenario.
    pub const ZERO: Time = Time(0);
    /// Later than anything that happens.
    pub const MAX: Time = Time(u64::MAX);

    /// The instant that many whole milliseconds after the start.
    pub const fn from_millis(millis: u64) -> Time {
        Time(millis * 1_000)
    }

    /// Whole milliseconds since the start, rounded down, as Kafka's clocks tell them.
    pub const fn millis(self) -> u64 {
        self.0 / 1_000
    }

    /// The time that passed since `earlier`, or zero.
    pub const fn since(self, earlier: Time) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

impl Duration {
    /// No time at all.
    pub const ZERO: Duration = Duration(0);

    /// That many whole milliseconds.
    pub const fn from_millis(millis: u64) -> Duration {
        Duration(millis * 1_000)
    }

    /// That many whole seconds.
    pub const fn from_secs(seconds: u64) -> Duration {
        Duration(seconds * 1_000_000)
    }

    /// Whole milliseconds, rounded down.
    pub const fn millis(self) -> u64 {
        self.0 / 1_000
    }

    /// Reads "500 ms", "5 s", "3 min", "1 h" or "250 us".
    pub fn parse(text: &str) -> Result<Duration, String> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let scale = match unit.trim() {
            "us" => 1,
            "ms" => 1_000,
            "s" => 1_000_000,
            "min" => 60_000_000,
            "h" => 3_600_000_000,
            _ => 0,
        };
        let micros = number.parse::<u64>().ok().filter(|_| scale > 0);
        micros.and_then(|number| number.checked_mul(scale)).map(Duration).ok_or_else(|| {
            format!("\"{text}\" is not a duration; write a whole number and us, ms, s, min or h, such as \"500 ms\"")
        })
    }
}

impl Add<Duration> for Time {
    type Output = Time;
    fn add(self, length: Duration) -> Time {
        Time(self.0.saturating_add(length.0))
    }
}

impl Sub<Duration> for Time {
    type Output = Time;
    fn sub(self, length: Duration) -> Time {
        Time(self.0.saturating_sub(length.0))
    }
}

impl fmt::Display for Time {
    /// Seconds with three decimals: `1.204 s`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.millis();
        write!(out, "{}.{:03} s", millis / 1_000, millis % 1_000)
    }
}

impl fmt::Display for Duration {
    /// The largest unit that keeps a whole number: `500 ms`, `5 min`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(3_600_000_000, "h"), (60_000_000, "min"), (1_000_000, "s"), (1_000, "ms")];
        match units.iter().find(|(scale, _)| self.0 > 0 && self.0.is_multiple_of(*scale)) {
            Some((scale, unit)) => write!(out, "{} {unit}", self.0 / scale),
            None if self.0 == 0 => write!(out, "0 ms"),
            None => write!(out, "{} us", self.0),
        }
    }
}

// Outside the engine an instant is a number of milliseconds, exact to the microsecond.
// 2^53 microseconds are 285 years, so the division loses nothing.
impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / 1_000.0)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        let millis = f64::deserialize(deserializer)?;
        if !(0.0..=9.0e12).contains(&millis) {
            return Err(D::Error::custom("a time is a number of milliseconds, 0 or more"));
        }
        Ok(Time((millis * 1_000.0).round() as u64))
    }
}

impl Serialize for Duration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        let text = String::deserialize(deserializer)?;
        Duration::parse(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, micros: Option<u64>) {
        assert_eq!(Duration::parse(text).ok().map(|length| length.0), micros, "{text}");
    }

    #[test]
    fn durations_are_read_with_their_unit() {
        let cases = [
            ("500 ms", Some(500_000)),
            ("5s", Some(5_000_000)),
            (" 3 min ", Some(180_000_000)),
            ("0 ms", Some(0)),
            ("5", None),
            ("ms", None),
            ("1.5 s", None),
            ("99999999999999999999 h", None),
        ];
        for (text, micros) in cases {
            check(text, micros);
        }
    }

    #[test]
    fn durations_print_in_the_unit_they_are_read_in() {
        for text in ["500 ms", "5 s", "3 min", "1 h", "250 us", "0 ms", "90 s"] {
            assert_eq!(Duration::parse(text).map(|length| length.to_string()), Ok(text.to_string()));
        }
    }
}
