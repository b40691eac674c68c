//! Reads keys from pieces of an input, whatever the pieces' boundaries.
//!
//! Deliberately not here: files and time. The caller feeds bytes and decides when to pause or to stop.

use std::fmt;

use crate::{
    BadLines, Format, Header, InputError, KeyEncoding, Keys, Layout, Reason,
    keys::KeysBuilder,
    limits,
    rows::{Row, RowReader},
};

/// How to read an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseOptions {
    /// Lines or CSV.
    pub format: Format,
    /// Is the first row a header?
    pub header: Header,
    /// The notation of the keys.
    pub encoding: KeyEncoding,
    /// The column that holds the keys.
    pub key_column: Column,
    /// The column that holds how many records a line stands for; `None`: one each.
    pub count_column: Option<Column>,
    /// Is an empty line an empty key? Otherwise it is left out and counted.
    pub blank_lines_are_keys: bool,
}

impl Default for ParseOptions {
    /// Everything is found out, keys are text.
    fn default() -> Self {
        Self {
            format: Format::Auto,
            header: Header::Auto,
            encoding: KeyEncoding::Text,
            key_column: Column::Auto,
            count_column: Some(Column::Auto),
            blank_lines_are_keys: false,
        }
    }
}

/// A column of a CSV input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Column {
    /// Find out by the names in the header.
    #[default]
    Auto,
    /// By number, from 1.
    Number(usize),
    /// By its name in the header; case and the kind of separators may differ.
    Name(String),
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => write!(f, "\"{name}\""),
        }
    }
}

/// What an input held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The different keys.
    pub keys: Keys,
    /// How the input was read.
    pub layout: Layout,
    /// Lines that gave no key.
    pub bad_lines: BadLines,
    /// Rows that gave a key, repeated keys included.
    pub rows: u32,
    /// Blank lines that were left out.
    pub blank_lines: u32,
    /// Rows whose key begins or ends with white space, which is a part of the key.
    pub spaced_rows: u32,
}

impl Parsed {
    /// Rows whose key was on an earlier row already.
    pub fn repeated_rows(&self) -> u32 {
        self.rows - self.keys.len() as u32
    }
}

/// The reader. Feed it pieces, then finish it.
pub struct Parser {
    options: ParseOptions,
    head: Vec<u8>,
    body: Option<Body>,
    bytes_read: u64,
}

struct Body {
    reader: RowReader,
    sink: Sink,
}

struct Sink {
    encoding: KeyEncoding,
    blank_lines_are_keys: bool,
    layout: Layout,
    header_due: bool,
    keys: KeysBuilder,
    key: Vec<u8>,
    bad_lines: BadLines,
    rows: u32,
    blank_lines: u32,
    spaced_rows: u32,
}

impl Parser {
    /// A reader that has read nothing yet.
    pub fn new(options: ParseOptions) -> Self {
        Self { options, head: Vec::new(), body: None, bytes_read: 0 }
    }

    /// Reads a piece.
    ///
    /// # Errors
    /// If the input cannot be read on; the error names the line. Lines that are merely bad are listed instead.
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), InputError> {
        self.bytes_read += piece.len() as u64;
        if self.bytes_read > limits::INPUT_BYTES_MAX {
            return Err(InputError::TooManyBytes { line: self.line() });
        }
        if let Some(body) = &mut self.body {
            return body.feed(piece);
        }
        self.head.extend_from_slice(piece);
        if self.head.len() >= limits::HEAD_BYTES_MAX { self.start(false).map(|_| ()) } else { Ok(()) }
    }

    /// Reads the last row.
    ///
    /// # Errors
    /// As [`feed`](Self::feed).
    pub fn finish(mut self) -> Result<Parsed, InputError> {
        if self.body.is_none() {
            self.start(true)?;
        }
        let Body { mut reader, mut sink } = self.body.expect("started above");
        reader.finish(&mut |row| sink.take(row))?;
        Ok(Parsed {
            keys: sink.keys.finish(),
            layout: sink.layout,
            bad_lines: sink.bad_lines,
            rows: sink.rows,
            blank_lines: sink.blank_lines,
            spaced_rows: sink.spaced_rows,
        })
    }

    /// Bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Different keys found so far.
    pub fn keys_found(&self) -> usize {
        self.body.as_ref().map_or(0, |body| body.sink.keys.keys().len())
    }

    fn line(&self) -> u32 {
        self.body.as_ref().map_or(1, |body| body.reader.line())
    }

    fn start(&mut self, whole: bool) -> Result<(), InputError> {
        let head = std::mem::take(&mut self.head);
        if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
            return Err(InputError::Utf16);
        }
        let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&head);
        // Always the same bytes, so that the layout does not depend on how the input was cut into pieces.
        let sample = &head[..head.len().min(limits::HEAD_BYTES_MAX - 3)];
        let layout = Layout::of(sample, whole, &self.options)?;
        let sink = Sink {
            encoding: self.options.encoding,
            blank_lines_are_keys: self.options.blank_lines_are_keys,
            header_due: layout.header,
            layout,
            keys: KeysBuilder::new(),
            key: Vec::new(),
            bad_lines: BadLines::default(),
            rows: 0,
            blank_lines: 0,
            spaced_rows: 0,
        };
        let body = self.body.insert(Body { reader: RowReader::new(sink.layout.format.shape()), sink });
        body.feed(head)
    }
}

