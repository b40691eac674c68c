//! `web/logarium.d.ts` names everything that the engine tells and takes: commands, events and fields.
//!
//! Whether their types are right is for its readers; nothing here parses TypeScript.

use crate::sources;

/// Where the engine's public data is written down.
const DATA: [&str; 18] = [
    "command.rs",
    "command/outcome.rs",
    "command/request.rs",
    "error.rs",
    "event.rs",
    "event/message.rs",
    "event/node.rs",
    "event/reason.rs",
    "event/record.rs",
    "group.rs",
    "scenario.rs",
    "scenario/consumer.rs",
    "scenario/share_consumer.rs",
    "share.rs",
    "snapshot.rs",
    "snapshot/group.rs",
    "snapshot/share.rs",
    "transaction.rs",
];

/// The part of a file that is not its tests.
fn source(name: &str) -> String {
    let text = sources::read(&format!("crates/engine/src/{name}"));
    text.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// Lines of the block that begins with `head`, up to its closing brace.
fn block(text: &str, head: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| !line.starts_with(head)).skip(1);
    lines.take_while(|line| *line != "}").map(str::to_owned).collect()
}

/// Names of the variants of a public enum.
fn variants(text: &str, name: &str) -> Vec<String> {
    let is_variant =
        |line: &&String| line.strip_prefix("    ").is_some_and(|rest| rest.starts_with(char::is_uppercase));
    let lines = block(text, &format!("pub enum {name} "));
    let names =
        lines.iter().filter(is_variant).map(|line| line.trim().split([' ', '(', ',']).next().unwrap_or_default());
    names.map(str::to_owned).collect()
}

/// Fields that are serialized under their own name: those of structs and of enums' variants.
fn fields(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut attributes = String::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("#[") {
            attributes.push_str(line);
        } else if !line.starts_with("//") {
            let declared = line.strip_suffix(',').and_then(|line| line.split_once(": "));
            let name = declared.map(|(name, _)| name.trim_start_matches("pub "));
            let is_name = |name: &&str| name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
            let is_own = !["flatten", "serde(skip)", "rename = "].iter().any(|word| attributes.contains(word));
            found.extend(name.filter(is_name).filter(|_| is_own).map(str::to_owned));
            attributes.clear();
        }
    }
    found
}

#[test]
fn the_types_name_every_command_event_and_field() {
    let types = sources::read("web/logarium.d.ts");
    let mut missing = Vec::new();
    let mut check = |wanted: &[String], what: &str| {
        if !wanted.iter().any(|form| types.contains(form.as_str())) {
            missing.push(what.to_owned());
        }
    };
    for command in variants(&source("command.rs"), "Command") {
        let name = snake_case(&command);
        check(&[format!("do: \"{name}\"")], &format!("command {name}"));
    }
    let events = [
        ("event.rs", "EventKind"),
        ("group.rs", "GroupEvent"),
        ("share.rs", "ShareEvent"),
        ("transaction.rs", "TransactionEvent"),
    ];
    for (file, name) in events {
        let is_own = |event: &String| !["Transaction", "Group", "Share"].contains(&event.as_str());
        for event in variants(&source(file), name).into_iter().filter(is_own) {
            let name = snake_case(&event);
            check(&[format!("kind: \"{name}\"")], &format!("event {name}"));
        }
    }
    for file in DATA {
        for field in fields(&source(file)) {
            check(&[format!(" {field}: "), format!(" {field}?: ")], &format!("field {field} of {file}"));
        }
    }
    sources::assert_none(&missing, "web/logarium.d.ts lacks");
}

#[test]
fn names_are_found_in_the_source() {
    assert!(variants(&source("command.rs"), "Command").iter().any(|name| name == "BeginTransaction"));
    assert!(variants(&source("transaction.rs"), "TransactionEvent").iter().any(|name| name == "MarkerAppended"));
    assert!(fields(&source("snapshot.rs")).iter().any(|name| name == "last_stable_offset"));
}
