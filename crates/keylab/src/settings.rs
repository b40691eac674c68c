//! The lab's settings as the text of a link, and back. Keys travel only if the reader asks for it.
//!
//! Deliberately not here: the address of a page. The text starts behind its question mark.

use std::fmt::Write;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use partitioner::hash::crc32::crc32;
use thiserror::Error;

use crate::{Column, Format, Header, KeyEncoding, Keys, ParseOptions, export::write_field, limits};

/// What a link restores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Ids of clients; checked when a [`Plan`](crate::Plan) is made of them.
    pub clients: Vec<String>,
    /// Partition counts; checked likewise.
    pub counts: Vec<u32>,
    /// How to read the input.
    pub parse: ParseOptions,
    /// An input that travels in the link.
    pub input: Option<Vec<u8>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            clients: vec!["java".into(), "librdkafka".into()],
            counts: vec![6, 12],
            parse: ParseOptions::default(),
            input: None,
        }
    }
}

/// Why the text of a link is not settings.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkError {
    /// A later version of the lab made it.
    #[error(
        "the link is of version {version}; this page reads version 1: reload it, or open the link where it was made"
    )]
    NewerVersion {
        /// What the link says.
        version: String,
    },
    /// A field that does not exist.
    #[error("the link has a field \"{field}\" that the key lab does not know")]
    UnknownField {
        /// Its name.
        field: String,
    },
    /// A value that does not fit its field.
    #[error("the link says {field}={value}; expected {expected}")]
    BadValue {
        /// Name of the field.
        field: &'static str,
        /// What the link says.
        value: String,
        /// What it could say.
        expected: &'static str,
    },
    /// The keys were cut or changed.
    #[error("the keys in the link are incomplete or changed: copy the whole link")]
    BrokenKeys,
    /// Too many keys for a link.
    #[error("the keys take {bytes} bytes; a link carries at most {max}: share the file instead", max = limits::LINK_KEY_BYTES_MAX)]
    TooManyKeys {
        /// Their bytes as text.
        bytes: usize,
    },
}

impl Settings {
    /// The same settings with the keys as input, in a form that reads back to the same keys and weights.
    ///
    /// # Errors
    /// [`LinkError::TooManyKeys`] if a link cannot carry them.
    pub fn carrying(&self, keys: &Keys) -> Result<Self, LinkError> {
        let weighted = (0..keys.len()).any(|key| keys.weight(key) != 1);
        let mut text = Vec::new();
        for key in 0..keys.len() {
            write_field(&self.parse.encoding.show(keys.key(key)), &mut text);
            if weighted {
                text.push(b',');
                text.extend_from_slice(keys.weight(key).to_string().as_bytes());
            }
            text.push(b'\n');
            if text.len() > limits::LINK_KEY_BYTES_MAX {
                return Err(LinkError::TooManyKeys { bytes: keys.byte_count().max(text.len()) });
            }
        }
        let parse = ParseOptions {
            format: Format::Comma,
            header: Header::Absent,
            encoding: self.parse.encoding,
            key_column: Column::Number(1),
            count_column: weighted.then_some(Column::Number(2)),
            blank_lines_are_keys: false,
        };
        Ok(Self { parse, input: Some(text), ..self.clone() })
    }

    /// The text of a link. What is as by default is left out.
    ///
    /// ```
    /// use keylab::Settings;
    /// let settings = Settings::from_link("v=1&clients=java,sarama&counts=12&encoding=hex")?;
    /// assert_eq!(settings.to_link(), "v=1&clients=java,sarama&counts=12&encoding=hex");
    /// # Ok::<(), keylab::LinkError>(())
    /// ```
    pub fn to_link(&self) -> String {
        let counts: Vec<_> = self.counts.iter().map(u32::to_string).collect();
        let clients: Vec<_> = self.clients.iter().map(|id| escape(id)).collect();
        let mut text = format!("v=1&clients={}&counts={}", clients.join(","), counts.join(","));
        let (parse, default) = (&self.parse, ParseOptions::default());
        let mut field = |name: &str, value: String, is_default: bool| {
            if !is_default {
                write!(text, "&{name}={value}").expect("writing into memory succeeds");
            }
        };
        field("format", parse.format.name().into(), parse.format == default.format);
        field(
            "header",
            if parse.header == Header::Present { "yes" } else { "no" }.into(),
            parse.header == default.header,
        );
        field("encoding", parse.encoding.name().into(), parse.encoding == default.encoding);
        field("key", column_text(Some(&parse.key_column)), parse.key_column == default.key_column);
        field("count", column_text(parse.count_column.as_ref()), parse.count_column == default.count_column);
        field("blank", "key".into(), !parse.blank_lines_are_keys);
        if let Some(input) = &self.input {
            field("keys", keys_to_link(input), false);
        }
        text
    }

