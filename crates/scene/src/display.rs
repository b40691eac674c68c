//! The display list: a picture as plain shapes in CSS pixels, y pointing down.
//!
//! A list holds no colors and no fonts by name; a painter asks `theme.rs` with the class of each item.
//! Composite shapes break into [`Primitive`]s in one place, so every painter draws the same.

use std::fmt;
use std::rc::Rc;

use crate::class::Class;
use crate::palette;

/// A picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DisplayList {
    /// Width in CSS pixels.
    pub width: f32,
    /// Height in CSS pixels.
    pub height: f32,
    /// The items, painted in this order.
    pub items: Vec<Item>,
}

/// One thing in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it looks like.
    pub shape: Shape,
    /// What it means.
    pub class: Class,
    /// Names what can be clicked and selected: `partition:events-2`, `record:0-3`.
    pub id: Option<Rc<str>>,
    /// What a screen reader says.
    pub label: Option<Rc<str>>,
    /// From 0 (gone) to 1.
    pub opacity: f32,
    /// Items inside, in the same coordinates; they move and are hidden together.
    pub children: Vec<Item>,
}

/// The end of a text that stands at its x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Left end.
    Start,
    /// Middle.
    Middle,
    /// Right end.
    End,
}

/// A typeface of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// The system's text face.
    Sans,
    /// The system's text face, semibold.
    SansBold,
    /// The monospaced face, for keys, offsets and code.
    Mono,
    /// The monospaced face, semibold.
    MonoBold,
}

/// What an item looks like.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Nothing by itself.
    Group,
    /// A rectangle with round corners.
    Rect {
        /// Left edge.
        x: f32,
        /// Top edge.
        y: f32,
        /// Width.
        width: f32,
        /// Height.
        height: f32,
        /// Corner radius.
        radius: f32,
    },
    /// A rectangle without an edge at its right side: a log goes on there.
    Open {
        /// Left edge.
        x: f32,
        /// Top edge.
        y: f32,
        /// Width.
        width: f32,
        /// Height.
        height: f32,
        /// Radius of the left corners.
        radius: f32,
    },
    /// A straight line.
    Line {
        /// Start.
        from: (f32, f32),
        /// End.
        to: (f32, f32),
    },
    /// A cubic curve: start, two control points, end.
    Curve([(f32, f32); 4]),
    /// A circle.
    Circle {
        /// Center.
        x: f32,
        /// Center.
        y: f32,
        /// Radius.
        radius: f32,
    },
    /// A square on its corner, for control records.
    Diamond {
        /// Center.
        x: f32,
        /// Center.
        y: f32,
        /// Half of its width.
        radius: f32,
    },
    /// One line of text.
    Text {
        /// The x of its anchor.
        x: f32,
        /// Its baseline.
        y: f32,
        /// The characters.
        text: Rc<str>,
        /// Size in pixels, at least 11.
        size: f32,
        /// Typeface.
        face: Face,
        /// Which end stands at x.
        anchor: Anchor,
    },
    /// The sign of a key: one of 12 figures, filled.
    Glyph {
        /// Center.
        x: f32,
        /// Center.
        y: f32,
        /// Half of its width.
        radius: f32,
        /// Which, 0 to 11.
        glyph: u8,
    },
    /// A record: a rounded box with the sign of its key and the key.
    Chip {
        /// Left edge.
        x: f32,
        /// Top edge.
        y: f32,
        /// Width.
        width: f32,
        /// Height.
        height: f32,
        /// The sign, 0 to 11; a record without a key has none.
        glyph: Option<u8>,
        /// The key, already shortened to fit; may be empty.
        text: Rc<str>,
        /// What became of it.
        form: ChipForm,
    },
    /// Lines across a rectangle, from its lower left to its upper right.
    Hatch {
        /// Left edge.
        x: f32,
        /// Top edge.
        y: f32,
        /// Width.
        width: f32,
        /// Height.
        height: f32,
    },
    /// A request or a state: a box with half-round ends and a word in its middle.
    Pill {
        /// Left edge.
        x: f32,
        /// Top edge.
        y: f32,
        /// Width.
        width: f32,
        /// Height.
        height: f32,
        /// The word, already shortened to fit.
        text: Rc<str>,
    },
}

