//! Proof that the playground answers as Kafka and its client libraries do.
//!
//! Deliberately not here: unit tests, which live beside what they test.

mod at_rest;
pub mod bench;
pub mod conform;
pub mod crash;
pub mod fuzz;
