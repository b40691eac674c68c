//! Pictures as data: a snapshot becomes a [`Stage`], a stage and the state become display lists.
//!
//! Nothing here knows a browser, a clock or a painter: the same list is painted on a canvas, becomes
//! an SVG, and is compared as text in tests. Read the modules in this order.

pub mod display;

pub mod class;

pub mod theme;

pub mod palette;

pub mod text;

pub mod pace;

pub mod tally;

pub mod player;

pub mod log;

mod members;

mod share;

pub mod stage;

pub mod layout;

pub mod still;

pub mod frame;

pub mod svg;

pub mod tree;

pub mod shelf;

pub mod strip;

pub mod code;

pub mod comparison;

pub mod chart;

pub mod pool;

pub mod history;

#[cfg(test)]
mod sample;

pub use class::{Class, Mark, Role};
pub use display::{Anchor, ChipForm, DisplayList, Face, Item, Primitive, Shape};
pub use frame::{FrameInput, frame};
pub use layout::layout;
pub use pace::{Display, Pace, PaceMode};
pub use palette::{KeyColor, Palette};
pub use player::{Changed, Hurry, Player, seek_start};
pub use share::with_share_members;
pub use shelf::{ShelfOptions, shelf, shelf_tree};
pub use stage::{LayoutOptions, Stage, shown_topics};
pub use still::{StillOptions, still};
pub use svg::svg;
pub use tally::Tally;
pub use theme::Theme;
