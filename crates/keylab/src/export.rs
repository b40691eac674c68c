//! Writes keys and their placements as CSV after RFC 4180, row by row.
//!
//! Deliberately not here: files. Rows are appended to bytes; the caller decides how many at a time.

use std::io::Write;

use crate::{KeyEncoding, Keys, Report, encoding::hex};

/// What an export holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportOptions {
    /// The notation of the key column.
    pub encoding: KeyEncoding,
    /// Put an apostrophe before texts that a spreadsheet would run as a formula. `key_hex` is always exact.
    pub guard_formulas: bool,
}

/// A writer of rows.
#[derive(Clone, Copy, Debug)]
pub struct Export {
    options: ExportOptions,
}

impl Export {
    /// A writer; it keeps nothing between rows.
    pub fn new(options: ExportOptions) -> Self {
        Self { options }
    }

    /// Appends the header: `line,key,key_hex,records`, one column per client and count, then `clients_disagree` and
    /// `moves`.
    pub fn header(&self, report: &Report, out: &mut Vec<u8>) {
        out.extend_from_slice(b"line,key,key_hex,records");
        let plan = report.plan();
        for place in plan.places() {
            let name = format!("{} of {}", plan.clients()[place.client].id, plan.counts()[place.count]);
            out.push(b',');
            write_field(&name, out);
        }
        out.extend_from_slice(b",clients_disagree,moves\r\n");
    }

    /// Appends the row of one key. A partition that the key does not decide is an empty field.
    pub fn row(&self, keys: &Keys, report: &Report, key: usize, out: &mut Vec<u8>) {
        let to_memory = "writing into memory succeeds";
        write!(out, "{},", keys.line(key)).expect(to_memory);
        let text = self.options.encoding.show(keys.key(key));
        if self.options.guard_formulas && is_formula(&text) {
            write_field(&format!("'{text}"), out);
        } else {
            write_field(&text, out);
        }
        write!(out, ",{},{}", hex(keys.key(key)), keys.weight(key)).expect(to_memory);
        for place in report.plan().places() {
            out.push(b',');
            if let Some(partition) = report.partition(place, key) {
                write!(out, "{partition}").expect(to_memory);
            }
        }
        let (disagree, moves) = (report.disagrees(key, None), report.key_moves(key, None));
        write!(out, ",{},{}\r\n", yes_no(disagree), yes_no(moves)).expect(to_memory);
    }
}

/// Appends a field, quoted if it needs to be. An empty field is quoted too, so that an empty key is not a blank line.
pub(crate) fn write_field(text: &str, out: &mut Vec<u8>) {
    let outer_space = text.trim().len() < text.len();
    if !text.is_empty() && !outer_space && !text.contains([',', ';', '\t', '"', '\r', '\n']) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

/// Would a spreadsheet run this text? A plain number with a sign is only a number.
fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) && text.parse::<i64>().is_err()
}

fn yes_no(answer: bool) -> &'static str {
    if answer { "yes" } else { "no" }
}

#[cfg(test)]
mod tests {
    use super::{Export, ExportOptions};
    use crate::{Analysis, Column, Format, Header, KeyEncoding, ParseOptions, Parser, Plan};

    #[track_caller]
    fn check(input: &[u8], encoding: KeyEncoding, guard_formulas: bool, expected: &[&str]) {
        let options =
            ParseOptions { encoding, format: Format::Comma, header: Header::Absent, ..ParseOptions::default() };
        let mut parser = Parser::new(options.clone());
        parser.feed(input).unwrap();
        let keys = parser.finish().unwrap().keys;
        let mut analysis = Analysis::new(&keys, Plan::new(&["java", "librdkafka"], &[6]).unwrap());
        analysis.advance(&keys, usize::MAX);
        let report = analysis.finish();
        let export = Export::new(ExportOptions { encoding, guard_formulas });
        let mut out = Vec::new();
        export.header(&report, &mut out);
        (0..keys.len()).for_each(|key| export.row(&keys, &report, key, &mut out));
        let text = String::from_utf8(out.clone()).unwrap();
        let (header, rows) = text.split_once("\r\n").unwrap();
        assert_eq!(header, "line,key,key_hex,records,java of 6,librdkafka of 6,clients_disagree,moves");
        assert_eq!(rows.split_terminator("\r\n").collect::<Vec<_>>(), expected);

        // The exact bytes come back from the hex column.
        let again = ParseOptions {
            encoding: KeyEncoding::Hex,
            header: Header::Present,
            key_column: Column::Name("key_hex".into()),
            ..options
        };
        let mut parser = Parser::new(again);
        parser.feed(&out).unwrap();
        let read = parser.finish().unwrap();
        assert_eq!(read.bad_lines.count(), 0);
        assert!((0..keys.len()).all(|key| read.keys.key(key) == keys.key(key)));
    }

    #[test]
    fn fields_are_quoted_where_needed() {
        check(
            b"user-3\n\"a,\"\"b\"\"\"\n\"\"\n",
            KeyEncoding::Text,
            true,
            &["1,user-3,757365722d33,1,5,0,yes,no", "2,\"a,\"\"b\"\"\",612c226222,1,0,3,yes,no", "3,\"\",,1,3,,no,no"],
        );
    }

    #[test]
    fn formulas_are_guarded_and_numbers_are_not() {
        check(b"=1+1\n-5\n", KeyEncoding::Text, true, &["1,'=1+1,3d312b31,1,4,0,yes,no", "2,-5,2d35,1,3,1,yes,no"]);
        check(b"=1+1\n", KeyEncoding::Text, false, &["1,=1+1,3d312b31,1,4,0,yes,no"]);
        check(b"42\n", KeyEncoding::Int32, true, &["1,42,0000002a,1,0,0,no,no"]);
    }
}
