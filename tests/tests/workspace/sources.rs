//! The files that people of this project write, as text.
//!
//! What is built, fetched or recorded is left out.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold nothing written here.
const SKIPPED: [&str; 5] = ["target", "dist", "artifacts", "conformance", "node_modules"];

/// One text file.
pub struct Source {
    /// From the workspace's root, with `/`.
    pub path: String,
    pub text: String,
}

impl Source {
    /// The part after the last dot, or nothing.
    pub fn extension(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or("", |(_, extension)| extension)
    }
}

/// The folder that holds the root `Cargo.toml`.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests lie one folder below the root").to_owned()
}

/// One file as text.
pub fn read(path: &str) -> String {
    let full = root().join(path);
    fs::read_to_string(&full).unwrap_or_else(|error| panic!("cannot read {path}: {error}"))
}

/// Every text file that is written here, by path.
pub fn all() -> Vec<Source> {
    let root = root();
    let mut found = Vec::new();
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the workspace").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_hidden = name.starts_with('.') && name != ".ci" && name != ".cargo";
            if path.is_dir() {
                if !is_hidden && !SKIPPED.contains(&name.as_str()) {
                    open.push(path);
                }
            } else if let Ok(text) = fs::read_to_string(&path) {
                let inside = path.strip_prefix(&root).expect("below the root");
                let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
                found.push(Source { path: parts.join("/"), text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The files of `all` with one of these extensions.
pub fn with_extension(extensions: &[&str]) -> Vec<Source> {
    all().into_iter().filter(|source| extensions.contains(&source.extension())).collect()
}

/// Fails with one line per broken rule.
#[track_caller]
pub fn assert_none(broken: &[String], rule: &str) {
    assert!(broken.is_empty(), "{rule}:\n  {}", broken.join("\n  "));
}
