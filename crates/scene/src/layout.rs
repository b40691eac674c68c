//! From a snapshot to a stage: places boxes so that nothing overlaps and nothing leaves the width.
//!
//! Depends on what exists, never on records, so a stage stays as it is while records flow.

use std::rc::Rc;

use engine::Snapshot;
use engine::event::Name;

use crate::display::Face;
use crate::stage::{Area, BrokerBox, CardBox, CardForm, LaneBox, LaneForm, LayoutOptions, Link, Point, Stage, bend};
use crate::text;

/// Below this width everything stands in one column.
pub const NARROW: f32 = 720.0;
/// Below this width the names of lanes stand above them.
const NAMES_ABOVE: f32 = 480.0;
/// Edges are drawn on whole boxes, so boxes keep this distance from the picture's edge.
const EDGE: f32 = 1.0;
/// Lanes with chips and rulers, at most; more become rows.
const FULL_LANES: usize = 16;
/// Rows, at most; more become tiles.
const ROW_LANES: usize = 48;
/// Tiles, at most; more partitions share tiles.
const TILES: usize = 240;
/// Cards with code, at most; more become rows.
const FULL_CARDS: usize = 4;
/// Rows of clients, at most; the rest shares one row.
const ROW_CARDS: usize = 16;
/// Links, at most; more could not be told apart.
const LINKS: usize = 16;
/// Brokers in one column, at most, when their partitions are tiles.
const TILED_BROKERS: usize = 4;

pub(crate) const CARD_HEIGHT: f32 = 152.0;
pub(crate) const CARD_ROW_HEIGHT: f32 = 36.0;
pub(crate) const READER_HEIGHT: f32 = 112.0;
const CARD_GAP: f32 = 16.0;
const BROKER_GAP: f32 = 20.0;
const BROKER_PAD: f32 = 16.0;
const BROKER_HEAD: f32 = 42.0;
const TITLE_HEIGHT: f32 = 30.0;
pub(crate) const TOPIC_HEAD: f32 = 22.0;
const LANE_HEIGHT: f32 = 40.0;
const LANE_PITCH: f32 = 70.0;
const TALL_PITCH: f32 = 92.0;
const TALL_HEAD: f32 = 22.0;
const ROW_HEIGHT: f32 = 24.0;
const ROW_PITCH: f32 = 30.0;
pub(crate) const ROW_COUNT_WIDTH: f32 = 48.0;
const TILE_HEIGHT: f32 = 40.0;
const TILE_GAP: f32 = 6.0;
/// A chip at least shows its sign and a few letters.
const CHIP_MIN: f32 = 56.0;
const CHIP_MAX: f32 = 108.0;
/// Requests need room to be seen between clients and brokers in one column.
const NARROW_GAP: f32 = 72.0;

/// Lays out a snapshot. Below [`NARROW`] pixels of width everything stands in one column.
pub fn layout(snapshot: &Snapshot, options: &LayoutOptions) -> Stage {
    let width = options.width.max(LayoutOptions::WIDTH_MIN).floor();
    let mut layout = Layout {
        stage: Stage {
            width,
            is_narrow: width < NARROW,
            language: options.language,
            chip_width: options.chip_width.clamp(CHIP_MIN, CHIP_MAX).ceil(),
            ..Stage::default()
        },
        lanes: Lanes::of(snapshot, options, width),
        snapshot,
    };
    let top = layout.title(options);
    let bottom = if layout.stage.is_narrow { layout.column(top) } else { layout.sides(top) };
    layout.stage.height = (bottom + EDGE).ceil();
    layout.links();
    layout.stage
}

/// Topics with the partitions that one broker leads.
type Led = Vec<(Name, Vec<u32>)>;

struct Layout<'a> {
    snapshot: &'a Snapshot,
    stage: Stage,
    lanes: Lanes,
}

/// How partitions are shown on this stage.
struct Lanes {
    form: LaneForm,
    chip_width: f32,
    name_width: f32,
    /// Partitions of one tile.
    tile_size: usize,
    tile_width: f32,
}

