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
