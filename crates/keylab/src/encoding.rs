//! How a key is written in a file, and which bytes that means.
//!
//! Deliberately not here: serializers of records. The lab reads what people have in files and consoles.

use std::fmt::{self, Write};

use base64::{Engine, engine::general_purpose::STANDARD};
use partitioner::encoding::Encoding;
use thiserror::Error;

/// The notation of the keys in an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyEncoding {
    /// UTF-8 text: the bytes are the text itself, white space included.
    #[default]
    Text,
    /// Two hexadecimal digits a byte, with or without `0x`.
    Hex,
    /// Base64, standard or URL-safe alphabet, padded or not.
    Base64,
    /// A decimal number as 4 bytes, big-endian: Kafka's `IntegerSerializer`.
    Int32,
    /// A decimal number as 8 bytes, big-endian: Kafka's `LongSerializer`.
    Int64,
    /// A UUID as its 16 bytes. Kafka's `UUIDSerializer` writes the text instead: choose text for that.
    Uuid,
}

/// Why a piece of text is not a key in the chosen notation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// A byte sequence that is not UTF-8.
    #[error("Expected UTF-8, found byte {byte:#04x} at position {position}; save the file as UTF-8.")]
    NotUtf8 {
        /// 1-based position in the field, in bytes.
        position: usize,
        /// The first byte that does not fit.
        byte: u8,
    },
    /// The text does not follow the notation; the sentence says what was expected.
    #[error("{0}")]
    Notation(String),
}

impl KeyEncoding {
    /// Every notation with its name in links and its words for a menu.
    pub const ALL: [(Self, &'static str, &'static str); 6] = [
        (Self::Text, "text", "Text (UTF-8)"),
        (Self::Hex, "hex", "Hex"),
        (Self::Base64, "base64", "Base64"),
        (Self::Int32, "int32", "Integer, 4 bytes"),
        (Self::Int64, "int64", "Integer, 8 bytes"),
        (Self::Uuid, "uuid", "UUID, 16 bytes"),
    ];

    /// The name in links.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The notation with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|entry| entry.1 == name).map(|entry| entry.0)
    }

    /// Appends the bytes that `field` means to `out`. White space around every notation but text is ignored.
    ///
    /// # Errors
    /// If `field` is not a key in this notation; `out` is then unchanged.
    ///
    /// ```
    /// let mut bytes = Vec::new();
    /// keylab::KeyEncoding::Int32.decode(b"42", &mut bytes)?;
    /// assert_eq!(bytes, [0, 0, 0, 42]);
    /// # Ok::<(), keylab::KeyError>(())
    /// ```
    pub fn decode(self, field: &[u8], out: &mut Vec<u8>) -> Result<(), KeyError> {
        let text = std::str::from_utf8(field).map_err(|error| {
            let position = error.valid_up_to();
            KeyError::NotUtf8 { position: position + 1, byte: field[position] }
        })?;
        let encoding = match self {
            Self::Text => {
                out.extend_from_slice(field);
                return Ok(());
            }
            Self::Hex => Encoding::Hex,
            Self::Base64 => Encoding::Base64,
            Self::Int32 => Encoding::Int32,
            Self::Int64 => Encoding::Int64,
            Self::Uuid => Encoding::UuidBytes,
        };
        let bytes = encoding.encode(text.trim()).map_err(|error| KeyError::Notation(shortened(error.to_string())))?;
        out.extend_from_slice(&bytes);
        Ok(())
    }

    /// The key as this notation writes it. Bytes that it cannot write are shown in hex with `0x` in front.
    pub fn show(self, key: &[u8]) -> String {
        match self {
            Self::Text => std::str::from_utf8(key).map_or_else(|_| prefixed_hex(key), str::to_owned),
            Self::Hex => hex(key).to_string(),
            Self::Base64 => STANDARD.encode(key),
            Self::Int32 => key.try_into().map_or_else(|_| prefixed_hex(key), |b| i32::from_be_bytes(b).to_string()),
            Self::Int64 => key.try_into().map_or_else(|_| prefixed_hex(key), |b| i64::from_be_bytes(b).to_string()),
            Self::Uuid if key.len() == 16 => {
                let digits = hex(key).to_string();
                let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
                parts.join("-")
            }
            Self::Uuid => prefixed_hex(key),
        }
    }
}

