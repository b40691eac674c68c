//! A scenario that is run in one go, for predictions and checks.
//!
//! Deliberately not here: time travel. What the reader moves through is the engine's timeline.

use engine::command::Outcome;
use engine::standstill::{Standstill, Stood};
use engine::{Command, Duration, Event, EventKind, InputError, Scenario, Simulation, Snapshot, Time};
use partitioner::encoding::Encoding;
use serde::Deserialize;

use crate::suggest;

/// Keys of a pattern that are spelled out for a question.
const KEYS_ASKED_MAX: u64 = 64;

/// A command at an instant.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    /// When, counted from the start: after everything that happens at that time.
    pub at: Duration,
    /// What.
    pub command: Command,
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct StageRun {
    /// The state at the end, with all records that a snapshot may hold.
    pub snapshot: Snapshot,
    /// Everything that happened.
    pub events: Vec<Event>,
    simulation: Simulation,
    standstill: Standstill,
}

impl StageRun {
    /// Runs a scenario up to an instant, everything at it included.
    pub fn new(scenario: &Scenario, commands: &[Planned], until: Duration) -> Result<StageRun, InputError> {
        let mut simulation = Simulation::new(scenario)?;
        let mut events = Vec::new();
        for (number, planned) in (0..).zip(commands) {
            simulation.run_until(Time::ZERO + planned.at, &mut events);
            simulation.act(number, &planned.command, &mut events)?;
        }
        simulation.run_until(Time::ZERO + until, &mut events);
        let snapshot = simulation.snapshot(engine::limits::SNAPSHOT_RECORDS_MAX);
        Ok(StageRun { snapshot, events, simulation, standstill: Standstill::new(scenario) })
    }

    /// Runs on to a later instant, everything at it included.
    pub fn go_on(&mut self, until: Duration) {
        self.simulation.run_until(Time::ZERO + until, &mut self.events);
        self.snapshot = self.simulation.snapshot(engine::limits::SNAPSHOT_RECORDS_MAX);
    }

    /// What the partitions of a group did from an instant up to the end.
    pub(crate) fn stood(&self, group: &str, from: Duration) -> Stood {
        let mut standstill = self.standstill.clone();
        let (before, after): (Vec<&Event>, Vec<&Event>) =
            self.events.iter().partition(|event| event.moment.time.0 < from.0);
        before.into_iter().for_each(|event| standstill.take(event));
        standstill.restart(Time::ZERO + from);
        after.into_iter().for_each(|event| standstill.take(event));
        standstill.of(group, self.snapshot.moment.time)
    }

    /// Producer, key as text and partition of every record, in the order in which they were placed.
    pub fn placed(&self) -> impl Iterator<Item = Placed<'_>> {
        self.events.iter().filter_map(|event| match &event.kind {
            EventKind::RecordPartitioned { record, producer, partition, .. } => Some(Placed {
                time: event.moment.time,
                producer,
                key: record.key_text.as_deref(),
                topic: &partition.topic,
                partition: partition.partition,
            }),
            _ => None,
        })
    }

    /// Lengths of stretches on one partition, as (partition, records).
    pub fn runs(&self, producer: Option<&str>) -> Vec<(u32, u64)> {
        let mut runs: Vec<(u32, u64)> = Vec::new();
        for placed in self.placed().filter(|placed| producer.is_none_or(|name| name == placed.producer)) {
            match runs.last_mut().filter(|(partition, _)| *partition == placed.partition) {
                Some((_, records)) => *records += 1,
                None => runs.push((placed.partition, 1)),
            }
        }
        runs
    }

    /// What came of the last command, as far as it is finished.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.events.iter().rev().find_map(|event| match &event.kind {
            EventKind::CommandFinished { outcome } => Some(&**outcome),
            _ => None,
        })
    }
}

/// When the first event that fits happens, up to an instant. The run ends there and keeps nothing.
pub(crate) fn first_event(
    scenario: &Scenario,
    commands: &[Planned],
    until: Duration,
    fits: &dyn Fn(&Event) -> bool,
) -> Result<Option<Time>, InputError> {
    let mut simulation = Simulation::new(scenario)?;
    let mut events = Vec::new();
    let ends = commands.iter().map(|planned| planned.at).chain([until]);
    for (number, stop) in (0..).zip(ends) {
        let stop = Time::ZERO + stop;
        loop {
            if let Some(event) = events.drain(..).find(|event| fits(event)) {
                return Ok(Some(event.moment.time));
            }
            if simulation.next_time().is_none_or(|next| next > stop) {
                break;
            }
            simulation.step(&mut events);
        }
        simulation.wait_until(stop);
        if let Some(planned) = commands.get(number) {
            simulation.act(number as u64, &planned.command, &mut events)?;
        }
    }
    Ok(None)
}

