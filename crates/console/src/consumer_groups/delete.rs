//! `--delete` and `--delete-offsets`: what was deleted, and why the rest was not.
//!
//! The coordinator decides.

use engine::event::TopicPartition;
use engine::order::Order;
use engine::{Command, KafkaError, Observer};

use super::arguments::parser_error;
use super::plan::{self, Named};
use super::service::{Service, unknown_topic};
use super::{list, print_error};
use crate::Printed;
use crate::exception::Exception;
use crate::java_order::{hash_order, string_hash};
use crate::options::Options;
use crate::stop::Stop;

/// Errors of a whole group that `--delete-offsets` tells by their text.
const OF_GROUP: [&str; 4] = ["INVALID_GROUP_ID", "GROUP_ID_NOT_FOUND", "GROUP_AUTHORIZATION_FAILED", "NON_EMPTY_GROUP"];

/// Errors that are told for each partition.
const OF_PARTITIONS: [&str; 3] =
    ["GROUP_SUBSCRIBED_TO_TOPIC", "TOPIC_AUTHORIZATION_FAILED", "UNKNOWN_TOPIC_OR_PARTITION"];

/// Deletes groups.
pub(super) fn groups<O: Observer>(
    service: &mut Service<'_, O>,
    options: &Options,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let mut ids = if options.has("all-groups") { list::ids(service)? } else { options.all("group").to_vec() };
    ids.order();
    ids.dedup();
    let (mut deleted, mut failed) = (Vec::new(), Vec::new());
    for id in hash_order(ids, |id| string_hash(id)) {
        match delete(service, &id)? {
            Ok(()) => deleted.push(format!("'{id}'")),
            Err(error) => failed.push((id, error)),
        }
    }
    let deleted_texts = deleted.join(", ");
    if failed.is_empty() {
        printed.out(&format!("Deletion of requested consumer groups ({deleted_texts}) was successful.\n"));
        return Ok(());
    }
    print_error("Deletion of some consumer groups failed:", None, printed);
    for (id, error) in failed {
        printed.out(&format!("* Group '{id}' could not be deleted due to: {}\n", error.line()));
    }
    if !deleted.is_empty() {
        printed.out(&format!("\nThese consumer groups were deleted successfully: {deleted_texts}\n"));
    }
    Ok(())
}

/// Deletes one group. An inner error is Kafka's.
fn delete<O: Observer>(service: &mut Service<'_, O>, id: &str) -> Result<Result<(), Exception>, Stop> {
    if let Err(error) = service.coordinated(&[id.to_string()], "deleteConsumerGroups") {
        return Ok(Err(error));
    }
    match service.send(Command::DeleteConsumerGroup { group: id.to_string() }) {
        Ok(answer) => Ok(answer.map(drop).map_err(|error| Exception::of_kafka(&error))),
        Err(Stop::Failed(error)) => Ok(Err(error)),
        Err(stop) => Err(stop),
    }
}

/// Deletes offsets of a group.
pub(super) fn offsets<O: Observer>(
    service: &mut Service<'_, O>,
    options: &Options,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let id = options.text("group").map_err(|text| Stop::Failed(parser_error(&text)))?.unwrap_or_default().to_string();
    let Named { partitions: mut names, topics } = plan::named(options.all("topic"))?;
    let found = service.coordinated(std::slice::from_ref(&id), "offsetDelete");
    let snapshot = found.map_err(Stop::Failed)?;
    let mut rows: Vec<(String, Option<u32>, Option<Exception>)> = Vec::new();
    for topic in topics {
        match snapshot.topics.iter().find(|known| *known.name == *topic) {
            Some(known) => names.extend(
                known
                    .partitions
                    .iter()
                    .map(|found| TopicPartition { topic: known.name.clone(), partition: found.partition }),
            ),
            None => rows.push((topic, None, Some(unknown_topic()))),
        }
    }
    names.order();
    names.dedup();
    let partitions = names.iter().map(|name| format!("{}-{}", name.topic, name.partition)).collect();
    let command = Command::DeleteConsumerGroupOffsets { group: id.clone(), partitions };
    let (whole, each) = match service.send(command) {
        Ok(Ok(outcome)) => (None, outcome.partitions),
        Ok(Err(error)) => (Some(error), Vec::new()),
        Err(Stop::Failed(error)) => {
            (Some(KafkaError::new("REQUEST_TIMED_OUT", "TimeoutException", error.text())), Vec::new())
        }
        Err(stop) => return Err(stop),
    };
    for name in names {
        let own = each
            .iter()
            .find(|one| *one.partition.topic == *name.topic && one.partition.partition == name.partition)
            .and_then(|one| one.error.clone());
        let error = own.or_else(|| whole.clone()).map(|error| Exception::of_kafka(&error));
        rows.push((name.topic.to_string(), Some(name.partition), error));
    }
    let first = whole.or_else(|| each.into_iter().find_map(|one| one.error));
    match first {
        None => printed.out(&format!("Request succeeded for deleting offsets from group {id}.\n")),
        Some(error) if OF_GROUP.contains(&error.error.as_str()) => print_error(&error.message, None, printed),
        Some(error) if OF_PARTITIONS.contains(&error.error.as_str()) => {
            let text = "Encountered some partition-level error, see the follow-up details.";
            print_error(text, None, printed);
        }
        Some(error) => print_error(&format!("Encountered some unknown error: {}", error.error), None, printed),
    }
    print_rows(rows, printed);
    Ok(())
}

fn print_rows(mut rows: Vec<(String, Option<u32>, Option<Exception>)>, printed: &mut Printed) {
    // The tool sorts by topic and number run together: t10 comes before t2.
    let key = |topic: &str, partition: Option<u32>| format!("{topic}{}", partition.map_or(-1, i64::from));
    rows.order_by(|one, other| key(&one.0, one.1).cmp(&key(&other.0, other.1)));
    let width = rows.iter().map(|(topic, ..)| topic.chars().count()).max().unwrap_or(0).max(15);
    let mut line = |topic: &str, partition: &str, status: &str| {
        printed.out(&format!("\n{topic:<width$} {partition:<10} {status:<15}"));
    };
    line("TOPIC", "PARTITION", "STATUS");
    for (topic, partition, error) in rows {
        let partition = partition.map_or_else(|| "-".to_string(), |number| number.to_string());
        let status = error.map_or_else(|| "Successful".to_string(), |error| format!("Error: {}", error.line()));
        line(&topic, &partition, &status);
    }
    printed.out("\n");
}
