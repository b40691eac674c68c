//! One player and everybody who looks at it: commands are queued, applied in the next frame, and told once.
//!
//! The bridge between the frame loop and Yew. Draws nothing itself, and reads the clock only through frames.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use engine::event::{Event, EventKind};
use engine::{Scenario, Snapshot};
use scene::{Palette, Player};
use web_sys::Element;
use yew::{hook, use_effect_with, use_state_eq};

use super::frame_loop::{self, Animated, Membership};
use super::reveal::reveal;
use super::statistics;

/// Queue entries that one frame may process; at 60 frames a second that is 1.2 million a second.
const ENTRIES_PER_FRAME: u64 = 20_000;
/// A longer gap between two frames (a busy machine, a tab that was hidden) counts as this long.
const FRAME_MS_MAX: f64 = 100.0;
/// Records of each partition that panels and pictures can see.
const RECORDS_SHOWN: usize = 200;
/// The same on a cluster with many partitions.
const RECORDS_SHOWN_OF_MANY: usize = 24;
/// From this many partitions on a cluster has many.
const MANY_PARTITIONS: u64 = 64;
/// Command lines that a terminal keeps.
const CONSOLE_ENTRIES_MAX: usize = 100;
/// Events that the moving layer can look back on.
const RECENT_EVENTS: usize = 400;

/// How often a listener wants to hear of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// In every frame that changed something.
    Frame,
    /// At most ten times a second while playing: tables and lists.
    Table,
    /// At most every two seconds while playing: what is spoken.
    Speech,
}

impl Rate {
    fn interval_ms(self) -> f64 {
        match self {
            Rate::Frame => 0.0,
            Rate::Table => 100.0,
            Rate::Speech => 2_000.0,
        }
    }
}

/// A command line and what it printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleEntry {
    /// The line as it was typed.
    pub line: String,
    /// What the tool printed.
    pub printed: console::Printed,
}

/// What is selected on a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The side of the comparison.
    pub side: usize,
    /// The id of its item, such as `partition:events-2`.
    pub id: Rc<str>,
}

type Job = Box<dyn FnOnce(&mut Player)>;
type Painter = Rc<dyn Fn(&Session)>;
/// What was made from the state, with the revision of the state.
type Made<T> = Option<(u64, Rc<T>)>;

struct Listener {
    rate: Rate,
    heard_ms: Cell<f64>,
    is_pending: Cell<bool>,
    tell: Box<dyn Fn(u64)>,
}

/// A shared handle; two handles are equal if they are of the same session.
#[derive(Clone)]
pub struct Session(Rc<Inner>);

struct Inner {
    player: RefCell<Player>,
    jobs: RefCell<Vec<Job>>,
    listeners: RefCell<BTreeMap<u32, Rc<Listener>>>,
    painters: RefCell<BTreeMap<u32, Painter>>,
    next_id: Cell<u32>,
    views: RefCell<BTreeMap<u32, Place>>,
    /// The reader has asked for something that is to be watched, and it is not known yet whether it can be seen.
    wants_show: Cell<bool>,
    selection: RefCell<Option<Selection>>,
    revision: Cell<u64>,
    told_revision: Cell<u64>,
    is_dirty: Cell<bool>,
    is_dead: Cell<bool>,
    last_frame_ms: Cell<Option<f64>>,
    snapshots: RefCell<Vec<Made<Snapshot>>>,
    recent: RefCell<Vec<Made<[Event]>>>,
    palette: RefCell<Option<Rc<Palette>>>,
    console: RefCell<Vec<ConsoleEntry>>,
    /// Command lines that were run, also those that are no longer kept.
    console_count: Cell<u64>,
    membership: RefCell<Option<Membership>>,
}

impl PartialEq for Session {
    fn eq(&self, other: &Session) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Session(revision {})", self.0.revision.get())
    }
}

/// Ends what it was given for when it is dropped.
pub struct Subscription {
    end: Option<Box<dyn FnOnce()>>,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            end();
        }
    }
}

