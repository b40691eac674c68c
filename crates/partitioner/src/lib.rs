//! Which partition of a topic a record goes to, for every client library of Apache Kafka that we know of.
//!
//! A producer chooses the partition, not the broker, and client libraries choose differently: the same key sent
//! by two of them can land in two partitions. This crate holds their rules as a [catalogue](clients): the hash of
//! the key, what happens to its sign, what an empty or a missing key means, and the state machines ([`Keyless`])
//! that place records whose key decides nothing.
//!
//! ```
//! let java = partitioner::client("java").expect("java is in the catalogue");
//! let python = partitioner::client("confluent-kafka-python").expect("it is in the catalogue");
//! assert_eq!(java.partition(Some(b"21"), 12), Some(0));
//! assert_eq!(python.partition(Some(b"21"), 12), Some(4));
//!
//! assert_eq!(
//!     java.explain(Some(b"cust-2"), 6).sentence(),
//!     "cust-2 hashes to -1762245835; sign bit cleared 385237813; 385237813 mod 6 is 1."
//! );
//! ```
//!
//! Reading order: the catalogue ([`Client`]), [`KeyRule`], [`HashFunction`], [`SignRule`], [`Explanation`],
//! [`Keyless`], [`encoding`].
//!
//! Deliberately not here: a Kafka client. Nothing connects to anything, no clock is read, and randomness is
//! passed in by the caller.

#![no_std]

extern crate alloc;

mod catalogue;

pub mod encoding;
mod explain;
pub mod hash;
mod keyless;
mod placement;
mod rule;
mod sign;

pub use catalogue::{Client, client, clients};
pub use explain::{Decision, Explanation, Hashed, NotHashed, Step, StepKind};
pub use hash::{HashFunction, HashValue};
pub use keyless::{Keyless, KeylessSettings, Random, View};
pub use rule::{EmptyRule, HashInput, KeyRule, KeylessRule, NullRule, Over, Start};
pub use sign::{FastModulo, SignRule};
