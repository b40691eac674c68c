//! What the engine's source never names: clocks, threads, chance from outside, unordered maps, floats.
//!
//! Its dependencies are judged in `dependencies.rs`.

use crate::sources::{self, assert_none};

/// Words that would make two runs of one seed differ, and what to use instead.
const FORBIDDEN: [(&str, &str); 11] = [
    ("HashMap", "BTreeMap"),
    ("HashSet", "BTreeSet"),
    ("f32", "integers with a unit"),
    ("f64", "integers with a unit"),
    ("std::time", "the engine's own Time"),
    ("Instant", "the engine's own Time"),
    ("SystemTime", "the engine's own Time"),
    ("std::thread", "messages"),
    ("std::env", "the scenario"),
    ("rand", "a stream of rng.rs"),
    ("thread_local", "a field of the world"),
];

/// Where a forbidden word is right after all.
const EXCEPTIONS: [(&str, &str); 1] = [
    // Outside the engine an instant is a number of milliseconds; the conversion is exact.
    ("crates/engine/src/time.rs", "f64"),
];

#[test]
fn the_engine_names_nothing_that_differs_between_two_runs() {
    let mut broken = broken(engine_sources(), forbidden_words);
    for (path, word) in EXCEPTIONS {
        let is_excepted = |line: &String| line.starts_with(path) && line.contains(&format!(" {word}: use"));
        assert!(broken.iter().any(is_excepted), "{path} needs no exception for {word}");
        broken.retain(|line| !is_excepted(line));
    }
    assert_none(&broken, "one seed gives one run");
}

#[test]
fn the_engine_stores_no_number_whose_size_differs_between_machines() {
    // A timeline counts its own lists; only what a world stores is hashed and compared between machines.
    let mut worlds = engine_sources();
    worlds.retain(|(path, _)| !path.starts_with("crates/engine/src/timeline"));
    assert_none(&broken(worlds, sized_fields), "wasm has 32 bits: store u32 or u64 in structs and enums");
}

fn engine_sources() -> Vec<(String, String)> {
    sources::with_extension(&["rs"])
        .into_iter()
        .filter(|source| source.path.starts_with("crates/engine/src/"))
        .map(|source| (source.path, source.text))
        .collect()
}

/// Applies a rule that gives line numbers and complaints.
fn broken(sources: Vec<(String, String)>, rule: fn(&str) -> Vec<(usize, String)>) -> Vec<String> {
    let complaints = |(path, text): (String, String)| {
        rule(&text).into_iter().map(move |(line, complaint)| format!("{path}:{line}: {complaint}"))
    };
    sources.into_iter().flat_map(complaints).collect()
}

fn forbidden_words(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in code_lines(text) {
        for (word, instead) in FORBIDDEN {
            if has_word(line, word) {
                found.push((number, format!("{word}: use {instead}")));
            }
        }
    }
    found
}

fn sized_fields(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut closing = None;
    for (number, line) in code_lines(text) {
        let indentation = line.len() - line.trim_start().len();
        let is_type = has_word(line, "struct") || has_word(line, "enum");
        if is_type && closing.is_none() && line.trim_end().ends_with('{') {
            closing = Some(indentation);
        }
        if (closing.is_some() || is_type) && has_word(line, "usize") {
            found.push((number, line.trim().to_owned()));
        }
        if closing == Some(indentation) && line.trim_start().starts_with('}') {
            closing = None;
        }
    }
    found
}

/// Lines with their numbers from 1, without comments, up to the module's own tests.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    lines.enumerate().map(|(index, line)| (index + 1, line.split("//").next().unwrap_or_default()))
}

fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part))
}

fn check(rule: fn(&str) -> Vec<(usize, String)>, text: &str, lines: &[usize]) {
    let found: Vec<usize> = rule(text).into_iter().map(|(line, _)| line).collect();
    assert_eq!(found, lines, "{text}");
}

#[test]
fn the_rules_see_what_they_forbid() {
    check(forbidden_words, "use std::collections::HashMap;\nlet a = 1; // f64\nlet operand = 2;", &[1]);
    check(forbidden_words, "let x: f64 = 1.0;\n#[cfg(test)]\nuse rand;", &[1]);
    check(sized_fields, "struct A {\n    n: usize,\n}\nfn f(\n    n: usize,\n) {}\nstruct B(usize);", &[2, 7]);
    check(sized_fields, "enum E {\n    A { at: u32 },\n    B(Vec<usize>),\n}", &[3]);
}
