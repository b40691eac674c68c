//! Which keys the table shows: those that contain something, disagree, move, or share a partition with a key.
//!
//! Deliberately not here: filtering. A change asks the lab, which sorts in slices.

use keylab::{Filter, Order, Place};
use web_sys::{HtmlInputElement, SubmitEvent};
use yew::{
    AttrValue, Callback, Html, InputEvent, KeyboardEvent, MouseEvent, Properties, TargetCast, component, html,
    use_state, use_state_eq,
};

use super::lab::{Lab, Outcome, Shared};
use super::load::PlaceChoice;
use super::plural;
use crate::app::controls::TextField;
use crate::app::part::part;

/// What the table shows.
#[derive(Clone, PartialEq, Properties)]
pub struct FiltersProps {
    /// The lab.
    pub lab: Lab,
    /// Keys and placements.
    pub outcome: Shared<Outcome>,
    /// The filter in force.
    pub filter: Filter,
    /// The order in force.
    pub order: Order,
    /// Keys in the table.
    pub shown: usize,
}

/// The row of filters.
#[component]
pub fn Filters(props: &FiltersProps) -> Html {
    let FiltersProps { lab, outcome, filter, order, shown } = props;
    let find = {
        let (lab, outcome, filter, order) = (lab.clone(), outcome.clone(), filter.clone(), *order);
        Callback::from(move |text: AttrValue| {
            let contains = bytes_of(&outcome, &text)?;
            lab.select(Filter { contains, ..filter.clone() }, order);
            Ok(())
        })
    };
    let button = |label: String, is_on: bool, changed: Filter| {
        let (lab, order) = (lab.clone(), *order);
        let onclick = Callback::from(move |_: MouseEvent| lab.select(changed.clone(), order));
        html! { <button class="button" aria-pressed={is_on.to_string()} {onclick}>{ label }</button> }
    };
    let all = outcome.report.key_count();
    html! {
        <div class="keys-filters">
            <div class="field-row">
                { part!(TextField { label: "Find in keys", value: shown_bytes(outcome, &filter.contains), size: 14, accept: find }) }
                { button("Clients disagree".into(), filter.disagrees, Filter { disagrees: !filter.disagrees, ..filter.clone() }) }
                { button("Moves when growing".into(), filter.moves, Filter { moves: !filter.moves, ..filter.clone() }) }
                if let Some((place, partition)) = filter.partition {
                    { button(format!("{} ×", place_text(outcome, place, partition)), true, Filter { partition: None, ..filter.clone() }) }
                }
            </div>
            { part!(Sharing { lab: lab.clone(), outcome: outcome.clone() }) }
            <p class="keys-shown" role="status">{
                if *shown == all { format!("{} in the table", plural(all as u64, "key")) }
                else { format!("{} of {} in the table", plural(*shown as u64, "key"), super::group(all as u64)) }
            }</p>
        </div>
    }
}

/// A partition in words: "Java, partition 5 of 6".
pub fn place_text(outcome: &Outcome, place: Place, partition: u32) -> String {
    let plan = outcome.report.plan();
    format!("{}: partition {partition} of {}", plan.clients()[place.client].name, plan.counts()[place.count])
}

/// The bytes that a text means in the notation of the keys.
fn bytes_of(outcome: &Outcome, text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    if !text.is_empty() {
        outcome.parse.encoding.decode(text.as_bytes(), &mut bytes).map_err(|error| error.to_string())?;
    }
    Ok(bytes)
}

fn shown_bytes(outcome: &Outcome, bytes: &[u8]) -> AttrValue {
    if bytes.is_empty() { AttrValue::default() } else { outcome.parse.encoding.show(bytes).into() }
}

#[derive(Clone, PartialEq, Properties)]
struct SharingProps {
    lab: Lab,
    outcome: Shared<Outcome>,
}

/// "Which of my keys share this partition?"
#[component]
fn Sharing(props: &SharingProps) -> Html {
    let key = use_state(String::new);
    let place = use_state_eq(|| Place { client: 0, count: 0 });
    let answer = use_state_eq(|| None::<Result<String, String>>);
    let plan = props.outcome.report.plan();
    let chosen = if plan.has(*place) { *place } else { Place { client: 0, count: 0 } };
    let oninput = {
        let key = key.clone();
        Callback::from(move |event: InputEvent| key.set(event.target_unchecked_into::<HtmlInputElement>().value()))
    };
    let onkeydown = Callback::from(|event: KeyboardEvent| event.stop_propagation());
    let onsubmit = {
        let (lab, outcome, key, answer) = (props.lab.clone(), props.outcome.clone(), key.clone(), answer.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            answer.set(Some(ask(&lab, &outcome, &key, chosen)));
        })
    };
    let onselect = {
        let place = place.clone();
        Callback::from(move |chosen| place.set(chosen))
    };
    html! {
        <form class="keys-sharing" {onsubmit}>
            <div class="field-row">
                <label class="field inline"><span>{ "Which of my keys share a partition with" }</span>
                    <input class="mono" type="text" size="14" autocomplete="off" spellcheck="false" placeholder="user-3"
                        value={(*key).clone()} {oninput} {onkeydown} /></label>
                { part!(PlaceChoice { outcome: props.outcome.clone(), place: chosen, onselect }) }
                <button class="button">{ "Show them" }</button>
            </div>
            { match &*answer {
                None => Html::default(),
                Some(Ok(sentence)) => html! { <p role="status">{ sentence }</p> },
                Some(Err(sentence)) => html! { <p class="field-error" role="alert">{ sentence }</p> },
            } }
        </form>
    }
}

fn ask(lab: &Lab, outcome: &Outcome, text: &str, place: Place) -> Result<String, String> {
    let plan = outcome.report.plan();
    let (client, count) = (plan.clients()[place.client], plan.counts()[place.count]);
    let bytes = bytes_of(outcome, text)?;
    let explanation = client.explain(Some(&bytes), count);
    let Some(partition) = explanation.partition() else { return Err(explanation.sentence()) };
    let load = outcome.report.loads(place)[partition as usize];
    lab.select(Filter { partition: Some((place, partition)), ..Filter::default() }, Order::Input);
    Ok(format!("{} {} of yours are there with {}.", explanation.sentence(), plural(load.keys, "key"), client.name))
}
