//! The terminal: Kafka's own command lines against the running cluster. What they print is the console's business.

use console::Input;
use yew::{Callback, Html, component, hook, html, use_effect_with, use_force_update, use_node_ref};

use super::setup::SetUpProps;
use super::terminal_files::{FilesEditor, awaits_file};
use super::transcript::Entry;
use super::workbench::Workbench;
use crate::app::panels::prompt_line::PromptLine;
use crate::app::part::part;
use crate::app::session::{Rate, use_session};

/// What `help` prints.
const HELP: &str =
    "This terminal runs Kafka's own tools on the cluster of the stage. Simulated time passes while a tool waits.

  kafka-topics.sh --bootstrap-server localhost:9092 --describe --topic events
  kafka-topics.sh --bootstrap-server localhost:9092 --create --topic orders --partitions 6 --replication-factor 3
  kafka-topics.sh --bootstrap-server localhost:9092 --alter --topic events --partitions 6
  kafka-topics.sh --help
  kafka-configs.sh --bootstrap-server localhost:9092 --alter --topic events --add-config retention.ms=60000
  kafka-console-producer.sh --bootstrap-server localhost:9092 --topic events --reader-property parse.key=true
  kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic events --from-beginning --max-messages 5
  kafka-get-offsets.sh --bootstrap-server localhost:9092 --topic events
  kafka-leader-election.sh --bootstrap-server localhost:9092 --election-type preferred --all-topic-partitions
  kafka-reassign-partitions.sh --bootstrap-server localhost:9092 --verify --reassignment-json-file plan.json
  kafka-log-dirs.sh --bootstrap-server localhost:9092 --describe
  kafka-dump-log.sh --files /var/lib/kafka/data-1/events-0/00000000000000000000.log
  kafka-features.sh --bootstrap-server localhost:9092 describe
  clear
  help

There is only one cluster, whatever address --bootstrap-server names.
kafka-console-producer.sh reads lines until the input ends: Control and D, or the button.
A backslash at the end of a line, or Shift and Enter, goes on in the next line.
Files that a command names are kept under Files below; JSON may stand in the place of a file.
Tab completes a word, the up and down arrows recall lines. Escape, then Tab, leaves the field.
Tools that are not here yet are known by name and say so.
";

/// The panel.
#[component]
pub fn Terminal(props: &SetUpProps) -> Html {
    let bench = &props.bench;
    use_session(&bench.session(), Rate::Table);
    let entries = bench.transcript(|transcript| transcript.entries().to_vec());
    let screen = use_node_ref();
    use_following(&screen, entries.last().map(|entry| entry.number));
    let recall = {
        let bench = bench.clone();
        Callback::from(move |back: usize| bench.transcript(|transcript| transcript.recall(back).map(str::to_owned)))
    };
    let offers = {
        let bench = bench.clone();
        Callback::from(move |line: String| candidates(&bench, &line))
    };
    let onrun = {
        let bench = bench.clone();
        let shown = use_force_update();
        Callback::from(move |text: String| {
            run(&bench, &text);
            // Not every line changes the cluster.
            shown.force_update();
        })
    };
    html! {
        <div class="console-frame">
            <section class="panel terminal console" aria-label="Terminal">
                <div class="console-screen" ref={screen} role="log" tabindex="0" aria-label="What was printed">
                    if entries.is_empty() { <p class="empty">{ "Kafka's own command lines run here. Type help, or kafka-topics.sh --bootstrap-server localhost:9092 --list." }</p> }
                    { for entries.iter().map(entry) }
                </div>
                { part!(PromptLine { placeholder: "kafka-topics.sh --bootstrap-server localhost:9092 --list", recall, candidates: offers, onrun }) }
            </section>
            { part!(FilesEditor { bench: bench.clone(), version: props.version }) }
        </div>
    }
}

fn entry(entry: &Entry) -> Html {
    html! {
        <div key={entry.number}>
            <p class="prompt"><time>{ &entry.time }</time><u>{ " $ " }</u>{ &entry.line }</p>
            { for entry.printed.iter().map(|(is_error, text)| html! { <pre class={is_error.then_some("stderr")}>{ text }</pre> }) }
        </div>
    }
}

