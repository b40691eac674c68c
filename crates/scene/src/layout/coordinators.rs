//! Where the logs of transactional ids stand: on top in the box of the broker that coordinates them.
//!
//! Which ids are shown is decided in `stage/coordinator.rs`.

use super::Layout;
use crate::stage::{Area, CoordinatorBox, LaneForm, home_of, shown_transactions};

const HEIGHT: f32 = 40.0;
const GAP: f32 = 12.0;
/// The name above the lane.
const NAME_ABOVE: f32 = 20.0;
/// Below the lane: its offsets where it is open, and what was just decided.
const BELOW: f32 = 20.0;
const BELOW_CLOSED: f32 = 10.0;
/// Below this width a name stands above its lane.
const NAME_BESIDE: f32 = 420.0;

impl Layout<'_> {
    /// The logs that a broker coordinates, from a top edge on; the bottom edge of the last one.
    pub(super) fn coordinators(&mut self, broker: Option<u32>, at: Area) -> f32 {
        let Some(broker) = broker else { return at.y };
        let snapshot = self.snapshot;
        let mut y = at.y;
        for transaction in shown_transactions(snapshot, self.selected) {
            if home_of(snapshot, transaction) != Some(broker) {
                continue;
            }
            let id = format!("transaction:{}", transaction.transactional_id);
            let is_open = self.selected == Some(&id) || snapshot.transactions.len() == 1;
            let is_tall = self.lanes.form != LaneForm::Full || at.width < NAME_BESIDE;
            let (left, head) = if is_tall { (0.0, NAME_ABOVE) } else { (self.lanes.name_width + 14.0, 0.0) };
            let below = if is_open { BELOW } else { BELOW_CLOSED };
            let outer = Area::new(at.x, y, at.width, head + HEIGHT + below);
            let area = Area::new(at.x + left, y + head, at.width - left, HEIGHT);
            let transactional_id = transaction.transactional_id.clone();
            self.stage.coordinators.push(CoordinatorBox {
                transactional_id,
                id: id.into(),
                broker,
                area,
                outer,
                is_tall,
                is_open,
            });
            y += outer.height + GAP;
        }
        y
    }
}
