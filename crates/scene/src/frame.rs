//! The layer that moves: messages on their links, records on their way, pulses where something happened.
//!
//! Has no state of its own: a place is a fraction of a display span, a pulse a function of its age. It
//! shows fewer details when more moves, so that a frame stays cheap.

mod clock;
mod group;
mod heads;
mod notice;
mod pulse;
mod share;

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::event::{Api, BatchView, Event, EventKind, MessageView, NodeId, Record, TopicPartition};
use engine::limits::BROKERS_MAX;
use engine::order::Order;
use engine::transaction::MarkerKind;
use engine::{Snapshot, Time};

use crate::class::{Class, Mark, Role};
use crate::display::{ChipForm, DisplayList, Item, Shape};
use crate::log::Log;
use crate::pace::{Display, Pace, PaceMode};
use crate::palette::Palette;
use crate::stage::{Area, LaneBox, Point, Stage, Window, is_arc, point_on};
use crate::still::{FAULTS, chip, diamond, partition_of, slow_links};
use crate::text;
use heads::Heads;

/// Moving records that are drawn as chips, at most; beyond it all are dots.
const CHIPS: usize = 120;
/// Moving records that are drawn at all; beyond it the pills tell their number.
const DOTS: usize = 960;
/// Moving pills, at most; beyond it one pill stands for all of a kind between the same two nodes.
const PILLS: usize = 40;
/// Records leave their request after this part of its way and fly to their partitions.
const SPREAD: f32 = 0.62;
/// Pills for groups, at most; one more tells how many messages are in none.
const GROUPS: usize = 48;
/// Ways between brokers that are drawn, at most.
const WAYS: usize = 48;
/// Items of one frame, at most, whatever is on its way.
pub const ITEMS_MAX: usize = DOTS
    + 2 * GROUPS
    + 1
    + WAYS
    + FAULTS
    + MARKERS
    + BROKERS_MAX as usize
    + 2 * clock::CLOCKS
    + group::ITEMS_MAX
    + share::LOCKS
    + pulse::ITEMS_MAX;
const PILL_HEIGHT: f32 = 22.0;
const CHIP_HEIGHT: f32 = 24.0;
/// Markers on their way that are drawn, at most; the pill tells how many there are.
const MARKERS: usize = 24;
/// A record among so many that it is a dot.
const DOT_RADIUS: f32 = 4.0;
/// Half the width of a marker on its way.
const MARKER_RADIUS: f32 = 9.0;
/// Chips of one batch, at most; the pill tells how many there are.
const TRAIN: usize = 4;
/// Space between a pill and what it leaves or reaches.
const PILL_GAP: f32 = 5.0;

/// Everything that one frame depends on.
#[derive(Clone, Copy, Debug)]
pub struct FrameInput<'a> {
    /// The state; its messages in flight are drawn.
    pub snapshot: &'a Snapshot,
    /// The last events, oldest first: those of the last second of display are enough.
    pub events: &'a [Event],
    /// The display axis at this moment.
    pub pace: &'a Pace,
    /// Elastic or even time.
    pub mode: PaceMode,
    /// The playhead on the display axis.
    pub display: Display,
    /// Simulated time.
    pub now: Time,
    /// The colors of keys.
    pub palette: &'a Palette,
    /// No travel: messages stand in the middle of their way until they arrive.
    pub reduced_motion: bool,
}

/// Draws everything that moves, at one point of the display axis.
pub fn frame(stage: &Stage, input: &FrameInput<'_>) -> DisplayList {
    let messages: Vec<Moving<'_>> =
        input.snapshot.in_flight.iter().filter_map(|message| Moving::of(stage, input, message)).collect();
    let (quiet, messages): (Vec<Moving<'_>>, Vec<Moving<'_>>) =
        messages.into_iter().partition(|moving| group::is_quiet(moving.message));
    let records: usize = messages.iter().map(|moving| moving.record_count()).sum();
    let mut items = clock::clocks(stage, input);
    items.extend(share::locks(stage, input));
    items.extend(pulse::pulses(stage, input));
    let draw = Draw { stage, input, detail: Detail::of(records) };
    items.extend(draw.pauses());
    items.extend(draw.busy());
    draw.ways(&messages, &mut items);
    items.extend(group::heartbeats(&quiet));
    items.extend(slow_links(stage, input.snapshot));
    draw.records(&messages, &mut items);
    draw.markers(&messages, &mut items);
    if stage.is_merged {
        draw.traffic(&mut items);
    }
    if messages.len() > PILLS || stage.is_merged {
        draw.grouped_pills(&messages, &mut items);
    } else {
        draw.pills(&messages, &mut items);
    }
    items.extend(draw.toasts());
    DisplayList { width: stage.width, height: stage.height, items }
}

