//! What is shown for clients of other languages: their settings and what they send, as a list.
//!
//! Not a program; the first line says so.

use super::program::{Facts, Program, Step, quoted};

pub(super) fn program(facts: &Facts) -> Program {
    let mut program = Program::default();
    let (library, language) =
        facts.client.map_or(("this client", "its language"), |client| (client.library, client.language));
    program.lines(&format!("# {library} ({language}); a program is not written for it, these are its settings"));
    program.step(Step::Start, "bootstrap servers: localhost:9092");
    if let Some(client) = facts.client {
        program.lines(&format!("partitioner: {}", client.partitioner));
    }
    for (name, value) in &facts.configs {
        program.lines(&format!("{name}: {value}"));
    }
    let key = if facts.has_keys() { facts.quoted_keys() } else { "none".to_string() };
    program.step(Step::Send, format!("send to {}: key {key}, value {}", facts.topic, quoted(&facts.value)));
    if let Some(millis) = facts.every_ms {
        program.step(Step::Wait, format!("every {millis} ms"));
    }
    program.step(Step::Close, "close");
    program
}

pub(super) fn call(facts: &Facts) -> (String, String, &'static str) {
    let key = facts.quoted_key().unwrap_or_else(|| "none".to_string());
    (format!("send to {}", facts.topic), format!("key {key}"), "#")
}
