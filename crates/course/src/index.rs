//! The list of lessons: groups, titles and their order.
//!
//! Deliberately not here: the lessons; a page loads one when it is opened.

use engine::InputError;
use serde::{Deserialize, Serialize};

/// `lessons/index.json`: every lesson of the course in its order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// The groups, in order.
    pub groups: Vec<Group>,
}

/// A group of lessons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Kebab-case name.
    pub slug: String,
    /// Its heading.
    pub title: String,
    /// Its lessons, in order.
    pub lessons: Vec<IndexEntry>,
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexEntry {
    /// Kebab-case name.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// Names of the scenarios that its acts run on, the first act's first; empty if it is not built.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scenarios: Vec<String>,
    /// Whether the lesson is still to come. It has no page then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub later: bool,
}

impl Index {
    /// Reads `lessons/index.json`.
    pub fn from_json(text: &str) -> Result<Index, InputError> {
        crate::scenario_file::json_text(text, "index.invalid")
    }

    /// The lessons that are built, in order, with their group.
    pub fn built(&self) -> impl Iterator<Item = (&Group, &IndexEntry)> {
        self.groups
            .iter()
            .flat_map(|group| group.lessons.iter().map(move |lesson| (group, lesson)))
            .filter(|(_, lesson)| !lesson.later)
    }

    /// The built lessons before and after one.
    pub fn neighbors(&self, slug: &str) -> (Option<&IndexEntry>, Option<&IndexEntry>) {
        let built: Vec<&IndexEntry> = self.built().map(|(_, lesson)| lesson).collect();
        let Some(place) = built.iter().position(|lesson| lesson.slug == slug) else {
            return (None, None);
        };
        let previous = place.checked_sub(1).and_then(|place| built.get(place).copied());
        (previous, built.get(place + 1).copied())
    }
}
