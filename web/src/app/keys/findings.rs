//! The answer in sentences, what was read in numbers, and the lines that could not be read.
//!
//! Deliberately not here: charts.

use keylab::{Overlap, Place, Report, Share};
use yew::{Html, Properties, component, html};

use super::lab::{Outcome, Shared};
use super::{Measure, group, plural};

/// What was found.
#[derive(Clone, PartialEq, Properties)]
pub struct FindingsProps {
    /// Keys and placements.
    pub outcome: Shared<Outcome>,
    /// What shares count.
    pub measure: Measure,
}

impl Measure {
    /// The share that is counted.
    pub fn of(self, overlap: Overlap) -> Share {
        match self {
            Measure::Keys => overlap.keys,
            Measure::Records => overlap.records,
        }
    }

    /// What is counted, as a noun.
    pub fn noun(self) -> &'static str {
        match self {
            Measure::Keys => "key",
            Measure::Records => "record",
        }
    }
}

/// The headline and the numbers below it.
#[component]
pub fn Findings(props: &FindingsProps) -> Html {
    let Outcome { parsed, report, .. } = &*props.outcome;
    let facts = [
        ("different keys", parsed.keys.len() as u64),
        ("records", parsed.keys.weight_total()),
        ("lines with a key", parsed.rows.into()),
        ("repeated keys", parsed.repeated_rows().into()),
        ("blank lines left out", parsed.blank_lines.into()),
        ("bad lines", parsed.bad_lines.count().into()),
    ];
    let shown = facts.into_iter().filter(|(name, number)| *number > 0 || *name == "bad lines");
    html! {
        <section class="keys-findings" aria-label="What was found">
            { for sentences(report, props.measure).into_iter().map(|sentence| html! { <p class="keys-answer">{ sentence }</p> }) }
            <dl class="keys-facts">
                { for shown.map(|(name, number)| html! { <div key={name}><dt>{ name }</dt><dd>{ group(number) }</dd></div> }) }
            </dl>
            if parsed.spaced_rows > 0 {
                <p class="keys-note">{ format!("{} begin or end with white space. It is a part of the key, so it is hashed.", plural(parsed.spaced_rows.into(), "key")) }</p>
            }
        </section>
    }
}

/// Agreement of the first two clients at the smallest count, growth of the first client, and its busiest partition.
fn sentences(report: &Report, measure: Measure) -> Vec<String> {
    let plan = report.plan();
    let (clients, counts) = (plan.clients(), plan.counts());
    let mut sentences = Vec::new();
    if let [first, second, ..] = clients {
        let share = measure.of(report.agreement(0, 0, 1));
        sentences.push(if share.whole == 0 {
            format!(
                "{} and {} cannot be compared: at least one of them does not place by the key.",
                first.name, second.name
            )
        } else {
            let of = plural(share.whole, measure.noun());
            format!(
                "{} and {} agree on {} of {of} at {} partitions ({share}).",
                first.name,
                second.name,
                group(share.part),
                counts[0]
            )
        });
    }
    if let ([first, ..], [from, .., to]) = (clients, counts) {
        let share = measure.of(report.moves(0, 0, counts.len() - 1));
        if share.whole > 0 {
            let of = plural(share.whole, measure.noun());
            sentences.push(format!(
                "From {from} to {to} partitions, {} moves {} of {of} ({share}).",
                first.name,
                group(share.part)
            ));
        }
    }
    let place = Place { client: 0, count: 0 };
    let busiest = report.busiest_percent(place);
    if busiest > 0 {
        let times = format!("{}.{:02}", busiest / 100, busiest % 100);
        sentences.push(format!(
            "The busiest of {} partitions gets {times} times its even share of records with {}.",
            counts[0], clients[0].name
        ));
    }
    sentences
}

/// Whose lines.
#[derive(Clone, PartialEq, Properties)]
pub struct BadLinesProps {
    /// Keys and placements.
    pub outcome: Shared<Outcome>,
}

/// The lines that gave no key.
#[component]
pub fn BadLinesList(props: &BadLinesProps) -> Html {
    let bad = &props.outcome.parsed.bad_lines;
    if bad.count() == 0 {
        return Html::default();
    }
    let rest = bad.count() as usize - bad.listed().len();
    html! {
        <details class="panel keys-bad" open={bad.count() <= 20}>
            <summary>{ format!("{} could not be read", plural(bad.count().into(), "line")) }</summary>
            <div class="table-frame" tabindex="0" role="region" aria-label="Lines that could not be read">
                <table class="table">
                    <thead><tr><th scope="col" class="number">{ "Line" }</th><th scope="col">{ "Reason" }</th><th scope="col">{ "Text" }</th></tr></thead>
                    <tbody>
                        { for bad.listed().iter().map(|line| html! {
                            <tr key={line.line}>
                                <td class="number">{ line.line }</td>
                                <td>{ line.reason.to_string() }</td>
                                <td class="mono excerpt">{ &line.excerpt }</td>
                            </tr>
                        }) }
                    </tbody>
                </table>
            </div>
            if rest > 0 {
                <p>{ format!("And {} more.", plural(rest as u64, "line")) }</p>
            }
        </details>
    }
}
