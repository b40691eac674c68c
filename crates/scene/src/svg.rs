//! A picture as a standalone SVG, with colors resolved.
//!
//! Paints nothing itself; the file needs no stylesheet and no font file.

use std::fmt::Write as _;

use crate::class::Role;
use crate::display::{Anchor, DisplayList, Face, HATCH_OPACITY, Item, Primitive, hatches};
use crate::theme::{Look, Rgba, Theme};

const SANS: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";
const MONO: &str = "ui-monospace, 'SF Mono', 'Cascadia Mono', 'JetBrains Mono', Menlo, Consolas, monospace";
/// White space around the picture.
const MARGIN: f32 = 16.0;

/// The lists on top of each other as one SVG document.
///
/// ```
/// let document = scene::svg(&[&scene::DisplayList::default()], &scene::Theme::light());
/// assert!(document.starts_with("<svg xmlns="));
/// ```
pub fn svg(lists: &[&DisplayList], theme: &Theme) -> String {
    let width = lists.iter().map(|list| list.width).fold(0.0, f32::max) + 2.0 * MARGIN;
    let height = lists.iter().map(|list| list.height).fold(0.0, f32::max) + 2.0 * MARGIN;
    let mut out = String::new();
    let _ = write!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="{} {} {width} {height}">"#,
        -MARGIN, -MARGIN,
    );
    let paper = theme.look(Role::Paper.into()).fill.map_or_else(|| "none".to_string(), Rgba::css);
    let _ = write!(out, r#"<rect x="{}" y="{}" width="{width}" height="{height}" fill="{paper}"/>"#, -MARGIN, -MARGIN);
    for item in lists.iter().flat_map(|list| &list.items) {
        write_item(&mut out, item, theme);
    }
    out.push_str("</svg>");
    out
}

