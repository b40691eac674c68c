//! What can be asked of a partition now: elections, fewer records, a new segment, a cleaning, other replicas.
//!
//! Kafka's answer is said under the buttons; for moves it is one for each partition.

use engine::Command;
use engine::command::{ElectionKind, PartitionName};
use engine::snapshot::{PartitionSnapshot, TopicSnapshot};
use yew::{AttrValue, Callback, Html, component, html, use_state_eq};

use super::act_form::{ActFormProps, Doing, names, selected_partition, use_choice, use_doing};
use super::fields::number;
use super::move_form::MoveForm;
use crate::app::controls::{Select, TextField};
use crate::app::panels::inspector::partition_named;
use crate::app::part::part;

/// One partition and what can be asked of it.
#[component]
pub fn PartitionActs(props: &ActFormProps) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let selected = selected_partition(&props.bench);
    let of_topic = |name: &String| name.rsplit_once('-').map(|(topic, _)| topic.to_owned());
    let (topic, ontopic) = use_choice(selected.as_ref().and_then(of_topic));
    let typed = use_state_eq(|| None::<(Option<String>, u32)>);
    let doing = use_doing(&props.bench);
    let found = snapshot.topics.iter().find(|known| topic.as_deref() == Some(&*known.name));
    let Some(topic) = found.or_else(|| snapshot.topics.first()) else {
        return html! { <p class="hint">{ "There is no topic yet." }</p> };
    };
    // A number that was typed holds until another partition is selected.
    let typed_number = typed.as_ref().filter(|(then, _)| *then == selected).map(|(_, number)| *number);
    let selected_number = selected
        .as_deref()
        .and_then(|name| partition_named(std::slice::from_ref(topic), name))
        .map(|(_, partition)| partition.partition);
    let wanted = typed_number.or(selected_number).unwrap_or(0);
    let partition =
        topic.partitions.iter().find(|known| known.partition == wanted).or_else(|| topic.partitions.first());
    let Some(partition) = partition else { return Html::default() };
    let accept = {
        let (typed, selected, count) = (typed.clone(), selected.clone(), topic.partitions.len());
        Callback::from(move |text: AttrValue| {
            let wanted: u32 = number(&text)?;
            if wanted as usize >= count {
                return Err(format!("Its partitions are 0 to {}.", count - 1));
            }
            typed.set(Some((selected.clone(), wanted)));
            Ok(())
        })
    };
    html! {
        <div class="form">
            <div class="form-row">
                { part!(Select { legend: "Topic", choices: names(snapshot.topics.iter().map(|topic| &*topic.name)), selected: topic.name.to_string(), onselect: ontopic }) }
                { part!(TextField { label: "Partition", value: partition.partition.to_string(), size: 4, accept }) }
            </div>
            { elections(&doing, topic, partition) }
            { logs(&doing, topic, partition) }
            <details>
                <summary>{ format!("Move the replicas of {}", topic.name) }</summary>
                { part!(MoveForm { bench: props.bench.clone(), topic: topic.name.to_string() }, key = topic.name.to_string()) }
            </details>
            { doing.problem() }
        </div>
    }
}

fn elections(doing: &Doing, topic: &TopicSnapshot, partition: &PartitionSnapshot) -> Html {
    let name = PartitionName { topic: topic.name.to_string(), partition: partition.partition };
    let elect = |election, partitions| Command::ElectLeaders { election, partitions };
    html! {
        <div class="form-row">
            { doing.button("Elect its preferred leader", elect(ElectionKind::Preferred, Some(vec![name.clone()]))) }
            { doing.danger("Elect any leader (unclean)", elect(ElectionKind::Unclean, Some(vec![name]))) }
            { doing.button("Preferred leaders everywhere", elect(ElectionKind::Preferred, None)) }
        </div>
    }
}

fn logs(doing: &Doing, topic: &TopicSnapshot, partition: &PartitionSnapshot) -> Html {
    let (name, number_of) = (topic.name.to_string(), partition.partition);
    let accept = {
        let (doing, topic) = (doing.clone(), name.clone());
        Callback::from(move |text: AttrValue| {
            let before_offset: i64 = number(&text)?;
            doing.act(&Command::DeleteRecords { topic: topic.clone(), partition: number_of, before_offset });
            Ok(())
        })
    };
    let key = format!("delete {name}-{number_of}");
    html! {
        <div class="form-row">
            { doing.button("Close the active segment", Command::RollSegment { topic: name.clone(), partition: number_of }) }
            { doing.button("Run the log cleaner", Command::CleanLog { topic: name, partition: number_of }) }
            { part!(TextField { label: "Delete records below offset (-1: all)", value: partition.log_start_offset.to_string(), size: 8, accept }, key = key) }
        </div>
    }
}
