//! What all programs share: the facts they show and the step at which a client stands.
//!
//! No language here.

use engine::Scenario;
use engine::scenario::Workload;
use engine::snapshot::{ClientProcess, ProducerSnapshot, ProducerState};
use engine::transaction::{Call, ClientState};
use partitioner::Client;

use super::transactions::Calls;
use super::{CodeLine, client_of};

/// A step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The client is made.
    Start,
    /// A producer id is asked for.
    Init,
    /// A transaction begins.
    Begin,
    /// A record is handed over.
    Send,
    /// The program waits for its next record, or serves delivery reports.
    Wait,
    /// A transaction ends well.
    Commit,
    /// A transaction ends.
    Abort,
    /// The last batches go out.
    Close,
}

/// Lines and the steps that some of them are.
#[derive(Default)]
pub(super) struct Program(Vec<(String, Option<Step>)>);

impl Program {
    /// Adds lines that are no step.
    pub(super) fn lines(&mut self, text: &str) -> &mut Program {
        self.0.extend(text.lines().map(|line| (line.to_string(), None)));
        self
    }

    /// Adds one line that is a step.
    pub(super) fn step(&mut self, step: Step, line: impl Into<String>) -> &mut Program {
        self.0.push((line.into(), Some(step)));
        self
    }

    /// The same program, with each of its records in a transaction of its own.
    pub(super) fn transact(&mut self, calls: &Calls) {
        let is_loop = |line: &str| ["for ", "for(", "while ", "loop "].iter().any(|word| line.starts_with(word));
        let at = |program: &Program, wanted: Step| program.0.iter().position(|(_, step)| *step == Some(wanted));
        let Some(start) = at(self, Step::Start) else { return };
        let Some(head) = (start + 1..self.0.len()).find(|index| is_loop(&self.0[*index].0)) else { return };
        self.0.insert(head, (calls.init.to_string(), Some(Step::Init)));
        self.0.insert(head + 2, (format!("{}{}", calls.indent, calls.begin), Some(Step::Begin)));
        let Some(send) = at(self, Step::Send) else { return };
        // The statement of the record ends before the pause, the end of the loop, or in Python the line after it.
        let ends = |(line, step): &(String, Option<Step>)| {
            matches!(step, Some(Step::Wait | Step::Close)) || line.starts_with('}')
        };
        let end = (send + 1..self.0.len()).find(|index| ends(&self.0[*index])).unwrap_or(self.0.len());
        let abort = format!("{}{} after an error: {}", calls.indent, calls.comment, calls.abort);
        self.0.insert(end, (format!("{}{}", calls.indent, calls.commit), Some(Step::Commit)));
        self.0.insert(end + 1, (abort, Some(Step::Abort)));
        for (line, _) in &mut self.0[send..end] {
            *line = line.replace("producer.send", calls.send);
        }
    }

    /// The lines with the first one of a step lit. Where a program has no line for it, the nearest step is lit: a
    /// program that does not wait stands at its next record.
    pub(super) fn lit(self, step: Option<Step>) -> Vec<CodeLine> {
        let has = |wanted: Step| self.0.iter().position(|(_, step)| *step == Some(wanted));
        let at = step.and_then(|step| match step {
            Step::Wait => has(Step::Wait).or_else(|| has(Step::Send)),
            Step::Init => has(Step::Init).or_else(|| has(Step::Start)),
            Step::Begin | Step::Commit | Step::Abort => has(step).or_else(|| has(Step::Send)),
            step => has(step),
        });
        let lines = self.0.into_iter().enumerate();
        lines.map(|(index, (text, _))| CodeLine { text, is_running: at == Some(index) }).collect()
    }
}

/// Where a producer stands; none once it is gone.
pub(super) fn running(producer: &ProducerSnapshot) -> Option<Step> {
    if producer.process == ClientProcess::Crashed {
        return None;
    }
    let waiting = producer.calls.first().and_then(|call| step_of(call.call));
    let in_transaction = || producer.client_state.and_then(|state| in_state(state, producer));
    match producer.state {
        ProducerState::Ready if waiting.is_some() => waiting,
        ProducerState::Ready if producer.client_state.is_some() => in_transaction(),
        ProducerState::Closed => None,
        ProducerState::Closing => Some(Step::Close),
        ProducerState::Ready if producer.last.is_none() && producer.waiting_count == 0 => Some(Step::Start),
        ProducerState::Ready if producer.batches.is_empty() && producer.waiting_count == 0 => Some(Step::Wait),
        ProducerState::Ready => Some(Step::Send),
    }
}

/// The step of a call that waits; the place of a flush is that of the record before it.
fn step_of(call: Call) -> Option<Step> {
    Some(match call {
        Call::Send | Call::Flush => Step::Send,
        Call::Close => Step::Close,
        Call::InitTransactions => Step::Init,
        Call::BeginTransaction => Step::Begin,
        Call::CommitTransaction => Step::Commit,
        Call::AbortTransaction => Step::Abort,
        _ => return None,
    })
}

