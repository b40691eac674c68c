//! Colors and signs of keys: twelve each, chosen by the key's bytes, the same on every page.
//!
//! Holds no color values; `theme.rs` has them. A record without a key has neither color nor sign.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::event::Record;
use engine::{Command, Scenario};

use crate::text;

/// How many colors and how many signs there are.
pub const COLORS: u8 = 12;

/// The look of one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyColor {
    /// Which color, 0 to 11.
    pub color: u8,
    /// Which sign, 0 to 11.
    pub glyph: u8,
}

/// The keys of one stage. Up to twelve keys that are known beforehand get twelve different colors;
/// every other key gets what its bytes say.
///
/// ```
/// let mut palette = scene::Palette::default();
/// let first = palette.register(b"user-1", "user-1");
/// assert_eq!(palette.color(b"user-1"), first);
/// assert_ne!(palette.register(b"user-2", "user-2").color, first.color);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Palette {
    known: BTreeMap<Rc<[u8]>, KeyColor>,
    widest: f32,
}

impl Palette {
    /// The palette of a run: keys in the order in which the scenario's workloads, its script and the commands
    /// name them. It depends on nothing that happens, so that seeking never changes a color.
    pub fn of_run<'a>(scenario: &'a Scenario, commands: impl IntoIterator<Item = &'a Command>) -> Palette {
        let mut palette = Palette::default();
        for workload in scenario.producers.iter().filter_map(|producer| producer.workload.as_ref()) {
            palette.register_workload(workload);
        }
        let scripted = scenario.script.iter().map(|scripted| &scripted.command);
        for command in scripted.chain(commands) {
            match command {
                Command::Send { key: Some(key), key_encoding: None, .. } => {
                    palette.register(key.as_bytes(), key);
                }
                Command::SetWorkload { workload: Some(workload), .. } => palette.register_workload(workload),
                Command::Producer(spec) => {
                    spec.workload.iter().for_each(|workload| palette.register_workload(workload));
                }
                _ => {}
            }
        }
        palette
    }

    /// The look of a key. While fewer than twelve keys are known, a new one becomes known, with a color
    /// that is still free.
    pub fn register(&mut self, key: &[u8], shown: &str) -> KeyColor {
        self.widest = self.widest.max(text::chip_width(shown));
        if let Some(color) = self.known.get(key) {
            return *color;
        }
        let wanted = by_bytes(key);
        if self.known.len() >= usize::from(COLORS) {
            return wanted;
        }
        let is_taken = |color: u8| self.known.values().any(|other| other.color == color);
        let color = (0..COLORS).map(|step| (wanted.color + step) % COLORS).find(|color| !is_taken(*color));
        let color = color.expect("fewer than twelve colors are taken");
        let look = KeyColor { color, glyph: color };
        self.known.insert(key.into(), look);
        look
    }

    /// The look of a key.
    pub fn color(&self, key: &[u8]) -> KeyColor {
        self.known.get(key).copied().unwrap_or_else(|| by_bytes(key))
    }

    /// The look of a record's key; none for a record without a key.
    pub fn of(&self, record: &Record) -> Option<KeyColor> {
        record.key.as_deref().map(|key| self.color(key))
    }

    /// Width in pixels of a chip that shows the longest known key; 0 if none is known.
    pub fn widest_chip(&self) -> f32 {
        self.widest
    }

    fn register_workload(&mut self, workload: &engine::scenario::Workload) {
        if workload.key_encoding.as_deref().unwrap_or("text") == "text" {
            // Keys beyond the first hundred change neither a color nor, in practice, the widest chip.
            for key in workload.keys.iter().take(100) {
                self.register(key.as_bytes(), key);
            }
        } else {
            workload.keys.iter().take(100).for_each(|key| self.widest = self.widest.max(text::chip_width(key)));
        }
        if let Some(pattern) = &workload.key_pattern {
            for number in 0..pattern.count.min(u64::from(COLORS)) {
                let key = format!("{}{}", pattern.prefix, pattern.first.saturating_add(number));
                self.register(key.as_bytes(), &key);
            }
            let last = format!("{}{}", pattern.prefix, pattern.first.saturating_add(pattern.count));
            self.widest = self.widest.max(text::chip_width(&last));
        }
    }
}

