//! Tables of kafka-transactions.sh: each column as wide as its widest cell, and a tab after each cell.
//!
//! Other tools print lists, not tables.

use crate::Printed;

/// Prints the headers and the rows.
pub(super) fn print_table(headers: &[&str], rows: &[Vec<String>], printed: &mut Printed) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([headers[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headers.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells.zip(&widths).map(|(cell, width)| format!("{cell:<width$}\t"));
        padded.collect::<String>() + "\n"
    };
    printed.stdout.push_str(&line(&mut headers.iter().copied()));
    for row in rows {
        printed.stdout.push_str(&line(&mut row.iter().map(String::as_str)));
    }
}
