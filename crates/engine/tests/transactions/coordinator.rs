//! The transaction coordinator as single requests see it.
//!
//! The tables of EndTxn are tested beside their code; here is what needs a log.

use crate::run::Run;

#[test]
fn the_first_request_makes_the_topic_and_gets_an_identity() {
    let mut run = Run::new("");
    assert_eq!(run.init(""), "0/0");
    assert_eq!(run.init(""), "0/1");
    assert_eq!(run.log(), ["Empty 0/0", "Empty 0/1"]);
    let topics = run.0.snapshot(1).topics;
    let topic = topics.iter().find(|topic| &*topic.name == "__transaction_state").unwrap();
    assert_eq!((topic.partitions.len(), topic.replication_factor, topic.is_internal), (50, 3, true));
}

#[test]
fn an_abort_without_partitions_raises_the_epoch() {
    let mut run = Run::new("");
    assert_eq!(run.init(""), "0/0");
    assert_eq!(run.end(5, "0/0", "commit"), "INVALID_TXN_STATE");
    assert_eq!(run.end(5, "0/0", "abort"), "0/1");
    assert_eq!(run.log(), ["Empty 0/0", "PrepareAbort 0/1", "CompleteAbort 0/1"]);
    assert_eq!(run.end(5, "0/0", "abort"), "0/1", "a repeated request gets the same answer");
    assert_eq!(run.end(5, "0/0", "commit"), "INVALID_TXN_STATE");
}

/// The log of `x` after an end, in each transaction version: markers, epochs, formats.
fn check_end(version: u16, end: &str, answer: &str, log: &[&str], value_version: u16, client: u16) {
    let mut run = Run::new(&format!("features = {{ \"transaction.version\" = {version} }}"));
    let (add, ends) = if version == 2 { (4, 5) } else { (3, 4) };
    assert_eq!(run.init(""), "0/0");
    assert_eq!(run.add(add, "0/0", "t"), "NONE");
    assert_eq!(run.add(add, "0/0", "u"), "NONE");
    assert_eq!(run.state(), "Ongoing 0/0 t-0 u-0");
    assert_eq!(run.end(ends, "0/0", end), answer);
    run.pass(100);
    assert_eq!(run.log(), log, "{version} {end}");
    let last = run.known().log.pop().unwrap();
    assert_eq!((last.value_version, last.client_transaction_version), (value_version, client));
    for topic in ["t", "u"] {
        let marker = run.partition(topic).records.pop().unwrap().origin.unwrap();
        assert_eq!(format!("{:?}", marker.marker.unwrap()).to_lowercase(), end, "{topic}");
    }
}

#[test]
fn every_version_ends_with_its_epochs_and_formats() {
    let raised = ["Empty 0/0", "Ongoing 0/0", "Ongoing 0/0", "PrepareCommit 0/1", "CompleteCommit 0/1"];
    check_end(2, "commit", "0/1", &raised, 1, 2);
    check_end(
        2,
        "abort",
        "0/1",
        &raised.map(|line| line.replace("Commit", "Abort")).each_ref().map(String::as_str),
        1,
        2,
    );
    let same = ["Empty 0/0", "Ongoing 0/0", "Ongoing 0/0", "PrepareCommit 0/0", "CompleteCommit 0/0"];
    check_end(1, "commit", "0/0", &same, 1, 0);
    check_end(0, "commit", "0/0", &same, 0, 0);
}

#[test]
fn a_new_instance_aborts_an_open_transaction_and_comes_again() {
    let mut run = Run::new("");
    assert_eq!(run.init(""), "0/0");
    assert_eq!(run.add(4, "0/0", "t"), "NONE");
    assert_eq!(run.init(""), "CONCURRENT_TRANSACTIONS");
    run.pass(100);
    assert_eq!(run.state(), "CompleteAbort 0/1");
    assert_eq!(run.init(""), "0/2");
    assert_eq!(run.end(5, "0/0", "commit"), "PRODUCER_FENCED");
    assert_eq!(run.sentences("producer_fenced").len(), 1);
}

#[test]
fn a_transaction_times_out_at_the_first_scan_after_its_timeout() {
    for (version, epoch) in [(2, "0/1"), (1, "0/1")] {
        let mut run = Run::new(&format!("features = {{ \"transaction.version\" = {version} }}"));
        assert_eq!(run.init(", \"timeout_ms\": 12000"), "0/0");
        assert_eq!(run.add(version * 2, "0/0", "t"), "NONE");
        run.until(19_999);
        assert_eq!(run.state(), "Ongoing 0/0 t-0");
        run.until(20_001);
        assert_eq!(run.state(), format!("CompleteAbort {epoch}"));
        assert_eq!(run.sentences("transaction_timed_out").len(), 1);
    }
}

#[test]
fn a_scenario_wishes_for_coordinators_and_names_the_first_producer_id() {
    for broker in 1..=3 {
        let mut run = Run::new(&format!("coordinators = {{ x = {broker} }}\nfirst_producer_id = 4001"));
        assert_eq!(run.init(""), "4001/0");
        assert_eq!(run.known().coordinator, Some(broker));
    }
}

#[test]
fn two_phase_commit_needs_the_brokers_consent_and_knows_no_timeout() {
    let two_phase = ", \"enable_2pc\": true";
    assert_eq!(Run::new("").init(two_phase), "TRANSACTIONAL_ID_AUTHORIZATION_FAILED");
    let mut run = Run::new("configs = { \"transaction.two.phase.commit.enable\" = \"true\" }");
    assert_eq!(run.init(&format!("{two_phase}, \"keep_prepared_txn\": true")), "UNSUPPORTED_VERSION");
    assert_eq!(run.init(two_phase), "0/0");
    assert_eq!(run.add(4, "0/0", "t"), "NONE");
    run.until(2_000_000);
    assert_eq!(run.state(), "Ongoing 0/0 t-0");
    assert_eq!(run.end(5, "0/0", "commit"), "0/1");
}
