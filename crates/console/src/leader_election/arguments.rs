//! The options of kafka-leader-election.sh and its JSON file.
//!
//! Nothing is elected here.

use engine::command::{ElectionKind, PartitionName};
use serde_json::Value;

use crate::Input;
use crate::exception::Exception;
use crate::options::{OptionSpec, Options, option};
use crate::stop::{Stop, help_or_version};

const PURPOSE: &str = "This tool attempts to elect a new leader for a set of topic partitions. The type of elections supported are preferred replicas and unclean replicas.";

/// Every option, in name order.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    option("admin.config", "file", "Old name of command-config; this console ignores it."),
    option("all-topic-partitions", "", "Elect for every partition that needs it."),
    option("bootstrap-server", "host:port", "A broker to connect to; always needed."),
    option("command-config", "file", "Settings of the Admin client; this console ignores it."),
    option("election-type", "kind", "preferred or unclean; always needed."),
    option("help", "", "Show this list."),
    option("partition", "number", "The partition of the topic."),
    option("path-to-json-file", "file", "A JSON file with the partitions, or the JSON itself."),
    option("topic", "name", "The topic."),
    option("version", "", "Show Kafka's version."),
];

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arguments {
    pub(super) election: ElectionKind,
    /// The partitions; none for all.
    pub(super) partitions: Option<Vec<PartitionName>>,
    /// Lines to print before anything happens.
    pub(super) warnings: Vec<String>,
}

impl Arguments {
    /// Reads the words after the tool's name.
    pub(super) fn read(words: &[String], input: &Input) -> Result<Arguments, Stop> {
        let parse = |text: String| {
            let class = if text.starts_with("Option ") {
                "OptionMissingRequiredArgumentException"
            } else {
                "UnrecognizedOptionException"
            };
            Stop::Failed(Exception::of_options(class, text))
        };
        let options = Options::read(OPTIONS, words).map_err(parse)?;
        help_or_version(words, |name| options.has(name), PURPOSE)?;
        check(&options)?;
        let multiple = |text| Stop::Failed(Exception::of_options("MultipleArgumentsForOptionException", text));
        let number = |text| Stop::Failed(Exception::of_options("OptionArgumentConversionException", text));
        let election = election(options.text("election-type").map_err(multiple)?.unwrap_or_default())?;
        let named = match (options.text("topic").map_err(multiple)?, options.int("partition").map_err(number)?) {
            (Some(topic), Some(partition)) => {
                // A partition below 0 exists nowhere; the largest number stands for it.
                let partition = u32::try_from(partition).unwrap_or(u32::MAX);
                Some(vec![PartitionName { topic: topic.to_string(), partition }])
            }
            _ => None,
        };
        let listed = match options.text("path-to-json-file").map_err(multiple)? {
            Some(file) => Some(partitions(input.json(file).map_err(|error| {
                // The tool does not unwrap the failure to read the file.
                Stop::Failed(error.inside("java.lang.RuntimeException"))
            })?)?),
            None => None,
        };
        let mut warnings = Vec::new();
        if options.has("admin.config") {
            let text = "Option --admin.config has been deprecated and will be removed in a future version. Use --command-config instead.";
            warnings.push(text.to_string());
        }
        Ok(Arguments { election, partitions: listed.or(named), warnings })
    }
}

fn check(options: &Options) -> Result<(), Stop> {
    let failed = |text: String| Err(Stop::of_tools("AdminCommandFailedException", text));
    let missing: Vec<&str> =
        ["bootstrap-server", "election-type"].into_iter().filter(|name| !options.has(name)).collect();
    if !missing.is_empty() {
        return failed(format!("Missing required option(s): {}", missing.join(", ")));
    }
    options.exclude("admin.config", &["command-config"]).map_err(Stop::Usage)?;
    let ways = ["topic", "all-topic-partitions", "path-to-json-file"];
    if ways.iter().filter(|name| options.has(name)).count() != 1 {
        return failed(format!("One and only one of the following options is required: {}", ways.join(", ")));
    }
    match (options.has("topic"), options.has("partition")) {
        (true, false) => failed("Missing required option(s): partition".to_string()),
        (false, true) => failed("Option partition is only allowed if topic is used".to_string()),
        _ => Ok(()),
    }
}

/// The kind of election, in any mix of upper and lower case.
fn election(text: &str) -> Result<ElectionKind, Stop> {
    match text.to_ascii_lowercase().as_str() {
        "preferred" => Ok(ElectionKind::Preferred),
        "unclean" => Ok(ElectionKind::Unclean),
        _ => {
            let message = format!("Cannot parse argument '{text}' of option election-type");
            let cause = format!("Value [{text}] is not one of [[PREFERRED,UNCLEAN]]");
            let mut exception = Exception::of_options("OptionArgumentConversionException", message);
            exception.cause = Some(Box::new(Exception::of_options("ValueConversionException", cause)));
            Err(Stop::Failed(exception))
        }
    }
}

/// `{"partitions":[{"topic":"a","partition":0}]}`.
fn partitions(json: &str) -> Result<Vec<PartitionName>, Stop> {
    let failed = |text: &str| Stop::of_tools("AdminOperationException", text);
    let Ok(root) = serde_json::from_str::<Value>(json) else {
        return Err(failed("Replica election data is empty"));
    };
    let listed =
        root.get("partitions").ok_or_else(|| failed("Replica election data is missing \"partitions\" field"))?;
    let mut partitions = Vec::new();
    for entry in listed.as_array().map(Vec::as_slice).unwrap_or_default() {
        let topic = entry.get("topic").and_then(Value::as_str).map(str::to_string);
        let partition = entry.get("partition").and_then(Value::as_u64).and_then(|number| u32::try_from(number).ok());
        // In words of ours: Kafka's are those of its JSON library.
        let (Some(topic), Some(partition)) = (topic, partition) else {
            return Err(failed(&format!("An entry needs a topic and the number of a partition: {entry}")));
        };
        partitions.push(PartitionName { topic, partition });
    }
    let mut repeated: Vec<String> = (1..partitions.len())
        .filter(|end| partitions[..*end].contains(&partitions[*end]))
        .map(|end| format!("{}-{}", partitions[end].topic, partitions[end].partition))
        .collect();
    repeated.dedup();
    if !repeated.is_empty() {
        let text = format!("Replica election data contains duplicate partitions: [{}]", repeated.join(", "));
        return Err(failed(&text));
    }
    Ok(partitions)
}
