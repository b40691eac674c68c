//! Prints the picture of a scenario as SVG, after so many milliseconds of playing:
//! `picture FILE.toml [MILLISECONDS] [WIDTH] [light|dark]`.
//!
//! For looking at layouts; the app does not use it.

use scene::{FrameInput, LayoutOptions, PaceMode, Palette, Player, StillOptions, Theme};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |index: usize, default: &str| arguments.get(index).cloned().unwrap_or_else(|| default.to_string());
    let path = arguments.first().ok_or("The first argument is the path of a scenario.")?;
    let scenario: engine::Scenario = toml::from_str(&std::fs::read_to_string(path)?)?;
    let until: u64 = argument(1, "3000").parse()?;
    let width: f32 = argument(2, "960").parse()?;
    let theme = if argument(3, "light") == "dark" { Theme::dark() } else { Theme::light() };

    let palette = Palette::of_run(&scenario, []);
    let mut player = Player::new(vec![(scenario, Vec::new())])?;
    player.play();
    while player.display(0) < until * 1_000 && player.is_playing() {
        player.tick(16_667, 10_000);
    }
    let snapshot = player.snapshot(0, 200);
    let events = player.timeline_mut(0).recent(100, &|_| true);
    let options = LayoutOptions { chip_width: palette.widest_chip(), ..LayoutOptions::new(width) };
    let stage = scene::layout(&snapshot, &options);
    let still = scene::still(&stage, &snapshot, &StillOptions::new(&palette));
    let moving = scene::frame(
        &stage,
        &FrameInput {
            snapshot: &snapshot,
            events: &events,
            pace: player.timeline(0).observer(),
            mode: PaceMode::Elastic,
            display: player.display(0),
            now: player.now(),
            palette: &palette,
            reduced_motion: false,
        },
    );
    println!("{}", scene::svg(&[&still, &moving], &theme));
    Ok(())
}
