//! Transactions from outside: requests, coordinators, markers and clients of a running cluster.
//!
//! Each file is about one part; what single functions decide is tested beside them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]

mod coordinator;
mod failover;
mod java;
mod logs;
mod offsets;
mod run;
