//! Transactions at the leaders of partitions: verification, markers, and what readers see.
//!
//! Producers are single requests here, so that every version of them can be sent.

use engine::snapshot::Fate;

use crate::run::Run;

/// What came of a Produce request: its first offset, or the error's name and text.
fn produce(run: &mut Run, version: u16, id: &str, identity: &str, topic: &str, sequence: i32) -> String {
    let (producer_id, epoch) = identity.split_once('/').unwrap();
    let outcome = run.act(&format!(
        r#"{{ "do": "request", "request": "produce", {id} "partition": {{ "topic": "{topic}", "partition": 0 }},
              "producer_id": {producer_id}, "epoch": {epoch}, "base_sequence": {sequence}, "records": 1,
              "value_prefix": "v", "api_version": {version}, "acks": -1 }}"#
    ));
    match outcome.error {
        Some(error) => format!("{}: {}", error.error, error.message),
        None => outcome.record.unwrap().offset.unwrap().to_string(),
    }
}

/// A record in the transaction of `x`.
fn send(run: &mut Run, version: u16, identity: &str, topic: &str, sequence: i32) -> String {
    produce(run, version, r#""transactional_id": "x","#, identity, topic, sequence)
}

/// High watermark and last stable offset of a topic.
fn bounds(run: &Run, topic: &str) -> (u64, u64) {
    let partition = run.partition(topic);
    (partition.high_watermark, partition.last_stable_offset)
}

fn is(found: &str, error: &str) {
    assert_eq!(found.split(':').next(), Some(error), "{found}");
}

const NO_VERIFICATION: &str = "configs = { \"transaction.partition.verification.enable\" = \"false\" }";

#[test]
fn leaders_verify_or_add_partitions_by_the_version_of_the_request() {
    let mut run = Run::new("");
    assert_eq!(run.init(""), "0/0");
    is(&send(&mut run, 11, "0/0", "t", 0), "TRANSACTION_ABORTABLE");
    let text = "INVALID_TXN_STATE: Partition was not added to the transaction";
    assert_eq!(send(&mut run, 10, "0/0", "t", 0), text);
    is(&send(&mut run, 12, "0/0", "t", 4), "OUT_OF_ORDER_SEQUENCE_NUMBER");
    assert_eq!(send(&mut run, 12, "0/0", "t", 0), "0");
    assert_eq!(run.state(), "Ongoing 0/0 t-0");
    assert_eq!(send(&mut run, 11, "0/0", "t", 1), "1", "what is open here needs no verification");
    is(&send(&mut run, 12, "7/0", "u", 0), "INVALID_PRODUCER_ID_MAPPING");
    is(&send(&mut run, 12, "0/3", "u", 0), "INVALID_PRODUCER_EPOCH");
    assert_eq!(bounds(&run, "t"), (2, 0));
}

#[test]
fn a_marker_decides_what_was_open() {
    for (end, fate) in [("commit", Fate::Committed), ("abort", Fate::Aborted)] {
        let mut run = Run::new("");
        assert_eq!(run.init(""), "0/0");
        assert_eq!(send(&mut run, 12, "0/0", "t", 0), "0");
        let fate_of = |run: &Run| run.partition("t").records[0].origin.as_ref().unwrap().fate;
        assert_eq!((fate_of(&run), bounds(&run, "t")), (Some(Fate::Open), (1, 0)));
        assert_eq!(run.end(5, "0/0", end), "0/1");
        run.pass(50);
        assert_eq!((fate_of(&run), bounds(&run, "t")), (Some(fate), (2, 2)), "{end}");
        assert_eq!(run.partition("t").aborted.len(), usize::from(end == "abort"));
        assert_eq!(run.sentences("last_stable_offset_advanced").len(), 1);
        is(&send(&mut run, 12, "0/0", "t", 1), "INVALID_PRODUCER_EPOCH");
    }
}

#[test]
fn readers_of_committed_data_see_nothing_open_or_aborted() {
    let reader = |name: &str, level: &str| {
        format!(
            "[[consumer]]\nname = \"{name}\"\nassign = [\"t\"]\nconfigs = {{ \"isolation.level\" = \"{level}\" }}\n"
        )
    };
    let readers = reader("all", "read_uncommitted") + &reader("committed", "read_committed");
    let mut run = Run::new(&readers);
    let seen = |run: &Run| {
        let consumers = run.0.snapshot(9).consumers;
        let offsets = consumers.iter().map(|consumer| consumer.recent.iter().map(|read| read.offset).collect());
        offsets.collect::<Vec<Vec<u64>>>()
    };
    assert_eq!(run.init(""), "0/0");
    assert_eq!(send(&mut run, 12, "0/0", "t", 0), "0");
    assert_eq!(produce(&mut run, 12, "", "5/0", "t", 0), "1");
    run.pass(100);
    assert_eq!(seen(&run), [vec![0, 1], vec![]]);
    assert_eq!(run.end(5, "0/0", "abort"), "0/1");
    run.pass(100);
    assert_eq!(seen(&run), [vec![0, 1], vec![1]]);
    assert_eq!(send(&mut run, 12, "0/1", "t", 0), "3");
    assert_eq!(run.end(5, "0/1", "commit"), "0/2");
    run.pass(100);
    assert_eq!(seen(&run), [vec![0, 1, 3], vec![1, 3]]);
    let consumers = run.0.snapshot(9).consumers;
    let positions: Vec<u64> = consumers.iter().map(|consumer| consumer.positions[0].position).collect();
    assert_eq!(positions, [5, 5], "positions move over markers");
    assert_eq!(consumers[1].skipped_count, 1);
}

#[test]
fn without_verification_a_transaction_can_hang_and_is_aborted_by_hand() {
    let mut run = Run::new(NO_VERIFICATION);
    assert_eq!(run.init(""), "0/0");
    assert_eq!(send(&mut run, 11, "0/0", "t", 0), "0");
    assert_eq!((run.state().as_str(), bounds(&run, "t")), ("Empty 0/0", (1, 0)));
    let abort = r#""request": "abort_partition", "partition": { "topic": "t", "partition": 0 }, "producer_id": 0,
                   "epoch": 0, "coordinator_epoch": 0"#;
    assert_eq!(run.request(abort), "NONE");
    run.pass(50);
    assert_eq!(bounds(&run, "t"), (2, 2));
    assert_eq!(run.partition("t").producers[0].epoch, 0, "the marker has the producer's own epoch");
    assert_eq!(send(&mut run, 12, "0/0", "u", 0), "0", "version 12 asks the coordinator all the same");
    assert_eq!(run.state(), "Ongoing 0/0 u-0");
}

#[test]
fn an_open_transaction_moves_with_the_leader() {
    let mut run = Run::new("");
    assert_eq!(run.init(""), "0/0");
    assert_eq!(send(&mut run, 12, "0/0", "t", 0), "0");
    run.pass(600);
    run.broker("kill_broker", 1);
    run.pass(20_000);
    let partition = run.partition("t");
    assert_ne!(partition.leader, Some(1));
    assert_eq!((partition.last_stable_offset, partition.producers[0].transaction_start), (0, Some(0)));
    assert_eq!(send(&mut run, 12, "0/0", "t", 1), "1");
    assert_eq!(run.end(5, "0/0", "commit"), "0/1");
    run.pass(500);
    assert_eq!(bounds(&run, "t"), (3, 3));
}

#[test]
fn a_transaction_that_is_still_being_ended_is_asked_for_again_for_a_while() {
    // Markers of `u` cannot be written as long as too few replicas are in sync.
    let mut run = Run::new("");
    assert_eq!(run.init(""), "0/0");
    assert_eq!(send(&mut run, 12, "0/0", "t", 0), "0");
    assert_eq!(send(&mut run, 12, "0/0", "u", 0), "0");
    run.act(r#"{ "do": "alter_topic_config", "topic": "u", "name": "min.insync.replicas", "value": "3" }"#);
    run.broker("kill_broker", 1);
    run.pass(40_000);
    assert_eq!(run.end(5, "0/0", "commit"), "0/1");
    run.pass(500);
    assert_eq!(run.state(), "PrepareCommit 0/1 u-0");
    let before = run.0.now();
    is(&send(&mut run, 12, "0/1", "t", 0), "CONCURRENT_TRANSACTIONS");
    let waited = run.0.now().since(before).millis();
    assert!((100..140).contains(&waited), "asked for {waited} ms");
}
