//! Byte rates: replication throttles and the bandwidth of a broker.
//!
//! Kafka's quota managers measure rates over sampled windows and delay what is above. Simplified: bytes
//! pass one after the other at exactly the rate, so that a move takes as long as arithmetic says.

use crate::time::{Duration, Time};

/// Something that lets so many bytes a second through.
#[derive(Clone, Debug, Default)]
pub(crate) struct Throttle {
    /// Bytes a second; without it bytes take no time.
    rate: Option<u64>,
    /// When the present run of bytes without a pause began.
    start: Time,
    /// Bytes of that run.
    bytes: u64,
}

impl Throttle {
    /// A throttle of that rate.
    pub fn new(rate: Option<u64>) -> Throttle {
        Throttle { rate, ..Throttle::default() }
    }

    /// Sets the rate from now on.
    pub fn set_rate(&mut self, rate: Option<u64>, now: Time) {
        if self.rate != rate {
            *self = Throttle { rate, start: self.free_at().max(now), bytes: 0 };
        }
    }

    /// Whether it holds anything back.
    pub fn is_on(&self) -> bool {
        self.rate.is_some()
    }

    /// When all that was taken has passed.
    pub fn free_at(&self) -> Time {
        match self.rate {
            Some(rate) => {
                let micros = u128::from(self.bytes) * 1_000_000 / u128::from(rate.max(1));
                self.start + Duration(micros.min(u128::from(u64::MAX)) as u64)
            }
            None => self.start,
        }
    }

    /// Lets bytes pass after those before them, from `since` on at the earliest; when they have passed.
    pub fn take(&mut self, now: Time, since: Time, bytes: u64) -> Time {
        if self.rate.is_none() {
            return now;
        }
        if self.free_at() <= since {
            self.start = since;
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.free_at().max(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_take_their_time_without_rounding_up_a_long_run() {
        let mut throttle = Throttle::new(Some(50_000_000));
        let mut passed = Time::ZERO;
        for _ in 0..500_000 {
            passed = throttle.take(passed, passed, 1_000_000);
        }
        assert_eq!(passed, Time::from_millis(10_000_000), "500 GB at 50 MB/s");
        let later = passed + Duration::from_secs(1);
        assert_eq!(throttle.take(later, later, 50_000_000), later + Duration::from_secs(1));
        assert_eq!(Throttle::default().take(later, later, 1 << 60), later);
    }
}
