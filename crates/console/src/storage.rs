//! kafka-storage.sh and kafka-server-start.sh: how a node comes to life.
//!
//! There are no disks to format: a node of a scenario is formatted, unless nothing has happened on the
//! timeline yet, in which case formatting and starting it only say what they would say.

use engine::rng::Stream;
use engine::snapshot::{BrokerSnapshot, BrokerState, Snapshot};
use engine::{Command, Observer, Timeline};

use crate::Printed;
use crate::client::{API_TIMEOUT, ask};
use crate::place::{log_dir, log_stamp};

/// What may come after kafka-storage.sh, for completion.
pub(crate) const COMMANDS: [&str; 2] = ["random-uuid", "format"];

const METADATA_VERSION: &str = "4.3-IV0";

/// Runs kafka-storage.sh.
pub(crate) fn run<O: Observer>(timeline: &mut Timeline<O>, words: &[String]) -> Printed {
    let mut printed = Printed::default();
    let done = match words.first().map(String::as_str) {
        Some("random-uuid") if words.len() == 1 => {
            printed.stdout.push_str(&format!("{}\n", random_uuid(timeline)));
            Ok(())
        }
        Some("format") => format_directory(timeline, &words[1..], &mut printed),
        Some("info") => Err("info is not in this console: there is no disk to look at.".to_string()),
        Some("random-uuid") => Err(format!("unrecognized arguments: '{}'", words[1])),
        Some(other) => Err(format!("invalid choice: '{other}' (choose from 'format', 'random-uuid')")),
        None => Err("too few arguments".to_string()),
    };
    if let Err(text) = done {
        printed.exit = 1;
        printed.stderr.push_str(&format!("{text}\n"));
    }
    printed
}

/// 16 random bytes as Kafka writes them: 22 characters of URL-safe base64 that do not begin with a dash.
fn random_uuid<O: Observer>(timeline: &Timeline<O>) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let owner = format!("{}", timeline.moment().sequence);
    let mut stream = Stream::new(timeline.scenario().seed, "storage uuid", &owner);
    loop {
        // The last character stands for two bits only.
        let bounds = (0..22).map(|place| if place == 21 { 4 } else { 64 });
        let digits: Vec<u8> = bounds.map(|bound| DIGITS[(stream.below(bound) * (64 / bound)) as usize]).collect();
        let uuid = String::from_utf8(digits).expect("base64 is ASCII");
        if !uuid.starts_with('-') {
            return uuid;
        }
    }
}

fn format_directory<O: Observer>(
    timeline: &mut Timeline<O>,
    words: &[String],
    printed: &mut Printed,
) -> Result<(), String> {
    let mut cluster_id = None;
    let mut config = None;
    let mut is_standalone = false;
    let mut ignores_formatted = false;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let mut argument = || rest.next().cloned().ok_or(format!("argument {word}: expected one argument"));
        match word.as_str() {
            "--cluster-id" | "-t" => cluster_id = Some(argument()?),
            "--config" | "-c" => config = Some(argument()?),
            "--standalone" | "-s" => is_standalone = true,
            "--ignore-formatted" | "-g" => ignores_formatted = true,
            _ => return Err(format!("unrecognized arguments: '{word}'")),
        }
    }
    let config = config.ok_or("argument --config/-c is required")?;
    let cluster_id = cluster_id.ok_or("argument --cluster-id/-t is required")?;
    if cluster_id.len() != 22 || !cluster_id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
        return Err(format!(
            "Cluster ID string {cluster_id} does not appear to be a valid UUID: it is not 22 characters of base64."
        ));
    }
    if !is_standalone {
        return Err("Because controller.quorum.voters is not set on this controller, you must specify one of the following: --standalone, --initial-controllers, or --no-initial-controllers.".to_string());
    }
    let node = node(timeline, &config)?;
    let directory = log_dir(node.id);
    if is_blank(timeline) {
        printed.stdout.push_str(&format!(
            "Formatting dynamic metadata voter directory {directory} with metadata.version {METADATA_VERSION}.\n"
        ));
        Ok(())
    } else if ignores_formatted {
        printed.stdout.push_str("All of the log directories are already formatted.\n");
        Ok(())
    } else {
        Err(format!(
            "Log directory {directory} is already formatted. Use --ignore-formatted to ignore this directory and format the others."
        ))
    }
}

