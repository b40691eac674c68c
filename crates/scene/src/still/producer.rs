//! Producers in the still layer: identity, state, code, batches, memory and the call that waits.
//!
//! The words of the code come from `code.rs`; how long a call has waited moves, so it is in `frame/clock.rs`.

use std::rc::Rc;

use engine::event::Name;
use engine::order::Order;
use engine::snapshot::{BatchSnapshot, ClientProcess, ProducerSnapshot, ProducerState};
use engine::transaction::ClientState;

use super::card::{PAD, more};
use super::replica::{Tag, tags_until};
use super::words::records;
use super::{Draw, line, rect};
use crate::class::{Class, Mark, Role};
use crate::code;
use crate::display::{Anchor, Face, Item, Shape};
use crate::layout::{CALL_HEIGHT, HEAD_HEIGHT, IDENTITY_HEIGHT, POOL_HEIGHT};
use crate::pool;
use crate::stage::{Area, CardBox, CardForm};
use crate::text;

/// Between two batches.
const BATCH_GAP: f32 = 6.0;
/// Three lines of code, and the batches below them.
const CODE: f32 = 66.0;
/// Between the columns of a wide card.
const COLUMN_GAP: f32 = 32.0;
/// Below this width a call's method and its time have a row each.
const TIGHT: f32 = 260.0;
/// Room for such a time: `59.9 s of 60 s`.
const CLOCK_WIDTH: f32 = 108.0;

impl Draw<'_> {
    /// The card of a producer. None if the snapshot does not know it.
    pub(super) fn producer(&self, card: &CardBox) -> Option<Item> {
        let producer = self.snapshot.producers.get(card.index)?;
        match card.form {
            CardForm::Full => Some(self.full_producer(card, producer)),
            CardForm::More(count) => Some(more(card, count, "producers")),
            _ => {
                Some(self.row(card, &producer.name, &row_words(producer), is_gone(producer), producer_words(producer)))
            }
        }
    }

    fn full_producer(&self, card: &CardBox, producer: &ProducerSnapshot) -> Item {
        let area = card.area;
        let inner = Area::new(area.x + PAD, area.y, area.width - 2.0 * PAD, area.height);
        let mut children = head(inner, producer);
        let left = columns(card).0;
        let mut y = area.y + HEAD_HEIGHT;
        if producer.transactional_id.is_some() {
            children.extend(identity(Area { y, height: IDENTITY_HEIGHT, ..left }, producer));
            y += IDENTITY_HEIGHT;
        }
        children.extend(self.code(Area { y, ..left }, producer));
        y += CODE;
        children.extend(batches(producer, Area { y, height: 18.0, ..left }));
        if let (Some(memory_at), Some(call_at)) = (memory_area(card), call_area(card)) {
            children.extend(memory(memory_at, producer));
            children.extend(call(call_at, producer));
        }
        let class = Class::new(Role::Card)
            .mark(Mark::Muted, is_gone(producer))
            .mark(Mark::Diff, producer.process == ClientProcess::Frozen)
            .mark(Mark::Selected, self.is_selected(&card.id));
        Item::new(class, rect(area, 12.0)).id(card.id.clone()).label(producer_words(producer)).with(children)
    }

    /// Three lines of code with the running one lit.
    fn code(&self, at: Area, producer: &ProducerSnapshot) -> Vec<Item> {
        let mut items = Vec::new();
        for (index, code) in code::lines_of_card(self.stage.language, producer).into_iter().enumerate() {
            let y = at.y + 20.0 + index as f32 * 17.0;
            let class = Class::new(Role::CodeLine).mark(Mark::Lit, code.is_running);
            let face = if code.is_running { Face::MonoBold } else { Face::Mono };
            if code.is_running {
                let band = Area::new(at.x - 8.0, y - 12.5, at.width + 16.0, 17.0);
                items.push(Item::new(Role::CodeBand, rect(band, 4.0)));
            }
            let words = text::fit(&code.text.into(), at.width, 11.5, face);
            items.push(line(class, (at.x, y), words, 11.5, face, Anchor::Start));
        }
        items
    }
}

