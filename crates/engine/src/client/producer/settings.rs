//! A producer's settings, resolved from its library's defaults and the configs that were given.
//!
//! Validation is in `client/configs`; this only reads values that have passed it.

use std::collections::BTreeMap;

use partitioner::{Client, KeylessRule, KeylessSettings};

use crate::client::configs::ConfigLibrary;
use crate::event::Codec;
use crate::event::Name;
use crate::message::Acks;
use crate::time::Duration;

/// How a client library behaves between `send` and the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// The Java client: `send` blocks for metadata, one request carries batches of many partitions.
    Java,
    /// librdkafka and its bindings: nothing blocks, one request for each partition.
    Librdkafka,
    /// Every other library. Simplified: it batches like the Java client, but sends at once.
    Other,
}

/// Families of the catalogue that send through the Java client.
const ON_JAVA: [&str; 7] =
    ["java", "kafka-streams", "kafka-connect", "mirrormaker-2", "logstash", "flink", "spring-cloud-stream"];
/// Families of the catalogue that send through librdkafka.
const ON_LIBRDKAFKA: [&str; 15] = [
    "librdkafka",
    "confluent-kafka-python",
    "confluent-kafka-go",
    "confluent-kafka-dotnet",
    "confluent-kafka-javascript",
    "node-rdkafka",
    "rust-rdkafka",
    "php-rdkafka",
    "hw-kafka-client",
    "swift-kafka-client",
    "kcat",
    "fluent-bit",
    "vector",
    "quix-streams",
    "karafka",
];

/// Entries of the catalogue with a Java client up to 2.5.
const OLD_POOL: [&str; 3] = ["java-2.4", "java-2.4-round-robin", "java-2.4-uniform-sticky"];

impl Dialect {
    /// The dialect of a catalogue entry.
    pub fn of(client: &Client) -> Dialect {
        if ON_LIBRDKAFKA.contains(&client.family) {
            Dialect::Librdkafka
        } else if ON_JAVA.contains(&client.family) {
            Dialect::Java
        } else {
            Dialect::Other
        }
    }

    /// The library whose configuration names apply.
    pub fn configs(self) -> ConfigLibrary {
        match self {
            Dialect::Java => ConfigLibrary::Java,
            Dialect::Librdkafka => ConfigLibrary::Librdkafka,
            Dialect::Other => ConfigLibrary::Other,
        }
    }
}

/// What the producer goes by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    pub batch_size: u32,
    pub batch_records_max: u32,
    pub linger: Duration,
    pub sticky_linger: Option<Duration>,
    pub metadata_age_max: Duration,
    /// `metadata.max.idle.ms`
    pub metadata_idle_max: Duration,
    pub block_max: Duration,
    pub buffer_memory: u64,
    pub codec: Codec,
    /// Up to 2.5 an exhausted pool had another error.
    pub has_old_pool: bool,
    /// `partitioner.availability.timeout.ms`, if it is set.
    pub availability: Option<Duration>,
    pub delivery_timeout: Duration,
    pub request_timeout: Duration,
    /// When a request that is not answered breaks the connection: in Java as above, in librdkafka
    /// `socket.timeout.ms`.
    pub answer_timeout: Duration,
    pub retries: u32,
    pub backoff: Duration,
    pub backoff_max: Duration,
    pub reconnect_backoff: Duration,
    pub reconnect_backoff_max: Duration,
    pub request_size_max: u32,
    pub in_flight_max: u32,
    pub acks: Acks,
    pub is_idempotent: bool,
    pub transactional_id: Option<Name>,
    pub transaction_timeout: Duration,
    /// `transaction.two.phase.commit.enable`
    pub is_two_phase: bool,
    pub ignore_keys: bool,
    pub adaptive: bool,
}

impl Settings {
    /// Defaults of the library with the given configs on top. The configs are valid.
    pub fn new(client: &Client, dialect: Dialect, configs: &BTreeMap<String, String>) -> Settings {
        let mut settings = Settings::defaults(client, dialect);
        for (name, value) in configs {
            settings.set(name, value);
        }
        if dialect != Dialect::Librdkafka {
            // `InFlightRequests.hasExpiredRequest`: only after more than the timeout, so that what a broker says
            // at its end still counts.
            settings.answer_timeout = Duration(settings.request_timeout.0 + 1_000);
        }
        if dialect == Dialect::Java && !configs.contains_key("enable.idempotence") {
            // ProducerConfig turns it off when acks or retries rule it out.
            settings.is_idempotent &= settings.acks == Acks::All && settings.retries > 0;
        }
        if dialect == Dialect::Java && !configs.contains_key("delivery.timeout.ms") {
            // KafkaProducer.configureDeliveryTimeout raises the default instead of failing.
            let least = Duration(settings.linger.0 + settings.request_timeout.0);
            settings.delivery_timeout = settings.delivery_timeout.max(least);
        }
        settings
    }

