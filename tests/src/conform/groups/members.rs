//! Ids of members with a random part, and what stands for them in a recording.
//!
//! A member is known by what comes before the random part: its `client.id` or `group.instance.id`. The numbers of the
//! stand-ins hold within one text: another text of the same recording may count anew.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The letters of a uuid.
const LENGTH: usize = 36;

/// What the recordings' uuids begin with.
const STAND_IN: &str = "00000000-0000-0000-0000-";

/// Ids of a run by what stands for them in a recorded text.
#[derive(Debug, Default)]
pub(super) struct Ids {
    /// Stand-ins that were not met yet, by what comes before them, in their order.
    free: BTreeMap<String, Vec<String>>,
    /// What stands for a random part.
    known: BTreeMap<String, String>,
}

impl Ids {
    /// The stand-ins of texts that belong together.
    pub fn of(texts: &[&str]) -> Ids {
        let mut ids = Ids::default();
        let mut met = Vec::new();
        for (name, uuid) in texts.iter().flat_map(|text| found(text)) {
            if !met.contains(&uuid) {
                met.push(uuid);
                ids.free.entry(name.to_owned()).or_default().push(uuid.to_owned());
            }
        }
        ids.free.values_mut().for_each(|list| list.reverse());
        ids
    }

    /// A text of a run with the recording's stand-ins.
    pub fn in_text(&mut self, text: &str) -> String {
        let mut renamed = text.to_owned();
        for (name, uuid) in found(text).into_iter().filter(|(_, uuid)| !uuid.starts_with(STAND_IN)) {
            if !self.known.contains_key(uuid) {
                let Some(stand_in) = self.free.get_mut(name).and_then(Vec::pop) else { continue };
                self.known.insert(uuid.to_owned(), stand_in);
            }
            renamed = renamed.replace(uuid, &self.known[uuid]);
        }
        renamed
    }

    /// The same for every text of a value.
    pub fn rename(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::from(self.in_text(text)),
            Value::Array(list) => list.iter().map(|value| self.rename(value)).collect(),
            Value::Object(map) => {
                map.iter().map(|(name, value)| (name.clone(), self.rename(value))).collect::<Map<_, _>>().into()
            }
            other => other.clone(),
        }
    }
}

/// Each uuid of a text with the name before it.
fn found(text: &str) -> Vec<(&str, &str)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at + LENGTH <= bytes.len() {
        if !is_uuid(&bytes[at..at + LENGTH]) {
            at += 1;
            continue;
        }
        let before = text[..at].trim_end_matches('-');
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
        let start = before.rfind(|letter| !is_part(letter)).map_or(0, |last| last + 1);
        found.push((before.get(start..).unwrap_or_default(), &text[at..at + LENGTH]));
        at += LENGTH;
    }
    found
}

fn is_uuid(bytes: &[u8]) -> bool {
    bytes.iter().enumerate().all(|(place, letter)| match place {
        8 | 13 | 18 | 23 => *letter == b'-',
        _ => letter.is_ascii_hexdigit(),
    })
}

/// Whether a text has an id with a stand-in.
pub(super) fn has_stand_in(text: &str) -> bool {
    found(text).iter().any(|(_, uuid)| uuid.starts_with(STAND_IN))
}

/// The first id with a stand-in in a text, with the name before it.
pub(super) fn first_id(text: &str) -> Option<(&str, &str)> {
    found(text).into_iter().find(|(_, uuid)| uuid.starts_with(STAND_IN))
}

#[cfg(test)]
mod tests {
    use super::Ids;

    #[test]
    fn a_member_is_known_by_its_name() {
        let recorded = ["B-00000000-0000-0000-0000-000000000001 /127.0.0.1", "A-00000000-0000-0000-0000-000000000002"];
        let mut ids = Ids::of(&recorded);
        let uuid = "01234567-89ab-cdef-0123-456789abcdef";
        assert_eq!(ids.in_text(&format!("x A-{uuid} y")), "x A-00000000-0000-0000-0000-000000000002 y");
        assert_eq!(ids.in_text(&format!("A-{uuid}")), "A-00000000-0000-0000-0000-000000000002");
        let other = "11234567-89ab-cdef-0123-456789abcdef";
        assert_eq!(ids.in_text(&format!("A-{other}")), format!("A-{other}"));
        assert_eq!(ids.in_text(&format!("B-{other}")), "B-00000000-0000-0000-0000-000000000001");
    }
}
