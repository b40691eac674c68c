//! kafka-features.sh: levels of the features that brokers agree on.
//!
//! `describe` only: levels are fixed when a scenario begins, as they are when a cluster is formatted.

use engine::{Observer, Timeline};

use crate::Printed;
use crate::client::{API_TIMEOUT, read};

/// Features of 4.3.1: name, lowest and highest level, level of a new cluster.
/// `metadata.version` and `kraft.version` print as they stand here.
const FEATURES: [(&str, &str, &str, &str); 7] = [
    ("eligible.leader.replicas.version", "0", "1", "1"),
    ("group.version", "0", "1", "1"),
    ("kraft.version", "0", "1", "1"),
    ("metadata.version", "3.3-IV3", "4.3-IV0", "4.3-IV0"),
    ("share.version", "0", "1", "1"),
    ("streams.version", "0", "1", "1"),
    ("transaction.version", "0", "2", "2"),
];

/// What may come after the name of the tool, for completion.
pub(crate) const COMMANDS: [&str; 1] = ["describe"];

/// Commands of the real tool that change levels or explain them.
const LATER: [&str; 5] = ["upgrade", "downgrade", "disable", "version-mapping", "feature-dependencies"];

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String]) -> Printed {
    let mut printed = Printed::default();
    if let Err(text) = describe(timeline, words, &mut printed) {
        printed.exit = 1;
        printed.stderr.push_str(&text);
    }
    printed
}

fn describe<O: Observer>(timeline: &mut Timeline<O>, words: &[String], printed: &mut Printed) -> Result<(), String> {
    // The parser of this tool ends its texts without a line feed.
    let wrong = |text: &str| format!("Command line error: {text}. Type --help for help.");
    let mut has_server = false;
    let mut command = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.split_once('=').map_or(word.as_str(), |(name, _)| name) {
            "--help" | "-h" => {
                printed.stdout.push_str(USAGE);
                return Ok(());
            }
            option @ ("--bootstrap-server" | "--bootstrap-controller" | "--command-config") => {
                if !word.contains('=') && rest.next().is_none() {
                    return Err(wrong(&format!("argument {option}: expected one argument")));
                }
                has_server |= option != "--command-config";
            }
            name if command.is_none() && !name.starts_with('-') => command = Some(name),
            _ => return Err(wrong(&format!("unrecognized arguments: '{word}'"))),
        }
    }
    match command {
        None => return Err(wrong("too few arguments")),
        Some(command) if LATER.contains(&command) => {
            return Err(format!(
                "{command} is not in this console: the levels of a scenario are those it begins with.\n"
            ));
        }
        Some(command) if !COMMANDS.contains(&command) => {
            return Err(wrong(&format!("argument command: invalid choice: '{command}' (choose from 'describe')")));
        }
        Some(_) => {}
    }
    if !has_server {
        return Err(wrong("one of the arguments --bootstrap-server --bootstrap-controller is required"));
    }
    let snapshot =
        read(timeline, "describeFeatures", API_TIMEOUT).map_err(|error| format!("{}\n", error.in_future().text()))?;
    let levels = &timeline.scenario().cluster.features;
    for (name, lowest, highest, new) in FEATURES {
        let level = levels.get(name).map_or_else(|| new.to_string(), u16::to_string);
        printed.stdout.push_str(&format!(
            // Simplified: Kafka counts the records of the metadata log here.
            "Feature: {name}\tSupportedMinVersion: {lowest}\tSupportedMaxVersion: {highest}\tFinalizedVersionLevel: {level}\tEpoch: {}\n",
            snapshot.moment.sequence
        ));
    }
    Ok(())
}

const USAGE: &str = "usage: kafka-features --bootstrap-server <host:port> describe\n\nShows the levels of the features that the brokers agree on.\n";

#[cfg(test)]
mod tests {
    use engine::{Scenario, Timeline};

    fn check(line: &str, exit: i32, last: &str) {
        let mut scenario = Scenario::empty(1);
        scenario.cluster.features.insert("eligible.leader.replicas.version".to_string(), 0);
        let mut timeline = Timeline::new(scenario, ()).expect("a good scenario");
        timeline.advance_to(engine::Time::ZERO);
        let printed = crate::run(&mut timeline, &format!("kafka-features.sh {line}"));
        let told = if exit == 0 { printed.stdout } else { printed.stderr };
        let told = told.rsplit_once("\tEpoch: ").map_or(told.as_str(), |(line, _)| line);
        assert_eq!((printed.exit, told.lines().last().unwrap_or_default()), (exit, last), "{line}");
    }

    #[test]
    fn levels_are_those_of_the_scenario() {
        check(
            "--bootstrap-server b describe",
            0,
            "Feature: transaction.version\tSupportedMinVersion: 0\tSupportedMaxVersion: 2\tFinalizedVersionLevel: 2",
        );
        let mut timeline = Timeline::new(Scenario::empty(1), ()).expect("a good scenario");
        timeline.advance_to(engine::Time::ZERO);
        let printed = crate::run(&mut timeline, "kafka-features.sh --bootstrap-server b describe");
        assert!(printed.stdout.contains("Feature: eligible.leader.replicas.version\tSupportedMinVersion: 0\tSupportedMaxVersion: 1\tFinalizedVersionLevel: 1\t"));
    }

    #[test]
    fn a_line_without_a_server_or_a_command_is_refused() {
        check(
            "describe",
            1,
            "Command line error: one of the arguments --bootstrap-server --bootstrap-controller is required. Type --help for help.",
        );
        check("--bootstrap-server b", 1, "Command line error: too few arguments. Type --help for help.");
        check(
            "--bootstrap-server b upgrade",
            1,
            "upgrade is not in this console: the levels of a scenario are those it begins with.",
        );
    }
}
