//! Members of groups driven by hand: one more joins, one leaves, and every call of one of them.
//!
//! The calls are in `member_calls.rs`; what they do is the engine's business.

use engine::Command;
use engine::scenario::ConsumerSpec;
use yew::{Callback, Html, Properties, component, html};

use super::act_form::{ActFormProps, Doing, names, selected, use_choice, use_doing};
use super::examples::{self, free_name};
use super::member_calls::MemberCalls;
use super::member_form::{given, is_member, set};
use super::workbench::Workbench;
use crate::app::controls::Select;
use crate::app::part::part;

/// The members, and what can be done to them.
#[component]
pub fn MemberActs(props: &ActFormProps) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let (chosen, onselect) = use_choice(selected(&props.bench, "consumer"));
    let doing = use_doing(&props.bench);
    let members = || snapshot.consumers.iter().filter(|consumer| consumer.membership.is_some());
    let known: Vec<&str> = members().map(|member| &*member.name).collect();
    let chosen = chosen.filter(|name| known.contains(&name.as_str()));
    let Some(name) = chosen.or_else(|| known.first().map(|name| (*name).to_owned())) else {
        return html! {
            <div class="form">
                <p class="hint">{ "There is no group yet. A first member makes one." }</p>
                <div class="form-row">{ first_member(props, &doing) }</div>
                { doing.result() }
            </div>
        };
    };
    let one = OneMemberProps { bench: props.bench.clone(), name: name.clone() };
    html! {
        <div class="form">
            <div class="form-row">
                { part!(Select { legend: "Member", choices: names(known.iter().copied()), selected: name.clone(), onselect }) }
                { another_button(&one, &doing) }
            </div>
            { doing.result() }
            { part!(MemberCalls { bench: one.bench.clone(), name: name.clone() }, key = format!("m {name}")) }
        </div>
    }
}

/// One consumer of a bench.
#[derive(Clone, PartialEq, Properties)]
pub struct OneMemberProps {
    /// The bench.
    pub bench: Workbench,
    /// The consumer's name.
    pub name: String,
}

impl OneMemberProps {
    /// The consumer as it was last started: by a command up to now, else by the set-up.
    pub fn spec(&self) -> ConsumerSpec {
        let started = self.bench.last_command(|command| match command {
            Command::Consumer(spec) if spec.name == self.name => Some(spec.clone()),
            _ => None,
        });
        let of_set_up = || self.bench.scenario().consumers.into_iter().find(|consumer| consumer.name == self.name);
        let mut spec = started.or_else(of_set_up).unwrap_or_else(|| examples::member(&self.name, "group", "events"));
        spec.start = None;
        spec
    }
}

/// The first member of a group, in a cluster that has none.
fn first_member(props: &ActFormProps, doing: &Doing) -> Html {
    let snapshot = props.bench.session().snapshot(0);
    let topic = scene::shown_topics(&snapshot).next().map_or("events", |topic| &*topic.name);
    let spec = examples::member("worker", "workers", topic);
    doing.button("Add a member", Command::Consumer(spec))
}

/// One more member like this one.
fn another_button(one: &OneMemberProps, doing: &Doing) -> Html {
    let (one, doing) = (one.clone(), doing.clone());
    let onclick = Callback::from(move |_| {
        let snapshot = one.bench.session().snapshot(0);
        let spec = another_member(one.spec(), snapshot.consumers.iter().map(|consumer| &*consumer.name));
        doing.act(&Command::Consumer(spec));
    });
    html! { <button class="button primary" {onclick}>{ "One more joins" }</button> }
}

/// A member like another, under a free name; a static member gets an id of its own.
pub fn another_member<'a>(like: ConsumerSpec, taken: impl Iterator<Item = &'a str>) -> ConsumerSpec {
    let taken: Vec<&str> = taken.collect();
    let stem = like.name.rsplit_once('-').filter(|(_, number)| number.parse::<u32>().is_ok());
    let name = free_name(stem.map_or(&*like.name, |(stem, _)| stem), taken);
    let mut spec = ConsumerSpec { name, member_id: None, ..like };
    if is_member(&spec) && !given(&spec, "group.instance.id").is_empty() {
        let instance = spec.name.clone();
        set(&mut spec, "group.instance.id", Some(instance));
    }
    spec
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_more_member_has_a_name_and_an_id_of_its_own() {
        let mut first = examples::member("worker", "workers", "events");
        assert_eq!(another_member(first.clone(), ["worker"].into_iter()).name, "worker-2");
        set(&mut first, "group.instance.id", Some("worker".to_owned()));
        first.name = "worker-2".to_owned();
        let next = another_member(first, ["worker", "worker-2"].into_iter());
        assert_eq!((&*next.name, given(&next, "group.instance.id")), ("worker-3", "worker-3"));
    }
}
