//! The key lab: your keys, any clients, any counts. Runs no simulation, and does no arithmetic of its own.

mod agreement;
mod filters;
mod findings;
mod input;
mod job;
mod lab;
mod load;
mod moves;
mod plan;
mod progress;
mod share;
mod table;

use crate::app::part::part;
use yew::{Callback, Html, Properties, component, html, use_effect_with, use_force_update, use_memo, use_state_eq};

use self::agreement::Agreement;
use self::filters::Filters;
use self::findings::{BadLinesList, Findings};
use self::input::InputPanel;
use self::lab::{Lab, Outcome, Phase, Shared, View};
use self::load::LoadChart;
use self::moves::Moves;
use self::plan::PlanPanel;
use self::progress::Progress;
use self::share::SharePanel;
use self::table::KeyTable;
use super::controls::{Choice, Segments};
use super::router::{Location, Route, Watch};

/// The page.
#[component]
pub fn KeysPage() -> Html {
    let lab = use_memo((), |()| Lab::new());
    let redraw = use_force_update();
    {
        let lab = (*lab).clone();
        use_effect_with((), move |()| {
            lab.listen(Callback::from(move |()| redraw.force_update()));
            open_address(&lab);
            let watch = Watch::new({
                let lab = lab.clone();
                move |location: Location| {
                    if location.route == Route::Keys {
                        open_address(&lab);
                    }
                }
            });
            move || {
                drop(watch);
                lab.close();
            }
        });
    }
    let lab = (*lab).clone();
    let view = lab.view();
    html! {
        <div class="keys">
            <header class="keys-head">
                <h1 class="page-title">{ "Key lab" }</h1>
                <p>{ "Where do the keys of your own topic land, which clients agree about them, and which keys move when the topic grows? Nothing you put in leaves this page." }</p>
            </header>
            <div class="keys-setup">
                { part!(InputPanel { lab: lab.clone(), text: view.text.clone(), input_name: view.input_name.clone(), parse: view.settings.parse.clone(), parsed: view.outcome.as_ref().map(|outcome| outcome.parsed.clone()) }) }
                { part!(PlanPanel { lab: lab.clone(), settings: view.settings.clone() }) }
            </div>
            { part!(Progress { lab: lab.clone(), phase: view.phase.clone(), counted: counted(&view) }) }
            { results(&lab, &view) }
        </div>
    }
}

/// Settings in the address, behind its question mark. Without them the lab stays as it is.
fn open_address(lab: &Lab) {
    let hash = web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
    if let Some((_, text)) = hash.split_once('?') {
        lab.open_link(text);
    }
}

/// What a screen reader hears when a job has ended.
fn counted(view: &View) -> String {
    match (&view.outcome, &view.rows) {
        (Some(outcome), Some(rows)) => {
            let (keys, bad) = (outcome.parsed.keys.len(), outcome.parsed.bad_lines.count());
            format!(
                "{} read, {} bad lines, {} in the table.",
                plural(keys as u64, "key"),
                group(bad.into()),
                group(rows.len() as u64)
            )
        }
        _ => String::new(),
    }
}

fn results(lab: &Lab, view: &View) -> Html {
    let (Some(outcome), Some(rows)) = (&view.outcome, &view.rows) else {
        return if view.phase == Phase::Empty { empty() } else { Html::default() };
    };
    if outcome.parsed.keys.is_empty() {
        return html! {
            <>
                <section class="panel keys-empty"><h2>{ "No key was found" }</h2>
                <p>{ "Every line was blank, a header, or bad. Change how the lines are read, or look at the list below." }</p></section>
                { part!(BadLinesList { outcome: outcome.clone() }) }
            </>
        };
    }
    html! {
        <>
            { part!(Charts { outcome: outcome.clone(), lab: lab.clone() }) }
            <section class="panel keys-list" aria-labelledby="keys-list-title">
                <h2 id="keys-list-title">{ "Keys" }</h2>
                { part!(Filters { lab: lab.clone(), outcome: outcome.clone(), filter: view.filter.clone(), order: view.order, shown: rows.len() }) }
                { part!(KeyTable { lab: lab.clone(), outcome: outcome.clone(), rows: rows.clone(), filter: view.filter.clone(), order: view.order }) }
            </section>
            { part!(SharePanel { lab: lab.clone(), outcome: outcome.clone(), settings: view.settings.clone(), rows: rows.len(), busy: matches!(view.phase, Phase::Working(..)) }) }
        </>
    }
}

fn empty() -> Html {
    html! {
        <section class="panel keys-empty">
            <h2>{ "Put in some keys to begin" }</h2>
            <p>{ "One key a line, as a producer would send them:" }</p>
            <pre>{ "user-1\nuser-2\nuser-3" }</pre>
            <p>{ "Or a CSV export with a header; a column with counts makes frequent keys weigh more:" }</p>
            <pre>{ "key,count\nuser-1,1200\nuser-2,35" }</pre>
        </section>
    }
}

/// What the charts show.
#[derive(Clone, PartialEq, Properties)]
struct ChartsProps {
    lab: Lab,
    outcome: Shared<Outcome>,
}

/// Do shares count keys, or the records behind them?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    Keys,
    Records,
}

/// All charts, which share the choice between keys and records.
#[component]
fn Charts(props: &ChartsProps) -> Html {
    let by_records = use_state_eq(|| false);
    let keys = &props.outcome.parsed.keys;
    let weighted = keys.weight_total() != keys.len() as u64;
    let measure = if weighted && *by_records { Measure::Records } else { Measure::Keys };
    let choose = {
        let by_records = by_records.clone();
        Callback::from(move |value: yew::AttrValue| by_records.set(value == "records"))
    };
    let choices = [Choice::new("keys", "Keys"), Choice::new("records", "Records")];
    let selected = if measure == Measure::Records { "records" } else { "keys" };
    html! {
        <>
            { part!(Findings { outcome: props.outcome.clone(), measure }) }
            { part!(BadLinesList { outcome: props.outcome.clone() }) }
            if weighted {
                { part!(Segments { legend: "Shares and loads count", choices: std::rc::Rc::from(choices), selected, onselect: choose }) }
            }
            <div class="keys-charts">
                { part!(Agreement { outcome: props.outcome.clone(), measure }) }
                { part!(Moves { outcome: props.outcome.clone(), measure }) }
                { part!(LoadChart { lab: props.lab.clone(), outcome: props.outcome.clone(), measure }) }
            </div>
        </>
    }
}

/// A number with a thin space between groups of three digits.
fn group(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A number of things: "1 key", "30 keys".
fn plural(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", group(number))
}

/// An error as a sentence: a capital at its beginning, a full stop at its end.
fn sentence(error: &str) -> String {
    let mut letters = error.chars();
    let first = letters.next().map_or_else(String::new, |first| first.to_uppercase().collect());
    let end = if error.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::{group, plural, sentence};

    #[track_caller]
    fn check(number: u64, expected: &str) {
        assert_eq!(group(number), expected.replace(' ', "\u{202f}"));
    }

    #[test]
    fn errors_become_sentences() {
        assert_eq!(sentence("line 1: é"), "Line 1: é.");
        assert_eq!(sentence("did you mean \"java\"?"), "Did you mean \"java\"?");
    }

    #[test]
    fn digits_are_grouped_by_three() {
        check(0, "0");
        check(999, "999");
        check(1_000, "1 000");
        check(1_234_567, "1 234 567");
        assert_eq!((plural(1, "key").as_str(), plural(2, "key").as_str()), ("1 key", "2 keys"));
    }
}
