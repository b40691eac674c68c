//! A recording of a group as values: what was there, what was done, what was seen.
//!
//! Reads strictly: an unknown verb, event or field is a failure with its place.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

pub(super) use super::super::strict::{Step, settings};
use super::super::strict::{list, only, steps, text};

/// Fields of a recording.
const FIELDS: [&str; 14] = [
    "brokers", "id", "title", "family", "kafka", "times", "group", "note", "library", "configs", "topics", "steps",
    "saw", "final",
];

/// Parts of `configs`.
const CONFIGS: [&str; 5] = ["broker", "group", "member_defaults", "member", "java_member_defaults"];

/// Verbs, and the arguments that each may have besides `at_ms`.
const VERBS: [(&str, &[&str]); 31] = [
    (
        "join",
        &[
            "member",
            "topics",
            "pattern",
            "re2j",
            "assign",
            "configs",
            "member_id",
            "keep_on_error",
            "commit_in_revoked",
            "commit_in_lost",
            "client",
            "on_commit",
            "on_lost",
        ],
    ),
    ("leave", &["member", "option"]),
    ("crash", &["member"]),
    ("freeze", &["member"]),
    ("thaw", &["member"]),
    ("subscribe", &["member", "topics"]),
    ("unsubscribe", &["member"]),
    ("stop_poll", &["member"]),
    ("resume_poll", &["member"]),
    ("pause_poll", &["member", "ms"]),
    ("slow_revoked", &["member", "ms"]),
    ("slow_assigned", &["member", "ms"]),
    ("commit_sync", &["member"]),
    ("commit_async", &["member"]),
    ("commit_at", &["member", "offsets"]),
    ("seek", &["member", "partition", "offset"]),
    ("seek_to_beginning", &["member"]),
    ("seek_to_end", &["member"]),
    ("pause", &["member", "partition"]),
    ("resume", &["member", "partition"]),
    ("enforce_rebalance", &["member"]),
    ("positions", &["member"]),
    ("committed_offsets", &["member"]),
    ("create_topic", &["topic", "partitions"]),
    ("delete_topic", &["topic"]),
    ("add_partitions", &["topic", "total"]),
    ("produce", &["topic", "partition", "count"]),
    ("delete_records", &["topic", "partition", "before"]),
    ("broker_stop", &[]),
    ("broker_start", &[]),
    ("cli", &["args"]),
];

/// Events, and the fields that each may have besides `at_ms` and `member`.
const EVENTS: [(&str, &[&str]); 20] = [
    ("assigned", &["partitions", "owns", "owns_after", "generation"]),
    ("revoked", &["partitions", "owns_after", "generation"]),
    ("lost", &["partitions", "owns_after", "generation"]),
    ("revoked_returned", &[]),
    ("state", &["state", "type", "members", "group_epoch", "target_epoch", "member_epochs", "protocol", "assignor"]),
    ("poll_error", &["error", "message", "cause"]),
    ("poll_raised", &["error", "message", "class"]),
    ("call_failed", &["call", "error", "message", "cause"]),
    ("committed", &["how", "offsets", "generation"]),
    ("commit_failed", &["how", "offsets", "error", "message", "cause", "generation", "thrown"]),
    ("records", &["batches", "count"]),
    ("positions", &["offsets"]),
    ("committed_offsets", &["offsets"]),
    ("closed", &[]),
    ("killed", &[]),
    ("frozen", &[]),
    ("thawed", &[]),
    ("unsubscribed", &[]),
    ("poll_resumed", &[]),
    ("cli", &["args", "text"]),
];

/// Of librdkafka alone.
const JOIN_RESPONSE: [&str; 5] = ["generation", "protocol", "leader", "members_in_response", "error"];

/// What `final` may have.
const FINAL: [&str; 8] = [
    "assignment",
    "group_state",
    "generation",
    "describe_text",
    "members_in_broker_order",
    "protocol",
    "group_epoch",
    "assignor",
];

/// Something that was seen, in a recording or in a run. Without a member it concerns the group.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seen {
    pub at_ms: u64,
    pub member: String,
    pub event: String,
    pub fields: Map<String, Value>,
}

/// A topic that was there before the first step.
#[derive(Debug)]
pub(super) struct Topic {
    pub name: String,
    pub partitions: u32,
    pub records_per_partition: u64,
    pub topic_id: Option<String>,
}