impl Body {
    fn feed(&mut self, piece: &[u8]) -> Result<(), InputError> {
        let Self { reader, sink } = self;
        reader.feed(piece, &mut |row| sink.take(row))
    }
}

impl Sink {
    fn take(&mut self, row: &Row<'_>) -> Result<(), InputError> {
        if self.header_due && !row.is_blank() {
            self.header_due = false;
            return Ok(());
        }
        if row.is_blank() && (self.header_due || !self.blank_lines_are_keys || self.layout.columns.len() > 1) {
            self.blank_lines += 1;
            return Ok(());
        }
        match self.read(row) {
            Ok(weight) => self.add(weight, row.line),
            Err(reason) => {
                self.bad_lines.push(row.line, reason, row.bytes());
                Ok(())
            }
        }
    }

    /// Puts the key of a row into `self.key` and answers its weight.
    fn read(&mut self, row: &Row<'_>) -> Result<u64, Reason> {
        if let Some(problem) = &row.problem {
            return Err(problem.clone());
        }
        let field = |index: usize| {
            row.field(index).ok_or(Reason::MissingColumn { wanted: index + 1, found: row.field_count() })
        };
        let text = field(self.layout.key_column)?;
        let weight = self.layout.count_column.map_or(Ok(1), |column| count(field(column)?))?;
        self.key.clear();
        self.encoding.decode(text, &mut self.key)?;
        if self.key.len() > limits::KEY_LENGTH_MAX {
            return Err(Reason::KeyTooLong { length: self.key.len() });
        }
        if self.encoding == KeyEncoding::Text && text.trim_ascii().len() < text.len() {
            self.spaced_rows += 1;
        }
        Ok(weight)
    }

    fn add(&mut self, weight: u64, line: u32) -> Result<(), InputError> {
        self.rows += 1;
        if self.keys.merge(&self.key, weight) {
            return Ok(());
        }
        if self.keys.keys().len() == limits::KEYS_MAX {
            return Err(InputError::TooManyKeys { line });
        }
        if self.keys.keys().byte_count() + self.key.len() > limits::KEY_BYTES_MAX {
            return Err(InputError::TooManyKeyBytes { line });
        }
        self.keys.add(&self.key, weight, line);
        Ok(())
    }
}

fn count(field: &[u8]) -> Result<u64, Reason> {
    let digits = field.trim_ascii();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Reason::CountNotANumber);
    }
    let text = std::str::from_utf8(digits).expect("digits are ASCII");
    text.parse().ok().filter(|count| *count <= limits::COUNT_MAX).ok_or(Reason::CountTooLarge)
}

#[cfg(test)]
mod tests {
    use super::{Column, ParseOptions, Parsed, Parser};
    use crate::{Format, Header, InputError, KeyEncoding};

    fn parse(input: &[u8], options: &ParseOptions, piece: usize) -> Result<Parsed, InputError> {
        let mut parser = Parser::new(options.clone());
        for piece in input.chunks(piece.max(1)) {
            parser.feed(piece)?;
        }
        parser.finish()
    }

