//! The options of kafka-console-consumer.sh, and which of them go together.
//!
//! Follows `ConsoleConsumerOptions` of 4.3.1: same checks, same order, same texts.

use std::collections::BTreeMap;

use engine::Duration;
use regex_lite::Regex;

use super::formatter::Formatter;
use crate::Input;
use crate::exception::Exception;
use crate::options::{OptionSpec, Options, option};
use crate::stop::{Stop, help_or_version};

const PURPOSE: &str = "This tool helps to read data from Kafka topics and outputs it to standard output.";

/// Every option, in name order.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    option("bootstrap-server", "host:port", "A broker to connect to; always needed."),
    option("command-config", "file", "A file with consumer settings."),
    option("command-property", "name=value", "A consumer setting; may be repeated."),
    option("consumer-property", "name=value", "Old name of command-property."),
    option("consumer.config", "file", "Old name of command-config."),
    option("enable-systest-events", "", "No effect."),
    option("formatter", "class", "The class that prints; only the standard one is here."),
    option("formatter-config", "file", "A file with properties of the formatter."),
    option("formatter-property", "name=value", "print.key, print.offset, key.separator and others; may be repeated."),
    option("from-beginning", "", "Begin with the oldest record."),
    option("group", "id", "The consumer group; not in this console yet."),
    option("help", "", "Show this list."),
    option("include", "pattern", "Topics whose whole names match, instead of one topic."),
    option("isolation-level", "level", "read_uncommitted or read_committed."),
    option("key-deserializer", "class", "Class for keys; this console shows text."),
    option("max-messages", "number", "Stop after that many records."),
    option("offset", "where", "earliest, latest or a number; needs a partition."),
    option("partition", "number", "Only this partition."),
    option("property", "name=value", "Old name of formatter-property."),
    option("skip-message-on-error", "", "No effect."),
    option("timeout-ms", "ms", "Stop when nothing came for so long."),
    option("topic", "name", "The topic."),
    option("value-deserializer", "class", "Class for values; this console shows text."),
    option("version", "", "Show Kafka's version."),
];

/// Where reading begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    Earliest,
    Latest,
    At(u64),
}

/// What is read.
#[derive(Clone, Debug)]
pub(super) enum Topics {
    Named(String),
    Matching(Regex),
}

/// Options that were found to go together.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    pub(super) topics: Topics,
    pub(super) partition: Option<u32>,
    pub(super) start: Start,
    pub(super) is_read_committed: bool,
    /// None for no limit.
    pub(super) messages_max: Option<u64>,
    pub(super) timeout: Option<Duration>,
    pub(super) formatter: Formatter,
    /// Lines to print before anything happens.
    pub(super) warnings: Vec<String>,
}

impl Arguments {
    /// Whether the topic is read.
    pub(super) fn reads(&self, topic: &str) -> bool {
        match &self.topics {
            Topics::Named(name) => name == topic,
            Topics::Matching(whole) => whole.is_match(topic),
        }
    }

    /// Whether the partition is read.
    pub(super) fn reads_partition(&self, partition: u32) -> bool {
        self.partition.is_none_or(|only| only == partition)
    }

    /// Reads the words after the tool's name.
    pub(super) fn read(words: &[String], input: &Input) -> Result<Arguments, Stop> {
        let options = Options::read(OPTIONS, words).map_err(Stop::Usage)?;
        help_or_version(words, |name| options.has(name), PURPOSE)?;
        check_required(&options)?;
        let mut warnings = Vec::new();
        for (old, new) in [("consumer-property", "command-property"), ("consumer.config", "command-config")] {
            rename(&options, old, new, &mut warnings)?;
        }
        let settings = settings(&options, input)?;
        if options.has("group") || settings.contains_key("group.id") {
            if options.has("partition") {
                return Err(Stop::Usage("Options group and partition cannot be specified together.".to_string()));
            }
            let text = "Consumer groups are not in this console yet: leave the group out to read without one.";
            return Err(Stop::Terse(text.to_string()));
        }
        let reset = settings.get("auto.offset.reset").map(String::as_str);
        if let Some(reset) = reset.filter(|reset| options.has("from-beginning") && *reset != "earliest") {
            return Err(Stop::Terse(format!(
                "Can't simultaneously specify --from-beginning and 'auto.offset.reset={reset}', please remove one option"
            )));
        }
        let start = start(&options, reset)?;
        let isolation = options.text("isolation-level").map_err(Stop::Terse)?;
        let is_read_committed = isolation_level(isolation.or(settings.get("isolation.level").map(String::as_str)))?;
        let timeout = options.long("timeout-ms").map_err(Stop::Terse)?;
        let messages_max = options.int("max-messages").map_err(Stop::Terse)?.filter(|max| *max != -1);
        rename(&options, "property", "formatter-property", &mut warnings)?;
        Ok(Arguments {
            topics: topics(&options)?,
            partition: options
                .int("partition")
                .map_err(Stop::Terse)?
                .map(|number| number.try_into().unwrap_or(u32::MAX)),
            start,
            is_read_committed,
            messages_max: messages_max.map(|max| max.try_into().unwrap_or(0)),
            timeout: timeout.and_then(|millis| u64::try_from(millis).ok()).map(Duration::from_millis),
            formatter: formatter(&options, input)?,
            warnings,
        })
    }
}

