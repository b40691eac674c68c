//! The state of an open lesson: act, settings, progress and the session on its stage.
//!
//! Everything is decided in `update`; what completes a step and what an answer is comes from `course`.

use std::collections::BTreeSet;
use std::rc::Rc;

use course::condition::{EVENTS_SEEN_MAX, Observation};
use course::{Answer, Index, Panel, Progress, Settings};
use engine::{Event, InputError, Scenario, Snapshot, Time};
use scene::Player;
use yew::{Component, Context, Html, Properties, html};

use super::offer::{self, Stop};
use super::progress;
use super::verdict::Verdicts;
use crate::app::opening::{self, Opened};
use crate::app::session::{Rate, Session, Subscription};
use crate::app::share;

/// A loaded lesson.
#[derive(Clone, PartialEq, Properties)]
pub struct RoomProps {
    /// The lesson with its first act, or what a link names.
    pub opened: Opened,
    /// The list of lessons, for the neighbors.
    pub index: Rc<Index>,
}

/// What can happen in a room.
pub enum Message {
    /// The session changed.
    Changed,
    /// The session has come to stand, or has played on for a while: its link is another one.
    Moved,
    /// A control was set.
    Set(String, String),
    /// The button of a step was pressed.
    Take(usize),
    /// A step was opened.
    Open(usize),
    /// A prediction was answered.
    Answer(String, Answer),
    /// A prediction was skipped.
    Skip(String),
    /// Another act was asked for.
    Act(usize),
    /// Another act was loaded.
    Loaded(Box<Result<Opened, InputError>>),
    /// Back to time 0 of the act, with its own settings.
    Reset,
    /// Forget the progress in this lesson.
    Forget,
    /// A link was copied, or could not be.
    Copied(bool),
}

/// An open lesson.
pub struct LessonRoom {
    pub(super) opened: Opened,
    pub(super) settings: Settings,
    pub(super) session: Session,
    pub(super) subscriptions: Vec<Subscription>,
    pub(super) panels: BTreeSet<Panel>,
    pub(super) progress: Progress,
    pub(super) verdicts: Verdicts,
    pub(super) step: usize,
    pub(super) began: u64,
    /// Command lines before the open step began.
    pub(super) printed_before: u64,
    pub(super) running: Option<Stop>,
    pub(super) problem: Option<Rc<str>>,
    pub(super) said: Option<&'static str>,
}

impl Component for LessonRoom {
    type Message = Message;
    type Properties = RoomProps;

    fn create(ctx: &Context<Self>) -> LessonRoom {
        let opened = ctx.props().opened.clone();
        let settings = opened.settings.clone();
        let session = opened.session(&settings, None).expect("loading has applied these settings once");
        let mut room = LessonRoom {
            panels: opened.act().map(|act| act.panels.iter().copied().collect()).unwrap_or_default(),
            opened,
            settings,
            session,
            subscriptions: Vec::new(),
            progress: progress::load(),
            verdicts: progress::verdicts(),
            step: 0,
            began: 0,
            printed_before: 0,
            running: None,
            problem: None,
            said: None,
        };
        // A link may lead into the middle; otherwise the stage is at its start, and so is the reader, ticks or not.
        if room.session.read(|player| player.now()) > Time::ZERO {
            room.step = room.first_open_step();
        }
        room.follow(ctx);
        room
    }

