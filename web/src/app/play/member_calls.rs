//! Every call of a consumer's application as a button, what its listener does, and what can happen to its process.
//!
//! Nothing is held back: a call that makes no sense gets the client's own exception.

use std::rc::Rc;

use engine::Command;
use engine::event::TopicPartition;
use engine::group::Callback as Rebalance;
use engine::snapshot::{ClientProcess, ConsumerSnapshot, MembershipSnapshot};
use yew::{AttrValue, Callback, Html, UseStateHandle, component, html, use_state_eq};

use super::act_form::{Doing, names, selected_partition, use_choice, use_doing};
use super::fields::{number, optional_duration};
use super::member_acts::OneMemberProps;
use super::member_form::listed;
use super::spoken::error_text;
use crate::app::controls::{Choice, Select, TextField};
use crate::app::part::part;
use crate::app::session::{Rate, use_session};

/// The calls, the partitions, the listener and the process.
#[component]
pub fn MemberCalls(props: &OneMemberProps) -> Html {
    use_session(&props.bench.session(), Rate::Table);
    let snapshot = props.bench.session().snapshot(0);
    let doing = use_doing(&props.bench);
    let (wanted, onpartition) = use_choice(selected_partition(&props.bench));
    let Some(consumer) = snapshot.consumers.iter().rfind(|known| *known.name == *props.name) else {
        return Html::default();
    };
    let Some(membership) = &consumer.membership else { return Html::default() };
    html! {
        <>
            <p class="hint">{ condition(consumer, membership) }</p>
            if let Some(error) = &consumer.error { <p class="hint">{ format!("poll() threw {}", error_text(error)) }</p> }
            { calls(&doing, &props.name) }
            { doing.result() }
            <div class="form-row" role="group" aria-label="Its process">{ process(&doing, consumer, membership, props) }</div>
            <details>
                <summary>{ "Its partitions: seek, pause, resume" }</summary>
                { partitions(&doing, consumer, membership, wanted, onpartition) }
            </details>
            <details>
                <summary>{ "Its subscription, its work, its listener" }</summary>
                { part!(Habits { bench: props.bench.clone(), name: props.name.clone() }) }
            </details>
        </>
    }
}

/// "worker-2 runs, STABLE in generation 4 of workers, owns events-0 and events-1."
fn condition(consumer: &ConsumerSnapshot, membership: &MembershipSnapshot) -> String {
    let process = match consumer.process {
        ClientProcess::Running if membership.is_closed => "is closed",
        ClientProcess::Running if consumer.is_paused => "does not poll",
        ClientProcess::Running => "runs",
        ClientProcess::Frozen => "stands still",
        ClientProcess::Crashed => return format!("{} has crashed.", consumer.name),
    };
    if membership.is_closed {
        return format!("{} {process}.", consumer.name);
    }
    let state = membership.state.name();
    let at = if membership.generation > 0 { format!(" at {}", membership.generation) } else { String::new() };
    let mut words = format!("{} {process}, {state}{at} in group {}", consumer.name, membership.group);
    let owned: Vec<String> = membership.owned.iter().map(TopicPartition::to_string).collect();
    match owned.len() {
        0 => words.push_str(", owns nothing"),
        1..=8 => words.push_str(&format!(", owns {}", owned.join(", "))),
        many => words.push_str(&format!(", owns {many} partitions")),
    }
    if let Some((callback, _)) = &membership.callback {
        words.push_str(&format!("; {} runs", callback.name_in(membership.is_librdkafka)));
    }
    words + "."
}

