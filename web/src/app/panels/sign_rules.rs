//! The same hash under every treatment of its sign: the keys of the stage, rule by rule.
//!
//! Rules and arithmetic are the partitioner's.

use partitioner::{HashFunction, HashValue, SignRule};
use yew::{Html, Properties, component, html};

use super::key_text_chip;
use super::stage_keys::stage_keys;
use crate::app::session::{Rate, Session, use_session};

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct SignRulesProps {
    /// The session.
    pub session: Session,
}

/// The rules that clients were seen with, and the one that breaks.
const RULES: [(SignRule, &str); 4] = [
    (SignRule::Mask, "mask (Java)"),
    (SignRule::Unsigned, "unsigned"),
    (SignRule::AbsFirst, "abs"),
    (SignRule::Signed, "signed"),
];

/// The table.
#[component]
pub fn SignRules(props: &SignRulesProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let scenario = session.scenario(0);
    let snapshot = session.snapshot(0);
    let planned = scenario.topics.first().and_then(|topic| topic.partitions).unwrap_or(1);
    let partitions = snapshot.topics.first().map_or(planned, |topic| topic.partitions.len() as u32);
    let palette = session.palette();
    let rows = stage_keys(&scenario).into_iter().filter_map(|key| {
        let HashValue::Word(hash) = HashFunction::Murmur2.hash(&key.bytes) else { return None };
        let reference = SignRule::Mask.partition(hash, partitions);
        Some(html! {
            <tr key={key.text.clone()}>
                <td>{ key_text_chip(&palette, &key.bytes, &key.text) }</td>
                <td class="number">{ (hash as i32).to_string() }</td>
                { for RULES.iter().map(|(rule, _)| cell(*rule, hash, partitions, reference)) }
            </tr>
        })
    });
    html! {
        <section class="panel" aria-label="Sign rules">
            <h2>{ format!("One hash, four treatments of its sign, {partitions} partitions") }</h2>
            <div class="table-frame" tabindex="0" role="region" aria-label="Keys by sign rule">
                <table class="table">
                    <thead><tr>
                        <th scope="col">{ "Key" }</th><th scope="col" class="number">{ "murmur2" }</th>
                        { for RULES.iter().map(|(rule, name)| html! { <th key={*name} scope="col" class="number" title={rule.formula()}>{ *name }</th> }) }
                    </tr></thead>
                    <tbody>{ for rows }</tbody>
                </table>
            </div>
        </section>
    }
}

fn cell(rule: SignRule, hash: u32, partitions: u32, reference: Option<u32>) -> Html {
    let partition = rule.partition(hash, partitions);
    let text =
        partition.map_or_else(|| rule.remainder(hash, partitions).to_string(), |partition| partition.to_string());
    let differs = partition != reference;
    html! {
        <td key={rule.formula()} class={if differs { "number other" } else { "number" }}>
            { text }
            if partition.is_none() { <span title="No partition has a negative number">{ " ✕" }</span> }
            if differs && partition.is_some() { <span title="Not where Java puts it">{ " ≠" }</span> }
        </td>
    }
}
