//! Calls of a producer that are no sends, and the client's own view after a call.
//!
//! Deliberately not here: what a record came to (`sends.rs`), and the coordinator's side (`coordinator.rs`).

use std::collections::BTreeMap;

use engine::snapshot::ProducerSnapshot;
use engine::transaction::ClientState;
use engine::{Command, Duration, Outcome, Status};
use serde_json::{Value, json};

use super::replay::{Replay, number, text};
use super::sends::failure;

/// The recordings read a producer's view so long after a call that failed.
const AFTER_FAILURE: Duration = Duration::from_millis(60);

/// Texts that an exception has while a call waits, and what they end in when it is asked for afterwards.
const SHORT_FORMS: [(&str, &str); 2] = [
    ("Producer attempted to produce with an old epoch.", " attempted to produce with an old epoch"),
    (
        "There is a newer producer with the same transactionalId which fences the current one.",
        " has been fenced by another producer with the same transactionalId",
    ),
];

impl Replay {
    pub fn producer_call(&mut self, verb: &str, step: &Value) -> Result<(), String> {
        let begun = self.timeline.now();
        let outcome = self.act(command(verb, step)?)?;
        let mut got = match &outcome.error {
            Some(_) => failure(&outcome, &step["saw"]),
            None => json!({ "ok": true }),
        };
        got["elapsed_ms_about"] = json!(self.timeline.now().since(begun).0 / 1_000);
        self.add_view(&mut got, &outcome, step)?;
        let mut expected = step["saw"].clone();
        expect_settled(&mut expected);
        if verb == "commit_transaction" && self.failed_before.as_deref() == step["p"].as_str() {
            expect_either_form(&mut expected, &got);
        }
        self.compare("saw", &expected, &got)
    }

    /// Adds the producer's own view to what its call came to.
    pub fn add_view(&mut self, got: &mut Value, outcome: &Outcome, step: &Value) -> Result<(), String> {
        if !step["saw"]["client"].is_null() {
            let is_failed = outcome.status == Status::Failed;
            if is_failed {
                self.pass(AFTER_FAILURE);
            }
            got["client"] = self.client(text(step, "p")?, is_failed);
        }
        Ok(())
    }

    /// The producer's view of its id and of its transaction.
    pub fn client(&self, name: &str, is_failed: bool) -> Value {
        let view = |producer: ProducerSnapshot| {
            let mut view = json!({
                "pid": producer.producer_id,
                "epoch": producer.producer_epoch.map_or(-1, i64::from),
            });
            if let Some(state) = producer.client_state {
                view["state"] = Value::from(settled(state, is_failed).name());
            }
            view
        };
        self.producer_named(name).map_or(Value::Null, view)
    }

    pub fn producer_named(&self, name: &str) -> Option<ProducerSnapshot> {
        self.snapshot().producers.into_iter().find(|producer| *producer.name == *name)
    }
}

/// The same of the recorded view.
fn expect_settled(saw: &mut Value) {
    let is_leaving = matches!(saw["client"]["state"].as_str(), Some("COMMITTING_TRANSACTION" | "ABORTING_TRANSACTION"));
    if is_leaving && saw["ok"] == true {
        saw["client"]["state"] = Value::from(ClientState::Ready.name());
    }
}

/// A call returns when its answer is there; the client's other thread changes the state just after.
fn settled(state: ClientState, is_failed: bool) -> ClientState {
    match state {
        ClientState::CommittingTransaction | ClientState::AbortingTransaction if !is_failed => ClientState::Ready,
        state => state,
    }
}

fn command(verb: &str, step: &Value) -> Result<Command, String> {
    let producer = text(step, "p")?.to_owned();
    Ok(match verb {
        "init_transactions" => Command::InitTransactions { producer, timeout_ms: None },
        "begin_transaction" => Command::BeginTransaction { producer },
        "commit_transaction" => Command::CommitTransaction { producer, timeout_ms: None },
        "abort_transaction" => Command::AbortTransaction { producer, timeout_ms: None },
        "send_offsets_to_transaction" => Command::SendOffsetsToTransaction {
            timeout_ms: None,
            producer,
            group: text(step, "group")?.to_owned(),
            offsets: offsets(&step["offsets"])?,
            generation: if step["generation"].is_null() { None } else { Some(number(step, "generation")?) },
            member: step["member"].as_str().map(str::to_owned),
        },
        "flush" => Command::Flush { producer, timeout_ms: None },
        "close" => {
            Command::Close { producer, timeout_ms: step["timeout_ms"].as_u64().and_then(|ms| u32::try_from(ms).ok()) }
        }
        _ => return Err("the runner does not know this call".into()),
    })
}

fn offsets(map: &Value) -> Result<BTreeMap<String, u64>, String> {
    let fields = map.as_object().ok_or("offsets must be named by partition")?;
    let offset = |(partition, offset): (&String, &Value)| {
        offset.as_u64().map(|offset| (partition.clone(), offset)).ok_or_else(|| "an offset must be a number".to_owned())
    };
    fields.iter().map(offset).collect()
}

/// The text of a commit that follows a failed Future at once depends on which of two threads was first.
fn expect_either_form(expected: &mut Value, got: &Value) {
    let form = |thrown: &Value| {
        let message = thrown["message"].as_str()?;
        SHORT_FORMS.iter().position(|(short, long)| message == *short || message.ends_with(long))
    };
    let (wanted, found) = (&expected["thrown"], &got["thrown"]);
    if wanted["class"] == found["class"] && form(wanted).is_some() && form(wanted) == form(found) {
        expected["thrown"]["message"] = found["message"].clone();
    }
}
