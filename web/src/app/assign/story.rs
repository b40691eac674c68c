//! The story: what has happened to the group, one step back or forward, and what can happen next.
//!
//! Deliberately not here: what the assignors make of it.

use assignlab::{Change, Member, Step};
use web_sys::HtmlInputElement;
use yew::{Callback, FocusEvent, Html, MouseEvent, Properties, TargetCast, classes, component, html, use_state_eq};

use super::lab::{Lab, View};
use super::samples;
use crate::app::controls::copy;
use crate::app::part::part;

/// How many members get a button to leave beside the steps; all of them have one in the list of members.
const LEAVERS: usize = 6;

/// The panel with the steps.
pub fn story(lab: &Lab, view: &View) -> Html {
    let story = &view.settings.story;
    let at = story.at();
    let next = story.next().map(|change| format!("Next: {change}"));
    html! {
        <section class="panel assign-story" aria-labelledby="assign-story-title">
            <div class="assign-row">
                <h2 id="assign-story-title">{ "What happens" }</h2>
                { samples(lab) }
                <button class="button" disabled={!view.can_undo} onclick={lab.doing(Lab::undo)}>{ "Undo" }</button>
                { part!(CopyLink { lab: lab.clone() }) }
            </div>
            <ol class="assign-steps">{ for story.steps().iter().enumerate().map(|(place, step)| step_button(lab, at, place, step)) }</ol>
            <div class="assign-row">
                <button class="button" disabled={at == 0} onclick={lab.doing(move |lab| lab.go(at.saturating_sub(1)))}>{ "Back" }</button>
                if let Some(next) = next {
                    <button class="button primary" onclick={lab.doing(move |lab| lab.go(at + 1))}>{ next }</button>
                }
                { acts(lab, view) }
                <button class="button quiet" disabled={at == 0} onclick={lab.doing(Lab::start_here)}>{ "Start from here" }</button>
            </div>
        </section>
    }
}

fn step_button(lab: &Lab, at: usize, place: usize, step: &Step) -> Html {
    let text = step.change.as_ref().map_or_else(|| start(step), Change::to_string);
    let later = (place > at).then_some("later");
    html! {
        <li key={place}>
            <button class={classes!("assign-step", later)} aria-current={(place == at).then_some("step")} onclick={lab.doing(move |lab| lab.go(place))}>
                <span class="assign-number">{ place }</span>{ text }
            </button>
        </li>
    }
}

fn start(step: &Step) -> String {
    match step.plan.members.as_slice() {
        [] => "Start, nobody yet".to_owned(),
        [one] => format!("Start with {}", one.id),
        members => format!("Start with {} members", members.len()),
    }
}

/// A newcomer, and everybody who could leave; not what comes next anyway.
fn acts(lab: &Lab, view: &View) -> Html {
    let story = &view.settings.story;
    let plan = &story.step().plan;
    let joins =
        Change::Join(Member::new(free_id(&plan.members.iter().map(|member| member.id.as_str()).collect::<Vec<_>>())));
    let leaves = plan.members.iter().take(LEAVERS).map(|member| Change::Leave { member: member.id.clone() });
    let all = [joins].into_iter().chain(leaves).filter(|change| story.next() != Some(change));
    let button = |change: Change| {
        let text = change.to_string();
        html! { <button key={text.clone()} class="button" onclick={lab.doing(move |lab| lab.try_act(change.clone()))}>{ text }</button> }
    };
    html! { <>{ for all.map(button) }</> }
}

/// The id for the next member: after A, B the letter C, after c1, c2 the id c3.
pub fn free_id(taken: &[&str]) -> String {
    let is_numbered = taken.last().is_some_and(|id| id.ends_with(|letter: char| letter.is_ascii_digit()));
    let stem = taken.last().map_or("", |id| id.trim_end_matches(|letter: char| letter.is_ascii_digit()));
    let letters = ('A'..='Z').map(String::from);
    let numbered = (1..).map(|number| format!("{}{number}", if stem.is_empty() { "c" } else { stem }));
    let mut candidates: Box<dyn Iterator<Item = String>> = match is_numbered {
        true => Box::new(numbered),
        false => Box::new(letters.chain(numbered)),
    };
    candidates.find(|id| !taken.contains(&id.as_str())).expect("numbers do not end")
}

#[derive(Clone, PartialEq, Properties)]
struct CopyLinkProps {
    lab: Lab,
}

/// What became of the link: copied, or shown to be copied by hand where the browser refuses.
#[component]
fn CopyLink(props: &CopyLinkProps) -> Html {
    let copied = use_state_eq(|| None::<Option<String>>);
    let onclick = {
        let (lab, copied) = (props.lab.clone(), copied.clone());
        Callback::from(move |_: MouseEvent| {
            let page = web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default();
            let link = format!("{}{}", page.split('#').next().unwrap_or_default(), lab.location());
            let (copied, by_hand) = (copied.clone(), link.clone());
            copy(&link, move |is_done| copied.set(Some((!is_done).then_some(by_hand))));
        })
    };
    let select = Callback::from(|event: FocusEvent| event.target_unchecked_into::<HtmlInputElement>().select());
    html! {
        <>
            <button class="button" {onclick}>{ "Copy link" }</button>
            <span role="status">{ match &*copied {
                None => Html::default(),
                Some(None) => html! { "Copied." },
                Some(Some(link)) => html! {
                    <label class="field inline">{ "Copy it from here:" }<input class="mono" readonly=true value={link.clone()} onfocus={select} /></label>
                },
            } }</span>
        </>
    }
}

#[cfg(test)]
mod tests {
    use super::free_id;

    #[test]
    fn newcomers_are_named_as_the_others() {
        for (taken, expected) in [
            (&[][..], "A"),
            (&["A", "B"], "C"),
            (&["B"], "A"),
            (&["c1", "c2"], "c3"),
            (&["c2"], "c1"),
            (&["7"], "c1"),
            (&["main"], "A"),
        ] {
            assert_eq!(free_id(taken), expected, "{taken:?}");
        }
    }
}
