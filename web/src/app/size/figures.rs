//! The drawings of the sizing lab: the ladder of counts, and the price of one count beside that of a thousand.
//!
//! Nothing here calculates more than a width.

use course::sizing::{BATCH_SIZE, BUFFER_MEMORY, FRIENDLY_COUNTS, Plan, Sizing};
use yew::{Html, classes, html};

/// The other count of the comparison: the one that is often asked for.
const MANY: u32 = 1_000;

/// The friendly counts as steps, the recommended one marked, each with the group sizes that divide it.
pub fn ladder(plan: &Plan) -> Html {
    let step = |count: u32| {
        let state = match count {
            count if count == plan.recommended => Some("taken"),
            count if count < plan.need_whole => Some("small"),
            _ => None,
        };
        let groups = [2, 3, 4, 6, 8, 12, 24].into_iter().filter(|size| count.is_multiple_of(*size));
        let groups: Vec<String> = groups.map(|size| size.to_string()).collect();
        html! {
            <li key={count} class={classes!(state)}>
                <strong>{ count }</strong>
                <span>{ format!("groups of {}", groups.join(", ")) }</span>
                if state == Some("small") { <span class="hidden-visually">{ "too few" }</span> }
                if state == Some("taken") { <span class="size-mark">{ "this one" }</span> }
            </li>
        }
    };
    html! { <ol class="size-ladder" aria-label="Counts with many divisors">{ for FRIENDLY_COUNTS.into_iter().map(step) }</ol> }
}

/// What the count costs, beside a thousand partitions.
pub fn price(sizing: &Sizing, plan: &Plan) -> Html {
    let many = Sizing { chosen: Some(MANY), ..*sizing }.plan();
    let Ok(many) = many else { return Html::default() };
    let groups: Vec<String> = plan.even_groups.iter().map(u32::to_string).collect();
    let even = match groups.is_empty() {
        true => "No group of 2 to 24 consumers shares it evenly.".to_owned(),
        false => format!("Groups of {} share it evenly.", groups.join(", ")),
    };
    let row = |what: &'static str, value: fn(&Plan) -> String| {
        html! { <tr key={what}><th scope="row">{ what }</th><td>{ value(plan) }</td><td>{ value(&many) }</td></tr> }
    };
    html! {
        <section class="panel size-price" aria-label="What it costs">
            <h2>{ format!("What {} partitions cost", plan.count) }</h2>
            <p>{ even }</p>
            <div class="size-columns">
                <div class="table-frame">
                    <table class="table">
                        <thead><tr><th scope="col">{ "Price" }</th><th scope="col">{ plan.count }</th><th scope="col">{ grouped(u64::from(MANY)) }</th></tr></thead>
                        <tbody>
                            { row("Replicas in the cluster", |plan| grouped(plan.replicas)) }
                            { row("Replicas on each broker", |plan| plan.replicas_per_broker.to_string()) }
                            { row("Leaders on each broker", |plan| plan.leaders_per_broker.to_string()) }
                            { row("Elections when one broker is lost", |plan| format!("about {}", rounded(plan))) }
                            { row("Traffic of one partition", |plan| format!("{} B/s", grouped(plan.bytes_per_partition))) }
                            { row("Bytes in one linger of 5 ms", |plan| grouped(plan.bytes_per_linger)) }
                            { row("Open batches in the producer's buffer", |plan| share(plan.open_batches_bytes)) }
                        </tbody>
                    </table>
                </div>
                <div>
                    <h3>{ "How full a batch gets in 5 ms" }</h3>
                    { meter(plan.count, plan.bytes_per_linger) }
                    { meter(many.count, many.bytes_per_linger) }
                    <p class="quiet-text">{ format!("The bar is one batch of {} bytes. Small batches mean more requests for the same traffic.", grouped(BATCH_SIZE)) }</p>
                </div>
            </div>
        </section>
    }
}

/// A bar that shows which part of a batch fills in one linger.
fn meter(count: u32, bytes: u64) -> Html {
    let percent = (bytes * 100 / BATCH_SIZE).min(100);
    let text = format!("{} partitions: {} bytes", grouped(u64::from(count)), grouped(bytes));
    html! {
        <p class="size-meter" key={count}>
            <span>{ &text }</span>
            <svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={format!("{text}, {percent} percent of a batch")}>
                <rect class="track" x="0" y="0" width="100" height="6" rx="2" />
                <rect class="fill" x="0" y="0" width={percent.max(1).to_string()} height="6" rx="2" />
            </svg>
        </p>
    }
}

/// Elections are whole; the average is rounded to the nearest.
fn rounded(plan: &Plan) -> u64 {
    (plan.leaders_per_broker.0 + 500) / 1_000
}

fn share(bytes: u64) -> String {
    format!("{} KiB, {} % of 32 MiB", grouped(bytes / 1_024), bytes * 100 / BUFFER_MEMORY)
}

/// Digits in groups of three: `1,250,000`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
