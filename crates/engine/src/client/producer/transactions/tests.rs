//! A transactional producer and a coordinator that answers as the test likes: order, waits, and texts.
//!
//! What coordinators and leaders really answer is tested with whole clusters.

mod closing;
mod without_id;

use std::rc::Rc;

use crate::client::producer::calls::{Calling, OffsetsToSend};
use crate::client::producer::{Outgoing, Producer};
use crate::client::stand::{Asked, Reply, Stand, error, image, producer_plan};
use crate::command::{Status, Surface};
use crate::error::KafkaError;
use crate::event::{Event, EventKind, TopicPartition};
use crate::message::{EndTxn, InitProducerId, Payload, Produce, ProducerIdentity};
use crate::scenario::{Workload, WorkloadPlan};
use crate::time::Duration;
use crate::transaction::{ClientState, TransactionEvent};

fn producer(configs: &[(&str, &str)]) -> Stand<Producer> {
    let given: Vec<_> = [("transactional.id", "pay-1"), ("linger.ms", "0")].iter().chain(configs).copied().collect();
    let mut stand = Stand::new(Producer::new(0, producer_plan("java", &given), 1));
    stand.act(|producer, outbox| producer.start(outbox));
    stand
}

fn call(stand: &mut Stand<Producer>, command: u64, calling: Calling) {
    stand.act(|producer, outbox| {
        producer.call(calling, Some(command), outbox);
        producer.run(outbox);
    });
}

fn send(stand: &mut Stand<Producer>, command: u64, partition: i32) {
    let outgoing = Outgoing {
        topic: "t".into(),
        key: None,
        classes: [None, None],
        value: Some("v".into()),
        value_size: 1,
        partition: Some(partition),
        timestamp: None,
        headers: None,
        command: Some(command),
    };
    call(stand, command, Calling::Send(outgoing));
}

/// A cluster that agrees to everything and knows a producer by its last identity.
struct Cluster {
    identity: ProducerIdentity,
    /// What was asked for, in order, without metadata.
    asked: Vec<String>,
    offset: u64,
    is_v2: bool,
}

impl Cluster {
    fn new(is_v2: bool) -> Cluster {
        Cluster { identity: ProducerIdentity { producer_id: 7, epoch: 0 }, asked: Vec::new(), offset: 0, is_v2 }
    }

    fn note(&mut self, asked: &Asked) {
        let text = match asked.payload {
            Payload::Metadata { .. } => return,
            Payload::FindCoordinator(asked) => format!("find {}", asked.key),
            Payload::InitProducerId(InitProducerId { expected: None, .. }) => "init".to_string(),
            Payload::InitProducerId(InitProducerId { expected: Some(own), .. }) => format!("bump {}", own.epoch),
            Payload::AddPartitionsToTxn(asked) => {
                let names: Vec<String> = asked.partitions.iter().map(TopicPartition::to_string).collect();
                format!("add {}", names.join(" "))
            }
            Payload::AddOffsetsToTxn(asked) => format!("add offsets of {}", asked.group),
            Payload::TxnOffsetCommit(asked) => format!("commit {} offsets v{}", asked.offsets.len(), asked.version),
            Payload::EndTxn(EndTxn { end, version, .. }) => format!("end {end:?} v{version}"),
            Payload::Produce(Produce { batches, version, .. }) => {
                let stamps = batches.iter().filter_map(|batch| batch.stamp);
                let stamps = stamps.map(|stamp| format!("{}:{}", stamp.epoch, stamp.base_sequence));
                format!("produce {} v{version}", stamps.collect::<Vec<_>>().join(" "))
            }
            other => panic!("{other:?}"),
        };
        self.asked.push(text);
    }

