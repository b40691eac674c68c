//! Properties files: `server.properties` of a broker, or settings of a topic one under the other.
//!
//! Simplified: a line that ends in a backslash is not continued.

use engine::client::configs::{broker_definitions, validate_broker, validate_topic};
use engine::scenario::TopicSpec;

use super::Pasted;

/// The topic that gets settings which are a topic's only.
const TOPIC: &str = "pasted";

/// Settings of hosts, roles and directories: a simulated broker has none of these.
const OF_HOSTS: [&str; 11] = [
    "process.roles",
    "listeners",
    "advertised.listeners",
    "listener.security.protocol.map",
    "inter.broker.listener.name",
    "controller.listener.names",
    "controller.quorum.voters",
    "controller.quorum.bootstrap.servers",
    "log.dir",
    "log.dirs",
    "metadata.log.dir",
];

/// Reads the text.
pub(super) fn read(text: &str) -> Pasted {
    let mut pasted = Pasted::default();
    let mut topic = TopicSpec { name: TOPIC.to_string(), ..TopicSpec::default() };
    let mut left_out = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', '!']) {
            continue;
        }
        let Some((name, value)) = trimmed.split_once(['=', ':']) else {
            pasted.unread(number, line, "A setting is a name, an equals sign and a value.");
            continue;
        };
        let (name, value) = (name.trim(), value.trim());
        let is_broker = broker_definitions().iter().any(|definition| definition.name == name);
        match name {
            "node.id" | "broker.id" => match value.parse() {
                Ok(id) => {
                    pasted.brokers.insert(id);
                }
                Err(_) => pasted.unread(number, line, "The id of a broker is a number of 0 or more."),
            },
            name if OF_HOSTS.contains(&name) => left_out.push(name.to_string()),
            name => match if is_broker { validate_broker(name, value) } else { validate_topic(name, value) } {
                Ok(_) if is_broker => {
                    pasted.configs.insert(name.to_string(), value.to_string());
                }
                Ok(_) => {
                    topic.configs.insert(name.to_string(), value.to_string());
                }
                Err(refusal) => {
                    let expected = format!("A setting of a broker or a topic in Kafka 4.3: {}.", refusal.message);
                    pasted.unread(number, line, expected);
                }
            },
        }
    }
    if !left_out.is_empty() {
        pasted.note(format!("Hosts and directories are not simulated, so {} has no effect.", left_out.join(", ")));
    }
    if !topic.configs.is_empty() {
        pasted.note(format!("Settings that only topics have are those of a topic called {TOPIC}."));
        pasted.topics.push(topic);
    }
    pasted
}
