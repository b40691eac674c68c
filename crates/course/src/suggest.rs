//! "Did you mean": the nearest of the names that are allowed.
//!
//! Deliberately not here: sentences about what was wrong; those belong to the callers.

/// At most this many names are listed in a hint.
const LISTED_MAX: usize = 12;

/// A hint such as `Did you mean "client"?`, or the list of names if none is near.
pub fn hint<'a>(given: &str, allowed: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = allowed.into_iter().collect();
    match nearest(given, &names) {
        Some(name) => format!("Did you mean \"{name}\"?"),
        None => format!("Allowed: {}.", listed(&names)),
    }
}

/// The names separated by commas, shortened if there are many.
pub fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(LISTED_MAX).copied().collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(LISTED_MAX) {
        Some(more) if more > 0 => format!("{shown} and {more} more"),
        _ => shown,
    }
}

/// The nearest name, if it is near enough to be a slip of the finger.
fn nearest<'a>(given: &str, names: &[&'a str]) -> Option<&'a str> {
    // Anything longer is no slip, and the comparison takes time in the square of the length.
    if given.is_empty() || given.len() > 64 {
        return None;
    }
    let given = given.to_lowercase();
    let distances = names.iter().map(|name| (distance(&given, &name.to_lowercase()), *name));
    let (distance, name) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + given.chars().count() / 4).then_some(name)
}

/// Insertions, deletions, replacements and swaps of neighbors that turn one into the other.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows = vec![vec![0; to.len() + 1]; from.len() + 1];
    for (row, cells) in rows.iter_mut().enumerate() {
        cells[0] = row;
    }
    rows[0] = (0..=to.len()).collect();
    for row in 1..=from.len() {
        for column in 1..=to.len() {
            let replaced = rows[row - 1][column - 1] + usize::from(from[row - 1] != to[column - 1]);
            let mut best = replaced.min(rows[row - 1][column] + 1).min(rows[row][column - 1] + 1);
            let swapped = row > 1 && column > 1 && from[row - 1] == to[column - 2] && from[row - 2] == to[column - 1];
            if swapped {
                best = best.min(rows[row - 2][column - 2] + 1);
            }
            rows[row][column] = best;
        }
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &str, expected: &str) {
        assert_eq!(hint(given, ["client", "partitions", "seed"]), expected);
    }

    #[test]
    fn a_slip_of_the_finger_finds_its_name() {
        check("cleint", "Did you mean \"client\"?");
        check("Partition", "Did you mean \"partitions\"?");
        check("sed", "Did you mean \"seed\"?");
    }

    #[test]
    fn anything_else_lists_what_is_allowed() {
        check("", "Allowed: client, partitions, seed.");
        check("broker", "Allowed: client, partitions, seed.");
        check(&"c".repeat(10_000), "Allowed: client, partitions, seed.");
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let names: Vec<String> = (0..15).map(|number| format!("name-{number}")).collect();
        let text = hint("zebra", names.iter().map(String::as_str));
        assert!(text.ends_with("name-11 and 3 more."), "{text}");
    }
}