impl Session {
    /// A session around a player. It takes part in the page's frame loop until [`Session::close`].
    pub fn new(player: Player) -> Session {
        let sides = player.sides();
        let session = Session(Rc::new(Inner {
            player: RefCell::new(player),
            jobs: RefCell::default(),
            listeners: RefCell::default(),
            painters: RefCell::default(),
            next_id: Cell::new(0),
            views: RefCell::default(),
            wants_show: Cell::new(false),
            selection: RefCell::default(),
            revision: Cell::new(1),
            told_revision: Cell::new(0),
            is_dirty: Cell::new(true),
            is_dead: Cell::new(false),
            last_frame_ms: Cell::new(None),
            snapshots: RefCell::new(vec![None; sides]),
            recent: RefCell::new(vec![None; sides]),
            palette: RefCell::default(),
            console: RefCell::default(),
            console_count: Cell::new(0),
            membership: RefCell::default(),
        }));
        let membership = frame_loop::join(Rc::clone(&session.0) as Rc<dyn Animated>);
        session.0.membership.replace(Some(membership));
        session
    }

    /// Leaves the frame loop. A page that drops its session calls this once.
    pub fn close(&self) {
        self.0.is_dead.set(true);
        drop(self.0.membership.take());
        self.0.listeners.borrow_mut().clear();
        self.0.painters.borrow_mut().clear();
    }

    /// Queues something to be done to the player at the start of the next frame.
    pub fn queue<R>(&self, job: impl FnOnce(&mut Player) -> R + 'static) {
        self.0.jobs.borrow_mut().push(Box::new(move |player| drop_answer(job(player))));
        self.0.is_dirty.set(true);
        frame_loop::wake();
    }

    /// Does something to the player now and returns its answer; listeners hear of it in the next frame.
    /// What was queued before is done first, so that acts keep their order however late the next frame is.
    pub fn apply<R>(&self, job: impl FnOnce(&mut Player) -> R) -> R {
        let queued = self.0.jobs.take();
        let mut player = self.0.player.borrow_mut();
        queued.into_iter().for_each(|job| job(&mut player));
        let answer = job(&mut player);
        drop(player);
        self.0.changed();
        answer
    }

    /// Reads the player.
    pub fn read<R>(&self, look: impl FnOnce(&Player) -> R) -> R {
        look(&self.0.player.borrow())
    }

    /// Changes whenever anything that is shown may have changed.
    pub fn revision(&self) -> u64 {
        self.0.revision.get()
    }

    /// Paints again without a change of state: another theme, another size.
    pub fn repaint(&self) {
        self.0.is_dirty.set(true);
        frame_loop::wake();
    }

    /// The state of a side, made once for each revision.
    pub fn snapshot(&self, side: usize) -> Rc<Snapshot> {
        let revision = self.revision();
        if let Some((made, snapshot)) = &self.0.snapshots.borrow()[side]
            && *made == revision
        {
            return Rc::clone(snapshot);
        }
        let snapshot = Rc::new(self.read(|player| {
            let records =
                if player.partition_count(side) < MANY_PARTITIONS { RECORDS_SHOWN } else { RECORDS_SHOWN_OF_MANY };
            player.snapshot(side, records)
        }));
        self.0.snapshots.borrow_mut()[side] = Some((revision, Rc::clone(&snapshot)));
        snapshot
    }

    /// The last events of a side that the moving layer may show.
    pub fn recent_events(&self, side: usize) -> Rc<[Event]> {
        let revision = self.revision();
        if let Some((made, events)) = &self.0.recent.borrow()[side]
            && *made == revision
        {
            return Rc::clone(events);
        }
        let events: Rc<[Event]> =
            self.0.player.borrow_mut().timeline_mut(side).recent(RECENT_EVENTS, &is_shown_moving).into();
        self.0.recent.borrow_mut()[side] = Some((revision, Rc::clone(&events)));
        events
    }

    /// The last `limit` events of a side up to now that are accepted, oldest first.
    pub fn recent_where(&self, side: usize, limit: usize, accept: &dyn Fn(&Event) -> bool) -> Vec<Event> {
        self.recent_from(side, 0, limit, accept)
    }

    /// The same, of the events from number `first` on.
    pub fn recent_from(&self, side: usize, first: u64, limit: usize, accept: &dyn Fn(&Event) -> bool) -> Vec<Event> {
        self.0.player.borrow_mut().timeline_mut(side).recent_from(first, limit, accept)
    }

    /// How many events a side has had up to now; it is the number of the next one.
    pub fn event_count(&self, side: usize) -> u64 {
        self.read(|player| player.timeline(side).observer().event_count())
    }

    /// The colors of this run's keys, the same on every side.
    pub fn palette(&self) -> Rc<Palette> {
        let mut palette = self.0.palette.borrow_mut();
        Rc::clone(palette.get_or_insert_with(|| {
            let player = self.0.player.borrow();
            let timeline = player.timeline(0);
            let commands = timeline.commands().iter().map(|timed| &*timed.command);
            Rc::new(Palette::of_run(timeline.scenario(), commands))
        }))
    }

