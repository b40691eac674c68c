//! Cuts a stream of bytes into rows and fields: one field a line, or CSV after RFC 4180.
//!
//! Our own splitter, because the lab must name the line of every row and of a quotation mark that is never closed,
//! which the csv crates read without a word.
//!
//! Deliberately not here: what a field means. Bytes go in, bytes come out, whatever the pieces they arrive in.

use crate::{Reason, limits};

/// How rows are cut into fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A row is a line and has one field.
    Lines,
    /// Fields are separated by the delimiter and may be quoted.
    Fields { delimiter: u8 },
}

/// One row, valid until the next one is read.
pub(crate) struct Row<'a> {
    /// 1-based line on which it starts.
    pub line: u32,
    /// What is wrong with its form.
    pub problem: Option<Reason>,
    bytes: &'a [u8],
    ends: &'a [usize],
    quoted: bool,
}

impl<'a> Row<'a> {
    pub fn field(&self, index: usize) -> Option<&'a [u8]> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.bytes[start..end])
    }

    pub fn field_count(&self) -> usize {
        self.ends.len()
    }

    /// All fields, one behind the other, for an excerpt.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Nothing at all on the line, not even an empty quoted field.
    pub fn is_blank(&self) -> bool {
        self.bytes.is_empty() && self.ends.len() == 1 && !self.quoted
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    RowStart,
    FieldStart,
    Plain,
    Quoted,
    /// After a quotation mark inside a quoted field: the end of the field, or the first half of an escaped mark.
    QuoteInQuoted,
}

/// The splitter. Feed it pieces, then finish it.
pub(crate) struct RowReader {
    shape: Shape,
    state: State,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    quoted: bool,
    problem: Option<Reason>,
    line: u32,
    row_line: u32,
    after_carriage_return: bool,
}

impl RowReader {
    pub fn new(shape: Shape) -> Self {
        Self {
            shape,
            state: State::RowStart,
            bytes: Vec::new(),
            ends: Vec::new(),
            quoted: false,
            problem: None,
            line: 1,
            row_line: 1,
            after_carriage_return: false,
        }
    }

