//! The stage: where everything stands. Boxes and ports in CSS pixels, without state.
//!
//! Made by `layout.rs`, read by `still.rs` and `frame.rs`. Holds no colors and no records. Which way a message
//! takes is in `stage/route.rs`, which records are on a lane in `stage/window.rs`.

mod coordinator;
mod group;
mod route;
mod window;

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::event::{Api, Name, Record, RecordId};
use engine::order;

use crate::code::Language;

pub use coordinator::{CoordinatorBox, shown_topics};
pub(crate) use coordinator::{home_of, is_transactional, shown_transactions};
pub(crate) use group::TAB_PITCH;
pub use group::{GateLine, GroupBox, SeatBox};
pub(crate) use route::{bend, is_arc, point_on, split};
pub(crate) use window::GAP_WIDTH;
pub use window::Window;

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
    /// The id of what is selected: the card of a producer opens to its buffer, a transactional id to its log.
    pub selected: Option<Rc<str>>,
}

impl LayoutOptions {
    /// No stage is narrower.
    pub const WIDTH_MIN: f32 = 280.0;

    /// Defaults for a width.
    pub fn new(width: f32) -> LayoutOptions {
        LayoutOptions { width, title: None, chip_width: 0.0, language: None, selected: None }
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
    /// A member of a group, with the partitions that it owns.
    Member,
    /// The same in one row.
    MemberRow,
    /// The same as a small square.
    MemberTile,
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
    /// A producer's card shows its buffer, its transaction and the call that waits.
    pub is_open: bool,
    /// An open card is so wide that its buffer and its call stand beside the code.
    pub is_wide: bool,
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
    /// Where messages of other brokers arrive.
    pub replica_port: Point,
    /// Where messages to the controller arrive, if this broker's process is the controller.
    pub head_port: Point,
}

/// The frame around neighboring brokers of one rack.
#[derive(Clone, Debug, PartialEq)]
pub struct RackBox {
    /// The rack.
    pub name: Name,
    /// Its place.
    pub area: Area,
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
    /// One partition or several as a small square in the strip of a broker.
    Cell,
    /// So many partitions for which there is no square.
    More(usize),
}

impl LaneForm {
    /// Whether it shows records one by one.
    pub fn has_records(self) -> bool {
        matches!(self, LaneForm::Full | LaneForm::Tall | LaneForm::Row)
    }
}

/// Whose log a lane shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    /// The leader's: the partition as clients see it.
    Leader,
    /// A follower's, or that of a replica whose partition has no leader.
    Follower,
}

/// A replica's lane, or a tile of one or more partitions.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneBox {
    /// The topic.
    pub topic: Name,
    /// The partitions: one for a lane, one or more for a tile, ascending; none for [`LaneForm::More`].
    pub partitions: Vec<u32>,
    /// `partition:TOPIC-N`, or `replica:TOPIC-N@BROKER` for a follower beside the leader.
    pub id: Rc<str>,
    /// The broker that holds the log; none if no broker on the stage does.
    pub broker: Option<u32>,
    /// Leader or follower.
    pub kind: LaneKind,
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
    /// Tabs of owners at its right end, at most.
    pub tabs: usize,
}

impl LaneBox {
    /// `record:PRODUCER-NUMBER`, with `@BROKER` for a copy in a follower's lane.
    pub fn record_id(&self, record: &Record) -> Rc<str> {
        let RecordId { producer, number } = record.id;
        match (self.kind, self.broker) {
            (LaneKind::Follower, Some(broker)) => format!("record:{producer}-{number}@{broker}").into(),
            _ => format!("record:{producer}-{number}").into(),
        }
    }

    /// `marker:TOPIC-N@OFFSET`, with `@BROKER` for a copy in a follower's lane.
    pub fn marker_id(&self, offset: u64) -> Rc<str> {
        let name = format!("marker:{}-{}@{offset}", self.topic, self.partitions.first().copied().unwrap_or_default());
        match (self.kind, self.broker) {
            (LaneKind::Follower, Some(broker)) => format!("{name}@{broker}").into(),
            _ => name.into(),
        }
    }
}

