//! Verbs of the recordings as commands of the engine.
//!
//! Deliberately not here: when they are carried out (`play.rs`).

use std::collections::BTreeMap;

use engine::event::TopicPartition;
use engine::group::Callback;
use engine::scenario::{ConsumerSpec, Listener, ProducerSpec};
use engine::{Command, Duration};
use serde_json::{Map, Value, json};

use super::super::strict::{number, text};
use super::library;
use super::play::{Application, Asked, Play};
use super::recording::settings;

/// The producer of `produce` steps.
const PRODUCER: &str = "recorder";

/// A member that is told to go on after errors closes at the third.
const ERRORS_MAX: u32 = 2;

/// Where the classes of assignors are, which the recordings leave out.
const PACKAGE: &str = "org.apache.kafka.clients.consumer.";

impl Play<'_> {
    /// Carries out a step; false if its answer is not there yet and it has to be tried again.
    pub fn perform(&mut self, number: usize) -> Result<bool, String> {
        let step = &self.recording.steps[number];
        let (verb, arguments) = (step.verb.as_str(), &step.arguments);
        match verb {
            "join" => self.join(arguments)?,
            "crash" | "freeze" | "thaw" => self.disturb(verb, arguments)?,
            "positions" => return self.positions(arguments),
            "committed_offsets" => return self.committed_offsets(arguments),
            "pause_poll" => {
                let member = text(arguments, "member")?;
                self.act(Command::StopPoll { consumer: member.to_owned() })?;
                self.pause(member, millis(arguments)?);
            }
            "cli" => self.cli(text(arguments, "args")?)?,
            "create_topic" | "delete_topic" | "add_partitions" | "delete_records" | "broker_stop" | "broker_start" => {
                self.submit(admin(verb, arguments)?)?;
            }
            "produce" => self.produce(arguments)?,
            _ => self.call(verb, arguments)?,
        }
        Ok(true)
    }

    fn join(&mut self, arguments: &Value) -> Result<(), String> {
        let name = text(arguments, "member")?;
        let mut configs = self.member_configs(name, arguments);
        configs.insert("group.id".to_owned(), self.recording.group.clone());
        let is_library = self.recording.is_library && !library::is_java(arguments);
        *self.application(name) = Application { is_library, ..Application::default() };
        if let Some(assignors) = configs.get_mut("partition.assignment.strategy").filter(|_| !is_library) {
            *assignors = with_packages(assignors);
        }
        let is_set = |field: &str| arguments[field] == Value::Bool(true);
        let spec = ConsumerSpec {
            name: name.to_owned(),
            client: is_library.then(|| "librdkafka".to_owned()),
            assign: texts(&arguments["assign"]),
            subscribe: texts(&arguments["topics"]),
            pattern: arguments["pattern"].as_str().map(str::to_owned),
            re2j: arguments["re2j"].as_str().map(str::to_owned),
            member_id: arguments["member_id"].as_str().map(str::to_owned).or_else(|| self.last_id(name, &configs)),
            configs,
            listener: Listener {
                commit_in_revoked: is_set("commit_in_revoked"),
                commit_in_lost: is_set("commit_in_lost"),
                commits_unread: is_library,
                has_no_lost: arguments["on_lost"] == Value::Bool(false),
                reload: Some(self.callback).filter(|callback| callback.0 > 0),
            },
            keep_on_error: is_set("keep_on_error").then_some(ERRORS_MAX),
            ..ConsumerSpec::default()
        };
        self.application(name).hears_commits = is_set("on_commit");
        let command = self.submit(Command::Consumer(spec))?;
        self.asked.insert(command, Asked { member: name.to_owned(), verb: "join".to_owned() });
        Ok(())
    }

    /// Defaults of all members, what the step says over them; null takes a default away.
    fn member_configs(&self, name: &str, arguments: &Value) -> BTreeMap<String, String> {
        let is_java = self.recording.is_library && library::is_java(arguments);
        let mut configs = self.recording.configs(if is_java { "java_member_defaults" } else { "member_defaults" });
        for given in [&self.recording.configs["member"][name], &arguments["configs"]] {
            let unset = given.as_object().into_iter().flatten().filter(|(_, value)| value.is_null());
            unset.for_each(|(name, _)| drop(configs.remove(name)));
            configs.extend(settings(given));
        }
        configs
    }

    fn disturb(&mut self, verb: &str, arguments: &Value) -> Result<(), String> {
        let member = text(arguments, "member")?;
        let client = member.to_owned();
        let (command, event) = match verb {
            "crash" => (Command::Crash { client }, "killed"),
            "freeze" => (Command::Freeze { client }, "frozen"),
            _ => (Command::Thaw { client }, "thawed"),
        };
        let application = self.application(member);
        application.is_gone |= verb == "crash";
        application.is_frozen = verb == "freeze";
        self.saw(member, event, json!({}));
        self.submit(command).map(drop)
    }

    /// A call of the consumer, or a change of what its application does.
    fn call(&mut self, verb: &str, arguments: &Value) -> Result<(), String> {
        let member = text(arguments, "member")?;
        let command = match verb {
            "commit_sync" if self.application(member).is_library => {
                let offsets = Some(self.read_positions(member)).filter(|offsets| !offsets.is_empty());
                Command::CommitSync { consumer: member.to_owned(), offsets }
            }
            _ => consumer_command(verb, member, arguments)?,
        };
        let number = self.submit(command)?;
        if verb != "commit_async" && self.timeline.outcome(number).is_none() {
            self.application(member).blocked_by = Some(number);
        }
        if verb.starts_with("commit_") {
            self.application(member).commits.push_back((number, verb.to_owned()));
        }
        self.application(member).slow_revoked |= verb == "slow_revoked";
        self.asked.insert(number, Asked { member: member.to_owned(), verb: verb.to_owned() });
        Ok(())
    }

    /// `position()` of what a member owns; it waits until each is known.
    fn positions(&mut self, arguments: &Value) -> Result<bool, String> {
        let member = text(arguments, "member")?;
        let consumer = self.consumer(member).ok_or_else(|| format!("there is no consumer {member}"))?;
        if !self.is_outside_callbacks(member) {
            return Ok(false);
        }
        let mut offsets = Map::new();
        for partition in consumer.membership.as_ref().map_or(&[][..], |own| &own.owned) {
            let found = consumer
                .positions
                .iter()
                .find(|at| (&at.topic, at.partition) == (&partition.topic, partition.partition));
            let Some(found) = found else { return Ok(false) };
            offsets.insert(partition.to_string(), json!(found.position));
        }
        self.saw(member, "positions", json!({ "offsets": offsets }));
        Ok(true)
    }

    /// `committed()` of what a member owns.
    fn committed_offsets(&mut self, arguments: &Value) -> Result<bool, String> {
        let member = text(arguments, "member")?;
        if !self.is_outside_callbacks(member) {
            return Ok(false);
        }
        let snapshot = self.timeline.snapshot(0);
        let consumer = snapshot.consumers.iter().find(|consumer| *consumer.name == *member);
        let own = consumer.and_then(|consumer| consumer.membership.as_ref());
        let group = snapshot.group_offsets.iter().find(|found| *found.group == *self.recording.group);
        let mut offsets = Map::new();
        for partition in own.map_or(&[][..], |own| &own.owned) {
            let found = group.and_then(|group| group.committed.iter().find(|(known, _)| known == partition));
            let shown = found.map_or_else(|| "null".to_owned(), |(_, offset)| offset.to_string());
            offsets.insert(partition.to_string(), json!(shown));
        }
        self.saw(member, "committed_offsets", json!({ "offsets": offsets }));
        Ok(true)
    }

    /// Records by a producer of the recorder's.
    fn produce(&mut self, arguments: &Value) -> Result<(), String> {
        if !self.has_producer {
            self.has_producer = true;
            self.submit(Command::Producer(ProducerSpec {
                name: PRODUCER.to_owned(),
                client: "java".to_owned(),
                configs: BTreeMap::from([("linger.ms".to_owned(), "0".to_owned())]),
                workload: None,
                metadata_age: None,
                random_start: None,
                only: Vec::new(),
            }))?;
        }
        for index in 0..number(arguments, "count")? {
            self.submit(Command::Send {
                producer: PRODUCER.to_owned(),
                topic: text(arguments, "topic")?.to_owned(),
                key: None,
                key_encoding: None,
                value: Some(format!("v{index}")),
                value_encoding: None,
                value_bytes: None,
                partition: i32::try_from(number(arguments, "partition")?).ok(),
                timestamp_ms: None,
                headers: Vec::new(),
            })?;
        }
        Ok(())
    }
}

