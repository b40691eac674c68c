//! A display list as SVG nodes for Yew. Looks come from the style sheet by class; nothing is computed here.
//!
//! It is only looked at and clicked: what it says in words, for the keyboard too, is in `tree.rs`.

use scene::{Anchor, DisplayList, Face, Item, Primitive, Shape};
use yew::{AttrValue, Html, html};

/// The items of a list, to be put inside an `svg` element.
pub fn nodes(list: &DisplayList) -> Html {
    list.items.iter().enumerate().map(|(index, item)| node(item, index)).collect()
}

/// A whole picture that is only looked at, such as a chart.
pub fn picture(list: &DisplayList, label: &str) -> Html {
    html! {
        <svg class="stage scene picture" width={px(list.width)} height={px(list.height)}
            viewBox={format!("0 0 {} {}", px(list.width), px(list.height))} role="img" aria-label={label.to_owned()}>
            { nodes(list) }
        </svg>
    }
}

/// Frames of a class around items by their ids.
pub fn frames<'a>(list: &DisplayList, ids: impl IntoIterator<Item = &'a str>, class: &'static str) -> Html {
    let frame = |id: &str| {
        let (x, y, width, height) = area(&list.items, id)?;
        let margin = margin(id);
        Some(html! {
            <rect key={format!("{class} {id}")} {class} x={px(x - 4.0)} y={px(y - margin)} width={px(width + 8.0)}
                height={px(height + 2.0 * margin)} rx="11" />
        })
    };
    ids.into_iter().filter_map(frame).collect()
}

/// Space above and below an item in its frame: lanes stand close, the names of the next ones right under them.
fn margin(id: &str) -> f32 {
    match id.split(':').next() {
        Some("partition" | "replica") => 0.0,
        _ => 4.0,
    }
}

/// The box of an item by its id.
fn area(items: &[Item], id: &str) -> Option<(f32, f32, f32, f32)> {
    items.iter().find_map(|item| match &item.shape {
        Shape::Rect { x, y, width, height, .. }
        | Shape::Chip { x, y, width, height, .. }
        | Shape::Pill { x, y, width, height, .. }
            if item.id.as_deref() == Some(id) =>
        {
            Some((*x, *y, *width, *height))
        }
        _ => area(&item.children, id),
    })
}

fn node(item: &Item, index: usize) -> Html {
    let key = match &item.id {
        Some(id) => id.to_string(),
        None => format!("{}-{index}", item.class.role.name()),
    };
    let children: Html = item.children.iter().enumerate().map(|(index, child)| node(child, index)).collect();
    let opacity = (item.opacity < 1.0).then(|| AttrValue::from(px(item.opacity)));
    let id = item.id.as_ref().map(|id| AttrValue::from(id.to_string()));
    html! { <g {key} class={item.class.to_string()} {opacity} data-id={id}>{ primitives(item) }{ children }</g> }
}

fn primitives(item: &Item) -> Html {
    let mut shapes = Vec::new();
    item.shape.draw(&mut |primitive| shapes.push(primitive_node(primitive)));
    shapes.into_iter().collect()
}

fn primitive_node(primitive: Primitive<'_>) -> Html {
    match primitive {
        Primitive::Rect(x, y, width, height, radius) => {
            html! { <rect class="s" x={px(x)} y={px(y)} width={px(width)} height={px(height)} rx={px(radius)} /> }
        }
        Primitive::Open(x, y, width, height, radius) => {
            html! { <path class="s" d={open_rect(x, y, width, height, radius)} /> }
        }
        Primitive::Line((x1, y1), (x2, y2)) => {
            html! { <path class="s" d={format!("M{} {}L{} {}", px(x1), px(y1), px(x2), px(y2))} /> }
        }
        Primitive::Curve([from, first, second, to]) => {
            let d = format!(
                "M{} {}C{} {} {} {} {} {}",
                px(from.0),
                px(from.1),
                px(first.0),
                px(first.1),
                px(second.0),
                px(second.1),
                px(to.0),
                px(to.1)
            );
            html! { <path class="s" {d} /> }
        }
        Primitive::Circle(x, y, radius) => html! { <circle class="s" cx={px(x)} cy={px(y)} r={px(radius)} /> },
        Primitive::Figure(x, y, radius, corners) => html! { <path class="s" d={figure(x, y, radius, corners)} /> },
        Primitive::Glyph(x, y, radius, corners) => html! { <path class="g" d={figure(x, y, radius, corners)} /> },
        Primitive::Hatch(x, y, width, height) => html! { <path class="h" d={hatch(x, y, width, height)} /> },
        Primitive::Text(x, y, text, size, face, anchor) => html! {
            <text class={face_class(face)} x={px(x)} y={px(y)} font-size={px(size)} text-anchor={anchor_name(anchor)}>{ text.to_owned() }</text>
        },
    }
}

/// A rectangle whose right side is open: round corners at the left, no edge at the right.
fn open_rect(x: f32, y: f32, width: f32, height: f32, radius: f32) -> String {
    let (left, right, bottom) = (x + radius, x + width, y + height);
    format!(
        "M{right} {y}H{left}A{radius} {radius} 0 0 0 {x} {}V{}A{radius} {radius} 0 0 0 {left} {bottom}H{right}",
        y + radius,
        bottom - radius
    )
}

fn figure(x: f32, y: f32, radius: f32, corners: &[(f32, f32)]) -> String {
    let mut path = String::new();
    for (index, (dx, dy)) in corners.iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        path.push_str(&format!("{command}{} {}", px(x + dx * radius), px(y + dy * radius)));
    }
    path.push('Z');
    path
}

fn hatch(x: f32, y: f32, width: f32, height: f32) -> String {
    let line =
        |(from, to): ((f32, f32), (f32, f32))| format!("M{} {}L{} {}", px(from.0), px(from.1), px(to.0), px(to.1));
    scene::display::hatches(x, y, width, height).map(line).collect()
}

fn face_class(face: Face) -> &'static str {
    match face {
        Face::Sans => "f-sans",
        Face::SansBold => "f-sans bold",
        Face::Mono => "f-mono",
        Face::MonoBold => "f-mono bold",
    }
}

fn anchor_name(anchor: Anchor) -> &'static str {
    match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    }
}

/// A number with at most two decimals.
fn px(value: f32) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
