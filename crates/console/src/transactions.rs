//! kafka-transactions.sh: transactional ids, producers of a partition, and transactions that nobody ends.
//!
//! Follows `TransactionsCommand` of 4.3.1: same checks, same order, same texts. How its words are read is in
//! `transactions/arguments.rs`.

pub(crate) mod arguments;
mod hanging;
mod suggestion;
mod table;

#[cfg(test)]
mod tests;

use engine::command::{PartitionName, RawRequest};
use engine::log_view::ProducerStateView;
use engine::snapshot::{Snapshot, TransactionSnapshot};
use engine::transaction::TransactionState;
use engine::{Command, Duration, KafkaError, Observer, Time, Timeline};
use regex_lite::Regex;

use crate::Printed;
use crate::client::{API_TIMEOUT, ask, read};
use crate::disk::Disk;
use crate::exception::Exception;
use crate::place::{RUN_START, unix_millis};
use crate::stop::Stop;
use arguments::{Action, Arguments, Identification, read_words};
use table::print_table;

/// `retry.backoff.ms` of the Admin client.
const BACKOFF: Duration = Duration::from_millis(100);
/// `request.timeout.ms`: the timeout that a forced end gives to the id.
const REQUEST_TIMEOUT_MS: i32 = 30_000;

/// Runs the tool.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String]) -> Printed {
    let mut printed = Printed::default();
    let arguments = match read_words(words) {
        Ok(arguments) => arguments,
        Err(answer) => return answer,
    };
    if let Err(stop) = act(timeline, arguments, &mut printed)
        && let Some(exception) = stop.print(&[], &mut printed)
    {
        printed.stderr.push_str(&format!("{}\n", exception.text()));
    }
    printed
}

fn act<O: Observer>(timeline: &mut Timeline<O>, arguments: Arguments, printed: &mut Printed) -> Result<(), Stop> {
    match arguments.action {
        Action::List { pattern, duration } => list(timeline, pattern.as_deref(), duration, printed),
        Action::Describe { id } => describe(timeline, &id, printed),
        Action::DescribeProducers { broker, partition } => describe_producers(timeline, broker, &partition, printed),
        Action::Abort { partition, transaction } => abort(timeline, &partition, transaction),
        Action::FindHanging(search) => hanging::find(timeline, &search, printed),
        Action::ForceTerminate { id } => force_terminate(timeline, id),
    }
}

/// A failure of the Admin client with what was tried, as `printErrorAndExit` words it.
fn failed(what: String, why: &str) -> Stop {
    Stop::Terse(format!("{what}: {why}. Enable debug logging for additional detail."))
}

fn snapshot<O: Observer>(timeline: &mut Timeline<O>, call: &str, what: &str) -> Result<Snapshot, Stop> {
    read(timeline, call, API_TIMEOUT).map_err(|error| failed(what.to_string(), error.text()))
}

fn list<O: Observer>(
    timeline: &mut Timeline<O>,
    pattern: Option<&str>,
    duration: Option<i64>,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let what = "Failed to list transactions";
    let whole = |text: &str| Regex::new(&format!("^(?:{text})$"));
    let pattern = pattern.filter(|text| !text.is_empty()).map(whole).transpose();
    let pattern = pattern.map_err(|_| failed(what.to_string(), "The regular expression is not valid."))?;
    let snapshot = snapshot(timeline, "listTransactions", what)?;
    let now = timeline.now();
    let is_wanted = |known: &&TransactionSnapshot| {
        let age = known.started.map_or(-1, |started| now.since(started).millis() as i64);
        let is_long = duration.is_none_or(|least| least < 0 || age > least);
        let is_matching = pattern.as_ref().is_none_or(|pattern| pattern.is_match(&known.transactional_id));
        known.state != TransactionState::Dead && is_long && is_matching
    };
    let coordinated = snapshot.transactions.iter().filter_map(|known| Some((known.coordinator?, known)));
    let mut rows: Vec<(u32, Vec<String>)> = coordinated
        .filter(|(_, known)| is_wanted(known))
        .map(|(coordinator, known)| {
            let cells = [
                known.transactional_id.to_string(),
                coordinator.to_string(),
                known.producer_id.to_string(),
                known.state.name().to_string(),
            ];
            (coordinator, cells.to_vec())
        })
        .collect();
    rows.sort_unstable();
    let rows: Vec<Vec<String>> = rows.into_iter().map(|(_, row)| row).collect();
    print_table(&["TransactionalId", "Coordinator", "ProducerId", "TransactionState"], &rows, printed);
    Ok(())
}

