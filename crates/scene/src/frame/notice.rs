//! Words of a pulse: what a broker, a partition or a replica just went through, where it stands.
//!
//! The event log tells the same in sentences; here are two or three words for the eye.

use std::rc::Rc;

use engine::KafkaError;
use engine::event::{DeleteReason, Event, EventKind};
use engine::transaction::{TransactionEvent, TransactionState};

use super::pulse::place;
use super::{FrameInput, group, share};
use crate::class::{Class, Mark, Role};
use crate::display::{Item, Shape};
use crate::stage::{Area, Stage};
use crate::still::head_room;
use crate::text;

/// Words in one frame, at most: the newest.
pub(super) const NOTICES: usize = 24;
const HEIGHT: f32 = 20.0;
/// A word stays as it is for this part of its time, then it fades.
const STEADY: f32 = 0.7;
/// Boxes that are smaller than a lane get rings only.
const BOX_MIN: f32 = 120.0;

/// The words of one frame.
pub(super) struct Notices<'a> {
    stage: &'a Stage,
    input: &'a FrameInput<'a>,
    taken: Vec<(Area, Rc<str>)>,
    items: Vec<Item>,
}

impl<'a> Notices<'a> {
    pub fn new(stage: &'a Stage, input: &'a FrameInput<'a>) -> Notices<'a> {
        Notices { stage, input, taken: Vec::new(), items: Vec::new() }
    }

    /// The word of an event, if it has one. Events come newest first; an older one makes room.
    pub fn add(&mut self, event: &Event, age: f32) {
        if self.items.len() == NOTICES {
            return;
        }
        let Some((word, is_bad)) = word(&event.kind) else { return };
        let Some(area) = place(self.stage, event).filter(|area| area.width >= BOX_MIN) else { return };
        let area = self.head_of(area).unwrap_or(area);
        let word = text::fit(&word, area.width - 28.0, crate::display::CHIP_TEXT_SIZE, crate::display::Face::MonoBold);
        let width = text::pill_width(&word);
        let x = area.right() - width - 8.0;
        let mut at = Area::new(x, area.y + (area.height.min(44.0) - HEIGHT) / 2.0, width, HEIGHT);
        while let Some((other, said)) = self.taken.iter().find(|(other, _)| overlap(other, &at)) {
            // An error that a state and a call both tell of is said once.
            if *said == word {
                return;
            }
            at.y = other.bottom() + 2.0;
        }
        if at.bottom() > self.stage.height {
            return;
        }
        self.taken.push((at, Rc::clone(&word)));
        let opacity = ((1.0 - age) / (1.0 - STEADY)).min(1.0);
        let class = Class::new(Role::Notice).mark(Mark::Bad, is_bad);
        let pill = Shape::Pill { x: at.x, y: at.y, width: at.width, height: at.height, text: word };
        self.items.push(Item::new(class, pill).opacity(opacity));
    }

    /// Where a broker tells it: beside the remarks in its head, if there is room.
    fn head_of(&self, area: Area) -> Option<Area> {
        let broker = self.stage.brokers.iter().find(|broker| broker.area == area)?;
        let (left, right) = head_room(self.stage, self.input.snapshot, self.input.palette, broker);
        (right - left >= BOX_MIN).then(|| Area::new(left, area.y - 2.0, right + 8.0 - left, area.height.min(44.0)))
    }

    pub fn items(self) -> Vec<Item> {
        self.items
    }
}

fn overlap(one: &Area, other: &Area) -> bool {
    one.x < other.right() && other.x < one.right() && one.y < other.bottom() && other.y < one.bottom()
}

/// The word, and whether it tells of a fault or a loss.
fn word(kind: &EventKind) -> Option<(Rc<str>, bool)> {
    use EventKind as K;
    let ids = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<String>>().join(",");
    let (word, is_bad): (String, bool) = match kind {
        K::BrokerStarted { .. } => ("started".into(), false),
        K::BrokerStopped { is_clean: true, .. } => ("shut down".into(), false),
        K::BrokerStopped { .. } => ("crashed".into(), true),
        K::BrokerPaused { .. } => ("paused".into(), true),
        K::BrokerResumed { .. } => ("resumed".into(), false),
        K::BrokerFenced { .. } => ("fenced".into(), true),
        K::BrokerUnfenced { .. } => ("unfenced".into(), false),
        K::ControllerElected { controller: Some(_) } => ("active controller".into(), false),
        // The first leader of a new partition is no news.
        K::LeaderElected { leader_epoch: 0, .. } => return None,
        K::LeaderElected { leader_epoch, .. } => (format!("leader, epoch {leader_epoch}"), false),
        K::LeaderLost { .. } => ("no leader".into(), true),
        K::IsrChanged { before, isr, .. } if isr.is_empty() && before.is_empty() => return None,
        K::IsrChanged { before, isr, .. } => (format!("ISR {}", ids(isr)), isr.len() < before.len()),
        K::LogTruncated { log_end_offset, .. } => (format!("truncated to {log_end_offset}"), true),
        K::SegmentRolled { base_offset, .. } => (format!("new segment {base_offset}"), false),
        K::SegmentDeleted { base_offset, reason, .. } => (format!("segment {base_offset} {}", deleted(*reason)), true),
        K::LogStartMoved { log_start_offset, .. } => (format!("log start {log_start_offset}"), false),
        K::LogCleaned { before, kept, .. } => (format!("compacted {before} to {kept}"), false),
        K::SegmentUploaded { base_offset, .. } => (format!("segment {base_offset} uploaded"), false),
        K::ReassignmentStarted { adding, removing, .. } => {
            (format!("adding {}, removing {}", ids(adding), ids(removing)), false)
        }
        K::ReassignmentCompleted { replicas, .. } => (format!("moved to {}", ids(replicas)), false),
        K::ReassignmentCancelled { replicas, .. } => (format!("back to {}", ids(replicas)), false),
        K::Transaction(event) => return of_transaction(event),
        K::Group(event) => return group::notice(event),
        K::Share(event) => return share::notice(event),
        _ => return None,
    };
    Some((word.into(), is_bad))
}

fn of_transaction(event: &TransactionEvent) -> Option<(Rc<str>, bool)> {
    use TransactionEvent as E;
    let (word, is_bad): (String, bool) = match event {
        E::TransactionStateChanged { state: TransactionState::PrepareCommit, .. } => ("decided: commit".into(), false),
        E::TransactionStateChanged { state: TransactionState::PrepareAbort, .. } => ("decided: abort".into(), true),
        E::TransactionTimedOut { open_for, .. } => (format!("open for {open_for}: timed out"), true),
        E::ProducerFenced { epoch, current, .. } => (format!("epoch {epoch} refused, now {current}"), true),
        E::CoordinatorLoaded { transactional_ids: 0, .. } => return None,
        E::CoordinatorLoaded { partition, .. } => (format!("coordinates __transaction_state-{partition}"), false),
        E::MarkerSkipped { .. } => ("no marker: no leader".into(), true),
        E::ClientStateChanged { error: Some(error), .. } | E::CallReturned { error: Some(error), .. } => {
            (short_name(error).to_string(), true)
        }
        E::ClientCrashed { .. } => ("crashed".into(), true),
        E::ClientFrozen { .. } => ("stands still".into(), true),
        E::ClientThawed { .. } => ("goes on".into(), false),
        _ => return None,
    };
    Some((word.into(), is_bad))
}

/// The class of an exception, else the protocol's name of the error.
pub(super) fn short_name(error: &KafkaError) -> &str {
    if error.exception.is_empty() { &error.error } else { &error.exception }
}

fn deleted(reason: DeleteReason) -> &'static str {
    match reason {
        DeleteReason::LogStart => "deleted: below log start",
        DeleteReason::Size => "deleted: retention.bytes",
        DeleteReason::Time => "deleted: retention.ms",
        DeleteReason::Local => "left the local disk",
        DeleteReason::Truncated => "deleted: truncated",
    }
}
