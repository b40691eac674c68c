//! Consumers of librdkafka that are only constructed, or not: one `consumer` step for each configuration.
//!
//! Deliberately not here: what a consumer does once it is there.

use engine::event::EventKind;
use engine::scenario::ConsumerSpec;
use engine::{Command, Scenario, Time, Timeline};
use serde_json::{Value, json};

use super::super::cluster::librdkafka::errors::raised;
use super::recording::settings;
use super::setup::Log;

/// Whether a case has nothing but constructors.
pub(super) fn are_all(case: &Value) -> bool {
    let steps = case["steps"].as_array().map_or(&[][..], Vec::as_slice);
    !steps.is_empty() && steps.iter().all(|step| step["do"] == "consumer")
}

/// Constructs each; the error is the first difference.
pub(super) fn run(case: &Value) -> Result<(), String> {
    for (number, step) in case["steps"].as_array().into_iter().flatten().enumerate() {
        let known = ["do", "member", "configs", "saw"];
        if let Some((field, _)) = step.as_object().into_iter().flatten().find(|(field, _)| !known.contains(&&***field))
        {
            return Err(format!("step {number} consumer: unknown field {field:?}"));
        }
        let (expected, got) = (expected(&step["saw"]), constructed(step)?);
        if expected != got {
            return Err(format!("step {number} consumer: saw expected {expected}, got {got}"));
        }
    }
    Ok(())
}

/// What is compared: a process that ends has no exception.
fn expected(saw: &Value) -> Value {
    let mut expected = json!({ "ok": saw["ok"] });
    if let Some(text) = saw["stdout"].as_str().and_then(|text| text.strip_prefix("RAISED ValueError ")) {
        expected["raised"] = json!(text);
    }
    if let Some(thrown) = saw["thrown"].as_object() {
        let mut thrown = Value::Object(thrown.clone());
        // The library ends some of its texts with a line feed.
        let text = thrown["error"]["text"].as_str().unwrap_or_default().trim_end().to_owned();
        thrown["error"]["text"] = json!(text);
        expected["thrown"] = thrown;
    }
    if !saw["log"].is_null() {
        expected["log"] = saw["log"].clone();
    }
    expected
}

fn constructed(step: &Value) -> Result<Value, String> {
    let mut timeline = Timeline::new(Scenario::empty(1), Log::default()).map_err(|error| error.to_string())?;
    timeline.advance_to(Time::ZERO);
    let spec = ConsumerSpec {
        name: step["member"].as_str().unwrap_or("X").to_owned(),
        client: Some("librdkafka".to_owned()),
        subscribe: vec!["t".to_owned()],
        configs: settings(&step["configs"]),
        ..ConsumerSpec::default()
    };
    let outcome = match timeline.act(Command::Consumer(spec)) {
        Ok(outcome) => outcome,
        // What ends the process is refused before there is a client.
        Err(_) => return Ok(json!({ "ok": false })),
    };
    if let Some(error) = outcome.error {
        let is_value_error = step["configs"]["group.id"].is_null();
        return Ok(match is_value_error {
            true => json!({ "ok": false, "raised": error.message }),
            false => json!({ "ok": false, "thrown": raised(&error, "") }),
        });
    }
    timeline.advance_to(Time::from_millis(10));
    let warned = |event: &engine::Event| match &event.kind {
        EventKind::Warned { text, .. } => Some(format!("level 4 CONFWARN: {text}")),
        _ => None,
    };
    let log: Vec<String> = timeline.observer().0.borrow().iter().filter_map(warned).collect();
    let mut got = json!({ "ok": true });
    if !log.is_empty() {
        got["log"] = json!(log);
    }
    Ok(got)
}
