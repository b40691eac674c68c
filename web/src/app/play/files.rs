//! Scenario files in and out, and links: nothing is sent anywhere.
//!
//! Reading a scenario from text is `course`'s; where an error points inside the text is found here.

use course::scenario_file::FILE_BYTES_MAX;
use engine::{InputError, Scenario};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

use crate::app::controls::save_file;
use crate::app::opening;

use super::workbench::Workbench;

/// A form in which a scenario is saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// TOML, as it is written by hand.
    Toml,
    /// JSON, as programs like it.
    Json,
}

/// A scenario as text.
pub fn text(scenario: &Scenario, form: Form) -> String {
    match form {
        Form::Toml => course::scenario_to_toml(scenario),
        Form::Json => {
            let json = serde_json::to_string_pretty(scenario).expect("a scenario is made of text, numbers and lists");
            format!("{json}\n")
        }
    }
}

/// Offers the set-up as a file.
pub fn save(bench: &Workbench, form: Form) {
    let scenario = bench.scenario();
    let (end, mime) = match form {
        Form::Toml => ("toml", "application/toml"),
        Form::Json => ("json", "application/json"),
    };
    save_file(&format!("{}.{end}", file_stem(&scenario.name)), mime, &text(&scenario, form));
}

/// The name without what file systems do not like.
fn file_stem(name: &str) -> String {
    let stem: String = name
        .chars()
        .map(|letter| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '-' })
        .collect();
    let stem = stem.trim_matches(['.', '-']);
    if stem.is_empty() { "scenario".to_owned() } else { stem.to_owned() }
}

/// The text of a file.
///
/// # Errors
/// It is too large, or the browser cannot read it.
pub async fn read(file: &web_sys::File) -> Result<String, InputError> {
    let name = file.name();
    if file.size() > FILE_BYTES_MAX as f64 {
        let message = format!("{name} has {} bytes; a scenario has at most {FILE_BYTES_MAX}.", file.size());
        return Err(InputError::new("file.too_large", message));
    }
    let blob: &web_sys::Blob = file.unchecked_ref();
    let text = JsFuture::from(blob.text()).await.ok().and_then(|text| text.as_string());
    text.ok_or_else(|| InputError::new("file.unreadable", format!("The browser cannot read {name}.")))
}

/// Opens the text of a file on the bench, at time 0 of its own run.
///
/// # Errors
/// The reader's or the engine's own, with the line.
pub fn open(bench: &Workbench, text: &str) -> Result<(), InputError> {
    let scenario = course::scenario_from_text(text)?;
    bench.open(&opening::full_scenario(&scenario)).map_err(|error| with_line(text, error))
}

/// Takes a text over as the set-up of the present run.
///
/// # Errors
/// The reader's or the engine's own, with the line.
pub fn apply(bench: &Workbench, text: &str) -> Result<(), InputError> {
    let scenario = course::scenario_from_text(text)?;
    bench.set_up(scenario).map_err(|error| with_line(text, error))
}

/// An error of the engine with the line in the text to which its path leads.
fn with_line(text: &str, mut error: InputError) -> InputError {
    if let Some(line) = line_of_path(text, &error.path) {
        error.path = format!("line {line}, {}", error.path);
    }
    error
}

/// The line that an error names, from 1.
pub fn line(error: &InputError) -> Option<usize> {
    let rest = error.path.strip_prefix("line ")?;
    rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

/// Where a path such as `producer[1].configs."linger.ms"` stands in TOML text: the line of its last name, or of its
/// table.
fn line_of_path(text: &str, path: &str) -> Option<usize> {
    let (table, rest) = path.split_once('.').unwrap_or((path, ""));
    let (name, place) = match table.split_once('[') {
        Some((name, place)) => (name, place.trim_end_matches(']').parse::<usize>().ok()?),
        None => (table, 0),
    };
    let is_header = |line: &str| {
        let line = line.trim();
        line == format!("[[{name}]]") || line == format!("[{name}]")
    };
    let lines: Vec<&str> = text.lines().collect();
    let begin = (0..lines.len()).filter(|index| is_header(lines[*index])).nth(place)?;
    let end = (begin + 1..lines.len()).find(|index| is_foreign(lines[*index], name)).unwrap_or(lines.len());
    let last = last_name(rest);
    let own = (begin..end).find(|index| !last.is_empty() && lines[*index].contains(&last));
    Some(own.unwrap_or(begin) + 1)
}

/// Whether a line begins a table that is not part of `name`.
fn is_foreign(line: &str, name: &str) -> bool {
    let line = line.trim();
    line.starts_with('[') && !line.trim_start_matches('[').starts_with(&format!("{name}."))
}

/// `linger.ms` of `configs."linger.ms"`, `keys` of `workload.keys[2]`.
fn last_name(path: &str) -> String {
    let quoted = path.strip_suffix('"').and_then(|start| start.rsplit_once('"'));
    if let Some((_, quoted)) = quoted {
        return quoted.to_owned();
    }
    let last = path.rsplit_once('.').map_or(path, |(_, last)| last);
    last.split('[').next().unwrap_or(last).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name = \"x\"\n[[topic]]\nname = \"a\"\n[[producer]]\nname = \"p\"\n[[producer]]\nname = \"q\"\nclient = \"jav\"\n\
                        [producer.configs]\n\"linger.ms\" = \"abc\"\n[network]\ndelay = \"1 ms\"\n";

    fn check(path: &str, expected: Option<usize>) {
        assert_eq!(line_of_path(TEXT, path), expected, "{path}");
    }

    #[test]
    fn a_path_leads_to_its_line() {
        check("producer[1].client", Some(8));
        check("producer[1].configs.\"linger.ms\"", Some(10));
        check("producer[0].client", Some(4));
        check("topic[0].name", Some(3));
        check("network.delay", Some(12));
        check("consumer[0].name", None);
    }

    #[test]
    fn an_error_names_its_line() {
        let error = course::scenario_from_text("name = \"x\"\nsede = 1\n").expect_err("it is misspelled");
        assert_eq!(line(&error), Some(2));
        assert_eq!(line(&InputError::new("x", "y")), None);
    }

    #[test]
    fn a_file_gets_a_name_that_every_system_takes() {
        let names = ["two services", "a/b", "../x", ""].map(file_stem);
        assert_eq!(names, ["two-services", "a-b", "x", "scenario"]);
    }

    #[test]
    fn a_saved_scenario_is_read_back_in_both_forms() {
        let scenario = (crate::app::play::examples::EXAMPLES[0].make)();
        for form in [Form::Toml, Form::Json] {
            assert_eq!(course::scenario_from_text(&text(&scenario, form)), Ok(scenario.clone()), "{form:?}");
        }
    }
}
