//! The reader's progress and verdicts over all lessons, kept by the browser. What completes a step is decided by
//! `course`.

use course::Progress;

use super::verdict::Verdicts;
use crate::app::store;

const NAME: &str = "progress";
const VERDICTS: &str = "verdicts";

/// What is remembered; nothing is remembered in a sandboxed frame.
pub fn load() -> Progress {
    store::get(NAME).map(|text| Progress::from_json(&text)).unwrap_or_default()
}

/// Remembers.
pub fn save(progress: &Progress) {
    store::set(NAME, Some(&progress.to_json()));
}

/// The remembered verdicts.
pub fn verdicts() -> Verdicts {
    store::get(VERDICTS).map(|text| Verdicts::from_json(&text)).unwrap_or_default()
}

/// Remembers verdicts.
pub fn save_verdicts(verdicts: &Verdicts) {
    store::set(VERDICTS, Some(&verdicts.to_json()));
}
