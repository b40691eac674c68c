//! "Save picture": the present moment as an SVG file that needs nothing else. Draws nothing on the page.

use scene::{LayoutOptions, StillOptions, Theme};

use super::frame::moving;
use crate::app::controls::save_file;
use crate::app::session::Session;

/// Width of a saved picture, in pixels.
const WIDTH: f32 = 960.0;

/// The picture of a side as an SVG document.
pub fn svg(session: &Session, side: usize, theme: &Theme) -> String {
    let snapshot = session.snapshot(side);
    let palette = session.palette();
    let mut options = LayoutOptions::new(WIDTH);
    options.chip_width = palette.widest_chip();
    let stage = scene::layout(&snapshot, &options);
    let still = scene::still(&stage, &snapshot, &StillOptions::new(&palette));
    let moving = moving(session, side, &stage, false);
    scene::svg(&[&still, &moving], theme)
}

/// Offers the pictures of all sides as files.
pub fn save(session: &Session, name: &str) {
    let theme = if is_dark() { Theme::dark() } else { Theme::light() };
    for side in 0..session.read(scene::Player::sides) {
        let suffix = if side == 0 { String::new() } else { format!("-{}", side + 1) };
        save_file(&format!("{name}{suffix}.svg"), "image/svg+xml", &svg(session, side, &theme));
    }
}

/// Whether the page is dark now.
fn is_dark() -> bool {
    let window = web_sys::window();
    let root = window.as_ref().and_then(|window| window.document()?.document_element());
    let chosen = root.and_then(|root| root.get_attribute("data-theme"));
    match chosen.as_deref() {
        Some("dark") => true,
        Some("light") => false,
        _ => window
            .and_then(|window| window.match_media("(prefers-color-scheme: dark)").ok().flatten())
            .is_some_and(|query| query.matches()),
    }
}
