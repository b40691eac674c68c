//! The sizing lab: measured rates in, a partition count and its price out.
//!
//! The arithmetic is `course::sizing`; the page asks, shows, and keeps the numbers in the address. A lesson shows the
//! same calculator without an address.

mod figures;

use course::sizing::{Binds, FRIENDLY_COUNTS, Milli, Plan, Sizing};
use engine::InputError;
use yew::{AttrValue, Callback, Html, InputEvent, Properties, TargetCast, UseStateHandle, component, html, use_state};

use super::controls::{TextField, unique_name};
use super::part::part;
use super::router::{Location, Route};
pub use figures::grouped;

/// The end of the slider: far more than one topic needs, so that the price shows.
const SLIDER_MAX: u32 = 1_000;

/// A field of the page: its name in the address, its label, an example.
const RATES: [(&str, &str, &str); 5] = [
    ("peak", "Peak of the topic, MB/s", "60"),
    ("produce", "One producer writes, MB/s", "25"),
    ("consume", "One consumer processes, MB/s", "4"),
    ("growth", "Growth to plan for, times", "2"),
    ("second", "A second group's consumer, MB/s", "none"),
];

/// The page: the calculator with the numbers of the address.
#[component]
pub fn SizePage() -> Html {
    html! {
        <article class="size">
            <header class="size-head">
                <h1>{ "Sizing lab" }</h1>
                <p>{ "How many partitions does a topic need? Measure three rates, plan for growth, take a count that many group sizes divide, and look at what each partition costs before you take more." }</p>
            </header>
            { part!(Calculator { keeps_address: true }) }
        </article>
    }
}

/// The calculator in a lesson, beginning with the lesson's example.
#[component]
pub fn SizePanel() -> Html {
    html! { <section class="size size-panel" aria-label="Sizing calculator">{ part!(Calculator { keeps_address: false }) }</section> }
}

/// Where the numbers come from and go to.
#[derive(Clone, Debug, PartialEq, Properties)]
struct CalculatorProps {
    /// Whether they are those of the page's address.
    keeps_address: bool,
}

/// The numbers that the calculator works with, and where they are kept.
#[derive(Clone)]
struct Numbers {
    state: UseStateHandle<Sizing>,
    keeps_address: bool,
}

/// Fields, the answer and the price.
#[component]
fn Calculator(props: &CalculatorProps) -> Html {
    let keeps_address = props.keeps_address;
    let state = use_state(|| if keeps_address { from_address(&Location::current()) } else { Sizing::default() });
    let slider = use_state(unique_name);
    let sizing = *state;
    let numbers = Numbers { state, keeps_address };
    let plan = sizing.plan();
    html! {
        <>
            <div class="size-columns">
                <section class="panel" aria-label="What you measured">
                    <h2>{ "What you measured" }</h2>
                    <div class="size-fields">
                        { for RATES.into_iter().map(|(name, label, example)| number(&numbers, name, label, example)) }
                        { number(&numbers, "replication_factor", "Replication factor", "3") }
                        { number(&numbers, "brokers", "Brokers", "3") }
                    </div>
                    { chosen(&numbers, plan.as_ref().ok(), &slider) }
                </section>
                { answer(&sizing, &plan) }
            </div>
            if let Ok(plan) = &plan { { figures::price(&sizing, plan) } }
        </>
    }
}

fn answer(sizing: &Sizing, plan: &Result<Plan, InputError>) -> Html {
    let plan = match plan {
        Ok(plan) => plan,
        Err(error) => {
            return html! { <section class="panel size-answer" aria-label="The answer"><p class="field-error" role="alert">{ error.to_string() }</p></section> };
        }
    };
    let beyond = plan.need_whole > FRIENDLY_COUNTS[FRIENDLY_COUNTS.len() - 1];
    let list = if beyond {
        "That is beyond the list of friendly counts, so the need itself is the answer.".to_owned()
    } else {
        format!("The next count of the list is {}.", plan.recommended)
    };
    html! {
        <section class="panel size-answer" aria-label="The answer" aria-live="polite">
            <h2>{ "Take" }</h2>
            <p class="size-number"><strong>{ plan.recommended }</strong>{ " partitions" }</p>
            <ol class="size-steps">
                { for sides(sizing, plan) }
                <li>{ format!("Growth: {} × {} = ", plan.base, sizing.growth) }<strong>{ plan.need.to_string() }</strong>{ format!(", rounded up {}.", plan.need_whole) }</li>
                <li>{ list }</li>
            </ol>
            { figures::ladder(plan) }
        </section>
    }
}

/// How many partitions each side asks for; the one that binds is marked.
fn sides(sizing: &Sizing, plan: &Plan) -> Vec<Html> {
    let side = |who: &str, rate: Milli, count: Milli, binds: bool| {
        let text = format!("{who}: {} / {rate} = {count}", sizing.peak);
        html! { <li key={who.to_owned()}>{ text }if binds { <strong>{ " binds" }</strong> }</li> }
    };
    let mut list = vec![
        side("Producers", sizing.produce, plan.by_producers, plan.binds == Binds::Producers),
        side("Consumers", sizing.consume, plan.by_consumers, plan.binds == Binds::Consumers),
    ];
    if let Some((rate, count)) = sizing.second_consume.zip(plan.by_second_group) {
        list.push(side("Second group", rate, count, plan.binds == Binds::SecondGroup));
    }
    list
}

