//! What can be wrong with an input: one line (listed, reading goes on) or all of it (reading stops).
//!
//! Deliberately not here: errors of settings and links, which live beside their types.

use thiserror::Error;

use crate::{KeyError, limits};

/// Why reading stopped. Every variant names the line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InputError {
    /// UTF-16 instead of UTF-8.
    #[error("line 1: the file is UTF-16 text; save it as UTF-8 and try again")]
    Utf16,
    /// More different keys than the lab holds.
    #[error("line {line}: more than {max} different keys; use a sample of them", max = limits::KEYS_MAX)]
    TooManyKeys {
        /// The line of the first key that does not fit.
        line: u32,
    },
    /// More bytes of keys than the lab holds.
    #[error("line {line}: the keys take more than {max} MiB; use a sample of them", max = limits::KEY_BYTES_MAX >> 20)]
    TooManyKeyBytes {
        /// The line of the first key that does not fit.
        line: u32,
    },
    /// A larger input than the lab reads.
    #[error("line {line}: the input is larger than {max} MiB; use a sample of it", max = limits::INPUT_BYTES_MAX >> 20)]
    TooManyBytes {
        /// The line at which the limit was reached.
        line: u32,
    },
    /// A column that does not exist.
    #[error("line {line}: there is no column {wanted}; the columns are {}", columns.join(", "))]
    UnknownColumn {
        /// The line of the header, or the first row.
        line: u32,
        /// What was asked for.
        wanted: String,
        /// What there is.
        columns: Vec<String>,
    },
}

impl InputError {
    /// The 1-based line that the error is about.
    pub fn line(&self) -> u32 {
        match self {
            Self::Utf16 => 1,
            Self::TooManyKeys { line }
            | Self::TooManyKeyBytes { line }
            | Self::TooManyBytes { line }
            | Self::UnknownColumn { line, .. } => *line,
        }
    }
}

/// A line that gave no key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// 1-based number of the line on which the row starts.
    pub line: u32,
    /// What is wrong with it.
    pub reason: Reason,
    /// The start of the row as it was read, for showing it.
    pub excerpt: String,
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// The key is not written in the chosen notation.
    #[error("{0}")]
    Key(#[from] KeyError),
    /// The row has too few fields.
    #[error("Expected at least {wanted} columns in this row, found {found}.")]
    MissingColumn {
        /// 1-based number of the column that is read.
        wanted: usize,
        /// How many fields the row has.
        found: usize,
    },
    /// The count is not a whole number.
    #[error("Expected a whole number of 0 or more as the count.")]
    CountNotANumber,
    /// The count is too large.
    #[error("The count is larger than {max}.", max = limits::COUNT_MAX)]
    CountTooLarge,
    /// The key is too long.
    #[error("The key has {length} bytes; at most {max} are read.", max = limits::KEY_LENGTH_MAX)]
    KeyTooLong {
        /// Its bytes.
        length: usize,
    },
    /// The row is too long.
    #[error("The row has more than {bytes} bytes or {fields} fields.", bytes = limits::ROW_BYTES_MAX, fields = limits::COLUMNS_MAX)]
    RowTooLong,
    /// A closing quotation mark is followed by text.
    #[error("Text follows a closing quotation mark; inside a quoted field write the mark twice.")]
    TextAfterQuote,
    /// A quoted field is still open at the end of the input.
    #[error("A quotation mark is not closed and takes in all up to line {last_line}; close it or write it twice.")]
    QuoteNotClosed {
        /// The last line of the input.
        last_line: u32,
    },
}

/// The lines that gave no key: the first ones in full, all of them counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BadLines {
    listed: Vec<BadLine>,
    count: u32,
}

impl BadLines {
    /// The first [`BAD_LINES_LISTED_MAX`](limits::BAD_LINES_LISTED_MAX) bad lines, in the order of the input.
    pub fn listed(&self) -> &[BadLine] {
        &self.listed
    }

    /// How many there are in all.
    pub fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn push(&mut self, line: u32, reason: Reason, row: &[u8]) {
        const EXCERPT_BYTES: usize = 80;
        self.count += 1;
        if self.listed.len() < limits::BAD_LINES_LISTED_MAX {
            let shown = &row[..row.len().min(EXCERPT_BYTES)];
            // A cut in the middle of a character is not the reader's mistake: leave the broken tail out.
            let shown = match std::str::from_utf8(shown) {
                Err(error) if error.error_len().is_none() => &shown[..error.valid_up_to()],
                _ => shown,
            };
            self.listed.push(BadLine { line, reason, excerpt: String::from_utf8_lossy(shown).into_owned() });
        }
    }
}
