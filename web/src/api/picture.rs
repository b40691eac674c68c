//! The picture of a script's simulation, as a file. What it shows is the scene crate's affair.

use engine::Timeline;
use scene::{FrameInput, LayoutOptions, Pace, PaceMode, Palette, StillOptions, Theme};

/// Width of the document in pixels: that of a stage on a desktop.
const WIDTH: f32 = 1_000.0;
/// The last records of each partition that are drawn.
const RECORDS: usize = 200;
/// Events that the moving layer can look back on.
const RECENT_EVENTS: usize = 400;

/// The present moment in light colors, as a document that stands by itself.
pub fn svg(timeline: &mut Timeline<Pace>) -> String {
    let snapshot = scene::with_share_members(timeline.snapshot(RECORDS));
    let events = timeline.recent(RECENT_EVENTS, &|_| true);
    let palette = Palette::of_run(timeline.scenario(), timeline.commands().iter().map(|timed| &*timed.command));
    let options = LayoutOptions { chip_width: palette.widest_chip(), ..LayoutOptions::new(WIDTH) };
    let stage = scene::layout(&snapshot, &options);
    let still = scene::still(&stage, &snapshot, &StillOptions::new(&palette));
    let (pace, mode, now) = (timeline.observer(), PaceMode::Elastic, timeline.now());
    let input = FrameInput {
        snapshot: &snapshot,
        events: &events,
        pace,
        mode,
        display: pace.display_at(mode, now, timeline.peek().as_ref()),
        now,
        palette: &palette,
        reduced_motion: false,
    };
    let moving = scene::frame(&stage, &input);
    scene::svg(&[&still, &moving], &Theme::light())
}
