//! The calls that `element.js` makes: mount, methods of the element, changed attributes, the end.
//!
//! Loading is asynchronous; calls that come before it is done are held back by `element.js`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use engine::{Command, Event, InputError, Time, limits};
use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use yew::AppHandle;

use super::host::Host;
use super::model::Model;
use super::options::{Options, Source};
use super::view::{WidgetProps, WidgetView};
use crate::api::simulation::Told;
use crate::api::{error, value};
use crate::app::data;
use crate::app::opening::{self, Opened};
use crate::app::part::{Part, PartProps};

/// One mounted widget. Freeing it takes everything of it away.
#[wasm_bindgen]
pub struct WidgetHandle {
    host: Host,
    root: web_sys::Element,
    state: Rc<RefCell<State>>,
}

enum State {
    Loading(Box<Options>),
    Shown { model: Model, app: AppHandle<Part> },
    Gone,
}

#[derive(Serialize)]
struct Ready<'a> {
    lesson: Option<&'a str>,
    scenario: &'a str,
}

/// Mounts a widget in `root`, a `div` inside the element's shadow root. `base` is the URL of the site's folder,
/// `attributes` a plain object of texts, `host` an object with the methods `emit(kind, detail)` and `saved(link)`.
#[wasm_bindgen]
pub fn mount_widget(root: web_sys::Element, base: &str, attributes: JsValue, host: JsValue) -> WidgetHandle {
    data::set_base(base);
    let handle = WidgetHandle { host: Host::new(host), root, state: Rc::new(RefCell::new(State::Gone)) };
    handle.load(read(attributes));
    handle
}

#[wasm_bindgen]
impl WidgetHandle {
    /// Plays, from the start if the end was reached.
    pub fn play(&self) {
        let Some(model) = self.model() else { return };
        model.session().apply(|player| {
            if !player.play() {
                player.seek(Time::ZERO);
                player.play();
            }
        });
    }

    /// Stops playing.
    pub fn pause(&self) {
        if let Some(model) = self.model() {
            model.session().apply(scene::Player::pause);
        }
    }

    /// Goes to a time in seconds.
    pub fn seek(&self, seconds: f64) -> Result<(), JsValue> {
        let time = Time((seconds * 1e6).round() as u64);
        if time > limits::TIME_MAX {
            let days = limits::TIME_MAX.millis() / 86_400_000;
            let message = format!("A simulation runs for at most {days} days.");
            return Err(error::to_js(&InputError::new("time.out_of_range", message).at("seconds")));
        }
        if let Some(model) = self.model() {
            model.session().apply(|player| player.seek(time));
        }
        Ok(())
    }

    /// One event forward, on every side; the events.
    pub fn step(&self) -> JsValue {
        self.moved(scene::Player::step)
    }

    /// One event back, on every side; the events.
    pub fn step_back(&self) -> JsValue {
        self.moved(scene::Player::step_back)
    }

    /// Back to what was opened.
    pub fn reset(&self) -> Result<(), JsValue> {
        self.model().map_or(Ok(()), |model| model.reset()).map_err(|error| error::to_js(&error))
    }

    /// Gives a command, written as JSON, on every side; the outcome of the first.
    pub fn act(&self, json: &str) -> Result<JsValue, JsValue> {
        let command: Command =
            course::read::json(json).map_err(|refused| error::to_js(&error::from_command_json(&refused)))?;
        let Some(model) = self.model() else { return Ok(JsValue::NULL) };
        let outcomes = model.session().apply(|player| player.act(None, &command));
        let outcomes = outcomes.map_err(|error| error::to_js(&error))?;
        Ok(outcomes.first().map_or(JsValue::NULL, value::to_js))
    }

    /// The state of the first side.
    pub fn snapshot(&self) -> JsValue {
        let Some(model) = self.model() else { return JsValue::NULL };
        let snapshot = model.session().read(|player| player.snapshot(0, limits::SNAPSHOT_RECORDS_MAX));
        value::to_js(&snapshot)
    }

    /// The share link of what is shown.
    pub fn link(&self) -> Option<String> {
        self.model().map(|model| model.link())
    }