impl Lanes {
    fn of(snapshot: &Snapshot, options: &LayoutOptions, width: f32) -> Lanes {
        let count: usize = snapshot.topics.iter().map(|topic| topic.partitions.len()).sum();
        let form = match count {
            0..=FULL_LANES if width < NAMES_ABOVE => LaneForm::Tall,
            0..=FULL_LANES => LaneForm::Full,
            _ if count <= ROW_LANES => LaneForm::Row,
            _ => LaneForm::Tile,
        };
        let names = snapshot.topics.iter().map(|topic| {
            let last = topic.partitions.len().saturating_sub(1);
            text::width(&format!("{}-{last}", topic.name), 12.0, Face::Mono)
        });
        let counts = text::width("9,999 records", 11.0, Face::Sans);
        let floor = if form == LaneForm::Full { counts } else { 40.0 };
        let name_width = names.fold(floor, f32::max).min(if width < NARROW { 104.0 } else { 132.0 });
        let chip_width = match form {
            LaneForm::Row => 22.0,
            _ => options.chip_width.clamp(CHIP_MIN, if width < NAMES_ABOVE { 84.0 } else { CHIP_MAX }).ceil(),
        };
        let tile_size = count.div_ceil(TILES).max(1);
        Lanes { form, chip_width, name_width, tile_size, tile_width: if tile_size > 1 { 92.0 } else { 58.0 } }
    }
}

