//! The part `final`: as for the other families, except where a partition was drawn.
//!
//! Deliberately not here: the parts themselves.

use serde_json::{Value, json};

use super::Library;
use crate::conform::cluster::finals;

impl Library {
    pub(super) fn compare_final(&mut self, expected: &Value) -> Result<(), String> {
        let mut expected = expected.clone();
        if let Some(parts) = expected.as_object_mut() {
            for topic in &self.drawn {
                let total = self.count_records(topic);
                let wanted = recorded(parts.get("logs"), topic);
                if wanted.is_some_and(|wanted| wanted != total) {
                    return Err(format!("final.logs of {topic} expected {} records, got {total}", json!(wanted)));
                }
                for part in parts.values_mut().filter_map(Value::as_object_mut) {
                    part.retain(|partition, _| !is_of(partition, topic));
                }
            }
        }
        without_ids(&mut expected);
        finals::compare(&mut self.replay, &expected)
    }

    fn count_records(&self, topic: &str) -> u64 {
        let snapshot = self.replay.snapshot();
        let found = snapshot.topics.iter().find(|found| *found.name == *topic);
        found.map_or(0, |topic| topic.partitions.iter().map(|partition| partition.log_end_offset).sum())
    }
}

fn is_of(partition: &str, topic: &str) -> bool {
    partition.rsplit_once('-').is_some_and(|(name, _)| name == topic)
}

fn recorded(logs: Option<&Value>, topic: &str) -> Option<u64> {
    let logs = logs?.as_object()?;
    let own = logs.iter().filter(|(partition, _)| is_of(partition, topic));
    Some(own.filter_map(|(_, log)| log.as_array()).map(|log| log.len() as u64).sum())
}

/// These families write -1 where the others have no producer id.
fn without_ids(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(without_ids),
        Value::Object(fields) => {
            if let Some(pid) = fields.get_mut("pid").filter(|pid| **pid == json!(-1)) {
                *pid = Value::Null;
            }
            // Filler bytes are not kept as text; the engine says how many there are, without brackets.
            if let Some(value) = fields.get_mut("value")
                && let Some(bytes) = value.as_str().and_then(|text| text.strip_prefix('<')?.strip_suffix(" bytes>"))
            {
                *value = Value::from(format!("{bytes} bytes"));
            }
            fields.values_mut().for_each(without_ids);
        }
        _ => {}
    }
}
