//! What an open lesson looks like: prose and steps in one column, the stage and its panels in the other.
//!
//! It shows the state of `room` and sends messages; it decides nothing.

use std::rc::Rc;

use course::Panel;
use yew::{AttrValue, Callback, Context, Html, html};

use super::controls;
use super::prediction::PredictionCard;
use super::room::{LessonRoom, Message};
use super::steps::Steps;
use crate::app::controls::copy;
use crate::app::panels::deck::Deck;
use crate::app::panels::lesson_panel::lesson_panel;
use crate::app::part::part;
use crate::app::prose;
use crate::app::router::{Location, Route};
use crate::app::share;
use crate::app::stage::instrument::Instrument;
use crate::app::stage::picture;
use crate::app::stage::titles::titles;

impl LessonRoom {
    /// Title, steps, fine print and tools.
    pub(super) fn prose_column(&self, ctx: &Context<Self>) -> Html {
        let lesson = self.lesson();
        let (previous, next) = ctx.props().index.neighbors(&lesson.slug);
        let done: Rc<[bool]> = (0..self.act().steps.len()).map(|place| self.is_done(place)).collect();
        html! {
            <>
                <header class="lesson-head">
                    <h1>{ &lesson.title }</h1>
                    <p class="lead">{ &lesson.question }</p>
                    { prose(&lesson.intro) }
                </header>
                if lesson.acts.len() > 1 { { self.act_tabs(ctx) } }
                if lesson.counts_acts { { self.counter() } }
                { part!(Steps { act: Rc::new(self.act().clone()), done, now: self.step, prediction: self.prediction(ctx), is_asking: self.is_asking(), problem: self.problem.clone(), is_running: self.running.is_some(), onward: self.onward(ctx), ontake: ctx.link().callback(Message::Take), onopen: ctx.link().callback(Message::Open) }) }
                <details class="fine-print"><summary>{ "Fine print" }</summary>{ prose(&lesson.fine_print) }</details>
                { self.tools(ctx) }
                <nav class="neighbors" aria-label="Neighboring lessons">
                    if let Some(entry) = previous { { neighbor(entry, "Previous", "←") } }
                    if let Some(entry) = next { { neighbor(entry, "Next", "→") } }
                </nav>
            </>
        }
    }

    /// From the end of this act to the next one that can run, after the last to the next lesson.
    fn onward(&self, ctx: &Context<Self>) -> Html {
        let lesson = self.lesson();
        if let Some(place) = next_act(&lesson.acts, self.opened.act) {
            let onclick = ctx.link().callback(move |_| Message::Act(place));
            return html! { <button class="button primary" {onclick}>{ format!("Next: {}", lesson.acts[place].title) }</button> };
        }
        let (route, text) = match ctx.props().index.neighbors(&lesson.slug).1 {
            Some(entry) => (Route::Learn(entry.slug.clone()), format!("Next lesson: {}", entry.title)),
            None => (Route::Home, "All lessons".to_owned()),
        };
        html! { <a class="button primary" href={Location::new(route).to_string()}>{ text }</a> }
    }

    fn act_tabs(&self, ctx: &Context<Self>) -> Html {
        let tab = |(place, act): (usize, &course::Act)| {
            let is_open = place == self.opened.act;
            html! {
                <button key={act.id.clone()} class="button quiet" aria-pressed={if is_open { "true" } else { "false" }}
                    onclick={ctx.link().callback(move |_| Message::Act(place))}>
                    { &act.title }
                    if let Some(later) = &act.later { <span class="later-note">{ format!(" · later, with {later}") }</span> }
                </button>
            }
        };
        html! { <div class="acts" role="group" aria-label="Acts">{ for self.lesson().acts.iter().enumerate().map(tab) }</div> }
    }

    /// How many acts have all their steps done, with a sign for each.
    fn counter(&self) -> Html {
        let lesson = self.lesson();
        let is_green = |act: &course::Act| {
            act.steps.iter().all(|step| step.later.is_some() || self.progress.is_complete(&lesson.slug, &step.id))
        };
        let green = lesson.acts.iter().filter(|act| is_green(act)).count();
        let sign = |act: &course::Act| {
            let (class, sign) = if is_green(act) { ("green", "✓") } else { ("red", "✗") };
            html! { <i key={act.id.clone()} {class} aria-hidden="true" title={act.title.clone()}>{ sign }</i> }
        };
        html! {
            <p class="act-counter" role="status">
                { for lesson.acts.iter().map(sign) }
                { format!("{green} of {} checks green", lesson.acts.len()) }
            </p>
        }
    }

    /// The prediction of the open step.
    fn asked(&self) -> Option<&course::Prediction> {
        let id = self.act().steps.get(self.step)?.ask.as_deref()?;
        self.lesson().prediction(id)
    }

    /// Whether it is neither guessed nor skipped yet.
    fn is_asking(&self) -> bool {
        let slug = &self.lesson().slug;
        self.asked().is_some_and(|prediction| {
            self.progress.answered(slug, &prediction.id).is_none() && self.verdicts.of(slug, &prediction.id).is_none()
        })
    }

    fn prediction(&self, ctx: &Context<Self>) -> Html {
        let Some(prediction) = self.asked() else { return Html::default() };
        let stage = self.scenario();
        let given = self.progress.answered(&self.lesson().slug, &prediction.id).cloned();
        let verdict = self.verdicts.of(&self.lesson().slug, &prediction.id).cloned();
        let (id, skipped) = (prediction.id.clone(), prediction.id.clone());
        let onskip = ctx.link().callback(move |()| Message::Skip(skipped.clone()));
        let onanswer = ctx.link().callback(move |answer| Message::Answer(id.clone(), answer));
        part!(
            PredictionCard {
                prediction: Rc::new(prediction.clone()),
                form: prediction.form(&stage),
                given,
                verdict,
                onanswer,
                onskip
            },
            key = prediction.id.clone()
        )
    }

