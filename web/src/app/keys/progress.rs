//! What the lab is doing: a bar that can be cancelled, or one sentence about the last job.
//!
//! Deliberately not here: the job. The button only asks the lab to stop.

use yew::{Callback, Html, Properties, component, html};

use super::lab::{Lab, Phase, Step};
use super::{group, sentence};

/// What to show.
#[derive(Clone, PartialEq, Properties)]
pub struct ProgressProps {
    /// The lab.
    pub lab: Lab,
    /// What it is doing.
    pub phase: Phase,
    /// What was found, in a sentence; spoken when a job has ended.
    pub counted: String,
}

/// The state of the lab.
#[component]
pub fn Progress(props: &ProgressProps) -> Html {
    let cancel = {
        let lab = props.lab.clone();
        Callback::from(move |_| lab.cancel())
    };
    let again = {
        let lab = props.lab.clone();
        Callback::from(move |_| lab.reread())
    };
    let body = match &props.phase {
        Phase::Empty => Html::default(),
        Phase::Ready => html! { <p class="hidden-visually">{ &props.counted }</p> },
        Phase::Working(step, progress) => html! {
            <div class="keys-working">
                <label for="keys-progress">{ format!("{} …", doing(*step)) }</label>
                <progress id="keys-progress" max={progress.total.to_string()} value={progress.done.to_string()} />
                <span class="mono" aria-hidden="true">{ format!("{} of {} {}", group(progress.done), group(progress.total), unit(*step)) }</span>
                <button class="button" onclick={cancel}>{ "Cancel" }</button>
            </div>
        },
        Phase::Cancelled(step) => html! {
            <p class="keys-note">
                { format!("{} was cancelled. What is shown is from before.", doing(*step)) }
                <button class="button" onclick={again}>{ "Read the keys again" }</button>
            </p>
        },
        Phase::Failed(error) => html! { <p class="keys-note bad">{ sentence(error) }</p> },
    };
    html! { <div class="keys-progress" role="status">{ body }</div> }
}

fn doing(step: Step) -> &'static str {
    match step {
        Step::Reading => "Reading",
        Step::Placing => "Placing",
        Step::Sorting => "Sorting",
        Step::Writing => "Writing the file",
    }
}

fn unit(step: Step) -> &'static str {
    match step {
        Step::Reading => "bytes",
        Step::Placing | Step::Writing => "keys",
        Step::Sorting => "steps",
    }
}
