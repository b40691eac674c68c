//! A run to a moment that may be days away: it gets faster the longer it takes, so that nobody waits.
//!
//! Knows nothing of simulated time, only how long somebody has been watching.

/// A run is watched at the chosen speed for so many microseconds of real time.
const PLAIN: u64 = 5_000_000;
/// After that its speed doubles in every such span.
const DOUBLING: u64 = 750_000;
const DOUBLINGS_MAX: u64 = 16;

/// How long a run has been watched, in microseconds of real time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hurry(u64);

impl Hurry {
    /// The speed of the run now, at a chosen speed in thousandths, when `elapsed_us` more have passed.
    pub fn speed(&mut self, chosen: u64, elapsed_us: u64) -> u64 {
        let over = self.0.saturating_sub(PLAIN).min(DOUBLINGS_MAX * DOUBLING);
        self.0 = self.0.saturating_add(elapsed_us);
        (chosen << (over / DOUBLING)) * (DOUBLING + over % DOUBLING) / DOUBLING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(watched: u64, speed: u64) {
        assert_eq!(Hurry(watched).speed(1_000, 16_000), speed, "after {watched} us");
    }

    #[test]
    fn speed_is_as_chosen_for_some_seconds_and_then_doubles_again_and_again() {
        check(0, 1_000);
        check(PLAIN, 1_000);
        check(PLAIN + DOUBLING / 2, 1_500);
        check(PLAIN + DOUBLING, 2_000);
        check(PLAIN + DOUBLING * 5 / 2, 6_000);
        check(u64::MAX, 65_536_000);
    }

    #[test]
    fn time_that_passes_counts() {
        let mut hurry = Hurry::default();
        for _ in 0..5 {
            assert_eq!(hurry.speed(2_000, 1_000_000), 2_000);
        }
        assert_eq!(hurry.speed(2_000, DOUBLING), 2_000);
        assert_eq!(hurry.speed(2_000, 0), 4_000);
    }
}