/// Runs kafka-server-start.sh.
pub(crate) fn start_server<O: Observer>(timeline: &mut Timeline<O>, words: &[String]) -> Printed {
    let mut printed = Printed::default();
    let file = words.iter().find(|word| *word != "-daemon" && !word.starts_with("--"));
    let Some(file) = file else {
        printed.exit = 1;
        printed
            .stderr
            .push_str("USAGE: kafka-server-start.sh [-daemon] server.properties [--override property=value]*\n");
        return printed;
    };
    // A node may be named in the place where Kafka takes properties over.
    let named = words.iter().find_map(|word| word.strip_prefix("node.id="));
    match node(timeline, named.unwrap_or(file)).and_then(|node| start(timeline, &node)) {
        Ok(id) => {
            let stamp = log_stamp(timeline.now());
            printed.stdout.push_str(&format!(
                "{stamp} INFO [KafkaRaftServer nodeId={id}] Kafka Server started (kafka.server.KafkaRaftServer)\n"
            ));
        }
        Err(text) => {
            printed.exit = 1;
            printed.stderr.push_str(&format!("{text}\n"));
        }
    }
    printed
}

fn start<O: Observer>(timeline: &mut Timeline<O>, node: &BrokerSnapshot) -> Result<u32, String> {
    if is_blank(timeline) && node.state == BrokerState::Running {
        // The run itself begins with the start of its nodes.
        timeline.advance_to(engine::Time::ZERO);
        return Ok(node.id);
    }
    if node.state != BrokerState::Stopped {
        return Err(format!(
            "Failed to acquire lock on file .lock in {}. A Kafka instance in another process or thread is using this directory.",
            log_dir(node.id)
        ));
    }
    match ask(timeline, Command::StartBroker { broker: node.id }, API_TIMEOUT) {
        Ok(_) => Ok(node.id),
        Err(crate::stop::Stop::Refused(error)) => Err(error.to_string()),
        Err(_) => Err("The node did not start.".to_string()),
    }
}

/// Nothing was created and nothing was done.
fn is_blank<O: Observer>(timeline: &Timeline<O>) -> bool {
    let snapshot = timeline.snapshot(0);
    timeline.commands().is_empty() && snapshot.topics.is_empty()
}

/// The node that a properties file is for: the number in its name, or the first one.
fn node<O: Observer>(timeline: &Timeline<O>, file: &str) -> Result<BrokerSnapshot, String> {
    let Snapshot { brokers, .. } = timeline.snapshot(0);
    let digits: String = file.chars().filter(char::is_ascii_digit).collect();
    let known: Vec<String> = brokers.iter().map(|broker| broker.id.to_string()).collect();
    let found = match digits.parse::<u32>() {
        Ok(id) => brokers.into_iter().find(|broker| broker.id == id),
        Err(_) => brokers.into_iter().next(),
    };
    found.ok_or_else(|| format!("{file}: this cluster has no such node; its nodes are {}.", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use engine::{Scenario, Timeline};

    use crate::run;

    #[test]
    fn a_node_is_formatted_once_and_started() {
        let mut timeline = Timeline::new(Scenario::empty(1), ()).expect("an empty scenario is good");
        let uuid = run(&mut timeline, "kafka-storage.sh random-uuid").stdout;
        assert_eq!((uuid.len(), uuid.ends_with('\n')), (23, true));
        let format = format!("kafka-storage.sh format --standalone -t {} -c config/server.properties", uuid.trim());
        assert_eq!(
            run(&mut timeline, &format).stdout,
            "Formatting dynamic metadata voter directory /var/lib/kafka/data-1 with metadata.version 4.3-IV0.\n"
        );
        assert_eq!(
            run(&mut timeline, "bin/kafka-server-start.sh config/server.properties").stdout,
            "[2026-01-01 00:00:00,000] INFO [KafkaRaftServer nodeId=1] Kafka Server started (kafka.server.KafkaRaftServer)\n"
        );
        run(&mut timeline, "kafka-topics.sh --bootstrap-server b --create --topic a");
        let again = run(&mut timeline, &format);
        assert_eq!(
            (again.exit, again.stderr.starts_with("Log directory /var/lib/kafka/data-1 is already formatted.")),
            (1, true)
        );
        let again = run(&mut timeline, "kafka-server-start.sh config/server.properties");
        assert_eq!((again.exit, again.stderr.starts_with("Failed to acquire lock on file .lock")), (1, true));
    }

    #[test]
    fn lines_that_make_no_sense_are_refused() {
        let mut timeline = Timeline::new(Scenario::empty(1), ()).expect("an empty scenario is good");
        let mut check = |line: &str, first: &str| {
            let printed = run(&mut timeline, line);
            assert_eq!((printed.exit, printed.stderr.lines().next()), (1, Some(first)), "{line}");
        };
        check("kafka-storage.sh", "too few arguments");
        check("kafka-storage.sh format -c a", "argument --cluster-id/-t is required");
        check("kafka-storage.sh format -t", "argument -t: expected one argument");
        check(
            "kafka-server-start.sh config/server-9.properties",
            "config/server-9.properties: this cluster has no such node; its nodes are 1.",
        );
        check(
            "kafka-server-start.sh",
            "USAGE: kafka-server-start.sh [-daemon] server.properties [--override property=value]*",
        );
    }
}
