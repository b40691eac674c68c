//! The options of kafka-consumer-groups.sh, and which of them go together.
//!
//! Follows `ConsumerGroupCommandOptions` of 4.3.1: same checks, same order, same texts. Numbers are read when the
//! tool begins its work, so a wrong one is told in another way than a wrong option.

use engine::Duration;

use crate::Printed;
use crate::exception::Exception;
use crate::options::{OptionSpec, Options, option};
use crate::stop::{Stop, help_or_version};

const PURPOSE: &str = "This tool helps to list all consumer groups, describe a consumer group, delete consumer group info, or reset consumer group offsets.";

/// Every option, in name order.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    option("all-groups", "", "Every consumer group."),
    option("all-topics", "", "Reset every partition of which the group has an offset."),
    option("bootstrap-server", "host:port", "A broker to connect to; always needed."),
    option("by-duration", "PnDTnHnMnS", "Reset to the first record that is not older than this span of time."),
    option("command-config", "file", "Settings of the Admin client; this console ignores it."),
    option("delete", "", "Delete groups that have no members, with their offsets."),
    option("delete-offsets", "", "Delete offsets of a group; give topics with it."),
    option("describe", "", "Show offsets and lag of groups, or their members, or their states."),
    option("dry-run", "", "Only show what a reset would do."),
    option("execute", "", "Really reset."),
    option("export", "", "Print a reset as CSV, for --from-file."),
    option("from-file", "file", "Reset to the offsets of a CSV file."),
    option("group", "id", "The group; may be repeated."),
    option("help", "", "Show this list."),
    option("list", "", "List the ids of all consumer groups."),
    option("members", "", "Describe the members of the group."),
    option("offsets", "", "Describe offsets and lag; this is what --describe does by itself."),
    option("reset-offsets", "", "Set other offsets for a group without members."),
    option("shift-by", "count", "Reset by so many records forward, or backward if negative."),
    option("state", "[names]", "With --list: show states, or only groups in these states. With --describe: the state."),
    option("timeout", "ms", "How long to wait for an answer; 5000 if absent."),
    option("to-current", "", "Reset to the offset that is committed."),
    option("to-datetime", "time", "Reset to the first record that is not older, such as 2026-01-01T00:00:00.000."),
    option("to-earliest", "", "Reset to the first offset of the log."),
    option("to-latest", "", "Reset to the end of the log."),
    option("to-offset", "offset", "Reset to this offset."),
    option("topic", "topic[:0,1]", "A topic, or partitions of it; may be repeated."),
    option("type", "[names]", "With --list: show types, or only groups of these types."),
    option("validate-regex", "pattern", "Check a regular expression of RE2/J."),
    option("verbose", "", "Describe more."),
    option("version", "", "Show Kafka's version."),
];

/// Actions, in the order in which the tool lists them.
pub(super) const ACTIONS: [&str; 6] =
    ["list", "describe", "delete", "reset-offsets", "delete-offsets", "validate-regex"];

/// What a reset may go by, in the order in which the tool lists it.
pub(super) const SCENARIOS: [&str; 8] =
    ["shift-by", "to-offset", "to-earliest", "to-current", "to-latest", "by-duration", "to-datetime", "from-file"];

/// The same, in the order in which the tool looks for a second one.
const CHECKED: [&str; 8] =
    ["to-offset", "to-datetime", "by-duration", "to-earliest", "to-latest", "to-current", "shift-by", "from-file"];

/// Options that only go with others: option, one of these has to be there.
const AVAILABLE: [(&str, &[&str]); 5] = [
    ("members", &["describe"]),
    ("verbose", &["describe"]),
    ("offsets", &["describe"]),
    ("state", &["describe", "list"]),
    ("type", &["list"]),
];

const NO_EXECUTE: &str = "WARN: No action will be performed as the --execute option is missing. In version 5.0, this command will require either --dry-run or --execute to be specified. You should add the --dry-run option explicitly if you are scripting this command and want to keep the current default behavior without prompting.\n";

/// Options that were found to go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Arguments {
    pub(super) options: Options,
    /// One of [`ACTIONS`].
    pub(super) action: &'static str,
}

/// What the tool reads when it connects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) to_offset: Option<i64>,
    pub(super) by_duration: Option<String>,
    pub(super) shift_by: Option<i64>,
    /// How long each request may take.
    pub(super) timeout: Duration,
}

impl Arguments {
    /// Reads the words after the tool's name. A warning is printed at once.
    pub(super) fn read(words: &[String], printed: &mut Printed) -> Result<Arguments, Stop> {
        let options = Options::read(OPTIONS, words).map_err(|text| Stop::Failed(parser_error(&text)))?;
        if !options.has("help") {
            available(&options)?;
        }
        help_or_version(words, |name| options.has(name), PURPOSE)?;
        options.require(&["bootstrap-server"]).map_err(Stop::Usage)?;
        check_describe(&options)?;
        check_deletions(&options)?;
        check_reset(&options, printed)?;
        options.exclude("group", &["all-groups"]).map_err(Stop::Usage)?;
        options.exclude("group", &["list"]).map_err(Stop::Usage)?;
        options.exclude("topic", &["list", "describe"]).map_err(Stop::Usage)?;
        let mut given = ACTIONS.into_iter().filter(|action| options.has(action));
        match (given.next(), given.next()) {
            (Some(action), None) => Ok(Arguments { options, action }),
            _ => {
                let all = ACTIONS.map(|action| format!("--{action}")).join(", ");
                Err(Stop::Usage(format!("Command must include exactly one action: {all}")))
            }
        }
    }

