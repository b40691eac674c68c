//! Replicas as text, one partition a line: `0: 1,2,3`, the preferred leader first.
//!
//! Reads and writes; whether brokers of these ids exist is for the engine to say.

use engine::order::Order;

/// Replicas of one partition, `1,2,3`.
pub fn ids(replicas: &[u32]) -> String {
    replicas.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// The lines of partitions.
pub fn text<'a>(partitions: impl IntoIterator<Item = (u32, &'a [u32])>) -> String {
    let lines = partitions.into_iter().map(|(partition, replicas)| format!("{partition}: {}", ids(replicas)));
    lines.collect::<Vec<_>>().join("\n")
}

/// Partitions with their replicas. A line without a number is the partition after the line before it; the first one
/// is `first`. Empty lines are passed over.
///
/// # Errors
/// The line and what was expected there.
pub fn read(text: &str, first: u32) -> Result<Vec<(u32, Vec<u32>)>, String> {
    let mut found: Vec<(u32, Vec<u32>)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let (partition, replicas) = match line.split_once(':') {
            Some((partition, replicas)) => (partition.trim().parse::<u32>().ok(), replicas),
            None => (found.last().map_or(Some(first), |(last, _)| last.checked_add(1)), line),
        };
        let replicas = replicas.split(',').map(|id| id.trim().parse::<u32>().ok()).collect::<Option<Vec<u32>>>();
        let (Some(partition), Some(replicas)) = (partition, replicas) else {
            return Err(format!("Line {number}: a partition and its brokers are expected, such as \"0: 1,2,3\"."));
        };
        if found.iter().any(|(known, _)| *known == partition) {
            return Err(format!("Line {number}: partition {partition} has a line already."));
        }
        found.push((partition, replicas));
    }
    Ok(found)
}

/// Replicas of all partitions from `first` on, without a gap.
///
/// # Errors
/// As of [`read`], or the partition that is missing.
pub fn assignment(text: &str, first: u32) -> Result<Vec<Vec<u32>>, String> {
    let mut found = read(text, first)?;
    found.order_by_key(|(partition, _)| *partition);
    match (first..).zip(&found).find(|(expected, (partition, _))| expected != partition) {
        Some((expected, _)) => Err(format!("There is no line for partition {expected}.")),
        None => Ok(found.into_iter().map(|(_, replicas)| replicas).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, first: u32, expected: Result<&[&[u32]], &str>) {
        let found = assignment(text, first);
        let expected = expected.map(|lists| lists.iter().map(|list| list.to_vec()).collect::<Vec<_>>());
        assert_eq!(found, expected.map_err(str::to_owned), "{text}");
    }

    #[test]
    fn lines_are_partitions_with_or_without_their_numbers() {
        check("0: 1,2\n1: 2, 3\n", 0, Ok(&[&[1, 2], &[2, 3]]));
        check("1,2\n\n2,3", 4, Ok(&[&[1, 2], &[2, 3]]));
        check("1: 3\n0: 1", 0, Ok(&[&[1], &[3]]));
        check("", 0, Ok(&[]));
    }

    #[test]
    fn a_line_that_cannot_be_read_is_named() {
        let expected = "a partition and its brokers are expected, such as \"0: 1,2,3\".";
        check("0: 1\n1: a", 0, Err(&format!("Line 2: {expected}")));
        check("0: 1,", 0, Err(&format!("Line 1: {expected}")));
        check("0: 1\n0: 2", 0, Err("Line 2: partition 0 has a line already."));
        check("0: 1\n2: 2", 0, Err("There is no line for partition 1."));
    }

    #[test]
    fn what_is_written_is_read_back() {
        let lists: [&[u32]; 2] = [&[1, 2], &[3]];
        let written = text((0..).zip(lists));
        assert_eq!(written, "0: 1,2\n1: 3");
        check(&written, 0, Ok(&lists));
    }
}
