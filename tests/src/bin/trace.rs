//! Prints the trace hashes of every script in `tests/determinism/scripts.json`, one JSON object a line.
//!
//! The same scripts run in wasm through the JavaScript API; both must print the same. No rule is checked here.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use course::Settings;
use engine::{Command, Duration, Scenario, Time, Timeline};
use serde::{Deserialize, Serialize};

/// What is done to one or to every scenario.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    name: String,
    /// `"*"`, the name of a scenario file, or a scenario.
    scenario: serde_json::Value,
    seed: Option<u64>,
    steps: Vec<Action>,
}

/// One thing to do. Times are milliseconds.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Action {
    Advance(f64),
    Seek(f64),
    Act(Box<Command>),
    Step(u32),
    StepBack(u32),
    OpenBranch(u64),
    /// How many commands to take back.
    Undo(u32),
}

#[derive(Serialize)]
struct Line<'a> {
    script: &'a str,
    scenario: &'a str,
    /// The hash after each step.
    hashes: Vec<String>,
    now_ms: f64,
}

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let scenarios = root.join("static/scenarios");
    let text = fs::read_to_string(root.join("tests/determinism/scripts.json")).context("cannot read the scripts")?;
    let scripts: Vec<Script> = serde_json::from_str(&text).context("cannot understand the scripts")?;
    for script in &scripts {
        for scenario in chosen(&script.scenario, &scenarios)? {
            let settings = Settings { seed: script.seed, ..Settings::default() };
            let scenario = settings.apply(&scenario)?;
            let name = scenario.name.clone();
            let (hashes, now_ms) = run(scenario, &script.steps).with_context(|| format!("{}: {name}", script.name))?;
            let line = Line { script: &script.name, scenario: &name, hashes, now_ms };
            println!("{}", serde_json::to_string(&line)?);
        }
    }
    Ok(())
}

fn chosen(wanted: &serde_json::Value, folder: &Path) -> Result<Vec<Scenario>> {
    let files = match wanted.as_str() {
        None => return Ok(vec![course::scenario_from_text(&wanted.to_string())?]),
        Some("*") => scenario_files(folder)?,
        Some(name) => vec![folder.join(format!("{name}.toml"))],
    };
    files.iter().map(|file| read(file)).collect()
}

/// Every scenario file, in the order of their names.
fn scenario_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    if files.is_empty() {
        bail!("there is no scenario in {}", folder.display());
    }
    Ok(files)
}

fn read(file: &Path) -> Result<Scenario> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    course::scenario_from_text(&text).with_context(|| format!("cannot understand {}", file.display()))
}

fn run(scenario: Scenario, steps: &[Action]) -> Result<(Vec<String>, f64)> {
    let mut timeline = Timeline::new(scenario, ())?;
    let mut hashes = Vec::new();
    for step in steps {
        apply(&mut timeline, step)?;
        hashes.push(format!("{:016x}", timeline.trace_hash()));
    }
    Ok((hashes, timeline.now().0 as f64 / 1_000.0))
}

fn apply(timeline: &mut Timeline<()>, step: &Action) -> Result<()> {
    let micros = |millis: f64| (millis * 1_000.0).round() as u64;
    match step {
        Action::Advance(millis) => {
            let target = timeline.now() + Duration(micros(*millis));
            timeline.advance_to(target);
        }
        Action::Seek(millis) => timeline.seek(Time(micros(*millis))),
        Action::Act(command) => drop(timeline.act((**command).clone())?),
        Action::Step(count) => (0..*count).for_each(|_| drop(timeline.step())),
        Action::StepBack(count) => (0..*count).for_each(|_| drop(timeline.step_back())),
        Action::OpenBranch(id) => anyhow::ensure!(timeline.open_branch(*id), "there is no branch {id}"),
        Action::Undo(count) => {
            for _ in 0..*count {
                anyhow::ensure!(timeline.undo(), "there is nothing to undo");
            }
        }
    }
    Ok(())
}
