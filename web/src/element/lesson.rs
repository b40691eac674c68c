//! A lesson inside a widget: its steps, their buttons and predictions, and what the page hears of them.
//!
//! What completes a step and what an answer is comes from `course`. Prose beside the steps stays on the lesson's page,
//! and so does the memory of progress: a widget starts where its page says.

use std::rc::Rc;

use course::condition::{EVENTS_SEEN_MAX, Observation};
use course::{Answer, Progress};
use engine::{Event, Snapshot};
use serde::Serialize;
use yew::{Component, Context, Html, html};

use super::model::{Model, Watch};
use super::view::WidgetProps;
use crate::app::lesson::offer::{self, Stop};
use crate::app::lesson::prediction::PredictionCard;
use crate::app::lesson::steps::Steps;
use crate::app::lesson::verdict::Verdicts;
use crate::app::part::part;
use crate::app::session::{Rate, Session, Subscription};

/// What can happen.
pub enum Message {
    /// The session moved.
    Moved,
    /// There is another session, or the model shows something else of the same one.
    Changed,
    /// The button of a step was pressed.
    Take(usize),
    /// A step was opened.
    Open(usize),
    /// A prediction was answered.
    Answer(String, Answer),
    /// A prediction was skipped.
    Skip(String),
}

/// The steps of the act that a widget shows.
pub struct GuidedSteps {
    model: Model,
    /// The session that the numbers below belong to.
    session: Session,
    progress: Progress,
    verdicts: Verdicts,
    step: usize,
    /// Events before the open step began.
    began: u64,
    /// Command lines before the open step began.
    printed_before: u64,
    running: Option<Stop>,
    problem: Option<Rc<str>>,
    is_complete: bool,
    _watch: Watch,
    subscription: Subscription,
}

#[derive(Serialize)]
struct StepTold<'a> {
    step: &'a str,
    done: bool,
}

#[derive(Serialize)]
struct PredictionTold<'a> {
    prediction: &'a str,
    answer: &'a Answer,
    correct: bool,
}

#[derive(Serialize)]
struct Completed<'a> {
    lesson: &'a str,
}

impl Component for GuidedSteps {
    type Message = Message;
    type Properties = WidgetProps;

    fn create(ctx: &Context<Self>) -> GuidedSteps {
        let model = ctx.props().model.clone();
        let link = ctx.link().clone();
        let watch = model.watch(move || link.send_message(Message::Changed));
        GuidedSteps {
            subscription: follow(ctx, &model),
            session: model.session(),
            model,
            progress: Progress::default(),
            verdicts: Verdicts::default(),
            step: 0,
            began: 0,
            printed_before: 0,
            running: None,
            problem: None,
            is_complete: false,
            _watch: watch,
        }
    }

    fn update(&mut self, ctx: &Context<Self>, message: Message) -> bool {
        match message {
            Message::Moved => return self.check(),
            Message::Changed => {
                if self.session != self.model.session() {
                    self.session = self.model.session();
                    self.subscription = follow(ctx, &self.model);
                    self.began = 0;
                    self.printed_before = 0;
                }
                self.check();
            }
            Message::Take(place) => self.take(place),
            Message::Open(place) => self.open(place),
            Message::Answer(id, answer) => {
                self.freeze(&id);
                self.tell_answer(&id, &answer);
                self.progress.answer(&self.lesson().slug.clone(), &id, answer);
                self.check();
            }
            Message::Skip(id) => self.freeze(&id),
        }
        true
    }

    fn view(&self, ctx: &Context<Self>) -> Html {
        let act = self.act();
        let done: Rc<[bool]> = (0..act.steps.len()).map(|place| self.is_done(place)).collect();
        html! {
            <div class="widget-steps" part="steps">
                { part!(Steps { act: Rc::new(act.clone()), done, now: self.step, prediction: self.prediction(ctx), is_asking: self.is_asking(), problem: self.problem.clone(), is_running: self.running.is_some(), ontake: ctx.link().callback(Message::Take), onopen: ctx.link().callback(Message::Open) }) }
            </div>
        }
    }
}

fn follow(ctx: &Context<GuidedSteps>, model: &Model) -> Subscription {
    let link = ctx.link().clone();
    model.session().listen(Rate::Frame, move |_| link.send_message(Message::Moved))
}

impl GuidedSteps {
    fn lesson(&self) -> &course::Lesson {
        self.model.opened().lesson.as_deref().expect("steps are shown with a lesson")
    }

    fn act(&self) -> &course::Act {
        self.model.opened().act().expect("steps are shown with a lesson")
    }

    fn is_done(&self, place: usize) -> bool {
        self.act().steps.get(place).is_some_and(|step| self.progress.is_complete(&self.lesson().slug, &step.id))
    }

    /// The prediction of the open step.
    fn asked(&self) -> Option<&course::Prediction> {
        let id = self.act().steps.get(self.step)?.ask.as_deref()?;
        self.lesson().prediction(id)
    }

    /// Whether it is neither guessed nor skipped yet.
    fn is_asking(&self) -> bool {
        let slug = &self.lesson().slug;
        self.asked().is_some_and(|prediction| self.verdicts.of(slug, &prediction.id).is_none())
    }

