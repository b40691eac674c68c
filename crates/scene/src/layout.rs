//! From a snapshot to a stage: places boxes so that nothing overlaps and nothing leaves the width.
//!
//! Depends on what exists, never on records, so a stage stays as it is while records flow.

use engine::Snapshot;

use crate::stage::{LayoutOptions, Stage};

/// Lays out a snapshot. Below 720 px of width everything stands in one column.
pub fn layout(snapshot: &Snapshot, options: &LayoutOptions) -> Stage { let _ = (snapshot, options); todo!() }