/// Name, client, and at the right how the process is; without a transactional id the state stands there.
fn head(at: Area, producer: &ProducerSnapshot) -> Vec<Item> {
    let right = at.right();
    let mut items = Vec::new();
    let mut end = right;
    if let Some(tag) = process_tag(producer) {
        let (tags, start) = tags_until(&[tag], at.x + 60.0, right, at.y + 13.0);
        items.extend(tags);
        end = start - 8.0;
    } else if producer.transactional_id.is_none() {
        let (word, class) = state(producer);
        let width = text::pill_width(word);
        let x = right - width + 4.0;
        items.push(Item::new(class, Shape::Pill { x, y: at.y + 12.0, width, height: 20.0, text: word.into() }));
        end = x - 8.0;
    }
    let name = text::fit(&producer.name, end - at.x, 14.0, Face::SansBold);
    let title = Class::new(Role::CardTitle).mark(Mark::Muted, is_gone(producer));
    items.push(line(title, (at.x, at.y + 26.0), name, 14.0, Face::SansBold, Anchor::Start));
    let client = fitting_client(producer, at.width);
    items.push(line(Role::CardSub, (at.x, at.y + 45.0), client, 12.0, Face::Sans, Anchor::Start));
    items.push(Item::new(Role::Rule, Shape::Line { from: (at.x, at.y + 56.5), to: (right, at.y + 56.5) }));
    items
}

/// The transactional id with the epoch, and the state of the transaction manager with what is behind it.
fn identity(at: Area, producer: &ProducerSnapshot) -> Vec<Item> {
    let mut items = Vec::new();
    let mut end = at.right();
    let epochs = producer.producer_id.zip(producer.producer_epoch);
    if let Some((id, epoch)) = epochs {
        let tag = Tag::new(format!("id {id}, epoch {epoch}"), None);
        let (tags, start) = tags_until(&[tag], at.x, at.right(), at.y + 8.0);
        let label = format!("producer id {id}, epoch {epoch}");
        items.extend(tags.into_iter().map(|tag| tag.label(label.clone())));
        end = start - 6.0;
    }
    if let Some(id) = &producer.transactional_id {
        let id = text::fit_middle(id, end - at.x, 12.0, Face::Mono);
        items.push(line(Role::LaneName, (at.x, at.y + 20.0), id, 12.0, Face::Mono, Anchor::Start));
    }
    let (word, class) = state(producer);
    let width = text::pill_width(word).min(at.width);
    let word = text::fit(&word.into(), width - 16.0, 11.0, Face::MonoBold);
    items.push(Item::new(class, Shape::Pill { x: at.x, y: at.y + 29.0, width, height: 20.0, text: word }));
    let room = at.width - width - 8.0;
    items.extend(
        behind_state(producer)
            .filter(|(words, _)| text::width(words, 11.0, Face::Sans) <= room)
            .map(|(words, class)| line(class, (at.right(), at.y + 43.0), words.into(), 11.0, Face::Sans, Anchor::End)),
    );
    items
}

/// The error of an error state, else the partitions of the transaction.
fn behind_state(producer: &ProducerSnapshot) -> Option<(String, Class)> {
    if let Some(error) = &producer.client_error {
        let name = if error.exception.is_empty() { &error.error } else { &error.exception };
        return Some((name.trim_end_matches("Exception").to_string(), Class::new(Role::TagText).mark(Mark::Bad, true)));
    }
    let count = producer.transaction_partitions.len() as u64;
    (count > 0).then(|| (super::counted(count, "partition", "partitions"), Class::new(Role::LaneCount)))
}

/// The state of a producer, and how its pill looks.
pub(crate) fn state(producer: &ProducerSnapshot) -> (&'static str, Class) {
    let class = Class::new(Role::State);
    if producer.process == ClientProcess::Crashed {
        // What it was when it died.
        return (producer.client_state.map_or("READY", ClientState::name), class);
    }
    match (producer.state, producer.client_state) {
        (ProducerState::Closed, _) => ("CLOSED", class),
        (ProducerState::Closing, _) => ("CLOSING", class),
        (ProducerState::Ready, None) => ("READY", class.mark(Mark::Lit, true)),
        (ProducerState::Ready, Some(state)) => {
            let class = match state {
                ClientState::Uninitialized => class,
                ClientState::Ready => class.mark(Mark::Lit, true),
                ClientState::InTransaction | ClientState::PreparedTransaction => class.mark(Mark::Open, true),
                ClientState::Initializing | ClientState::CommittingTransaction | ClientState::AbortingTransaction => {
                    class.mark(Mark::Diff, true)
                }
                ClientState::AbortableError | ClientState::FatalError => class.mark(Mark::Bad, true),
            };
            (state.name(), class)
        }
    }
}

