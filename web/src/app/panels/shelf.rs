//! A partition's folder opened: the files of one replica on a shelf, and the way of a lookup through them.
//!
//! The picture is `scene`'s and every position in it is the engine's; here somebody chooses what to look at.

use std::rc::Rc;

use engine::event::EventKind;
use engine::log_view::{BatchInSegment, LogView, Lookup, TimestampLookup};
use engine::{Event, Snapshot};
use scene::shelf::Search;
use scene::tree::Node;
use scene::{LayoutOptions, ShelfOptions};
use yew::{AttrValue, Callback, Html, Properties, component, html, use_node_ref, use_state_eq};

use crate::app::controls::{Choice, Select, TextField};
use crate::app::part::part;
use crate::app::session::{Rate, Session, use_session};
use crate::app::size::grouped;
use crate::app::stage::svg;
use crate::app::stage::view::use_width;

/// Events that are looked through for passes over the log.
const EVENTS_SEARCHED: u64 = 50_000;
/// Passes that may be marked.
const PASSES_MAX: usize = 400;
/// Files that are listed: the newest.
const FILES_MAX: usize = 200;

/// Whose files.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ShelfProps {
    /// The session.
    pub session: Session,
    /// The side of a comparison.
    #[prop_or_default]
    pub side: usize,
    /// The replica to begin with, as `TOPIC-N` or `TOPIC-N@BROKER`; without one the leader's of the first partition that holds anything.
    #[prop_or_default]
    pub replica: Option<AttrValue>,
}

/// What somebody looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Offset(u64),
    Timestamp(i64),
}

/// What was found.
enum Found {
    Offset(Lookup),
    Timestamp(TimestampLookup),
}

impl Found {
    fn search(&self) -> Search<'_> {
        match self {
            Found::Offset(lookup) => Search::Offset(lookup),
            Found::Timestamp(lookup) => Search::Timestamp(lookup),
        }
    }

    fn segment(&self) -> u64 {
        match self {
            Found::Offset(lookup) => lookup.segment,
            Found::Timestamp(lookup) => lookup.segment,
        }
    }
}

/// A replica: topic, partition, broker.
type Replica = (Rc<str>, u32, u32);

/// The shelf with its menus and two fields for a lookup.
#[component]
pub fn Shelf(props: &ShelfProps) -> Html {
    let ShelfProps { session, side, replica } = props;
    use_session(session, Rate::Table);
    let frame = use_node_ref();
    let width = use_width(&frame);
    let chosen = use_state_eq(|| None::<(Option<AttrValue>, AttrValue)>);
    let wanted = use_state_eq(|| None::<Wanted>);
    let snapshot = session.snapshot(*side);
    let replicas = replicas(&snapshot, replica.as_deref());
    // What was chosen holds until another partition is opened.
    let here = chosen.as_ref().filter(|(then, _)| then == replica).map(|(_, name)| name.to_string());
    let shown = pick(&replicas, here.as_deref(), replica.as_deref(), &snapshot);
    let opened = shown.and_then(|shown| Some((open(session, *side, &shown, *wanted)?, shown)));
    let onselect = {
        let (chosen, replica) = (chosen.clone(), replica.clone());
        Callback::from(move |name: AttrValue| chosen.set(Some((replica.clone(), name))))
    };
    html! {
        <section class="panel shelf" aria-label="A partition's folder">
            if let Some((folder, shown)) = &opened {
                <div class="form-row">
                    { menus(&replicas, shown, &onselect) }
                    { part!(TextField { label: "Look up offset", value: shown_offset(*wanted), placeholder: "none", size: 9, accept: look_up(&wanted, |number| u64::try_from(number).ok().map(Wanted::Offset)) }) }
                    { part!(TextField { label: "or timestamp, ms", value: shown_timestamp(*wanted), placeholder: "none", size: 14, accept: look_up(&wanted, |number| Some(Wanted::Timestamp(number))) }) }
                </div>
                if wanted.is_some() && folder.found.is_none() { <p class="hint" role="status">{ "This replica holds nothing there." }</p> }
            } else {
                <p class="empty">{ "There is no log to open at this moment." }</p>
            }
            // The room is measured while there is nothing to show, too.
            <div class="shelf-frame" ref={frame}>
                if let Some((folder, _)) = opened.as_ref().filter(|_| *width > 0) { { picture(session, *side, folder, *width) } }
            </div>
            if let Some((folder, _)) = &opened { { files(&folder.view) } }
        </section>
    }
}

