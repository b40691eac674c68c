//! Clocks, best rounds and verdicts of the bench.
//!
//! It measures whatever it is given and knows none of the subjects.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Figures by name; units are part of the name, times a key are nanoseconds.
pub type Figures = BTreeMap<String, f64>;

const ROUNDS: usize = 101;
const WARM_UP: Duration = Duration::from_millis(500);

/// Nanoseconds for one of `count` operations: the best round after a warm-up. The best one says what the
/// code costs; the others say what else the machine was doing.
pub fn best_ns(count: usize, mut body: impl FnMut() -> u64) -> f64 {
    let start = Instant::now();
    while start.elapsed() < WARM_UP {
        black_box(body());
    }
    let mut round = || {
        let start = Instant::now();
        black_box(body());
        start.elapsed().as_nanos() as f64 / count as f64
    };
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}

/// Milliseconds of the best round of a body that may take long: at least three rounds, and more for a while.
pub fn best_ms(mut body: impl FnMut() -> u64) -> f64 {
    const PATIENCE: Duration = Duration::from_millis(400);
    let begin = Instant::now();
    let mut best = f64::INFINITY;
    for round in 0.. {
        if round >= 3 && begin.elapsed() > PATIENCE {
            break;
        }
        let start = Instant::now();
        black_box(body());
        best = best.min(start.elapsed().as_secs_f64() * 1_000.0);
    }
    best
}

/// A number that the body returns, the seconds it took, and what it made.
pub fn timed<T>(body: impl FnOnce() -> (u64, T)) -> (u64, f64, T) {
    let start = Instant::now();
    let (number, made) = body();
    (number, start.elapsed().as_secs_f64(), made)
}

/// Bytes of memory that the process holds; none where the system has no `/proc`.
pub fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1_024)
}

/// Median, 95th percentile and maximum of seek times in milliseconds.
pub fn add_seeks(figures: &mut Figures, side: &str, millis: &mut [f64]) {
    millis.sort_by(f64::total_cmp);
    let at = |percent: usize| millis[(millis.len() - 1) * percent / 100];
    for (name, percent) in [("p50", 50), ("p95", 95), ("max", 100)] {
        figures.insert(format!("{side}/seek-{name}-ms"), at(percent));
    }
}

/// Prints one bar and whether it holds.
pub fn judge(what: &str, value: f64, bar: f64, at_least: bool) -> bool {
    let holds = if at_least { value >= bar } else { value <= bar };
    let (verdict, side) = (if holds { "held    " } else { "NOT HELD" }, if at_least { "at least" } else { "at most" });
    println!("{verdict} {what:<48} {value:>8.2}  ({side} {bar})");
    holds
}

/// Prints a comparison that has no bar.
pub fn compare(what: &str, value: f64) {
    println!("         {what:<48} {value:>8.2}");
}
