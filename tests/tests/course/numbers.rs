//! Every number in the prose of a lesson is computed by one of its checks, or listed with the reason why not. A time in
//! seconds may stand in a check in milliseconds, and times at which the stage itself does something are its data.
//!
//! Deliberately not here: whether the checks hold.

use std::collections::BTreeSet;

use toml::Value;

/// Number words that count things. "One" is left out: it is mostly an article.
const WORDS: [(&str, &str); 12] = [
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("thirty", "30"),
];

#[test]
fn numbers_in_the_prose_are_those_of_the_checks() {
    let mut missing = Vec::new();
    let mut count = 0;
    for (slug, (lesson, text)) in super::lessons() {
        let file: Value = toml::from_str(&text).expect("it was read before");
        let mut known = BTreeSet::new();
        gather(file.get("check"), &mut known);
        let constants: BTreeSet<String> = lesson.constants.iter().map(|constant| constant.value.clone()).collect();
        let mut times = BTreeSet::new();
        gather_times(file.get("check"), &mut times);
        for name in lesson.scenarios() {
            let scenario = std::fs::read_to_string(super::folder("scenarios").join(format!("{name}.toml")));
            let scenario: Value = toml::from_str(&scenario.expect("it exists")).expect("it is read elsewhere");
            gather_times(Some(&scenario), &mut times);
        }
        let is_time = |number: &str| milliseconds(number).is_some_and(|time| times.contains(&time));
        let mut used = BTreeSet::new();
        for (place, prose) in super::prose(&lesson) {
            for number in numbers(&prose) {
                count += 1;
                if constants.contains(&number) {
                    used.insert(number.clone());
                } else if !known.contains(&number.replace(',', "")) && !is_time(&number) {
                    missing.push(format!("{slug} {place}: {number}"));
                }
            }
        }
        let unused: Vec<&String> = constants.difference(&used).collect();
        assert!(unused.is_empty(), "{slug}: constants without a use: {unused:?}");
    }
    assert!(missing.is_empty(), "numbers that no check computes:\n{}", missing.join("\n"));
    assert!(count > 200, "only {count} numbers were found");
}

/// Every number inside a check: values and parameters, also inside text.
fn gather(value: Option<&Value>, known: &mut BTreeSet<String>) {
    match value {
        Some(Value::Integer(number)) => {
            known.insert(number.to_string());
        }
        Some(Value::String(text)) => {
            known.extend(numbers(text).into_iter().map(|number| number.replace(',', "")));
            // Such as events-2@0: the partition and the offset.
            let digits = |letter: char| !letter.is_ascii_digit();
            known.extend(text.split(digits).filter(|part| !part.is_empty()).map(ToString::to_string));
            known.extend(text.split_whitespace().map(ToString::to_string));
            if text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                known.extend((0..text.len()).step_by(2).map(|place| text[place..place + 2].to_string()));
            }
        }
        Some(Value::Array(list)) => list.iter().for_each(|value| gather(Some(value), known)),
        Some(Value::Table(table)) => table.values().for_each(|value| gather(Some(value), known)),
        _ => {}
    }
}

/// Times inside checks and scenarios, in milliseconds: `until = "17700 ms"`, `at = "5 s"`, `expected_ms = 17600`.
fn gather_times(value: Option<&Value>, times: &mut BTreeSet<u64>) {
    match value {
        Some(Value::String(text)) => times.extend(engine::Duration::parse(text).ok().map(engine::Duration::millis)),
        Some(Value::Array(list)) => list.iter().for_each(|value| gather_times(Some(value), times)),
        Some(Value::Table(table)) => {
            for (name, value) in table {
                let number = value.as_integer().filter(|_| name.ends_with("_ms"));
                times.extend(number.and_then(|number| u64::try_from(number).ok()));
                gather_times(Some(value), times);
            }
        }
        _ => {}
    }
}

/// A time in seconds, such as `17.6`.
fn milliseconds(number: &str) -> Option<u64> {
    let (seconds, rest) = number.split_once('.').unwrap_or((number, ""));
    let thousandths = format!("{rest:0<3}");
    let is_short = rest.len() <= 3 && !seconds.is_empty();
    let parse = |text: &str| text.parse::<u64>().ok();
    parse(seconds).zip(parse(&thousandths)).filter(|_| is_short).map(|(seconds, rest)| seconds * 1_000 + rest)
}

/// Numbers as they are written, and number words as digits. Digits inside names (`user-1`, `murmur2`) are not numbers.
fn numbers(text: &str) -> Vec<String> {
    let without_links: String = text.split("](").enumerate().fold(String::new(), |all, (place, part)| {
        let kept = if place == 0 { part } else { part.split_once(')').map_or("", |(_, rest)| rest) };
        all + kept
    });
    let is_end = |letter: char| !(letter.is_alphanumeric() || "-.,^_#+/".contains(letter));
    let mut found = Vec::new();
    for token in without_links.split(is_end) {
        let token = token.trim_matches(|letter: char| ".,/+_".contains(letter)).trim_end_matches('-');
        let lower = token.to_lowercase();
        if let Some((_, digits)) = WORDS.iter().find(|(word, _)| *word == lower) {
            found.push((*digits).to_string());
            continue;
        }
        let bytes: bool = token.len() == 2
            && token.bytes().all(|byte| byte.is_ascii_hexdigit())
            && token.bytes().any(|byte| byte.is_ascii_digit());
        let body = token.strip_prefix('-').unwrap_or(token);
        let is_number = body.starts_with(|letter: char| letter.is_ascii_digit())
            && (body.starts_with("0x")
                || bytes
                || body.chars().all(|letter| letter.is_ascii_digit() || ".,^".contains(letter)));
        if is_number {
            found.push(token.to_string());
        }
    }
    found
}

#[test]
fn times_in_seconds_are_found_in_milliseconds() {
    for (number, expected) in [("17.6", Some(17_600)), ("5", Some(5_000)), ("0.05", Some(50)), ("4.3.1", None)] {
        assert_eq!(milliseconds(number), expected, "{number}");
    }
}

#[test]
fn numbers_are_told_from_names() {
    let check = |text: &str, expected: &[&str]| assert_eq!(numbers(text), expected, "{text}");
    check("user-1 hashes to -1762245835; 5 of 6 keys.", &["-1762245835", "5", "6"]);
    check("`0x9747b28a` and [two words](glossary:murmur2), 15,556 bytes", &["0x9747b28a", "2", "15,556"]);
    check("murmur2 and int32 of events-2 in 4.3.1, by 2^31", &["4.3.1", "2^31"]);
    check("`63 2d` is 49.7 percent", &["63", "2d", "49.7"]);
}