    /// Numbers and other single values, in the order in which the tool reads them.
    pub(super) fn settings(&self) -> Result<Settings, Stop> {
        let options = &self.options;
        let failed = |text: String| Stop::Failed(parser_error(&text));
        options.text("bootstrap-server").map_err(failed)?;
        let to_offset =
            options.all("to-offset").iter().map(|text| long("to-offset", text)).collect::<Result<Vec<_>, _>>()?;
        let by_duration = options.text("by-duration").map_err(failed)?.map(str::to_string);
        let number = |name: &'static str| match options.text(name).map_err(failed)? {
            Some(text) => long(name, text).map(Some),
            None => Ok(None),
        };
        let shift_by = number("shift-by")?;
        let timeout = number("timeout")?.unwrap_or(5_000);
        let timeout = Duration::from_millis(u64::try_from(timeout).unwrap_or(0));
        Ok(Settings { to_offset: to_offset.first().copied(), by_duration, shift_by, timeout })
    }
}

/// The parser's exception of that text.
pub(crate) fn parser_error(text: &str) -> Exception {
    let class = if text.ends_with(" is not a recognized option") {
        "UnrecognizedOptionException"
    } else if text.ends_with(" requires an argument") {
        "OptionMissingRequiredArgumentException"
    } else if text.starts_with("Found multiple") {
        "MultipleArgumentsForOptionException"
    } else {
        "UnavailableOptionException"
    };
    Exception::of_options(class, text)
}

fn long(name: &str, text: &str) -> Result<i64, Stop> {
    text.parse().map_err(|_| {
        let number = Exception::new("java.lang.NumberFormatException", format!("For input string: \"{text}\""));
        let mut reflection = Exception::of_options("internal.ReflectionException", number.line());
        reflection.cause = Some(Box::new(number));
        let text = format!("Cannot parse argument '{text}' of option {name}");
        let mut exception = Exception::of_options("OptionArgumentConversionException", text);
        exception.cause = Some(Box::new(reflection));
        Stop::Failed(exception)
    })
}

fn available(options: &Options) -> Result<(), Stop> {
    let is_alone =
        |(name, others): &(&str, &[&str])| options.has(name) && !others.iter().any(|other| options.has(other));
    let alone: Vec<&str> = AVAILABLE.into_iter().filter(is_alone).map(|(name, _)| name).collect();
    if alone.is_empty() {
        return Ok(());
    }
    let text = format!("Option(s) [{}] are unavailable given other options on the command line", alone.join(", "));
    Err(Stop::Failed(parser_error(&text)))
}

fn needs_groups(options: &Options, action: &str) -> Result<(), Stop> {
    if options.has("group") || options.has("all-groups") {
        return Ok(());
    }
    Err(Stop::Usage(format!("Option [{action}] takes one of these options: [group], [all-groups]")))
}

fn check_describe(options: &Options) -> Result<(), Stop> {
    if !options.has("describe") {
        return Ok(());
    }
    needs_groups(options, "describe")?;
    if ["members", "offsets", "state"].iter().filter(|view| options.has(view)).count() > 1 {
        let text = "Option [describe] takes at most one of these options: [members], [offsets], [state]";
        return Err(Stop::Usage(text.to_string()));
    }
    match options.text("state").map_err(|text| Stop::Failed(parser_error(&text)))? {
        Some(_) => Err(Stop::Usage("Option [describe] does not take a value for [state]".to_string())),
        None => Ok(()),
    }
}

fn check_deletions(options: &Options) -> Result<(), Stop> {
    if options.has("delete") {
        needs_groups(options, "delete")?;
        if options.has("topic") {
            let text = "The consumer does not support topic-specific offset deletion from a consumer group.";
            return Err(Stop::Usage(text.to_string()));
        }
    }
    if options.has("delete-offsets") && !(options.has("group") && options.has("topic")) {
        let text = "Option [delete-offsets] takes the following options: [topic], [group]";
        return Err(Stop::Usage(text.to_string()));
    }
    Ok(())
}

fn check_reset(options: &Options, printed: &mut Printed) -> Result<(), Stop> {
    if !options.has("reset-offsets") {
        return Ok(());
    }
    match (options.has("dry-run"), options.has("execute")) {
        (true, true) => {
            let text = "Option [reset-offsets] only accepts one of [execute] and [dry-run]";
            return Err(Stop::Usage(text.to_string()));
        }
        (false, false) => printed.err(NO_EXECUTE),
        _ => {}
    }
    needs_groups(options, "reset-offsets")?;
    for scenario in CHECKED {
        let others: Vec<&str> = SCENARIOS.into_iter().filter(|other| *other != scenario).collect();
        options.exclude(scenario, &others).map_err(Stop::Usage)?;
    }
    Ok(())
}