/// The calls in the order in which a program makes them.
fn calls(doing: &Doing, name: &str) -> Html {
    let consumer = || name.to_owned();
    html! {
        <div class="form-row calls" role="group" aria-label="Calls of its application">
            { doing.call_button("commitSync", Command::CommitSync { consumer: consumer(), offsets: None }) }
            { doing.call_button("commitAsync", Command::CommitAsync { consumer: consumer(), offsets: None }) }
            { doing.call_button("enforceRebalance", Command::EnforceRebalance { consumer: consumer() }) }
            { doing.call_button("unsubscribe", Command::Unsubscribe { consumer: consumer() }) }
            { doing.call_button("close", Command::CloseConsumer { consumer: consumer(), operation: None }) }
            <button key="close leave" class="button" onclick={doing.on_call("close", close_with(name, "LEAVE_GROUP"))}>{ "close(LEAVE_GROUP)" }</button>
            <button key="close remain" class="button" onclick={doing.on_call("close", close_with(name, "REMAIN_IN_GROUP"))}>{ "close(REMAIN_IN_GROUP)" }</button>
        </div>
    }
}

fn close_with(name: &str, operation: &str) -> Command {
    Command::CloseConsumer { consumer: name.to_owned(), operation: Some(operation.to_owned()) }
}

/// What can happen to its process. A button that another one takes the place of leaves its focus to it.
fn process(
    doing: &Doing,
    consumer: &ConsumerSnapshot,
    membership: &MembershipSnapshot,
    props: &OneMemberProps,
) -> Html {
    let name = || props.name.clone();
    let is_over = consumer.process == ClientProcess::Crashed || membership.is_closed;
    if is_over {
        return html! { <>{ doing.button_in("crash", "Start again", Command::Consumer(props.spec())) }</> };
    }
    let poll = if consumer.is_paused {
        doing.button_in("poll", "Poll again", Command::ResumePoll { consumer: name() })
    } else {
        doing.button_in("poll", "Stop polling", Command::StopPoll { consumer: name() })
    };
    let (word, command) = match consumer.process {
        ClientProcess::Frozen => ("Thaw", Command::Thaw { client: name() }),
        _ => ("Freeze", Command::Freeze { client: name() }),
    };
    html! {
        <>
            { poll }
            { doing.button_in("freeze", word, command) }
            { doing.danger_in("crash", "Crash", Command::Crash { client: name() }) }
        </>
    }
}

/// One partition that it owns: position, pause, and where to go on.
fn partitions(
    doing: &Doing,
    consumer: &ConsumerSnapshot,
    membership: &MembershipSnapshot,
    wanted: Option<String>,
    onselect: Callback<AttrValue>,
) -> Html {
    let owned: Vec<String> = membership.owned.iter().map(TopicPartition::to_string).collect();
    let wanted = wanted.filter(|name| owned.contains(name));
    let Some(name) = wanted.or_else(|| owned.first().cloned()) else {
        return html! { <p class="hint">{ "It owns no partition at present." }</p> };
    };
    let who = || consumer.name.to_string();
    let is_here = |partition: &TopicPartition| partition.to_string() == name;
    let is_paused = membership.paused.iter().any(is_here);
    let position = consumer.positions.iter().find(|at| format!("{}-{}", at.topic, at.partition) == name);
    let accept = {
        let (doing, consumer, name) = (doing.clone(), who(), name.clone());
        Callback::from(move |text: AttrValue| {
            let offset = number(&text)?;
            if let Some((topic, partition)) = TopicPartition::split(&name) {
                let (consumer, topic) = (consumer.clone(), topic.to_owned());
                doing.act(&Command::Seek { consumer, topic, partition, offset });
            }
            Ok(())
        })
    };
    let one = || vec![name.clone()];
    let pause = if is_paused {
        doing.button_in("pause", "resume", Command::Resume { consumer: who(), partitions: one() })
    } else {
        doing.button_in("pause", "pause", Command::Pause { consumer: who(), partitions: one() })
    };
    let key = format!("seek {name}");
    html! {
        <div class="form-row">
            { part!(Select { legend: "Partition", choices: names(owned.iter().map(String::as_str)), selected: name.clone(), onselect }) }
            { part!(TextField { label: "Its next offset", value: position.map_or_else(String::new, |at| at.position.to_string()), size: 8, accept }, key = key) }
            { doing.button("seekToBeginning", Command::SeekToBeginning { consumer: who(), partitions: one() }) }
            { doing.button("seekToEnd", Command::SeekToEnd { consumer: who(), partitions: one() }) }
            { pause }
        </div>
    }
}