fn consumer_command(verb: &str, member: &str, arguments: &Value) -> Result<Command, String> {
    let consumer = member.to_owned();
    Ok(match verb {
        "leave" => Command::CloseConsumer { consumer, operation: arguments["option"].as_str().map(str::to_owned) },
        "subscribe" => Command::Subscribe { consumer, topics: texts(&arguments["topics"]), pattern: None, re2j: None },
        "unsubscribe" => Command::Unsubscribe { consumer },
        "stop_poll" => Command::StopPoll { consumer },
        "resume_poll" => Command::ResumePoll { consumer },
        "slow_revoked" => Command::SlowCallback { consumer, callback: Callback::Revoked, time: millis(arguments)? },
        "slow_assigned" => Command::SlowCallback { consumer, callback: Callback::Assigned, time: millis(arguments)? },
        "commit_sync" => Command::CommitSync { consumer, offsets: None },
        "commit_async" => Command::CommitAsync { consumer, offsets: None },
        "commit_at" => {
            let given = arguments["offsets"].as_object().ok_or("offsets must be named by partition")?;
            let offset = |(partition, offset): (&String, &Value)| {
                let offset = offset.as_u64().ok_or("an offset must be a number")?;
                Ok((partition.clone(), offset))
            };
            Command::CommitSync { consumer, offsets: Some(given.iter().map(offset).collect::<Result<_, String>>()?) }
        }
        "seek" => {
            let (topic, partition) = partition(arguments)?;
            Command::Seek { consumer, topic, partition, offset: number(arguments, "offset")? }
        }
        "seek_to_beginning" => Command::SeekToBeginning { consumer, partitions: Vec::new() },
        "seek_to_end" => Command::SeekToEnd { consumer, partitions: Vec::new() },
        "pause" => Command::Pause { consumer, partitions: vec![text(arguments, "partition")?.to_owned()] },
        "resume" => Command::Resume { consumer, partitions: vec![text(arguments, "partition")?.to_owned()] },
        "enforce_rebalance" => Command::EnforceRebalance { consumer },
        _ => return Err("unknown verb".to_owned()),
    })
}

