//! Pulses: what just happened, for a moment after it, as a ring and where a ring cannot tell it as a word.
//!
//! A pulse depends on its age alone, so that scrubbing back shows it again.

use engine::event::{Event, EventKind, NodeId, TopicPartition};
use engine::group::GroupEvent;
use engine::share::ShareEvent;
use engine::transaction::{TransactionEvent, TransactionState};

use super::{FrameInput, age, group, lost, notice, share};
use crate::class::{Class, Role};
use crate::display::{Item, Shape};
use crate::log::Log;
use crate::stage::{Area, Stage, point_on};
use crate::still::{head_pill, partition_of, rect, seat_pill, state_area};

/// How long a ring is seen, in microseconds of display.
const RING: u64 = 600_000;
/// How long a word is seen.
const NOTICE: u64 = 1_000_000;
/// Rings in one frame, at most: the newest.
const RINGS: usize = 60;
/// Rings of one batch, at most.
const BATCH_RINGS: usize = 8;
/// Rings around a decision.
const DECISION_RINGS: usize = 2;
/// Between them.
const DECISION_STEP: f32 = 3.0;
/// Items of all pulses, at most.
pub(super) const ITEMS_MAX: usize = RINGS + BATCH_RINGS + notice::NOTICES;

/// Pulses of the events that are young enough, the oldest below, and the words about them on top.
pub(super) fn pulses(stage: &Stage, input: &FrameInput<'_>) -> Vec<Item> {
    let mut rings = Vec::new();
    let mut notices = notice::Notices::new(stage, input);
    for event in input.events.iter().rev() {
        let Some(age) = age(input, event) else { break };
        if age >= NOTICE {
            break;
        }
        let part = |whole: u64| if input.reduced_motion { 0.0 } else { age as f32 / whole as f32 };
        if age < RING && rings.len() < RINGS {
            ring_of(stage, input, event, part(RING), &mut rings);
        }
        notices.add(event, part(NOTICE));
    }
    rings.reverse();
    rings.extend(notices.items());
    rings
}

fn ring_of(stage: &Stage, input: &FrameInput<'_>, event: &Event, age: f32, items: &mut Vec<Item>) {
    let (area, radius, key) = match &event.kind {
        EventKind::BatchAppended { batch, base_offset, .. } => {
            let TopicPartition { topic, partition } = &batch.partition;
            for (index, record) in batch.records.iter().enumerate().take(BATCH_RINGS) {
                let key = input.palette.of(record).map(|look| look.color);
                let area = record_area(stage, input, (topic, *partition, None), base_offset + index as u64);
                items.extend(area.map(|area| ring(stage, area, 7.0, key, age)));
            }
            return;
        }
        EventKind::BatchReplicated { broker, partition, log_end_offset } => {
            let TopicPartition { topic, partition } = partition;
            let last = log_end_offset.saturating_sub(1);
            (record_area(stage, input, (topic, *partition, Some(*broker)), last), 5.0, None)
        }
        EventKind::MetadataRefreshed { client, .. } => (card(stage, client), 12.0, None),
        EventKind::ProducerStarted { producer, .. } => (stage.producer(producer).map(|card| card.area), 12.0, None),
        EventKind::RecordsRead { consumer, .. }
        | EventKind::PositionReset { consumer, .. }
        | EventKind::ConsumerFailed { consumer, .. } => (stage.reader(consumer).map(|card| card.area), 12.0, None),
        EventKind::StickyPartitionSwitched { topic, after, .. } => {
            (stage.lane(topic, *after).map(|lane| lane.area), 8.0, None)
        }
        EventKind::Transaction(event) => {
            items.extend(of_transaction(stage, input, event, age));
            return;
        }
        EventKind::Group(event) => {
            items.extend(of_group(stage, input, event, age));
            return;
        }
        EventKind::Share(event) => {
            items.extend(of_sharing(stage, input, event, age));
            return;
        }
        EventKind::MessageLost { .. } => {
            items.extend(broken(stage, input, event, age));
            return;
        }
        _ => (place(stage, event), 8.0, None),
    };
    items.extend(area.map(|area| ring(stage, area, radius, key, age)));
}

