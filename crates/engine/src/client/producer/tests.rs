//! A producer among brokers that fail: who is asked, what is sent again, and what the application is told.
//!
//! Where records land is tested with whole clusters.

use std::rc::Rc;

use super::calls::Calling;
use super::*;
use crate::client::stand::{Asked, Client, Reply, Stand, error, image, producer_plan};
use crate::message::{Payload, Produce, ProducerIdentity};
use crate::storage::batch::ProducerStamp;
use crate::time::Duration;

type Produced = Result<Option<u64>, KafkaError>;

impl Client for Producer {
    fn wake(&mut self, timer: Timer, outbox: &mut Outbox) {
        if !self.wake_librdkafka(timer, outbox) {
            Producer::wake(self, timer, outbox);
        }
    }

    fn receive(&mut self, answer: &Payload, outbox: &mut Outbox) {
        match answer {
            answer if self.answer_librdkafka(answer, outbox) => {}
            Payload::MetadataAnswer { request, image } => self.metadata_answer(*request, image, outbox),
            Payload::InitProducerIdAnswer { request, result } => {
                self.producer_id_answer(*request, result, outbox);
                self.transaction_answer(answer, outbox);
            }
            Payload::ProduceAnswer { request, results } => self.produce_answer(*request, results, outbox),
            other => self.transaction_answer(other, outbox),
        }
    }

    fn refused(&mut self, broker: u32, outbox: &mut Outbox) {
        if !self.wake_librdkafka(Timer::Disconnected { broker }, outbox) {
            self.broker_disconnected(broker, outbox);
        }
    }
}

fn producer(client: &str, configs: &[(&str, &str)]) -> Stand<Producer> {
    let mut stand = Stand::new(Producer::new(0, producer_plan(client, configs), 1));
    stand.act(|producer, outbox| producer.start(outbox));
    stand.act(|producer, outbox| producer.run(outbox));
    stand
}

/// Sends a record of that many bytes to partition 0, for a command.
fn send(stand: &mut Stand<Producer>, command: u64, value_size: u32) {
    let outgoing = Outgoing {
        topic: "t".into(),
        key: Some((Rc::from(&b"k"[..]), "k".into())),
        classes: [None, None],
        value: Some("v".into()),
        value_size,
        partition: Some(0),
        timestamp: None,
        headers: None,
        command: Some(command),
    };
    stand.act(|producer, outbox| {
        producer.call(Calling::Send(outgoing), Some(command), outbox);
        producer.run(outbox);
    });
}

/// Epoch, first sequence and record count of a batch.
type Numbered = (u16, i32, usize);

fn numbered(stamp: Option<ProducerStamp>, records: usize) -> Numbered {
    let stamp = stamp.unwrap();
    (stamp.epoch, stamp.base_sequence, records)
}

/// Answers as three healthy brokers would, with broker 1 as leader; batches are the test's.
fn healthy(asked: &Asked, produce: impl FnMut(Numbered, u32) -> Produced) -> Reply {
    with_leader(asked, Some(1), 0, produce)
}

fn with_leader(
    asked: &Asked,
    leader: Option<u32>,
    epoch: u32,
    mut produce: impl FnMut(Numbered, u32) -> Produced,
) -> Reply {
    let request = asked.request;
    Reply::Answer(match asked.payload {
        Payload::Metadata { .. } => Payload::MetadataAnswer { request, image: image(&[(leader, epoch)]) },
        Payload::InitProducerId { .. } => {
            Payload::InitProducerIdAnswer { request, result: Ok(ProducerIdentity { producer_id: 7, epoch: 0 }) }
        }
        Payload::Produce(Produce { batches, .. }) => {
            let results = batches.iter().map(|batch| {
                let stamp = numbered(batch.stamp, batch.view.records.len());
                produce(stamp, batch.view.size_bytes)
            });
            Payload::ProduceAnswer { request, results: results.collect() }
        }
        other => panic!("{other:?}"),
    })
}

fn refusal(stand: &Stand<Producer>, command: u64) -> String {
    stand.outcome(command).unwrap().error.unwrap().to_string()
}

#[test]
fn batches_wait_for_a_producer_id_and_count_their_records() {
    let mut stand = producer("java", &[]);
    send(&mut stand, 0, 10);
    let mut ids = 0;
    let mut batches = Vec::new();
    stand.run(100, |asked| {
        if matches!(asked.payload, Payload::InitProducerId { .. }) {
            ids += 1;
            return Reply::Silence;
        }
        healthy(&asked, |batch, _| {
            batches.push(batch);
            Ok(Some(0))
        })
    });
    assert_eq!((ids, batches.len()), (1, 0), "nothing is sent without an id");
    // The broker that was silent counts as lost; the next one has an id.
    stand.run(31_000, |asked| {
        healthy(&asked, |batch, _| {
            batches.push(batch);
            Ok(Some(0))
        })
    });
    send(&mut stand, 1, 10);
    send(&mut stand, 2, 10);
    stand.run(32_000, |asked| {
        healthy(&asked, |batch, _| {
            batches.push(batch);
            Ok(Some(1))
        })
    });
    assert_eq!(batches, [(0, 0, 1), (0, 1, 2)]);
    assert_eq!(stand.client.acknowledged_count, 3);
}

