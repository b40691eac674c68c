//! A typed line as a record: headers, key and value, separated as the reader's properties say.
//!
//! Follows `LineMessageReader` of 4.3.1: same defaults, same texts. Simplified: `headers.separator` is a
//! plain text here, not a regular expression, and a header with a null value has an empty one.

use std::collections::BTreeMap;

use crate::exception::Exception;

/// How lines are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reader {
    parses_key: bool,
    key_separator: String,
    parses_headers: bool,
    headers_delimiter: String,
    headers_separator: String,
    headers_key_separator: String,
    ignores_errors: bool,
    null_marker: Option<String>,
}

/// What a line holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) headers: Vec<(String, String)>,
    pub(super) key: Option<String>,
    pub(super) value: Option<String>,
}

impl Reader {
    /// Reads the properties; those that the reader does not know are nothing to it.
    pub(super) fn new(properties: &BTreeMap<String, String>) -> Result<Reader, Exception> {
        let is_true = |name: &str| properties.get(name).is_some_and(|text| text.trim().eq_ignore_ascii_case("true"));
        let text = |name: &str, default: &str| properties.get(name).cloned().unwrap_or_else(|| default.to_string());
        let reader = Reader {
            parses_key: is_true("parse.key"),
            key_separator: text("key.separator", "\t"),
            parses_headers: is_true("parse.headers"),
            headers_delimiter: text("headers.delimiter", "\t"),
            headers_separator: text("headers.separator", ","),
            headers_key_separator: text("headers.key.separator", ":"),
            ignores_errors: is_true("ignore.error"),
            null_marker: properties.get("null.marker").cloned(),
        };
        reader.check()?;
        Ok(reader)
    }

    fn check(&self) -> Result<(), Exception> {
        let named = [
            ("headers.delimiter", &self.headers_delimiter),
            ("headers.separator", &self.headers_separator),
            ("headers.key.separator", &self.headers_key_separator),
        ];
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            if named[one].1 == named[other].1 {
                return Err(failed(format!("{} and {} may not be equal", named[one].0, named[other].0)));
            }
        }
        let marked = [
            ("key.separator", &self.key_separator),
            ("headers.separator", &self.headers_separator),
            ("headers.delimiter", &self.headers_delimiter),
            ("headers.key.separator", &self.headers_key_separator),
        ];
        match marked.iter().find(|(_, text)| self.null_marker.as_ref() == Some(text)) {
            Some((name, _)) => Err(failed(format!("null.marker and {name} may not be equal"))),
            None => Ok(()),
        }
    }

    /// Reads a line; `number` counts from 1.
    pub(super) fn line(&self, number: u32, text: &str) -> Result<Line, Exception> {
        let cut = |enabled: bool, rest: &mut &str, end: &str, name: &str| {
            if !enabled {
                return Ok(None);
            }
            match rest.split_once(end) {
                Some((before, after)) => {
                    *rest = after;
                    Ok(Some(before.to_string()))
                }
                None if self.ignores_errors => Ok(None),
                None => Err(failed(format!("No {name} found on line number {number}: '{text}'"))),
            }
        };
        let mut rest = text;
        let headers = cut(self.parses_headers, &mut rest, &self.headers_delimiter, "headers delimiter")?;
        let key = cut(self.parses_key, &mut rest, &self.key_separator, "key separator")?;
        let headers = match headers.filter(|headers| !self.is_null(headers)) {
            Some(headers) => self.headers(number, &headers)?,
            None => Vec::new(),
        };
        let not_null = |text: &String| !self.is_null(text);
        Ok(Line { headers, key: key.filter(not_null), value: Some(rest.to_string()).filter(not_null) })
    }

    fn is_null(&self, text: &str) -> bool {
        self.null_marker.as_deref() == Some(text)
    }

    fn headers(&self, number: u32, text: &str) -> Result<Vec<(String, String)>, Exception> {
        let pairs = text.trim_end_matches(self.headers_separator.as_str()).split(&self.headers_separator);
        let pair = |pair: &str| match pair.split_once(&self.headers_key_separator) {
            Some((name, _)) if self.is_null(name) => Err(failed(format!(
                "Header keys should not be equal to the null marker '{name}' as they can't be null"
            ))),
            Some((name, value)) => {
                let value = if self.is_null(value) { "" } else { value };
                Ok((name.to_string(), value.to_string()))
            }
            None if self.ignores_errors => Ok((pair.to_string(), String::new())),
            None => Err(failed(format!("No header key separator found in pair '{pair}' on line number {number}"))),
        };
        pairs.map(pair).collect()
    }
}

fn failed(text: String) -> Exception {
    Exception::new("org.apache.kafka.common.KafkaException", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(properties: &[(&str, &str)]) -> Result<Reader, Exception> {
        Reader::new(&properties.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect())
    }

    fn check(properties: &[(&str, &str)], text: &str, expected: Result<(&str, Option<&str>, Option<&str>), &str>) {
        let line = reader(properties).and_then(|reader| reader.line(1, text));
        let found = line.map(|line| {
            let headers: Vec<String> = line.headers.iter().map(|(name, value)| format!("{name}={value}")).collect();
            (headers.join(" "), line.key, line.value)
        });
        let expected = expected
            .map(|(headers, key, value)| (headers.to_string(), key.map(str::to_string), value.map(str::to_string)));
        assert_eq!(found.map_err(|error| error.text().to_string()), expected.map_err(str::to_string), "{text}");
    }

    #[test]
    fn a_line_is_cut_at_its_separators() {
        let key = [("parse.key", "true"), ("key.separator", ":")];
        check(&[], "a:b", Ok(("", None, Some("a:b"))));
        check(&key, "a:b:c", Ok(("", Some("a"), Some("b:c"))));
        check(&key, ":b", Ok(("", Some(""), Some("b"))));
        check(&key, "ab", Err("No key separator found on line number 1: 'ab'"));
        check(&[("parse.key", "TRUE")], "a\tb", Ok(("", Some("a"), Some("b"))));
        let headers = [("parse.headers", "true"), ("parse.key", "true")];
        check(&headers, "h1:v1,h2:v2\tk\tv", Ok(("h1=v1 h2=v2", Some("k"), Some("v"))));
        check(&headers, "h1\tk\tv", Err("No header key separator found in pair 'h1' on line number 1"));
        let ignoring = [("parse.key", "true"), ("ignore.error", "true")];
        check(&ignoring, "ab", Ok(("", None, Some("ab"))));
        let null = [("parse.key", "true"), ("key.separator", ":"), ("null.marker", "NULL")];
        check(&null, "a:NULL", Ok(("", Some("a"), None)));
        check(&null, "NULL:b", Ok(("", None, Some("b"))));
    }

    #[test]
    fn separators_have_to_differ() {
        check(&[("headers.delimiter", ",")], "a", Err("headers.delimiter and headers.separator may not be equal"));
        check(&[("null.marker", "\t")], "a", Err("null.marker and key.separator may not be equal"));
    }
}
