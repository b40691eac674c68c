//! The family `topics`: kafka-topics.sh and Admin calls against a cluster without clients.
//!
//! Deliberately not here: how the tool parses and prints. That is the console's; this only compares.

use std::collections::{BTreeMap, BTreeSet};

use console::{Input, Invocation, Printed, Tool};
use engine::{Command, Scenario, Status, Timeline};
use serde_json::{Map, Value};

use super::relaxed::Mode;

/// Settings that every recorded cluster had.
const CLUSTER: [(&str, &str); 11] = [
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
    // Named for the reader; it is the default.
    ("auto.create.topics.enable", "true"),
];

/// Replays a scenario; the error is the first difference.
pub(super) fn run(case: &Value, _: Option<&Mode>) -> Result<(), String> {
    let mut replay = Replay::new(case)?;
    let steps = case["steps"].as_array().ok_or("steps must be a list")?;
    for (number, step) in steps.iter().enumerate() {
        let verb = step["do"].as_str().unwrap_or_default();
        replay.step(verb, step).map_err(|difference| format!("step {number} {verb}: {difference}"))?;
    }
    match case["final"].as_object().and_then(|parts| parts.keys().next()) {
        Some(part) => Err(format!("final.{part}: this part cannot be compared yet")),
        None => Ok(()),
    }
}

struct Replay {
    timeline: Timeline,
    /// Topics whose replicas the controller placed at random: which brokers they are is not compared.
    placed: BTreeSet<String>,
}

impl Replay {
    fn new(case: &Value) -> Result<Replay, String> {
        let brokers = case["brokers"].as_u64().and_then(|count| u32::try_from(count).ok());
        let mut scenario = Scenario::empty(brokers.ok_or("brokers must be a number")?);
        scenario.cluster.configs = CLUSTER.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        for (name, value) in texts(&case["configs"]) {
            if name.starts_with("feature ") {
                return Err(format!("configs: {name} cannot be set yet"));
            }
            scenario.cluster.configs.insert(name, value);
        }
        let timeline = Timeline::new(scenario, ()).map_err(|error| format!("the cluster does not start: {error}"))?;
        Ok(Replay { timeline, placed: BTreeSet::new() })
    }

    fn step(&mut self, verb: &str, step: &Value) -> Result<(), String> {
        match verb {
            "note" => Ok(()),
            "cli" => self.cli(step),
            "create_topic" => {
                let command = create_topic(step)?;
                if step["assignment"].is_null() {
                    self.placed.insert(name(step)?);
                }
                self.act(command, &step["saw"])
            }
            "delete_topic" => self.act(Command::DeleteTopic { topic: name(step)? }, &step["saw"]),
            "create_partitions" => {
                let topic = name(step)?;
                let total = step["partitions"].as_i64().or(step["total"].as_i64());
                let partitions =
                    total.and_then(|total| i32::try_from(total).ok()).ok_or("partitions must be a number")?;
                self.placed.insert(topic.clone());
                self.act(Command::CreatePartitions { topic, partitions, assignment: None }, &step["saw"])
            }
            "partition_count" => {
                let topic = name(step)?;
                let snapshot = self.timeline.snapshot(0);
                let found = snapshot.topics.iter().find(|known| *known.name == *topic);
                same("saw.count", &step["saw"]["count"], &Value::from(found.map(|found| found.partitions.len())))
            }
            "describe_partition" => self.describe_partition(&step["saw"]),
            _ => Err("the engine cannot do this yet".into()),
        }
    }

