//! What a scenario's programs and faults do by themselves, and which of its variants is in force.
//!
//! Whether a command makes sense is found out when it is due, by the simulation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Scenario;
use crate::command::Command;
use crate::error::InputError;
use crate::limits::COMMANDS_MAX;
use crate::time::Duration;

/// A command that a scenario gives by itself: after everything that happens at its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scripted {
    /// When, counted from the start.
    pub at: Duration,
    /// What.
    pub command: Command,
    /// Values of choices that it belongs to, such as `crash=between`; see [`Scenario::choices`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
}

impl Scenario {
    /// The scenario as its choices make it: without what belongs to other values.
    #[must_use]
    pub fn chosen(&self) -> Scenario {
        let mut chosen = self.clone();
        chosen.topics.retain(|topic| is_in_force(&topic.only, &self.choices));
        chosen.producers.retain(|producer| is_in_force(&producer.only, &self.choices));
        chosen.consumers.retain(|consumer| is_in_force(&consumer.only, &self.choices));
        chosen.share_consumers.retain(|consumer| is_in_force(&consumer.only, &self.choices));
        chosen.script.retain(|scripted| is_in_force(&scripted.only, &self.choices));
        chosen
    }

    /// Refuses a script that is too long, and names of choices that there are not.
    pub(super) fn check_choices(&self) -> Result<(), InputError> {
        if self.script.len() > COMMANDS_MAX {
            let text = format!("A script holds {COMMANDS_MAX} commands at most.");
            return Err(InputError::new("scenario.script", text).at("script"));
        }
        let lists = [
            ("topic", self.topics.iter().map(|topic| &topic.only).collect::<Vec<_>>()),
            ("producer", self.producers.iter().map(|producer| &producer.only).collect()),
            ("consumer", self.consumers.iter().map(|consumer| &consumer.only).collect()),
            ("share_consumer", self.share_consumers.iter().map(|consumer| &consumer.only).collect()),
            ("script", self.script.iter().map(|scripted| &scripted.only).collect()),
        ];
        for (kind, lists) in lists {
            for (index, only) in lists.into_iter().enumerate() {
                let known = |entry: &String| split(entry).is_some_and(|(name, _)| self.choices.contains_key(name));
                if let Some(entry) = only.iter().find(|entry| !known(entry)) {
                    let text = format!("\"{entry}\" is no value of a choice of this scenario.");
                    let hint = "Write NAME=VALUE, with NAME listed in choices.";
                    let path = format!("{kind}[{index}].only");
                    return Err(InputError::new("scenario.choice", text).at(path).hint(hint));
                }
            }
        }
        Ok(())
    }
}

/// Values of one choice are alternatives; different choices must all fit.
fn is_in_force(only: &[String], choices: &BTreeMap<String, String>) -> bool {
    let named = only.iter().filter_map(|entry| split(entry));
    named.clone().all(|(name, _)| {
        let own = choices.get(name).map(String::as_str);
        named.clone().any(|(other, value)| other == name && Some(value) == own)
    })
}

fn split(entry: &str) -> Option<(&str, &str)> {
    entry.split_once('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(only: &[&str], expected: bool) {
        let choices = [("crash", "between"), ("transactional", "on")];
        let mut chosen = BTreeMap::new();
        for (name, value) in choices {
            chosen.insert(name.to_string(), value.to_string());
        }
        let only: Vec<String> = only.iter().map(ToString::to_string).collect();
        assert_eq!(is_in_force(&only, &chosen), expected, "{only:?}");
    }

    #[test]
    fn values_of_one_choice_are_alternatives_and_choices_add_up() {
        check(&[], true);
        check(&["crash=between"], true);
        check(&["crash=before", "crash=between"], true);
        check(&["crash=before"], false);
        check(&["crash=between", "transactional=off"], false);
        check(&["crash=between", "transactional=on"], true);
        check(&["unknown=on"], false);
    }
}
