//! The same key as different bytes: what serializers make of one text.
//!
//! Deliberately not here: schemas. The Avro form is the one of a plain string under a given schema id.

use alloc::{format, string::String, vec::Vec};
use core::fmt;

/// A way to turn the text of a key into bytes.
///
/// ```
/// use partitioner::encoding::Encoding;
/// let java = partitioner::client("java").expect("java is in the catalogue");
/// let place = |encoding: Encoding| java.partition(encoding.encode("42").ok().as_deref(), 12);
/// assert_eq!(place(Encoding::Utf8), Some(4));
/// assert_eq!(place(Encoding::Int32), Some(0));
/// assert_eq!(place(Encoding::AvroString { schema_id: 1 }), Some(11));
/// assert_eq!(place(Encoding::AvroString { schema_id: 2 }), Some(6));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The text in UTF-8: `StringSerializer`.
    Utf8,
    /// A decimal number as 4 bytes, big-endian: `IntegerSerializer`.
    Int32,
    /// A decimal number as 8 bytes, big-endian: `LongSerializer`.
    Int64,
    /// The text is hex digits; spaces between bytes and a leading `0x` are allowed.
    Hex,
    /// The text is base64, standard or URL alphabet, with or without padding.
    Base64,
    /// A UUID as its 36 characters in lower case: `UUIDSerializer`.
    UuidText,
    /// A UUID as 16 bytes.
    UuidBytes,
    /// The text as a JSON string, in quotes.
    Json,
    /// The text in UTF-8 and a line feed, as `echo` leaves it.
    Utf8Line,
    /// The text in UTF-16, low byte first, without byte order mark.
    Utf16Le,
    /// Confluent's wire format: a zero byte, the schema id in 4 bytes, then an Avro string.
    AvroString {
        /// Id of the schema in the registry.
        schema_id: u32,
    },
}

/// Why a text has no bytes in an encoding. [`Display`](fmt::Display) gives a sentence that says what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncodingError {
    /// The text is not a whole decimal number.
    NotANumber {
        /// The text.
        text: String,
    },
    /// The number does not fit.
    OutOfRange {
        /// The text.
        text: String,
        /// Width of the number in bits: 32 or 64.
        bits: u8,
    },
    /// A character is not a hex digit.
    NotHex {
        /// The character.
        found: char,
        /// Its position, counted in characters from 0.
        position: usize,
    },
    /// Hex digits are left without a partner.
    OddHexDigits {
        /// How many digits there are.
        digits: usize,
    },
    /// A character is not in the base64 alphabets, or stands behind the padding.
    NotBase64 {
        /// The character.
        found: char,
        /// Its position, counted in characters from 0.
        position: usize,
    },
    /// The length cannot be base64, or its last character carries bits that belong to no byte.
    IncompleteBase64,
    /// The text is not a UUID.
    NotAUuid {
        /// The text.
        text: String,
    },
}

impl fmt::Display for EncodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotANumber { text } => write!(f, "Expected a whole decimal number such as 42, found {text:?}."),
            Self::OutOfRange { text, bits } => {
                write!(f, "{text} does not fit into {bits} bits; choose a smaller number or a wider integer.")
            }
            Self::NotHex { found, position } => {
                write!(f, "Expected a hex digit (0-9, a-f), found {found:?} at character {}.", position + 1)
            }
            Self::OddHexDigits { digits } => {
                write!(f, "Hex needs two digits a byte, found {digits}; add or remove a digit.")
            }
            Self::NotBase64 { found, position } => {
                write!(f, "Expected base64, found {found:?} at character {}.", position + 1)
            }
            Self::IncompleteBase64 => {
                f.write_str("The base64 text ends in the middle of a byte; check that it is whole.")
            }
            Self::NotAUuid { text } => {
                write!(f, "Expected a UUID such as 123e4567-e89b-12d3-a456-426614174000, found {text:?}.")
            }
        }
    }
}

impl core::error::Error for EncodingError {}

impl Encoding {
    /// Every encoding, with schema id 1 for the Avro form.
    pub const ALL: [Self; 11] = [
        Self::Utf8,
        Self::Int32,
        Self::Int64,
        Self::Hex,
        Self::Base64,
        Self::UuidText,
        Self::UuidBytes,
        Self::Json,
        Self::Utf8Line,
        Self::Utf16Le,
        Self::AvroString { schema_id: 1 },
    ];

