//! `--delete` and `--delete-offsets`: what was deleted, and why the rest was not.
//!
//! The tool looks at the state of a group by itself before it asks the coordinator to delete it.

use engine::order::Order;
use engine::{Command, KafkaError, Observer};

use super::describe::ids;
use super::{listings, print_error};
use crate::Printed;
use crate::consumer_groups::{Service, parser_error};
use crate::exception::Exception;
use crate::java_order::{hash_order, string_hash};
use crate::options::Options;
use crate::stop::Stop;

/// Deletes groups.
pub(super) fn groups<O: Observer>(
    service: &mut Service<'_, O>,
    options: &Options,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let ids = ids(service, options)?;
    let listings = listings(service)?;
    let (mut deleted, mut failed) = (Vec::new(), Vec::new());
    for id in hash_order(ids, |id| string_hash(id)) {
        let found = listings.iter().find(|group| *group.group == *id);
        let refused = match found {
            None => Some(Exception::of_argument(format!("Group '{id}' is not a share group."))),
            Some(group) if !group.members.is_empty() => {
                let class = "org.apache.kafka.common.errors.GroupNotEmptyException";
                Some(Exception::new(class, format!("Share group '{id}' is not EMPTY.")))
            }
            Some(_) => match service.send(Command::DeleteConsumerGroup { group: id.clone() })? {
                Ok(_) => None,
                Err(error) => Some(Exception::of_kafka(&error)),
            },
        };
        match refused {
            None => deleted.push(format!("'{id}'")),
            Some(error) => failed.push((id, error)),
        }
    }
    let deleted = deleted.join(", ");
    if failed.is_empty() {
        printed.out(&format!("Deletion of requested share groups ({deleted}) was successful.\n"));
        return Ok(());
    }
    print_error("Deletion of some share groups failed:", printed);
    for (id, error) in failed {
        printed.out(&format!("* Group '{id}' could not be deleted due to: {}\n", error.line()));
    }
    if !deleted.is_empty() {
        printed.out(&format!("\nThese share groups were deleted successfully: {deleted}\n"));
    }
    Ok(())
}

/// Has a group forget topics.
pub(super) fn offsets<O: Observer>(
    service: &mut Service<'_, O>,
    options: &Options,
    printed: &mut Printed,
) -> Result<(), Stop> {
    let id = options.text("group").map_err(|text| Stop::Failed(parser_error(&text)))?.unwrap_or_default().to_string();
    let mut topics = options.all("topic").to_vec();
    topics.order();
    topics.dedup();
    let found = service.coordinated(std::slice::from_ref(&id), "deleteShareGroupOffsets");
    found.map_err(|error| Stop::Failed(error.in_future()))?;
    let command = Command::DeleteShareGroupOffsets { group: id, topics: topics.clone() };
    // What concerns single topics comes with them, what concerns the group comes alone.
    let Some(outcome) = service.ask(command)? else {
        return Err(Stop::Failed(Exception::timeout("deleteShareGroupOffsets")));
    };
    let whole = outcome.error.filter(|_| outcome.partitions.is_empty());
    let of_topic = |topic: &str| -> Option<KafkaError> {
        let of_partitions = outcome.partitions.iter().filter(|one| one.partition.topic == topic);
        of_partitions.filter_map(|one| one.error.clone()).next().or_else(|| whole.clone())
    };
    let rows: Vec<(String, Option<KafkaError>)> = topics.iter().map(|topic| (topic.clone(), of_topic(topic))).collect();
    match &whole {
        Some(error) => print_error(&error.message, printed),
        None if rows.iter().any(|(_, error)| error.is_some()) => {
            print_error("Encountered some topic-level error, see the follow-up details.", printed);
        }
        None => {}
    }
    let width = topics.iter().map(|topic| topic.chars().count()).max().unwrap_or(0).max(15);
    printed.out(&format!("\n{:<width$} STATUS\n", "TOPIC"));
    for (topic, error) in rows {
        let status = error.map_or("Successful".to_string(), |error| format!("Error: {}", error.message));
        printed.out(&format!("{topic:<width$} {status}\n"));
    }
    Ok(())
}
