//! Every crash at every point of a transaction, in settings that run beside each other.
//!
//! The cases and their rules are in `tests::crash`.

use engine::transaction::MarkerKind;
use tests::crash::{Setting, run};

fn check(partitions: u32, transaction_version: u16, end: MarkerKind) {
    let cases = run(Setting { partitions, transaction_version, end });
    assert!(cases > 300, "only {cases} cases: has the transaction lost its events?");
}

#[test]
fn a_commit_over_one_partition_survives_every_crash() {
    check(1, 2, MarkerKind::Commit);
    check(1, 1, MarkerKind::Commit);
}

#[test]
fn an_abort_over_one_partition_survives_every_crash() {
    check(1, 2, MarkerKind::Abort);
    check(1, 1, MarkerKind::Abort);
}

#[test]
fn a_commit_over_three_partitions_survives_every_crash() {
    check(3, 2, MarkerKind::Commit);
}

#[test]
fn an_abort_over_three_partitions_survives_every_crash() {
    check(3, 2, MarkerKind::Abort);
}

#[test]
fn old_clients_survive_every_crash_over_three_partitions() {
    check(3, 1, MarkerKind::Commit);
    check(3, 1, MarkerKind::Abort);
}
