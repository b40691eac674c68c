//! The set-up at time 0 as a short list; an item opens for editing in its place. One item is open at a time.

use crate::app::part::part;
use std::rc::Rc;

use engine::Scenario;
use engine::scenario::{BrokerSpec, Brokers, ConsumerSpec, ProducerSpec, TopicSpec};
use yew::{AttrValue, Callback, Html, KeyboardEvent, Properties, TargetCast, component, html, use_state_eq};

use super::cluster_forms::{BrokerForm, WholeForm, broker_list};
use super::examples;
use super::fields::Accept;
use super::member_acts::another_member;
use super::member_form::{MemberForm, is_member};
use super::producer_form::ProducerForm;
use super::reader_form::ReaderForm;
use super::summary;
use super::topic_form::TopicForm;
use super::workbench::{Said, Workbench, beside};

/// An item of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// A broker by its place.
    Broker(usize),
    /// A topic by its place.
    Topic(usize),
    /// A producer by its place.
    Producer(usize),
    /// A reader by its place.
    Reader(usize),
    /// What holds for the whole.
    Whole,
}

/// Whose set-up.
#[derive(Clone, PartialEq, Properties)]
pub struct SetUpProps {
    /// The bench.
    pub bench: Workbench,
    /// The bench's version: another one, and everything is shown again.
    pub version: u32,
}

/// The list. Time passing does not change it, so it follows the bench and not the session.
#[component]
pub fn SetUp(props: &SetUpProps) -> Html {
    let bench = &props.bench;
    let open = use_state_eq(|| None::<Item>);
    let list = List { bench: bench.clone(), scenario: Rc::new(bench.scenario()), open: open.clone() };
    let topics: Rc<[AttrValue]> =
        list.scenario.topics.iter().map(|topic| AttrValue::from(topic.name.clone())).collect();
    let brokers = broker_list(&list.scenario.cluster.brokers);
    html! {
        <section class="setup" aria-labelledby="setup-title">
            <header><h2 id="setup-title">{ "Set-up" }</h2><p>{ "At time 0. A change runs everything again up to now." }</p></header>
            { list.group("Topics", "Add a topic", add_topic, list.scenario.topics.iter().enumerate().map(|(place, topic)| list.topic(place, topic)).collect()) }
            { list.group("Producers", "Add a producer", add_producer, list.scenario.producers.iter().enumerate().map(|(place, producer)| list.producer(place, producer, &topics)).collect()) }
            { list.group("Members of groups", "Add a member", add_member, list.consumers(true)) }
            { list.group("Readers", "Add a reader", add_reader, list.consumers(false)) }
            { list.group("Brokers", "Add a broker", add_broker, brokers.iter().enumerate().map(|(place, broker)| list.broker(place, broker)).collect()) }
            <ul class="items">{ list.item(Item::Whole, "Network, seed, cluster".into(), summary::whole(&list.scenario), part!(WholeForm { bench: bench.clone(), scenario: Rc::clone(&list.scenario) }), None) }</ul>
        </section>
    }
}

/// What adds something to a set-up; the item that it added.
type Add = fn(&mut Scenario) -> Item;

struct List {
    bench: Workbench,
    scenario: Rc<Scenario>,
    open: yew::UseStateHandle<Option<Item>>,
}

impl List {
    fn group(&self, title: &'static str, add_label: &'static str, add: Add, items: Vec<Html>) -> Html {
        let onclick = {
            let (bench, open) = (self.bench.clone(), self.open.clone());
            Callback::from(move |_| {
                let mut added = None;
                match bench.edit(|scenario| added = Some(add(scenario))) {
                    Ok(()) => open.set(added),
                    Err(error) => bench.say(Said::Problem(error.to_string().into())),
                }
            })
        };
        html! {
            <div class="setup-group" key={title}>
                <div class="setup-head">
                    <h3>{ title }</h3>
                    <button class="button quiet" aria-label={add_label} title={add_label} {onclick}><span aria-hidden="true">{ "+" }</span>{ " Add" }</button>
                </div>
                if items.is_empty() { <p class="empty">{ "None yet." }</p> } else { <ul class="items">{ for items }</ul> }
            </div>
        }
    }

    /// A row of the list, and its form if it is open.
    fn item(&self, item: Item, name: AttrValue, summary: String, form: Html, remove: Option<Callback<()>>) -> Html {
        let is_open = *self.open == Some(item);
        let key = format!("{item:?}");
        let toggle = {
            let open = self.open.clone();
            Callback::from(move |_| open.set((!is_open).then_some(item)))
        };
        let onremove = remove.map(|remove| {
            let open = self.open.clone();
            Callback::from(move |_| {
                open.set(None);
                remove.emit(());
            })
        });
        html! {
            <li key={key.clone()} class={is_open.then_some("open")} onkeydown={close_on_escape(&self.open, is_open)}>
                <button class="item" aria-expanded={if is_open { "true" } else { "false" }} onclick={toggle}>
                    <b>{ name.clone() }</b><span>{ summary }</span>
                </button>
                if is_open {
                    { form }
                    if let Some(onclick) = onremove {
                        <p class="button-row"><button class="button danger" {onclick}>{ format!("Remove {name}") }</button></p>
                    }
                }
            </li>
        }
    }

