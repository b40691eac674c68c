//! Settings that only librdkafka has, and its defaults that depend on others.
//!
//! Deliberately not here: settings that it shares with the Java client. Those are in `producer/settings.rs`.

use std::collections::BTreeMap;

use crate::client::producer::settings::Settings as Shared;
use crate::event::Name;
use crate::time::Duration;

/// `RD_KAFKA_IDEMP_MAX_INFLIGHT`: a broker remembers that many batches.
const IDEMPOTENT_IN_FLIGHT_MAX: u32 = 5;
/// Fixed parts of a Produce request before its batch, and of the batch's header. They count for `batch.size`;
/// the names of client, topic and transaction are added.
const REQUEST_OVERHEAD: u32 = 94;
/// `RD_KAFKAP_MESSAGE_V2_MAX_OVERHEAD`: what a record may take besides its key, value and headers.
pub(super) const RECORD_OVERHEAD_MAX: u32 = 36;

/// What the producer goes by.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Settings {
    pub linger: Duration,
    pub batch_size: u32,
    pub batch_records_max: u32,
    /// `message.max.bytes`.
    pub record_size_max: u32,
    /// `queue.buffering.max.messages`; 0 is no limit.
    pub queue_records_max: u64,
    /// `queue.buffering.max.kbytes`, in bytes.
    pub queue_bytes_max: u64,
    /// `message.timeout.ms`; absent for never.
    pub message_timeout: Option<Duration>,
    pub socket_timeout: Duration,
    pub in_flight_max: u32,
    pub is_idempotent: bool,
    pub is_gapless: bool,
    pub transactional_id: Option<Name>,
    pub transaction_timeout: Duration,
    /// `topic.metadata.propagation.max.ms`.
    pub propagation_max: Duration,
    /// `topic.metadata.refresh.fast.interval.ms`.
    pub refresh_fast: Duration,
    /// `topic.metadata.refresh.interval.ms`; absent for never.
    pub refresh_interval: Option<Duration>,
    /// Bytes of a request besides records and the topic's name.
    pub request_overhead: u32,
}

impl Settings {
    /// Defaults with the given configs on top. The configs are valid.
    pub fn new(shared: &Shared, configs: &BTreeMap<Name, Name>) -> Settings {
        let given = |names: &[&str]| names.iter().find_map(|name| configs.get(*name)).map(|value| value.trim());
        let number = |names: &[&str]| given(names).and_then(|value| value.parse::<u64>().ok());
        let millis = |names: &[&str]| number(names).map(Duration::from_millis);
        let is_on = |name: &str| given(&[name]).is_some_and(|value| matches!(value, "true" | "t" | "1"));
        let transactional_id = configs.get("transactional.id").filter(|id| !id.is_empty()).cloned();
        let is_idempotent = shared.is_idempotent || transactional_id.is_some();
        let transaction_timeout = millis(&["transaction.timeout.ms"]).unwrap_or(Duration::from_secs(60));
        // rd_kafka_conf_finalize: a request has to end before its transaction does.
        let default_timeout = match &transactional_id {
            Some(_) => transaction_timeout,
            None => Duration::from_secs(300),
        };
        let message_timeout = millis(&["message.timeout.ms", "delivery.timeout.ms"]).unwrap_or(default_timeout);
        let default_socket = match &transactional_id {
            Some(_) => Duration::from_millis((transaction_timeout.millis().saturating_sub(100)).max(900)),
            None => shared.answer_timeout,
        };
        let in_flight_max = match is_idempotent {
            true => shared.in_flight_max.min(IDEMPOTENT_IN_FLIGHT_MAX),
            false => shared.in_flight_max,
        };
        let client_id = given(&["client.id"]).unwrap_or("rdkafka");
        let names = client_id.len() + transactional_id.as_ref().map_or(0, |id| id.len());
        let refresh = given(&["topic.metadata.refresh.interval.ms"]);
        Settings {
            linger: shared.linger,
            batch_size: shared.batch_size,
            batch_records_max: shared.batch_records_max,
            record_size_max: number(&["message.max.bytes"]).map_or(1_000_000, |bytes| bytes as u32),
            queue_records_max: number(&["queue.buffering.max.messages"]).unwrap_or(100_000),
            queue_bytes_max: number(&["queue.buffering.max.kbytes"]).unwrap_or(1_048_576) * 1_024,
            message_timeout: Some(message_timeout).filter(|timeout| *timeout > Duration::ZERO),
            socket_timeout: millis(&["socket.timeout.ms"]).unwrap_or(default_socket),
            in_flight_max,
            is_idempotent,
            is_gapless: is_on("enable.gapless.guarantee"),
            transactional_id,
            transaction_timeout,
            propagation_max: millis(&["topic.metadata.propagation.max.ms"]).unwrap_or(Duration::from_secs(30)),
            refresh_fast: millis(&["topic.metadata.refresh.fast.interval.ms"]).unwrap_or(Duration::from_millis(100)),
            refresh_interval: Some(shared.metadata_age_max).filter(|_| refresh != Some("-1")),
            request_overhead: REQUEST_OVERHEAD + names as u32,
        }
    }
}
