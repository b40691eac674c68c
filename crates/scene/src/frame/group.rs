//! What moves around groups: callbacks as labels at their members, signs of heartbeats, what a pause has cost so far,
//! and members that are busy.
//!
//! Rings and short words about everything else are in `pulse.rs` and `notice.rs`.

use std::rc::Rc;

use engine::event::{Api, EventKind, MessageView, Name, TopicPartition};
use engine::group::{Callback, GroupEvent};

use super::{Draw, FrameInput, Moving, age};
use crate::class::{Class, Mark, Role};
use crate::display::{Anchor, CHIP_TEXT_SIZE, Face, Item, Shape};
use crate::layout::WIDE_HEAD;
use crate::stage::{CardBox, CardForm, GroupBox, Stage, point_on};
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
    matches!(message.api, Api::Heartbeat | Api::ConsumerGroupHeartbeat) && message.error.is_none()
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
        let pauses = self.input.pace.pauses();
        let group = pauses.group(&at.group)?;
        let (paused, all) = group.paused();
        let seconds = group.seconds(self.input.now);
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

    /// Callbacks that run or have just run, one for each member.
    pub(super) fn toasts(&self) -> Vec<Item> {
        let mut told: Vec<&Name> = Vec::new();
        let mut items = Vec::new();
        for event in self.input.events.iter().rev() {
            let Some(age) = age(self.input, event).filter(|age| *age < TOAST) else { break };
            let EventKind::Group(GroupEvent::CallbackStarted { consumer, callback, partitions, owned, .. }) =
                &event.kind
            else {
                continue;
            };
            if items.len() == TOASTS || told.contains(&consumer) {
                continue;
            }
            told.push(consumer);
            let part = if self.input.reduced_motion { 0.0 } else { age as f32 / TOAST as f32 };
            items.extend(self.toast(consumer, *callback, (partitions, owned), part));
        }
        items.reverse();
        items
    }

    fn toast(
        &self,
        consumer: &Name,
        callback: Callback,
        (partitions, owned): (&[TopicPartition], &[TopicPartition]),
        age: f32,
    ) -> Option<Item> {
        let card =
            self.stage.reader(consumer).filter(|card| matches!(card.form, CardForm::Member | CardForm::MemberRow))?;
        let membership = self.input.snapshot.consumers.get(card.index)?.membership.as_ref()?;
        let is_running = membership.callback.as_ref().is_some_and(|(running, _)| *running == callback);
        let has_one_topic = membership.topics.len() < 2;
        let words = toast_words(callback, is_running, partitions, owned.is_empty(), has_one_topic);
        let word = text::fit(&words.into(), card.area.width - 36.0, CHIP_TEXT_SIZE, Face::MonoBold);
        let width = text::pill_width(&word) - 4.0;
        let area = card.area;
        let shape = Shape::Pill {
            x: area.right() - width - 10.0,
            y: area.y - TOAST_HEIGHT / 2.0,
            width,
            height: TOAST_HEIGHT,
            text: word,
        };
        let opacity = if is_running { 1.0 } else { ((1.0 - age) / (1.0 - STEADY)).min(1.0) };
        let class = Class::new(Role::Notice)
            .mark(Mark::Diff, callback == Callback::Revoked)
            .mark(Mark::Bad, callback == Callback::Lost);
        Some(Item::new(class, shape).opacity(opacity).label(callback.method()))
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

/// What a group, or a member as its coordinator sees it, just went through, in a few words; and whether it is a loss.
pub(super) fn notice(input: &FrameInput<'_>, event: &GroupEvent) -> Option<(Rc<str>, bool)> {
    use engine::group::RemovalReason as R;
    let name_of = |member: &Name| {
        let is_it = |one: &&engine::snapshot::ConsumerSnapshot| {
            one.membership.as_ref().is_some_and(|membership| membership.member == *member)
        };
        input.snapshot.consumers.iter().find(is_it).map_or_else(|| "a member".to_string(), |one| one.name.to_string())
    };
    let (word, is_bad): (String, bool) = match event {
        GroupEvent::MemberJoined { client, .. } => (format!("{client} joined"), false),
        GroupEvent::MemberRemoved { member, reason, .. } => {
            let why = match reason {
                R::Left => "left",
                R::SessionExpired => "session expired",
                R::RebalanceTimeout => "did not join in time",
                R::RevocationTimeout => "did not revoke in time",
                R::NeverSynced => "never synced",
                R::Replaced => "replaced",
                R::ByAdmin => "removed",
            };
            (format!("{}: {why}", name_of(member)), *reason != R::Left)
        }
        GroupEvent::GenerationStarted { generation, .. } => (format!("generation {generation}"), false),
        GroupEvent::GroupsLoaded { groups: 0, .. } => return None,
        GroupEvent::GroupsLoaded { partition, .. } => (format!("coordinates __consumer_offsets-{partition}"), false),
        GroupEvent::RecordsReadAgain { count, .. } => (format!("read again × {}", text::count(*count)), true),
        GroupEvent::PollFailed { error, .. } => (super::notice::short_name(error).to_string(), true),
        GroupEvent::CommitReturned { error: Some(error), .. } => (super::notice::short_name(error).to_string(), true),
        _ => return None,
    };
    Some((word.into(), is_bad))
}

/// Where such words stand: at the foot of a group's heading, in the head of a broker, on a lane or on a card.
pub(super) fn place(stage: &Stage, event: &GroupEvent) -> Option<crate::stage::Area> {
    use crate::stage::Area;
    match event {
        GroupEvent::MemberJoined { group, .. }
        | GroupEvent::MemberRemoved { group, .. }
        | GroupEvent::GenerationStarted { group, .. } => {
            let head = stage.group(group)?.head;
            Some(Area::new(head.x, head.bottom() - 26.0, head.width + 8.0, 24.0))
        }
        GroupEvent::GroupsLoaded { broker, .. } => stage.broker(*broker).map(|broker| broker.area),
        GroupEvent::RecordsReadAgain { partition, .. } => {
            stage.lane(&partition.topic, partition.partition).map(|lane| lane.area)
        }
        GroupEvent::PollFailed { consumer, .. } | GroupEvent::CommitReturned { consumer, .. } => {
            stage.reader(consumer).map(|card| card.area)
        }
        _ => None,
    }
}
