//! Points in time for a reset: `--to-datetime` and `--by-duration`.
//!
//! Follows `Utils.getDateTime` and `java.time.Duration.parse` as far as a reset needs them.

use crate::exception::Exception;

const DAY: i64 = 86_400_000;

/// Unix milliseconds of a time such as `2026-01-01T00:00:00.000`, in UTC unless it has a zone.
pub(crate) fn datetime(text: &str) -> Result<i64, Exception> {
    let failed = |text: String| Exception::new("java.text.ParseException", text).inside("java.lang.RuntimeException");
    let Some((date, time)) = text.split_once('T').filter(|(_, time)| !time.is_empty()) else {
        let text = "Error parsing timestamp. It does not contain a 'T' according to ISO8601 format";
        return Err(failed(text.to_string()));
    };
    let has_zone = time.contains(['+', '-', 'Z']);
    let shown = if has_zone { text.to_string() } else { format!("{text}Z") };
    let unparseable = || failed(format!("Unparseable date: \"{shown}\""));
    let zone_at = time.find(['+', '-', 'Z']).unwrap_or(time.len());
    let offset = zone(&time[zone_at..]).ok_or_else(unparseable)?;
    let day = day(date).ok_or_else(unparseable)?;
    let of_day = of_day(&time[..zone_at]).ok_or_else(unparseable)?;
    Ok(day * DAY + of_day - offset)
}

fn zone(text: &str) -> Option<i64> {
    if text.is_empty() || text == "Z" {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits = text[1..].replace(':', "");
    let (hours, minutes) = match digits.len() {
        2 => (number(&digits)?, 0),
        4 => (number(&digits[..2])?, number(&digits[2..])?),
        _ => return None,
    };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60_000)
}

fn number(text: &str) -> Option<i64> {
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_digits { text.parse().ok() } else { None }
}

/// Days since 1970 of `yyyy-MM-dd`.
fn day(text: &str) -> Option<i64> {
    let mut parts = text.split('-').map(number);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let february = if is_leap { 29 } else { 28 };
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let index = usize::try_from(month - 1).ok()?;
    let is_good = parts.next().is_none() && (1..=9_999).contains(&year) && (1..=*lengths.get(index)?).contains(&day);
    let before = year - 1;
    let leaps = before / 4 - before / 100 + before / 400;
    // 719 162 days lie between the first day of year 1 and 1970.
    is_good.then(|| before * 365 + leaps + lengths[..index].iter().sum::<i64>() + day - 1 - 719_162)
}

/// Milliseconds of `HH:mm:ss.SSS`.
fn of_day(text: &str) -> Option<i64> {
    let (clock, millis) = text.split_once('.')?;
    let mut parts = clock.split(':').map(number);
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    let millis = number(millis)?;
    let is_good = parts.next().is_none() && hours < 24 && minutes < 60 && seconds < 60 && millis < 1_000;
    is_good.then_some(((hours * 60 + minutes) * 60 + seconds) * 1_000 + millis)
}

/// Milliseconds of a duration such as `P1DT2H`, `PT1.5S` or `-PT10M`.
pub(super) fn duration(text: &str) -> Result<i64, Exception> {
    let failed = || Exception::new("java.time.format.DateTimeParseException", "Text cannot be parsed to a Duration");
    parse(text).ok_or_else(failed)
}

fn parse(text: &str) -> Option<i64> {
    let upper = text.to_ascii_uppercase();
    let (sign, rest) = match upper.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, upper.strip_prefix('+').unwrap_or(&upper)),
    };
    let rest = rest.strip_prefix('P')?;
    let (days, clock) = match rest.split_once('T') {
        Some((days, clock)) if !clock.is_empty() => (days, clock),
        Some(_) => return None,
        None => (rest, ""),
    };
    if days.is_empty() && clock.is_empty() {
        return None;
    }
    let mut total = 0_i64;
    if !days.is_empty() {
        total = days.strip_suffix('D')?.parse::<i64>().ok()?.checked_mul(DAY)?;
    }
    let mut rest = clock;
    for (unit, millis) in [('H', 3_600_000), ('M', 60_000), ('S', 1_000)] {
        let Some((count, after)) = rest.split_once(unit) else { continue };
        let (whole, part) = match count.split_once('.') {
            Some((whole, part)) if unit == 'S' && part.len() <= 9 && part.bytes().all(|byte| byte.is_ascii_digit()) => {
                (whole, format!("{part:0<3}")[..3].parse::<i64>().ok()?)
            }
            Some(_) => return None,
            None => (count, 0),
        };
        let part = if whole.starts_with('-') { -part } else { part };
        total = total.checked_add(whole.parse::<i64>().ok()?.checked_mul(millis)?)?.checked_add(part)?;
        rest = after;
    }
    rest.is_empty().then_some(sign * total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_their_zone() {
        for (text, expected) in [
            ("1970-01-01T00:00:00.000", 0),
            ("2026-01-01T00:00:00.000", 1_767_225_600_000),
            ("2026-01-01T00:00:00.000Z", 1_767_225_600_000),
            ("2026-01-01T01:00:00.000+01:00", 1_767_225_600_000),
            ("2025-12-31T22:30:00.000-0130", 1_767_225_600_000),
            ("2024-02-29T12:34:56.789", 1_709_210_096_789),
            ("2100-01-01T00:00:00.000", 4_102_444_800_000),
        ] {
            assert_eq!(datetime(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn other_times_are_refused_in_the_words_of_java() {
        let no_t = "Error parsing timestamp. It does not contain a 'T' according to ISO8601 format";
        for (text, expected) in [
            ("yesterday", no_t),
            ("2026-01-01", no_t),
            ("2026-01-01T00:00:00", "Unparseable date: \"2026-01-01T00:00:00Z\""),
            ("2026-02-29T00:00:00.000", "Unparseable date: \"2026-02-29T00:00:00.000Z\""),
            ("2026-01-01T24:00:00.000Z", "Unparseable date: \"2026-01-01T24:00:00.000Z\""),
        ] {
            let error = datetime(text).expect_err(text);
            assert_eq!(error.text(), format!("java.text.ParseException: {expected}"));
        }
    }

    #[test]
    fn durations_are_those_of_iso_8601() {
        for (text, expected) in [
            ("PT1H", Some(3_600_000)),
            ("P1DT2H3M4.5S", Some(93_784_500)),
            ("-PT10M", Some(-600_000)),
            ("PT-1.5S", Some(-1_500)),
            ("p2d", Some(172_800_000)),
            ("1h", None),
            ("P", None),
            ("PT", None),
            ("P1H", None),
            ("PT1S1M", None),
        ] {
            assert_eq!(duration(text).ok(), expected, "{text}");
        }
    }
}