    /// Puts a changed part in its place.
    fn accept<T: 'static>(&self, put: impl Fn(&mut Scenario, T) + 'static) -> Accept<T> {
        let bench = self.bench.clone();
        Callback::from(move |part: T| bench.edit(|scenario| put(scenario, part)).map_err(beside))
    }

    fn remove(&self, take: impl Fn(&mut Scenario) + 'static) -> Option<Callback<()>> {
        let bench = self.bench.clone();
        Some(Callback::from(move |()| {
            if let Err(error) = bench.edit(&take) {
                bench.say(Said::Problem(error.to_string().into()));
            }
        }))
    }

    fn topic(&self, place: usize, topic: &TopicSpec) -> Html {
        let accept = self.accept(move |scenario, topic: TopicSpec| replace_topic(scenario, place, topic));
        let brokers: Rc<[u32]> = broker_list(&self.scenario.cluster.brokers).iter().map(|broker| broker.id).collect();
        let form = part!(TopicForm { topic: Rc::new(topic.clone()), brokers, accept });
        let remove = self.remove(move |scenario| drop(scenario.topics.remove(place)));
        self.item(Item::Topic(place), topic.name.clone().into(), summary::topic(topic), form, remove)
    }

    fn producer(&self, place: usize, producer: &ProducerSpec, topics: &Rc<[AttrValue]>) -> Html {
        let accept = self.accept(move |scenario, producer| scenario.producers[place] = producer);
        let form = part!(ProducerForm { producer: Rc::new(producer.clone()), topics: Rc::clone(topics), accept });
        let remove = self.remove(move |scenario| drop(scenario.producers.remove(place)));
        self.item(Item::Producer(place), producer.name.clone().into(), summary::producer(producer), form, remove)
    }

    /// Members of groups, or the readers without one.
    fn consumers(&self, are_members: bool) -> Vec<Html> {
        let all = self.scenario.consumers.iter().enumerate();
        let wanted = all.filter(|(_, consumer)| is_member(consumer) == are_members);
        let row =
            |(place, consumer)| if are_members { self.member(place, consumer) } else { self.reader(place, consumer) };
        wanted.map(row).collect()
    }

    fn member(&self, place: usize, member: &ConsumerSpec) -> Html {
        let accept = self.accept(move |scenario, member| scenario.consumers[place] = member);
        let form = part!(MemberForm { member: Rc::new(member.clone()), accept });
        let remove = self.remove(move |scenario| drop(scenario.consumers.remove(place)));
        self.item(Item::Reader(place), member.name.clone().into(), summary::member(member), form, remove)
    }

    fn reader(&self, place: usize, reader: &ConsumerSpec) -> Html {
        let accept = self.accept(move |scenario, reader| scenario.consumers[place] = reader);
        let form = part!(ReaderForm { reader: Rc::new(reader.clone()), accept });
        let remove = self.remove(move |scenario| drop(scenario.consumers.remove(place)));
        self.item(Item::Reader(place), reader.name.clone().into(), summary::reader(reader), form, remove)
    }

    fn broker(&self, place: usize, broker: &BrokerSpec) -> Html {
        let accept =
            self.accept(move |scenario, broker: BrokerSpec| change_brokers(scenario, |list| list[place] = broker));
        let form = part!(BrokerForm { broker: Rc::new(broker.clone()), accept });
        let remove = self.remove(move |scenario| change_brokers(scenario, |list| drop(list.remove(place))));
        let name = format!("Broker {}", broker.id);
        self.item(Item::Broker(place), name.into(), summary::broker(broker), form, remove)
    }
}

/// Escape closes the form and gives the focus back to its row.
fn close_on_escape(open: &yew::UseStateHandle<Option<Item>>, is_open: bool) -> Callback<KeyboardEvent> {
    let open = open.clone();
    Callback::from(move |event: KeyboardEvent| {
        if !is_open || event.key() != "Escape" {
            return;
        }
        event.prevent_default();
        open.set(None);
        let row =
            event.target_dyn_into::<web_sys::Element>().and_then(|element| element.closest("li.open").ok().flatten());
        let button = row.and_then(|row| row.query_selector("button.item").ok().flatten());
        if let Some(button) =
            button.and_then(|button| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(button).ok())
        {
            // Focus fails only for an element that has left the document.
            let _ = button.focus();
        }
    })
}

