//! A reader of the set-up: what it reads, how far it stays behind, and its consumer settings.

use std::rc::Rc;

use engine::client::configs::consumer_definitions;
use engine::scenario::ConsumerSpec;
use yew::{AttrValue, Callback, Html, Properties, component, html};

use super::config_table::{ConfigTable, Table};
use super::fields::{Accept, optional_number, shown};
use crate::app::controls::TextField;
use crate::app::part::part;

/// A reader to be changed.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ReaderFormProps {
    /// The reader in force.
    pub reader: Rc<ConsumerSpec>,
    /// Takes a changed reader over.
    pub accept: Accept<ConsumerSpec>,
}

/// The form of a reader.
#[component]
pub fn ReaderForm(props: &ReaderFormProps) -> Html {
    let field = |change: fn(&mut ConsumerSpec, &str) -> Result<(), String>| {
        let (reader, accept) = (Rc::clone(&props.reader), props.accept.clone());
        Callback::from(move |text: AttrValue| {
            let mut next = (*reader).clone();
            change(&mut next, &text)?;
            accept.emit(next)
        })
    };
    let set_name = field(|reader, text| {
        reader.name = text.trim().to_owned();
        Ok(())
    });
    let set_assign = field(|reader, text| {
        reader.assign = text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect();
        Ok(())
    });
    let set_behind = field(|reader, text| {
        reader.behind = optional_number(text)?;
        Ok(())
    });
    let onconfig = {
        let (reader, accept) = (Rc::clone(&props.reader), props.accept.clone());
        Callback::from(move |(name, value): (&'static str, Option<String>)| {
            let mut next = (*reader).clone();
            match value {
                Some(value) => next.configs.insert(name.to_owned(), value),
                None => next.configs.remove(name),
            };
            accept.emit(next)
        })
    };
    html! {
        <div class="form">
            <div class="form-row">
                { part!(TextField { label: "Name", value: props.reader.name.clone(), size: 14, accept: set_name }) }
                { part!(TextField { label: "Reads (topics, or partitions such as events-2)", value: props.reader.assign.join(", "), size: 20, accept: set_assign }) }
                { part!(TextField { label: "Stays behind by", value: shown(props.reader.behind), placeholder: "0", size: 6, accept: set_behind }) }
            </div>
            <details>
                <summary>{ super::with_count("Consumer settings", props.reader.configs.len()) }</summary>
                <p class="hint">{ "client.rack lets it read from a follower nearby. It begins at the earliest offset unless auto.offset.reset says otherwise." }</p>
                { part!(ConfigTable { of: "the Java consumer 4.3.1", table: Table(consumer_definitions()), given: Rc::new(props.reader.configs.clone()), accept: onconfig }) }
            </details>
        </div>
    }
}