    /// The ids that [`from_id`](Self::from_id) reads, in the order of [`ALL`](Self::ALL).
    pub const IDS: [&'static str; 11] =
        ["text", "int32", "int64", "hex", "base64", "uuid-text", "uuid", "json", "text-line", "utf16", "avro-1"];

    /// The encoding of an id, as scenarios and settings name it; `avro-` may be followed by any schema id.
    ///
    /// ```
    /// use partitioner::encoding::Encoding;
    /// assert_eq!(Encoding::from_id("int32"), Some(Encoding::Int32));
    /// assert_eq!(Encoding::from_id("avro-2"), Some(Encoding::AvroString { schema_id: 2 }));
    /// assert_eq!(Encoding::from_id("int31"), None);
    /// ```
    pub fn from_id(id: &str) -> Option<Self> {
        if let Some(schema_id) = id.strip_prefix("avro-") {
            return schema_id.parse().ok().map(|schema_id| Self::AvroString { schema_id });
        }
        let index = Self::IDS.iter().position(|known| *known == id)?;
        Self::ALL.get(index).copied()
    }

    /// The id that [`from_id`](Self::from_id) reads.
    pub fn id(self) -> String {
        match self {
            Self::AvroString { schema_id } => format!("avro-{schema_id}"),
            other => {
                let index = Self::ALL.iter().position(|known| *known == other);
                String::from(Self::IDS[index.expect("every other encoding is in the list")])
            }
        }
    }

    /// A short label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "text",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Hex => "hex",
            Self::Base64 => "base64",
            Self::UuidText => "UUID text",
            Self::UuidBytes => "UUID bytes",
            Self::Json => "JSON string",
            Self::Utf8Line => "text and newline",
            Self::Utf16Le => "UTF-16",
            Self::AvroString { .. } => "Avro string",
        }
    }

    /// The bytes of `text`.
    ///
    /// # Errors
    /// If `text` has no form in this encoding, for example `abc` as a number.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, EncodingError> {
        Ok(match self {
            Self::Utf8 => text.into(),
            Self::Int32 => i32::try_from(integer(text, 32)?).map_err(|_| out_of_range(text, 32))?.to_be_bytes().into(),
            Self::Int64 => i64::try_from(integer(text, 64)?).map_err(|_| out_of_range(text, 64))?.to_be_bytes().into(),
            Self::Hex => hex(text)?,
            Self::Base64 => base64(text)?,
            Self::UuidText => uuid_text(uuid(text)?).into_bytes(),
            Self::UuidBytes => uuid(text)?.into(),
            Self::Json => json_string(text).into_bytes(),
            Self::Utf8Line => [text.as_bytes(), b"\n"].concat(),
            Self::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::AvroString { schema_id } => {
                let mut bytes = [&[0], &schema_id.to_be_bytes()[..]].concat();
                put_avro_long(&mut bytes, text.len() as i64);
                bytes.extend_from_slice(text.as_bytes());
                bytes
            }
        })
    }
}

fn integer(text: &str, bits: u8) -> Result<i128, EncodingError> {
    let trimmed = text.trim();
    let digits = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(EncodingError::NotANumber { text: text.into() });
    }
    trimmed.parse().map_err(|_| out_of_range(trimmed, bits))
}

fn out_of_range(text: &str, bits: u8) -> EncodingError {
    EncodingError::OutOfRange { text: text.trim().into(), bits }
}

fn hex(text: &str) -> Result<Vec<u8>, EncodingError> {
    let skipped = text.len() - text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text).len();
    let mut digits = Vec::new();
    for (position, found) in text.chars().enumerate().skip(skipped) {
        match found.to_digit(16) {
            Some(digit) => digits.push(digit as u8),
            None if found.is_ascii_whitespace() => {}
            None => return Err(EncodingError::NotHex { found, position }),
        }
    }
    let (pairs, rest) = digits.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(EncodingError::OddHexDigits { digits: digits.len() });
    }
    Ok(pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

fn base64(text: &str) -> Result<Vec<u8>, EncodingError> {
    let text = text.trim();
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0u32, 0u32);
    for (position, found) in body.chars().enumerate() {
        let value = match found {
            'A'..='Z' => found as u32 - u32::from(b'A'),
            'a'..='z' => found as u32 - u32::from(b'a') + 26,
            '0'..='9' => found as u32 - u32::from(b'0') + 52,
            '+' | '-' => 62,
            '/' | '_' => 63,
            _ => return Err(EncodingError::NotBase64 { found, position }),
        };
        bits = (bits << 6 | value) & 0xffff;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    let padded_right = padding == 0 || padding < 3 && (body.len() + padding).is_multiple_of(4);
    if held == 6 || bits & ((1 << held) - 1) != 0 || !padded_right {
        return Err(EncodingError::IncompleteBase64);
    }
    Ok(bytes)
}

fn uuid(text: &str) -> Result<[u8; 16], EncodingError> {
    let error = || EncodingError::NotAUuid { text: text.into() };
    let groups: Vec<&str> = text.trim().split('-').collect();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    if lengths != [8, 4, 4, 4, 12] || !groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit())) {
        return Err(error());
    }
    hex(&groups.concat()).ok().and_then(|bytes| bytes.try_into().ok()).ok_or_else(error)
}

fn uuid_text(bytes: [u8; 16]) -> String {
    let mut text = String::new();
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text += &format!("{byte:02x}");
    }
    text
}