    /// Reads the text of a link.
    ///
    /// # Errors
    /// If it is not one that this version wrote, or could have.
    pub fn from_link(text: &str) -> Result<Self, LinkError> {
        let mut settings = Self::default();
        for part in text.split('&').filter(|part| !part.is_empty()) {
            let (field, value) = part.split_once('=').unwrap_or((part, ""));
            settings.set(field, value)?;
        }
        Ok(settings)
    }

    fn set(&mut self, field: &str, value: &str) -> Result<(), LinkError> {
        let bad = |field, expected| LinkError::BadValue { field, value: shortened(value), expected };
        let parse = &mut self.parse;
        match field {
            "v" if value == "1" => {}
            "v" => {
                return Err(LinkError::NewerVersion { version: shortened(value) });
            }
            "clients" => {
                let ids: Option<Vec<_>> = value.split(',').map(unescape).collect();
                self.clients = ids.ok_or_else(|| bad("clients", "ids of clients, separated by commas"))?;
            }
            "counts" => {
                let counts: Result<Vec<_>, _> = value.split(',').map(str::parse).collect();
                self.counts = counts.map_err(|_| bad("counts", "numbers separated by commas"))?;
            }
            "format" => {
                parse.format =
                    Format::by_name(value).ok_or_else(|| bad("format", "auto, lines, comma, semicolon or tab"))?;
            }
            "header" => {
                parse.header = match value {
                    "auto" => Header::Auto,
                    "yes" => Header::Present,
                    "no" => Header::Absent,
                    _ => return Err(bad("header", "auto, yes or no")),
                };
            }
            "encoding" => {
                parse.encoding = KeyEncoding::by_name(value)
                    .ok_or_else(|| bad("encoding", "text, hex, base64, int32, int64 or uuid"))?;
            }
            "key" => {
                parse.key_column = column(value)
                    .flatten()
                    .ok_or_else(|| bad("key", "auto, a column's number from 1, or name: and its name"))?;
            }
            "count" => {
                parse.count_column = column(value)
                    .ok_or_else(|| bad("count", "auto, none, a column's number from 1, or name: and its name"))?;
            }
            "blank" if value == "key" => parse.blank_lines_are_keys = true,
            "blank" => return Err(bad("blank", "key")),
            "keys" => self.input = Some(keys_from_link(value)?),
            _ => {
                return Err(LinkError::UnknownField { field: shortened(field) });
            }
        }
        Ok(())
    }
}

/// An input as a field of a link: a checksum, then URL-safe base64.
pub fn keys_to_link(input: &[u8]) -> String {
    format!("{:08x}{}", crc32(input), URL_SAFE_NO_PAD.encode(input))
}

/// The input in a field of a link.
///
/// # Errors
/// [`LinkError::BrokenKeys`] if it was cut or changed, [`LinkError::TooManyKeys`] if it is too long.
pub fn keys_from_link(text: &str) -> Result<Vec<u8>, LinkError> {
    let (sum, body) = text.split_at_checked(8).ok_or(LinkError::BrokenKeys)?;
    if body.len() / 4 * 3 > limits::LINK_KEY_BYTES_MAX * 2 {
        return Err(LinkError::TooManyKeys { bytes: body.len() / 4 * 3 });
    }
    let input = URL_SAFE_NO_PAD.decode(body).map_err(|_| LinkError::BrokenKeys)?;
    let sum = u32::from_str_radix(sum, 16).map_err(|_| LinkError::BrokenKeys)?;
    if sum == crc32(&input) { Ok(input) } else { Err(LinkError::BrokenKeys) }
}

fn column_text(column: Option<&Column>) -> String {
    match column {
        None => "none".into(),
        Some(Column::Auto) => "auto".into(),
        Some(Column::Number(number)) => number.to_string(),
        Some(Column::Name(name)) => format!("name:{}", escape(name)),
    }
}

/// A column, or `None` for no column; an outer `None` if the text is neither.
fn column(text: &str) -> Option<Option<Column>> {
    match text {
        "none" => Some(None),
        "auto" => Some(Some(Column::Auto)),
        _ => match text.strip_prefix("name:") {
            Some(name) => unescape(name).map(|name| Some(Column::Name(name))),
            None => text.parse().ok().filter(|number| *number >= 1).map(|number| Some(Column::Number(number))),
        },
    }
}

fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => escaped.push(char::from(byte)),
            _ => write!(escaped, "%{byte:02X}").expect("writing into memory succeeds"),
        }
    }
    escaped
}

fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        rest = others;
        match (first, rest) {
            (b'%', [high, low, others @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                bytes.push((digit(high)? << 4 | digit(low)?) as u8);
                rest = others;
            }
            (b'%', _) => return None,
            (byte, _) => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).ok()
}