fn write_item(out: &mut String, item: &Item, theme: &Theme) {
    let is_group = item.label.is_some() || item.opacity < 1.0 || !item.children.is_empty();
    if is_group {
        out.push_str("<g");
        if item.opacity < 1.0 {
            let _ = write!(out, r#" opacity="{:.2}""#, item.opacity);
        }
        out.push('>');
    }
    if let Some(label) = &item.label {
        let _ = write!(out, "<title>{}</title>", Escaped(label));
    }
    let look = theme.look(item.class);
    item.shape.draw(&mut |primitive| write_primitive(out, &primitive, &look));
    item.children.iter().for_each(|child| write_item(out, child, theme));
    if is_group {
        out.push_str("</g>");
    }
}

fn write_primitive(out: &mut String, primitive: &Primitive<'_>, look: &Look) {
    let paint = Paint(look);
    let _ = match *primitive {
        Primitive::Rect(x, y, width, height, radius) => {
            write!(
                out,
                r#"<rect x="{}" y="{}" width="{}" height="{}" rx="{}"{paint}/>"#,
                Px(x),
                Px(y),
                Px(width),
                Px(height),
                Px(radius)
            )
        }
        Primitive::Open(x, y, width, height, radius) => write_open(out, (x, y, width, height, radius), look),
        Primitive::Line((x1, y1), (x2, y2)) => {
            write!(out, r#"<line x1="{}" y1="{}" x2="{}" y2="{}"{paint}/>"#, Px(x1), Px(y1), Px(x2), Px(y2))
        }
        Primitive::Curve([a, b, c, d]) => {
            write!(
                out,
                r#"<path d="M{} {}C{} {} {} {} {} {}"{paint}/>"#,
                Px(a.0),
                Px(a.1),
                Px(b.0),
                Px(b.1),
                Px(c.0),
                Px(c.1),
                Px(d.0),
                Px(d.1)
            )
        }
        Primitive::Circle(x, y, radius) => {
            write!(out, r#"<circle cx="{}" cy="{}" r="{}"{paint}/>"#, Px(x), Px(y), Px(radius))
        }
        Primitive::Figure(x, y, radius, corners) => {
            write!(out, r#"<path d="{}"{paint}/>"#, Corners(x, y, radius, corners))
        }
        Primitive::Glyph(x, y, radius, corners) => {
            write!(out, r#"<path d="{}" fill="{}"/>"#, Corners(x, y, radius, corners), look.glyph.css())
        }
        Primitive::Hatch(x, y, width, height) => write_hatch(out, (x, y, width, height), look),
        Primitive::Text(x, y, text, size, face, anchor) => write_text(out, (x, y), text, size, face, anchor, look.ink),
    };
}

/// The fill and the edge are two figures: the edge leaves the right side out.
fn write_open(out: &mut String, area: (f32, f32, f32, f32, f32), look: &Look) -> std::fmt::Result {
    let (x, y, width, height, radius) = area;
    let path = format!(
        "M{} {}H{}A{r} {r} 0 0 0 {} {}V{}A{r} {r} 0 0 0 {} {}H{}",
        Px(x + width),
        Px(y),
        Px(x + radius),
        Px(x),
        Px(y + radius),
        Px(y + height - radius),
        Px(x + radius),
        Px(y + height),
        Px(x + width),
        r = Px(radius),
    );
    write!(out, r#"<path d="{path}"{}/>"#, Paint(look))
}

fn write_hatch(out: &mut String, (x, y, width, height): (f32, f32, f32, f32), look: &Look) -> std::fmt::Result {
    out.push_str(r#"<path d=""#);
    for (from, to) in hatches(x, y, width, height) {
        write!(out, "M{} {}L{} {}", Px(from.0), Px(from.1), Px(to.0), Px(to.1))?;
    }
    write!(out, r#"" stroke="{}" stroke-opacity="{HATCH_OPACITY}"/>"#, look.glyph.css())
}

fn write_text(
    out: &mut String,
    at: (f32, f32),
    text: &str,
    size: f32,
    face: Face,
    anchor: Anchor,
    ink: Rgba,
) -> std::fmt::Result {
    let family = if matches!(face, Face::Sans | Face::SansBold) { SANS } else { MONO };
    let weight = if matches!(face, Face::SansBold | Face::MonoBold) { r#" font-weight="600""# } else { "" };
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::Middle => r#" text-anchor="middle""#,
        Anchor::End => r#" text-anchor="end""#,
    };
    write!(
        out,
        r#"<text x="{}" y="{}" font-family="{family}" font-size="{}"{weight}{anchor} xml:space="preserve" fill="{}">{}</text>"#,
        Px(at.0),
        Px(at.1),
        Px(size),
        ink.css(),
        Escaped(text),
    )
}

struct Paint<'a>(&'a Look);

impl std::fmt::Display for Paint<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let look = self.0;
        write!(out, r#" fill="{}""#, look.fill.map_or_else(|| "none".to_string(), Rgba::css))?;
        if let Some(stroke) = look.stroke {
            write!(out, r#" stroke="{}" stroke-width="{}""#, stroke.css(), look.stroke_width)?;
            if let Some((dash, gap)) = look.dash {
                write!(out, r#" stroke-dasharray="{dash} {gap}""#)?;
            }
        }
        Ok(())
    }
}

struct Corners<'a>(f32, f32, f32, &'a [(f32, f32)]);

impl std::fmt::Display for Corners<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Corners(x, y, radius, corners) = self;
        for (index, corner) in corners.iter().enumerate() {
            let step = if index == 0 { 'M' } else { 'L' };
            write!(out, "{step}{} {}", Px(x + corner.0 * radius), Px(y + corner.1 * radius))?;
        }
        out.write_str("Z")
    }
}

/// A coordinate to a hundredth of a pixel.
struct Px(f32);

impl std::fmt::Display for Px {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", (self.0 * 100.0).round() / 100.0)
    }
}

struct Escaped<'a>(&'a str);

impl std::fmt::Display for Escaped<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '&' => out.write_str("&amp;")?,
                '"' => out.write_str("&quot;")?,
                // XML knows no other control characters, escaped or not.
                control if control.is_control() => out.write_str("\u{fffd}")?,
                letter => write!(out, "{letter}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display::Shape;

    #[test]
    fn words_from_outside_cannot_become_markup() {
        let text = Shape::Text {
            x: 0.0,
            y: 0.0,
            text: "<b a=\"1\">&\u{0}".into(),
            size: 12.0,
            face: Face::Mono,
            anchor: Anchor::Start,
        };
        let item = Item::new(Role::Note, text).label("<script>");
        let list = DisplayList { width: 10.0, height: 10.0, items: vec![item] };
        let document = svg(&[&list], &Theme::dark());
        assert!(document.contains("&lt;b a=&quot;1&quot;&gt;&amp;\u{fffd}</text>"), "{document}");
        assert!(document.contains("<title>&lt;script&gt;</title>"), "{document}");
    }
}
