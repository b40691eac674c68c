//! The reader's progress over all lessons, kept by the browser. What completes a step is decided by `course`.

use course::Progress;

use crate::app::store;

const NAME: &str = "progress";

/// What is remembered; nothing is remembered in a sandboxed frame.
pub fn load() -> Progress {
    store::get(NAME).map(|text| Progress::from_json(&text)).unwrap_or_default()
}

/// Remembers.
pub fn save(progress: &Progress) {
    store::set(NAME, Some(&progress.to_json()));
}