/// Where a transactional producer stands that waits for nothing.
fn in_state(state: ClientState, producer: &ProducerSnapshot) -> Option<Step> {
    Some(match state {
        ClientState::Uninitialized => Step::Start,
        ClientState::Initializing => Step::Init,
        ClientState::Ready if producer.last.is_none() => Step::Init,
        ClientState::Ready => Step::Wait,
        ClientState::InTransaction if producer.transaction_partitions.is_empty() => Step::Begin,
        ClientState::InTransaction | ClientState::AbortableError => Step::Send,
        ClientState::PreparedTransaction | ClientState::CommittingTransaction => Step::Commit,
        ClientState::AbortingTransaction => Step::Abort,
        ClientState::FatalError => Step::Close,
    })
}

/// What a program shows of a producer.
pub(super) struct Facts {
    pub(super) client: Option<&'static Client>,
    /// Settings that were given, under the library's own names.
    pub(super) configs: Vec<(String, String)>,
    pub(super) topic: String,
    /// The keys of the workload, the first ones; empty for records without a key.
    pub(super) keys: Vec<String>,
    /// Whether there are more keys than those.
    pub(super) has_more_keys: bool,
    pub(super) last_key: Option<String>,
    pub(super) value: String,
    /// An explicit partition.
    pub(super) partition: Option<i32>,
    /// Milliseconds between two records.
    pub(super) every_ms: Option<u64>,
    pub(super) encoding: String,
    /// The call that ends the program.
    pub(super) close: &'static str,
}

/// Keys that a program lists.
const KEYS: usize = 4;

impl Facts {
    pub(super) fn of(producer: &ProducerSnapshot, scenario: Option<&Scenario>) -> Facts {
        let client = client_of(producer);
        let spec = scenario.and_then(|scenario| scenario.producers.iter().find(|spec| *spec.name == *producer.name));
        let workload = spec.and_then(|spec| spec.workload.clone()).unwrap_or_default();
        let last = producer.last.as_ref();
        let topic = match last {
            Some(last) => last.topic.to_string(),
            None if workload.topic.is_empty() => {
                producer.metadata.keys().next().map_or("events", |topic| topic).to_string()
            }
            None => workload.topic.clone(),
        };
        let last_key = last.and_then(|last| last.record.key_text.as_ref()).map(|key| short(key));
        let keys = keys(&workload, last_key.as_deref());
        let value = last
            .and_then(|last| last.record.value.as_ref())
            .map_or_else(|| first_value(&workload), |value| short(value));
        Facts {
            client,
            configs: producer.configs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
            topic,
            has_more_keys: workload.keys.len() > KEYS || workload.key_pattern.is_some(),
            keys,
            last_key,
            value,
            partition: workload.partition,
            every_ms: workload.every.map(|every| every.millis()).filter(|millis| *millis > 0),
            encoding: workload.key_encoding.unwrap_or_else(|| "text".to_string()),
            close: match client.map(|client| client.family) {
                Some("librdkafka" | "confluent-kafka-python" | "rust-rdkafka") => "producer.flush()",
                _ => "producer.close()",
            },
        }
    }

    pub(super) fn family(&self) -> &'static str {
        self.client.map_or("", |client| client.family)
    }

    pub(super) fn id(&self) -> &'static str {
        self.client.map_or("", |client| client.id)
    }

    pub(super) fn has_keys(&self) -> bool {
        !self.keys.is_empty()
    }

    /// librdkafka's settings: those that were given, and the partitioner that the catalogue's entry stands for.
    pub(super) fn rdkafka_configs(&self) -> Vec<(String, String)> {
        let mut configs = vec![("bootstrap.servers".to_string(), "localhost:9092".to_string())];
        let implied = self.id().strip_prefix("librdkafka-").map(|rest| rest.trim_start_matches("0.11.4-"));
        if let Some(partitioner) = implied.filter(|_| !self.configs.iter().any(|(name, _)| name == "partitioner")) {
            configs.push(("partitioner".to_string(), partitioner.to_string()));
        }
        configs.extend(self.configs.iter().filter(|(name, _)| name != "bootstrap.servers").cloned());
        configs
    }

    /// The keys as a list of quoted words, such as `"user-1", "user-2", ...`; the dots are the caller's comment.
    pub(super) fn quoted_keys(&self) -> String {
        self.keys.iter().map(|key| quoted(key)).collect::<Vec<_>>().join(", ")
    }

    /// The last key, or the first of the workload, quoted.
    pub(super) fn quoted_key(&self) -> Option<String> {
        self.last_key.as_ref().or(self.keys.first()).map(|key| quoted(key))
    }
}

/// Text between double quotes, escaped as all five languages understand it.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control.is_control() => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

fn keys(workload: &Workload, last: Option<&str>) -> Vec<String> {
    if let Some(pattern) = &workload.key_pattern {
        let numbers = 0..pattern.count.min(KEYS as u64);
        return numbers.map(|number| format!("{}{}", pattern.prefix, pattern.first.saturating_add(number))).collect();
    }
    if workload.keys.is_empty() {
        return last.map(str::to_string).into_iter().collect();
    }
    workload.keys.iter().take(KEYS).map(|key| short(key)).collect()
}

fn first_value(workload: &Workload) -> String {
    let value = workload.value.as_ref().or(workload.values.first());
    value.map_or_else(|| "value".to_string(), |value| short(value))
}

/// Long texts would hide the program.
fn short(text: &str) -> String {
    if text.chars().count() <= 24 {
        return text.to_string();
    }
    text.chars().take(22).chain(['…']).collect()
}