/// A field for one number.
fn number(numbers: &Numbers, name: &'static str, label: &'static str, example: &'static str) -> Html {
    let value = field(&numbers.state, name).unwrap_or_default();
    let accept = {
        let numbers = numbers.clone();
        Callback::from(move |text: AttrValue| {
            let mut next = *numbers.state;
            set(&mut next, name, &text).map_err(|error| error.to_string())?;
            numbers.take(next);
            Ok(())
        })
    };
    part!(TextField { label, value, accept, placeholder: example, size: 8 }, key = name)
}

/// The slider for another count than the recommended one. `id` is one of its own: a page may show two calculators.
fn chosen(numbers: &Numbers, plan: Option<&Plan>, id: &str) -> Html {
    let Some(plan) = plan else { return Html::default() };
    let oninput = {
        let numbers = numbers.clone();
        Callback::from(move |event: InputEvent| {
            let input: web_sys::HtmlInputElement = event.target_unchecked_into();
            if let Ok(count) = input.value().parse() {
                numbers.take(Sizing { chosen: Some(count), ..*numbers.state });
            }
        })
    };
    let reset = {
        let numbers = numbers.clone();
        Callback::from(move |_| numbers.take(Sizing { chosen: None, ..*numbers.state }))
    };
    let id = id.to_owned();
    html! {
        <div class="size-slider">
            <label for={id.clone()}>{ "Look at another count" }</label>
            <output for={id.clone()}>{ plan.count }</output>
            <input {id} type="range" min="1" max={SLIDER_MAX.to_string()} value={plan.count.min(SLIDER_MAX).to_string()} {oninput} />
            if numbers.state.chosen.is_some_and(|count| count != plan.recommended) {
                <button class="quiet" onclick={reset}>{ format!("Back to {}", plan.recommended) }</button>
            }
        </div>
    }
}

impl Numbers {
    /// Shows the numbers; the page keeps them in its address, without an entry in the history for each.
    fn take(&self, next: Sizing) {
        self.state.set(next);
        if !self.keeps_address {
            return;
        }
        let address = address(&next).to_string();
        if let Some(history) = web_sys::window().and_then(|window| window.history().ok()) {
            // A page opened from a file may not rewrite its address; the numbers stay on the page then.
            let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&address));
        }
    }
}

/// The address of the page with these numbers.
fn address(sizing: &Sizing) -> Location {
    let names = ["peak", "produce", "consume", "growth", "second", "replication_factor", "brokers", "count"];
    let present = names.into_iter().filter_map(|name| Some((name, field(sizing, name)?)));
    present.fold(Location::new(Route::Size), |location, (name, value)| location.with(name, value))
}

/// The numbers in an address; what cannot be read stays as it is in the lesson's example.
fn from_address(location: &Location) -> Sizing {
    let mut sizing = Sizing::default();
    for (name, value) in &location.query {
        let mut next = sizing;
        if set(&mut next, name, value).is_ok() {
            sizing = next;
        }
    }
    sizing
}

fn field(sizing: &Sizing, name: &str) -> Option<String> {
    let exact = |number: Milli| {
        let text = format!("{}.{:03}", number.0 / 1_000, number.0 % 1_000);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    match name {
        "peak" => Some(exact(sizing.peak)),
        "produce" => Some(exact(sizing.produce)),
        "consume" => Some(exact(sizing.consume)),
        "growth" => Some(exact(sizing.growth)),
        "second" => sizing.second_consume.map(exact),
        "replication_factor" => Some(sizing.replication_factor.to_string()),
        "brokers" => Some(sizing.brokers.to_string()),
        _ => sizing.chosen.map(|count| count.to_string()),
    }
}

fn set(sizing: &mut Sizing, name: &str, text: &str) -> Result<(), InputError> {
    let count = |text: &str| {
        text.trim()
            .parse::<u32>()
            .map_err(|_| InputError::new("sizing.number", format!("\"{}\" is not a whole number.", text.trim())))
    };
    let before = *sizing;
    match name {
        "peak" => sizing.peak = Milli::parse(text)?,
        "produce" => sizing.produce = Milli::parse(text)?,
        "consume" => sizing.consume = Milli::parse(text)?,
        "growth" => sizing.growth = Milli::parse(text)?,
        "second" if text.trim().is_empty() => sizing.second_consume = None,
        "second" => sizing.second_consume = Some(Milli::parse(text)?),
        "replication_factor" => sizing.replication_factor = count(text)?,
        "brokers" => sizing.brokers = count(text)?,
        "count" => sizing.chosen = Some(count(text)?),
        other => return Err(InputError::new("sizing.unknown", format!("There is no number \"{other}\" here."))),
    }
    if let Err(error) = sizing.plan() {
        *sizing = before;
        return Err(error);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_from_the_address() {
        let sizing =
            Sizing { peak: Milli(2_500), chosen: Some(48), second_consume: Some(Milli(9_125)), ..Sizing::default() };
        assert_eq!(from_address(&address(&sizing)), sizing);
        assert_eq!(from_address(&Location::parse("#/size?peak=sixty&brokers=0")), Sizing::default());
    }
}
