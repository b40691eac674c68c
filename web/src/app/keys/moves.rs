//! What moves when a topic grows, client by client: a number and a bar for each step.
//!
//! Deliberately not here: shrinking. Kafka never takes partitions away.

use yew::{Html, Properties, component, html};

use super::lab::{Outcome, Shared};
use super::{Measure, group};

/// Whose moves.
#[derive(Clone, PartialEq, Properties)]
pub struct MovesProps {
    /// Keys and placements.
    pub outcome: Shared<Outcome>,
    /// What shares count.
    pub measure: Measure,
}

/// The table of moves.
#[component]
pub fn Moves(props: &MovesProps) -> Html {
    let report = &props.outcome.report;
    let counts = report.plan().counts();
    let steps: Vec<_> = (0..counts.len()).flat_map(|from| (from + 1..counts.len()).map(move |to| (from, to))).collect();
    html! {
        <section class="panel" aria-labelledby="keys-moves-title">
            <h2 id="keys-moves-title">{ "What moves when the topic grows" }</h2>
            if steps.is_empty() {
                <p>{ "Add a second partition count to compare." }</p>
            } else {
                <div class="table-frame" tabindex="0" role="region" aria-label="Moves of each client">
                    <table class="table keys-moves">
                        <thead><tr>
                            <th scope="col">{ "Client" }</th><th scope="col">{ "Growth" }</th>
                            <th scope="col" class="number">{ format!("{}s that move", capital(props.measure.noun())) }</th>
                            <th scope="col" class="number">{ "Share" }</th><td class="wide"></td>
                        </tr></thead>
                        <tbody>
                            { for (0..report.plan().clients().len()).flat_map(|client| steps.iter().map(move |step| (client, *step)))
                                .map(|(client, (from, to))| row(props, client, from, to)) }
                        </tbody>
                    </table>
                </div>
            }
        </section>
    }
}

fn row(props: &MovesProps, client: usize, from: usize, to: usize) -> Html {
    let report = &props.outcome.report;
    let (name, counts) = (report.plan().clients()[client].name, report.plan().counts());
    let share = props.measure.of(report.moves(client, from, to));
    let points = share.basis_points();
    html! {
        <tr key={format!("{client}-{from}-{to}")}>
            <th scope="row">{ name }</th>
            <td class="mono">{ format!("{} → {}", counts[from], counts[to]) }</td>
            <td class="number">{ if points.is_some() { group(share.part) } else { "not by the key".to_owned() } }</td>
            <td class="number">{ points.map_or("–".to_owned(), |_| share.to_string()) }</td>
            <td class="wide">{ bar(points.unwrap_or(0)) }</td>
        </tr>
    }
}

/// A bar over its track; the number stands beside it.
pub fn bar(basis_points: u64) -> Html {
    let width = format!("{}.{:02}%", basis_points.min(10_000) / 100, basis_points.min(10_000) % 100);
    html! {
        <svg class="keys-bar" aria-hidden="true" width="100%" height="10">
            <rect class="track" width="100%" height="10" rx="3" />
            <rect class="fill" {width} height="10" rx="3" />
        </svg>
    }
}

fn capital(noun: &str) -> String {
    let mut letters = noun.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
