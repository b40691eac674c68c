//! What a person, a lesson or a script may do to a running cluster, and what comes of it.
//!
//! A command says nothing about when: the timeline stores it with its moment.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::KafkaError;
use crate::scenario::{ProducerSpec, Workload};

/// One act. Tagged by `do`, in the words of Kafka's clients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Command {
    /// Admin: create a topic.
    CreateTopic {
        /// Its name.
        topic: String,
        /// Number of partitions; -1 or absent for the broker's default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partitions: Option<i32>,
        /// Replicas of each partition; -1 or absent for the broker's default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replication_factor: Option<i32>,
        /// Replicas per partition, instead of the two numbers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        assignment: Option<Vec<Vec<u32>>>,
        /// Topic settings.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        configs: BTreeMap<String, String>,
    },
    /// Admin: raise the number of partitions.
    CreatePartitions {
        /// The topic.
        topic: String,
        /// The new total.
        partitions: i32,
        /// Replicas of each added partition.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        assignment: Option<Vec<Vec<u32>>>,
    },
    /// Admin: delete a topic.
    DeleteTopic {
        /// The topic.
        topic: String,
    },
    /// Start a producer; one of the same name is closed first, as when a service is deployed again.
    Producer(ProducerSpec),
    /// `producer.send(...)` of one record.
    Send {
        /// The producer's name.
        producer: String,
        /// The topic.
        topic: String,
        /// The key as text; absent for none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
        /// How the key's text becomes bytes; `text` by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key_encoding: Option<String>,
        /// The value; absent for none (a tombstone).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        /// An explicit partition.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        partition: Option<i32>,
    },
    /// `producer.flush()`.
    Flush {
        /// The producer's name.
        producer: String,
    },
    /// `producer.close()`.
    Close {
        /// The producer's name.
        producer: String,
    },
    /// Replace what a producer sends by itself; absent stops it.
    SetWorkload {
        /// The producer's name.
        producer: String,
        /// The new stream of records. Its `start` counts from now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        workload: Option<Workload>,
    },
    /// Fault: the producer's connections break; requests in flight are lost.
    Disconnect {
        /// The producer's name.
        producer: String,
    },
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Which command of the branch this is, from 0.
    pub command: u64,
    /// Whether it is finished.
    pub status: Status,
    /// Partition and offset of a record that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordMetadata>,
    /// Kafka's error, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<KafkaError>,
}

/// How far a command has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The answer needs simulated time; an event will tell.
    Pending,
    /// Done.
    Done,
    /// Refused by Kafka; see the error.
    Failed,
}

/// Where a record was written, as `RecordMetadata` of the clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordMetadata {
    /// The topic.
    pub topic: crate::event::Name,
    /// The partition.
    pub partition: u32,
    /// Its offset; absent when the broker did not tell (acks=0).
    pub offset: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str) {
        let command: Command = serde_json::from_str(json).unwrap();
        let again = serde_json::to_value(&command).unwrap();
        assert_eq!(again, serde_json::from_str::<serde_json::Value>(json).unwrap());
    }

    #[test]
    fn commands_are_read_and_written_as_documented() {
        check(r#"{ "do": "create_partitions", "topic": "events", "partitions": 6 }"#);
        check(
            r#"{ "do": "send", "producer": "orders-service", "topic": "events", "key": "user-1", "value": "login" }"#,
        );
        check(r#"{ "do": "producer", "name": "p", "client": "librdkafka", "configs": { "partitioner": "murmur2" } }"#);
        check(r#"{ "do": "set_workload", "producer": "p" }"#);
        let unknown = serde_json::from_str::<Command>(r#"{ "do": "flush", "producer": "p", "now": true }"#);
        assert!(unknown.is_err_and(|error| error.to_string().contains("now")));
    }
}
