//! Shelves of folders made by hand, as words and as trees.

use super::*;
use crate::sample::folder::{batches, folder, lookup};
use engine::event::{Moment, TopicPartition};

/// Labels and texts, one after the other.
fn words(items: &[Item]) -> Vec<String> {
    let mut words = Vec::new();
    for item in items {
        words.extend(item.label.as_deref().map(str::to_string));
        if let Shape::Text { text, size, .. } = &item.shape {
            assert!(*size >= 11.0, "{text}");
            words.push(text.to_string());
        }
        words.extend(self::words(&item.children));
    }
    words
}

/// The sentences are in the picture at every width, and nothing leaves it.
fn check(view: &LogView, options: &ShelfOptions<'_>, expected: &[&str]) {
    for width in [960.0, 640.0, 343.0, 288.0] {
        let list = shelf(view, &ShelfOptions { width, ..*options });
        let words = words(&list.items);
        for sentence in expected {
            assert!(words.iter().any(|word| word == sentence), "{sentence:?} at {width} in {words:#?}");
        }
        list.items.iter().for_each(|item| inside(item, width));
    }
}

fn inside(item: &Item, width: f32) {
    item.shape.draw(&mut |primitive| {
        let (left, right) = match primitive {
            crate::Primitive::Rect(x, _, wide, ..) | crate::Primitive::Open(x, _, wide, ..) => (x, x + wide),
            crate::Primitive::Line(from, to) => (from.0.min(to.0), from.0.max(to.0)),
            crate::Primitive::Text(x, _, words, size, face, anchor) => {
                let wide = text::width(words, size, face);
                match anchor {
                    Anchor::Start => (x, x + wide),
                    Anchor::Middle => (x - wide / 2.0, x + wide / 2.0),
                    Anchor::End => (x - wide, x),
                }
            }
            _ => return,
        };
        assert!(left >= -0.5 && right <= width + 0.5, "{primitive:?} leaves {width}");
    });
    item.children.iter().for_each(|child| inside(child, width));
}

#[test]
fn a_lookup_is_told_step_by_step() {
    let (view, lookup, batches) = (folder(3), lookup(), batches());
    let options = ShelfOptions { search: Some(Search::Offset(&lookup)), batches: &batches, ..ShelfOptions::new(960.0) };
    check(
        &view,
        &options,
        &[
            "Looking for offset 17",
            "00000000000000000010.log",
            "segment 00000000000000000010, 1 kB, 5 batches, 10 records, 2 index entries, holds what was looked for",
            "active segment 00000000000000000020, 1 kB, 5 batches, 10 records, 2 index entries, active",
            "index entry to position 400",
            "batch 14 to 15 at position 400, 200 B, passed over",
            "batch 16 to 17 at position 600, 200 B, found",
        ],
    );
    let tree = shelf_tree(&view, &options);
    let steps: Vec<&str> = tree[1].children.iter().map(|step| &*step.label).collect();
    assert_eq!(
        steps,
        [
            "Segment 00000000000000000010: the last one that begins at or below offset 17.",
            "Offset index: entry 4 to position 400 is the last at or below relative offset 7.",
            "From there 1 batch is passed over.",
            "Batch 16 at position 600 holds it.",
        ]
    );
    assert_eq!(&*tree[2].label, "Leader epochs: 0 from offset 0, 1 from offset 12");
}

#[test]
fn passes_are_marked_on_their_segments() {
    let mut view = folder(3);
    view.clean_until = 10;
    view.files = vec![("00000000000000000007.log.deleted".to_string(), 512)];
    view.remote_segments = vec![(0, 4_096)];
    let partition = TopicPartition { topic: "events".into(), partition: 0 };
    let deleted = |broker| EventKind::SegmentDeleted {
        broker,
        partition: partition.clone(),
        base_offset: 7,
        reason: DeleteReason::Time,
    };
    let cleaned =
        EventKind::LogCleaned { broker: 2, partition: partition.clone(), clean_until: 10, before: 30, kept: 10 };
    let event = |kind| Event { moment: Moment::default(), index: 0, cause: None, kind };
    let events = [event(deleted(2)), event(cleaned)];
    let options = ShelfOptions { events: &events, ..ShelfOptions::new(960.0) };
    check(
        &view,
        &options,
        &[
            "deleted segment 00000000000000000007, 512 B, going soon, retention.ms",
            "segment 00000000000000000000, 1 kB, 5 batches, 10 records, 2 index entries, compacted 30 to 10",
            "remote segment 00000000000000000000, 4 kB",
        ],
    );
    let elsewhere = [event(deleted(1))];
    let options = ShelfOptions { events: &elsewhere, ..ShelfOptions::new(960.0) };
    check(&view, &options, &["deleted segment 00000000000000000007, 512 B, going soon, deleted"]);
}

#[test]
fn a_shelf_stays_small_and_keeps_the_segment_that_was_found() {
    let view = folder(5_000);
    let lookup = Lookup { offset: 25_005, segment: 25_000, ..lookup() };
    let options = ShelfOptions { search: Some(Search::Offset(&lookup)), ..ShelfOptions::new(960.0) };
    let list = shelf(&view, &options);
    let books = list.items.iter().filter(|item| item.id.as_deref().is_some_and(|id| id.starts_with("segment:")));
    assert!(books.count() <= BOOKS);
    check(&view, &options, &["00000000000000025000.log"]);
    let tree = shelf_tree(&view, &options);
    assert_eq!(&*tree[0].label, "local disk, 5,000 segments");
}
