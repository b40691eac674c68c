//! `a=1,b=[2,3]`: settings in one argument, where brackets keep commas together.
//!
//! Follows `ConfigCommand.parseConfigsToBeAdded` of 4.3.1.

use std::collections::BTreeMap;

use crate::exception::Exception;
use crate::stop::Stop;

/// The settings of `--add-config`.
pub(super) fn added(text: &str) -> Result<BTreeMap<String, String>, Stop> {
    let mut pairs = BTreeMap::new();
    // As Java splits: empty parts at the end do not count.
    let mut parts = split(text, ',');
    while parts.len() > 1 && parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    for part in parts {
        let halves = split(part, '=');
        let [name, value] = halves[..] else {
            let text = "requirement failed: Invalid entity config: all configs to be added must be in the format \"key=val\" or  \"key=[val1,val2]\" to group values which contain commas.";
            return Err(Stop::Failed(Exception::of_argument(text)));
        };
        let value = value.replace(['[', ']'], "");
        pairs.insert(name.trim().to_string(), value.trim().to_string());
    }
    Ok(pairs)
}

/// Splits where no bracket is open.
fn split(text: &str, separator: char) -> Vec<&str> {
    let is_outside = |at: usize| match text[at..].find(['[', ']']) {
        Some(next) => text[at + next..].starts_with('['),
        None => true,
    };
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, found) in text.match_indices(separator) {
        if is_outside(at) {
            parts.push(&text[start..at]);
            start = at + found.len();
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Names consist of letters, digits, dots, underscores and dashes.
pub(super) fn check_names<'a>(mut names: impl Iterator<Item = &'a String>) -> Result<(), Stop> {
    let is_good = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    match names.find(|name| !name.chars().all(is_good)) {
        Some(name) => {
            Err(Stop::Failed(Exception::of_argument(format!("Invalid character found for config key: {name}"))))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&[(&str, &str)]>) {
        let found = added(text).ok().map(|pairs| pairs.into_iter().collect::<Vec<_>>());
        let expected = expected
            .map(|pairs| pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect::<Vec<_>>());
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn brackets_keep_commas_together() {
        check("retention.ms=5,min.insync.replicas = 2", Some(&[("min.insync.replicas", "2"), ("retention.ms", "5")]));
        check("cleanup.policy=[compact,delete]", Some(&[("cleanup.policy", "compact,delete")]));
        check("a=[x=1,y=2],b=3", Some(&[("a", "x=1,y=2"), ("b", "3")]));
        check("a=", Some(&[("a", "")]));
        check("a=1,", Some(&[("a", "1")]));
        check("a", None);
        check("a=1=2", None);
    }

    #[test]
    fn names_have_no_other_characters() {
        assert!(check_names([&"a.b_c-1".to_string()].into_iter()).is_ok());
        assert!(check_names([&"a b".to_string()].into_iter()).is_err());
    }
}
