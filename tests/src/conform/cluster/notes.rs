//! The verb `note`: what a recording says in words about the placement of coordinators.
//!
//! Deliberately not here: where partitions are; the steps that create topics say that themselves.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The coordinator that each id has, as far as notes say so. Sentences such as "the coordinator of w-0 is broker 2".
pub(super) fn coordinators(case: &Value) -> BTreeMap<String, u32> {
    let steps = || case["steps"].as_array().into_iter().flatten();
    let notes = steps().filter(|step| step["do"] == "note").filter_map(|step| step["text"].as_str());
    let known: BTreeSet<&str> =
        steps().flat_map(|step| [step["transactional.id"].as_str(), step["group"].as_str()]).flatten().collect();
    let mut found: BTreeMap<String, u32> = BTreeMap::new();
    if let Some(broker) = undisturbed(case) {
        let ids = steps().filter_map(|step| step["transactional.id"].as_str());
        found.extend(ids.map(|id| (id.to_owned(), broker)));
    }
    for clause in notes.flat_map(|note| note.split([';', '\n'])) {
        let words: Vec<&str> =
            clause.split_whitespace().map(|word| word.trim_matches(['"', '\'', '`', ',', '.'])).collect();
        let Some(broker) = words.iter().any(|word| word.starts_with("coordinat")).then(|| broker(&words)).flatten()
        else {
            continue;
        };
        let named: Vec<&str> = words.iter().copied().filter(|word| known.contains(word)).collect();
        // Without a name it is everybody's.
        let ids = if named.is_empty() { known.iter().copied().collect() } else { named };
        found.extend(ids.into_iter().map(|id| (id.to_owned(), broker)));
    }
    found
}

/// A broker that no step stops, if the recording shows that coordinators stayed where they were: its markers carry
/// coordinator epoch 0, and a coordinator that comes after another one has a higher epoch.
fn undisturbed(case: &Value) -> Option<u32> {
    let faults = ["pause_broker", "kill_broker", "stop_broker"];
    let steps = case["steps"].as_array().into_iter().flatten();
    let struck = steps.filter(|step| step["do"].as_str().is_some_and(|verb| faults.contains(&verb)));
    let struck: BTreeSet<u64> = struck.filter_map(|step| step["broker"].as_u64()).collect();
    let logs = case["final"]["logs"].as_object().into_iter().flat_map(|logs| logs.values());
    let epochs = logs.filter_map(Value::as_array).flatten().filter_map(|record| record["coordinator_epoch"].as_u64());
    let epochs: BTreeSet<u64> = epochs.collect();
    if struck.is_empty() || epochs != BTreeSet::from([0]) {
        return None;
    }
    let mut brokers = 1..=case["brokers"].as_u64()?;
    brokers.find(|broker| !struck.contains(broker)).and_then(|broker| u32::try_from(broker).ok())
}

/// The number after the word `broker`.
fn broker(words: &[&str]) -> Option<u32> {
    let at = words.iter().position(|word| *word == "broker")?;
    words.get(at + 1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::coordinators;

    #[test]
    fn markers_tell_which_broker_did_not_coordinate() {
        let check = |epoch: u64, expected: &[(&str, u32)]| {
            let steps = json!([
                { "do": "producer", "transactional.id": "w-0" },
                { "do": "pause_broker", "broker": 1 },
                { "do": "pause_broker", "broker": 2 },
            ]);
            let logs = json!({ "t-0": [{ "kind": "data" }, { "kind": "abort", "coordinator_epoch": epoch }] });
            let case = json!({ "brokers": 3, "steps": steps, "final": { "logs": logs } });
            assert_eq!(coordinators(&case), expected.iter().map(|(id, at)| ((*id).to_owned(), *at)).collect());
        };
        check(0, &[("w-0", 3)]);
        check(1, &[]);
    }

    fn check(text: &str, expected: &[(&str, u32)]) {
        let producer = |id: &str| json!({ "do": "producer", "transactional.id": id });
        let steps = json!([{ "do": "note", "text": text }, producer("w-0"), producer("w-1")]);
        let expected = expected.iter().map(|(id, broker)| ((*id).to_owned(), *broker)).collect();
        assert_eq!(coordinators(&json!({ "steps": steps })), expected, "{text}");
    }

    #[test]
    fn a_note_places_coordinators() {
        check("the coordinator of w-0 is broker 2; t-0 is on broker 1", &[("w-0", 2)]);
        check("the coordinator of w-0 and w-1 is broker 3, t-0 is on broker 1", &[("w-0", 3), ("w-1", 3)]);
        check("broker 2 is the coordinator", &[("w-0", 2), ("w-1", 2)]);
        check("t-0 is on broker 1", &[]);
    }
}
