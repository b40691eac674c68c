//! A command line into words: quotes, backslashes and comments as a POSIX shell reads them.
//!
//! Variables, pipes, globs and the rest of a shell are not here; unquoted they are refused or, where
//! a shell with no matching file would keep them, kept.

use crate::ConsoleError;

/// Characters that would start something that this console does not have.
const SYNTAX: [char; 9] = ['|', '&', ';', '<', '>', '(', ')', '`', '\r'];

/// A command as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Typed {
    /// The words of its line, without quotes.
    pub(crate) words: Vec<String>,
    /// The lines after it, as they are.
    pub(crate) lines: Vec<String>,
}

/// The words of the first line that has any, and the lines that follow it. A backslash or an open
/// quote at the end of a line makes it go on.
pub(crate) fn split(text: &str) -> Result<Typed, ConsoleError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\'' => single_quoted(&mut rest, word.get_or_insert_default())?,
            '"' => double_quoted(&mut rest, word.get_or_insert_default())?,
            '\\' => match rest.next() {
                // A line that goes on.
                Some('\n') | None => {}
                Some(plain) => word.get_or_insert_default().push(plain),
            },
            '#' if word.is_none() => while rest.next_if(|next| *next != '\n').is_some() {},
            '\n' if word.is_some() || !words.is_empty() => break,
            blank if blank.is_whitespace() => words.extend(word.take()),
            '$' if rest.peek().is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '_' | '{' | '(')) => {
                return Err(ConsoleError::ShellSyntax('$'));
            }
            syntax if SYNTAX.contains(&syntax) => return Err(ConsoleError::ShellSyntax(syntax)),
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    let after: String = rest.collect();
    Ok(Typed { words, lines: after.lines().map(str::to_string).collect() })
}

fn single_quoted(rest: &mut impl Iterator<Item = char>, word: &mut String) -> Result<(), ConsoleError> {
    for next in rest {
        match next {
            '\'' => return Ok(()),
            plain => word.push(plain),
        }
    }
    Err(ConsoleError::UnclosedQuote('\''))
}

fn double_quoted(rest: &mut impl Iterator<Item = char>, word: &mut String) -> Result<(), ConsoleError> {
    while let Some(next) = rest.next() {
        match next {
            '"' => return Ok(()),
            '\\' => match rest.next() {
                Some(escaped @ ('"' | '\\' | '$' | '`')) => word.push(escaped),
                Some('\n') => {}
                Some(plain) => word.extend(['\\', plain]),
                None => break,
            },
            plain => word.push(plain),
        }
    }
    Err(ConsoleError::UnclosedQuote('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, words: &[&str]) {
        let found = split(line).map(|typed| typed.words);
        assert_eq!(found, Ok(words.iter().map(|word| word.to_string()).collect()), "{line}");
    }

    #[test]
    fn lines_after_the_command_are_kept_as_they_are() {
        let typed = split("\n a 'b\nc' # d\n k1:v1|x\n\nk2:'v2\n").expect("every quote is closed");
        assert_eq!(typed.words, ["a", "b\nc"]);
        assert_eq!(typed.lines, [" k1:v1|x", "", "k2:'v2"]);
    }

    #[test]
    fn words_are_split_as_in_a_shell() {
        check("a  b\tc", &["a", "b", "c"]);
        check("'a b' \"c d\" e\\ f", &["a b", "c d", "e f"]);
        check("--topic=''", &["--topic="]);
        check("''", &[""]);
        check("or'der'\"s\"", &["orders"]);
        check("\"a\\\"b\\n\"", &["a\"b\\n"]);
        check("'orders|zz' orders.* x$", &["orders|zz", "orders.*", "x$"]);
        check("a \\\n b # c", &["a", "b"]);
        check("a#b", &["a#b"]);
    }
}
