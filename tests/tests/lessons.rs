//! Every lesson file loads, every acceptance value is recomputed, every number in the prose is covered, every
//! link leads somewhere, and the steps can be walked through.
//!
//! What lessons look like on the page is not tested here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use course::check::{Check, Finding};
use course::lesson::Control;
use course::{Condition, Glossary, Index, Lesson, Settings};
use engine::Scenario;

#[path = "course/numbers.rs"]
mod numbers;
#[path = "course/walk.rs"]
mod walk;

/// The groups of the course as its index names them.
const GROUP: &str = "keys-and-partitioners";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../static").join(name)
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn toml_files(name: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder(name)).expect("the folder exists");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<(String, String)> = paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), text(&path)))
        .collect();
    files.sort();
    files
}

/// Every lesson with its file's text, by slug.
fn lessons() -> BTreeMap<String, (Lesson, String)> {
    let load = |(slug, text): (String, String)| {
        let lesson = Lesson::from_toml(&text).unwrap_or_else(|error| panic!("{slug}: {error}"));
        assert_eq!(lesson.slug, slug, "a file is called as its lesson");
        (slug, (lesson, text))
    };
    toml_files("lessons").into_iter().map(load).collect()
}

/// The lesson that the slow tests are limited to: `LESSON=key-bytes cargo test ...` while one is being written.
fn chosen() -> Option<String> {
    std::env::var("LESSON").ok()
}

/// Every scenario, by name.
fn scenarios() -> BTreeMap<String, Scenario> {
    let load = |(name, text): (String, String)| {
        let scenario = course::scenario_from_text(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, scenario)
    };
    toml_files("scenarios").into_iter().map(load).collect()
}

