//! The options of kafka-console-producer.sh, and the producer settings that they become.
//!
//! Nothing is sent here. Defaults are the tool's, which differ from the client's.

use std::collections::BTreeMap;

use super::lines::Reader;
use crate::Input;
use crate::exception::Exception;
use crate::options::{OptionSpec, Options, option};
use crate::stop::{Stop, help_or_version};

const PURPOSE: &str = "This tool helps to read data from standard input and publish it to Kafka.";

/// Every option, in name order.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    option("batch-size", "bytes", "batch.size; 16384 by default."),
    option("bootstrap-server", "host:port", "A broker to connect to; always needed."),
    option("command-config", "file", "A file with producer settings."),
    option("command-property", "name=value", "A producer setting; may be repeated."),
    option("compression-codec", "[codec]", "compression.type; gzip if no codec is named."),
    option("help", "", "Show this list."),
    option("line-reader", "class", "The class that reads lines; only the standard one is here."),
    option("max-block-ms", "ms", "max.block.ms; 60000 by default."),
    option("max-memory-bytes", "bytes", "buffer.memory; 33554432 by default."),
    option("max-partition-memory-bytes", "bytes", "batch.size; 16384 by default."),
    option("message-send-max-retries", "number", "retries; 3 by default."),
    option("metadata-expiry-ms", "ms", "metadata.max.age.ms; 300000 by default."),
    option("producer-property", "name=value", "Old name of command-property."),
    option("producer.config", "file", "Old name of command-config."),
    option("property", "name=value", "Old name of reader-property."),
    option("reader-config", "file", "A file with properties of the reader."),
    option(
        "reader-property",
        "name=value",
        "A property of the reader: parse.key, key.separator, parse.headers, null.marker ...",
    ),
    option("request-required-acks", "acks", "acks; -1 by default."),
    option("request-timeout-ms", "ms", "request.timeout.ms; 1500 by default."),
    option("retry-backoff-ms", "ms", "retry.backoff.ms; 100 by default."),
    option("socket-buffer-size", "bytes", "send.buffer.bytes; 102400 by default."),
    option("sync", "", "Wait for each record before the next one is sent."),
    option("timeout", "ms", "linger.ms; 1000 by default."),
    option("topic", "name", "The topic; always needed."),
    option("version", "", "Show Kafka's version."),
];

/// Options with a number, the setting that each becomes, and its default. Of two for one setting the
/// later one wins.
const SETTINGS: [(&str, &str, &str); 11] = [
    ("timeout", "linger.ms", "1000"),
    ("request-required-acks", "acks", "-1"),
    ("request-timeout-ms", "request.timeout.ms", "1500"),
    ("message-send-max-retries", "retries", "3"),
    ("retry-backoff-ms", "retry.backoff.ms", "100"),
    ("socket-buffer-size", "send.buffer.bytes", "102400"),
    ("max-memory-bytes", "buffer.memory", "33554432"),
    ("batch-size", "batch.size", "16384"),
    ("max-partition-memory-bytes", "batch.size", "16384"),
    ("metadata-expiry-ms", "metadata.max.age.ms", "300000"),
    ("max-block-ms", "max.block.ms", "60000"),
];

/// Old names and new ones.
const RENAMED: [(&str, &str); 3] =
    [("property", "reader-property"), ("producer-property", "command-property"), ("producer.config", "command-config")];

/// What is to be sent, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) topic: String,
    pub(super) is_sync: bool,
    pub(super) reader: Reader,
    /// Settings of the producer.
    pub(super) producer: BTreeMap<String, String>,
    /// Lines to print before anything happens.
    pub(super) warnings: Vec<String>,
}

impl Arguments {
    /// Reads the words after the tool's name.
    pub(super) fn read(words: &[String], input: &Input) -> Result<Arguments, Stop> {
        let options = Options::read(OPTIONS, words).map_err(Stop::Usage)?;
        help_or_version(words, |name| options.has(name), PURPOSE)?;
        options.require(&["topic", "bootstrap-server"]).map_err(Stop::Usage)?;
        let mut warnings = Vec::new();
        for (old, new) in RENAMED {
            if options.has(old) && options.has(new) {
                let text = format!("Options --{old} and --{new} cannot be specified together.");
                return Err(Stop::Usage(text));
            }
            if options.has(old) {
                warnings.push(format!(
                    "Option --{old} is deprecated and will be removed in a future version. Use --{new} instead."
                ));
            }
        }
        let class = options.text("line-reader").map_err(Stop::Terse)?;
        if let Some(class) = class.filter(|class| *class != "org.apache.kafka.tools.LineMessageReader") {
            return Err(Stop::Failed(Exception::new("java.lang.ClassNotFoundException", class)));
        }
        let topic = options.text("topic").map_err(Stop::Terse)?.unwrap_or_default().to_string();
        let reader = Reader::new(&reader_properties(&options, input)?).map_err(Stop::Failed)?;
        Ok(Arguments { topic, is_sync: options.has("sync"), reader, producer: producer(&options, input)?, warnings })
    }
}

fn reader_properties(options: &Options, input: &Input) -> Result<BTreeMap<String, String>, Stop> {
    let mut properties = match options.text("reader-config").map_err(Stop::Terse)? {
        Some(file) => input.properties(file).map_err(Stop::Failed)?,
        None => BTreeMap::new(),
    };
    properties.extend(pairs(options, "property")?);
    properties.extend(pairs(options, "reader-property")?);
    Ok(properties)
}

fn producer(options: &Options, input: &Input) -> Result<BTreeMap<String, String>, Stop> {
    let mut settings = BTreeMap::new();
    for name in ["producer.config", "command-config"] {
        if let Some(file) = options.text(name).map_err(Stop::Terse)? {
            settings.extend(input.properties(file).map_err(Stop::Failed)?);
        }
    }
    settings.extend(pairs(options, "producer-property")?);
    settings.extend(pairs(options, "command-property")?);
    let codec = match options.has("compression-codec") {
        true => {
            options.text("compression-codec").map_err(Stop::Terse)?.filter(|codec| !codec.is_empty()).unwrap_or("gzip")
        }
        false => "none",
    };
    settings.insert("compression.type".to_string(), codec.to_string());
    settings.entry("client.id".to_string()).or_insert_with(|| super::NAME.to_string());
    for (name, setting, default) in SETTINGS {
        // All but acks are numbers.
        let given = match name {
            "request-required-acks" => options.text(name).map_err(Stop::Terse)?.map(str::to_string),
            _ => options.long(name).map_err(Stop::Terse)?.map(|number| number.to_string()),
        };
        if given.is_some() || !settings.contains_key(setting) {
            settings.insert(setting.to_string(), given.unwrap_or_else(|| default.to_string()));
        }
    }
    // Where to connect and how to serialize is not simulated.
    settings.retain(|name, _| !["bootstrap.servers", "key.serializer", "value.serializer"].contains(&name.as_str()));
    Ok(settings)
}

fn pairs(options: &Options, name: &str) -> Result<BTreeMap<String, String>, Stop> {
    options.pairs(name).map_err(|text| {
        let text = format!("Invalid command line properties: '{text}'");
        Stop::Failed(Exception::of_argument(text))
    })
}
