//! kafka-console-producer.sh: typed lines as records.
//!
//! Follows `ConsoleProducer` of 4.3.1. Reading a line is in `console_producer/lines.rs`; batching and
//! sending are the engine's producer's.

mod arguments;
mod lines;

#[cfg(test)]
mod tests;

use engine::command::Outcome;
use engine::scenario::ProducerSpec;
use engine::{Command, Duration, Observer, Status, Timeline};

use crate::client::ask;
use crate::exception::Exception;
use crate::place::log_stamp;
use crate::stop::Stop;
use crate::{Input, Printed};
use arguments::Arguments;
pub(crate) use arguments::OPTIONS;
use lines::Line;

/// The longest that closing can take: the delivery timeout of the Java client and some more.
const CLOSING: Duration = Duration::from_secs(150);

/// The producer's name on the stage; also its default client id.
const NAME: &str = "console-producer";

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String], input: &Input) -> Printed {
    let mut printed = Printed::default();
    let stopped = Arguments::read(words, input).and_then(|arguments| {
        for warning in &arguments.warnings {
            printed.stdout.push_str(&format!("{warning}\n"));
        }
        produce(timeline, &arguments, &input.lines, &mut printed)
    });
    if let Some(exception) = stopped.err().and_then(|stop| stop.print(OPTIONS, &mut printed)) {
        printed.stderr.push_str(&exception.trace());
    }
    printed
}

/// Whether the tool takes these arguments, and so comes to read lines.
pub(crate) fn takes(words: &[String], input: &Input) -> bool {
    Arguments::read(words, input).is_ok()
}

fn produce<O: Observer>(
    timeline: &mut Timeline<O>,
    arguments: &Arguments,
    typed: &[String],
    printed: &mut Printed,
) -> Result<(), Stop> {
    let spec = ProducerSpec {
        name: NAME.to_string(),
        client: "java".to_string(),
        configs: arguments.producer.clone(),
        workload: None,
        metadata_age: None,
        random_start: None,
        only: Vec::new(),
    };
    timeline.act(Command::Producer(spec)).map_err(refused)?;
    let mut sent = Vec::new();
    let mut stopped = Ok(());
    for (number, text) in (1..).zip(typed) {
        let step = arguments.reader.line(number, text).map_err(Stop::Failed).and_then(|line| {
            let outcome = send(timeline, arguments, &line)?;
            sent.push((line, outcome.command));
            if arguments.is_sync { wait(timeline, outcome) } else { Ok(()) }
        });
        if step.is_err() {
            stopped = step;
            break;
        }
    }
    // The tool closes its producer whatever happened, and that waits for the records on their way.
    ask(timeline, Command::Close { producer: NAME.to_string(), timeout_ms: None }, CLOSING)?;
    if !arguments.is_sync {
        report(timeline, arguments, &sent, printed);
    }
    stopped
}

fn send<O: Observer>(timeline: &mut Timeline<O>, arguments: &Arguments, line: &Line) -> Result<Outcome, Stop> {
    let command = Command::Send {
        producer: NAME.to_string(),
        topic: arguments.topic.clone(),
        key: line.key.clone(),
        key_encoding: None,
        value_encoding: None,
        value: line.value.clone(),
        value_bytes: None,
        partition: None,
        timestamp_ms: None,
        headers: line.headers.clone(),
    };
    timeline.act(command).map_err(Stop::Refused)
}

/// `send(record).get()`.
fn wait<O: Observer>(timeline: &mut Timeline<O>, mut outcome: Outcome) -> Result<(), Stop> {
    let deadline = timeline.now() + CLOSING;
    while outcome.status == Status::Pending {
        let is_due = timeline.peek().is_some_and(|next| next.time <= deadline);
        if !is_due || !timeline.step_entry() {
            break;
        }
        outcome = timeline.outcome(outcome.command).unwrap_or(outcome);
    }
    match outcome.error {
        Some(error) => Err(Stop::Failed(Exception::of_kafka(&error).in_future())),
        None => Ok(()),
    }
}

/// Records that were not written. The tool logs them, and nothing else tells of them.
fn report<O: Observer>(timeline: &Timeline<O>, arguments: &Arguments, sent: &[(Line, u64)], printed: &mut Printed) {
    let size =
        |field: &Option<String>| field.as_ref().map_or("null".to_string(), |text| format!("{} bytes", text.len()));
    for (line, command) in sent {
        if let Some(error) = timeline.outcome(*command).and_then(|outcome| outcome.error) {
            printed.stderr.push_str(&format!(
                "{} ERROR Error when sending message to topic {} with key: {}, value: {} with error: (org.apache.kafka.clients.producer.internals.ErrorLoggingCallback)\n{}",
                log_stamp(timeline.now()),
                arguments.topic,
                size(&line.key),
                size(&line.value),
                Exception::of_kafka(&error).trace()
            ));
        }
    }
}

/// A setting that the client does not take ends the tool as in Kafka; the rest is the simulator's.
fn refused(error: engine::InputError) -> Stop {
    if error.message.starts_with("Invalid value ") {
        let text = error.message.clone();
        return Stop::Failed(Exception::new("org.apache.kafka.common.config.ConfigException", text));
    }
    Stop::Refused(error)
}