    /// The 1-based line that is being read.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Reads a piece and hands each row that is complete to `on_row`.
    pub fn feed<E>(&mut self, mut piece: &[u8], on_row: &mut impl FnMut(&Row<'_>) -> Result<(), E>) -> Result<(), E> {
        while let Some(&byte) = piece.first() {
            if self.after_carriage_return && byte == b'\n' {
                self.after_carriage_return = false;
                if self.state == State::Quoted {
                    self.keep(b"\n");
                }
                piece = &piece[1..];
                continue;
            }
            self.after_carriage_return = false;
            let plain = self.plain_prefix(piece);
            if plain > 0 {
                self.keep(&piece[..plain]);
                piece = &piece[plain..];
            } else {
                self.special(byte, on_row)?;
                piece = &piece[1..];
            }
        }
        Ok(())
    }

    /// Hands over the last row, if the input did not end with a line end.
    pub fn finish<E>(&mut self, on_row: &mut impl FnMut(&Row<'_>) -> Result<(), E>) -> Result<(), E> {
        if self.state == State::Quoted {
            self.problem = Some(Reason::QuoteNotClosed { last_line: self.line });
        }
        if self.state == State::RowStart { Ok(()) } else { self.end_row(on_row) }
    }

    /// How many bytes at the start of `piece` belong to the field without a further question.
    fn plain_prefix(&mut self, piece: &[u8]) -> usize {
        let delimiter = match self.shape {
            Shape::Lines => None,
            Shape::Fields { delimiter } => Some(delimiter),
        };
        let is_line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let length = match (self.state, delimiter) {
            (State::Quoted, _) => piece.iter().position(|byte| is_line_end(byte) || *byte == b'"'),
            (State::QuoteInQuoted, _) => Some(0),
            (State::RowStart | State::FieldStart, Some(_)) if piece[0] == b'"' => Some(0),
            (_, Some(delimiter)) => piece.iter().position(|byte| is_line_end(byte) || *byte == delimiter),
            (_, None) => piece.iter().position(is_line_end),
        };
        let length = length.unwrap_or(piece.len());
        if length > 0 && matches!(self.state, State::RowStart | State::FieldStart) {
            self.state = State::Plain;
        }
        length
    }

    fn special<E>(&mut self, byte: u8, on_row: &mut impl FnMut(&Row<'_>) -> Result<(), E>) -> Result<(), E> {
        match (self.state, byte) {
            (State::Quoted, b'"') => self.state = State::QuoteInQuoted,
            (State::Quoted, _) => {
                self.keep(&[byte]);
                self.pass_line_end(byte);
            }
            (State::QuoteInQuoted, b'"') => {
                self.keep(b"\"");
                self.state = State::Quoted;
            }
            (_, b'\n' | b'\r') => {
                self.end_row(on_row)?;
                self.pass_line_end(byte);
                self.row_line = self.line;
            }
            (_, byte) if self.shape == (Shape::Fields { delimiter: byte }) => {
                self.end_field();
                self.state = State::FieldStart;
            }
            (State::RowStart | State::FieldStart, _) => {
                self.quoted = true;
                self.state = State::Quoted;
            }
            (_, byte) => {
                self.problem.get_or_insert(Reason::TextAfterQuote);
                self.keep(&[byte]);
                self.state = State::Plain;
            }
        }
        Ok(())
    }

    fn pass_line_end(&mut self, byte: u8) {
        self.line += 1;
        self.after_carriage_return = byte == b'\r';
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.bytes.len() + bytes.len() > limits::ROW_BYTES_MAX {
            self.problem.get_or_insert(Reason::RowTooLong);
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }

    fn end_field(&mut self) {
        if self.ends.len() == limits::COLUMNS_MAX {
            self.problem.get_or_insert(Reason::RowTooLong);
        } else {
            self.ends.push(self.bytes.len());
        }
    }

    fn end_row<E>(&mut self, on_row: &mut impl FnMut(&Row<'_>) -> Result<(), E>) -> Result<(), E> {
        self.end_field();
        let result = on_row(&Row {
            line: self.row_line,
            problem: self.problem.take(),
            bytes: &self.bytes,
            ends: &self.ends,
            quoted: self.quoted,
        });
        self.bytes.clear();
        self.ends.clear();
        self.quoted = false;
        self.state = State::RowStart;
        result
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, RowReader, Shape};

    const COMMA: Shape = Shape::Fields { delimiter: b',' };

    /// Rows as `line:field|field`, with `!` where the form is wrong, read in pieces of every length.
    #[track_caller]
    fn check(shape: Shape, input: &str, expected: &[&str]) {
        for length in 1..=input.len() {
            let mut rows = Vec::new();
            let mut on_row = |row: &Row<'_>| {
                let fields: Vec<_> = (0..row.field_count())
                    .map(|index| String::from_utf8_lossy(row.field(index).unwrap()).into_owned())
                    .collect();
                let mark = if row.problem.is_some() { "!" } else { "" };
                rows.push(format!("{}{mark}:{}", row.line, fields.join("|")));
                Ok::<(), ()>(())
            };
            let mut reader = RowReader::new(shape);
            for piece in input.as_bytes().chunks(length) {
                reader.feed(piece, &mut on_row).unwrap();
            }
            reader.finish(&mut on_row).unwrap();
            assert_eq!(rows, expected, "pieces of {length}");
        }
    }

    #[test]
    fn lines_end_with_any_line_end() {
        check(Shape::Lines, "a\nb\r\nc\rd", &["1:a", "2:b", "3:c", "4:d"]);
        check(Shape::Lines, "a\r\n\r\nb\n", &["1:a", "2:", "3:b"]);
        check(Shape::Lines, "\"a,b\"\n\"", &["1:\"a,b\"", "2:\""]);
    }

    #[test]
    fn fields_are_quoted_as_rfc_4180_says() {
        check(COMMA, "a,b\n\"c,\"\"d\"\"\",\n", &["1:a|b", "2:c,\"d\"|"]);
        check(COMMA, "\"x\r\ny\",1\nz,2", &["1:x\r\ny|1", "3:z|2"]);
        check(COMMA, "a\"b,c\n", &["1:a\"b|c"]);
        check(COMMA, ",\n", &["1:|"]);
        check(COMMA, "\u{e9},\"\u{20ac}\"", &["1:\u{e9}|\u{20ac}"]);
    }

    #[test]
    fn wrong_quotation_marks_are_reported_with_their_line() {
        check(COMMA, "a\n\"b\"c,d\ne\n", &["1:a", "2!:bc|d", "3:e"]);
        check(COMMA, "a\n\"b\nc\n", &["1:a", "2!:b\nc\n"]);
    }

    #[test]
    fn a_row_that_is_too_long_is_cut_and_reported() {
        let mut reader = RowReader::new(Shape::Lines);
        let mut rows = Vec::new();
        let mut on_row = |row: &Row<'_>| {
            rows.push((row.line, row.problem.is_some(), row.bytes().len()));
            Ok::<(), ()>(())
        };
        for _ in 0..3 {
            reader.feed(&[b'x'; 500_000], &mut on_row).unwrap();
        }
        reader.feed(b"\nok\n", &mut on_row).unwrap();
        assert_eq!(rows, [(1, true, 1_000_000), (2, false, 2)]);
    }
}
