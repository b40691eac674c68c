//! What is modelled, what is simplified, which clients are known and how it is all checked.
//!
//! Lists are read from data: the clients from the catalogue, the simplifications from a generated file.

use serde::Deserialize;
use yew::{Html, component, html, use_effect_with, use_state};

use super::data;

/// One sentence out of the code that says what was left out.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Simplified {
    /// Where it stands.
    #[serde(default)]
    file: String,
    /// What is simpler than in Kafka, and what Kafka does.
    text: String,
}

/// The page.
#[component]
pub fn ModelPage() -> Html {
    let simplified = use_state(|| None::<Result<Vec<Simplified>, String>>);
    {
        let simplified = simplified.clone();
        use_effect_with((), move |()| {
            wasm_bindgen_futures::spawn_local(async move { simplified.set(Some(load().await)) });
        });
    }
    html! {
        <article class="page">
            <h1>{ "What is modelled" }</h1>
            <p>{ format!("Logarium simulates Apache Kafka {} at the level of protocol requests: clients, brokers and the controller are state machines that exchange messages in simulated time. A run follows from its scenario, its seed and what you did; nothing else. Playing it twice, going back, or opening a link gives the same run to the byte.", engine::version::KAFKA) }</p>
            <h2>{ "Modelled now" }</h2>
            <ul>
                <li>{ "Which partition a record goes to, for every client of the table below, with the arithmetic of each decision." }</li>
                <li>{ "Producers with metadata and its refresh, batches with linger.ms and batch.size, the sticky and adaptive rules for records without a key, idempotence, requests in flight, retries, timeouts and errors under Kafka's names." }</li>
                <li>{ "The producer's memory: buffer.memory as a pool of whole buffers that batches take and give back, send() that waits up to max.block.ms, and librdkafka's queue with its own limits; the metrics of both under their real names." }</li>
                <li>{ "Transactions, version 1 and version 2 of the protocol: finding the coordinator, producer ids and epochs, a decision that counts once __transaction_state has it replicated, markers that land later, timeouts, fencing by a second instance, processes that freeze and wake, coordinators that fail over, the last stable offset, and readers of both isolation levels." }</li>
                <li>{ "Brokers that replicate: followers that fetch, in-sync sets, high watermarks that each replica learns of in its turn, leader epochs and truncation, acks and min.insync.replicas, reading from a nearby follower." }</li>
                <li>{ "A controller: sessions and fencing, placement with racks, elections (preferred, unclean, eligible leader replicas), topics and settings, replicas that move with and without a throttle." }</li>
                <li>{ "Logs on disk: record batches of Kafka's size in bytes, segments, indexes, lookups, retention, compaction, tiered storage, and the files as kafka-dump-log.sh shows them." }</li>
                <li>{ "Kafka's command-line tools in a terminal, line by line as the real ones print." }</li>
                <li>{ "Readers of single partitions, and faults: brokers that stop, crash or hang, links that are cut or slow, slow disks." }</li>
            </ul>
            <h2>{ "Not modelled yet" }</h2>
            <p>{ "Consumer groups: members, rebalances and committed positions. A transaction can carry offsets of a group, and its coordinator keeps them, but no member is there to go on from them. Steps of lessons that need groups are shown as later. The controller is one process that can fail over: the votes of its quorum and its metadata log are not simulated." }</p>
            <h2>{ "Simplified" }</h2>
            { simplified_list((*simplified).as_ref()) }
            <h2>{ "Clients" }</h2>
            { clients() }
            <h2>{ "How it is checked" }</h2>
            <ul>
                <li>{ "Every rule is compared with vectors recorded from the real client libraries and from Kafka's own tests." }</li>
                <li>{ "Whole runs are compared with recordings of real brokers and clients, offset by offset." }</li>
                <li>{ "Every number in the prose of a lesson is computed again by a test, and invariants are checked after every event of random runs." }</li>
                <li>{ "The same run natively and in the browser, by playing and by seeking, must have the same digest." }</li>
            </ul>
        </article>
    }
}

async fn load() -> Result<Vec<Simplified>, String> {
    let text = data::load("model/simplified.json").await.map_err(|error| error.to_string())?;
    serde_json::from_str(&text).map_err(|error| format!("The list cannot be read: {error}."))
}

fn simplified_list(simplified: Option<&Result<Vec<Simplified>, String>>) -> Html {
    match simplified {
        None => html! { <p role="status">{ "Loading …" }</p> },
        Some(Err(reason)) => html! { <p class="field-error" role="alert">{ reason }</p> },
        Some(Ok(list)) => html! {
            <ul class="simplified">
                { for list.iter().map(|entry| html! { <li key={entry.text.clone()}>{ super::prose(&sentence(&entry.text)) }<code>{ &entry.file }</code></li> }) }
            </ul>
        },
    }
}

/// The text of a comment as a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn clients() -> Html {
    let row = |client: &'static partitioner::Client| {
        html! {
            <tr key={client.id}>
                <th scope="row"><code>{ client.id }</code></th>
                <td>{ client.library }<br />{ client.versions }</td>
                <td>{ client.language }</td>
                <td>{ client.keyed }</td>
                <td>{ client.null_key }</td>
                <td>{ client.empty_key }</td>
                <td>{ client.note }</td>
            </tr>
        }
    };
    html! {
        <>
            <p>{ format!("{} entries. The id is what the widget and the JavaScript API take.", partitioner::clients().len()) }</p>
            <div class="table-frame" tabindex="0" role="region" aria-label="Client libraries">
                <table class="table">
                    <thead><tr>
                        <th scope="col">{ "Id" }</th><th scope="col">{ "Library, versions" }</th><th scope="col">{ "Language" }</th><th scope="col">{ "With a key" }</th>
                        <th scope="col">{ "No key" }</th><th scope="col">{ "Empty key" }</th><th scope="col">{ "Note" }</th>
                    </tr></thead>
                    <tbody>{ for partitioner::clients().iter().map(row) }</tbody>
                </table>
            </div>
        </>
    }
}
