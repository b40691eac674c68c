//! The requests that a producer sent, as its debug log would tell.
//!
//! Deliberately not here: requests for metadata and coordinators. The recordings leave them out.

use engine::event::{Api, EventKind, NodeId};
use engine::{Event, event::MessageView};
use serde_json::{Value, json};

use super::Library;

/// More events than any step has.
const EVENTS_MAX: usize = 1_000_000;

impl Library {
    /// Compares the requests since the step before; without a recording they are only taken note of.
    pub(super) fn compare_requests(&mut self, producer: &str, step: &Value) -> Result<(), String> {
        let wanted = &step["saw"]["requests"];
        let took_long = !step["saw"]["took_ms_about"].is_null();
        if let Some(by_producer) = wanted.as_object() {
            for (name, list) in by_producer {
                let sent = self.take_requests(name);
                compare(&format!("saw.requests.{name}"), list, &sent, took_long)?;
            }
            return Ok(());
        }
        let sent = self.take_requests(producer);
        if wanted.is_null() { Ok(()) } else { compare("saw.requests", wanted, &sent, took_long) }
    }

    fn take_requests(&mut self, producer: &str) -> Vec<String> {
        let seen = self.seen.get(producer).copied().unwrap_or(0);
        let is_own =
            |event: &Event| matches!(&event.kind, EventKind::MessageSent { message } if is_from(message, producer));
        let events = self.replay.timeline.recent_from(seen, EVENTS_MAX, &is_own);
        if let Some(last) = events.last() {
            self.seen.insert(producer.to_owned(), last.index + 1);
        }
        let messages = events.iter().filter_map(|event| match &event.kind {
            EventKind::MessageSent { message } => Some(message),
            _ => None,
        });
        let shown = messages.filter(|message| !matches!(message.api, Api::Metadata | Api::FindCoordinator));
        shown.map(|message| format!("{:?} v{}", message.api, message.version.unwrap_or(0))).collect()
    }
}

fn is_from(message: &MessageView, producer: &str) -> bool {
    !message.is_response && matches!(&message.from, NodeId::Producer { name } if **name == *producer)
}

/// How often a request is repeated depends on random pauses, and for some always on how fast a broker is.
fn compare(path: &str, wanted: &Value, sent: &[String], took_long: bool) -> Result<(), String> {
    let wanted: Vec<String> =
        wanted.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    let [one, other] = [&wanted, &sent.to_vec()].map(|list| in_short(list, took_long));
    if one == other { Ok(()) } else { Err(format!("{path} expected {}, got {}", json!(wanted), json!(sent))) }
}

fn in_short(list: &[String], took_long: bool) -> Vec<String> {
    let mut short: Vec<String> = Vec::new();
    for request in list {
        let is_repeated = took_long || !request.starts_with("Produce");
        if !is_repeated || short.last() != Some(request) {
            short.push(request.clone());
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::compare;

    #[test]
    fn how_often_a_coordinator_is_asked_again_says_nothing() {
        let check = |wanted: serde_json::Value, sent: &[&str], took_long: bool, is_same: bool| {
            let sent: Vec<String> = sent.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(compare("saw", &wanted, &sent, took_long).is_ok(), is_same, "{wanted} {sent:?}");
        };
        let added = ["AddPartitionsToTxn v0", "Produce v10"];
        check(json!(["AddPartitionsToTxn v0", "AddPartitionsToTxn v0", "Produce v10"]), &added, false, true);
        check(json!(["Produce v10"]), &added, false, false);
        check(json!(["Produce v10", "Produce v10"]), &["Produce v10"], false, false);
        check(json!(["Produce v10", "Produce v10"]), &["Produce v10"], true, true);
    }
}