fn process_tag(producer: &ProducerSnapshot) -> Option<Tag> {
    match producer.process {
        ClientProcess::Running => None,
        ClientProcess::Frozen => Some(Tag::new("stands still", Some(Mark::Diff))),
        ClientProcess::Crashed => Some(Tag::new("crashed", Some(Mark::Bad))),
    }
}

/// The bar of the memory with its numbers.
fn memory(at: Area, producer: &ProducerSnapshot) -> Vec<Item> {
    let buffer = &producer.buffer;
    let rule = Item::new(Role::Rule, Shape::Line { from: (at.x, at.y + 0.5), to: (at.right(), at.y + 0.5) });
    if buffer.total_bytes == 0 && buffer.messages.is_none() {
        let words = text::fit(&"memory is not modelled".into(), at.width, 11.0, Face::Sans);
        return vec![rule, line(Role::LaneCount, (at.x, at.y + 17.0), words, 11.0, Face::Sans, Anchor::Start)];
    }
    let is_full = pool::is_full(buffer);
    let words: Rc<str> = if is_full { format!("{}, full", pool::words(buffer)) } else { pool::words(buffer) }.into();
    let total: Rc<str> = text::memory(buffer.total_bytes).into();
    let room = at.width - text::width(&total, 11.0, Face::Sans) - 8.0;
    let class = if is_full { Class::new(Role::TagText).mark(Mark::Bad, true) } else { Class::new(Role::LaneCount) };
    let mut items = vec![
        rule,
        line(class, (at.x, at.y + 17.0), text::fit(&words, room, 11.0, Face::Sans), 11.0, Face::Sans, Anchor::Start),
        line(Role::LaneCount, (at.right(), at.y + 17.0), total, 11.0, Face::Sans, Anchor::End),
    ];
    items.extend(pool::bar(buffer, Area { y: at.y + 24.0, height: 16.0, ..at }));
    items
}

/// The columns of a card: what it does, and what it holds and waits for. One of them for both unless it is wide.
fn columns(card: &CardBox) -> (Area, Area) {
    let area = card.area;
    let whole = Area::new(area.x + PAD, area.y, area.width - 2.0 * PAD, area.height);
    if !card.is_wide {
        return (whole, whole);
    }
    let width = ((whole.width - COLUMN_GAP) / 2.0).floor();
    (Area { width, ..whole }, Area { x: whole.right() - width, width, ..whole })
}

/// Where the memory is told on an open card.
fn memory_area(card: &CardBox) -> Option<Area> {
    let call = call_area(card)?;
    Some(Area { y: call.y - POOL_HEIGHT, height: POOL_HEIGHT, ..call })
}

/// Where the call that waits is told on an open card.
pub(crate) fn call_area(card: &CardBox) -> Option<Area> {
    let right = columns(card).1;
    let y = if card.is_wide { card.area.y + HEAD_HEIGHT + POOL_HEIGHT } else { card.area.bottom() - CALL_HEIGHT };
    card.is_open.then_some(Area { y, height: CALL_HEIGHT, ..right })
}

/// Whether the time of a call has no room beside the name of its method, so that it stands beside the bar.
fn is_tight(at: Area) -> bool {
    at.width < TIGHT
}

/// The bar of a call's clock.
pub(crate) fn clock_bar(at: Area) -> Area {
    let taken = if is_tight(at) { CLOCK_WIDTH } else { 0.0 };
    Area::new(at.x, at.y + 38.0, at.width - taken, 4.0)
}

/// Where the time of a call ends, on its baseline.
pub(crate) fn clock_end(at: Area) -> (f32, f32) {
    (at.right(), at.y + if is_tight(at) { 44.0 } else { 17.0 })
}

