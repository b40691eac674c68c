//! A thousand random damages to scenario files and to settings: every one is read, or refused with a code, a sentence
//! and a place.
//!
//! What an undamaged scenario does is not tested here.

use std::fs;
use std::path::Path;

use course::Settings;
use engine::Simulation;

/// A small generator, so that every run damages in the same way.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Scenario files as TOML and as JSON.
fn texts() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../static/scenarios");
    let paths = fs::read_dir(folder).expect("the folder exists").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml")).collect();
    files.sort();
    let tomls = files.into_iter().map(|path| fs::read_to_string(path).expect("a scenario file"));
    tomls
        .flat_map(|toml| {
            let scenario = course::scenario_from_text(&toml).expect("a valid scenario");
            [toml, serde_json::to_string_pretty(&scenario).expect("plain data")]
        })
        .collect()
}

const PIECES: [&str; 16] = [
    "-1",
    "0",
    "99999999999999999999",
    "\"\"",
    "nan",
    "[[topic]]\n",
    "[[producer]]\n",
    "{",
    "}",
    "\"",
    "partitons = 3\n",
    "true",
    "\"5 s\"",
    "[",
    "\u{1f600}",
    "\0",
];

/// One of: bytes replaced, a piece put in, a stretch taken out or doubled, a number changed.
fn damage(text: &str, state: &mut u64) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let place = random(state) as usize % letters.len();
    let length = (random(state) as usize % 12).min(letters.len() - place);
    match random(state) % 5 {
        0 => letters[place] = char::from(random(state) as u8 & 0x7f),
        1 => {
            let piece = PIECES[random(state) as usize % PIECES.len()];
            letters.splice(place..place, piece.chars());
        }
        2 => drop(letters.drain(place..place + length)),
        3 => {
            let stretch = letters[place..place + length].to_vec();
            letters.splice(place..place, stretch);
        }
        _ => {
            let digits: Vec<usize> = (0..letters.len()).filter(|at| letters[*at].is_ascii_digit()).collect();
            let at = digits[random(state) as usize % digits.len()];
            letters[at] = char::from(b'0' + (random(state) % 10) as u8);
        }
    }
    letters.into_iter().collect()
}

#[test]
fn a_thousand_damaged_scenarios_are_read_or_refused_with_a_place() {
    let texts = texts();
    let mut state = 3;
    let (mut refused, mut started) = (0, 0);
    for round in 0..1_000 {
        let mut text = texts[round % texts.len()].clone();
        for _ in 0..=random(&mut state) % 2 {
            text = damage(&text, &mut state);
        }
        let started_one = course::scenario_from_text(&text).and_then(|scenario| Simulation::new(&scenario));
        match started_one {
            Ok(_) => started += 1,
            Err(error) => {
                assert!(!error.code.is_empty() && error.message.len() > 8, "{error:?}\n{text}");
                assert!(!error.path.is_empty(), "no place: {error:?}\n{text}");
                refused += 1;
            }
        }
    }
    assert!(refused > 300 && started > 100, "{refused} refused, {started} started");
}

const SETTINGS: [(&str, &str); 10] = [
    ("client", "librdkafka-murmur2_random"),
    ("client.orders-service", "java"),
    ("compare", "12"),
    ("partitions", "6"),
    ("seed", "42"),
    ("keys", "user-1..30,user-7"),
    ("key_encoding", "avro-1"),
    ("linger", "100 ms"),
    ("partition", "4"),
    ("metadata_age.orders-service", "4 min"),
];

#[test]
fn a_thousand_damaged_settings_are_applied_or_refused_with_their_name() {
    let scenario = course::scenario_from_text(&texts()[0]).expect("a valid scenario");
    let mut state = 4;
    let (mut refused, mut applied) = (0, 0);
    for round in 0..1_000 {
        let (name, value) = SETTINGS[round % SETTINGS.len()];
        let (name, value) = match random(&mut state) % 3 {
            0 => (letters_changed(name, &mut state), value.to_string()),
            1 => (name.to_string(), letters_changed(value, &mut state)),
            _ => (name.to_string(), value.repeat(random(&mut state) as usize % 400)),
        };
        let mut settings = Settings::default();
        match settings.set(&name, &value).and_then(|()| settings.apply(&scenario)) {
            Ok(_) => applied += 1,
            Err(error) => {
                assert!(!error.path.is_empty() && error.message.len() > 8, "{name} = {value}: {error:?}");
                assert!(error.to_string().len() < 600, "{name} = {value}: {error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 300 && applied > 100, "{refused} refused, {applied} applied");
}

fn letters_changed(text: &str, state: &mut u64) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let place = random(state) as usize % letters.len();
    match random(state) % 3 {
        0 => letters[place] = ['x', '\u{e9}', '.', '-', '0', '\n', '\u{1f600}'][random(state) as usize % 7],
        1 => drop(letters.remove(place)),
        _ => letters.insert(place, ['.', ',', '9', '"'][random(state) as usize % 4]),
    }
    letters.into_iter().collect()
}
