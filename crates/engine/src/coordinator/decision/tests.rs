//! The tables of InitProducerId, AddPartitionsToTxn and EndTxn, as data.
//!
//! What is written and who is answered is tested from outside.

use super::*;
use crate::coordinator::metadata::EPOCH_MAX;

const NOW: Time = Time::from_millis(5_000);
const MINUTE: Duration = Duration::from_secs(60);
/// The producer id of all cases.
const ID: u64 = 7;

fn known(state: TransactionState, epoch: u16) -> TransactionMetadata {
    let mut known = TransactionMetadata::new("x".into(), ID, MINUTE, Time::ZERO);
    known.previous_producer_id = Some(ID);
    known.epoch = Some(epoch);
    known.state = state;
    known.client_version = 2;
    if state == TransactionState::Ongoing {
        known.partitions.insert(partition());
        known.started = Some(Time::from_millis(1_000));
    }
    known
}

fn partition() -> TopicPartition {
    TopicPartition { topic: "t".into(), partition: 0 }
}

fn identity(producer_id: u64, epoch: u16) -> ProducerIdentity {
    ProducerIdentity { producer_id, epoch }
}

/// A decision in short: the step's state and identity, or the error.
fn short(decision: Decision) -> String {
    match decision {
        Decision::Write(step) => format!("{} {}/{}", step.state.name(), step.producer_id, step.epoch),
        Decision::Fence(identity) => format!("fence {}/{}", identity.producer_id, identity.epoch),
        Decision::Done => "done".to_string(),
        Decision::Refuse(refusal) => refusal.error().error,
    }
}

fn ended(known: &mut TransactionMetadata, asked: ProducerIdentity, end: MarkerKind, version: u16) -> String {
    let asked = End { identity: asked, end, is_from_client: true, version };
    short(super::end(known, asked, NOW, || 99).0)
}

/// EndTxn of version 2 at epoch 5: an abort by epoch 4 (a repeated request) and 5, then a commit by the same.
fn check_version_2(state: TransactionState, expected: [&str; 4]) {
    let cases = [(MarkerKind::Abort, 4), (MarkerKind::Abort, 5), (MarkerKind::Commit, 4), (MarkerKind::Commit, 5)];
    let found = cases.map(|(end, epoch)| ended(&mut known(state, 5), identity(ID, epoch), end, 2));
    assert_eq!(found, expected, "{state:?}");
}

#[test]
fn ends_of_version_2_follow_the_table() {
    use TransactionState::{CompleteAbort, CompleteCommit, Empty, Ongoing, PrepareAbort, PrepareCommit};
    let (fenced, invalid, busy) = ("PRODUCER_FENCED", "INVALID_TXN_STATE", "CONCURRENT_TRANSACTIONS");
    let (abort, commit) = ("PrepareAbort 7/6", "PrepareCommit 7/6");
    check_version_2(Empty, [fenced, abort, fenced, invalid]);
    check_version_2(Ongoing, [fenced, abort, fenced, commit]);
    check_version_2(PrepareCommit, [invalid, fenced, busy, fenced]);
    check_version_2(PrepareAbort, [busy, fenced, invalid, fenced]);
    check_version_2(CompleteCommit, [invalid, abort, "done", invalid]);
    check_version_2(CompleteAbort, ["done", abort, invalid, invalid]);
}

/// EndTxn of version 1 at the current epoch: an abort, and a commit.
fn check_version_1(state: TransactionState, expected: [&str; 2]) {
    let found = [MarkerKind::Abort, MarkerKind::Commit].map(|end| ended(&mut known(state, 5), identity(ID, 5), end, 0));
    assert_eq!(found, expected, "{state:?}");
    for epoch in [4, 6] {
        let found = ended(&mut known(state, 5), identity(ID, epoch), MarkerKind::Abort, 0);
        assert_eq!(found, "PRODUCER_FENCED", "{state:?} at {epoch}");
    }
    let found = ended(&mut known(state, 5), identity(8, 5), MarkerKind::Abort, 0);
    assert_eq!(found, "INVALID_PRODUCER_ID_MAPPING", "{state:?}");
}

