//! Settings under Kafka's own names with their defaults, to be found, set and taken back.
//!
//! Who refuses which value, and in which words, is the engine's business.

use std::collections::BTreeMap;
use std::rc::Rc;

use engine::client::configs::{Definition, Valid};
use yew::{
    AttrValue, Callback, Event, Html, InputEvent, KeyboardEvent, Properties, TargetCast, component, html, use_state_eq,
};

use super::fields::Accept;
use crate::app::controls::TextField;
use crate::app::part::part;

/// A table of settings, compared by its place in memory.
#[derive(Clone, Copy, Debug)]
pub struct Table(pub &'static [Definition]);

impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

/// Which settings, and what is set.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ConfigTableProps {
    /// Whose settings these are, such as "the Java producer".
    pub of: AttrValue,
    /// All settings there are.
    pub table: Table,
    /// What was given.
    pub given: Rc<BTreeMap<String, String>>,
    /// Sets a name to a value, or takes it back.
    pub accept: Accept<(&'static str, Option<String>)>,
}

/// The table: first what is set, then what changes something here; everything on demand.
#[component]
pub fn ConfigTable(props: &ConfigTableProps) -> Html {
    let filter = use_state_eq(String::new);
    let shows_all = use_state_eq(|| false);
    let rows = rows(props.table.0, &props.given, &filter, *shows_all);
    let oninput = {
        let filter = filter.clone();
        Callback::from(move |event: InputEvent| {
            filter.set(event.target_unchecked_into::<web_sys::HtmlInputElement>().value())
        })
    };
    let onchange = {
        let shows_all = shows_all.clone();
        Callback::from(move |event: Event| {
            shows_all.set(event.target_unchecked_into::<web_sys::HtmlInputElement>().checked())
        })
    };
    let keep_keys = Callback::from(|event: KeyboardEvent| {
        if event.key() != "Escape" {
            event.stop_propagation();
        }
    });
    html! {
        <div class="configs-edit">
            <div class="form-row">
                <label class="field">
                    <span>{ format!("Find a setting of {}", props.of) }</span>
                    <input type="search" value={(*filter).clone()} autocomplete="off" spellcheck="false" {oninput} onkeydown={keep_keys} />
                </label>
                <label class="check"><input type="checkbox" checked={*shows_all} {onchange} />{ format!("All {}", props.table.0.len()) }</label>
            </div>
            if rows.is_empty() { <p class="empty">{ "No setting has this in its name or its meaning." }</p> }
            <ul class="config-rows">{ for rows.iter().map(|definition| row(props, definition)) }</ul>
        </div>
    }
}

fn row(props: &ConfigTableProps, definition: &'static Definition) -> Html {
    let given = props.given.get(definition.name);
    let accept = {
        let (accept, name) = (props.accept.clone(), definition.name);
        Callback::from(move |text: AttrValue| {
            let value = (!text.trim().is_empty()).then(|| text.to_string());
            accept.emit((name, value))
        })
    };
    let default = if definition.default.is_empty() { "none" } else { definition.default };
    html! {
        <li key={definition.name} class={given.is_some().then_some("given")}>
            { part!(TextField { label: definition.name, value: given.cloned().unwrap_or_default(), placeholder: default, accept, size: 14 }) }
            <p>
                { definition.summary }
                { allowed(definition) }
                if let Some(canonical) = definition.alias_of { { format!(" The same as {canonical}.") } }
                if !definition.is_modelled { <span class="tag">{ "checked, without effect here" }</span> }
            </p>
        </li>
    }
}

fn allowed(definition: &Definition) -> String {
    match definition.valid {
        Valid::OneOf(words) | Valid::OneOfIgnoringCase(words) if !words.is_empty() => format!(" {}.", words.join(", ")),
        _ => String::new(),
    }
}

/// What is shown: what is given comes first, each in name order.
fn rows(
    table: &'static [Definition],
    given: &BTreeMap<String, String>,
    filter: &str,
    shows_all: bool,
) -> Vec<&'static Definition> {
    let filter = filter.trim().to_lowercase();
    let fits = |definition: &&Definition| {
        let is_found =
            definition.name.to_lowercase().contains(&filter) || definition.summary.to_lowercase().contains(&filter);
        let is_offered = shows_all || definition.is_modelled || !filter.is_empty();
        is_found && (is_offered || given.contains_key(definition.name))
    };
    let is_given = |definition: &&Definition| given.contains_key(definition.name);
    let (mut rows, others): (Vec<_>, Vec<_>) = table.iter().filter(fits).partition(is_given);
    rows.extend(others);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::client::configs::{ConfigLibrary, definitions};

    fn check(given: &[&str], filter: &str, shows_all: bool, first: &str, count: Option<usize>) {
        let table = definitions(ConfigLibrary::Java);
        let given = given.iter().map(|name| ((*name).to_owned(), "1".to_owned())).collect();
        let found = rows(table, &given, filter, shows_all);
        assert_eq!(found[0].name, first, "{filter}");
        assert_eq!(found.len(), count.unwrap_or(table.len()), "{filter}");
    }

    #[test]
    fn what_is_given_comes_first_and_a_filter_looks_everywhere() {
        check(&["send.buffer.bytes"], "", true, "send.buffer.bytes", None);
        check(&["linger.ms"], "linger", false, "linger.ms", Some(1));
        check(&[], "ssl.provider", false, "ssl.provider", Some(1));
    }
}
