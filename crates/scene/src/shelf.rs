//! An opened partition: the files of one replica on a shelf, and the way of a lookup through them.
//!
//! Draws a [`LogView`]; it computes no positions of its own, so what it shows is what the engine's log answers.

mod books;
mod way;

use std::rc::Rc;

use engine::event::{DeleteReason, Event, EventKind};
use engine::log_view::{BatchInSegment, LogView, Lookup, TimestampLookup};

use crate::class::Role;
use crate::display::{Anchor, DisplayList, Face, Item, Shape};
use crate::still::{counted, line};
use crate::text;
use crate::tree::Node;

/// Segments on one shelf, at most: the first ones, the last ones, and the one of a lookup.
const BOOKS: usize = 24;
/// Of these the oldest.
const OLDEST: usize = 4;
const EDGE: f32 = 1.0;
const HEAD: f32 = 24.0;
const SHELF_GAP: f32 = 18.0;

/// What was looked for.
#[derive(Clone, Copy, Debug)]
pub enum Search<'a> {
    /// The batch that holds an offset.
    Offset(&'a Lookup),
    /// The first record that is not older than a timestamp.
    Timestamp(&'a TimestampLookup),
}

/// What a shelf shows besides its files.
#[derive(Clone, Copy, Debug)]
pub struct ShelfOptions<'a> {
    /// The room there is, in CSS pixels, 280 or more.
    pub width: f32,
    /// A lookup whose way is shown.
    pub search: Option<Search<'a>>,
    /// The batches of the segment that the lookup ends in; none if only the steps shall be told.
    pub batches: &'a [BatchInSegment],
    /// Recent events; passes of retention, compaction and uploads over this replica are marked.
    pub events: &'a [Event],
    /// The id of what is selected.
    pub selected: Option<&'a str>,
}

impl ShelfOptions<'_> {
    /// Files only.
    pub fn new(width: f32) -> ShelfOptions<'static> {
        ShelfOptions { width, search: None, batches: &[], events: &[], selected: None }
    }
}

/// Draws the files of a replica, from the oldest segment to the active one, and below them what is remote.
pub fn shelf(view: &LogView, options: &ShelfOptions<'_>) -> DisplayList {
    let width = options.width.max(280.0).floor();
    let mut items = head(view, width);
    let mut y = if items.len() > 2 { 2.0 * HEAD } else { HEAD } + 6.0;
    let books = books::of(view, options);
    y = books::draw(&books, "Local disk", (y, width), options, &mut items);
    let remote = books::remote(view, options);
    if !remote.is_empty() {
        y = books::draw(&remote, "Remote storage", (y + SHELF_GAP, width), options, &mut items);
    }
    if let Some(search) = options.search {
        y = way::draw(view, search, options.batches, (y + SHELF_GAP, width), &mut items);
    }
    if !view.epochs.is_empty() {
        let words = text::fit(&epoch_words(view).into(), width - 4.0, 12.0, Face::Sans);
        items.push(line(Role::LaneCount, (EDGE + 1.0, y + SHELF_GAP + 4.0), words, 12.0, Face::Sans, Anchor::Start));
        y += SHELF_GAP + 10.0;
    }
    DisplayList { width, height: (y + EDGE).ceil(), items }
}

/// The same in words, in reading order: shelves with their segments, then the steps of the lookup.
pub fn shelf_tree(view: &LogView, options: &ShelfOptions<'_>) -> Vec<Node> {
    let name = replica_name(view);
    let shelf = |id: &str, title: &str, books: &[books::Book]| Node {
        id: format!("shelf:{name}:{id}").into(),
        label: format!("{title}, {}", counted(books.iter().map(books::Book::segments).sum(), "segment", "segments"))
            .into(),
        children: books.iter().map(books::Book::node).collect(),
    };
    let mut nodes = vec![shelf("local", "local disk", &books::of(view, options))];
    let remote = books::remote(view, options);
    if !remote.is_empty() {
        nodes.push(shelf("remote", "remote storage", &remote));
    }
    if let Some(search) = options.search {
        nodes.push(way::node(view, search));
    }
    if !view.epochs.is_empty() {
        let id: Rc<str> = format!("shelf:{name}:epochs").into();
        nodes.push(Node { id, label: epoch_words(view).into(), children: Vec::new() });
    }
    nodes
}

