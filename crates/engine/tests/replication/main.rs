//! Replication as people and lessons see it, on whole clusters with faults.
//!
//! Times and offsets are those of the lessons. Single rules are tested beside their code.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]

mod disks;
mod elections;
mod epochs;
mod high_watermark;
mod in_sync;
mod moves;
mod nearby;
mod run;
