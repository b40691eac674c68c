//! Programs in Go: confluent-kafka-go (librdkafka), Sarama, franz-go and kafka-go.
//!
//! Error handling is shortened to what a reader needs.

use super::program::{Facts, Program, Step, quoted};

pub(super) fn program(facts: &Facts) -> Program {
    match facts.family() {
        "sarama" => sarama(facts),
        "franz-go" => franz_go(facts),
        "kafka-go" => kafka_go(facts),
        _ => confluent(facts),
    }
}

pub(super) fn call(facts: &Facts) -> (String, String, &'static str) {
    let head = match facts.family() {
        "sarama" => "producer.SendMessage(",
        "franz-go" => "client.Produce(ctx, record(",
        "kafka-go" => "writer.WriteMessages(ctx,",
        _ => "producer.Produce(",
    };
    let record = match (facts.family(), facts.quoted_key()) {
        ("sarama", Some(key)) => format!("Key: {key}, …)"),
        (_, Some(key)) => format!("Key: []byte({key}), …)"),
        (_, None) => format!("Value: {})", quoted(&facts.value)),
    };
    (head.to_string(), record, "//")
}

fn confluent(facts: &Facts) -> Program {
    let mut program = Program::default();
    program.lines("config := &kafka.ConfigMap{");
    for (name, value) in facts.rdkafka_configs() {
        program.lines(&format!("    {}: {},", quoted(&name), quoted(&value)));
    }
    program.lines("}");
    program.step(Step::Start, "producer, err := kafka.NewProducer(config)");
    program.lines(&format!("if err != nil {{\n    log.Fatal(err)\n}}\ntopic := {}", quoted(&facts.topic)));
    head(&mut program, facts);
    let partition = facts.partition.map_or_else(|| "kafka.PartitionAny".to_string(), |partition| partition.to_string());
    program.step(Step::Send, "    err = producer.Produce(&kafka.Message{");
    program.lines(&format!("        TopicPartition: kafka.TopicPartition{{Topic: &topic, Partition: {partition}}},"));
    program.lines(&fields(facts, "        ", "[]byte(key)", &format!("[]byte({})", quoted(&facts.value))));
    program.lines("    }, nil)");
    sleep(&mut program, facts);
    program.lines("}");
    program.step(Step::Close, "producer.Flush(15_000)");
    program.lines("producer.Close()");
    program
}

fn sarama(facts: &Facts) -> Program {
    let mut program = Program::default();
    program.lines("config := sarama.NewConfig()\nconfig.Producer.Return.Successes = true");
    let constructor = match facts.id() {
        "sarama-reference" => Some("sarama.NewReferenceHashPartitioner"),
        "sarama-crc32" => Some("sarama.NewConsistentCRCHashPartitioner"),
        "sarama-custom-crc32" => Some("sarama.NewCustomHashPartitioner(crc32.NewIEEE)"),
        "sarama-murmur2" => Some("sarama.NewMurmur2Partitioner"),
        "sarama-random" => Some("sarama.NewRandomPartitioner"),
        "sarama-round-robin" => Some("sarama.NewRoundRobinPartitioner"),
        "sarama-manual" => Some("sarama.NewManualPartitioner"),
        _ => None,
    };
    if let Some(constructor) = constructor {
        program.lines(&format!("config.Producer.Partitioner = {constructor}"));
    }
    settings(&mut program, facts);
    program.lines("brokers := []string{\"localhost:9092\"}");
    program.step(Step::Start, "producer, err := sarama.NewSyncProducer(brokers, config)");
    program.lines("if err != nil {\n    log.Fatal(err)\n}");
    head(&mut program, facts);
    program.step(Step::Send, "    _, _, err = producer.SendMessage(&sarama.ProducerMessage{");
    program.lines(&format!("        Topic: {},", quoted(&facts.topic)));
    program.lines(&fields(
        facts,
        "        ",
        "sarama.StringEncoder(key)",
        &format!("sarama.StringEncoder({})", quoted(&facts.value)),
    ));
    program.lines("    })");
    sleep(&mut program, facts);
    program.lines("}");
    program.step(Step::Close, "producer.Close()");
    program
}

