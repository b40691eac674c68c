//! The stage: where everything stands. Boxes and ports in CSS pixels, without state.
//!
//! Made by `layout.rs`, read by `still.rs` and `frame.rs`. Holds no colors and no records.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::event::{Api, Name, NodeId};

use crate::code::Language;

/// What a layout is made for.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutOptions {
    /// The room there is, in CSS pixels: [`LayoutOptions::WIDTH_MIN`] or more.
    pub width: f32,
    /// The heading of this side of a comparison, such as "Written by Java".
    pub title: Option<Rc<str>>,
    /// Width of a chip with the longest key; see `Palette::widest_chip`. 0 if no key is known.
    pub chip_width: f32,
    /// A language for the code on the producers' cards; by default the usual one of each client.
    pub language: Option<Language>,
}

impl LayoutOptions {
    /// No stage is narrower.
    pub const WIDTH_MIN: f32 = 280.0;

    /// Defaults for a width.
    pub fn new(width: f32) -> LayoutOptions {
        LayoutOptions { width, title: None, chip_width: 0.0, language: None }
    }
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
}

impl Area {
    /// A rectangle.
    pub const fn new(x: f32, y: f32, width: f32, height: f32) -> Area {
        Area { x, y, width, height }
    }

    /// Right edge.
    pub fn right(self) -> f32 {
        self.x + self.width
    }

    /// Bottom edge.
    pub fn bottom(self) -> f32 {
        self.y + self.height
    }

    /// Whether a point lies inside.
    pub fn holds(self, x: f32, y: f32) -> bool {
        (self.x..self.right()).contains(&x) && (self.y..self.bottom()).contains(&y)
    }

    /// Middle.
    pub fn center(self) -> Point {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }
}

/// A point: x and y.
pub type Point = (f32, f32);

/// How much of a thing is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardForm {
    /// Everything.
    Full,
    /// Name and client only.
    Row,
    /// One row for all that do not fit, with their number.
    More(usize),
}

/// The card of a producer or a reader.
#[derive(Clone, Debug, PartialEq)]
pub struct CardBox {
    /// Its place in the snapshot's list; the first of many for [`CardForm::More`].
    pub index: usize,
    /// `producer:NAME` or `consumer:NAME`.
    pub id: Rc<str>,
    /// Its place.
    pub area: Area,
    /// How much is shown.
    pub form: CardForm,
    /// Where messages leave and arrive.
    pub port: Point,
}

/// A broker's container.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokerBox {
    /// Its `broker.id`; none for partitions without a leader.
    pub broker: Option<u32>,
    /// `broker:ID`.
    pub id: Rc<str>,
    /// Its place.
    pub area: Area,
    /// Where producers' messages arrive.
    pub port: Point,
    /// Where readers' messages arrive.
    pub reader_port: Point,
}

/// How a partition is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneForm {
    /// Chips with keys and an offset ruler; the name stands at the left.
    Full,
    /// As `Full`, with the name above the lane.
    Tall,
    /// A low row with signs only.
    Row,
    /// One partition or several as a counted tile.
    Tile,
}

/// A partition's lane, or a tile of one or more partitions.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneBox {
    /// The topic.
    pub topic: Name,
    /// The partitions: one for a lane, one or more for a tile, ascending.
    pub partitions: Vec<u32>,
    /// `partition:TOPIC-N`.
    pub id: Rc<str>,
    /// The lane itself, without name and ruler.
    pub area: Area,
    /// Name, lane and ruler together.
    pub outer: Area,
    /// How it is shown.
    pub form: LaneForm,
    /// Width of a chip.
    pub chip_width: f32,
    /// Height of a chip.
    pub chip_height: f32,
}

/// Space at both ends of a lane.
const LANE_PAD: f32 = 8.0;
/// Space between two chips.
const CHIP_GAP: f32 = 8.0;
/// Room for the count of records that are too old to be shown.
const OLDER_WIDTH: f32 = 46.0;
/// Room for the next offset at the open end.
const NEXT_WIDTH: f32 = 44.0;

/// Which records of a partition are on its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// How many records are shown: the last ones.
    pub shown: usize,
    /// How many are older.
    pub older: u64,
}

impl LaneBox {
    /// Distance between two chips' left edges.
    pub fn pitch(&self) -> f32 {
        self.chip_width + if self.form == LaneForm::Row { 4.0 } else { CHIP_GAP }
    }

    /// Which records are shown of `count` in the log and `at_hand` in the snapshot.
    pub fn window(&self, count: u64, at_hand: usize) -> Window {
        let at_hand = at_hand.min(usize::try_from(count).unwrap_or(usize::MAX));
        if count == at_hand as u64 && at_hand <= self.capacity(false) {
            return Window { shown: at_hand, older: 0 };
        }
        let shown = at_hand.min(self.capacity(true));
        Window { shown, older: count - shown as u64 }
    }

    /// Left edge of the chip at an index of the window; one beyond the last is the place of the next record.
    pub fn slot_x(&self, window: Window, index: usize) -> f32 {
        let start = self.area.x + LANE_PAD + if window.older > 0 { OLDER_WIDTH } else { 0.0 };
        start + index as f32 * self.pitch()
    }

    /// The chip at an index of the window.
    pub fn slot(&self, window: Window, index: usize) -> Area {
        let y = self.area.y + (self.area.height - self.chip_height) / 2.0;
        Area::new(self.slot_x(window, index), y, self.chip_width, self.chip_height)
    }

    /// Where the record at an index of a batch of `batch` records will stand, once they follow `count` others.
    pub fn landing(&self, count: u64, index: usize, batch: usize) -> Area {
        if self.form == LaneForm::Tile {
            return self.area;
        }
        let after = count + batch as u64;
        let window = self.window(after, usize::try_from(after).unwrap_or(usize::MAX));
        self.slot(window, (window.shown + index).saturating_sub(batch))
    }

