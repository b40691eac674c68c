//! What moves around share groups: the rest of each lock, rings around records whose fate changed, and short words.
//!
//! What a record's state is stands still, so it is in `still/share.rs`.

use std::rc::Rc;

use engine::share::{AcknowledgeType, ArchiveReason, RecordState, ShareEvent};

use super::FrameInput;
use crate::class::{Class, Mark, Role};
use crate::display::Item;
use crate::log::Log;
use crate::members::Groups;
use crate::share::sharings;
use crate::stage::{Area, LaneKind, Stage};
use crate::still::{partition_of, rect};
use crate::text;

/// Bars of locks in one frame, at most.
pub(super) const LOCKS: usize = 40;
/// A lock of that many microseconds fills its bar: `group.share.record.lock.duration.ms` by default. One that lasts
/// longer is full until so much is left.
const LOCK: u64 = 30_000_000;
/// A lock that has so much of it left, in percent, is about to expire.
const SCARCE: u64 = 20;

/// A bar at the foot of each record that a member holds: how much of its lock is left.
pub(super) fn locks(stage: &Stage, input: &FrameInput<'_>) -> Vec<Item> {
    let snapshot = input.snapshot;
    if snapshot.share_partitions.is_empty() {
        return Vec::new();
    }
    let groups = Groups::of(snapshot);
    let mut items = Vec::new();
    for lane in stage.lanes.iter().filter(|lane| lane.kind == LaneKind::Leader && lane.form.has_records()) {
        let Some(partition) = lane.partitions.first().and_then(|at| partition_of(snapshot, &lane.topic, *at)) else {
            continue;
        };
        let log = Log::of(lane, partition);
        let window = lane.window(&log);
        let visible = &log.records[log.records.len() - window.shown..];
        for sharing in sharings(snapshot, &groups, &lane.topic, partition.partition).iter().take(1) {
            for (index, record) in visible.iter().enumerate() {
                let known = sharing.record(record.offset).filter(|known| known.state == RecordState::Acquired);
                let Some(until) = known.and_then(|known| known.locked_until) else { continue };
                let left = until.since(input.now).0.min(LOCK);
                let slot = lane.slot(window, index);
                let whole = slot.width - 8.0;
                let bar = Area::new(slot.x + 4.0, slot.bottom() - 4.0, whole * (left as f32 / LOCK as f32), 3.0);
                let class = Class::new(Role::Clock).mark(Mark::Bad, left * 100 <= LOCK * SCARCE);
                items.push(Item::new(class, rect(bar, 1.5)));
                if items.len() == LOCKS {
                    return items;
                }
            }
        }
    }
    items
}

/// The records that an event is about: topic, partition, first and last offset.
pub(super) fn records(event: &ShareEvent) -> Option<(&str, u32, u64, u64)> {
    match event {
        ShareEvent::RecordsAcquired { range, .. }
        | ShareEvent::RecordsAcknowledged { range, .. }
        | ShareEvent::LocksExpired { range, .. }
        | ShareEvent::LocksReleased { range, .. }
        | ShareEvent::RecordsArchived { range, .. } => {
            Some((&range.partition.topic, range.partition.partition, range.first_offset, range.last_offset))
        }
        _ => None,
    }
}

/// What a partition just went through for a share group, in a few words, and whether it is a loss.
pub(super) fn notice(event: &ShareEvent) -> Option<(Rc<str>, bool)> {
    let times = |range: &engine::share::RecordRange| text::count(range.last_offset - range.first_offset + 1);
    let (words, is_bad) = match event {
        ShareEvent::LocksExpired { range, .. } => (format!("lock expired × {}", times(range)), true),
        ShareEvent::LocksReleased { range, .. } => (format!("given back × {}", times(range)), true),
        ShareEvent::RecordsArchived { range, reason: ArchiveReason::DeliveryLimit } => {
            (format!("delivery limit × {}", times(range)), true)
        }
        ShareEvent::RecordsArchived { range, reason: ArchiveReason::Rejected } => {
            (format!("archived × {}", times(range)), true)
        }
        ShareEvent::ShareStartOffsetMoved { start_offset, .. } => (format!("start offset {start_offset}"), false),
        _ => return None,
    };
    Some((words.into(), is_bad))
}

/// Where such words stand: on the lane.
pub(super) fn place(stage: &Stage, event: &ShareEvent) -> Option<Area> {
    let partition = match event {
        ShareEvent::LocksExpired { range, .. }
        | ShareEvent::LocksReleased { range, .. }
        | ShareEvent::RecordsArchived { range, .. } => &range.partition,
        ShareEvent::ShareStartOffsetMoved { partition, .. } => partition,
        _ => return None,
    };
    stage.lane(&partition.topic, partition.partition).map(|lane| lane.area)
}

/// What the application of a member says of a record that is not simply done.
pub(super) fn said(event: &ShareEvent) -> Option<(&str, String, bool)> {
    let ShareEvent::AcknowledgementChosen { consumer, partition, offset, acknowledgement } = event else { return None };
    let word = match acknowledgement {
        AcknowledgeType::Accept => return None,
        AcknowledgeType::Release => "release",
        AcknowledgeType::Reject => "reject",
        AcknowledgeType::Renew => "renew",
    };
    let words = format!("{word} p{}@{offset}", partition.partition);
    Some((consumer, words, *acknowledgement == AcknowledgeType::Reject))
}
