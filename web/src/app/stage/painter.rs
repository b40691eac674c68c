//! Paints a display list on a canvas, in the colors of the page's theme and at the screen's resolution.
//!
//! Knows no cluster and no clock. Custom properties are read once for each change of the theme.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use scene::theme::{Look, Rgba};
use scene::{Anchor, DisplayList, Face, Item, Primitive, Shape, Theme};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use crate::decimal::decimal;

/// A canvas with the looks that it needs.
pub struct Painter {
    canvas: HtmlCanvasElement,
    pen: Pen,
    looks: BTreeMap<u32, Brush>,
    theme: Theme,
    fonts: [String; 2],
    size: (u32, u32),
}

#[derive(Clone, Debug)]
struct Brush {
    fill: Option<String>,
    stroke: Option<String>,
    stroke_width: f64,
    dash: Option<(f32, f32)>,
    ink: String,
    glyph: String,
    hatch: String,
}

impl Painter {
    /// A painter for a canvas that is in the document.
    pub fn new(canvas: HtmlCanvasElement) -> Option<Painter> {
        let context = canvas.get_context("2d").ok().flatten()?.dyn_into().ok()?;
        let (theme, fonts) = read_theme(&canvas);
        Some(Painter { canvas, pen: Pen::new(context), looks: BTreeMap::new(), theme, fonts, size: (0, 0) })
    }

    /// Reads the colors again.
    pub fn theme_changed(&mut self) {
        (self.theme, self.fonts) = read_theme(&self.canvas);
        self.looks.clear();
        self.pen.forget();
    }

    /// The colors of the page.
    pub fn theme(&self) -> &Theme {
        &self.theme
    }

    /// Clears the canvas and paints a list.
    pub fn paint(&mut self, list: &DisplayList) {
        let ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio()).clamp(1.0, 4.0);
        let size = ((f64::from(list.width) * ratio).round() as u32, (f64::from(list.height) * ratio).round() as u32);
        if self.size != size {
            // Setting a size clears the canvas and is slow, so it is done only when needed.
            self.canvas.set_width(size.0);
            self.canvas.set_height(size.1);
            self.pen.forget();
            self.size = size;
            // Without a size of its own on the page, a canvas with more pixels than that would be shown larger.
            let style = self.canvas.style();
            for (property, length) in [("width", list.width), ("height", list.height)] {
                // A plain length is always taken.
                let _ = style.set_property(property, &format!("{length}px"));
            }
        }
        // The arguments are finite numbers, for which the transform is always taken.
        let _ = self.pen.context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
        self.pen.context.clear_rect(0.0, 0.0, list.width.into(), list.height.into());
        let mut rest = &list.items[..];
        while let Some((item, others)) = rest.split_first() {
            let alike = dots(rest);
            if alike > 1 {
                self.dots(&rest[..alike]);
                rest = &rest[alike..];
            } else {
                self.item(item, 1.0);
                rest = others;
            }
        }
    }

    /// Dots of one look, as one path: a call into the browser costs more than a dot.
    fn dots(&mut self, items: &[Item]) {
        let Some(first) = items.first() else { return };
        self.pen.alpha(1.0);
        let theme = &self.theme;
        let brush = self.looks.entry(first.class.index()).or_insert_with(|| Brush::new(theme.look(first.class)));
        let context = &self.pen.context;
        context.begin_path();
        for item in items {
            if let Shape::Circle { x, y, radius } = item.shape {
                context.move_to((x + radius).into(), y.into());
                let _ = context.arc(x.into(), y.into(), radius.into(), 0.0, std::f64::consts::TAU);
            }
        }
        fill_and_edge(&self.pen, brush);
    }

    fn item(&mut self, item: &Item, opacity: f32) {
        let opacity = opacity * item.opacity;
        if opacity <= 0.0 {
            return;
        }
        self.pen.alpha(opacity);
        let theme = &self.theme;
        let brush = self.looks.entry(item.class.index()).or_insert_with(|| Brush::new(theme.look(item.class)));
        let (pen, fonts) = (&self.pen, &self.fonts);
        item.shape.draw(&mut |primitive| draw(pen, fonts, brush, primitive));
        for child in &item.children {
            self.item(child, opacity);
        }
    }
}

/// How many circles of one look come first.
fn dots(items: &[Item]) -> usize {
    let Some(first) = items.first() else { return 0 };
    let is_alike = |item: &&Item| {
        matches!(item.shape, Shape::Circle { .. })
            && item.class == first.class
            && item.opacity >= 1.0
            && item.children.is_empty()
    };
    items.iter().take_while(is_alike).count()
}

