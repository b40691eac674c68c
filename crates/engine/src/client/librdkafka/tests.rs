//! librdkafka's producer among brokers that the test plays.
//!
//! Whole clusters are tested with recordings.

use std::rc::Rc;

use super::*;
use crate::client::producer::calls::{Calling, OffsetsToSend};
use crate::client::stand::{Asked, Client, Reply, Stand, error, image, producer_plan};
use crate::event::{EventKind, TopicPartition};
use crate::message::{Payload, Produce, ProducerIdentity};
use crate::queue::Timer;
use crate::storage::batch::ProducerStamp;

impl Client for Librdkafka {
    fn wake(&mut self, timer: Timer, outbox: &mut Outbox) {
        assert_eq!(timer, Timer::Wake);
        self.rang(outbox);
    }

    fn receive(&mut self, answer: &Payload, outbox: &mut Outbox) {
        Librdkafka::receive(self, answer, outbox);
    }

    fn refused(&mut self, broker: u32, outbox: &mut Outbox) {
        self.broker_disconnected(broker, outbox);
    }
}

fn producer(configs: &[(&str, &str)]) -> Stand<Librdkafka> {
    let mut stand = Stand::new(Librdkafka::new(0, producer_plan("librdkafka", configs), 1));
    stand.act(|producer, outbox| producer.start(outbox));
    stand
}

/// Hands over a value of that many bytes for a partition, as a command of that number.
fn produce(stand: &mut Stand<Librdkafka>, command: u64, value_size: u32, partition: i32) {
    let outgoing = Outgoing {
        topic: "t".into(),
        key: None,
        value: Some("v".into()),
        value_size,
        partition: Some(partition),
        timestamp: None,
        headers: None,
        classes: [None, None],
        command: Some(command),
    };
    stand.act(|producer, outbox| producer.produce(outgoing, outbox));
}

/// What came of a command: nothing yet, `written`, or the error's name.
fn outcome(stand: &Stand<Librdkafka>, command: u64) -> String {
    match stand.outcome(command) {
        None => String::new(),
        Some(outcome) => outcome.error.map_or_else(|| "written".to_string(), |error| error.error),
    }
}

type Batch = (Option<ProducerStamp>, usize);

/// Answers as healthy brokers would, with broker 1 as the leader of the only partition; batches are the test's.
fn healthy(asked: &Asked, mut take: impl FnMut(Batch) -> Result<Option<u64>, KafkaError>) -> Reply {
    let request = asked.request;
    Reply::Answer(match asked.payload {
        Payload::Metadata { .. } => Payload::MetadataAnswer { request, image: image(&[(Some(1), 0)]) },
        Payload::InitProducerId { .. } => {
            Payload::InitProducerIdAnswer { request, result: Ok(ProducerIdentity { producer_id: 7, epoch: 0 }) }
        }
        Payload::Produce(Produce { batches, .. }) => {
            let results = batches.iter().map(|batch| take((batch.stamp, batch.view.records.len())));
            Payload::ProduceAnswer { request, results: results.collect() }
        }
        other => panic!("{other:?}"),
    })
}

#[test]
fn a_message_takes_its_place_until_its_report_is_served() {
    let mut stand = producer(&[("queue.buffering.max.messages", "2")]);
    stand.act(|producer, outbox| producer.set_polling(false, outbox));
    (0..3).for_each(|command| produce(&mut stand, command, 10, 0));
    assert_eq!(outcome(&stand, 2), "_QUEUE_FULL", "at once, before anything is known of the topic");
    stand.run(100, |asked| healthy(&asked, |_| Ok(Some(0))));
    produce(&mut stand, 3, 10, 0);
    assert_eq!([0, 3].map(|command| outcome(&stand, command)), ["", "_QUEUE_FULL"], "written, not reported");
    assert_eq!(stand.client.outq_len(), 3, "two messages, and one batch of reports");
    stand.act(|producer, outbox| producer.poll(outbox));
    produce(&mut stand, 4, 10, 0);
    assert_eq!([0, 1, 4].map(|command| outcome(&stand, command)), ["written", "written", ""]);
}

