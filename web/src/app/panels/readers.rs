//! What the readers got, merged in the order of reading: the history as an application sees it. Orders nothing anew.

use std::collections::BTreeSet;
use std::rc::Rc;

use engine::Snapshot;
use engine::order::Order;
use engine::snapshot::ReadRecord;
use yew::{AttrValue, Callback, Html, Properties, component, html, use_state};

use super::key_chip;
use crate::app::controls::{Choice, Select};
use crate::app::part::part;
use crate::app::session::{Rate, Session, use_session};

/// Rows that are shown: the last ones.
const ROWS_MAX: usize = 80;

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ReadersProps {
    /// The session.
    pub session: Session,
}

/// The table.
#[component]
pub fn Readers(props: &ReadersProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let wanted = use_state(|| AttrValue::Static(""));
    let snapshot = session.snapshot(0);
    let rows = merged(&snapshot);
    let mut keys = BTreeSet::new();
    keys.extend(rows.iter().filter_map(|(_, row)| row.record.key_text.as_deref().map(str::to_owned)));
    let choices: Rc<[Choice]> = std::iter::once(Choice::new("", "every key"))
        .chain(keys.into_iter().map(|key| Choice::new(key.clone(), key)))
        .collect();
    let is_wanted = |row: &ReadRecord| wanted.is_empty() || row.record.key_text.as_deref() == Some(wanted.as_str());
    let shown: Vec<_> = rows.iter().filter(|(_, row)| is_wanted(row)).collect();
    let skipped = shown.len().saturating_sub(ROWS_MAX);
    let onselect = {
        let wanted = wanted.clone();
        Callback::from(move |value| wanted.set(value))
    };
    html! {
        <section class="panel readers" aria-label="What readers got">
            <div class="panel-head">
                <h2>{ "What readers got, in the order of reading" }</h2>
                { part!(Select { legend: "Key", choices, selected: (*wanted).clone(), onselect }) }
            </div>
            if snapshot.consumers.is_empty() { <p class="empty">{ "This stage has no reader." }</p> }
            if skipped > 0 { <p class="empty">{ format!("{skipped} earlier records are not shown.") }</p> }
            <div class="table-frame" tabindex="0" role="region" aria-label="Records in the order of reading">
                <table class="table">
                    <thead><tr><th scope="col">{ "Read at" }</th><th scope="col">{ "By" }</th><th scope="col">{ "From" }</th><th scope="col">{ "Key" }</th><th scope="col">{ "Value" }</th></tr></thead>
                    <tbody>{ for shown[skipped..].iter().map(|(reader, row)| table_row(session, reader, row)) }</tbody>
                </table>
            </div>
        </section>
    }
}

/// The last records of all readers, by the moment of reading.
fn merged(snapshot: &Snapshot) -> Vec<(&str, &ReadRecord)> {
    let mut rows: Vec<(&str, &ReadRecord)> = snapshot
        .consumers
        .iter()
        .flat_map(|reader| reader.recent.iter().map(move |row| (&*reader.name, row)))
        .collect();
    rows.order_by_key(|(_, row)| row.read);
    rows
}

fn table_row(session: &Session, reader: &str, row: &ReadRecord) -> Html {
    let value = row.record.value.as_deref().unwrap_or("none (tombstone)");
    html! {
        <tr key={format!("{reader} {}-{}@{}", row.topic, row.partition, row.offset)}>
            <td class="mono">{ row.read.time.to_string() }</td><td>{ reader.to_owned() }</td>
            <td class="mono">{ format!("{}-{}@{}", row.topic, row.partition, row.offset) }</td>
            <td>{ key_chip(&session.palette(), &row.record) }</td><td>{ value.to_owned() }</td>
        </tr>
    }
}
