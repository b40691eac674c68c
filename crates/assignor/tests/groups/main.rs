//! Whole groups through every assignor: the lessons' numbers, inputs at the edge, and what holds for any group.
//!
//! Recordings of Kafka's own classes are replayed elsewhere, by the workspace's conformance runner.

mod corners;
mod lessons;
mod librdkafka;
mod properties;
mod support;
