//! What a running reader can be told: to go on from another offset, to stop polling, to poll again.

use std::rc::Rc;

use engine::Command;
use engine::snapshot::ConsumerSnapshot;
use yew::{AttrValue, Callback, Html, component, html};

use super::act_form::{ActFormProps, names, selected, selected_partition, use_choice, use_doing};
use super::fields::number;
use super::spoken::error_text;
use crate::app::controls::{Choice, Select, TextField};
use crate::app::part::part;

/// One reader and what can be done to it.
#[component]
pub fn ReaderActs(props: &ActFormProps) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let (chosen, onselect) = use_choice(selected(&props.bench, "consumer"));
    let (wanted, onpartition) = use_choice(selected_partition(&props.bench));
    let doing = use_doing(&props.bench);
    let readers = || snapshot.consumers.iter().filter(|consumer| consumer.membership.is_none());
    let found = readers().find(|reader| chosen.as_deref() == Some(&*reader.name));
    let Some(reader) = found.or_else(|| readers().next()) else {
        return html! { <p class="hint">{ "There is no reader. Add one to the set-up." }</p> };
    };
    let consumer = || reader.name.to_string();
    let poll = if reader.is_paused {
        doing.button("Poll again", Command::ResumePoll { consumer: consumer() })
    } else {
        doing.button("Stop polling", Command::StopPoll { consumer: consumer() })
    };
    let partitions = partitions(reader);
    let position =
        reader.positions.iter().find(|at| wanted.as_deref() == Some(&*format!("{}-{}", at.topic, at.partition)));
    let seek = position.or_else(|| reader.positions.first()).map(|at| {
        let accept = {
            let (doing, consumer, topic, partition) = (doing.clone(), consumer(), at.topic.to_string(), at.partition);
            Callback::from(move |text: AttrValue| {
                let (consumer, topic) = (consumer.clone(), topic.clone());
                doing.act(&Command::Seek { consumer, topic, partition, offset: number(&text)? });
                Ok(())
            })
        };
        let name = format!("{}-{}", at.topic, at.partition);
        let key = format!("seek {name}");
        html! {
            <>
                { part!(Select { legend: "Partition", choices: Rc::clone(&partitions), selected: name, onselect: onpartition.clone() }) }
                { part!(TextField { label: "Its next offset", value: at.position.to_string(), size: 8, accept }, key = key) }
            </>
        }
    });
    html! {
        <div class="form">
            <div class="form-row">
                { part!(Select { legend: "Reader", choices: names(readers().map(|reader| &*reader.name)), selected: consumer(), onselect }) }
                { poll }
                { seek.unwrap_or_default() }
            </div>
            if let Some(error) = &reader.error { <p class="hint">{ format!("It has ended: {}", error_text(error)) }</p> }
            { doing.problem() }
        </div>
    }
}

fn partitions(reader: &ConsumerSnapshot) -> Rc<[Choice]> {
    let name = |at: &engine::snapshot::PositionSnapshot| format!("{}-{}", at.topic, at.partition);
    reader.positions.iter().map(|at| Choice::new(name(at), name(at))).collect()
}
