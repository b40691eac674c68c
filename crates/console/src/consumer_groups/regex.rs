//! `--validate-regex`: whether RE2/J takes an expression, and its reason if not.
//!
//! Only the syntax is looked at, as RE2/J's parser looks at it; nothing is matched here.
//! Simplified: names of Unicode classes are not looked up.

use crate::Printed;
use crate::stop::Stop;

const BRACKET: &str = "missing closing ]";
const ESCAPE: &str = "invalid escape sequence";
const NAME: &str = "invalid named capture";
const NO_ARGUMENT: &str = "missing argument to repetition operator";
const PAREN: &str = "missing closing )";
const PERL: &str = "invalid or unsupported Perl syntax";
const RANGE: &str = "invalid character class range";
const SIZE: &str = "invalid repeat count";

/// Classes that may stand in brackets, such as `[:alpha:]`.
const CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word",
    "xdigit",
];

/// More repetitions than this are refused.
const REPEATS_MAX: u32 = 1_000;

/// Prints the judgement about the only argument.
pub(super) fn validate(arguments: &[String], printed: &mut Printed) -> Result<(), Stop> {
    let [pattern] = arguments else {
        // The parser's exception is caught by the tool.
        let text = "Found multiple arguments for option validate-regex, but you asked for only one";
        return Err(Stop::Usage(text.to_string()));
    };
    printed.out(&match check(pattern) {
        Ok(()) => format!("The regular expression `{pattern}` is valid.\n"),
        Err(why) => format!("The regular expression `{pattern}` is invalid: {why}.\n"),
    });
    Ok(())
}

/// A pattern while it is read.
struct Parser<'a> {
    rest: &'a str,
    /// Groups that are open.
    depth: u32,
    /// Whether something stands here that can be repeated.
    has_atom: bool,
    /// Whether that is a repetition already.
    is_repeated: bool,
    names: Vec<&'a str>,
}

