//! A partition's folder opened: the files of one replica on a shelf, and the way of a lookup through them.
//!
//! The picture is `scene`'s and every position in it is the engine's; here somebody chooses what to look at.

use std::rc::Rc;

use engine::Snapshot;
use engine::log_view::{BatchInSegment, LogView, Lookup, TimestampLookup};
use scene::shelf::Search;
use scene::tree::Node;
use scene::{LayoutOptions, ShelfOptions};
use yew::{AttrValue, Callback, Html, Properties, component, html, use_node_ref, use_state_eq};

use crate::app::controls::{Choice, Select, TextField};
use crate::app::part::part;
use crate::app::session::{Rate, Session, use_session};
use crate::app::stage::svg;
use crate::app::stage::view::use_width;

/// Whose files.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ShelfProps {
    /// The session.
    pub session: Session,
    /// The side of a comparison.
    #[prop_or_default]
    pub side: usize,
    /// The replica to begin with, as `TOPIC-N` or `TOPIC-N@BROKER`; the first leader's without one.
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

/// The shelf with its menu of replicas and two fields for a lookup.
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
    let Some(shown) = pick(&replicas, here.as_deref(), replica.as_deref(), &snapshot) else {
        return html! { <p class="empty">{ "There is no log to open at this moment." }</p> };
    };
    let Some((view, found, batches)) = open(session, *side, &shown, *wanted) else {
        return html! { <p class="empty">{ "There is no log to open at this moment." }</p> };
    };
    let events = session.recent_events(*side);
    let options = ShelfOptions {
        width: (*width as f32).max(LayoutOptions::WIDTH_MIN),
        search: found.as_ref().map(Found::search),
        batches: &batches,
        events: &events,
        selected: None,
    };
    let onselect = {
        let (chosen, replica) = (chosen.clone(), replica.clone());
        Callback::from(move |name: AttrValue| chosen.set(Some((replica.clone(), name))))
    };
    let choices: Rc<[Choice]> = replicas.iter().map(|one| Choice::new(name(one), words(one))).collect();
    let list = (*width > 0).then(|| scene::shelf(&view, &options));
    html! {
        <div class="shelf" ref={frame}>
            <div class="form-row">
                { part!(Select { legend: "Files of", choices, selected: name(&shown), onselect }) }
                { part!(TextField { label: "Look up offset", value: shown_offset(*wanted), placeholder: "none", size: 9, accept: look_up(&wanted, |number| u64::try_from(number).ok().map(Wanted::Offset)) }) }
                { part!(TextField { label: "or timestamp, ms", value: shown_timestamp(*wanted), placeholder: "none", size: 11, accept: look_up(&wanted, |number| Some(Wanted::Timestamp(number))) }) }
            </div>
            if wanted.is_some() && found.is_none() { <p class="hint">{ "This replica holds nothing there." }</p> }
            if let Some(list) = list {
                <svg class="stage scene" width={list.width.to_string()} height={list.height.to_string()} aria-hidden="true">{ svg::nodes(&list) }</svg>
            }
            <ul class="hidden-visually" aria-label="The shelf in words">{ for scene::shelf_tree(&view, &options).iter().map(node) }</ul>
        </div>
    }
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
    format!("{}-{}@{}", replica.0, replica.1, replica.2)
}

fn words(replica: &Replica) -> String {
    format!("{}-{} on broker {}", replica.0, replica.1, replica.2)
}

/// The chosen replica, else the one that was opened, else the leader's.
fn pick(replicas: &[Replica], chosen: Option<&str>, opened: Option<&str>, snapshot: &Snapshot) -> Option<Replica> {
    let by_name = |wanted: &str| replicas.iter().find(|replica| name(replica) == wanted);
    let leads = |replica: &&Replica| {
        let topic = snapshot.topics.iter().find(|topic| topic.name == replica.0);
        topic.and_then(|topic| topic.partitions.get(replica.1 as usize)?.leader) == Some(replica.2)
    };
    let found = chosen.and_then(by_name).or_else(|| opened.and_then(by_name));
    found.or_else(|| replicas.iter().find(leads)).or_else(|| replicas.first()).cloned()
}

/// The folder, what was found in it, and the batches of the segment where it was found.
fn open(
    session: &Session,
    side: usize,
    replica: &Replica,
    wanted: Option<Wanted>,
) -> Option<(LogView, Option<Found>, Vec<BatchInSegment>)> {
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
        Some((view, found, batches))
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
        wanted.set(Some(found.ok_or_else(|| "A whole number is needed here.".to_owned())?));
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
        let log = |broker| ReplicaSnapshot { broker, ..ReplicaSnapshot::default() };
        let partition = |partition, leader| PartitionSnapshot {
            partition,
            leader: Some(leader),
            logs: vec![log(1), log(2)],
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
        check(None, Some("a-b-1"), Some("a-b-1@1"));
        check(None, Some("a-b-1@2"), Some("a-b-1@2"));
        check(Some("a-b-1@1"), Some("a-b-1@2"), Some("a-b-1@1"));
        // A choice in another partition does not count.
        check(Some("a-b-0@1"), Some("a-b-1"), Some("a-b-1@1"));
        check(None, Some("gone-0"), None);
    }
}
