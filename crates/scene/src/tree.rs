//! The stage as a tree of words: for the keyboard and for screen readers, in reading order.
//!
//! Says nothing about places and colors.

use std::rc::Rc;

use engine::Snapshot;

use crate::log::Log;
use crate::members::{Groups, Member, membership};
use crate::stage::{BrokerBox, CardBox, CardForm, LaneBox, LaneForm, Stage};
use crate::still::{
    broker_states, counted, describe, group_words, marker_of, member_words, partition_of, places_words, producer_words,
    reader_words, record_words, shared_words, transaction_words,
};

/// A thing on the stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The id of its item in the display list.
    pub id: Rc<str>,
    /// What a screen reader says.
    pub label: Rc<str>,
    /// Things inside.
    pub children: Vec<Node>,
}

impl Node {
    fn leaf(id: &Rc<str>, label: String) -> Node {
        Node { id: id.clone(), label: label.into(), children: Vec::new() }
    }
}

impl Stage {
    /// Producers, then brokers with their partitions and the records that are shown, then groups with their members,
    /// and readers.
    pub fn tree(&self, snapshot: &Snapshot) -> Vec<Node> {
        let groups = Groups::of(snapshot);
        let producers = self.producers.iter().filter_map(|card| {
            let producer = snapshot.producers.get(card.index)?;
            Some(card_node(card, producer_words(producer), "producers"))
        });
        let brokers = self.brokers.iter().map(|broker| {
            let lanes = self.lanes.iter().filter(|lane| {
                let (x, y) = lane.area.center();
                broker.area.holds(x, y)
            });
            let lanes: Vec<Node> = lanes.filter_map(|lane| lane_node(lane, snapshot, &groups)).collect();
            let label = broker_words(broker, snapshot, lanes.len());
            let children = coordinator_nodes(self, broker, snapshot).chain(lanes).collect();
            Node { id: broker.id.clone(), label: label.into(), children }
        });
        let readers = self.readers.iter().filter_map(|card| {
            let reader = snapshot.consumers.get(card.index).filter(|reader| membership(reader).is_none())?;
            Some(card_node(card, reader_words(snapshot, reader), "readers"))
        });
        producers.chain(brokers).chain(group_nodes(self, &groups)).chain(readers).collect()
    }
}

/// Groups with all their members, those that share a square as well.
fn group_nodes(stage: &Stage, groups: &Groups<'_>) -> Vec<Node> {
    let nodes = groups.groups.iter().filter_map(|group| {
        let at = stage.group(group.name)?;
        let member = |member: &Member<'_>| {
            let lag = groups.lag_of(member);
            Node::leaf(&format!("consumer:{}", member.consumer.name).into(), member_words(group, member, lag))
        };
        let children = group.members.iter().map(member).collect();
        Some(Node { id: at.id.clone(), label: group_words(group).into(), children })
    });
    nodes.collect()
}

/// The transactional ids that a broker coordinates, as far as they are shown.
fn coordinator_nodes<'a>(
    stage: &'a Stage,
    broker: &'a BrokerBox,
    snapshot: &'a Snapshot,
) -> impl Iterator<Item = Node> + 'a {
    let here = stage.coordinators.iter().filter(|log| Some(log.broker) == broker.broker);
    here.filter_map(|log| {
        let known = snapshot.transactions.iter().find(|one| one.transactional_id == log.transactional_id)?;
        Some(Node::leaf(&log.id, transaction_words(known)))
    })
}

fn broker_words(broker: &BrokerBox, snapshot: &Snapshot, shown: usize) -> String {
    let mut words = broker.broker.map_or_else(|| "no leader".to_string(), |id| format!("broker {id}"));
    if let Some(state) = snapshot.brokers.iter().find(|one| Some(one.id) == broker.broker) {
        if snapshot.brokers.len() > 1 && snapshot.controller == broker.broker {
            words.push_str(", controller");
        }
        for (state, _) in broker_states(state) {
            words.push_str(", ");
            words.push_str(state);
        }
        if let Some(rack) = &state.rack {
            words.push_str(&format!(", rack {rack}"));
        }
    }
    format!("{words}, {shown} of its partitions are shown")
}

fn card_node(card: &CardBox, words: String, what: &str) -> Node {
    match card.form {
        CardForm::More(count) => Node::leaf(&card.id, format!("{count} more {what}")),
        _ => Node::leaf(&card.id, words),
    }
}

fn lane_node(lane: &LaneBox, snapshot: &Snapshot, groups: &Groups<'_>) -> Option<Node> {
    if let LaneForm::More(count) = lane.form {
        return Some(Node::leaf(&lane.id, format!("{} more", counted(count as u64, "partition", "partitions"))));
    }
    let (first, last) = (*lane.partitions.first()?, *lane.partitions.last()?);
    let partition = partition_of(snapshot, &lane.topic, first)?;
    let described = || {
        describe(lane, partition)
            + &places_words(groups, &lane.topic, partition)
            + &shared_words(snapshot, groups, &lane.topic, first)
    };
    if !lane.form.has_records() {
        let states = lane.partitions.iter().filter_map(|one| partition_of(snapshot, &lane.topic, *one));
        let count: u64 = states.map(|one| one.record_count).sum();
        let label = if first == last {
            described()
        } else {
            format!(
                "{} {} partitions, {first} to {last}, {}",
                lane.partitions.len(),
                lane.topic,
                crate::still::records(count)
            )
        };
        return Some(Node::leaf(&lane.id, label));
    }
    let log = Log::of(lane, partition);
    let shown = &log.records[log.records.len() - lane.window(&log).shown..];
    let children = shown.iter().map(|record| {
        let id = match marker_of(record) {
            Some(_) => lane.marker_id(record.offset),
            None => lane.record_id(&record.record),
        };
        Node::leaf(&id, record_words(record))
    });
    Some(Node { id: lane.id.clone(), label: described().into(), children: children.collect() })
}
