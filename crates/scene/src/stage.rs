//! The stage: where everything stands. Boxes and links in CSS pixels, without state.
//!
//! Made by `layout.rs`, read by `still.rs` and `frame.rs`. Holds no colors and no records.

use std::rc::Rc;

/// What a layout is made for.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutOptions {
    /// The room there is, in CSS pixels: 300 or more.
    pub width: f32,
    /// The heading of this side of a comparison, such as "written by Java".
    pub title: Option<Rc<str>>,
    /// Width of a chip with the longest key; see `Palette::widest_chip`.
    pub chip_width: f32,
    /// A language for the code on the producers' cards; by default the language of each client.
    pub language: Option<crate::code::Language>,
    /// Shows the line of code on producers' cards.
    pub code: bool,
}

impl LayoutOptions {
    /// Defaults for a width.
    pub fn new(width: f32) -> LayoutOptions {
        LayoutOptions { width, title: None, chip_width: 0.0, language: None, code: true }
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

/// Where everything stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// Width in pixels.
    pub width: f32,
    /// Height in pixels.
    pub height: f32,
    /// Laid out for a column: clients above, lanes below, readers at the bottom.
    pub is_narrow: bool,
}
