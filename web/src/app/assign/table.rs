//! Who has what, as a table: a row for each partition, a column for each assignor that is shown.
//!
//! It repeats the cards in a form that is read line by line.

use assignlab::{Assignor, Outcome, Step, TopicPartition};
use yew::{Html, html};

use super::card::{color, given_up, moved, spread, title};
use super::lab::View;

/// The panel.
pub fn table(view: &View) -> Html {
    let step = view.settings.story.step();
    let shown = &view.settings.shown;
    let after = step.change.as_ref().map_or_else(|| "at the start".to_owned(), |change| format!("after: {change}"));
    html! {
        <section class="panel assign-table" aria-labelledby="assign-table-title">
            <h2 id="assign-table-title">{ "Who has what" }</h2>
            <div class="table-frame" tabindex="0" role="region" aria-label="Partitions and the members that have them">
                <table class="table">
                    <caption class="hidden-visually">{ format!("Members by partition and assignor, {after}") }</caption>
                    <thead><tr>
                        <th scope="col">{ "Partition" }</th>
                        { for shown.iter().map(|assignor| html! { <th key={assignor.id()} scope="col">{ title(*assignor) }</th> }) }
                    </tr></thead>
                    <tbody>{ for step.plan.partitions().map(|own| row(view, step, own)) }</tbody>
                    <tfoot>
                        { summary(step, shown, "Moved", moved) }
                        { summary(step, shown, "Given up", given_up) }
                        { summary(step, shown, "Spread", |_, outcome| spread(outcome)) }
                        { summary(step, shown, "Idle", |_, outcome| outcome.idle().to_string()) }
                    </tfoot>
                </table>
            </div>
            <p class="assign-note">{ "Moved: had another member before. Given up: taken from a member that stays, if only to be given back. Spread: the fewest and the most partitions of a member. Idle: members without any." }</p>
        </section>
    }
}

fn row(view: &View, step: &Step, own: TopicPartition) -> Html {
    let label = step.plan.label(own);
    html! {
        <tr key={label.clone()}>
            <th scope="row">{ label }</th>
            { for view.settings.shown.iter().map(|assignor| cell(view, step, *assignor, own)) }
        </tr>
    }
}

fn cell(view: &View, step: &Step, assignor: Assignor, own: TopicPartition) -> Html {
    let outcome = step.outcome(assignor);
    let owners = outcome.owners(own).map(|member| {
        let id = &step.plan.members[member].id;
        html! { <span key={id.clone()} class={format!("assign-owner {}", color(view, id))}>{ id }</span> }
    });
    let from = outcome.move_of(own).map(|moved| moved.from.join(", "));
    html! {
        <td key={assignor.id()}>
            { for owners }
            if outcome.owners(own).next().is_none() { <span class="assign-none">{ "nobody" }</span> }
            if let Some(from) = from { <small>{ format!(" ↷ from {from}") }</small> }
        </td>
    }
}

fn summary(step: &Step, shown: &[Assignor], name: &'static str, of: fn(&Step, &Outcome) -> String) -> Html {
    let cell = |assignor: &Assignor| html! { <td key={assignor.id()}>{ of(step, step.outcome(*assignor)) }</td> };
    html! { <tr><th scope="row">{ name }</th>{ for shown.iter().map(cell) }</tr> }
}
