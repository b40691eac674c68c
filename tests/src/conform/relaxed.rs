//! `relaxed.json`: the cases in which Kafka itself gave two answers, and how to treat them.
//!
//! Deliberately not here: the comparison of shapes. A family that has such cases does that.

use std::{collections::BTreeMap, path::Path};

use serde_json::Value;

/// How a case is treated that Kafka itself does not always answer in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Run it, show the difference, count it neither way; the text is the reason.
    Report(String),
    /// Compare how many members own how many partitions, not who owns which.
    Shape,
}

/// The rules of the nearest `relaxed.json`.
#[derive(Debug, Default)]
pub(super) struct Relaxed(BTreeMap<String, Mode>);

impl Relaxed {
    /// Looks upward from the folder of `path`; no rules if there is no such file.
    ///
    /// # Errors
    /// If the file is there and cannot be understood.
    pub(super) fn above(path: &Path) -> Result<Self, String> {
        let absolute = std::path::absolute(path).map_err(|error| format!("its folder is unknown: {error}"))?;
        let candidates = absolute.ancestors().skip(1).map(|folder| folder.join("relaxed.json"));
        let Some(file) = candidates.into_iter().find(|file| file.is_file()) else {
            return Ok(Self::default());
        };
        let broken = |reason: String| format!("{} is broken: {reason}", file.display());
        let text = std::fs::read_to_string(&file).map_err(|error| broken(error.to_string()))?;
        Self::parse(&text).map_err(broken)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let rules: BTreeMap<String, Value> = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mode = |(case, rule): (String, Value)| {
            let reason = rule["reason"].as_str().unwrap_or("no reason given");
            match rule["mode"].as_str() {
                Some("report") => Ok((case, Mode::Report(reason.into()))),
                Some("shape") => Ok((case, Mode::Shape)),
                _ => Err(format!("{case} needs the mode report or shape")),
            }
        };
        Ok(Self(rules.into_iter().map(mode).collect::<Result<_, String>>()?))
    }

    pub(super) fn mode(&self, family: &str, id: &str) -> Option<&Mode> {
        self.0.get(&format!("{family}/{id}"))
    }
}

#[cfg(test)]
mod tests {
    use super::{Mode, Relaxed};

    #[test]
    fn a_rule_names_family_and_case() {
        let rules = r#"{"share/assignment":{"mode":"shape","reason":"r"},"topics/x":{"mode":"report","reason":"r"}}"#;
        let relaxed = Relaxed::parse(rules).unwrap();
        assert_eq!(relaxed.mode("share", "assignment"), Some(&Mode::Shape));
        assert_eq!(relaxed.mode("topics", "x"), Some(&Mode::Report("r".into())));
        assert_eq!(relaxed.mode("topics", "assignment"), None);
    }

    #[test]
    fn an_unknown_mode_is_refused() {
        let error = Relaxed::parse(r#"{"topics/x":{"mode":"skip"}}"#).unwrap_err();
        assert_eq!(error, "topics/x needs the mode report or shape");
    }
}
