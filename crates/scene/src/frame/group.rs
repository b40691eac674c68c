//! What moves around groups: callbacks as labels at their members, signs of heartbeats, what a pause has cost so far,
//! and members that are busy.
//!
//! Rings and short words about everything else are in `pulse.rs` and `notice.rs`.

use std::rc::Rc;

use engine::event::{Api, EventKind, MessageView, Name, TopicPartition};
use engine::group::{Callback, GroupEvent, GroupType, RemovalReason};
use engine::share::ShareEvent;
use engine::snapshot::{ConsumerSnapshot, GroupSnapshot};

use super::notice::short_name;
use super::{Draw, Moving, age, share};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, CHIP_TEXT_SIZE, Face, Item, Shape};
use crate::layout::WIDE_HEAD;
use crate::stage::{Area, CardBox, CardForm, GroupBox, Stage, point_on};
use crate::still::line;
use crate::text;

/// Labels of callbacks in one frame, at most: the newest.
const TOASTS: usize = 16;
/// How long a label is seen after its callback began, in microseconds of display.
const TOAST: u64 = 2_600_000;
/// It stays as it is for this part of its time, then it fades.
const STEADY: f32 = 0.8;
const TOAST_HEIGHT: f32 = 20.0;
/// Partitions that a label names, at most; of more it tells the number.
const NAMED: usize = 6;
/// Signs of heartbeats in one frame, at most.
const HEARTBEATS: usize = 32;
const HEARTBEAT: f32 = 3.5;
/// Groups whose pauses are told, at most.
const LINES: usize = 4;
/// Members that are shown busy, at most: there are not more cards.
const BUSY: usize = 6;
/// Items of all of these, at most.
pub(super) const ITEMS_MAX: usize = TOASTS + HEARTBEATS + LINES + BUSY;

/// Whether a message is so frequent that it is a small sign without words: unless it failed.
pub(super) fn is_quiet(message: &MessageView) -> bool {
    matches!(message.api, Api::Heartbeat | Api::ConsumerGroupHeartbeat | Api::ShareGroupHeartbeat)
        && message.error.is_none()
}

/// The signs of heartbeats.
pub(super) fn heartbeats(messages: &[Moving<'_>]) -> Vec<Item> {
    let sign = |moving: &Moving<'_>| {
        let role = if moving.message.is_response { Role::Response } else { Role::Request };
        let (x, y) = point_on(&moving.way, moving.place);
        Item::new(role, Shape::Circle { x, y, radius: HEARTBEAT })
    };
    messages.iter().filter(|moving| is_quiet(moving.message)).take(HEARTBEATS).map(sign).collect()
}