/// Which replica, and where its log begins and ends; in two rows where one is too narrow.
fn head(view: &LogView, width: f32) -> Vec<Item> {
    let title: Rc<str> = format!("{}-{} on broker {}", view.topic, view.partition, view.broker).into();
    let mut offsets = format!(
        "log start {} · high watermark {} · log end {}",
        view.log_start_offset, view.high_watermark, view.log_end_offset
    );
    if view.clean_until > 0 {
        offsets.push_str(&format!(" · clean below {}", view.clean_until));
    }
    let title_width = text::width(&title, 13.0, Face::SansBold).min(width - 4.0);
    let is_wide = title_width + text::width(&offsets, 12.0, Face::Sans) + 24.0 <= width;
    let title = text::fit(&title, width - 4.0, 13.0, Face::SansBold);
    let offsets = text::fit(&offsets.into(), width - 4.0, 12.0, Face::Sans);
    let (at, anchor) =
        if is_wide { ((width - 2.0, 16.0), Anchor::End) } else { ((EDGE + 1.0, 16.0 + HEAD), Anchor::Start) };
    let mut items = vec![
        line(Role::BrokerTitle, (EDGE + 1.0, 16.0), title, 13.0, Face::SansBold, Anchor::Start),
        line(Role::Badge, at, offsets, 12.0, Face::Sans, anchor),
    ];
    if !is_wide {
        // An empty item tells that there are two rows.
        items.push(Item::new(Role::Group, Shape::Group));
    }
    items
}

/// `TOPIC-N@BROKER`.
fn replica_name(view: &LogView) -> String {
    format!("{}-{}@{}", view.topic, view.partition, view.broker)
}

/// The 20 digits that name the files of a segment.
pub fn file_name(base_offset: u64) -> String {
    format!("{base_offset:020}")
}

fn epoch_words(view: &LogView) -> String {
    let epochs = view.epochs.iter().map(|(epoch, start)| format!("{epoch} from offset {start}"));
    format!("Leader epochs: {}", epochs.collect::<Vec<String>>().join(", "))
}

/// Which passes over a segment are asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passes {
    /// Those that delete it.
    Deletion,
    /// Those that change it on the local disk.
    Local,
    /// Those that bring it to remote storage.
    Upload,
}

/// The word for the last such pass over a segment of this replica.
fn pass(view: &LogView, events: &[Event], base: u64, passes: Passes) -> Option<String> {
    let is_here = |broker: u32, partition: &engine::event::TopicPartition| {
        broker == view.broker && partition.topic == view.topic && partition.partition == view.partition
    };
    events.iter().rev().find_map(|event| match &event.kind {
        EventKind::SegmentDeleted { broker, partition, base_offset, reason } if passes == Passes::Deletion => {
            (is_here(*broker, partition) && *base_offset == base).then(|| reason_word(*reason).to_string())
        }
        EventKind::SegmentRolled { broker, partition, base_offset, .. } if passes == Passes::Local => {
            (is_here(*broker, partition) && *base_offset == base).then(|| "new".to_string())
        }
        EventKind::SegmentUploaded { broker, partition, base_offset } if passes != Passes::Deletion => {
            (is_here(*broker, partition) && *base_offset == base).then(|| "uploaded".to_string())
        }
        EventKind::LogCleaned { broker, partition, clean_until, before, kept } if passes == Passes::Local => {
            (is_here(*broker, partition) && base < *clean_until).then(|| format!("compacted {before} to {kept}"))
        }
        _ => None,
    })
}

/// The setting or the fact that a segment went for.
fn reason_word(reason: DeleteReason) -> &'static str {
    match reason {
        DeleteReason::LogStart => "below log start",
        DeleteReason::Size => "retention.bytes",
        DeleteReason::Time => "retention.ms",
        DeleteReason::Local => "local retention",
        DeleteReason::Truncated => "truncated",
    }
}

#[cfg(test)]
#[path = "shelf_tests.rs"]
mod tests;
