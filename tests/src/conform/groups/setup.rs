//! The broker, topics and settings of a recorded group, as a scenario.
//!
//! Deliberately not here: members. Steps make them.

use std::cell::RefCell;
use std::rc::Rc;

use engine::event::EventKind;
use engine::scenario::{Preload, TopicSpec};
use engine::{Command, Event, Moment, Observer, Scenario, Time, Timeline};

use super::recording::{Recording, Topic};

/// Settings that the recorded broker had besides those that a recording names.
const BROKER: [(&str, &str); 2] =
    [("group.consumer.min.heartbeat.interval.ms", "1000"), ("group.consumer.min.session.timeout.ms", "6000")];

/// What has happened and was not looked at yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Log(pub Rc<RefCell<Vec<Event>>>);

impl Observer for Log {
    fn observe(&mut self, _: Moment, events: &[Event]) {
        let told = events.iter().filter(|event| {
            matches!(
                event.kind,
                EventKind::Group(_)
                    | EventKind::RecordsRead { .. }
                    | EventKind::CommandFinished { .. }
                    | EventKind::Warned { .. }
            )
        });
        self.0.borrow_mut().extend(told.cloned());
    }
}

/// The cluster before the first step.
pub(super) fn timeline(recording: &Recording, brokers: u32, seed: u64) -> Result<Timeline<Log>, String> {
    let mut scenario = Scenario { seed, ..Scenario::empty(brokers) };
    scenario.cluster.configs = BROKER.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    scenario.cluster.configs.extend(recording.configs("broker"));
    scenario.topics = recording.topics.iter().filter(|topic| !is_made_later(recording, topic)).map(topic).collect();
    // The recorded coordinator answered from the beginning, so its topic was there.
    scenario.topics.push(TopicSpec { name: "__consumer_offsets".to_owned(), ..TopicSpec::default() });
    let timeline = Timeline::new(scenario, Log::default());
    let mut timeline = timeline.map_err(|error| format!("the cluster does not start: {error}"))?;
    timeline.advance_to(Time::ZERO);
    let set = recording.configs("group");
    if !set.is_empty() {
        let command = Command::AlterGroupConfigs { group: recording.group.clone(), set, delete: Vec::new() };
        let outcome = timeline.act(command).map_err(|error| format!("configs: {error}"))?;
        if let Some(error) = outcome.error {
            return Err(format!("configs: {error}"));
        }
    }
    Ok(timeline)
}

/// Recordings list topics that a step makes with the others.
fn is_made_later(recording: &Recording, topic: &Topic) -> bool {
    let of_topic = |verb: &str| {
        recording.steps.iter().position(|step| step.verb == verb && step.arguments["topic"] == *topic.name)
    };
    of_topic("create_topic").is_some_and(|made| of_topic("delete_topic").is_none_or(|deleted| made < deleted))
}

fn topic(topic: &Topic) -> TopicSpec {
    let keys: Vec<String> = (0..topic.records_per_partition).map(|number| format!("k{number}")).collect();
    let values = vec!["v".to_owned()];
    let preload = |partition| Preload { partition, keys: keys.clone(), values: values.clone(), ..Preload::default() };
    TopicSpec {
        name: topic.name.clone(),
        partitions: Some(topic.partitions),
        topic_id: topic.topic_id.clone(),
        preloads: if keys.is_empty() { Vec::new() } else { (0..topic.partitions).map(preload).collect() },
        ..TopicSpec::default()
    }
}
