//! Programs in Rust: rdkafka (librdkafka) and kafka-rust.
//!
//! They are bodies of a function that returns a `Result`.

use super::program::{Facts, Program, Step, quoted};

pub(super) fn program(facts: &Facts) -> Program {
    if facts.family() == "kafka-rust" { kafka_rust(facts) } else { rdkafka(facts) }
}

pub(super) fn call(facts: &Facts) -> (String, String, &'static str) {
    let head =
        if facts.family() == "kafka-rust" { "producer.send(&Record::…(" } else { "producer.send(FutureRecord::to(" };
    let topic = quoted(&facts.topic);
    let record = match facts.quoted_key() {
        Some(key) if facts.family() == "kafka-rust" => format!("{topic}, {key}, …))"),
        Some(key) => format!("{topic}).key({key}), …)"),
        None => format!("{topic}), …)"),
    };
    (head.to_string(), record, "//")
}

fn rdkafka(facts: &Facts) -> Program {
    let mut program = Program::default();
    program.lines("let producer: FutureProducer = ClientConfig::new()");
    for (name, value) in facts.rdkafka_configs() {
        program.lines(&format!("    .set({}, {})", quoted(&name), quoted(&value)));
    }
    program.step(Step::Start, "    .create()?;");
    head(&mut program, facts);
    let key = if facts.has_keys() { ".key(key)" } else { "" };
    let partition = facts.partition.map_or_else(String::new, |partition| format!(".partition({partition})"));
    let kind = if facts.has_keys() { "FutureRecord" } else { "FutureRecord::<(), str>" };
    let record = format!("{kind}::to({}){key}{partition}.payload({})", quoted(&facts.topic), quoted(&facts.value));
    program.lines(&format!("    let record = {record};"));
    program.step(Step::Send, "    producer.send(record, Timeout::Never).await.map_err(|(error, _)| error)?;");
    sleep(&mut program, facts, "tokio::time::sleep", ".await");
    program.lines("}");
    program.step(Step::Close, "producer.flush(Timeout::Never)?;");
    program
}

fn kafka_rust(facts: &Facts) -> Program {
    let mut program = Program::default();
    program.lines("let hosts = vec![\"localhost:9092\".to_owned()];");
    for (name, value) in &facts.configs {
        program.lines(&format!("// {name} = {value}"));
    }
    program.step(Step::Start, "let mut producer = Producer::from_hosts(hosts).create()?;");
    head(&mut program, facts);
    let (topic, value) = (quoted(&facts.topic), quoted(&facts.value));
    let record = if facts.has_keys() {
        format!("from_key_value({topic}, key, {value})")
    } else {
        format!("from_value({topic}, {value})")
    };
    program.step(Step::Send, format!("    producer.send(&Record::{record})?;"));
    sleep(&mut program, facts, "thread::sleep", "");
    program.lines("}");
    program.step(Step::Close, "drop(producer);");
    program
}

fn head(program: &mut Program, facts: &Facts) {
    let more = if facts.has_more_keys { " // and more" } else { "" };
    if facts.has_keys() {
        program.lines(&format!("for key in [{}] {{{more}", facts.quoted_keys()));
    } else {
        program.lines("loop {");
    }
}

fn sleep(program: &mut Program, facts: &Facts, function: &str, suffix: &str) {
    if let Some(millis) = facts.every_ms {
        program.step(Step::Wait, format!("    {function}(Duration::from_millis({millis})){suffix};"));
    }
}
