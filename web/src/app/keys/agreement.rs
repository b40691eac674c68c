//! Agreement between clients as a matrix: the share of keys that two clients place alike.
//!
//! Deliberately not here: a picture without numbers. The shade of a cell repeats the number in it.

use std::rc::Rc;

use yew::{AttrValue, Callback, Html, Properties, component, html, use_state_eq};

use super::Measure;
use super::lab::{Outcome, Shared};
use crate::app::controls::{Choice, Segments};
use crate::app::part::part;

/// Whose agreement.
#[derive(Clone, PartialEq, Properties)]
pub struct AgreementProps {
    /// Keys and placements.
    pub outcome: Shared<Outcome>,
    /// What shares count.
    pub measure: Measure,
}

/// The matrix for one count.
#[component]
pub fn Agreement(props: &AgreementProps) -> Html {
    let wanted = use_state_eq(|| 0_usize);
    let report = &props.outcome.report;
    let (clients, counts) = (report.plan().clients(), report.plan().counts());
    let count = (*wanted).min(counts.len() - 1);
    let onselect = {
        let wanted = wanted.clone();
        Callback::from(move |value: AttrValue| wanted.set(value.parse().unwrap_or(0)))
    };
    let choices: Rc<[Choice]> =
        counts.iter().enumerate().map(|(index, count)| Choice::new(index.to_string(), count.to_string())).collect();
    let everyone = props.measure.of(report.disagreement(count));
    html! {
        <section class="panel" aria-labelledby="keys-agreement-title">
            <h2 id="keys-agreement-title">{ "Where clients agree" }</h2>
            { part!(Segments { legend: "Partitions", choices, selected: count.to_string(), onselect }) }
            if clients.len() < 2 {
                <p>{ "Add a second client to compare." }</p>
            } else {
                <div class="table-frame" tabindex="0" role="region" aria-label="Agreement of each pair of clients">
                    <table class="table keys-matrix">
                        <caption class="hidden-visually">{ format!("Share of {}s that two clients place alike, of {} partitions", props.measure.noun(), counts[count]) }</caption>
                        <thead><tr><td></td>{ for clients.iter().map(|client| html! { <th key={client.id} scope="col">{ client.name }</th> }) }</tr></thead>
                        <tbody>
                            { for (0..clients.len()).map(|row| html! {
                                <tr key={clients[row].id}>
                                    <th scope="row">{ clients[row].name }</th>
                                    { for (0..clients.len()).map(|column| cell(props, count, row, column)) }
                                </tr>
                            }) }
                        </tbody>
                    </table>
                </div>
                <p>{ format!("Not all clients agree on {everyone} of the {}s.", props.measure.noun()) }</p>
            }
        </section>
    }
}

fn cell(props: &AgreementProps, count: usize, row: usize, column: usize) -> Html {
    if row == column {
        return html! { <td key={column} class="number same">{ "=" }</td> };
    }
    let share = props.measure.of(props.outcome.report.agreement(count, row, column));
    match share.basis_points() {
        Some(points) => {
            html! { <td key={column} class={format!("number shade-{}", points / 1_000)}>{ share.to_string() }</td> }
        }
        None => {
            html! { <td key={column} class="number none" title="At least one of the two does not place by the key">{ "–" }</td> }
        }
    }
}
