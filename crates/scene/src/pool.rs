//! A producer's memory as a bar: the part that is taken, cut by the partitions whose batches hold it.
//!
//! Says nothing about who waits for it; the calls of an application are on its card.

use std::rc::Rc;

use engine::event::TopicPartition;
use engine::snapshot::BufferSnapshot;

use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, DisplayList, Face, Item};
use crate::stage::Area;
use crate::still::{counted, line, rect};
use crate::text;

/// Pieces of a bar, at most; partitions beyond them share the last one.
const PIECES: usize = 24;
/// A piece is at least so wide, however little it is.
const PIECE_MIN: f32 = 2.0;
const GAUGE_HEIGHT: f32 = 22.0;

/// How much of the memory, or of librdkafka's queue, is taken: from 0 to 1.
pub fn share(buffer: &BufferSnapshot) -> f32 {
    let bytes = buffer.total_bytes.saturating_sub(buffer.available_bytes) as f64 / (buffer.total_bytes as f64).max(1.0);
    let messages = buffer.messages.map_or(0.0, |(most, queued)| queued as f64 / (most as f64).max(1.0));
    bytes.max(messages).min(1.0) as f32
}

/// Whether there is no room for one more batch, or for one more message.
pub fn is_full(buffer: &BufferSnapshot) -> bool {
    match buffer.messages {
        Some((most, queued)) => queued >= most,
        None => buffer.total_bytes > 0 && buffer.available_bytes < u64::from(buffer.buffer_bytes.max(1)),
    }
}

/// "45 of 2,048 buffers", or of librdkafka "7 of 100.0k messages".
pub fn words(buffer: &BufferSnapshot) -> String {
    match (buffer.messages, u64::from(buffer.buffer_bytes)) {
        (Some((most, queued)), _) => format!("{} of {} messages", text::count(queued), text::count(most)),
        (None, 0) => format!("{} free of {}", text::memory(buffer.available_bytes), text::memory(buffer.total_bytes)),
        (None, size) => {
            let used = buffer.total_bytes.saturating_sub(buffer.available_bytes).div_ceil(size);
            format!("{} of {} buffers", text::count(used), text::count(buffer.total_bytes / size))
        }
    }
}

/// The bar with its pieces.
pub(crate) fn bar(buffer: &BufferSnapshot, at: Area) -> Vec<Item> {
    let radius = 3.0_f32.min(at.height / 2.0);
    let mut items = vec![Item::new(Role::BarTrack, rect(at, radius))];
    let taken = at.width * share(buffer);
    let sum: u64 = buffer.batches.iter().map(|(_, count)| u64::from(*count)).sum();
    if sum == 0 {
        if taken > 0.0 {
            let whole = Area { width: taken.max(PIECE_MIN), ..at };
            items.push(Item::new(Class::new(Role::Pool).mark(Mark::Muted, true), rect(whole, radius)));
        }
        return items;
    }
    let mut x = at.x;
    for (index, (name, count)) in pieces(buffer).into_iter().enumerate() {
        let width = (taken * (count as f32 / sum as f32)).max(PIECE_MIN).min(at.right() - x);
        if width <= 0.0 {
            break;
        }
        items.push(piece(Area { x, width, ..at }, index, name, count));
        x += width;
    }
    items
}

fn piece(area: Area, index: usize, name: Option<&TopicPartition>, count: u64) -> Item {
    let class = Class::new(Role::Pool).mark(Mark::Lit, index % 2 == 1).mark(Mark::Muted, name.is_none());
    let batches = counted(count, "batch", "batches");
    let label = name.map_or_else(|| format!("other partitions, {batches}"), |name| format!("{name}, {batches}"));
    let item = Item::new(class, rect(area, 2.0)).label(label);
    let short: Rc<str> = name.map_or_else(String::new, |name| format!("p{}", name.partition)).into();
    // Words stand above the bar where it is too low for them.
    if area.height < 16.0 || short.is_empty() || text::width(&short, 11.0, Face::Mono) + 6.0 > area.width {
        return item;
    }
    let at = (area.center().0, area.center().1 + 4.0);
    item.with(vec![line(Role::CellText, at, short, 11.0, Face::Mono, Anchor::Middle)])
}

/// Partitions with their batches; beyond a number the rest as one without a name.
fn pieces(buffer: &BufferSnapshot) -> Vec<(Option<&TopicPartition>, u64)> {
    let named = if buffer.batches.len() > PIECES { PIECES - 1 } else { buffer.batches.len() };
    let mut pieces: Vec<_> =
        buffer.batches[..named].iter().map(|(name, count)| (Some(name), u64::from(*count))).collect();
    let rest: u64 = buffer.batches[named..].iter().map(|(_, count)| u64::from(*count)).sum();
    if rest > 0 {
        pieces.push((None, rest));
    }
    pieces
}

/// The bar alone, for a panel.
pub fn gauge(buffer: &BufferSnapshot, width: f32) -> DisplayList {
    let at = Area::new(0.5, 0.5, width - 1.0, GAUGE_HEIGHT - 1.0);
    DisplayList { width, height: GAUGE_HEIGHT, items: bar(buffer, at) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(batches: &[(u32, u32)], free: u64) -> BufferSnapshot {
        let batch = |(partition, count): &(u32, u32)| {
            (TopicPartition { topic: "events".into(), partition: *partition }, *count)
        };
        BufferSnapshot {
            total_bytes: 100 * 16_384,
            available_bytes: free * 16_384,
            buffer_bytes: 16_384,
            messages: None,
            batches: batches.iter().map(batch).collect(),
        }
    }

    #[test]
    fn pieces_are_as_wide_as_their_batches() {
        let list = gauge(&buffer(&[(0, 10), (11, 40)], 50), 201.0);
        let expected = "201 x 22\n\
                        bar-track 0.5,0.5 200x21\n\
                        pool 0.5,0.5 20x21 (events-0, 10 batches)\n  \
                        cell-text 10.5,15 \"p0\"\n\
                        pool lit 20.5,0.5 80x21 (events-11, 40 batches)\n  \
                        cell-text 60.5,15 \"p11\"\n";
        assert_eq!(list.to_string(), expected);
    }

    #[test]
    fn a_pool_is_full_when_no_buffer_is_left() {
        assert!(is_full(&buffer(&[], 0)) && !is_full(&buffer(&[], 1)));
        let queue = BufferSnapshot { messages: Some((10, 10)), ..buffer(&[], 50) };
        assert!(is_full(&queue));
        assert_eq!(words(&queue), "10 of 10 messages");
        assert_eq!(words(&buffer(&[(0, 3)], 97)), "3 of 100 buffers");
    }

    #[test]
    fn many_partitions_share_the_last_piece() {
        let many: Vec<(u32, u32)> = (0..200).map(|partition| (partition, 1)).collect();
        let text = gauge(&buffer(&many, 0), 400.0).to_string();
        assert_eq!(text.matches("pool").count(), PIECES, "{text}");
        assert!(text.contains("(other partitions, 177 batches)"), "{text}");
    }
}