    fn update(&mut self, ctx: &Context<Self>, message: Message) -> bool {
        match message {
            Message::Changed => return self.check_step(),
            Message::Moved => {}
            Message::Set(name, value) => self.set(ctx, &name, &value),
            Message::Take(place) => self.take(ctx, place),
            Message::Open(place) => self.open_step(place),
            Message::Answer(id, answer) => {
                self.freeze(&id);
                let slug = self.slug();
                self.progress.answer(&slug, &id, answer);
                progress::save(&self.progress);
                self.check_step();
            }
            Message::Skip(id) => self.freeze(&id),
            Message::Act(place) => self.load_act(ctx, place),
            Message::Loaded(result) => self.loaded(ctx, *result),
            Message::Reset => {
                self.settings = self.act_settings();
                self.rebuild(ctx, false);
            }
            Message::Forget => {
                let slug = self.slug();
                self.progress.lessons.remove(&slug);
                progress::save(&self.progress);
                self.verdicts.forget(&slug);
                progress::save_verdicts(&self.verdicts);
                self.settings = self.act_settings();
                self.rebuild(ctx, false);
                self.open_step(0);
            }
            Message::Copied(done) => {
                self.said = Some(if done { "Link copied." } else { "The browser did not allow copying." })
            }
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        html! {
            <article class="lesson">
                <div class="lesson-prose">{ self.prose_column(ctx) }</div>
                <div class="lesson-stage">{ self.stage_column(ctx) }</div>
            </article>
        }
    }

    fn destroy(&mut self, _ctx: &Context<Self>) {
        self.session.close();
    }
}

impl LessonRoom {
    pub(super) fn slug(&self) -> String {
        self.lesson().slug.clone()
    }

    pub(super) fn lesson(&self) -> &course::Lesson {
        self.opened.lesson.as_deref().expect("a room is opened with a lesson")
    }

    pub(super) fn act(&self) -> &course::Act {
        self.opened.act().expect("a room is opened with a lesson")
    }

    fn act_settings(&self) -> Settings {
        self.act().settings.clone()
    }

    pub(super) fn scenario(&self) -> Scenario {
        self.session.scenario(0)
    }

    pub(super) fn is_done(&self, place: usize) -> bool {
        self.act().steps.get(place).is_some_and(|step| self.progress.is_complete(&self.lesson().slug, &step.id))
    }

    fn first_open_step(&self) -> usize {
        let steps = &self.act().steps;
        let open = steps.iter().enumerate().position(|(place, step)| step.later.is_none() && !self.is_done(place));
        open.unwrap_or(0)
    }

    /// Listens to the session, and keeps the link for the crash card.
    fn follow(&mut self, ctx: &Context<Self>) {
        let (link, moved) = (ctx.link().clone(), ctx.link().clone());
        self.subscriptions = vec![
            self.session.listen(Rate::Frame, move |_| link.send_message(Message::Changed)),
            self.session.listen(Rate::Speech, move |_| moved.send_message(Message::Moved)),
            share::follow(&self.session, &self.opened, &self.settings),
        ];
    }

    fn rebuild(&mut self, ctx: &Context<Self>, keeps_time: bool) {
        let previous = keeps_time.then_some(&self.session);
        match self.opened.session(&self.settings, previous) {
            Ok(session) => {
                let (speed, mode) = self.session.read(|player| (player.speed(), player.mode()));
                session.apply(|player| {
                    player.set_speed(speed);
                    player.set_mode(mode);
                });
                self.session.close();
                self.session = session;
                self.began = 0;
                self.printed_before = 0;
                self.running = None;
                self.problem = None;
                self.follow(ctx);
            }
            Err(error) => self.problem = Some(error.to_string().into()),
        }
    }

    fn set(&mut self, ctx: &Context<Self>, name: &str, value: &str) {
        // The control has checked the value; a setting that this stage cannot take shows its sentence at the step.
        if let Err(error) = self.settings.set(name, value) {
            self.problem = Some(error.to_string().into());
            return;
        }
        if name != "grow" {
            self.rebuild(ctx, true);
        }
        self.check_step();
    }

