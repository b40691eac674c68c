//! Texts of tools and exceptions: places and times get the recordings' names, and placeholders line up.
//!
//! Deliberately not here: tables of kafka-topics.sh, whose cells are put in order in `cli.rs`.

use super::compare::Names;

/// Simulated runs last 30 days at most, and a deletion may be planned a year ahead: numbers in this range of
/// milliseconds around the start of the run are times.
const BEFORE_START: i64 = 40 * 86_400_000;
const AFTER_START: i64 = 400 * 86_400_000;

/// A text of the playground with the recordings' names for hosts, directories and times.
pub(super) fn normalize(text: &str, brokers: &[u32]) -> String {
    let mut text = text.to_owned();
    for broker in brokers {
        // Clients name brokers as inside the cluster, tools as from outside.
        for host in [console::place::host(*broker), format!("broker{broker}:9092")] {
            text = text.replace(&host, &format!("broker:1909{broker}"));
        }
        text = text.replace(&console::place::log_dir(*broker), &format!("/<log.dirs>{broker}"));
    }
    hide_traces(&hide_usage(&name_times(&text)))
}

/// `1767225600040` becomes `T+40`, where `T` is the start of the run.
fn name_times(text: &str) -> String {
    let mut named = String::new();
    let mut digits = String::new();
    for letter in text.chars().chain(['\n']) {
        if letter.is_ascii_digit() {
            digits.push(letter);
            continue;
        }
        let distance = digits.parse::<i64>().ok().map(|number| number.saturating_sub(console::place::RUN_START));
        match distance.filter(|_| digits.len() == 13).filter(|past| (-BEFORE_START..AFTER_START).contains(past)) {
            Some(past) => named.push_str(&format!("T{past:+}")),
            None => named.push_str(&digits),
        }
        digits.clear();
        named.push(letter);
    }
    named.pop();
    named
}

/// A tool's table of options, from its heading to the end, is not compared.
pub(super) fn hide_usage(text: &str) -> String {
    let is_heading = |line: &str| line.starts_with("Option ") && line.trim_end().ends_with("Description");
    let mut shown = String::new();
    for line in text.split_inclusive('\n') {
        if is_heading(line) {
            return shown + "<usage>\n";
        }
        shown.push_str(line);
    }
    shown
}

/// Lines of a stack trace become one line; the playground prints none, so it has none to become one.
fn hide_traces(text: &str) -> String {
    let is_frame = |line: &str| line.starts_with("\tat ") || line.starts_with("\t... ");
    text.split_inclusive('\n').filter(|line| !is_frame(line) && line.trim_end() != "<stack>").collect()
}

/// What stands before and after the age of a batch in the text of its expiry.
const AGE: (&str, &str) = ("Expiring ", " ms has passed since batch creation");

/// A sender's thread finds an expired batch a little late: its age may be that many milliseconds off.
const LATE: u64 = 100;

/// `got` with the age of the expired batch that `expected` has, if the two are about the same.
fn age_alike(expected: &str, got: &str) -> Option<String> {
    let split = |text: &str| -> Option<(String, u64, String)> {
        let end = text.find(AGE.1).filter(|_| text.starts_with(AGE.0))?;
        let start = text[..end].rfind(':')? + 1;
        Some((text[..start].to_owned(), text[start..end].parse().ok()?, text[end..].to_owned()))
    };
    let ((_, wanted, _), (before, found, after)) = (split(expected)?, split(got)?);
    (wanted.abs_diff(found) <= LATE).then(|| format!("{before}{wanted}{after}"))
}

/// `got` with the placeholders of `expected` wherever the two line up. From a line's first difference on it
/// is left as it is, so that the difference can be told.
pub(super) fn align(expected: &str, got: &str, names: &mut Names) -> String {
    let mut lines = expected.split('\n');
    let aged = age_alike(expected, got);
    let got = aged.as_deref().unwrap_or(got);
    let aligned = got.split('\n').map(|line| align_line(lines.next().unwrap_or_default(), line, names));
    aligned.collect::<Vec<_>>().join("\n")
}

