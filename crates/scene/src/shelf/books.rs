//! Segments as books on a shelf: closed ones framed, the active one open, each with its index as ticks.
//!
//! More than fit are counted in one book; the way of a lookup is in `way.rs`.

use std::rc::Rc;

use engine::log_view::{LogView, SegmentView};

use super::{BOOKS, EDGE, OLDEST, Passes, Search, ShelfOptions, file_name, pass, replica_name};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item, Shape};
use crate::stage::Area;
use crate::still::{counted, line, records, rect, tag_item};
use crate::text;
use crate::tree::Node;

const BOOK_WIDTH: f32 = 208.0;
const BOOK_WIDTH_MAX: f32 = 320.0;
const BOOK_HEIGHT: f32 = 96.0;
const REMOTE_HEIGHT: f32 = 54.0;
const BOOK_GAP: f32 = 12.0;
/// Space between the books and the next row, the board included.
const ROW_GAP: f32 = 18.0;
const PAD: f32 = 12.0;
/// Index entries of one book that are drawn, at most.
const TICKS: usize = 48;

/// One book.
#[derive(Clone, Debug)]
pub(super) struct Book {
    id: Rc<str>,
    name: String,
    sentence: String,
    index: String,
    tag: Option<(String, Mark)>,
    kind: Kind,
    is_hit: bool,
    size_bytes: u64,
    ticks: Vec<u32>,
    /// The tick of the index entry that the lookup uses.
    used: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Closed,
    Active,
    Deleted,
    Remote,
    /// So many segments that are not shown.
    More(usize),
}

impl Book {
    /// Segments that the book stands for, deleted ones not counted.
    pub fn segments(&self) -> u64 {
        match self.kind {
            Kind::More(count) => count as u64,
            Kind::Deleted => 0,
            _ => 1,
        }
    }

    pub fn node(&self) -> Node {
        Node { id: self.id.clone(), label: self.words().into(), children: Vec::new() }
    }

    fn words(&self) -> String {
        let mut words = match self.kind {
            Kind::Active => format!("active segment {}", self.name),
            Kind::Closed => format!("segment {}", self.name),
            Kind::Deleted => format!("deleted segment {}", self.name),
            Kind::Remote => format!("remote segment {}", self.name),
            Kind::More(_) => return self.name.clone(),
        };
        for part in [&self.sentence, &self.index] {
            if !part.is_empty() {
                words.push_str(&format!(", {}", part.replace(" · ", ", ")));
            }
        }
        if let Some((tag, _)) = &self.tag {
            words.push_str(&format!(", {tag}"));
        }
        if self.is_hit {
            words.push_str(", holds what was looked for");
        }
        words
    }
}

/// The books of the local disk: segments that are going, then those that are there.
pub(super) fn of(view: &LogView, options: &ShelfOptions<'_>) -> Vec<Book> {
    let hit = options.search.map(|search| match search {
        Search::Offset(lookup) => (lookup.segment, lookup.entry),
        Search::Timestamp(lookup) => (lookup.segment, lookup.entry),
    });
    let deleted = view.files.iter().filter_map(|(name, size)| {
        let base = name.strip_suffix(".log.deleted")?.parse::<u64>().ok()?;
        Some(deleted(view, options, base, *size))
    });
    let segments = view.segments.iter().map(|segment| local(view, options, segment, hit));
    let books: Vec<Book> = deleted.chain(segments).collect();
    shortened(view, books)
}

pub(super) fn remote(view: &LogView, options: &ShelfOptions<'_>) -> Vec<Book> {
    let books = view.remote_segments.iter().map(|(base, size)| Book {
        id: format!("remote:{}:{}", replica_name(view), file_name(*base)).into(),
        name: file_name(*base),
        sentence: text::bytes(*size),
        index: String::new(),
        tag: pass(view, options.events, *base, Passes::Upload).map(|word| (word, Mark::Diff)),
        kind: Kind::Remote,
        is_hit: false,
        size_bytes: *size,
        ticks: Vec::new(),
        used: None,
    });
    shortened(view, books.collect())
}

fn deleted(view: &LogView, options: &ShelfOptions<'_>, base: u64, size: u64) -> Book {
    let reason = pass(view, options.events, base, Passes::Deletion);
    Book {
        id: format!("segment:{}:{}", replica_name(view), file_name(base)).into(),
        name: file_name(base),
        sentence: format!("{} · going soon", text::bytes(size)),
        index: String::new(),
        tag: Some((reason.unwrap_or_else(|| "deleted".to_string()), Mark::Bad)),
        kind: Kind::Deleted,
        is_hit: false,
        size_bytes: size,
        ticks: Vec::new(),
        used: None,
    }
}