    fn answer(&mut self, asked: &Asked) -> Reply {
        self.note(asked);
        let request = asked.request;
        Reply::Answer(match asked.payload {
            Payload::Metadata { .. } => {
                Payload::MetadataAnswer { request, image: image(&[(Some(1), 0), (Some(1), 0), (Some(1), 0)]) }
            }
            Payload::FindCoordinator(_) => Payload::FindCoordinatorAnswer { request, result: Ok(2) },
            Payload::InitProducerId(asked) => {
                if asked.expected.is_some() {
                    self.identity.epoch += 1;
                }
                Payload::InitProducerIdAnswer { request, result: Ok(self.identity) }
            }
            Payload::AddPartitionsToTxn(asked) => {
                let results = asked.partitions.iter().map(|partition| (partition.clone(), Ok(())));
                Payload::AddPartitionsToTxnAnswer { request, results: results.collect() }
            }
            Payload::AddOffsetsToTxn(_) => Payload::AddOffsetsToTxnAnswer { request, result: Ok(()) },
            Payload::TxnOffsetCommit(asked) => {
                let results = asked.offsets.iter().map(|(partition, _)| (partition.clone(), Ok(())));
                Payload::TxnOffsetCommitAnswer { request, results: results.collect() }
            }
            Payload::EndTxn(_) => {
                if self.is_v2 {
                    self.identity.epoch += 1;
                }
                Payload::EndTxnAnswer { request, result: Ok(self.identity) }
            }
            Payload::Produce(Produce { batches, .. }) => {
                let results = batches.iter().map(|batch| {
                    let base = self.offset;
                    self.offset += batch.view.records.len() as u64;
                    Ok(Some(base))
                });
                Payload::ProduceAnswer { request, results: results.collect() }
            }
            other => panic!("{other:?}"),
        })
    }
}

fn told(stand: &Stand<Producer>, command: u64) -> String {
    let Some(outcome) = stand.outcome(command) else { return "waits".to_string() };
    match (outcome.status, outcome.error, outcome.surfaced) {
        (Status::Done, ..) => "done".to_string(),
        (_, Some(error), Some(Surface::Thrown)) => format!("throws {}", with_causes(&error)),
        (_, Some(error), Some(Surface::Future)) => format!("fails {}", with_causes(&error)),
        other => format!("{other:?}"),
    }
}

fn with_causes(error: &KafkaError) -> String {
    match &error.cause {
        Some(cause) => format!("{error} <- {}", with_causes(cause)),
        None => error.to_string(),
    }
}

fn state(stand: &Stand<Producer>) -> ClientState {
    stand.client.transactions.as_ref().unwrap().state
}

/// A producer after `initTransactions` and `beginTransaction`, and a cluster that heard the first.
fn begun(configs: &[(&str, &str)]) -> (Stand<Producer>, Cluster) {
    let mut stand = producer(configs);
    let mut cluster = Cluster::new(true);
    call(&mut stand, 0, Calling::InitTransactions);
    stand.run(10, |asked| cluster.answer(&asked));
    call(&mut stand, 1, Calling::BeginTransaction);
    assert_eq!((told(&stand, 0), told(&stand, 1)), ("done".to_string(), "done".to_string()));
    cluster.asked.clear();
    (stand, cluster)
}

#[test]
fn in_version_2_leaders_add_partitions_and_every_end_raises_the_epoch() {
    let (mut stand, mut cluster) = begun(&[]);
    send(&mut stand, 2, 0);
    stand.run(20, |asked| cluster.answer(&asked));
    let offsets = vec![(TopicPartition { topic: "in".into(), partition: 0 }, 5)];
    call(&mut stand, 3, Calling::SendOffsets(OffsetsToSend { group: "g".into(), offsets, member: None }));
    stand.run(30, |asked| cluster.answer(&asked));
    call(&mut stand, 4, Calling::CommitTransaction);
    stand.run(40, |asked| cluster.answer(&asked));
    call(&mut stand, 5, Calling::BeginTransaction);
    send(&mut stand, 6, 0);
    call(&mut stand, 7, Calling::AbortTransaction);
    stand.run(50, |asked| cluster.answer(&asked));
    let expected =
        ["produce 0:0 v13", "find g", "commit 1 offsets v5", "end Commit v5", "produce 1:0 v13", "end Abort v5"];
    assert_eq!(cluster.asked, expected);
    assert!((2..8).all(|command| told(&stand, command) == "done"));
    assert_eq!(stand.client.identity().unwrap().epoch, 2);
    assert_eq!(state(&stand), ClientState::Ready);
}

