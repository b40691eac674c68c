//! Kafka's terms in a sentence or two each.
//!
//! Deliberately not here: where a term is used; prose links to it with `glossary:<slug>`.

use engine::InputError;
use serde::{Deserialize, Serialize};

/// `glossary.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Glossary {
    /// The terms, in alphabetical order.
    #[serde(rename = "term")]
    pub terms: Vec<Term>,
}

/// One term.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// Kebab-case name, the target of links.
    pub slug: String,
    /// As it is written.
    pub term: String,
    /// What it means.
    pub meaning: String,
}

impl Glossary {
    /// Reads `glossary.toml`.
    pub fn from_toml(text: &str) -> Result<Glossary, InputError> {
        crate::scenario_file::toml_text(text, "glossary.invalid")
    }

    /// The term with that slug.
    pub fn term(&self, slug: &str) -> Option<&Term> {
        self.terms.iter().find(|term| term.slug == slug)
    }
}
