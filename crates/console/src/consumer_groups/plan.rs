//! Partitions in arguments such as `orders:0,2`, and plans of a reset as CSV.
//!
//! Follows `GroupOffsetsResetter` and `CsvUtils` of 4.3.1.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::event::TopicPartition;

use crate::exception::Exception;
use crate::stop::Stop;

/// Longer texts are quoted without a look at them, as Jackson does it.
const UNQUOTED_MAX: usize = 24;

/// What `--topic` arguments name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Named {
    /// Partitions that are named one by one.
    pub(super) partitions: Vec<TopicPartition>,
    /// Topics that are named as a whole.
    pub(super) topics: Vec<String>,
}

/// Offsets by group and partition.
pub(super) type Plan = BTreeMap<String, Vec<(TopicPartition, i64)>>;

/// Reads the arguments of `--topic`.
pub(super) fn named(arguments: &[String]) -> Result<Named, Stop> {
    let mut named = Named::default();
    for argument in arguments {
        if !argument.contains(':') {
            if !named.topics.contains(argument) {
                named.topics.push(argument.clone());
            }
            continue;
        }
        let wrong = |text: String| Stop::Failed(Exception::of_argument(text));
        let parts = java_split(argument, ':');
        let [topic, partitions] = parts[..] else {
            return Err(wrong(format!("Invalid topic arg '{argument}', expected topic name and partitions")));
        };
        let topic: Rc<str> = topic.into();
        for partition in java_split(partitions, ',') {
            let number = partition
                .parse()
                .map_err(|_| wrong(format!("Invalid partition '{partition}' specified in topic arg '{argument}''")))?;
            named.partitions.push(TopicPartition { topic: topic.clone(), partition: number });
        }
    }
    Ok(named)
}

/// Parts between separators, without empty ones at the end.
fn java_split(text: &str, separator: char) -> Vec<&str> {
    let mut parts: Vec<&str> = text.split(separator).collect();
    while parts.len() > 1 && parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    parts
}

/// A line of an exported plan; the group is left out if only one was asked for.
pub(super) fn exported(group: Option<&str>, name: &TopicPartition, offset: u64) -> String {
    let group = group.map_or(String::new(), |group| format!("{},", quoted(group)));
    format!("{group}{},{},{offset}\n", quoted(&name.topic), name.partition)
}

fn quoted(text: &str) -> String {
    let is_plain = text.len() <= UNQUOTED_MAX && text.chars().all(|letter| letter > ',');
    if is_plain { text.to_string() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

/// Reads a plan. Lines without a group are for the only group that was asked for.
/// Simplified: the texts of objections are ours, Jackson's name its classes.
pub(super) fn read(text: &str, groups: &[String]) -> Result<Plan, Exception> {
    let mut plan = Plan::new();
    let lines: Vec<&str> = text.lines().collect();
    let first = lines.first().map(|line| fields(line)).unwrap_or_default();
    let is_short = groups.len() == 1 && record(&first).is_some();
    for line in lines {
        let fields = fields(line);
        let (group, rest) = match (is_short, &fields[..]) {
            (true, rest) => (groups[0].clone(), rest),
            (false, [group, rest @ ..]) => (group.clone(), rest),
            (false, []) => (String::new(), &fields[..]),
        };
        let Some((name, offset)) = record(rest) else {
            let text = format!(
                "The line \"{line}\" is not {}topic, partition and offset.",
                if is_short { "" } else { "group, " }
            );
            return Err(Exception::new("com.fasterxml.jackson.databind.JsonMappingException", text)
                .inside("java.lang.RuntimeException"));
        };
        let entries = plan.entry(group).or_default();
        entries.retain(|(known, _)| *known != name);
        entries.push((name, offset));
    }
    Ok(plan)
}

fn record(fields: &[String]) -> Option<(TopicPartition, i64)> {
    let [topic, partition, offset] = fields else { return None };
    let name = TopicPartition { topic: topic.as_str().into(), partition: partition.trim().parse().ok()? };
    Some((name, offset.trim().parse().ok()?))
}

/// Fields of a line, without their quotes.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    let mut letters = line.trim_end_matches('\r').chars().peekable();
    while let Some(letter) = letters.next() {
        let field = fields.last_mut().expect("there is always a field");
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            letter => field.push(letter),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(topic: &str, partition: u32) -> TopicPartition {
        TopicPartition { topic: topic.into(), partition }
    }

    #[test]
    fn arguments_name_topics_and_partitions() {
        let read = |text: &str| named(&[text.to_string()]);
        assert_eq!(read("a"), Ok(Named { topics: vec!["a".to_string()], ..Named::default() }));
        let partitions = vec![name("a", 0), name("a", 2)];
        assert_eq!(read("a:0,2"), Ok(Named { partitions, ..Named::default() }));
        for (text, expected) in [
            ("a:0:1", "Invalid topic arg 'a:0:1', expected topic name and partitions"),
            ("a:", "Invalid topic arg 'a:', expected topic name and partitions"),
            ("a:x", "Invalid partition 'x' specified in topic arg 'a:x''"),
        ] {
            assert_eq!(read(text), Err(Stop::Failed(Exception::of_argument(expected))));
        }
    }

    #[test]
    fn a_plan_comes_back_as_it_was_exported() {
        let long = "a-topic-with-a-rather-long-name";
        assert_eq!(exported(None, &name("a", 1), 5), "a,1,5\n");
        assert_eq!(exported(Some("g"), &name(long, 0), 5), format!("g,\"{long}\",0,5\n"));
        let groups = ["g".to_string(), "h".to_string()];
        let one = read("a,1,5\na,1,6\n", &groups[..1]).expect("a good plan");
        assert_eq!(one["g"], [(name("a", 1), 6)]);
        let two = read(&exported(Some("g"), &name(long, 0), 5), &groups).expect("a good plan");
        assert_eq!(two["g"], [(name(long, 0), 5)]);
        assert!(read("a,x,5\n", &groups[..1]).is_err());
    }
}
