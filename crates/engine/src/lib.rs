//! The simulator: time, network, brokers, controller and clients of one Kafka cluster.
//!
//! Truth is a scenario, its seed and the commands given to it; everything else is derived. Nothing
//! here knows a clock, a browser or a thread. Read the modules in this order.

pub mod time;

pub mod size;

pub mod error;

pub mod scenario;

pub mod command;

pub mod event;

pub mod transaction;

pub mod group;

pub mod share;

pub mod standstill;

pub mod snapshot;

pub mod log_view;

pub mod config_view;

pub mod internal_partition;

mod digest;
mod message;
mod outbox;
mod processed;
mod queue;
pub mod re2j;
pub mod rng;

mod broker;
mod controller;
mod coordinator;
mod storage;

pub mod client;

pub mod simulation;

pub mod timeline;

mod checks;

pub mod limits;

pub mod order;

pub mod version;

pub use command::{Command, Outcome, RecordMetadata, Status};
pub use error::{InputError, KafkaError};
pub use event::{Event, EventKind, Moment, NodeId};
pub use scenario::Scenario;
pub use simulation::Simulation;
pub use snapshot::Snapshot;
pub use time::{Duration, Time};
pub use timeline::{Observer, Timeline};
