//! The layer that stands still: cards, brokers, lanes and the records in them.
//!
//! Changes only when the state changes; what moves is in `frame.rs`.

use std::collections::BTreeSet;
use std::rc::Rc;

use engine::Snapshot;

use crate::display::DisplayList;
use crate::palette::Palette;
use crate::stage::Stage;

/// What the still layer shows besides the state.
#[derive(Clone, Debug, Default)]
pub struct StillOptions<'a> {
    /// The colors of keys.
    pub palette: Option<&'a Palette>,
    /// The id of what is selected.
    pub selected: Option<Rc<str>>,
    /// Keys (topic and bytes) that land in another partition on the other side; see `comparison.rs`.
    pub diff: Option<&'a BTreeSet<(Rc<str>, Rc<[u8]>)>>,
}

/// Draws the state.
pub fn still(stage: &Stage, snapshot: &Snapshot, options: &StillOptions<'_>) -> DisplayList { let _ = (stage, snapshot, options); todo!() }