fn local(view: &LogView, options: &ShelfOptions<'_>, segment: &SegmentView, hit: Option<(u64, (u32, u32))>) -> Book {
    let is_hit = hit.is_some_and(|(base, _)| base == segment.base_offset);
    let every = segment.offset_index.len().div_ceil(TICKS).max(1);
    let passed = pass(view, options.events, segment.base_offset, Passes::Local);
    let clean =
        (segment.last_offset.is_some_and(|last| last < view.clean_until)).then(|| ("clean".to_string(), Mark::Lit));
    let active = segment.is_active.then(|| ("active".to_string(), Mark::Muted));
    Book {
        id: format!("segment:{}:{}", replica_name(view), file_name(segment.base_offset)).into(),
        name: file_name(segment.base_offset),
        sentence: format!(
            "{} · {} · {}",
            text::bytes(segment.size_bytes),
            counted(segment.batch_count, "batch", "batches"),
            records(segment.record_count)
        ),
        index: counted(segment.offset_index.len() as u64, "index entry", "index entries"),
        tag: passed.map(|word| (word, Mark::Diff)).or(clean).or(active),
        kind: if segment.is_active { Kind::Active } else { Kind::Closed },
        is_hit,
        size_bytes: segment.size_bytes,
        ticks: segment.offset_index.iter().step_by(every).map(|(_, position)| *position).collect(),
        used: hit.filter(|_| is_hit).map(|(_, (_, position))| position),
    }
}

/// The oldest and the newest books, the one of the lookup, and counts of those between them.
fn shortened(view: &LogView, books: Vec<Book>) -> Vec<Book> {
    if books.len() <= BOOKS {
        return books;
    }
    let newest = books.len() - (BOOKS - OLDEST - 3);
    let mut shown: Vec<Book> = Vec::new();
    let mut skipped = 0;
    let flush = |skipped: &mut usize, shown: &mut Vec<Book>| {
        if *skipped > 0 {
            shown.push(more(view, *skipped, shown.len()));
            *skipped = 0;
        }
    };
    for (index, book) in books.into_iter().enumerate() {
        if index < OLDEST || index >= newest || book.is_hit {
            flush(&mut skipped, &mut shown);
            shown.push(book);
        } else {
            skipped += 1;
        }
    }
    shown
}

fn more(view: &LogView, count: usize, place: usize) -> Book {
    Book {
        id: format!("segment:{}:more-{place}", replica_name(view)).into(),
        name: format!("{} more segments", text::count(count as u64)),
        sentence: String::new(),
        index: String::new(),
        tag: None,
        kind: Kind::More(count),
        is_hit: false,
        size_bytes: 0,
        ticks: Vec::new(),
        used: None,
    }
}

/// Draws a shelf with its name from a height on; where it ends.
pub(super) fn draw(
    books: &[Book],
    title: &str,
    (top, width): (f32, f32),
    options: &ShelfOptions<'_>,
    items: &mut Vec<Item>,
) -> f32 {
    let bytes: u64 = books.iter().map(|book| book.size_bytes).sum();
    let segments = books.iter().map(Book::segments).sum();
    let words: Rc<str> =
        format!("{title} · {} · {}", counted(segments, "segment", "segments"), text::bytes(bytes)).into();
    let words = text::fit(&words, width - 4.0, 12.0, Face::Sans);
    items.push(line(Role::LaneName, (EDGE + 1.0, top + 12.0), words, 12.0, Face::Sans, Anchor::Start));
    let is_remote = books.iter().all(|book| book.kind == Kind::Remote || matches!(book.kind, Kind::More(_)));
    let height = if is_remote && !books.is_empty() { REMOTE_HEIGHT } else { BOOK_HEIGHT };
    let inner = width - 2.0 * EDGE;
    let columns = (((inner + BOOK_GAP) / (BOOK_WIDTH + BOOK_GAP)).floor() as usize).max(1);
    let book_width = ((inner - (columns - 1) as f32 * BOOK_GAP) / columns as f32).floor();
    let book_width = if columns > 1 { book_width.min(BOOK_WIDTH_MAX) } else { book_width };
    let mut y = top + 22.0;
    for row in books.chunks(columns) {
        for (column, book) in row.iter().enumerate() {
            let x = EDGE + column as f32 * (book_width + BOOK_GAP);
            items.push(draw_book(book, Area::new(x, y, book_width, height), options));
        }
        let board = Shape::Line { from: (EDGE, y + height + 4.0), to: (width - EDGE, y + height + 4.0) };
        items.push(Item::new(Role::Rule, board));
        y += height + ROW_GAP;
    }
    if books.is_empty() {
        items.push(line(Role::Note, (EDGE + 1.0, y + 12.0), "Nothing here.".into(), 13.0, Face::Sans, Anchor::Start));
        y += 28.0;
    }
    y - ROW_GAP + 6.0
}

