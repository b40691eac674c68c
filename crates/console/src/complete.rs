//! What may come next on a command line: tools, options that still fit, names of topics, settings, brokers.
//!
//! Nothing is run and nothing is changed.

use engine::client::configs::{broker_definitions, group_definitions, topic_definitions};
use engine::snapshot::Snapshot;

use crate::options::OptionSpec;
use crate::place::{host, log_dir};
use crate::tool::{HERE, LATER, Tool};
use crate::{
    configs, console_consumer, console_producer, consumer_groups, dump_log, features, get_offsets, groups,
    leader_election, log_dirs, reassign, share_groups, storage, topics, transactions,
};

/// Options that only some actions of a tool take: action, options.
type Actions = &'static [(&'static str, &'static [&'static str])];

/// Options that may be given more than once.
const REPEATED: [&str; 11] = [
    "group",
    "config",
    "add-config",
    "entity-type",
    "property",
    "formatter-property",
    "reader-property",
    "command-property",
    "producer-property",
    "consumer-property",
    "delete-config",
];

const TOPICS: Actions = &[
    ("list", &["exclude-internal"]),
    (
        "describe",
        &[
            "topic-id",
            "under-replicated-partitions",
            "unavailable-partitions",
            "under-min-isr-partitions",
            "at-min-isr-partitions",
            "topics-with-overrides",
            "exclude-internal",
            "if-exists",
        ],
    ),
    ("create", &["partitions", "replication-factor", "replica-assignment", "config", "if-not-exists"]),
    ("alter", &["partitions", "replica-assignment", "if-exists"]),
    ("delete", &["if-exists"]),
];

const CONFIGS: Actions = &[
    (
        "describe",
        &["all", "entity-type", "entity-name", "entity-default", "topic", "broker", "broker-defaults", "group"],
    ),
    (
        "alter",
        &[
            "add-config",
            "delete-config",
            "add-config-file",
            "entity-type",
            "entity-name",
            "entity-default",
            "topic",
            "broker",
            "broker-defaults",
            "group",
        ],
    ),
];

const REASSIGN: Actions = &[
    ("generate", &["topics-to-move-json-file", "broker-list", "disable-rack-aware"]),
    ("execute", &["reassignment-json-file", "throttle", "additional", "disallow-replication-factor-change", "timeout"]),
    ("verify", &["reassignment-json-file", "preserve-throttles"]),
    ("cancel", &["reassignment-json-file", "preserve-throttles"]),
    ("list", &[]),
];

const CONSUMER_GROUPS: Actions = &[
    ("list", &["state", "type"]),
    ("describe", &["group", "all-groups", "members", "offsets", "state", "verbose", "timeout"]),
    ("delete", &["group", "all-groups"]),
    (
        "reset-offsets",
        &[
            "group",
            "all-groups",
            "topic",
            "all-topics",
            "to-earliest",
            "to-latest",
            "to-offset",
            "shift-by",
            "by-duration",
            "to-datetime",
            "to-current",
            "from-file",
            "dry-run",
            "execute",
            "export",
        ],
    ),
    ("delete-offsets", &["group", "topic"]),
    ("validate-regex", &[]),
];

const SHARE_GROUPS: Actions = &[
    ("list", &["state"]),
    ("describe", &["group", "all-groups", "members", "offsets", "state", "verbose"]),
    ("delete", &["group", "all-groups"]),
    (
        "reset-offsets",
        &["group", "topic", "all-topics", "to-earliest", "to-latest", "to-datetime", "dry-run", "execute"],
    ),
    ("delete-offsets", &["group", "topic"]),
];

const GROUPS: Actions = &[("list", &["consumer", "share", "streams", "group-type", "protocol"])];

/// Every replacement of the last word of `partial_line`, in the order in which it should be offered.
/// A line that ends in a blank asks for a new word. Options that need an argument come without it.
pub fn complete(snapshot: &Snapshot, partial_line: &str) -> Vec<String> {
    let start = partial_line.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
    let (before, typed) = partial_line.split_at(start);
    let words: Vec<&str> = before.split_whitespace().collect();
    let candidates: Vec<String> = match words.split_first() {
        None => HERE.iter().map(|(name, _)| *name).chain(LATER).map(str::to_string).collect(),
        Some((tool, given)) => Tool::named(tool).map(|tool| next(snapshot, tool, given)).unwrap_or_default(),
    };
    candidates.into_iter().filter(|candidate| candidate.starts_with(typed) && candidate != typed).collect()
}

