//! Text into types: TOML or JSON, with errors that name the line and the field.
//!
//! Deliberately not here: what is read. Scenarios, lessons, links and commands all come through these functions.

use engine::InputError;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::de::DeTable;

use crate::tree::Path;
use crate::{suggest, traced, tree};

/// Why a text cannot be read as a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What was wrong, in the deserializer's words, such as ``missing field `name` ``.
    pub message: String,
    /// The field, such as `topic[0].partitions`; empty if it is the whole, or if the text is not TOML or JSON.
    pub path: String,
    /// The line in the text, from 1.
    pub line: Option<usize>,
}

/// Reads JSON into a value.
///
/// ```
/// let refused = course::read::json::<Vec<u8>>("[1,\n 256]").expect_err("256 is too large");
/// assert_eq!((refused.path.as_str(), refused.line), ("[1]", Some(2)));
/// assert_eq!(refused.input_error("numbers.invalid").path, "line 2, [1]");
/// ```
pub fn json<T: DeserializeOwned>(text: &str) -> Result<T, Refused> {
    let tree = json_tree(text)?;
    traced::read(&tree).map_err(|(message, path)| {
        let line = tree::line_at(text, tree::byte_in_json(text, &path));
        Refused::new(message, &path, Some(line))
    })
}

/// Reads TOML into a value.
pub fn toml<T: DeserializeOwned>(text: &str) -> Result<T, Refused> {
    let (tree, table) = toml_tree(text)?;
    traced::read(&tree).map_err(|(message, path)| {
        let line = tree::line_at(text, tree::byte_in_toml(&table, &path));
        Refused::new(message, &path, Some(line))
    })
}

/// Reads a tree, which has no lines.
pub(crate) fn value<T: DeserializeOwned>(tree: &Value) -> Result<T, Refused> {
    traced::read(tree).map_err(|(message, path)| Refused::new(message, &path, None))
}

fn json_tree(text: &str) -> Result<Value, Refused> {
    tree::of_json(text).map_err(|error| {
        let words = error.to_string();
        let message = words.rsplit_once(" at line ").map_or(words.as_str(), |(message, _)| message);
        Refused::new(message.to_string(), &Path::default(), Some(error.line()).filter(|line| *line > 0))
    })
}

fn toml_tree(text: &str) -> Result<(Value, toml::Spanned<DeTable<'_>>), Refused> {
    let refused = |message: String, byte: Option<usize>| {
        Refused::new(message, &Path::default(), byte.map(|byte| tree::line_at(text, byte)))
    };
    let table = DeTable::parse(text)
        .map_err(|error| refused(error.message().to_string(), error.span().map(|span| span.start)))?;
    let tree = tree::of_toml(table.get_ref()).map_err(|(message, byte)| refused(message, Some(byte)))?;
    Ok((Value::Object(tree), table))
}

impl Refused {
    fn new(message: String, path: &Path<'_>, line: Option<usize>) -> Refused {
        Refused { message, path: path.to_string(), line }
    }

    /// The same in our words, where a field or a value is not allowed. An unknown field has a code of its own,
    /// `scenario.unknown_field`.
    pub fn input_error(&self, code: &'static str) -> InputError {
        let names: Vec<&str> = self.message.split('`').skip(1).step_by(2).collect();
        let message = self.message.as_str();
        let error = match names.as_slice() {
            [given, allowed @ ..] if message.starts_with("unknown field") => {
                let hint = suggest::hint(given, allowed.iter().copied());
                InputError::new("scenario.unknown_field", format!("\"{given}\" is not a field here.")).hint(hint)
            }
            [given, allowed @ ..] if message.starts_with("unknown variant") => {
                let hint = suggest::hint(given, allowed.iter().copied());
                InputError::new(code, format!("\"{given}\" is not one of the allowed words.")).hint(hint)
            }
            [given, ..] if message.starts_with("missing field") => {
                InputError::new(code, format!("The field \"{given}\" is missing."))
            }
            _ => InputError::new(code, sentence(message)),
        };
        error.at(self.place())
    }

    fn place(&self) -> String {
        match self.line {
            Some(line) if self.path.is_empty() => format!("line {line}"),
            Some(line) => format!("line {line}, {}", self.path),
            None => self.path.clone(),
        }
    }
}

fn sentence(message: &str) -> String {
    let line = message.trim().replace('\n', "; ");
    let mut letters = line.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let end = if line.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}
