//! The keys that a scenario sends, as text and bytes, for panels that compute with all of them. Places no key.

use engine::Scenario;
use partitioner::encoding::Encoding;

/// Keys that a panel lists at most.
pub const KEYS_MAX: usize = 60;

/// One key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageKey {
    /// As it is written in the scenario.
    pub text: String,
    /// Its bytes in the workload's encoding.
    pub bytes: Vec<u8>,
}

/// The different keys of the first workload in their order, at most [`KEYS_MAX`].
pub fn stage_keys(scenario: &Scenario) -> Vec<StageKey> {
    let Some(workload) = scenario.producers.iter().find_map(|producer| producer.workload.as_ref()) else {
        return Vec::new();
    };
    let encoding = workload.key_encoding.as_deref().and_then(Encoding::from_id).unwrap_or(Encoding::Utf8);
    let patterned = workload.key_pattern.iter().flat_map(|pattern| {
        let count = pattern.count.min(KEYS_MAX as u64);
        (0..count).map(|number| format!("{}{}", pattern.prefix, pattern.first.saturating_add(number)))
    });
    let mut keys: Vec<StageKey> = Vec::new();
    for text in workload.keys.iter().cloned().chain(patterned) {
        let is_known = keys.iter().any(|known| known.text == text);
        // A scenario whose keys have no bytes in their encoding is refused when it is loaded.
        if let Some(bytes) = encoding.encode(&text).ok().filter(|_| !is_known && keys.len() < KEYS_MAX) {
            keys.push(StageKey { text, bytes });
        }
    }
    keys
}

/// The first key's text, to try other encodings on.
pub fn first_key(scenario: &Scenario) -> Option<String> {
    stage_keys(scenario).into_iter().next().map(|key| key.text)
}

#[cfg(test)]
mod tests {
    use super::stage_keys;

    fn check(workload: &str, expected: &[(&str, &str)]) {
        let text =
            format!("name = \"keys\"\n[[topic]]\nname = \"t\"\n[[producer]]\nname = \"p\"\nworkload = {workload}");
        let scenario = course::scenario_from_text(&text).expect("the scenario is valid");
        let found: Vec<(String, String)> = stage_keys(&scenario)
            .into_iter()
            .map(|key| (key.text, key.bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
            .collect();
        let found: Vec<(&str, &str)> = found.iter().map(|(text, bytes)| (text.as_str(), bytes.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn each_key_is_listed_once_with_its_bytes() {
        check("{ topic = \"t\", keys = [\"a\", \"b\", \"a\"] }", &[("a", "61"), ("b", "62")]);
        check("{ topic = \"t\", keys = [\"42\"], key_encoding = \"int32\" }", &[("42", "0000002a")]);
        check(
            "{ topic = \"t\", key_pattern = { prefix = \"k\", first = 9, count = 2 } }",
            &[("k9", "6b39"), ("k10", "6b3130")],
        );
    }
}
