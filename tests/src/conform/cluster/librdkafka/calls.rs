//! Transactional calls, close and the end of an object.
//!
//! Deliberately not here: what the coordinator says of a transaction.

use std::collections::BTreeMap;

use engine::error::KafkaError;
use engine::{Command, Duration};
use serde_json::{Value, json};

use super::super::replay::{number, text};
use super::{Library, errors, given, seconds};

/// Timeout of commit and abort in the recordings.
const END_TIMEOUT_MS: u32 = 10_000;
/// How long a call without a timeout may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// Half-width of the band around recorded times, in milliseconds.
const ABOUT: i64 = 1_000;

impl Library {
    pub(super) fn call(&mut self, verb: &str, step: &Value) -> Result<(), String> {
        let producer = text(step, "p")?.to_owned();
        let begun = self.replay.timeline.now();
        if verb == "abort_transaction" && had_left(step) {
            self.replay.timeline.advance_to(begun);
        }
        let command = self.replay.timeline.submit(command(verb, step)?).map_err(|error| error.to_string())?;
        while !self.is_over(command) {
            if !self.replay.next_entry(begun + PATIENCE) {
                return Err("the call does not return".into());
            }
        }
        let took = (self.replay.timeline.now().since(begun).0 / 1_000) as i64;
        let outcome = self.replay.timeline.outcome(command).ok_or("there is no outcome")?;
        let mut got = match &outcome.error {
            None => json!({ "ok": true, "returned": true }),
            Some(error) => json!({ "ok": false, "thrown": errors::raised(error, "") }),
        };
        self.newly_raised(&producer);
        let mut expected = step["saw"].clone();
        // How often a producer id is asked for, once in half a second, is chance.
        let is_chance = verb == "init_transactions" && expected["ok"] == true;
        if let Some(fields) = expected.as_object_mut() {
            fields.remove("requests");
            let wanted = fields.remove("took_ms_about").and_then(|took| took.as_i64());
            if wanted.is_some_and(|wanted| !is_chance && (wanted - took).abs() > ABOUT) {
                return Err(format!("saw.took_ms_about expected {}, got {took}", wanted.unwrap_or(0)));
            }
        }
        self.hide_numbers(&mut expected, &mut got);
        self.replay.compare("saw", &expected, &got)?;
        // What a close still sent is listed with the next step.
        if verb == "close" { Ok(()) } else { self.compare_requests(&producer, step) }
    }

    /// The object is destroyed without a call.
    pub(super) fn drop(&mut self, step: &Value) -> Result<(), String> {
        self.at_once(Command::Crash { client: text(step, "p")?.to_owned() })?;
        self.replay.compare("saw", &step["saw"], &json!({ "ok": true }))
    }

    /// The fatal error of a producer, the first time that it is seen.
    pub(super) fn newly_raised(&mut self, producer: &str) -> Option<KafkaError> {
        let snapshot = self.replay.snapshot();
        let found = snapshot.producers.into_iter().find(|found| *found.name == *producer)?;
        let error = found.client_error.filter(|error| error.flags.is_some_and(|flags| flags.is_fatal))?;
        self.raised.insert(producer.to_owned()).then_some(error)
    }

    /// Takes out of both texts what is not the same in two runs: broker ids, waits, and the numbers of producer ids.
    pub(super) fn hide_numbers(&mut self, expected: &mut Value, got: &mut Value) {
        for value in [expected, got] {
            for path in ["/thrown/error/text", "/delivery_failed/text", "/poll_raised/error/text"] {
                if let Some(text) = value.pointer_mut(path)
                    && let Some(words) = text.as_str()
                {
                    *text = Value::from(hidden(words));
                }
            }
        }
    }
}

/// An abort gives up what has not left. Whether the threads of the library were faster, the recording tells.
fn had_left(step: &Value) -> bool {
    let requests = step["saw"]["requests"].as_array().into_iter().flatten().filter_map(Value::as_str);
    requests.into_iter().any(|request| request.starts_with("Produce") || request.starts_with("AddPartitionsToTxn"))
}

/// A text with its accidental numbers replaced.
fn hidden(text: &str) -> String {
    let mut text = text.to_owned();
    for (before, after) in [
        ("(broker ", " PID"),
        ("TxnCoordinator/", ":"),
        ("(after ", " ms)"),
        ("(after ", "ms)"),
        ("PID{Id:", ","),
        ("on broker ", ": "),
    ] {
        if let Some(start) = text.find(before).map(|at| at + before.len())
            && let Some(length) = text[start..].find(after)
        {
            text.replace_range(start..start + length, "N");
        }
    }
    text
}

fn command(verb: &str, step: &Value) -> Result<Command, String> {
    let producer = text(step, "p")?.to_owned();
    let given_timeout = seconds(&step["timeout_s"]).map(|timeout| (timeout.0 / 1_000) as u32);
    let saw = &step["saw"];
    let timed_out = saw["thrown"]["error"]["name"] == "_TIMED_OUT";
    // Not every file says how long a call was allowed to take; one that gave up tells it.
    let deduced = saw["took_ms_about"].as_u64().filter(|_| timed_out).map(|took| took as u32);
    let timeout_ms = given_timeout.or(deduced);
    Ok(match verb {
        "init_transactions" => Command::InitTransactions { producer, timeout_ms },
        "begin_transaction" => Command::BeginTransaction { producer },
        "commit_transaction" => {
            Command::CommitTransaction { producer, timeout_ms: timeout_ms.or(Some(END_TIMEOUT_MS)) }
        }
        "abort_transaction" => Command::AbortTransaction { producer, timeout_ms: timeout_ms.or(Some(END_TIMEOUT_MS)) },
        "close" => Command::Close { producer, timeout_ms: None },
        _ => Command::SendOffsetsToTransaction {
            producer,
            group: text(step, "group")?.to_owned(),
            offsets: offsets(step)?,
            generation: member(step).then(|| number(step, "generation")).transpose()?,
            member: given(step, "member").filter(|_| member(step)),
            timeout_ms,
        },
    })
}

/// Whether the metadata is that of a member.
fn member(step: &Value) -> bool {
    step["generation"].as_i64().is_some_and(|generation| generation != -1)
}

fn offsets(step: &Value) -> Result<BTreeMap<String, u64>, String> {
    let map = step["offsets"].as_object().ok_or("offsets must be named by partition")?;
    let offset = |(partition, offset): (&String, &Value)| Some((partition.clone(), offset.as_u64()?));
    map.iter().map(offset).collect::<Option<_>>().ok_or_else(|| "an offset must be a number".to_owned())
}

#[cfg(test)]
mod tests {
    use super::hidden;

    #[test]
    fn accidental_numbers_are_hidden() {
        let check = |text: &str, expected: &str| assert_eq!(hidden(text), expected);
        check(
            "failed (broker 1 PID{Id:P1,Epoch:0}, base seq 1): fenced",
            "failed (broker N PID{Id:N,Epoch:0}, base seq 1): fenced",
        );
        check("from broker TxnCoordinator/3: Broker: no", "from broker TxnCoordinator/N: Broker: no");
        check("1 message(s) timed out on t [0]", "1 message(s) timed out on t [0]");
    }
}
