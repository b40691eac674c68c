//! The consumer of a group: an application that polls, positions that are committed, and a membership.
//!
//! A reader without a group is in `client/reader.rs`; this builds on it.

pub(crate) mod protocol;
pub(crate) mod settings;
