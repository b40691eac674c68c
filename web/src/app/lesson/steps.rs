//! The list of steps with what is done, what is next and what waits for later. It decides nothing.

use std::rc::Rc;

use course::{Act, Step};
use yew::{Callback, Html, Properties, component, html};

use crate::app::prose;

/// What the list shows.
#[derive(Clone, PartialEq, Properties)]
pub struct StepsProps {
    /// The act.
    pub act: Rc<Act>,
    /// Which steps are done, by place.
    pub done: Rc<[bool]>,
    /// The step that is open.
    pub now: usize,
    /// The prediction of the open step, if it has one.
    pub prediction: Html,
    /// Whether that prediction is still to be guessed or skipped. The caption says the answer, so it waits.
    pub is_asking: bool,
    /// What went wrong with the last action.
    pub problem: Option<Rc<str>>,
    /// Whether a step's run is going on.
    pub is_running: bool,
    /// What leads on from the end of the act: a button or a link. Nothing where the act stands alone.
    #[prop_or_default]
    pub onward: Html,
    /// Told the place of a step whose button was pressed.
    pub ontake: Callback<usize>,
    /// Told the place of a step that is to be opened.
    pub onopen: Callback<usize>,
}

/// The list.
#[component]
pub fn Steps(props: &StepsProps) -> Html {
    html! { <ol class="steps">{ for props.act.steps.iter().enumerate().map(|(place, step)| row(props, place, step)) }</ol> }
}

fn row(props: &StepsProps, place: usize, step: &Step) -> Html {
    let is_done = props.done.get(place).copied().unwrap_or(false);
    let is_now = place == props.now;
    let state = match (step.later.is_some(), is_now, is_done) {
        (true, true, _) => "now later",
        (true, false, _) => "later",
        (_, true, true) => "now done",
        (_, true, false) => "now",
        (_, false, true) => "done",
        _ => "next",
    };
    let sign = if is_done { "✓".to_owned() } else { (place + 1).to_string() };
    html! {
        <li key={step.id.clone()} class={state} aria-current={is_now.then_some("step")}>
            <b aria-hidden="true">{ sign }</b>
            <div class="step-body">
                if is_done { <span class="hidden-visually">{ "Done: " }</span> }
                if is_now { { open(props, place, step) } } else { { closed(props, place, step) } }
            </div>
        </li>
    }
}

fn open(props: &StepsProps, place: usize, step: &Step) -> Html {
    let last = props.act.steps.len().saturating_sub(1);
    let is_done = props.done.get(place).copied().unwrap_or(false);
    let go = |to: usize| props.onopen.reform(move |_| to);
    html! {
        <>
            { props.prediction.clone() }
            if !props.is_asking { { prose(&step.caption) } }
            if let Some(later) = &step.later { <p class="later-note">{ format!("Comes later: it needs {later}.") }</p> }
            if let Some(problem) = &props.problem { <p class="field-error" role="alert">{ &**problem }</p> }
            <p class="button-row">
                if let Some(offer) = &step.action {
                    <button class={if is_done { "button" } else { "button primary" }} onclick={props.ontake.reform(move |_| place)}>
                        { if props.is_running { "Running …" } else { &offer.label } }
                    </button>
                }
                if place > 0 { <button class="button quiet" onclick={go(place.saturating_sub(1))}>{ "Back" }</button> }
                if place < last {
                    <button class={if is_done { "button primary" } else { "button quiet" }} onclick={go(place + 1)}>{ "Next" }</button>
                } else if is_done || step.later.is_some() {
                    { props.onward.clone() }
                }
            </p>
        </>
    }
}

fn closed(props: &StepsProps, place: usize, step: &Step) -> Html {
    let title = match &step.action {
        Some(offer) => offer.label.clone(),
        None => first_words(&step.caption),
    };
    html! {
        <button class="step-title" onclick={props.onopen.reform(move |_| place)}>
            { title }
            if let Some(later) = &step.later { <span class="later-note">{ format!(" · later, with {later}") }</span> }
        </button>
    }
}

/// The first sentence of a caption, without links.
fn first_words(caption: &str) -> String {
    let mut text = String::new();
    let mut rest = caption.trim();
    while let Some(open) = rest.find('[') {
        text.push_str(&rest[..open]);
        let close = rest[open..].find("](").map(|at| open + at);
        let end = close.and_then(|close| rest[close..].find(')').map(|at| close + at));
        let (Some(close), Some(end)) = (close, end) else { break };
        text.push_str(&rest[open + 1..close]);
        rest = &rest[end + 1..];
    }
    text.push_str(rest);
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end].replace('`', "")
}

#[cfg(test)]
mod tests {
    use super::first_words;

    fn check(caption: &str, expected: &str) {
        assert_eq!(first_words(caption), expected);
    }

    #[test]
    fn a_closed_step_shows_its_first_sentence_without_markup() {
        check("Send the keys. Then wait.", "Send the keys.");
        check("A [partition](glossary:partition) of `events` grows", "A partition of events grows");
    }
}
