//! Transactions in the still layer: the coordinator's log of an id, and what partitions know of producers.
//!
//! The fate of a record is on its chip, see `record.rs`; the client's side is on its card, see `producer.rs`.

use std::rc::Rc;

use engine::Snapshot;
use engine::snapshot::{PartitionSnapshot, ProducerStateSnapshot, TransactionSnapshot};
use engine::transaction::TransactionState;

use super::replica::{Tag, tags_until};
use super::words::{producer_state_words, transaction_words};
use super::{Draw, line, rect};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, Face, Item, Shape};
use crate::layout::CROWN_WIDTH;
use crate::palette::CROWN;
use crate::stage::{Area, CoordinatorBox, LaneBox, LaneForm};
use crate::text;

const PILL_HEIGHT: f32 = 24.0;
const PILL_GAP: f32 = 6.0;
const PAD: f32 = 8.0;
/// Room for the number of records that are too old to be shown.
const OLDER: f32 = 34.0;
/// States of one partition that are told on its lane, at most.
const STATES: usize = 2;

/// A state of the coordinator's log on its lane.
struct Pill {
    word: Rc<str>,
    /// Its offset, once it is in the log.
    offset: Option<u64>,
    class: Class,
    label: String,
    /// It has to follow and is not there yet.
    is_ahead: bool,
}

impl Pill {
    fn width(&self) -> f32 {
        text::pill_width(&self.word) - 2.0
    }
}

impl Draw<'_> {
    /// The logs that a broker coordinates.
    pub(super) fn coordinators(&self, broker: Option<u32>) -> Vec<Item> {
        let here = self.stage.coordinators.iter().filter(|log| Some(log.broker) == broker);
        here.filter_map(|log| self.coordinator(log)).collect()
    }

    fn coordinator(&self, log: &CoordinatorBox) -> Option<Item> {
        let is_it = |one: &&TransactionSnapshot| one.transactional_id == log.transactional_id;
        let transaction = self.snapshot.transactions.iter().find(is_it)?;
        let is_alone = transaction.coordinator.is_none();
        let class =
            Class::new(Role::Coordinator).mark(Mark::Muted, is_alone).mark(Mark::Selected, self.is_selected(&log.id));
        let area = log.area;
        let body = Shape::Open { x: area.x, y: area.y, width: area.width, height: area.height, radius: 8.0 };
        let mut children = self.coordinator_name(log, transaction);
        children.push(Item::new(class, body));
        children.extend(pills_on(log, transaction));
        let group = Item::new(Role::Group, rect(log.outer, 8.0));
        Some(group.id(log.id.clone()).label(transaction_words(transaction)).with(children))
    }

    /// The crown, the id, and below it the identity that counts.
    fn coordinator_name(&self, log: &CoordinatorBox, transaction: &TransactionSnapshot) -> Vec<Item> {
        let (outer, area) = (log.outer, log.area);
        let identity: Rc<str> = identity_words(transaction).into();
        let has_crown = transaction.coordinator.is_some();
        let crown = |x: f32, y: f32| {
            let sign = Shape::Glyph { x, y, radius: 6.0, glyph: CROWN };
            has_crown.then(|| Item::new(Role::Crown, sign).label("transaction coordinator"))
        };
        let id = &transaction.transactional_id;
        if log.is_tall {
            let identity_width = text::width(&identity, 11.0, Face::Sans);
            let room = outer.width - identity_width - CROWN_WIDTH - 10.0;
            let (id, y) = (text::fit_middle(id, room, 12.0, Face::Mono), outer.y + 13.0);
            let mut items = vec![
                line(Role::LaneName, (outer.x + CROWN_WIDTH, y), id, 12.0, Face::Mono, Anchor::Start),
                line(Role::LaneCount, (outer.right(), y), identity, 11.0, Face::Sans, Anchor::End),
            ];
            items.extend(crown(outer.x + 7.0, y - 4.0));
            return items;
        }
        let right = area.x - 14.0;
        let room = right - outer.x + 0.1;
        let id = text::fit_middle(id, room - CROWN_WIDTH, 12.0, Face::Mono);
        let start = right - text::width(&id, 12.0, Face::Mono);
        let identity = text::fit(&identity, room, 11.0, Face::Sans);
        let mut items = vec![
            line(Role::LaneName, (right, area.y + 17.0), id, 12.0, Face::Mono, Anchor::End),
            line(Role::LaneCount, (right, area.y + 33.0), identity, 11.0, Face::Sans, Anchor::End),
        ];
        items.extend(crown(start - 11.0, area.y + 13.0));
        items
    }

    /// What a partition knows of producers whose transaction is open in it, or who are selected.
    pub(super) fn producer_tags(&self, partition: &PartitionSnapshot) -> Vec<(Tag, String)> {
        if partition.producers.is_empty() {
            return Vec::new();
        }
        let selected = self.selected_producer_id();
        let is_told =
            |one: &&ProducerStateSnapshot| one.transaction_start.is_some() || selected == Some(one.producer_id);
        let tag = |one: &ProducerStateSnapshot| {
            let mark = one.transaction_start.map(|_| Mark::Diff);
            (Tag::new(format!("id {}, epoch {}", one.producer_id, one.epoch), mark), producer_state_words(one))
        };
        let all: Vec<(Tag, String)> = partition.producers.iter().filter(is_told).map(tag).collect();
        let rest = all.len().saturating_sub(STATES);
        let mut shown: Vec<(Tag, String)> = all.into_iter().take(if rest > 0 { STATES - 1 } else { STATES }).collect();
        if rest > 0 {
            shown.push((Tag::new(format!("+{}", rest + 1), None), format!("{} more producers", rest + 1)));
        }
        shown
    }

    /// The same under the count of a lane, in the column of names.
    pub(super) fn producer_tags_beside(&self, lane: &LaneBox, partition: &PartitionSnapshot) -> Vec<Item> {
        if lane.form != LaneForm::Full {
            return Vec::new();
        }
        let (outer, area) = (lane.outer, lane.area);
        self.producer_tags(partition)
            .into_iter()
            .take(1)
            .flat_map(|(tag, label)| {
                let (items, _) = tags_until(&[tag], outer.x, area.x - 14.0, area.y + 38.0);
                items.into_iter().map(move |item| item.label(label.clone()))
            })
            .collect()
    }

    /// The producer id behind what is selected.
    fn selected_producer_id(&self) -> Option<u64> {
        match self.options.selected?.split_once(':')? {
            ("producer", name) => self.snapshot.producers.iter().rev().find(|one| &*one.name == name)?.producer_id,
            ("transaction", id) => {
                let is_it = |one: &&TransactionSnapshot| &*one.transactional_id == id;
                Some(self.snapshot.transactions.iter().find(is_it)?.producer_id)
            }
            _ => None,
        }
    }
}

