//! The high watermark as it was last written to `replication-offset-checkpoint`.
//!
//! The file is written on a fixed grid, so what it holds is computed when somebody asks; nothing is queued.

use crate::time::{Duration, Time};

/// `replica.high.watermark.checkpoint.interval.ms`, unless the broker says otherwise.
const INTERVAL: Duration = Duration::from_millis(5_000);

/// One partition's line in the checkpoint file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checkpoint {
    /// When the broker's process started: the grid counts from here.
    started: Time,
    interval: Duration,
    /// What the file held when the high watermark last changed.
    written: u64,
    /// When it last changed.
    changed: Time,
}

impl Checkpoint {
    /// The line of a new log.
    pub fn new(started: Time) -> Checkpoint {
        Checkpoint { started, interval: INTERVAL, written: 0, changed: started }
    }

    /// The high watermark is about to change from `before`.
    pub fn change(&mut self, before: u64, now: Time) {
        self.written = self.value(before, now);
        self.changed = now;
    }

    /// What the file holds, given the present high watermark.
    pub fn value(&self, high_watermark: u64, now: Time) -> u64 {
        // Written at every whole interval after the start, before anything else that happens then.
        let is_written_since = self.interval.0 > 0 && self.tick(now) > self.tick(self.changed);
        if is_written_since { high_watermark } else { self.written }
    }

    /// The process ends in order and writes the file once more.
    pub fn write(&mut self, high_watermark: u64) {
        self.written = high_watermark;
    }

    /// A process starts, with its own grid; the file is what the last one left.
    pub fn restart(&mut self, now: Time, interval: Duration) {
        *self = Checkpoint { started: now, interval, written: self.written, changed: now };
    }

    fn tick(&self, time: Time) -> u64 {
        time.since(self.started).0 / self.interval.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_follows_on_its_grid() {
        let mut file = Checkpoint::new(Time::from_millis(1_000));
        file.change(0, Time::from_millis(2_000));
        let cases = [(5_999, 0), (6_000, 7), (10_999, 7)];
        for (millis, value) in cases {
            assert_eq!(file.value(7, Time::from_millis(millis)), value, "at {millis}");
        }
        file.change(7, Time::from_millis(12_000));
        assert_eq!(file.value(9, Time::from_millis(12_500)), 7);
        file.write(9);
        file.restart(Time::from_millis(20_000), Duration::from_millis(500));
        assert_eq!(file.value(9, Time::from_millis(20_100)), 9);
    }
}
