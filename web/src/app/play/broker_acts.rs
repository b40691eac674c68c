//! Faults of brokers, now: stop, kill, pause, start, a slow disk, and followers whose fetches are held.
//!
//! A button is there while it makes sense; what follows from it is the engine's business.

use std::rc::Rc;

use engine::Command;
use engine::snapshot::{BrokerSnapshot, BrokerState};
use yew::{AttrValue, Callback, Html, component, html};

use super::act_form::{ActFormProps, Doing, selected_broker, use_choice, use_doing};
use super::fields::optional_duration;
use super::summary::count;
use crate::app::controls::{Choice, Select, TextField};
use crate::app::panels::inspector::process_state;
use crate::app::part::part;

/// One broker and what can be done to it.
#[component]
pub fn BrokerActs(props: &ActFormProps) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let (chosen, onselect) = use_choice(selected_broker(&props.bench));
    let doing = use_doing(&props.bench);
    let found = snapshot.brokers.iter().find(|broker| chosen.as_deref() == Some(&*broker.id.to_string()));
    let Some(broker) = found.or_else(|| snapshot.brokers.first()) else {
        return html! { <p class="hint">{ "The cluster has not started yet." }</p> };
    };
    let choices: Rc<[Choice]> =
        snapshot.brokers.iter().map(|broker| Choice::new(broker.id.to_string(), name(broker))).collect();
    html! {
        <div class="form">
            <div class="form-row">
                { part!(Select { legend: "Broker", choices, selected: broker.id.to_string(), onselect }) }
                { process(&doing, broker) }
            </div>
            <p class="hint">{ condition(broker) }</p>
            <div class="form-row">
                { slow_disk(&doing, broker) }
                { fetches(&doing, broker) }
            </div>
            { doing.problem() }
        </div>
    }
}

/// "2 (paused)"; a running one without a word.
fn name(broker: &BrokerSnapshot) -> String {
    if broker.state == BrokerState::Running {
        broker.id.to_string()
    } else {
        format!("{} ({})", broker.id, process_state(broker.state))
    }
}

/// The broker in one sentence.
fn condition(broker: &BrokerSnapshot) -> String {
    let mut words = vec![process_state(broker.state).to_owned()];
    if broker.is_controller {
        words.push("the active controller".to_owned());
    }
    words.push(format!("leads {}", count(broker.leader_count as usize, "partition")));
    words.push(if broker.is_fenced { "fenced".to_owned() } else { "not fenced".to_owned() });
    if broker.fetches_held {
        words.push("its followers fetch only when told to".to_owned());
    }
    format!("Broker {} is {}.", broker.id, words.join(", "))
}

/// Its process.
fn process(doing: &Doing, snapshot: &BrokerSnapshot) -> Html {
    let broker = snapshot.id;
    match snapshot.state {
        BrokerState::Running => html! {
            <>
                { doing.button("Stop", Command::StopBroker { broker }) }
                { doing.danger("Kill", Command::KillBroker { broker }) }
                { doing.button("Pause", Command::PauseBroker { broker }) }
            </>
        },
        BrokerState::ShuttingDown => html! {
            <>
                { doing.danger("Kill", Command::KillBroker { broker }) }
                { doing.button("Pause", Command::PauseBroker { broker }) }
            </>
        },
        BrokerState::Paused => html! {
            <>
                { doing.button("Resume", Command::ResumeBroker { broker }) }
                { doing.danger("Kill", Command::KillBroker { broker }) }
            </>
        },
        BrokerState::Stopped => doing.button("Start", Command::StartBroker { broker }),
    }
}

fn slow_disk(doing: &Doing, snapshot: &BrokerSnapshot) -> Html {
    let accept = {
        let (doing, broker) = (doing.clone(), snapshot.id);
        Callback::from(move |text: AttrValue| {
            let time = optional_duration(&text)?.unwrap_or_default();
            doing.act(&Command::SlowDisk { broker, time });
            Ok(())
        })
    };
    let key = format!("disk {}", snapshot.id);
    part!(
        TextField {
            label: "Its disk needs, for one Produce request",
            value: snapshot.produce_time.to_string(),
            size: 7,
            accept
        },
        key = key
    )
}

/// The fetches of its followers; those of a broker that is down cannot be held.
fn fetches(doing: &Doing, snapshot: &BrokerSnapshot) -> Html {
    let broker = snapshot.id;
    if snapshot.state != BrokerState::Running {
        Html::default()
    } else if snapshot.fetches_held {
        html! {
            <>
                { doing.button("Fetch once", Command::FetchOnce { broker }) }
                { doing.button("Release its fetches", Command::ReleaseFetches { broker }) }
            </>
        }
    } else {
        doing.button("Hold its fetches", Command::HoldFetches { broker })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(broker: BrokerSnapshot, expected: &str) {
        assert_eq!(condition(&broker), expected);
    }

    #[test]
    fn a_broker_is_told_in_one_sentence() {
        let broker = BrokerSnapshot { id: 2, leader_count: 1, ..BrokerSnapshot::default() };
        check(broker.clone(), "Broker 2 is running, leads 1 partition, not fenced.");
        check(
            BrokerSnapshot { is_controller: true, leader_count: 4, ..broker.clone() },
            "Broker 2 is running, the active controller, leads 4 partitions, not fenced.",
        );
        let stopped = BrokerSnapshot { state: BrokerState::Stopped, is_fenced: true, leader_count: 0, ..broker };
        check(stopped.clone(), "Broker 2 is stopped, leads 0 partitions, fenced.");
        assert_eq!(name(&stopped), "2 (stopped)");
    }
}
