//! Checks of a topic's settings that depend on what they were, and on tiered storage.
//!
//! Follows `LogConfig.validate` of Kafka 4.3.1; the texts are its source's and not recorded.

use std::collections::BTreeMap;

use super::{ConfigRefusal, check_topic_together};

const REMOTE: &str = "remote.storage.enable";

/// Checks all settings of a topic as they would be after a change. `in_force` gives the value of a setting
/// that the topic does not have itself.
pub(crate) fn check_topic_change(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
    in_force: impl Fn(&str) -> String,
    is_remote_possible: bool,
) -> Result<(), ConfigRefusal> {
    check_topic_together(after)?;
    let value = |name: &str| after.get(name).cloned().unwrap_or_else(|| in_force(name));
    let is_true = |text: &str| text.trim().eq_ignore_ascii_case("true");
    let number = |name: &str| value(name).trim().parse::<i64>().unwrap_or(-2);
    if !is_true(&value(REMOTE)) {
        let was_remote = before.get(REMOTE).is_some_and(|text| is_true(text));
        if was_remote && !is_true(&value("remote.log.delete.on.disable")) {
            return Err(invalid(REMOTE, "It is invalid to disable remote storage without deleting remote data. If you want to keep the remote data and turn to read only, please set `remote.storage.enable=true,remote.log.copy.disable=true`. If you want to disable remote storage and delete all remote data, please set `remote.storage.enable=false,remote.log.delete.on.disable=true`.".to_string()));
        }
        return Ok(());
    }
    if !is_remote_possible {
        return Err(invalid(REMOTE, "Tiered Storage functionality is disabled in the broker. Topic cannot be configured with remote log storage.".to_string()).hint("Set remote.log.storage.system.enable=true for the brokers."));
    }
    if value("cleanup.policy").split(',').any(|policy| policy.trim() == "compact") {
        return Err(invalid(
            "cleanup.policy",
            "Remote log storage only supports topics with cleanup.policy=delete or cleanup.policy being an empty list."
                .to_string(),
        ));
    }
    for (local, whole) in [("local.retention.bytes", "retention.bytes"), ("local.retention.ms", "retention.ms")] {
        local_fits(local, number(local), whole, number(whole))?;
    }
    Ok(())
}

/// -2 stands for "as much as the whole", -1 for no limit.
fn local_fits(local: &str, kept: i64, whole: &str, limit: i64) -> Result<(), ConfigRefusal> {
    if limit <= -1 || kept == -2 {
        return Ok(());
    }
    let reason = match kept {
        -1 => format!("Value must not be -1 as {whole} value is set as {limit}."),
        kept if kept > limit => format!("Value must not be more than {whole} property value: {limit}"),
        _ => return Ok(()),
    };
    Err(invalid(local, format!("Invalid value {kept} for configuration {local}: {reason}")))
}

fn invalid(name: &str, message: String) -> ConfigRefusal {
    ConfigRefusal::new(name, "INVALID_CONFIG", "InvalidConfigurationException", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::configs::topic_definitions;

    fn check(before: &[(&str, &str)], after: &[(&str, &str)], is_remote_possible: bool, expected: &str) {
        let map = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect::<BTreeMap<_, _>>()
        };
        let default = |name: &str| {
            let found = topic_definitions().iter().find(|definition| definition.name == name);
            found.map_or(String::new(), |definition| definition.default.to_string())
        };
        let found = check_topic_change(&map(before), &map(after), default, is_remote_possible);
        let found = found.map_or_else(|refusal| refusal.message, |()| "good".to_string());
        assert!(found.starts_with(expected), "{after:?} after {before:?}: {found}");
    }

    #[test]
    fn tiered_storage_needs_brokers_and_settings_that_allow_it() {
        let on = ("remote.storage.enable", "true");
        check(&[], &[on], true, "good");
        check(&[], &[on], false, "Tiered Storage functionality is disabled in the broker.");
        check(&[], &[on, ("cleanup.policy", "compact")], true, "Remote log storage only supports topics");
        check(&[], &[on, ("retention.ms", "10"), ("local.retention.ms", "11")], true, "Invalid value 11 for");
        check(&[], &[on, ("retention.bytes", "10"), ("local.retention.bytes", "-1")], true, "Invalid value -1 for");
        check(&[on], &[], true, "It is invalid to disable remote storage without deleting remote data.");
        check(&[on], &[("remote.log.delete.on.disable", "true")], true, "good");
    }
}
