//! `static/scenarios/index.json` holds every scenario file, so that scripts can name one without waiting.
//!
//! `UPDATE=1 cargo test -p tests --test scenario_index` writes it. What a scenario does is not tested here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use course::Lesson;
use serde::Serialize;

#[derive(Serialize)]
struct Entry {
    name: String,
    title: String,
    toml: String,
}

#[test]
fn the_index_holds_every_scenario_file_as_it_is() {
    let folder = static_folder().join("scenarios");
    let titles = titles();
    let mut lines = Vec::new();
    for path in toml_files(&folder) {
        let toml = fs::read_to_string(&path).expect("a scenario file");
        let name = course::scenario_from_text(&toml).expect("a valid scenario").name;
        assert_eq!(
            path.file_stem().and_then(|stem| stem.to_str()),
            Some(name.as_str()),
            "a file is called as its scenario"
        );
        let title = titles.get(&name).unwrap_or(&name).clone();
        lines.push(serde_json::to_string(&Entry { name, title, toml }).expect("plain data"));
    }
    let expected = format!("[\n{}\n]\n", lines.join(",\n"));
    let index = folder.join("index.json");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&index, &expected).expect("the index can be written");
    }
    let found = fs::read_to_string(&index).unwrap_or_default();
    assert_eq!(found, expected, "UPDATE=1 cargo test -p tests --test scenario_index brings it up to date");
}

/// Titles of scenarios: that of the first lesson that runs on it, with its act's if the lesson has several.
fn titles() -> BTreeMap<String, String> {
    let mut titles = BTreeMap::new();
    for path in toml_files(&static_folder().join("lessons")) {
        let text = fs::read_to_string(&path).expect("a lesson file");
        let lesson = Lesson::from_toml(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for act in &lesson.acts {
            let title = match lesson.acts.len() {
                1 => lesson.title.clone(),
                _ => format!("{}: {}", lesson.title, act.title),
            };
            titles.entry(act.scenario.clone()).or_insert(title);
        }
    }
    titles
}

fn toml_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files
}

fn static_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../static")
}