/// A topic in place of another; whoever used the old name uses the new one.
fn replace_topic(scenario: &mut Scenario, place: usize, topic: TopicSpec) {
    let before = std::mem::replace(&mut scenario.topics[place], topic).name;
    let after = scenario.topics[place].name.clone();
    for workload in scenario.producers.iter_mut().filter_map(|producer| producer.workload.as_mut()) {
        if workload.topic == before {
            workload.topic.clone_from(&after);
        }
    }
    for subscribed in scenario.consumers.iter_mut().flat_map(|consumer| &mut consumer.subscribe) {
        if *subscribed == before {
            subscribed.clone_from(&after);
        }
    }
    for assigned in scenario.consumers.iter_mut().flat_map(|reader| &mut reader.assign) {
        let partition = assigned.strip_prefix(&format!("{before}-")).and_then(|number| number.parse::<u32>().ok());
        match partition {
            Some(number) => *assigned = format!("{after}-{number}"),
            None if *assigned == before => assigned.clone_from(&after),
            None => {}
        }
    }
}

/// Changes the brokers one by one; what can be written as a number is.
fn change_brokers(scenario: &mut Scenario, change: impl FnOnce(&mut Vec<BrokerSpec>)) {
    let mut list = broker_list(&scenario.cluster.brokers);
    change(&mut list);
    let count = u32::try_from(list.len()).unwrap_or(u32::MAX);
    let is_plain = broker_list(&Brokers::Count(count)) == list;
    scenario.cluster.brokers = if is_plain { Brokers::Count(count) } else { Brokers::List(list) };
}

fn add_broker(scenario: &mut Scenario) -> Item {
    let mut place = 0;
    change_brokers(scenario, |list| {
        let id = list.iter().map(|broker| broker.id + 1).max().unwrap_or(1);
        place = list.len();
        list.push(BrokerSpec { id, ..BrokerSpec::default() });
    });
    Item::Broker(place)
}

/// Adds a topic of three partitions.
pub fn add_topic(scenario: &mut Scenario) -> Item {
    let name = examples::free_name("events", scenario.topics.iter().map(|topic| topic.name.as_str()));
    scenario.topics.push(examples::topic(&name, 3, 1));
    Item::Topic(scenario.topics.len() - 1)
}

/// Adds a Java producer that writes to the first topic.
pub fn add_producer(scenario: &mut Scenario) -> Item {
    let name = examples::free_name("service", scenario.producers.iter().map(|producer| producer.name.as_str()));
    let workload = scenario.topics.first().map(|topic| examples::workload(&topic.name));
    scenario.producers.push(examples::producer(&name, "java", workload));
    Item::Producer(scenario.producers.len() - 1)
}

/// Adds a member to the group of the last one, or to a first group.
fn add_member(scenario: &mut Scenario) -> Item {
    let topic = scenario.topics.first().map_or("events", |topic| topic.name.as_str());
    let like = scenario.consumers.iter().rev().find(|consumer| is_member(consumer));
    let like = like.cloned().unwrap_or_else(|| examples::member("worker", "workers", topic));
    let member = another_member(like, scenario.consumers.iter().map(|consumer| consumer.name.as_str()));
    scenario.consumers.push(member);
    Item::Reader(scenario.consumers.len() - 1)
}

fn add_reader(scenario: &mut Scenario) -> Item {
    let name = examples::free_name("reader", scenario.consumers.iter().map(|reader| reader.name.as_str()));
    let topic = scenario.topics.first().map_or("events", |topic| topic.name.as_str());
    scenario.consumers.push(examples::reader(&name, topic));
    Item::Reader(scenario.consumers.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(scenario: &Scenario) {
        let valid = engine::scenario::Plan::new(scenario);
        assert!(valid.is_ok(), "{valid:?}");
    }

    #[test]
    fn what_a_button_adds_can_be_run_from_nothing() {
        let mut scenario = examples::empty();
        for add in [add_producer, add_reader, add_topic, add_broker, add_topic, add_producer, add_reader] as [Add; 7] {
            add(&mut scenario);
            check(&scenario);
        }
        assert_eq!(scenario.cluster.brokers, Brokers::Count(4));
    }

    #[test]
    fn a_renamed_topic_keeps_its_writers_and_readers() {
        let mut scenario =
            examples::EXAMPLES.map(|example| (example.make)()).into_iter().nth(1).expect("there are five");
        scenario
            .consumers
            .push(ConsumerSpec { assign: vec!["events-2".into(), "other".into()], ..examples::reader("r", "") });
        let renamed = TopicSpec { name: "logins".into(), ..scenario.topics[0].clone() };
        replace_topic(&mut scenario, 0, renamed);
        let topics: Vec<&str> =
            scenario.producers.iter().flat_map(|one| &one.workload).map(|workload| workload.topic.as_str()).collect();
        assert_eq!(topics, ["logins"]);
        assert_eq!(scenario.consumers[0].assign, ["logins"]);
        assert_eq!(scenario.consumers[1].assign, ["logins-2", "other"]);
    }

    #[test]
    fn a_broker_without_anything_special_stays_a_number() {
        let mut scenario = examples::empty();
        change_brokers(&mut scenario, |list| list[1].rack = Some("a".into()));
        assert!(matches!(&scenario.cluster.brokers, Brokers::List(list) if list.len() == 3));
        change_brokers(&mut scenario, |list| list[1].rack = None);
        assert_eq!(scenario.cluster.brokers, Brokers::Count(3));
    }
}