fn draw_book(book: &Book, area: Area, options: &ShelfOptions<'_>) -> Item {
    let (left, room) = (area.x + PAD, area.width - 2.0 * PAD);
    let class = Class::new(Role::Segment)
        .mark(Mark::Bad, book.kind == Kind::Deleted)
        .mark(Mark::Lit, book.is_hit)
        .mark(Mark::Selected, options.selected == Some(&*book.id));
    let mut children = Vec::new();
    if let Kind::More(_) = book.kind {
        let words = text::fit(&book.name.as_str().into(), room, 12.0, Face::Sans);
        children.push(line(Role::LaneCount, (left, area.center().1 + 4.0), words, 12.0, Face::Sans, Anchor::Start));
        return frame(book, area, Class::new(Role::Gap), children);
    }
    let name: Rc<str> = if book.kind == Kind::Remote { book.name.clone() } else { format!("{}.log", book.name) }.into();
    let name = text::fit_middle(&name, room, 11.0, Face::MonoBold);
    let sentence = text::fit(&book.sentence.as_str().into(), room, 11.0, Face::Sans);
    children.push(line(Role::CellText, (left, area.y + 20.0), name, 11.0, Face::MonoBold, Anchor::Start));
    children.push(line(Role::LaneCount, (left, area.y + 38.0), sentence, 11.0, Face::Sans, Anchor::Start));
    if book.kind != Kind::Remote {
        children.extend(file(book, Area::new(left, area.y + 50.0, room, 12.0)));
    }
    children.extend(foot(book, area));
    frame(book, area, class, children)
}

/// The active segment is open: the log goes on there.
fn frame(book: &Book, area: Area, class: Class, children: Vec<Item>) -> Item {
    let Area { x, y, width, height } = area;
    let shape = rect(area, 6.0);
    let item = if book.kind == Kind::Active {
        let open = Item::new(class, Shape::Open { x, y, width, height, radius: 6.0 });
        Item::new(Role::Group, shape).with(std::iter::once(open).chain(children).collect())
    } else {
        Item::new(class, shape).with(children)
    };
    item.id(book.id.clone()).label(book.words())
}

/// The file as a bar, the entries of its index as ticks that stand on their positions.
fn file(book: &Book, at: Area) -> Vec<Item> {
    let mut items = vec![Item::new(Role::Block, rect(at, 2.0))];
    let place = |position: u32| at.x + at.width * (position as f32 / book.size_bytes.max(1) as f32).min(1.0);
    let tick = |position: u32, is_used: bool| {
        let x = place(position);
        let class = Class::new(Role::Entry).mark(Mark::Lit, is_used);
        Item::new(class, Shape::Line { from: (x, at.y - 4.0), to: (x, at.bottom() + 4.0) })
    };
    items.extend(book.ticks.iter().map(|position| tick(*position, false)));
    items.extend(book.used.map(|position| tick(position, true)));
    items
}

/// How many entries the index has, and a tag.
fn foot(book: &Book, area: Area) -> Vec<Item> {
    let mut items = Vec::new();
    let y = area.bottom() - 24.0;
    let mut right = area.right() - PAD;
    if let Some((word, mark)) = &book.tag {
        let tag = tag_item(word, Some(*mark), area.x + PAD, right, y);
        if let Some((tag, start)) = tag {
            items.push(tag);
            right = start - 8.0;
        }
    }
    let words = text::fit(&book.index.as_str().into(), right - area.x - PAD, 11.0, Face::Sans);
    if !words.is_empty() {
        items.push(line(Role::LaneCount, (area.x + PAD, y + 12.0), words, 11.0, Face::Sans, Anchor::Start));
    }
    items
}