#[test]
fn in_version_1_the_client_adds_partitions_first_and_keeps_its_epoch() {
    let mut stand = producer(&[]);
    stand.post_mut().transaction_version = 1;
    let mut cluster = Cluster::new(false);
    call(&mut stand, 0, Calling::InitTransactions);
    stand.run(10, |asked| cluster.answer(&asked));
    call(&mut stand, 1, Calling::BeginTransaction);
    send(&mut stand, 2, 0);
    send(&mut stand, 3, 1);
    stand.run(20, |asked| cluster.answer(&asked));
    let offsets = vec![(TopicPartition { topic: "in".into(), partition: 0 }, 5)];
    call(&mut stand, 4, Calling::SendOffsets(OffsetsToSend { group: "g".into(), offsets, member: None }));
    stand.run(30, |asked| cluster.answer(&asked));
    call(&mut stand, 5, Calling::CommitTransaction);
    stand.run(40, |asked| cluster.answer(&asked));
    call(&mut stand, 6, Calling::BeginTransaction);
    send(&mut stand, 7, 0);
    stand.run(50, |asked| cluster.answer(&asked));
    let expected = [
        "find pay-1",
        "init",
        "add t-0 t-1",
        "produce 0:0 0:0 v11",
        "add offsets of g",
        "find g",
        "commit 1 offsets v4",
        "end Commit v4",
        "add t-0",
        "produce 0:1 v11",
    ];
    assert_eq!(cluster.asked, expected);
    assert!((0..8).all(|command| told(&stand, command) == "done"));
}

#[test]
fn a_transaction_without_records_sends_nothing() {
    let (mut stand, mut cluster) = begun(&[]);
    call(&mut stand, 2, Calling::CommitTransaction);
    call(&mut stand, 3, Calling::BeginTransaction);
    call(&mut stand, 4, Calling::AbortTransaction);
    stand.run(20, |asked| cluster.answer(&asked));
    assert!(cluster.asked.is_empty() && (2..5).all(|command| told(&stand, command) == "done"));
    assert_eq!(stand.client.identity().unwrap().epoch, 0);
}

#[test]
fn a_commit_sends_what_lingers_and_an_abort_gives_it_up() {
    let (mut stand, mut cluster) = begun(&[("linger.ms", "60000")]);
    send(&mut stand, 2, 0);
    stand.run(1_000, |asked| cluster.answer(&asked));
    assert!(cluster.asked.is_empty());
    call(&mut stand, 3, Calling::CommitTransaction);
    stand.run(1_010, |asked| cluster.answer(&asked));
    assert_eq!(cluster.asked, ["produce 0:0 v13", "end Commit v5"]);
    call(&mut stand, 4, Calling::BeginTransaction);
    send(&mut stand, 5, 0);
    call(&mut stand, 6, Calling::AbortTransaction);
    stand.run(2_000, |asked| cluster.answer(&asked));
    assert_eq!(told(&stand, 5), "fails TransactionAbortedException: Failing batch since transaction was aborted");
    assert_eq!(told(&stand, 6), "done");
    // Version 2 ends what `send` has begun, even if nothing of it was written.
    assert_eq!(cluster.asked[2..], ["end Abort v5"]);
}