/// Where the name of a topic stands before the boxes of its quiet partitions.
#[derive(Clone, Debug, PartialEq)]
pub struct QuietBox {
    /// The topic.
    pub topic: Name,
    /// The broker that holds them; none if no broker on the stage does.
    pub broker: Option<u32>,
    /// Room for the name.
    pub area: Area,
    /// The name ends where those of lanes do.
    pub is_beside: bool,
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
pub(crate) struct Words {
    by_api: BTreeMap<(Api, bool), Rc<str>>,
    /// An answer to a fetch that brings no records.
    pub(crate) nothing_new: Rc<str>,
}

/// Every API that moves over a stage.
const APIS: [Api; 28] = [
    Api::Metadata,
    Api::Produce,
    Api::Fetch,
    Api::CreateTopics,
    Api::CreatePartitions,
    Api::DeleteTopics,
    Api::IncrementalAlterConfigs,
    Api::DeleteRecords,
    Api::AlterPartitionReassignments,
    Api::ElectLeaders,
    Api::AlterPartition,
    Api::BrokerRegistration,
    Api::BrokerHeartbeat,
    Api::InitProducerId,
    Api::ListOffsets,
    Api::FindCoordinator,
    Api::AddPartitionsToTxn,
    Api::AddOffsetsToTxn,
    Api::EndTxn,
    Api::WriteTxnMarkers,
    Api::TxnOffsetCommit,
    Api::JoinGroup,
    Api::SyncGroup,
    Api::Heartbeat,
    Api::LeaveGroup,
    Api::OffsetCommit,
    Api::OffsetFetch,
    Api::ConsumerGroupHeartbeat,
];

impl Default for Words {
    fn default() -> Words {
        let requests = APIS.into_iter().map(|api| ((api, false), format!("{api:?}").into()));
        let answers = APIS.into_iter().map(|api| ((api, true), Words::answer(api).into()));
        Words { by_api: order::map(requests.chain(answers)), nothing_new: "Fetch ok".into() }
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
        self.by_api.get(&(api, is_response)).cloned().unwrap_or_else(|| Words::answer(api).into())
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
    /// Partitions have followers, and lanes of theirs.
    pub is_replicated: bool,
    /// Producers with a `transactional.id` are on it, or a coordinator knows one.
    pub is_transactional: bool,
    /// Partitions are squares and messages are counted, since there are too many to tell apart.
    pub is_merged: bool,
    /// Only leaders have lanes, and followers are counted, since lanes for all would be too many to look at.
    pub is_leaders_only: bool,
    /// Room at the right of the brokers for messages between them; 0 if they stand in several columns.
    pub gutter: f32,
    /// Brokers.
    pub brokers: Vec<BrokerBox>,
    /// Frames around brokers of one rack; none if no two neighbors share one.
    pub racks: Vec<RackBox>,
    /// Partitions, in reading order.
    pub lanes: Vec<LaneBox>,
    /// Names before the boxes of partitions that nobody has written to; these boxes are among the lanes.
    pub quiet: Vec<QuietBox>,
    /// Logs of transactional ids in the brokers that coordinate them.
    pub coordinators: Vec<CoordinatorBox>,
    /// Readers, and members of groups.
    pub readers: Vec<CardBox>,
    /// Groups.
    pub groups: Vec<GroupBox>,
    /// Groups in the brokers that coordinate them.
    pub seats: Vec<SeatBox>,
    /// Partitions are called `p0` instead of `events-0`: there is one topic, and little room.
    pub has_short_names: bool,
    /// Connections between producers and brokers; none if there would be too many to tell apart.
    pub links: Vec<Link>,
    /// Ways between brokers that stand above each other.
    pub wires: Vec<[Point; 4]>,
    /// Sentences where something is missing, with their left end.
    pub notes: Vec<(Rc<str>, Point)>,
    /// A language for the code on the producers' cards.
    pub language: Option<Language>,
    pub(crate) producer_of: BTreeMap<Name, usize>,
    pub(crate) reader_of: BTreeMap<Name, usize>,
    pub(crate) broker_of: BTreeMap<u32, usize>,
    pub(crate) lane_of: BTreeMap<Name, Vec<Option<usize>>>,
    /// The lanes of a partition's replicas: topic, partition, and broker with the lane's index.
    pub(crate) replicas_of: BTreeMap<Name, Vec<Vec<(u32, usize)>>>,
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

    /// The box of a group.
    pub fn group(&self, group: &str) -> Option<&GroupBox> {
        self.groups.iter().find(|one| &*one.group == group)
    }

    /// The coordinator's log of a transactional id.
    pub fn coordinator(&self, transactional_id: &str) -> Option<&CoordinatorBox> {
        self.coordinators.iter().find(|one| &*one.transactional_id == transactional_id)
    }

    /// The lane or tile of a partition.
    pub fn lane(&self, topic: &str, partition: u32) -> Option<&LaneBox> {
        let index = (*self.lane_of.get(topic)?.get(partition as usize)?)?;
        Some(&self.lanes[index])
    }

    /// The lane of a replica.
    pub fn replica(&self, topic: &str, partition: u32, broker: u32) -> Option<&LaneBox> {
        let replicas = self.replicas_of.get(topic)?.get(partition as usize)?;
        let (_, index) = replicas.iter().find(|(holder, _)| *holder == broker)?;
        Some(&self.lanes[*index])
    }
}