fn describe<O: Observer>(timeline: &mut Timeline<O>, id: &str, printed: &mut Printed) -> Result<(), Stop> {
    let what = format!("Failed to describe transaction state of transactional-id `{id}`");
    let snapshot = snapshot(timeline, "describeTransactions", &what)?;
    let found = snapshot.transactions.iter().find(|known| &*known.transactional_id == id);
    let Some((known, coordinator)) = found.and_then(|known| Some((known, known.coordinator?))) else {
        let why =
            format!("DescribeTransactions request for transactionalId `{id}` failed because the ID could not be found");
        return Err(failed(what, &why));
    };
    let now = timeline.now();
    let (started, open_for) = match known.started {
        Some(started) => (unix_time(started).to_string(), now.since(started).millis().to_string()),
        None => ("None".to_string(), "None".to_string()),
    };
    let partitions: Vec<String> = known.partitions.iter().map(ToString::to_string).collect();
    let row = vec![
        coordinator.to_string(),
        id.to_string(),
        known.producer_id.to_string(),
        known.epoch.map_or(-1, i32::from).to_string(),
        known.state.name().to_string(),
        known.timeout.millis().to_string(),
        started,
        open_for,
        partitions.join(","),
    ];
    let headers = [
        "CoordinatorId",
        "TransactionalId",
        "ProducerId",
        "ProducerEpoch",
        "TransactionState",
        "TransactionTimeoutMs",
        "CurrentTransactionStartTimeMs",
        "TransactionDurationMs",
        "TopicPartitions",
    ];
    print_table(&headers, &[row], printed);
    Ok(())
}

fn unix_time(time: Time) -> i64 {
    RUN_START.saturating_add(time.millis() as i64)
}

/// What a broker, by default the leader, knows of the producers of a partition. The error is the Admin client's text.
fn producers<O: Observer>(
    timeline: &Timeline<O>,
    snapshot: &Snapshot,
    broker: Option<u32>,
    partition: &PartitionName,
) -> Result<Vec<ProducerStateView>, String> {
    let topic = snapshot.topics.iter().find(|topic| *topic.name == *partition.topic);
    let found = topic.and_then(|topic| topic.partitions.get(partition.partition as usize));
    let Some(found) = found else { return Err("This server does not host this topic-partition.".to_string()) };
    let holder = match broker {
        Some(broker) if !found.replicas.contains(&broker) => {
            return Err("For requests intended only for the leader, this error indicates that the broker is not the \
                        current leader. For requests intended for any replica, this error indicates that the broker is \
                        not a replica of the topic partition."
                .to_string());
        }
        Some(broker) => Some(broker),
        None => found.leader,
    };
    let view = holder.and_then(|holder| timeline.directory(holder, &partition.topic, partition.partition));
    let view = view.ok_or_else(|| "Timed out waiting for a node assignment. Call: describeProducers".to_string())?;
    Ok(view.producers)
}

