//! How partitions and their replicas are shown on a stage: as lanes, rows, tiles or squares, by their number.
//!
//! Sizes only; `brokers.rs` puts them into their brokers.

use engine::Snapshot;
use engine::event::Name;
use engine::snapshot::PartitionSnapshot;

use super::groups::{Arrangement, NAMES_MAX, NAMES_NARROW};
use super::quiet::Quiet;
use super::{CHIP_MAX, CHIP_MIN, NAMES_ABOVE};
use crate::display::Face;
use crate::stage::{LaneForm, LaneKind, LayoutOptions, TAB_PITCH, is_transactional, shown_topics, shown_transactions};
use crate::still::identity_words;
use crate::text;

/// Lanes with chips and rulers, at most, where partitions have no followers; more become rows.
const FULL_LANES: usize = 16;
/// Rows, at most; more become tiles.
const ROW_LANES: usize = 48;
/// Height of all lanes with followers, at most, in pixels; beyond it they become rows.
const FULL_HEIGHT: f32 = 720.0;
/// The same of rows; beyond it leaders alone have rows, and with more of those partitions become squares.
const ROWS_HEIGHT: f32 = 1_100.0;
/// Columns at the right of lanes: tags, short tags or counts, and counts alone.
const TAG_WIDTH: f32 = 108.0;
const SHORT_TAG_WIDTH: f32 = 72.0;
const COUNT_WIDTH: f32 = 48.0;
/// Room at the right of brokers for the wires between them.
const GUTTER: f32 = 34.0;
/// The column of names takes at most so much of the width, within bounds.
const NAMES_SHARE: f32 = 0.24;
/// The sign of a coordinator before its name.
pub(crate) const CROWN_WIDTH: f32 = 18.0;
/// Tiles, at most; more partitions share tiles.
const TILES: usize = 240;
/// Brokers whose partitions are tiles, at most; with more they are squares.
pub(super) const TILED_BROKERS: usize = 4;

/// How partitions are shown on one stage.
pub(super) struct Lanes {
    pub form: LaneForm,
    pub is_replicated: bool,
    /// Only leaders have lanes; followers are counted below them.
    pub is_leaders_only: bool,
    /// Brokers send each other what is worth seeing: records, or markers of transactions.
    pub has_traffic: bool,
    pub chip_width: f32,
    pub name_width: f32,
    /// Partitions of one tile or square.
    pub tile_size: usize,
    pub tile_width: f32,
    /// Partitions that have boxes instead of lanes.
    pub quiet: Quiet,
    /// Tabs of owners at the right end of each leader's lane.
    pub tabs: usize,
    /// Names without their topic.
    pub has_short_names: bool,
    /// Rows stand in little room beside members.
    is_compact: bool,
}

/// What one lane takes.
#[derive(Clone, Copy)]
pub(super) struct LaneSize {
    /// Space above the lane for its name or the letters of its flags.
    pub head: f32,
    /// The letters of its flags rise so far above that space.
    pub lift: f32,
    pub height: f32,
    /// From lane to lane.
    pub pitch: f32,
    pub chip_height: f32,
}

impl Lanes {
    pub fn of(
        snapshot: &Snapshot,
        options: &LayoutOptions,
        width: f32,
        arrangement: Arrangement,
        tabs: usize,
    ) -> Lanes {
        let is_compact = arrangement == Arrangement::Compact;
        let is_replicated = is_replicated(snapshot);
        let shape = |quiet: &Quiet| {
            let topics = shown_topics(snapshot);
            let partitions = {
                let is_lane = |topic: &Name, one: &&PartitionSnapshot| !quiet.holds(topic, one.partition);
                topics.flat_map(move |topic| topic.partitions.iter().filter(move |one| is_lane(&topic.name, one)))
            };
            let (mut count, mut followers) = (0, 0);
            for partition in partitions {
                count += 1;
                followers += if is_replicated { follower_count(partition) } else { 0 };
            }
            (count, form(count, followers, snapshot.brokers.len(), width))
        };
        let mut quiet = Quiet::of(snapshot, options.selected.as_deref());
        let (mut count, (mut form, mut is_leaders_only)) = shape(&quiet);
        if !form.has_records() {
            // Among tiles and squares there is no need for boxes.
            quiet = Quiet::default();
            (count, (form, is_leaders_only)) = shape(&quiet);
        }
        if is_compact && form.has_records() {
            form = LaneForm::Row;
        }
        let has_short_names = is_compact && form.has_records() && shown_topics(snapshot).count() == 1;
        let chip_width = match form {
            LaneForm::Row => 22.0,
            _ => options.chip_width.clamp(CHIP_MIN, if width < NAMES_ABOVE { 84.0 } else { CHIP_MAX }).ceil(),
        };
        let tile_size = count.div_ceil(TILES).max(1);
        Lanes {
            form,
            is_replicated,
            is_leaders_only,
            chip_width,
            name_width: match arrangement {
                _ if has_short_names => short_name_width(snapshot),
                Arrangement::Plain => name_width(snapshot, form, width),
                _ if form == LaneForm::Row && width < NAMES_ABOVE => {
                    name_width(snapshot, form, width).min(NAMES_NARROW)
                }
                _ => name_width(snapshot, form, width).min(NAMES_MAX),
            },
            tabs,
            has_short_names,
            is_compact,
            has_traffic: has_traffic(snapshot),
            tile_size,
            tile_width: if tile_size > 1 { 92.0 } else { 58.0 },
            quiet,
        }
    }