fn next(snapshot: &Snapshot, tool: Tool, given: &[&str]) -> Vec<String> {
    let texts = |words: &[&str]| words.iter().map(|word| word.to_string()).collect();
    match tool {
        Tool::Topics => options_or_argument(snapshot, topics::OPTIONS, TOPICS, &["bootstrap-server", "topic"], given),
        Tool::Configs => options_or_argument(snapshot, configs::OPTIONS, CONFIGS, &["bootstrap-server"], given),
        Tool::ReassignPartitions => {
            options_or_argument(snapshot, reassign::OPTIONS, REASSIGN, &["bootstrap-server"], given)
        }
        Tool::ConsumerGroups => {
            options_or_argument(snapshot, consumer_groups::OPTIONS, CONSUMER_GROUPS, &["bootstrap-server"], given)
        }
        Tool::Groups => options_or_argument(snapshot, groups::OPTIONS, GROUPS, &["bootstrap-server"], given),
        Tool::ShareGroups => {
            options_or_argument(snapshot, share_groups::OPTIONS, SHARE_GROUPS, &["bootstrap-server"], given)
        }
        Tool::ConsoleProducer => options_or_argument(snapshot, console_producer::OPTIONS, &[], &[], given),
        Tool::ConsoleConsumer => options_or_argument(snapshot, console_consumer::OPTIONS, &[], &[], given),
        Tool::GetOffsets => options_or_argument(snapshot, get_offsets::OPTIONS, &[], &[], given),
        Tool::LeaderElection => options_or_argument(snapshot, leader_election::OPTIONS, &[], &[], given),
        Tool::LogDirs => options_or_argument(snapshot, log_dirs::OPTIONS, &[], &[], given),
        Tool::DumpLog => options_or_argument(snapshot, dump_log::OPTIONS, &[], &[], given),
        Tool::Transactions => transaction_words(snapshot, given),
        Tool::Features if given.contains(&"describe") => texts(&["--bootstrap-server"]),
        Tool::Features if given.last() == Some(&"--bootstrap-server") => servers(snapshot),
        Tool::Features => [texts(&["--bootstrap-server"]), texts(&features::COMMANDS)].concat(),
        Tool::Storage if given.is_empty() => texts(&storage::COMMANDS),
        Tool::Storage if given[0] == "format" => {
            texts(&["--standalone", "--cluster-id", "--config", "--ignore-formatted"])
        }
        Tool::ServerStart if given.is_empty() => texts(&["config/server.properties"]),
        Tool::Storage | Tool::ServerStart | Tool::Later(_) => Vec::new(),
    }
}

/// Options of kafka-transactions.sh: its own before the command, then the command's.
fn transaction_words(snapshot: &Snapshot, given: &[&str]) -> Vec<String> {
    let commands = transactions::arguments::COMMANDS;
    let command = commands.iter().find(|(name, _)| given.contains(name));
    let own = transactions::arguments::OPTIONS;
    let last = given.last().copied().unwrap_or_default();
    match (command, last) {
        (None, "--bootstrap-server") => servers(snapshot),
        (None, "--command-config") => Vec::new(),
        (None, _) => {
            let names = commands.iter().map(|(name, _)| name.to_string());
            options(own, &[], &[], given).into_iter().chain(names).collect()
        }
        (Some((_, options)), last) if options.iter().any(|(name, _)| last.strip_prefix("--") == Some(name)) => {
            let ids = || snapshot.transactions.iter().map(|known| known.transactional_id.to_string()).collect();
            match last.trim_start_matches('-') {
                "transactional-id" | "transactionalId" => ids(),
                "broker-id" => arguments(snapshot, "broker", given),
                name => arguments(snapshot, name, given),
            }
        }
        (Some((_, options)), _) => {
            let names = options.iter().map(|(name, _)| format!("--{name}"));
            names.filter(|name| !given.contains(&name.as_str())).collect()
        }
    }
}

/// What fits after the last word: its argument, or more options.
fn options_or_argument(
    snapshot: &Snapshot,
    specs: &[OptionSpec],
    actions: Actions,
    always: &[&str],
    given: &[&str],
) -> Vec<String> {
    let last = given.last().and_then(|word| word.strip_prefix("--")).unwrap_or_default();
    match specs.iter().find(|spec| spec.name == last && !spec.argument.is_empty()) {
        // An argument that may be left out: options may follow at once.
        Some(spec) if spec.argument.starts_with('[') => {
            [arguments(snapshot, spec.name, given), options(specs, actions, always, given)].concat()
        }
        Some(spec) => arguments(snapshot, spec.name, given),
        None => options(specs, actions, always, given),
    }
}

