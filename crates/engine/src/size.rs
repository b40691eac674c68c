//! Sizes in bytes, written with a unit in scenarios.
//!
//! Only whole bytes are counted; nothing here measures anything.

use std::fmt;

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};

/// Bytes. Serialized as text with a unit ("16 KiB").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

const UNITS: [(u64, &str); 9] = [
    (1 << 40, "TiB"),
    (1 << 30, "GiB"),
    (1 << 20, "MiB"),
    (1 << 10, "KiB"),
    (1_000_000_000_000, "TB"),
    (1_000_000_000, "GB"),
    (1_000_000, "MB"),
    (1_000, "KB"),
    (1, "B"),
];

impl Bytes {
    /// Reads "16 KiB", "100 MB" or "500 B".
    ///
    /// ```
    /// use engine::size::Bytes;
    ///
    /// assert_eq!(Bytes::parse("16 KiB"), Ok(Bytes(16_384)));
    /// assert_eq!(Bytes::parse("50 MB").map(|bytes| bytes.to_string()), Ok("50 MB".to_string()));
    /// ```
    pub fn parse(text: &str) -> Result<Bytes, String> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let scale = UNITS.iter().find(|(_, name)| *name == unit.trim()).map(|(scale, _)| *scale);
        let bytes = number.parse::<u64>().ok().zip(scale).and_then(|(number, scale)| number.checked_mul(scale));
        bytes.map(Bytes).ok_or_else(|| {
            format!(
                "\"{text}\" is not a size; write a whole number and B, KB, KiB, MB, MiB, GB, GiB, TB or TiB, such as \
                 \"16 KiB\""
            )
        })
    }
}

impl fmt::Display for Bytes {
    /// The largest unit that keeps a whole number, binary ones first.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = UNITS.iter().filter(|(scale, _)| self.0 >= *scale && self.0.is_multiple_of(*scale));
        match whole.min_by_key(|(scale, _)| self.0 / scale) {
            Some((scale, unit)) => write!(out, "{} {unit}", self.0 / scale),
            None => write!(out, "0 B"),
        }
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        let text = String::deserialize(deserializer)?;
        Bytes::parse(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, bytes: Option<u64>) {
        assert_eq!(Bytes::parse(text).ok().map(|size| size.0), bytes, "{text}");
    }

    #[test]
    fn sizes_are_read_with_their_unit() {
        check("0 B", Some(0));
        check("1MiB", Some(1_048_576));
        check(" 500 GB ", Some(500_000_000_000));
        check("500", None);
        check("1.5 MB", None);
        check("99999999999999999999 B", None);
        check("99999999 TiB", None);
    }

    #[test]
    fn sizes_print_in_the_largest_whole_unit() {
        for text in ["16 KiB", "50 MB", "1 GiB", "1040 B", "0 B", "500 GB"] {
            assert_eq!(Bytes::parse(text).map(|size| size.to_string()), Ok(text.to_string()));
        }
    }
}