/// FNV-1a over the bytes; color and sign from different bits, so that keys of one color differ in sign.
fn by_bytes(key: &[u8]) -> KeyColor {
    let hash = key
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    let mixed = (hash ^ (hash >> 32)) as u32;
    let colors = u32::from(COLORS);
    KeyColor { color: (mixed % colors) as u8, glyph: (mixed / colors % colors) as u8 }
}

type Figure = &'static [(f32, f32)];

/// The corners of a sign, in units of its radius around its center.
pub fn figure(glyph: u8) -> Figure {
    if glyph == CROWN { CROWN_FIGURE } else { FIGURES[usize::from(glyph % COLORS)] }
}

/// The sign of the active controller; no key has it.
pub const CROWN: u8 = COLORS;

const CROWN_FIGURE: Figure =
    &[(-1.0, 0.75), (-1.2, -0.55), (-0.5, 0.1), (0.0, -0.9), (0.5, 0.1), (1.2, -0.55), (1.0, 0.75)];

/// The twelve signs: disk, triangle, square, diamond, cross, star, hexagon, saltire, triangle down, bar,
/// half disk, chevron.
const FIGURES: [Figure; 12] = [
    &[
        (1.0, 0.0),
        (0.87, 0.5),
        (0.5, 0.87),
        (0.0, 1.0),
        (-0.5, 0.87),
        (-0.87, 0.5),
        (-1.0, 0.0),
        (-0.87, -0.5),
        (-0.5, -0.87),
        (0.0, -1.0),
        (0.5, -0.87),
        (0.87, -0.5),
    ],
    &[(0.0, -1.0), (1.05, 0.85), (-1.05, 0.85)],
    &[(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)],
    &[(0.0, -1.15), (1.0, 0.0), (0.0, 1.15), (-1.0, 0.0)],
    &[
        (-0.36, -1.05),
        (0.36, -1.05),
        (0.36, -0.36),
        (1.05, -0.36),
        (1.05, 0.36),
        (0.36, 0.36),
        (0.36, 1.05),
        (-0.36, 1.05),
        (-0.36, 0.36),
        (-1.05, 0.36),
        (-1.05, -0.36),
        (-0.36, -0.36),
    ],
    &[
        (0.0, -1.15),
        (0.29, -0.4),
        (1.1, -0.36),
        (0.47, 0.15),
        (0.68, 0.93),
        (0.0, 0.49),
        (-0.68, 0.93),
        (-0.47, 0.15),
        (-1.1, -0.36),
        (-0.29, -0.4),
    ],
    &[(-0.52, -0.95), (0.52, -0.95), (1.05, 0.0), (0.52, 0.95), (-0.52, 0.95), (-1.05, 0.0)],
    &[
        (-0.95, -0.5),
        (-0.5, -0.95),
        (0.0, -0.45),
        (0.5, -0.95),
        (0.95, -0.5),
        (0.45, 0.0),
        (0.95, 0.5),
        (0.5, 0.95),
        (0.0, 0.45),
        (-0.5, 0.95),
        (-0.95, 0.5),
        (-0.45, 0.0),
    ],
    &[(-1.05, -0.85), (1.05, -0.85), (0.0, 1.0)],
    &[(-1.15, -0.5), (1.15, -0.5), (1.15, 0.5), (-1.15, 0.5)],
    &[(-1.15, 0.65), (-1.0, 0.08), (-0.62, -0.45), (0.0, -0.68), (0.62, -0.45), (1.0, 0.08), (1.15, 0.65)],
    &[(-0.9, -1.0), (-0.1, -1.0), (0.9, 0.0), (-0.1, 1.0), (-0.9, 1.0), (0.1, 0.0)],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_known_keys_have_twelve_colors() {
        let mut palette = Palette::default();
        let keys: Vec<String> = (0..12).map(|number| format!("user-{number}")).collect();
        let mut colors: Vec<u8> = keys.iter().map(|key| palette.register(key.as_bytes(), key).color).collect();
        colors.sort_unstable();
        assert_eq!(colors, (0..12).collect::<Vec<u8>>());
    }

    #[test]
    fn a_key_keeps_its_look_when_others_come_later() {
        let mut palette = Palette::default();
        let first = palette.register(b"a", "a");
        for number in 0..40 {
            let key = format!("k{number}");
            palette.register(key.as_bytes(), &key);
        }
        assert_eq!(palette.color(b"a"), first);
        assert_eq!(palette.color(b"never registered"), Palette::default().color(b"never registered"));
    }
}
