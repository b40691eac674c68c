//! The hash strip: how the last record got its partition, and the same key with every other client.
//!
//! The arithmetic comes from the partitioner by way of `scene`; nothing is computed here.

use std::rc::Rc;

use engine::event::Decision;
use engine::snapshot::{LastRecord, ProducerSnapshot, ProducerState};
use scene::strip::{Emphasis, StripPart, strip};
use yew::{AttrValue, Callback, Html, Properties, component, html, use_state};

use crate::app::panels::clients::ClientsTable;
use crate::app::panels::key_chip;
use crate::app::part::part;
use crate::app::session::{Rate, Session, use_session};

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct StripProps {
    /// The session.
    pub session: Session,
    /// Whether the table of the other clients may be opened.
    #[prop_or(true)]
    pub opens: bool,
    /// Whether a lesson's step points at it.
    #[prop_or_default]
    pub is_pointed_at: bool,
}

/// One line for each side; opened, the same key with every other client.
#[component]
pub fn HashStrip(props: &StripProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Frame);
    let is_open = use_state(|| false);
    let sides = session.read(scene::Player::sides);
    let lasts: Vec<_> = (0..sides).map(|side| last_record(session, side)).collect();
    let rows = lasts.iter().enumerate().map(|(side, last)| row(session, side, last.as_ref()));
    let toggle = {
        let is_open = is_open.clone();
        Callback::from(move |_| is_open.set(!*is_open))
    };
    let opened = lasts.iter().flatten().find_map(|(_, last)| known_key(last)).filter(|_| *is_open);
    html! {
        <div class={if props.is_pointed_at { "strip pointed" } else { "strip" }} part="strip">
            <div class="strip-rows">{ for rows }</div>
            if props.opens {
                <button class="button quiet strip-more" aria-expanded={if *is_open { "true" } else { "false" }} onclick={toggle}>
                    { if *is_open { "Close" } else { "Other clients" } }
                </button>
            }
            if let Some((bytes, partitions)) = opened {
                { part!(ClientsTable { bytes, partitions }) }
            } else if *is_open {
                <p class="strip-empty">{ "No key has been hashed yet. Play, or step forward." }</p>
            }
        </div>
    }
}

/// The record that was handed over last on a side, and by whom.
fn last_record(session: &Session, side: usize) -> Option<(ProducerSnapshot, LastRecord)> {
    let snapshot = session.snapshot(side);
    let running = snapshot.producers.iter().filter(|producer| producer.state != ProducerState::Closed);
    let newest = running.filter_map(|producer| Some((producer, producer.last.as_ref()?)));
    let newest = newest.max_by_key(|(_, last)| (last.record.timestamp, last.record.id))?;
    Some((newest.0.clone(), newest.1.clone()))
}

/// The key's bytes and the partition count that the client knew.
fn known_key(last: &LastRecord) -> Option<(Rc<[u8]>, u32)> {
    match &last.decision {
        Decision::Hashed { explanation } => Some((last.record.key.clone()?, explanation.partitions)),
        Decision::Keyless { partitions, .. } => Some((last.record.key.clone()?, *partitions)),
        Decision::Explicit => None,
    }
}

fn row(session: &Session, side: usize, last: Option<&(ProducerSnapshot, LastRecord)>) -> Html {
    let Some((producer, last)) = last else {
        return html! { <p key={side} class="strip-row empty">{ "The arithmetic of the next record appears here." }</p> };
    };
    let key_text = last.record.key_text.as_deref();
    let is_explicit = matches!(last.decision, Decision::Explicit);
    let parts = strip(&last.decision, key_text, last.partition);
    html! {
        <p key={side} class={if is_explicit { "strip-row gray" } else { "strip-row" }}>
            <span class="strip-client">{ client_name(&producer.client) }</span>
            { key_chip(&session.palette(), &last.record) }
            { for parts.iter().filter(|part| part.label != "key").enumerate().map(part) }
        </p>
    }
}

fn part((index, part): (usize, &StripPart)) -> Html {
    let class = match part.emphasis {
        Emphasis::Quiet => "strip-part quiet",
        Emphasis::Value => "strip-part",
        Emphasis::Result => "strip-part result",
    };
    html! {
        <span key={index} {class}>
            if !part.label.is_empty() { <span class="strip-label">{ &part.label }</span> }
            if !part.value.is_empty() { <b>{ &part.value }</b> }
        </span>
    }
}

/// The display name of a client of the catalogue.
pub fn client_name(id: &str) -> AttrValue {
    partitioner::client(id).map_or_else(|| id.to_owned().into(), |client| AttrValue::Static(client.name))
}
