//! Which member of a group gets which partitions, for every assignor of Apache Kafka 4.3.1.
//!
//! An assignor is a pure function: members with their subscriptions and what they held before, topics with their
//! partitions, and out comes a list of partitions for every member. [`client`] has the assignors that the leader
//! of a classic group runs (range, roundrobin, sticky, cooperative-sticky), [`server`] those that the coordinator
//! runs for a group of the consumer protocol (uniform, range), [`share`] the one for share groups (simple).
//!
//! ```
//! use assignor::client::{Assignor, Group, Member, Topic};
//!
//! let topics = [Topic::new("orders", 3)];
//! let member = |id| Member { id, topics: &[0], ..Member::default() };
//! let members = [member("c1"), member("c2")];
//! let assignment = Assignor::Range.assign(&Group { topics: &topics, members: &members })?;
//! let partitions = |member: usize| assignment[member].iter().map(|own| own.partition).collect::<Vec<_>>();
//! assert_eq!((partitions(0), partitions(1)), (vec![0, 1], vec![2]));
//! # Ok::<(), assignor::AssignorError>(())
//! ```
//!
//! The answers are those of Kafka's own classes for the same input, down to the order inside a list. Kafka walks
//! through hash maps in several places; [`java`] gives their order.
//!
//! Reading order: [`TopicPartition`], [`AssignorError`], [`client`], [`server`], [`share`], [`java`].
//!
//! Deliberately not here: groups. Nothing joins, leaves or waits, and no name of a topic is looked up: topics and
//! members are numbered by their place in the input.

#![no_std]

extern crate alloc;

mod check;
mod error;
mod partition;
mod runs;

pub mod client;
pub mod java;
pub mod server;
pub mod share;

pub use error::{AssignorError, InputProblem};
pub use partition::{Assignment, TopicPartition, Uuid};
