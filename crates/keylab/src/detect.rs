//! What an input looks like: lines or CSV, which delimiter, a header or none, which column holds keys and counts.
//!
//! Deliberately not here: certainty. The answer is shown to the reader, who can overrule each part of it.

use crate::{
    Column, InputError, ParseOptions,
    rows::{Row, RowReader, Shape},
};

/// How an input is cut into fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Find out.
    #[default]
    Auto,
    /// One key a line.
    Lines,
    /// CSV with commas.
    Comma,
    /// CSV with semicolons.
    Semicolon,
    /// Columns separated by tabs.
    Tab,
}

impl Format {
    /// Every format with its name in links and its words for a menu.
    pub const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Auto, "auto", "Find out"),
        (Self::Lines, "lines", "One key a line"),
        (Self::Comma, "comma", "CSV, comma"),
        (Self::Semicolon, "semicolon", "CSV, semicolon"),
        (Self::Tab, "tab", "Tab-separated"),
    ];

    /// The name in links.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The words for a menu.
    pub fn words(self) -> &'static str {
        Self::ALL[self as usize].2
    }

    /// The format with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|entry| entry.1 == name).map(|entry| entry.0)
    }

    pub(crate) fn shape(self) -> Shape {
        match self {
            Self::Auto | Self::Lines => Shape::Lines,
            Self::Comma => Shape::Fields { delimiter: b',' },
            Self::Semicolon => Shape::Fields { delimiter: b';' },
            Self::Tab => Shape::Fields { delimiter: b'\t' },
        }
    }
}

/// Is the first row a header?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Header {
    /// Find out; an input of one key a line has none.
    #[default]
    Auto,
    /// Yes.
    Present,
    /// No.
    Absent,
}

/// How an input was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The format; never [`Format::Auto`].
    pub format: Format,
    /// Was the first row taken as a header?
    pub header: bool,
    /// Names from the header, or "column 1" and so on.
    pub columns: Vec<String>,
    /// Position of the column that holds the keys, from 0.
    pub key_column: usize,
    /// Position of the column that holds the counts, from 0.
    pub count_column: Option<usize>,
}

impl Layout {
    /// The layout of an input that starts with `head`. `whole` says that nothing follows.
    ///
    /// # Errors
    /// [`InputError::UnknownColumn`] if a column was asked for that is not there.
    pub(crate) fn of(head: &[u8], whole: bool, options: &ParseOptions) -> Result<Self, InputError> {
        let format = match options.format {
            Format::Auto => format_of(head, whole),
            chosen => chosen,
        };
        let sample = Sample::of(head, whole, format.shape());
        let header = match options.header {
            Header::Present => true,
            Header::Absent => false,
            Header::Auto => format != Format::Lines && sample.has_header(),
        };
        let first = sample.rows.first();
        let columns: Vec<String> = match first {
            Some(names) if header => names.iter().map(|name| name.trim().to_owned()).collect(),
            _ => (1..=first.map_or(1, Vec::len)).map(|number| format!("column {number}")).collect(),
        };
        let line = sample.first_line;
        let count_column = match &options.count_column {
            None => None,
            Some(Column::Auto) => header.then(|| auto_count(&columns)).flatten(),
            Some(column) => Some(resolve(column, &columns, line)?),
        };
        let key_column = match &options.key_column {
            Column::Auto => auto_key(header, &columns, count_column),
            column => resolve(column, &columns, line)?,
        };
        Ok(Self { format, header, columns, key_column, count_column })
    }
}

/// The first rows of an input as text.
struct Sample {
    rows: Vec<Vec<String>>,
    first_line: u32,
}

impl Sample {
    const ROWS_MAX: usize = 50;

