//! The tools' topic pattern: a regular expression that has to match the whole name.
//!
//! Follows `TopicFilter.IncludeList` of 4.3.1. Simplified: look-around, back references and the other
//! features of Java's expressions that need backtracking are not read.

use regex_lite::Regex;

/// Names that hold Kafka's own data.
const INTERNAL: [&str; 3] = ["__consumer_offsets", "__transaction_state", "__share_group_state"];

/// Which topics a `--topic` argument means.
#[derive(Debug)]
pub(crate) struct TopicPattern {
    whole: Regex,
}

impl TopicPattern {
    /// Reads a pattern; commas separate alternatives, blanks do not count. The error is Kafka's text.
    pub(crate) fn new(given: &str) -> Result<TopicPattern, String> {
        let quotes: &[char] = &['"', '\''];
        let pattern = given.trim().replace(',', "|").replace(' ', "");
        let pattern = pattern.trim_start_matches(quotes).trim_end_matches(quotes);
        // The parts have to be good by themselves: "a)(b" must not become one by the added group.
        let whole = Regex::new(pattern).and_then(|_| Regex::new(&format!("^(?:{pattern})$")));
        whole.map(|whole| TopicPattern { whole }).map_err(|_| format!("{pattern} is an invalid regex."))
    }

    /// Whether the whole name matches.
    pub(crate) fn matches(&self, topic: &str) -> bool {
        self.whole.is_match(topic)
    }
}

/// Whether the topic is one of Kafka's own.
pub(crate) fn is_internal(topic: &str) -> bool {
    INTERNAL.contains(&topic)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, topics: &[(&str, bool)]) {
        let read = TopicPattern::new(pattern).expect(pattern);
        for (topic, is_meant) in topics {
            assert_eq!(read.matches(topic), *is_meant, "{pattern} {topic}");
        }
    }

    #[test]
    fn a_pattern_matches_the_whole_name() {
        check("orders", &[("orders", true), ("orders-eu", false), ("old-orders", false)]);
        check("orders.*", &[("orders", true), ("orders-eu", true), ("zz", false)]);
        check("orders|zz", &[("orders", true), ("zz", true), ("orderszz", false)]);
        check("payments.cdc", &[("payments.cdc", true), ("payments-cdc", true)]);
        check("orders, zz", &[("orders", true), ("zz", true)]);
        check("'d[123]'", &[("d1", true), ("d4", false)]);
        check("", &[("orders", false)]);
    }

    #[test]
    fn a_pattern_that_is_no_expression_is_refused_in_kafka_words() {
        for pattern in ["*", "a(", "a)(b", "[a"] {
            let text = TopicPattern::new(pattern).map(|_| ()).unwrap_err();
            assert_eq!(text, format!("{pattern} is an invalid regex."));
        }
    }
}