    fn take(&mut self, ctx: &Context<Self>, place: usize) {
        let Some(step) = self.act().steps.get(place) else { return };
        let (Some(offer), ask) = (step.action.clone(), step.ask.clone()) else { return };
        // Whoever acts without a guess has skipped the question; the verdict is that of the stage before the action.
        if let Some(id) = ask.filter(|id| self.progress.answered(&self.lesson().slug, id).is_none()) {
            self.freeze(&id);
        }
        if let Some(over) = &offer.settings {
            self.settings = self.act_settings().with(over);
        }
        self.problem = None;
        self.said = None;
        self.panels.extend(offer.open.iter().copied());
        if offer.settings.is_some() || offer.reset {
            self.rebuild(ctx, false);
            // Settings that a client refuses leave the stage as it was; what it said is the result of the step.
            if self.problem.is_some() {
                self.check_step();
                return;
            }
        }
        let sought = |snapshot: &Snapshot, events: &[Event]| self.completes(place, snapshot, events);
        match offer::take(&self.session, &offer, &self.settings, self.began, &sought) {
            Ok(stop) => self.running = stop,
            Err(error) => self.problem = Some(error.to_string().into()),
        }
        if self.act().steps.get(place).is_some_and(|step| step.done.is_none()) {
            self.complete(place);
        }
        self.check_step();
    }

    fn open_step(&mut self, place: usize) {
        // What a step began is finished before the next one counts.
        if let Some(stop) = self.running.take() {
            stop.halt(&self.session);
            // An act does at once what was queued before it.
            self.session.apply(Player::pause);
        }
        self.step = place.min(self.act().steps.len().saturating_sub(1));
        self.began = self.session.event_count(0);
        self.printed_before = self.session.console_count();
        self.problem = None;
        self.said = None;
    }

    /// Whether the open step has become complete; stops a run that has reached its end.
    fn check_step(&mut self) -> bool {
        let mut has_changed = false;
        if let Some(stop) = self.running.filter(|stop| stop.is_reached(&self.session)) {
            stop.halt(&self.session);
            self.running = None;
            has_changed = true;
        }
        if self.running.is_some() && !offer::goes_on(&self.session) {
            self.running = None;
            has_changed = true;
        }
        if !self.is_done(self.step) && self.condition_holds() {
            self.complete(self.step);
            has_changed = true;
        }
        has_changed
    }

    fn condition_holds(&self) -> bool {
        let events = self.session.recent_from(0, self.began, EVENTS_SEEN_MAX, &|_| true);
        self.completes(self.step, &self.session.snapshot(0), &events)
    }

    /// Whether a state and the events that led to it complete a step.
    fn completes(&self, place: usize, snapshot: &Snapshot, events: &[Event]) -> bool {
        let Some(condition) = self.act().steps.get(place).and_then(|step| step.done.as_ref()) else { return false };
        condition.holds(&Observation {
            snapshot,
            events,
            settings: &self.settings,
            printed: &self.session.printed_since(self.printed_before),
            refused: self.problem.as_deref().unwrap_or_default(),
            panels: &self.panels,
            progress: &self.progress,
            lesson: &self.lesson().slug,
        })
    }

    fn complete(&mut self, place: usize) {
        let slug = self.slug();
        if let Some(id) = self.act().steps.get(place).map(|step| step.id.clone()) {
            self.progress.complete(&slug, &id);
            progress::save(&self.progress);
        }
    }

    /// Keeps what the engine says to a prediction on the present stage.
    fn freeze(&mut self, id: &str) {
        let lesson = self.opened.lesson.as_deref();
        let Some((lesson, prediction)) = lesson.and_then(|lesson| Some((lesson, lesson.prediction(id)?))) else {
            return;
        };
        self.verdicts.freeze(&lesson.slug, prediction, &self.opened.scenario, &self.settings);
        progress::save_verdicts(&self.verdicts);
    }

    fn load_act(&mut self, ctx: &Context<Self>, place: usize) {
        let Some(lesson) = self.opened.lesson.clone() else { return };
        ctx.link().send_future(async move { Message::Loaded(Box::new(opening::act(lesson, place).await)) });
    }

    fn loaded(&mut self, ctx: &Context<Self>, result: Result<Opened, InputError>) {
        match result {
            Ok(opened) => {
                self.opened = opened;
                self.settings = self.act_settings();
                self.panels = self.act().panels.iter().copied().collect();
                self.rebuild(ctx, false);
                self.open_step(0);
            }
            Err(error) => self.problem = Some(error.to_string().into()),
        }
    }
}
