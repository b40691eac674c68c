//! Collects the `Simplified:` comments of the crates into the data of the page "What is modelled".
//!
//! `UPDATE=1` writes the file; without it a difference is a failure. What a comment says is not judged.

use std::fs;

use serde_json::{Value, json};

use crate::sources;

const FILE: &str = "static/model/simplified.json";
const MARK: &str = "Simplified:";
/// Tools of the workspace: what they leave out is not Kafka's.
const TOOLS: [&str; 2] = ["crates/xtask/", "crates/bindgen/"];

#[test]
fn what_is_simplified_is_on_the_page_that_says_so() {
    let collected: Vec<Value> = sources::with_extension(&["rs"])
        .into_iter()
        .filter(|source| source.path.starts_with("crates/") && source.path.contains("/src/"))
        .filter(|source| !TOOLS.iter().any(|tool| source.path.starts_with(tool)))
        .flat_map(|source| {
            let entry = |text: String| json!({ "file": source.path, "text": text });
            comments(&source.text).into_iter().map(entry).collect::<Vec<_>>()
        })
        .collect();
    let mut expected = serde_json::to_string_pretty(&collected).expect("JSON");
    expected.push('\n');
    let path = sources::root().join(FILE);
    let written = fs::read_to_string(&path).unwrap_or_default();
    if written == expected {
        return;
    }
    assert!(std::env::var_os("UPDATE").is_some(), "{FILE} differs from the comments: UPDATE=1 writes it");
    fs::create_dir_all(path.parent().expect("a folder")).expect("static can be written");
    fs::write(&path, expected).expect("static can be written");
}

/// The text after each mark, to the end of its paragraph, on one line.
fn comments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        let comment = line.split_once("//").map(|(_, comment)| comment.trim_start_matches(['/', '!']).trim());
        let starts = comment.and_then(|comment| comment.split_once(MARK)).map(|(_, rest)| rest.trim());
        match (starts, comment) {
            (Some(rest), _) => {
                found.extend(open.replace(rest.to_owned()));
            }
            (None, Some(comment)) if !comment.is_empty() && line.trim_start().starts_with("//") => {
                if let Some(sentence) = &mut open {
                    sentence.push(' ');
                    sentence.push_str(comment);
                }
            }
            _ => found.extend(open.take()),
        }
    }
    found.extend(open);
    found
}

#[test]
fn a_comment_is_read_to_the_end_of_its_paragraph() {
    let text = "//! A.\n//! Simplified: one\n//! two.\n//!\n//! Other.\nlet a; // Simplified: three.\n/// Simplified: four.\n/// Simplified: five.\nfn f() {}";
    assert_eq!(comments(text), ["one two.", "three.", "four.", "five."]);
}