    fn defaults(client: &Client, dialect: Dialect) -> Settings {
        let is_old_java = dialect == Dialect::Java && client.id != "java" && client.keyless != KeylessRule::StickyBytes;
        let java = Settings {
            batch_size: 16_384,
            batch_records_max: u32::MAX,
            linger: Duration::from_millis(if is_old_java { 0 } else { 5 }),
            sticky_linger: None,
            metadata_age_max: Duration::from_secs(300),
            metadata_idle_max: Duration::from_secs(300),
            block_max: Duration::from_secs(60),
            buffer_memory: 33_554_432,
            codec: Codec::None,
            has_old_pool: is_old_java && OLD_POOL.contains(&client.id),
            availability: None,
            delivery_timeout: Duration::from_secs(120),
            request_timeout: Duration::from_secs(30),
            answer_timeout: Duration::from_secs(30),
            retries: i32::MAX as u32,
            backoff: Duration::from_millis(100),
            backoff_max: Duration::from_secs(1),
            reconnect_backoff: Duration::from_millis(50),
            reconnect_backoff_max: Duration::from_secs(1),
            request_size_max: 1_048_576,
            in_flight_max: 5,
            is_idempotent: !is_old_java,
            transactional_id: None,
            transaction_timeout: Duration::from_secs(60),
            is_two_phase: false,
            acks: if is_old_java { Acks::Leader } else { Acks::All },
            ignore_keys: false,
            adaptive: true,
        };
        match dialect {
            Dialect::Java => java,
            Dialect::Librdkafka => Settings {
                batch_size: 1_000_000,
                batch_records_max: 10_000,
                delivery_timeout: Duration::from_secs(300),
                answer_timeout: Duration::from_secs(60),
                reconnect_backoff: Duration::from_millis(100),
                reconnect_backoff_max: Duration::from_secs(10),
                in_flight_max: 1_000_000,
                is_idempotent: false,
                ..java
            },
            Dialect::Other => Settings { linger: Duration::ZERO, acks: Acks::Leader, is_idempotent: false, ..java },
        }
    }

    fn set(&mut self, name: &str, value: &str) {
        let number = || value.trim().parse::<u64>().ok();
        let capped = || number().map(|number| number.min(u64::from(u32::MAX)) as u32);
        let millis = || number().map(Duration::from_millis);
        let flag = || value.trim().eq_ignore_ascii_case("true");
        match name {
            "batch.size" => assign(&mut self.batch_size, capped().map(|size| size.max(1))),
            "batch.num.messages" => assign(&mut self.batch_records_max, capped().map(|count| count.max(1))),
            "linger.ms" | "queue.buffering.max.ms" => assign(&mut self.linger, decimal_millis(value)),
            "sticky.partitioning.linger.ms" => self.sticky_linger = millis().or(self.sticky_linger),
            "metadata.max.age.ms" | "topic.metadata.refresh.interval.ms" => {
                assign(&mut self.metadata_age_max, millis())
            }
            "compression.type" | "compression.codec" => self.codec = Codec::of(value.trim()),
            "buffer.memory" => assign(&mut self.buffer_memory, number()),
            "metadata.max.idle.ms" => assign(&mut self.metadata_idle_max, millis()),
            "partitioner.availability.timeout.ms" => {
                self.availability = millis().filter(|timeout| *timeout > Duration::ZERO);
            }
            "max.block.ms" => assign(&mut self.block_max, millis()),
            "delivery.timeout.ms" | "message.timeout.ms" => assign(&mut self.delivery_timeout, millis()),
            "request.timeout.ms" => assign(&mut self.request_timeout, millis()),
            "socket.timeout.ms" => assign(&mut self.answer_timeout, millis()),
            "retries" | "message.send.max.retries" => assign(&mut self.retries, capped()),
            "retry.backoff.ms" => assign(&mut self.backoff, millis()),
            "retry.backoff.max.ms" => assign(&mut self.backoff_max, millis()),
            "reconnect.backoff.ms" => assign(&mut self.reconnect_backoff, millis()),
            "reconnect.backoff.max.ms" => assign(&mut self.reconnect_backoff_max, millis()),
            "max.request.size" | "message.max.bytes" => assign(&mut self.request_size_max, capped()),
            "max.in.flight.requests.per.connection" | "max.in.flight" => assign(&mut self.in_flight_max, capped()),
            "acks" | "request.required.acks" => self.acks = acks(value),
            "transactional.id" => self.transactional_id = Some(value.into()),
            "transaction.timeout.ms" => assign(&mut self.transaction_timeout, millis()),
            "transaction.two.phase.commit.enable" => self.is_two_phase = flag(),
            "enable.idempotence" => self.is_idempotent = flag(),
            "partitioner.ignore.keys" => self.ignore_keys = flag(),
            "partitioner.adaptive.partitioning.enable" => self.adaptive = flag(),
            _ => {}
        }
    }

    /// What the keyless rules go by.
    pub fn keyless(&self) -> KeylessSettings {
        KeylessSettings {
            batch_size: self.batch_size,
            adaptive: self.adaptive,
            linger_us: self.linger.0,
            sticky_linger_us: self.sticky_linger.map(|linger| linger.0),
            metadata_refresh_us: self.metadata_age_max.0,
            ..KeylessSettings::default()
        }
    }
}

fn assign<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

/// librdkafka's linger may have decimals ("0.5").
fn decimal_millis(text: &str) -> Option<Duration> {
    let (whole, decimals) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let whole: u64 = whole.parse().ok()?;
    let micros: u64 = format!("{decimals:0<3.3}").parse().ok()?;
    Some(Duration(whole.saturating_mul(1_000).saturating_add(micros)))
}

fn acks(value: &str) -> Acks {
    match value.trim() {
        "0" => Acks::None,
        "1" => Acks::Leader,
        _ => Acks::All,
    }
}
