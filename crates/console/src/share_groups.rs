//! kafka-share-groups.sh: lists, describes and deletes share groups.
//!
//! Follows `ShareGroupCommand` of 4.3.1. Simplified: the simulated cluster has no share groups yet, so every group
//! that is named is refused as one of another kind, and offsets of share groups are not reset or deleted.

use engine::{Duration, Observer, Timeline};

use crate::Printed;
use crate::consumer_groups::{Service, parser_error};
use crate::exception::Exception;
use crate::java_order::{hash_order, string_hash};
use crate::options::{OptionSpec, Options, option};
use crate::stop::{Stop, help_or_version};

const PURPOSE: &str = "This tool helps to list, describe, reset and delete share groups.";

/// What a request may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Every option of the actions that are here, in name order.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    option("all-groups", "", "Every share group."),
    option("bootstrap-server", "host:port", "A broker to connect to; always needed."),
    option("command-config", "file", "Settings of the Admin client; this console ignores it."),
    option("delete", "", "Delete share groups that have no members."),
    option("describe", "", "Show start offsets and lag of share groups, or their members, or their states."),
    option("group", "id", "The share group; may be repeated."),
    option("help", "", "Show this list."),
    option("list", "", "List the ids of all share groups."),
    option("members", "", "Describe the members of the group."),
    option("offsets", "", "Describe offsets; this is what --describe does by itself."),
    option("state", "[names]", "With --list: show states, or only groups in these states. With --describe: the state."),
    option("timeout", "ms", "How long to wait for an answer; this console waits 30 seconds."),
    option("verbose", "", "Describe more."),
    option("version", "", "Show Kafka's version."),
];

/// States of a share group, in the order in which the tool lists them.
const STATES: [&str; 3] = ["Dead", "Empty", "Stable"];

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String]) -> Printed {
    let mut printed = Printed::default();
    let options = match read(words) {
        Ok(options) => options,
        Err(stop) => {
            if let Some(exception) = stop.print(OPTIONS, &mut printed) {
                printed.err(&format!("Exception in thread \"main\" {}", exception.trace()));
            }
            return printed;
        }
    };
    match act(&mut Service::new(timeline, TIMEOUT), &options, &mut printed) {
        Ok(()) => {}
        Err(Stop::Failed(exception)) if exception.class == "java.lang.IllegalArgumentException" => {
            drop(Stop::Usage(exception.text().to_string()).print(OPTIONS, &mut printed));
        }
        Err(Stop::Failed(exception)) => {
            printed.out(&format!("\nError: Executing share group command failed due to {}\n", exception.text()));
            printed.err(&exception.trace());
        }
        Err(stop) => drop(stop.print(OPTIONS, &mut printed)),
    }
    printed
}

fn read(words: &[String]) -> Result<Options, Stop> {
    let options = Options::read(OPTIONS, words).map_err(|text| Stop::Failed(parser_error(&text)))?;
    help_or_version(words, |name| options.has(name), PURPOSE)?;
    options.require(&["bootstrap-server"]).map_err(Stop::Usage)?;
    let has_groups = options.has("group") || options.has("all-groups");
    let wrong = |text: &str| Err(Stop::Usage(text.to_string()));
    if options.has("describe") {
        if !has_groups {
            return wrong("Option [describe] takes one of these options: [group], [all-groups]");
        }
        if ["members", "offsets", "state"].iter().filter(|view| options.has(view)).count() > 1 {
            return wrong("Option [describe] takes at most one of these options: [members], [offsets], [state]");
        }
        if !options.all("state").is_empty() {
            return wrong("Option [describe] does not take a value for [state]");
        }
    }
    if options.has("delete") {
        if !has_groups {
            return wrong("Option [delete] takes the options [group] or [all-groups]");
        }
        if options.has("group") && options.has("all-groups") {
            return wrong("Option [delete] takes either [group] or [all-groups], not both.");
        }
    }
    options.exclude("group", &["all-groups", "list"]).map_err(Stop::Usage)?;
    if ["list", "describe", "delete"].iter().filter(|action| options.has(action)).count() != 1 {
        return wrong(
            "Command must include exactly one action: --list, --describe, --delete, --reset-offsets, --delete-offsets.",
        );
    }
    Ok(options)
}

fn act<O: Observer>(service: &mut Service<'_, O>, options: &Options, printed: &mut Printed) -> Result<(), Stop> {
    let given = hash_order(options.all("group").to_vec(), |id| string_hash(id));
    if options.has("list") {
        service.listings().map_err(Stop::Failed)?;
        return list(options, printed);
    }
    let snapshot =
        service.coordinated(&given, "describeShareGroups").map_err(|error| Stop::Failed(error.in_future()))?;
    if options.has("describe") {
        return match given.first() {
            None => Ok(()),
            Some(id) => {
                let is_known = snapshot.groups.iter().any(|group| *group.group == **id);
                let why = if is_known { "is not a share group." } else { "not found." };
                let class = "org.apache.kafka.common.errors.GroupIdNotFoundException";
                Err(Stop::Failed(Exception::new(class, format!("Group {id} {why}")).in_future()))
            }
        };
    }
    if given.is_empty() {
        printed.out("Deletion of requested share groups () was successful.\n");
        return Ok(());
    }
    printed.out("\nError: Deletion of some share groups failed:\n");
    for id in given {
        let error = Exception::of_argument(format!("Group '{id}' is not a share group."));
        printed.out(&format!("* Group '{id}' could not be deleted due to: {}\n", error.line()));
    }
    Ok(())
}

fn list(options: &Options, printed: &mut Printed) -> Result<(), Stop> {
    if !options.has("state") {
        return Ok(());
    }
    let given = options.text("state").map_err(|text| Stop::Failed(parser_error(&text)))?.unwrap_or_default();
    let is_state = |name: &str| STATES.iter().any(|state| state.eq_ignore_ascii_case(name.trim()));
    if !given.is_empty() && !given.split(',').all(is_state) {
        let text = format!("Invalid state list '{given}'. Valid states are: {}", STATES.join(", "));
        return Err(Stop::Failed(Exception::of_argument(text)));
    }
    printed.out(&format!("{:<25} STATE\n", "GROUP"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use engine::{Scenario, Timeline};

    fn check(line: &str, exit: i32, expected: &str) {
        let mut timeline = Timeline::new(Scenario::empty(1), ()).expect("an empty scenario is good");
        timeline.advance_to(engine::Time::ZERO);
        let printed = crate::run(&mut timeline, &format!("kafka-share-groups.sh --bootstrap-server b {line}"));
        let text = printed.text();
        let text = text.split("Option                     ").next().unwrap_or_default();
        assert_eq!((printed.exit, text), (exit, expected), "{line}");
    }

    #[test]
    fn a_cluster_without_share_groups_refuses_every_name() {
        let text = "org.apache.kafka.common.errors.GroupIdNotFoundException: Group nope not found.";
        let unknown = format!(
            "\nError: Executing share group command failed due to {text}\njava.util.concurrent.ExecutionException: {text}\nCaused by: {text}\n"
        );
        check("--list", 0, "");
        check("--describe --group nope", 0, &unknown);
        check("--describe --group nope --members", 0, &unknown);
        check(
            "--delete --group nope",
            0,
            "\nError: Deletion of some share groups failed:\n* Group 'nope' could not be deleted due to: java.lang.IllegalArgumentException: Group 'nope' is not a share group.\n",
        );
        check("--list --state nope", 1, "Invalid state list 'nope'. Valid states are: Dead, Empty, Stable\n");
        check("--delete", 1, "Option [delete] takes the options [group] or [all-groups]\n");
    }
}
