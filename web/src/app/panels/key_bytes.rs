//! The same key as other bytes: what serializers make of it, and where each lands. Serializers are the partitioner's.

use partitioner::encoding::Encoding;
use partitioner::{Client, Decision};
use yew::{Html, Properties, component, html};

use super::inspector::hex;
use super::stage_keys::first_key;
use crate::app::session::{Rate, Session, use_session};

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct KeyBytesProps {
    /// The session.
    pub session: Session,
}

/// Encodings that are tried, in this order.
const ENCODINGS: [Encoding; 8] = [
    Encoding::Utf8,
    Encoding::Int32,
    Encoding::Int64,
    Encoding::Json,
    Encoding::Utf8Line,
    Encoding::Utf16Le,
    Encoding::AvroString { schema_id: 1 },
    Encoding::AvroString { schema_id: 2 },
];

/// The table.
#[component]
pub fn KeyBytes(props: &KeyBytesProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let scenario = session.scenario(0);
    let producer = scenario.producers.first();
    let client = producer.and_then(|producer| partitioner::client(&producer.client));
    let partitions = scenario.topics.first().and_then(|topic| topic.partitions).unwrap_or(1);
    let used = producer
        .and_then(|producer| producer.workload.as_ref()?.key_encoding.clone())
        .unwrap_or_else(|| "text".to_owned());
    let (Some(text), Some(client)) = (first_key(&scenario), client) else {
        return html! { <section class="panel"><p class="empty">{ "This stage sends no key." }</p></section> };
    };
    html! {
        <section class="panel" aria-label="Key as bytes">
            <h2>{ format!("The key {text} as bytes, with {}, {partitions} partitions", client.name) }</h2>
            <div class="table-frame" tabindex="0" role="region" aria-label="Encodings of the key">
                <table class="table">
                    <thead><tr>
                        <th scope="col">{ "Serializer" }</th><th scope="col">{ "Bytes" }</th>
                        <th scope="col" class="number">{ "Hash" }</th><th scope="col" class="number">{ "Partition" }</th>
                    </tr></thead>
                    <tbody>{ for ENCODINGS.iter().map(|encoding| row(*encoding, &text, client, partitions, &used)) }</tbody>
                </table>
            </div>
        </section>
    }
}

fn row(encoding: Encoding, text: &str, client: &Client, partitions: u32, used: &str) -> Html {
    let name = match encoding {
        Encoding::AvroString { schema_id } => format!("{}, schema id {schema_id}", encoding.name()),
        _ => encoding.name().to_owned(),
    };
    let is_used = encoding.id() == used;
    let class = if is_used { "used" } else { "" };
    let bytes = match encoding.encode(text) {
        Ok(bytes) => bytes,
        Err(reason) => {
            return html! { <tr key={name.clone()}><td>{ name }</td><td colspan="3">{ reason.to_string() }</td></tr> };
        }
    };
    let explanation = client.explain(Some(&bytes), partitions);
    let hash = match &explanation.decision {
        Decision::Hashed(hashed) => hashed.raw.clone(),
        Decision::NotHashed(_) => "–".to_owned(),
    };
    let partition = explanation.partition().map_or_else(|| "–".to_owned(), |partition| partition.to_string());
    html! {
        <tr key={name.clone()} {class}>
            <td>{ name }{ if is_used { " (this stage)" } else { "" } }</td>
            <td class="mono">{ hex(&bytes) }</td>
            <td class="number">{ hash }</td>
            <td class="number"><strong>{ partition }</strong></td>
        </tr>
    }
}
