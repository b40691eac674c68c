//! The options of kafka-topics.sh, and which of them go together.
//!
//! Follows `TopicCommandOptions` of 4.3.1: same checks, same order, same texts.

use super::details::Details;
use super::failed;
use crate::Printed;
use crate::options::{OptionSpec, Options, option, usage};
use crate::stop::Stop;

/// Every option, in name order.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    option("alter", "", "Raise the number of partitions."),
    option("at-min-isr-partitions", "", "Describe only partitions with exactly as many in-sync replicas as needed."),
    option("bootstrap-server", "host:port", "A broker to connect to; always needed."),
    option("command-config", "file", "Settings of the Admin client; this console has no files and ignores it."),
    option("config", "name=value", "A setting of the new topic; may be repeated."),
    option("create", "", "Create a topic."),
    option("delete", "", "Delete topics."),
    option("delete-config", "name", "Not supported since 4.0; ignored."),
    option("describe", "", "Show topics and their partitions."),
    option("exclude-internal", "", "Leave out Kafka's own topics."),
    option("help", "", "Show this list."),
    option("if-exists", "", "Do nothing if the topic does not exist."),
    option("if-not-exists", "", "Do nothing if the topic exists already."),
    option("list", "", "List topics."),
    option("partition-size-limit-per-response", "number", "Most partitions in one answer; no effect here."),
    option("partitions", "number", "How many partitions the topic is to have."),
    option("replica-assignment", "1:2,2:3,...", "Brokers of each partition, the preferred leader first."),
    option("replication-factor", "number", "How many replicas each partition is to have."),
    option("topic", "name", "The topic; a regular expression except with --create."),
    option("topic-id", "id", "The topic to describe, by its id."),
    option("topics-with-overrides", "", "Describe only topics with settings of their own, without partitions."),
    option("unavailable-partitions", "", "Describe only partitions without a live leader."),
    option("under-min-isr-partitions", "", "Describe only partitions with fewer in-sync replicas than needed."),
    option("under-replicated-partitions", "", "Describe only partitions with replicas out of sync."),
    option("version", "", "Show Kafka's version."),
];

/// The filters of `--describe` that choose partitions.
const PARTITION_FILTERS: [&str; 4] =
    ["under-replicated-partitions", "under-min-isr-partitions", "at-min-isr-partitions", "unavailable-partitions"];

/// What the tool is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Create,
    Alter,
    List,
    Describe,
    Delete,
}

/// Options that were found to go together. Arguments that the tool reads late are read late.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    pub(super) action: Action,
    pub(super) topic: Option<String>,
    pub(super) if_exists: bool,
    pub(super) if_not_exists: bool,
    pub(super) exclude_internal: bool,
    pub(super) topics_with_overrides: bool,
    pub(super) under_replicated: bool,
    pub(super) unavailable: bool,
    pub(super) under_min_isr: bool,
    pub(super) at_min_isr: bool,
    options: Options,
}

const ACTIONS: [(&str, Action); 5] = [
    ("create", Action::Create),
    ("list", Action::List),
    ("alter", Action::Alter),
    ("describe", Action::Describe),
    ("delete", Action::Delete),
];

impl Arguments {
    /// Reads the words after the tool's name. Warnings go to `printed`.
    pub(super) fn read(words: &[String], printed: &mut Printed) -> Result<Arguments, Stop> {
        let options = Options::read(OPTIONS, words).map_err(failed)?;
        if words.is_empty() {
            return Err(Stop::Usage("Create, delete, describe, or change a topic.".to_string()));
        }
        if options.has("help") {
            let text = "This tool helps to create, delete, describe, or change a topic.";
            printed.stderr.push_str(&format!("{text}\n{}", usage(OPTIONS)));
            return Err(Stop::Answered(String::new()));
        }
        if options.has("version") {
            return Err(Stop::Answered(format!("{}\n", engine::version::KAFKA)));
        }
        let mut actions = ACTIONS.iter().filter(|(name, _)| options.has(name));
        let (Some((_, action)), None) = (actions.next(), actions.next()) else {
            let text = "Command must include exactly one action: --list, --describe, --create, --alter or --delete";
            return Err(Stop::Usage(text.to_string()));
        };
        if options.has("delete-config") {
            printed.stderr.push_str("delete-config option is no longer supported and deprecated since version 4.0. The config will be fully removed in future releases.\n");
        }
        check_required(&options, printed)?;
        check_invalid(&options)?;
        Ok(Arguments {
            action: *action,
            topic: options.text("topic").map_err(failed)?.map(str::to_string),
            if_exists: options.has("if-exists"),
            if_not_exists: options.has("if-not-exists"),
            exclude_internal: options.has("exclude-internal"),
            topics_with_overrides: options.has("topics-with-overrides"),
            under_replicated: options.has("under-replicated-partitions"),
            unavailable: options.has("unavailable-partitions"),
            under_min_isr: options.has("under-min-isr-partitions"),
            at_min_isr: options.has("at-min-isr-partitions"),
            options,
        })
    }

    /// Numbers, assignment and settings, in the order in which the tool reads them.
    pub(super) fn details(&self) -> Result<Details, Stop> {
        Details::read(&self.options).map_err(failed)
    }