/// How records on their way are drawn.
#[derive(Clone, Copy, PartialEq)]
enum Detail {
    Chips,
    Dots,
    Counts,
}

impl Detail {
    fn of(records: usize) -> Detail {
        match records {
            0..=CHIPS => Detail::Chips,
            _ if records <= DOTS => Detail::Dots,
            _ => Detail::Counts,
        }
    }
}

/// A message on its way.
struct Moving<'a> {
    message: &'a MessageView,
    way: [Point; 4],
    /// From 0 to 1, eased.
    place: f32,
}

impl<'a> Moving<'a> {
    fn of(stage: &Stage, input: &FrameInput<'_>, message: &'a MessageView) -> Option<Moving<'a>> {
        if !message.is_notable || stage.is_merged && is_inside_cluster(message) {
            return None;
        }
        let way = stage.way(&message.from, &message.to)?;
        let place = if input.reduced_motion {
            0.5
        } else {
            eased(input.pace.progress(input.mode, message, input.display, input.now))
        };
        Some(Moving { message, way, place })
    }

    fn record_count(&self) -> usize {
        if carries_records(self.message) {
            self.message.batches.iter().map(|batch| batch.records.len()).sum()
        } else {
            0
        }
    }

    /// Where the pill stands: a request stops at the broker's edge while its records fly on.
    fn pill_place(&self) -> f32 {
        if carries_records(self.message) { (self.place / SPREAD).min(1.0) } else { self.place }
    }
}

/// Records ride with Produce requests and with Fetch answers.
fn carries_records(message: &MessageView) -> bool {
    let carries = match (message.api, message.is_response) {
        (Api::Produce, false) | (Api::Fetch, true) => true,
        (Api::WriteTxnMarkers, false) => !message.markers.is_empty(),
        _ => false,
    };
    carries && message.error.is_none()
}

/// Messages that share a pill.
struct Group<'a> {
    first: &'a Moving<'a>,
    count: usize,
    records: usize,
    places: f32,
}

/// Which messages share a pill.
#[derive(Clone, Copy, PartialEq)]
enum By {
    /// Those between the same two nodes.
    Link,
    /// Those to the same node.
    Receiver,
    /// Those of the same client, whichever broker they are for.
    Client,
}

/// Messages that share a pill; the largest groups first.
fn groups<'a>(messages: &'a [Moving<'a>], by: By) -> Vec<Group<'a>> {
    type Key<'a> = (Option<&'a NodeId>, Option<&'a NodeId>, Api, bool);
    let is_client = |node: &NodeId| matches!(node, NodeId::Producer { .. } | NodeId::Consumer { .. });
    let mut groups: BTreeMap<Key<'_>, Group<'_>> = BTreeMap::new();
    for moving in messages {
        let message = moving.message;
        let (from, to) = match by {
            By::Link => (Some(&message.from), Some(&message.to)),
            By::Receiver => (None, Some(&message.to)),
            By::Client => {
                (Some(&message.from).filter(|one| is_client(one)), Some(&message.to).filter(|one| is_client(one)))
            }
        };
        let key = (from, to, message.api, message.is_response);
        let group = groups.entry(key).or_insert(Group { first: moving, count: 0, records: 0, places: 0.0 });
        group.count += 1;
        group.records += moving.record_count();
        group.places += moving.pill_place();
    }
    let mut groups: Vec<Group<'_>> = groups.into_values().collect();
    groups.order_by_key(|group| std::cmp::Reverse(group.count));
    groups
}

fn is_inside_cluster(message: &MessageView) -> bool {
    let is_inside = |node: &NodeId| matches!(node, NodeId::Broker { .. } | NodeId::Controller);
    is_inside(&message.from) && is_inside(&message.to)
}

/// How what a message carries moves: beside its pill or its sign at first, then straight to its goal.
struct Flight {
    from: Point,
    /// The first one stands below that point, not at it.
    is_below: bool,
    /// From 0 to 1, once it has left the message.
    place: f32,
}

impl Flight {
    fn center(&self, goal: Area, height: f32, train: usize) -> Point {
        let first = if self.is_below { height / 2.0 } else { 0.0 };
        let from = (self.from.0, self.from.1 + first + train.min(TRAIN) as f32 * height * 0.6);
        let (x, y) = goal.center();
        (from.0 + (x - from.0) * self.place, from.1 + (y - from.1) * self.place)
    }
}

/// Where the records of a batch go.
enum Goal<'a> {
    Place(Area),
    /// The lane as it will be, and how many records come.
    Lane(&'a LaneBox, Window, usize),
}

impl Goal<'_> {
    fn at(&self, index: usize) -> Area {
        match self {
            Goal::Place(area) => *area,
            Goal::Lane(lane, window, count) => lane.landed(*window, index, *count),
        }
    }
}

