//! The arithmetic of the buffer lessons, counted in simulated runs: when the pool is full, who waits, for how
//! long, and when memory comes back.
//!
//! Deliberately not here: the same numbers from a formula.

use engine::snapshot::{ProducerSnapshot, Snapshot};
use engine::{Scenario, Time, Timeline};

/// Twelve partitions on three brokers, 10,000 records a second, 6,000 of them taken. A request carries one
/// batch, and batches leave when they are full, not when they have lingered.
fn overload(memory: u64, more: &str) -> Timeline {
    let text = format!(
        r#"
        name = "overload"
        [cluster]
        brokers = 3
        batch_time = "2500 us"
        [[topic]]
        name = "events"
        partitions = 12
        replication_factor = 1
        [[producer]]
        name = "app"
        [producer.configs]
        "buffer.memory" = "{memory}"
        "max.request.size" = "16384"
        "linger.ms" = "1000"
        {more}
        [producer.workload]
        topic = "events"
        key_pattern = {{ prefix = "key", first = 100, count = 900 }}
        value_size = 1018
        partitions = 12
        rate = 10000
        "#
    );
    timeline(&text)
}

fn timeline(text: &str) -> Timeline {
    let scenario: Scenario = toml::from_str(text).unwrap();
    Timeline::new(scenario, ()).unwrap()
}

fn app(timeline: &Timeline) -> ProducerSnapshot {
    let Snapshot { producers, .. } = timeline.snapshot(0);
    producers.into_iter().next().unwrap()
}

fn accepted(app: &ProducerSnapshot) -> u64 {
    app.sent_count - app.calls.len() as u64
}

/// Runs until `send` waits for memory for the first time: when, and records accepted and acknowledged by then.
fn first_wait(timeline: &mut Timeline) -> (u64, u64, u64) {
    loop {
        assert!(timeline.step_entry());
        let app = app(timeline);
        if !app.calls.is_empty() && timeline.now() > Time::ZERO {
            return (timeline.now().0, accepted(&app), app.acknowledged_count);
        }
    }
}

#[test]
fn the_pool_is_full_after_7_615_seconds() {
    let mut run = overload(33_554_432, "");
    run.advance_to(Time::from_millis(7_600));
    let (at, accepted, acknowledged) = first_wait(&mut run);
    assert_eq!((at, accepted, acknowledged), (7_615_100, 76_151, 45_585));
    let buffer = app(&run).buffer;
    let held: u32 = buffer.batches.iter().map(|(_, count)| count).sum();
    assert_eq!((accepted - acknowledged, held, buffer.available_bytes), (30_566, 2_048, 0));
}