#[test]
fn values_count_for_the_bytes_of_the_queue_and_headers_for_the_largest_message() {
    let check = |configs: &[(&str, &str)], size: u32, expected: &str| {
        let mut stand = producer(configs);
        produce(&mut stand, 0, size, 0);
        assert_eq!(outcome(&stand, 0), expected, "{configs:?} {size}");
    };
    check(&[("queue.buffering.max.kbytes", "1")], 1_024, "");
    check(&[("queue.buffering.max.kbytes", "1")], 1_025, "_QUEUE_FULL");
    check(&[], 999_964, "");
    check(&[], 999_965, "MSG_SIZE_TOO_LARGE");
}

#[test]
fn full_batches_leave_at_once_and_the_last_one_lingers() {
    let check = |configs: &[(&str, &str)], count: u64, size: u32, expected: &[(u64, usize)]| {
        let mut stand = producer(configs);
        produce(&mut stand, 999, 10, 0);
        stand.run(1_000, |asked| healthy(&asked, |_| Ok(Some(0))));
        (0..count).for_each(|command| produce(&mut stand, command, size, 0));
        let mut batches = Vec::new();
        stand.run(2_000, |asked| {
            let now = asked.now.millis() - 1_000;
            healthy(&asked, |(_, count)| {
                batches.push((now, count));
                Ok(Some(0))
            })
        });
        assert_eq!(batches, expected, "{configs:?}");
    };
    // Batches that librdkafka 2.16.0 made of the same messages.
    let by_size = [("linger.ms", "200"), ("batch.size", "16384")];
    check(&by_size, 60, 1_000, &[(0, 16), (0, 16), (0, 16), (200, 12)]);
    check(&[("linger.ms", "50"), ("batch.size", "1000")], 35, 100, &[(0, 7), (0, 7), (0, 7), (0, 7), (50, 7)]);
    check(&[("linger.ms", "50"), ("batch.num.messages", "1")], 2, 100, &[(0, 1), (0, 1)]);
    check(&[("linger.ms", "0")], 100, 100, &[(0, 100)]);
}

#[test]
fn partitions_take_turns_when_the_limit_of_requests_in_flight_stops_a_pass() {
    let mut stand = producer(&[("max.in.flight", "1"), ("batch.num.messages", "1")]);
    (0..6).for_each(|command| produce(&mut stand, command, 10, command as i32 % 3));
    let mut order = Vec::new();
    stand.run(5_000, |asked| match asked.payload {
        Payload::Metadata { .. } => {
            let partitions = [(Some(1), 0), (Some(1), 0), (Some(1), 0)];
            Reply::Answer(Payload::MetadataAnswer { request: asked.request, image: image(&partitions) })
        }
        Payload::Produce(Produce { batches, .. }) => {
            order.extend(batches.iter().map(|batch| batch.view.partition.partition));
            healthy(&asked, |_| Ok(Some(0)))
        }
        _ => healthy(&asked, |_| Ok(Some(0))),
    });
    assert_eq!(order, [0, 1, 2, 0, 1, 2]);
}

#[test]
fn unknown_partitions_fail_at_once_when_the_topic_is_known_and_by_report_before() {
    let mut stand = producer(&[]);
    produce(&mut stand, 0, 10, 2);
    assert_eq!(outcome(&stand, 0), "", "nothing is known yet");
    stand.run(100, |asked| healthy(&asked, |_| Ok(Some(0))));
    produce(&mut stand, 1, 10, 2);
    produce(&mut stand, 2, 10, -5);
    assert_eq!([0, 1, 2].map(|command| outcome(&stand, command)), ["_UNKNOWN_PARTITION"; 3]);
}

#[test]
fn a_topic_that_does_not_appear_is_given_up_after_the_propagation_time() {
    let mut stand = producer(&[("topic.metadata.propagation.max.ms", "2000")]);
    produce(&mut stand, 0, 10, 0);
    let nothing = |asked: Asked| match asked.payload {
        Payload::Metadata { .. } => {
            Reply::Answer(Payload::MetadataAnswer { request: asked.request, image: Rc::default() })
        }
        other => panic!("{other:?}"),
    };
    stand.run(1_900, nothing);
    assert_eq!(outcome(&stand, 0), "");
    stand.run(3_000, nothing);
    produce(&mut stand, 1, 10, 0);
    assert_eq!([0, 1].map(|command| outcome(&stand, command)), ["UNKNOWN_TOPIC_OR_PART", "_UNKNOWN_TOPIC"]);
}