#[test]
fn ends_of_version_1_follow_the_table() {
    use TransactionState::{CompleteAbort, CompleteCommit, Empty, Ongoing, PrepareAbort, PrepareCommit};
    let (invalid, busy) = ("INVALID_TXN_STATE", "CONCURRENT_TRANSACTIONS");
    check_version_1(Empty, [invalid, invalid]);
    check_version_1(Ongoing, ["PrepareAbort 7/5", "PrepareCommit 7/5"]);
    check_version_1(PrepareCommit, [invalid, busy]);
    check_version_1(PrepareAbort, [busy, invalid]);
    check_version_1(CompleteCommit, [invalid, "done"]);
    check_version_1(CompleteAbort, ["done", invalid]);
}

#[test]
fn a_step_on_its_way_comes_first_in_version_2_and_third_in_version_1() {
    let pending = || {
        let mut known = known(TransactionState::Empty, 5);
        known.pending = Some(TransactionState::Ongoing);
        known
    };
    let (busy, stranger) = ("CONCURRENT_TRANSACTIONS", identity(8, 5));
    assert_eq!(ended(&mut pending(), stranger, MarkerKind::Commit, 2), busy);
    assert_eq!(ended(&mut pending(), stranger, MarkerKind::Commit, 0), "INVALID_PRODUCER_ID_MAPPING");
    assert_eq!(ended(&mut pending(), identity(ID, 5), MarkerKind::Commit, 0), busy);
    assert_eq!(short(init(&mut pending(), MINUTE, None, NOW, || 99)), busy);
    let added = add_partitions(&mut pending(), stranger, &[partition()], 2, NOW);
    assert_eq!(short(added), busy);
}

#[test]
fn the_last_epoch_of_a_producer_id_ends_with_a_new_one() {
    let last = EPOCH_MAX - 1;
    let mut known = known(TransactionState::Ongoing, last);
    let asked = End { identity: identity(ID, last), end: MarkerKind::Commit, is_from_client: true, version: 2 };
    let (Decision::Write(step), false) = end(&mut known, asked, NOW, || 99) else { panic!("it is a plain commit") };
    assert_eq!((step.identity(), step.next_producer_id), (identity(ID, EPOCH_MAX), Some(99)));
    known.complete(&step);
    let step = known.prepare_complete(NOW);
    assert_eq!((step.identity(), step.last_epoch, step.next_producer_id), (identity(99, 0), Some(last), None));
    known.complete(&step);
    // The client repeats its request with the identity that it had.
    assert_eq!(ended(&mut known, identity(ID, last), MarkerKind::Commit, 2), "done");
    let repeated = init(&mut known, MINUTE, Some(identity(ID, last)), NOW, || 100);
    assert_eq!(short(repeated), "Empty 99/0");
}

/// InitProducerId at epoch 5 after epoch 4, for an expected identity.
fn check_init(state: TransactionState, epoch: u16, expected: Option<ProducerIdentity>, answer: &str) {
    let mut known = known(state, epoch);
    known.last_epoch = Some(4);
    assert_eq!(short(init(&mut known, MINUTE, expected, NOW, || 99)), answer, "{state:?} {expected:?}");
}

#[test]
fn instances_that_start_follow_the_table() {
    use TransactionState::{CompleteAbort, CompleteCommit, Empty, Ongoing, PrepareAbort, PrepareCommit};
    for state in [Empty, CompleteCommit, CompleteAbort] {
        check_init(state, 5, None, "Empty 7/6");
        check_init(state, 5, Some(identity(ID, 5)), "Empty 7/6");
        check_init(state, 5, Some(identity(ID, 4)), "Empty 7/5");
        check_init(state, 5, Some(identity(ID, 3)), "PRODUCER_FENCED");
        check_init(state, 5, Some(identity(8, 5)), "PRODUCER_FENCED");
        check_init(state, EPOCH_MAX - 1, None, "Empty 99/0");
    }
    for state in [PrepareCommit, PrepareAbort] {
        check_init(state, 5, None, "CONCURRENT_TRANSACTIONS");
    }
    check_init(Ongoing, 5, None, "fence 7/6");
    check_init(Ongoing, 5, Some(identity(ID, 5)), "fence 7/6");
}

