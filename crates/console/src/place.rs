//! Where and when the simulated cluster is: hosts, directories, and the moment at which a run begins.
//!
//! Every tool that prints one of these asks here, so that a reader of its output can tell them.

use engine::Time;

/// Unix milliseconds of the start of every run: 2026-01-01T00:00:00Z.
pub const RUN_START: i64 = engine::time::RUN_START_MS;

/// Host and port of a broker, as in the lessons: `localhost:19092` for broker 1.
pub fn host(broker: u32) -> String {
    format!("localhost:{}", u64::from(broker) * 10_000 + 9_092)
}

/// The only log directory of a broker.
pub fn log_dir(broker: u32) -> String {
    format!("/var/lib/kafka/data-{broker}")
}

/// The broker whose log directory a path begins with, and the rest of the path.
pub(crate) fn in_log_dir(path: &str) -> Option<(u32, &str)> {
    let rest = path.strip_prefix("/var/lib/kafka/data-")?;
    let (broker, rest) = rest.split_once('/')?;
    Some((broker.parse().ok()?, rest))
}

/// Unix milliseconds of a time that counts from the start of the run.
pub(crate) fn unix_millis(millis: i64) -> i64 {
    RUN_START.saturating_add(millis)
}

/// A time of the day as the brokers' and tools' log lines begin with: `[2026-01-01 00:00:01,500]`.
pub(crate) fn log_stamp(time: Time) -> String {
    let millis = time.millis();
    let (day, of_day) = (millis / 86_400_000, millis % 86_400_000);
    let (hours, minutes, seconds) = (of_day / 3_600_000, of_day / 60_000 % 60, of_day / 1_000 % 60);
    // A run lasts 30 days at most, so it stays in January.
    format!("[2026-01-{:02} {hours:02}:{minutes:02}:{seconds:02},{:03}]", day + 1, of_day % 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_back_to_its_broker() {
        let path = format!("{}/t-0/00000000000000000000.log", log_dir(12));
        assert_eq!(in_log_dir(&path), Some((12, "t-0/00000000000000000000.log")));
        assert_eq!(in_log_dir("/var/lib/kafka/data-x/t-0/a"), None);
        assert_eq!(host(1), "localhost:19092");
    }

    #[test]
    fn a_log_line_carries_the_simulated_clock() {
        assert_eq!(log_stamp(Time::from_millis(90_061_007)), "[2026-01-02 01:01:01,007]");
    }
}
