//! How files look: their first line, their length, and that each is used.
//!
//! What compilers and clippy check is not checked again.

use std::collections::BTreeMap;

use crate::{ratchet, sources};
use sources::{Source, assert_none};

/// Lines above which a file is split.
const FILE_LIMIT: usize = 600;
/// Lines above which a function does not fit a screen.
const FUNCTION_LIMIT: usize = 70;

#[test]
fn every_file_opens_by_saying_what_it_holds() {
    let broken: Vec<String> = sources::with_extension(&["rs", "js", "mjs", "css", "html", "ts"])
        .iter()
        .filter(|source| !opens_with_comment(source))
        .map(|source| source.path.clone())
        .collect();
    assert_none(&broken, "a file opens with `//!` (Rust) or a comment: what it holds and what it does not");
}

fn opens_with_comment(source: &Source) -> bool {
    let mut lines = source.text.lines().filter(|line| !line.starts_with("<!doctype"));
    let first = lines.next().unwrap_or_default();
    match source.extension() {
        "rs" => first.starts_with("//! "),
        "css" => first.starts_with("/*"),
        "html" => first.starts_with("<!--"),
        _ => first.starts_with("//") || first.starts_with("/*"),
    }
}

#[test]
fn files_are_short_enough_to_read() {
    let long = sources::with_extension(&["rs", "js", "mjs", "css"])
        .into_iter()
        .map(|source| (source.path, source.text.lines().count()))
        .filter(|(_, lines)| *lines > FILE_LIMIT)
        .collect();
    ratchet::hold("long_files.txt", &long, "a file above 600 lines is split by idea");
}

#[test]
fn functions_fit_a_screen() {
    let mut long = BTreeMap::new();
    for source in sources::with_extension(&["rs"]) {
        for (name, lines) in functions(&source.text) {
            if lines > FUNCTION_LIMIT {
                long.insert(format!("{} {name}", source.path), lines);
            }
        }
    }
    ratchet::hold("long_functions.txt", &long, "a function above 70 lines is split");
}

/// Name and length in lines of each function, found by the indentation that rustfmt gives.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else {
            continue;
        };
        let indentation = &line[..line.len() - line.trim_start().len()];
        let close = format!("{indentation}}}");
        let ends = |line: &str| line.starts_with(&close);
        let is_one_line = line.ends_with('}') || line.ends_with(';');
        let length = if is_one_line { Some(0) } else { lines[start..].iter().position(|line| ends(line)) };
        found.push((name.to_owned(), length.map_or(0, |length| length + 1)));
    }
    found
}

fn function_name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    for word in ["pub(crate) ", "pub(super) ", "pub ", "const ", "async ", "unsafe "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let name = rest.strip_prefix("fn ")?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    Some(&name[..end])
}

#[test]
fn function_lengths_are_measured() {
    let text = "pub fn a() {\n    b();\n}\n\nimpl X {\n    fn c(&self) -> u8 {\n        1\n    }\n    fn d();\n}\n";
    let expected = [("a", 3), ("c", 3), ("d", 1)].map(|(name, lines)| (name.to_owned(), lines));
    assert_eq!(functions(text), expected);
}

#[test]
fn every_rust_file_is_part_of_its_crate() {
    let sources = sources::with_extension(&["rs"]);
    let broken: Vec<String> = sources
        .iter()
        .filter(|source| !is_root_of_a_target(&source.path) && !is_declared(source, &sources))
        .map(|source| source.path.clone())
        .collect();
    assert_none(&broken, "no `mod` names this file, so nothing compiles it");
}

fn is_root_of_a_target(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let folder = path.strip_suffix(name).unwrap_or_default();
    matches!(name, "lib.rs" | "main.rs")
        || folder.ends_with("/src/bin/")
        || folder.ends_with("/tests/")
        || folder.ends_with("/examples/")
}

fn is_declared(source: &Source, all: &[Source]) -> bool {
    let path = source.path.strip_suffix("/mod.rs").or_else(|| source.path.strip_suffix(".rs"));
    let (folder, module) = path.and_then(|path| path.rsplit_once('/')).expect("a Rust file in a folder");
    let declarations = [format!("mod {module};"), format!("mod r#{module};")];
    let parents = ["lib.rs", "main.rs", "mod.rs"].map(|name| format!("{folder}/{name}"));
    let sibling = format!("{folder}.rs");
    // With a `path` attribute any file of the folder, or beside it, may name it.
    let attribute = format!("#[path = \"{module}.rs\"]");
    let inside = folder.rsplit('/').next().unwrap_or_default();
    let from_beside = format!("#[path = \"{inside}/{module}.rs\"]");
    let beside = folder.strip_suffix(inside).unwrap_or_default();
    let names = |other: &&Source| {
        let is_parent = parents.contains(&other.path) || other.path == sibling;
        let declares = |declaration: &String| other.text.contains(declaration.as_str());
        let is_named = other.path.starts_with(folder) && declares(&attribute);
        (is_parent && declarations.iter().any(declares))
            || is_named
            || (other.path.starts_with(beside) && declares(&from_beside))
    };
    all.iter().any(|other| names(&other))
}

#[test]
fn every_static_file_is_asked_for() {
    let all = sources::all();
    let broken: Vec<String> = all
        .iter()
        .filter(|source| source.path.starts_with("static/"))
        .filter(|source| {
            let name = source.path.rsplit('/').next().unwrap_or_default();
            let stem = name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(name);
            !all.iter().any(|other| other.path != source.path && other.text.contains(stem))
        })
        .map(|source| source.path.clone())
        .collect();
    assert_none(&broken, "nothing names this file: remove it, or name it where it is used");
}

#[test]
fn every_script_and_style_is_part_of_the_site() {
    let page = sources::read("web/index.html");
    let all = sources::all();
    let broken: Vec<String> = all
        .iter()
        .filter_map(|source| {
            let file = source.path.strip_prefix("web/")?;
            let is_script = !file.contains('/') && (file.ends_with(".js") || file.ends_with(".ts"));
            let is_copied = page.contains(&format!("rel=\"copy-file\" href=\"{file}\""));
            let is_style = file.ends_with(".css");
            let is_named = all.iter().any(|other| other.path != source.path && other.text.contains(file));
            ((is_script && !is_copied) || (is_style && !is_named)).then(|| source.path.clone())
        })
        .collect();
    assert_none(&broken, "web/index.html copies every script with a copy-file link, and every style is loaded");
}

#[test]
fn no_file_tells_of_the_place_where_it_was_written() {
    // Put together here, so that this file does not hold them.
    let words = [
        ["/wo", "rk/"].concat(),
        ["/ro", "ot/"].concat(),
        ["../sha", "red"].concat(),
        ["registry.npm", "js"].concat(),
        ["index.crates", ".io"].concat(),
        ["static.crates", ".io"].concat(),
    ];
    let broken: Vec<String> = sources::all()
        .iter()
        .filter(|source| source.path != "Cargo.lock")
        .flat_map(|source| {
            let found = words.iter().filter(|word| source.text.contains(word.as_str()));
            found.map(|word| format!("{}: {word}", source.path)).collect::<Vec<_>>()
        })
        .collect();
    assert_none(&broken, "paths and hosts of one workplace mean nothing elsewhere");
}