/// Options that fit the action that was given; without one, the actions. A tool without actions takes
/// all of its options.
fn options(specs: &[OptionSpec], actions: Actions, always: &[&str], given: &[&str]) -> Vec<String> {
    let has = |name: &str| given.iter().any(|word| word.strip_prefix("--") == Some(name));
    let is_open = |name: &&str| !has(name) || REPEATED.contains(name);
    let fitting: Vec<&str> = match actions.iter().find(|(action, _)| has(action)) {
        Some((_, taken)) => always.iter().chain(*taken).copied().collect(),
        None if actions.is_empty() => specs.iter().map(|spec| spec.name).collect(),
        None => always.iter().copied().chain(actions.iter().map(|(action, _)| *action)).chain(["help"]).collect(),
    };
    fitting.into_iter().filter(is_open).map(|name| format!("--{name}")).collect()
}

/// Arguments of an option, where the cluster or Kafka's tables know them.
fn arguments(snapshot: &Snapshot, option: &str, given: &[&str]) -> Vec<String> {
    let texts = |words: &[&str]| words.iter().map(|word| word.to_string()).collect();
    let topics = || snapshot.topics.iter().map(|topic| topic.name.to_string()).collect();
    let brokers = || snapshot.brokers.iter().map(|broker| broker.id.to_string()).collect();
    let is_of_brokers = given.iter().any(|word| ["brokers", "--broker", "--broker-defaults"].contains(word));
    let is_of_groups = given.iter().any(|word| ["groups", "--group"].contains(word));
    let names = match (is_of_brokers, is_of_groups) {
        (true, _) => broker_definitions(),
        (false, true) => group_definitions(),
        (false, false) => topic_definitions(),
    };
    match option {
        "topic" | "topic-list" => topics(),
        "group" => group_ids(snapshot),
        "state" if given.contains(&"--list") => texts(&["stable", "empty", "preparingrebalance", "reconciling"]),
        "type" => texts(&["classic", "consumer"]),
        "group-type" => texts(&["classic", "consumer", "share", "streams"]),
        "protocol" => texts(&["consumer"]),
        "by-duration" => texts(&["PT1H", "P1D"]),
        "topic-id" => snapshot.topics.iter().map(|topic| topic.topic_id.to_string()).collect(),
        "bootstrap-server" => servers(snapshot),
        "config" | "add-config" => names.iter().map(|definition| format!("{}=", definition.name)).collect(),
        "delete-config" => names.iter().map(|definition| definition.name.to_string()).collect(),
        "broker" | "broker-list" => brokers(),
        "entity-type" => texts(&["topics", "brokers", "groups"]),
        "entity-name" if is_of_brokers => brokers(),
        "entity-name" if is_of_groups => group_ids(snapshot),
        "entity-name" => topics(),
        "election-type" => texts(&["preferred", "unclean"]),
        "offset" => texts(&["earliest", "latest"]),
        "time" => texts(&[
            "latest",
            "earliest",
            "max-timestamp",
            "earliest-local",
            "latest-tiered",
            "earliest-pending-upload",
        ]),
        "isolation-level" => texts(&["read_uncommitted", "read_committed"]),
        "formatter-property" | "property" => texts(&[
            "print.key=true",
            "print.timestamp=true",
            "print.offset=true",
            "print.partition=true",
            "print.headers=true",
            "print.value=false",
            "key.separator=",
            "null.literal=",
        ]),
        "reader-property" => texts(&[
            "parse.key=true",
            "key.separator=:",
            "parse.headers=true",
            "headers.delimiter=",
            "null.marker=",
            "ignore.error=true",
        ]),
        "files" => files(snapshot),
        _ => Vec::new(),
    }
}

/// Groups that a coordinator has, or that have offsets.
fn group_ids(snapshot: &Snapshot) -> Vec<String> {
    let known = snapshot.groups.iter().map(|group| &group.group);
    let with_offsets = snapshot.group_offsets.iter().map(|offsets| &offsets.group);
    let ids = known.chain(with_offsets).map(|id| (id.to_string(), ()));
    engine::order::map(ids).into_keys().collect()
}

fn servers(snapshot: &Snapshot) -> Vec<String> {
    match snapshot.brokers.is_empty() {
        true => vec!["localhost:9092".to_string()],
        false => snapshot.brokers.iter().map(|broker| host(broker.id)).collect(),
    }
}

