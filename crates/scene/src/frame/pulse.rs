//! Pulses: what just happened, for a moment after it.
//!
//! A pulse depends on its age alone, so that scrubbing back shows it again.

use engine::event::{Event, EventKind, NodeId};
use engine::snapshot::LogRecord;

use super::{FrameInput, age, lost, point_on};
use crate::class::{Class, Role};
use crate::display::{Item, Shape};
use crate::stage::{Area, LaneForm, Stage};
use crate::still::partition_of;

/// How long a pulse is seen, in microseconds of display.
const PULSE: u64 = 600_000;
/// Pulses in one frame, at most: the newest.
const PULSES: usize = 60;

/// Pulses of the events that are young enough, the oldest below.
pub(super) fn pulses(stage: &Stage, input: &FrameInput<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    for event in input.events.iter().rev() {
        let Some(age) = age(input, event) else { break };
        if age >= PULSE || items.len() >= PULSES {
            break;
        }
        let part = if input.reduced_motion { 0.0 } else { age as f32 / PULSE as f32 };
        pulse(stage, input, event, part, &mut items);
    }
    items.reverse();
    items
}

fn pulse(stage: &Stage, input: &FrameInput<'_>, event: &Event, age: f32, items: &mut Vec<Item>) {
    match &event.kind {
        EventKind::BatchAppended { batch, base_offset, .. } => {
            let partition = &batch.partition;
            for (index, record) in batch.records.iter().enumerate().take(8) {
                let key = input.palette.of(record).map(|look| look.color);
                let area = record_area(stage, input, &partition.topic, partition.partition, base_offset + index as u64);
                items.extend(area.map(|area| ring(stage, area, 7.0, key, age)));
            }
        }
        EventKind::LeaderElected { partition, .. } => {
            let lane = stage.lane(&partition.topic, partition.partition);
            items.extend(lane.map(|lane| ring(stage, lane.area, 8.0, None, age)));
        }
        EventKind::MetadataRefreshed { client, .. } => {
            items.extend(card(stage, client).map(|area| ring(stage, area, 12.0, None, age)))
        }
        EventKind::ProducerStarted { producer, .. } => {
            items.extend(stage.producer(producer).map(|card| ring(stage, card.area, 12.0, None, age)));
        }
        EventKind::RecordsRead { consumer, .. } => {
            items.extend(stage.reader(consumer).map(|card| ring(stage, card.area, 12.0, None, age)));
        }
        EventKind::StickyPartitionSwitched { topic, after, .. } => {
            items.extend(stage.lane(topic, *after).map(|lane| ring(stage, lane.area, 8.0, None, age)));
        }
        _ => items.extend(broken(stage, input, event, age)),
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

fn record_area(stage: &Stage, input: &FrameInput<'_>, topic: &str, partition: u32, offset: u64) -> Option<Area> {
    let lane = stage.lane(topic, partition)?;
    if lane.form == LaneForm::Tile {
        return Some(lane.area);
    }
    let state = partition_of(input.snapshot, topic, partition)?;
    let window = lane.window(state.record_count, state.records.len());
    let visible: &[LogRecord] = &state.records[state.records.len() - window.shown..];
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