#[test]
fn calls_in_the_wrong_order_throw() {
    let check = |before: &[Calling], calling: Calling, expected: &str| {
        let mut stand = producer(&[]);
        let mut cluster = Cluster::new(true);
        for (command, calling) in (0..).zip(before) {
            call(&mut stand, command, calling.clone());
            stand.run(10 * (command + 1), |asked| cluster.answer(&asked));
        }
        call(&mut stand, 99, calling);
        assert_eq!(told(&stand, 99), format!("throws IllegalStateException: {expected}"));
    };
    let transition = "TransactionalId pay-1: Invalid transition attempted from state";
    let (init, begin) = (Calling::InitTransactions, Calling::BeginTransaction);
    check(&[], begin.clone(), &format!("{transition} UNINITIALIZED to state IN_TRANSACTION"));
    check(&[], Calling::AbortTransaction, &format!("{transition} UNINITIALIZED to state ABORTING_TRANSACTION"));
    check(std::slice::from_ref(&init), init.clone(), &format!("{transition} READY to state INITIALIZING"));
    check(
        std::slice::from_ref(&init),
        Calling::CommitTransaction,
        &format!("{transition} READY to state COMMITTING_TRANSACTION"),
    );
    let two = [init.clone(), begin.clone()];
    check(&two, begin, &format!("{transition} IN_TRANSACTION to state IN_TRANSACTION"));
    let offsets = vec![(TopicPartition { topic: "in".into(), partition: 0 }, 5)];
    let offsets = Calling::SendOffsets(OffsetsToSend { group: "g".into(), offsets, member: None });
    let text = "Cannot send offsets if a transaction is not in progress (currentState= READY)";
    check(std::slice::from_ref(&init), offsets, text);
    check(&[Calling::Close(None)], init, "Cannot perform operation after producer has been closed");
}

#[test]
fn a_send_that_throws_leaves_its_record_behind() {
    let mut stand = producer(&[]);
    let mut cluster = Cluster::new(true);
    send(&mut stand, 0, 0);
    stand.run(10, |asked| cluster.answer(&asked));
    let text = "throws IllegalStateException: Cannot add partition t-0 to transaction";
    assert_eq!(told(&stand, 0), format!("{text} before completing a call to initTransactions"));
    call(&mut stand, 1, Calling::InitTransactions);
    stand.run(20, |asked| cluster.answer(&asked));
    send(&mut stand, 2, 0);
    assert_eq!(told(&stand, 2), format!("{text} while in state  READY"));
    call(&mut stand, 3, Calling::BeginTransaction);
    send(&mut stand, 4, 0);
    stand.run(30, |asked| cluster.answer(&asked));
    assert_eq!(stand.outcome(4).unwrap().record.unwrap().offset, Some(2), "behind the two that were refused");
    assert_eq!(cluster.asked.last().unwrap(), "produce 0:0 v13");
}

#[test]
fn only_a_call_that_timed_out_may_be_made_again() {
    let mut stand = producer(&[("max.block.ms", "2500")]);
    let mut cluster = Cluster::new(true);
    call(&mut stand, 0, Calling::InitTransactions);
    stand.run(3_000, |asked| match asked.payload {
        Payload::InitProducerId(_) => {
            let result = Err(error("CONCURRENT_TRANSACTIONS"));
            cluster.note(&asked);
            Reply::Answer(Payload::InitProducerIdAnswer { request: asked.request, result })
        }
        _ => cluster.answer(&asked),
    });
    let tries = cluster.asked.iter().filter(|asked| *asked == "init").count();
    assert_eq!(tries, 31, "one at once, then every 100 ms, and the client goes on after the call");
    let text = "throws TimeoutException: Timeout expired after 2500ms while awaiting InitProducerId. InitTransactions \
                timed out - did not complete coordinator discovery or receive the InitProducerId response within \
                max.block.ms.";
    assert_eq!(told(&stand, 0), text);
    call(&mut stand, 1, Calling::BeginTransaction);
    let text = "throws IllegalStateException: Cannot attempt operation `beginTransaction` because the previous call to \
                `initTransactions` timed out and must be retried";
    assert_eq!(told(&stand, 1), text);
    assert_eq!(state(&stand), ClientState::Initializing);
    call(&mut stand, 2, Calling::InitTransactions);
    stand.run(4_000, |asked| cluster.answer(&asked));
    assert_eq!((told(&stand, 2).as_str(), state(&stand)), ("done", ClientState::Ready));
}

