//! Kafka's command-line tools over a simulated cluster: a line in, exactly what the tool prints out.
//!
//! Holds no state: the cluster is the timeline's, and what a command changes goes through
//! [`engine::Command`]. Nothing here draws or knows a browser.
//!
//! ```
//! let printed = console::parse("kafka-topics.sh --list --topic 'orders.*'").map(|line| line.arguments);
//! assert_eq!(printed, Ok(vec!["--list".to_string(), "--topic".to_string(), "orders.*".to_string()]));
//! ```

mod client;
mod complete;
mod configs;
mod console_consumer;
mod console_producer;
mod consumer_groups;
mod describe;
mod disk;
mod dump_log;
mod exception;
mod features;
mod get_offsets;
mod groups;
mod input;
mod java_order;
mod leader_election;
mod log_dirs;
mod options;
pub mod paste;
mod pattern;
pub mod place;
mod reassign;
#[cfg(test)]
mod recorded;
mod settings;
mod share_groups;
mod stop;
mod storage;
mod tool;
mod topics;
mod transactions;
mod words;

use std::collections::BTreeMap;

use engine::{Observer, Timeline};
use thiserror::Error;

pub use complete::complete;
pub use describe::{describe_partition_line, describe_topic};
pub use input::Input;
pub use tool::Tool;

/// What a command line asks for: a tool and its arguments, quotes removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// Which tool.
    pub tool: Tool,
    /// The words after its name.
    pub arguments: Vec<String>,
    /// What it reads besides: lines that were typed after the command, and files.
    pub input: Input,
}

/// Why a line is no command. The texts are those of a shell, where a shell has one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConsoleError {
    /// Nothing but blanks or a comment.
    #[error("")]
    Empty,
    /// A quote is not closed.
    #[error("bash: unexpected EOF while looking for matching `{0}'")]
    UnclosedQuote(char),
    /// A character that means something to a shell, outside of quotes.
    #[error("This console runs one command at a time: put '{0}' into quotes if it belongs to an argument.")]
    ShellSyntax(char),
    /// No such program.
    #[error("bash: {0}: command not found")]
    UnknownCommand(String),
    /// Lines after a command that reads none.
    #[error("This console runs one command at a time, and {0} reads no lines: \"{1}\" is left over.")]
    LinesLeft(String, String),
}

/// What a command left on the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The exit status; 0 is success.
    pub exit: i32,
    /// Standard output, each line ended by a line feed.
    pub stdout: String,
    /// Standard error, each line ended by a line feed. Log lines of the tools are left out.
    pub stderr: String,
    /// Where both streams took turns: a piece of standard error that ends at the second number of bytes was
    /// written when standard output had the first number of bytes. Without turns standard output came first.
    pub turns: Vec<(usize, usize)>,
}

impl Printed {
    /// Writes to standard output.
    pub(crate) fn out(&mut self, text: &str) {
        self.stdout.push_str(text);
    }

    /// Writes to standard error, after everything that was written before.
    pub(crate) fn err(&mut self, text: &str) {
        self.stderr.push_str(text);
        self.turns.push((self.stdout.len(), self.stderr.len()));
    }

    /// What was written, in order; true is standard error.
    pub fn parts(&self) -> Vec<(bool, &str)> {
        let mut parts = Vec::new();
        let (mut out, mut err) = (0, 0);
        for (out_end, err_end) in &self.turns {
            parts.push((false, &self.stdout[out..*out_end]));
            parts.push((true, &self.stderr[err..*err_end]));
            (out, err) = (*out_end, *err_end);
        }
        parts.push((false, &self.stdout[out..]));
        parts.push((true, &self.stderr[err..]));
        parts.retain(|(_, text)| !text.is_empty());
        parts
    }

    /// Both streams as a terminal shows them.
    pub fn text(&self) -> String {
        self.parts().into_iter().map(|(_, text)| text).collect()
    }
}

impl ConsoleError {
    /// The status that a shell would set.
    pub fn exit(&self) -> i32 {
        match self {
            ConsoleError::Empty => 0,
            ConsoleError::UnclosedQuote(_) | ConsoleError::ShellSyntax(_) | ConsoleError::LinesLeft(..) => 2,
            ConsoleError::UnknownCommand(_) => 127,
        }
    }
}

/// Splits a line as a shell does and finds its tool. Lines after the first are for a tool that reads
/// its standard input, such as kafka-console-producer.sh.
pub fn parse(text: &str) -> Result<Invocation, ConsoleError> {
    let words::Typed { words, lines } = words::split(text)?;
    let mut words = words.into_iter();
    let name = words.next().ok_or(ConsoleError::Empty)?;
    let Some(tool) = Tool::named(&name) else {
        return Err(ConsoleError::UnknownCommand(name));
    };
    match lines.iter().find(|line| !line.trim().is_empty()) {
        Some(left) if !tool.reads_lines() => Err(ConsoleError::LinesLeft(name, left.clone())),
        _ => Ok(Invocation { tool, arguments: words.collect(), input: Input { lines, files: BTreeMap::new() } }),
    }
}

/// Whether a command would now wait for lines to be typed: its tool reads them and takes its arguments.
pub fn waits_for_lines(invocation: &Invocation) -> bool {
    let Invocation { tool, arguments, input } = invocation;
    tool.reads_lines() && input.lines.is_empty() && console_producer::takes(arguments, input)
}

