//! Reads patterns of RE2/J, and says what is wrong with the others.
//!
//! Simplified: of Unicode's classes only what can be in a name of a topic counts, that is ASCII.

use super::{Node, Set};

const BAD_ESCAPE: &str = "invalid escape sequence";
const BAD_RANGE: &str = "invalid character class range";
const NO_BRACKET: &str = "missing closing ]";
const NO_PAREN: &str = "missing closing )";
const STRAY_PAREN: &str = "regexp/syntax: internal error";
const NOTHING_TO_REPEAT: &str = "missing argument to repetition operator";
const REPEATED_TWICE: &str = "invalid nested repetition operator";
const BAD_COUNT: &str = "invalid repeat count";
const BAD_FLAGS: &str = "invalid or unsupported Perl syntax";
const BAD_NAME: &str = "invalid named capture";
const SAME_NAME: &str = "duplicate capture group name";
const TRAILING: &str = "trailing backslash at end of expression";
const TOO_DEEP: &str = "expression nests too deeply";

/// How many groups can be inside one another.
const DEPTH_MAX: u32 = 250;
/// How often a pattern can ask for something.
const COUNT_MAX: u32 = 1000;

/// Why a pattern is none, in the words of RE2/J.
type Described<T> = Result<T, &'static str>;
/// First and last characters of ranges, and whether everything else is meant.
type Class = (Vec<(char, char)>, bool);

/// Refuses what is no pattern.
///
/// # Errors
/// What is wrong, in the words of RE2/J.
pub fn check(text: &str) -> Described<()> {
    parse(text).map(|_| ())
}

pub(super) fn parse(text: &str) -> Described<Node> {
    let mut parser = Parser { text: text.chars().collect(), place: 0, is_folded: false, names: Vec::new() };
    let node = parser.alternatives(0)?;
    if parser.peek().is_some() { Err(STRAY_PAREN) } else { Ok(node) }
}