fn shortened(text: &str) -> String {
    const CHARACTERS: usize = 40;
    let mut short: String = text.chars().take(CHARACTERS).collect();
    if short.len() < text.len() {
        short.push('\u{2026}');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::Settings;
    use crate::{Column, Format, Header, KeyEncoding, Keys, LinkError, ParseOptions, Parsed, Parser};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let result = Settings::from_link(text).map(|settings| settings.to_link());
        assert_eq!(result.unwrap_or_else(|error| error.to_string()), expected);
    }

    fn read(input: &[u8], parse: ParseOptions) -> Parsed {
        let mut parser = Parser::new(parse);
        parser.feed(input).unwrap();
        parser.finish().unwrap()
    }

    #[test]
    fn every_setting_survives_the_link() {
        let settings = Settings {
            clients: vec!["java".into(), "kafka-go".into()],
            counts: vec![3, 50],
            parse: ParseOptions {
                format: Format::Semicolon,
                header: Header::Present,
                encoding: KeyEncoding::Base64,
                key_column: Column::Name("user & \u{e9}=1%".into()),
                count_column: None,
                blank_lines_are_keys: true,
            },
            input: Some("a\n\u{e9}".into()),
        };
        assert_eq!(Settings::from_link(&settings.to_link()), Ok(settings));
        assert_eq!(Settings::from_link(""), Ok(Settings::default()));
        check("clients=java&key=2&count=auto", "v=1&clients=java&counts=6,12&key=2");
    }

    #[test]
    fn a_link_that_cannot_be_read_says_why() {
        check(
            "v=2",
            "the link is of version 2; this page reads version 1: reload it, or open the link where it was made",
        );
        check("client=java", "the link has a field \"client\" that the key lab does not know");
        check("counts=6,x", "the link says counts=6,x; expected numbers separated by commas");
        check("key=none", "the link says key=none; expected auto, a column's number from 1, or name: and its name");
        check("count=0", "the link says count=0; expected auto, none, a column's number from 1, or name: and its name");
        check("clients=a%f", "the link says clients=a%f; expected ids of clients, separated by commas");
        check("keys=12", "the keys in the link are incomplete or changed: copy the whole link");
        let whole = Settings { input: Some(b"user-1\n".to_vec()), ..Settings::default() }.to_link();
        check(&whole[..whole.len() - 1], "the keys in the link are incomplete or changed: copy the whole link");
    }

    #[test]
    fn carried_keys_read_back_as_the_same_keys() {
        let cases: [(&[u8], KeyEncoding); 4] = [
            (b"user-1\nuser-2\n", KeyEncoding::Text),
            (b"key,count\n\"a,\"\"b\",3\n\"\",1\n\" x\ny\",2\n", KeyEncoding::Text),
            (b"00ff\n\"\"\n", KeyEncoding::Hex),
            (b"-5\n42\n42\n", KeyEncoding::Int32),
        ];
        let same = |one: &Keys, other: &Keys| {
            one.len() == other.len()
                && (0..one.len()).all(|key| one.key(key) == other.key(key) && one.weight(key) == other.weight(key))
        };
        for (input, encoding) in cases {
            let parse = ParseOptions { encoding, ..ParseOptions::default() };
            let keys = read(input, parse.clone()).keys;
            let sent = Settings { parse, ..Settings::default() }.carrying(&keys).unwrap();
            let received = Settings::from_link(&sent.to_link()).unwrap();
            let again = read(received.input.as_deref().unwrap(), received.parse);
            assert!(same(&keys, &again.keys), "{:?}", String::from_utf8_lossy(input));
        }
    }

    #[test]
    fn too_many_keys_are_not_put_into_a_link() {
        let text: String = (0..1_000).map(|number| format!("user-{number}\n")).collect();
        let keys = read(text.as_bytes(), ParseOptions::default()).keys;
        let result = Settings::default().carrying(&keys);
        assert!(matches!(result, Err(LinkError::TooManyKeys { .. })), "{result:?}");
    }

    #[test]
    fn a_thousand_mutations_give_settings_or_an_error() {
        let seed = Settings { input: Some(b"user-1\nuser-2\n".to_vec()), ..Settings::default() }.to_link()
            + "&format=tab&key=name:a%20b&count=none&header=no";
        let mut state = 11_u32;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        let mut errors = 0;
        for _ in 0..1_000 {
            let mut text: Vec<char> = seed.chars().collect();
            for _ in 0..=random(3) {
                let at = random(text.len());
                match random(3) {
                    0 => text[at] = ['%', '&', '=', ',', '\u{e9}', '0'][random(6)],
                    1 => drop(text.remove(at)),
                    _ => text.truncate(at.max(1)),
                }
            }
            match Settings::from_link(&text.iter().collect::<String>()) {
                Ok(settings) => assert_eq!(Settings::from_link(&settings.to_link()), Ok(settings)),
                Err(error) => {
                    errors += 1;
                    assert!(!error.to_string().is_empty());
                }
            }
        }
        assert!(errors > 100, "{errors}");
    }
}