/// A menu of partitions and one of the brokers that hold the shown one.
fn menus(replicas: &[Replica], shown: &Replica, onselect: &Callback<AttrValue>) -> Html {
    let is_first =
        |place: usize, one: &Replica| place == 0 || (&replicas[place - 1].0, replicas[place - 1].1) != (&one.0, one.1);
    let partitions: Rc<[Choice]> = replicas
        .iter()
        .enumerate()
        .filter(|(place, one)| is_first(*place, one))
        .map(|(_, one)| Choice::new(partition_name(one), partition_name(one)))
        .collect();
    let brokers: Rc<[Choice]> = replicas
        .iter()
        .filter(|one| (&one.0, one.1) == (&shown.0, shown.1))
        .map(|one| Choice::new(name(one), one.2.to_string()))
        .collect();
    html! {
        <>
            { part!(Select { legend: "Partition", choices: partitions, selected: partition_name(shown), onselect: onselect.clone() }) }
            { part!(Select { legend: "on broker", choices: brokers, selected: name(shown), onselect: onselect.clone() }) }
        </>
    }
}

/// The shelf as a picture, and the same in words behind it.
fn picture(session: &Session, side: usize, folder: &Folder, width: u32) -> Html {
    let first = session.event_count(side).saturating_sub(EVENTS_SEARCHED);
    let events = session.recent_from(side, first, PASSES_MAX, &is_pass);
    let options = ShelfOptions {
        width: (width as f32).max(LayoutOptions::WIDTH_MIN),
        search: folder.found.as_ref().map(Found::search),
        batches: &folder.batches,
        events: &events,
        selected: None,
    };
    let list = scene::shelf(&folder.view, &options);
    html! {
        <>
            <svg class="stage scene" width={list.width.to_string()} height={list.height.to_string()} aria-hidden="true">{ svg::nodes(&list) }</svg>
            <ul class="hidden-visually" aria-label="The shelf in words">{ for scene::shelf_tree(&folder.view, &options).iter().map(node) }</ul>
        </>
    }
}

/// The files of the folder as a listing shows them.
fn files(view: &LogView) -> Html {
    let hidden = view.files.len().saturating_sub(FILES_MAX);
    let row = |(name, size): &(String, u64)| html! { <tr key={name.clone()}><th scope="row">{ name }</th><td>{ grouped(*size) }</td></tr> };
    html! {
        <details class="shelf-files">
            <summary>{ format!("Files of {}-{}: {}", view.topic, view.partition, view.files.len()) }</summary>
            if hidden > 0 { <p class="empty">{ format!("{hidden} older files are not listed.") }</p> }
            <div class="table-frame" tabindex="0" role="region" aria-label="Files with their sizes">
                <table class="table mono">
                    <thead><tr><th scope="col">{ "File" }</th><th scope="col">{ "Bytes" }</th></tr></thead>
                    <tbody>{ for view.files[hidden..].iter().map(row) }</tbody>
                </table>
            </div>
        </details>
    }
}

/// Passes over a log: they are marked on its segments.
fn is_pass(event: &Event) -> bool {
    matches!(
        event.kind,
        EventKind::SegmentRolled { .. }
            | EventKind::SegmentDeleted { .. }
            | EventKind::SegmentUploaded { .. }
            | EventKind::LogCleaned { .. }
    )
}

/// The replicas that can be opened: those of the named partition, or of all.
fn replicas(snapshot: &Snapshot, named: Option<&str>) -> Vec<Replica> {
    let partition = named.map(|name| name.split('@').next().unwrap_or(name));
    let mut found = Vec::new();
    for topic in &snapshot.topics {
        for one in &topic.partitions {
            if partition.is_none_or(|name| format!("{}-{}", topic.name, one.partition) == name) {
                found.extend(one.logs.iter().map(|log| (Rc::clone(&topic.name), one.partition, log.broker)));
            }
        }
    }
    found
}

fn name(replica: &Replica) -> String {
    format!("{}@{}", partition_name(replica), replica.2)
}

fn partition_name(replica: &Replica) -> String {
    format!("{}-{}", replica.0, replica.1)
}

/// The chosen replica, else the one that was opened. A partition without a broker means its leader's log; nothing
/// chosen or opened means the first partition that holds anything.
fn pick(replicas: &[Replica], chosen: Option<&str>, opened: Option<&str>, snapshot: &Snapshot) -> Option<Replica> {
    let leads = |replica: &&Replica| {
        let topic = snapshot.topics.iter().find(|topic| topic.name == replica.0);
        topic.and_then(|topic| topic.partitions.get(replica.1 as usize)?.leader) == Some(replica.2)
    };
    let by_name = |wanted: &str| {
        let of_partition = || replicas.iter().filter(move |replica| partition_name(replica) == wanted);
        let exact = replicas.iter().find(|replica| name(replica) == wanted);
        exact.or_else(|| of_partition().find(leads)).or_else(|| of_partition().next())
    };
    let found = chosen.and_then(by_name).or_else(|| opened.and_then(by_name));
    let holds_records = |replica: &&Replica| {
        let topic = snapshot.topics.iter().find(|topic| topic.name == replica.0);
        topic.and_then(|topic| topic.partitions.get(replica.1 as usize)).is_some_and(|one| one.log_end_offset > 0)
    };
    let first = || {
        let first = replicas.iter().find(holds_records).or_else(|| replicas.first())?;
        by_name(&partition_name(first))
    };
    found.or_else(first).cloned()
}