impl Draw<'_> {
    /// Below the heading of each group: how many of its partitions are paused, and what pauses have cost up to now.
    pub(super) fn pauses(&self) -> Vec<Item> {
        self.stage.groups.iter().take(LINES).filter_map(|at| self.pause(at)).collect()
    }

    fn pause(&self, at: &GroupBox) -> Option<Item> {
        // Partitions of a share group have no owner that they could lose.
        let is_shared = |group: &GroupSnapshot| group.group == at.group && group.group_type == GroupType::Share;
        if self.input.snapshot.groups.iter().any(is_shared) {
            return None;
        }
        let standstill = self.input.pace.standstill();
        let stood = standstill.of(&at.group, self.input.now);
        let (paused, all) = (stood.now, standstill.partition_count(&at.group));
        let seconds = text::tenths(stood.partition_time);
        if paused == 0 && seconds == "0.0" {
            return None;
        }
        let variants = [
            format!("paused {paused} of {all} · {seconds} partition-seconds"),
            format!("paused {paused} of {all} · {seconds} partition-s"),
            format!("paused {paused} of {all} · {seconds}"),
        ];
        let head = at.head;
        let y = head.y + if head.width >= WIDE_HEAD { 51.0 } else { 74.0 };
        let words = variants.into_iter().find(|words| text::width(words, 11.0, Face::Mono) <= head.width)?;
        let role = if paused > 0 { Role::ClockText } else { Role::LaneCount };
        Some(line(role, (head.x, y), words.into(), 11.0, Face::Mono, Anchor::Start))
    }

    /// Three dots on the cards of members whose applications work on what they polled.
    pub(super) fn busy(&self) -> Vec<Item> {
        let is_busy = |card: &&CardBox| {
            let membership = self.input.snapshot.consumers.get(card.index).and_then(|one| one.membership.as_ref());
            card.form == CardForm::Member
                && membership.and_then(|one| one.busy_until).is_some_and(|until| until > self.input.now)
        };
        let dots = |card: &CardBox| {
            let (x, y) = (card.area.right() - 10.0, card.area.bottom() - 7.0);
            let dot = |step: f32| Item::new(Role::Request, Shape::Circle { x: x - 6.0 * step, y, radius: 2.0 });
            Item::new(Role::Group, Shape::Group).label("busy").with(vec![dot(2.0), dot(1.0), dot(0.0)])
        };
        self.stage.readers.iter().filter(is_busy).take(BUSY).map(dots).collect()
    }

    /// What members have just gone through, one label for each: callbacks, joining and leaving, failures.
    pub(super) fn toasts(&self) -> Vec<Item> {
        let mut told: Vec<usize> = Vec::new();
        let mut items = Vec::new();
        for event in self.input.events.iter().rev() {
            let Some(age) = age(self.input, event).filter(|age| *age < TOAST) else { break };
            let toast = match &event.kind {
                EventKind::Group(event) => self.toast_of(event),
                EventKind::Share(event) => self.toast_of_sharing(event),
                _ => continue,
            };
            let Some((at, toast)) = toast else { continue };
            if items.len() == TOASTS || told.contains(&at) {
                continue;
            }
            told.push(at);
            let part = if self.input.reduced_motion { 0.0 } else { age as f32 / TOAST as f32 };
            items.push(toast_item(&self.stage.readers[at], toast, part));
        }
        items.reverse();
        items
    }

    /// What the application of a share consumer says of a record, unless it is simply done.
    fn toast_of_sharing(&self, event: &ShareEvent) -> Option<(usize, Toast)> {
        let (consumer, words, is_bad) = share::said(event)?;
        let at = *self.stage.reader_of.get(consumer)?;
        let has_room = matches!(self.stage.readers[at].form, CardForm::Member | CardForm::MemberRow);
        let mark = Some(if is_bad { Mark::Bad } else { Mark::Diff });
        has_room.then_some((at, Toast { words, mark, is_steady: false, label: None }))
    }

    /// The card that an event is about, and what its label tells.
    fn toast_of(&self, event: &GroupEvent) -> Option<(usize, Toast)> {
        let snapshot = self.input.snapshot;
        let card_of = |consumer: &Name| {
            let at = *self.stage.reader_of.get(consumer)?;
            let form = self.stage.readers[at].form;
            matches!(form, CardForm::Member | CardForm::MemberRow).then_some(at)
        };
        let plain = |words: &str, mark| Toast { words: words.to_string(), mark, is_steady: false, label: None };
        match event {
            GroupEvent::CallbackStarted { consumer, callback, partitions, owned, is_librdkafka, .. } => {
                let at = card_of(consumer)?;
                let membership = snapshot.consumers.get(self.stage.readers[at].index)?.membership.as_ref()?;
                let is_steady = membership.callback.as_ref().is_some_and(|(running, _)| running == callback);
                let has_one_topic = membership.topics.len() < 2;
                let words = toast_words(*callback, is_steady, partitions, owned.is_empty(), has_one_topic);
                let mark = match callback {
                    Callback::Revoked => Some(Mark::Diff),
                    Callback::Lost => Some(Mark::Bad),
                    Callback::Assigned => None,
                };
                Some((at, Toast { words, mark, is_steady, label: Some(callback.name_in(*is_librdkafka)) }))
            }
            GroupEvent::MemberJoined { client, .. } => Some((card_of(client)?, plain("joined", None))),
            GroupEvent::MemberRemoved { member, reason, .. } => {
                let is_it = |one: &&ConsumerSnapshot| one.membership.as_ref().is_some_and(|one| one.member == *member);
                let consumer = &snapshot.consumers.iter().find(is_it)?.name;
                let mark = (*reason != RemovalReason::Left).then_some(Mark::Bad);
                Some((card_of(consumer)?, plain(removal(*reason), mark)))
            }
            GroupEvent::PollFailed { consumer, error }
            | GroupEvent::CommitReturned { consumer, error: Some(error), .. } => {
                Some((card_of(consumer)?, plain(short_name(error), Some(Mark::Bad))))
            }
            _ => None,
        }
    }
}