fn glossary() -> Glossary {
    let path = folder("glossary.toml");
    Glossary::from_toml(&text(&path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn index() -> Index {
    Index::from_json(&text(&folder("lessons/index.json"))).unwrap_or_else(|error| panic!("lessons/index.json: {error}"))
}

/// All prose of a lesson, with the place where it stands.
fn prose(lesson: &Lesson) -> Vec<(String, String)> {
    let mut texts = vec![
        ("question".to_string(), lesson.question.clone()),
        ("intro".to_string(), lesson.intro.clone()),
        ("fine_print".to_string(), lesson.fine_print.clone()),
    ];
    for act in &lesson.acts {
        texts.push((format!("act {} title", act.id), act.title.clone()));
        for step in &act.steps {
            texts.push((format!("step {}", step.id), step.caption.clone()));
            texts.extend(step.action.iter().map(|action| (format!("action of {}", step.id), action.label.clone())));
        }
    }
    for prediction in &lesson.predictions {
        texts.push((format!("prediction {}", prediction.id), prediction.question.clone()));
        texts.push((format!("prediction {} after", prediction.id), prediction.after.clone()));
    }
    texts
}

#[test]
fn acceptance_values_hold_when_they_are_recomputed() {
    let scenarios = scenarios();
    let mut wrong = Vec::new();
    let mut count = 0;
    let chosen = chosen();
    for (slug, (lesson, _)) in lessons().into_iter().filter(|(slug, _)| chosen.as_ref().is_none_or(|only| only == slug))
    {
        let found = course::check::run(&lesson, &scenarios);
        for (number, (check, found)) in lesson.checks.iter().zip(found).enumerate() {
            count += 1;
            match printed(check, &lesson, &scenarios).unwrap_or(found) {
                Ok(finding) if finding.holds() => {}
                Ok(finding) => wrong.push(format!(
                    "{slug} check[{number}] {check:?}\n  expected {}\n  got      {}",
                    finding.expected, finding.got
                )),
                Err(error) => wrong.push(format!("{slug} check[{number}] {check:?}\n  {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} checks fail:\n{}", wrong.len(), wrong.join("\n"));
    assert!(chosen.is_some() || count > 100, "only {count} checks were found");
}

/// What a check of a terminal's line finds: it runs in the real console, which `course` does not know.
fn printed(
    check: &Check,
    lesson: &Lesson,
    scenarios: &BTreeMap<String, Scenario>,
) -> Option<Result<Finding, engine::InputError>> {
    let Check::Console { stage, line, expected } = check else { return None };
    Some(course::check::timeline(stage, lesson, scenarios).map(|mut timeline| {
        let printed = console::run(&mut timeline, line);
        let mut got = printed.stdout + &printed.stderr;
        for topic in &timeline.snapshot(0).topics {
            got = got.replace(&*topic.topic_id, "<topic-id>");
        }
        Finding { expected: expected.clone(), got }
    }))
}

#[test]
fn the_index_agrees_with_the_lesson_files() {
    let lessons = lessons();
    let index = index();
    let built: Vec<&str> = index.built().map(|(_, entry)| entry.slug.as_str()).collect();
    assert_eq!(built.iter().copied().collect::<BTreeSet<_>>(), lessons.keys().map(String::as_str).collect());
    for (group, entry) in index.built() {
        let (lesson, _) = &lessons[&entry.slug];
        assert_eq!(entry.title, lesson.title, "{}", entry.slug);
        assert_eq!(group.slug, lesson.group, "{}", entry.slug);
        assert_eq!(entry.scenarios, lesson.scenarios(), "{}", entry.slug);
    }
    let slugs: Vec<&str> =
        index.groups.iter().flat_map(|group| &group.lessons).map(|entry| entry.slug.as_str()).collect();
    assert_eq!(slugs.len(), slugs.iter().collect::<BTreeSet<_>>().len(), "no lesson is listed twice");
    assert_eq!(index.groups.first().map(|group| group.slug.as_str()), Some(GROUP));
}

#[test]
fn neighbors_follow_the_order_of_the_index() {
    let index = index();
    let built: Vec<&str> = index.built().map(|(_, entry)| entry.slug.as_str()).collect();
    for (place, slug) in built.iter().enumerate() {
        let (previous, next) = index.neighbors(slug);
        assert_eq!(previous.map(|entry| entry.slug.as_str()), place.checked_sub(1).map(|place| built[place]));
        assert_eq!(next.map(|entry| entry.slug.as_str()), built.get(place + 1).copied());
    }
    assert_eq!(index.neighbors("no-such-lesson"), (None, None));
}

#[test]
fn every_stage_of_a_lesson_starts_with_the_settings_that_it_offers() {
    let scenarios = scenarios();
    for (slug, (lesson, _)) in lessons() {
        for act in &lesson.acts {
            let scenario =
                scenarios.get(&act.scenario).unwrap_or_else(|| panic!("{slug}: no scenario {}", act.scenario));
            let offered = act.steps.iter().filter_map(|step| {
                let is_refused = matches!(step.done, Some(Condition::Refused { .. }));
                Some((step.action.as_ref()?.settings.clone()?, is_refused))
            });
            for (settings, is_refused) in std::iter::once((Settings::default(), false)).chain(offered) {
                let stage = act.settings.with(&settings).apply(scenario);
                let stage = stage.unwrap_or_else(|error| panic!("{slug} {}: {error}", act.id));
                let started = engine::Simulation::new(&stage);
                assert_eq!(started.is_err(), is_refused, "{slug} {} {settings:?}: {:?}", act.id, started.err());
            }
        }
    }
}

#[test]
fn every_choice_of_a_control_works_on_an_act_of_its_lesson() {
    let scenarios = scenarios();
    for (slug, (lesson, _)) in lessons() {
        for control in &lesson.controls {
            let values: BTreeSet<&str> = control.choices.iter().map(|choice| choice.value.as_str()).collect();
            let embedded = control.embedded.iter().flatten().map(String::as_str);
            let unknown: Vec<&str> = embedded.filter(|value| !values.contains(value)).collect();
            assert!(unknown.is_empty(), "{slug} {}: {unknown:?} is no choice", control.setting);
            for value in values {
                let works = lesson
                    .acts
                    .iter()
                    .any(|act| stage_starts(&act.settings, control, value, &scenarios[&act.scenario]));
                assert!(works, "{slug}: {} = {value} starts on no act", control.setting);
            }
        }
    }
}

fn stage_starts(own: &Settings, control: &Control, value: &str, scenario: &Scenario) -> bool {
    let mut settings = own.clone();
    settings.set(&control.setting, value).is_ok()
        && settings.apply(scenario).is_ok_and(|stage| engine::Simulation::new(&stage).is_ok())
}

#[test]
fn links_lead_to_terms_of_the_glossary() {
    let glossary = glossary();
    let mut used = BTreeSet::new();
    let meanings = glossary.terms.iter().map(|term| (format!("glossary {}", term.slug), term.meaning.clone()));
    let mut texts: Vec<(String, String)> = meanings.collect();
    for (slug, (lesson, _)) in lessons() {
        texts.extend(prose(&lesson).into_iter().map(|(place, text)| (format!("{slug} {place}"), text)));
    }
    for (place, text) in &texts {
        for part in text.split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            let term =
                target.strip_prefix("glossary:").unwrap_or_else(|| panic!("{place}: {target} is no glossary link"));
            assert!(glossary.term(term).is_some(), "{place}: no term {term}");
            used.insert(term.to_string());
        }
    }
    let slugs: Vec<&str> = glossary.terms.iter().map(|term| term.slug.as_str()).collect();
    let mut sorted = glossary.terms.iter().map(|term| term.term.to_lowercase()).collect::<Vec<_>>();
    sorted.sort();
    assert_eq!(glossary.terms.iter().map(|term| term.term.to_lowercase()).collect::<Vec<_>>(), sorted, "alphabetical");
    assert_eq!(slugs.len(), slugs.iter().collect::<BTreeSet<_>>().len(), "no term twice");
    assert!(used.len() > 20, "only {} terms are linked", used.len());
}

#[test]
fn prose_is_short_and_in_sentence_case() {
    for (slug, (lesson, _)) in lessons() {
        for (place, text) in prose(&lesson) {
            let words = text.split_whitespace().count();
            assert!(words <= 75, "{slug} {place} has {words} words");
            let first = text.chars().next();
            let begins = first.is_some_and(|first| {
                first.is_uppercase() || first.is_ascii_digit() || first == '`' || first == '"' || first == '['
            });
            let is_name = text.starts_with("user-")
                || text.starts_with("cust-")
                || text.starts_with("librdkafka")
                || text.is_empty();
            assert!(begins || is_name, "{slug} {place}: {text}");
        }
        assert!(!lesson.title.ends_with('.'), "{slug}: titles have no full stop");
    }
}
