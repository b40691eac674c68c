//! librdkafka's producer among brokers that the test plays.
//!
//! Whole clusters are tested with recordings.
