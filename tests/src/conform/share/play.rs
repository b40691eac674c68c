//! A recording on its way: the cluster, and calls that are waited for.
//!
//! Deliberately not here: what the verbs are (`steps.rs`), and what is compared.

use std::collections::{BTreeMap, VecDeque};

use engine::scenario::TopicSpec;
use engine::share::DeliveredRecord;
use engine::{Command, Duration, Outcome, Scenario, Time, Timeline};

use super::Recording;
use crate::conform::strict::settings;

/// Settings that the recorded broker had, which was alone.
const BROKER: [(&str, &str); 3] = [
    ("offsets.topic.replication.factor", "1"),
    ("share.coordinator.state.topic.min.isr", "1"),
    ("share.coordinator.state.topic.replication.factor", "1"),
];

/// A call that has not returned by then does not return.
const PATIENCE: Duration = Duration::from_secs(120);

/// A recording that is being replayed.
pub(super) struct Play<'a> {
    pub recording: &'a Recording,
    pub timeline: Timeline<()>,
    /// Delivered, and not recorded as polled yet: one delivery may be split over several polls.
    pub surplus: BTreeMap<String, VecDeque<DeliveredRecord>>,
    pub has_producer: bool,
}

impl<'a> Play<'a> {
    pub fn new(recording: &'a Recording, seed: u64) -> Result<Play<'a>, String> {
        let mut scenario = Scenario { seed, ..Scenario::empty(1) };
        scenario.cluster.configs = BROKER.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        scenario.cluster.configs.extend(settings(&recording.configs["broker"]));
        let topic = |(name, partitions): &(String, u32)| TopicSpec {
            name: name.clone(),
            partitions: Some(*partitions),
            replication_factor: Some(1),
            ..TopicSpec::default()
        };
        scenario.topics = recording.topics.iter().map(topic).collect();
        let timeline = Timeline::new(scenario, ());
        let mut timeline = timeline.map_err(|error| format!("the cluster does not start: {error}"))?;
        timeline.advance_to(Time::ZERO);
        let mut play = Play { recording, timeline, surplus: BTreeMap::new(), has_producer: false };
        let set = settings(&recording.configs["group"]);
        if !set.is_empty() {
            let outcome =
                play.act(Command::AlterGroupConfigs { group: recording.group.clone(), set, delete: Vec::new() });
            if let Some(error) = outcome?.error {
                return Err(format!("configs: {error}"));
            }
        }
        Ok(play)
    }

    /// Gives a command and lets time pass until it is answered.
    pub fn act(&mut self, command: Command) -> Result<Outcome, String> {
        let number = self.timeline.submit(command).map_err(|error| error.to_string())?;
        let until = self.timeline.now() + PATIENCE;
        loop {
            if let Some(outcome) = self.timeline.outcome(number) {
                return Ok(outcome.clone());
            }
            let next = self.timeline.peek().filter(|next| next.time <= until);
            if next.is_none() || !self.timeline.step_entry() {
                return Err(format!("no answer within {PATIENCE}"));
            }
        }
    }
}