/// The active segment of every leader.
fn files(snapshot: &Snapshot) -> Vec<String> {
    let partitions = snapshot.topics.iter().flat_map(|topic| topic.partitions.iter().map(move |found| (topic, found)));
    let paths = partitions.filter_map(|(topic, partition)| {
        let leader = partition.leader?;
        let log = partition.logs.iter().find(|log| log.broker == leader)?;
        let name = format!("{:020}.log", log.active_base_offset);
        Some(format!("{}/{}-{}/{name}", log_dir(leader), topic.name, partition.partition))
    });
    paths.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use engine::snapshot::{BrokerSnapshot, GroupSnapshot, PartitionSnapshot, ReplicaSnapshot, TopicSnapshot};

    use super::*;

    fn check(line: &str, expected: &[&str]) {
        let topic = |name: &str| TopicSnapshot {
            name: name.into(),
            topic_id: "wmyzg8tZRB2NWMlDCjHHAQ".into(),
            is_internal: false,
            replication_factor: 1,
            configs: BTreeMap::new(),
            partitions: vec![PartitionSnapshot {
                leader: Some(2),
                logs: vec![ReplicaSnapshot { broker: 2, active_base_offset: 40, ..ReplicaSnapshot::default() }],
                ..PartitionSnapshot::default()
            }],
        };
        let broker = |id| BrokerSnapshot { id, ..BrokerSnapshot::default() };
        let snapshot = Snapshot {
            brokers: vec![broker(1), broker(2)],
            topics: vec![topic("orders"), topic("payments")],
            groups: vec![GroupSnapshot { group: "billing".into(), ..GroupSnapshot::default() }],
            ..Snapshot::default()
        };
        assert_eq!(complete(&snapshot, line), expected, "{line}");
    }

    #[test]
    fn the_last_word_is_completed() {
        check("kafka-t", &["kafka-topics.sh", "kafka-transactions.sh"]);
        check("kafka-topics.sh --de", &["--describe", "--delete"]);
        check("kafka-topics.sh --describe --topic ", &["orders", "payments"]);
        check("kafka-topics.sh --describe --topic or", &["orders"]);
        check("kafka-topics.sh --create --partitions ", &[]);
        check("kafka-topics.sh --create --config retention", &["retention.bytes=", "retention.ms="]);
        check("kafka-topics.sh --delete --topic orders --", &["--bootstrap-server", "--if-exists"]);
        check("ls ", &[]);
        check(
            "kafka-co",
            &[
                "kafka-configs.sh",
                "kafka-console-producer.sh",
                "kafka-console-consumer.sh",
                "kafka-consumer-groups.sh",
                "kafka-console-share-consumer.sh",
                "kafka-consumer-perf-test.sh",
            ],
        );
        check("kafka-get-offsets.sh --bootstrap-server ", &["localhost:19092", "localhost:29092"]);
        check("kafka-configs.sh --alter --entity-type brokers --entity-name ", &["1", "2"]);
        check("kafka-configs.sh --alter --broker 1 --add-config log.cleaner.th", &["log.cleaner.threads="]);
        check("kafka-configs.sh --alter --group billing --add-config consumer.h", &["consumer.heartbeat.interval.ms="]);
        check("kafka-configs.sh --describe --entity-type groups --entity-name ", &["billing"]);
        check("kafka-configs.sh --alter --topic orders --delete-config retention.m", &["retention.ms"]);
        check("kafka-leader-election.sh --election-type ", &["preferred", "unclean"]);
        check("kafka-reassign-partitions.sh --verify --p", &["--preserve-throttles"]);
        check(
            "kafka-dump-log.sh --files /var/lib/kafka/data-2/o",
            &["/var/lib/kafka/data-2/orders-0/00000000000000000040.log"],
        );
        check("kafka-console-consumer.sh --topic orders --formatter-property print.k", &["print.key=true"]);
        check("kafka-transactions.sh find-hanging --b", &["--broker-id"]);
        check("kafka-transactions.sh describe-producers --topic ", &["orders", "payments"]);
        check("kafka-transactions.sh d", &["describe", "describe-producers"]);
        check("kafka-consumer-groups.sh --describe --group ", &["billing"]);
        check("kafka-consumer-groups.sh --describe --all-groups --m", &["--members"]);
        check("kafka-consumer-groups.sh --list --state st", &["stable"]);
        check("kafka-consumer-groups.sh --list --state --t", &["--type"]);
        check("kafka-consumer-groups.sh --reset-offsets --group billing --to-d", &["--to-datetime"]);
        check("kafka-groups.sh --list --s", &["--share", "--streams"]);
        check("kafka-groups.sh --list --group-type c", &["classic", "consumer"]);
        check("kafka-features.sh ", &["--bootstrap-server", "describe"]);
        check("kafka-storage.sh ", &["random-uuid", "format"]);
    }
}
