//! A simulation in a script's hands: one timeline, moved by calls only.
//!
//! Every method is one call of the engine; `Simulation` in `logarium.js` checks the shapes of arguments.

use course::{LinkScenario, Settings, Shared};
use engine::{Command, Event, InputError, Moment, Scenario, Time, Timeline, limits};
use scene::Pace;
use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::query::Query;
use super::{catalog, error, picture, value};

/// Events of one answer, unless the query says how many.
const EVENTS_DEFAULT: usize = 10_000;

/// An event with its sentence.
#[derive(Serialize)]
pub struct Told<'a> {
    #[serde(flatten)]
    event: &'a Event,
    sentence: String,
}

impl<'a> Told<'a> {
    /// An event as the API gives it.
    pub fn new(event: &'a Event) -> Told<'a> {
        Told { event, sentence: event.to_string() }
    }
}

/// What a command line printed.
#[derive(Serialize)]
struct Printed {
    exit: i32,
    stdout: String,
    stderr: String,
}

/// What `new Simulation` holds.
#[wasm_bindgen]
pub struct ApiSimulation {
    timeline: Timeline<Pace>,
    /// Everything of a link but commands and moment.
    origin: Shared,
}

#[wasm_bindgen]
impl ApiSimulation {
    /// From the name of a scenario.
    pub fn from_name(name: &str, seed: Option<f64>) -> Result<ApiSimulation, JsValue> {
        catalog::scenario(name)
            .and_then(|scenario| ApiSimulation::new(scenario, LinkScenario::Name(name.to_string()), seed))
            .map_err(|error| error::to_js(&error))
    }

    /// From a scenario as JSON.
    pub fn from_data(json: &str, seed: Option<f64>) -> Result<ApiSimulation, JsValue> {
        course::scenario_from_text(json)
            .and_then(|scenario| {
                let full = LinkScenario::Full(Box::new(scenario.clone()));
                ApiSimulation::new(scenario, full, seed)
            })
            .map_err(|error| error::to_js(&error))
    }

    /// From a share link, at its moment.
    pub fn from_link(link: &str) -> Result<ApiSimulation, JsValue> {
        open_link(link).map_err(|error| error::to_js(&error))
    }

    /// Simulated milliseconds.
    pub fn now(&self) -> f64 {
        millis(self.timeline.now())
    }

    /// How far this branch has been run, in milliseconds.
    pub fn end(&self) -> f64 {
        millis(self.timeline.end().time)
    }

    /// Gives a command, written as JSON, now.
    pub fn act(&mut self, json: &str) -> Result<JsValue, JsValue> {
        self.try_act(json).map_err(|error| error::to_js(&error))
    }

    /// Runs on; the number of events.
    pub fn advance(&mut self, millis: f64) -> Result<f64, JsValue> {
        let before = self.timeline.observer().event_count();
        let target = self.time(self.timeline.now().0 as f64 / 1_000.0 + millis)?;
        self.timeline.advance_to(target);
        Ok((self.timeline.observer().event_count() - before) as f64)
    }

    /// Goes on until something has happened; that event, or null.
    pub fn step(&mut self) -> JsValue {
        self.timeline.step().map_or(JsValue::NULL, |event| told(&event))
    }

    /// Goes back to before the last thing that happened; that event, or null.
    pub fn step_back(&mut self) -> JsValue {
        self.timeline.step_back().map_or(JsValue::NULL, |event| told(&event))
    }

    /// Goes to a time, back or forward.
    pub fn seek(&mut self, millis: f64) -> Result<(), JsValue> {
        let target = self.time(millis)?;
        self.timeline.seek(target);
        Ok(())
    }

    /// Events up to now.
    pub fn events(
        &mut self,
        from: Option<f64>,
        to: Option<f64>,
        kinds: Option<Vec<String>>,
        limit: Option<u32>,
    ) -> Result<JsValue, JsValue> {
        let query = Query::new(kinds).map_err(|error| error::to_js(&error))?;
        let from = from.map_or(Ok(Time::ZERO), |millis| self.time(millis))?;
        let to = to.map_or(Ok(self.timeline.now()), |millis| self.time(millis))?;
        let limit = limit.map_or(EVENTS_DEFAULT, |limit| limit as usize).min(limits::TRACE_EVENTS_MAX);
        let events = self.timeline.events(from, to, limit, &|event| query.accepts(event));
        let told: Vec<Told> = events.iter().map(Told::new).collect();
        Ok(value::to_js(&told))
    }

