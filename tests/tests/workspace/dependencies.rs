//! Who may see whom: every package of the workspace, and what it may depend on. Every absence is an invariant.
//!
//! Dependencies that only tests of a package use may be any third party's, and of ours only what the package may use.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

use crate::sources;

/// What one package may use.
struct Rule {
    package: &'static str,
    ours: &'static [&'static str],
    /// `None`: any, because it is never part of the product.
    third_party: Option<&'static [&'static str]>,
}

const RULES: [Rule; 12] = [
    Rule { package: "partitioner", ours: &[], third_party: Some(&[]) },
    Rule { package: "assignor", ours: &[], third_party: Some(&[]) },
    Rule {
        package: "engine",
        ours: &["partitioner", "assignor"],
        third_party: Some(&["serde", "thiserror", "regex-lite"]),
    },
    Rule {
        package: "console",
        ours: &["engine", "partitioner"],
        third_party: Some(&["regex-lite", "serde", "serde_json", "thiserror"]),
    },
    Rule { package: "scene", ours: &["engine", "partitioner"], third_party: Some(&["serde"]) },
    // Numbers about a reader's own keys; it needs no cluster, so it sees no engine.
    Rule { package: "keylab", ours: &["partitioner"], third_party: Some(&["base64", "thiserror"]) },
    Rule { package: "assignlab", ours: &["assignor"], third_party: Some(&["thiserror"]) },
    Rule {
        package: "course",
        ours: &["engine", "partitioner", "assignlab"],
        third_party: Some(&["base64", "miniz_oxide", "serde", "serde_json", "thiserror", "toml"]),
    },
    Rule {
        package: "web",
        ours: &["partitioner", "assignor", "engine", "console", "scene", "keylab", "assignlab", "course"],
        third_party: Some(&[
            "console_error_panic_hook",
            "gloo-timers",
            "js-sys",
            "serde",
            "serde-wasm-bindgen",
            "serde_json",
            "wasm-bindgen",
            "wasm-bindgen-futures",
            "web-sys",
            "yew",
        ]),
    },
    Rule {
        package: "tests",
        ours: &["partitioner", "assignor", "engine", "console", "scene", "keylab", "assignlab", "course"],
        third_party: None,
    },
    // xtask starts programs of the workspace and links none of them.
    Rule { package: "xtask", ours: &[], third_party: None },
    Rule { package: "bindgen", ours: &[], third_party: None },
];

/// Crates that bring clocks, chance or a browser; the engine must not reach them by any path.
const NEVER_BELOW_ENGINE: [&str; 7] = ["rand", "getrandom", "js-sys", "web-sys", "wasm-bindgen", "chrono", "time"];

#[test]
fn packages_see_only_what_they_may() {
    let metadata = MetadataCommand::new()
        .manifest_path(sources::root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata");
    let ours: BTreeSet<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let mut broken = Vec::new();
    for package in &metadata.packages {
        let Some(rule) = RULES.iter().find(|rule| rule.package == package.name.as_str()) else {
            broken.push(format!("{} has no rule: say here what it may see", package.name));
            continue;
        };
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            if !rule.allows(name, ours.contains(name), dependency.kind) {
                broken.push(format!("{} must not see {name}", rule.package));
            }
        }
    }
    sources::assert_none(&broken, "who may see whom");
}

impl Rule {
    fn allows(&self, name: &str, is_ours: bool, kind: DependencyKind) -> bool {
        if is_ours {
            return self.ours.contains(&name);
        }
        kind == DependencyKind::Development || self.third_party.is_none_or(|allowed| allowed.contains(&name))
    }
}

#[test]
fn the_engine_reaches_no_clock_and_no_browser() {
    let lock: toml::Table = sources::read("Cargo.lock").parse().expect("Cargo.lock is TOML");
    let edges = edges(&lock);
    let below = below("engine", &edges);
    assert!(below.contains("partitioner") && below.contains("serde"), "the graph is read: {below:?}");
    let reached: Vec<&&str> = NEVER_BELOW_ENGINE.iter().filter(|name| below.contains(**name)).collect();
    assert!(reached.is_empty(), "the engine reaches {reached:?}");
}

/// Each package of the lock file with the names that it depends on, of all its versions.
fn edges(lock: &toml::Table) -> BTreeMap<String, BTreeSet<String>> {
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in lock["package"].as_array().expect("packages") {
        let name = package["name"].as_str().expect("a name").to_owned();
        let none = Vec::new();
        let dependencies = package.get("dependencies").and_then(toml::Value::as_array).unwrap_or(&none);
        // "name" or "name version"; development dependencies are listed too, which only makes the rule stricter.
        let names = dependencies.iter().filter_map(|entry| entry.as_str()?.split(' ').next().map(str::to_owned));
        edges.entry(name).or_default().extend(names);
    }
    edges
}

fn below<'a>(start: &'a str, edges: &'a BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open = vec![start];
    while let Some(name) = open.pop() {
        for next in edges.get(name).into_iter().flatten() {
            if seen.insert(next.as_str()) {
                open.push(next);
            }
        }
    }
    seen
}