/// The call that waits and what for; its clock moves.
fn call(at: Area, producer: &ProducerSnapshot) -> Vec<Item> {
    let mut items = vec![Item::new(Role::Rule, Shape::Line { from: (at.x, at.y + 0.5), to: (at.right(), at.y + 0.5) })];
    let Some(waiting) = producer.calls.first() else {
        let words = text::fit(&"no call waits".into(), at.width, 11.0, Face::Sans);
        items.push(line(Role::LaneCount, (at.x, at.y + 17.0), words, 11.0, Face::Sans, Anchor::Start));
        return items;
    };
    let method: Rc<str> = format!("{}()", code::method(&producer.client, waiting.call)).into();
    let method = text::fit(&method, at.width * if is_tight(at) { 1.0 } else { 0.66 }, 11.0, Face::MonoBold);
    let reason = format!("waits for {}", super::words::reason_words(waiting.reason));
    let behind = producer.calls.len() - 1;
    let whole = if behind > 0 { format!("{reason}, {behind} more behind it") } else { reason.clone() };
    let fits = text::width(&whole, 11.0, Face::Sans) <= at.width;
    let label = format!("{method} {whole}");
    let reason: Rc<str> = if fits { whole } else { reason }.into();
    items.push(line(Role::LaneName, (at.x, at.y + 17.0), method, 11.0, Face::MonoBold, Anchor::Start).label(label));
    let reason = text::fit(&reason, at.width, 11.0, Face::Sans);
    items.push(line(Role::LaneCount, (at.x, at.y + 32.0), reason, 11.0, Face::Sans, Anchor::Start));
    if waiting.deadline.is_some() {
        items.push(Item::new(Role::BarTrack, rect(clock_bar(at), 2.0)));
    }
    items
}

/// Open batches by partition: an outline waits, a full one is on its way. Where they are too many each partition has
/// one pill for all of its own.
fn batches(producer: &ProducerSnapshot, at: Area) -> Vec<Item> {
    let baseline = at.y + 13.0;
    if producer.batches.is_empty() {
        let waiting = match producer.waiting_count {
            0 => format!("{} sent, no open batch", records(producer.sent_count)),
            waiting => format!("{} waiting for metadata", records(waiting)),
        };
        let words = text::fit(&waiting.into(), at.width, 11.0, Face::Sans);
        return vec![line(Role::LaneCount, (at.x, baseline), words, 11.0, Face::Sans, Anchor::Start)];
    }
    let alone: Vec<Pile> = producer.batches.iter().map(Pile::of).collect();
    let room = |piles: &[Pile]| piles.iter().map(|pile| pile.width() + BATCH_GAP).sum::<f32>() - BATCH_GAP;
    let piles = if room(&alone) <= at.width { alone } else { by_partition(alone) };
    let mut items = Vec::new();
    let mut x = at.x;
    for (index, pile) in piles.iter().enumerate() {
        let rest = piles.len() - index;
        // The last place on the row is kept for the number of those that do not fit.
        let kept = if rest > 1 { 36.0 } else { 0.0 };
        if x + pile.width() + kept > at.right() {
            let rest: Rc<str> = format!("+{rest}").into();
            items.push(line(Role::LaneCount, (x + 2.0, baseline), rest, 11.0, Face::Mono, Anchor::Start));
            break;
        }
        let pill = Shape::Pill { x, y: at.y, width: pile.width(), height: at.height, text: pile.text().into() };
        let class = Class::new(Role::Batch).mark(Mark::Lit, pile.in_flight > 0);
        items.push(Item::new(class, pill).label(pile.label()));
        x += pile.width() + BATCH_GAP;
    }
    items
}

/// A batch, or all of a partition where there are too many to show each.
struct Pile {
    topic: Name,
    partition: u32,
    batches: u64,
    in_flight: u64,
    records: u64,
    bytes: u64,
}

impl Pile {
    fn of(batch: &BatchSnapshot) -> Pile {
        Pile {
            topic: batch.topic.clone(),
            partition: batch.partition,
            batches: 1,
            in_flight: u64::from(batch.is_in_flight),
            records: u64::from(batch.record_count),
            bytes: u64::from(batch.size_bytes),
        }
    }

    fn text(&self) -> String {
        format!("p{} × {}", self.partition, text::count(self.records))
    }

    fn width(&self) -> f32 {
        text::pill_width(&self.text()) - 4.0
    }

    fn label(&self) -> String {
        let what = if self.batches == 1 { "batch".to_string() } else { format!("{} batches", self.batches) };
        let state = match (self.in_flight, self.batches) {
            (0, _) => "waiting".to_string(),
            (some, all) if some == all => "in flight".to_string(),
            (some, _) => format!("{some} in flight"),
        };
        format!("{what} of {}-{}, {}, {} bytes, {state}", self.topic, self.partition, records(self.records), self.bytes)
    }
}

