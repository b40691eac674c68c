//! A record as a line, with the columns that were asked for.
//!
//! Follows `DefaultMessageFormatter` of 4.3.1: same order, same defaults. Simplified: deserializer classes
//! are not loaded; keys and values print as text.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::event::Record;

use crate::place::unix_millis;

/// A record that was read.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) partition: u32,
    pub(super) offset: u64,
    /// Its timestamp, in milliseconds after the start of the run.
    pub(super) time: i64,
    /// Whether the broker stamped it.
    pub(super) is_append_time: bool,
    pub(super) content: Content,
}

/// What is known of a record.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// Everything.
    Known(Rc<Record>),
    /// Nothing but its share of the batch's size: it was there at the start of the run.
    Unknown(u64),
}

impl Content {
    fn record(&self) -> Option<&Record> {
        match self {
            Content::Known(record) => Some(record),
            Content::Unknown(_) => None,
        }
    }
}

/// Which columns a line has, and what is between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Formatter {
    prints_timestamp: bool,
    prints_partition: bool,
    prints_offset: bool,
    prints_delivery: bool,
    prints_headers: bool,
    prints_key: bool,
    prints_value: bool,
    key_separator: String,
    line_separator: String,
    headers_separator: String,
    null_literal: String,
}

impl Formatter {
    /// Reads the properties; those that the formatter does not know are nothing to it.
    pub(super) fn new(properties: &BTreeMap<String, String>) -> Formatter {
        let is_true = |name: &str, default: bool| {
            properties.get(name).map_or(default, |text| text.trim().eq_ignore_ascii_case("true"))
        };
        let text = |name: &str, default: &str| properties.get(name).cloned().unwrap_or_else(|| default.to_string());
        Formatter {
            prints_timestamp: is_true("print.timestamp", false),
            prints_partition: is_true("print.partition", false),
            prints_offset: is_true("print.offset", false),
            prints_delivery: is_true("print.delivery", false),
            prints_headers: is_true("print.headers", false),
            prints_key: is_true("print.key", false),
            prints_value: is_true("print.value", true),
            key_separator: text("key.separator", "\t"),
            line_separator: text("line.separator", "\n"),
            headers_separator: text("headers.separator", ","),
            null_literal: text("null.literal", "null"),
        }
    }

    /// The columns of a message, the separator of lines included.
    pub(super) fn line(&self, message: &Message) -> String {
        let mut columns: Vec<String> = Vec::new();
        if self.prints_timestamp {
            let kind = if message.is_append_time { "LogAppendTime" } else { "CreateTime" };
            columns.push(format!("{kind}:{}", unix_millis(message.time)));
        }
        if self.prints_partition {
            columns.push(format!("Partition:{}", message.partition));
        }
        if self.prints_offset {
            columns.push(format!("Offset:{}", message.offset));
        }
        if self.prints_delivery {
            columns.push("Delivery:NONE".to_string());
        }
        if self.prints_headers {
            columns.push(self.headers(message));
        }
        if self.prints_key {
            let key = message.content.record().and_then(|record| record.key_text.as_deref());
            columns.push(key.unwrap_or(&self.null_literal).to_string());
        }
        if self.prints_value {
            columns.push(match &message.content {
                Content::Known(record) => record.value.as_deref().unwrap_or(&self.null_literal).to_string(),
                Content::Unknown(size_bytes) => format!("{size_bytes} bytes"),
            });
        }
        if columns.is_empty() { String::new() } else { columns.join(&self.key_separator) + &self.line_separator }
    }

    fn headers(&self, message: &Message) -> String {
        let headers = message.content.record().and_then(|record| record.headers.as_deref()).unwrap_or_default();
        if headers.is_empty() {
            return "NO_HEADERS".to_string();
        }
        let headers: Vec<String> = headers.iter().map(|(name, value)| format!("{name}:{value}")).collect();
        headers.join(&self.headers_separator)
    }
}

#[cfg(test)]
mod tests {
    use engine::event::RecordId;

    use super::*;

    fn check(properties: &str, expected: &str) {
        let pairs = properties.split_whitespace().filter_map(|pair| pair.split_once('='));
        let properties = pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let record = Record {
            id: RecordId { producer: 0, number: 0 },
            producer: "p".into(),
            key: Some(Rc::from(&b"k"[..])),
            key_text: Some("k".into()),
            value: None,
            value_size: 0,
            timestamp: engine::Time::ZERO,
            create_time: 7,
            headers: Some(Rc::from([("h".into(), "1".into()), ("i".into(), "2".into())])),
            command: None,
            internal: None,
        };
        let content = Content::Known(Rc::new(record));
        let message = Message { partition: 2, offset: 9, time: 7, is_append_time: false, content };
        assert_eq!(Formatter::new(&properties).line(&message), expected);
    }

    #[test]
    fn columns_come_in_kafkas_order() {
        check("", "null\n");
        check("print.key=true key.separator=: null.literal=-", "k:-\n");
        check("print.timestamp=TRUE print.value=false", "CreateTime:1767225600007\n");
        check(
            "print.key=true print.offset=true print.partition=true print.headers=true print.timestamp=true",
            "CreateTime:1767225600007\tPartition:2\tOffset:9\th:1,i:2\tk\tnull\n",
        );
        check("print.value=false", "");
    }
}
