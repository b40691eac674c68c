//! Brokers with the replicas that they hold: leaders first, then followers, each by topic and partition.
//!
//! A replica stays in its broker whatever happens to the process; what has no broker stands in a last box.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::event::Name;
use engine::order::{self, Order};
use engine::snapshot::PartitionSnapshot;

use super::lanes::TILED_BROKERS;
use super::{Grid, Layout};
use crate::stage::{Area, BrokerBox, LaneBox, LaneForm, LaneKind, Point, RackBox, shown_topics};

const BROKER_GAP: f32 = 20.0;
const BROKER_PAD: f32 = 16.0;
const BROKER_HEAD: f32 = 42.0;
const TOPIC_HEAD: f32 = 22.0;
const TILE_HEIGHT: f32 = 40.0;
const TILE_GAP: f32 = 6.0;
/// The square of a partition in the strip of its broker, as large as a finger's target needs with its gap.
const CELL: f32 = 22.0;
const CELL_GAP: f32 = 4.0;
/// Room for the count of partitions that have no square.
const MORE_WIDTH: f32 = 48.0;
/// Squares on one stage, at most, whatever the number of brokers and topics.
const CELLS: usize = 320;
/// The line with the number of leaders above their squares.
pub(crate) const STRIP_HEAD: f32 = 24.0;
/// The lines with the numbers of followers and of partitions without all their replicas.
pub(crate) const STRIP_FOOT: f32 = 50.0;
/// The name of a rack above its brokers, and the frame around them.
const RACK_HEAD: f32 = 24.0;
const RACK_PAD: f32 = 10.0;
/// Columns of brokers with squares: their least width, and their number.
const STRIP_WIDTH: f32 = 250.0;
const STRIP_COLUMNS: usize = 4;

/// Between the ways into two brokers of one column.
const PORT_STEP: f32 = 28.0;

/// Partitions of one topic in one broker.
pub(super) struct Held {
    pub topic: Name,
    pub kind: LaneKind,
    pub partitions: Vec<u32>,
}

/// A run of neighboring brokers: those of one rack, or one without a frame.
struct Run {
    rack: Option<Name>,
    brokers: Vec<Option<u32>>,
}

