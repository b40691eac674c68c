//! "Crash here": one event at a time, and between two of them a crash of the producer, its coordinator or a leader.
//!
//! Who is concerned is read from the snapshot at this moment; what a crash brings is the engine's business.

use std::collections::BTreeMap;

use engine::event::TopicPartition;
use engine::snapshot::{BrokerState, ClientProcess};
use engine::{Command, Snapshot};
use yew::{Callback, Html, component, html};

use super::act_form::{Doing, use_doing};
use super::producer_acts::OneProducerProps;
use crate::app::session::{Rate, use_session};

/// What happened last, a step to the next event, and whom to crash.
#[component]
pub fn CrashHere(props: &OneProducerProps) -> Html {
    let session = props.bench.session();
    use_session(&session, Rate::Table);
    let snapshot = session.snapshot(0);
    let doing = use_doing(&props.bench);
    let last = session.recent_where(0, 1, &|_| true).pop();
    let step = |text: &'static str, is_forward: bool| {
        let session = session.clone();
        let onclick = Callback::from(move |_| {
            session.queue(move |player| if is_forward { player.step() } else { player.step_back() });
        });
        html! { <button class="button" {onclick}>{ text }</button> }
    };
    html! {
        <>
            <div class="form-row" role="group" aria-label="Step">
                { step("One event back", false) }
                { step("Next event", true) }
            </div>
            if let Some(event) = &last {
                <p class="hint"><span class="mono">{ event.moment.time.to_string() }</span>{ " " }{ event.to_string() }</p>
            }
            <div class="form-row" role="group" aria-label="Crash here">
                { for targets(&snapshot, &props.name).into_iter().map(|target| target.button(&doing)) }
            </div>
            { doing.problem() }
        </>
    }
}

/// Whom a crash can hit.
#[derive(Clone, Debug, PartialEq)]
struct Target {
    words: String,
    command: Command,
}

impl Target {
    fn button(self, doing: &Doing) -> Html {
        html! { <button key={self.words.clone()} class="button danger" onclick={doing.on(self.command)}>{ self.words }</button> }
    }
}

/// The producer, then each broker that takes part in its transaction, with what it is to it.
fn targets(snapshot: &Snapshot, name: &str) -> Vec<Target> {
    let mut targets = Vec::new();
    let Some(producer) = snapshot.producers.iter().rev().find(|known| &*known.name == name) else { return targets };
    if producer.process != ClientProcess::Crashed {
        targets.push(Target { words: format!("Crash {name}"), command: Command::Crash { client: name.to_owned() } });
    }
    let mut parts: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let transaction =
        snapshot.transactions.iter().find(|one| Some(&one.transactional_id) == producer.transactional_id.as_ref());
    if let Some(coordinator) = transaction.and_then(|transaction| transaction.coordinator) {
        parts.entry(coordinator).or_default().push("its coordinator".to_owned());
    }
    let mut partitions: Vec<TopicPartition> = producer.transaction_partitions.clone();
    for partition in transaction.iter().flat_map(|transaction| &transaction.partitions) {
        if !partitions.contains(partition) {
            partitions.push(partition.clone());
        }
    }
    for partition in &partitions {
        if let Some(leader) = leader(snapshot, partition) {
            parts.entry(leader).or_default().push(format!("leader of {partition}"));
        }
    }
    let is_up =
        |broker: u32| snapshot.brokers.iter().any(|known| known.id == broker && known.state != BrokerState::Stopped);
    targets.extend(parts.into_iter().filter(|(broker, _)| is_up(*broker)).map(|(broker, parts)| Target {
        words: format!("Crash broker {broker}: {}", parts.join(", ")),
        command: Command::KillBroker { broker },
    }));
    targets
}

fn leader(snapshot: &Snapshot, partition: &TopicPartition) -> Option<u32> {
    let topic = snapshot.topics.iter().find(|topic| topic.name == partition.topic)?;
    topic.partitions.get(partition.partition as usize)?.leader
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::snapshot::{BrokerSnapshot, PartitionSnapshot, ProducerSnapshot, TopicSnapshot, TransactionSnapshot};

    #[test]
    fn a_crash_can_hit_whoever_takes_part() {
        let partition = TopicPartition { topic: "fares".into(), partition: 0 };
        let broker = |id, state| BrokerSnapshot { id, state, ..BrokerSnapshot::default() };
        let leader = |leader| PartitionSnapshot { leader: Some(leader), ..PartitionSnapshot::default() };
        let snapshot = Snapshot {
            brokers: vec![broker(1, BrokerState::Running), broker(2, BrokerState::Stopped)],
            topics: vec![TopicSnapshot {
                name: "fares".into(),
                partitions: vec![leader(1), leader(2)],
                ..TopicSnapshot::default()
            }],
            producers: vec![ProducerSnapshot {
                name: "p".into(),
                transactional_id: Some("t".into()),
                ..ProducerSnapshot::default()
            }],
            transactions: vec![TransactionSnapshot {
                transactional_id: "t".into(),
                coordinator: Some(1),
                partitions: vec![partition.clone(), TopicPartition { partition: 1, ..partition }],
                ..TransactionSnapshot::default()
            }],
            ..Snapshot::default()
        };
        let words: Vec<String> = targets(&snapshot, "p").into_iter().map(|target| target.words).collect();
        assert_eq!(words, ["Crash p", "Crash broker 1: its coordinator, leader of fares-0"]);
    }
}
