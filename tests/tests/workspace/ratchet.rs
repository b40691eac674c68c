//! Lists of known excess that may shrink and never grow.
//!
//! A list is a file beside this one, a line per item: its size, then its name. `UPDATE=1` writes smaller sizes into it;
//! new items and larger sizes are refused even then.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use crate::sources;

/// Holds `found` (name to size, only those above the limit) against the list in `file`.
#[track_caller]
pub fn hold(file: &str, found: &BTreeMap<String, usize>, rule: &str) {
    let path = format!("tests/tests/workspace/{file}");
    let listed = parse(&sources::read(&path));
    let judged = judge(&listed, found);
    sources::assert_none(&judged.grown, rule);
    if judged.shrunk.is_empty() {
        return;
    }
    assert!(
        std::env::var_os("UPDATE").is_some(),
        "smaller than {path} says, well done; UPDATE=1 writes it down:\n  {}",
        judged.shrunk.join("\n  ")
    );
    fs::write(sources::root().join(&path), render(found)).expect("the list can be written");
}

/// What differs between a list and what was found.
#[derive(Debug, Default, PartialEq)]
struct Judged {
    grown: Vec<String>,
    shrunk: Vec<String>,
}

fn judge(listed: &BTreeMap<String, usize>, found: &BTreeMap<String, usize>) -> Judged {
    let mut judged = Judged::default();
    for (name, size) in found {
        let allowed = listed.get(name).copied().unwrap_or(0);
        if *size > allowed {
            judged.grown.push(format!("{name}: {size} lines"));
        }
    }
    for (name, allowed) in listed {
        if found.get(name).is_none_or(|size| size < allowed) {
            judged.shrunk.push(name.clone());
        }
    }
    judged
}

fn parse(text: &str) -> BTreeMap<String, usize> {
    text.lines()
        .filter(|line| !line.is_empty())
        .map(|line| {
            let (size, name) = line.split_once(' ').expect("a size, a space, a name");
            (name.to_owned(), size.parse().expect("a size in lines"))
        })
        .collect()
}

fn render(found: &BTreeMap<String, usize>) -> String {
    found.iter().fold(String::new(), |mut text, (name, size)| {
        writeln!(text, "{size} {name}").expect("writing to a text");
        text
    })
}

fn check(listed: &str, found: &str, grown: &[&str], shrunk: &[&str]) {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let expected = Judged { grown: owned(grown), shrunk: owned(shrunk) };
    assert_eq!(judge(&parse(listed), &parse(found)), expected, "{listed:?} against {found:?}");
}

#[test]
fn a_list_may_shrink_and_never_grow() {
    check("700 a", "700 a", &[], &[]);
    check("700 a", "701 a", &["a: 701 lines"], &[]);
    check("700 a", "650 a", &[], &["a"]);
    check("700 a", "", &[], &["a"]);
    check("", "601 b", &["b: 601 lines"], &[]);
}
