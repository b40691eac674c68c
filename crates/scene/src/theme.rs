//! How a class looks: fills, edges and inks as tokens, and two themes that give the tokens colors.
//!
//! Painters, the exported SVG and the stylesheet of the stage all ask here, so they cannot differ.

use crate::class::Class;

/// A color with opacity, each part 0 to 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgba(pub u8, pub u8, pub u8, pub u8);

/// Colors for every token.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    colors: [Rgba; 24],
}

/// The look of a class, with colors resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The fill of rectangles, circles and figures.
    pub fill: Option<Rgba>,
    /// The edge of rectangles, circles, figures, lines and curves.
    pub stroke: Option<Rgba>,
    /// Width of the edge in pixels.
    pub stroke_width: f32,
    /// Lengths of dash and gap; none is solid.
    pub dash: Option<(f32, f32)>,
    /// Text.
    pub ink: Rgba,
    /// Signs of keys.
    pub glyph: Rgba,
}

impl Theme {
    /// Dark ink on light paper.
    pub fn light() -> Theme { todo!() }
    /// Light ink on dark paper.
    pub fn dark() -> Theme { todo!() }
    /// A theme whose tokens are asked one by one (name as in `tokens.css`, without dashes in front); what is
    /// not answered is taken from `base`. For forced colors and for pages that set their own.
    pub fn with(base: Theme, token: impl Fn(&str) -> Option<Rgba>) -> Theme { let _ = &token; base }
    /// The look of a class.
    pub fn look(&self, class: Class) -> Look { let _ = class; todo!() }
}

/// The rules of the stage as a stylesheet over the tokens of `tokens.css`.
pub fn stylesheet() -> String { todo!() }
