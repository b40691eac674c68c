//! The crash matrix: one transaction, a fault before and after everything that happens in it, and what must
//! be true when the fault is over.
//!
//! Deliberately not here: random runs (`fuzz`), and what the client's calls answer, which the recordings tell.

use std::collections::BTreeMap;

use engine::command::Status;
use engine::scenario::ProducerSpec;
use engine::snapshot::PartitionSnapshot;
use engine::transaction::{MarkerKind, TransactionState};
use engine::{Command, Duration, Event, EventKind, Scenario, Simulation};
use serde_json::json;

use crate::at_rest::{ends_clean, is_committed};

/// How long a fault lasts: longer than the session of a broker, so that others take its place.
const FAULT: Duration = Duration::from_secs(15);
/// When everything must be settled: the delivery timeout, and the transaction's timeout with its scan.
const SETTLED: Duration = Duration::from_secs(260);
/// What is left of a run for which nothing more is to be expected.
const CALM: Duration = Duration::from_secs(2);
/// Steps of a run without a fault, at most.
const STEPS_MAX: usize = 5_000;
/// The producer, its transactional id, and its topic.
const PRODUCER: &str = "A";

/// What a family of cases has in common.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Partitions that take part: the leaders are brokers 2, 3 and 1, the coordinator is broker 1.
    pub partitions: u32,
    /// `transaction.version`.
    pub transaction_version: u16,
    /// How the application ends the transaction.
    pub end: MarkerKind,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// The producer's process dies and is started again.
    Producer,
    /// A broker is killed and started again.
    Broker(u32),
    /// Nothing gets through between two nodes for a while.
    Link(&'static str, &'static str),
}

const FAULTS: [Fault; 13] = [
    Fault::Producer,
    Fault::Broker(1),
    Fault::Broker(2),
    Fault::Broker(3),
    Fault::Link(PRODUCER, "broker-1"),
    Fault::Link(PRODUCER, "broker-2"),
    Fault::Link(PRODUCER, "broker-3"),
    Fault::Link("broker-1", "broker-2"),
    Fault::Link("broker-1", "broker-3"),
    Fault::Link("broker-2", "broker-3"),
    Fault::Link("controller", "broker-1"),
    Fault::Link("controller", "broker-2"),
    Fault::Link("controller", "broker-3"),
];

/// A run with its trace and the number of its next command.
#[derive(Clone)]
struct Run {
    simulation: Simulation,
    trace: Vec<Event>,
    commands: u64,
}

impl Run {
    fn new(setting: Setting) -> Run {
        let assignment: Vec<_> =
            [[2, 3, 1], [3, 1, 2], [1, 2, 3]].into_iter().take(setting.partitions as usize).collect();
        let scenario = json!({
            "name": "crash",
            "cluster": {
                "brokers": 3,
                "coordinators": { "tx": 1 },
                "configs": { "min.insync.replicas": "2" },
                "features": { "transaction.version": setting.transaction_version },
            },
            "topic": [{ "name": "t", "assignment": assignment }],
            "producer": [producer()],
            "network": { "delay": "2 ms" },
        });
        let scenario: Scenario = serde_json::from_value(scenario).expect("the scenario is written above");
        let simulation = Simulation::new(&scenario).expect("the scenario makes sense");
        let mut run = Run { simulation, trace: Vec::new(), commands: 0 };
        run.pass(Duration::from_secs(1));
        run
    }

    fn act(&mut self, command: &Command) -> u64 {
        let number = self.commands;
        self.commands += 1;
        let acted = self.simulation.act(number, command, &mut self.trace);
        acted.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        number
    }

    fn pass(&mut self, time: Duration) {
        let until = self.simulation.now() + time;
        self.simulation.run_until(until, &mut self.trace);
    }

    /// The application's whole program, each call behind the one before.
    fn give_program(&mut self, setting: Setting) {
        let name = || PRODUCER.to_owned();
        self.act(&Command::InitTransactions { producer: name(), timeout_ms: None });
        self.act(&Command::BeginTransaction { producer: name() });
        for partition in 0..setting.partitions {
            self.act(&send(partition));
        }
        // An abort drops what has not been sent, so that there would be little to abort.
        self.act(&Command::Flush { producer: name(), timeout_ms: None });
        self.act(&match setting.end {
            MarkerKind::Commit => Command::CommitTransaction { producer: name(), timeout_ms: None },
            MarkerKind::Abort => Command::AbortTransaction { producer: name(), timeout_ms: None },
        });
    }

    fn strike(&mut self, fault: Fault) {
        self.act(&match fault {
            Fault::Producer => Command::Crash { client: PRODUCER.to_owned() },
            Fault::Broker(broker) => Command::KillBroker { broker },
            Fault::Link(from, to) => Command::CutLink { from: from.to_owned(), to: to.to_owned() },
        });
    }

