//! kafka-share-groups.sh: lists, describes, resets and deletes share groups.
//!
//! Follows `ShareGroupCommand` of 4.3.1. Errors of its work are told on standard output and do not change the exit
//! status, but for a reset of a group that has members.

mod arguments;
mod delete;
mod describe;
mod reset;

#[cfg(test)]
mod tests;

use engine::group::GroupType;
use engine::snapshot::GroupSnapshot;
use engine::{Duration, Observer, Timeline};

use crate::Printed;
use crate::consumer_groups::{Service, parser_error};
use crate::exception::Exception;
use crate::options::Options;
use crate::stop::Stop;
pub(crate) use arguments::OPTIONS;

/// What a request may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// States of a share group, in the order in which the tool lists them.
const STATES: [&str; 3] = ["Dead", "Empty", "Stable"];

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String]) -> Printed {
    let mut printed = Printed::default();
    let options = match arguments::read(words) {
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
            print_error(&format!("Executing share group command failed due to {}", exception.text()), &mut printed);
            printed.err(&exception.trace());
        }
        Err(stop) => drop(stop.print(OPTIONS, &mut printed)),
    }
    printed
}

fn act<O: Observer>(service: &mut Service<'_, O>, options: &Options, printed: &mut Printed) -> Result<(), Stop> {
    if options.has("list") {
        return list(service, options, printed);
    }
    if options.has("describe") {
        return describe::describe(service, options, printed);
    }
    if options.has("delete") {
        return delete::groups(service, options, printed);
    }
    if options.has("delete-offsets") {
        return delete::offsets(service, options, printed);
    }
    reset::reset(service, options, printed)
}

/// All share groups, in the client's order.
fn listings<O: Observer>(service: &mut Service<'_, O>) -> Result<Vec<GroupSnapshot>, Stop> {
    let mut groups = service.listings().map_err(|error| Stop::Failed(error.in_future()))?;
    groups.retain(|group| group.group_type == GroupType::Share);
    Ok(groups)
}

fn list<O: Observer>(service: &mut Service<'_, O>, options: &Options, printed: &mut Printed) -> Result<(), Stop> {
    let given = options.text("state").map_err(|text| Stop::Failed(parser_error(&text)))?.unwrap_or_default();
    let is_state = |name: &str| STATES.iter().any(|state| state.eq_ignore_ascii_case(name.trim()));
    if !given.is_empty() && !given.split(',').all(is_state) {
        let text = format!("Invalid state list '{given}'. Valid states are: {}", STATES.join(", "));
        return Err(Stop::Failed(Exception::of_argument(text)));
    }
    let mut groups = listings(service)?;
    if !options.has("state") {
        groups.iter().for_each(|group| printed.out(&format!("{}\n", group.group)));
        return Ok(());
    }
    let is_wanted = |group: &GroupSnapshot| {
        given.is_empty() || given.split(',').any(|state| state.trim().eq_ignore_ascii_case(group.state.name()))
    };
    groups.retain(is_wanted);
    let width = groups.iter().map(|group| group.group.chars().count()).max().unwrap_or(0).max(15) + 10;
    printed.out(&format!("{:<width$} STATE\n", "GROUP"));
    for group in groups {
        printed.out(&format!("{:<width$} {}\n", group.group, group.state.name()));
    }
    Ok(())
}

/// `printError`.
fn print_error(text: &str, printed: &mut Printed) {
    printed.out(&format!("\nError: {text}\n"));
}