    /// The scenario of a side.
    pub fn scenario(&self, side: usize) -> Scenario {
        self.read(|player| player.timeline(side).scenario().clone())
    }

    /// What is selected.
    pub fn selection(&self) -> Option<Selection> {
        self.0.selection.borrow().clone()
    }

    /// Selects something, or nothing.
    pub fn select(&self, selection: Option<Selection>) {
        if *self.0.selection.borrow() != selection {
            *self.0.selection.borrow_mut() = selection;
            self.0.changed();
        }
    }

    /// Plays, from the start if the end was reached; or pauses.
    pub fn toggle_play(&self) {
        self.queue(|player| {
            if player.is_playing() {
                player.pause();
            } else if !player.play() {
                player.to_start();
                player.play();
            }
        });
    }

    /// Runs a Kafka command line on every side; what the first side's tool printed is kept and returned.
    pub fn run_console(&self, line: &str) -> console::Printed {
        let mut printed = self.apply(|player| player.operate(|timeline| console::run(timeline, line)));
        let printed = printed.swap_remove(0);
        let mut entries = self.0.console.borrow_mut();
        if entries.len() == CONSOLE_ENTRIES_MAX {
            entries.remove(0);
        }
        entries.push(ConsoleEntry { line: line.to_owned(), printed: printed.clone() });
        self.0.console_count.set(self.0.console_count.get() + 1);
        printed
    }

    /// How many command lines were run so far.
    pub fn console_count(&self) -> u64 {
        self.0.console_count.get()
    }

    /// What the tools printed after the first `count` command lines, errors behind each line's output.
    pub fn printed_since(&self, count: u64) -> String {
        let entries = self.0.console.borrow();
        let wanted = usize::try_from(self.console_count().saturating_sub(count)).unwrap_or(usize::MAX);
        let newest = &entries[entries.len().saturating_sub(wanted)..];
        newest.iter().flat_map(|entry| [entry.printed.stdout.as_str(), entry.printed.stderr.as_str()]).collect()
    }

    /// The command lines of this session, oldest first.
    pub fn console_entries(&self) -> Vec<ConsoleEntry> {
        self.0.console.borrow().clone()
    }

    /// `tell` hears of changes at a rate, with the revision.
    pub fn listen(&self, rate: Rate, tell: impl Fn(u64) + 'static) -> Subscription {
        let id = self.0.take_id();
        let listener = Listener { rate, heard_ms: Cell::new(0.0), is_pending: Cell::new(false), tell: Box::new(tell) };
        self.0.listeners.borrow_mut().insert(id, Rc::new(listener));
        let inner = Rc::clone(&self.0);
        Subscription { end: Some(Box::new(move || drop(inner.listeners.borrow_mut().remove(&id)))) }
    }

    /// `paint` is called in every frame in which the playhead moved or something changed.
    pub fn on_frame(&self, paint: impl Fn(&Session) + 'static) -> Subscription {
        let id = self.0.take_id();
        self.0.painters.borrow_mut().insert(id, Rc::new(paint));
        self.repaint();
        let inner = Rc::clone(&self.0);
        Subscription { end: Some(Box::new(move || drop(inner.painters.borrow_mut().remove(&id)))) }
    }

    /// A view of this session, to tell whether it can be seen; a session that nobody sees does not play on.
    pub fn view(&self, element: Option<Element>) -> View {
        let id = self.0.take_id();
        self.0.views.borrow_mut().insert(id, Place { is_seen: true, element });
        View { session: self.clone(), id }
    }

    /// Brings the stage onto the screen if it is off it, now or as soon as it is there: what a reader has started
    /// would wait for ever below the edge of a small window.
    pub fn show(&self) {
        self.0.wants_show.set(true);
        if !self.0.views.borrow().is_empty() {
            self.0.reveal();
        }
    }
}

/// Where a session is shown.
struct Place {
    is_seen: bool,
    element: Option<Element>,
}

/// One place on the page where a session is shown.
pub struct View {
    session: Session,
    id: u32,
}

impl View {
    /// Says whether it is on the screen.
    pub fn set_seen(&self, is_seen: bool) {
        if let Some(place) = self.session.0.views.borrow_mut().get_mut(&self.id) {
            place.is_seen = is_seen;
        }
        self.session.0.reveal();
        frame_loop::wake();
    }
}