fn align_line(expected: &str, got: &str, names: &mut Names) -> String {
    let mut out = String::new();
    let (mut wanted, mut rest) = (expected, got);
    while !wanted.is_empty() {
        if let Some((placeholder, after)) = placeholder(wanted) {
            let length = rest.find(|letter: char| !is_value(letter)).unwrap_or(rest.len());
            if length == 0 {
                break;
            }
            out.push_str(placeholder);
            (wanted, rest) = (after, &rest[length..]);
            continue;
        }
        if let Some((name, after)) = producer(wanted, &out)
            && let Some((id, left)) = id(rest)
        {
            out.push_str(&names.bind(name, id));
            (wanted, rest) = (after, left);
            continue;
        }
        let letter = wanted.chars().next().expect("it is not empty");
        let Some(after) = rest.strip_prefix(letter) else { break };
        out.push(letter);
        (wanted, rest) = (&wanted[letter.len_utf8()..], after);
    }
    out + rest
}

/// A value that a placeholder may stand for: numbers, topic ids, times such as `T+40`.
fn is_value(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '+')
}

/// A placeholder such as `<ms>` at the beginning of a text, and what follows it. Directories and hidden tables
/// are named alike on both sides, so they are no placeholders.
fn placeholder(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('<')?;
    let end = inner.find('>')?;
    let name = &inner[..end];
    let is_literal = name.starts_with("log.dirs") || matches!(name, "usage" | "stack" | "broker");
    (!is_literal && !name.is_empty()).then(|| text.split_at(end + 2))
}

/// A producer's name such as `P1` at the beginning of a text, if no word runs into it.
fn producer<'a>(text: &'a str, before: &str) -> Option<(&'a str, &'a str)> {
    let digits = text.strip_prefix('P')?;
    let length = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    let is_word = before.ends_with(|letter: char| letter.is_ascii_alphanumeric());
    (length > 0 && !is_word).then(|| text.split_at(length + 1))
}

fn id(text: &str) -> Option<(u64, &str)> {
    let length = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(length);
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::{align, normalize};
    use crate::conform::cluster::compare::Names;

    fn check(expected: &str, got: &str, aligned: &str) {
        assert_eq!(align(expected, &normalize(got, &[1, 2]), &mut Names::default()), aligned, "{got}");
    }

    #[test]
    fn placeholders_line_up() {
        check("TopicId: <topic-id>\tx", "TopicId: aB-_3\tx", "TopicId: <topic-id>\tx");
        check("log timestamp: <ms>", "log timestamp: 1767225600020", "log timestamp: <ms>");
        check("[<ms - 9>, <ms>]", "[-5, 1767225600020]", "[<ms - 9>, <ms>]");
        check("crc: <crc> isvalid", "crc:  isvalid", "crc:  isvalid");
        check("a <ms>\nb <ms>", "x 3\nb 4", "x 3\nb <ms>");
    }

    #[test]
    fn a_batch_expires_a_little_late() {
        let expiry = |age: u32| format!("Expiring 1 record(s) for t-0:{age} ms has passed since batch creation. The");
        check(&expiry(3_001), &expiry(3_000), &expiry(3_001));
        check(&expiry(3_001), &expiry(3_200), &expiry(3_200));
    }

    #[test]
    fn times_count_from_the_start_of_the_run() {
        check("", "CreateTime: 1767225600040 size: 70", "CreateTime: T+40 size: 70");
        check("", "timestamp: 1767225599999, 0", "timestamp: T-1, 0");
        check("", "offset 9223372036854775807", "offset 9223372036854775807");
    }

    #[test]
    fn places_have_the_recordings_names() {
        let path = format!("Dumping {}/t-0/0.log at {}", console::place::log_dir(2), console::place::host(1));
        check("", &path, "Dumping /<log.dirs>2/t-0/0.log at broker:19091");
    }

    #[test]
    fn producer_ids_are_named_where_the_recording_names_them() {
        check("producerId: P1 to P2, P1", "producerId: 4 to 5, 4", "producerId: P1 to P2, P1");
        check("producerId: P1 to P1", "producerId: 4 to 5", "producerId: P1 to producer id 5");
        check("MVP1", "MV41", "MV41");
    }

    #[test]
    fn options_and_frames_are_not_compared() {
        check("", "Missing\nOption   Description\n------\n--a b\n", "Missing\n<usage>\n");
        check("", "Error: x\n\tat a.b(C.java:1)\n\t... 3 more\nend\n", "Error: x\nend\n");
    }
}
