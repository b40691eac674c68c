//! The Kafka version that a scenario may name, and every difference between versions as a predicate.
//!
//! There is one version for now, so there is no predicate yet.

/// The simulated version of Apache Kafka.
pub const KAFKA: &str = "4.3.1";