#[test]
fn the_first_partition_is_added_again_after_20_ms() {
    let mut stand = producer(&[]);
    stand.post_mut().transaction_version = 0;
    let mut cluster = Cluster::new(false);
    call(&mut stand, 0, Calling::InitTransactions);
    call(&mut stand, 1, Calling::BeginTransaction);
    stand.run(10, |asked| cluster.answer(&asked));
    let refuse = |stand: &mut Stand<Producer>, cluster: &mut Cluster, until: u64| {
        let mut times = Vec::new();
        stand.run(until, |asked| match asked.payload {
            Payload::AddPartitionsToTxn(add) if times.len() < 3 => {
                times.push(asked.now.millis());
                let results = add.partitions.iter();
                let results = results.map(|at| (at.clone(), Err(error("CONCURRENT_TRANSACTIONS")))).collect();
                Reply::Answer(Payload::AddPartitionsToTxnAnswer { request: asked.request, results })
            }
            _ => cluster.answer(&asked),
        });
        times
    };
    send(&mut stand, 2, 0);
    assert_eq!(refuse(&mut stand, &mut cluster, 1_000), [10, 30, 50]);
    send(&mut stand, 3, 1);
    assert_eq!(refuse(&mut stand, &mut cluster, 2_000), [1_000, 1_100, 1_200], "later ones wait retry.backoff.ms");
}

/// A transaction with a record in partition 0, then the given answer to the next Produce.
fn produced(stand: &mut Stand<Producer>, cluster: &mut Cluster, result: &KafkaError, until: u64) {
    stand.run(until, |asked| match asked.payload {
        Payload::Produce(Produce { batches, .. }) => {
            let results = batches.iter().map(|_| Err(result.clone())).collect();
            Reply::Answer(Payload::ProduceAnswer { request: asked.request, results })
        }
        _ => cluster.answer(&asked),
    });
}

#[test]
fn a_fenced_producer_learns_it_step_by_step() {
    let (mut stand, mut cluster) = begun(&[]);
    let text = "Producer attempted to produce with an old epoch.";
    let old = KafkaError::new("INVALID_PRODUCER_EPOCH", "InvalidProducerEpochException", text);
    send(&mut stand, 2, 0);
    produced(&mut stand, &mut cluster, &old, 20);
    assert_eq!(told(&stand, 2), format!("fails InvalidProducerEpochException: {text}"));
    assert_eq!(state(&stand), ClientState::AbortableError);
    let who = "Producer with transactionalId 'pay-1' and (producerId=7, epoch=0)";
    let long = format!("InvalidProducerEpochException: {who} attempted to produce with an old epoch");
    send(&mut stand, 3, 0);
    stand.run(30, |asked| cluster.answer(&asked));
    assert_eq!(told(&stand, 3), format!("fails {long}"));
    call(&mut stand, 4, Calling::CommitTransaction);
    assert_eq!(told(&stand, 4), format!("throws {long}"));
    call(&mut stand, 5, Calling::AbortTransaction);
    stand.run(40, |asked| match asked.payload {
        Payload::EndTxn(_) => {
            Reply::Answer(Payload::EndTxnAnswer { request: asked.request, result: Err(error("PRODUCER_FENCED")) })
        }
        _ => cluster.answer(&asked),
    });
    let text = "There is a newer producer with the same transactionalId which fences the current one.";
    assert_eq!(told(&stand, 5), format!("throws ProducerFencedException: {text}"));
    assert_eq!(state(&stand), ClientState::FatalError);
    call(&mut stand, 6, Calling::BeginTransaction);
    let text = "has been fenced by another producer with the same transactionalId";
    assert_eq!(told(&stand, 6), format!("throws ProducerFencedException: {who} {text}"));
    call(&mut stand, 7, Calling::Close(None));
    assert_eq!(told(&stand, 7), "done");
    let failed = stand.trace.iter().filter(|event| matches!(&event.kind, EventKind::SendFailed { .. })).count();
    assert_eq!(failed, 2, "each record fails once");
}

#[test]
fn a_commit_that_waits_is_told_the_error_itself() {
    let (mut stand, mut cluster) = begun(&[("linger.ms", "1000"), ("delivery.timeout.ms", "31000")]);
    let text = "Producer attempted to produce with an old epoch.";
    let old = KafkaError::new("INVALID_PRODUCER_EPOCH", "InvalidProducerEpochException", text);
    send(&mut stand, 2, 0);
    call(&mut stand, 3, Calling::CommitTransaction);
    produced(&mut stand, &mut cluster, &old, 20);
    assert_eq!(told(&stand, 3), format!("throws InvalidProducerEpochException: {text}"));
}