    fn cli(&mut self, step: &Value) -> Result<(), String> {
        let tool = step["tool"].as_str().unwrap_or_default();
        let Some(tool @ Tool::Topics) = Tool::named(tool) else {
            return Err(format!("{tool} is not in the console yet"));
        };
        let given = step["args"].as_array().ok_or("args must be a list")?;
        let mut arguments = vec!["--bootstrap-server".to_owned(), "broker:19091".to_owned()];
        arguments.extend(given.iter().map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned)));
        self.remember_placement(&arguments);
        let printed = console::invoke(&mut self.timeline, &Invocation { tool, arguments, input: Input::default() });
        self.compare(&printed, &step["saw"])
    }

    /// `--partitions` without an assignment leaves the choice of brokers to the controller.
    fn remember_placement(&mut self, arguments: &[String]) {
        let has = |option: &str| arguments.iter().any(|word| word == option);
        let topic = arguments.iter().position(|word| word == "--topic").and_then(|at| arguments.get(at + 1));
        if (has("--create") || has("--alter")) && !has("--replica-assignment") {
            self.placed.extend(topic.cloned());
        }
    }

    fn compare(&self, printed: &Printed, saw: &Value) -> Result<(), String> {
        same("saw.exit", &saw["exit"], &Value::from(printed.exit))?;
        let recorded = |field: &str| saw[field].as_str().unwrap_or_default();
        same_text("saw.stdout", &self.comparable(recorded("stdout")), &self.comparable(&printed.stdout))?;
        // Log lines are left out of the recordings, their blank lines are not.
        let [recorded, shown] =
            [recorded("stderr"), &printed.stderr].map(|text| hide_usage(text).trim_matches('\n').to_owned());
        same_text("saw.stderr", &recorded, &shown)?;
        match saw["exit_message"].as_str() {
            Some(message) => same_text("saw.exit_message", message, shown.lines().next().unwrap_or_default()),
            None => Ok(()),
        }
    }

    /// Without what differs between two runs of Kafka: topic ids, the order of settings and of in-sync replicas, and
    /// brokers that the controller chose.
    fn comparable(&self, text: &str) -> String {
        let lines = hide_usage(text).split('\n').map(|line| self.comparable_line(line)).collect::<Vec<_>>();
        lines.join("\n")
    }

    fn comparable_line(&self, line: &str) -> String {
        if !line.contains("\tPartitionCount: ") && !line.contains("\tPartition: ") {
            return line.to_owned();
        }
        let is_placed = self.placed.iter().any(|topic| line.contains(&format!("Topic: {topic}\t")));
        let fields = line.split('\t').map(|field| match field.split_once(": ") {
            Some(("TopicId", _)) => "TopicId: <topic-id>".to_owned(),
            Some(("Configs", settings)) => format!("Configs: {}", sorted(settings)),
            Some((list @ ("Replicas" | "Isr"), brokers)) if is_placed => {
                format!("{list}: {} brokers", brokers.split(',').filter(|broker| !broker.is_empty()).count())
            }
            Some(("Leader", broker)) if is_placed && broker != "none" => "Leader: <broker>".to_owned(),
            Some(("Isr", brokers)) => format!("Isr: {}", sorted(brokers)),
            _ => field.to_owned(),
        });
        fields.collect::<Vec<_>>().join("\t")
    }

    fn act(&mut self, command: Command, saw: &Value) -> Result<(), String> {
        let mut outcome = self.timeline.act(command).map_err(|error| error.to_string())?;
        while outcome.status == Status::Pending && self.timeline.step_entry() {
            outcome = self.timeline.outcome(outcome.command).unwrap_or(outcome);
        }
        same("saw.ok", &saw["ok"], &Value::from(outcome.status == Status::Done))?;
        let Some(error) = outcome.error else { return Ok(()) };
        let class = format!("org.apache.kafka.common.errors.{}", error.exception);
        same("saw.thrown.class", &saw["thrown"]["class"], &Value::from(class))?;
        same("saw.thrown.message", &saw["thrown"]["message"], &Value::from(error.message))
    }

    fn describe_partition(&self, saw: &Value) -> Result<(), String> {
        let snapshot = self.timeline.snapshot(0);
        let all: BTreeMap<String, Value> = snapshot
            .topics
            .iter()
            .flat_map(|topic| topic.partitions.iter().map(move |partition| (topic, partition)))
            .map(|(topic, partition)| {
                let state = serde_json::json!({
                    "leader": partition.leader,
                    "replicas": partition.replicas,
                    "isr": in_order(partition.isr.iter().copied().map(Value::from).collect()),
                    "elr": [],
                    "last_known_elr": [],
                });
                (format!("{}-{}", topic.name, partition.partition), state)
            })
            .collect();
        for (partition, expected) in saw.as_object().into_iter().flatten() {
            for (field, wanted) in expected.as_object().into_iter().flatten() {
                let wanted = match wanted.as_array() {
                    Some(list) if field == "isr" => in_order(list.clone()),
                    _ => wanted.clone(),
                };
                let found = all.get(partition).map_or(Value::Null, |state| state[field].clone());
                same(&format!("saw.{partition}.{field}"), &wanted, &found)?;
            }
        }
        Ok(())
    }
}