    fn of(head: &[u8], whole: bool, shape: Shape) -> Self {
        let mut sample = Self { rows: Vec::new(), first_line: 1 };
        let mut on_row = |row: &Row<'_>| {
            if sample.rows.len() == Self::ROWS_MAX {
                return Err(());
            }
            if !row.is_blank() {
                if sample.rows.is_empty() {
                    sample.first_line = row.line;
                }
                let fields = (0..row.field_count()).filter_map(|index| row.field(index));
                sample.rows.push(fields.map(|field| String::from_utf8_lossy(field).into_owned()).collect());
            }
            Ok(())
        };
        let mut reader = RowReader::new(shape);
        // An error means that there are rows enough. A last row that the head cuts off says nothing about columns,
        // unless it is all there is.
        let _enough = reader.feed(head, &mut on_row);
        if whole {
            let _enough = reader.finish(&mut on_row);
        }
        sample
    }

    /// The share of rows, in percent, that have the most common number of fields, and that number.
    fn regularity(&self) -> (usize, usize) {
        let mut lengths: Vec<usize> = self.rows.iter().map(Vec::len).collect();
        lengths.sort_unstable();
        let runs = lengths.chunk_by(|a, b| a == b).map(|run| (run.len() * 100 / lengths.len(), run[0]));
        runs.max().unwrap_or((0, 0))
    }

    fn has_header(&self) -> bool {
        let Some((first, rest)) = self.rows.split_first() else {
            return false;
        };
        let named = first.iter().any(|name| is_key_name(name) || is_count_name(name));
        let number_below = |index: usize| {
            !rest.is_empty() && rest.iter().all(|row| row.get(index).is_some_and(|field| is_number(field)))
        };
        let is_heading = |(index, name): (usize, &String)| !is_number(name) && number_below(index);
        named && !first.iter().any(|name| is_number(name)) || first.iter().enumerate().any(is_heading)
    }
}

fn format_of(head: &[u8], whole: bool) -> Format {
    let lines = Sample::of(head, whole, Shape::Lines).rows;
    let count_where = |test: fn(&str) -> bool| lines.iter().filter(|row| test(&row[0])).count();
    // A line of JSON is full of commas, and it is one key.
    if count_where(|line| line.starts_with(['{', '['])) * 2 > lines.len() {
        return Format::Lines;
    }
    let candidates = [Format::Comma, Format::Semicolon, Format::Tab];
    let best = candidates
        .map(|format| (Sample::of(head, whole, format.shape()).regularity(), format))
        .into_iter()
        .filter(|((percent, fields), _)| *percent >= 60 && *fields >= 2)
        // The last of equals wins: commas stand inside texts and numbers more often than the others do.
        .max_by_key(|(regularity, _)| *regularity);
    match best {
        Some((_, format)) => format,
        None if !lines.is_empty() && count_where(is_quoted) == lines.len() => Format::Comma,
        None => Format::Lines,
    }
}

fn is_quoted(line: &str) -> bool {
    line.len() >= 2 && line.starts_with('"') && line.ends_with('"')
}

const KEY_NAMES: [&str; 10] =
    ["key", "message_key", "record_key", "kafka_key", "id", "uuid", "user", "user_id", "customer_id", "account_id"];
const COUNT_NAMES: [&str; 8] =
    ["count", "count(*)", "counts", "records", "messages", "weight", "frequency", "message_count"];

fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

fn is_key_name(name: &str) -> bool {
    let name = plain(name);
    KEY_NAMES.contains(&name.as_str()) || name.ends_with("_key") || name.ends_with("_id")
}

fn is_count_name(name: &str) -> bool {
    COUNT_NAMES.contains(&plain(name).as_str())
}

/// What `f64` can be read from. The standard library's reader is not asked, its tables are large.
fn is_number(field: &str) -> bool {
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let text = without_sign(field.trim());
    if ["inf", "infinity", "nan"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return true;
    }
    let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent = without_sign(exponent);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    has_digits && !exponent.is_empty() && [whole, fraction, exponent].into_iter().all(is_digits)
}

