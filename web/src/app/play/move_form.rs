//! New replicas for the partitions of a topic, and moves taken back.
//!
//! Only lines that differ from what there is are asked for; how a move goes on is the controller's business.

use engine::Command;
use engine::command::{PartitionName, Reassignment};
use engine::snapshot::{PartitionSnapshot, TopicSnapshot};
use yew::{AttrValue, Callback, Event, Html, Properties, TargetCast, component, html, use_state_eq};

use super::act_form::use_doing;
use super::fields::AreaField;
use super::replicas;
use super::workbench::Workbench;
use crate::app::part::part;

/// The replicas of which topic.
#[derive(Clone, PartialEq, Properties)]
pub struct MoveFormProps {
    /// The bench.
    pub bench: Workbench,
    /// The topic.
    pub topic: String,
}

/// A line for each partition.
#[component]
pub fn MoveForm(props: &MoveFormProps) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let draft = use_state_eq(|| None::<AttrValue>);
    let allows = use_state_eq(|| true);
    let doing = use_doing(&props.bench);
    let Some(topic) = snapshot.topics.iter().find(|topic| *topic.name == *props.topic) else { return Html::default() };
    let now = text(topic);
    let accept = {
        let draft = draft.clone();
        Callback::from(move |text: AttrValue| {
            replicas::read(&text, 0)?;
            draft.set(Some(text));
            Ok(())
        })
    };
    let onclick = {
        let (doing, topic, allows) = (doing.clone(), topic.clone(), *allows);
        let wanted = (*draft).clone().unwrap_or_else(|| now.clone().into());
        Callback::from(move |_| match moves(&topic, &wanted) {
            Err(reason) => doing.complain(reason),
            Ok(partitions) => doing
                .act(&Command::Reassign { partitions, allow_replication_factor_change: (!allows).then_some(false) }),
        })
    };
    let onchange = {
        let allows = allows.clone();
        Callback::from(move |event: Event| {
            allows.set(event.target_unchecked_into::<web_sys::HtmlInputElement>().checked());
        })
    };
    let moving = moving(topic);
    html! {
        <div class="form">
            { part!(AreaField { label: "Brokers of each partition, the preferred leader first", rows: 4, value: (*draft).clone().unwrap_or_else(|| now.into()), accept }) }
            <label class="check"><input type="checkbox" checked={*allows} {onchange} />{ "The number of replicas may change" }</label>
            <div class="form-row">
                <button class="button primary" {onclick}>{ "Move them now" }</button>
                if !moving.is_empty() { { doing.button("Take all moves of this topic back", Command::CancelReassignment { partitions: moving }) } }
            </div>
            { doing.problem() }
        </div>
    }
}

/// The replicas that a partition is to have: without those that a move removes.
fn target(partition: &PartitionSnapshot) -> Vec<u32> {
    partition.replicas.iter().copied().filter(|id| !partition.removing.contains(id)).collect()
}

fn text(topic: &TopicSnapshot) -> String {
    let targets: Vec<(u32, Vec<u32>)> = topic.partitions.iter().map(|one| (one.partition, target(one))).collect();
    replicas::text(targets.iter().map(|(partition, ids)| (*partition, ids.as_slice())))
}

fn moving(topic: &TopicSnapshot) -> Vec<PartitionName> {
    let is_moving = |partition: &&PartitionSnapshot| !partition.adding.is_empty() || !partition.removing.is_empty();
    let name =
        |partition: &PartitionSnapshot| PartitionName { topic: topic.name.to_string(), partition: partition.partition };
    topic.partitions.iter().filter(is_moving).map(name).collect()
}

/// What the lines ask for beyond what there is. A partition that does not exist is asked for too: Kafka refuses it.
fn moves(topic: &TopicSnapshot, text: &str) -> Result<Vec<Reassignment>, String> {
    let has = |partition: u32, wanted: &[u32]| {
        topic.partitions.iter().any(|known| known.partition == partition && target(known) == wanted)
    };
    let wanted = replicas::read(text, 0)?.into_iter().filter(|(partition, ids)| !has(*partition, ids));
    let name = topic.name.to_string();
    let moves: Vec<Reassignment> =
        wanted.map(|(partition, replicas)| Reassignment { topic: name.clone(), partition, replicas }).collect();
    if moves.is_empty() {
        return Err("Every partition has these replicas already. Change a line first.".to_owned());
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&[(u32, &[u32])], &str>) {
        let partition = |partition, replicas: &[u32], removing: &[u32]| PartitionSnapshot {
            partition,
            replicas: replicas.to_vec(),
            removing: removing.to_vec(),
            ..PartitionSnapshot::default()
        };
        let topic = TopicSnapshot {
            name: "t".into(),
            partitions: vec![partition(0, &[1, 2], &[]), partition(1, &[3, 2, 1], &[1])],
            ..TopicSnapshot::default()
        };
        let found = moves(&topic, text)
            .map(|moves| moves.into_iter().map(|one| (one.partition, one.replicas)).collect::<Vec<_>>());
        let expected = expected.map(|moves| moves.iter().map(|(number, ids)| (*number, ids.to_vec())).collect());
        assert_eq!(found, expected.map_err(str::to_owned), "{text}");
    }

    #[test]
    fn only_changed_lines_are_moves() {
        check("0: 2,3\n1: 3,2", Ok(&[(0, &[2, 3])]));
        check("1: 3,1\n7: 1", Ok(&[(1, &[3, 1]), (7, &[1])]));
        check("0: 1,2\n1: 3,2", Err("Every partition has these replicas already. Change a line first."));
    }
}