#[test]
fn what_was_tried_to_the_end_is_wrapped() {
    let (mut stand, mut cluster) = begun(&[("request.timeout.ms", "1000"), ("delivery.timeout.ms", "2500")]);
    send(&mut stand, 2, 0);
    produced(&mut stand, &mut cluster, &error("NOT_ENOUGH_REPLICAS"), 3_000);
    let expiry = "TimeoutException: Expiring 1 record(s) for t-0:2500 ms has passed since batch creation. The request \
                  has not been sent, or no server response has been received yet.";
    assert!(told(&stand, 2).starts_with("fails TimeoutException: Expiring 1 record(s) for t-0:25"));
    call(&mut stand, 3, Calling::CommitTransaction);
    let state_text = "throws KafkaException: Cannot execute transactional method because we are in an error state";
    let wrapped = "TransactionAbortableException: Transaction Request was aborted after exhausting retries.";
    assert!(told(&stand, 3).starts_with(&format!("{state_text} <- {wrapped} <- TimeoutException: Expiring 1 record")));
    // The batch was tried again before it expired, so nobody knows what became of it. The sender finds that
    // with its next turn.
    stand.act(|producer, outbox| producer.run(outbox));
    call(&mut stand, 4, Calling::CommitTransaction);
    let text = "KafkaException: The client hasn't received acknowledgment for some previously sent messages and can no \
                longer retry them. It is safe to abort the transaction and continue.";
    assert_eq!(told(&stand, 4), format!("{state_text} <- {text}"));

    let (mut stand, mut cluster) = begun(&[("request.timeout.ms", "2500"), ("delivery.timeout.ms", "2500")]);
    send(&mut stand, 2, 0);
    stand.run(3_000, |asked| match asked.payload {
        Payload::Produce(_) => Reply::Silence,
        _ => cluster.answer(&asked),
    });
    send(&mut stand, 3, 0);
    assert_eq!(told(&stand, 3), format!("{state_text} <- {wrapped} <- {expiry}"));
}

#[test]
fn a_coordinator_that_moved_is_looked_up_again() {
    let (mut stand, mut cluster) = begun(&[]);
    send(&mut stand, 2, 0);
    stand.run(20, |asked| cluster.answer(&asked));
    call(&mut stand, 3, Calling::CommitTransaction);
    let mut times = Vec::new();
    stand.run(500, |asked| match asked.payload {
        Payload::EndTxn(_) => {
            times.push(asked.now.millis());
            if times.len() > 1 {
                return cluster.answer(&asked);
            }
            cluster.note(&asked);
            Reply::Answer(Payload::EndTxnAnswer { request: asked.request, result: Err(error("NOT_COORDINATOR")) })
        }
        _ => cluster.answer(&asked),
    });
    assert_eq!(cluster.asked[1..], ["end Commit v5", "find pay-1", "end Commit v5"]);
    assert_eq!(times, [20, 120]);
    assert_eq!(told(&stand, 3), "done");
}

#[test]
fn a_coordinator_that_is_lost_is_looked_up_again() {
    let (mut stand, mut cluster) = begun(&[]);
    send(&mut stand, 2, 0);
    stand.run(20, |asked| cluster.answer(&asked));
    call(&mut stand, 3, Calling::CommitTransaction);
    let mut tries = 0;
    stand.run(1_000, |asked| match asked.payload {
        Payload::EndTxn(_) if tries == 0 => {
            tries += 1;
            Reply::Refuse
        }
        _ => cluster.answer(&asked),
    });
    assert_eq!(cluster.asked[1..], ["find pay-1", "end Commit v5"]);
    assert_eq!(told(&stand, 3), "done");
}