fn usage<T>(text: &str) -> Result<T, Stop> {
    Err(Stop::Usage(text.to_string()))
}

fn check_required(options: &Options) -> Result<(), Stop> {
    if options.has("topic") == options.has("include") {
        return usage("Exactly one of the following arguments is required: [topic], [include]");
    }
    if options.has("partition") {
        if !options.has("topic") {
            return usage("The topic is required when partition is specified.");
        }
        if options.has("from-beginning") && options.has("offset") {
            return usage("Options from-beginning and offset cannot be specified together.");
        }
    } else if options.has("offset") {
        return usage("The partition is required when offset is specified.");
    }
    options.require(&["bootstrap-server"]).map_err(Stop::Usage)
}

fn rename(options: &Options, old: &str, new: &str, warnings: &mut Vec<String>) -> Result<(), Stop> {
    if options.has(old) && options.has(new) {
        return Err(Stop::Usage(format!("Options --{old} and --{new} cannot be specified together.")));
    }
    if options.has(old) {
        warnings.push(format!(
            "Option --{old} is deprecated and will be removed in a future version. Use --{new} instead."
        ));
    }
    Ok(())
}

fn settings(options: &Options, input: &Input) -> Result<BTreeMap<String, String>, Stop> {
    let mut settings = BTreeMap::new();
    for name in ["consumer.config", "command-config"] {
        if let Some(file) = options.text(name).map_err(Stop::Terse)? {
            settings.extend(input.properties(file).map_err(Stop::Failed)?);
        }
    }
    for name in ["consumer-property", "command-property"] {
        settings.extend(pairs(options, name)?);
    }
    Ok(settings)
}

fn pairs(options: &Options, name: &str) -> Result<BTreeMap<String, String>, Stop> {
    options
        .pairs(name)
        .map_err(|text| Stop::Failed(Exception::of_argument(format!("Invalid command line properties: '{text}'"))))
}

fn topics(options: &Options) -> Result<Topics, Stop> {
    if let Some(topic) = options.text("topic").map_err(Stop::Terse)? {
        return Ok(Topics::Named(topic.to_string()));
    }
    let pattern = options.text("include").map_err(Stop::Terse)?.unwrap_or_default();
    match Regex::new(&format!("^(?:{pattern})$")) {
        Ok(whole) => Ok(Topics::Matching(whole)),
        Err(_) => {
            let text = format!("{pattern} is an invalid regex.");
            Err(Stop::Failed(Exception::new("java.util.regex.PatternSyntaxException", text)))
        }
    }
}

fn start(options: &Options, reset: Option<&str>) -> Result<Start, Stop> {
    let Some(text) = options.text("offset").map_err(Stop::Terse)? else {
        let from_beginning = options.has("from-beginning");
        // With a partition the tool seeks, and only --from-beginning counts.
        let is_reset = reset == Some("earliest") && !options.has("partition");
        return Ok(if from_beginning || is_reset { Start::Earliest } else { Start::Latest });
    };
    match text.to_lowercase().as_str() {
        "earliest" => Ok(Start::Earliest),
        "latest" => Ok(Start::Latest),
        number => match number.parse::<i64>().ok().and_then(|offset| u64::try_from(offset).ok()) {
            Some(offset) => Ok(Start::At(offset)),
            None => Err(Stop::Usage(format!(
                "The provided offset value '{text}' is incorrect. Valid values are 'earliest', 'latest', or a non-negative long."
            ))),
        },
    }
}

fn isolation_level(level: Option<&str>) -> Result<bool, Stop> {
    match level.map(str::to_lowercase).as_deref() {
        None | Some("read_uncommitted") => Ok(false),
        Some("read_committed") => Ok(true),
        Some(_) => {
            let text = format!(
                "Invalid value {} for configuration isolation.level: String must be one of: read_committed, read_uncommitted",
                level.unwrap_or_default()
            );
            Err(Stop::Failed(Exception::new("org.apache.kafka.common.config.ConfigException", text)))
        }
    }
}

fn formatter(options: &Options, input: &Input) -> Result<Formatter, Stop> {
    let class = options.text("formatter").map_err(Stop::Terse)?;
    if let Some(class) = class.filter(|class| *class != "org.apache.kafka.tools.consumer.DefaultMessageFormatter") {
        return usage(class);
    }
    let mut properties = match options.text("formatter-config").map_err(Stop::Terse)? {
        Some(file) => input.properties(file).map_err(Stop::Failed)?,
        None => BTreeMap::new(),
    };
    properties.extend(pairs(options, "property")?);
    properties.extend(pairs(options, "formatter-property")?);
    Ok(Formatter::new(&properties))
}