#[test]
fn what_is_too_old_is_found_once_a_second() {
    let mut stand = producer(&[("message.timeout.ms", "1500")]);
    let silent = |asked: Asked| match asked.payload {
        Payload::Produce { .. } => Reply::Silence,
        _ => healthy(&asked, |_| Ok(None)),
    };
    produce(&mut stand, 0, 10, 0);
    stand.run(1_899, silent);
    assert_eq!(outcome(&stand, 0), "");
    stand.run(1_900, silent);
    assert_eq!(outcome(&stand, 0), "_MSG_TIMED_OUT");
}

#[test]
fn any_failed_batch_leads_to_the_next_epoch() {
    let mut stand = producer(&[("enable.idempotence", "true"), ("linger.ms", "0")]);
    let mut stamps = Vec::new();
    for command in 0..3 {
        produce(&mut stand, command, 10, 0);
        stand.run(1_000 * (command + 1), |asked| {
            healthy(&asked, |(stamp, _)| {
                stamps.extend(stamp.map(|stamp| (stamp.epoch, stamp.base_sequence)));
                if command == 1 { Err(error("MESSAGE_TOO_LARGE")) } else { Ok(Some(command)) }
            })
        });
    }
    assert_eq!(stamps, [(0, 0), (0, 1), (1, 0)]);
    assert_eq!([0, 1, 2].map(|command| outcome(&stand, command)), ["written", "MSG_SIZE_TOO_LARGE", "written"]);
}

#[test]
fn a_gap_is_fatal_where_none_is_allowed() {
    let configs = [("enable.idempotence", "true"), ("enable.gapless.guarantee", "true")];
    let mut stand = producer(&configs);
    produce(&mut stand, 0, 10, 0);
    stand.run(2_000, |asked| healthy(&asked, |_| Err(error("MESSAGE_TOO_LARGE"))));
    produce(&mut stand, 1, 10, 0);
    assert_eq!([0, 1].map(|command| outcome(&stand, command)), ["MSG_SIZE_TOO_LARGE", "_FATAL"]);
    assert_eq!(stand.client.fatal.as_ref().map(|error| error.error.as_str()), Some("_GAPLESS_GUARANTEE"));
}

#[test]
fn batches_are_sent_again_as_they_were() {
    let mut stand = producer(&[("enable.idempotence", "true"), ("linger.ms", "0")]);
    (0..3).for_each(|command| produce(&mut stand, command, 10, 0));
    let mut tries = Vec::new();
    stand.run(600, |asked| {
        healthy(&asked, |batch| {
            tries.push(batch.1);
            Err(error("NOT_ENOUGH_REPLICAS"))
        })
    });
    (3..5).for_each(|command| produce(&mut stand, command, 10, 0));
    stand.run(5_000, |asked| {
        healthy(&asked, |batch| {
            tries.push(batch.1);
            Ok(Some(0))
        })
    });
    assert_eq!(tries.last(), Some(&2), "{tries:?}");
    assert!(tries[..tries.len() - 1].iter().all(|count| *count == 3), "{tries:?}");
    let retried = stand.trace.iter().filter(|event| matches!(event.kind, EventKind::BatchRetried { .. })).count();
    assert!(retried > 0);
}

#[test]
fn transactional_calls_are_refused_in_the_wrong_order() {
    let mut stand = producer(&[("transactional.id", "tx")]);
    let call = |stand: &mut Stand<Librdkafka>, command: u64, call: crate::transaction::Call| {
        stand.act(|producer, outbox| producer.call(call, Some(command), None, None, outbox));
        stand.outcome(command).and_then(|outcome| outcome.error).map_or_else(String::new, |error| error.message)
    };
    use crate::transaction::Call;
    assert_eq!(call(&mut stand, 0, Call::BeginTransaction), "Operation not valid in state Init");
    assert_eq!(call(&mut stand, 1, Call::InitTransactions), "");
    let conflict = "Conflicting init_transactions API call is already in progress";
    assert_eq!(call(&mut stand, 2, Call::BeginTransaction), conflict);
    let mut plain = producer(&[]);
    let text = "The Transactional API requires transactional.id to be configured";
    assert_eq!(call(&mut plain, 0, Call::InitTransactions), text);
    produce(&mut stand, 3, 10, 0);
    assert_eq!(outcome(&stand, 3), "_STATE");
}