#[test]
fn in_version_1_an_error_costs_an_epoch() {
    let mut stand = producer(&[]);
    stand.post_mut().transaction_version = 1;
    let mut cluster = Cluster::new(false);
    call(&mut stand, 0, Calling::InitTransactions);
    call(&mut stand, 1, Calling::BeginTransaction);
    send(&mut stand, 2, 0);
    stand.run(10, |asked| cluster.answer(&asked));
    send(&mut stand, 3, 0);
    produced(&mut stand, &mut cluster, &error("INVALID_RECORD"), 20);
    cluster.asked.clear();
    call(&mut stand, 4, Calling::AbortTransaction);
    stand.run(30, |asked| cluster.answer(&asked));
    assert_eq!(cluster.asked, ["end Abort v4", "bump 0"]);
    assert_eq!((told(&stand, 4).as_str(), state(&stand)), ("done", ClientState::Ready));
    assert_eq!(stand.client.identity().unwrap().epoch, 1);
    call(&mut stand, 5, Calling::BeginTransaction);
    send(&mut stand, 6, 0);
    stand.run(40, |asked| cluster.answer(&asked));
    assert_eq!(cluster.asked[2..], ["add t-0", "produce 1:0 v11"]);
}

#[test]
fn states_and_waits_are_told() {
    let (mut stand, mut cluster) = begun(&[]);
    send(&mut stand, 2, 0);
    call(&mut stand, 3, Calling::CommitTransaction);
    stand.run(20, |asked| cluster.answer(&asked));
    let told = |event: &Event| match &event.kind {
        EventKind::Transaction(TransactionEvent::ClientStateChanged { state, .. }) => Some(state.name().to_string()),
        EventKind::Transaction(TransactionEvent::CallBlocked { call, reason, .. }) => {
            Some(format!("{} waits for {reason:?}", call.method()))
        }
        EventKind::Transaction(TransactionEvent::CallReturned { call, .. }) => Some(format!("{} ends", call.method())),
        _ => None,
    };
    let expected = [
        "INITIALIZING",
        "initTransactions waits for Coordinator",
        "READY",
        "initTransactions ends",
        "IN_TRANSACTION",
        "send waits for Metadata",
        "send ends",
        "COMMITTING_TRANSACTION",
        "commitTransaction waits for Batches",
        "commitTransaction waits for Coordinator",
        "READY",
        "commitTransaction ends",
    ];
    assert_eq!(stand.trace.iter().filter_map(told).collect::<Vec<_>>(), expected);
}

#[test]
fn an_application_writes_in_transactions_and_begins_anew_when_it_is_fenced() {
    let workload = Workload {
        topic: "t".to_string(),
        keys: vec!["k".to_string()],
        skew_percent: Some(100),
        value: Some("v".to_string()),
        partition: Some(0),
        every: Some(Duration::from_secs(1)),
        burst: Some(2),
        count: Some(7),
        records_per_transaction: Some(2),
        init_on_fence: true,
        ..Workload::default()
    };
    let plan = Rc::new(WorkloadPlan::new(&workload, "workload").unwrap());
    let mut stand = producer(&[]);
    let mut cluster = Cluster::new(true);
    stand.act(|producer, outbox| producer.set_workload(Some(plan), outbox));
    stand.run(1_500, |asked| cluster.answer(&asked));
    let expected = [
        "find pay-1",
        "init",
        "produce 0:0 v13",
        "produce 0:1 v13",
        "end Commit v5",
        "produce 1:0 v13",
        "end Commit v5",
    ];
    assert_eq!(cluster.asked, expected);
    cluster.asked.clear();
    // Somebody else has the id now: the third transaction fails, and a new producer takes it back.
    let mut has_failed = false;
    stand.run(10_000, |asked| match asked.payload {
        Payload::EndTxn(_) if !has_failed => {
            has_failed = true;
            cluster.note(&asked);
            Reply::Answer(Payload::EndTxnAnswer { request: asked.request, result: Err(error("PRODUCER_FENCED")) })
        }
        _ => cluster.answer(&asked),
    });
    let expected = ["produce 2:0 v13", "end Commit v5", "find pay-1", "init", "produce 2:0 v13", "end Commit v5"];
    assert_eq!(cluster.asked, expected, "the seventh record has a transaction of its own");
    let is_start = |event: &&Event| matches!(&event.kind, EventKind::ProducerStarted { .. });
    assert_eq!(stand.trace.iter().filter(is_start).count(), 2);
}