#[test]
fn retried_batches_stay_in_the_order_of_their_sequences() {
    let mut stand = producer("java", &[("linger.ms", "0")]);
    send(&mut stand, 0, 10);
    stand.run(10, |asked| healthy(&asked, |_, _| Ok(Some(0))));
    for command in 1..4 {
        send(&mut stand, command, 10);
    }
    // A log that takes the next sequence only; its first refusal is for want of replicas.
    let (mut log, mut tries): (Vec<i32>, Vec<i32>) = (vec![0], Vec::new());
    stand.run(5_000, |asked| {
        healthy(&asked, |(_, sequence, _), _| {
            tries.push(sequence);
            if tries.len() == 1 {
                return Err(error("NOT_ENOUGH_REPLICAS"));
            }
            if sequence != log.len() as i32 {
                return Err(error("OUT_OF_ORDER_SEQUENCE_NUMBER"));
            }
            log.push(sequence);
            Ok(Some(sequence as u64))
        })
    });
    assert_eq!(log, [0, 1, 2, 3], "{tries:?}");
    let sent_alone = &tries[3..];
    assert_eq!(sent_alone, [1, 2, 3], "after a failure one batch at a time, the lowest first");
    assert_eq!(stand.client.identity().unwrap().epoch, 0);
}

#[test]
fn a_batch_that_expires_after_retries_raises_the_epoch() {
    let mut stand = producer("java", &[("delivery.timeout.ms", "3000"), ("request.timeout.ms", "1500")]);
    send(&mut stand, 0, 10);
    let mut tries = Vec::new();
    stand.run(4_000, |asked| {
        let now = asked.now;
        healthy(&asked, |batch, _| {
            tries.push((now, batch));
            Err(error("NOT_ENOUGH_REPLICAS"))
        })
    });
    let text = "TimeoutException: Expiring 1 record(s) for t-0:3000 ms has passed since batch creation. The request \
                has not been sent, or no server response has been received yet.";
    assert_eq!(refusal(&stand, 0), text);
    let pauses: Vec<u64> = tries.windows(2).map(|pair| pair[1].0.since(pair[0].0).millis()).collect();
    let expected = [100, 200, 400, 800];
    let is_near = |(pause, middle): (&u64, &u64)| *pause >= middle * 8 / 10 && *pause <= middle * 12 / 10;
    assert!(pauses.iter().zip(&expected).all(is_near) && pauses.len() >= 4, "{pauses:?}");
    send(&mut stand, 1, 10);
    let mut next = Vec::new();
    stand.run(5_000, |asked| {
        healthy(&asked, |batch, _| {
            next.push(batch);
            Ok(Some(0))
        })
    });
    assert_eq!(next, [(1, 0, 1)], "the same producer id goes on with the next epoch at sequence 0");
    assert_eq!((stand.client.failed_count, stand.client.acknowledged_count), (1, 1));
}

#[test]
fn the_application_is_told_the_last_error_or_that_time_is_over() {
    let check = |client: &str, configs: &[(&str, &str)], name: &str, told: &str| {
        let mut stand = producer(client, configs);
        send(&mut stand, 0, 10);
        stand.run(10_000, |asked| match asked.payload {
            Payload::Produce(Produce { batches, .. }) => Reply::Answer(Payload::ProduceAnswer {
                request: asked.request,
                results: batches.iter().map(|_| Err(error(name))).collect(),
            }),
            _ => healthy(&asked, |_, _| Ok(None)),
        });
        assert!(refusal(&stand, 0).starts_with(told), "{client}, {name}: {}", refusal(&stand, 0));
    };
    let once = [("retries", "0"), ("enable.idempotence", "false")];
    check("java", &once, "NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS exception: NOT_ENOUGH_REPLICAS");
    check("java", &[], "INVALID_RECORD", "INVALID_RECORD exception: INVALID_RECORD");
    check("java", &[], "MESSAGE_TOO_LARGE", "MESSAGE_TOO_LARGE exception");
    let short = [("message.timeout.ms", "3000")];
    check("librdkafka", &short, "NOT_ENOUGH_REPLICAS", "_MSG_TIMED_OUT: Local: Message timed out");
    check("librdkafka", &short, "MESSAGE_TOO_LARGE", "MSG_SIZE_TOO_LARGE: Broker: Message size too large");
}

