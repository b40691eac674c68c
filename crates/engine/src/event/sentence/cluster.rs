//! Sentences of what happens between brokers, controller and disks.
//!
//! Records and messages on their way have theirs in `sentence.rs`.

use std::fmt;

use super::count;
use crate::event::{DeleteReason, EventKind, LinkState, Name, RollReason};

/// The sentence of an event of the cluster; `None` if it is not one.
pub(super) fn sentence(out: &mut fmt::Formatter<'_>, kind: &EventKind) -> Option<fmt::Result> {
    processes(out, kind).or_else(|| replicas(out, kind)).or_else(|| disks(out, kind)).or_else(|| changes(out, kind))
}

fn processes(out: &mut fmt::Formatter<'_>, kind: &EventKind) -> Option<fmt::Result> {
    Some(match kind {
        EventKind::BrokerStarted { broker } => write!(out, "Broker {broker} started."),
        EventKind::BrokerStopped { broker, is_clean: true } => write!(out, "Broker {broker} shut down in order."),
        EventKind::BrokerStopped { broker, is_clean: false } => write!(out, "Broker {broker} died."),
        EventKind::BrokerPaused { broker } => write!(out, "Broker {broker} stands still."),
        EventKind::BrokerResumed { broker } => write!(out, "Broker {broker} goes on."),
        EventKind::BrokerFenced { broker } => write!(out, "Broker {broker} fenced."),
        EventKind::BrokerUnfenced { broker } => write!(out, "Broker {broker} unfenced."),
        EventKind::ControllerElected { controller: Some(broker) } => {
            write!(out, "Broker {broker} is the active controller.")
        }
        EventKind::ControllerElected { controller: None } => write!(out, "There is no active controller."),
        EventKind::LinkChanged { from, to, link } => match link {
            LinkState::Whole => write!(out, "The link between {from} and {to} works again."),
            LinkState::Cut => write!(out, "The link between {from} and {to} is cut."),
            LinkState::Slow { delay } => write!(out, "The link between {from} and {to} takes {delay} longer."),
        },
        _ => return None,
    })
}

fn replicas(out: &mut fmt::Formatter<'_>, kind: &EventKind) -> Option<fmt::Result> {
    Some(match kind {
        EventKind::LeaderLost { partition } => write!(out, "{partition} has no leader."),
        EventKind::IsrChanged { partition, before, isr, elr, last_known_elr } => {
            let verb = match isr.len().cmp(&before.len()) {
                std::cmp::Ordering::Less => "shrinks",
                std::cmp::Ordering::Equal => "changes",
                std::cmp::Ordering::Greater => "grows",
            };
            let mut text = format!("ISR of {partition} {verb} from {} to {}", list(before), list(isr));
            if before == isr {
                text = format!("ISR of {partition} stays {}", list(isr));
            }
            if !elr.is_empty() {
                text += &format!("; ELR {}", list(elr));
            }
            if !last_known_elr.is_empty() {
                text += &format!("; last known leader {}", list(last_known_elr));
            }
            write!(out, "{text}.")
        }
        EventKind::BatchReplicated { broker, partition, log_end_offset } => {
            write!(out, "Broker {broker} has {partition} up to offset {}.", log_end_offset.saturating_sub(1))
        }
        EventKind::FollowerHighWatermarkAdvanced { broker, partition, high_watermark } => {
            write!(out, "Broker {broker} learns that the high watermark of {partition} is {high_watermark}.")
        }
        EventKind::LogTruncated { broker, partition, log_end_offset, .. } => {
            write!(out, "Broker {broker} truncates {partition} to offset {log_end_offset}.")
        }
        EventKind::ReassignmentStarted { partition, adding, removing, .. } => {
            write!(out, "{partition}: adding {}, removing {}.", list(adding), list(removing))
        }
        EventKind::ReassignmentCompleted { partition, replicas } => {
            write!(out, "{partition}: reassignment completed, replicas {}.", list(replicas))
        }
        EventKind::ReassignmentCancelled { partition, replicas } => {
            write!(out, "{partition}: reassignment cancelled, replicas {}.", list(replicas))
        }
        _ => return None,
    })
}

fn disks(out: &mut fmt::Formatter<'_>, kind: &EventKind) -> Option<fmt::Result> {
    Some(match kind {
        EventKind::SegmentRolled { broker, partition, base_offset, reason } => {
            let why = match reason {
                RollReason::Size => "the batch would exceed segment.bytes",
                RollReason::Time => "record timestamps are segment.ms apart",
                RollReason::OffsetIndex => "the offset index is full",
                RollReason::TimeIndex => "the time index is full",
                RollReason::Offsets => "relative offsets would not fit into 32 bits",
                RollReason::Retention => "retention empties the active one",
                RollReason::Command => "it was asked for",
            };
            write!(out, "Broker {broker} opens segment {base_offset} of {partition}: {why}.")
        }
        EventKind::SegmentDeleted { broker, partition, base_offset, reason } => {
            let why = match reason {
                DeleteReason::LogStart => "it lies below the log start",
                DeleteReason::Size => "the log is larger than retention.bytes",
                DeleteReason::Time => "its newest record is older than retention.ms",
                DeleteReason::Local => "remote storage has it",
                DeleteReason::Truncated => "the replica begins anew",
            };
            write!(out, "Broker {broker} deletes segment {base_offset} of {partition}: {why}.")
        }
        EventKind::LogStartMoved { broker, partition, log_start_offset } => {
            write!(out, "Log start of {partition} on broker {broker} is now {log_start_offset}.")
        }
        EventKind::LogCleaned { broker, partition, clean_until, before, kept } => {
            write!(
                out,
                "Broker {broker} cleaned {partition} up to offset {clean_until}: {kept} of {} kept.",
                count(*before, "record")
            )
        }
        EventKind::SegmentUploaded { partition, base_offset, .. } => {
            write!(out, "Segment {base_offset} of {partition} is in remote storage.")
        }
        _ => return None,
    })
}

fn changes(out: &mut fmt::Formatter<'_>, kind: &EventKind) -> Option<fmt::Result> {
    Some(match kind {
        EventKind::ConfigChanged { topic, broker, name, value } => {
            let whose = whose(topic.as_ref(), *broker);
            match value {
                Some(value) => write!(out, "{name} of {whose} is {value}."),
                None => write!(out, "{name} of {whose} is back at its default."),
            }
        }
        EventKind::PositionReset { consumer, partition, before, position, error: Some(error) } => {
            write!(out, "{consumer} asked for {partition} offset {before}: {}; it goes on at {position}.", error.error)
        }
        EventKind::PositionReset { consumer, partition, position, error: None, .. } => {
            write!(out, "{consumer} goes on at {partition} offset {position}.")
        }
        EventKind::ConsumerFailed { consumer, error } => write!(out, "{consumer} failed with {error}"),
        _ => return None,
    })
}

fn whose(topic: Option<&Name>, broker: Option<u32>) -> String {
    match (topic, broker) {
        (Some(topic), _) => format!("topic {topic}"),
        (None, Some(broker)) => format!("broker {broker}"),
        (None, None) => "all brokers".to_string(),
    }
}

/// Broker ids as Kafka's tools list them, or "none".
fn list(brokers: &[u32]) -> String {
    if brokers.is_empty() {
        return "none".to_string();
    }
    brokers.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}
