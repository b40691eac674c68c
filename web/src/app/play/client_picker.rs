//! A client library of the catalogue: found by a word, grouped by library. Holds no list of its own.

use partitioner::Client;
use yew::{
    AttrValue, Callback, Event, Html, InputEvent, KeyboardEvent, Properties, TargetCast, component, html, use_state_eq,
};

/// What is chosen.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ClientPickerProps {
    /// The id in force.
    pub selected: AttrValue,
    /// Told the id when it changes.
    pub onselect: Callback<AttrValue>,
    /// Its label.
    #[prop_or(AttrValue::Static("Client library"))]
    pub label: AttrValue,
    /// Whether the chosen client is described.
    #[prop_or(true)]
    pub facts: bool,
}

/// A word to find it by, and a menu of what was found.
#[component]
pub fn ClientPicker(props: &ClientPickerProps) -> Html {
    let word = use_state_eq(String::new);
    let found = found(&word, &props.selected);
    let oninput = {
        let word = word.clone();
        Callback::from(move |event: InputEvent| {
            word.set(event.target_unchecked_into::<web_sys::HtmlInputElement>().value())
        })
    };
    let onchange = props
        .onselect
        .reform(|event: Event| AttrValue::from(event.target_unchecked_into::<web_sys::HtmlSelectElement>().value()));
    let keep_keys = Callback::from(|event: KeyboardEvent| {
        if event.key() != "Escape" {
            event.stop_propagation();
        }
    });
    html! {
        <div class="client-picker">
            <div class="form-row">
                <label class="field grow">
                    <span>{ &props.label }</span>
                    <select {onchange}>{ for groups(&found).into_iter().map(|(library, clients)| group(library, &clients, &props.selected)) }</select>
                </label>
                <label class="field find">
                    <span>{ format!("Find ({})", found.len()) }</span>
                    <input type="search" size="9" value={(*word).clone()} autocomplete="off" spellcheck="false" placeholder="go, sarama" {oninput} onkeydown={keep_keys} />
                </label>
            </div>
            if let Some(client) = partitioner::client(&props.selected).filter(|_| props.facts) {
                <p class="hint">{ facts(client) }</p>
            }
        </div>
    }
}

fn group(library: &'static str, clients: &[&'static Client], selected: &str) -> Html {
    html! {
        <optgroup key={library} label={library}>
            { for clients.iter().map(|client| html! {
                <option key={client.id} value={client.id} selected={client.id == selected}>{ option_text(client) }</option>
            }) }
        </optgroup>
    }
}

fn option_text(client: &Client) -> String {
    let default = if client.is_default { "" } else { " (set by hand)" };
    format!("{}{default}", client.name)
}

fn facts(client: &Client) -> String {
    let note = if client.note.is_empty() { String::new() } else { format!(" {}", client.note) };
    format!(
        "{}, {}. With a key: {}. Without: {}.{note}",
        client.language,
        client.versions,
        client.keyed.trim_end_matches('.'),
        client.null_key.trim_end_matches('.')
    )
}

/// Clients that have all words somewhere; the chosen one is always there.
fn found(words: &str, selected: &str) -> Vec<&'static Client> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let fits = |client: &&Client| {
        let text =
            [client.id, client.name, client.library, client.language, client.partitioner].join(" ").to_lowercase();
        client.id == selected || words.iter().all(|word| text.contains(word.as_str()))
    };
    partitioner::clients().iter().filter(fits).collect()
}

/// Clients by library, in the order of the catalogue.
fn groups(clients: &[&'static Client]) -> Vec<(&'static str, Vec<&'static Client>)> {
    let mut groups: Vec<(&'static str, Vec<&'static Client>)> = Vec::new();
    for client in clients {
        match groups.iter_mut().find(|(library, _)| *library == client.library) {
            Some((_, group)) => group.push(client),
            None => groups.push((client.library, vec![client])),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &str, selected: &str, expected: &str) {
        let ids: Vec<&str> = found(words, selected).iter().map(|client| client.id).collect();
        assert!(ids.contains(&expected), "{words}: {ids:?}");
        assert!(ids.contains(&selected), "{words}: {ids:?}");
        assert!(ids.len() < partitioner::clients().len(), "{words}: {ids:?}");
    }

    #[test]
    fn a_client_is_found_by_words_and_the_chosen_one_stays() {
        check("sarama", "java", "sarama");
        check("GO kafka", "java", "kafka-go");
        check("no such client", "java", "java");
    }

    #[test]
    fn every_library_is_one_group() {
        let all: Vec<&Client> = partitioner::clients().iter().collect();
        let groups = groups(&all);
        let names: std::collections::BTreeSet<&str> = groups.iter().map(|(library, _)| *library).collect();
        assert_eq!(names.len(), groups.len());
        assert_eq!(groups.iter().map(|(_, clients)| clients.len()).sum::<usize>(), all.len());
    }
}
