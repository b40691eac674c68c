//! What the forms of acts share: their bench, menus of names, buttons that act, and what did not fit.
//!
//! No form is here, and none of these knows what an act does: that is the engine's business.

use std::rc::Rc;

use engine::Command;
use engine::command::{Status, Surface};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::{
    AttrValue, Callback, Html, MouseEvent, Properties, TargetCast, UseStateHandle, hook, html, use_effect_with,
    use_state_eq,
};

use super::workbench::Workbench;
use crate::app::controls::Choice;

/// On which bench, and how the form is closed.
#[derive(Clone, PartialEq, Properties)]
pub struct ActFormProps {
    /// The bench.
    pub bench: Workbench,
    /// Closes the form.
    pub close: Callback<()>,
}

/// A menu of names.
pub fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Rc<[Choice]> {
    names.into_iter().map(|name| Choice::new(name.to_owned(), name.to_owned())).collect()
}

/// Acts on a bench, and why the last act made no sense.
#[derive(Clone)]
pub struct Doing {
    bench: Workbench,
    problem: UseStateHandle<Option<String>>,
    /// Its number, and the method that was called, if it was one.
    last: UseStateHandle<Option<(u64, &'static str)>>,
}

/// Acts of a form.
#[hook]
pub fn use_doing(bench: &Workbench) -> Doing {
    let problem = use_state_eq(|| None::<String>);
    let last = use_state_eq(|| None::<(u64, &'static str)>);
    Doing { bench: bench.clone(), problem, last }
}

impl Doing {
    /// Acts now. What comes of it is said under the buttons; what makes no sense is said in the form.
    pub fn act(&self, command: &Command) {
        self.call("", command);
    }

    fn call(&self, method: &'static str, command: &Command) {
        match self.bench.act_and_say(command) {
            Ok(outcomes) => {
                self.problem.set(None);
                self.last.set(outcomes.first().map(|outcome| (outcome.command, method)));
            }
            Err(error) => self.problem.set(Some(error.to_string())),
        }
    }

    /// Says why there is no command to give.
    pub fn complain(&self, reason: String) {
        self.problem.set(Some(reason));
    }

    /// Acts when it is called.
    pub fn on(&self, command: Command) -> Callback<MouseEvent> {
        self.on_call("", command)
    }

    /// Calls a method of a client when it is called.
    pub fn on_call(&self, method: &'static str, command: Command) -> Callback<MouseEvent> {
        let doing = self.clone();
        Callback::from(move |event| {
            if !is_held_back(&event) {
                doing.call(method, &command);
            }
        })
    }

    /// A button with the name of the method that it calls.
    pub fn call_button(&self, method: &'static str, command: Command) -> Html {
        html! { <button key={method} class="button" onclick={self.on_call(method, command)}>{ method }</button> }
    }

    /// A button that acts.
    pub fn button(&self, text: &'static str, command: Command) -> Html {
        self.button_in(text, text, command)
    }

    /// A button that takes the place of another one with the same `place`, and its focus.
    pub fn button_in(&self, place: &'static str, text: &'static str, command: Command) -> Html {
        self.styled("button", place, text, command)
    }

    /// A button that acts, in red.
    pub fn danger(&self, text: &'static str, command: Command) -> Html {
        self.danger_in(text, text, command)
    }

    /// The same, in its place.
    pub fn danger_in(&self, place: &'static str, text: &'static str, command: Command) -> Html {
        self.styled("button danger", place, text, command)
    }

    fn styled(&self, class: &'static str, place: &'static str, text: &'static str, command: Command) -> Html {
        html! { <button key={place} {class} onclick={self.on(command)}>{ text }</button> }
    }

    /// Why the last act made no sense, else what the client's own call threw, as its application meets it.
    pub fn result(&self) -> Html {
        if self.problem.is_some() {
            return self.problem();
        }
        let Some((number, method)) = *self.last else { return Html::default() };
        let (is_due, outcome) = self.bench.session().read(|player| {
            let timeline = player.timeline(0);
            let given = usize::try_from(number).ok().and_then(|number| timeline.commands().get(number));
            (given.is_some_and(|timed| timeline.moment() >= timed.moment), timeline.outcome(number))
        });
        let is_open = outcome.as_ref().is_none_or(|outcome| outcome.status == Status::Pending);
        if is_due && is_open {
            return self.pending();
        }
        let Some(outcome) = outcome else { return Html::default() };
        let Some(error) = &outcome.error else { return Html::default() };
        let call = if method.is_empty() { "The call".to_owned() } else { format!("{method}()") };
        // Without the name of an exception it is a code that the call returned.
        let how = match outcome.surfaced {
            Some(Surface::Thrown) if error.exception.is_empty() => format!("{call} failed with "),
            Some(Surface::Thrown) => format!("{call} threw "),
            Some(Surface::Future) if error.exception.is_empty() => {
                format!("{call} returned; the delivery report says ")
            }
            Some(Surface::Future) => format!("{call} returned; its future failed with "),
            None => "Refused: ".to_owned(),
        };
        // The same is announced below the forms.
        html! { <p class="field-error">{ how }<code>{ error.to_string() }</code></p> }
    }

    /// An answer takes simulated time, which may stand still: then there is a way on, where the reader looks.
    fn pending(&self) -> Html {
        let session = self.bench.session();
        if session.read(scene::Player::is_playing) {
            return Html::default();
        }
        // A stage that nobody sees does not play: it is brought onto the screen.
        let onclick = Callback::from(move |_| {
            session.toggle_play();
            session.show();
        });
        html! {
            <p class="hint button-row">
                { "Time stands still, so no answer comes." }
                <button class="button" {onclick}>{ "Play" }</button>
            </p>
        }
    }

    /// Why the last act made no sense.
    pub fn problem(&self) -> Html {
        let reason = |reason: &String| html! { <p class="field-error" role="alert">{ reason }</p> };
        self.problem.as_ref().map_or_else(Html::default, reason)
    }
}

/// Whether a field that goes with the pressed button holds something that was refused: what is typed there stays,
/// the field gets the focus, and nothing is done without it. Fields and buttons that go together stand in an element
/// with `data-fields`.
fn is_held_back(event: &MouseEvent) -> bool {
    let fields = event.target_dyn_into::<Element>().and_then(|button| button.closest("[data-fields]").ok().flatten());
    let refused = fields.and_then(|fields| fields.query_selector("[aria-invalid=true]").ok().flatten());
    let Some(refused) = refused.and_then(|field| field.dyn_into::<HtmlElement>().ok()) else { return false };
    // A field that cannot have the focus is red all the same.
    refused.focus().ok();
    true
}

/// What a menu stands at: what was chosen in it, unless something else was selected on the stage after that.
#[hook]
pub fn use_choice(selected: Option<String>) -> (Option<String>, Callback<AttrValue>) {
    let chosen = use_state_eq(|| None::<String>);
    {
        let chosen = chosen.clone();
        use_effect_with(selected.clone(), move |selected| {
            if selected.is_some() {
                chosen.set(None);
            }
        });
    }
    let onselect = {
        let chosen = chosen.clone();
        Callback::from(move |name: AttrValue| chosen.set(Some(name.to_string())))
    };
    ((*chosen).clone().or(selected), onselect)
}

/// The name behind the kind of what is selected on the stage: `events-2` of `partition:events-2`.
pub fn selected(bench: &Workbench, kind: &str) -> Option<String> {
    let selection = bench.session().selection()?;
    let (found, name) = selection.id.split_once(':')?;
    (found == kind).then(|| name.to_owned())
}

/// The broker that is selected, by itself or with a replica on it.
pub fn selected_broker(bench: &Workbench) -> Option<String> {
    let of_replica = || selected(bench, "replica").and_then(|name| Some(name.rsplit_once('@')?.1.to_owned()));
    selected(bench, "broker").or_else(of_replica)
}

/// The partition that is selected, by itself or by a replica, as `TOPIC-N`.
pub fn selected_partition(bench: &Workbench) -> Option<String> {
    let of_replica = || selected(bench, "replica").and_then(|name| Some(name.rsplit_once('@')?.0.to_owned()));
    selected(bench, "partition").or_else(of_replica)
}