#[test]
fn a_new_id_starts_at_epoch_0_whatever_the_instance_expects() {
    let new = || TransactionMetadata::new("x".into(), ID, MINUTE, Time::ZERO);
    assert_eq!(short(init(&mut new(), MINUTE, None, NOW, || 99)), "Empty 7/0");
    assert_eq!(short(init(&mut new(), MINUTE, Some(identity(3, 9)), NOW, || 99)), "Empty 7/0");
}

/// A fence in a version: the epoch of the abort, the one before it, and the same once more after the first could
/// not be written.
fn check_fence(version: u16, epoch: u16, last: Option<u16>) {
    let fence = |known: &mut TransactionMetadata| {
        let identity = known.prepare_fence(NOW).identity();
        let asked = End { identity, end: MarkerKind::Abort, is_from_client: false, version };
        match end(known, asked, NOW, || 99) {
            (Decision::Write(step), true) => step,
            other => panic!("{other:?}"),
        }
    };
    let mut known = known(TransactionState::Ongoing, 5);
    let step = fence(&mut known);
    assert_eq!((step.epoch, step.last_epoch), (epoch, last), "version {version}");
    known.pending = None;
    known.has_failed_fence = true;
    assert_eq!(fence(&mut known).epoch, epoch, "version {version} again");
}

#[test]
fn a_fence_raises_the_epoch_once() {
    check_fence(2, 6, Some(5));
    check_fence(0, 6, None);
}

/// AddPartitionsToTxn in a state, by an identity.
fn check_added(state: TransactionState, asked: ProducerIdentity, topic: &str, answer: &str) {
    let mut known = known(state, 5);
    let partition = TopicPartition { topic: topic.into(), partition: 0 };
    assert_eq!(short(add_partitions(&mut known, asked, &[partition], 2, NOW)), answer, "{state:?} {topic}");
}

#[test]
fn partitions_follow_the_table() {
    use TransactionState::{CompleteCommit, Empty, Ongoing, PrepareAbort, PrepareCommit};
    check_added(Empty, identity(8, 5), "t", "INVALID_PRODUCER_ID_MAPPING");
    check_added(Empty, identity(ID, 4), "t", "PRODUCER_FENCED");
    check_added(PrepareCommit, identity(ID, 5), "t", "CONCURRENT_TRANSACTIONS");
    check_added(PrepareAbort, identity(ID, 5), "t", "CONCURRENT_TRANSACTIONS");
    check_added(Ongoing, identity(ID, 5), "t", "done");
    check_added(Ongoing, identity(ID, 5), "u", "Ongoing 7/5");
    check_added(Empty, identity(ID, 5), "t", "Ongoing 7/5");
    check_added(CompleteCommit, identity(ID, 5), "t", "Ongoing 7/5");
}

#[test]
fn a_verification_meets_a_transaction_that_is_being_ended() {
    use TransactionState::{CompleteCommit, Empty, Ongoing, PrepareAbort, PrepareCommit};
    let check = |state, asked, expected: Option<&str>| {
        let found = check_identity(&known(state, 5), asked).map(|refusal| refusal.error().error);
        assert_eq!(found.as_deref(), expected, "{state:?}, {asked:?}");
    };
    for state in [PrepareCommit, PrepareAbort] {
        check(state, identity(ID, 5), Some("CONCURRENT_TRANSACTIONS"));
        check(state, identity(ID, 4), Some("PRODUCER_FENCED"));
        check(state, identity(8, 5), Some("INVALID_PRODUCER_ID_MAPPING"));
    }
    for state in [Empty, Ongoing, CompleteCommit] {
        check(state, identity(ID, 5), None);
    }
}