struct Draw<'a> {
    stage: &'a Stage,
    input: &'a FrameInput<'a>,
    detail: Detail,
}

impl Draw<'_> {
    fn pills(&self, messages: &[Moving<'_>], items: &mut Vec<Item>) {
        let mut heads = Heads::default();
        for moving in messages {
            let word = self.pill_word(moving);
            if heads::is_in_head(moving, &word) {
                items.extend(heads.add(self, moving, word, 1));
            } else {
                items.push(self.pill_at(moving, word, moving.pill_place()));
            }
        }
        items.extend(heads.items(self));
    }

    /// Where the sign of a message is whose words stand elsewhere.
    fn token(&self, moving: &Moving<'_>) -> Point {
        point_on(&moving.way, moving.pill_place())
    }

    fn pill_word(&self, moving: &Moving<'_>) -> Rc<str> {
        match (moving.record_count(), moving.message.end) {
            (_, Some(end)) => {
                let end = if end == MarkerKind::Commit { "COMMIT" } else { "ABORT" };
                format!("{} · {end}", self.word(moving.message)).into()
            }
            (0 | 1, None) => self.word(moving.message),
            (count, None) => format!("{} × {count}", self.word(moving.message)).into(),
        }
    }

    fn pill_at(&self, moving: &Moving<'_>, word: Rc<str>, place: f32) -> Item {
        let message = moving.message;
        let Area { x, y, width, height } = self.pill_area(moving, &word, place);
        let role = if message.is_response { Role::Response } else { Role::Request };
        let class = Class::new(role).mark(Mark::Bad, message.error.is_some());
        Item::new(class, Shape::Pill { x, y, width, height, text: word })
    }

    /// A pill stays between the boxes that it connects, and on the picture.
    fn pill_area(&self, moving: &Moving<'_>, word: &str, place: f32) -> Area {
        let at = point_on(&moving.way, place);
        let width = text::pill_width(word);
        let height = if moving.message.is_response { PILL_HEIGHT - 2.0 } else { PILL_HEIGHT };
        let (start, end) = (moving.way[0], moving.way[3]);
        let is_across = moving.way[0].1 == moving.way[1].1 && start.0 != end.0;
        let at = match () {
            () if is_arc(&moving.way) => at,
            () if is_across => (between(at.0, start.0, end.0, width), at.1),
            () => (at.0, between(at.1, start.1, end.1, height)),
        };
        let x = (at.0 - width / 2.0).clamp(0.0, (self.stage.width - width).max(0.0));
        let y = (at.1 - height / 2.0).clamp(0.0, (self.stage.height - height).max(0.0));
        Area::new(x, y, width, height)
    }

    /// The API's name; an answer tells its error instead, or that all went well.
    fn word(&self, message: &MessageView) -> Rc<str> {
        match &message.error {
            Some(error) => text::fit(
                &error.error.as_str().into(),
                200.0,
                crate::display::CHIP_TEXT_SIZE,
                crate::display::Face::MonoBold,
            ),
            // An answer to a follower that brings no records tells it the high watermark.
            None if message.api == Api::Fetch && message.is_response && message.batches.is_empty() => {
                self.stage.words.nothing_new.clone()
            }
            None => self.stage.words.of(message.api, message.is_response),
        }
    }

    /// One pill for all messages of a kind on one link; where even these are too many, for all to one node.
    fn grouped_pills(&self, messages: &[Moving<'_>], items: &mut Vec<Item>) {
        let mut groups = groups(messages, if self.stage.is_merged { By::Client } else { By::Link });
        if groups.len() > GROUPS {
            groups = self::groups(messages, By::Receiver);
        }
        let rest: usize = groups.iter().skip(GROUPS).map(|group| group.count).sum();
        let mut heads = Heads::default();
        for group in groups.iter().take(GROUPS) {
            let message = group.first.message;
            let word = self.word(message);
            // Fetched records are told by their number, everything else by how many messages there are.
            let number = if message.api == Api::Fetch && group.records > 0 { group.records } else { group.count };
            if heads::is_in_head(group.first, &word) {
                items.extend(heads.add(self, group.first, word, number));
                continue;
            }
            let word = if number == 1 { word } else { format!("{word} × {}", text::count(number as u64)).into() };
            items.push(self.pill_at(group.first, word, group.places / group.count as f32));
        }
        items.extend(heads.items(self));
        if let (Some(group), true) = (groups.get(GROUPS), rest > 0) {
            let word = format!("{} more", text::count(rest as u64)).into();
            items.push(self.pill_at(group.first, word, group.places / group.count as f32));
        }
    }

    /// How many messages are on their way to each broker from the others, where they cannot be told apart.
    fn traffic(&self, items: &mut Vec<Item>) {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for message in self.input.snapshot.in_flight.iter().filter(|one| one.is_notable && is_inside_cluster(one)) {
            if let NodeId::Broker { id } = message.to {
                *counts.entry(id).or_default() += 1;
            }
        }
        for (id, count) in counts {
            let Some(broker) = self.stage.broker(id) else { continue };
            let text: Rc<str> = format!("{} in flight", text::count(count)).into();
            let width = text::pill_width(&text);
            let (x, y) = (broker.area.right() - 12.0 - width, broker.area.bottom() - 26.0);
            items.push(Item::new(Role::Response, Shape::Pill { x, y, width, height: PILL_HEIGHT - 4.0, text }));
        }
    }

    /// The ways between brokers that are in use; those of clients are part of the still layer.
    fn ways(&self, messages: &[Moving<'_>], items: &mut Vec<Item>) {
        let mut drawn: Vec<[Point; 4]> = Vec::new();
        for moving in messages.iter().filter(|moving| is_inside_cluster(moving.message)) {
            let [a, b, c, d] = moving.way;
            if drawn.len() == WAYS {
                break;
            }
            if drawn.contains(&moving.way) || drawn.contains(&[d, c, b, a]) {
                continue;
            }
            drawn.push(moving.way);
            items.push(Item::new(Class::new(Role::Link).mark(Mark::Lit, true), Shape::Curve(moving.way)));
        }
    }

    fn records(&self, messages: &[Moving<'_>], items: &mut Vec<Item>) {
        if self.detail == Detail::Counts {
            return;
        }
        let first = items.len();
        for moving in messages.iter().filter(|moving| carries_records(moving.message)) {
            let mut train = 0;
            let flight = self.flight(moving);
            // Kafka's own topics have no lanes that their records could fly to.
            let is_shown = |batch: &&BatchView| self.stage.lane_of.contains_key(&batch.partition.topic);
            for batch in moving.message.batches.iter().filter(is_shown) {
                let goal = self.goal(moving, &batch.partition, batch.records.len());
                // The last ones of a batch: they are those that stay in sight on its lane.
                let count = batch.records.len();
                let first = if self.detail == Detail::Chips { count.saturating_sub(TRAIN) } else { 0 };
                for (index, record) in batch.records.iter().enumerate().skip(first) {
                    items.push(self.record(&flight, record, goal.at(index), train));
                    train += 1;
                }
            }
        }
        if self.detail == Detail::Dots {
            // Dots of one color after each other are painted at once, and which of them is above is not seen.
            items[first..].sort_unstable_by_key(|item| item.class.key);
        }
    }

    /// Markers ride with their request, and fly on to their partitions as records do.
    fn markers(&self, messages: &[Moving<'_>], items: &mut Vec<Item>) {
        if self.stage.is_merged {
            return;
        }
        let mut room = MARKERS;
        for moving in messages.iter().filter(|moving| !moving.message.is_response) {
            let Some(end) = moving.message.end else { continue };
            let flight = self.flight(moving);
            for (train, partition) in moving.message.markers.iter().enumerate().take(TRAIN.min(room)) {
                let goal = self.goal(moving, partition, 1).at(0);
                let size = 2.0 * MARKER_RADIUS;
                let (x, y) = flight.center(goal, size, train);
                items.push(diamond(Area::new(x - MARKER_RADIUS, y - MARKER_RADIUS, size, size), end, false));
                room -= 1;
            }
        }
    }

    fn record(&self, flight: &Flight, record: &Record, goal: Area, train: usize) -> Item {
        let look = self.input.palette.of(record);
        let key = look.map(|look| look.color);
        if self.detail == Detail::Chips {
            let size = (goal.width.clamp(22.0, 108.0), CHIP_HEIGHT.min(goal.height.max(16.0)));
            let center = flight.center(goal, size.1, train);
            let x = (center.0 - size.0 / 2.0).clamp(0.0, self.stage.width - size.0);
            let area = Area::new(x, (center.1 - size.1 / 2.0).max(0.0), size.0, size.1);
            let class = Class::new(Role::Chip).key(key).mark(Mark::Lit, true);
            return Item::new(class, chip(area, look, record, size.0 >= 40.0, ChipForm::Plain));
        }
        let (x, y) = flight.center(goal, 2.0 * DOT_RADIUS, train);
        let x = x.clamp(DOT_RADIUS, self.stage.width - DOT_RADIUS);
        Item::new(Class::new(Role::Dot).key(key), Shape::Circle { x, y, radius: DOT_RADIUS })
    }

    /// The way of what a message carries, beside it and then on from it.
    fn flight(&self, moving: &Moving<'_>) -> Flight {
        let word = self.pill_word(moving);
        let is_below = !heads::is_in_head(moving, &word);
        let from = if is_below {
            let pill = self.pill_area(moving, &word, moving.pill_place());
            (pill.center().0, pill.bottom() + PILL_GAP)
        } else {
            self.token(moving)
        };
        Flight { from, is_below, place: ((moving.place - SPREAD) / (1.0 - SPREAD)).clamp(0.0, 1.0) }
    }

    /// Where records of a partition will stand: after those that are on the lane, or on the reader's card.
    fn goal<'b>(&'b self, moving: &Moving<'_>, partition: &TopicPartition, count: usize) -> Goal<'b> {
        let end = moving.way[3];
        let TopicPartition { topic, partition } = partition;
        let lane = match (&moving.message.to, moving.message.is_response) {
            (NodeId::Broker { id }, true) => self.stage.replica(topic, *partition, *id),
            (_, true) => return Goal::Place(Area::new(end.0 - 11.0, end.1 - 8.0, 22.0, 16.0)),
            (_, false) => self.stage.lane(topic, *partition),
        };
        let state = partition_of(self.input.snapshot, topic, *partition);
        lane.zip(state).map_or_else(
            || Goal::Place(Area::new(end.0, end.1, 0.0, 0.0)),
            |(lane, state)| Goal::Lane(lane, lane.landing(&Log::of(lane, state), count), count),
        )
    }
}

/// A coordinate of a pill's middle, kept off both ends of its way; the middle of a way that is too short.
fn between(at: f32, start: f32, end: f32, size: f32) -> f32 {
    let (low, high) = (start.min(end) + size / 2.0 + PILL_GAP, start.max(end) - size / 2.0 - PILL_GAP);
    if low > high { (low + high) / 2.0 } else { at.clamp(low, high) }
}

/// Slow at both ends.
fn eased(place: f32) -> f32 {
    place * place * (3.0 - 2.0 * place)
}

/// Whether an event is old enough to leave no trace in a frame.
pub(crate) fn age(input: &FrameInput<'_>, event: &Event) -> Option<u64> {
    let at = input.pace.display(input.mode, event.moment)?;
    Some(input.display.saturating_sub(at))
}

/// The message that an event lost.
pub(crate) fn lost(event: &Event) -> Option<&MessageView> {
    if let EventKind::MessageLost { message } = &event.kind { Some(message) } else { None }
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
