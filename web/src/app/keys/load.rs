//! How even the load is: a bar for each partition of one client and count, and the busiest partition of all of them.
//!
//! Deliberately not here: time. The load is of the keys as a whole, not per second.

use std::rc::Rc;

use keylab::{Filter, Load, Order, Place, Plan, Share};
use yew::{AttrValue, Callback, Html, Properties, component, html, use_state_eq};

use super::lab::{Lab, Outcome, Shared};
use super::moves::bar;
use super::{Measure, group, plural};
use crate::app::controls::{Choice, Select};
use crate::app::part::part;
use engine::order::Order as _;

/// Up to so many partitions each get a row of their own.
const ROWS_MAX: usize = 48;
/// Of more, the busiest ones are listed below the picture.
const BUSIEST: usize = 10;

/// Whose load.
#[derive(Clone, PartialEq, Properties)]
pub struct LoadProps {
    /// The lab.
    pub lab: Lab,
    /// Keys and placements.
    pub outcome: Shared<Outcome>,
    /// What loads count.
    pub measure: Measure,
}

/// The chart.
#[component]
pub fn LoadChart(props: &LoadProps) -> Html {
    let wanted = use_state_eq(|| Place { client: 0, count: 0 });
    let report = &props.outcome.report;
    let plan = report.plan();
    let place = if plan.has(*wanted) { *wanted } else { Place { client: 0, count: 0 } };
    let onselect = {
        let wanted = wanted.clone();
        Callback::from(move |place| wanted.set(place))
    };
    let apart = report.not_by_key(place);
    html! {
        <section class="panel keys-load" aria-labelledby="keys-load-title">
            <h2 id="keys-load-title">{ "Load per partition" }</h2>
            { part!(PlaceChoice { outcome: props.outcome.clone(), place, onselect }) }
            { bars(props, place) }
            if apart.keys > 0 {
                <p class="keys-note">{ format!("{} ({}) are not placed by the key by this client.", plural(apart.keys, "key"), plural(apart.records, "record")) }</p>
            }
            { heaviest(props, place) }
            { busiest_table(props, plan) }
        </section>
    }
}

/// A choice of one client and one count.
#[derive(Clone, PartialEq, Properties)]
pub struct PlaceChoiceProps {
    /// Names them.
    pub outcome: Shared<Outcome>,
    /// The chosen one.
    pub place: Place,
    /// Told when it changes.
    pub onselect: Callback<Place>,
}

/// Two menus, a client's and a count's.
#[component]
pub fn PlaceChoice(props: &PlaceChoiceProps) -> Html {
    let plan = props.outcome.report.plan();
    let place = props.place;
    let choice = |(index, label): (usize, String)| Choice::new(index.to_string(), label);
    let clients: Rc<[Choice]> =
        plan.clients().iter().map(|client| client.name.to_owned()).enumerate().map(choice).collect();
    let counts: Rc<[Choice]> = plan.counts().iter().map(u32::to_string).enumerate().map(choice).collect();
    let select_client =
        props.onselect.reform(move |value: AttrValue| Place { client: value.parse().unwrap_or(0), ..place });
    let select_count =
        props.onselect.reform(move |value: AttrValue| Place { count: value.parse().unwrap_or(0), ..place });
    html! {
        <div class="field-row">
            { part!(Select { legend: "Client", choices: clients, selected: place.client.to_string(), onselect: select_client }) }
            { part!(Select { legend: "Partitions", choices: counts, selected: place.count.to_string(), onselect: select_count }) }
        </div>
    }
}