/// A sentence may quote what was found, which may be long.
fn shortened(sentence: String) -> String {
    const CHARACTERS: usize = 200;
    match sentence.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}\u{2026}", &sentence[..end]),
        None => sentence,
    }
}

/// Bytes that display as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> impl fmt::Display + '_ {
    struct Hex<'a>(&'a [u8]);
    impl fmt::Display for Hex<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            for byte in self.0 {
                f.write_char(char::from(DIGITS[usize::from(byte >> 4)]))?;
                f.write_char(char::from(DIGITS[usize::from(byte & 15)]))?;
            }
            Ok(())
        }
    }
    Hex(bytes)
}

fn prefixed_hex(key: &[u8]) -> String {
    format!("0x{}", hex(key))
}

#[cfg(test)]
mod tests {
    use super::KeyEncoding;

    #[track_caller]
    fn check(encoding: KeyEncoding, field: &[u8], expected: &[u8]) {
        let mut bytes = Vec::new();
        assert_eq!(encoding.decode(field, &mut bytes), Ok(()), "{encoding:?} {:?}", String::from_utf8_lossy(field));
        assert_eq!(bytes, expected, "{encoding:?} {:?}", String::from_utf8_lossy(field));
    }

    #[track_caller]
    fn check_error(encoding: KeyEncoding, field: &[u8], expected: &str) {
        let mut bytes = Vec::new();
        let error = encoding.decode(field, &mut bytes).unwrap_err();
        assert_eq!((error.to_string().as_str(), bytes.len()), (expected, 0));
    }

    #[test]
    fn each_notation_means_its_bytes() {
        use KeyEncoding::{Base64, Hex, Int32, Int64, Text, Uuid};
        check(Text, " user-1 ".as_bytes(), b" user-1 ");
        check(Text, "\u{e9}".as_bytes(), &[0xc3, 0xa9]);
        check(Hex, b"0x00fF", &[0, 255]);
        check(Hex, b"", &[]);
        check(Base64, b"dXNlci0x", b"user-1");
        check(Base64, b"-_8", &[0xfb, 0xff]);
        check(Base64, b"+/8=", &[0xfb, 0xff]);
        check(Int32, b" 42 ", &[0, 0, 0, 42]);
        check(Int32, b"-1", &[255; 4]);
        check(Int64, b"42", &[0, 0, 0, 0, 0, 0, 0, 42]);
        check(Uuid, b"00112233-4455-6677-8899-AABBCCDDEEFF", &UUID);
    }

    #[test]
    fn what_does_not_fit_says_what_was_expected() {
        use KeyEncoding::{Hex, Int32, Text};
        check_error(Text, b"caf\xe9", "Expected UTF-8, found byte 0xe9 at position 4; save the file as UTF-8.");
        check_error(Hex, b" zz", "Expected a hex digit (0-9, a-f), found 'z' at character 1.");
        check_error(Hex, b"abc", "Hex needs two digits a byte, found 3; add or remove a digit.");
        check_error(Int32, b"", "Expected a whole decimal number such as 42, found \"\".");
        let long = "9".repeat(5_000);
        let mut bytes = Vec::new();
        let error = Int32.decode(long.as_bytes(), &mut bytes).unwrap_err();
        assert_eq!(error.to_string().chars().count(), 201);
    }

    #[test]
    fn what_is_shown_reads_back_as_the_same_bytes() {
        let keys: [(KeyEncoding, &[u8]); 6] = [
            (KeyEncoding::Text, "na\u{ef}ve".as_bytes()),
            (KeyEncoding::Hex, &[0, 1, 0xfe]),
            (KeyEncoding::Base64, &[0xfb, 0xff]),
            (KeyEncoding::Int32, &[0x80, 0, 0, 0]),
            (KeyEncoding::Int64, &[255; 8]),
            (KeyEncoding::Uuid, &UUID),
        ];
        for (encoding, key) in keys {
            check(encoding, encoding.show(key).as_bytes(), key);
            assert_eq!(KeyEncoding::by_name(encoding.name()), Some(encoding));
        }
        assert_eq!(KeyEncoding::Int32.show(b"user-1"), "0x757365722d31");
    }

    const UUID: [u8; 16] =
        [0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff];
}
