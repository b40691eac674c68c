//! The arithmetic of the buffer lessons, counted in simulated runs: when the pool is full, who waits, for how
//! long, and when memory comes back.
//!
//! Deliberately not here: the same numbers from a formula.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]

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
        {}
        "#,
        application(10_000, &format!("\"buffer.memory\" = \"{memory}\"\n\"max.request.size\" = \"16384\"\n{more}"))
    );
    timeline(&text)
}

/// The application of the lessons: records of 1,024 bytes round twelve partitions. Its workload comes last, so that
/// more of it can follow.
fn application(rate: u32, configs: &str) -> String {
    format!(
        r#"
        [[producer]]
        name = "app"
        [producer.configs]
        "linger.ms" = "1000"
        {configs}
        [producer.workload]
        topic = "events"
        key_pattern = {{ prefix = "key", first = 100, count = 900 }}
        value_size = 1018
        partitions = 12
        rate = {rate}
        "#
    )
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
    assert_eq!((at, accepted, acknowledged), (15_301_000, 153_010, 91_710));
}

#[test]
fn a_full_pool_lets_records_in_as_fast_as_they_are_taken_out() {
    let mut run = overload(33_554_432, "");
    run.advance_to(Time::from_millis(30_000));
    let at_30 = accepted(&app(&run));
    run.advance_to(Time::from_millis(60_000));
    let at_60 = accepted(&app(&run));
    // An estimate in which a batch leaves with its fifteenth record, and not once the sixteenth finds no room, gives
    // 390,464: acknowledgments come at other moments, between which a dozen records go in.
    assert_eq!(at_60, 390_477);
    assert!((at_60 - at_30).abs_diff(6_000 * 30) < 180, "{at_30}");
    // The beginning of so long a trace was dropped, and is derived again.
    let is_start = |event: &Event| matches!(event.kind, EventKind::ProducerStarted { .. });
    assert_eq!(run.events(Time::ZERO, Time::ZERO, 9, &is_start).len(), 1);
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

/// When `send` returned after a long wait, how long that was in milliseconds, and its error; from `since` on, because
/// a longer look back is a longer run.
fn long_waits(run: &mut Timeline, since: u64) -> Vec<(u64, u64, String)> {
    let (since, now) = (Time::from_millis(since), run.now());
    let accept = |event: &Event| match &event.kind {
        EventKind::Transaction(TransactionEvent::CallReturned { waited, .. }) => waited.0 > 1_000_000,
        _ => false,
    };
    let told = run.events(since, now, usize::MAX, &accept);
    let failures =
        run.events(since, now, usize::MAX, &|event: &Event| matches!(event.kind, EventKind::SendFailed { .. }));
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
    run.advance_to(Time::from_millis(120_020));
    let refused = long_waits(&mut run, 60_000);
    assert_eq!(refused.len(), 1);
    let (at, waited, error) = &refused[0];
    // At the cut the pool still has buffers for a few milliseconds.
    assert_eq!((*at, *waited), (120_012, 60_000));
    let text = "Failed to allocate 16384 bytes within the configured max blocking time 60000 ms. Total memory: \
                33554432 bytes. Available memory: 0 bytes. Poolable size: 16384 bytes";
    assert_eq!(error, text);
    run.advance_to(Time::from_millis(174_880));
    assert_eq!(app(&run).calls.len(), 1, "the next call waits");
    run.advance_to(Time::from_millis(174_890));
    let (at, waited, error) = long_waits(&mut run, 120_020).pop().unwrap();
    assert_eq!((at, waited / 10), (174_882, 5_487));
    let text = "Expiring 15 record(s) for events-";
    assert!(error.starts_with(text) && error.contains(":120000 ms has passed since batch creation"), "{error}");
}

#[test]
fn a_short_max_block_ms_fails_a_send_soon() {
    let mut run = overload(33_554_432, "\"max.block.ms\" = \"2000\"");
    run.act(Command::SetBatchTime { time: None, is_stalled: true }).unwrap();
    run.advance_to(Time::from_millis(10_000));
    let (at, waited, error) = long_waits(&mut run, 0).remove(0);
    assert_eq!((at, waited), (5_060, 2_000), "{error}");
    assert!(error.starts_with("Failed to allocate 16384 bytes within the configured max blocking time 2000 ms."));
}

/// Twelve partitions of which the last has no leader since before the first record, 500 records a second each; a
/// batch of another one is acknowledged after 5 ms. The first record is sent when the run is `LATE` old, because
/// the controller needs a while to find out that a broker is gone.
fn one_dead_leader(more: &str) -> Timeline {
    let lists: Vec<String> =
        (0..12).map(|partition| format!("[{}]", if partition < 11 { partition % 3 + 1 } else { 4 })).collect();
    let text = format!(
        r#"
        name = "one dead leader"
        [cluster]
        brokers = 4
        [network]
        delay = "2500 us"
        [[topic]]
        name = "events"
        assignment = [{}]
        {}
        start = "20 s"
        "#,
        lists.join(", "),
        application(6_000, more)
    );
    let mut run = timeline(&text);
    run.act(Command::KillBroker { broker: 4 }).unwrap();
    run.advance_to(Time(LATE));
    run
}

const LATE: u64 = 20_000_000;

/// Buffers of the partition without a leader, and of all others together.
fn held(app: &ProducerSnapshot) -> (u32, u32) {
    let of = |is_dead: bool| {
        let some = app.buffer.batches.iter().filter(|(partition, _)| (partition.partition == 11) == is_dead);
        some.map(|(_, count)| count).sum()
    };
    (of(true), of(false))
}

#[test]
fn one_partition_without_a_leader_fills_the_pool() {
    let mut run = one_dead_leader("");
    run.advance_to(Time(LATE + 60_700_000));
    let (at, accepted, acknowledged) = first_wait(&mut run);
    let of_dead = (accepted - 11) / 12;
    assert_eq!(((at - LATE) / 10_000, of_dead), (6_078, 30_390));
    assert!(accepted - acknowledged - of_dead < 11 * 30, "only the dead partition keeps its records");
}

/// The pool hands its buffers to whoever is first in line, and a caller in line makes every partition ready, so the
/// others go on with less and less until the dead one has all. An estimate that leaves their open batches where they
/// are, 2,037 buffers of the dead partition and 11 of the others, stands still at 61.115 s already; Kafka's sender
/// would take those along at once (`RecordAccumulator.batchReady`: exhausted).
#[test]
fn all_stands_still_when_the_partition_without_a_leader_has_every_buffer() {
    let mut run = one_dead_leader("");
    run.advance_to(Time(LATE + 61_115_000));
    let before = accepted(&app(&run));
    run.advance_to(Time(LATE + 61_400_000));
    assert!(accepted(&app(&run)) > before, "the others go on");
    run.advance_to(Time(LATE + 70_000_000));
    let (still, buffers) = (accepted(&app(&run)), held(&app(&run)));
    assert_eq!(buffers, (2_048, 0));
    run.advance_to(Time(LATE + 119_990_000));
    assert_eq!(accepted(&app(&run)), still);
    run.advance_to(Time(LATE + 120_010_000));
    // The others went on for 2.8 s more than in the estimate.
    let (at, waited, error) = long_waits(&mut run, 80_000).remove(0);
    assert_eq!((at, waited / 100), (140_006, 561), "{error}");
    assert!(error.starts_with("Expiring 15 record(s) for events-11:120000 ms has passed"), "{error}");
}

#[test]
fn a_short_delivery_timeout_frees_buffers_before_the_pool_is_full() {
    let mut run = one_dead_leader("\"delivery.timeout.ms\" = \"30000\"\n\"request.timeout.ms\" = \"20000\"");
    let mut most = 0;
    for millis in (1_000..30_000).step_by(1_000).chain(30_000..31_000).chain((31_000..90_000).step_by(1_000)) {
        run.advance_to(Time(LATE + millis * 1_000));
        let app = app(&run);
        assert!(app.calls.is_empty(), "{millis} ms");
        most = most.max(held(&app).0);
    }
    assert_eq!(most, 1_000);
}

/// Fifty messages in a tenth of a second, a queue of ten, a broker that takes fifty a second: how many were refused, and
/// which are in the log.
fn crowded(when_full: &str) -> (u64, Vec<String>) {
    let text = format!(
        r#"
        name = "crowded"
        [cluster]
        brokers = 1
        batch_time = "20 ms"
        [[topic]]
        name = "events"
        partitions = 1
        [[producer]]
        name = "app"
        client = "librdkafka"
        [producer.configs]
        "queue.buffering.max.messages" = "10"
        "batch.num.messages" = "1"
        [producer.workload]
        topic = "events"
        key_pattern = {{ prefix = "key", first = 100, count = 900 }}
        value = "x"
        every = "2 ms"
        count = 50
        when_full = "{when_full}"
        "#
    );
    let mut run = timeline(&text);
    run.advance_to(Time::from_millis(30_000));
    let snapshot = run.snapshot(100);
    let records = &snapshot.topics[0].partitions[0].records;
    let keys = records.iter().map(|entry| entry.record.key_text.as_deref().unwrap().to_string());
    (app(&run).failed_count, keys.collect())
}

#[test]
fn what_finds_no_room_is_lost_or_tried_again_or_put_aside() {
    let all: Vec<String> = (100..150).map(|number| format!("key{number}")).collect();
    let (refused, written) = crowded("drop");
    assert!(refused > 20 && written.len() as u64 == 50 - refused, "{refused} refused, {written:?}");
    let (refused, written) = crowded("retry");
    assert!(refused > 0 && written == all, "in order: {written:?}");
    let (refused, mut written) = crowded("spill");
    assert!(refused > 0 && written != all, "those put aside come later: {written:?}");
    written.sort();
    assert_eq!(written, all, "and none is missing");
}