impl Drop for View {
    fn drop(&mut self) {
        self.session.0.views.borrow_mut().remove(&self.id);
    }
}

impl Inner {
    fn take_id(&self) -> u32 {
        self.next_id.replace(self.next_id.get() + 1)
    }

    fn changed(&self) {
        self.revision.set(self.revision.get() + 1);
        self.palette.replace(None);
        self.is_dirty.set(true);
        frame_loop::wake();
    }

    fn is_seen(&self) -> bool {
        self.views.borrow().values().any(|place| place.is_seen)
    }

    /// Does what `show` asked for, once.
    fn reveal(&self) {
        if !self.wants_show.replace(false) || self.is_seen() {
            return;
        }
        if let Some(element) = self.views.borrow().values().find_map(|place| place.element.as_ref()) {
            reveal(element);
        }
    }

    /// Applies what was queued, then advances the clock. Whether anything has to be painted.
    fn advance(&self, elapsed_ms: f64) -> bool {
        let jobs = self.jobs.take();
        let mut has_moved = self.is_dirty.replace(false);
        let mut player = self.player.borrow_mut();
        let before = player.revision();
        let had_jobs = !jobs.is_empty();
        jobs.into_iter().for_each(|job| job(&mut player));
        if player.is_playing() && self.is_seen() {
            let sequence = player.timeline(0).moment().sequence;
            let changed = player.tick((elapsed_ms * 1_000.0) as u64, ENTRIES_PER_FRAME);
            statistics::entries_processed(player.timeline(0).moment().sequence.saturating_sub(sequence));
            has_moved |= changed.moved || changed.finished;
            if changed.finished {
                self.revision.set(self.revision.get() + 1);
            }
        }
        if had_jobs || player.revision() != before {
            self.revision.set(self.revision.get() + 1);
            has_moved = true;
        }
        if had_jobs {
            self.palette.replace(None);
        }
        has_moved
    }

    /// Tells the listeners whose time has come; all of them once nothing plays.
    fn tell(&self, now_ms: f64) {
        let revision = self.revision.get();
        let is_new = self.told_revision.replace(revision) != revision;
        let is_playing = self.player.borrow().is_playing();
        let listeners: Vec<_> = self.listeners.borrow().values().cloned().collect();
        for listener in listeners {
            listener.is_pending.set(listener.is_pending.get() || is_new);
            let is_due = !is_playing || now_ms - listener.heard_ms.get() >= listener.rate.interval_ms();
            if listener.is_pending.get() && is_due {
                listener.is_pending.set(false);
                listener.heard_ms.set(now_ms);
                (listener.tell)(revision);
            }
        }
    }
}

impl Animated for Inner {
    fn wants_frame(&self) -> bool {
        if self.is_dead.get() {
            return false;
        }
        let is_playing = self.player.try_borrow().is_ok_and(|player| player.is_playing());
        if !is_playing {
            self.last_frame_ms.set(None);
        }
        self.is_dirty.get() || (is_playing && self.is_seen())
    }

    fn frame(self: Rc<Self>, now_ms: f64) {
        let elapsed_ms = self.last_frame_ms.replace(Some(now_ms)).map_or(0.0, |last| now_ms - last);
        let has_moved = self.advance(elapsed_ms.clamp(0.0, FRAME_MS_MAX));
        self.tell(now_ms);
        if has_moved {
            let session = Session(Rc::clone(&self));
            let painters: Vec<_> = self.painters.borrow().values().cloned().collect();
            painters.iter().for_each(|paint| paint(&session));
        }
        statistics::frame_ended(now_ms);
    }
}

/// A queued job's answer comes too late for anybody.
fn drop_answer<R>(_answer: R) {}

/// Renders the component again when the session changes, at that rate; the revision.
#[hook]
pub fn use_session(session: &Session, rate: Rate) -> u64 {
    let told = use_state_eq(|| session.revision());
    {
        let told = told.clone();
        use_effect_with(session.clone(), move |session| {
            told.set(session.revision());
            let subscription = session.listen(rate, move |revision| told.set(revision));
            move || drop(subscription)
        });
    }
    statistics::rendered();
    *told
}

fn is_shown_moving(event: &Event) -> bool {
    !matches!(
        event.kind,
        EventKind::RecordPartitioned { .. }
            | EventKind::CommandApplied { .. }
            | EventKind::HighWatermarkAdvanced { .. }
    )
}