fn franz_go(facts: &Facts) -> Program {
    let mut program = Program::default();
    program.step(Step::Start, "client, err := kgo.NewClient(");
    program.lines("    kgo.SeedBrokers(\"localhost:9092\"),");
    if let Some(partitioner) = franz_go_partitioner(facts.id()) {
        program.lines(&format!("    kgo.RecordPartitioner({partitioner}),"));
    }
    program.lines(")");
    settings(&mut program, facts);
    program.lines("if err != nil {\n    log.Fatal(err)\n}");
    head(&mut program, facts);
    program.step(Step::Send, "    client.Produce(ctx, &kgo.Record{");
    program.lines(&format!("        Topic: {},", quoted(&facts.topic)));
    program.lines(&fields(facts, "        ", "[]byte(key)", &format!("[]byte({})", quoted(&facts.value))));
    program.lines("    }, nil)");
    sleep(&mut program, facts);
    program.lines("}");
    program.step(Step::Close, "client.Flush(ctx)");
    program.lines("client.Close()");
    program
}

fn franz_go_partitioner(id: &str) -> Option<&'static str> {
    Some(match id {
        "franz-go-sticky-key" => "kgo.StickyKeyPartitioner(nil)",
        "franz-go-kafka-fnv1a" => "kgo.StickyKeyPartitioner(kgo.KafkaHasher(fnv1a))",
        "franz-go-sarama-compat" => "kgo.StickyKeyPartitioner(kgo.SaramaCompatHasher(fnv1a))",
        "franz-go-sarama-hasher" => "kgo.StickyKeyPartitioner(kgo.SaramaHasher(fnv1a))",
        "franz-go-sarama-hasher-crc32" => "kgo.StickyKeyPartitioner(kgo.SaramaHasher(crc32.ChecksumIEEE))",
        _ => return None,
    })
}

fn kafka_go(facts: &Facts) -> Program {
    let mut program = Program::default();
    let balancer = match facts.id() {
        "kafka-go-hash" | "kafka-go-0.1-hash" => Some("&kafka.Hash{}"),
        "kafka-go-hash-crc32" => Some("&kafka.Hash{Hasher: crc32.NewIEEE()}"),
        "kafka-go-reference" => Some("&kafka.ReferenceHash{}"),
        "kafka-go-crc32" => Some("kafka.CRC32Balancer{}"),
        "kafka-go-crc32-consistent" => Some("kafka.CRC32Balancer{Consistent: true}"),
        "kafka-go-murmur2" => Some("kafka.Murmur2Balancer{}"),
        "kafka-go-murmur2-consistent" => Some("kafka.Murmur2Balancer{Consistent: true}"),
        "kafka-go-least-bytes" => Some("&kafka.LeastBytes{}"),
        _ => None,
    };
    program.step(Step::Start, "writer := &kafka.Writer{");
    program.lines(&format!("    Addr: kafka.TCP(\"localhost:9092\"),\n    Topic: {},", quoted(&facts.topic)));
    if let Some(balancer) = balancer {
        program.lines(&format!("    Balancer: {balancer},"));
    }
    program.lines("}");
    settings(&mut program, facts);
    head(&mut program, facts);
    program.step(Step::Send, "    err := writer.WriteMessages(ctx, kafka.Message{");
    program.lines(&fields(facts, "        ", "[]byte(key)", &format!("[]byte({})", quoted(&facts.value))));
    program.lines("    })\n    if err != nil {\n        log.Fatal(err)\n    }");
    sleep(&mut program, facts);
    program.lines("}");
    program.step(Step::Close, "writer.Close()");
    program
}

/// Libraries without named settings keep them in fields; the names of this product's settings stand as comments.
fn settings(program: &mut Program, facts: &Facts) {
    for (name, value) in &facts.configs {
        program.lines(&format!("// {name} = {value}"));
    }
}

fn head(program: &mut Program, facts: &Facts) {
    let more = if facts.has_more_keys { " // and more" } else { "" };
    if facts.has_keys() {
        program.lines(&format!("for _, key := range []string{{{}}} {{{more}", facts.quoted_keys()));
    } else {
        program.lines("for {");
    }
}

fn fields(facts: &Facts, indent: &str, key: &str, value: &str) -> String {
    if facts.has_keys() {
        format!("{indent}Key:   {key},\n{indent}Value: {value},")
    } else {
        format!("{indent}Value: {value},")
    }
}

fn sleep(program: &mut Program, facts: &Facts) {
    if let Some(millis) = facts.every_ms {
        program.step(Step::Wait, format!("    time.Sleep({millis} * time.Millisecond)"));
    }
}
