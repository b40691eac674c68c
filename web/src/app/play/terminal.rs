//! The terminal: Kafka's own command lines against the running cluster. What they print is the console's business.

use yew::{
    Callback, Html, InputEvent, KeyboardEvent, TargetCast, UseStateHandle, component, hook, html, use_effect_with,
    use_node_ref, use_state,
};

use super::prompt::{Pressed, Prompt};
use super::setup::SetUpProps;
use super::transcript::{Entry, Transcript};
use super::workbench::Workbench;
use crate::app::session::{Rate, use_session};

/// What `help` prints.
const HELP: &str =
    "This terminal runs Kafka's own tools on the cluster of the stage. Simulated time passes while a tool waits.

  kafka-topics.sh --list
  kafka-topics.sh --describe --topic events
  kafka-topics.sh --create --topic orders --partitions 6 --replication-factor 1
  kafka-topics.sh --alter --topic events --partitions 6
  kafka-topics.sh --delete --topic orders
  kafka-topics.sh --help
  clear
  help

--bootstrap-server may be given; there is only one cluster.
Tab completes a word, the up and down arrows recall lines. Escape, then Tab, leaves the field.
The other tools of Kafka are known by name and say that they are not here yet.
";

/// The panel.
#[component]
pub fn Terminal(props: &SetUpProps) -> Html {
    let bench = &props.bench;
    let session = bench.session();
    use_session(&session, Rate::Table);
    let prompt = use_state(Prompt::default);
    let entries = bench.transcript(|transcript| transcript.entries().to_vec());
    let screen = use_node_ref();
    use_following(&screen, entries.last().map(|entry| entry.number));
    let oninput = {
        let prompt = prompt.clone();
        Callback::from(move |event: InputEvent| {
            prompt.set(Prompt::typed(event.target_unchecked_into::<web_sys::HtmlInputElement>().value()));
        })
    };
    let onkeydown = on_key(bench, &prompt);
    html! {
        <section class="panel terminal console" aria-label="Terminal">
            <div class="console-screen" ref={screen} role="log" tabindex="0" aria-label="What was printed">
                if entries.is_empty() { <p class="empty">{ "Kafka's own command lines run here. Type help, or kafka-topics.sh --list." }</p> }
                { for entries.iter().map(entry) }
            </div>
            <label class="console-line">
                <u aria-hidden="true">{ "$" }</u>
                <span class="hidden-visually">{ "Kafka command. Tab completes, Escape then Tab leaves the field." }</span>
                <input type="text" autocomplete="off" autocapitalize="off" spellcheck="false" value={prompt.line.clone()} placeholder="kafka-topics.sh --list"
                    {oninput} {onkeydown} />
            </label>
            <p class="console-choices" role="status">{ prompt.choices.join("  ") }</p>
        </section>
    }
}

/// Keys of the field; what they do to the line is the prompt's business.
fn on_key(bench: &Workbench, prompt: &UseStateHandle<Prompt>) -> Callback<KeyboardEvent> {
    let (bench, prompt) = (bench.clone(), prompt.clone());
    Callback::from(move |event: KeyboardEvent| {
        event.stop_propagation();
        let press = |transcript: &mut Transcript| {
            prompt.press(&event.key(), event.shift_key(), transcript, |line| candidates(&bench, line))
        };
        let (next, pressed) = bench.transcript(press);
        if pressed != Pressed::Untouched {
            event.prevent_default();
        }
        if let Pressed::Run(line) = pressed {
            run(&bench, &line);
        }
        prompt.set(next);
    })
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
    let of_console = console::complete(&bench.session().snapshot(0), line);
    own.map(str::to_owned).chain(of_console).collect()
}

/// Runs a line on every side and writes down what it printed.
fn run(bench: &Workbench, line: &str) {
    let line = line.trim();
    if line == "clear" {
        return bench.transcript(|transcript| transcript.clear(line));
    }
    let session = bench.session();
    let time = session.read(scene::Player::now).to_string();
    let printed = match line {
        "" => Vec::new(),
        "help" => vec![(false, HELP.to_owned())],
        _ => sides(session.apply(|player| player.operate(|timeline| console::run(timeline, line)))),
    };
    bench.transcript(|transcript| transcript.add(time, line, printed));
    session.repaint();
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
        texts
            .extend([(false, printed.stdout), (true, printed.stderr)].into_iter().filter(|(_, text)| !text.is_empty()));
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
        let printed = printed.iter().map(|text| Printed { exit: 0, stdout: (*text).to_owned(), stderr: String::new() });
        let texts: Vec<String> = sides(printed.collect()).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn sides_that_print_the_same_print_once() {
        check(&["events\n", "events\n"], &["events\n"]);
        check(&["a\n", "b\n"], &["# side 1\n", "a\n", "# side 2\n", "b\n"]);
        check(&[""], &[]);
    }
}