impl Layout<'_> {
    /// Every broker with what it holds, and a last container for partitions that no broker holds.
    pub(super) fn brokers(&mut self, x: f32, top: f32, width: f32) -> f32 {
        let mut ids: Vec<Option<u32>> = self.snapshot.brokers.iter().map(|broker| Some(broker.id)).collect();
        ids.order();
        if !self.held(None, false).is_empty() || !self.held(None, true).is_empty() {
            ids.push(None);
        }
        if ids.is_empty() {
            self.note("No broker yet.", x + 2.0, top + 20.0, width);
            return top + 32.0;
        }
        let width = width - self.stage.gutter;
        let ports = Ports {
            top,
            middle_x: x + width / 2.0,
            is_narrow: self.stage.is_narrow,
            // In several columns, and where messages are counted, all enter at the top.
            side_by_side: if self.lanes.form.has_records() { ids.len() } else { 0 },
        };
        let at = Area::new(x, top, width, 0.0);
        let columns = self.columns(ids.len(), width);
        let bottom = if columns > 1 { self.grid(&ids, columns, at, &ports) } else { self.framed(&ids, at, &ports) };
        if self.stage.is_merged && !self.stage.is_narrow {
            // One way for all brokers: ways to a second column would lie under the first.
            let middle = ((top + bottom) / 2.0).floor();
            for broker in &mut self.stage.brokers {
                broker.port = (x, middle);
                broker.reader_port = (x + width, middle);
            }
        }
        bottom
    }

    /// Brokers above each other, neighbors of one rack in a frame.
    fn framed(&mut self, ids: &[Option<u32>], at: Area, ports: &Ports) -> f32 {
        let runs = self.runs(ids);
        let is_framed = runs.iter().any(|run| run.rack.is_some() && run.brokers.len() > 1);
        let mut y = at.y;
        for run in runs {
            let rack = run.rack.filter(|_| is_framed);
            y = match rack {
                Some(rack) => self.rack(rack, &run.brokers, Area { y, ..at }, ports),
                None => self.stack(&run.brokers, Area { y, ..at }, ports),
            } + BROKER_GAP;
        }
        y - BROKER_GAP
    }

    fn columns(&self, brokers: usize, width: f32) -> usize {
        let fitting = |least: f32| ((width + BROKER_GAP) / (least + BROKER_GAP)).floor() as usize;
        match self.lanes.form {
            LaneForm::Cell => fitting(STRIP_WIDTH).clamp(1, STRIP_COLUMNS),
            LaneForm::Tile if brokers > TILED_BROKERS => fitting(240.0).clamp(1, STRIP_COLUMNS),
            _ => 1,
        }
    }

    fn grid(&mut self, ids: &[Option<u32>], columns: usize, at: Area, ports: &Ports) -> f32 {
        let column_width = ((at.width - (columns - 1) as f32 * BROKER_GAP) / columns as f32).floor();
        let mut row_top = at.y;
        for row in ids.chunks(columns) {
            let mut row_bottom = row_top;
            for (column, broker) in row.iter().enumerate() {
                let left = at.x + column as f32 * (column_width + BROKER_GAP);
                let bottom = self.broker(*broker, Area::new(left, row_top, column_width, 0.0), ports);
                row_bottom = row_bottom.max(bottom);
            }
            row_top = row_bottom + BROKER_GAP;
        }
        row_top - BROKER_GAP
    }

    fn stack(&mut self, ids: &[Option<u32>], at: Area, ports: &Ports) -> f32 {
        let mut y = at.y;
        for id in ids {
            y = self.broker(*id, Area { y, ..at }, ports) + BROKER_GAP;
        }
        y - BROKER_GAP
    }

    fn rack(&mut self, name: Name, ids: &[Option<u32>], at: Area, ports: &Ports) -> f32 {
        let inner = Area::new(at.x + RACK_PAD, at.y + RACK_HEAD, at.width - 2.0 * RACK_PAD, 0.0);
        let bottom = self.stack(ids, inner, ports) + RACK_PAD;
        self.stage.racks.push(RackBox { name, area: Area { height: bottom - at.y, ..at } });
        bottom
    }

    /// Neighbors of one rack together.
    fn runs(&self, ids: &[Option<u32>]) -> Vec<Run> {
        let racks: BTreeMap<u32, &Name> =
            order::map(self.snapshot.brokers.iter().filter_map(|one| Some((one.id, one.rack.as_ref()?))));
        let mut runs: Vec<Run> = Vec::new();
        for id in ids {
            let rack = id.and_then(|id| racks.get(&id)).map(|rack| Name::clone(rack));
            match runs.last_mut() {
                Some(run) if run.rack == rack && rack.is_some() => run.brokers.push(*id),
                _ => runs.push(Run { rack, brokers: vec![*id] }),
            }
        }
        runs
    }

    /// What a broker holds; what nobody holds if there is no broker. Either what has lanes, or what is quiet.
    fn held(&self, broker: Option<u32>, is_quiet: bool) -> Vec<Held> {
        let of_kind = |kind: LaneKind| {
            shown_topics(self.snapshot).filter_map(move |topic| {
                let is_here = |one: &PartitionSnapshot| self.lanes.quiet.holds(&topic.name, one.partition) == is_quiet;
                let held = topic.partitions.iter().filter(|one| is_here(one) && self.kind(one, broker) == Some(kind));
                let partitions: Vec<u32> = held.map(|one| one.partition).collect();
                (!partitions.is_empty()).then(|| Held { topic: topic.name.clone(), kind, partitions })
            })
        };
        of_kind(LaneKind::Leader).chain(of_kind(LaneKind::Follower)).collect()
    }

    /// What a broker is to a partition; none if it does not hold it.
    fn kind(&self, partition: &PartitionSnapshot, broker: Option<u32>) -> Option<LaneKind> {
        let is_known = |id: u32| self.snapshot.brokers.iter().any(|broker| broker.id == id);
        let leader = partition.leader.filter(|leader| is_known(*leader));
        let Some(broker) = broker else {
            let is_held = leader.is_some() || partition.replicas.iter().any(|id| is_known(*id));
            return (!is_held).then_some(LaneKind::Leader);
        };
        match leader {
            Some(leader) if leader == broker => Some(LaneKind::Leader),
            Some(_) if !self.lanes.is_replicated => None,
            _ => partition.replicas.contains(&broker).then_some(LaneKind::Follower),
        }
    }

    fn broker(&mut self, broker: Option<u32>, at: Area, ports: &Ports) -> f32 {
        let held = self.held(broker, false);
        let quiet = self.mains(broker, &self.held(broker, true));
        let inner = Area::new(at.x + BROKER_PAD, at.y + BROKER_HEAD, at.width - 2.0 * BROKER_PAD, 0.0);
        let y = self.seats(broker, inner);
        let mut y = self.coordinators(broker, Area { y, ..inner });
        let has_coordinators = y > inner.y;
        match self.lanes.form {
            LaneForm::Cell => y = self.strip(broker, &held, Area { y, ..inner }),
            LaneForm::Tile => {
                for topic in &held {
                    y = self.tiles(broker, topic, Area { y, ..inner });
                }
            }
            _ if self.lanes.is_leaders_only => {
                for topic in &self.mains(broker, &held) {
                    y = self.lanes_of(broker, topic, Area { y, ..inner });
                }
                y = self.quiet(broker, &quiet, Area { y, ..inner });
                y += STRIP_FOOT + 10.0;
            }
            _ => {
                for topic in &held {
                    y = self.lanes_of(broker, topic, Area { y, ..inner });
                }
                if self.lanes.form == LaneForm::Row && self.lanes.is_replicated && !held.is_empty() {
                    y += 6.0;
                }
                y = self.quiet(broker, &quiet, Area { y, ..inner });
            }
        }
        let is_counted = self.lanes.form == LaneForm::Cell || self.lanes.is_leaders_only;
        if held.is_empty() && quiet.is_empty() && !has_coordinators && !is_counted {
            y = at.y + BROKER_HEAD - 2.0;
        }
        let area = Area { height: y - at.y, ..at };
        self.push_broker(broker, area, ports);
        area.bottom()
    }

    fn push_broker(&mut self, broker: Option<u32>, area: Area, ports: &Ports) {
        let id: Rc<str> = broker.map_or_else(|| "broker:none".into(), |id| format!("broker:{id}").into());
        let index = self.stage.brokers.len();
        if let Some(id) = broker {
            self.stage.broker_of.insert(id, index);
            if self.snapshot.controller == Some(id) {
                self.stage.controller = Some(index);
            }
        }
        let (port, reader_port) = ports.of(area, index);
        let middle = area.y + (area.height / 2.0).floor();
        // Messages between brokers meet beside them, or in several columns at their middles.
        let (replica_port, head_port) = if self.stage.gutter > 0.0 {
            ((area.right(), middle), (area.right(), area.y + BROKER_HEAD / 2.0))
        } else {
            (area.center(), (area.right() - 24.0, area.y + BROKER_HEAD / 2.0))
        };
        self.stage.brokers.push(BrokerBox { broker, id, area, port, reader_port, replica_port, head_port });
    }

    fn lanes_of(&mut self, broker: Option<u32>, held: &Held, at: Area) -> f32 {
        let size = self.lanes.size(held.kind);
        let mut y = at.y;
        for partition in &held.partitions {
            let name_width = if self.lanes.form == LaneForm::Tall { 0.0 } else { self.lanes.name_width + 14.0 };
            let count_width = self.lanes.end_width();
            let lane_width = at.width - name_width - count_width - self.lanes.tabs_width();
            let area = Area::new(at.x + name_width, y + size.head, lane_width, size.height);
            let outer = Area::new(at.x, y - size.lift, at.width, size.pitch);
            let mut lane = self.lane(broker, held, &[*partition], area, outer);
            (lane.chip_width, lane.chip_height) = (self.lanes.chip_width, size.chip_height);
            self.stage.lanes.push(lane);
            y += size.pitch;
        }
        y + if self.lanes.form == LaneForm::Row && !self.lanes.is_replicated { 8.0 } else { 0.0 }
    }

    fn tiles(&mut self, broker: Option<u32>, held: &Held, at: Area) -> f32 {
        let tiles = held.partitions.chunks(self.lanes.tile_size);
        let cells = Grid::new(tiles.len(), at.x, at.width, self.lanes.tile_width, TILE_GAP);
        let top = at.y + TOPIC_HEAD;
        for (index, group) in tiles.enumerate() {
            let area = cells.area(index, top, TILE_HEIGHT);
            let lane = self.lane(broker, held, group, area, area);
            self.stage.lanes.push(lane);
        }
        cells.bottom(top, TILE_HEIGHT) + BROKER_PAD
    }

    /// One strip for all partitions that a broker leads, and room for the counts of the others.
    fn strip(&mut self, broker: Option<u32>, held: &[Held], at: Area) -> f32 {
        let mains = self.mains(broker, held);
        let size = self.lanes.tile_size;
        let groups: Vec<(&Held, &[u32])> =
            mains.iter().flat_map(|topic| topic.partitions.chunks(size).map(move |group| (topic, group))).collect();
        let most = (CELLS / self.snapshot.brokers.len().max(1)).max(1);
        let columns = (((at.width + CELL_GAP) / (CELL + CELL_GAP)).floor() as usize).max(1);
        let shown = if groups.len() > most { most - 1 } else { groups.len() };
        let top = at.y - 6.0 + STRIP_HEAD;
        let place = |index: usize| {
            let (row, column) = (index / columns, index % columns);
            let (x, y) = (at.x + column as f32 * (CELL + CELL_GAP), top + row as f32 * (CELL + CELL_GAP));
            Area::new(x, y, CELL, CELL)
        };
        for (index, (topic, group)) in groups[..shown].iter().enumerate() {
            let lane = self.lane(broker, topic, group, place(index), place(index));
            self.stage.lanes.push(lane);
        }
        let mut rows = shown.div_ceil(columns);
        let rest = &groups[shown..];
        if let Some((topic, _)) = rest.first() {
            let mut area = place(shown);
            if area.x + MORE_WIDTH > at.right() {
                area = place(rows * columns);
            }
            area.width = MORE_WIDTH.min(at.width);
            rows = rows.max(((area.y - top) / (CELL + CELL_GAP)) as usize + 1);
            self.rest(broker, topic, rest, area);
        }
        let foot = if self.lanes.is_replicated { STRIP_FOOT } else { 0.0 };
        top + rows as f32 * (CELL + CELL_GAP) + foot + 10.0
    }

    /// What stands for its partitions in a broker: what it leads, and what it holds while nobody leads.
    fn mains(&self, broker: Option<u32>, held: &[Held]) -> Vec<Held> {
        let main = held.iter().map(|topic| {
            let is_main = |one: &&u32| self.is_main(broker, topic, std::slice::from_ref(*one));
            let partitions = topic.partitions.iter().filter(is_main).copied().collect();
            Held { topic: topic.topic.clone(), kind: topic.kind, partitions }
        });
        main.filter(|topic| !topic.partitions.is_empty()).collect()
    }

    /// One box for all partitions for which there is no square.
    fn rest(&mut self, broker: Option<u32>, first: &Held, groups: &[(&Held, &[u32])], area: Area) {
        let index = self.stage.lanes.len();
        let mut count = 0;
        for (topic, group) in groups {
            self.put(broker, &topic.topic, group, index, true);
            count += group.len();
        }
        let mut lane = self.lane(broker, first, &[], area, area);
        lane.form = LaneForm::More(count);
        lane.id = broker.map_or_else(|| "broker:none:more".into(), |id| format!("broker:{id}:more").into());
        self.stage.lanes.push(lane);
    }

    pub(super) fn lane(
        &mut self,
        broker: Option<u32>,
        held: &Held,
        partitions: &[u32],
        area: Area,
        outer: Area,
    ) -> LaneBox {
        let is_main = self.is_main(broker, held, partitions);
        self.put(broker, &held.topic, partitions, self.stage.lanes.len(), is_main);
        let first = partitions.first().copied().unwrap_or_default();
        let id: Rc<str> = match broker {
            Some(broker) if !is_main => format!("replica:{}-{first}@{broker}", held.topic).into(),
            _ => format!("partition:{}-{first}", held.topic).into(),
        };
        LaneBox {
            topic: held.topic.clone(),
            partitions: partitions.to_vec(),
            id,
            broker,
            kind: held.kind,
            area,
            outer,
            form: self.lanes.form,
            chip_width: 22.0,
            chip_height: 16.0,
            tabs: self.lanes.tabs,
        }
    }

    /// The leader's lane stands for the partition; without a leader it is the one of the preferred replica.
    fn is_main(&self, broker: Option<u32>, held: &Held, partitions: &[u32]) -> bool {
        if held.kind == LaneKind::Leader {
            return true;
        }
        let partition = partitions.first().and_then(|one| crate::still::partition_of(self.snapshot, &held.topic, *one));
        partition.is_some_and(|partition| {
            let is_known = |id: &u32| self.snapshot.brokers.iter().any(|broker| broker.id == *id);
            let leads = partition.leader.as_ref().is_some_and(is_known);
            !leads && partition.replicas.iter().find(|id| is_known(id)).copied() == broker
        })
    }

    /// Remembers which lane shows the replicas of a broker.
    fn put(&mut self, broker: Option<u32>, topic: &Name, partitions: &[u32], index: usize, is_main: bool) {
        let mains = self.stage.lane_of.entry(topic.clone()).or_default();
        let replicas = self.stage.replicas_of.entry(topic.clone()).or_default();
        for partition in partitions {
            let at = *partition as usize;
            if is_main {
                mains.resize(mains.len().max(at + 1), None);
                mains[at] = Some(index);
            }
            if let Some(broker) = broker {
                replicas.resize(replicas.len().max(at + 1), Vec::new());
                replicas[at].push((broker, index));
            }
        }
    }
}

/// Where messages enter brokers: at the side, or in one column at the top of each, on ways beside each other that lead
/// behind the brokers above it.
struct Ports {
    top: f32,
    middle_x: f32,
    is_narrow: bool,
    /// Brokers with a way of their own.
    side_by_side: usize,
}

impl Ports {
    fn of(&self, area: Area, index: usize) -> (Point, Point) {
        if self.is_narrow {
            let port = if self.side_by_side > 1 {
                let step = PORT_STEP.min(area.width / (self.side_by_side + 1) as f32);
                let place = index as f32 - (self.side_by_side - 1) as f32 / 2.0;
                ((self.middle_x + place * step).round(), area.y)
            } else {
                (self.middle_x, self.top)
            };
            return (port, (area.right(), area.bottom()));
        }
        let y = area.y + (area.height / 2.0).floor();
        ((area.x, y), (area.right(), y))
    }
}
