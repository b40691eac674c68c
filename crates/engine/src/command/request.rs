//! Single requests of a chosen version, for those who want to see one answer without a client in between.
//!
//! Who gets them is found out by the Admin client.

use serde::{Deserialize, Serialize};

use super::PartitionName;
use crate::transaction::MarkerKind;

/// A request as it goes over the wire, tagged by `request`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "snake_case", deny_unknown_fields)]
pub enum RawRequest {
    /// InitProducerId.
    InitProducerId {
        /// Whose; absent for a plain idempotent producer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        transactional_id: Option<String>,
        /// The transaction's timeout, 60 s by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<i32>,
        /// The producer id that the sender says it has.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        producer_id: Option<u64>,
        /// The epoch that it says it has.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epoch: Option<u16>,
        /// `Enable2Pc`: an external coordinator decides, and there is no timeout. Needs
        /// `transaction.two.phase.commit.enable` at the brokers.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        enable_2pc: bool,
        /// `KeepPreparedTxn`: an open transaction shall stay. Kafka 4.3.1 has no answer to it yet.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        keep_prepared_txn: bool,
    },
    /// AddPartitionsToTxn.
    AddPartitionsToTxn {
        /// Whose.
        transactional_id: String,
        /// The producer id.
        producer_id: u64,
        /// Its epoch.
        epoch: u16,
        /// The partition.
        partition: PartitionName,
        /// The API version.
        api_version: u16,
    },
    /// EndTxn.
    EndTxn {
        /// Whose.
        transactional_id: String,
        /// The producer id.
        producer_id: u64,
        /// Its epoch.
        epoch: u16,
        /// Commit or abort.
        end: MarkerKind,
        /// The API version.
        api_version: u16,
    },
    /// Produce of one batch; record i has the key `k<i>` and the value `<value_prefix><sequence>`.
    Produce {
        /// Set for transactional batches.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        transactional_id: Option<String>,
        /// The partition.
        partition: PartitionName,
        /// The producer id.
        producer_id: u64,
        /// Its epoch.
        epoch: u16,
        /// Sequence of the first record.
        base_sequence: i32,
        /// How many records.
        records: u32,
        /// Text before the sequence in each value.
        value_prefix: String,
        /// The API version.
        api_version: u16,
        /// 0, 1 or -1.
        acks: i16,
        /// An explicit timestamp of the records, in milliseconds after the start of the run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timestamp_ms: Option<i64>,
    },
    /// WriteTxnMarkers straight to a partition's leader, as `kafka-transactions.sh abort` sends it.
    AbortPartition {
        /// The partition.
        partition: PartitionName,
        /// The producer id.
        producer_id: u64,
        /// Its epoch.
        epoch: u16,
        /// The coordinator's epoch.
        coordinator_epoch: u32,
    },
}