/// What it subscribes to, how long it works on a record, and how slow its callbacks are.
#[component]
fn Habits(props: &OneMemberProps) -> Html {
    let doing = use_doing(&props.bench);
    let slow = use_state_eq(|| Rebalance::Revoked);
    let snapshot = props.bench.session().snapshot(0);
    let known = snapshot.consumers.iter().rfind(|known| *known.name == *props.name);
    let topics =
        known.and_then(|consumer| consumer.membership.as_ref()).map_or_else(Vec::new, |own| own.topics.clone());
    let acting = |act: fn(String, &str) -> Result<Command, String>| {
        let (doing, name) = (doing.clone(), props.name.clone());
        Callback::from(move |text: AttrValue| {
            doing.act(&act(name.clone(), text.trim())?);
            Ok(())
        })
    };
    let subscribe =
        acting(|consumer, text| Ok(Command::Subscribe { consumer, topics: listed(text), pattern: None, re2j: None }));
    let process = acting(|consumer, text| {
        Ok(Command::SetProcessing { consumer, time: optional_duration(text)?.unwrap_or_default() })
    });
    html! {
        <div class="form">
            <div class="form-row">
                { part!(TextField { label: "Subscribe to (topics)", value: topics.join(", "), size: 20, accept: subscribe }) }
                { part!(TextField { label: "Works on each record for", value: "", placeholder: "such as 200 ms", size: 12, accept: process }) }
            </div>
            <div class="form-row">{ slow_callback(&doing, props, &slow) }</div>
            { doing.result() }
        </div>
    }
}

/// The next callback of a kind takes some time.
fn slow_callback(doing: &Doing, props: &OneMemberProps, slow: &UseStateHandle<Rebalance>) -> Html {
    let all = [Rebalance::Revoked, Rebalance::Assigned, Rebalance::Lost];
    let choices: Rc<[Choice]> = all.iter().map(|callback| Choice::new(callback.method(), callback.method())).collect();
    let onselect = {
        let slow = slow.clone();
        Callback::from(move |name: AttrValue| {
            slow.set(all.into_iter().find(|callback| *callback.method() == *name).unwrap_or(Rebalance::Revoked));
        })
    };
    let accept = {
        let (doing, consumer, callback) = (doing.clone(), props.name.clone(), **slow);
        Callback::from(move |text: AttrValue| {
            if let Some(time) = optional_duration(&text)? {
                doing.act(&Command::SlowCallback { consumer: consumer.clone(), callback, time });
            }
            Ok(())
        })
    };
    html! {
        <>
            { part!(Select { legend: "Its next", choices, selected: slow.method(), onselect }) }
            { part!(TextField { label: "takes", value: "", placeholder: "such as 5 s", size: 10, accept }) }
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::group::ClientMemberState;

    #[test]
    fn a_member_is_told_in_one_sentence() {
        let owned = |partition| TopicPartition { topic: "events".into(), partition };
        let membership = MembershipSnapshot {
            group: "workers".into(),
            state: ClientMemberState::PrepareLeaving,
            generation: 4,
            owned: vec![owned(0), owned(1)],
            ..MembershipSnapshot::default()
        };
        let consumer = ConsumerSnapshot { name: "worker".into(), ..ConsumerSnapshot::default() };
        let expected = "worker runs, PREPARE_LEAVING at 4 in group workers, owns events-0, events-1.";
        assert_eq!(condition(&consumer, &membership), expected);
        let crashed = ConsumerSnapshot { process: ClientProcess::Crashed, ..consumer.clone() };
        assert_eq!(condition(&crashed, &membership), "worker has crashed.");
        let closed = MembershipSnapshot { is_closed: true, ..membership };
        assert_eq!(condition(&consumer, &closed), "worker is closed.");
    }
}
