//! The same key with every client of the catalogue: where it would land, and how.
//!
//! Every row is computed by the partitioner when it is shown; nothing is looked up.

use std::rc::Rc;

use partitioner::{Client, Decision};
use yew::{Callback, Event, Html, Properties, TargetCast, component, html, use_memo, use_state};

/// Which key, and over how many partitions.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ClientsTableProps {
    /// The key's bytes.
    pub bytes: Rc<[u8]>,
    /// How many partitions.
    pub partitions: u32,
}

/// The table.
#[component]
pub fn ClientsTable(props: &ClientsTableProps) -> Html {
    let shows_all = use_state(|| false);
    let rows =
        use_memo((props.clone(), *shows_all), |(props, shows_all)| rows(&props.bytes, props.partitions, *shows_all));
    let reference = rows.iter().find(|row| row.id == "java").and_then(|row| row.partition);
    let agreeing = rows.iter().filter(|row| row.partition.is_some() && row.partition == reference).count();
    let onchange = {
        let shows_all = shows_all.clone();
        Callback::from(move |event: Event| {
            shows_all.set(event.target_unchecked_into::<web_sys::HtmlInputElement>().checked())
        })
    };
    html! {
        <div class="clients-table">
            <p class="clients-sum">
                { format!("{agreeing} of {} clients put this key where Java does, of {} partitions.", rows.len(), props.partitions) }
                <label class="check"><input type="checkbox" checked={*shows_all} {onchange} />{ "Also settings that are not the default" }</label>
            </p>
            <div class="table-frame" tabindex="0" role="region" aria-label="The same key with every client">
                <table class="table">
                    <thead><tr>
                        <th scope="col">{ "Client" }</th><th scope="col">{ "Language" }</th><th scope="col">{ "Rule" }</th>
                        <th scope="col" class="number">{ "Hash" }</th><th scope="col" class="number">{ "Partition" }</th>
                    </tr></thead>
                    <tbody>{ for rows.iter().map(|row| row.html(reference)) }</tbody>
                </table>
            </div>
        </div>
    }
}

struct Row {
    id: &'static str,
    client: &'static Client,
    hash: String,
    partition: Option<u32>,
    reason: String,
}

impl Row {
    fn html(&self, reference: Option<u32>) -> Html {
        let differs = self.partition != reference;
        html! {
            <tr key={self.id} class={if differs { "differs" } else { "" }}>
                <td>{ self.client.name }</td>
                <td>{ self.client.language }</td>
                <td>{ if self.partition.is_some() { self.client.keyed } else { &self.reason } }</td>
                <td class="number">{ &self.hash }</td>
                <td class="number">
                    { self.partition.map_or_else(|| "–".to_owned(), |partition| partition.to_string()) }
                    if differs && self.partition.is_some() { <span class="differs-sign" title="Not where Java puts it">{ " ≠" }</span> }
                </td>
            </tr>
        }
    }
}

fn rows(key: &[u8], partitions: u32, shows_all: bool) -> Vec<Row> {
    let wanted = partitioner::clients().iter().filter(|client| shows_all || client.is_default);
    let row = |client: &'static Client| {
        let explanation = client.explain(Some(key), partitions);
        let (hash, reason) = match &explanation.decision {
            Decision::Hashed(hashed) => (shorten(&hashed.raw), String::new()),
            Decision::NotHashed(why) => (String::new(), format!("Not hashed: {}", why.reason())),
        };
        Row { id: client.id, client, hash, partition: explanation.partition(), reason }
    };
    wanted.map(row).collect()
}

/// A digest is long; its beginning is enough to compare.
fn shorten(raw: &str) -> String {
    if raw.len() <= 20 { raw.to_owned() } else { format!("{}…", raw.chars().take(16).collect::<String>()) }
}
