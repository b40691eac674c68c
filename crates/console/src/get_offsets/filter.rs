//! Which partitions kafka-get-offsets.sh asks about.
//!
//! Follows `TopicPartitionFilter` and its parser of 4.3.1: same forms, same texts.

use crate::exception::Exception;
use crate::pattern::TopicPattern;
use crate::stop::Stop;

/// Rules, of which one has to allow a partition.
#[derive(Debug)]
pub(super) struct Filter {
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    topic: TopicPattern,
    partitions: Partitions,
}

#[derive(Debug, PartialEq, Eq)]
enum Partitions {
    /// These; none means all.
    Listed(Vec<i32>),
    /// From the first number up to below the second.
    Range(i32, i32),
}

impl Filter {
    /// One pattern and a list of partitions.
    pub(super) fn of_topic(topic: Option<&str>, partitions: &str) -> Result<Filter, Stop> {
        let numbers = match partitions {
            "" => Vec::new(),
            given => given.split(',').map(str::parse).collect::<Result<_, _>>().map_err(|_| {
                Stop::Terse(format!(
                    "--partitions expects a comma separated list of numeric partition ids, but received: {given}"
                ))
            })?,
        };
        let topic = pattern(topic.unwrap_or(".*"))?;
        Ok(Filter { rules: vec![Rule { topic, partitions: Partitions::Listed(numbers) }] })
    }

    /// `topic:partitions` with commas between: a number, `0-3`, `3-` or `-3`, each part optional.
    pub(super) fn of_rules(rules: &str) -> Result<Filter, Stop> {
        let rules = rules.trim_end_matches(',').split(',').map(rule).collect::<Result<_, _>>()?;
        Ok(Filter { rules })
    }

    /// Whether a rule allows the partition.
    pub(super) fn allows(&self, topic: &str, partition: u32) -> bool {
        let allows = |partitions: &Partitions| match partitions {
            Partitions::Listed(numbers) => numbers.is_empty() || numbers.contains(&(partition as i32)),
            Partitions::Range(from, below) => (*from..*below).contains(&(partition as i32)),
        };
        self.rules.iter().any(|rule| rule.topic.matches(topic) && allows(&rule.partitions))
    }
}

fn rule(text: &str) -> Result<Rule, Stop> {
    let invalid = || {
        let inner = Exception::of_tools("TerseException", format!("Invalid rule specification: {text}"));
        Stop::Failed(inner.inside("java.lang.RuntimeException"))
    };
    let (topic, partitions) = match text.split_once(':') {
        Some((topic, partitions)) => (topic, partitions),
        None => (text, "-"),
    };
    let number = |digits: &str, otherwise: i32| match digits {
        "" => Ok(otherwise),
        _ if digits.bytes().all(|digit| digit.is_ascii_digit()) => digits.parse().map_err(|_| {
            Stop::Failed(Exception::new("java.lang.NumberFormatException", format!("For input string: \"{digits}\"")))
        }),
        _ => Err(invalid()),
    };
    let partitions = match partitions.split_once('-') {
        Some((from, below)) => Partitions::Range(number(from, 0)?, number(below, i32::MAX)?),
        None if partitions.is_empty() => Partitions::Range(0, i32::MAX),
        None => Partitions::Listed(vec![number(partitions, 0)?]),
    };
    Ok(Rule { topic: pattern(if topic.is_empty() { ".*" } else { topic })?, partitions })
}

fn pattern(text: &str) -> Result<TopicPattern, Stop> {
    TopicPattern::new(text).map_err(|text| Stop::Failed(Exception::new("java.lang.RuntimeException", text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(filter: Result<Filter, Stop>, cases: &[(&str, u32, bool)]) {
        let filter = filter.expect("a good filter");
        for (topic, partition, is_allowed) in cases {
            assert_eq!(filter.allows(topic, *partition), *is_allowed, "{topic}-{partition}");
        }
    }

    #[test]
    fn rules_choose_topics_and_partitions() {
        check(Filter::of_topic(Some("a.*"), ""), &[("a", 9, true), ("ab", 0, true), ("b", 0, false)]);
        check(Filter::of_topic(None, "0,2"), &[("a", 0, true), ("a", 1, false), ("b", 2, true)]);
        check(
            Filter::of_rules("a:1,b:0-2,c:3-,d:-1,e,:7"),
            &[
                ("a", 1, true),
                ("a", 0, false),
                ("b", 1, true),
                ("b", 2, false),
                ("c", 3, true),
                ("c", 2, false),
                ("d", 0, true),
                ("d", 1, false),
                ("e", 5, true),
                ("z", 7, true),
                ("z", 6, false),
            ],
        );
    }

    #[test]
    fn rules_that_make_no_sense_are_refused() {
        assert!(Filter::of_rules("a:x").is_err());
        assert!(Filter::of_rules("a:1:2").is_err());
        assert!(Filter::of_topic(None, "0,x").is_err());
        assert!(Filter::of_topic(Some("a("), "").is_err());
    }
}
