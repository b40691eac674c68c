//! Programs in JavaScript: confluent-kafka-javascript (librdkafka), KafkaJS, kafka-node, node-rdkafka and
//! Platformatic's client.
//!
//! All are written for an async function.

use super::program::{Facts, Program, Step, quoted};

pub(super) fn program(facts: &Facts) -> Program {
    match facts.family() {
        "kafkajs" => kafkajs(facts),
        "kafka-node" => kafka_node(facts),
        "platformatic" => platformatic(facts),
        "node-rdkafka" => node_rdkafka(facts),
        _ if facts.id() == "confluent-kafka-javascript-rdkafka" => node_rdkafka(facts),
        _ => confluent(facts),
    }
}

pub(super) fn call(facts: &Facts) -> (String, String, &'static str) {
    let head = match facts.family() {
        "node-rdkafka" => format!("producer.produce({},", quoted(&facts.topic)),
        "kafka-node" => "producer.send([{".to_string(),
        _ => "await producer.send({".to_string(),
    };
    let record = match facts.quoted_key() {
        Some(key) if facts.family() == "node-rdkafka" => format!("null, …, {key})"),
        Some(key) => format!("key: {key}, …"),
        None => format!("value: {}", quoted(&facts.value)),
    };
    (head, record, "//")
}

fn confluent(facts: &Facts) -> Program {
    let mut program = Program::default();
    program.lines("const { Kafka } = require(\"@confluentinc/kafka-javascript\").KafkaJS;\n");
    program.lines("const producer = new Kafka().producer({");
    for (name, value) in facts.rdkafka_configs() {
        program.lines(&format!("  {}: {},", quoted(&name), quoted(&value)));
    }
    program.lines("});");
    program.step(Step::Start, "await producer.connect();");
    sends(&mut program, facts);
    program.step(Step::Close, "await producer.disconnect();");
    program
}

fn kafkajs(facts: &Facts) -> Program {
    let mut program = Program::default();
    let partitioner = match facts.id() {
        "kafkajs-legacy" => Some("Partitioners.LegacyPartitioner"),
        "kafkajs-1-java-compatible" => Some("Partitioners.JavaCompatiblePartitioner"),
        _ => None,
    };
    let names = if partitioner.is_some() { "Kafka, Partitioners" } else { "Kafka" };
    program.lines(&format!("const {{ {names} }} = require(\"kafkajs\");\n"));
    program.lines("const kafka = new Kafka({ brokers: [\"localhost:9092\"] });");
    settings(&mut program, facts);
    let argument = partitioner.map_or_else(String::new, |class| format!("{{ createPartitioner: {class} }}"));
    program.lines(&format!("const producer = kafka.producer({argument});"));
    program.step(Step::Start, "await producer.connect();");
    sends(&mut program, facts);
    program.step(Step::Close, "await producer.disconnect();");
    program
}

fn platformatic(facts: &Facts) -> Program {
    let mut program = Program::default();
    let compatible = facts.id() == "platformatic-compatibility";
    let names = if compatible {
        "Producer, compatibilityPartitioner, stringSerializers"
    } else {
        "Producer, stringSerializers"
    };
    program.lines(&format!("import {{ {names} }} from \"@platformatic/kafka\";\n"));
    program.step(Step::Start, "const producer = new Producer({");
    program.lines(
        "  clientId: \"producer\",\n  bootstrapBrokers: [\"localhost:9092\"],\n  serializers: stringSerializers,",
    );
    if compatible {
        program.lines("  partitioner: compatibilityPartitioner,");
    }
    program.lines("});");
    settings(&mut program, facts);
    head(&mut program, facts);
    program.step(Step::Send, "  await producer.send({");
    program.lines(&format!(
        "    messages: [{{ topic: {}, {} }}],\n  }});",
        quoted(&facts.topic),
        message(facts, "value")
    ));
    sleep(&mut program, facts);
    program.lines("}");
    program.step(Step::Close, "await producer.close();");
    program
}

fn kafka_node(facts: &Facts) -> Program {
    let mut program = Program::default();
    let class = if facts.id() == "kafka-node-high-level" { "HighLevelProducer" } else { "Producer" };
    let kind = match facts.id() {
        "kafka-node-keyed" => Some(3),
        "kafka-node-random" => Some(1),
        _ => None,
    };
    program.lines(&format!("const {{ KafkaClient, {class} }} = require(\"kafka-node\");\n"));
    program.lines("const client = new KafkaClient({ kafkaHost: \"localhost:9092\" });");
    settings(&mut program, facts);
    let options = kind.map_or_else(String::new, |kind| format!(", {{ partitionerType: {kind} }}"));
    program.step(Step::Start, format!("const producer = new {class}(client{options});"));
    program.lines("await once(producer, \"ready\");");
    head(&mut program, facts);
    let record = message(facts, "messages");
    program.step(Step::Send, format!("  producer.send([{{ topic: {}, {record} }}], callback);", quoted(&facts.topic)));
    sleep(&mut program, facts);
    program.lines("}");
    program.step(Step::Close, "producer.close();");
    program
}

fn node_rdkafka(facts: &Facts) -> Program {
    let mut program = Program::default();
    let package = if facts.family() == "node-rdkafka" { "node-rdkafka" } else { "@confluentinc/kafka-javascript" };
    program.lines(&format!("const {{ Producer }} = require({});\n", quoted(package)));
    program.lines("const producer = new Producer({");
    for (name, value) in facts.rdkafka_configs() {
        program.lines(&format!("  {}: {},", quoted(&name), quoted(&value)));
    }
    program.lines("});");
    program.step(Step::Start, "producer.connect();");
    program.lines("await once(producer, \"ready\");");
    head(&mut program, facts);
    let partition = facts.partition.map_or_else(|| "null".to_string(), |partition| partition.to_string());
    let key = if facts.has_keys() { ", key" } else { "" };
    let value = format!("Buffer.from({})", quoted(&facts.value));
    program.step(Step::Send, format!("  producer.produce({}, {partition}, {value}{key});", quoted(&facts.topic)));
    sleep(&mut program, facts);
    program.lines("}");
    program.step(Step::Close, "producer.flush(15_000, () => producer.disconnect());");
    program
}

fn sends(program: &mut Program, facts: &Facts) {
    head(program, facts);
    program.step(Step::Send, "  await producer.send({");
    program.lines(&format!(
        "    topic: {},\n    messages: [{{ {} }}],\n  }});",
        quoted(&facts.topic),
        message(facts, "value")
    ));
    sleep(program, facts);
    program.lines("}");
}

fn message(facts: &Facts, value: &str) -> String {
    let key = if facts.has_keys() { "key, " } else { "" };
    let partition = facts.partition.map_or_else(String::new, |partition| format!(", partition: {partition}"));
    format!("{key}{value}: {}{partition}", quoted(&facts.value))
}

/// Libraries whose settings have other names: those of this product stand as comments.
fn settings(program: &mut Program, facts: &Facts) {
    for (name, value) in &facts.configs {
        program.lines(&format!("// {name} = {value}"));
    }
}

fn head(program: &mut Program, facts: &Facts) {
    let more = if facts.has_more_keys { " // and more" } else { "" };
    if facts.has_keys() {
        program.lines(&format!("for (const key of [{}]) {{{more}", facts.quoted_keys()));
    } else {
        program.lines("for (;;) {");
    }
}

fn sleep(program: &mut Program, facts: &Facts) {
    if let Some(millis) = facts.every_ms {
        program.step(Step::Wait, format!("  await setTimeout({millis}); // node:timers/promises"));
    }
}