fn candidates(bench: &Workbench, line: &str) -> Vec<String> {
    let own = ["help", "clear"].into_iter().filter(|word| word.starts_with(line) && *word != line);
    let typed = &line[line.rfind(char::is_whitespace).map_or(0, |blank| blank + 1)..];
    let files = bench.files(|files| files.names().map(str::to_owned).collect::<Vec<_>>());
    let files = files.into_iter().filter(|name| awaits_file(line) && name.starts_with(typed) && name != typed);
    let of_console = console::complete(&bench.session().snapshot(0), line);
    own.map(str::to_owned).chain(files).chain(of_console).collect()
}

/// Runs a command on every side, with the lines under it, and writes down what it printed.
fn run(bench: &Workbench, text: &str) {
    let line = text.trim();
    if line == "clear" {
        return bench.transcript(|transcript| transcript.clear(line));
    }
    let session = bench.session();
    let time = session.read(scene::Player::now).to_string();
    let input = Input { lines: Vec::new(), files: bench.files(|files| files.contents().clone()) };
    let printed = match line {
        "" => Vec::new(),
        "help" => vec![(false, HELP.to_owned())],
        _ => sides(session.apply(|player| player.operate(|timeline| console::run_with(timeline, text, &input)))),
    };
    let (command, typed) = split(text);
    let echo = (!typed.is_empty()).then_some((false, typed));
    bench.transcript(|transcript| transcript.add(time, command, echo.into_iter().chain(printed).collect()));
    session.repaint();
}

/// A command and the lines that its tool read, as they stood on the screen.
fn split(text: &str) -> (&str, String) {
    let lines = console::parse(text).map_or_else(|_| Vec::new(), |invocation| invocation.input.lines);
    if lines.is_empty() {
        return (text.trim(), String::new());
    }
    let command = text.lines().count().saturating_sub(lines.len());
    let end = text.match_indices('\n').nth(command.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
    (text[..end].trim(), lines.iter().map(|line| format!(">{line}\n")).collect())
}

/// What all sides printed; once if it is the same.
fn sides(printed: Vec<console::Printed>) -> Vec<(bool, String)> {
    let differs = printed.windows(2).any(|pair| pair[0] != pair[1]);
    let shown = if differs { printed.len() } else { 1 };
    let mut texts = Vec::new();
    for (side, printed) in printed.into_iter().take(shown).enumerate() {
        if differs {
            texts.push((false, format!("# side {}\n", side + 1)));
        }
        texts.extend(printed.parts().into_iter().map(|(is_error, text)| (is_error, text.to_owned())));
    }
    texts
}

/// The newest output stays in view.
#[hook]
fn use_following(screen: &yew::NodeRef, newest: Option<u64>) {
    let screen = screen.clone();
    use_effect_with(newest, move |_| {
        if let Some(screen) = screen.cast::<web_sys::Element>() {
            screen.set_scroll_top(screen.scroll_height());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use console::Printed;

    fn check(printed: &[&str], expected: &[&str]) {
        let printed = printed.iter().map(|text| Printed { stdout: (*text).to_owned(), ..Printed::default() });
        let texts: Vec<String> = sides(printed.collect()).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn sides_that_print_the_same_print_once() {
        check(&["events\n", "events\n"], &["events\n"]);
        check(&["a\n", "b\n"], &["# side 1\n", "a\n", "# side 2\n", "b\n"]);
        check(&[""], &[]);
    }

    #[test]
    fn lines_that_a_tool_reads_are_not_part_of_its_command() {
        let command = "kafka-console-producer.sh --topic a";
        assert_eq!(split(&format!("{command}\nx\n\ny")), (command, ">x\n>\n>y\n".to_owned()));
        assert_eq!(split("kafka-topics.sh \\\n --list"), ("kafka-topics.sh \\\n --list", String::new()));
        assert_eq!(split("ls"), ("ls", String::new()));
    }
}