impl Brush {
    fn new(look: Look) -> Brush {
        Brush {
            fill: look.fill.map(css),
            stroke: look.stroke.map(css),
            stroke_width: look.stroke_width.into(),
            dash: look.dash,
            ink: css(look.ink),
            glyph: css(look.glyph),
            hatch: css(faded(look.glyph)),
        }
    }
}

/// A canvas' context that is told what to draw with only when that differs from the last time: for a browser a font is
/// a style sheet to read, and a thousand records share a few.
struct Pen {
    context: CanvasRenderingContext2d,
    font: Cell<Option<(f32, Face)>>,
    fill: RefCell<String>,
    stroke: RefCell<String>,
    width: Cell<f64>,
    dash: Cell<Option<(f32, f32)>>,
    alpha: Cell<f32>,
}

impl Pen {
    fn new(context: CanvasRenderingContext2d) -> Pen {
        let (font, fill, stroke, width, dash) = Default::default();
        Pen { context, font, fill, stroke, width, dash, alpha: Cell::new(1.0) }
    }

    /// The canvas was set back, or the fonts of the page are others.
    fn forget(&self) {
        self.font.set(None);
        self.fill.borrow_mut().clear();
        self.stroke.borrow_mut().clear();
        self.width.set(0.0);
        self.dash.set(None);
        self.alpha.set(1.0);
        self.context.set_global_alpha(1.0);
        // An empty list is always taken.
        let _ = self.context.set_line_dash(&js_sys::Array::new());
    }

    fn alpha(&self, opacity: f32) {
        if self.alpha.replace(opacity) != opacity {
            self.context.set_global_alpha(opacity.into());
        }
    }

    fn font(&self, fonts: &[String; 2], size: f32, face: Face) {
        if self.font.replace(Some((size, face))) != Some((size, face)) {
            self.context.set_font(&font(fonts, size, face));
        }
    }

    fn fill(&self, color: &str) {
        if is_other(&self.fill, color) {
            self.context.set_fill_style_str(color);
        }
    }

    fn stroke(&self, color: &str, width: f64, dash: Option<(f32, f32)>) {
        if is_other(&self.stroke, color) {
            self.context.set_stroke_style_str(color);
        }
        if self.width.replace(width) != width {
            self.context.set_line_width(width);
        }
        if self.dash.replace(dash) != dash {
            let lengths = js_sys::Array::new();
            for length in dash.iter().flat_map(|(on, off)| [on, off]) {
                lengths.push(&(*length).into());
            }
            // Lengths are finite, so the list is always taken.
            let _ = self.context.set_line_dash(&lengths);
        }
    }
}

/// Whether a color differs from the one that was kept, which it replaces.
fn is_other(kept: &RefCell<String>, color: &str) -> bool {
    let mut kept = kept.borrow_mut();
    let is_other = *kept != color;
    if is_other {
        kept.clear();
        kept.push_str(color);
    }
    is_other
}

fn draw(pen: &Pen, fonts: &[String; 2], brush: &Brush, primitive: Primitive<'_>) {
    let context = &pen.context;
    match primitive {
        Primitive::Text(x, y, text, size, face, anchor) => {
            pen.font(fonts, size, face);
            context.set_text_align(match anchor {
                Anchor::Start => "left",
                Anchor::Middle => "center",
                Anchor::End => "right",
            });
            pen.fill(&brush.ink);
            // Drawing text fails only for numbers that are not finite.
            let _ = context.fill_text(text, x.into(), y.into());
        }
        Primitive::Glyph(x, y, radius, corners) => {
            figure(context, x, y, radius, corners);
            pen.fill(&brush.glyph);
            context.fill();
        }
        Primitive::Hatch(x, y, width, height) => {
            context.begin_path();
            for (from, to) in scene::display::hatches(x, y, width, height) {
                context.move_to(from.0.into(), from.1.into());
                context.line_to(to.0.into(), to.1.into());
            }
            pen.stroke(&brush.hatch, 1.0, None);
            context.stroke();
        }
        Primitive::Rect(x, y, width, height, radius) => {
            context.begin_path();
            let _ = context.round_rect_with_f64(x.into(), y.into(), width.into(), height.into(), radius.into());
            fill_and_edge(pen, brush);
        }
        Primitive::Open(x, y, width, height, radius) => {
            open_rect(context, [x, y, width, height, radius].map(f64::from));
            fill_and_edge(pen, brush);
        }
        Primitive::Circle(x, y, radius) => {
            context.begin_path();
            let _ = context.arc(x.into(), y.into(), radius.into(), 0.0, std::f64::consts::TAU);
            fill_and_edge(pen, brush);
        }
        Primitive::Figure(x, y, radius, corners) => {
            figure(context, x, y, radius, corners);
            fill_and_edge(pen, brush);
        }
        Primitive::Line(from, to) => {
            context.begin_path();
            context.move_to(from.0.into(), from.1.into());
            context.line_to(to.0.into(), to.1.into());
            edge(pen, brush);
        }
        Primitive::Curve([from, first, second, to]) => {
            context.begin_path();
            context.move_to(from.0.into(), from.1.into());
            let [first, second, to] = [first, second, to].map(|(x, y)| (f64::from(x), f64::from(y)));
            context.bezier_curve_to(first.0, first.1, second.0, second.1, to.0, to.1);
            edge(pen, brush);
        }
    }
}