fn create_topic(step: &Value) -> Result<Command, String> {
    let number = |field: &str| step[field].as_i64().and_then(|number| i32::try_from(number).ok());
    let lists = step["assignment"].as_object().map(assignment).transpose()?;
    Ok(Command::CreateTopic {
        topic: name(step)?,
        partitions: number("partitions").filter(|_| lists.is_none()),
        replication_factor: number("replication_factor").filter(|_| lists.is_none()),
        assignment: lists,
        configs: texts(&step["topic_configs"]).collect(),
    })
}

/// `{"0": [1, 2]}` as a list by partition.
fn assignment(map: &Map<String, Value>) -> Result<Vec<Vec<u32>>, String> {
    let lists = (0..map.len()).map(|partition| {
        let brokers = map.get(&partition.to_string()).and_then(Value::as_array)?;
        brokers.iter().map(|broker| broker.as_u64().and_then(|broker| u32::try_from(broker).ok())).collect()
    });
    lists.collect::<Option<_>>().ok_or_else(|| "assignment must hold a list of brokers for each partition".to_owned())
}

fn name(step: &Value) -> Result<String, String> {
    step["topic"].as_str().map(str::to_owned).ok_or_else(|| "topic must be a text".to_owned())
}

/// Settings; numbers count as their text.
fn texts(map: &Value) -> impl Iterator<Item = (String, String)> {
    map.as_object().into_iter().flatten().map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (name.clone(), text)
    })
}

fn sorted(list: &str) -> String {
    let mut entries: Vec<&str> = list.split(',').collect();
    entries.sort_unstable();
    entries.join(",")
}

fn in_order(mut list: Vec<Value>) -> Value {
    list.sort_by_key(Value::to_string);
    Value::Array(list)
}

/// A tool's table of options, from its heading to the end, is not compared.
fn hide_usage(text: &str) -> String {
    let is_heading = |line: &str| line.starts_with("Option ") && line.trim_end().ends_with("Description");
    let mut shown = String::new();
    for line in text.split_inclusive('\n') {
        if is_heading(line) {
            return shown + "<usage>\n";
        }
        shown.push_str(line);
    }
    shown
}

fn same(field: &str, expected: &Value, got: &Value) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("{field} expected {expected}, got {got}")) }
}

fn same_text(field: &str, expected: &str, got: &str) -> Result<(), String> {
    same(field, &Value::from(expected), &Value::from(got))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::run;

    fn check(steps: serde_json::Value, expected: Result<(), &str>) {
        let case = json!({ "brokers": 3, "configs": {}, "steps": steps, "final": {} });
        assert_eq!(run(&case, None), expected.map_err(str::to_owned), "{case}");
    }

    fn cli(line: &str, exit: i32, stdout: &str, stderr: &str) -> serde_json::Value {
        let args: Vec<&str> = line.split(' ').collect();
        json!({ "do": "cli", "tool": "kafka-topics.sh", "args": args,
                "saw": { "exit": exit, "stdout": stdout, "stderr": stderr } })
    }

    #[test]
    fn ids_usage_and_chosen_brokers_are_not_compared() {
        check(
            json!([
                cli("--create --topic a --partitions 1 --replication-factor 3", 0, "Created topic a.\n", "\n"),
                cli(
                    "--describe --topic a",
                    0,
                    "Topic: a\tTopicId: <topic-id>\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=1\n\
                     \tTopic: a\tPartition: 0\tLeader: 9\tReplicas: 9,8,7\tIsr: 9,8,7\tElr: \tLastKnownElr: \n",
                    "\n"
                ),
                cli("--alter --topic a", 1, "", "Missing required argument \"[partitions]\"\n<usage>\n"),
            ]),
            Ok(()),
        );
    }

    #[test]
    fn the_first_difference_is_told_with_its_place() {
        check(
            json!([{ "do": "note" }, cli("--list", 0, "a\n", "\n")]),
            Err("step 1 cli: saw.stdout expected \"a\\n\", got \"\\n\""),
        );
        check(json!([{ "do": "freeze" }]), Err("step 0 freeze: the engine cannot do this yet"));
        check(
            json!([{ "do": "partition_count", "topic": "a", "saw": { "count": 2 } }]),
            Err("step 0 partition_count: saw.count expected 2, got null"),
        );
    }
}
