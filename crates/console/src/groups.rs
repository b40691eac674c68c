//! kafka-groups.sh: lists groups of all types.
//!
//! Follows `GroupsCommand` of 4.3.1.

use engine::group::GroupType;
use engine::snapshot::GroupSnapshot;
use engine::{Duration, Observer, Timeline};

use crate::Printed;
use crate::consumer_groups::Service;
use crate::exception::Exception;
use crate::options::{OptionSpec, Options, option};
use crate::stop::{Stop, help_or_version};

const PURPOSE: &str = "This tool helps to list groups of all types.";

/// What the tool waits for the list.
const PATIENCE: Duration = Duration::from_secs(30);

/// Every option, in name order.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    option("bootstrap-server", "host:port", "A broker to connect to; always needed."),
    option("command-config", "file", "Settings of the Admin client; this console ignores it."),
    option("consumer", "", "Only groups of consumers, of both protocols, and groups that have only offsets."),
    option("group-type", "type", "Only groups of this type: classic, consumer, share or streams."),
    option("help", "", "Show this list."),
    option("list", "", "List the groups."),
    option("protocol", "name", "Only groups of this protocol, such as consumer."),
    option("share", "", "Only share groups."),
    option("streams", "", "Only streams groups; the simulation has none."),
    option("version", "", "Show Kafka's version."),
];

/// Types that the tool knows.
const TYPES: [(&str, Option<GroupType>); 4] = [
    ("classic", Some(GroupType::Classic)),
    ("consumer", Some(GroupType::Consumer)),
    ("share", Some(GroupType::Share)),
    ("streams", None),
];

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String]) -> Printed {
    let mut printed = Printed::default();
    let stopped = list(timeline, words, &mut printed);
    if let Some(exception) = stopped.err().and_then(|stop| stop.print(OPTIONS, &mut printed)) {
        printed.stderr.push_str(&format!("{}\n{}\n", exception.text(), exception.trace()));
    }
    printed
}

fn list<O: Observer>(timeline: &mut Timeline<O>, words: &[String], printed: &mut Printed) -> Result<(), Stop> {
    let options = Options::read(OPTIONS, words).map_err(Stop::Usage)?;
    if !words.is_empty() && !["help", "version", "bootstrap-server"].iter().any(|name| options.has(name)) {
        return Err(Stop::Usage("Missing required option(s) [bootstrap-server]".to_string()));
    }
    help_or_version(words, |name| options.has(name), PURPOSE)?;
    if !options.has("list") {
        return Err(Stop::Usage("Command must include exactly one action: --list.".to_string()));
    }
    let several = |text| Stop::Failed(Exception::of_options("MultipleArgumentsForOptionException", text));
    let of_type = match options.text("group-type").map_err(several)? {
        None => None,
        Some(name) => match TYPES.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, group_type)) => Some(group_type),
            None => return Err(Stop::Failed(Exception::of_argument("--group-type must be a valid group type."))),
        },
    };
    options.exclude("consumer", &["group-type", "protocol", "share", "streams"]).map_err(Stop::Usage)?;
    options.exclude("share", &["consumer", "group-type", "protocol", "streams"]).map_err(Stop::Usage)?;
    options.exclude("streams", &["consumer", "group-type", "protocol", "share"]).map_err(Stop::Usage)?;
    let of_protocol = options.text("protocol").map_err(several)?;
    let groups = match Service::new(timeline, PATIENCE).listings() {
        Ok(groups) => groups,
        Err(error) => {
            let cause = error.cause.as_deref().unwrap_or(&error);
            printed.out(&format!("Error while executing groups command : {}\n", cause.text()));
            printed.exit = 1;
            return Ok(());
        }
    };
    let is_meant = |group: &&GroupSnapshot| {
        if of_type.is_some() || of_protocol.is_some() {
            return of_type.is_none_or(|kind| kind == Some(group.group_type))
                && of_protocol.is_none_or(|name| name == protocol(group));
        }
        if options.has("consumer") {
            return group.group_type == GroupType::Consumer || ["", "consumer"].contains(&protocol(group));
        }
        !options.has("streams") && (!options.has("share") || group.group_type == GroupType::Share)
    };
    print(groups.iter().filter(is_meant).collect(), printed);
    Ok(())
}

/// The protocol type that a coordinator lists.
fn protocol(group: &GroupSnapshot) -> &str {
    match group.group_type {
        GroupType::Classic => &group.protocol_type,
        GroupType::Consumer => "consumer",
        GroupType::Share => "share",
    }
}

fn print(groups: Vec<&GroupSnapshot>, printed: &mut Printed) {
    let rows: Vec<[&str; 3]> =
        groups.into_iter().map(|group| [&*group.group, group.group_type.name(), protocol(group)]).collect();
    let width = rows.iter().flatten().map(|cell| cell.chars().count()).max().unwrap_or(0).max(20);
    printed.out(&format!("{:<width$} {:<width$} {:<width$}\n", "GROUP", "TYPE", "PROTOCOL"));
    for row in rows {
        let cells = row.map(|cell| format!("{cell:<width$} ")).concat();
        printed.out(&format!("{cells}\n"));
    }
}
