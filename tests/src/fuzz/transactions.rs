//! Random producers, zombies, timeouts and faults around transactions, and what must be true once all is over.
//!
//! The rules are those of the crash matrix (`crash.rs`), for any number of transactions and any faults.

mod acts;
mod rules;
mod stage;

use std::collections::{BTreeMap, BTreeSet};

use engine::command::Outcome;
use engine::event::{RecordId, TopicPartition};
use engine::rng::Stream;
use engine::scenario::ProducerSpec;
use engine::transaction::TransactionEvent;
use engine::{Command, Duration, Event, EventKind, Scenario, Simulation};

/// How long the longest of all timeouts takes once every fault is over: a delivery, a transaction and its scan.
const SETTLED: Duration = Duration::from_secs(120);
/// For how many seconds faults are ended again, because a broker that was shutting down has to be started.
const CURES_MIN: u64 = 30;
/// For how many seconds calls of applications may stand in a queue.
const CURES_MAX: u64 = 900;

/// What is remembered of a run.
#[derive(Default)]
struct Seen {
    /// Partitions that got no marker because nobody led them.
    skipped: BTreeSet<TopicPartition>,
    /// What each reader got of each partition, in order.
    read: BTreeMap<String, BTreeMap<TopicPartition, Vec<RecordId>>>,
}

impl Seen {
    fn take(&mut self, trace: &mut Vec<Event>) {
        for event in trace.drain(..) {
            match event.kind {
                EventKind::Transaction(TransactionEvent::MarkerSkipped { partition, .. }) => {
                    self.skipped.insert(partition);
                }
                EventKind::RecordsRead { consumer, partition, records, .. } => {
                    let read = self.read.entry(consumer.to_string()).or_default().entry(partition).or_default();
                    read.extend(records.iter().map(|record| record.id));
                }
                _ => {}
            }
        }
    }
}

/// A run, and what was done to it.
struct Run {
    simulation: Simulation,
    trace: Vec<Event>,
    seen: Seen,
    scenario: Scenario,
    /// Every command that was taken, by its number.
    commands: BTreeMap<u64, Command>,
    /// What the newest instance of each name was given.
    specs: BTreeMap<String, ProducerSpec>,
    /// The command that started the newest instance of a name, or that ended it.
    starts: BTreeMap<String, u64>,
    /// Records that must not be written twice: those of Java's producers and of transactions.
    careful: BTreeSet<u64>,
    /// Number of the next command.
    next: u64,
}

impl Run {
    fn new(seed: u64, scenario: Scenario) -> Run {
        let simulation = Simulation::new(&scenario).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let specs = scenario.producers.iter().map(|spec| (spec.name.clone(), spec.clone())).collect();
        Run {
            simulation,
            trace: Vec::new(),
            seen: Seen::default(),
            scenario,
            commands: BTreeMap::new(),
            specs,
            starts: BTreeMap::new(),
            careful: BTreeSet::new(),
            next: 0,
        }
    }

    /// Does something; a refusal is an answer like any other.
    fn act(&mut self, command: Command) -> Option<u64> {
        let number = self.next;
        let taken = self.simulation.act(number, &command, &mut self.trace).is_ok();
        // A number that was refused is not used again either.
        self.next += 1;
        if taken {
            if let Command::Producer(ProducerSpec { name, .. }) | Command::Crash { client: name } = &command {
                self.starts.insert(name.clone(), number);
            }
            if let Command::Send { producer, .. } = &command
                && self.specs.get(producer).is_some_and(is_careful)
            {
                self.careful.insert(number);
            }
            self.commands.insert(number, command);
        }
        taken.then_some(number)
    }

    fn pass(&mut self, time: Duration) {
        let until = self.simulation.now() + time;
        self.simulation.run_until(until, &mut self.trace);
        self.seen.take(&mut self.trace);
    }

    fn outcome(&self, number: u64) -> Option<&Outcome> {
        self.simulation.outcome(number)
    }
}

/// librdkafka gives a message that it may have written a new sequence when another one timed out.
fn is_careful(spec: &ProducerSpec) -> bool {
    spec.client == "java" || spec.configs.contains_key("transactional.id")
}

/// Runs one seed; panics with the rule that it breaks.
pub fn run(seed: u64) {
    let mut dice = Stream::new(seed, "transactions", "");
    let scenario = stage::scenario(&mut dice);
    let mut run = Run::new(seed, scenario);
    run.pass(Duration::from_millis(500));
    let pause = if dice.below(2) == 0 { 60_000 } else { 900_000 };
    for _ in 0..dice.below(60) + 20 {
        acts::act(&mut dice, &mut run);
        run.pass(Duration(dice.below(pause)));
        rules::while_it_runs(&run).unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
    }
    settle(&mut run);
    rules::at_rest(&run).unwrap_or_else(|broken| panic!("seed {seed}: {broken}"));
}

/// Ends every fault and waits until nothing more is to be expected.
fn settle(run: &mut Run) {
    let is_busy = |run: &Run| run.simulation.snapshot(0).producers.iter().any(|producer| !producer.calls.is_empty());
    let mut cures = 0;
    while cures < CURES_MIN || (cures < CURES_MAX && is_busy(run)) {
        cures += 1;
        for command in super::recovery::cures(&run.simulation.snapshot(0), false) {
            run.act(command);
        }
        let snapshot = run.simulation.snapshot(0);
        for producer in &snapshot.producers {
            if producer.process == engine::snapshot::ClientProcess::Frozen {
                run.act(Command::Thaw { client: producer.name.to_string() });
            }
        }
        for consumer in &snapshot.consumers {
            run.act(Command::ResumePoll { consumer: consumer.name.to_string() });
        }
        for producer in run.specs.keys().cloned().collect::<Vec<_>>() {
            run.act(Command::ResumePoll { consumer: producer });
        }
        run.pass(Duration::from_secs(1));
    }
    run.pass(SETTLED);
}
