//! `--reset-offsets`: which start offsets a share group gets, and whether they are really set.
//!
//! Only a group without members is reset.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::command::PartitionName;
use engine::event::TopicPartition;
use engine::snapshot::Snapshot;
use engine::{Command, Observer};

use super::arguments::SCENARIOS;
use super::describe::{known, offsets};
use crate::Printed;
use crate::consumer_groups::{Service, datetime, parser_error, partition, unknown_topic};
use crate::exception::Exception;
use crate::get_offsets::first_not_older;
use crate::java_order::{hash_order, partition_hash};
use crate::options::Options;
use crate::place::unix_millis;
use crate::stop::Stop;

/// Works start offsets out and sets them.
pub(super) fn reset<O: Observer>(
    service: &mut Service<'_, O>,
    options: &Options,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let id = options.text("group").map_err(|text| Stop::Failed(parser_error(&text)))?.unwrap_or_default().to_string();
    let found = service.coordinated(std::slice::from_ref(&id), "describeShareGroups");
    let snapshot = found.map_err(|error| Stop::Failed(error.in_future()))?;
    let group = known(&snapshot, &id).map_err(|error| Stop::Failed(error.in_future()))?;
    if !group.members.is_empty() {
        return Err(Stop::Terse(format!("Share group '{id}' is not empty.")));
    }
    let names = scope(&snapshot, &id, options)?;
    if !SCENARIOS.iter().any(|scenario| options.has(scenario)) {
        let all = SCENARIOS.map(|scenario| format!("--{scenario}")).join(", ");
        return Err(Stop::Usage(format!("Option [reset-offsets] takes one of these options: {all}")));
    }
    let mut wanted = Vec::new();
    for name in hash_order(names, |name| {
        partition_hash(&PartitionName { topic: name.topic.to_string(), partition: name.partition })
    }) {
        wanted.push((name.clone(), offset(service, &snapshot, &name, options)?));
    }
    if options.has("execute") {
        execute(service, &id, &wanted)?;
    }
    print(&id, &wanted, printed);
    Ok(())
}

/// The partitions that are meant.
fn scope(snapshot: &Snapshot, id: &str, options: &Options) -> Result<Vec<TopicPartition>, Stop> {
    if options.has("all-topics") {
        return Ok(offsets(snapshot, id).into_iter().map(|known| known.partition.clone()).collect());
    }
    if !options.has("topic") {
        let text = "One of the reset scopes should be defined: --all-topics, --topic.";
        return Err(Stop::Usage(text.to_string()));
    }
    let mut names = Vec::new();
    for topic in options.all("topic") {
        let Some(found) = snapshot.topics.iter().find(|known| *known.name == **topic) else {
            return Err(Stop::Failed(unknown_topic().in_future()));
        };
        let partition = |number: u32| TopicPartition { topic: Rc::clone(&found.name), partition: number };
        names.extend((0..found.partitions.len() as u32).map(partition));
    }
    Ok(names)
}

fn offset<O: Observer>(
    service: &Service<'_, O>,
    snapshot: &Snapshot,
    name: &TopicPartition,
    options: &Options,
) -> Result<u64, Stop> {
    let Some(found) = partition(snapshot, name) else { return Err(Stop::Failed(unknown_topic().in_future())) };
    if options.has("to-earliest") {
        return Ok(found.log_start_offset);
    }
    if options.has("to-latest") {
        return Ok(found.high_watermark);
    }
    let text = options.all("to-datetime").first().map_or("", String::as_str);
    let millis = datetime(text).map_err(Stop::Failed)? - unix_millis(0);
    let first = first_not_older(&*service.timeline, &name.topic, found, millis);
    Ok(first.unwrap_or(found.high_watermark))
}

fn execute<O: Observer>(service: &mut Service<'_, O>, id: &str, wanted: &[(TopicPartition, u64)]) -> Result<(), Stop> {
    let offsets: BTreeMap<String, u64> = wanted.iter().map(|(name, offset)| (name.to_string(), *offset)).collect();
    match service.send(Command::AlterShareGroupOffsets { group: id.to_string(), offsets })? {
        Err(error) => Err(Stop::Failed(Exception::of_kafka(&error).in_future())),
        Ok(_) => Ok(()),
    }
}

fn print(id: &str, wanted: &[(TopicPartition, u64)], printed: &mut Printed) {
    let length = |text: &str| text.chars().count();
    let width = length(id).max(15);
    let topic_width = wanted.iter().map(|(name, _)| length(&name.topic)).max().unwrap_or(0).max(15);
    let mut line = |id: &str, topic: &str, partition: &str, offset: &str| {
        printed.out(&format!("\n{id:<width$} {topic:<topic_width$} {partition:<10} {offset}"));
    };
    line("GROUP", "TOPIC", "PARTITION", "NEW-OFFSET");
    for (name, offset) in wanted {
        line(id, &name.topic, &name.partition.to_string(), &offset.to_string());
    }
    printed.out("\n");
}
