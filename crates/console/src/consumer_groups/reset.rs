//! `--reset-offsets`: which offsets a group gets, and whether they are really set.
//!
//! Follows `ConsumerGroupCommand` and `GroupOffsetsResetter` of 4.3.1. What the tool only logs is left out.

use std::collections::BTreeMap;

use engine::command::PartitionName;
use engine::event::TopicPartition;
use engine::group::GroupState;
use engine::order::Order;
use engine::snapshot::{PartitionSnapshot, Snapshot};
use engine::{Command, Observer};

use super::arguments::{Arguments, SCENARIOS, Settings};
use super::plan::{self, Named};
use super::service::{Service, committed, group, partition, unknown_topic};
use super::{describe, list, print_error, when};
use crate::exception::Exception;
use crate::get_offsets::first_not_older;
use crate::java_order::{hash_order, partition_hash, string_hash};
use crate::place::unix_millis;
use crate::stop::Stop;
use crate::{Input, Printed};

/// Offsets to set, by partition.
type Offsets = Vec<(TopicPartition, u64)>;

/// A reset of one group, while it is worked out.
struct Reset<'a> {
    arguments: &'a Arguments,
    settings: &'a Settings,
    input: &'a Input,
    group: &'a str,
    snapshot: &'a Snapshot,
}

/// Works offsets out for each group and sets them.
pub(super) fn reset<O: Observer>(
    service: &mut Service<'_, O>,
    arguments: &Arguments,
    settings: &Settings,
    input: &Input,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let options = &arguments.options;
    let mut ids = if options.has("all-groups") { list::ids(service)? } else { options.all("group").to_vec() };
    ids.order();
    ids.dedup();
    let found = service.coordinated(&ids, "describeGroups");
    let snapshot = found.map_err(|error| Stop::Failed(error.in_future().inside("java.lang.RuntimeException")))?;
    let mut plans = Vec::new();
    for id in hash_order(ids, |id| string_hash(id)) {
        // A group that is none of consumers counts as one that is not there.
        let state = match describe::unknown_group(&snapshot, &id) {
            Some(_) => GroupState::Dead,
            None => group(&snapshot, &id).map_or(GroupState::Dead, |group| group.state),
        };
        if ![GroupState::Empty, GroupState::Dead].contains(&state) {
            let text = format!(
                "Assignments can only be reset if the group '{id}' is inactive, but the current state is {}.",
                state.name()
            );
            print_error(&text, None, printed);
            plans.push((id, Offsets::new()));
            continue;
        }
        let reset = Reset { arguments, settings, input, group: &id, snapshot: &snapshot };
        let offsets = reset.offsets(service, printed)?;
        let offsets = hash_order(offsets, |(name, _)| hash(name));
        if options.has("execute") && !options.has("dry-run") {
            execute(service, &id, &offsets)?;
        }
        plans.push((id, offsets));
    }
    if options.has("export") {
        export(&plans, options.all("group").len() == 1, printed);
    } else {
        print_plans(&plans, printed);
    }
    Ok(())
}

fn hash(name: &TopicPartition) -> i32 {
    partition_hash(&PartitionName { topic: name.topic.to_string(), partition: name.partition })
}

fn execute<O: Observer>(service: &mut Service<'_, O>, id: &str, offsets: &Offsets) -> Result<(), Stop> {
    let offsets: BTreeMap<String, u64> =
        offsets.iter().map(|(name, offset)| (format!("{}-{}", name.topic, name.partition), *offset)).collect();
    let partitions: Vec<String> = offsets.keys().cloned().collect();
    match service.send(Command::AlterConsumerGroupOffsets { group: id.to_string(), offsets })? {
        Err(error) => Err(Stop::Failed(Exception::of_kafka(&error))),
        Ok(outcome) => match outcome.partitions.into_iter().find_map(|one| one.error) {
            None => Ok(()),
            Some(mut error) => {
                let names = partitions.join(", ");
                error.message = format!("Failed altering group offsets for the following partitions: [{names}]");
                Err(Stop::Failed(Exception::of_kafka(&error)))
            }
        },
    }
}

fn export(plans: &[(String, Offsets)], is_single: bool, printed: &mut Printed) {
    for (id, offsets) in plans {
        for (name, offset) in offsets {
            printed.out(&plan::exported((!is_single).then_some(id), name, *offset));
        }
    }
    printed.out("\n");
}