impl Layout<'_> {
    fn title(&mut self, options: &LayoutOptions) -> f32 {
        let Some(title) = &options.title else { return EDGE };
        let shown = text::fit(title, self.stage.width - 4.0, 13.0, Face::SansBold);
        self.stage.title = Some((shown, (EDGE + 1.0, 16.0)));
        TITLE_HEIGHT
    }

    /// Producers left, brokers right, readers at the far right if there is room, else below the brokers.
    fn sides(&mut self, top: f32) -> f32 {
        let width = self.stage.width;
        let card_width = (width * 0.25).clamp(216.0, 280.0).floor();
        let gap = (width * 0.14).clamp(104.0, 150.0).floor();
        let reader_width = 208.0;
        let left = EDGE + card_width + gap;
        let has_readers = !self.snapshot.consumers.is_empty();
        let readers_right = has_readers && width - left - reader_width - gap * 0.8 >= 460.0;
        let right = if readers_right { width - EDGE - reader_width - (gap * 0.8).floor() } else { width - EDGE };

        let mut brokers_bottom = self.brokers(left, top, right - left);
        if readers_right {
            let x = width - EDGE - reader_width;
            let bottom = self.readers_stack(x, top, reader_width);
            self.center_cards(top, brokers_bottom, bottom, false);
            brokers_bottom = brokers_bottom.max(bottom);
        } else if has_readers {
            self.readers_below(brokers_bottom);
            brokers_bottom = self.readers_grid(left, brokers_bottom + NARROW_GAP, right - left);
        }
        let lanes_bottom = self.stage.brokers.iter().map(|broker| broker.area.bottom()).fold(top, f32::max);
        let bottom = self.producers_stack(EDGE, top, card_width);
        self.center_cards(top, lanes_bottom, bottom, true);
        brokers_bottom.max(bottom)
    }

    /// Clients above, lanes below, readers at the bottom.
    fn column(&mut self, top: f32) -> f32 {
        let width = self.stage.width - 2.0 * EDGE;
        let y = self.producers_grid(EDGE, top, width);
        let y = self.brokers(EDGE, y + NARROW_GAP, width);
        if self.snapshot.consumers.is_empty() {
            return y;
        }
        self.readers_below(y);
        self.readers_grid(EDGE, y + NARROW_GAP, width)
    }

    /// What readers get leaves all brokers at the bottom of the last one, so that it crosses none.
    fn readers_below(&mut self, bottom: f32) {
        self.stage.readers_below = true;
        for broker in &mut self.stage.brokers {
            broker.reader_port = (broker.area.center().0, bottom);
        }
    }

    /// Moves a column of cards that is shorter than its neighbor to the middle of it.
    fn center_cards(&mut self, top: f32, neighbor_bottom: f32, bottom: f32, producers: bool) {
        let shift = ((neighbor_bottom - bottom) / 2.0).floor();
        if shift <= 0.0 || bottom <= top {
            return;
        }
        let cards = if producers { &mut self.stage.producers } else { &mut self.stage.readers };
        for card in cards {
            card.area.y += shift;
            card.port.1 += shift;
        }
        if producers && self.snapshot.producers.is_empty() {
            self.stage.notes.iter_mut().filter(|(_, at)| at.0 < 100.0).for_each(|(_, at)| at.1 += shift);
        }
    }

    fn producers_stack(&mut self, x: f32, top: f32, width: f32) -> f32 {
        let forms = forms(self.snapshot.producers.len());
        if forms.is_empty() {
            self.note("No producer yet.", x + 2.0, top + 20.0, width);
            return top + 32.0;
        }
        let mut y = top;
        for (index, form) in forms {
            let height = if form == CardForm::Full { CARD_HEIGHT } else { CARD_ROW_HEIGHT };
            let area = Area::new(x, y, width, height);
            self.producer(index, form, area, (area.right(), area.center().1));
            y += height + if form == CardForm::Full { CARD_GAP } else { 6.0 };
        }
        y - 6.0
    }

    fn producers_grid(&mut self, x: f32, top: f32, width: f32) -> f32 {
        let forms = forms(self.snapshot.producers.len());
        if forms.is_empty() {
            self.note("No producer yet.", x + 2.0, top + 20.0, width);
            return top + 32.0;
        }
        let cells = Grid::new(forms.len(), x, width, 250.0, CARD_GAP);
        let height = if forms[0].1 == CardForm::Full { CARD_HEIGHT } else { CARD_ROW_HEIGHT };
        let bottom = cells.bottom(top, height);
        for (at, (index, form)) in forms.into_iter().enumerate() {
            let area = cells.area(at, top, height);
            // A card above another one leaves its messages at the bottom of the block, so none crosses a card.
            self.producer(index, form, area, (area.center().0, bottom));
        }
        bottom
    }

    fn producer(&mut self, index: usize, form: CardForm, area: Area, port: Point) {
        let count = if let CardForm::More(count) = form { count } else { 1 };
        let at = self.stage.producers.len();
        for producer in &self.snapshot.producers[index..index + count] {
            self.stage.producer_of.insert(producer.name.clone(), at);
        }
        let name = &self.snapshot.producers[index].name;
        let id = if count > 1 { "producers:more".into() } else { format!("producer:{name}").into() };
        self.stage.producers.push(CardBox { index, id, area, form, port });
    }

    fn readers_stack(&mut self, x: f32, top: f32, width: f32) -> f32 {
        let mut y = top;
        for (index, form) in forms(self.snapshot.consumers.len()) {
            let height = if form == CardForm::Full { READER_HEIGHT } else { CARD_ROW_HEIGHT };
            let area = Area::new(x, y, width, height);
            self.reader(index, form, area, (area.x, area.center().1));
            y += height + if form == CardForm::Full { CARD_GAP } else { 6.0 };
        }
        y - 6.0
    }

    fn readers_grid(&mut self, x: f32, top: f32, width: f32) -> f32 {
        let forms = forms(self.snapshot.consumers.len());
        let cells = Grid::new(forms.len(), x, width, 208.0, CARD_GAP);
        let height = if forms[0].1 == CardForm::Full { READER_HEIGHT } else { CARD_ROW_HEIGHT };
        for (at, (index, form)) in forms.into_iter().enumerate() {
            let area = cells.area(at, top, height);
            self.reader(index, form, area, (area.center().0, top));
        }
        cells.bottom(top, height)
    }

    fn reader(&mut self, index: usize, form: CardForm, area: Area, port: Point) {
        let count = if let CardForm::More(count) = form { count } else { 1 };
        let at = self.stage.readers.len();
        for reader in &self.snapshot.consumers[index..index + count] {
            self.stage.reader_of.insert(reader.name.clone(), at);
        }
        let name = &self.snapshot.consumers[index].name;
        let id = if count > 1 { "consumers:more".into() } else { format!("consumer:{name}").into() };
        self.stage.readers.push(CardBox { index, id, area, form, port });
    }

    /// Every broker with the partitions that it leads, and a last container for those without a leader.
    fn brokers(&mut self, x: f32, top: f32, width: f32) -> f32 {
        let mut led: Vec<(Option<u32>, Led)> =
            self.snapshot.brokers.iter().map(|broker| (Some(broker.id), self.led_by(Some(broker.id)))).collect();
        let orphans = self.led_by(None);
        if !orphans.is_empty() {
            led.push((None, orphans));
        }
        if led.is_empty() {
            self.note("No broker yet.", x + 2.0, top + 20.0, width);
            return top + 32.0;
        }
        let columns = if self.lanes.form == LaneForm::Tile && led.len() > TILED_BROKERS {
            (((width + BROKER_GAP) / (240.0 + BROKER_GAP)).floor() as usize).clamp(1, 4)
        } else {
            1
        };
        let column_width = ((width - (columns - 1) as f32 * BROKER_GAP) / columns as f32).floor();
        let ports = Ports { top, middle_x: x + width / 2.0, is_narrow: self.stage.is_narrow };
        let mut row_top = top;
        for row in led.chunks(columns) {
            let mut row_bottom = row_top;
            for (column, (broker, topics)) in row.iter().enumerate() {
                let left = x + column as f32 * (column_width + BROKER_GAP);
                let bottom = self.broker(*broker, topics, Area::new(left, row_top, column_width, 0.0), &ports);
                row_bottom = row_bottom.max(bottom);
            }
            row_top = row_bottom + BROKER_GAP;
        }
        row_top - BROKER_GAP
    }

    /// Topics and their partitions that a broker leads.
    fn led_by(&self, broker: Option<u32>) -> Led {
        let known = |leader: u32| self.snapshot.brokers.iter().any(|broker| broker.id == leader);
        let topics = self.snapshot.topics.iter().map(|topic| {
            let led = topic.partitions.iter().filter(|one| one.leader.filter(|leader| known(*leader)) == broker);
            (topic.name.clone(), led.map(|one| one.partition).collect::<Vec<u32>>())
        });
        topics.filter(|(_, partitions)| !partitions.is_empty()).collect()
    }

    fn broker(&mut self, broker: Option<u32>, topics: &[(Name, Vec<u32>)], at: Area, ports: &Ports) -> f32 {
        let inner = Area::new(at.x + BROKER_PAD, at.y + BROKER_HEAD, at.width - 2.0 * BROKER_PAD, 0.0);
        let mut y = inner.y;
        for (topic, partitions) in topics {
            y = match self.lanes.form {
                LaneForm::Tile => self.tiles(topic, partitions, Area { y, ..inner }),
                _ => self.lanes_of(topic, partitions, Area { y, ..inner }),
            };
        }
        if topics.is_empty() {
            y = at.y + BROKER_HEAD - 2.0;
        }
        let area = Area { height: y - at.y, ..at };
        let id: Rc<str> = broker.map_or_else(|| "broker:none".into(), |id| format!("broker:{id}").into());
        let index = self.stage.brokers.len();
        if let Some(id) = broker {
            self.stage.broker_of.insert(id, index);
            if self.snapshot.brokers.iter().any(|one| one.id == id && one.is_controller) {
                self.stage.controller = Some(index);
            }
        }
        let (port, reader_port) = ports.of(area);
        self.stage.brokers.push(BrokerBox { broker, id, area, port, reader_port });
        area.bottom()
    }

    fn lanes_of(&mut self, topic: &Name, partitions: &[u32], at: Area) -> f32 {
        let mut y = at.y;
        for partition in partitions {
            let Lanes { form, chip_width, name_width, .. } = self.lanes;
            let beside = Area::new(at.x + name_width + 14.0, y, at.width - name_width - 14.0, LANE_HEIGHT);
            let (area, pitch, chip_height) = match form {
                LaneForm::Tall => (Area::new(at.x, y + TALL_HEAD, at.width, LANE_HEIGHT), TALL_PITCH, 28.0),
                LaneForm::Row => {
                    let width = beside.width - ROW_COUNT_WIDTH;
                    (Area { height: ROW_HEIGHT, width, ..beside }, ROW_PITCH, 16.0)
                }
                _ => (beside, LANE_PITCH, 28.0),
            };
            let outer = Area::new(at.x, y, at.width, pitch);
            let mut lane = self.lane(topic, &[*partition], area, outer);
            (lane.chip_width, lane.chip_height) = (chip_width, chip_height);
            self.stage.lanes.push(lane);
            y += pitch;
        }
        y + if self.lanes.form == LaneForm::Row { 8.0 } else { 0.0 }
    }

    fn tiles(&mut self, topic: &Name, partitions: &[u32], at: Area) -> f32 {
        let tiles = partitions.chunks(self.lanes.tile_size);
        let cells = Grid::new(tiles.len(), at.x, at.width, self.lanes.tile_width, TILE_GAP);
        let top = at.y + TOPIC_HEAD;
        for (index, group) in tiles.enumerate() {
            let area = cells.area(index, top, TILE_HEIGHT);
            let lane = self.lane(topic, group, area, area);
            self.stage.lanes.push(lane);
        }
        cells.bottom(top, TILE_HEIGHT) + BROKER_PAD
    }

    fn lane(&mut self, topic: &Name, partitions: &[u32], area: Area, outer: Area) -> LaneBox {
        let of_topic = self.stage.lane_of.entry(topic.clone()).or_default();
        for partition in partitions {
            let at = *partition as usize;
            if of_topic.len() <= at {
                of_topic.resize(at + 1, None);
            }
            of_topic[at] = Some(self.stage.lanes.len());
        }
        LaneBox {
            topic: topic.clone(),
            partitions: partitions.to_vec(),
            id: format!("partition:{topic}-{}", partitions[0]).into(),
            area,
            outer,
            form: self.lanes.form,
            chip_width: 22.0,
            chip_height: 16.0,
        }
    }

    fn note(&mut self, sentence: &str, x: f32, y: f32, room: f32) {
        self.stage.notes.push((text::fit(&sentence.into(), room, 13.0, Face::Sans), (x, y)));
    }

    fn links(&mut self) {
        let brokers = || self.stage.brokers.iter().enumerate().filter(|(_, broker)| broker.broker.is_some());
        if self.stage.producers.len() * brokers().count() > LINKS {
            return;
        }
        let mut links = Vec::new();
        for (producer, card) in self.stage.producers.iter().enumerate() {
            for (broker, target) in brokers() {
                // In one column all brokers share one port: one line is enough.
                let curve = bend(card.port, target.port, self.stage.is_narrow);
                if !links.iter().any(|link: &Link| link.curve == curve) {
                    links.push(Link { producer, broker, curve });
                }
            }
        }
        self.stage.links = links;
    }
}