    fn cure(&mut self, fault: Fault) {
        match fault {
            Fault::Producer => {
                let spec = serde_json::from_value::<ProducerSpec>(producer()).expect("it is written below");
                self.act(&Command::Producer(spec));
                self.act(&Command::InitTransactions { producer: PRODUCER.to_owned(), timeout_ms: None });
            }
            Fault::Broker(broker) => {
                self.act(&Command::StartBroker { broker });
            }
            Fault::Link(from, to) => {
                self.act(&Command::HealLink { from: from.to_owned(), to: to.to_owned() });
            }
        }
    }
}

fn producer() -> serde_json::Value {
    json!({ "name": PRODUCER, "configs": { "transactional.id": "tx", "linger.ms": "0" } })
}

fn send(partition: u32) -> Command {
    let send = json!({ "do": "send", "producer": PRODUCER, "topic": "t", "partition": partition, "value": format!("v{partition}") });
    serde_json::from_value(send).expect("it is written above")
}

/// Runs every case of a setting; returns how many there were. Panics with the case that breaks a rule.
pub fn run(setting: Setting) -> u64 {
    let points = points(setting);
    let mut cases = 0;
    for (point, before) in points.iter().enumerate() {
        for fault in FAULTS {
            let mut run = before.clone();
            run.strike(fault);
            run.pass(FAULT);
            run.cure(fault);
            run.pass(SETTLED);
            check(setting, &run).unwrap_or_else(|broken| {
                let at = before.simulation.now();
                panic!("{setting:?}, {fault:?} at point {point} ({at}): {broken}")
            });
            cases += 1;
        }
    }
    cases
}

/// The instants between two things that happen in a run without a fault, first to last.
fn points(setting: Setting) -> Vec<Run> {
    let mut run = Run::new(setting);
    run.give_program(setting);
    // What has happened so far is the same in all cases and is not looked at.
    run.trace.clear();
    let mut points = vec![run.clone()];
    let mut quiet_since = run.simulation.now();
    for _ in 0..STEPS_MAX {
        let is_over = run.simulation.next_time().is_none_or(|next| next.since(quiet_since) > CALM);
        if is_over {
            check(setting, &run).unwrap_or_else(|broken| panic!("{setting:?} without a fault: {broken}"));
            return points;
        }
        let told = run.trace.len();
        run.simulation.step(&mut run.trace);
        if run.trace[told..].iter().any(is_of_transaction) {
            quiet_since = run.simulation.now();
            points.push(Run { trace: Vec::new(), ..run.clone() });
        }
    }
    panic!("{setting:?}: the transaction does not end");
}

/// Whether an event belongs to the transaction, and not to replication that goes on anyway.
fn is_of_transaction(event: &Event) -> bool {
    match &event.kind {
        EventKind::MessageArrived { message } => message.is_notable,
        EventKind::BatchAppended { .. } | EventKind::HighWatermarkAdvanced { .. } | EventKind::Transaction(_) => true,
        EventKind::CommandFinished { .. } => true,
        _ => false,
    }
}

/// What must be true at the end.
fn check(setting: Setting, run: &Run) -> Result<(), String> {
    let snapshot = run.simulation.snapshot(1_000);
    let known = snapshot.transactions.iter().find(|known| &*known.transactional_id == "tx");
    let states = known.iter().flat_map(|known| &known.log).filter_map(|entry| entry.state);
    let is_decided = states.into_iter().any(|state| state == TransactionState::PrepareCommit);
    let topic = snapshot.topics.iter().find(|topic| &*topic.name == "t").ok_or("the topic is gone")?;
    let mut committed: BTreeMap<String, u32> = BTreeMap::new();
    for partition in &topic.partitions {
        ends_clean(partition).map_err(|broken| format!("t-{}: {broken}", partition.partition))?;
        for value in committed_values(partition) {
            *committed.entry(value).or_default() += 1;
        }
    }
    let expected = if is_decided { setting.partitions } else { 0 };
    if committed.len() as u32 != expected || committed.values().any(|count| *count != 1) {
        return Err(format!("PrepareCommit durable: {is_decided}, but committed readers see {committed:?}"));
    }
    // The last call of the first instance is the one that ends the transaction.
    let end = u64::from(setting.partitions) + 3;
    let returned = run.simulation.outcome(end).is_some_and(|outcome| outcome.status == Status::Done);
    if returned && is_decided != (setting.end == MarkerKind::Commit) {
        return Err(format!("the call {:?} returned, PrepareCommit durable: {is_decided}", setting.end));
    }
    Ok(())
}

/// What a reader of committed data gets.
fn committed_values(partition: &PartitionSnapshot) -> Vec<String> {
    let values = partition.records.iter().filter(is_committed).filter_map(|record| record.record.value.as_deref());
    values.map(str::to_owned).collect()
}