fn print_plans(plans: &[(String, Offsets)], printed: &mut Printed) {
    let length = |text: &str| text.chars().count();
    let width = plans.iter().map(|(id, _)| length(id)).max().unwrap_or(0).max(15);
    let names = plans.iter().flat_map(|(_, offsets)| offsets).map(|(name, _)| length(&name.topic));
    let topic_width = names.max().unwrap_or(0).max(15);
    let mut line = |id: &str, topic: &str, partition: &str, offset: &str| {
        printed.out(&format!("\n{id:<width$} {topic:<topic_width$} {partition:<10} {offset}"));
    };
    if !plans.is_empty() {
        line("GROUP", "TOPIC", "PARTITION", "NEW-OFFSET");
    }
    for (id, offsets) in plans {
        for (name, offset) in offsets {
            line(id, &name.topic, &name.partition.to_string(), &offset.to_string());
        }
    }
    printed.out("\n");
}

impl Reset<'_> {
    /// New offsets of the group.
    fn offsets<O: Observer>(&self, service: &mut Service<'_, O>, printed: &mut Printed) -> Result<Offsets, Stop> {
        let names = self.scope()?;
        self.check(&names)?;
        let has = |name: &str| self.arguments.options.has(name);
        if has("to-offset") {
            let offset = self.settings.to_offset.unwrap_or(0);
            return self.in_range(names.into_iter().map(|name| (name, offset)).collect());
        }
        if has("to-earliest") {
            return self.at(names, |found| found.log_start_offset);
        }
        if has("to-latest") {
            return self.at(names, |found| found.high_watermark);
        }
        if has("shift-by") {
            return self.shifted(names);
        }
        if has("to-datetime") {
            let text = self.arguments.options.all("to-datetime").first().map_or("", String::as_str);
            let millis = when::datetime(text).map_err(Stop::Failed)?;
            return self.not_older(service, names, millis, printed);
        }
        if let Some(text) = &self.settings.by_duration {
            let span = when::duration(text).map_err(Stop::Failed)?;
            let now = unix_millis(service.timeline.now().millis() as i64);
            return self.not_older(service, names, now.saturating_sub(span), printed);
        }
        if let Some(file) = self.arguments.options.all("from-file").first() {
            return self.of_file(file, printed);
        }
        if has("to-current") {
            let current = committed(self.snapshot, self.group);
            let offset =
                |name: &TopicPartition| current.iter().find(|(known, _)| known == name).map(|(_, offset)| *offset);
            let (known, unknown): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| offset(name).is_some());
            let known = known.into_iter().filter_map(|name| offset(&name).map(|offset| (name, offset)));
            return Ok(known.chain(self.at(unknown, |found| found.high_watermark)?).collect());
        }
        let all = SCENARIOS.map(|scenario| format!("[{scenario}]")).join(", ");
        Err(Stop::Usage(format!("Option '[reset-offsets]' requires one of the following scenarios: [{all}]")))
    }

    /// The partitions that the options name.
    fn scope(&self) -> Result<Vec<TopicPartition>, Stop> {
        let options = &self.arguments.options;
        if options.has("all-topics") {
            let committed = committed(self.snapshot, self.group);
            return Ok(hash_order(committed.into_iter().map(|(name, _)| name).collect(), hash));
        }
        if options.has("topic") {
            let Named { mut partitions, topics } = plan::named(options.all("topic"))?;
            for topic in hash_order(topics, |topic| string_hash(topic)) {
                let found = self.snapshot.topics.iter().find(|known| *known.name == *topic);
                let found = found.ok_or_else(|| Stop::Failed(unknown_topic()))?;
                let all = found.partitions.iter();
                partitions
                    .extend(all.map(|one| TopicPartition { topic: found.name.clone(), partition: one.partition }));
            }
            return Ok(partitions);
        }
        if options.has("from-file") {
            return Ok(Vec::new());
        }
        Err(Stop::Usage("One of the reset scopes should be defined: --all-topics, --topic.".to_string()))
    }

    /// Every partition has to be there and to have a leader.
    fn check(&self, names: &[TopicPartition]) -> Result<(), Stop> {
        let has_topic = |name: &&TopicPartition| self.snapshot.topics.iter().any(|topic| *topic.name == *name.topic);
        if !names.iter().all(|name| has_topic(&name)) {
            return Err(Stop::Failed(unknown_topic().in_future().inside("java.lang.RuntimeException")));
        }
        let listed = |is_meant: &dyn Fn(Option<&PartitionSnapshot>) -> bool| {
            let meant = names.iter().filter(|name| is_meant(partition(self.snapshot, name)));
            meant.map(|name| format!("{}-{}", name.topic, name.partition)).collect::<Vec<_>>().join(",")
        };
        for (class, names, what) in [
            ("UnknownTopicOrPartitionException", listed(&|found| found.is_none()), "do not exist"),
            (
                "LeaderNotAvailableException",
                listed(&|found| found.is_some_and(|found| found.leader.is_none())),
                "have no leader",
            ),
        ] {
            if !names.is_empty() {
                let class = format!("org.apache.kafka.common.errors.{class}");
                return Err(Stop::Failed(Exception::new(&class, format!("The partitions \"{names}\" {what}"))));
            }
        }
        Ok(())
    }

    fn at(&self, names: Vec<TopicPartition>, offset: impl Fn(&PartitionSnapshot) -> u64) -> Result<Offsets, Stop> {
        let found = |name: &TopicPartition| {
            partition(self.snapshot, name)
                .ok_or_else(|| Stop::Failed(unknown_topic().in_future().inside("java.lang.RuntimeException")))
        };
        names.into_iter().map(|name| found(&name).map(|found| (name, offset(found)))).collect()
    }

    /// Offsets outside of the log become its nearer end.
    fn in_range(&self, wanted: Vec<(TopicPartition, i64)>) -> Result<Offsets, Stop> {
        let names = wanted.iter().map(|(name, _)| name.clone()).collect();
        let ranges = self.at(names, |found| found.log_start_offset)?;
        let ranges = ranges.into_iter().zip(wanted).map(|((name, start), (_, offset))| {
            let end = partition(self.snapshot, &name).map_or(start, |found| found.high_watermark);
            let offset = if offset > end as i64 { end } else { u64::try_from(offset).unwrap_or(0).max(start) };
            (name, offset)
        });
        Ok(ranges.collect())
    }

    fn shifted(&self, names: Vec<TopicPartition>) -> Result<Offsets, Stop> {
        let current = committed(self.snapshot, self.group);
        let shift = self.settings.shift_by.unwrap_or(0);
        let shifted = names.into_iter().map(|name| match current.iter().find(|(known, _)| *known == name) {
            Some((_, offset)) => Ok((name, (*offset as i64).saturating_add(shift))),
            None => Err(Stop::Failed(Exception::of_argument(format!(
                "Cannot shift offset for partition {}-{} since there is no current committed offset",
                name.topic, name.partition
            )))),
        });
        self.in_range(shifted.collect::<Result<Vec<_>, _>>()?)
    }

    /// The first record that is not older; without one the end of the log.
    fn not_older<O: Observer>(
        &self,
        service: &Service<'_, O>,
        names: Vec<TopicPartition>,
        millis: i64,
        printed: &mut Printed,
    ) -> Result<Offsets, Stop> {
        let mut offsets = Offsets::new();
        for name in hash_order(names, hash) {
            let Some(found) = partition(self.snapshot, &name) else { continue };
            let offset = match first_not_older(&*service.timeline, &name.topic, found, millis) {
                Some(offset) => offset,
                None => {
                    printed.out(&format!(
                        "\nWarn: Partition {} from topic {} is empty. Falling back to latest known offset.\n",
                        name.partition, name.topic
                    ));
                    found.high_watermark
                }
            };
            offsets.push((name, offset));
        }
        Ok(offsets)
    }

    fn of_file(&self, file: &str, printed: &mut Printed) -> Result<Offsets, Stop> {
        let text = self.input.file(file).map_err(|error| Stop::Failed(error.inside("java.lang.RuntimeException")))?;
        let mut plans = plan::read(text, self.arguments.options.all("group")).map_err(Stop::Failed)?;
        match plans.remove(self.group) {
            Some(wanted) => self.in_range(wanted),
            None => {
                print_error(&format!("No reset plan for group {} found.", self.group), None, printed);
                Ok(Offsets::new())
            }
        }
    }
}