/// A recording.
#[derive(Debug)]
pub(super) struct Recording {
    pub id: String,
    /// Members are of librdkafka unless a step says otherwise.
    pub is_library: bool,
    pub group: String,
    pub configs: Value,
    pub topics: Vec<Topic>,
    pub steps: Vec<Step>,
    pub saw: Vec<Seen>,
    pub last: Value,
}

impl Recording {
    pub fn read(case: &Value) -> Result<Recording, String> {
        only(case, &FIELDS, "")?;
        only(&case["configs"], &CONFIGS, "configs: ")?;
        only(&case["final"], &FINAL, "final: ")?;
        let steps = steps(case, &VERBS)?;
        let saw = list(case, "saw")?.iter().enumerate().map(|(number, seen)| read_seen(number, seen));
        Ok(Recording {
            id: case["id"].as_str().unwrap_or_default().to_owned(),
            is_library: !case["library"].is_null(),
            group: text(case, "group")?.to_owned(),
            configs: case["configs"].clone(),
            topics: topics(&case["topics"])?,
            steps,
            saw: saw.collect::<Result<_, String>>()?,
            last: case["final"].clone(),
        })
    }

    /// When the last thing was done or seen.
    pub fn end_ms(&self) -> u64 {
        let done = self.steps.iter().map(|step| step.at_ms);
        done.chain(self.saw.iter().map(|seen| seen.at_ms)).max().unwrap_or(0)
    }

    /// Settings of one part of `configs` as text.
    pub fn configs(&self, part: &str) -> BTreeMap<String, String> {
        settings(&self.configs[part])
    }
}

fn read_seen(number: usize, seen: &Value) -> Result<Seen, String> {
    let event = seen["event"].as_str().unwrap_or_default();
    let place = format!("saw {number} {event}: ");
    let known = EVENTS.iter().find(|(known, _)| *known == event).map(|(_, fields)| *fields);
    let known = known.or((event == "join_response").then_some(&JOIN_RESPONSE));
    let mut allowed = known.ok_or_else(|| format!("{place}unknown event"))?.to_vec();
    allowed.extend(["at_ms", "member", "event"]);
    only(seen, &allowed, &place)?;
    let mut fields = seen.as_object().cloned().unwrap_or_default();
    fields.retain(|name, _| !["at_ms", "member", "event"].contains(&name.as_str()));
    Ok(Seen {
        at_ms: seen["at_ms"].as_u64().ok_or_else(|| format!("{place}at_ms must be a number"))?,
        member: seen["member"].as_str().unwrap_or_default().to_owned(),
        event: event.to_owned(),
        fields,
    })
}

fn topics(map: &Value) -> Result<Vec<Topic>, String> {
    let topics = map.as_object().ok_or("topics must be named")?;
    let topic = |(name, topic): (&String, &Value)| {
        only(topic, &["partitions", "topic_id", "records_per_partition"], &format!("topics: {name}: "))?;
        let partitions = topic["partitions"].as_u64().and_then(|count| u32::try_from(count).ok());
        Ok(Topic {
            name: name.clone(),
            partitions: partitions.ok_or_else(|| format!("topics: {name}: partitions must be a number"))?,
            records_per_partition: topic["records_per_partition"].as_u64().unwrap_or(0),
            topic_id: topic["topic_id"].as_str().map(str::to_owned),
        })
    };
    topics.iter().map(topic).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Recording;

    fn check(step: Value, seen: Value, difference: &str) {
        let case = json!({ "group": "g", "configs": {}, "topics": {}, "steps": [step], "saw": [seen], "final": {} });
        let error = Recording::read(&case).unwrap_err();
        assert_eq!(error, difference);
    }

    #[test]
    fn what_nobody_knows_is_a_failure() {
        let leave = || json!({ "at_ms": 0, "do": "leave", "member": "A" });
        let closed = || json!({ "at_ms": 0, "event": "closed", "member": "A" });
        check(json!({ "at_ms": 0, "do": "dream" }), closed(), "step 0 dream: unknown verb");
        check(
            json!({ "at_ms": 0, "do": "leave", "member": "A", "x": 1 }),
            closed(),
            "step 0 leave: unknown field \"x\"",
        );
        check(leave(), json!({ "at_ms": 0, "event": "dreamt" }), "saw 0 dreamt: unknown event");
        check(leave(), json!({ "at_ms": 0, "event": "closed", "x": 1 }), "saw 0 closed: unknown field \"x\"");
    }
}
