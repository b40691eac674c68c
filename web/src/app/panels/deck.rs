//! Panels below a stage in two columns of tabs: what the program and Kafka say, and what happened.
//!
//! Chooses which panel is seen. What a panel shows is its own business.

use std::rc::Rc;

use scene::code::Language;
use yew::{AttrValue, Callback, Html, KeyboardEvent, Properties, component, html, use_effect_with, use_state_eq};

use super::code::Code;
use super::comparison::ComparisonTable;
use super::configs::Configs;
use super::describe::Describe;
use super::groups::Groups;
use super::inspector::Inspector;
use super::log::Log;
use super::metrics::Metrics;
use crate::app::controls::unique_name;
use crate::app::part::part;
use crate::app::session::{Rate, Session, use_session};

/// A panel of the deck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// `kafka-topics.sh --describe`.
    Describe,
    /// The producers' programs.
    Code,
    /// Settings.
    Configs,
    /// Kafka's command lines, where the page has a terminal.
    Terminal,
    /// The event log.
    Events,
    /// The selected noun.
    Inspector,
    /// Groups and their members.
    Groups,
    /// Where each key lands.
    Keys,
    /// What Kafka's meters would show.
    Metrics,
}

impl Tab {
    fn name(self) -> &'static str {
        match self {
            Tab::Describe => "Describe",
            Tab::Code => "Code",
            Tab::Configs => "Configs",
            Tab::Terminal => "Terminal",
            Tab::Events => "Events",
            Tab::Inspector => "Inspector",
            Tab::Groups => "Groups",
            Tab::Keys => "Keys",
            Tab::Metrics => "Metrics",
        }
    }
}

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct DeckProps {
    /// The session.
    pub session: Session,
    /// What the sides are called.
    #[prop_or_default]
    pub titles: Rc<[AttrValue]>,
    /// Languages of the code panel, the first shown first.
    #[prop_or_default]
    pub languages: Rc<[Language]>,
    /// The page's terminal, if it has one.
    #[prop_or_default]
    pub terminal: Option<Html>,
}

/// The deck.
#[component]
pub fn Deck(props: &DeckProps) -> Html {
    let DeckProps { session, titles, languages, terminal } = props;
    let left = use_state_eq(|| Tab::Describe);
    let right = use_state_eq(|| Tab::Events);
    let side = use_state_eq(|| 0_usize);
    let sides = session.read(scene::Player::sides);
    let shown_side = (*side).min(sides - 1);
    use_selection_opens(session, &right);
    let panel = |tab: Tab| match tab {
        Tab::Describe => part!(Describe { session: session.clone(), side: shown_side }),
        Tab::Code => part!(Code { session: session.clone(), side: shown_side, preferred: Rc::clone(languages) }),
        Tab::Configs => part!(Configs { session: session.clone(), side: shown_side }),
        Tab::Events => part!(Log { session: session.clone(), side: shown_side }),
        Tab::Inspector => part!(Inspector { session: session.clone() }),
        Tab::Terminal => terminal.clone().unwrap_or_default(),
        Tab::Groups => part!(Groups { session: session.clone(), titles: Rc::clone(titles) }),
        Tab::Keys => part!(ComparisonTable { session: session.clone(), titles: Rc::clone(titles) }),
        Tab::Metrics => part!(Metrics { session: session.clone(), side: shown_side }),
    };
    let left_tabs: &'static [Tab] = if terminal.is_some() {
        &[Tab::Describe, Tab::Code, Tab::Configs, Tab::Terminal]
    } else {
        &[Tab::Describe, Tab::Code, Tab::Configs]
    };
    let has_groups = session.snapshot(0).consumers.iter().any(|consumer| consumer.membership.is_some());
    let right_tabs: &'static [Tab] = match (sides > 1, has_groups) {
        (true, true) => &[Tab::Events, Tab::Groups, Tab::Keys, Tab::Inspector, Tab::Metrics],
        (true, false) => &[Tab::Events, Tab::Keys, Tab::Inspector, Tab::Metrics],
        (false, true) => &[Tab::Events, Tab::Groups, Tab::Inspector, Tab::Metrics],
        (false, false) => &[Tab::Events, Tab::Inspector, Tab::Metrics],
    };
    html! {
        <div class="deck" part="panels">
            if sides > 1 {
                <div class="deck-side">
                    { for (0..sides).map(|index| side_button(index, shown_side, titles.get(index).cloned().unwrap_or_default(), &side)) }
                </div>
            }
            <div class="deck-column">
                { part!(Tabs { label: "Program and topic", tabs: left_tabs, selected: *left, onselect: set(&left) }) }
                <div class="deck-panel">{ panel(*left) }</div>
            </div>
            <div class="deck-column">
                { part!(Tabs { label: "What happened", tabs: right_tabs, selected: *right, onselect: set(&right) }) }
                <div class="deck-panel">{ panel(*right) }</div>
            </div>
        </div>
    }
}

fn side_button(index: usize, shown: usize, title: AttrValue, side: &yew::UseStateHandle<usize>) -> Html {
    let side = side.clone();
    let onclick = Callback::from(move |_| side.set(index));
    html! { <button key={index} class="button quiet" aria-pressed={if index == shown { "true" } else { "false" }} {onclick}>{ title }</button> }
}

fn set(state: &yew::UseStateHandle<Tab>) -> Callback<Tab> {
    let state = state.clone();
    Callback::from(move |tab| state.set(tab))
}

/// A new selection brings the inspector up.
#[yew::hook]
fn use_selection_opens(session: &Session, right: &yew::UseStateHandle<Tab>) {
    use_session(session, Rate::Table);
    let selection = session.selection().map(|selection| (selection.side, selection.id));
    let right = right.clone();
    use_effect_with(selection, move |selection| {
        if selection.is_some() {
            right.set(Tab::Inspector);
        }
    });
}

#[derive(Clone, Debug, PartialEq, Properties)]
struct TabsProps {
    label: AttrValue,
    tabs: &'static [Tab],
    selected: Tab,
    onselect: Callback<Tab>,
}

/// A row of tabs; arrow keys walk through them.
#[component]
fn Tabs(props: &TabsProps) -> Html {
    let TabsProps { label, tabs, selected, onselect } = props;
    let name = yew::use_state(unique_name);
    let onkeydown = {
        let (tabs, selected, onselect) = (*tabs, *selected, onselect.clone());
        Callback::from(move |event: KeyboardEvent| {
            let step: isize = match event.key().as_str() {
                "ArrowRight" => 1,
                "ArrowLeft" => -1,
                _ => return,
            };
            event.prevent_default();
            event.stop_propagation();
            let place = tabs.iter().position(|tab| *tab == selected).unwrap_or(0);
            let next = tabs[place.wrapping_add_signed(step + tabs.len() as isize) % tabs.len()];
            onselect.emit(next);
        })
    };
    let tab = |tab: &Tab| {
        let (tab, is_selected) = (*tab, tab == selected);
        html! {
            <button key={tab.name()} id={format!("{}-{}", *name, tab.name())} role="tab" aria-selected={if is_selected { "true" } else { "false" }}
                tabindex={if is_selected { "0" } else { "-1" }} onclick={onselect.reform(move |_| tab)}>{ tab.name() }</button>
        }
    };
    html! { <div class="tabs" role="tablist" aria-label={label.clone()} {onkeydown}>{ for tabs.iter().map(tab) }</div> }
}
