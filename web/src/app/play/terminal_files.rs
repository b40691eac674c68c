//! Files that command lines may name, such as a plan of moves. They are in this page only; nothing is saved.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::Snapshot;
use serde::Serialize;
use yew::{
    AttrValue, Callback, Html, InputEvent, KeyboardEvent, MouseEvent, Properties, TargetCast, component, html,
    use_force_update, use_state_eq,
};

use super::examples::free_name;
use super::setup::SetUpProps;
use super::workbench::Workbench;
use crate::app::controls::{Choice, Select, TextField};
use crate::app::part::part;

/// Files at one time.
const FILES_MAX: usize = 50;
/// The first file's name.
const FIRST: &str = "plan.json";

/// Options whose argument is a file.
const FILE_OPTIONS: [&str; 10] = [
    "--add-config-file",
    "--admin.config",
    "--command-config",
    "--consumer.config",
    "--formatter-config",
    "--path-to-json-file",
    "--producer.config",
    "--reader-config",
    "--reassignment-json-file",
    "--topics-to-move-json-file",
];

/// Contents by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files(BTreeMap<String, String>);

impl Files {
    /// All names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// All files.
    pub fn contents(&self) -> &BTreeMap<String, String> {
        &self.0
    }

    /// A new empty file; its name.
    fn add(&mut self) -> Option<String> {
        if self.0.len() >= FILES_MAX {
            return None;
        }
        let name = free_name(FIRST, self.names());
        self.0.insert(name.clone(), String::new());
        Some(name)
    }

    /// Gives a file another name, if that is one and nobody has it.
    fn rename(&mut self, before: &str, after: &str) -> Result<(), String> {
        if after.is_empty() || after.contains(char::is_whitespace) {
            return Err("A name has no blanks, so that a command line can hold it.".to_owned());
        }
        if self.0.contains_key(after) {
            return Err(format!("There is a file {after} already."));
        }
        let content = self.0.remove(before).unwrap_or_default();
        self.0.insert(after.to_owned(), content);
        Ok(())
    }
}

/// Whether the next word of a line is the name of a file.
pub fn awaits_file(line: &str) -> bool {
    let before = &line[..line.rfind(char::is_whitespace).map_or(0, |blank| blank + 1)];
    before.split_whitespace().next_back().is_some_and(|word| FILE_OPTIONS.contains(&word))
}

