//! Lessons, settings, scenario files and share links as data: what a page reads, and the code that checks it.
//!
//! Reading order: [`lesson`], [`settings`], [`condition`], [`predict`], [`link`], [`scenario_file`].
//! The feature `check` adds the acceptance checks of lessons; without it their tables are read over.
//! Deliberately not here: anything that loads files, draws or keeps time. Callers pass text in and get values.

#[cfg(feature = "check")]
pub mod check;
pub mod condition;
pub mod glossary;
pub mod index;
pub mod lesson;
pub mod link;
pub mod markdown;
pub mod predict;
pub mod probe;
pub mod read;
pub mod scenario_file;
pub mod settings;
pub mod sizing;
mod stage;
pub mod suggest;
mod traced;
mod tree;

pub use condition::{Condition, Observation, Progress};
pub use glossary::Glossary;
pub use index::{Index, IndexEntry};
pub use lesson::{Act, Choice, CodeLanguage, Control, Lesson, Offer, Panel, Step};
pub use link::{LinkError, LinkScenario, Shared};
pub use markdown::html;
pub use predict::{Answer, Form, Prediction, Question};
pub use scenario_file::{scenario_from_text, scenario_to_toml};
pub use settings::{KeyKind, Protocol, Settings, Side};
pub use stage::{Planned, StageRun};