#[test]
fn a_batch_without_a_leader_waits_and_leaves_when_there_is_one() {
    let mut stand = producer("java", &[]);
    stand.run(10, |asked| healthy(&asked, |_, _| Ok(None)));
    send(&mut stand, 0, 10);
    let mut refreshes = 0;
    stand.run(20_000, |asked| {
        refreshes += u32::from(matches!(asked.payload, Payload::Metadata { .. }));
        with_leader(&asked, None, 1, |batch, _| panic!("{batch:?} was sent to nobody"))
    });
    assert!((20..=30).contains(&refreshes), "about one a second: {refreshes}");
    assert_eq!(stand.outcome(0), None, "waiting is not a failure");
    let mut sent_to = Vec::new();
    stand.run(22_000, |asked| {
        if matches!(asked.payload, Payload::Produce { .. }) {
            sent_to.push(asked.broker);
        }
        with_leader(&asked, Some(3), 2, |_, _| Ok(Some(5)))
    });
    assert_eq!(sent_to, [3]);
    assert_eq!(stand.outcome(0).unwrap().record.unwrap().offset, Some(5));
}

#[test]
fn a_new_leader_is_tried_without_waiting_for_the_backoff() {
    let mut stand = producer("java", &[("retry.backoff.ms", "5000"), ("retry.backoff.max.ms", "5000")]);
    send(&mut stand, 1, 10);
    // Metadata keeps the same pauses, so the last refresh has to be a while ago.
    stand.run(6_000, |asked| healthy(&asked, |_, _| Ok(None)));
    send(&mut stand, 0, 10);
    let mut tries = Vec::new();
    stand.run(20_000, |asked| {
        let (broker, now) = (asked.broker, asked.now);
        if matches!(asked.payload, Payload::Produce { .. }) {
            tries.push((broker, now.millis()));
        }
        let is_stale = tries.is_empty();
        let leader = if is_stale { 1 } else { 2 };
        with_leader(&asked, Some(leader), leader, |_, _| match broker {
            1 => Err(error("NOT_LEADER_OR_FOLLOWER")),
            _ => Ok(Some(0)),
        })
    });
    assert_eq!(tries.len(), 2, "{tries:?}");
    assert!(tries[1].0 == 2 && tries[1].1 < tries[0].1 + 4_000, "{tries:?}");
}

#[test]
fn brokers_that_are_down_are_passed_over() {
    let mut stand = producer("java", &[]);
    send(&mut stand, 0, 10);
    let mut asked_in_vain = Vec::new();
    stand.run(3_000, |asked| match asked.broker {
        1 => {
            asked_in_vain.push(asked.now.millis());
            Reply::Refuse
        }
        _ => with_leader(&asked, Some(2), 0, |_, _| Ok(Some(0))),
    });
    assert_eq!(stand.outcome(0).unwrap().status, crate::command::Status::Done);
    assert_eq!(asked_in_vain.first(), Some(&0));
    assert!(asked_in_vain.len() <= 2, "a client stays with a broker that answers: {asked_in_vain:?}");
}

#[test]
fn a_silent_broker_counts_as_lost_after_the_request_timeout() {
    let configs = [("retries", "0"), ("enable.idempotence", "false"), ("request.timeout.ms", "1500")];
    let mut stand = producer("java", &configs);
    send(&mut stand, 0, 10);
    stand.run(1_499, |asked| match asked.payload {
        Payload::Produce { .. } => Reply::Silence,
        _ => healthy(&asked, |_, _| Ok(None)),
    });
    assert_eq!(stand.outcome(0), None);
    stand.run(2_000, |asked| healthy(&asked, |_, _| Ok(None)));
    assert_eq!(refusal(&stand, 0), "TimeoutException: Disconnected from node 1 due to timeout");
}

#[test]
fn a_first_attempt_that_expires_keeps_the_epoch() {
    let configs = [("delivery.timeout.ms", "1500"), ("request.timeout.ms", "1500"), ("linger.ms", "0")];
    let mut stand = producer("java", &configs);
    stand.run(10, |asked| healthy(&asked, |_, _| Ok(Some(0))));
    send(&mut stand, 0, 10);
    stand.run(2_000, |asked| match asked.payload {
        Payload::Produce { .. } => Reply::Silence,
        _ => healthy(&asked, |_, _| Ok(None)),
    });
    assert!(refusal(&stand, 0).starts_with("TimeoutException: Expiring 1 record(s) for t-0:1500 ms"));
    send(&mut stand, 1, 10);
    let mut next = Vec::new();
    stand.run(4_000, |asked| {
        healthy(&asked, |batch, _| {
            next.push(batch);
            Ok(Some(1))
        })
    });
    assert_eq!(next, [(0, 1, 1)], "the record may be in the log, so its sequence is used up");
}

