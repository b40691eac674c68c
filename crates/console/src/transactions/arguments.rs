//! The words of kafka-transactions.sh, read as argparse4j reads them: options, a command, the command's options.
//!
//! What the commands do is in `transactions.rs`.

use std::collections::BTreeMap;

use engine::command::PartitionName;

use super::suggestion::{close_to, wrapped};
use crate::Printed;
use crate::options::{OptionSpec, option};

const PROGRAM: &str = "kafka-transactions.sh";
/// Columns of a line of usage.
const WIDTH: usize = 75;
/// `--max-transaction-timeout`, in minutes.
const LONGEST_MINUTES: i64 = 15;

/// Options before the command.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    option("help", "", "Show this list."),
    option("version", "", "Show Kafka's version."),
    option("command-config", "FILE", "Settings of the Admin client; this console ignores it."),
    option("bootstrap-server", "host:port", "A broker to connect to; always needed."),
];

/// The commands with their options, and which of these are needed.
pub(crate) const COMMANDS: [(&str, &[(&str, bool)]); 6] = [
    ("list", &[("duration-filter", false), ("transactional-id-pattern", false)]),
    ("describe", &[("transactional-id", true)]),
    ("describe-producers", &[("broker-id", false), ("topic", true), ("partition", true)]),
    (
        "abort",
        &[
            ("topic", true),
            ("partition", true),
            ("start-offset", false),
            ("producer-id", false),
            ("producer-epoch", false),
            ("coordinator-epoch", false),
        ],
    ),
    (
        "find-hanging",
        &[("broker-id", false), ("max-transaction-timeout", false), ("topic", false), ("partition", false)],
    ),
    ("forceTerminateTransaction", &[("transactionalId", true)]),
];

/// A line that makes sense.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arguments {
    pub action: Action,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    List { pattern: Option<String>, duration: Option<i64> },
    Describe { id: String },
    DescribeProducers { broker: Option<u32>, partition: PartitionName },
    Abort { partition: PartitionName, transaction: Identification },
    FindHanging(Search),
    ForceTerminate { id: String },
}

/// Which transaction is aborted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Identification {
    StartOffset(i64),
    Producer { id: u64, epoch: u16, coordinator_epoch: u32 },
}

/// Where hanging transactions are looked for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Search {
    pub broker: Option<u32>,
    pub topic: Option<String>,
    pub partition: Option<u32>,
    pub longest_minutes: i64,
}

/// Reads the words; the error is the answer to a line that asks for nothing.
pub(crate) fn read_words(words: &[String]) -> Result<Arguments, Printed> {
    let mut has_server = false;
    let mut rest = words.iter();
    let command = loop {
        let Some(word) = rest.next() else { return Err(wrong(None, "too few arguments", &[])) };
        let (name, inline) = split(word);
        match name {
            "-h" | "--help" => return Err(answered(usage(None))),
            "-v" | "--version" => return Err(answered(format!("{}\n", engine::version::KAFKA))),
            "--command-config" | "--bootstrap-server" => {
                if inline.is_none() && rest.next().is_none() {
                    return Err(wrong(None, &format!("argument {name}: expected one argument"), &[]));
                }
                has_server |= name == "--bootstrap-server";
            }
            _ if word.starts_with('-') => {
                let known = ["--help", "--version", "--command-config", "--bootstrap-server"];
                let text = format!("unrecognized arguments: '{word}'");
                return Err(wrong(None, &text, &close_to(name, &known)));
            }
            _ => break word.as_str(),
        }
    };
    let names = COMMANDS.map(|(name, _)| name);
    let Some((_, options)) = COMMANDS.iter().find(|(name, _)| *name == command) else {
        let choices = names.map(|name| format!("'{name}'")).join(", ");
        let text = format!("invalid choice: '{command}' (choose from {choices})");
        return Err(wrong(None, &text, &close_to(command, &names)));
    };
    let given = read_options(command, options, rest)?;
    if !has_server {
        return Err(wrong(None, "argument --bootstrap-server is required", &[]));
    }
    action(command, &given).map(|action| Arguments { action })
}

fn split(word: &str) -> (&str, Option<&str>) {
    word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)))
}

/// The options of a command.
fn read_options<'a>(
    command: &str,
    options: &[(&'static str, bool)],
    mut rest: impl Iterator<Item = &'a String>,
) -> Result<BTreeMap<&'static str, String>, Printed> {
    let mut given = BTreeMap::new();
    while let Some(word) = rest.next() {
        let (name, inline) = split(word);
        if name == "-h" || name == "--help" {
            return Err(answered(usage(Some(command))));
        }
        let known = options.iter().find(|(known, _)| name.strip_prefix("--") == Some(known));
        let Some((known, _)) = known else {
            let flags: Vec<String> = options.iter().map(|(name, _)| format!("--{name}")).collect();
            let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
            let close = if name.starts_with("--") { close_to(name, &flags) } else { Vec::new() };
            return Err(wrong(Some(command), &format!("unrecognized arguments: '{word}'"), &close));
        };
        let value = inline.map(str::to_string).or_else(|| rest.next().cloned());
        let Some(value) = value.filter(|value| inline.is_some() || !is_flag(value)) else {
            return Err(wrong(Some(command), &format!("argument {name}: expected one argument"), &[]));
        };
        given.insert(*known, value);
    }
    match options.iter().find(|(name, is_needed)| *is_needed && !given.contains_key(name)) {
        Some((name, _)) => Err(wrong(Some(command), &format!("argument --{name} is required"), &[])),
        None => Ok(given),
    }
}

