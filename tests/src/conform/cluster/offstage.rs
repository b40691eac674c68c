//! What happened between the recorded steps: topics that were there before the first one, and topics that were
//! deleted so that a later step could create them again.
//!
//! A recording cannot say either, but its answers leave only one possibility: a topic that is described must
//! exist, and a topic that is created must not. Deliberately not here: how internal topics are made. Kafka does
//! that when the first transaction or group needs them, so somebody has to have had one.

use std::collections::{BTreeMap, BTreeSet};

use engine::Command;
use engine::scenario::{ProducerSpec, TopicSpec};
use serde_json::Value;

use super::sends::java;

/// Changes to topics that no step tells of.
#[derive(Debug, Default)]
pub(super) struct Offstage {
    /// Assignment and settings of topics that exist at the first step.
    present: BTreeMap<String, Present>,
    /// Kafka's own topics that an answer shows.
    internal: BTreeSet<String>,
    /// Topics that are gone before a step, by the step's number.
    deleted: BTreeMap<usize, String>,
    /// How many minutes back records of chosen requests are stamped, by partition.
    stamped_back: BTreeMap<String, i64>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Present {
    assignment: Vec<Vec<u32>>,
    configs: BTreeMap<String, String>,
}

impl Offstage {
    /// Reads the answers of a case in order.
    pub fn of(case: &Value) -> Offstage {
        let mut found = Offstage::default();
        let mut seen = BTreeSet::new();
        for (number, step) in case["steps"].as_array().into_iter().flatten().enumerate() {
            found.stamped_back.extend(hanging(step));
            if let Some(topic) = created(step) {
                if !seen.insert(topic.to_owned()) {
                    found.deleted.insert(number, topic.to_owned());
                }
                continue;
            }
            for (topic, present) in shown(step) {
                let is_known = seen.contains(&topic) && !found.present.contains_key(&topic);
                if topic.starts_with("__") {
                    found.internal.insert(topic);
                    continue;
                }
                if is_known {
                    continue;
                }
                // A list came first, the description tells more.
                let known = found.present.entry(topic).or_default();
                if known.assignment.is_empty() {
                    *known = present;
                }
            }
            seen.extend(found.present.keys().cloned());
        }
        found
    }

    /// The commands that make the topics of the first step. Without a description a topic has one partition.
    pub fn before_the_first_step(&self) -> Vec<Command> {
        let create = |(topic, present): (&String, &Present)| Command::CreateTopic {
            topic: topic.clone(),
            partitions: None,
            replication_factor: None,
            assignment: Some(match &present.assignment[..] {
                [] => vec![vec![1]],
                lists => lists.to_vec(),
            }),
            configs: present.configs.clone(),
        };
        self.present.iter().map(create).chain(self.first_use_of_internal_topics()).collect()
    }

    /// What somebody did before the first step so that Kafka made its own topics: a transaction with offsets.
    fn first_use_of_internal_topics(&self) -> Vec<Command> {
        if self.internal.is_empty() {
            return Vec::new();
        }
        let producer = || "offstage".to_owned();
        let configs = BTreeMap::from([("transactional.id".to_owned(), producer())]);
        let spec = ProducerSpec { name: producer(), ..java(configs) };
        let mut commands =
            vec![Command::Producer(spec), Command::InitTransactions { producer: producer(), timeout_ms: None }];
        if self.internal.contains("__consumer_offsets") {
            commands.push(Command::BeginTransaction { producer: producer() });
            commands.push(Command::SendOffsetsToTransaction {
                producer: producer(),
                group: producer(),
                offsets: BTreeMap::from([("offstage-0".to_owned(), 0)]),
                generation: None,
                member: None,
                timeout_ms: None,
            });
        }
        commands.push(Command::Close { producer: producer(), timeout_ms: None });
        commands
    }

    /// How many minutes before they are sent the records of chosen requests to a partition are stamped.
    pub fn stamped_back_by(&self, partition: &str) -> Option<i64> {
        self.stamped_back.get(partition).copied()
    }

    /// The topic that a step creates although an earlier one did.
    pub fn deleted_before(&self, step: usize) -> Option<&str> {
        self.deleted.get(&step).map(String::as_str)
    }
}

/// Partitions with hanging transactions and how long ago those began, as kafka-transactions.sh lists them. The
/// recordings stamp the records back so that nobody has to wait for that.
fn hanging(step: &Value) -> Vec<(String, i64)> {
    let is_search = step["args"].as_array().is_some_and(|words| words.iter().any(|word| word == "find-hanging"));
    let lines = step["saw"]["stdout"].as_str().filter(|_| is_search).unwrap_or_default().lines().skip(1);
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').map(str::trim).collect();
        let minutes = cells.get(7)?.parse().ok()?;
        Some((format!("{}-{}", cells[0], cells[1]), minutes))
    };
    lines.filter_map(row).collect()
}