    /// Keys as `line:key*weight`, bad lines as `line!reason`; the same for pieces of any length.
    #[track_caller]
    fn check(input: &str, options: &ParseOptions, expected: &str) {
        let whole = parse(input.as_bytes(), options, input.len());
        for piece in 1..input.len() {
            assert_eq!(parse(input.as_bytes(), options, piece), whole, "pieces of {piece}");
        }
        let text = match whole {
            Ok(parsed) => {
                let show = |index| {
                    let keys = &parsed.keys;
                    let key = options.encoding.show(keys.key(index));
                    format!("{}:{key}*{}", keys.line(index), keys.weight(index))
                };
                let bad = parsed.bad_lines.listed().iter().map(|bad| format!("{}!{}", bad.line, bad.reason));
                (0..parsed.keys.len()).map(show).chain(bad).collect::<Vec<_>>().join("\n")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(text, expected);
    }

    fn options(change: impl FnOnce(&mut ParseOptions)) -> ParseOptions {
        let mut options = ParseOptions::default();
        change(&mut options);
        options
    }

    #[test]
    fn lines_become_keys_and_repeated_ones_weigh_more() {
        let auto = ParseOptions::default();
        check("\u{feff}user-1\r\nuser-2\n\nuser-1\n", &auto, "1:user-1*2\n2:user-2*1");
        check("caf\u{e9}\n \u{20ac}", &auto, "1:caf\u{e9}*1\n2: \u{20ac}*1");
        check("", &auto, "");
        let blank = options(|options| options.blank_lines_are_keys = true);
        check("a\n\n", &blank, "1:a*1\n2:*1");
    }

    #[test]
    fn csv_columns_are_picked_by_name_number_or_kind() {
        let auto = ParseOptions::default();
        check("key,count\na,5\n\"b,\"\"c\",7\na,1\n", &auto, "2:a*6\n3:b,\"c*7");
        let named = options(|options| options.key_column = Column::Name("Order ID".into()));
        check("region;order_id;count\neu;17;2\n", &named, "2:17*2");
        let numbered = options(|options| {
            options.key_column = Column::Number(2);
            options.count_column = None;
            options.header = Header::Absent;
        });
        check("key,count\na,5\n", &numbered, "1:count*1\n2:5*1");
    }

    #[test]
    fn bad_lines_are_listed_with_line_and_reason() {
        let auto = ParseOptions::default();
        check(
            "key,count\na,x\nb\nc,5\n\"d\"e,1\nf,9999999999\n\"g,1\nh,2\n",
            &auto,
            "4:c*5\n2!Expected a whole number of 0 or more as the count.\n\
             3!Expected at least 2 columns in this row, found 1.\n\
             5!Text follows a closing quotation mark; inside a quoted field write the mark twice.\n\
             6!The count is larger than 1000000000.\n\
             7!A quotation mark is not closed and takes in all up to line 9; close it or write it twice.",
        );
        let hex = options(|options| options.encoding = KeyEncoding::Hex);
        check("00ff\nxy\n", &hex, "1:00ff*1\n2!Expected a hex digit (0-9, a-f), found 'x' at character 1.");
    }

    #[test]
    fn an_unknown_column_is_an_error_with_the_columns_that_exist() {
        let named = options(|options| options.key_column = Column::Name("user".into()));
        check("\nid,count\na,5\n", &named, "line 2: there is no column \"user\"; the columns are \"id\", \"count\"");
        let numbered = options(|options| options.key_column = Column::Number(3));
        check("a,5\n", &numbered, "line 1: there is no column 3; the columns are \"column 1\", \"column 2\"");
        check("", &numbered, "line 1: there is no column 3; the columns are \"column 1\"");
    }

    #[test]
    fn utf_16_is_named_as_such() {
        let error = parse(b"\xff\xfeu\0s\0", &ParseOptions::default(), 1).unwrap_err();
        assert_eq!((error.line(), error), (1, InputError::Utf16));
    }

    #[test]
    fn nothing_is_dropped_in_silence() {
        let input = "a\n\n b\na\n\ncaf\n";
        let parsed = parse(input.as_bytes(), &ParseOptions::default(), 3).unwrap();
        let counts = (parsed.rows, parsed.blank_lines, parsed.bad_lines.count(), parsed.repeated_rows());
        assert_eq!(counts, (4, 2, 0, 1));
        assert_eq!(parsed.spaced_rows, 1);
        assert_eq!(input.lines().count() as u32, parsed.rows + parsed.blank_lines + parsed.bad_lines.count());
    }

    #[test]
    fn a_million_and_one_keys_are_refused_with_the_line() {
        let mut parser = Parser::new(options(|options| options.format = Format::Lines));
        let mut result = Ok(());
        for number in 0..=1_000_000 {
            result = parser.feed(format!("{number}\n").as_bytes());
        }
        assert_eq!(result, Err(InputError::TooManyKeys { line: 1_000_001 }));
    }

    #[test]
    fn a_thousand_mutations_give_keys_or_an_error_with_a_line() {
        let seed = "key,count\r\nuser-1,5\n\"b,\"\"c\",7\n\u{e9}\u{20ac},1\n\n\"multi\nline\",3\nuser-1,2\n";
        let mut state = 7_u32;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        let alphabet = b"\"\"\",;\t\r\n\0\xff\xc3 =-019ab{[";
        for _ in 0..1_000 {
            let mut input = seed.as_bytes().to_vec();
            for _ in 0..=random(6) {
                let at = random(input.len());
                match random(4) {
                    0 => input[at] = alphabet[random(alphabet.len())],
                    1 => input.insert(at, alphabet[random(alphabet.len())]),
                    2 => drop(input.drain(at..(at + random(9)).min(input.len()))),
                    _ => input.extend_from_within(at..),
                }
                if input.is_empty() {
                    input.push(b'\n');
                }
            }
            let options = ParseOptions {
                format: Format::ALL[random(5)].0,
                encoding: KeyEncoding::ALL[random(6)].0,
                header: [Header::Auto, Header::Present, Header::Absent][random(3)],
                key_column: [Column::Auto, Column::Number(2), Column::Name("key".into())][random(3)].clone(),
                count_column: [None, Some(Column::Auto), Some(Column::Number(2))][random(3)].clone(),
                blank_lines_are_keys: random(2) == 0,
            };
            let whole = parse(&input, &options, input.len());
            assert_eq!(parse(&input, &options, 1 + random(7)), whole);
            let lines = input.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() as u32 + 1;
            match whole {
                Ok(parsed) => {
                    let bad = parsed.bad_lines.listed();
                    assert!(
                        bad.iter().all(|bad| (1..=lines).contains(&bad.line) && !bad.reason.to_string().is_empty())
                    );
                    assert!(parsed.rows as usize >= parsed.keys.len());
                }
                Err(error) => assert!((1..=lines).contains(&error.line()), "{error}"),
            }
        }
    }
}