/// Where messages enter brokers: at the side, or in one column at the top of the first one.
struct Ports {
    top: f32,
    middle_x: f32,
    is_narrow: bool,
}

impl Ports {
    fn of(&self, area: Area) -> (Point, Point) {
        if self.is_narrow {
            return ((self.middle_x, self.top), (area.right(), area.bottom()));
        }
        let y = area.y + (area.height / 2.0).floor();
        ((area.x, y), (area.right(), y))
    }
}

/// Equal cells in rows that fill a width.
struct Grid {
    count: usize,
    columns: usize,
    x: f32,
    cell_width: f32,
    gap: f32,
}

impl Grid {
    fn new(count: usize, x: f32, width: f32, cell_min: f32, gap: f32) -> Grid {
        let fitting = (((width + gap) / (cell_min + gap)).floor() as usize).max(1);
        // Cards share the width; tiles keep theirs, so that a short last row looks like the others.
        let columns = if cell_min > 100.0 { fitting.min(count.max(1)) } else { fitting };
        let cell_width = ((width - (columns - 1) as f32 * gap) / columns as f32).floor();
        Grid { count, columns, x, cell_width, gap }
    }

    fn area(&self, index: usize, top: f32, height: f32) -> Area {
        let (row, column) = (index / self.columns, index % self.columns);
        let x = self.x + column as f32 * (self.cell_width + self.gap);
        Area::new(x, top + row as f32 * (height + self.gap), self.cell_width, height)
    }

    fn bottom(&self, top: f32, height: f32) -> f32 {
        let rows = self.count.div_ceil(self.columns);
        top + rows as f32 * (height + self.gap) - self.gap
    }
}

/// Which of `count` clients are shown and how: the index of the first one in each box.
fn forms(count: usize) -> Vec<(usize, CardForm)> {
    if count <= FULL_CARDS {
        return (0..count).map(|index| (index, CardForm::Full)).collect();
    }
    let rows = if count <= ROW_CARDS { count } else { ROW_CARDS - 1 };
    let mut forms: Vec<_> = (0..rows).map(|index| (index, CardForm::Row)).collect();
    if rows < count {
        forms.push((rows, CardForm::More(count - rows)));
    }
    forms
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
