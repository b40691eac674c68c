//! The coordinator's broker dies, or cannot write, in every state of a transaction.
//!
//! What a new coordinator reads is what the old one had replicated.

use crate::run::Run;

/// `x` is coordinated by broker 3, `t` is led by 1 and `u` by 2. A fenced broker is noticed within seconds.
const CLUSTER: &str = "coordinators = { x = 3 }\nconfigs = { \"broker.session.timeout.ms\" = \"3000\", \
                       \"broker.heartbeat.interval.ms\" = \"500\", \"replica.lag.time.max.ms\" = \"4000\" }";

/// Some requests, then broker 3 dies at once; the state that the next coordinator comes to, and the log.
fn check(requests: &[&str], state: &str, log: &[&str]) {
    let mut run = Run::new(CLUSTER);
    for request in requests {
        let (what, rest) = request.split_once(' ').unwrap_or((request, ""));
        let words: Vec<&str> = rest.split(' ').collect();
        match what {
            "init" => drop(run.init("")),
            "add" => assert_eq!(run.add(4, words[0], words[1]), "NONE", "{request}"),
            _ => drop(run.end(5, words[0], words[1])),
        }
    }
    run.broker("kill_broker", 3);
    run.pass(20_000);
    let known = run.known();
    assert!(known.coordinator.is_some_and(|id| id != 3), "{requests:?}: {known:?}");
    assert_eq!(run.state(), state, "{requests:?}");
    assert_eq!(run.log(), log, "{requests:?}");
    assert!(!run.sentences("coordinator_loaded").is_empty(), "{requests:?}");
}

#[test]
fn a_new_coordinator_goes_on_where_the_old_one_died() {
    check(&["init"], "Empty 0/0", &["Empty 0/0"]);
    check(&["init", "add 0/0 t"], "Ongoing 0/0 t-0", &["Empty 0/0", "Ongoing 0/0"]);
    let committed = ["Empty 0/0", "Ongoing 0/0", "PrepareCommit 0/1", "CompleteCommit 0/1"];
    check(&["init", "add 0/0 t", "end 0/0 commit"], "CompleteCommit 0/1", &committed);
    let aborted = committed.map(|line| line.replace("Commit", "Abort"));
    check(&["init", "add 0/0 t", "end 0/0 abort"], "CompleteAbort 0/1", &aborted.each_ref().map(String::as_str));
    check(&["init", "add 0/0 t", "init"], "CompleteAbort 0/1", &aborted.each_ref().map(String::as_str));
}

/// A transaction on `t` and `u` whose marker for `u` waits: broker 2, which leads `u`, stands still. Then the
/// coordinator dies, and broker 2 goes on.
fn check_waiting_marker(end: &str, marker: &str) {
    let mut run = Run::new(CLUSTER);
    run.init("");
    assert_eq!(run.add(4, "0/0", "t"), "NONE");
    assert_eq!(run.add(4, "0/0", "u"), "NONE");
    run.broker("cut_markers", 2);
    assert_eq!(run.end(5, "0/0", end), "0/1");
    run.pass(500);
    assert!(run.state().starts_with("Prepare"), "{}", run.state());
    assert_eq!(run.add(4, "0/1", "t"), "CONCURRENT_TRANSACTIONS");
    assert_eq!(run.init(""), "CONCURRENT_TRANSACTIONS");
    run.broker("kill_broker", 3);
    run.pass(20_000);
    run.broker("heal_markers", 2);
    run.pass(40_000);
    assert_eq!(run.state(), format!("Complete{marker} 0/1"));
    // The partition that had its marker got another one; readers see nothing of it.
    assert_eq!(run.markers("t"), [marker, marker]);
    assert_eq!(run.markers("u"), [marker]);
}

#[test]
fn a_new_coordinator_sends_every_marker_again() {
    check_waiting_marker("commit", "Commit");
    check_waiting_marker("abort", "Abort");
}

#[test]
fn an_id_whose_log_cannot_be_replicated_is_not_available() {
    let mut run = Run::new(CLUSTER);
    assert_eq!(run.init(""), "0/0");
    run.broker("kill_broker", 1);
    run.broker("kill_broker", 2);
    run.pass(10_000);
    // The Admin client tries as long as it may.
    assert_eq!(run.init(""), "", "its call times out");
    run.broker("start_broker", 1);
    run.pass(10_000);
    let next = run.init("");
    assert!(next.starts_with("0/"), "{next}");
}

#[test]
fn markers_of_a_partition_without_a_leader_are_skipped() {
    let mut run = Run::new(&format!("{CLUSTER}\n[[topic]]\nname = \"v\"\nassignment = [[2]]"));
    run.init("");
    assert_eq!(run.add(4, "0/0", "t"), "NONE");
    assert_eq!(run.add(4, "0/0", "v"), "NONE");
    run.broker("kill_broker", 2);
    run.pass(10_000);
    assert_eq!(run.end(5, "0/0", "commit"), "0/1");
    run.pass(1_000);
    assert_eq!(run.state(), "CompleteCommit 0/1");
    assert_eq!(run.sentences("marker_skipped").len(), 1);
}

#[test]
fn an_id_that_nobody_uses_is_forgotten() {
    let mut run = Run::new("configs = { \"transactional.id.expiration.ms\" = \"600000\" }");
    assert_eq!(run.init(""), "0/0");
    run.until(3_599_000);
    assert_eq!(run.log(), ["Empty 0/0"]);
    run.until(3_601_000);
    assert!(run.0.snapshot(99).transactions.iter().all(|known| &*known.transactional_id != "x"));
    assert_eq!(run.end(5, "0/0", "abort"), "INVALID_PRODUCER_ID_MAPPING");
    assert_eq!(run.init(""), "1/0", "it gets another producer id");
}

#[test]
fn nothing_is_queued_while_no_transaction_is_open() {
    let mut run = Run::new("");
    assert_eq!(run.init(""), "0/0");
    let before = run.0.moment().sequence;
    run.pass(600_000);
    assert!(run.0.moment().sequence - before < 20, "{} entries", run.0.moment().sequence - before);
}
