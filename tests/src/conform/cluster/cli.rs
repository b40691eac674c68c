//! The verb `cli`: a command line at the console, and its text against the recorded one.
//!
//! Deliberately not here: how a tool parses and prints. That is the console's; this only compares.

use console::{Input, Invocation, Printed, Tool};
use engine::event::TopicPartition;
use serde_json::Value;

use super::replay::{Replay, text};
use super::tables;
use super::text::normalize;

/// Files that a step may bring along, by the name that the arguments use.
const FILES: &str = ".json";

impl Replay {
    pub fn cli(&mut self, step: &Value) -> Result<(), String> {
        let name = text(step, "tool")?;
        let tool = match Tool::named(name) {
            None | Some(Tool::Later(_)) => return Err(format!("{name} is not in the console yet")),
            Some(tool) => tool,
        };
        let given = step["args"].as_array().ok_or("args must be a list")?;
        let mut arguments = Vec::new();
        if !name.starts_with("kafka-dump-log") {
            arguments.extend(["--bootstrap-server".to_owned(), "broker:19091".to_owned()]);
        }
        arguments.extend(given.iter().map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned)));
        self.remember_placement(&arguments);
        self.settle_instant();
        let fields = step.as_object().into_iter().flatten();
        let files = fields.filter(|(field, _)| field.ends_with(FILES));
        let files = files.filter_map(|(field, content)| Some((field.clone(), content.as_str()?.to_owned())));
        let input = Input { lines: Vec::new(), files: files.collect() };
        let printed = console::invoke(&mut self.timeline, &Invocation { tool, arguments, input });
        self.compare_printed(&step["saw"], &printed)
    }

    /// Compares what a tool printed with what was recorded of it.
    pub fn compare_printed(&mut self, saw: &Value, printed: &Printed) -> Result<(), String> {
        let brokers = self.broker_ids();
        let [stdout, stderr] = [&printed.stdout, &printed.stderr].map(|text| normalize(text, &brokers));
        for (field, got) in [("stdout", &stdout), ("stderr", &stderr)] {
            // Log lines are left out of the recordings, their blank lines are not.
            let blank: &[char] = if field == "stderr" { &['\n'] } else { &[] };
            let Some(expected) = saw[field].as_str() else { continue };
            let comparable = |text: &str| Value::from(self.comparable(text.trim_matches(blank)));
            let (expected, got) = (comparable(&normalize(expected, &[])), comparable(got));
            self.compare(&format!("saw.{field}"), &expected, &got)?;
        }
        if !saw["exit"].is_null() {
            self.compare("saw.exit", &saw["exit"], &Value::from(printed.exit))?;
        }
        match saw["exit_message"].as_str() {
            Some(_) => {
                let first = stderr.trim_start_matches('\n').lines().next().unwrap_or_default();
                self.compare("saw.exit_message", &saw["exit_message"], &Value::from(first))
            }
            None => Ok(()),
        }
    }

    pub fn broker_ids(&self) -> Vec<u32> {
        self.snapshot().brokers.iter().map(|broker| broker.id).collect()
    }

    /// `--partitions` without an assignment leaves the choice of brokers to the controller.
    fn remember_placement(&mut self, arguments: &[String]) {
        let has = |option: &str| arguments.iter().any(|word| word == option);
        let topic = arguments.iter().position(|word| word == "--topic").and_then(|at| arguments.get(at + 1));
        if (has("--create") || has("--alter")) && has("--partitions") && !has("--replica-assignment") {
            self.placed.extend(topic.cloned());
        }
    }

    /// Without what differs between two runs of Kafka: the order of settings, of in-sync replicas and of
    /// partitions in a message, and brokers that the controller chose.
    fn comparable(&self, text: &str) -> String {
        let text = tables::comparable(text);
        text.split('\n').map(|line| self.comparable_line(line)).collect::<Vec<_>>().join("\n")
    }

    fn comparable_line(&self, line: &str) -> String {
        if !line.contains("\tPartitionCount: ") && !line.contains("\tPartition: ") {
            return partitions_in_order(line);
        }
        let is_placed = self.placed.iter().any(|topic| line.contains(&format!("Topic: {topic}\t")));
        let fields = line.split('\t').map(|field| match field.split_once(": ") {
            Some(("Configs", settings)) => format!("Configs: {}", sorted(settings, ",")),
            Some((list @ ("Replicas" | "Isr"), brokers)) if is_placed => {
                format!("{list}: {} brokers", brokers.split(',').filter(|broker| !broker.is_empty()).count())
            }
            Some(("Leader", broker)) if is_placed && broker != "none" => "Leader: any broker".to_owned(),
            Some((list @ ("Isr" | "Elr" | "LastKnownElr"), brokers)) => format!("{list}: {}", sorted(brokers, ",")),
            _ => field.to_owned(),
        });
        fields.collect::<Vec<_>>().join("\t")
    }
}

/// Puts the list of partitions that ends a message, such as `le-1, le-0`, in order.
fn partitions_in_order(line: &str) -> String {
    let is_partition = |word: &str| TopicPartition::split(word).is_some_and(|(topic, _)| !topic.is_empty());
    let separator = if line.contains(", ") { ", " } else { "," };
    let before_list = line.split(separator).next().and_then(|first| first.rfind(' ')).map_or(0, |at| at + 1);
    let (text, list) = line.split_at(before_list);
    if list.contains(separator) && list.split(separator).all(is_partition) {
        return format!("{text}{}", sorted(list, separator));
    }
    line.to_owned()
}

fn sorted(list: &str, separator: &str) -> String {
    let mut entries: Vec<&str> = list.split(separator).collect();
    entries.sort_unstable();
    entries.join(separator)
}

#[cfg(test)]
mod unit {
    use super::partitions_in_order;

    #[test]
    fn partitions_of_a_message_have_no_order() {
        let told = "Valid replica already elected for partitions le-1, le-0";
        assert_eq!(partitions_in_order(told), "Valid replica already elected for partitions le-0, le-1");
        let started = "Successfully started partition reassignments for payments-0,payments-1";
        assert_eq!(partitions_in_order(started), started);
        assert_eq!(partitions_in_order("Missing required partitions b, a"), "Missing required partitions b, a");
    }
}
