//! Which topic names are legal, and which collide.
//!
//! Follows `Topic.validate` and `ReplicationControlManager` of Kafka 4.3.1; says nothing about
//! partitions or configurations.

use crate::error::KafkaError;

/// Kafka's own topics.
pub(crate) const INTERNAL_TOPICS: [&str; 3] = [CONSUMER_OFFSETS, SHARE_GROUP_STATE, TRANSACTION_STATE];
/// Committed offsets of groups.
pub(crate) const CONSUMER_OFFSETS: &str = "__consumer_offsets";
/// States of share partitions.
pub(crate) const SHARE_GROUP_STATE: &str = "__share_group_state";
/// States of transactional ids.
pub(crate) const TRANSACTION_STATE: &str = "__transaction_state";

const NAME_LENGTH_MAX: usize = 249;

/// Kafka's refusal of an illegal name.
pub(crate) fn check_name(name: &str) -> Result<(), KafkaError> {
    match illegal(name) {
        Some(reason) => Err(invalid(format!("Topic name is invalid: {reason}"))),
        None => Ok(()),
    }
}

/// What is wrong with a name of a topic, or with another name under the same rule (`Topic.validate`).
pub(crate) fn illegal(name: &str) -> Option<String> {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    Some(match name {
        "" => "the empty string is not allowed".to_string(),
        "." => "'.' is not allowed".to_string(),
        ".." => "'..' is not allowed".to_string(),
        _ if name.encode_utf16().count() > NAME_LENGTH_MAX => {
            format!("the length of '{name}' is longer than the max allowed length {NAME_LENGTH_MAX}")
        }
        _ if !name.chars().all(legal) => {
            format!("'{name}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'")
        }
        _ => return None,
    })
}

/// Kafka's refusal of a name that differs from an existing one only in `.` and `_`.
pub(crate) fn check_collision<'a>(name: &str, mut existing: impl Iterator<Item = &'a str>) -> Result<(), KafkaError> {
    if !name.contains(['.', '_']) {
        return Ok(());
    }
    let unified = |name: &str| name.replace('.', "_");
    match existing.find(|other| *other != name && unified(other) == unified(name)) {
        Some(other) => Err(invalid(format!("Topic '{name}' collides with existing topic: {other}"))),
        None => Ok(()),
    }
}

fn invalid(message: String) -> KafkaError {
    KafkaError::new("INVALID_TOPIC_EXCEPTION", "InvalidTopicException", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expected: Option<&str>) {
        let refused = check_name(name).err().map(|error| error.message);
        let expected = expected.map(|text| format!("Topic name is invalid: {text}"));
        assert_eq!(refused, expected, "{name}");
    }

    #[test]
    fn names_are_refused_in_kafkas_words() {
        check("orders.v2_x-1", None);
        check("", Some("the empty string is not allowed"));
        check(".", Some("'.' is not allowed"));
        check("..", Some("'..' is not allowed"));
        check("a b", Some("'a b' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"));
        let long = "x".repeat(250);
        check(&long, Some(&format!("the length of '{long}' is longer than the max allowed length 249")));
    }

    #[test]
    fn dots_and_underscores_collide() {
        assert!(check_collision("a_b", ["a.b"].into_iter()).is_err());
        assert!(check_collision("ab", ["a.b"].into_iter()).is_ok());
    }
}