/// A rectangle whose right side is open.
fn open_rect(context: &CanvasRenderingContext2d, [x, y, width, height, radius]: [f64; 5]) {
    context.begin_path();
    context.move_to(x + width, y);
    // The radius is never negative, so the arcs are always taken.
    let _ = context.arc_to(x, y, x, y + height, radius);
    let _ = context.arc_to(x, y + height, x + width, y + height, radius);
    context.line_to(x + width, y + height);
}

fn figure(context: &CanvasRenderingContext2d, x: f32, y: f32, radius: f32, corners: &[(f32, f32)]) {
    context.begin_path();
    for (index, (dx, dy)) in corners.iter().enumerate() {
        let (px, py) = (f64::from(x + dx * radius), f64::from(y + dy * radius));
        if index == 0 {
            context.move_to(px, py);
        } else {
            context.line_to(px, py);
        }
    }
    context.close_path();
}

fn fill_and_edge(pen: &Pen, brush: &Brush) {
    if let Some(fill) = &brush.fill {
        pen.fill(fill);
        pen.context.fill();
    }
    edge(pen, brush);
}

fn edge(pen: &Pen, brush: &Brush) {
    let Some(stroke) = &brush.stroke else { return };
    pen.stroke(stroke, brush.stroke_width, brush.dash);
    pen.context.stroke();
}

fn font(fonts: &[String; 2], size: f32, face: Face) -> String {
    match face {
        Face::Sans => format!("{size}px {}", fonts[0]),
        Face::SansBold => format!("600 {size}px {}", fonts[0]),
        Face::Mono => format!("{size}px {}", fonts[1]),
        Face::MonoBold => format!("600 {size}px {}", fonts[1]),
    }
}

fn faded(Rgba(red, green, blue, alpha): Rgba) -> Rgba {
    Rgba(red, green, blue, (f32::from(alpha) * scene::display::HATCH_OPACITY) as u8)
}

fn css(Rgba(red, green, blue, alpha): Rgba) -> String {
    format!("rgba({red},{green},{blue},{:.3})", f32::from(alpha) / 255.0)
}

/// The page's colors. A custom property keeps its `light-dark()`, so each is resolved by giving it to the canvas.
fn read_theme(canvas: &HtmlCanvasElement) -> (Theme, [String; 2]) {
    let style = canvas.style();
    let computed = web_sys::window().and_then(|window| window.get_computed_style(canvas).ok().flatten());
    let value = |property: &str| {
        computed.as_ref().and_then(|computed| computed.get_property_value(property).ok()).unwrap_or_default()
    };
    let theme = Theme::with(Theme::light(), |token| {
        style.set_property("color", &format!("var(--{token})")).ok()?;
        parse_color(&value("color"))
    });
    let _ = style.remove_property("color");
    let face = |name: &str, fallback: &str| {
        let face = value(name).trim().to_owned();
        if face.is_empty() { fallback.to_owned() } else { face }
    };
    (theme, [face("--sans", "sans-serif"), face("--mono", "monospace")])
}

/// A computed color: `rgb(1, 2, 3)` or `rgba(1, 2, 3, 0.5)`.
fn parse_color(text: &str) -> Option<Rgba> {
    let inner = text.strip_prefix("rgba(").or_else(|| text.strip_prefix("rgb("))?.strip_suffix(')')?;
    let mut parts = inner.split([',', ' ', '/']).filter(|part| !part.is_empty()).map(decimal);
    let mut next = || parts.next().flatten();
    let (red, green, blue) = (next()?, next()?, next()?);
    let alpha = next().unwrap_or(1.0);
    Some(Rgba(red as u8, green as u8, blue as u8, (alpha * 255.0).round() as u8))
}

#[cfg(test)]
mod tests {
    use super::{Rgba, parse_color};

    fn check(text: &str, expected: Option<Rgba>) {
        assert_eq!(parse_color(text), expected, "{text}");
    }

    #[test]
    fn computed_colors_are_read() {
        check("rgb(10, 95, 180)", Some(Rgba(10, 95, 180, 255)));
        check("rgba(10, 95, 180, 0.5)", Some(Rgba(10, 95, 180, 128)));
        check("color(srgb 0 0 0)", None);
        check("", None);
    }
}