#[test]
fn a_batch_that_is_too_large_is_sent_in_parts_with_the_same_sequences() {
    let mut stand = producer("java", &[("linger.ms", "100")]);
    stand.run(10, |asked| healthy(&asked, |_, _| Ok(None)));
    for command in 0..20 {
        send(&mut stand, command, 100);
    }
    let mut taken = Vec::new();
    stand.run(5_000, |asked| {
        healthy(&asked, |(_, sequence, records), size| {
            if size > 1_000 {
                return Err(error("MESSAGE_TOO_LARGE"));
            }
            taken.push((sequence, records, size));
            Ok(Some(sequence as u64))
        })
    });
    taken.sort_unstable();
    // The batches that Kafka 4.3.1 makes of the same records.
    let expected = [(0, 4, 501), (4, 4, 501), (8, 1, 171), (9, 4, 501), (13, 4, 501), (17, 1, 171), (18, 2, 281)];
    assert_eq!(taken, expected);
    assert_eq!(stand.client.acknowledged_count, 20);
}

#[test]
fn a_record_that_waited_for_memory_goes_on_although_its_topic_was_forgotten() {
    let configs = [("buffer.memory", "200"), ("batch.size", "200"), ("linger.ms", "0"), ("max.block.ms", "5000")];
    let more = [("delivery.timeout.ms", "3000"), ("request.timeout.ms", "1000"), ("metadata.max.age.ms", "500")];
    let mut stand = producer("java", &[&configs[..], &more[..]].concat());
    send(&mut stand, 0, 10);
    let mut is_known = true;
    let answer = |asked: &Asked, is_known: bool| match (asked.payload, is_known) {
        (Payload::Metadata { .. }, false) => {
            let image = Rc::new(crate::message::ClusterImage::default());
            Reply::Answer(Payload::MetadataAnswer { request: asked.request, image })
        }
        (Payload::Produce(_), _) => Reply::Silence,
        _ => healthy(asked, |_, _| Ok(Some(0))),
    };
    stand.run(100, |asked| answer(&asked, is_known));
    send(&mut stand, 1, 10);
    let waits = |stand: &Stand<Producer>| stand.client.send_waits().map(|(reason, _)| reason);
    assert_eq!(waits(&stand), Some(crate::transaction::WaitReason::Buffer));
    is_known = false;
    stand.run(2_900, |asked| answer(&asked, is_known));
    assert_eq!(waits(&stand), Some(crate::transaction::WaitReason::Buffer));
    // The first batch expires and gives its memory back; the second record still knows its partition.
    stand.run(3_500, |asked| answer(&asked, is_known));
    assert!(refusal(&stand, 0).contains("Expiring 1 record(s) for t-0"), "{}", refusal(&stand, 0));
    assert_eq!((waits(&stand), stand.client.accumulator.record_count()), (None, 1));
    stand.run(20_000, |asked| answer(&asked, is_known));
    assert!(refusal(&stand, 1).contains("Expiring 1 record(s) for t-0"), "{}", refusal(&stand, 1));
}

#[test]
fn close_waits_as_long_as_it_may_and_then_gives_up() {
    let mut stand = producer("java", &[("linger.ms", "0")]);
    send(&mut stand, 0, 10);
    let mut appended = 0;
    stand.run(10, |asked| match asked.payload {
        Payload::Produce(_) => Reply::Silence,
        _ => healthy(&asked, |_, _| Ok(Some(0))),
    });
    send(&mut stand, 1, 10);
    stand.act(|producer, outbox| {
        producer.call(Calling::Close(Some(Duration::from_millis(300))), Some(2), outbox);
        producer.run(outbox);
    });
    stand.run(309, |_| Reply::Silence);
    assert!([0, 1, 2].iter().all(|command| stand.outcome(*command).is_none()));
    stand.run(311, |_| Reply::Silence);
    let pool = stand.client.pool.as_ref().unwrap();
    assert_eq!(pool.available(), pool.total(), "the memory of what was sent comes back too");
    for record in [0, 1] {
        let error = stand.outcome(record).unwrap().error.unwrap();
        assert_eq!(error.to_string(), "KafkaException: Producer is closed forcefully.");
    }
    assert_eq!(stand.outcome(2).unwrap().error, None, "the call itself returns");
    assert_eq!(stand.client.failed_count, 2);
    stand.run(200_000, |_| {
        appended += 1;
        Reply::Silence
    });
    assert_eq!((appended, stand.ahead()), (0, 0), "a closed producer asks for nothing");
}
