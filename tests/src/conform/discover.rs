//! Finds the recordings under a path, in the same order on every machine.
//!
//! Deliberately not here: what is in them. Only the ending of a name decides what is opened.

use std::{
    io,
    path::{Path, PathBuf},
};

/// How deep folders may lie in one another; a link that leads back up ends here.
const DEPTH_MAX: usize = 16;

/// The `.json` and `.jsonl` files at or below `path`, sorted. `relaxed.json` holds rules about cases, not cases.
///
/// # Errors
/// If `path` does not exist or a folder cannot be listed.
pub(super) fn recordings(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(path, DEPTH_MAX, &mut found)?;
    Ok(found)
}

fn collect(path: &Path, depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.metadata()?.is_dir() {
        found.push(path.to_path_buf());
        return Ok(());
    }
    let depth = depth.checked_sub(1).ok_or_else(|| io::Error::other("folders lie too deep in one another"))?;
    let mut entries = std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() || is_recording(&entry) {
            collect(&entry, depth, found)?;
        }
    }
    Ok(())
}

fn is_recording(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("json" | "jsonl")) && path.file_name().is_some_and(|name| name != "relaxed.json")
}