/// The error is RE2/J's description.
fn check(pattern: &str) -> Result<(), &'static str> {
    let mut parser = Parser { rest: pattern, depth: 0, has_atom: false, is_repeated: false, names: Vec::new() };
    while let Some(letter) = parser.next() {
        parser.step(letter)?;
    }
    if parser.depth > 0 { Err(PAREN) } else { Ok(()) }
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = &self.rest[letter.len_utf8()..];
        Some(letter)
    }

    fn take(&mut self, text: &str) -> bool {
        let after = self.rest.strip_prefix(text);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn atom(&mut self, is_there: bool) {
        (self.has_atom, self.is_repeated) = (is_there, false);
    }

    fn step(&mut self, letter: char) -> Result<(), &'static str> {
        match letter {
            '(' => self.open()?,
            '|' => self.atom(false),
            ')' if self.depth == 0 => return Err("regexp/syntax: internal error"),
            ')' => {
                self.depth -= 1;
                self.atom(true);
            }
            '*' | '+' | '?' => self.repeat()?,
            '{' => match self.counts() {
                Some((least, most, after)) => {
                    self.rest = after;
                    if least > REPEATS_MAX || most.is_some_and(|most| most > REPEATS_MAX || most < least) {
                        return Err(SIZE);
                    }
                    self.repeat()?;
                }
                None => self.atom(true),
            },
            '[' => {
                self.class()?;
                self.atom(true);
            }
            '\\' => {
                if self.take("Q") {
                    let end = self.rest.find("\\E").map_or(self.rest.len(), |at| at + 2);
                    self.rest = &self.rest[end..];
                } else {
                    self.escape(false)?;
                }
                self.atom(true);
            }
            _ => self.atom(true),
        }
        Ok(())
    }

    fn repeat(&mut self) -> Result<(), &'static str> {
        if !self.has_atom {
            return Err(NO_ARGUMENT);
        }
        self.take("?");
        if self.is_repeated {
            return Err("invalid nested repetition operator");
        }
        self.is_repeated = true;
        Ok(())
    }

    /// `2}`, `2,}` or `2,5}` with what follows; anything else is text.
    fn counts(&self) -> Option<(u32, Option<u32>, &'a str)> {
        let (counts, after) = self.rest.split_once('}')?;
        let number = |text: &str| {
            let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            is_digits.then(|| text.parse::<u32>().unwrap_or(u32::MAX))
        };
        match counts.split_once(',') {
            None => number(counts).map(|count| (count, Some(count), after)),
            Some((least, "")) => number(least).map(|least| (least, None, after)),
            Some((least, most)) => Some((number(least)?, Some(number(most)?), after)),
        }
    }

    /// After an opening parenthesis.
    fn open(&mut self) -> Result<(), &'static str> {
        let is_group = !self.take("?") || self.named()? || self.flags()?;
        if is_group {
            self.depth += 1;
        }
        self.atom(false);
        Ok(())
    }

    /// `P<name>`.
    fn named(&mut self) -> Result<bool, &'static str> {
        if !self.take("P<") && !self.take("<") {
            return Ok(false);
        }
        let (name, after) = self.rest.split_once('>').ok_or(NAME)?;
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if name.is_empty() || !name.chars().all(is_word) {
            // Lookbehind looks like a name that is none.
            return Err(if name.starts_with(['=', '!']) { PERL } else { NAME });
        }
        if self.names.contains(&name) {
            return Err("duplicate capture group name");
        }
        self.names.push(name);
        self.rest = after;
        Ok(true)
    }

    /// `i-s:` or `i)`; whether a group begins.
    fn flags(&mut self) -> Result<bool, &'static str> {
        let (mut has_minus, mut has_flag) = (false, false);
        loop {
            match self.next() {
                Some('i' | 'm' | 's' | 'U') => has_flag = true,
                Some('-') if !has_minus => (has_minus, has_flag) = (true, false),
                Some(end @ (':' | ')')) if has_flag || !has_minus => return Ok(end == ':'),
                _ => return Err(PERL),
            }
        }
    }

    /// After an opening bracket.
    fn class(&mut self) -> Result<(), &'static str> {
        self.take("^");
        let mut is_first = true;
        loop {
            if self.rest.is_empty() {
                return Err(BRACKET);
            }
            if !is_first && self.take("]") {
                return Ok(());
            }
            is_first = false;
            if let Some(named) = self.rest.strip_prefix("[:")
                && let Some((name, after)) = named.split_once(":]")
            {
                if !CLASSES.contains(&name.trim_start_matches('^')) {
                    return Err(RANGE);
                }
                self.rest = after;
                continue;
            }
            let Some(low) = self.class_letter()? else { continue };
            let is_range = self.rest.starts_with('-') && !self.rest.starts_with("-]") && self.rest.len() > 1;
            if is_range {
                self.take("-");
                if self.class_letter()?.is_none_or(|high| high < low) {
                    return Err(RANGE);
                }
            }
        }
    }

    /// A letter of a class; none for an escape that stands for several.
    fn class_letter(&mut self) -> Result<Option<char>, &'static str> {
        match self.next() {
            None => Err(BRACKET),
            Some('\\') => self.escape(true),
            Some(letter) => Ok(Some(letter)),
        }
    }

    /// After a backslash: the letter that it stands for, if it is one.
    fn escape(&mut self, is_in_class: bool) -> Result<Option<char>, &'static str> {
        let Some(letter) = self.next() else {
            return Err("trailing backslash at end of expression");
        };
        Ok(match letter {
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => None,
            'A' | 'b' | 'B' | 'z' if !is_in_class => None,
            'p' | 'P' => {
                if self.take("{") {
                    let (_, after) = self.rest.split_once('}').ok_or(RANGE)?;
                    self.rest = after;
                } else {
                    self.next().ok_or(RANGE)?;
                }
                None
            }
            'a' => Some('\u{7}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\u{b}'),
            'x' => Some(self.hex().ok_or(ESCAPE)?),
            '0' => self.octal(0),
            '1'..='7' if self.rest.starts_with(|next: char| ('0'..='7').contains(&next)) => {
                self.octal(letter.to_digit(8).unwrap_or(0))
            }
            letter if letter.is_ascii_punctuation() && letter != '_' => Some(letter),
            _ => return Err(ESCAPE),
        })
    }

    fn octal(&mut self, first: u32) -> Option<char> {
        let mut code = first;
        for _ in 0..2 {
            let Some(digit) = self.rest.chars().next().and_then(|next| next.to_digit(8)) else { break };
            code = code * 8 + digit;
            self.next();
        }
        char::from_u32(code)
    }

    fn hex(&mut self) -> Option<char> {
        let digits;
        if self.take("{") {
            (digits, self.rest) = self.rest.split_once('}')?;
        } else {
            digits = self.rest.get(..2)?;
            self.rest = &self.rest[2..];
        }
        char::from_u32(u32::from_str_radix(digits, 16).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_that_re2j_takes_are_valid() {
        for pattern in [
            "foo.*",
            "",
            "a|b",
            "(a|)",
            "a*?",
            "a{2,5}",
            "a{",
            "a{2",
            "x{,5}",
            "[]a]",
            "[^]a]",
            "[a-]",
            "[[:alpha:]]",
            "[\\d-z]",
            "\\Q(\\E",
            "(?P<n>a)(?:b)(?i)c(?i-s:d)",
            "\\x41\\x{1F600}\\pL\\p{Greek}\\012",
            "^*",
            "\\.",
            "é+",
        ] {
            assert_eq!(check(pattern), Ok(()), "{pattern}");
        }
    }

    #[test]
    fn others_are_refused_with_its_description() {
        for (pattern, expected) in [
            ("(foo", PAREN),
            ("foo)", "regexp/syntax: internal error"),
            ("*", NO_ARGUMENT),
            ("(*)", NO_ARGUMENT),
            ("a|+", NO_ARGUMENT),
            ("a**", "invalid nested repetition operator"),
            ("a*?+", "invalid nested repetition operator"),
            ("a{1001}", SIZE),
            ("a{3,2}", SIZE),
            ("[a", BRACKET),
            ("[z-a]", RANGE),
            ("[[:foo:]]", RANGE),
            ("a\\", "trailing backslash at end of expression"),
            ("\\y", ESCAPE),
            ("\\1", ESCAPE),
            ("(?=a)", PERL),
            ("(?<=a)>", PERL),
            ("(?P<n>a)(?P<n>b)", "duplicate capture group name"),
            ("(?P<>a)", NAME),
        ] {
            assert_eq!(check(pattern), Err(expected), "{pattern}");
        }
    }
}
