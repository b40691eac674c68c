//! What was done in this run, and the futures that were set aside; both can be gone back to.

use std::rc::Rc;

use engine::event::EventKind;
use engine::timeline::{BranchInfo, TimedCommand};
use yew::{Callback, Html, component, html};

use super::setup::SetUpProps;
use super::summary::count;
use super::workbench::Workbench;
use crate::app::session::{Rate, use_session};

/// Acts that are listed; older ones are in the event log.
const ACTS_MAX: usize = 40;

/// The two lists; nothing while both are empty.
#[component]
pub fn Past(props: &SetUpProps) -> Html {
    let bench = &props.bench;
    let session = bench.session();
    use_session(&session, Rate::Table);
    let (commands, branches) = session.read(|player| (player.timeline(0).commands().to_vec(), player.branches(0)));
    if commands.is_empty() && branches.is_empty() {
        return Html::default();
    }
    let first = commands.len().saturating_sub(ACTS_MAX);
    html! {
        <section class="setup past" aria-labelledby="past-title">
            <header><h2 id="past-title">{ "This run" }</h2></header>
            if !commands.is_empty() {
                <h3>{ "What you did" }</h3>
                <ol class="acts-done">{ for commands.iter().enumerate().skip(first).map(|(number, timed)| act(bench, number, timed)) }</ol>
            }
            if !branches.is_empty() {
                <h3>{ "Futures set aside" }</h3>
                <ul class="acts-done">{ for branches.iter().rev().map(|info| branch(bench, info)) }</ul>
            }
        </section>
    }
}

fn act(bench: &Workbench, number: usize, timed: &TimedCommand) -> Html {
    let kind = EventKind::CommandApplied { number: number as u64, command: Rc::clone(&timed.command) };
    let onclick = {
        let (session, time) = (bench.session(), timed.moment.time);
        Callback::from(move |_| session.queue(move |player| player.seek(time)))
    };
    html! {
        <li key={number}><button title="Go to this moment" {onclick}><time>{ timed.moment.time.to_string() }</time><span>{ kind.to_string() }</span></button></li>
    }
}

fn branch(bench: &Workbench, info: &BranchInfo) -> Html {
    let onclick = {
        let (bench, id) = (bench.clone(), info.id);
        Callback::from(move |_| bench.open_branch(id))
    };
    let acts = usize::try_from(info.command_count).unwrap_or(usize::MAX);
    let text = format!("ran on to {}, {}", info.end.time, count(acts, "act"));
    html! {
        <li key={info.id} class="branch-row">
            <time>{ info.forked.time.to_string() }</time><span>{ &text }</span>
            <button class="button" aria-label={format!("Reopen the future from {}, which {text}", info.forked.time)} {onclick}>{ "Reopen" }</button>
        </li>
    }
}
