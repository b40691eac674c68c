//! What clients and transactions went through, as bars on one clock.
//!
//! Made from the event log alone, so that it shows the same however a moment was reached. Explains nothing.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::event::{Event, EventKind, Name, NodeId};
use engine::transaction::{ClientState, TransactionEvent, TransactionState};
use engine::{Snapshot, Time};

use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, DisplayList, Face, Item, Shape};
use crate::stage::{Area, Point};
use crate::still::{line, rect};
use crate::text;

/// Rows of clients and of transactional ids, at most each.
const ROWS: usize = 10;
const PITCH: f32 = 34.0;
const BAR: f32 = 18.0;
const CALL: f32 = 4.0;
const FOOT: f32 = 24.0;
/// The column of names is at most so wide a part of the picture.
const NAMES: f32 = 0.32;

/// A stretch of time in one state.
struct Span {
    from: Time,
    to: Time,
    class: Class,
    word: Rc<str>,
    /// A call that waits is a thin bar below the others.
    is_call: bool,
}

/// Somebody or something with a bar of its own.
#[derive(Default)]
struct Row {
    name: Rc<str>,
    spans: Vec<Span>,
    /// What lasts still, with its beginning.
    state: Option<(Time, Class, Rc<str>)>,
    call: Option<(Time, Rc<str>)>,
    /// Moments at which it was refused, or died.
    marks: Vec<(Time, Rc<str>)>,
}

impl Row {
    /// Another state from a time on; none is nothing worth a bar.
    fn turn(&mut self, time: Time, state: Option<(Class, &str)>) {
        if let Some((from, class, word)) = self.state.take() {
            self.spans.push(Span { from, to: time, class, word, is_call: false });
        }
        self.state = state.map(|(class, word)| (time, class, word.into()));
    }

    fn call(&mut self, time: Time, method: Option<&str>) {
        if let Some((from, word)) = self.call.take() {
            self.spans.push(Span { from, to: time, class: Role::Clock.into(), word, is_call: true });
        }
        self.call = method.map(|method| (time, format!("{method}() waits").into()));
    }
}

/// The rows in their order, found by name.
#[derive(Default)]
struct Rows {
    rows: Vec<Row>,
    clients: BTreeMap<Name, usize>,
    transactions: BTreeMap<Name, usize>,
}

impl Rows {
    fn of(snapshot: &Snapshot) -> Rows {
        let mut rows = Rows::default();
        for producer in &snapshot.producers {
            if rows.clients.len() < ROWS && !rows.clients.contains_key(&producer.name) {
                rows.clients.insert(producer.name.clone(), rows.rows.len());
                rows.rows.push(Row { name: producer.name.clone(), ..Row::default() });
            }
        }
        for transaction in snapshot.transactions.iter().take(ROWS) {
            rows.transactions.insert(transaction.transactional_id.clone(), rows.rows.len());
            rows.rows.push(Row { name: transaction.transactional_id.clone(), ..Row::default() });
        }
        rows
    }

    fn client(&mut self, name: &str) -> Option<&mut Row> {
        self.clients.get(name).map(|index| &mut self.rows[*index])
    }

    fn transaction(&mut self, id: &str) -> Option<&mut Row> {
        self.transactions.get(id).map(|index| &mut self.rows[*index])
    }

    fn node(&mut self, node: &NodeId) -> Option<&mut Row> {
        match node {
            NodeId::Producer { name } | NodeId::Consumer { name } => self.client(name),
            _ => None,
        }
    }