fn without_sign(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

fn auto_count(columns: &[String]) -> Option<usize> {
    columns.iter().position(|name| is_count_name(name))
}

fn auto_key(header: bool, columns: &[String], count_column: Option<usize>) -> usize {
    let find = |test: &dyn Fn(&str) -> bool| columns.iter().position(|name| test(&plain(name)));
    let named = || {
        let listed = || find(&|name| KEY_NAMES.contains(&name));
        find(&|name| name == "key").or_else(listed).or_else(|| find(&is_key_name))
    };
    let first_free = || (0..columns.len()).find(|index| Some(*index) != count_column);
    header.then(named).flatten().or_else(first_free).unwrap_or(0)
}

fn resolve(column: &Column, columns: &[String], line: u32) -> Result<usize, InputError> {
    let found = match column {
        Column::Auto => Some(0),
        Column::Number(number) => number.checked_sub(1).filter(|index| *index < columns.len()),
        Column::Name(wanted) => columns
            .iter()
            .position(|name| name == wanted.trim())
            .or_else(|| columns.iter().position(|name| plain(name) == plain(wanted))),
    };
    found.ok_or_else(|| InputError::UnknownColumn {
        line,
        wanted: column.to_string(),
        columns: columns.iter().map(|name| format!("\"{name}\"")).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Format, Layout};
    use crate::ParseOptions;

    /// Format, header, key column, count column.
    #[track_caller]
    fn check(head: &str, expected: (Format, bool, usize, Option<usize>)) {
        let layout = Layout::of(head.as_bytes(), true, &ParseOptions::default()).unwrap();
        let got = (layout.format, layout.header, layout.key_column, layout.count_column);
        assert_eq!(got, expected, "{head:?} as {:?}", layout.columns);
    }

    #[test]
    fn plain_keys_are_lines() {
        check("", (Format::Lines, false, 0, None));
        check("user-1\nuser-2\n", (Format::Lines, false, 0, None));
        check("key\nuser-2\n", (Format::Lines, false, 0, None));
        check("a, b\nc\nd\ne", (Format::Lines, false, 0, None));
        check("{\"a\":1,\"b\":2}\n{\"a\":1,\"b\":3}\n", (Format::Lines, false, 0, None));
    }

    #[test]
    fn delimiters_are_found_by_regular_rows() {
        check("a,1\nb,2\n", (Format::Comma, false, 0, None));
        check("a;1,5\nb;2,5\n", (Format::Semicolon, false, 0, None));
        check("a\t1\nb\t2\n", (Format::Tab, false, 0, None));
        check("\"a, b\"\n\"c\"\n", (Format::Comma, false, 0, None));
        check("\"x,y\",1\nb,2\n", (Format::Comma, false, 0, None));
    }

    #[test]
    fn numbers_are_what_a_float_can_be_read_from() {
        for text in ["1", " -2.5 ", "+.5", "5.", "1e9", "1E-9", "inf", "-Infinity", "NaN"] {
            assert!(super::is_number(text) && text.trim().parse::<f64>().is_ok(), "{text}");
        }
        for text in ["", ".", "-", "e5", "1e", "1e+-5", "1,5", "0x10", "١", "user-1"] {
            assert!(!super::is_number(text) && text.trim().parse::<f64>().is_err(), "{text}");
        }
    }

    #[test]
    fn headers_name_the_columns() {
        check("key,count\nuser-1,5\n", (Format::Comma, true, 0, Some(1)));
        check("count;user id\n5;user-1\n", (Format::Semicolon, true, 1, Some(0)));
        check("region,order_key\neu,a\n", (Format::Comma, true, 1, None));
        check("region,name\neu,a\n", (Format::Comma, false, 0, None));
        check("region,order_key,records\neu,a,3\n", (Format::Comma, true, 1, Some(2)));
        check("name,size\nfoo,5\nbar,7\n", (Format::Comma, true, 0, None));
        check("1,2\n3,4\n", (Format::Comma, false, 0, None));
    }
}
