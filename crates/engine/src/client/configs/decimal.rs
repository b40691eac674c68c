//! Decimal numbers as text, compared exactly: a digit string and a scale.
//!
//! No floating point, so the same text means the same everywhere. Infinity and NaN are not read.

/// A number with up to [`PLACES`] decimals, in units of its last place; further ones are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Decimal(i128);

const PLACES: usize = 9;
const ONE: i128 = 1_000_000_000;

impl Decimal {
    /// The number that `text` begins with, and how many bytes of it were read.
    pub(super) fn prefix(text: &str) -> Option<(Decimal, usize)> {
        let start = text.len() - text.trim_start().len();
        let unsigned = text[start..].strip_prefix(['-', '+']);
        let is_negative = text[start..].starts_with('-');
        let digits = unsigned.unwrap_or(&text[start..]);
        let whole_length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let fraction = digits[whole_length..].strip_prefix('.').unwrap_or("");
        let fraction_length = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if whole_length + fraction_length == 0 {
            return None;
        }
        let has_point = digits[whole_length..].starts_with('.');
        let whole: i128 = match digits[..whole_length].parse() {
            Ok(whole) => whole,
            Err(_) if whole_length == 0 => 0,
            Err(_) => i128::MAX / ONE - 1,
        };
        let mut scaled = whole.min(i128::MAX / ONE - 1) * ONE;
        let mut place = ONE;
        for digit in fraction.bytes().take(fraction_length.min(PLACES)) {
            place /= 10;
            scaled += i128::from(digit - b'0') * place;
        }
        let read = whole_length + usize::from(has_point) + fraction_length;
        let (exponent, exponent_length) = exponent(&digits[read..]);
        for _ in 0..exponent.unsigned_abs() {
            scaled = if exponent < 0 { scaled / 10 } else { scaled.saturating_mul(10) };
        }
        let number = Decimal(if is_negative { -scaled } else { scaled });
        Some((number, text.len() - digits.len() + read + exponent_length))
    }

    /// The number that the whole of `text` is.
    pub(super) fn parse(text: &str) -> Option<Decimal> {
        Decimal::prefix(text).filter(|(_, read)| *read == text.len()).map(|(number, _)| number)
    }

    /// Microseconds, if the number is one of milliseconds.
    pub(super) fn micros_of_millis(self) -> i64 {
        i64::try_from(self.0 / (ONE / 1_000)).unwrap_or(i64::MAX)
    }

    /// Billionths, if the number is not negative and not huge.
    pub(super) fn billionths(self) -> Option<u64> {
        u64::try_from(self.0).ok()
    }

    /// As Java's `Double.toString` prints numbers from 0.001 to below 10 million: `2.0`, `0.25`.
    /// Simplified: Java prints others with an exponent.
    pub(super) fn java_text(self) -> String {
        let text = self.shortest();
        if text.contains('.') { text } else { format!("{text}.0") }
    }

    /// Without needless zeros, as C's `%g` prints it for numbers of everyday size: `-1`, `0.5`.
    pub(super) fn shortest(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, fraction) = (self.0.abs() / ONE, self.0.abs() % ONE);
        let fraction = format!("{fraction:0PLACES$}");
        match fraction.trim_end_matches('0') {
            "" => format!("{sign}{whole}"),
            digits => format!("{sign}{whole}.{digits}"),
        }
    }
}

/// The power of ten that `text` begins with, at most 400 either way, and how many bytes of it were read.
fn exponent(text: &str) -> (i32, usize) {
    let Some(signed) = text.strip_prefix(['e', 'E']) else {
        return (0, 0);
    };
    let digits = signed.strip_prefix(['-', '+']).unwrap_or(signed);
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    if length == 0 {
        return (0, 0);
    }
    let size = digits[..length].parse().unwrap_or(i32::MAX).min(400);
    let exponent = if signed.starts_with('-') { -size } else { size };
    (exponent, text.len() - digits.len() + length)
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    fn check(text: &str, java: &str, c: &str) {
        let number = Decimal::parse(text).expect(text);
        assert_eq!((number.java_text().as_str(), number.shortest().as_str()), (java, c), "{text}");
    }

    #[test]
    fn decimals_print_as_java_and_c_do() {
        for (text, java, c) in [
            ("2", "2.0", "2"),
            ("-1", "-1.0", "-1"),
            ("0.50", "0.5", "0.5"),
            (".25", "0.25", "0.25"),
            ("900000", "900000.0", "900000"),
            ("25e-2", "0.25", "0.25"),
            ("1.5E3", "1500.0", "1500"),
        ] {
            check(text, java, c);
        }
    }

    #[test]
    fn text_that_is_no_number_is_not_read() {
        for text in ["", "-", ".", "abc", "1x", "1e", "--1"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_of_any_length_are_compared_without_overflow() {
        let huge = Decimal::parse(&"9".repeat(400)).expect("digits only");
        assert!(huge > Decimal::parse("900000").expect("a number"));
        assert_eq!(huge.micros_of_millis(), i64::MAX);
    }
}
