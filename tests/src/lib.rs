//! Proof that the playground answers as Kafka and its client libraries do.
//!
//! Deliberately not here: unit tests, which live beside what they test.

pub mod bench;
pub mod conform;
pub mod crash;
pub mod fuzz;
