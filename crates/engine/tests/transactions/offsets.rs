//! Offsets of groups inside transactions.
//!
//! Which write wins is tested beside the state of a group; here it comes through the log.

use engine::Status;

use crate::run::Run;

/// The committed offset of `t-0` in the group `g`, and how many transactions have one open.
fn offsets(run: &Run) -> (Option<u64>, usize) {
    let groups = run.0.snapshot(1).group_offsets;
    let group = groups.into_iter().find(|group| &*group.group == "g");
    group.map_or((None, 0), |group| (group.committed.first().map(|(_, offset)| *offset), group.pending.len()))
}

fn call(run: &mut Run, what: &str, producer: &str) {
    let outcome = run.act(&format!(r#"{{ "do": "{what}", "producer": "{producer}" }}"#));
    assert_eq!(outcome.status, Status::Done, "{what}: {:?}", outcome.error);
    run.pass(200);
}

fn send_offset(run: &mut Run, producer: &str, offset: u64, fields: &str) -> Option<engine::KafkaError> {
    let json = format!(
        r#"{{ "do": "send_offsets_to_transaction", "producer": "{producer}", "group": "g",
             "offsets": {{ "t-0": {offset} }}{fields} }}"#
    );
    let error = run.act(&json).error;
    run.pass(200);
    error
}

/// A cluster with two producers in a transaction each.
fn two_producers(version: u16) -> Run {
    let mut run = Run::new(&format!("features = {{ \"transaction.version\" = {version} }}"));
    for producer in ["a", "b"] {
        run.act(&format!(
            r#"{{ "do": "producer", "name": "{producer}", "configs": {{ "transactional.id": "x-{producer}" }} }}"#
        ));
        call(&mut run, "init_transactions", producer);
        call(&mut run, "begin_transaction", producer);
    }
    run
}

#[test]
fn offsets_count_when_their_transaction_is_committed_and_the_later_write_wins() {
    for version in 0..=2 {
        let mut run = two_producers(version);
        assert_eq!(send_offset(&mut run, "a", 5, ""), None);
        assert_eq!(send_offset(&mut run, "b", 9, ""), None);
        assert_eq!(offsets(&run), (None, 2));
        call(&mut run, "commit_transaction", "b");
        assert_eq!(offsets(&run), (Some(9), 1));
        call(&mut run, "commit_transaction", "a");
        assert_eq!(offsets(&run), (Some(9), 0));
        call(&mut run, "begin_transaction", "a");
        assert_eq!(send_offset(&mut run, "a", 11, ""), None);
        call(&mut run, "abort_transaction", "a");
        assert_eq!(offsets(&run), (Some(9), 0));
    }
}

#[test]
fn a_member_that_the_group_does_not_know_is_refused_after_the_partition_has_joined() {
    let mut run = two_producers(2);
    let error = send_offset(&mut run, "a", 7, r#", "generation": 5, "member": "consumer-1""#).unwrap();
    assert_eq!(error.exception, "CommitFailedException");
    let known = run.0.snapshot(99).transactions.into_iter().find(|known| &*known.transactional_id == "x-a").unwrap();
    assert!(known.partitions[0].topic.starts_with("__consumer_offsets"), "{known:?}");
    call(&mut run, "abort_transaction", "a");
    assert_eq!(offsets(&run), (None, 0));
}

#[test]
fn a_new_coordinator_of_the_group_reads_open_and_committed_offsets() {
    let mut run = two_producers(2);
    assert_eq!(send_offset(&mut run, "a", 5, ""), None);
    call(&mut run, "commit_transaction", "a");
    assert_eq!(send_offset(&mut run, "b", 8, ""), None);
    let coordinator = run.0.snapshot(1).group_offsets[0].coordinator.unwrap();
    run.broker("kill_broker", coordinator);
    run.pass(20_000);
    let next = run.0.snapshot(1).group_offsets[0].coordinator.unwrap();
    assert_ne!(next, coordinator);
    assert_eq!(offsets(&run), (Some(5), 1));
    call(&mut run, "commit_transaction", "b");
    run.pass(2_000);
    assert_eq!(offsets(&run), (Some(8), 0));
}

/// The error in the answer to AddOffsetsToTxn of an instance that another one has fenced.
fn check_fenced_offsets(client: &str, expected: &str) {
    let mut run = Run::new("features = { \"transaction.version\" = 1 }");
    for producer in ["a", "b"] {
        run.act(&format!(
            r#"{{ "do": "producer", "name": "{producer}", "client": "{client}",
                  "configs": {{ "transactional.id": "x" }} }}"#
        ));
        call(&mut run, "init_transactions", producer);
        if producer == "a" {
            call(&mut run, "begin_transaction", "a");
        }
    }
    let error = send_offset(&mut run, "a", 7, "").expect("it is fenced");
    assert!(error.error == "_FENCED" || error.exception == "ProducerFencedException", "{client}: {error:?}");
    let is_answer = |event: &engine::Event| match &event.kind {
        engine::EventKind::MessageArrived { message } => {
            message.api == engine::event::Api::AddOffsetsToTxn && message.is_response
        }
        _ => false,
    };
    let answers = run.0.events(engine::Time::ZERO, engine::Time::MAX, 9, &is_answer);
    let Some(engine::EventKind::MessageArrived { message }) = answers.first().map(|event| &event.kind) else {
        panic!("{client}: no answer")
    };
    assert_eq!(message.error.as_ref().map(|error| error.error.as_str()), Some(expected), "{client}");
}

#[test]
fn an_old_version_of_add_offsets_does_not_know_fencing_by_name() {
    check_fenced_offsets("librdkafka", "INVALID_PRODUCER_EPOCH");
    check_fenced_offsets("java", "PRODUCER_FENCED");
}
