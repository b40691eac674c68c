//! Commands as they are written down.

use super::*;

fn check(json: &str) {
    let command: Command = serde_json::from_str(json).unwrap();
    let again = serde_json::to_value(&command).unwrap();
    assert_eq!(again, serde_json::from_str::<serde_json::Value>(json).unwrap());
}

#[test]
fn commands_are_read_and_written_as_documented() {
    check(r#"{ "do": "create_partitions", "topic": "events", "partitions": 6 }"#);
    check(r#"{ "do": "send", "producer": "orders-service", "topic": "events", "key": "user-1", "value": "login" }"#);
    check(r#"{ "do": "producer", "name": "p", "client": "librdkafka", "configs": { "partitioner": "murmur2" } }"#);
    check(r#"{ "do": "set_workload", "producer": "p" }"#);
    check(r#"{ "do": "close", "producer": "p" }"#);
    check(r#"{ "do": "close", "producer": "p", "timeout_ms": 500 }"#);
    check(r#"{ "do": "share_consumer", "name": "a", "subscribe": ["jobs"], "acknowledge": { "reject_every": 4 } }"#);
    check(
        r#"{ "do": "acknowledge", "consumer": "a", "topic": "jobs", "partition": 0, "offset": 7, "acknowledgement": "RELEASE" }"#,
    );
    let unknown = serde_json::from_str::<Command>(r#"{ "do": "flush", "producer": "p", "now": true }"#);
    assert!(unknown.is_err_and(|error| error.to_string().contains("now")));
}