fn describe_producers<O: Observer>(
    timeline: &mut Timeline<O>,
    broker: Option<u32>,
    partition: &PartitionName,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let whom = broker.map_or("leader".to_string(), |broker| format!("broker {broker}"));
    let name = format!("{}-{}", partition.topic, partition.partition);
    let what = format!("Failed to describe producers for partition {name} on {whom}");
    let snapshot = snapshot(timeline, "describeProducers", &what)?;
    let states = producers(timeline, &snapshot, broker, partition).map_err(|why| failed(what, &why))?;
    let row = |state: &ProducerStateView| {
        vec![
            state.producer_id.to_string(),
            state.producer_epoch.to_string(),
            state.coordinator_epoch.map_or(-1, i64::from).to_string(),
            state.last_sequence.to_string(),
            unix_millis(state.last_timestamp).to_string(),
            state.transaction_start.map_or("None".to_string(), |start| start.to_string()),
        ]
    };
    let rows: Vec<Vec<String>> = states.iter().map(row).collect();
    let headers = [
        "ProducerId",
        "ProducerEpoch",
        "LatestCoordinatorEpoch",
        "LastSequence",
        "LastTimestamp",
        "CurrentTransactionStartOffset",
    ];
    print_table(&headers, &rows, printed);
    Ok(())
}

/// Writes an ABORT straight to the partition; the coordinator is not told.
fn abort<O: Observer>(
    timeline: &mut Timeline<O>,
    partition: &PartitionName,
    transaction: Identification,
) -> Result<(), Stop> {
    let name = format!("{}-{}", partition.topic, partition.partition);
    let (producer_id, epoch, coordinator_epoch) = match transaction {
        Identification::Producer { id, epoch, coordinator_epoch } => (id, epoch, coordinator_epoch),
        Identification::StartOffset(offset) => {
            let what = format!("Failed to validate producer state for partition {name}");
            let snapshot = snapshot(timeline, "describeProducers", &what)?;
            let states = producers(timeline, &snapshot, None, partition).map_err(|why| failed(what, &why))?;
            let found = states.iter().find(|state| state.transaction_start.map(|start| start as i64) == Some(offset));
            let Some(state) = found else {
                let text =
                    format!("Could not find any open transactions starting at offset {offset} on partition {name}");
                return Err(Stop::Terse(text));
            };
            // -1 stands for a producer without a marker; 0 is no more than any leader epoch.
            (state.producer_id, state.producer_epoch, state.coordinator_epoch.unwrap_or(0))
        }
    };
    let request = RawRequest::AbortPartition { partition: partition.clone(), producer_id, epoch, coordinator_epoch };
    let outcome = ask(timeline, Command::Request(request), API_TIMEOUT)?;
    let what = format!(
        "Failed to abort transaction AbortTransactionSpec(topicPartition={name}, producerId={producer_id}, \
         producerEpoch={epoch}, coordinatorEpoch={coordinator_epoch})"
    );
    match outcome {
        None => Err(failed(what, Exception::timeout("abortTransaction").text())),
        Some(outcome) => outcome.error.map_or(Ok(()), |error| Err(failed(what, &error.message))),
    }
}

/// InitProducerId by the tool: whoever uses the id is fenced, and an open transaction is aborted.
fn force_terminate<O: Observer>(timeline: &mut Timeline<O>, id: String) -> Result<(), Stop> {
    let what = format!("Failed to force terminate transactionalId `{id}`");
    let deadline = timeline.now() + API_TIMEOUT;
    loop {
        let request = RawRequest::InitProducerId {
            transactional_id: Some(id.clone()),
            timeout_ms: Some(REQUEST_TIMEOUT_MS),
            producer_id: None,
            epoch: None,
            enable_2pc: false,
            keep_prepared_txn: false,
        };
        let patience = Duration(deadline.since(timeline.now()).0);
        let error = match ask(timeline, Command::Request(request), patience)? {
            None => return Err(failed(what, Exception::timeout("fenceProducer").text())),
            Some(outcome) => outcome.error,
        };
        let is_busy = |error: &KafkaError| error.error == "CONCURRENT_TRANSACTIONS";
        match error {
            None => return Ok(()),
            Some(error) if is_busy(&error) && timeline.now() + BACKOFF < deadline => {
                let later = timeline.now() + BACKOFF;
                timeline.advance_to(later);
            }
            Some(error) => return Err(failed(what, &error.message)),
        }
    }
}