    pub fn size(&self, kind: LaneKind) -> LaneSize {
        let size = |head, lift, height, pitch, chip_height| LaneSize { head, lift, height, pitch, chip_height };
        match (self.form, kind) {
            (LaneForm::Tall, LaneKind::Leader) => size(28.0, 0.0, 40.0, 98.0, 28.0),
            (LaneForm::Tall, LaneKind::Follower) => size(30.0, 0.0, 24.0, 62.0, 16.0),
            (LaneForm::Row, LaneKind::Leader) if self.is_compact => size(0.0, 0.0, 30.0, 40.0, 18.0),
            (LaneForm::Row, LaneKind::Leader) => size(0.0, 0.0, 24.0, 30.0, 16.0),
            (LaneForm::Row, LaneKind::Follower) => size(0.0, 0.0, 16.0, 22.0, 10.0),
            (_, LaneKind::Leader) => size(0.0, 10.0, 40.0, 70.0, 28.0),
            (_, LaneKind::Follower) => size(8.0, 4.0, 24.0, 42.0, 16.0),
        }
    }

    /// Room at the right of a lane: for tags where there are followers, else for the count of a row.
    pub fn end_width(&self) -> f32 {
        match self.form {
            LaneForm::Full if self.is_replicated => TAG_WIDTH,
            LaneForm::Row if self.is_replicated => SHORT_TAG_WIDTH,
            LaneForm::Row if self.is_compact => 0.0,
            LaneForm::Row => COUNT_WIDTH,
            _ => 0.0,
        }
    }

    /// Room for the tabs between a lane and what stands at its right.
    pub fn tabs_width(&self) -> f32 {
        self.tabs as f32 * TAB_PITCH
    }

    /// Room at the right of brokers that stand above each other.
    pub fn gutter(&self, brokers: usize, width: f32) -> f32 {
        match self.form {
            _ if !self.has_traffic || brokers < 2 => 0.0,
            LaneForm::Tile | LaneForm::Cell | LaneForm::More(_) => 0.0,
            _ if width < NAMES_ABOVE => 22.0,
            _ => GUTTER,
        }
    }
}

/// The form, and whether only leaders have it.
fn form(count: usize, followers: usize, brokers: usize, width: f32) -> (LaneForm, bool) {
    let full = if width < NAMES_ABOVE { LaneForm::Tall } else { LaneForm::Full };
    if followers == 0 {
        let form = match count {
            0..=FULL_LANES => full,
            _ if count <= ROW_LANES => LaneForm::Row,
            _ if brokers <= TILED_BROKERS => LaneForm::Tile,
            _ => LaneForm::Cell,
        };
        return (form, false);
    }
    // Measured as on a wide stage: what is told does not depend on the width.
    let height = |leader: f32, follower: f32| count as f32 * leader + followers as f32 * follower;
    match () {
        () if height(70.0, 42.0) <= FULL_HEIGHT => (full, false),
        () if height(30.0, 22.0) <= ROWS_HEIGHT => (LaneForm::Row, false),
        () if height(30.0, 0.0) <= FULL_HEIGHT && brokers <= TILED_BROKERS => (LaneForm::Row, true),
        () => (LaneForm::Cell, false),
    }
}

/// The column of names at the left of lanes: as wide as the longest name, within bounds.
fn name_width(snapshot: &Snapshot, form: LaneForm, width: f32) -> f32 {
    let ids = shown_transactions(snapshot, None).map(|one| {
        let id = text::width(&one.transactional_id, 12.0, Face::Mono) + CROWN_WIDTH;
        id.max(text::width(&identity_words(one), 11.0, Face::Sans))
    });
    let names = shown_topics(snapshot).map(|topic| {
        let last = topic.partitions.len().saturating_sub(1);
        text::width(&format!("{}-{last}", topic.name), 12.0, Face::Mono)
    });
    let counts = text::width("9,999 records", 11.0, Face::Sans);
    let floor = if form == LaneForm::Full { counts } else { 40.0 };
    names.chain(ids).fold(floor, f32::max).min((width * NAMES_SHARE).clamp(104.0, 150.0))
}

/// The column of names without their topic.
fn short_name_width(snapshot: &Snapshot) -> f32 {
    let most = shown_topics(snapshot).map(|topic| topic.partitions.len().saturating_sub(1)).max().unwrap_or_default();
    text::width(&format!("p{most}"), 12.0, Face::Mono).ceil()
}

/// Whether brokers send each other what is worth seeing: records, or markers of transactions.
pub(super) fn has_traffic(snapshot: &Snapshot) -> bool {
    is_replicated(snapshot) || is_transactional(snapshot)
}

/// Whether partitions have replicas beside their leaders.
pub(super) fn is_replicated(snapshot: &Snapshot) -> bool {
    shown_topics(snapshot).flat_map(|topic| &topic.partitions).any(has_followers)
}

fn has_followers(partition: &PartitionSnapshot) -> bool {
    partition.replicas.len() > 1 || partition.logs.len() > 1
}

fn follower_count(partition: &PartitionSnapshot) -> usize {
    partition.replicas.len().saturating_sub(1)
}