/// Whether a word is an option; negative numbers are not.
fn is_flag(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1 && word[1..].parse::<f64>().is_err()
}

fn action(command: &str, given: &BTreeMap<&'static str, String>) -> Result<Action, Printed> {
    let text = |name: &str| given.get(name).cloned();
    let needed = |name: &str| text(name).unwrap_or_default();
    let broker = number::<u32>(command, given, "broker-id", "Integer (32 bit)")?;
    let partition = number::<u32>(command, given, "partition", "Integer (32 bit)")?;
    let named = || PartitionName { topic: needed("topic"), partition: partition.unwrap_or(0) };
    Ok(match command {
        "list" => Action::List {
            pattern: text("transactional-id-pattern"),
            duration: number(command, given, "duration-filter", "Long (64 bit)")?,
        },
        "describe" => Action::Describe { id: needed("transactional-id") },
        "describe-producers" => Action::DescribeProducers { broker, partition: named() },
        "abort" => Action::Abort { partition: named(), transaction: identification(command, given)? },
        "find-hanging" => {
            let longest = number(command, given, "max-transaction-timeout", "Integer (32 bit)")?;
            let longest_minutes = longest.map_or(LONGEST_MINUTES, |minutes: i32| i64::from(minutes));
            Action::FindHanging(Search { broker, topic: text("topic"), partition, longest_minutes })
        }
        _ => Action::ForceTerminate { id: needed("transactionalId") },
    })
}

fn identification(command: &str, given: &BTreeMap<&'static str, String>) -> Result<Identification, Printed> {
    let start = number::<i64>(command, given, "start-offset", "Long (64 bit)")?;
    let id = number::<u64>(command, given, "producer-id", "Long (64 bit)")?;
    let epoch = number::<u16>(command, given, "producer-epoch", "Short (16 bit)")?;
    let coordinator = number::<i32>(command, given, "coordinator-epoch", "Integer (32 bit)")?;
    match (start, id, epoch, coordinator) {
        (Some(start), ..) => Ok(Identification::StartOffset(start)),
        (None, None, ..) => Err(told(
            "The transaction to abort must be identified either with --start-offset (for brokers on 3.0 or above) or \
             with --producer-id, --producer-epoch, and --coordinator-epoch (for older brokers)",
        )),
        (None, _, None, _) => Err(told("Missing required argument --producer-epoch")),
        (None, _, _, None) => Err(told("Missing required argument --coordinator-epoch")),
        (None, Some(id), Some(epoch), Some(coordinator)) => {
            // -1 is what the tool prints for a producer without a marker.
            Ok(Identification::Producer { id, epoch, coordinator_epoch: u32::try_from(coordinator).unwrap_or(0) })
        }
    }
}

fn number<N: std::str::FromStr>(
    command: &str,
    given: &BTreeMap<&'static str, String>,
    name: &str,
    kind: &str,
) -> Result<Option<N>, Printed> {
    let Some(value) = given.get(name) else { return Ok(None) };
    let wrong = |_| wrong(Some(command), &format!("argument --{name}: could not convert '{value}' to {kind}"), &[]);
    value.parse().map(Some).map_err(wrong)
}

/// How the tool, or one of its commands, is called.
fn usage(command: Option<&str>) -> String {
    let mut parts: Vec<String> = Vec::new();
    match command.and_then(|command| COMMANDS.iter().find(|(name, _)| *name == command)) {
        None => {
            parts.extend(["[-h]", "[-v]", "[--command-config FILE]", "--bootstrap-server host:port"].map(String::from));
            parts.extend(["COMMAND", "..."].map(String::from));
        }
        Some((name, options)) => {
            parts.extend(["--bootstrap-server host:port", name, "[-h]"].map(String::from));
            parts.extend(options.iter().map(|(name, is_needed)| {
                let text = format!("--{name} {}", name.to_uppercase().replace('-', "_"));
                if *is_needed { text } else { format!("[{text}]") }
            }));
        }
    }
    let indent = format!("usage: {PROGRAM}").len();
    let mut text = format!("usage: {PROGRAM}");
    let mut column = indent;
    for part in parts {
        if column + 1 + part.len() > WIDTH {
            text.push_str(&format!("\n{}", " ".repeat(indent)));
            column = indent;
        }
        text.push_str(&format!(" {part}"));
        column += 1 + part.len();
    }
    text + "\n"
}

fn answered(stdout: String) -> Printed {
    Printed { stdout, ..Printed::default() }
}

fn told(text: &str) -> Printed {
    Printed { exit: 1, stderr: format!("{text}\n"), ..Printed::default() }
}

/// An error of the parser, with words that may have been meant.
fn wrong(command: Option<&str>, text: &str, close: &[&str]) -> Printed {
    let mut stderr = format!("{}{}\n", usage(command), wrapped(&format!("{PROGRAM}: error: {text}")));
    if !close.is_empty() {
        stderr.push_str("\nDid you mean:\n");
        close.iter().for_each(|word| stderr.push_str(&format!("\t{word}\n")));
    }
    Printed { exit: 1, stderr, ..Printed::default() }
}
