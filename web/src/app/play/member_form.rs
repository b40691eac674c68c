//! A member of a group in the set-up: its group, its subscription, its protocol and its consumer settings.

use std::rc::Rc;

use engine::client::configs::consumer_definitions;
use engine::scenario::ConsumerSpec;
use yew::{AttrValue, Callback, Html, Properties, component, html};

use super::config_table::{ConfigTable, Table};
use super::fields::{Accept, optional_duration, optional_text, shown};
use crate::app::controls::{Choice, Segments, Select, TextField};
use crate::app::part::part;

/// A member to be changed.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct MemberFormProps {
    /// The member in force.
    pub member: Rc<ConsumerSpec>,
    /// Takes a changed member over.
    pub accept: Accept<ConsumerSpec>,
}

impl MemberFormProps {
    /// A field that changes the member from its text.
    fn field(
        &self,
        change: impl Fn(&mut ConsumerSpec, &str) -> Result<(), String> + 'static,
    ) -> Callback<AttrValue, Result<(), String>> {
        let (member, accept) = (Rc::clone(&self.member), self.accept.clone());
        Callback::from(move |text: AttrValue| {
            let mut next = (*member).clone();
            change(&mut next, text.trim())?;
            accept.emit(next)
        })
    }

    /// A menu whose values always fit.
    fn menu(&self, change: impl Fn(&mut ConsumerSpec, &str) + 'static) -> Callback<AttrValue> {
        let field = self.field(move |member, text| {
            change(member, text);
            Ok(())
        });
        Callback::from(move |text| drop(field.emit(text)))
    }
}

/// The form of a member.
#[component]
pub fn MemberForm(props: &MemberFormProps) -> Html {
    let member = &props.member;
    let set_name = props.field(|member, text| {
        member.name = text.to_owned();
        Ok(())
    });
    let set_group = props.field(|member, text| {
        set(member, "group.id", optional_text(text));
        Ok(())
    });
    let set_topics = props.field(|member, text| {
        (member.pattern, member.re2j) = (None, None);
        member.subscribe = listed(text);
        Ok(())
    });
    let set_instance = props.field(|member, text| {
        set(member, "group.instance.id", optional_text(text));
        Ok(())
    });
    let set_processing = props.field(|member, text| {
        member.processing = optional_duration(text)?;
        Ok(())
    });
    let set_start = props.field(|member, text| {
        member.start = optional_duration(text)?;
        Ok(())
    });
    let onlibrary = props.menu(|member, library| {
        member.client = (library != "java").then(|| library.to_owned());
    });
    html! {
        <div class="form">
            <div class="form-row">
                { part!(TextField { label: "Name", value: member.name.clone(), size: 14, accept: set_name }) }
                { part!(TextField { label: "Group", value: given(member, "group.id").to_owned(), size: 14, accept: set_group }) }
                { part!(TextField { label: "Subscribes to (topics)", value: member.subscribe.join(", "), size: 20, accept: set_topics }) }
            </div>
            { protocol(props) }
            <div class="form-row">
                { part!(Select { legend: "Client", choices: libraries(), selected: member.client.clone().unwrap_or_else(|| "java".to_owned()), onselect: onlibrary }) }
                { part!(TextField { label: "Static id (group.instance.id)", value: given(member, "group.instance.id").to_owned(), placeholder: "none: dynamic", size: 14, accept: set_instance }) }
                { part!(TextField { label: "Works on each record for", value: shown(member.processing), placeholder: "0 ms", size: 8, accept: set_processing }) }
                { part!(TextField { label: "Starts after", value: shown(member.start), placeholder: "0 ms", size: 8, accept: set_start }) }
            </div>
            <details>
                <summary>{ "Subscription by a pattern" }</summary>
                { patterns(props) }
            </details>
            <details>
                <summary>{ super::with_count("Consumer settings", member.configs.len()) }</summary>
                <p class="hint">{ "In a group auto.offset.reset is latest by default: a new group reads only what comes from now on." }</p>
                { part!(ConfigTable { of: "the Java consumer 4.3.1", table: Table(consumer_definitions()), given: Rc::new(member.configs.clone()), accept: onconfig(props) }) }
            </details>
        </div>
    }
}