/// What a replica's folder holds, and what was found in it.
struct Folder {
    view: LogView,
    found: Option<Found>,
    /// The batches of the segment where it was found.
    batches: Vec<BatchInSegment>,
}

fn open(session: &Session, side: usize, replica: &Replica, wanted: Option<Wanted>) -> Option<Folder> {
    let (topic, partition, broker) = (&*replica.0, replica.1, replica.2);
    session.read(|player| {
        let timeline = player.timeline(side);
        let view = timeline.log_view(broker, topic, partition)?;
        let found = match wanted {
            Some(Wanted::Offset(offset)) => timeline.lookup(broker, topic, partition, offset).map(Found::Offset),
            Some(Wanted::Timestamp(millis)) => {
                timeline.lookup_timestamp(broker, topic, partition, millis).map(Found::Timestamp)
            }
            None => None,
        };
        let batches =
            found.as_ref().map_or_else(Vec::new, |found| timeline.batches(broker, topic, partition, found.segment()));
        Some(Folder { view, found, batches })
    })
}

fn look_up(
    wanted: &yew::UseStateHandle<Option<Wanted>>,
    read: fn(i64) -> Option<Wanted>,
) -> Callback<AttrValue, Result<(), String>> {
    let wanted = wanted.clone();
    Callback::from(move |text: AttrValue| {
        let text = text.trim();
        if text.is_empty() {
            wanted.set(None);
            return Ok(());
        }
        let found = text.parse::<i64>().ok().and_then(read);
        wanted.set(Some(found.ok_or_else(|| "A whole number is expected here, such as 17.".to_owned())?));
        Ok(())
    })
}

fn shown_offset(wanted: Option<Wanted>) -> String {
    if let Some(Wanted::Offset(offset)) = wanted { offset.to_string() } else { String::new() }
}

fn shown_timestamp(wanted: Option<Wanted>) -> String {
    if let Some(Wanted::Timestamp(millis)) = wanted { millis.to_string() } else { String::new() }
}

fn node(node: &Node) -> Html {
    html! {
        <li key={node.id.to_string()}>
            { node.label.to_string() }
            if !node.children.is_empty() { <ul>{ for node.children.iter().map(self::node) }</ul> }
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::snapshot::{PartitionSnapshot, ReplicaSnapshot, TopicSnapshot};

    fn check(chosen: Option<&str>, opened: Option<&str>, expected: Option<&str>) {
        check_with([0, 0], chosen, opened, expected);
    }

    fn check_with(ends: [u64; 2], chosen: Option<&str>, opened: Option<&str>, expected: Option<&str>) {
        let log = |broker| ReplicaSnapshot { broker, ..ReplicaSnapshot::default() };
        let partition = |partition, leader| PartitionSnapshot {
            partition,
            leader: Some(leader),
            logs: vec![log(1), log(2)],
            log_end_offset: ends[partition as usize],
            ..PartitionSnapshot::default()
        };
        let topic = TopicSnapshot {
            name: "a-b".into(),
            partitions: vec![partition(0, 2), partition(1, 1)],
            ..TopicSnapshot::default()
        };
        let snapshot = Snapshot { topics: vec![topic], ..Snapshot::default() };
        let replicas = replicas(&snapshot, opened);
        let found = pick(&replicas, chosen, opened, &snapshot).map(|replica| name(&replica));
        assert_eq!(found.as_deref(), expected, "{chosen:?} {opened:?}");
    }

    #[test]
    fn the_leaders_files_are_shown_unless_a_replica_was_opened_or_chosen() {
        check(None, None, Some("a-b-0@2"));
        check(Some("a-b-1"), None, Some("a-b-1@1"));
        check(None, Some("a-b-1"), Some("a-b-1@1"));
        check(None, Some("a-b-1@2"), Some("a-b-1@2"));
        check(Some("a-b-1@1"), Some("a-b-1@2"), Some("a-b-1@1"));
        // A choice in another partition does not count.
        check(Some("a-b-0@1"), Some("a-b-1"), Some("a-b-1@1"));
        check(None, Some("gone-0"), None);
        check_with([0, 5], None, None, Some("a-b-1@1"));
        check_with([3, 5], None, None, Some("a-b-0@2"));
    }
}