    fn capacity(&self, with_older: bool) -> usize {
        let taken = LANE_PAD + NEXT_WIDTH + if with_older { OLDER_WIDTH } else { 0.0 };
        (((self.area.width - taken) / self.pitch()).floor() as usize).max(1)
    }
}

/// A connection that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Index of the producer's box.
    pub producer: usize,
    /// Index of the broker's box.
    pub broker: usize,
    /// Its curve, from the producer.
    pub curve: [Point; 4],
}

/// Words of moving pills, made once: requests by their name, answers with a mark that all went well.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Words(BTreeMap<(Api, bool), Rc<str>>);

impl Default for Words {
    fn default() -> Words {
        let apis =
            [Api::Metadata, Api::Produce, Api::Fetch, Api::CreateTopics, Api::CreatePartitions, Api::DeleteTopics];
        let mut words = BTreeMap::new();
        for api in apis {
            words.insert((api, false), format!("{api:?}").into());
            words.insert((api, true), Words::answer(api).into());
        }
        Words(words)
    }
}

impl Words {
    fn answer(api: Api) -> String {
        match api {
            Api::Produce => "ack".to_string(),
            Api::Fetch => "records".to_string(),
            api => format!("{api:?} ok"),
        }
    }

    pub(crate) fn of(&self, api: Api, is_response: bool) -> Rc<str> {
        self.0.get(&(api, is_response)).cloned().unwrap_or_else(|| Words::answer(api).into())
    }
}

/// Where everything stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// Width in pixels.
    pub width: f32,
    /// Height in pixels.
    pub height: f32,
    /// Laid out as a column: clients above, lanes below, readers at the bottom.
    pub is_narrow: bool,
    /// Readers stand below the brokers, not beside them.
    pub readers_below: bool,
    /// Width of a chip that shows a key.
    pub chip_width: f32,
    /// The heading and its baseline.
    pub title: Option<(Rc<str>, Point)>,
    /// Producers.
    pub producers: Vec<CardBox>,
    /// Brokers.
    pub brokers: Vec<BrokerBox>,
    /// Partitions, in reading order.
    pub lanes: Vec<LaneBox>,
    /// Readers.
    pub readers: Vec<CardBox>,
    /// Connections between producers and brokers; none if there would be too many to tell apart.
    pub links: Vec<Link>,
    /// Sentences where something is missing, with their left end.
    pub notes: Vec<(Rc<str>, Point)>,
    /// A language for the code on the producers' cards.
    pub language: Option<Language>,
    pub(crate) producer_of: BTreeMap<Name, usize>,
    pub(crate) reader_of: BTreeMap<Name, usize>,
    pub(crate) broker_of: BTreeMap<u32, usize>,
    pub(crate) lane_of: BTreeMap<Name, Vec<Option<usize>>>,
    pub(crate) controller: Option<usize>,
    pub(crate) words: Words,
}

impl Stage {
    /// The card of a producer.
    pub fn producer(&self, name: &str) -> Option<&CardBox> {
        self.producer_of.get(name).map(|index| &self.producers[*index])
    }

    /// The card of a reader.
    pub fn reader(&self, name: &str) -> Option<&CardBox> {
        self.reader_of.get(name).map(|index| &self.readers[*index])
    }

    /// The container of a broker.
    pub fn broker(&self, id: u32) -> Option<&BrokerBox> {
        self.broker_of.get(&id).map(|index| &self.brokers[*index])
    }

    /// The lane or tile of a partition.
    pub fn lane(&self, topic: &str, partition: u32) -> Option<&LaneBox> {
        let index = (*self.lane_of.get(topic)?.get(partition as usize)?)?;
        Some(&self.lanes[index])
    }

    /// The way of a message, as a cubic curve from its sender. None if an end is not on the stage.
    pub fn way(&self, from: &NodeId, to: &NodeId) -> Option<[Point; 4]> {
        if let (NodeId::Producer { name }, NodeId::Broker { id }) = (from, to) {
            return Some(bend(self.producer(name)?.port, self.broker(*id)?.port, self.is_narrow));
        }
        if let (NodeId::Broker { id }, NodeId::Consumer { name }) = (from, to) {
            return Some(bend(self.broker(*id)?.reader_port, self.reader(name)?.port, self.readers_below));
        }
        match (from, to) {
            (NodeId::Broker { .. }, NodeId::Producer { .. }) | (NodeId::Consumer { .. }, NodeId::Broker { .. }) => {
                self.way(to, from).map(|[a, b, c, d]| [d, c, b, a])
            }
            (NodeId::Admin, _) => self.admin_way(),
            (_, NodeId::Admin) => self.admin_way().map(|[a, b, c, d]| [d, c, b, a]),
            _ => None,
        }
    }

    /// The Admin client has no card: its requests come in over the top edge of the controller's broker.
    fn admin_way(&self) -> Option<[Point; 4]> {
        let area = self.brokers.get(self.controller.unwrap_or(0))?.area;
        let x = area.x + area.width * 0.62;
        let (top, end) = (area.y.min(14.0), area.y + 18.0);
        Some([(x, top), (x, top), (x, end), (x, end)])
    }
}

/// A curve that leaves and arrives across, or for boxes above each other upright.
pub(crate) fn bend(from: Point, to: Point, upright: bool) -> [Point; 4] {
    if upright {
        let middle = (from.1 + to.1) / 2.0;
        return [from, (from.0, middle), (to.0, middle), to];
    }
    let middle = (from.0 + to.0) / 2.0;
    [from, (middle, from.1), (middle, to.1), to]
}