/// `group.protocol`, and the assignors that go with it.
fn protocol(props: &MemberFormProps) -> Html {
    let is_consumer = given(&props.member, "group.protocol").eq_ignore_ascii_case("consumer");
    let onprotocol = props.menu(|member, protocol| {
        set(member, "group.protocol", (protocol != "classic").then(|| protocol.to_owned()));
        // The other protocol refuses these.
        for name in
            ["group.remote.assignor", "partition.assignment.strategy", "session.timeout.ms", "heartbeat.interval.ms"]
        {
            set(member, name, None);
        }
    });
    let name = if is_consumer { "group.remote.assignor" } else { "partition.assignment.strategy" };
    let onassignor = props.menu(move |member, assignor| {
        set(member, name, (!assignor.is_empty()).then(|| assignor.to_owned()));
    });
    let assignors: Rc<[Choice]> = if is_consumer {
        Rc::from([
            Choice::new("", "the broker's default"),
            Choice::new("uniform", "uniform"),
            Choice::new("range", "range"),
        ])
    } else {
        Rc::from([
            Choice::new("", "Range, then CooperativeSticky (default)"),
            Choice::new("RangeAssignor", "Range"),
            Choice::new("RoundRobinAssignor", "RoundRobin"),
            Choice::new("StickyAssignor", "Sticky"),
            Choice::new("CooperativeStickyAssignor", "CooperativeSticky"),
        ])
    };
    let protocols: Rc<[Choice]> =
        Rc::from([Choice::new("classic", "classic"), Choice::new("consumer", "consumer (KIP-848)")]);
    html! {
        <div class="form-row">
            { part!(Segments { legend: "Protocol", choices: protocols, selected: if is_consumer { "consumer" } else { "classic" }, onselect: onprotocol }) }
            { part!(Select { legend: "Assignor", choices: assignors, selected: given(&props.member, name).to_owned(), onselect: onassignor }, key = name) }
        </div>
    }
}

/// A pattern in place of topics: evaluated by the client, or by the broker.
fn patterns(props: &MemberFormProps) -> Html {
    let set_pattern = props.field(|member, text| {
        if let Some(pattern) = optional_text(text) {
            member.subscribe.clear();
            member.re2j = None;
            member.pattern = Some(pattern);
        } else {
            member.pattern = None;
        }
        Ok(())
    });
    let set_re2j = props.field(|member, text| {
        if let Some(pattern) = optional_text(text) {
            member.subscribe.clear();
            member.pattern = None;
            member.re2j = Some(pattern);
        } else {
            member.re2j = None;
        }
        Ok(())
    });
    html! {
        <div class="form-row">
            { part!(TextField { label: "java.util.regex.Pattern, at the client", value: shown(props.member.pattern.clone()), placeholder: "orders-.*", size: 18, accept: set_pattern }) }
            { part!(TextField { label: "RE2/J, at the broker (consumer protocol)", value: shown(props.member.re2j.clone()), placeholder: "orders-.*", size: 18, accept: set_re2j }) }
        </div>
    }
}

fn onconfig(props: &MemberFormProps) -> Callback<(&'static str, Option<String>), Result<(), String>> {
    let (member, accept) = (Rc::clone(&props.member), props.accept.clone());
    Callback::from(move |(name, value): (&'static str, Option<String>)| {
        let mut next = (*member).clone();
        set(&mut next, name, value);
        accept.emit(next)
    })
}

/// The client libraries whose consumers are modelled.
pub fn libraries() -> Rc<[Choice]> {
    Rc::from([Choice::new("java", "Java"), Choice::new("librdkafka", "librdkafka")])
}

/// Texts between commas.
pub fn listed(text: &str) -> Vec<String> {
    text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// A setting of a consumer; empty if it is not given.
pub fn given<'a>(consumer: &'a ConsumerSpec, name: &str) -> &'a str {
    consumer.configs.get(name).map_or("", String::as_str)
}

/// Sets a setting of a consumer, or takes it away.
pub fn set(consumer: &mut ConsumerSpec, name: &str, value: Option<String>) {
    match value {
        Some(value) => drop(consumer.configs.insert(name.to_owned(), value)),
        None => drop(consumer.configs.remove(name)),
    }
}

/// Whether a consumer of a set-up is meant as a member of a group.
pub fn is_member(consumer: &ConsumerSpec) -> bool {
    consumer.configs.contains_key("group.id") || consumer.assign.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_set_and_taken_away() {
        let mut member = ConsumerSpec::default();
        set(&mut member, "group.id", Some("analytics".to_owned()));
        assert_eq!((given(&member, "group.id"), is_member(&member)), ("analytics", true));
        set(&mut member, "group.id", None);
        assert_eq!(given(&member, "group.id"), "");
        member.assign.push("events".to_owned());
        assert!(!is_member(&member));
    }

    #[test]
    fn topics_stand_between_commas() {
        assert_eq!(listed(" orders, payments ,"), ["orders", "payments"]);
        assert!(listed(" ").is_empty());
    }
}