    fn take(&mut self, event: &TransactionEvent, time: Time) {
        use TransactionEvent as E;
        match event {
            E::ClientStateChanged { producer, state, .. } => {
                let row = self.client(producer);
                row.into_iter().for_each(|row| row.turn(time, of_client(*state)));
            }
            E::CallBlocked { producer, call, .. } => {
                self.client(producer).into_iter().for_each(|row| row.call(time, Some(call.method())));
            }
            E::CallReturned { producer, .. } => {
                self.client(producer).into_iter().for_each(|row| row.call(time, None));
            }
            E::ClientFrozen { client } => {
                let still = (Class::new(Role::Pool).mark(Mark::Muted, true), "stands still");
                self.node(client).into_iter().for_each(|row| row.turn(time, Some(still)));
            }
            E::ClientThawed { client } => self.node(client).into_iter().for_each(|row| row.turn(time, None)),
            E::ClientCrashed { client } => {
                if let Some(row) = self.node(client) {
                    row.turn(time, None);
                    row.call(time, None);
                    row.marks.push((time, "crashed".into()));
                }
            }
            E::TransactionStateChanged { transactional_id, state, .. } => {
                self.transaction(transactional_id).into_iter().for_each(|row| row.turn(time, of_transaction(*state)));
            }
            E::TransactionTimedOut { transactional_id, .. } => {
                let word = Rc::from("timed out");
                self.transaction(transactional_id).into_iter().for_each(|row| row.marks.push((time, Rc::clone(&word))));
            }
            E::ProducerFenced { transactional_id: Some(id), epoch, current, .. } => {
                let word: Rc<str> = format!("epoch {epoch} refused, now {current}").into();
                self.transaction(id).into_iter().for_each(|row| row.marks.push((time, Rc::clone(&word))));
            }
            _ => {}
        }
    }
}

fn of_client(state: ClientState) -> Option<(Class, &'static str)> {
    let class = Class::new(Role::State);
    match state {
        ClientState::Uninitialized | ClientState::Ready => None,
        ClientState::InTransaction | ClientState::PreparedTransaction => {
            Some((class.mark(Mark::Open, true), state.name()))
        }
        ClientState::AbortableError | ClientState::FatalError => Some((class.mark(Mark::Bad, true), state.name())),
        _ => Some((class.mark(Mark::Diff, true), state.name())),
    }
}

fn of_transaction(state: TransactionState) -> Option<(Class, &'static str)> {
    match state {
        TransactionState::Empty | TransactionState::Dead => None,
        TransactionState::CompleteCommit | TransactionState::CompleteAbort => {
            Some((Class::new(Role::State), state.name()))
        }
        _ => Some((crate::still::of_state(state), state.name())),
    }
}

/// Bars from the first of the events to a moment.
pub fn history(events: &[Event], snapshot: &Snapshot, now: Time, width: f32) -> DisplayList {
    let mut rows = Rows::of(snapshot);
    for event in events {
        if let EventKind::Transaction(fact) = &event.kind {
            rows.take(fact, event.moment.time);
        }
    }
    let start = events.first().map_or(Time::ZERO, |event| event.moment.time);
    let names = rows.rows.iter().map(|row| text::width(&row.name, 12.0, Face::Mono)).fold(40.0, f32::max);
    let names = names.min(width * NAMES);
    let height = rows.rows.len() as f32 * PITCH;
    let draw = Draw { start, now, left: names + 12.0, right: width - 4.0, names };
    let mut items = Vec::new();
    for (index, mut row) in rows.rows.into_iter().enumerate() {
        row.turn(now, None);
        row.call(now, None);
        items.push(draw.row(&row, index as f32 * PITCH));
    }
    items.extend(draw.ends(height));
    DisplayList { width, height: height + FOOT, items }
}

struct Draw {
    start: Time,
    now: Time,
    left: f32,
    right: f32,
    names: f32,
}

impl Draw {
    fn x(&self, time: Time) -> f32 {
        let whole = self.now.since(self.start).0.max(1) as f64;
        let part = (time.since(self.start).0 as f64 / whole).min(1.0) as f32;
        self.left + (self.right - self.left) * part
    }

