//! The clients of the cluster: producers, readers, the Admin client, and their settings.
//!
//! Brokers and the controller are elsewhere.

pub(crate) mod admin;
mod alarm;
pub mod configs;
mod connections;
pub(crate) mod consumer;
pub(crate) mod consumer_call;
pub mod librdkafka;
pub(crate) mod named;
pub(crate) mod producer;
pub(crate) mod reader;
pub(crate) mod share_consumer;
#[cfg(test)]
mod stand;