    fn prediction(&self, ctx: &Context<Self>) -> Html {
        let Some(prediction) = self.asked() else { return Html::default() };
        let stage = self.model.session().scenario(0);
        let given = self.progress.answered(&self.lesson().slug, &prediction.id).cloned();
        let verdict = self.verdicts.of(&self.lesson().slug, &prediction.id).cloned();
        let (id, skipped) = (prediction.id.clone(), prediction.id.clone());
        let onskip = ctx.link().callback(move |()| Message::Skip(skipped.clone()));
        let onanswer = ctx.link().callback(move |answer| Message::Answer(id.clone(), answer));
        part!(
            PredictionCard {
                prediction: Rc::new(prediction.clone()),
                form: prediction.form(&stage),
                given,
                verdict,
                onanswer,
                onskip
            },
            key = prediction.id.clone()
        )
    }

    fn open(&mut self, place: usize) {
        self.step = place.min(self.act().steps.len().saturating_sub(1));
        self.began = self.model.session().event_count(0);
        self.printed_before = self.model.session().console_count();
        self.problem = None;
        self.tell_step(self.step);
    }

    fn take(&mut self, place: usize) {
        let Some(step) = self.act().steps.get(place) else { return };
        let (Some(offer), ask) = (step.action.clone(), step.ask.clone()) else { return };
        // Whoever acts without a guess has skipped the question; the verdict is that of the stage before the action.
        if let Some(id) = ask {
            self.freeze(&id);
        }
        self.problem = None;
        self.model.open_panels(&offer.open);
        let result = self.prepare(&offer).and_then(|()| {
            let settings = self.model.settings();
            let sought = |snapshot: &Snapshot, events: &[Event]| self.completes(place, snapshot, events);
            offer::take(&self.model.session(), &offer, &settings, self.began, &sought)
        });
        match result {
            Ok(stop) => self.running = stop,
            Err(error) => self.problem = Some(error.to_string().into()),
        }
        if self.act().steps.get(place).is_some_and(|step| step.done.is_none()) {
            self.complete(place);
        }
        self.check();
    }

    /// Settings and reset of an offer, before its commands.
    fn prepare(&mut self, offer: &course::Offer) -> Result<(), engine::InputError> {
        let settings = match &offer.settings {
            Some(over) => self.model.opened().settings.with(over),
            None if offer.reset => self.model.settings(),
            None => return Ok(()),
        };
        self.began = 0;
        self.printed_before = 0;
        self.model.restart(settings)
    }

    /// Whether the open step has become complete; stops a run that has reached its end.
    fn check(&mut self) -> bool {
        let (was_running, was_done) = (self.running.is_some(), self.is_done(self.step));
        let session = self.model.session();
        if let Some(stop) = self.running.filter(|stop| stop.is_reached(&session)) {
            stop.halt(&session);
            self.running = None;
        } else if self.running.is_some() && !offer::goes_on(&session) {
            self.running = None;
        }
        if self.condition_holds() {
            self.complete(self.step);
        }
        (self.running.is_some(), self.is_done(self.step)) != (was_running, was_done)
    }

    fn condition_holds(&self) -> bool {
        let session = self.model.session();
        let events = session.recent_from(0, self.began, EVENTS_SEEN_MAX, &|_| true);
        self.completes(self.step, &session.snapshot(0), &events)
    }

    /// Whether a state and the events that led to it complete a step.
    fn completes(&self, place: usize, snapshot: &Snapshot, events: &[Event]) -> bool {
        let Some(condition) = self.act().steps.get(place).and_then(|step| step.done.as_ref()) else { return false };
        condition.holds(&Observation {
            snapshot,
            events,
            settings: &self.model.settings(),
            printed: &self.model.session().printed_since(self.printed_before),
            refused: self.problem.as_deref().unwrap_or_default(),
            panels: &self.model.panels(),
            progress: &self.progress,
            lesson: &self.lesson().slug,
        })
    }

    fn complete(&mut self, place: usize) {
        if self.is_done(place) {
            return;
        }
        let slug = self.lesson().slug.clone();
        if let Some(id) = self.act().steps.get(place).map(|step| step.id.clone()) {
            self.progress.complete(&slug, &id);
            self.tell_step(place);
        }
        let steps = &self.act().steps;
        let all_done = steps.iter().enumerate().all(|(place, step)| step.later.is_some() || self.is_done(place));
        if all_done && !self.is_complete {
            self.is_complete = true;
            self.model.host().emit("complete", &Completed { lesson: &slug });
        }
    }

    fn tell_step(&self, place: usize) {
        if let Some(step) = self.act().steps.get(place) {
            self.model.host().emit("step", &StepTold { step: &step.id, done: self.is_done(place) });
        }
    }

    /// Keeps what the engine says to a prediction on the present stage.
    fn freeze(&mut self, id: &str) {
        let (lesson, scenario) = (self.model.opened().lesson.clone(), self.model.opened().scenario.clone());
        let Some((lesson, prediction)) = lesson.as_deref().and_then(|lesson| Some((lesson, lesson.prediction(id)?)))
        else {
            return;
        };
        self.verdicts.freeze(&lesson.slug, prediction, &scenario, &self.model.settings());
    }

    fn tell_answer(&self, id: &str, answer: &Answer) {
        let verdict = self.verdicts.of(&self.lesson().slug, id);
        let correct = verdict.is_some_and(|verdict| verdict.as_ref() == Ok(answer));
        self.model.host().emit("predict", &PredictionTold { prediction: id, answer, correct });
    }
}