/// The topic that a step created, with success.
fn created(step: &Value) -> Option<&str> {
    match step["do"].as_str()? {
        "create_topic" => step["topic"].as_str().filter(|_| step["saw"]["ok"] == true),
        "cli" => {
            let line = step["saw"]["stdout"].as_str()?.lines().find(|line| line.starts_with("Created topic "))?;
            line.strip_prefix("Created topic ")?.strip_suffix('.')
        }
        _ => None,
    }
}

/// The topics that an answer of kafka-topics.sh shows.
fn shown(step: &Value) -> Vec<(String, Present)> {
    let is_topics = step["tool"].as_str().is_some_and(|tool| tool.starts_with("kafka-topics"));
    let args: Vec<&str> = step["args"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let stdout = step["saw"]["stdout"].as_str().unwrap_or_default();
    if !is_topics || step["saw"]["exit"] != 0 {
        return Vec::new();
    }
    if args.contains(&"--list") {
        let names = stdout.lines().filter(|line| !line.is_empty());
        return names.map(|name| (name.to_owned(), Present::default())).collect();
    }
    if args.contains(&"--describe") { described(stdout) } else { Vec::new() }
}

/// The topics of a description, as whoever pastes it gets them.
fn described(text: &str) -> Vec<(String, Present)> {
    let present = |topic: TopicSpec| {
        // That setting is shown of every topic: it comes from the cluster.
        let own = topic.configs.into_iter().filter(|(name, value)| (&**name, &**value) != ("min.insync.replicas", "1"));
        (topic.name, Present { assignment: topic.assignment.unwrap_or_default(), configs: own.collect() })
    };
    console::paste::describe(text).topics.into_iter().map(present).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Offstage, Present};

    fn check(steps: Value, present: &[(&str, Present)], deleted: &[(usize, &str)]) {
        let found = Offstage::of(&json!({ "steps": steps }));
        assert_eq!(found.present, present.iter().map(|(name, topic)| ((*name).to_owned(), topic.clone())).collect());
        assert_eq!(found.deleted, deleted.iter().map(|(step, name)| (*step, (*name).to_owned())).collect());
    }

    fn cli(line: &str, stdout: &str) -> Value {
        let args: Vec<&str> = line.split(' ').collect();
        json!({ "do": "cli", "tool": "kafka-topics.sh", "args": args, "saw": { "exit": 0, "stdout": stdout } })
    }

    #[test]
    fn what_is_shown_before_it_is_made_was_there() {
        let described = "Topic: a\tTopicId: x\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: min.insync.replicas=1,retention.ms=5\n\
                         \tTopic: a\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\tElr: \tLastKnownElr: \n\
                         \tTopic: a\tPartition: 1\tLeader: 2\tReplicas: 2,1\tIsr: 1,2\tElr: \tLastKnownElr: \n";
        let assignment = vec![vec![1, 2], vec![2, 1]];
        let configs = [("retention.ms".to_owned(), "5".to_owned())].into();
        let a = Present { assignment, configs };
        check(
            json!([cli("--list", "__consumer_offsets\na\nb\n"), cli("--describe", described)]),
            &[("a", a.clone()), ("b", Present::default())],
            &[],
        );
        check(json!([cli("--describe", described)]), &[("a", a)], &[]);
        check(json!([cli("--create --topic a", "Created topic a.\n"), cli("--describe", described)]), &[], &[]);
    }

    #[test]
    fn what_hangs_for_minutes_was_stamped_back() {
        let heading = "Topic\tPartition\tProducerId\tProducerEpoch\tCoordinatorEpoch\tStartOffset\tLastTimestamp\tDuration(min)\t\n";
        let rows = format!("{heading}t    \t0        \tP1\t0\t-1\t0\t<ms>\t20           \t\n");
        let found = Offstage::of(&json!({ "steps": [cli("find-hanging --topic t", &rows)] }));
        assert_eq!((found.stamped_back_by("t-0"), found.stamped_back_by("t-1")), (Some(20), None));
    }

    #[test]
    fn what_is_made_twice_was_deleted_in_between() {
        let create = || cli("--create --topic a", "Created topic a.\n");
        check(json!([create(), cli("--create --topic a", ""), create()]), &[], &[(2, "a")]);
    }
}