/// The producer id and the epoch that count for a transactional id.
pub(crate) fn identity_words(transaction: &TransactionSnapshot) -> String {
    match transaction.epoch {
        Some(epoch) => format!("id {}, epoch {epoch}", transaction.producer_id),
        None => "no producer id".to_string(),
    }
}

/// The records of the log as pills, the newest at the right, what is on its way into it, and what has to follow.
fn pills(transaction: &TransactionSnapshot) -> Vec<Pill> {
    let last = transaction.log.len().checked_sub(1);
    let logged = transaction.log.iter().enumerate().map(|(index, record)| {
        let word = record.state.map_or("tombstone", TransactionState::name);
        // The last record counts once it is replicated: then it is the coordinator's state.
        let is_now = Some(index) == last && record.state == Some(transaction.state);
        let is_pending = Some(index) == last && transaction.pending_state.is_some() && !is_now;
        let class = match record.state {
            Some(state) if is_now => of_state(state),
            _ if is_pending => Class::new(Role::State).mark(Mark::Open, true),
            _ => Class::new(Role::State),
        };
        let note = if is_now {
            ", now"
        } else if is_pending {
            ", not replicated yet"
        } else {
            ""
        };
        Pill {
            word: word.into(),
            offset: Some(record.offset),
            class,
            label: format!("{word} at offset {}{note}", record.offset),
            is_ahead: false,
        }
    });
    let mut pills: Vec<Pill> = logged.collect();
    let follows = match transaction.state {
        _ if transaction.pending_state.is_some() => None,
        TransactionState::PrepareCommit => Some(TransactionState::CompleteCommit),
        TransactionState::PrepareAbort => Some(TransactionState::CompleteAbort),
        _ => None,
    };
    let is_unlogged = |state: TransactionState| transaction.log.last().is_none_or(|last| last.state != Some(state));
    if let Some(pending) = transaction.pending_state.filter(|pending| is_unlogged(*pending)) {
        let class = Class::new(Role::State).mark(Mark::Open, true);
        let label = format!("{}, not in the log yet", pending.name());
        pills.push(Pill { word: pending.name().into(), offset: None, class, label, is_ahead: false });
    }
    if transaction.log.is_empty() && transaction.pending_state.is_none() {
        let word = transaction.state.name();
        pills.push(Pill {
            word: word.into(),
            offset: None,
            class: of_state(transaction.state),
            label: word.to_string(),
            is_ahead: false,
        });
    }
    if let Some(next) = follows {
        let class = Class::new(Role::State).mark(Mark::Open, true).mark(Mark::Muted, true);
        let label = format!("{}, once every marker is written", next.name());
        pills.push(Pill { word: next.name().into(), offset: None, class, label, is_ahead: true });
    }
    pills
}

