//! The conformance runner: finds recordings, chooses their treatment by content, compares, and tells.
//!
//! Deliberately not here: expectations. They are in the recordings, which come from Kafka and its real clients.

mod assignors;
mod cluster;
mod coordinator;
mod discover;
mod families;
mod groups;
mod partitioners;
mod relaxed;
mod report;
mod share;
mod strict;

use std::path::{Path, PathBuf};

use serde_json::Value;

pub use assignors::other_orders;
pub use report::{Case, Report, Verdict};

use relaxed::{Mode, Relaxed};

/// Runs every recording under `paths`: files, and folders with all that is below them.
///
/// Never fails itself: a path or file that cannot be used is a failed case.
pub fn run(paths: &[PathBuf]) -> Report {
    let mut report = Report::default();
    for path in paths {
        match discover::recordings(path) {
            Ok(files) if files.is_empty() => {
                report.push(unusable(path, "there is no .json or .jsonl file in it"));
            }
            Ok(files) => files.iter().for_each(|file| run_file(file, &mut report)),
            Err(error) => report.push(unusable(path, &format!("cannot be read: {error}"))),
        }
    }
    report
}

fn run_file(path: &Path, report: &mut Report) {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return report.push(unusable(path, &format!("cannot be read: {error}"))),
    };
    let relaxed = match Relaxed::above(path) {
        Ok(relaxed) => relaxed,
        Err(reason) => return report.push(unusable(path, &reason)),
    };
    let outcomes = if path.extension().is_some_and(|extension| extension == "jsonl") {
        run_lines(&text, &relaxed)
    } else {
        run_document(&text, &relaxed)
    };
    for (family, id, verdict) in outcomes {
        report.push(Case { path: path.to_path_buf(), family, id, verdict });
    }
}

/// Family, id and verdict of a case.
type Outcome = (String, String, Verdict);

fn run_document(text: &str, relaxed: &Relaxed) -> Vec<Outcome> {
    let document: Value = match serde_json::from_str(text) {
        Ok(document) => document,
        Err(error) => return vec![failure("unreadable", "", format!("not JSON: {error}"))],
    };
    if document.get("family").is_some() {
        let id = document.get("id").and_then(Value::as_str).unwrap_or_default();
        return vec![match document["family"].as_str() {
            Some(family) => families::run_scenario(family, id, &document, relaxed),
            None => failure("unknown", id, "family must be a text".into()),
        }];
    }
    match partitioners::run(&document) {
        Some(cases) => {
            let settled = |(id, result): (String, _)| {
                let mode = relaxed.mode("partitioners", &id);
                settle("partitioners", id, result, mode)
            };
            cases.into_iter().map(settled).collect()
        }
        None => {
            let reason = "unknown kind of file: it has neither family nor results nor vectors";
            vec![failure("unknown", "", reason.into())]
        }
    }
}

fn run_lines(text: &str, relaxed: &Relaxed) -> Vec<Outcome> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let outcomes: Vec<Outcome> = lines
        .map(|(index, line)| {
            let place = format!("line {}", index + 1);
            let case: Value = match serde_json::from_str(line) {
                Ok(case) => case,
                Err(error) => return failure("unreadable", &place, format!("not JSON: {error}")),
            };
            let Some(id) = case.get("id").and_then(Value::as_str) else {
                return failure("unknown", &place, "the line has no id".into());
            };
            let kind = id.rsplit_once('-').map_or(id, |(kind, _)| kind);
            families::run_line(kind, id, &case, relaxed)
        })
        .collect();
    if outcomes.is_empty() { vec![failure("unreadable", "", "the file has no line".into())] } else { outcomes }
}

/// The verdict of a comparison under the rule for cases in which Kafka itself is not always reproducible.
fn settle(family: &str, id: String, result: Result<(), String>, mode: Option<&Mode>) -> Outcome {
    let verdict = match (mode, result) {
        (Some(Mode::Report(reason)), Ok(())) => Verdict::LeftOut(format!("no difference; not counted: {reason}")),
        (Some(Mode::Report(reason)), Err(difference)) => {
            Verdict::LeftOut(format!("{difference}; not counted: {reason}"))
        }
        (_, Ok(())) => Verdict::Passed,
        (_, Err(difference)) => Verdict::Failed(difference),
    };
    (family.into(), id, verdict)
}

fn failure(family: &str, id: &str, reason: String) -> Outcome {
    (family.into(), id.into(), Verdict::Failed(reason))
}

fn unusable(path: &Path, reason: &str) -> Case {
    let verdict = Verdict::Failed(reason.into());
    Case { path: path.to_path_buf(), family: "unreadable".into(), id: String::new(), verdict }
}