fn admin(verb: &str, arguments: &Value) -> Result<Command, String> {
    let topic = || text(arguments, "topic").map(str::to_owned);
    let count = |field: &str| -> Result<i32, String> {
        i32::try_from(number(arguments, field)?).map_err(|_| format!("{field} is too large"))
    };
    Ok(match verb {
        "create_topic" => Command::CreateTopic {
            topic: topic()?,
            partitions: Some(count("partitions")?),
            replication_factor: Some(1),
            assignment: None,
            configs: BTreeMap::new(),
        },
        "delete_topic" => Command::DeleteTopic { topic: topic()? },
        "add_partitions" => {
            Command::CreatePartitions { topic: topic()?, partitions: count("total")?, assignment: None }
        }
        "delete_records" => {
            let (topic, partition) = match arguments["topic"].as_str() {
                Some(name) => (name.to_owned(), u32::try_from(count("partition")?).map_err(|_| "no partition")?),
                None => partition(arguments)?,
            };
            let before = arguments["before"].as_i64().ok_or("before must be a number")?;
            Command::DeleteRecords { topic, partition, before_offset: before }
        }
        "broker_stop" => Command::StopBroker { broker: 1 },
        _ => Command::StartBroker { broker: 1 },
    })
}

fn partition(arguments: &Value) -> Result<(String, u32), String> {
    let name = text(arguments, "partition")?;
    let (topic, number) = TopicPartition::split(name).ok_or_else(|| format!("{name:?} is no partition"))?;
    Ok((topic.to_owned(), number))
}

/// The names of assignor classes with their package.
fn with_packages(assignors: &str) -> String {
    let class = |name: &str| match name.trim() {
        name if name.contains('.') || !name.ends_with("Assignor") => name.to_owned(),
        name => format!("{PACKAGE}{name}"),
    };
    assignors.split(',').map(class).collect::<Vec<_>>().join(",")
}

fn millis(arguments: &Value) -> Result<Duration, String> {
    number(arguments, "ms").map(Duration::from_millis)
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::with_packages;

    #[test]
    fn assignors_get_their_package() {
        let given = "RangeAssignor,org.apache.kafka.clients.consumer.StickyAssignor";
        let whole = "org.apache.kafka.clients.consumer.RangeAssignor,org.apache.kafka.clients.consumer.StickyAssignor";
        assert_eq!(with_packages(given), whole);
        assert_eq!(with_packages("cooperative-sticky,range"), "cooperative-sticky,range");
    }
}