/// How a record's chip tells what became of its transaction, beside its class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChipForm {
    /// It counts.
    #[default]
    Plain,
    /// Hatched: nobody knows yet.
    Hatched,
    /// Struck: it does not count.
    Struck,
}

/// What every painter can draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Primitive<'a> {
    /// Fill and edge of a rectangle with round corners: x, y, width, height, radius.
    Rect(f32, f32, f32, f32, f32),
    /// As `Rect`, with square right corners and no edge between them.
    Open(f32, f32, f32, f32, f32),
    /// An edge from the first to the second point.
    Line((f32, f32), (f32, f32)),
    /// An edge along a cubic curve.
    Curve([(f32, f32); 4]),
    /// Fill and edge of a circle: center x, y and radius.
    Circle(f32, f32, f32),
    /// Fill and edge of a closed figure: center x, y, radius, and its corners in units of the radius.
    Figure(f32, f32, f32, &'a [(f32, f32)]),
    /// A sign of a key, in the key's own color: center x, y, radius, and its corners in units of the radius.
    Glyph(f32, f32, f32, &'a [(f32, f32)]),
    /// Pale lines in the color of signs across a rectangle: x, y, width, height; see [`hatches`].
    Hatch(f32, f32, f32, f32),
    /// Text in the ink of its class: x, baseline, characters, size, face, anchor.
    Text(f32, f32, &'a str, f32, Face, Anchor),
}

/// Distance between two lines of a hatch, measured along an edge.
const HATCH: f32 = 7.0;
/// How much of their color the lines of a hatch have.
pub const HATCH_OPACITY: f32 = 0.38;

/// The lines of a hatch, each from its lower to its upper end.
pub fn hatches(x: f32, y: f32, width: f32, height: f32) -> impl Iterator<Item = ((f32, f32), (f32, f32))> {
    let count = ((width + height) / HATCH).ceil() as usize;
    (1..count).map(move |index| {
        // The line on which the distances from the left and from the top edge add up to this.
        let sum = index as f32 * HATCH;
        let (low, high) = (sum.min(height), (sum - width).max(0.0));
        ((x + sum - low, y + low), (x + sum - high, y + high))
    })
}

const DIAMOND: [(f32, f32); 4] = [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)];

/// Size of the text in chips and pills.
pub const CHIP_TEXT_SIZE: f32 = 11.0;
/// Space between a chip's left edge and its sign's center.
const CHIP_GLYPH_X: f32 = 12.5;
/// Space between a chip's left edge and its key, when it has a sign.
pub const CHIP_TEXT_X: f32 = 22.0;
/// Space after the key in a chip.
pub const CHIP_TEXT_END: f32 = 8.0;

impl Shape {
    /// Gives the shape to a painter, piece by piece, from back to front.
    pub fn draw(&self, paint: &mut dyn FnMut(Primitive<'_>)) {
        match self {
            Shape::Group => {}
            Shape::Rect { x, y, width, height, radius } => paint(Primitive::Rect(*x, *y, *width, *height, *radius)),
            Shape::Open { x, y, width, height, radius } => paint(Primitive::Open(*x, *y, *width, *height, *radius)),
            Shape::Line { from, to } => paint(Primitive::Line(*from, *to)),
            Shape::Curve(points) => paint(Primitive::Curve(*points)),
            Shape::Circle { x, y, radius } => paint(Primitive::Circle(*x, *y, *radius)),
            Shape::Diamond { x, y, radius } => paint(Primitive::Figure(*x, *y, *radius, &DIAMOND)),
            Shape::Text { x, y, text, size, face, anchor } => {
                paint(Primitive::Text(*x, *y, text, *size, *face, *anchor));
            }
            Shape::Glyph { x, y, radius, glyph } => draw_glyph(*x, *y, *radius, *glyph, paint),
            Shape::Chip { x, y, width, height, glyph, text, form } => {
                draw_chip((*x, *y, *width, *height), *glyph, text, *form, paint);
            }
            Shape::Hatch { x, y, width, height } => paint(Primitive::Hatch(*x, *y, *width, *height)),
            Shape::Pill { x, y, width, height, text } => {
                paint(Primitive::Rect(*x, *y, *width, *height, height / 2.0));
                let baseline = y + height / 2.0 + 4.0;
                paint(Primitive::Text(x + width / 2.0, baseline, text, CHIP_TEXT_SIZE, Face::MonoBold, Anchor::Middle));
            }
        }
    }
}

fn draw_chip(
    area: (f32, f32, f32, f32),
    glyph: Option<u8>,
    text: &str,
    form: ChipForm,
    paint: &mut dyn FnMut(Primitive<'_>),
) {
    let (x, y, width, height) = area;
    paint(Primitive::Rect(x, y, width, height, 7.0_f32.min(height / 2.0)));
    if form == ChipForm::Hatched {
        paint(Primitive::Hatch(x + 2.0, y + 2.0, width - 4.0, height - 4.0));
    }
    draw_key(area, glyph, text, paint);
    if form == ChipForm::Struck {
        let middle = y + height / 2.0;
        paint(Primitive::Line((x + 4.0, middle), (x + width - 4.0, middle)));
    }
}

/// The sign and the key inside a chip.
fn draw_key(area: (f32, f32, f32, f32), glyph: Option<u8>, text: &str, paint: &mut dyn FnMut(Primitive<'_>)) {
    let (x, y, width, height) = area;
    let middle = y + height / 2.0;
    match glyph {
        Some(glyph) if text.is_empty() => draw_glyph(x + width / 2.0, middle, 4.5_f32.min(height / 3.0), glyph, paint),
        Some(glyph) => {
            draw_glyph(x + CHIP_GLYPH_X, middle, 4.5, glyph, paint);
            paint(Primitive::Text(x + CHIP_TEXT_X, middle + 4.0, text, CHIP_TEXT_SIZE, Face::MonoBold, Anchor::Start));
        }
        None if text.is_empty() => {}
        None => {
            paint(Primitive::Text(x + width / 2.0, middle + 4.0, text, CHIP_TEXT_SIZE, Face::Mono, Anchor::Middle));
        }
    }
}

fn draw_glyph(x: f32, y: f32, radius: f32, glyph: u8, paint: &mut dyn FnMut(Primitive<'_>)) {
    paint(Primitive::Glyph(x, y, radius, palette::figure(glyph)));
}

impl Item {
    /// An item of a class, without id, label and children.
    pub fn new(class: impl Into<Class>, shape: Shape) -> Item {
        Item { shape, class: class.into(), id: None, label: None, opacity: 1.0, children: Vec::new() }
    }

    /// The same with an id.
    #[must_use]
    pub fn id(mut self, id: impl Into<Rc<str>>) -> Item {
        self.id = Some(id.into());
        self
    }

    /// The same with words for a screen reader.
    #[must_use]
    pub fn label(mut self, label: impl Into<Rc<str>>) -> Item {
        self.label = Some(label.into());
        self
    }

    /// The same, partly faded.
    #[must_use]
    pub fn opacity(mut self, opacity: f32) -> Item {
        self.opacity = opacity;
        self
    }

    /// The same with items inside.
    #[must_use]
    pub fn with(mut self, children: Vec<Item>) -> Item {
        self.children = children;
        self
    }
}

impl DisplayList {
    /// The id of the topmost item with an id whose box holds the point; boxes of text and lines do not count.
    pub fn hit(&self, x: f32, y: f32) -> Option<Rc<str>> {
        hit_among(&self.items, x, y)
    }
}

fn hit_among(items: &[Item], x: f32, y: f32) -> Option<Rc<str>> {
    items.iter().rev().find_map(|item| {
        hit_among(&item.children, x, y).or_else(|| item.id.clone().filter(|_| is_inside(&item.shape, x, y)))
    })
}

fn is_inside(shape: &Shape, px: f32, py: f32) -> bool {
    match shape {
        Shape::Rect { x, y, width, height, .. }
        | Shape::Open { x, y, width, height, .. }
        | Shape::Chip { x, y, width, height, .. }
        | Shape::Hatch { x, y, width, height }
        | Shape::Pill { x, y, width, height, .. } => (*x..=x + width).contains(&px) && (*y..=y + height).contains(&py),
        Shape::Circle { x, y, radius } | Shape::Diamond { x, y, radius } | Shape::Glyph { x, y, radius, .. } => {
            (px - x).hypot(py - y) <= *radius
        }
        _ => false,
    }
}

impl fmt::Display for DisplayList {
    /// One item a line, children indented, coordinates to a tenth of a pixel: the form that tests compare.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{} x {}", Px(self.width), Px(self.height))?;
        self.items.iter().try_for_each(|item| write_item(out, item, 0))
    }
}

fn write_item(out: &mut fmt::Formatter<'_>, item: &Item, depth: usize) -> fmt::Result {
    write!(out, "{:1$}{2}", "", depth * 2, item.class)?;
    write_shape(out, &item.shape)?;
    if let Some(id) = &item.id {
        write!(out, " #{id}")?;
    }
    if item.opacity < 1.0 {
        write!(out, " at {:.2}", item.opacity)?;
    }
    if let Some(label) = &item.label {
        write!(out, " ({label})")?;
    }
    writeln!(out)?;
    item.children.iter().try_for_each(|child| write_item(out, child, depth + 1))
}

fn write_shape(out: &mut fmt::Formatter<'_>, shape: &Shape) -> fmt::Result {
    match shape {
        Shape::Group => Ok(()),
        Shape::Rect { x, y, width, height, .. } | Shape::Open { x, y, width, height, .. } => {
            write!(out, " {},{} {}x{}", Px(*x), Px(*y), Px(*width), Px(*height))
        }
        Shape::Line { from, to } => {
            write!(out, " {},{} - {},{}", Px(from.0), Px(from.1), Px(to.0), Px(to.1))
        }
        Shape::Curve([from, _, _, to]) => {
            write!(out, " {},{} ~ {},{}", Px(from.0), Px(from.1), Px(to.0), Px(to.1))
        }
        Shape::Circle { x, y, radius } | Shape::Diamond { x, y, radius } => {
            write!(out, " {},{} r{}", Px(*x), Px(*y), Px(*radius))
        }
        Shape::Glyph { x, y, glyph, .. } => write!(out, " {},{} glyph {glyph}", Px(*x), Px(*y)),
        Shape::Text { x, y, text, .. } => write!(out, " {},{} \"{text}\"", Px(*x), Px(*y)),
        Shape::Chip { x, y, width, height, text, .. } | Shape::Pill { x, y, width, height, text } => {
            write!(out, " {},{} {}x{} \"{text}\"", Px(*x), Px(*y), Px(*width), Px(*height))
        }
        Shape::Hatch { x, y, width, height } => {
            write!(out, " {},{} {}x{} hatched", Px(*x), Px(*y), Px(*width), Px(*height))
        }
    }
}

/// A coordinate to a tenth of a pixel, without a needless ".0".
struct Px(f32);

impl fmt::Display for Px {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        if tenths % 10 == 0 {
            return write!(out, "{}", tenths / 10);
        }
        let sign = if tenths < 0 { "-" } else { "" };
        write!(out, "{sign}{}.{}", tenths.abs() / 10, tenths.abs() % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Role;

    fn list() -> DisplayList {
        let (width, height, form) = (60.0, 28.0, ChipForm::Plain);
        let chip = Shape::Chip { x: 10.0, y: 5.0, width, height, glyph: Some(1), text: "user-1".into(), form };
        let lane = Shape::Rect { x: 0.0, y: 0.0, width: 200.0, height: 40.5, radius: 8.0 };
        let children = vec![Item::new(Class::new(Role::Chip).key(Some(1)), chip).id("record:0-1")];
        let items = vec![Item::new(Role::Lane, lane).id("partition:events-0").label("events-0").with(children)];
        DisplayList { width: 200.0, height: 40.5, items }
    }

    #[test]
    fn a_list_prints_one_item_a_line() {
        let expected = "200 x 40.5\nlane 0,0 200x40.5 #partition:events-0 (events-0)\n  \
                        chip k1 10,5 60x28 \"user-1\" #record:0-1\n";
        assert_eq!(list().to_string(), expected);
    }

    #[test]
    fn the_innermost_item_is_hit() {
        let hits = [(20.0, 10.0), (150.0, 10.0), (300.0, 10.0)].map(|(x, y)| list().hit(x, y));
        assert_eq!(hits, [Some("record:0-1".into()), Some("partition:events-0".into()), None]);
    }
}
