//! The scenarios and lessons that a script can name, read once when the API is opened.
//!
//! Texts only: what a scenario means is read when a simulation is made from it. Nothing is fetched here.

use std::cell::RefCell;

use course::Index;
use engine::{InputError, Scenario};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::{error, value};

/// One entry of `scenarios/index.json`.
#[derive(Deserialize)]
struct ScenarioFile {
    name: String,
    title: String,
    toml: String,
}

#[derive(Serialize)]
struct ScenarioInfo<'a> {
    name: &'a str,
    title: &'a str,
}

#[derive(Serialize)]
struct LessonInfo<'a> {
    slug: &'a str,
    title: &'a str,
    group: &'a str,
}

#[derive(Default)]
struct Catalog {
    scenarios: Vec<ScenarioFile>,
    lessons: Option<Index>,
}

thread_local! {
    static CATALOG: RefCell<Catalog> = RefCell::default();
}

/// Takes the texts of `scenarios/index.json` and `lessons/index.json`.
#[wasm_bindgen]
pub fn api_open(scenarios: &str, lessons: &str) -> Result<(), JsValue> {
    let scenarios = course::read::json(scenarios)
        .map_err(|refused| refused.input_error("index.invalid").at("scenarios/index.json"))
        .map_err(|error| error::to_js(&error))?;
    let lessons = Index::from_json(lessons).map_err(|error| error::to_js(&error.at("lessons/index.json")))?;
    CATALOG.with_borrow_mut(|catalog| *catalog = Catalog { scenarios, lessons: Some(lessons) });
    Ok(())
}

/// Name and title of every scenario.
#[wasm_bindgen]
pub fn api_scenarios() -> JsValue {
    CATALOG.with_borrow(|catalog| {
        let infos: Vec<ScenarioInfo> =
            catalog.scenarios.iter().map(|file| ScenarioInfo { name: &file.name, title: &file.title }).collect();
        value::to_js(&infos)
    })
}

/// Slug, title and group of every lesson that is built.
#[wasm_bindgen]
pub fn api_lessons() -> JsValue {
    CATALOG.with_borrow(|catalog| {
        let built = catalog.lessons.iter().flat_map(|index| index.built());
        let infos: Vec<LessonInfo> = built
            .map(|(group, lesson)| LessonInfo { slug: &lesson.slug, title: &lesson.title, group: &group.slug })
            .collect();
        value::to_js(&infos)
    })
}

/// The scenario of that name.
pub fn scenario(name: &str) -> Result<Scenario, InputError> {
    let text = CATALOG.with_borrow(|catalog| {
        let found = catalog.scenarios.iter().find(|file| file.name == name);
        let names = catalog.scenarios.iter().map(|file| file.name.as_str());
        found.map(|file| file.toml.clone()).ok_or_else(|| {
            let hint = course::suggest::hint(name, names);
            InputError::new("scenario.unknown", format!("There is no scenario \"{name}\".")).at("scenario").hint(hint)
        })
    })?;
    course::scenario_from_text(&text)
}