/// How the state that counts looks.
pub(crate) fn of_state(state: TransactionState) -> Class {
    let class = Class::new(Role::State);
    match state {
        TransactionState::PrepareCommit | TransactionState::CompleteCommit => class.mark(Mark::Lit, true),
        TransactionState::PrepareAbort | TransactionState::CompleteAbort => class.mark(Mark::Bad, true),
        TransactionState::Ongoing | TransactionState::PrepareEpochFence => class.mark(Mark::Diff, true),
        TransactionState::Empty | TransactionState::Dead => class,
    }
}

/// The first pill of as many of the newest as fit; the last one is always among them.
fn first_shown(pills: &[Pill], room: f32) -> usize {
    let fitting = |room: f32| {
        let mut used = 0.0;
        let fits = |pill: &&Pill| {
            used += pill.width().min(room) + PILL_GAP;
            used <= room + PILL_GAP
        };
        pills.iter().rev().take_while(fits).count()
    };
    let all = fitting(room);
    pills.len() - if all == pills.len() { all } else { fitting(room - OLDER).max(1).min(pills.len()) }
}

/// The pills of a log that fit on its lane, with their places, and how many older ones there are.
fn placed(log: &CoordinatorBox, transaction: &TransactionSnapshot) -> (Vec<(Pill, Area)>, usize) {
    let area = log.area;
    let mut pills = pills(transaction);
    let room = area.width - 2.0 * PAD;
    let mut first = first_shown(&pills, room);
    // What has to follow is told only beside what is.
    if first > 0 && first + 1 == pills.len() && pills.last().is_some_and(|pill| pill.is_ahead) {
        pills.pop();
        first = first_shown(&pills, room);
    }
    let mut x = area.x + PAD + if first > 0 { OLDER } else { 0.0 };
    let y = area.y + (area.height - PILL_HEIGHT) / 2.0;
    let placed = pills.into_iter().skip(first).map(|pill| {
        let width = pill.width().min(room).min(area.right() - PAD - x);
        let place = Area::new(x, y, width, PILL_HEIGHT);
        x += width + PILL_GAP;
        (pill, place)
    });
    (placed.collect(), first)
}

/// Where the newest record of a state stands on a coordinator's lane.
pub(crate) fn state_area(log: &CoordinatorBox, snapshot: &Snapshot, state: TransactionState) -> Option<Area> {
    let is_it = |one: &&TransactionSnapshot| one.transactional_id == log.transactional_id;
    let (pills, _) = placed(log, snapshot.transactions.iter().find(is_it)?);
    pills.iter().rfind(|(pill, _)| *pill.word == *state.name()).map(|(_, area)| *area)
}

/// The pills on their lane, as many of the newest as fit, and below them offsets and partitions that wait.
fn pills_on(log: &CoordinatorBox, transaction: &TransactionSnapshot) -> Vec<Item> {
    let area = log.area;
    let (pills, older) = placed(log, transaction);
    let mut items = Vec::new();
    if older > 0 {
        let at = (area.x + PAD, area.y + area.height / 2.0 + 4.0);
        let words: Rc<str> = format!("+{older}").into();
        let label = format!("{older} older states");
        items.push(line(Role::Older, at, words, 11.0, Face::Mono, Anchor::Start).label(label));
    }
    let end = pills.last().map_or(area.x + PAD, |(_, place)| place.right() + PILL_GAP);
    for (pill, place) in pills {
        let word = text::fit(&pill.word, place.width - 14.0, 11.0, Face::MonoBold);
        let shape = Shape::Pill { x: place.x, y: place.y, width: place.width, height: PILL_HEIGHT, text: word };
        items.push(Item::new(pill.class, shape).label(pill.label));
        if let Some(offset) = pill.offset.filter(|_| log.is_open) {
            let words = text::fit_middle(&offset.to_string().into(), place.width, 11.0, Face::Mono);
            let at = (place.center().0, area.bottom() + 15.0);
            items.push(line(Role::Offset, at, words, 11.0, Face::Mono, Anchor::Middle));
        }
    }
    items.extend(waiting(log, transaction, end));
    items
}

/// The partitions that take part, or that have no marker yet, where there is room for them at the right of the pills.
fn waiting(log: &CoordinatorBox, transaction: &TransactionSnapshot, x: f32) -> Option<Item> {
    let names: Vec<String> = transaction.partitions.iter().map(ToString::to_string).collect();
    let area = log.area;
    let is_deciding = matches!(transaction.state, TransactionState::PrepareCommit | TransactionState::PrepareAbort);
    let lead = if is_deciding { "no marker yet: " } else { "" };
    let room = area.right() - PAD - x - 4.0;
    if names.is_empty() || room < 60.0 {
        return None;
    }
    let whole = format!("{lead}{}", names.join(", "));
    let counted = format!("{lead}{}", super::counted(names.len() as u64, "partition", "partitions"));
    let words = [whole.clone(), counted].into_iter().find(|words| text::width(words, 11.0, Face::Sans) <= room)?;
    let at = (area.right() - PAD, area.y + area.height / 2.0 + 4.0);
    Some(line(Role::LaneCount, at, words.into(), 11.0, Face::Sans, Anchor::End).label(whole))
}