/// A label at a member's card.
struct Toast {
    words: String,
    mark: Option<Mark>,
    /// What it tells lasts still.
    is_steady: bool,
    label: Option<&'static str>,
}

/// On the upper edge of the card, at its right.
fn toast_item(card: &CardBox, toast: Toast, age: f32) -> Item {
    let area = card.area;
    let word = text::fit(&toast.words.into(), area.width - 36.0, CHIP_TEXT_SIZE, Face::MonoBold);
    let width = text::pill_width(&word) - 4.0;
    let (x, y) = (area.right() - width - 10.0, area.y - TOAST_HEIGHT / 2.0);
    let shape = Shape::Pill { x, y, width, height: TOAST_HEIGHT, text: word };
    let opacity = if toast.is_steady { 1.0 } else { ((1.0 - age) / (1.0 - STEADY)).min(1.0) };
    let class = toast.mark.map_or(Class::new(Role::Notice), |mark| Class::new(Role::Notice).mark(mark, true));
    let item = Item::new(class, shape).opacity(opacity);
    match toast.label {
        Some(label) => item.label(label),
        None => item,
    }
}

fn removal(reason: RemovalReason) -> &'static str {
    match reason {
        RemovalReason::Left => "left",
        RemovalReason::SessionExpired => "session expired",
        RemovalReason::RebalanceTimeout => "did not join in time",
        RemovalReason::RevocationTimeout => "did not revoke in time",
        RemovalReason::NeverSynced => "never synced",
        RemovalReason::Replaced => "replaced",
        RemovalReason::ByAdmin => "removed",
    }
}

/// "revoked p0 p1", while the callback runs "revoking p0 p1".
fn toast_words(
    callback: Callback,
    is_running: bool,
    partitions: &[TopicPartition],
    has_nothing: bool,
    has_one_topic: bool,
) -> String {
    let verb = match (callback, is_running) {
        (Callback::Revoked, true) => "revoking",
        (Callback::Revoked, false) => "revoked",
        (Callback::Lost, _) => "lost",
        (Callback::Assigned, _) => "assigned",
    };
    let name = |at: &TopicPartition| if has_one_topic { format!("p{}", at.partition) } else { at.to_string() };
    match partitions.len() {
        0 if has_nothing => format!("{verb} nothing yet"),
        0 => format!("{verb} nothing new"),
        1..=NAMED => format!("{verb} {}", partitions.iter().map(name).collect::<Vec<String>>().join(" ")),
        many => format!("{verb} {} partitions", text::count(many as u64)),
    }
}

/// What a coordinator or a partition just went through for a group, in a few words, and whether it is a loss.
pub(super) fn notice(event: &GroupEvent) -> Option<(Rc<str>, bool)> {
    match event {
        GroupEvent::GroupsLoaded { groups: 0, .. } => None,
        GroupEvent::GroupsLoaded { partition, .. } => {
            Some((format!("coordinates __consumer_offsets-{partition}").into(), false))
        }
        GroupEvent::RecordsReadAgain { count, .. } => {
            Some((format!("read again × {}", text::count(*count)).into(), true))
        }
        _ => None,
    }
}

/// Where such words stand: in the head of a broker, or on a lane.
pub(super) fn place(stage: &Stage, event: &GroupEvent) -> Option<Area> {
    match event {
        GroupEvent::GroupsLoaded { broker, .. } => stage.broker(*broker).map(|broker| broker.area),
        GroupEvent::RecordsReadAgain { partition, .. } => {
            stage.lane(&partition.topic, partition.partition).map(|lane| lane.area)
        }
        _ => None,
    }
}
