//! `--list`: ids of groups, with types and states if asked for.
//!
//! The brokers filter; an unknown state or type is the tool's objection.

use engine::Observer;
use engine::group::GroupType;
use engine::snapshot::GroupSnapshot;

use super::arguments::parser_error;
use super::service::Service;
use crate::Printed;
use crate::exception::Exception;
use crate::options::Options;
use crate::stop::Stop;

/// States of a consumer group, in the order in which the tool lists them.
const STATES: [&str; 7] =
    ["Assigning", "Empty", "Dead", "Stable", "Reconciling", "PreparingRebalance", "CompletingRebalance"];

/// Types of a consumer group, in the order in which the tool lists them.
const TYPES: [&str; 2] = ["Consumer", "Classic"];

/// Prints the list.
pub(super) fn list<O: Observer>(
    service: &mut Service<'_, O>,
    options: &Options,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let (has_type, has_state) = (options.has("type"), options.has("state"));
    if !has_type && !has_state {
        for id in ids(service)? {
            printed.out(&format!("{id}\n"));
        }
        return Ok(());
    }
    let types = names(options, "type", "types", &TYPES)?;
    let states = names(options, "state", "state", &STATES)?;
    let groups = consumer_groups(service).map_err(|error| Stop::Failed(error.in_future()))?;
    let is_named = |names: &[&str], name: &str| names.is_empty() || names.contains(&name);
    let shown = groups
        .iter()
        .filter(|group| is_named(&types, group.group_type.name()) && is_named(&states, group.state.name()))
        .collect::<Vec<_>>();
    let width = shown.iter().map(|group| group.group.chars().count()).max().unwrap_or(0).max(15) + 10;
    let mut line = |id: &str, kind: &str, state: &str| {
        let kind = if has_type { format!(" {kind:<20}") } else { String::new() };
        let state = if has_state { format!(" {state:<20}") } else { String::new() };
        printed.out(&format!("{id:<width$}{kind}{state}\n"));
    };
    line("GROUP", "TYPE", "STATE");
    for group in shown {
        line(&group.group, group.group_type.name(), group.state.name());
    }
    Ok(())
}

/// Ids of all consumer groups, in the client's order.
pub(super) fn ids<O: Observer>(service: &mut Service<'_, O>) -> Result<Vec<String>, Stop> {
    let groups = consumer_groups(service)
        .map_err(|error| Stop::Failed(error.in_future().inside("java.lang.RuntimeException")))?;
    Ok(groups.into_iter().map(|group| group.group.to_string()).collect())
}

/// Groups of both protocols of consumers, and those that have only offsets.
fn consumer_groups<O: Observer>(service: &mut Service<'_, O>) -> Result<Vec<GroupSnapshot>, Exception> {
    let mut groups = service.listings()?;
    groups.retain(is_of_consumers);
    Ok(groups)
}

/// Whether its protocol type is `consumer` or empty.
pub(crate) fn is_of_consumers(group: &GroupSnapshot) -> bool {
    match group.group_type {
        GroupType::Classic => ["", "consumer"].contains(&&*group.protocol_type),
        GroupType::Consumer => true,
        GroupType::Share => false,
    }
}

/// The names of an option's argument, separated by commas; none if it has no argument.
fn names(options: &Options, option: &str, what: &str, valid: &[&'static str]) -> Result<Vec<&'static str>, Stop> {
    let given = options.text(option).map_err(|text| Stop::Failed(parser_error(&text)))?.unwrap_or_default();
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let find = |name: &str| valid.iter().copied().find(|known| known.eq_ignore_ascii_case(name.trim()));
    given.split(',').map(find).collect::<Option<Vec<_>>>().ok_or_else(|| {
        let what_valid = if what == "state" { "states" } else { what };
        let text = format!("Invalid {what} list '{given}'. Valid {what_valid} are: {}", valid.join(", "));
        Stop::Failed(Exception::of_argument(text))
    })
}
