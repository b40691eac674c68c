//! The folder in which built and installed tools outlive the target folder, by name and version.
//!
//! It does not know how any tool is made.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

const TOOLS: [&str; 5] = ["wasm-bindgen", "trunk", "binaryen", "playwright-core", "axe-core"];

/// The cache's root: `$LOGARIUM_TOOLS`, else `logarium` in the user's cache folder.
pub fn root() -> Result<PathBuf> {
    let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    from("LOGARIUM_TOOLS")
        .or_else(|| from("XDG_CACHE_HOME").map(|folder| folder.join("logarium")))
        .or_else(|| from("HOME").map(|folder| folder.join(".cache").join("logarium")))
        .or_else(|| from("LOCALAPPDATA").map(|folder| folder.join("logarium")))
        .context("no home folder: set LOGARIUM_TOOLS to a folder in which tools may be kept")
}

/// The folder of `name` at `version`, made by `make` when it is not there.
///
/// `make` fills a folder beside it, which is renamed at the end: a folder that exists is complete.
pub fn entry(name: &str, version: &str, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    assert!(TOOLS.contains(&name), "every tool is listed, so that clean finds it");
    let root = root()?;
    let folder = root.join(format!("{name}-{version}"));
    if folder.is_dir() {
        return Ok(folder);
    }
    let unfinished = root.join(format!("{name}-{version}.unfinished-{}", std::process::id()));
    fs::create_dir_all(&unfinished).with_context(|| format!("cannot make {}", unfinished.display()))?;
    let made = make(&unfinished);
    if let Err(error) = made {
        remove(&unfinished)?;
        return Err(error);
    }
    // Somebody else may have finished first: theirs is as good.
    if fs::rename(&unfinished, &folder).is_err() {
        remove(&unfinished)?;
    }
    anyhow::ensure!(folder.is_dir(), "cannot make {}", folder.display());
    Ok(folder)
}

/// The folders of the tools that this workspace makes, whatever their version; other things in the cache are not ours.
pub fn entries() -> Result<Vec<PathBuf>> {
    let root = root()?;
    let Ok(files) = fs::read_dir(&root) else {
        return Ok(Vec::new());
    };
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        TOOLS.iter().any(|tool| name.strip_prefix(tool).is_some_and(|rest| rest.starts_with('-')))
    };
    Ok(files.flatten().map(|file| file.path()).filter(is_ours).collect())
}

/// Removes a folder and all that is in it; none is fine.
pub fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}