/// Runs a line against the cluster of a timeline. A tool waits for its answers, so simulated time may
/// pass, at most as long as the tool itself would wait.
pub fn run<O: Observer>(timeline: &mut Timeline<O>, line: &str) -> Printed {
    run_with(timeline, line, &Input::default())
}

/// The same with more lines to read and with files that the line may name.
pub fn run_with<O: Observer>(timeline: &mut Timeline<O>, line: &str, input: &Input) -> Printed {
    match parse(line) {
        Ok(mut invocation) => {
            invocation.input.lines.extend(input.lines.iter().cloned());
            invocation.input.files.clone_from(&input.files);
            invoke(timeline, &invocation)
        }
        Err(error) => {
            let text = error.to_string();
            let stderr = if text.is_empty() { text } else { format!("{text}\n") };
            Printed { exit: error.exit(), stderr, ..Printed::default() }
        }
    }
}

/// Runs a tool with arguments that are already split.
pub fn invoke<O: Observer>(timeline: &mut Timeline<O>, invocation: &Invocation) -> Printed {
    let Invocation { tool, arguments, input } = invocation;
    match *tool {
        Tool::Topics => topics::run(timeline, arguments),
        Tool::Configs => configs::run(timeline, arguments, input),
        Tool::ConsoleProducer => console_producer::run(timeline, arguments, input),
        Tool::ConsoleConsumer => console_consumer::run(timeline, arguments, input),
        Tool::GetOffsets => get_offsets::run(timeline, arguments),
        Tool::LeaderElection => leader_election::run(timeline, arguments, input),
        Tool::ReassignPartitions => reassign::run(timeline, arguments, input),
        Tool::LogDirs => log_dirs::run(timeline, arguments),
        Tool::DumpLog => dump_log::run(timeline, arguments),
        Tool::Transactions => transactions::run(timeline, arguments),
        Tool::ConsumerGroups => consumer_groups::run(timeline, arguments, input),
        Tool::Groups => groups::run(timeline, arguments),
        Tool::ShareGroups => share_groups::run(timeline, arguments),
        Tool::Features => features::run(timeline, arguments),
        Tool::Storage => storage::run(timeline, arguments),
        Tool::ServerStart => storage::start_server(timeline, arguments),
        Tool::Later(name) => Printed {
            exit: 1,
            stderr: format!("{name} is not in this console yet; kafka-topics.sh and others are.\n"),
            ..Printed::default()
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Result<(Tool, &[&str]), ConsoleError>) {
        let found = parse(line).map(|found| (found.tool, found.arguments));
        let expected = expected.map(|(tool, words)| (tool, words.iter().map(|word| word.to_string()).collect()));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn a_line_names_a_tool_however_it_is_installed() {
        for line in [
            "kafka-topics.sh --list",
            "bin/kafka-topics.sh --list",
            "kafka-topics --list",
            "/opt/kafka/bin/kafka-topics.sh --list",
        ] {
            check(line, Ok((Tool::Topics, &["--list"])));
        }
        check("kafka-acls.sh", Ok((Tool::Later("kafka-acls.sh"), &[])));
    }

    #[test]
    fn both_streams_are_told_in_the_order_of_writing() {
        let mut printed = Printed::default();
        printed.err("w\n");
        printed.out("a\n");
        printed.err("x\n");
        printed.err("y\n");
        printed.out("b\n");
        printed.stderr.push_str("z\n");
        assert_eq!(printed.text(), "w\na\nx\ny\nb\nz\n");
        assert_eq!(printed.parts()[0], (true, "w\n"));
        assert_eq!(Printed { stdout: "a".into(), stderr: "b".into(), ..Printed::default() }.text(), "ab");
    }

    #[test]
    fn lines_after_a_command_are_for_the_tool_that_reads_lines() {
        let parsed = parse("kafka-console-producer.sh --topic a\nb:c\n\n").expect("it reads lines");
        assert_eq!(parsed.input.lines, ["b:c", ""]);
    }

    #[test]
    fn only_a_good_command_that_reads_lines_waits_for_them() {
        let waits = |text: &str| parse(text).is_ok_and(|found| waits_for_lines(&found));
        assert!(waits("kafka-console-producer.sh --bootstrap-server b:1 --topic a"));
        assert!(!waits("kafka-console-producer.sh --bootstrap-server b:1 --topic a\nb"));
        assert!(!waits("kafka-console-producer.sh --topic a"));
        assert!(!waits("kafka-console-producer.sh --help"));
        assert!(!waits("kafka-topics.sh --list"));
    }

    #[test]
    fn a_line_that_is_no_command_is_answered_as_by_a_shell() {
        check("", Err(ConsoleError::Empty));
        check("  # nothing", Err(ConsoleError::Empty));
        check("ls -l", Err(ConsoleError::UnknownCommand("ls".into())));
        check("kafka-topics.sh --topic 'a", Err(ConsoleError::UnclosedQuote('\'')));
        let left = ConsoleError::LinesLeft("kafka-topics.sh".into(), "b".into());
        check("kafka-topics.sh --list\n\nb", Err(left));
        check("kafka-topics.sh --topic a|b", Err(ConsoleError::ShellSyntax('|')));
        assert_eq!(ConsoleError::UnknownCommand("ls".into()).to_string(), "bash: ls: command not found");
        assert_eq!(
            ConsoleError::UnclosedQuote('"').to_string(),
            "bash: unexpected EOF while looking for matching `\"'"
        );
    }
}