fn json_string(text: &str) -> String {
    let mut json = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => json += "\\\"",
            '\\' => json += "\\\\",
            '\n' => json += "\\n",
            '\r' => json += "\\r",
            '\t' => json += "\\t",
            '\u{8}' => json += "\\b",
            '\u{c}' => json += "\\f",
            control if control < ' ' => json += &format!("\\u{:04x}", control as u32),
            other => json.push(other),
        }
    }
    json.push('"');
    json
}

/// Avro's `long`: zigzag, then seven bits a byte, lowest first.
fn put_avro_long(bytes: &mut Vec<u8>, value: i64) {
    let mut rest = (value << 1 ^ value >> 63) as u64;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use super::{Encoding, EncodingError};
    use alloc::{format, string::String};

    #[track_caller]
    fn check(encoding: Encoding, text: &str, expected: &str) {
        let hex = encoding
            .encode(text)
            .map(|bytes| bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}")));
        assert_eq!(hex.as_deref().map_err(|error| format!("{error}")), Ok(expected), "{encoding:?} of {text:?}");
    }

    #[track_caller]
    fn check_error(encoding: Encoding, text: &str, expected: &str) {
        let error: EncodingError = encoding.encode(text).unwrap_err();
        assert_eq!(format!("{error}"), expected);
    }

    #[test]
    fn one_number_has_many_forms() {
        check(Encoding::Utf8, "42", "3432");
        check(Encoding::Int32, "42", "0000002a");
        check(Encoding::Int64, " -42 ", "ffffffffffffffd6");
        check(Encoding::Json, "42", "22343222");
        check(Encoding::Utf8Line, "42", "34320a");
        check(Encoding::Utf16Le, "42", "34003200");
        check(Encoding::AvroString { schema_id: 1 }, "42", "0000000001043432");
        check(Encoding::AvroString { schema_id: 100_001 }, "", "00000186a100");
    }

    #[test]
    fn every_encoding_is_found_by_its_id() {
        for (encoding, id) in Encoding::ALL.into_iter().zip(Encoding::IDS) {
            assert_eq!(encoding.id(), id);
            assert_eq!(Encoding::from_id(id), Some(encoding));
        }
        assert_eq!(Encoding::from_id("avro-"), None);
        assert_eq!(Encoding::from_id("avro--1"), None);
    }

    #[test]
    fn long_avro_strings_have_a_longer_length() {
        let bytes = Encoding::AvroString { schema_id: 1 }.encode(&"x".repeat(64)).unwrap();
        assert_eq!(bytes[5..7], [0x80, 0x01]);
        assert_eq!(bytes.len(), 5 + 2 + 64);
    }

    #[test]
    fn binary_notations_are_decoded() {
        check(Encoding::Hex, "0x00 2A ff", "002aff");
        check(Encoding::Hex, "", "");
        check(Encoding::Base64, "Zm9vYmE=", "666f6f6261");
        check(Encoding::Base64, "Zm9vYg", "666f6f62");
        check(Encoding::Base64, "-_8=", "fbff");
        check(Encoding::UuidBytes, "123E4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000");
        check(
            Encoding::UuidText,
            "123E4567-E89B-12D3-A456-426614174000",
            "31323365343536372d653839622d313264332d613435362d343236363134313734303030",
        );
    }

    #[test]
    fn json_escapes_what_json_must_escape() {
        check(Encoding::Json, "a\"\\\n\u{1}é", "22615c225c5c5c6e5c7530303031c3a922");
    }

    #[test]
    fn text_without_a_form_is_refused_with_a_sentence() {
        check_error(Encoding::Int32, "4x", "Expected a whole decimal number such as 42, found \"4x\".");
        check_error(Encoding::Int32, "", "Expected a whole decimal number such as 42, found \"\".");
        check_error(
            Encoding::Int32,
            "2147483648",
            "2147483648 does not fit into 32 bits; choose a smaller number or a wider integer.",
        );
        check_error(
            Encoding::Int64,
            &"9".repeat(60),
            &format!("{} does not fit into 64 bits; choose a smaller number or a wider integer.", "9".repeat(60)),
        );
        check_error(Encoding::Hex, "0x1g", "Expected a hex digit (0-9, a-f), found 'g' at character 4.");
        check_error(Encoding::Hex, "123", "Hex needs two digits a byte, found 3; add or remove a digit.");
        check_error(Encoding::Base64, "Zm9v!", "Expected base64, found '!' at character 5.");
        check_error(Encoding::Base64, "Zm9vY", "The base64 text ends in the middle of a byte; check that it is whole.");
        check_error(
            Encoding::Base64,
            "Zm9vYh",
            "The base64 text ends in the middle of a byte; check that it is whole.",
        );
        check_error(
            Encoding::Base64,
            "Zm9vYg=",
            "The base64 text ends in the middle of a byte; check that it is whole.",
        );
        check_error(
            Encoding::UuidBytes,
            "123e4567e89b12d3a456426614174000",
            "Expected a UUID such as 123e4567-e89b-12d3-a456-426614174000, found \"123e4567e89b12d3a456426614174000\".",
        );
    }
}
