//! Writes the pictures of clusters made by hand into a directory: every state that a stage has to show, by width
//! and theme. `states DIRECTORY [NAME]`.
//!
//! For looking at layouts; the app does not use it.

#[path = "../src/sample.rs"]
mod sample;

use std::path::Path;

use engine::event::{Event, EventKind};
use engine::{Observer, Snapshot, Time};
use sample::{groups, replicas, shares, transactions};
use scene::{FrameInput, LayoutOptions, Pace, PaceMode, Palette, ShelfOptions, StillOptions, Theme};

const WIDTHS: [f32; 5] = [1_180.0, 736.0, 606.0, 390.0, 343.0];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let directory = arguments.first().ok_or("The first argument is a directory.")?;
    let wanted = arguments.get(1);
    for (name, make) in STATES {
        if wanted.is_some_and(|wanted| wanted != name) {
            continue;
        }
        for width in WIDTHS {
            for (theme, colors) in [("light", Theme::light()), ("dark", Theme::dark())] {
                let path = Path::new(directory).join(format!("{name}-{width}-{theme}.svg"));
                std::fs::write(path, picture(make(), width, &colors))?;
            }
        }
    }
    for width in WIDTHS {
        for (theme, colors) in [("light", Theme::light()), ("dark", Theme::dark())] {
            std::fs::write(Path::new(directory).join(format!("shelf-{width}-{theme}.svg")), shelf(width, &colors))?;
        }
    }
    Ok(())
}

/// A folder with a segment that is going, one that was compacted, a remote one, and a lookup.
fn shelf(width: f32, theme: &Theme) -> String {
    let mut view = sample::folder::folder(4);
    view.clean_until = 10;
    view.files = vec![("00000000000000000000.log.deleted".to_string(), 1_024)];
    view.remote_segments = vec![(0, 1_024)];
    view.segments.remove(0);
    let (lookup, batches) = (sample::folder::lookup(), sample::folder::batches());
    let search = Some(scene::shelf::Search::Offset(&lookup));
    scene::svg(&[&scene::shelf(&view, &ShelfOptions { search, batches: &batches, ..ShelfOptions::new(width) })], theme)
}

type Make = fn() -> Snapshot;

const STATES: [(&str, Make); 20] = [
    ("healthy", healthy),
    ("crashed", replicas::crashed),
    ("watermark", replicas::high_watermark),
    ("leaderless", replicas::leaderless),
    ("moving", replicas::moving),
    ("compacted", replicas::compacted),
    ("faults", replicas::faults),
    ("rows", rows),
    ("large", replicas::large),
    ("committing", transactions::committing),
    ("fenced", transactions::fenced),
    ("full-pool", transactions::full_pool),
    ("group-stable", groups::stable),
    ("group-eager", groups::eager),
    ("group-cooperative", groups::cooperative),
    ("group-consumer", groups::consumer),
    ("group-failing", groups::failing),
    ("group-rows", || groups::many(12, 30)),
    ("group-many", || groups::many(200, 1_000)),
    ("group-share", || scene::with_share_members(shares::two_members())),
];

fn healthy() -> Snapshot {
    let mut snapshot = replicas::replicated(3, 3, 3, 6);
    snapshot.producers.push(sample::producer("orders", "java", "page-views", Some("user-1")));
    snapshot.consumers.push(sample::reader("reports", "page-views", 3, 4));
    snapshot.in_flight = vec![sample::message(9, "orders", "page-views", 1, false).into()];
    snapshot
}

fn rows() -> Snapshot {
    let mut snapshot = replicas::replicated(3, 8, 3, 12);
    snapshot.topics[0].partitions[2].isr.pop();
    snapshot
}

fn picture(snapshot: Snapshot, width: f32, theme: &Theme) -> String {
    let mut pace = Pace::default();
    for message in &snapshot.in_flight {
        let kind = EventKind::MessageSent { message: message.clone() };
        pace.observe(message.sent, &[Event { moment: message.sent, index: 0, cause: None, kind }]);
    }
    let events = groups::story(&snapshot);
    for event in &events {
        pace.observe(event.moment, std::slice::from_ref(event));
    }
    let mut palette = Palette::default();
    for number in 0..12 {
        let key = format!("user-{number}");
        palette.register(key.as_bytes(), &key);
    }
    if snapshot.producers.iter().any(|producer| producer.transactional_id.is_some()) {
        palette = Palette::default();
        for key in ["trip-8999", "trip-9000", "trip-9001", "driver-76", "driver-512"] {
            palette.register(key.as_bytes(), key);
        }
    }
    let options = LayoutOptions { chip_width: palette.widest_chip(), ..LayoutOptions::new(width) };
    let stage = scene::layout(&snapshot, &options);
    let still = scene::still(&stage, &snapshot, &StillOptions::new(&palette));
    let input = FrameInput {
        snapshot: &snapshot,
        events: &events,
        pace: &pace,
        mode: PaceMode::Elastic,
        display: 420_000,
        now: Time(420_000),
        palette: &palette,
        reduced_motion: false,
    };
    scene::svg(&[&still, &scene::frame(&stage, &input)], theme)
}