/// The ring of an event of transactions. A decision is told by more than one: it is the moment that counts, and the
/// markers that land later are not.
fn of_transaction(stage: &Stage, input: &FrameInput<'_>, event: &TransactionEvent, age: f32) -> Vec<Item> {
    use TransactionEvent as E;
    match event {
        E::TransactionStateChanged { transactional_id, state, .. } => {
            let log = stage.coordinator(transactional_id).and_then(|log| state_area(log, input.snapshot, *state));
            let Some(pill) = log else { return Vec::new() };
            let count = if is_decision(*state) { DECISION_RINGS } else { 1 };
            // All of them stay on the lane, so that none lies over the id and the offsets around it.
            let spread = |step: usize| {
                let by = 1.0 + step as f32 * DECISION_STEP + 2.0 * age;
                Item::new(Role::Pulse, rect(widened(pill, by), pill.height / 2.0 + by)).opacity((1.0 - age) * 0.8)
            };
            (0..count).map(spread).collect()
        }
        E::MarkerAppended { partition, offset, .. } => {
            let TopicPartition { topic, partition } = partition;
            let area = record_area(stage, input, (topic, *partition, None), *offset);
            area.map(|area| ring(stage, area, 7.0, None, age)).into_iter().collect()
        }
        E::ProducerIdAssigned { producer, .. }
        | E::ProducerEpochRaised { producer, .. }
        | E::ClientStateChanged { producer, .. }
        | E::CallReturned { producer, .. } => {
            stage.producer(producer).map(|card| ring(stage, card.area, 12.0, None, age)).into_iter().collect()
        }
        E::ClientCrashed { client } | E::ClientFrozen { client } | E::ClientThawed { client } => {
            card(stage, client).map(|area| ring(stage, area, 12.0, None, age)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The ring of an event of groups: around a state that is new, a member that is, and records that are read again.
fn of_group(stage: &Stage, input: &FrameInput<'_>, event: &GroupEvent, age: f32) -> Vec<Item> {
    use GroupEvent as E;
    let around = |area: Area, radius: f32| ring(stage, area, radius, None, age);
    match event {
        E::GroupStateChanged { group, group_type, state, .. } => {
            let head = stage.group(group).map(|at| head_pill(at, *group_type, *state));
            let seat = stage.seats.iter().find(|seat| seat.group == *group).and_then(|seat| seat_pill(seat, *state));
            head.into_iter().chain(seat).map(|pill| around(pill, pill.height / 2.0)).collect()
        }
        E::CallbackStarted { consumer, .. }
        | E::AssignmentChanged { consumer, .. }
        | E::PollFailed { consumer, .. }
        | E::ConsumerClosed { consumer } => {
            stage.reader(consumer).map(|card| around(card.area, 12.0)).into_iter().collect()
        }
        E::RecordsReadAgain { partition, first_offset, count, .. } => {
            let at = (&*partition.topic, partition.partition, None);
            let offsets = *first_offset..first_offset + count.min(&(BATCH_RINGS as u64));
            offsets.filter_map(|offset| record_area(stage, input, at, offset)).map(|area| around(area, 7.0)).collect()
        }
        _ => Vec::new(),
    }
}

/// Rings around records whose fate changed, and around the card of whoever got some.
fn of_sharing(stage: &Stage, input: &FrameInput<'_>, event: &ShareEvent, age: f32) -> Vec<Item> {
    if let ShareEvent::RecordsPolled { consumer, .. } = event {
        return stage.reader(consumer).map(|card| ring(stage, card.area, 12.0, None, age)).into_iter().collect();
    }
    let Some((topic, partition, first, last)) = share::records(event) else { return Vec::new() };
    let offsets = (first..=last).take(BATCH_RINGS);
    let areas = offsets.filter_map(|offset| record_area(stage, input, (topic, partition, None), offset));
    areas.map(|area| ring(stage, area, 7.0, None, age)).collect()
}

/// Whether a state of a transaction decides it: from then on its end is the same whatever crashes.
pub(crate) fn is_decision(state: TransactionState) -> bool {
    matches!(state, TransactionState::PrepareCommit | TransactionState::PrepareAbort)
}

/// The lane or broker that an event changed; none for events that change neither.
pub(super) fn place(stage: &Stage, event: &Event) -> Option<Area> {
    use EventKind as K;
    match &event.kind {
        K::LeaderElected { partition, .. }
        | K::LeaderLost { partition }
        | K::IsrChanged { partition, .. }
        | K::ReassignmentStarted { partition, .. }
        | K::ReassignmentCompleted { partition, .. }
        | K::ReassignmentCancelled { partition, .. } => {
            stage.lane(&partition.topic, partition.partition).map(|lane| lane.area)
        }
        K::LogTruncated { broker, partition, .. }
        | K::SegmentRolled { broker, partition, .. }
        | K::SegmentDeleted { broker, partition, .. }
        | K::LogStartMoved { broker, partition, .. }
        | K::LogCleaned { broker, partition, .. }
        | K::SegmentUploaded { broker, partition, .. } => {
            stage.replica(&partition.topic, partition.partition, *broker).map(|lane| lane.area)
        }
        K::BrokerStarted { broker }
        | K::BrokerStopped { broker, .. }
        | K::BrokerPaused { broker }
        | K::BrokerResumed { broker }
        | K::BrokerFenced { broker }
        | K::BrokerUnfenced { broker }
        | K::ControllerElected { controller: Some(broker) } => stage.broker(*broker).map(|broker| broker.area),
        K::Transaction(event) => place_of_transaction(stage, event),
        K::Group(event) => group::place(stage, event),
        K::Share(event) => share::place(stage, event),
        _ => None,
    }
}

fn place_of_transaction(stage: &Stage, event: &TransactionEvent) -> Option<Area> {
    use TransactionEvent as E;
    match event {
        E::TransactionStateChanged { transactional_id, .. }
        | E::TransactionTimedOut { transactional_id, .. }
        | E::ProducerFenced { transactional_id: Some(transactional_id), .. } => {
            // In the head of the coordinator: around its log there are its id, its states and their offsets.
            let log = stage.coordinator(transactional_id)?;
            Some(stage.broker(log.broker)?.area)
        }
        E::ProducerFenced { broker, .. } | E::CoordinatorLoaded { broker, .. } => {
            stage.broker(*broker).map(|broker| broker.area)
        }
        E::MarkerSkipped { partition, .. } => stage.lane(&partition.topic, partition.partition).map(|lane| lane.area),
        E::ClientStateChanged { producer, .. } | E::CallReturned { producer, .. } => {
            stage.producer(producer).map(|card| card.area)
        }
        E::ClientCrashed { client } | E::ClientFrozen { client } | E::ClientThawed { client } => card(stage, client),
        _ => None,
    }
}

fn card(stage: &Stage, node: &NodeId) -> Option<Area> {
    match node {
        NodeId::Producer { name } => stage.producer(name).map(|card| card.area),
        NodeId::Consumer { name } => stage.reader(name).map(|card| card.area),
        NodeId::Broker { id } => stage.broker(*id).map(|broker| broker.area),
        NodeId::Controller | NodeId::Admin => None,
    }
}

/// The chip of a record on the leader's lane, or on that of a follower.
fn record_area(
    stage: &Stage,
    input: &FrameInput<'_>,
    (topic, partition, follower): (&str, u32, Option<u32>),
    offset: u64,
) -> Option<Area> {
    let lane = match follower {
        Some(broker) => stage.replica(topic, partition, broker)?,
        None => stage.lane(topic, partition)?,
    };
    if !lane.form.has_records() {
        return follower.is_none().then_some(lane.area);
    }
    let log = Log::of(lane, partition_of(input.snapshot, topic, partition)?);
    let window = lane.window(&log);
    let visible = &log.records[log.records.len() - window.shown..];
    let index = visible.iter().position(|record| record.offset == offset)?;
    Some(lane.slot(window, index))
}

/// A ring that spreads by a few pixels, never over the edge of the picture, and fades.
fn ring(stage: &Stage, area: Area, radius: f32, key: Option<u8>, age: f32) -> Item {
    let spread = 2.0 + 5.0 * age;
    let (left, top) = ((area.x - spread).max(1.0), (area.y - spread).max(1.0));
    let (right, bottom) =
        ((area.right() + spread).min(stage.width - 1.0), (area.bottom() + spread).min(stage.height - 1.0));
    let shape = Shape::Rect { x: left, y: top, width: right - left, height: bottom - top, radius: radius + spread };
    Item::new(Class::new(Role::Pulse).key(key), shape).opacity((1.0 - age) * 0.8)
}

fn widened(area: Area, by: f32) -> Area {
    Area::new(area.x - by, area.y - by, area.width + 2.0 * by, area.height + 2.0 * by)
}

/// A lost message: two halves that part where it was.
fn broken(stage: &Stage, input: &FrameInput<'_>, event: &Event, age: f32) -> Option<Item> {
    let message = lost(event)?;
    let way = stage.way(&message.from, &message.to)?;
    let place = input.pace.broken_at(message).unwrap_or(0.5);
    let (x, y) = point_on(&way, place);
    let part = 6.0 + 10.0 * age;
    let halves = vec![
        Item::new(Role::Lost, Shape::Line { from: (x - part - 14.0, y - 3.0), to: (x - part, y + 3.0) }),
        Item::new(Role::Lost, Shape::Line { from: (x + part, y - 3.0), to: (x + part + 14.0, y + 3.0) }),
        Item::new(Role::Lost, Shape::Glyph { x, y, radius: 5.0, glyph: 7 }),
    ];
    Some(Item::new(Role::Group, Shape::Group).opacity(1.0 - age).with(halves))
}
