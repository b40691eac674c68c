//! Programs in Python: confluent-kafka (librdkafka), kafka-python, aiokafka and pykafka.
//!
//! Frameworks over them are not shown as programs.

use super::program::{Facts, Program, Step, quoted};

pub(super) fn program(facts: &Facts) -> Program {
    match facts.family() {
        "kafka-python" => kafka_python(facts),
        "aiokafka" => aiokafka(facts),
        "pykafka" => pykafka(facts),
        _ => confluent(facts),
    }
}

pub(super) fn call(facts: &Facts) -> (String, String, &'static str) {
    let topic = quoted(&facts.topic);
    let (method, key, value) = match facts.family() {
        "kafka-python" => (format!("producer.send({topic},"), "key=b", "value=b"),
        "aiokafka" => (format!("await producer.send({topic},"), "key=b", "value=b"),
        "pykafka" => ("producer.produce(".to_string(), "partition_key=b", "b"),
        _ => (format!("producer.produce({topic},"), "key=", "value="),
    };
    let record = match facts.quoted_key() {
        Some(literal) => format!("{key}{literal}, …)"),
        None => format!("{value}{})", quoted(&facts.value)),
    };
    (method, record, "#")
}

fn confluent(facts: &Facts) -> Program {
    let mut program = Program::default();
    program.lines("from confluent_kafka import Producer\n");
    program.lines("config = {");
    for (name, value) in facts.rdkafka_configs() {
        program.lines(&format!("    {}: {},", quoted(&name), quoted(&value)));
    }
    program.lines("}");
    program.step(Step::Start, "producer = Producer(config)");
    head(&mut program, facts, "");
    let mut arguments = vec![quoted(&facts.topic)];
    arguments.extend(facts.has_keys().then(|| "key=key".to_string()));
    arguments.push(format!("value={}", quoted(&facts.value)));
    arguments.extend(facts.partition.map(|partition| format!("partition={partition}")));
    program.step(Step::Send, format!("    producer.produce({})", arguments.join(", ")));
    program.step(Step::Wait, format!("    producer.poll({})", seconds(facts).unwrap_or_else(|| "0".to_string())));
    program.step(Step::Close, "producer.flush()");
    program
}

fn kafka_python(facts: &Facts) -> Program {
    let mut program = Program::default();
    program.lines("from kafka import KafkaProducer\n");
    program.lines("config = dict(\n    bootstrap_servers=\"localhost:9092\",");
    for (name, value) in &facts.configs {
        program.lines(&format!("    {}={},", name.replace('.', "_"), literal(value)));
    }
    program.lines(")");
    program.step(Step::Start, "producer = KafkaProducer(**config)");
    head(&mut program, facts, "");
    program.step(Step::Send, format!("    producer.send({})", byte_arguments(facts)));
    sleep(&mut program, facts, "time.sleep");
    program.step(Step::Close, "producer.close()");
    program
}

fn aiokafka(facts: &Facts) -> Program {
    let mut program = Program::default();
    program.lines("from aiokafka import AIOKafkaProducer\n");
    program.lines("config = dict(\n    bootstrap_servers=\"localhost:9092\",");
    for (name, value) in &facts.configs {
        program.lines(&format!("    {}={},", name.replace('.', "_"), literal(value)));
    }
    program.lines(")\nproducer = AIOKafkaProducer(**config)");
    program.step(Step::Start, "await producer.start()");
    head(&mut program, facts, "");
    program.step(Step::Send, format!("    await producer.send({})", byte_arguments(facts)));
    sleep(&mut program, facts, "await asyncio.sleep");
    program.step(Step::Close, "await producer.stop()");
    program
}

fn pykafka(facts: &Facts) -> Program {
    let mut program = Program::default();
    let is_hashing = facts.id() == "pykafka-hashing";
    program.lines("from pykafka import KafkaClient");
    if is_hashing {
        program.lines("from pykafka.partitioners import HashingPartitioner");
    }
    program.lines("\nclient = KafkaClient(hosts=\"localhost:9092\")");
    program.lines(&format!("topic = client.topics[{}]", quoted(&facts.topic)));
    let argument = if is_hashing { "partitioner=HashingPartitioner()" } else { "" };
    program.step(Step::Start, format!("producer = topic.get_producer({argument})"));
    head(&mut program, facts, "");
    let value = format!("b{}", quoted(&facts.value));
    let key = if facts.has_keys() { ", partition_key=key.encode()" } else { "" };
    program.step(Step::Send, format!("    producer.produce({value}{key})"));
    sleep(&mut program, facts, "time.sleep");
    program.step(Step::Close, "producer.stop()");
    program
}

fn head(program: &mut Program, facts: &Facts, indent: &str) {
    let more = if facts.has_more_keys { "  # and more" } else { "" };
    let line = if facts.has_keys() {
        format!("{indent}for key in [{}]:{more}", facts.quoted_keys())
    } else {
        format!("{indent}while True:")
    };
    program.lines(&line);
}

fn byte_arguments(facts: &Facts) -> String {
    let mut arguments = vec![quoted(&facts.topic), format!("value=b{}", quoted(&facts.value))];
    arguments.extend(facts.has_keys().then(|| "key=key.encode()".to_string()));
    arguments.extend(facts.partition.map(|partition| format!("partition={partition}")));
    arguments.join(", ")
}

fn sleep(program: &mut Program, facts: &Facts, function: &str) {
    if let Some(seconds) = seconds(facts) {
        program.step(Step::Wait, format!("    {function}({seconds})"));
    }
}

fn seconds(facts: &Facts) -> Option<String> {
    let millis = facts.every_ms?;
    Some(if millis % 1_000 == 0 { (millis / 1_000).to_string() } else { format!("{}", millis as f64 / 1_000.0) })
}

/// A number stays a number, a truth value becomes Python's.
fn literal(value: &str) -> String {
    match value {
        "true" => "True".to_string(),
        "false" => "False".to_string(),
        number if number.parse::<i64>().is_ok() => number.to_string(),
        text => quoted(text),
    }
}
