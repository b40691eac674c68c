//! Messages whose partition nobody names, one after another: which runs they make.
//!
//! Which partition is drawn is not compared, nor how the draws fall before metadata is known; how long the library
//! stays with a partition is.

use std::collections::BTreeMap;

use engine::{Duration, Time};
use serde_json::{Value, json};

use super::super::replay::number;
use super::Library;
use super::sends::Choice;

/// Half-width of the band around the length of a run, in milliseconds, besides the gap between two messages.
const ABOUT: i64 = 2;

/// Consecutive messages with the same partition.
struct Run {
    partition: u64,
    count: u64,
    start_ms: i64,
}

impl Library {
    pub(super) fn send_keyless(&mut self, step: &Value) -> Result<(), String> {
        let count: u64 = number(step, "count")?;
        let gap_ms: i64 = number(step, "gap_ms")?;
        let begun = self.replay.timeline.now();
        let gap = self.gap(step, count, gap_ms);
        let mut commands = Vec::new();
        for index in 0..count {
            self.replay.timeline.advance_to(begun + Duration(gap.0 * index));
            commands.push((self.replay.timeline.now(), self.submit(step)?));
        }
        let producer = super::super::replay::text(step, "p")?.to_owned();
        let limit = self.replay.timeline.now() + Duration::from_secs(330);
        let numbers: Vec<u64> = commands.iter().map(|(_, command)| *command).collect();
        self.poll_until_all(&producer, &numbers, limit)?;
        let runs = self.runs(&commands, begun)?;
        let mut per_partition: BTreeMap<String, u64> = BTreeMap::new();
        for run in &runs {
            *per_partition.entry(run.partition.to_string()).or_default() += run.count;
        }
        let saw = &step["saw"];
        let sent: u64 = runs.iter().map(|run| run.count).sum();
        if sent != count {
            return Err(format!("saw.runs expected {count} messages in all, got {sent}"));
        }
        if self.choice(step) != Choice::Drawn {
            let got = json!({ "ok": true, "runs_total": runs.len(), "per_partition": per_partition });
            let mut expected = saw.clone();
            for field in ["runs", "run_ms_median"] {
                expected.as_object_mut().map(|fields| fields.remove(field));
            }
            return self.replay.compare("saw", &expected, &got);
        }
        self.compare_median(step, &runs, gap_ms)
    }

    /// Time between two messages. Without a gap it is what the recording machine needed for one call.
    fn gap(&self, step: &Value, count: u64, gap_ms: i64) -> Duration {
        if gap_ms > 0 {
            return Duration::from_millis(gap_ms as u64);
        }
        let last = step["saw"]["runs"].as_array().and_then(|runs| runs.last()).and_then(|run| run["to_ms"].as_u64());
        Duration(last.unwrap_or(0) * 1_000 / count.max(1))
    }

    fn runs(&self, commands: &[(Time, u64)], begun: Time) -> Result<Vec<Run>, String> {
        let mut runs: Vec<Run> = Vec::new();
        for (time, command) in commands {
            let outcome = self.replay.timeline.outcome(*command).ok_or("there is no outcome")?;
            let record = outcome.record.ok_or_else(|| format!("a message failed: {:?}", outcome.error))?;
            let partition = u64::from(record.partition);
            match runs.last_mut().filter(|run| run.partition == partition) {
                Some(run) => run.count += 1,
                None => runs.push(Run { partition, count: 1, start_ms: (time.since(begun).0 / 1_000) as i64 }),
            }
        }
        Ok(runs)
    }

    /// A run ends with the first message after the time is over; the next draw may fall on the same partition.
    fn compare_median(&self, step: &Value, runs: &[Run], gap_ms: i64) -> Result<(), String> {
        let Some(wanted) = step["saw"]["run_ms_median"].as_i64().filter(|median| *median > 0) else { return Ok(()) };
        let linger: i64 = self.setting(step, "linger.ms").and_then(|it| it.parse().ok()).unwrap_or(5);
        let sticky = self.setting(step, "sticky.partitioning.linger.ms").and_then(|it| it.parse().ok());
        // Every message is drawn for on its own: how long a run is, is chance.
        if sticky.unwrap_or(2 * linger) <= gap_ms {
            return Ok(());
        }
        let mut lengths: Vec<i64> = runs.windows(2).map(|pair| pair[1].start_ms - pair[0].start_ms).collect();
        lengths.sort_unstable();
        let Some(got) = lengths.get(lengths.len() / 2).copied() else { return Ok(()) };
        let is_near = |multiple: i64| (wanted * multiple - got).abs() <= (gap_ms + ABOUT) * multiple;
        let shortest = lengths.first().copied().unwrap_or(got);
        let is_period = |multiple: i64| (shortest * multiple - wanted).abs() <= (gap_ms + ABOUT) * multiple;
        if is_near(1) || (1..=4).any(is_period) {
            return Ok(());
        }
        Err(format!("saw.run_ms_median expected {wanted}, got {got}"))
    }
}