/// Where a record went.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// When it got its partition.
    pub time: Time,
    /// Its producer.
    pub producer: &'a str,
    /// Its key as text.
    pub key: Option<&'a str>,
    /// Its topic.
    pub topic: &'a str,
    /// Its partition.
    pub partition: u32,
}

/// The keys of the first workload, each once, in the order of their first use; of a long pattern the first ones.
pub(crate) fn keys(scenario: &Scenario) -> Vec<String> {
    let Some(workload) = scenario.producers.iter().find_map(|producer| producer.workload.as_ref()) else {
        return Vec::new();
    };
    let mut keys: Vec<String> = Vec::new();
    let patterned = workload.key_pattern.iter().flat_map(|pattern| {
        let numbers = pattern.first..pattern.first.saturating_add(pattern.count.min(KEYS_ASKED_MAX));
        numbers.map(|number| format!("{}{number}", pattern.prefix))
    });
    for key in workload.keys.iter().cloned().chain(patterned) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// The rules of the first producer, applied to keys as text.
pub(crate) struct Placement<'a> {
    scenario: &'a Scenario,
    client: &'static partitioner::Client,
    encoding: Encoding,
    explicit: Option<u32>,
}

impl<'a> Placement<'a> {
    /// Those of the scenario's first producer that has a workload, or of another client in its place.
    pub fn new(scenario: &'a Scenario, client: Option<&str>) -> Result<Placement<'a>, InputError> {
        let producer = scenario.producers.iter().find(|producer| producer.workload.is_some());
        let workload = producer.and_then(|producer| producer.workload.as_ref());
        let encoding = workload.and_then(|workload| workload.key_encoding.as_deref()).unwrap_or("text");
        let explicit = workload.and_then(|workload| workload.partition).map(u32::try_from).and_then(Result::ok);
        let id = client.or(producer.map(|producer| producer.client.as_str())).unwrap_or("java");
        Ok(Placement { scenario, client: find_client(id)?, encoding: find_encoding(encoding)?, explicit })
    }

    /// Partitions of the first topic.
    pub fn count(&self) -> u32 {
        let topic = self.scenario.topics.first();
        let listed = topic.and_then(|topic| topic.assignment.as_ref()).map(|assignment| assignment.len() as u32);
        topic.and_then(|topic| topic.partitions).or(listed).unwrap_or(1)
    }

    /// The partition of a key among `partitions`; none if the key does not decide.
    pub fn of(&self, key: &str, partitions: u32) -> Result<Option<u32>, InputError> {
        if self.explicit.is_some() {
            return Ok(self.explicit);
        }
        Ok(self.client.partition(Some(&encode(self.encoding, key)?), partitions))
    }

    /// The partition of a key given as bytes, among the partitions of the first topic.
    pub fn of_bytes(&self, key: &[u8]) -> Option<u32> {
        self.explicit.or_else(|| self.client.partition(Some(key), self.count()))
    }
}

/// A client by its id.
pub(crate) fn find_client(id: &str) -> Result<&'static partitioner::Client, InputError> {
    partitioner::client(id).ok_or_else(|| {
        let ids = partitioner::clients().iter().map(|client| client.id);
        InputError::new("stage.client", format!("There is no client \"{id}\".")).hint(suggest::hint(id, ids))
    })
}

/// An encoding by its id.
pub(crate) fn find_encoding(id: &str) -> Result<Encoding, InputError> {
    Encoding::from_id(id).ok_or_else(|| {
        let message = format!("There is no key encoding \"{id}\".");
        InputError::new("stage.key_encoding", message).hint(suggest::hint(id, Encoding::IDS))
    })
}

/// The bytes of a key.
pub(crate) fn encode(encoding: Encoding, key: &str) -> Result<Vec<u8>, InputError> {
    encoding.encode(key).map_err(|error| InputError::new("stage.key", error.to_string()))
}
