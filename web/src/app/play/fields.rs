//! Fields of the playground's forms: texts of several lines, numbers that may be left out, and names of keys.
//!
//! They hold what was typed until it is accepted; what it means is decided by the form.

use std::str::FromStr;

use engine::Duration;
use engine::size::Bytes;
use yew::{
    AttrValue, Callback, Event, Html, InputEvent, KeyboardEvent, Properties, TargetCast, component, html, use_state,
    use_state_eq,
};

use crate::app::controls::unique_name;

/// Takes a value over, or says why not.
pub type Accept<T> = Callback<T, Result<(), String>>;

/// A text of several lines, taken over when the field is left.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct AreaFieldProps {
    /// Its label.
    pub label: AttrValue,
    /// The text in force.
    pub value: AttrValue,
    /// Takes a text over; an error is shown beside the field and the text stays.
    pub accept: Accept<AttrValue>,
    /// How many lines are seen.
    #[prop_or(4)]
    pub rows: u32,
}

/// The field. What is typed stays until it is accepted.
#[component]
pub fn AreaField(props: &AreaFieldProps) -> Html {
    let typed = use_state(|| None::<AttrValue>);
    let error = use_state_eq(|| None::<String>);
    let id = use_state(unique_name);
    let oninput = {
        let typed = typed.clone();
        Callback::from(move |event: InputEvent| {
            typed.set(Some(event.target_unchecked_into::<web_sys::HtmlTextAreaElement>().value().into()))
        })
    };
    let onchange = {
        let (typed, error, accept) = (typed.clone(), error.clone(), props.accept.clone());
        Callback::from(move |event: Event| {
            let text: AttrValue = event.target_unchecked_into::<web_sys::HtmlTextAreaElement>().value().into();
            let result = accept.emit(text.clone());
            typed.set(result.is_err().then_some(text));
            error.set(result.err());
        })
    };
    let onkeydown = Callback::from(|event: KeyboardEvent| {
        // Keys of the time bar must not act while somebody types; Escape still closes the form.
        if event.key() != "Escape" {
            event.stop_propagation();
        }
    });
    let error_id = format!("{}-error", *id);
    html! {
        <div class="field area">
            <label for={(*id).clone()}>{ &props.label }</label>
            <textarea id={(*id).clone()} rows={props.rows.to_string()} spellcheck="false" autocomplete="off" autocapitalize="off"
                value={typed.as_ref().unwrap_or(&props.value).clone()} aria-invalid={error.is_some().then_some("true")}
                aria-describedby={error.is_some().then(|| error_id.clone())} {oninput} {onchange} {onkeydown} />
            if let Some(reason) = &*error { <p class="field-error" id={error_id} role="alert">{ reason }</p> }
        </div>
    }
}

/// A whole number; an empty text leaves it out.
pub fn optional_number<N: FromStr>(text: &str) -> Result<Option<N>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| format!("\"{text}\" is not a whole number that fits here."))
}

/// A whole number.
pub fn number<N: FromStr>(text: &str) -> Result<N, String> {
    optional_number(text)?.ok_or_else(|| "A whole number is needed here.".to_owned())
}

/// A length of time; an empty text leaves it out.
pub fn optional_duration(text: &str) -> Result<Option<Duration>, String> {
    let text = text.trim();
    if text.is_empty() { Ok(None) } else { Duration::parse(text).map(Some).map_err(|reason| format!("{reason}.")) }
}

/// A size; an empty text leaves it out.
pub fn optional_bytes(text: &str) -> Result<Option<Bytes>, String> {
    let text = text.trim();
    if text.is_empty() { Ok(None) } else { Bytes::parse(text).map(Some).map_err(|reason| format!("{reason}.")) }
}

/// A text; an empty one leaves it out.
pub fn optional_text(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Texts, one a line. Line ends at the end are left out.
pub fn lines(text: &str) -> Vec<String> {
    let text = text.trim_end_matches(['\n', '\r']);
    if text.is_empty() { Vec::new() } else { text.lines().map(str::to_owned).collect() }
}

/// What a field shows for a value that may be left out.
pub fn shown<T: ToString>(value: Option<T>) -> AttrValue {
    value.map_or_else(AttrValue::default, |value| value.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: PartialEq + std::fmt::Debug>(found: T, expected: T) {
        assert_eq!(found, expected);
    }

    #[test]
    fn an_empty_field_leaves_its_value_out() {
        check(optional_number::<u32>("  "), Ok(None));
        check(optional_number::<u32>(" 12 "), Ok(Some(12)));
        check(optional_duration(""), Ok(None));
        check(optional_duration("5 s"), Ok(Some(Duration::from_secs(5))));
        check(lines("a\n b\n\n"), vec!["a".to_owned(), " b".to_owned()]);
        check(lines("\n"), Vec::new());
    }

    #[test]
    fn a_value_that_does_not_fit_is_answered_with_a_sentence() {
        check(number::<u32>("-1"), Err("\"-1\" is not a whole number that fits here.".to_owned()));
        check(number::<u32>(""), Err("A whole number is needed here.".to_owned()));
        let reason = optional_duration("5").expect_err("there is no unit");
        assert!(reason.contains("500 ms"), "{reason}");
    }
}
