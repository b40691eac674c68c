//! Random groups of every protocol and assignor under faults, and the rules of their protocols.
//!
//! No partition has two owners in one generation; everything that is subscribed to is owned once faults are over;
//! what is committed stays, but for resets; and only those partitions stand still that the protocol stops.

mod acts;
mod calm;
mod rest;
mod stage;
mod watch;

use std::collections::BTreeMap;

use engine::rng::Stream;
use engine::scenario::ConsumerSpec;
use engine::snapshot::ClientProcess;
use engine::standstill::Standstill;
use engine::timeline::TimedCommand;
use engine::{Command, Duration, Event, Scenario, Simulation, Timeline};

use stage::Plan;
use watch::Watch;

/// How long the longest of all timeouts takes once every fault is over: a session, then a rebalance.
const SETTLED: Duration = Duration::from_secs(150);
/// For how many seconds faults are ended again, because a broker that was shutting down has to be started.
const CURES: u64 = 30;
/// One seed in so many is played again, backwards and forwards.
const REPEATED: u64 = 10;

/// A run, and what was done to it.
struct Run {
    simulation: Simulation,
    trace: Vec<Event>,
    watch: Watch,
    standstill: Standstill,
    plans: Vec<Plan>,
    scenario: Scenario,
    /// Every command with its moment, refused ones left out.
    commands: Vec<TimedCommand>,
    /// Whether offsets are set back, or forward, and topics are deleted.
    has_resets: bool,
    /// What the newest instance of each name was given.
    specs: BTreeMap<String, ConsumerSpec>,
    /// Groups in which some consumer began at the end of the log.
    late: Vec<String>,
}

impl Run {
    fn new(scenario: Scenario, plans: Vec<Plan>, has_resets: bool) -> Result<Run, String> {
        let mut run = Run {
            simulation: Simulation::new(&scenario).map_err(|error| error.to_string())?,
            trace: Vec::new(),
            watch: Watch::new(has_resets),
            standstill: Standstill::new(&scenario),
            plans,
            scenario,
            commands: Vec::new(),
            has_resets,
            specs: BTreeMap::new(),
            late: Vec::new(),
        };
        for spec in run.scenario.consumers.clone() {
            run.started(&spec);
        }
        Ok(run)
    }

    fn started(&mut self, spec: &ConsumerSpec) {
        self.watch.start(spec);
        self.specs.insert(spec.name.clone(), spec.clone());
        let is_late = spec.configs.get("auto.offset.reset").is_some_and(|reset| reset == "latest");
        if let Some(group) = spec.configs.get("group.id").filter(|_| is_late) {
            self.late.push(group.clone());
        }
    }

    /// Whether all members of a group read from the beginning on.
    fn starts_early(&self, group: &str) -> bool {
        !self.late.iter().any(|late| late == group)
    }

    /// Does something; a refusal is an answer like any other.
    fn act(&mut self, command: Command) -> bool {
        if !self.has_resets && is_reset(&command) {
            return false;
        }
        let number = self.commands.len() as u64;
        let is_taken = self.simulation.act(number, &command, &mut self.trace).is_ok();
        if is_taken {
            if let Command::Consumer(spec) = &command {
                self.started(spec);
            }
            self.commands.push(TimedCommand { moment: self.simulation.moment(), command: command.into() });
        }
        is_taken
    }

    fn pass(&mut self, time: Duration) -> Result<(), String> {
        let until = self.simulation.now() + time;
        self.simulation.run_until(until, &mut self.trace);
        for event in self.trace.drain(..) {
            self.standstill.take(&event);
            self.watch.take(&event).map_err(|broken| format!("at {}: {broken}", event.moment.time))?;
        }
        Ok(())
    }
}