    /// The page changed attributes.
    pub fn set_attributes(&self, attributes: JsValue) -> Result<(), JsValue> {
        let (options, problems) = read(attributes);
        match self.model() {
            Some(model) if model.options().source == options.source && model.options().act == options.act => {
                problems.iter().for_each(|problem| self.host.problem(problem, false));
                model.set_options(options).map_err(|error| error::to_js(&error))
            }
            _ => {
                self.load((options, problems));
                Ok(())
            }
        }
    }
}

impl WidgetHandle {
    fn model(&self) -> Option<Model> {
        match &*self.state.borrow() {
            State::Shown { model, .. } => Some(model.clone()),
            State::Loading(_) | State::Gone => None,
        }
    }

    fn moved(&self, step: fn(&mut scene::Player) -> Vec<(usize, Event)>) -> JsValue {
        let Some(model) = self.model() else { return JsValue::NULL };
        let events = model.session().apply(step);
        let told: Vec<Told> = events.iter().map(|(_, event)| Told::new(event)).collect();
        value::to_js(&told)
    }

    /// Opens what the options name, replacing what was shown.
    fn load(&self, (options, problems): (Options, Vec<InputError>)) {
        end(&self.state);
        problems.iter().for_each(|problem| self.host.problem(problem, options.source.is_none()));
        if options.source.is_none() {
            return;
        }
        self.state.replace(State::Loading(Box::new(options.clone())));
        let (host, root, state) = (self.host.clone(), self.root.clone(), Rc::clone(&self.state));
        wasm_bindgen_futures::spawn_local(async move {
            let opened = open(&options).await;
            // Meanwhile the widget may be gone, or its attributes may be others.
            if !matches!(&*state.borrow(), State::Loading(wanted) if **wanted == options) {
                return;
            }
            match opened.and_then(|opened| Model::new(host.clone(), opened, options)) {
                Ok(model) => show(&host, root, &state, model),
                Err(error) => host.problem(&error, true),
            }
        });
    }
}

fn show(host: &Host, root: web_sys::Element, state: &RefCell<State>, model: Model) {
    let view = PartProps::of::<WidgetView>(WidgetProps { model: model.clone() });
    let app = yew::Renderer::<Part>::with_root_and_props(root, view).render();
    let lesson = model.opened().lesson.clone();
    let scenario = model.opened().scenario.name.clone();
    state.replace(State::Shown { model, app });
    host.emit("ready", &Ready { lesson: lesson.as_ref().map(|lesson| lesson.slug.as_str()), scenario: &scenario });
}

fn end(state: &RefCell<State>) {
    if let State::Shown { model, app } = state.replace(State::Gone) {
        model.close();
        app.destroy();
    }
}

impl Drop for WidgetHandle {
    fn drop(&mut self) {
        end(&self.state);
    }
}

fn read(attributes: JsValue) -> (Options, Vec<InputError>) {
    let attributes: BTreeMap<String, String> =
        serde_wasm_bindgen::from_value(attributes).expect("element.js gives an object of texts");
    Options::read(&attributes)
}

async fn open(options: &Options) -> Result<Opened, InputError> {
    let source = options.source.as_ref().expect("load asks only with a source");
    let mut opened = match source {
        Source::Lesson(slug) => opening::lesson(slug).await?,
        Source::Scenario(name) => opening::scenario(name).await?,
        Source::Link(link) => opening::shared(link).await?,
    };
    if let (Some(wanted), Some(lesson)) = (&options.act, opened.lesson.clone()) {
        let place = lesson.acts.iter().position(|act| act.id == *wanted);
        let place = place.ok_or_else(|| unknown_act(wanted, &lesson))?;
        opened = opening::act(lesson, place).await?;
    }
    opened.settings = opened.settings.with(&options.settings);
    if let Some(time) = options.time {
        opened.moment.time = time;
    }
    Ok(opened)
}

fn unknown_act(wanted: &str, lesson: &course::Lesson) -> InputError {
    let hint = course::suggest::hint(wanted, lesson.acts.iter().map(|act| act.id.as_str()));
    InputError::new("widget.unknown_act", format!("The lesson \"{}\" has no act \"{wanted}\".", lesson.slug))
        .at("act")
        .hint(hint)
}
