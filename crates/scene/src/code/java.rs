//! Programs with the Java client of Apache Kafka.
//!
//! Frameworks over it (Streams, Connect) are not shown as programs.

use super::program::{Facts, Program, Step, quoted};

pub(super) fn program(facts: &Facts) -> Program {
    let mut program = Program::default();
    program.lines("var config = new Properties();");
    program.lines("config.put(\"bootstrap.servers\", \"localhost:9092\");");
    program.lines(&format!("config.put(\"key.serializer\", {}.class);", serializer(facts)));
    program.lines("config.put(\"value.serializer\", StringSerializer.class);");
    for (name, value) in partitioner_class(facts).into_iter().chain(facts.configs.clone()) {
        program.lines(&format!("config.put({}, {});", quoted(&name), quoted(&value)));
    }
    program.lines("");
    program.step(Step::Start, format!("var producer = new KafkaProducer<{}, String>(config);", key_type(facts)));
    if facts.has_keys() {
        let more = if facts.has_more_keys { " // and more" } else { "" };
        program.lines(&format!("for (var key : List.of({})) {{{more}", key_literals(facts)));
    } else {
        program.lines("while (true) {");
    }
    program.step(Step::Send, format!("    producer.send(new ProducerRecord<>({}));", arguments(facts, "key")));
    if let Some(millis) = facts.every_ms {
        program.step(Step::Wait, format!("    Thread.sleep({millis});"));
    }
    program.lines("}");
    program.step(Step::Close, "producer.close();");
    program
}

pub(super) fn call(facts: &Facts) -> (String, String, &'static str) {
    let key = facts.quoted_key();
    let record = match &key {
        Some(key) => format!("{}, {key}, …);", quoted(&facts.topic)),
        None => format!("{}, {});", quoted(&facts.topic), quoted(&facts.value)),
    };
    ("producer.send(".to_string(), record, "//")
}

fn arguments(facts: &Facts, key: &str) -> String {
    let (topic, value) = (quoted(&facts.topic), quoted(&facts.value));
    match (facts.partition, facts.has_keys()) {
        (Some(partition), true) => format!("{topic}, {partition}, {key}, {value}"),
        (Some(partition), false) => format!("{topic}, {partition}, null, {value}"),
        (None, true) => format!("{topic}, {key}, {value}"),
        (None, false) => format!("{topic}, {value}"),
    }
}

fn partitioner_class(facts: &Facts) -> Option<(String, String)> {
    let given = facts.configs.iter().any(|(name, _)| name == "partitioner.class");
    let class = match facts.id() {
        "java-round-robin" | "java-2.4-round-robin" => "org.apache.kafka.clients.producer.RoundRobinPartitioner",
        "java-2.4-uniform-sticky" => "org.apache.kafka.clients.producer.UniformStickyPartitioner",
        "java-ignore-keys" => return Some(("partitioner.ignore.keys".to_string(), "true".to_string())),
        _ => return None,
    };
    (!given).then(|| ("partitioner.class".to_string(), class.to_string()))
}

fn serializer(facts: &Facts) -> &'static str {
    match facts.encoding.as_str() {
        "text" => "StringSerializer",
        "int32" => "IntegerSerializer",
        "int64" => "LongSerializer",
        "uuid" => "UUIDSerializer",
        _ => "ByteArraySerializer",
    }
}

fn key_type(facts: &Facts) -> &'static str {
    match serializer(facts) {
        "StringSerializer" => "String",
        "IntegerSerializer" => "Integer",
        "LongSerializer" => "Long",
        "UUIDSerializer" => "UUID",
        _ => "byte[]",
    }
}

fn key_literals(facts: &Facts) -> String {
    let literal = |key: &String| match key_type(facts) {
        "Integer" => key.clone(),
        "Long" => format!("{key}L"),
        "UUID" => format!("UUID.fromString({})", quoted(key)),
        "byte[]" => format!("bytes({})", quoted(key)),
        _ => quoted(key),
    };
    facts.keys.iter().map(literal).collect::<Vec<_>>().join(", ")
}
