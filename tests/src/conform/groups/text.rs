//! Texts of the group tools under the recordings' rules: places, stack traces, option tables, rows in random order.
//!
//! Deliberately not here: ids of members (`members.rs`).

use console::Printed;

use super::members::{first_id, has_stand_in};

/// What recordings of one broker call it.
const BROKER: &str = "127.0.0.1:29091";

/// What stands for a table of options in these recordings.
const USAGE: &str = "[usage text]\n";

/// What a tool printed and its exit status, in the form of the recordings.
pub(in crate::conform) fn printed(printed: &Printed) -> String {
    let status = if printed.exit == 0 { String::new() } else { format!("[exit {}]\n", printed.exit) };
    comparable(&format!("{}{status}", printed.text()))
}

/// A recorded or printed text without what is not compared.
pub(in crate::conform) fn comparable(text: &str) -> String {
    in_order(&without_traces(&without_usage(&placed(text))))
}

/// Hosts have the recordings' name, and cells that hold one keep their width.
fn placed(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let mut line = line.to_owned();
        for host in [console::place::host(1), "broker1:9092".to_owned()] {
            while let Some(at) = line.find(&host) {
                let after = line[at + host.len()..].to_owned();
                line = format!("{}{BROKER}{}", &line[..at], widened(&after, host.len(), BROKER.len()));
            }
        }
        lines.push(line);
    }
    lines.join("\n")
}

/// What follows a name that got longer or shorter: the blanks that fill up its cell change by as much.
fn widened(after: &str, before: usize, now: usize) -> String {
    let Some(gap) = after.find("   ").or_else(|| after.find(")  ").map(|at| at + 1)) else { return after.to_owned() };
    let blanks = after[gap..].len() - after[gap..].trim_start_matches(' ').len();
    let wanted = (blanks + before).saturating_sub(now).max(1);
    format!("{}{}{}", &after[..gap], " ".repeat(wanted), &after[gap + blanks..])
}

/// A table of options, from its heading to the end or to the exit status.
fn without_usage(text: &str) -> String {
    let is_heading = |line: &str| line.starts_with("Option ") && line.trim_end().ends_with("Description");
    let mut shown = String::new();
    let mut is_hidden = false;
    for line in text.split_inclusive('\n') {
        if is_heading(line) {
            shown.push_str(USAGE);
            is_hidden = true;
        } else if !is_hidden || line.starts_with("[exit ") {
            shown.push_str(line);
        }
    }
    shown
}

/// Frames of a Java stack trace, and what stands for them. The playground prints none.
fn without_traces(text: &str) -> String {
    let is_frame = |line: &str| {
        let line = line.trim_end();
        let is_call = line.starts_with("at ") && line.ends_with(')') && line.contains('(');
        line.starts_with('\t') || is_call || matches!(line, "<stack>" | "[stack trace]")
    };
    text.split_inclusive('\n').filter(|line| !is_frame(line)).collect()
}

/// Rows of members with random ids have no order; those of one member keep theirs.
fn in_order(text: &str) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let mut start = 0;
    while start < lines.len() {
        let end = lines[start..].iter().position(|line| line.is_empty()).map_or(lines.len(), |length| start + length);
        // The first line of a table is its heading.
        let rows = &mut lines[(start + 1).min(end)..end];
        if rows.iter().any(|row| has_stand_in(row)) {
            rows.sort_by_key(|row| first_id(row));
        }
        start = end + 1;
    }
    lines.join("\n")
}

/// The first line that differs.
pub(in crate::conform) fn difference(expected: &str, got: &str) -> Option<String> {
    if expected == got {
        return None;
    }
    let [wanted, found] = [expected, got].map(|text| text.split('\n').collect::<Vec<_>>());
    let differing = wanted.iter().zip(&found).position(|(wanted, found)| wanted != found);
    let index = differing.unwrap_or(wanted.len().min(found.len()));
    let line = |lines: &[&str]| lines.get(index).map_or_else(|| "nothing".to_owned(), |line| format!("{line:?}"));
    Some(format!("line {} expected {}, got {}", index + 1, line(&wanted), line(&found)))
}

#[cfg(test)]
mod tests {
    use super::{comparable, difference};

    fn check(text: &str, shown: &str) {
        assert_eq!(comparable(text), shown);
    }

    #[test]
    fn traces_and_options_are_not_compared() {
        check("\nError: a\n<stack>\nat b.C.d(E.java:1)\n<stack>\nCaused by: f\n", "\nError: a\nCaused by: f\n");
        check("Exception a\n[stack trace]\n[exit 1]\n", "Exception a\n[exit 1]\n");
        check("Missing\nOption   Description\n--a b\n[exit 1]\n", "Missing\n[usage text]\n[exit 1]\n");
    }

    #[test]
    fn a_cell_with_a_host_keeps_its_width() {
        let host = console::place::host(1);
        let row = |host: &str| format!("{:<26}{:<8}x", format!("{host}  (1)"), "range");
        check(&row(&host), &row("127.0.0.1:29091"));
    }

    #[test]
    fn rows_of_members_with_random_ids_have_no_order() {
        let id = |name: &str, number: u32| format!("{name}-00000000-0000-0000-0000-{number:012}");
        let (a, b) = (id("A", 2), id("B", 1));
        let rows = format!("G ID\ng 1 {b}\ng 0 {b}\ng 2 {a}\n");
        check(&rows, &format!("G ID\ng 2 {a}\ng 1 {b}\ng 0 {b}\n"));
        check("G ID\ng 1 b\ng 0 a\n", "G ID\ng 1 b\ng 0 a\n");
    }

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert_eq!(difference("a\nb", "a\nc").as_deref(), Some("line 2 expected \"b\", got \"c\""));
        assert_eq!(difference("a", "a"), None);
    }
}