/// The list of files, and one of them to be edited.
#[component]
pub fn FilesEditor(props: &SetUpProps) -> Html {
    let bench = &props.bench;
    let chosen = use_state_eq(|| None::<String>);
    let names: Vec<String> = bench.files(|files| files.names().map(str::to_owned).collect());
    let name = chosen.as_ref().filter(|name| names.contains(name)).or_else(|| names.first()).cloned();
    let add = {
        let (bench, chosen) = (bench.clone(), chosen.clone());
        let shown = use_force_update();
        Callback::from(move |_: MouseEvent| {
            if let Some(name) = bench.files(Files::add) {
                chosen.set(Some(name));
            }
            shown.force_update();
        })
    };
    let onselect = {
        let chosen = chosen.clone();
        Callback::from(move |name: AttrValue| chosen.set(Some(name.to_string())))
    };
    let onname = {
        let chosen = chosen.clone();
        Callback::from(move |name: Option<String>| chosen.set(name))
    };
    html! {
        <details class="console-files">
            <summary>{ format!("Files ({})", names.len()) }</summary>
            <div class="form">
                <div class="form-row">
                    if let Some(name) = &name {
                        { part!(Select { legend: "File", choices: names.iter().map(|name| Choice::new(name.clone(), name.clone())).collect::<Rc<[Choice]>>(), selected: name.clone(), onselect }) }
                    }
                    <button class="button" onclick={add} disabled={names.len() >= FILES_MAX}>{ "New file" }</button>
                </div>
                if let Some(name) = name {
                    { part!(FileEditor { bench: bench.clone(), name: name.clone(), onname }, key = name) }
                } else {
                    <p class="hint">{ "A plan for kafka-reassign-partitions.sh, or properties: a command names it, as in --reassignment-json-file plan.json." }</p>
                }
            </div>
        </details>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct FileEditorProps {
    bench: Workbench,
    name: String,
    /// Told another name, or none when the file is gone.
    onname: Callback<Option<String>>,
}

/// One file.
#[component]
fn FileEditor(props: &FileEditorProps) -> Html {
    let FileEditorProps { bench, name, onname } = props;
    let shown = use_force_update();
    let content = bench.files(|files| files.0.get(name).cloned().unwrap_or_default());
    let write = {
        let (bench, name) = (bench.clone(), name.clone());
        Callback::from(move |text: String| {
            bench.files(|files| files.0.insert(name.clone(), text));
            shown.force_update();
        })
    };
    let oninput =
        write.reform(|event: InputEvent| event.target_unchecked_into::<web_sys::HtmlTextAreaElement>().value());
    let rename = {
        let (bench, name, onname) = (bench.clone(), name.clone(), onname.clone());
        Callback::from(move |text: AttrValue| {
            bench.files(|files| files.rename(&name, text.trim()))?;
            onname.emit(Some(text.trim().to_owned()));
            Ok(())
        })
    };
    let fill = {
        let bench = bench.clone();
        write.reform(move |_: MouseEvent| plan(&bench.session().snapshot(0)))
    };
    let take = last_plan(bench).map(|plan| write.reform(move |_: MouseEvent| format!("{plan}\n")));
    let remove = {
        let (bench, name, onname) = (bench.clone(), name.clone(), onname.clone());
        Callback::from(move |_: MouseEvent| {
            bench.files(|files| files.0.remove(&name));
            onname.emit(None);
        })
    };
    let keep_keys = Callback::from(|event: KeyboardEvent| {
        if event.key() != "Escape" {
            event.stop_propagation();
        }
    });
    html! {
        <div class="form">
            <label class="field area"><span>{ format!("Content of {name}") }</span>
                <textarea rows="7" spellcheck="false" autocomplete="off" autocapitalize="off" value={content} {oninput} onkeydown={keep_keys} />
            </label>
            <div class="form-row">
                { part!(TextField { label: "Name", value: name.clone(), size: 14, accept: rename }) }
                <button class="button" onclick={fill}>{ "Fill in the replicas as they are" }</button>
                if let Some(take) = take { <button class="button" onclick={take}>{ "Take the plan that was printed last" }</button> }
                <button class="button danger" onclick={remove}>{ "Delete this file" }</button>
            </div>
        </div>
    }
}

/// The last line of JSON that a tool printed, such as the plan of `--generate`.
fn last_plan(bench: &Workbench) -> Option<String> {
    bench.transcript(|transcript| {
        let texts = transcript.entries().iter().flat_map(|entry| &entry.printed).filter(|(is_error, _)| !is_error);
        texts.flat_map(|(_, text)| text.lines()).rfind(|line| line.starts_with('{')).map(str::to_owned)
    })
}

#[derive(Serialize)]
struct Line<'a> {
    topic: &'a str,
    partition: u32,
    replicas: &'a [u32],
}

/// The replicas of all topics as a plan, one partition a line, to be changed by hand.
fn plan(snapshot: &Snapshot) -> String {
    let partitions = snapshot.topics.iter().flat_map(|topic| {
        let line = |partition: &'_ engine::snapshot::PartitionSnapshot| {
            let line = Line { topic: &topic.name, partition: partition.partition, replicas: &partition.replicas };
            serde_json::to_string(&line).expect("a plan is made of text and numbers")
        };
        topic.partitions.iter().map(line).collect::<Vec<_>>()
    });
    let lines = partitions.map(|line| format!("  {line}")).collect::<Vec<_>>().join(",\n");
    format!("{{\"version\":1,\"partitions\":[\n{lines}\n]}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::snapshot::{PartitionSnapshot, TopicSnapshot};

    fn check(line: &str, expected: bool) {
        assert_eq!(awaits_file(line), expected, "{line}");
    }

    #[test]
    fn a_file_is_expected_after_the_options_that_name_one() {
        check("kafka-reassign-partitions.sh --reassignment-json-file ", true);
        check("kafka-reassign-partitions.sh --reassignment-json-file pl", true);
        check("kafka-reassign-partitions.sh --reassignment-json-file plan.json ", false);
        check("kafka-configs.sh --add-config ", false);
        check("", false);
    }

    #[test]
    fn files_have_names_of_their_own() {
        let mut files = Files::default();
        let names = [files.add(), files.add()].map(|name| name.expect("there is room"));
        assert_eq!(names, ["plan.json", "plan.json-2"]);
        assert!(files.rename("plan.json", "plan.json-2").is_err());
        assert!(files.rename("plan.json", "a b").is_err());
        assert_eq!(files.rename("plan.json", "rollback.json"), Ok(()));
        assert_eq!(files.names().collect::<Vec<_>>(), ["plan.json-2", "rollback.json"]);
    }

    #[test]
    fn a_plan_of_the_present_replicas_can_be_read() {
        let partition = PartitionSnapshot { replicas: vec![2, 1], ..PartitionSnapshot::default() };
        let topic = TopicSnapshot { name: "t".into(), partitions: vec![partition], ..TopicSnapshot::default() };
        let text = plan(&Snapshot { topics: vec![topic], ..Snapshot::default() });
        let pasted = console::paste::reassignment(&text);
        assert_eq!((pasted.topics[0].assignment.clone(), pasted.unread), (Some(vec![vec![2, 1]]), Vec::new()));
    }
}
