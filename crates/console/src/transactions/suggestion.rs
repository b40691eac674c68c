//! How argparse4j words errors: wrapped to a width, and with words that might have been meant.
//!
//! kafka-features.sh uses the same library and prints in its own way.

/// Columns of a line.
const WIDTH: usize = 75;
/// A word is suggested up to this distance.
const CLOSE: usize = 7;

/// A text in lines that are filled up to their width with blanks, most of them in the middle.
pub(super) fn wrapped(text: &str) -> String {
    let mut lines = Vec::new();
    let mut line = String::new();
    for piece in text.split_inclusive([' ', '-']) {
        let is_too_long = line.chars().count() + piece.chars().count() > WIDTH;
        if is_too_long && !line.is_empty() {
            lines.push(filled(line.trim()));
            line.clear();
        }
        line.push_str(piece);
    }
    lines.push(line);
    lines.join("\n")
}

fn filled(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
    let gaps = words.len().saturating_sub(1);
    if gaps == 0 {
        return line.to_string();
    }
    let missing = WIDTH.saturating_sub(line.chars().count());
    let (each, rest) = (missing / gaps, missing % gaps);
    let first = (gaps - rest).div_ceil(2);
    let mut text = words[0].to_string();
    for (gap, word) in words[1..].iter().enumerate() {
        let is_wider = (first..first + rest).contains(&gap);
        text.push_str(&" ".repeat(1 + each + usize::from(is_wider)));
        text.push_str(word);
    }
    text
}

/// The words closest to what was typed, if they are close enough; each with its prefix.
pub(super) fn close_to<'a>(typed: &str, known: &[&'a str]) -> Vec<&'a str> {
    let bare = |word: &str| word.trim_start_matches('-').to_string();
    let distances: Vec<usize> = known.iter().map(|word| distance(&bare(typed), &bare(word))).collect();
    let Some(least) = distances.iter().min().copied().filter(|least| *least <= CLOSE) else { return Vec::new() };
    known.iter().zip(distances).filter(|(_, distance)| *distance == least).map(|(word, _)| *word).collect()
}

/// What it costs to make one word out of the other: 2 for another letter, 1 for a new one, 4 for one too many.
fn distance(typed: &str, word: &str) -> usize {
    let word: Vec<char> = word.chars().collect();
    let mut above: Vec<usize> = (0..=word.len()).collect();
    for (row, letter) in typed.chars().enumerate() {
        let mut current = vec![(row + 1) * 4];
        for (column, other) in word.iter().enumerate() {
            let changed = above[column] + if letter == *other { 0 } else { 2 };
            let added = current[column] + 1;
            let removed = above[column + 1] + 4;
            current.push(changed.min(added).min(removed));
        }
        above = current;
    }
    above[word.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_filled_in_the_middle_first() {
        let text = "kafka-transactions.sh: error: invalid choice: 'bogus' (choose from 'list', 'describe', \
                    'describe-producers', 'abort', 'find-hanging', 'forceTerminateTransaction')";
        let expected = "kafka-transactions.sh: error: invalid choice:  'bogus' (choose from 'list',\n'describe',      \
                        'describe-producers',       'abort',       'find-hanging',\n'forceTerminateTransaction')";
        assert_eq!(wrapped(text), expected);
        assert_eq!(wrapped("short"), "short");
    }

    #[test]
    fn only_close_words_are_suggested() {
        assert_eq!(close_to("--transactional-id", &["--help", "--transactionalId"]), ["--transactionalId"]);
        let none: [&str; 0] = [];
        assert_eq!(close_to("--state-filter", &["--duration-filter", "--transactional-id-pattern"]), none);
    }
}
