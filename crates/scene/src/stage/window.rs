//! Which records are on a lane, and where: the last ones, with room kept for offsets that have none.
//!
//! Knows offsets and widths only; the chips are drawn by `still/lane.rs`.

use super::{Area, LaneBox, LaneForm};
use crate::log::Log;

/// Space at both ends of a lane.
const LANE_PAD: f32 = 8.0;
/// Space between two chips.
const CHIP_GAP: f32 = 8.0;
/// Room for the count of records that are too old to be shown.
const OLDER_WIDTH: f32 = 46.0;
/// Room for the next offset at the open end.
const NEXT_WIDTH: f32 = 44.0;
/// Room for offsets without a record.
pub(crate) const GAP_WIDTH: f32 = 22.0;
/// Places whose gaps are remembered: more chips than fit on any lane.
const PLACES: usize = 127;

/// Which records of a partition are on its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// How many records are shown: the last ones.
    pub shown: usize,
    /// How many are older.
    pub older: u64,
    /// A bit for each place that comes after offsets without a record; the place after the last record counts.
    gaps: u128,
}

impl Window {
    /// Whether there are offsets without a record before the record at an index.
    pub fn has_gap(self, index: usize) -> bool {
        index <= PLACES && self.gaps >> index & 1 == 1
    }

    /// Gaps up to and including the one before the record at an index.
    fn gaps_until(self, index: usize) -> u32 {
        let places = index.min(PLACES) + 1;
        (self.gaps << (128 - places)).count_ones()
    }
}

impl LaneBox {
    /// Distance between two chips' left edges.
    pub fn pitch(&self) -> f32 {
        self.chip_width + if self.form == LaneForm::Row { 4.0 } else { CHIP_GAP }
    }

    /// Which records of a log are shown.
    pub fn window(&self, log: &Log<'_>) -> Window {
        self.window_of(log.record_count, log.records.len(), |index| log.has_gap_before(index))
    }

    /// Left edge of the chip at an index of the window; one beyond the last is the place of the next record.
    pub fn slot_x(&self, window: Window, index: usize) -> f32 {
        let start = self.area.x + LANE_PAD + if window.older > 0 { OLDER_WIDTH } else { 0.0 };
        start + index as f32 * self.pitch() + window.gaps_until(index) as f32 * GAP_WIDTH
    }

    /// The chip at an index of the window.
    pub fn slot(&self, window: Window, index: usize) -> Area {
        let y = self.area.y + (self.area.height - self.chip_height) / 2.0;
        Area::new(self.slot_x(window, index), y, self.chip_width, self.chip_height)
    }

    /// Which records will be shown once a batch of `batch` records is in the log as well.
    pub fn landing(&self, log: &Log<'_>, batch: usize) -> Window {
        let at_hand = log.records.len() + batch;
        let has_gap = |place: usize| place <= log.records.len() && log.has_gap_before(place);
        self.window_of(log.record_count + batch as u64, at_hand, has_gap)
    }

    /// Where the record at an index of that batch will stand.
    pub fn landed(&self, window: Window, index: usize, batch: usize) -> Area {
        if self.form.has_records() {
            self.slot(window, (window.shown + index).saturating_sub(batch))
        } else {
            self.area
        }
    }

    fn window_of(&self, count: u64, at_hand: usize, has_gap: impl Fn(usize) -> bool) -> Window {
        // A snapshot may hold more records than are counted for an instant; the last ones count.
        let skipped = at_hand.saturating_sub(usize::try_from(count).unwrap_or(usize::MAX));
        let here = at_hand - skipped;
        // A row beside members has no ruler, and no room to spare.
        let is_tight = self.form == LaneForm::Row && self.tabs > 0;
        let taken = LANE_PAD + if is_tight { CHIP_GAP } else { NEXT_WIDTH };
        let is_all = count == here as u64;
        let all = self.fitting(self.area.width - taken, at_hand, here, &has_gap);
        let shown = if is_all && all == here {
            here
        } else {
            self.fitting(self.area.width - taken - OLDER_WIDTH, at_hand, here, &has_gap).max(1).min(here)
        };
        let older = count - shown as u64;
        let first = at_hand - shown;
        // The count of older records stands where the gap before the first one would be.
        let places = (0..=shown.min(PLACES)).filter(|place| has_gap(first + place) && (*place > 0 || older == 0));
        Window { shown, older, gaps: places.fold(0, |gaps, place| gaps | 1 << place) }
    }

    /// How many of the last records fit into a width.
    fn fitting(&self, room: f32, at_hand: usize, here: usize, has_gap: &impl Fn(usize) -> bool) -> usize {
        let mut gaps = usize::from(has_gap(at_hand));
        let mut shown = 0;
        while shown < here {
            gaps += usize::from(has_gap(at_hand - shown - 1));
            if (shown + 1) as f32 * self.pitch() + gaps as f32 * GAP_WIDTH > room {
                break;
            }
            shown += 1;
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::LaneKind;

    fn lane(width: f32) -> LaneBox {
        LaneBox {
            topic: "events".into(),
            partitions: vec![0],
            id: "partition:events-0".into(),
            broker: Some(1),
            kind: LaneKind::Leader,
            area: Area::new(0.0, 0.0, width, 40.0),
            outer: Area::new(0.0, 0.0, width, 70.0),
            form: LaneForm::Full,
            chip_width: 60.0,
            chip_height: 28.0,
            tabs: 0,
        }
    }

    /// The left edges of chips with gaps before some of them.
    fn check(width: f32, count: u64, at_hand: usize, gaps: &[usize], expected: (u64, &[f32])) {
        let lane = lane(width);
        let window = lane.window_of(count, at_hand, |index| gaps.contains(&index));
        let edges: Vec<f32> = (0..window.shown).map(|index| lane.slot_x(window, index)).collect();
        assert_eq!((window.older, &*edges), expected, "{count} {at_hand} {gaps:?}");
    }

    #[test]
    fn gaps_take_room_and_stay_between_their_records() {
        check(400.0, 3, 3, &[], (0, &[8.0, 76.0, 144.0]));
        check(400.0, 3, 3, &[1], (0, &[8.0, 98.0, 166.0]));
        check(400.0, 3, 3, &[0, 2], (0, &[30.0, 98.0, 188.0]));
        check(400.0, 9, 9, &[8], (5, &[54.0, 122.0, 190.0, 280.0]));
        check(400.0, 9, 9, &[5, 8], (6, &[54.0, 122.0, 212.0]));
        check(400.0, 9, 0, &[], (9, &[]));
    }
}
