//! One assignor: its counters, its members with the partitions that they have, and what it promises.
//!
//! Color says whose a partition is. What moved is dashed and has an arrow, so that color is never alone.

use assignlab::{Assignor, Outcome, Plan, Side, Step, TopicPartition};
use yew::{AttrValue, Html, classes, html};

use super::lab::View;

/// The name of an assignor on this page: the class in the client, the setting at the broker.
pub fn title(assignor: Assignor) -> &'static str {
    match assignor.id() {
        "client-range" => "Range",
        "client-roundrobin" => "RoundRobin",
        "client-sticky" => "Sticky",
        "client-cooperative-sticky" => "CooperativeSticky",
        "server-uniform" => "uniform, broker",
        "server-range" => "range, broker",
        "server-uniform-4.0.0" => "uniform of 4.0.0",
        _ => "simple, share group",
    }
}

/// What an assignor promises.
fn promise(assignor: Assignor) -> &'static str {
    match assignor.id() {
        "client-range" => {
            "Topic by topic, everybody gets a run of neighbours, so partitions of one number meet. What does not divide goes to the first members, once for each topic. Looks at racks."
        }
        "client-roundrobin" => "Deals all partitions of all topics in turn. Even, and what members had does not count.",
        "client-sticky" => {
            "Even first, then everybody keeps what they had. Members still give up everything before each rebalance."
        }
        "client-cooperative-sticky" => {
            "The same answer as Sticky, and members give up only what moves: it is taken away first and handed over in a second rebalance."
        }
        "server-uniform" => {
            "Even counts, and members keep what they can. The default of the consumer protocol. Ignores racks and traffic."
        }
        "server-uniform-4.0.0" => {
            "As uniform, but of new members the first get what does not divide. Kafka 4.0.1 and everything later deal it the other way."
        }
        "server-range" => "Runs of neighbours, topic by topic. Nothing is kept on purpose. Ignores racks.",
        _ => "Members of a share group may read one partition together, so nobody is idle while there are partitions.",
    }
}

fn who_runs(assignor: Assignor) -> &'static str {
    match assignor.side() {
        Side::Member => "A member runs it: the leader of a classic group.",
        Side::Broker => "The broker runs it: the coordinator of a group of the consumer protocol.",
        Side::ShareBroker => "The broker runs it: the coordinator of a share group.",
    }
}

/// The class of a member's color. Colors come again after twelve; the name is beside it always.
pub fn color(view: &View, id: &str) -> String {
    let place = view.settings.story.ids().iter().position(|known| *known == id).unwrap_or(0);
    format!("k{}", place % 12)
}

/// The card.
pub fn card(view: &View, step: &Step, assignor: Assignor) -> Html {
    let outcome = step.outcome(assignor);
    let plan = &step.plan;
    let id = format!("assign-{}", assignor.id());
    html! {
        <section key={assignor.id()} class="panel assign-card" aria-labelledby={id.clone()}>
            <h3 {id}>{ title(assignor) }</h3>
            { counters(step, outcome) }
            <p class={classes!("assign-sentence", outcome.error.is_some().then_some("field-error"))}>{ sentence(step, outcome) }</p>
            <ul class="assign-members">
                { for (0..outcome.assignment.len()).map(|member| row(view, step, outcome, member)) }
                { nobody(plan, outcome) }
            </ul>
            <p class="assign-promise">{ who_runs(assignor) }{ " " }{ promise(assignor) }</p>
        </section>
    }
}

fn counters(step: &Step, outcome: &Outcome) -> Html {
    let counter = |name: &'static str, value: String| {
        html! { <div key={name}><dt>{ name }</dt><dd>{ value }</dd></div> }
    };
    let meetings = outcome.meetings(&step.plan);
    let met = meetings.iter().flatten().count();
    html! {
        <dl class="assign-counters">
            { counter("Moved", moved(step, outcome)) }
            { counter("Given up", given_up(step, outcome)) }
            { counter("Spread", spread(outcome)) }
            { counter("Idle", outcome.idle().to_string()) }
            if !meetings.is_empty() { { counter("Meet", format!("{met} of {}", meetings.len())) } }
        </dl>
    }
}

/// How many partitions moved; nothing moves at the start.
pub fn moved(step: &Step, outcome: &Outcome) -> String {
    step.change.as_ref().map_or_else(|| "–".to_owned(), |_| outcome.moves.len().to_string())
}

/// How many partitions were given up by members that stay.
pub fn given_up(step: &Step, outcome: &Outcome) -> String {
    step.change.as_ref().map_or_else(|| "–".to_owned(), |_| outcome.revoked.to_string())
}

