//! The options of kafka-share-groups.sh, and which of them go together.
//!
//! Follows `ShareGroupCommandOptions` of 4.3.1. Texts that no recording has are those of kafka-consumer-groups.sh.

use crate::consumer_groups::parser_error;
use crate::options::{OptionSpec, Options, option};
use crate::stop::{Stop, help_or_version};

const PURPOSE: &str = "This tool helps to list, describe, reset and delete share groups.";

/// Every option, in name order.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    option("all-groups", "", "Every share group."),
    option("all-topics", "", "Reset every topic of the group."),
    option("bootstrap-server", "host:port", "A broker to connect to; always needed."),
    option("command-config", "file", "Settings of the Admin client; this console ignores it."),
    option("delete", "", "Delete share groups that have no members."),
    option("delete-offsets", "", "Have a share group without members forget topics."),
    option("describe", "", "Show start offsets and lag of share groups, or their members, or their states."),
    option("dry-run", "", "Only show what a reset would set."),
    option("execute", "", "Set what a reset shows."),
    option("group", "id", "The share group; may be repeated."),
    option("help", "", "Show this list."),
    option("list", "", "List the ids of all share groups."),
    option("members", "", "Describe the members of the group."),
    option("offsets", "", "Describe offsets; this is what --describe does by itself."),
    option("reset-offsets", "", "Let a share group without members start elsewhere."),
    option("state", "[names]", "With --list: show states, or only groups in these states. With --describe: the state."),
    option("timeout", "ms", "How long to wait for an answer; this console waits 30 seconds."),
    option("to-datetime", "time", "Reset to the first record since YYYY-MM-DDThh:mm:ss.sss."),
    option("to-earliest", "", "Reset to the beginning of the log."),
    option("to-latest", "", "Reset to the end of the log."),
    option("topic", "name", "A topic to reset or to forget; may be repeated."),
    option("verbose", "", "Describe more."),
    option("version", "", "Show Kafka's version."),
];

/// What the tool does.
const ACTIONS: [&str; 5] = ["list", "describe", "delete", "reset-offsets", "delete-offsets"];

/// Where a reset goes.
pub(super) const SCENARIOS: [&str; 3] = ["to-datetime", "to-earliest", "to-latest"];

/// Reads the words after the tool's name.
pub(super) fn read(words: &[String]) -> Result<Options, Stop> {
    let options = Options::read(OPTIONS, words).map_err(|text| Stop::Failed(parser_error(&text)))?;
    help_or_version(words, |name| options.has(name), PURPOSE)?;
    options.require(&["bootstrap-server"]).map_err(Stop::Usage)?;
    check_describe(&options)?;
    check_delete(&options)?;
    check_reset(&options)?;
    options.exclude("group", &["all-groups", "list"]).map_err(Stop::Usage)?;
    if ACTIONS.iter().filter(|action| options.has(action)).count() != 1 {
        let all = ACTIONS.map(|action| format!("--{action}")).join(", ");
        return wrong(&format!("Command must include exactly one action: {all}."));
    }
    Ok(options)
}

fn wrong<T>(text: &str) -> Result<T, Stop> {
    Err(Stop::Usage(text.to_string()))
}

fn has_groups(options: &Options) -> bool {
    options.has("group") || options.has("all-groups")
}

fn check_describe(options: &Options) -> Result<(), Stop> {
    if !options.has("describe") {
        return Ok(());
    }
    if !has_groups(options) {
        return wrong("Option [describe] takes one of these options: [group], [all-groups]");
    }
    if ["members", "offsets", "state"].iter().filter(|view| options.has(view)).count() > 1 {
        return wrong("Option [describe] takes at most one of these options: [members], [offsets], [state]");
    }
    if !options.all("state").is_empty() {
        return wrong("Option [describe] does not take a value for [state]");
    }
    Ok(())
}

fn check_delete(options: &Options) -> Result<(), Stop> {
    if options.has("delete") {
        if !has_groups(options) {
            return wrong("Option [delete] takes the options [group] or [all-groups]");
        }
        if options.has("group") && options.has("all-groups") {
            return wrong("Option [delete] takes either [group] or [all-groups], not both.");
        }
    }
    if options.has("delete-offsets") && !(options.has("group") && options.has("topic")) {
        return wrong("Option [delete-offsets] takes the following options: [topic], [group]");
    }
    Ok(())
}

fn check_reset(options: &Options) -> Result<(), Stop> {
    if !options.has("reset-offsets") {
        return Ok(());
    }
    match (options.has("dry-run"), options.has("execute")) {
        (true, true) => return wrong("Option [reset-offsets] only takes one of these options: [execute], [dry-run]"),
        (false, false) => return wrong("Option [reset-offsets] takes one of these options: [execute], [dry-run]"),
        _ => {}
    }
    if !options.has("group") {
        return wrong("Option [reset-offsets] takes the option: [group]");
    }
    for scenario in SCENARIOS {
        let others: Vec<&str> = SCENARIOS.into_iter().filter(|other| *other != scenario).collect();
        options.exclude(scenario, &others).map_err(Stop::Usage)?;
    }
    options.exclude("topic", &["all-topics"]).map_err(Stop::Usage)
}
