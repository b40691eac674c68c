//! The clients and partition counts that are compared: chips to take away, a list and a field to add.
//!
//! Deliberately not here: what a client does. Names and rules are read from the catalogue.

use std::rc::Rc;

use keylab::Settings;
use partitioner::Client;
use web_sys::HtmlInputElement;
use yew::{
    AttrValue, Callback, Html, InputEvent, KeyboardEvent, Properties, TargetCast, component, html, use_state,
    use_state_eq,
};

use super::lab::Lab;
use super::sentence;
use crate::app::controls::TextField;
use crate::app::part::part;

/// What is compared.
#[derive(Clone, PartialEq, Properties)]
pub struct PlanProps {
    /// The lab.
    pub lab: Lab,
    /// Its settings.
    pub settings: Rc<Settings>,
}

/// The panel of clients and counts.
#[component]
pub fn PlanPanel(props: &PlanProps) -> Html {
    let refused = use_state_eq(|| None::<String>);
    let change_clients = {
        let (lab, refused) = (props.lab.clone(), refused.clone());
        Callback::from(move |id: &'static str| {
            refused.set(lab.set_plan(|settings| toggle(&mut settings.clients, id)).err())
        })
    };
    let remove_count = {
        let (lab, refused) = (props.lab.clone(), refused.clone());
        Callback::from(move |count: u32| {
            refused.set(lab.set_plan(|settings| settings.counts.retain(|known| *known != count)).err());
        })
    };
    let add_counts = {
        let (lab, refused) = (props.lab.clone(), refused.clone());
        Callback::from(move |text: AttrValue| {
            refused.set(None);
            add_counts(&lab, &text)
        })
    };
    html! {
        <section class="panel keys-plan" aria-labelledby="keys-plan-title">
            <h2 id="keys-plan-title">{ "Clients and partition counts" }</h2>
            <h3>{ "Clients" }</h3>
            <ul class="chips">{ for chosen(&props.settings).map(|client| client_chip(client, &change_clients)) }</ul>
            { part!(Catalogue { chosen: props.settings.clients.clone(), onpick: change_clients }) }
            <h3>{ "Partitions" }</h3>
            <ul class="chips">{ for props.settings.counts.iter().map(|count| count_chip(*count, &remove_count)) }</ul>
            { part!(TextField { label: "Add counts", value: "", placeholder: "24, 48", size: 10, accept: add_counts }) }
            if let Some(reason) = &*refused {
                <p class="field-error" role="alert">{ sentence(reason) }</p>
            }
        </section>
    }
}

fn toggle(clients: &mut Vec<String>, id: &str) {
    let before = clients.len();
    clients.retain(|known| known != id);
    if clients.len() == before {
        clients.push(id.to_owned());
    }
}

fn add_counts(lab: &Lab, text: &str) -> Result<(), String> {
    let numbers = text.split([',', ' ', ';']).filter(|part| !part.is_empty());
    let counts: Result<Vec<u32>, _> = numbers.map(str::parse).collect();
    let counts = counts.map_err(|_| "Expected numbers of partitions, such as 24 or 24, 48.".to_owned())?;
    lab.set_plan(|settings| settings.counts.extend(counts)).map_err(|reason| sentence(&reason))
}

fn chosen(settings: &Settings) -> impl Iterator<Item = &'static Client> {
    settings.clients.iter().filter_map(|id| partitioner::client(id))
}

fn client_chip(client: &'static Client, remove: &Callback<&'static str>) -> Html {
    let onclick = remove.reform(move |_| client.id);
    html! {
        <li key={client.id} class="chip">
            <span title={client.keyed}>{ client.name }</span>
            <button {onclick} aria-label={format!("Remove {}", client.name)}>{ "×" }</button>
        </li>
    }
}

fn count_chip(count: u32, remove: &Callback<u32>) -> Html {
    let onclick = remove.reform(move |_| count);
    html! {
        <li key={count} class="chip">
            <span class="mono">{ count }</span>
            <button {onclick} aria-label={format!("Remove {count} partitions")}>{ "×" }</button>
        </li>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct CatalogueProps {
    chosen: Vec<String>,
    onpick: Callback<&'static str>,
}

/// Every client of the catalogue, searchable by name, language, partitioner and rule.
#[component]
fn Catalogue(props: &CatalogueProps) -> Html {
    let wanted = use_state(String::new);
    let oninput = {
        let wanted = wanted.clone();
        Callback::from(move |event: InputEvent| wanted.set(event.target_unchecked_into::<HtmlInputElement>().value()))
    };
    let onkeydown = Callback::from(|event: KeyboardEvent| event.stop_propagation());
    let found: Vec<_> = partitioner::clients().iter().filter(|client| matches(client, &wanted)).collect();
    html! {
        <details class="keys-catalogue">
            <summary>{ format!("Add a client: {} in the catalogue", partitioner::clients().len()) }</summary>
            <label class="field">
                <span>{ "Search by name, language or rule" }</span>
                <input type="search" placeholder="python, sticky, crc32" value={(*wanted).clone()} {oninput} {onkeydown} />
            </label>
            <p class="hidden-visually" role="status">{ format!("{} found", found.len()) }</p>
            <ul class="keys-clients" tabindex="0" aria-label="Clients of the catalogue">{ for found.iter().map(|client| entry(client, props)) }</ul>
            if found.is_empty() {
                <p>{ "No client is called that. Try the language, or the name of the hash." }</p>
            }
        </details>
    }
}

fn entry(client: &'static Client, props: &CatalogueProps) -> Html {
    let is_chosen = props.chosen.iter().any(|id| id == client.id);
    let onclick = props.onpick.reform(move |_| client.id);
    html! {
        <li key={client.id}>
            <button class="keys-client" aria-pressed={is_chosen.to_string()} {onclick}>
                <b>{ client.name }</b>
                <small>{ format!("{}, {}", client.language, client.keyed) }</small>
            </button>
        </li>
    }
}

fn matches(client: &Client, wanted: &str) -> bool {
    let texts =
        [client.id, client.name, client.library, client.language, client.partitioner, client.keyed, client.versions];
    wanted.to_lowercase().split_whitespace().all(|word| texts.iter().any(|text| text.to_lowercase().contains(word)))
}