/// The smallest and the largest number of partitions.
pub fn spread(outcome: &Outcome) -> String {
    match outcome.spread() {
        None => "–".to_owned(),
        Some((least, most)) if least == most => least.to_string(),
        Some((least, most)) => format!("{least} to {most}"),
    }
}

fn sentence(step: &Step, outcome: &Outcome) -> String {
    let text = outcome.sentence(&step.plan);
    if outcome.rounds < 2 {
        return text;
    }
    format!("{text} In {} rebalances: {} taken away first.", outcome.rounds, count(outcome.freed.len()))
}

fn count(partitions: usize) -> String {
    if partitions == 1 { "1 partition is".to_owned() } else { format!("{partitions} partitions are") }
}

/// A member with its sockets.
fn row(view: &View, step: &Step, outcome: &Outcome, member: usize) -> Html {
    let (plan, list) = (&step.plan, &outcome.assignment[member]);
    let id = &plan.members[member].id;
    let sockets = match (plan.topics.len(), view.settings.has_links) {
        (0 | 1, _) => {
            html! { { for list.iter().map(|own| socket(step, outcome, *own, format!("p{}", own.partition))) } }
        }
        (_, false) => by_topic(step, outcome, list),
        (_, true) => by_number(step, outcome, list, &outcome.meetings(plan), member),
    };
    html! {
        <li key={id.clone()} class={color(view, id)}>
            <span class="assign-member"><b>{ id }</b><small>{ list.len() }</small></span>
            <span class="assign-sockets">{ sockets }if list.is_empty() { <span class="assign-none">{ "nothing to read" }</span> }</span>
        </li>
    }
}

fn by_topic(step: &Step, outcome: &Outcome, list: &[TopicPartition]) -> Html {
    let of_topic = |(place, topic): (usize, &assignlab::Topic)| {
        let own = list.iter().filter(|own| own.topic as usize == place);
        let sockets: Vec<Html> = own.map(|own| socket(step, outcome, *own, format!("p{}", own.partition))).collect();
        if sockets.is_empty() {
            return Html::default();
        }
        html! { <span key={place} class="assign-bundle"><small>{ &topic.name }</small>{ for sockets }</span> }
    };
    html! { { for step.plan.topics.iter().enumerate().map(of_topic) } }
}

/// Partitions of one number together; framed where one member has all of them.
fn by_number(
    step: &Step,
    outcome: &Outcome,
    list: &[TopicPartition],
    meetings: &[Option<usize>],
    member: usize,
) -> Html {
    let mut numbers: Vec<u32> = list.iter().map(|own| own.partition).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let of_number = |number: u32| {
        let is_met = meetings.get(number as usize).is_some_and(|met| *met == Some(member));
        let own = list.iter().filter(|own| own.partition == number);
        let name = |own: &TopicPartition| step.plan.topics[own.topic as usize].name.clone();
        html! {
            <span key={number} class={classes!("assign-bundle", is_met.then_some("met"))}>
                <small>{ format!("p{number}") }if is_met { { " meets" } }</small>
                { for own.map(|own| socket(step, outcome, *own, name(own))) }
            </span>
        }
    };
    html! { { for numbers.into_iter().map(of_number) } }
}

fn socket(step: &Step, outcome: &Outcome, own: TopicPartition, text: String) -> Html {
    let key = format!("{}-{}", own.topic, own.partition);
    let (class, glyph, story) = match outcome.move_of(own) {
        Some(moved) => (Some("moved"), Some("↷"), Some(format!("moved from {}", moved.from.join(", ")))),
        None if step.change.is_some() && outcome.dealt.contains(&own) => {
            (Some("dealt"), Some("+"), Some("nobody had it before".to_owned()))
        }
        None => (None, None, None),
    };
    let title = story.clone().map(AttrValue::from);
    html! {
        <span {key} class={classes!("assign-socket", class)} {title}>
            if let Some(glyph) = glyph { <i aria-hidden="true">{ glyph }</i> }
            { text }
            if let Some(story) = story { <span class="hidden-visually">{ format!(", {story}, ") }</span> }
        </span>
    }
}

/// What no member has.
fn nobody(plan: &Plan, outcome: &Outcome) -> Html {
    let list = outcome.without_member(plan);
    if list.is_empty() {
        return Html::default();
    }
    html! {
        <li key="-" class="nobody">
            <span class="assign-member"><b>{ "Nobody" }</b><small>{ list.len() }</small></span>
            <span class="assign-sockets">{ for list.iter().map(|own| html! { <span key={plan.label(*own)} class="assign-socket">{ plan.label(*own) }</span> }) }</span>
        </li>
    }
}