    /// The argument of `--topic-id`, unless it is the id of no topic. The texts are those of `Uuid`.
    pub(super) fn topic_id(&self) -> Result<Option<&str>, Stop> {
        let Some(id) = self.options.text("topic-id").map_err(failed)? else {
            return Ok(None);
        };
        if let Some((long, _)) = id.char_indices().nth(24) {
            let text = format!("Input string with prefix `{}` is too long to be decoded as a base64 UUID", &id[..long]);
            return Err(failed(text));
        }
        if id.len() != 22 {
            let bytes = id.len() * 3 / 4;
            let text = format!(
                "Input string `{id}` decoded as {bytes} bytes, which is not equal to the expected 16 bytes of a base64-encoded UUID"
            );
            return Err(failed(text));
        }
        Ok(Some(id).filter(|id| id.bytes().any(|byte| byte != b'A')))
    }
}

fn check_required(options: &Options, printed: &mut Printed) -> Result<(), Stop> {
    let required = |name: &str| match options.has(name) {
        true => Ok(()),
        false => Err(Stop::Usage(format!("Missing required argument \"[{name}]\""))),
    };
    if !options.has("bootstrap-server") {
        return Err(failed("--bootstrap-server must be specified"));
    }
    if options.has("describe") && options.has("if-exists") {
        if !options.has("topic") && !options.has("topic-id") {
            return Err(Stop::Usage("--topic or --topic-id is required to describe a topic".to_string()));
        }
        if options.has("topic") && options.has("topic-id") {
            printed.stdout.push_str("Only topic id will be used when both --topic and --topic-id are specified and topicId is not Uuid.ZERO_UUID\n");
        }
    }
    if !options.has("list") && !options.has("describe") {
        required("topic")?;
    }
    if options.has("alter") {
        if options.has("config") {
            // The order of the two names is that of a hash set.
            let text = "Option combination \"[[bootstrap-server], [config]]\" can't be used with option \"[alter]\" (To alter topic configurations, the kafka-configs tool can be used.)";
            return Err(Stop::Usage(text.to_string()));
        }
        required("partitions")?;
    }
    Ok(())
}

fn check_invalid(options: &Options) -> Result<(), Stop> {
    only_with(options, "config", &["alter", "create"], &[])?;
    only_with(options, "partitions", &["alter", "create"], &[])?;
    only_with(options, "replication-factor", &["create"], &[])?;
    only_with(options, "replica-assignment", &["alter", "create"], &[])?;
    if options.has("create") {
        conflict(options, "replica-assignment", &["partitions", "replication-factor"])?;
    }
    for filter in PARTITION_FILTERS {
        only_with(options, filter, &["describe"], &["topics-with-overrides"])?;
    }
    only_with(options, "topics-with-overrides", &["describe"], &PARTITION_FILTERS)?;
    only_with(options, "if-exists", &["alter", "delete", "describe"], &[])?;
    only_with(options, "if-not-exists", &["create"], &[])?;
    only_with(options, "exclude-internal", &["list", "describe"], &[])
}

/// An option that fits some actions only, and not some other options.
fn only_with(options: &Options, option: &str, actions: &[&str], others: &[&str]) -> Result<(), Stop> {
    let wrong = ACTIONS.iter().map(|(name, _)| *name).filter(|name| !actions.contains(name));
    conflict(options, option, &wrong.chain(others.iter().copied()).collect::<Vec<_>>())
}

fn conflict(options: &Options, option: &str, wrong: &[&str]) -> Result<(), Stop> {
    options.exclude(option, wrong).map_err(Stop::Usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Result<(), &str>) {
        let words: Vec<String> = line.split(' ').map(|word| word.replace("EMPTY", "")).collect();
        let read = Arguments::read(&words, &mut Printed::default()).and_then(|arguments| arguments.details());
        let text = match read {
            Ok(_) => Ok(()),
            Err(Stop::Failed(exception)) => Err(exception.text().to_string()),
            Err(Stop::Usage(text) | Stop::Answered(text) | Stop::Terse(text)) => Err(text),
            Err(Stop::Refused(error)) => Err(error.to_string()),
        };
        assert_eq!(text, expected.map_err(str::to_string), "{line}");
    }

    #[test]
    fn options_that_do_not_go_together_are_refused() {
        for (line, text) in [
            ("--list", "--bootstrap-server must be specified"),
            (
                "--list --create --bootstrap-server b",
                "Command must include exactly one action: --list, --describe, --create, --alter or --delete",
            ),
            ("--create --bootstrap-server b", "Missing required argument \"[topic]\""),
            ("--alter --topic a --bootstrap-server b", "Missing required argument \"[partitions]\""),
            (
                "--create --topic a --bootstrap-server b --replica-assignment 1:2 --partitions 1",
                "Option \"[replica-assignment]\" can't be used with option \"[partitions]\"",
            ),
            (
                "--create --topic a --bootstrap-server b --replica-assignment 1:2 --replication-factor 2",
                "Option \"[replica-assignment]\" can't be used with option \"[replication-factor]\"",
            ),
            (
                "--list --partitions 3 --bootstrap-server b",
                "Option \"[partitions]\" can't be used with option \"[list]\"",
            ),
            (
                "--describe --topics-with-overrides --unavailable-partitions --bootstrap-server b",
                "Option \"[unavailable-partitions]\" can't be used with option \"[topics-with-overrides]\"",
            ),
            (
                "--create --topic a --if-exists --bootstrap-server b",
                "Option \"[if-exists]\" can't be used with option \"[create]\"",
            ),
            ("--describe --if-exists --bootstrap-server b", "--topic or --topic-id is required to describe a topic"),
            ("--create --nope", "nope is not a recognized option"),
        ] {
            check(line, Err(text));
        }
    }
}
