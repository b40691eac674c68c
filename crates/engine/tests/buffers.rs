//! The arithmetic of the buffer lessons, counted in simulated runs: when the pool is full, who waits, for how
//! long, and when memory comes back.
//!
//! Deliberately not here: the same numbers from a formula.

use engine::scenario::Workload;
use engine::snapshot::{ProducerSnapshot, Snapshot};
use engine::transaction::TransactionEvent;
use engine::{Command, Event, EventKind, Scenario, Time, Timeline};

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

#[test]
fn twice_the_memory_is_full_twice_as_late() {
    let mut run = overload(67_108_864, "");
    run.advance_to(Time::from_millis(15_290));
    let (at, accepted, acknowledged) = first_wait(&mut run);
    assert_eq!((at, accepted, acknowledged), (15_300_900, 153_009, 91_695));
}

#[test]
fn a_full_pool_lets_records_in_as_fast_as_they_are_taken_out() {
    let mut run = overload(33_554_432, "");
    run.advance_to(Time::from_millis(30_000));
    let at_30 = accepted(&app(&run));
    run.advance_to(Time::from_millis(60_000));
    let at_60 = accepted(&app(&run));
    assert_eq!(at_60, 390_464);
    assert!((at_60 - at_30).abs_diff(6_000 * 30) < 180, "{at_30}");
}

#[test]
fn six_thousand_in_and_out_never_fill_the_pool() {
    let mut run = overload(33_554_432, "");
    run.act(Command::SetWorkload { producer: "app".to_string(), workload: Some(workload(6_000)) }).unwrap();
    run.advance_to(Time::from_millis(30_000));
    let app = app(&run);
    assert!(app.calls.is_empty() && app.sent_count >= 179_990, "{}", app.sent_count);
    assert!(app.buffer.available_bytes > 33_554_432 - 100 * 16_384);
}

fn workload(rate: u32) -> Workload {
    Workload {
        topic: "events".to_string(),
        keys: vec!["key100".to_string()],
        value_size: Some(1_018),
        partitions: Some(12),
        rate: Some(rate),
        count: Some(u64::MAX),
        ..Workload::default()
    }
}

fn cut(run: &mut Timeline) {
    for broker in 1..=3 {
        run.act(Command::CutLink { from: "app".to_string(), to: format!("broker-{broker}") }).unwrap();
    }
}

/// When `send` returned after a long wait, how long that was in milliseconds, and its error.
fn long_waits(run: &mut Timeline) -> Vec<(u64, u64, String)> {
    let accept = |event: &Event| match &event.kind {
        EventKind::Transaction(TransactionEvent::CallReturned { waited, .. }) => waited.0 > 1_000_000,
        _ => false,
    };
    let told = run.recent(10, &accept);
    let failures = run.recent(99, &|event: &Event| matches!(event.kind, EventKind::SendFailed { .. }));
    let told = told.into_iter().map(|event| {
        let EventKind::Transaction(TransactionEvent::CallReturned { waited, .. }) = event.kind else { unreachable!() };
        let error = failures.iter().find(|failed| failed.moment == event.moment).map(|failed| match &failed.kind {
            EventKind::SendFailed { error, .. } => error.message.clone(),
            _ => String::new(),
        });
        (event.moment.time.millis(), waited.millis(), error.unwrap_or_default())
    });
    told.collect()
}

#[test]
fn a_blocked_send_fails_after_a_minute_and_the_next_one_waits_for_the_oldest_batch() {
    let mut run = overload(33_554_432, "");
    run.advance_to(Time::from_millis(60_000));
    cut(&mut run);
    run.advance_to(Time::from_millis(120_010));
    let refused = long_waits(&mut run);
    assert_eq!(refused.len(), 1);
    let (at, waited, error) = &refused[0];
    assert_eq!((at / 10, *waited), (12_000, 60_000));
    let text = "Failed to allocate 16384 bytes within the configured max blocking time 60000 ms. Total memory: \
                33554432 bytes. Available memory: 0 bytes. Poolable size: 16384 bytes";
    assert_eq!(error, text);
    run.advance_to(Time::from_millis(174_883));
    assert_eq!(app(&run).calls.len(), 1, "the next call waits");
    run.advance_to(Time::from_millis(174_890));
    let (at, waited, error) = long_waits(&mut run).pop().unwrap();
    assert_eq!((at, waited / 10), (174_884, 5_488));
    let text = "Expiring 15 record(s) for events-";
    assert!(error.starts_with(text) && error.contains(":120000 ms has passed since batch creation"), "{error}");
}

#[test]
fn a_short_max_block_ms_fails_a_send_soon() {
    let mut run = overload(33_554_432, "\"max.block.ms\" = \"2000\"");
    run.act(Command::SetBatchTime { time: None, is_stalled: true }).unwrap();
    run.advance_to(Time::from_millis(10_000));
    let (at, waited, error) = long_waits(&mut run).remove(0);
    assert_eq!((at, waited), (5_072, 2_000), "{error}");
    assert!(error.starts_with("Failed to allocate 16384 bytes within the configured max blocking time 2000 ms."));
}