struct Parser {
    text: Vec<char>,
    place: u32,
    /// `(?i)` holds.
    is_folded: bool,
    names: Vec<String>,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.ahead(0)
    }

    fn ahead(&self, count: u32) -> Option<char> {
        self.text.get((self.place + count) as usize).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek();
        self.place += u32::from(next.is_some());
        next
    }

    fn takes(&mut self, text: &str) -> bool {
        let is_here = (0..).zip(text.chars()).all(|(place, wanted)| self.ahead(place) == Some(wanted));
        self.place += if is_here { text.chars().count() as u32 } else { 0 };
        is_here
    }

    /// Up to the end, or to the parenthesis that closes.
    fn alternatives(&mut self, depth: u32) -> Described<Node> {
        let mut branches = Vec::new();
        let mut nodes: Vec<Node> = Vec::new();
        let mut is_repeated = false;
        loop {
            let was_repeated = std::mem::take(&mut is_repeated);
            match self.peek() {
                None if depth > 0 => return Err(NO_PAREN),
                None | Some(')') => break,
                Some('|') => {
                    self.place += 1;
                    branches.push(Node::All(std::mem::take(&mut nodes)));
                }
                Some('(') => nodes.extend(self.group(depth)?),
                Some('*' | '+' | '?' | '{') => match self.count()? {
                    Some((min, max)) => {
                        self.takes("?");
                        let node = Box::new(nodes.pop().ok_or(NOTHING_TO_REPEAT)?);
                        if was_repeated {
                            return Err(REPEATED_TWICE);
                        }
                        nodes.push(Node::Repeat { node, min, max });
                        is_repeated = true;
                    }
                    None => {
                        self.place += 1;
                        nodes.push(self.literal('{'));
                    }
                },
                Some(_) => self.single(&mut nodes)?,
            }
        }
        branches.push(Node::All(nodes));
        Ok(if branches.len() == 1 { branches.remove(0) } else { Node::Any(branches) })
    }

    /// A group, or flags for what follows; at `(`.
    fn group(&mut self, depth: u32) -> Described<Option<Node>> {
        let is_folded = self.is_folded;
        if depth == DEPTH_MAX {
            return Err(TOO_DEEP);
        }
        self.place += 1;
        if self.takes("?P<") || self.takes("?<") {
            self.name()?;
        } else if self.takes("?") && !self.flags()? {
            return Ok(None);
        }
        let node = self.alternatives(depth + 1)?;
        self.place += 1;
        self.is_folded = is_folded;
        Ok(Some(node))
    }

    fn name(&mut self) -> Described<()> {
        let mut name = String::new();
        loop {
            match self.next().ok_or(BAD_NAME)? {
                '>' => break,
                character => name.push(character),
            }
        }
        let is_good = |character: char| character.is_ascii_alphanumeric() || character == '_';
        if name.is_empty() || !name.chars().all(is_good) {
            // Lookbehind looks like a name that is none.
            return Err(if name.starts_with(['=', '!']) { BAD_FLAGS } else { BAD_NAME });
        }
        if self.names.contains(&name) {
            return Err(SAME_NAME);
        }
        self.names.push(name);
        Ok(())
    }

    /// Flags after `(?`. Returns whether a group begins.
    fn flags(&mut self) -> Described<bool> {
        let (mut is_off, mut has_flag) = (false, false);
        loop {
            match self.next() {
                Some('i') => (self.is_folded, has_flag) = (!is_off, true),
                Some('m' | 's' | 'U') => has_flag = true,
                Some('-') if !is_off => (is_off, has_flag) = (true, false),
                Some(end @ (':' | ')')) if !is_off || has_flag => return Ok(end == ':'),
                _ => return Err(BAD_FLAGS),
            }
        }
    }

    /// `*`, `+`, `?` or `{min,max}`; none if a brace means itself.
    fn count(&mut self) -> Described<Option<(u32, Option<u32>)>> {
        let start = self.place;
        let counts = match self.next() {
            Some('*') => Some((0, None)),
            Some('+') => Some((1, None)),
            Some('?') => Some((0, Some(1))),
            _ => self.braces(),
        };
        match counts {
            None => {
                self.place = start;
                Ok(None)
            }
            Some((min, max)) if min > COUNT_MAX || max.is_some_and(|max| max > COUNT_MAX || max < min) => {
                Err(BAD_COUNT)
            }
            Some(counts) => Ok(Some(counts)),
        }
    }

    fn braces(&mut self) -> Option<(u32, Option<u32>)> {
        let min = self.number()?;
        let max = match (self.takes(","), self.peek()) {
            (false, _) => Some(min),
            (true, Some('}')) => None,
            (true, _) => Some(self.number()?),
        };
        self.takes("}").then_some((min, max))
    }

    /// A number without leading zeros; one that is too long is too large.
    fn number(&mut self) -> Option<u32> {
        let start = self.place as usize;
        while self.peek().is_some_and(|digit| digit.is_ascii_digit()) {
            self.place += 1;
        }
        let digits: String = self.text[start..self.place as usize].iter().collect();
        let is_good = !digits.is_empty() && (digits.len() == 1 || !digits.starts_with('0'));
        is_good.then(|| digits.parse().unwrap_or(u32::MAX))
    }

    fn literal(&self, character: char) -> Node {
        Node::One(self.set(vec![(character, character)]))
    }

    fn set(&self, ranges: Vec<(char, char)>) -> Set {
        Set { ranges, is_negated: false, is_folded: self.is_folded }
    }

    /// Whatever stands for itself, a class, an anchor, or an escape.
    fn single(&mut self, nodes: &mut Vec<Node>) -> Described<()> {
        let node = match self.peek() {
            Some('[') => Node::One(self.class()?),
            Some('\\') => return self.escaped(nodes),
            character => {
                self.place += 1;
                match character {
                    Some('^') => Node::Start,
                    Some('$') => Node::End,
                    Some('.') => Node::One(Set { ranges: Vec::new(), is_negated: true, is_folded: false }),
                    other => self.literal(other.unwrap_or_default()),
                }
            }
        };
        nodes.push(node);
        Ok(())
    }

    fn escaped(&mut self, nodes: &mut Vec<Node>) -> Described<()> {
        let node = match self.ahead(1) {
            Some('A') => Node::Start,
            Some('z') => Node::End,
            Some('b') => Node::Boundary { is_one: true },
            Some('B') => Node::Boundary { is_one: false },
            Some('C') => return Err(BAD_ESCAPE),
            Some('Q') => {
                self.place += 2;
                while self.peek().is_some() && !self.takes("\\E") {
                    let next = self.next().unwrap_or_default();
                    nodes.push(self.literal(next));
                }
                return Ok(());
            }
            _ => {
                let node = match self.class_escape()? {
                    Some((ranges, is_negated)) => Node::One(Set { is_negated, ..self.set(ranges) }),
                    None => {
                        let character = self.escape()?;
                        self.literal(character)
                    }
                };
                nodes.push(node);
                return Ok(());
            }
        };
        self.place += 2;
        nodes.push(node);
        Ok(())
    }

    /// A class such as `\d` or `\p{Lu}`, and whether everything else is meant.
    fn class_escape(&mut self) -> Described<Option<Class>> {
        if self.peek() != Some('\\') {
            return Ok(None);
        }
        let ranges = match self.ahead(1) {
            Some('d' | 'D') => vec![('0', '9')],
            Some('s' | 'S') => vec![('\t', '\n'), ('\u{c}', '\r'), (' ', ' ')],
            Some('w' | 'W') => vec![('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
            Some('p' | 'P') => return self.unicode().map(Some),
            _ => return Ok(None),
        };
        let is_negated = self.ahead(1).is_some_and(|letter| letter.is_ascii_uppercase());
        self.place += 2;
        Ok(Some((ranges, is_negated)))
    }

    fn unicode(&mut self) -> Described<Class> {
        let mut is_negated = self.ahead(1) == Some('P');
        self.place += 2;
        let mut name = String::new();
        match self.next().ok_or(BAD_RANGE)? {
            '{' => loop {
                match self.next().ok_or(BAD_RANGE)? {
                    '}' => break,
                    character => name.push(character),
                }
            },
            character => name.push(character),
        }
        if let Some(rest) = name.strip_prefix('^') {
            (is_negated, name) = (!is_negated, rest.to_string());
        }
        let ranges: &[(char, char)] = match name.as_str() {
            "Any" => &[('\0', char::MAX)],
            "L" | "Latin" => &[('A', 'Z'), ('a', 'z')],
            "Lu" => &[('A', 'Z')],
            "Ll" => &[('a', 'z')],
            "N" | "Nd" => &[('0', '9')],
            "P" => &[('-', '.'), ('_', '_')],
            "Pd" => &[('-', '-')],
            "Pc" => &[('_', '_')],
            "Po" => &[('.', '.')],
            "Common" => &[('-', '.'), ('0', '9'), ('_', '_')],
            "C" | "Cc" | "Cf" | "Co" | "Cs" | "Lm" | "Lo" | "Lt" | "M" | "Mc" | "Me" | "Mn" | "Nl" | "No" | "Pe"
            | "Pf" | "Pi" | "Ps" | "S" | "Sc" | "Sk" | "Sm" | "So" | "Z" | "Zl" | "Zp" | "Zs" | "Arabic"
            | "Armenian" | "Bengali" | "Cyrillic" | "Devanagari" | "Georgian" | "Greek" | "Han" | "Hangul"
            | "Hebrew" | "Hiragana" | "Inherited" | "Katakana" | "Thai" => &[],
            _ => return Err(BAD_RANGE),
        };
        Ok((ranges.to_vec(), is_negated))
    }

    /// A single character behind a backslash; at the backslash.
    fn escape(&mut self) -> Described<char> {
        self.place += 1;
        let code = match self.next().ok_or(TRAILING)? {
            'a' => 7,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            'x' => self.hexadecimal()?,
            digit @ '0'..='7' => {
                let is_octal = |next: Option<char>| next.is_some_and(|next| ('0'..='7').contains(&next));
                if digit != '0' && !is_octal(self.peek()) {
                    return Err(BAD_ESCAPE);
                }
                let mut code = u32::from(digit) - u32::from('0');
                for _ in 1..3 {
                    if is_octal(self.peek()) {
                        code = code * 8 + self.next().and_then(|digit| digit.to_digit(8)).unwrap_or(0);
                    }
                }
                code
            }
            other if other.is_ascii() && !other.is_ascii_alphanumeric() => u32::from(other),
            _ => return Err(BAD_ESCAPE),
        };
        char::from_u32(code).ok_or(BAD_ESCAPE)
    }

    fn hexadecimal(&mut self) -> Described<u32> {
        let mut digits = String::new();
        if self.takes("{") {
            while !self.takes("}") {
                digits.push(self.next().ok_or(BAD_ESCAPE)?);
            }
        } else {
            digits.extend(self.next());
            digits.extend(self.next());
            if digits.len() != 2 {
                return Err(BAD_ESCAPE);
            }
        }
        let is_hexadecimal = digits.chars().all(|digit| digit.is_ascii_hexdigit());
        u32::from_str_radix(&digits, 16).ok().filter(|_| is_hexadecimal).ok_or(BAD_ESCAPE)
    }

    /// `[...]`.
    fn class(&mut self) -> Described<Set> {
        self.place += 1;
        let is_negated = self.takes("^");
        let mut ranges: Vec<(char, char)> = Vec::new();
        let mut is_first = true;
        while self.peek() != Some(']') || is_first {
            is_first = false;
            if let Some((named, is_negated)) = self.named()? {
                ranges.extend(if is_negated { others(named) } else { named });
                continue;
            }
            let first = self.class_character()?;
            let mut last = first;
            if self.peek() == Some('-') && self.ahead(1) != Some(']') {
                self.place += 1;
                last = self.class_character()?;
                if last < first {
                    return Err(BAD_RANGE);
                }
            }
            ranges.push((first, last));
        }
        self.place += 1;
        Ok(Set { ranges, is_negated, is_folded: self.is_folded })
    }

    fn class_character(&mut self) -> Described<char> {
        match self.peek() {
            None => Err(NO_BRACKET),
            Some('\\') => self.escape(),
            Some(character) => {
                self.place += 1;
                Ok(character)
            }
        }
    }

    /// A class inside a class: `[:alpha:]`, `\d` or `\pL`.
    fn named(&mut self) -> Described<Option<Class>> {
        let start = self.place;
        if !self.takes("[:") {
            return self.class_escape();
        }
        let is_negated = self.takes("^");
        let mut name = String::new();
        while !self.takes(":]") {
            match self.next() {
                Some(character) => name.push(character),
                None => {
                    self.place = start;
                    return Ok(None);
                }
            }
        }
        let ranges: &[(char, char)] = match name.as_str() {
            "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
            "alpha" => &[('A', 'Z'), ('a', 'z')],
            "ascii" => &[('\0', '\u{7f}')],
            "blank" => &[('\t', '\t'), (' ', ' ')],
            "cntrl" => &[('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')],
            "digit" => &[('0', '9')],
            "graph" => &[('!', '~')],
            "lower" => &[('a', 'z')],
            "print" => &[(' ', '~')],
            "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
            "space" => &[('\t', '\r'), (' ', ' ')],
            "upper" => &[('A', 'Z')],
            "word" => &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')],
            "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
            _ => return Err(BAD_RANGE),
        };
        Ok(Some((ranges.to_vec(), is_negated)))
    }
}

/// Every ASCII character that is in none of the ranges.
fn others(ranges: Vec<(char, char)>) -> Vec<(char, char)> {
    let is_in = |character: char| ranges.iter().any(|(first, last)| (*first..=*last).contains(&character));
    ('\0'..='\u{7f}').filter(|character| !is_in(*character)).map(|character| (character, character)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Pattern;

    fn check(pattern: &str, names: &[(&str, bool)]) {
        let read = Pattern::new(pattern).expect(pattern);
        for (name, is_meant) in names {
            assert_eq!(read.matches(&(*name).into()), *is_meant, "{pattern} {name}");
        }
    }

    #[test]
    fn a_pattern_matches_the_whole_name() {
        check("orders", &[("orders", true), ("orders-eu", false), ("old-orders", false)]);
        check("rx[a-c]-081", &[("rxa-081", true), ("rxd-081", false), ("rxa-0811", false)]);
        check("orders|pay", &[("orders", true), ("pay", true), ("orderspay", false)]);
        check("(a|b)*c+", &[("c", true), ("ababcc", true), ("abd", false)]);
        check("a{2}b{1,2}c{0,}", &[("aab", true), ("aabbccc", true), ("ab", false), ("aabbb", false)]);
        check("(?:a?){3}", &[("", true), ("aaa", true), ("aaaa", false)]);
        check("(a*)*b", &[("aaab", true), ("b", true), ("aa", false)]);
        check("^a.c$", &[("abc", true), ("ac", false)]);
        check("a.?b\\.c", &[("ab.c", true), ("axb.c", true), ("abxc", false)]);
        check("", &[("", true), ("a", false)]);
        check("{a", &[("{a", true)]);
    }

    #[test]
    fn classes_flags_and_escapes_are_read() {
        check("(?i)ORD[e]rs", &[("orders", true), ("Orders", true), ("orderz", false)]);
        check("a(?i:b)c", &[("aBc", true), ("aBC", false)]);
        check("\\d+-\\w*\\D", &[("12-ab_.", true), ("12-ab9", false)]);
        check("[[:digit:]_]+", &[("1_2", true), ("a", false)]);
        check("[^a-c]", &[("d", true), ("b", false)]);
        check("[]a-]+", &[("a-]", true), ("b", false)]);
        check("\\Qa.b\\E.", &[("a.bx", true), ("axbx", false)]);
        check("\\x61\\x{62}\\143", &[("abc", true)]);
        check("\\p{Lu}\\pL+\\P{N}", &[("Ord-", true), ("ord-", false), ("Ord1", false)]);
        check("\\bab\\b.*", &[("ab-c", true), ("abc", false)]);
        check("(?P<x>a)(?<y>b)", &[("ab", true)]);
    }

    #[test]
    fn what_is_wrong_is_told_in_the_words_of_re2j() {
        for (pattern, description) in [
            ("rx(a", "missing closing )"),
            ("a)", "regexp/syntax: internal error"),
            ("a[b", "missing closing ]"),
            ("[b-a]", "invalid character class range"),
            ("[[:nothing:]]", "invalid character class range"),
            ("\\p{Nothing}", "invalid character class range"),
            ("*a", "missing argument to repetition operator"),
            ("a|*", "missing argument to repetition operator"),
            ("(+)", "missing argument to repetition operator"),
            ("a**", "invalid nested repetition operator"),
            ("a{1001}", "invalid repeat count"),
            ("a{2,1}", "invalid repeat count"),
            ("a\\", "trailing backslash at end of expression"),
            ("\\8", "invalid escape sequence"),
            ("\\1", "invalid escape sequence"),
            ("\\y", "invalid escape sequence"),
            ("(?=a)", "invalid or unsupported Perl syntax"),
            ("(?P<a-b>c)", "invalid named capture"),
            ("(?P<a>b)(?P<a>c)", "duplicate capture group name"),
        ] {
            assert_eq!(Pattern::new(pattern).err(), Some(description), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_with_many_ways_is_not_slow() {
        let name = "a".repeat(249);
        check("(a*)*(a|aa)*(a+)+b", &[(&name, false)]);
        check("(a{0,1000}){0,1000}", &[(&name, true)]);
    }
}