/// One pile for each partition, in the order of partitions.
fn by_partition(alone: Vec<Pile>) -> Vec<Pile> {
    let mut piles: Vec<Pile> = Vec::new();
    for batch in alone {
        match piles.iter_mut().find(|pile| pile.topic == batch.topic && pile.partition == batch.partition) {
            Some(pile) => {
                pile.batches += 1;
                pile.in_flight += batch.in_flight;
                pile.records += batch.records;
                pile.bytes += batch.bytes;
            }
            None => piles.push(batch),
        }
    }
    piles.order_by_key(|pile| (pile.topic.clone(), pile.partition));
    piles
}

/// Whether nothing more comes from it.
fn is_gone(producer: &ProducerSnapshot) -> bool {
    producer.state == ProducerState::Closed || producer.process == ClientProcess::Crashed
}

/// What a row says beside the name: the client, or what is unusual about the producer.
fn row_words(producer: &ProducerSnapshot) -> String {
    match (producer.process, producer.client_state) {
        (ClientProcess::Crashed, _) => "crashed".to_string(),
        (ClientProcess::Frozen, _) => "stands still".to_string(),
        (ClientProcess::Running, Some(state)) => state.name().to_string(),
        (ClientProcess::Running, None) => client_words(producer),
    }
}

/// Client library and version: `Java 3.3 and later`. A binding's language comes first unless the name says it.
fn client_words(producer: &ProducerSnapshot) -> String {
    let Some(client) = partitioner::client(&producer.client) else { return producer.client.to_string() };
    let language = code::languages(client.id).first().map(|language| language.name());
    let is_said = |language: &&str| client.name.to_lowercase().contains(&language.to_lowercase());
    // Version texts with remarks are for the catalogue's page.
    let versions = versions(client);
    let name =
        language.filter(|language| !is_said(language)).map_or_else(String::new, |language| format!("{language} · "));
    format!("{name}{} {versions}", client.name).trim_end().to_string()
}

/// The versions of a catalogue entry; none if it holds for all.
fn versions(client: &'static partitioner::Client) -> &'static str {
    let versions = client.versions.split(';').next().unwrap_or_default();
    if versions == "all" { "" } else { versions }
}

/// The client as it fits into a width: without its versions if it has to be.
fn fitting_client(producer: &ProducerSnapshot, room: f32) -> Rc<str> {
    let words: Rc<str> = client_words(producer).into();
    if text::width(&words, 12.0, Face::Sans) <= room {
        return words;
    }
    let versions = partitioner::client(&producer.client)
        .map_or("", |client| client.versions.split(';').next().unwrap_or_default());
    text::fit(&words.trim_end_matches(versions).trim_end().into(), room, 12.0, Face::Sans)
}

/// A producer in one sentence.
pub(crate) fn producer_words(producer: &ProducerSnapshot) -> String {
    let mut words = format!("producer {}, {}, {}", producer.name, client_words(producer), state(producer).0);
    match producer.process {
        ClientProcess::Running => {}
        ClientProcess::Frozen => words.push_str(", its process stands still"),
        ClientProcess::Crashed => words.push_str(", its process died"),
    }
    if let Some(id) = &producer.transactional_id {
        words.push_str(&format!(", transactional id {id}"));
    }
    if let Some((id, epoch)) = producer.producer_id.zip(producer.producer_epoch) {
        words.push_str(&format!(", producer id {id}, epoch {epoch}"));
    }
    if let Some(error) = &producer.client_error {
        words.push_str(&format!(", {error}"));
    }
    words.push_str(&format!(
        ", {} sent, {} acknowledged",
        records(producer.sent_count),
        text::count(producer.acknowledged_count)
    ));
    if producer.failed_count > 0 {
        words.push_str(&format!(", {} failed", text::count(producer.failed_count)));
    }
    if pool::is_full(&producer.buffer) {
        words.push_str(&format!(", buffer full: {}", pool::words(&producer.buffer)));
    }
    if let Some(call) = producer.calls.first() {
        let reason = super::words::reason_words(call.reason);
        words.push_str(&format!(", {}() waits for {reason}", code::method(&producer.client, call.call)));
    }
    words
}