#[test]
fn no_call_outlives_the_producer() {
    let mut stand = producer(&[("transactional.id", "x")]);
    let call = |stand: &mut Stand<Librdkafka>, calling: Calling, command| {
        stand.act(|producer, outbox| producer.obey(calling, Some(command), Some(9_000), outbox));
        stand.run(command * 10, |_| Reply::Silence);
    };
    call(&mut stand, Calling::InitTransactions, 1);
    assert_eq!(outcome(&stand, 1), "", "nobody has given it an id yet");
    call(&mut stand, Calling::Close(None), 2);
    call(&mut stand, Calling::InitTransactions, 3);
    let outcomes = [1, 2, 3].map(|command| outcome(&stand, command));
    assert_eq!(outcomes, ["_DESTROY", "written", "_STATE"]);
}

#[test]
fn a_group_coordinator_that_cannot_be_reached_is_not_asked_for_without_a_pause() {
    let mut stand = producer(&[("transactional.id", "x")]);
    let mut lookups = 0;
    let mut answer = |asked: Asked| {
        let request = asked.request;
        Reply::Answer(match asked.payload {
            Payload::InitProducerId(_) => {
                let identity = ProducerIdentity { producer_id: 1, epoch: 0 };
                Payload::InitProducerIdAnswer { request, result: Ok(identity) }
            }
            Payload::FindCoordinator(asked) if &*asked.key == "g" => {
                lookups += 1;
                Payload::FindCoordinatorAnswer { request, result: Ok(3) }
            }
            Payload::FindCoordinator(_) => Payload::FindCoordinatorAnswer { request, result: Ok(2) },
            Payload::AddOffsetsToTxn(_) => Payload::AddOffsetsToTxnAnswer { request, result: Ok(()) },
            Payload::TxnOffsetCommit(_) => return Reply::Refuse,
            _ => return Reply::Silence,
        })
    };
    let mut call = |stand: &mut Stand<Librdkafka>, calling: Calling, command: u64, until: u64| {
        stand.act(|producer, outbox| producer.obey(calling, Some(command), Some(60_000), outbox));
        stand.run(until, &mut answer);
    };
    call(&mut stand, Calling::InitTransactions, 1, 2_000);
    call(&mut stand, Calling::BeginTransaction, 2, 2_100);
    let offsets = vec![(TopicPartition { topic: "t".into(), partition: 0 }, 7)];
    let given = OffsetsToSend { group: "g".into(), offsets, member: None };
    call(&mut stand, Calling::SendOffsets(given), 3, 3_100);
    assert_eq!([1, 2, 3].map(|command| outcome(&stand, command)), ["written", "written", ""]);
    assert!((2..9).contains(&lookups), "{lookups} in a second");
}

#[test]
fn flush_returns_after_its_timeout_and_destroy_loses_what_is_left() {
    let mut stand = producer(&[]);
    produce(&mut stand, 0, 10, 0);
    let silent = |asked: Asked| match asked.payload {
        Payload::Produce(_) => Reply::Silence,
        _ => healthy(&asked, |_| Ok(Some(0))),
    };
    stand.act(|producer, outbox| producer.obey(Calling::Flush, Some(1), Some(400), outbox));
    stand.run(399, silent);
    assert_eq!(outcome(&stand, 1), "");
    stand.run(400, silent);
    assert_eq!((outcome(&stand, 0).as_str(), outcome(&stand, 1).as_str()), ("", "_TIMED_OUT"));
    assert_eq!(stand.client.outq_len(), 1, "the message is still on its way");
    stand.act(|producer, outbox| {
        let timeout = crate::time::Duration::from_millis(600);
        producer.obey(Calling::Close(Some(timeout)), Some(2), None, outbox);
    });
    stand.run(999, silent);
    assert_eq!(outcome(&stand, 2), "");
    stand.run(1_000, silent);
    assert_eq!((outcome(&stand, 0).as_str(), outcome(&stand, 2).as_str()), ("_DESTROY", "written"));
    let is_report = |event: &&crate::event::Event| matches!(event.kind, EventKind::SendFailed { .. });
    assert_eq!(stand.trace.iter().filter(is_report).count(), 0, "nobody is told");
}