    fn tools(&self, ctx: &Context<Self>) -> Html {
        let link = self.session.read(|player| self.opened.link(player, &self.settings));
        let copy_link = {
            let (opened, session, settings) = (self.opened.clone(), self.session.clone(), self.settings.clone());
            let scope = ctx.link().clone();
            Callback::from(move |_| {
                let scope = scope.clone();
                // The moment of the click: while it plays, what is rendered is a little older.
                let link = session.read(|player| opened.link(player, &settings));
                copy(&share::absolute(&link), move |done| scope.send_message(Message::Copied(done)));
            })
        };
        let save = {
            let (session, name) = (self.session.clone(), self.slug());
            Callback::from(move |_| picture::save(&session, &name))
        };
        html! {
            <div class="lesson-tools">
                <button class="button" onclick={ctx.link().callback(|_| Message::Reset)}>{ "Reset the stage" }</button>
                <button class="button" onclick={copy_link}>{ "Copy link" }</button>
                <button class="button" onclick={save}>{ "Save picture" }</button>
                <a class="button" href={Location::new(Route::Play).with("link", link.clone()).to_string()}>{ "Open in the playground" }</a>
                <a class="button" href={Location::new(Route::Embed).with("lesson", self.slug()).to_string()}>{ "Embed" }</a>
                <button class="button quiet" onclick={ctx.link().callback(|_| Message::Forget)}>{ "Start the lesson again" }</button>
                <p class="said" role="status">{ self.said.unwrap_or_default() }</p>
            </div>
        }
    }

    /// The stage with its controls, the panels of the lesson, and the deck.
    pub(super) fn stage_column(&self, ctx: &Context<Self>) -> Html {
        let names = titles(&self.session);
        let point_at: Rc<[String]> =
            self.act().steps.get(self.step).map(|step| step.point_at.clone()).unwrap_or_default().into();
        let languages: Rc<[scene::code::Language]> =
            self.lesson().code.iter().map(|language| language_of(*language)).collect();
        html! {
            <>
                { part!(Instrument { session: self.session.clone(), titles: Rc::clone(&names), controls: self.control_row(ctx), page_keys: true, controls_below: true, point_at, label: self.lesson().title.clone() }) }
                { self.extra_panels(&names) }
                { part!(Deck { session: self.session.clone(), titles: names, languages }) }
            </>
        }
    }

    fn control_row(&self, ctx: &Context<Self>) -> Html {
        let scenario = self.scenario();
        let accept: controls::Accept = {
            let (link, settings, base) = (ctx.link().clone(), self.settings.clone(), self.opened.clone());
            Callback::from(move |(name, value): (String, String)| {
                let mut next = settings.clone();
                next.set(&name, &value).map_err(|error| error.to_string())?;
                next.apply(&base.scenario).map_err(|error| error.to_string())?;
                link.send_message(Message::Set(name, value));
                Ok(())
            })
        };
        let has_compare = self.lesson().control("compare").is_some();
        html! {
            <>
                { for self.lesson().controls.iter().filter(|control| controls::meets(&control.setting, &scenario)).map(|control| controls::control(control, &self.settings, &scenario, &accept)) }
                if !has_compare { { controls::compare(&self.settings, &scenario, &accept) } }
            </>
        }
    }

    fn extra_panels(&self, names: &Rc<[AttrValue]>) -> Html {
        let panel = |panel: &Panel| html! { <div key={format!("{panel:?}")}>{ lesson_panel(*panel, &self.session, names, &self.settings) }</div> };
        html! { <div class="extra-panels">{ for self.panels.iter().map(panel) }</div> }
    }
}

/// The place of the next act that does not wait for later.
fn next_act(acts: &[course::Act], now: usize) -> Option<usize> {
    acts.iter().enumerate().skip(now + 1).find(|(_, act)| act.later.is_none()).map(|(place, _)| place)
}

fn neighbor(entry: &course::IndexEntry, word: &'static str, sign: &'static str) -> Html {
    let href = Location::new(Route::Learn(entry.slug.clone())).to_string();
    html! { <a class="neighbor" {href}><small>{ format!("{word} lesson {sign}") }</small>{ &entry.title }</a> }
}

fn language_of(language: course::CodeLanguage) -> scene::code::Language {
    use course::CodeLanguage;
    use scene::code::Language;
    match language {
        CodeLanguage::Java => Language::Java,
        CodeLanguage::Python => Language::Python,
        CodeLanguage::Go => Language::Go,
        CodeLanguage::JavaScript => Language::JavaScript,
        CodeLanguage::Rust => Language::Rust,
    }
}

#[cfg(test)]
mod tests {
    use super::next_act;

    fn check(later: &[bool], now: usize, expected: Option<usize>) {
        let act = |later: &bool| course::Act {
            id: String::new(),
            title: String::new(),
            scenario: String::new(),
            settings: course::Settings::default(),
            panels: Vec::new(),
            steps: Vec::new(),
            later: later.then(|| "compaction".to_owned()),
        };
        assert_eq!(next_act(&later.iter().map(act).collect::<Vec<_>>(), now), expected, "{later:?} after {now}");
    }

    #[test]
    fn an_act_leads_to_the_next_one_that_can_run() {
        check(&[false, false], 0, Some(1));
        check(&[false, true, false], 0, Some(2));
        check(&[false, true], 0, None);
        check(&[false, false], 1, None);
    }
}