/// Offsets that an operator or an application sets, and records that go.
fn is_reset(command: &Command) -> bool {
    matches!(
        command,
        Command::Seek { .. }
            | Command::SeekToBeginning { .. }
            | Command::SeekToEnd { .. }
            | Command::CommitSync { offsets: Some(_), .. }
            | Command::CommitAsync { offsets: Some(_), .. }
            | Command::AlterConsumerGroupOffsets { .. }
            | Command::DeleteConsumerGroupOffsets { .. }
            | Command::DeleteConsumerGroup { .. }
            | Command::DeleteTopic { .. }
    )
}

/// Runs one seed; panics with the rule that it breaks.
pub fn run(seed: u64) {
    if let Err(broken) = play(seed) {
        panic!("seed {seed}: {broken}");
    }
}

fn play(seed: u64) -> Result<(), String> {
    let mut dice = Stream::new(seed, "groups", "");
    let plans = stage::plans(&mut dice);
    let scenario = stage::scenario(&mut dice, &plans);
    let mut run = Run::new(scenario, plans, dice.below(2) == 0)?;
    run.pass(Duration::from_millis(500))?;
    let pause = if dice.below(2) == 0 { 900_000 } else { 4_000_000 };
    for _ in 0..dice.below(50) + 15 {
        acts::act(&mut dice, &mut run);
        run.pass(Duration(dice.below(pause)))?;
    }
    settle(&mut run)?;
    rest::check(&run)?;
    calm::check(&mut dice, &mut run)?;
    if seed.is_multiple_of(REPEATED) { repeat(&mut dice, &run) } else { Ok(()) }
}

/// Ends every fault and waits until nothing more is to be expected.
fn settle(run: &mut Run) -> Result<(), String> {
    for _ in 0..CURES {
        let snapshot = run.simulation.snapshot(0);
        for command in super::recovery::cures(&snapshot, false) {
            run.act(command);
        }
        for found in &snapshot.consumers {
            let name = || found.name.to_string();
            if found.process == ClientProcess::Frozen {
                run.act(Command::Thaw { client: name() });
            }
            if found.is_paused {
                run.act(Command::ResumePoll { consumer: name() });
            }
        }
        run.pass(Duration::from_secs(1))?;
    }
    for producer in run.scenario.producers.iter().map(|spec| spec.name.clone()).collect::<Vec<_>>() {
        run.act(Command::SetWorkload { producer, workload: None });
    }
    for consumer in twins(run) {
        run.act(Command::CloseConsumer { consumer, operation: Some("LEAVE_GROUP".to_string()) });
    }
    run.pass(SETTLED)
}

/// Consumers whose `group.instance.id` an earlier one has too: they would fence each other without end.
fn twins(run: &Run) -> Vec<String> {
    let snapshot = run.simulation.snapshot(0);
    let mut seen = Vec::new();
    let mut twins = Vec::new();
    for found in snapshot.consumers.iter().filter(|found| found.process == ClientProcess::Running) {
        let Some(own) = found.membership.as_ref().filter(|own| own.instance.is_some() && !own.is_closed) else {
            continue;
        };
        let key = (own.group.clone(), own.instance.clone());
        if seen.contains(&key) { twins.push(found.name.to_string()) } else { seen.push(key) }
    }
    twins
}

/// The same commands give the same run on a timeline, and a moment looks the same however it is reached.
fn repeat(dice: &mut Stream, run: &Run) -> Result<(), String> {
    let started = Timeline::with_commands(run.scenario.clone(), run.commands.clone(), ());
    let mut timeline = started.map_err(|error| error.to_string())?;
    let (end, hash) = (run.simulation.now(), run.simulation.trace_hash());
    timeline.advance_to(end);
    if timeline.trace_hash() != hash {
        return Err("a second run differs".to_string());
    }
    for _ in 0..4 {
        timeline.seek(engine::Time(dice.below(end.0 + 1)));
    }
    timeline.seek(end);
    if timeline.trace_hash() == hash { Ok(()) } else { Err("the end differs after jumping about".to_string()) }
}
