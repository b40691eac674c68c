//! Decimal numbers out of attributes and styles.
//!
//! The standard library reads every number to the last bit, with 14 KB of tables. This does not; the numbers here have
//! a handful of digits and are rounded afterwards.

/// The number that a text is, such as `12.4`, `-.5` or `1e3`; nothing for infinity and what is no number.
pub fn decimal(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (number, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let digits = whole.chars().chain(fraction.chars());
    let digits = digits.map(|digit| digit.to_digit(10).map(f64::from)).collect::<Option<Vec<_>>>()?;
    let value = digits.into_iter().fold(0.0, |value, digit| value * 10.0 + digit);
    let places = exponent.saturating_sub(i32::try_from(fraction.len()).ok()?);
    // Powers of ten are exact, their inverses are not.
    let power = 10_f64.powi(places.saturating_abs());
    let value = if places < 0 { value / power } else { value * power };
    value.is_finite().then_some(if text.starts_with('-') { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::decimal;

    fn check(text: &str) {
        let expected = text.parse::<f64>().ok().filter(|number| number.is_finite());
        assert_eq!(decimal(text), expected, "{text}");
    }

    #[test]
    fn numbers_of_everyday_size_are_what_the_standard_library_reads() {
        for text in ["0", "12.4", "-0.1", "+7", ".5", "5.", "1e3", "1E-3", "2.5e+2", "0.005", "123456.789", "100"] {
            check(text);
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", ".", "-", "e3", "1e", "1e+-3", "1.2.3", "0x10", " 1", "1 ", "inf", "NaN", "1e999", "--1", "١"]
        {
            check(text);
        }
    }
}
