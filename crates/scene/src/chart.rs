//! Small charts as display lists: bars and a matrix.
//!
//! They show numbers that others counted.

use std::rc::Rc;

use crate::class::{Class, Role};
use crate::display::{Anchor, DisplayList, Face, Item, Shape};
use crate::stage::Area;
use crate::still::{line, rect};
use crate::text;

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Its name.
    pub name: Rc<str>,
    /// Its length.
    pub value: u64,
    /// What stands at its end; the value if empty.
    pub text: Rc<str>,
    /// The color of a key; the accent if none.
    pub key: Option<u8>,
}

/// Bars of a chart, at most; the rest is counted in its last line.
const BARS: usize = 64;
/// Rows of a matrix, at most; a reader could not tell more apart.
const ROWS: usize = 24;
const BAR_PITCH: f32 = 24.0;
const CELL_HEIGHT: f32 = 28.0;

/// Horizontal bars with names at the left and numbers at the end. Beyond 64 bars the rest is counted.
pub fn bars(bars: &[Bar], width: f32) -> DisplayList {
    let shown = &bars[..bars.len().min(BARS)];
    let most = shown.iter().map(|bar| bar.value).max().unwrap_or(0).max(1);
    let texts: Vec<Rc<str>> = shown
        .iter()
        .map(|bar| if bar.text.is_empty() { text::count(bar.value).into() } else { bar.text.clone() })
        .collect();
    let names = shown.iter().map(|bar| text::width(&bar.name, 12.0, Face::Mono)).fold(0.0, f32::max).min(width * 0.35);
    let ends = texts.iter().map(|end| text::width(end, 12.0, Face::Mono)).fold(0.0, f32::max).min(width * 0.3);
    let track = (width - names - ends - 20.0).max(10.0);
    let mut items = Vec::new();
    for (index, (bar, end)) in shown.iter().zip(&texts).enumerate() {
        let y = index as f32 * BAR_PITCH;
        let name = text::fit_middle(&bar.name, names, 12.0, Face::Mono);
        let end = text::fit(end, ends, 12.0, Face::Mono);
        let ground = Area::new(names + 10.0, y + 5.0, track, 14.0);
        let length = if bar.value == 0 { 0.0 } else { (track * (bar.value as f32 / most as f32)).max(2.0) };
        let children = vec![
            line(Role::ChartText, (names, y + 16.5), name, 12.0, Face::Mono, Anchor::End),
            Item::new(Role::BarTrack, rect(ground, 4.0)),
            Item::new(
                Class::new(Role::Bar).key(bar.key),
                rect(Area { width: length, ..ground }, 4.0_f32.min(length / 2.0)),
            ),
            line(Role::ChartText, (width, y + 16.5), end.clone(), 12.0, Face::Mono, Anchor::End),
        ];
        items.push(Item::new(Role::Group, Shape::Group).label(format!("{}: {end}", bar.name)).with(children));
    }
    let mut height = shown.len() as f32 * BAR_PITCH;
    if shown.len() < bars.len() {
        let words = format!("and {} more", bars.len() - shown.len());
        items.push(line(Role::ChartText, (names + 10.0, height + 16.5), words.into(), 12.0, Face::Sans, Anchor::Start));
        height += BAR_PITCH;
    }
    DisplayList { width, height, items }
}

/// A matrix of shares in percent, `values[row][column]`, with the names of the rows at the left and their
/// numbers above the columns. Beyond 24 names the rest is counted.
pub fn matrix(names: &[Rc<str>], values: &[Vec<f32>], width: f32) -> DisplayList {
    let shown = names.len().min(ROWS);
    let room = width * 0.34;
    let left =
        names.iter().take(shown).map(|name| text::width(name, 12.0, Face::Sans) + 28.0).fold(0.0, f32::max).min(room);
    let cell = ((width - left - 6.0) / shown.max(1) as f32).min(64.0);
    let has_words = cell >= 32.0;
    let mut items = Vec::new();
    for row in 0..shown {
        let y = 24.0 + row as f32 * CELL_HEIGHT;
        let number: Rc<str> = format!("{}", row + 1).into();
        let name = text::fit(&names[row], left - 28.0, 12.0, Face::Sans);
        items.push(line(
            Role::ChartText,
            (left + 6.0 + (row as f32 + 0.5) * cell, 16.0),
            number.clone(),
            11.0,
            Face::Mono,
            Anchor::Middle,
        ));
        items.push(line(Role::ChartText, (18.0, y + 18.0), number, 11.0, Face::Mono, Anchor::End));
        items.push(line(Role::ChartText, (24.0, y + 18.0), name, 12.0, Face::Sans, Anchor::Start));
        for column in 0..shown {
            let share = values.get(row).and_then(|row| row.get(column)).copied().unwrap_or(0.0);
            let area = Area::new(left + 6.0 + column as f32 * cell + 1.0, y + 1.0, cell - 2.0, CELL_HEIGHT - 2.0);
            let label = format!("{} and {}: {share:.0} percent", names[row], names[column]);
            let mut children = vec![Item::new(Role::Cell, rect(area, 4.0)).opacity((share / 100.0).clamp(0.06, 1.0))];
            if has_words {
                let words = format!("{share:.0}").into();
                children.push(line(
                    Role::CellText,
                    (area.center().0, y + 18.0),
                    words,
                    11.0,
                    Face::Mono,
                    Anchor::Middle,
                ));
            }
            items.push(Item::new(Role::Group, Shape::Group).label(label).with(children));
        }
    }
    let mut height = 24.0 + shown as f32 * CELL_HEIGHT;
    if shown < names.len() {
        let words = format!("and {} more", names.len() - shown);
        items.push(line(Role::ChartText, (24.0, height + 16.0), words.into(), 12.0, Face::Sans, Anchor::Start));
        height += 24.0;
    }
    DisplayList { width, height, items }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_fills_the_track() {
        let bar = |name: &str, value| Bar { name: name.into(), value, text: "".into(), key: None };
        let list = bars(&[bar("p0", 10), bar("p1", 5), bar("p2", 0)], 200.0);
        let widths: Vec<f32> = list
            .items
            .iter()
            .map(|item| match item.children[2].shape {
                Shape::Rect { width, .. } => width,
                _ => f32::NAN,
            })
            .collect();
        assert_eq!((widths[1] * 2.0, widths[2]), (widths[0], 0.0));
        assert_eq!(list.height, 72.0);
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let names: Vec<Rc<str>> = (0..30).map(|number| format!("client {number}").into()).collect();
        let list = matrix(&names, &[], 600.0);
        assert!(list.to_string().contains("and 6 more"), "{list}");
    }
}
