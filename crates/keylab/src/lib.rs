//! The arithmetic of the key lab: a reader's own keys, placed by any clients into any partition counts.
//!
//! [`Parser`] reads keys from pieces of a file, [`Analysis`] places them in steps, [`Report`] says where clients
//! agree, what moves when the count changes and how even the load is, [`Selection`] filters and sorts for a table,
//! [`Export`] writes CSV and [`Settings`] become a link.
//!
//! ```
//! use keylab::{Analysis, ParseOptions, Parser, Plan};
//!
//! let mut parser = Parser::new(ParseOptions::default());
//! parser.feed(b"user-1\nuser-2\nuser-3\n")?;
//! let parsed = parser.finish()?;
//!
//! let plan = Plan::new(&["java", "librdkafka"], &[3, 6])?;
//! let mut analysis = Analysis::new(&parsed.keys, plan);
//! while !analysis.advance(&parsed.keys, 10_000).is_done() {}
//! let report = analysis.finish();
//! assert_eq!(report.agreement(1, 0, 1).keys.to_string(), "33.33 %");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: [`limits`], `encoding`, `rows`, `detect`, `parser`, `keys`, `plan`, `analysis`, `report`,
//! `selection`, `export`, `settings`.
//!
//! Deliberately not here: the browser. Every piece of work is cut into steps that the caller drives, so the same
//! code runs in a page without blocking it, in a worker, and natively. Counts are integers; a percentage is made
//! only where it is printed.

mod analysis;
mod detect;
mod encoding;
mod error;
mod export;
mod keys;
pub mod limits;
mod parser;
mod plan;
mod report;
mod rows;
mod selection;
mod settings;

pub use analysis::{Analysis, Progress};
pub use detect::{Format, Header, Layout};
pub use encoding::{KeyEncoding, KeyError};
pub use error::{BadLine, BadLines, InputError, Reason};
pub use export::{Export, ExportOptions};
pub use keys::Keys;
pub use parser::{Column, ParseOptions, Parsed, Parser};
pub use plan::{Place, Plan, PlanError};
pub use report::{Load, Overlap, Report, Share};
pub use selection::{Filter, Order, Selection};
pub use settings::{LinkError, Settings, keys_from_link, keys_to_link};
