//! Requests of share groups: heartbeats, fetches with locks, acknowledgements, and the state of share partitions.
//!
//! Follows the request schemas of Kafka 4.3.1. Simplified: a request names all partitions that it is about, where
//! Kafka's share session only tells what changed; states travel one share partition at a time.

use std::rc::Rc;

use super::PartitionResults;
use crate::error::KafkaError;
use crate::event::internal::{ShareKey, ShareState};
use crate::event::{Name, TopicPartition};
use crate::queue::Target;
use crate::share::{AcknowledgeType, DeliveredRecord};
use crate::time::Duration;

/// ShareGroupHeartbeat. What did not change since the last request is absent.
#[derive(Clone, Debug)]
pub(crate) struct ShareGroupHeartbeat {
    pub group: Name,
    pub member: Name,
    /// 0 joins, -1 leaves.
    pub epoch: i32,
    pub client_id: Name,
    pub rack: Option<Name>,
    pub topics: Option<Vec<Name>>,
    pub sender: Target,
}

/// What is said of the records of a partition, by offset, in order.
pub(crate) type Acknowledgements = Vec<(u64, AcknowledgeType)>;

/// ShareFetch.
#[derive(Clone, Debug)]
pub(crate) struct ShareFetch {
    pub group: Name,
    pub member: Name,
    /// Of the share session: 0 opens it.
    pub epoch: i32,
    /// Where records are wanted from.
    pub partitions: Vec<TopicPartition>,
    pub acknowledgements: Vec<(TopicPartition, Acknowledgements)>,
    /// `max.poll.records`: with whole batches it may be somewhat more.
    pub records_max: u32,
    /// `share.acquire.mode=RECORD_LIMIT`: not one record more.
    pub is_limited: bool,
    /// `fetch.max.wait.ms`.
    pub wait_max: Duration,
    pub sender: Target,
}

/// ShareFetch's answer: records that are locked for the member, and what came of its acknowledgements.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShareFetched {
    pub acknowledged: PartitionResults,
    pub records: Vec<(TopicPartition, Result<Vec<DeliveredRecord>, KafkaError>)>,
}

/// ShareAcknowledge.
#[derive(Clone, Debug)]
pub(crate) struct ShareAcknowledge {
    pub group: Name,
    pub member: Name,
    /// Of the share session: -1 ends it, and what is still locked is released.
    pub epoch: i32,
    pub acknowledgements: Vec<(TopicPartition, Acknowledgements)>,
    pub sender: Target,
}

/// InitializeShareGroupState, ReadShareGroupState, WriteShareGroupState or DeleteShareGroupState.
#[derive(Clone, Debug)]
pub(crate) struct ShareStateRequest {
    pub key: ShareKey,
    pub asked: ShareStateAsked,
    pub sender: Target,
}

#[derive(Clone, Debug)]
pub(crate) enum ShareStateAsked {
    /// By the group coordinator: a new state.
    Initialize {
        state_epoch: i32,
        start_offset: Option<u64>,
    },
    /// By the partition's leader, which leads in that epoch.
    Read {
        leader_epoch: u32,
    },
    /// By the partition's leader: only the batches that are others now.
    Write(Rc<ShareState>),
    Delete,
}

/// AlterShareGroupOffsets, by the Admin client.
#[derive(Clone, Debug)]
pub(crate) struct AlterShareOffsets {
    pub group: Name,
    pub offsets: Vec<(TopicPartition, u64)>,
    pub sender: Target,
}

/// DeleteShareGroupOffsets, by the Admin client.
#[derive(Clone, Debug)]
pub(crate) struct DeleteShareOffsets {
    pub group: Name,
    pub topics: Vec<Name>,
    pub sender: Target,
}
