//! The assignor bench of a lesson: members that join a topic all at once, and what two versions of one assignor make
//! of it.
//!
//! No clock and no story; who wants members to come and go opens the assignment lab.

use std::rc::Rc;

use assignlab::Settings;
use yew::{AttrValue, Callback, Html, UseStateHandle, component, html, use_state};

use super::card::card;
use super::lab::View;
use crate::app::controls::TextField;
use crate::app::part::part;

/// The assignors of the bench, as a link of the lab names them.
const SHOWN: &str = "server-uniform,server-uniform-4.0.0";

/// What is dealt, and to how many.
#[derive(Clone, Copy, PartialEq)]
struct Deal {
    partitions: u32,
    members: u32,
}

impl Deal {
    fn settings(self) -> Result<Settings, String> {
        let names: Vec<String> = ('A'..='Z').take(self.members as usize).map(String::from).collect();
        if names.len() < self.members as usize {
            return Err(format!("Members have one letter each here, so at most {}.", names.len()));
        }
        let link = format!("topics=orders:{}&members={}&show={SHOWN}", self.partitions, names.join(","));
        Settings::from_link(&link).map_err(|error| error.to_string())
    }
}

/// The panel, beginning with the lesson's example.
#[component]
pub fn AssignorBench() -> Html {
    let deal = use_state(|| Deal { partitions: 5, members: 2 });
    let settings = deal.settings().expect("a deal is taken only when it is one");
    let view = View { settings: Rc::new(settings), can_undo: false, error: None };
    let step = view.settings.story.step();
    html! {
        <section class="panel assign assign-bench" aria-label="Assignor bench">
            <h2>{ "Assignor bench" }</h2>
            <div class="assign-row">
                { number(&deal, "Partitions", deal.partitions, |deal, partitions| Deal { partitions, ..deal }) }
                { number(&deal, "New members, in one call", deal.members, |deal, members| Deal { members, ..deal }) }
            </div>
            <div class="assign-cards">
                { for view.settings.shown.iter().map(|assignor| card(&view, step, *assignor)) }
            </div>
        </section>
    }
}

fn number(deal: &UseStateHandle<Deal>, label: &'static str, value: u32, with: fn(Deal, u32) -> Deal) -> Html {
    let state = deal.clone();
    let accept = Callback::from(move |text: AttrValue| {
        let number = text.trim().parse().map_err(|_| "A whole number is expected, such as 5.".to_owned())?;
        let next = with(*state, number);
        next.settings()?;
        state.set(next);
        Ok(())
    });
    part!(TextField { label, value: value.to_string(), accept, size: 4 }, key = label)
}
