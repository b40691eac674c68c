//! What happened to share groups, in sentences.
//!
//! Commands that asked for it are in `command.rs`.

use std::fmt;

use super::count;
use crate::event::TopicPartition;
use crate::share::{ArchiveReason, RecordRange, ShareEvent};

/// The sentence of an event.
pub(super) fn sentence(out: &mut fmt::Formatter<'_>, event: &ShareEvent) -> fmt::Result {
    match event {
        ShareEvent::ShareCoordinatorLoaded { broker, partition, share_partitions } => {
            let known = count(u64::from(*share_partitions), "share partition");
            write!(out, "Broker {broker} read __share_group_state-{partition}: {known}.")
        }
        ShareEvent::SharePartitionsInitialized { group, partitions, .. } => {
            let names: Vec<String> = partitions.iter().map(TopicPartition::to_string).collect();
            write!(out, "Share group {group} may be given {}.", names.join(", "))
        }
        ShareEvent::SharePartitionOpened { broker, group, partition, start_offset, .. } => {
            write!(out, "Broker {broker} delivers {partition} to {group} from offset {start_offset} on.")
        }
        ShareEvent::ShareStateWritten { group, partition, start_offset, delivery_complete_count, .. } => {
            let done = count(*delivery_complete_count, "record");
            write!(out, "{group}, {partition}: start offset {start_offset} is written, and {done} done above it.")
        }
        ShareEvent::ShareStartOffsetMoved { group, partition, start_offset, .. } => {
            write!(out, "{group}, {partition}: everything below {start_offset} is done.")
        }
        ShareEvent::RecordsPolled { consumer, records } => {
            write!(out, "{consumer} polled")?;
            for record in records {
                write!(out, " {}@{} ({})", record.partition, record.offset, record.delivery_count)?;
            }
            out.write_str(".")
        }
        ShareEvent::RecordWorkStarted { consumer, partition, offset, until } => {
            write!(out, "{consumer} works on {partition}@{offset} until {until}.")
        }
        ShareEvent::AcknowledgementChosen { consumer, partition, offset, acknowledgement } => {
            write!(out, "{consumer} says {} of {partition}@{offset}.", acknowledgement.name())
        }
        ShareEvent::AcknowledgementsReturned { consumer, results } => {
            write!(out, "{consumer}:")?;
            for result in results {
                let records = count(result.offsets.len() as u64, "acknowledgement");
                match &result.error {
                    None => write!(out, " {records} of {} taken;", result.partition)?,
                    Some(error) => write!(out, " {records} of {} failed with {error};", result.partition)?,
                }
            }
            Ok(())
        }
        of_records => records(out, of_records),
    }
}

/// What happened to records at the leader.
fn records(out: &mut fmt::Formatter<'_>, event: &ShareEvent) -> fmt::Result {
    match event {
        ShareEvent::RecordsAcquired { range, member, delivery_count, locked_until } => {
            write!(out, "{} locked for {member} until {locked_until}, delivery {delivery_count}.", text(range))
        }
        ShareEvent::RecordsAcknowledged { range, member, acknowledgement } => {
            write!(out, "{}: {} by {member} counts.", text(range), acknowledgement.name())
        }
        ShareEvent::LocksExpired { range, member } => write!(out, "{}: the lock of {member} expired.", text(range)),
        ShareEvent::LocksReleased { range, member } => write!(out, "{}: {member} is gone.", text(range)),
        ShareEvent::RecordsArchived { range, reason } => {
            let why = match reason {
                ArchiveReason::Rejected => "a member rejected it",
                ArchiveReason::DeliveryLimit => "it was delivered often enough",
                ArchiveReason::LogStartMoved => "the log does not have it any more",
                ArchiveReason::NotForReaders => "there is nothing for readers",
            };
            write!(out, "{} archived: {why}.", text(range))
        }
        other => unreachable!("{other:?} is told above"),
    }
}

fn text(range: &RecordRange) -> String {
    let RecordRange { group, partition, first_offset, last_offset, .. } = range;
    if first_offset == last_offset {
        format!("{group}, {partition}@{first_offset}")
    } else {
        format!("{group}, {partition}@{first_offset} to {last_offset}")
    }
}
