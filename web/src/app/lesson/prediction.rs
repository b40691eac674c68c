//! A prediction: asked before running, then compared with what the engine computes. It is never graded.

use std::collections::BTreeSet;
use std::rc::Rc;

use course::predict::Form;
use course::{Answer, Prediction};
use yew::{Callback, Event, Html, Properties, SubmitEvent, TargetCast, UseStateHandle, component, html, use_state};

use super::verdict::Verdict;
use crate::app::prose;

/// What is asked and what was answered.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct PredictionProps {
    /// The prediction.
    pub prediction: Rc<Prediction>,
    /// How it is asked on the present stage.
    pub form: Form,
    /// The reader's answer.
    pub given: Option<Answer>,
    /// What the engine said at the moment of the answer; without an answer the question was skipped then.
    pub verdict: Option<Verdict>,
    /// Told the reader's answer.
    pub onanswer: Callback<Answer>,
    /// Told that the reader does not want to guess.
    pub onskip: Callback<()>,
}

/// The question, or both answers.
#[component]
pub fn PredictionCard(props: &PredictionProps) -> Html {
    let keys = use_state(BTreeSet::<String>::new);
    let number = use_state(String::new);
    let error = use_state(|| None::<String>);
    let question = html! { <div class="question">{ prose(&props.prediction.question) }</div> };
    if props.given.is_some() || props.verdict.is_some() {
        return html! { <div class="prediction answered">{ question }{ compared(props) }</div> };
    }
    let skip = html! { <button type="button" class="button quiet" onclick={props.onskip.reform(|_| ())}>{ "Skip the question" }</button> };
    let body = match &props.form {
        Form::Keys(all) => key_boxes(all, &keys),
        Form::Number(max) => number_field(*max, &number, &error),
        Form::YesNo => return html! { <div class="prediction">{ question }{ yes_no(&props.onanswer, skip) }</div> },
    };
    let onsubmit = {
        let (form, onanswer) = (props.form.clone(), props.onanswer.clone());
        let (keys, number, error) = (keys.clone(), number.clone(), error.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            match answer(&form, &keys, &number) {
                Ok(answer) => onanswer.emit(answer),
                Err(reason) => error.set(Some(reason)),
            }
        })
    };
    html! {
        <form class="prediction" {onsubmit}>
            { question }
            { body }
            <p class="button-row"><button class="button">{ "That is my guess" }</button>{ skip }</p>
        </form>
    }
}

fn answer(form: &Form, keys: &BTreeSet<String>, number: &str) -> Result<Answer, String> {
    match form {
        Form::Keys(_) => Ok(Answer::Keys(keys.clone())),
        Form::YesNo => Err("Choose yes or no.".to_owned()),
        Form::Number(max) => {
            let number = number.trim().parse::<u64>().ok().filter(|number| number <= max);
            number.map(Answer::Number).ok_or_else(|| format!("Type a whole number from 0 to {max}."))
        }
    }
}

fn key_boxes(all: &[String], chosen: &UseStateHandle<BTreeSet<String>>) -> Html {
    let key_box = |key: &String| {
        let onchange = {
            let (key, chosen) = (key.clone(), chosen.clone());
            Callback::from(move |_: Event| {
                let mut next = (*chosen).clone();
                if !next.remove(&key) {
                    next.insert(key.clone());
                }
                chosen.set(next);
            })
        };
        html! { <label key={key.clone()} class="check"><input type="checkbox" checked={chosen.contains(key)} {onchange} /><code>{ key }</code></label> }
    };
    html! { <fieldset class="boxes"><legend class="hidden-visually">{ "Keys" }</legend>{ for all.iter().map(key_box) }</fieldset> }
}

fn number_field(max: u64, number: &UseStateHandle<String>, error: &UseStateHandle<Option<String>>) -> Html {
    let oninput = {
        let (number, error) = (number.clone(), error.clone());
        Callback::from(move |event: yew::InputEvent| {
            number.set(event.target_unchecked_into::<web_sys::HtmlInputElement>().value());
            error.set(None);
        })
    };
    html! {
        <label class="field inline">
            <span class="hidden-visually">{ format!("A number from 0 to {max}") }</span>
            <input type="text" inputmode="numeric" size="6" value={(**number).clone()} aria-invalid={error.is_some().then_some("true")} {oninput} />
            if let Some(reason) = &**error { <p class="field-error" role="alert">{ reason }</p> }
        </label>
    }
}

fn yes_no(onanswer: &Callback<Answer>, skip: Html) -> Html {
    let button = |text: &'static str, answer: bool| {
        html! { <button class="button" onclick={onanswer.reform(move |_| Answer::YesNo(answer))}>{ text }</button> }
    };
    html! { <p class="button-row">{ button("Yes", true) }{ button("No", false) }{ skip }</p> }
}

fn compared(props: &PredictionProps) -> Html {
    let (class, sentence) = outcome(props.given.as_ref(), props.verdict.as_ref());
    html! { <div class={class}><p><strong>{ sentence }</strong></p>{ prose(&props.prediction.after) }</div> }
}

/// The class and the sentence of what was said beside what the engine says.
fn outcome(given: Option<&Answer>, verdict: Option<&Verdict>) -> (&'static str, String) {
    let said = given.map_or_else(|| "You skipped this.".to_owned(), |given| format!("You said {}.", words(given)));
    match verdict {
        Some(Ok(computed)) if Some(computed) == given => ("right", "As you said.".to_owned()),
        Some(Ok(computed)) => ("other", format!("{said} The engine says {}.", words(computed))),
        Some(Err(reason)) => ("other", format!("{said} The engine cannot answer on this stage: {reason}")),
        None => ("other", said),
    }
}

/// An answer in words.
fn words(answer: &Answer) -> String {
    match answer {
        Answer::YesNo(true) => "yes".to_owned(),
        Answer::YesNo(false) => "no".to_owned(),
        Answer::Number(number) => number.to_string(),
        Answer::Keys(keys) if keys.is_empty() => "none of them".to_owned(),
        Answer::Keys(keys) => keys.iter().cloned().collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(form: &Form, number: &str, expected: Result<Answer, &str>) {
        let found = answer(form, &BTreeSet::new(), number);
        assert_eq!(found, expected.map_err(ToOwned::to_owned), "{number}");
    }

    #[test]
    fn a_number_is_asked_for_in_words() {
        check(&Form::Number(6), " 4 ", Ok(Answer::Number(4)));
        check(&Form::Number(6), "7", Err("Type a whole number from 0 to 6."));
        check(&Form::Number(6), "many", Err("Type a whole number from 0 to 6."));
        check(&Form::Keys(vec!["a".into()]), "", Ok(Answer::Keys(BTreeSet::new())));
    }

    #[test]
    fn a_guess_stands_beside_what_the_engine_said() {
        let (two, four) = (Answer::Number(2), Answer::Number(4));
        let reason = Err("no key".to_owned());
        for (given, verdict, expected) in [
            (Some(&two), Some(&Ok(two.clone())), ("right", "As you said.")),
            (Some(&two), Some(&Ok(four.clone())), ("other", "You said 2. The engine says 4.")),
            (Some(&two), Some(&reason), ("other", "You said 2. The engine cannot answer on this stage: no key")),
            (Some(&two), None, ("other", "You said 2.")),
            (None, Some(&Ok(four.clone())), ("other", "You skipped this. The engine says 4.")),
        ] {
            assert_eq!(outcome(given, verdict), (expected.0, expected.1.to_owned()));
        }
    }
}
