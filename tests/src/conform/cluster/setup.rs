//! The cluster that the recordings were made on, as a scenario.
//!
//! Deliberately not here: topics and producers. Steps make them.

use std::collections::BTreeMap;

use engine::scenario::ConsumerSpec;
use engine::{Scenario, Time, Timeline};
use serde_json::Value;

/// Settings that every recorded cluster had.
const CLUSTER: [(&str, &str); 10] = [
    ("auto.leader.rebalance.enable", "false"),
    ("broker.heartbeat.interval.ms", "500"),
    ("broker.session.timeout.ms", "3000"),
    ("group.initial.rebalance.delay.ms", "0"),
    ("log.cleaner.backoff.ms", "500"),
    ("log.initial.task.delay.ms", "500"),
    ("log.retention.check.interval.ms", "1000"),
    ("replica.high.watermark.checkpoint.interval.ms", "500"),
    ("replica.lag.time.max.ms", "4000"),
    ("transaction.abort.timed.out.transaction.cleanup.interval.ms", "500"),
];

/// When the first step happens. Record timestamps count from one hour before it, which is the start of the run; two
/// minutes more stand for the time that recordings took, because in `storage/compact-open-transaction` a marker is not
/// older than a record that was stamped 100 seconds after the hour.
const FIRST_STEP: Time = Time::from_millis(3_720_000);

/// The cluster at the moment of the first step.
pub(super) fn timeline(case: &Value) -> Result<Timeline, String> {
    let brokers = case["brokers"].as_u64().and_then(|count| u32::try_from(count).ok());
    let mut scenario = Scenario::empty(brokers.ok_or("brokers must be a number")?);
    scenario.cluster.configs = CLUSTER.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    for (name, value) in texts(&case["configs"]) {
        match name.strip_prefix("feature ") {
            Some(feature) => {
                let level = value.parse().map_err(|_| format!("configs: {name} must be a level"))?;
                scenario.cluster.features.insert(feature.to_owned(), level);
            }
            None => drop(scenario.cluster.configs.insert(name, value)),
        }
    }
    scenario.cluster.coordinators = super::notes::coordinators(case);
    scenario.consumers = readers(case);
    let mut timeline = Timeline::new(scenario, ()).map_err(|error| format!("the cluster does not start: {error}"))?;
    stop_readers(&mut timeline)?;
    timeline.advance_to(FIRST_STEP);
    Ok(timeline)
}

/// A scenario names its readers up front, so each `fetch` step has one that waits for it.
fn readers(case: &Value) -> Vec<ConsumerSpec> {
    let steps = case["steps"].as_array().into_iter().flatten().enumerate();
    let fetches = steps.filter(|(_, step)| step["do"] == "fetch");
    let reader = |(number, step): (usize, &Value)| ConsumerSpec {
        name: reader_name(number),
        assign: step["partition"].as_str().map(str::to_owned).into_iter().collect(),
        configs: BTreeMap::from([("auto.offset.reset".to_owned(), "none".to_owned())]),
        ..ConsumerSpec::default()
    };
    fetches.map(reader).collect()
}

fn stop_readers(timeline: &mut Timeline) -> Result<(), String> {
    let names: Vec<String> = timeline.scenario().consumers.iter().map(|reader| reader.name.clone()).collect();
    for consumer in names {
        timeline.act(engine::Command::StopPoll { consumer }).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The reader of a `fetch` step.
pub(super) fn reader_name(step: usize) -> String {
    format!("fetch-{step}")
}

/// Settings as text; numbers and strings are the same there.
pub(super) fn texts(map: &Value) -> impl Iterator<Item = (String, String)> {
    map.as_object().into_iter().flatten().map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (name.clone(), text)
    })
}
