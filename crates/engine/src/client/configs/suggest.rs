//! Names that do not exist: the refusal, and the name that was probably meant.
//!
//! Says nothing about values.

use super::{
    ConfigLibrary, ConfigRefusal, Definition, broker_definitions, consumer_definitions, definitions, topic_definitions,
};

/// The refusal of a producer setting that the library does not have.
pub(super) fn unknown_producer_config(library: ConfigLibrary, name: &str) -> ConfigRefusal {
    let near = did_you_mean(name, definitions(library));
    let hint = match elsewhere(library, name) {
        _ if near.is_some() => near.unwrap_or_default(),
        Some(place) => format!("It is a setting of {place}."),
        None => String::new(),
    };
    match library {
        ConfigLibrary::Librdkafka => {
            let message = format!("No such configuration property: \"{name}\"");
            ConfigRefusal::new(name, "_INVALID_ARG", "", message).hint(hint)
        }
        // The Java client only warns about such a name when it starts.
        ConfigLibrary::Java => {
            let message = format!("The Java producer has no setting named \"{name}\".");
            ConfigRefusal::new(name, "UNKNOWN_CONFIG", "", message).hint(hint)
        }
        ConfigLibrary::Other => {
            let message = format!("There is no setting named \"{name}\" for this client.");
            ConfigRefusal::new(name, "UNKNOWN_CONFIG", "", message).hint(hint)
        }
    }
}

/// A consumer only warns about such a name; the simulator does not take it.
pub(super) fn unknown_consumer_config(name: &str) -> ConfigRefusal {
    let message = format!("The Java consumer has no setting named \"{name}\".");
    let hint = did_you_mean(name, consumer_definitions()).unwrap_or_default();
    ConfigRefusal::new(name, "UNKNOWN_CONFIG", "", message).hint(hint)
}

/// `LogConfig.validateNames`.
pub(super) fn unknown_topic_config(name: &str) -> ConfigRefusal {
    let message = format!("Unknown topic config name: {name}");
    let hint = did_you_mean(name, topic_definitions()).unwrap_or_default();
    ConfigRefusal::new(name, "INVALID_CONFIG", "InvalidConfigurationException", message).hint(hint)
}

/// A broker ignores such a name; the simulator does not.
pub(super) fn unknown_broker_config(name: &str) -> ConfigRefusal {
    let message = format!("There is no broker setting named \"{name}\".");
    let hint = did_you_mean(name, broker_definitions()).unwrap_or_default();
    ConfigRefusal::new(name, "UNKNOWN_CONFIG", "", message).hint(hint)
}

fn elsewhere(library: ConfigLibrary, name: &str) -> Option<&'static str> {
    let has = |table: &[Definition]| table.iter().any(|definition| definition.name == name);
    if library != ConfigLibrary::Java && has(definitions(ConfigLibrary::Java)) {
        return Some("the Java client");
    }
    if library != ConfigLibrary::Librdkafka && has(definitions(ConfigLibrary::Librdkafka)) {
        return Some("librdkafka");
    }
    if has(topic_definitions()) {
        return Some("topics");
    }
    has(broker_definitions()).then_some("brokers")
}

/// The nearest name, if it is near enough for a typing error.
fn did_you_mean(name: &str, table: &[Definition]) -> Option<String> {
    if name.len() > 100 {
        return None;
    }
    let plain = |text: &str| text.to_ascii_lowercase().replace(['_', '-', ' '], ".");
    let typed = plain(name);
    let nearest = table.iter().map(|known| (distance(&typed, &plain(known.name)), known.name)).min()?;
    let allowed = (name.len() / 5).clamp(1, 3);
    (nearest.0 <= allowed).then(|| format!("Did you mean {}?", nearest.1))
}

/// Insertions, deletions and replacements that turn one text into the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, typed) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, wanted) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(typed != *wanted);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}