fn bars(props: &LoadProps, place: Place) -> Html {
    let loads = props.outcome.report.loads(place);
    let number = |load: &Load| match props.measure {
        Measure::Keys => load.keys,
        Measure::Records => load.records,
    };
    let (total, most) = (loads.iter().map(number).sum(), loads.iter().map(number).max().unwrap_or(0));
    if total == 0 {
        return html! { <p>{ "This client does not place by the key, so the keys say nothing about its load." }</p> };
    }
    let row = |partition: usize| row(props, place, partition, number(&loads[partition]), total, most);
    if loads.len() <= ROWS_MAX {
        return html! { <table class="table keys-bars">{ head(props.measure) }<tbody>{ for (0..loads.len()).map(row) }</tbody></table> };
    }
    let mut order: Vec<usize> = (0..loads.len()).collect();
    order.order_by_key(|partition| (std::cmp::Reverse(number(&loads[*partition])), *partition));
    let heights = loads.iter().map(|load| number(load) * 1_000 / most.max(1));
    let label = format!(
        "{} partitions; the busiest gets {} and an even share is {}",
        loads.len(),
        group(most),
        group(total / loads.len() as u64)
    );
    html! {
        <>
            <svg class="keys-skyline" role="img" aria-label={label} viewBox={format!("0 0 {} 1000", loads.len())} preserveAspectRatio="none" width="100%" height="120">
                { for heights.enumerate().map(|(x, height)| html! {
                    <rect key={x} class="fill" x={x.to_string()} y={(1_000 - height).to_string()} width="1" height={height.to_string()} />
                }) }
            </svg>
            <p>{ format!("From partition 0 to {}. The busiest:", loads.len() - 1) }</p>
            <table class="table keys-bars">{ head(props.measure) }<tbody>{ for order.into_iter().take(BUSIEST).map(row) }</tbody></table>
        </>
    }
}

fn head(measure: Measure) -> Html {
    let unit = if measure == Measure::Keys { "Keys" } else { "Records" };
    html! {
        <thead><tr>
            <th scope="col">{ "Partition" }</th><th scope="col" class="number">{ unit }</th>
            <th scope="col" class="number">{ "Share" }</th><td class="wide"></td>
        </tr></thead>
    }
}

fn row(props: &LoadProps, place: Place, partition: usize, number: u64, total: u64, most: u64) -> Html {
    let lab = props.lab.clone();
    let onclick = Callback::from(move |_| {
        lab.select(Filter { partition: Some((place, partition as u32)), ..Filter::default() }, Order::Weight);
    });
    html! {
        <tr key={partition}>
            <th scope="row"><button class="link" {onclick} title="Show its keys in the table">{ format!("partition {partition}") }</button></th>
            <td class="number">{ group(number) }</td>
            <td class="number">{ Share { part: number, whole: total }.to_string() }</td>
            <td class="wide">{ bar(Share { part: number, whole: most }.basis_points().unwrap_or(0)) }</td>
        </tr>
    }
}

/// The heaviest keys and where they land; nothing if all keys weigh the same.
fn heaviest(props: &LoadProps, place: Place) -> Html {
    const SHOWN: usize = 5;
    let Outcome { parsed, parse, report, .. } = &*props.outcome;
    let keys = &parsed.keys;
    if keys.weight_total() == keys.len() as u64 {
        return Html::default();
    }
    let item = |key: usize| {
        let partition = report
            .partition(place, key)
            .map_or("not by the key".to_owned(), |partition| format!("partition {partition}"));
        let share = Share { part: keys.weight(key), whole: keys.weight_total() };
        html! {
            <li key={key}><span class="mono">{ parse.encoding.show(keys.key(key)) }</span>
            { format!(": {} ({share}), {partition}", plural(keys.weight(key), "record")) }</li>
        }
    };
    html! {
        <>
            <h3>{ "Heaviest keys" }</h3>
            <ol class="keys-heavy">{ for report.heaviest().iter().take(SHOWN).map(|key| item(*key as usize)) }</ol>
        </>
    }
}

fn busiest_table(props: &LoadProps, plan: &Plan) -> Html {
    let report = &props.outcome.report;
    let cell = |client, count| match report.busiest_percent(Place { client, count }) {
        0 => "–".to_owned(),
        percent => format!("{}.{:02}×", percent / 100, percent % 100),
    };
    html! {
        <>
            <h3>{ "Records on the busiest partition, in even shares" }</h3>
            <div class="table-frame" tabindex="0" role="region" aria-label="Busiest partition of each client and count">
                <table class="table">
                    <thead><tr><th scope="col">{ "Client" }</th>
                        { for plan.counts().iter().map(|count| html! { <th key={*count} scope="col" class="number">{ format!("of {count}") }</th> }) }
                    </tr></thead>
                    <tbody>
                        { for plan.clients().iter().enumerate().map(|(client, entry)| html! {
                            <tr key={entry.id}><th scope="row">{ entry.name }</th>
                                { for (0..plan.counts().len()).map(|count| html! { <td key={count} class="number">{ cell(client, count) }</td> }) }
                            </tr>
                        }) }
                    </tbody>
                </table>
            </div>
        </>
    }
}
