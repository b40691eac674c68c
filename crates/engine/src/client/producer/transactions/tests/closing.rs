//! `close` of a transactional producer, with and without a timeout.

use super::*;
use crate::snapshot::ProducerState;

#[test]
fn close_aborts_what_is_open() {
    let (mut stand, mut cluster) = begun(&[("linger.ms", "1000"), ("delivery.timeout.ms", "31000")]);
    send(&mut stand, 2, 0);
    call(&mut stand, 3, Calling::Close(None));
    stand.run(20, |asked| cluster.answer(&asked));
    assert_eq!(cluster.asked, ["produce 0:0 v13", "end Abort v5"]);
    assert_eq!((told(&stand, 2).as_str(), told(&stand, 3).as_str()), ("done", "done"));
}

/// How the producer ends when it is closed for 500 ms, in a transaction of one record that brokers answer or not:
/// what becomes of the record, the client's state, and what the brokers are asked.
fn check(what: &str, configs: &[(&str, &str)], mut reply: impl FnMut(&Asked) -> bool, expected: [&str; 3]) {
    let (mut stand, mut cluster) = begun(configs);
    send(&mut stand, 2, 0);
    call(&mut stand, 3, Calling::Close(Some(Duration::from_millis(500))));
    let mut answer = |asked: Asked| match reply(&asked) {
        true => cluster.answer(&asked),
        false => {
            cluster.note(&asked);
            Reply::Silence
        }
    };
    stand.run(499, &mut answer);
    assert_eq!(told(&stand, 3), "waits", "{what}");
    stand.run(30_000, &mut answer);
    assert_eq!((told(&stand, 3).as_str(), stand.client.state), ("done", ProducerState::Closed), "{what}");
    assert_eq!([told(&stand, 2).as_str(), state(&stand).name(), &cluster.asked.join(", ")], expected, "{what}");
}

#[test]
fn a_close_that_takes_too_long_leaves_the_transaction_to_its_coordinator() {
    let forced = "fails KafkaException: Producer is closed forcefully.";
    let no = |asked: &Asked| matches!(asked.payload, Payload::Metadata { .. });
    check("nobody answers", &[], no, [forced, "IN_TRANSACTION", "produce 0:0 v13"]);
    let is_end = |asked: &Asked| !matches!(asked.payload, Payload::EndTxn(_));
    let end = ["done", "ABORTING_TRANSACTION", "produce 0:0 v13, end Abort v5"];
    check("the coordinator does not answer", &[], is_end, end);
}

#[test]
fn a_close_without_time_asks_for_nothing() {
    let (mut stand, mut cluster) = begun(&[("linger.ms", "1000"), ("delivery.timeout.ms", "31000")]);
    send(&mut stand, 2, 0);
    call(&mut stand, 3, Calling::Close(Some(Duration::ZERO)));
    stand.run(5_000, |asked| cluster.answer(&asked));
    assert_eq!(told(&stand, 2), "fails KafkaException: Producer is closed forcefully.");
    assert_eq!((told(&stand, 3).as_str(), cluster.asked.len()), ("done", 0));
    assert_eq!(state(&stand), ClientState::InTransaction);
    send(&mut stand, 4, 0);
    let text = "throws IllegalStateException: Cannot perform operation after producer has been closed";
    assert_eq!(told(&stand, 4), text);
}

#[test]
fn what_was_still_to_be_asked_for_ends_with_a_fatal_error() {
    let (mut stand, mut cluster) = begun(&[("max.block.ms", "1000")]);
    send(&mut stand, 2, 0);
    call(&mut stand, 3, Calling::CommitTransaction);
    // The leader does not answer, so the commit stays behind the record.
    stand.run(1_100, |asked| match asked.payload {
        Payload::Produce(_) => Reply::Silence,
        _ => cluster.answer(&asked),
    });
    assert!(told(&stand, 3).starts_with("throws TimeoutException: Timeout expired after 1000ms while awaiting EndTxn"));
    call(&mut stand, 4, Calling::Close(Some(Duration::ZERO)));
    assert_eq!(told(&stand, 2), "fails KafkaException: Producer is closed forcefully.");
    let error = stand.client.transactions.as_ref().unwrap().error.clone();
    assert_eq!(error.map(|error| error.message), Some("The producer closed forcefully".to_string()));
    assert_eq!(state(&stand), ClientState::FatalError);
}