    /// The state now.
    pub fn snapshot(&self) -> JsValue {
        value::to_js(&self.timeline.snapshot(limits::SNAPSHOT_RECORDS_MAX))
    }

    /// Takes back the last command.
    pub fn undo(&mut self) -> bool {
        self.timeline.undo()
    }

    /// Futures that were set aside.
    pub fn branches(&self) -> JsValue {
        value::to_js(&self.timeline.branches())
    }

    /// Goes on with one of them.
    pub fn open_branch(&mut self, id: f64) -> Result<(), JsValue> {
        if self.timeline.open_branch(id as u64) {
            return Ok(());
        }
        let message = format!("There is no branch {id} to open.");
        let refused = InputError::new("branch.unknown", message).at("id").hint("branches() lists them.");
        Err(error::to_js(&refused))
    }

    /// The share link of now.
    pub fn link(&self) -> String {
        let shared = Shared {
            commands: self.timeline.commands().to_vec(),
            moment: self.timeline.moment(),
            ..self.origin.clone()
        };
        course::link::encode(&shared)
    }

    /// Runs a Kafka command line.
    pub fn console(&mut self, line: &str) -> JsValue {
        let console::Printed { exit, stdout, stderr, .. } = console::run(&mut self.timeline, line);
        value::to_js(&Printed { exit, stdout, stderr })
    }

    /// The picture of now as an SVG document.
    pub fn svg(&mut self) -> String {
        picture::svg(&mut self.timeline)
    }

    /// Sixteen hex digits, equal for equal runs.
    pub fn trace_hash(&self) -> String {
        format!("{:016x}", self.timeline.trace_hash())
    }
}

impl ApiSimulation {
    fn new(scenario: Scenario, named: LinkScenario, seed: Option<f64>) -> Result<ApiSimulation, InputError> {
        // The door has checked that it is a whole number below 2^53.
        let settings = Settings { seed: seed.map(|seed| seed as u64), ..Settings::default() };
        let scenario = settings.apply(&scenario)?;
        let (commands, moment) = (Vec::new(), Moment::default());
        let origin = Shared { scenario: named, lesson: None, act: None, settings, commands, moment };
        Ok(ApiSimulation { timeline: Timeline::new(scenario, Pace::default())?, origin })
    }

    fn try_act(&mut self, json: &str) -> Result<JsValue, InputError> {
        let command: Command = course::read::json(json).map_err(|refused| error::from_command_json(&refused))?;
        Ok(value::to_js(&self.timeline.act(command)?))
    }

    /// A time that a script gave, in milliseconds.
    fn time(&self, millis: f64) -> Result<Time, JsValue> {
        let time = Time((millis * 1_000.0).round() as u64);
        if time <= limits::TIME_MAX {
            return Ok(time);
        }
        let days = limits::TIME_MAX.millis() / 86_400_000;
        let message = format!("A simulation runs for at most {days} days.");
        Err(error::to_js(&InputError::new("time.out_of_range", message).at("ms")))
    }
}

fn open_link(link: &str) -> Result<ApiSimulation, InputError> {
    let shared = course::link::decode(link).map_err(|reason| error::from_link(&reason))?;
    let scenario = match &shared.scenario {
        LinkScenario::Name(name) => catalog::scenario(name)?,
        LinkScenario::Full(scenario) => (**scenario).clone(),
    };
    let scenario = shared.settings.apply(&scenario)?;
    let mut timeline = Timeline::with_commands(scenario, shared.commands.clone(), Pace::default())?;
    timeline.seek_moment(shared.moment);
    Ok(ApiSimulation { timeline, origin: Shared { commands: Vec::new(), ..shared } })
}

fn told(event: &Event) -> JsValue {
    value::to_js(&Told::new(event))
}

fn millis(time: Time) -> f64 {
    time.0 as f64 / 1_000.0
}