    fn row(&self, row: &Row, top: f32) -> Item {
        let middle = top + BAR / 2.0 + 4.0;
        let name = text::fit_middle(&row.name, self.names, 12.0, Face::Mono);
        let ground = Shape::Line { from: (self.left, middle), to: (self.right, middle) };
        let mut children = vec![
            line(Role::ChartText, (self.names, middle + 4.0), name, 12.0, Face::Mono, Anchor::End),
            Item::new(Role::Rule, ground),
        ];
        children.extend(row.spans.iter().map(|span| self.span(span, top)));
        children.extend(row.marks.iter().map(|(time, word)| self.mark((self.x(*time), middle), *time, word)));
        Item::new(Role::Group, Shape::Group).label(words(row)).with(children)
    }

    fn span(&self, span: &Span, top: f32) -> Item {
        let (from, to) = (self.x(span.from), self.x(span.to));
        let width = (to - from).max(2.0);
        let label = format!("{} from {} to {}", span.word, span.from, span.to);
        if span.is_call {
            let area = Area::new(from, top + BAR + 7.0, width, CALL);
            return Item::new(span.class, rect(area, 2.0)).label(label);
        }
        let area = Area::new(from, top + 4.0, width, BAR);
        let item = Item::new(span.class, rect(area, 4.0_f32.min(width / 2.0))).label(label);
        if text::width(&span.word, 11.0, Face::Mono) + 10.0 > width {
            return item;
        }
        let at = (area.center().0, area.center().1 + 4.0);
        item.with(vec![line(span.class, at, span.word.clone(), 11.0, Face::Mono, Anchor::Middle)])
    }

    fn mark(&self, (x, y): Point, time: Time, word: &str) -> Item {
        let x = x.clamp(self.left, self.right - 6.0);
        Item::new(Role::Lost, Shape::Glyph { x, y, radius: 6.0, glyph: 7 }).label(format!("{word} at {time}"))
    }

    /// The first and the last moment.
    fn ends(&self, top: f32) -> Vec<Item> {
        let (start, now): (Rc<str>, Rc<str>) = (self.start.to_string().into(), self.now.to_string().into());
        let y = top + 17.0;
        let room = (self.right - self.left) / 2.0 - 6.0;
        let told = |at: (f32, f32), words: &Rc<str>, anchor| {
            line(Role::ChartText, at, text::fit(words, room, 11.0, Face::Mono), 11.0, Face::Mono, anchor)
        };
        vec![told((self.left, y), &start, Anchor::Start), told((self.right, y), &now, Anchor::End)]
    }
}

/// A row in words.
fn words(row: &Row) -> String {
    let spans = row.spans.iter().map(|span| format!("{} from {} to {}", span.word, span.from, span.to));
    let marks = row.marks.iter().map(|(time, word)| format!("{word} at {time}"));
    let all: Vec<String> = spans.chain(marks).collect();
    if all.is_empty() { format!("{}: nothing yet", row.name) } else { format!("{}: {}", row.name, all.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::transactions;
    use engine::event::Moment;

    fn at(millis: u64, fact: TransactionEvent) -> Event {
        let moment = Moment { time: Time(millis * 1_000), sequence: millis };
        Event { moment, index: millis, cause: None, kind: EventKind::Transaction(fact) }
    }

    fn state(millis: u64, state: ClientState) -> Event {
        let producer = "fare-service".into();
        at(millis, TransactionEvent::ClientStateChanged { producer, before: ClientState::Ready, state, error: None })
    }

    #[test]
    fn states_become_bars_and_a_crash_ends_them() {
        let client = NodeId::Producer { name: "fare-service".into() };
        let events = [
            state(0, ClientState::InTransaction),
            state(500, ClientState::CommittingTransaction),
            at(1_000, TransactionEvent::ClientCrashed { client }),
        ];
        let list = history(&events, &transactions::committing(), Time(2_000_000), 700.0);
        let text = list.to_string();
        for expected in [
            "IN_TRANSACTION from 0.000 s to 0.500 s",
            "COMMITTING_TRANSACTION from 0.500 s to 1.000 s",
            "crashed at 1.000 s",
            "fare-writer-7: nothing yet",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }
}
