//! The event log in plain sentences; a click goes to the moment. The sentences are the engine's own.

use std::rc::Rc;

use engine::Event;
use engine::event::NodeId;
use yew::{
    AttrValue, Callback, Html, NodeRef, Properties, UseStateHandle, component, hook, html, use_effect_with,
    use_mut_ref, use_node_ref, use_state, use_state_eq,
};

use super::log_filter::{KindGroup, concerns, is_replication_traffic, nodes};
use crate::app::controls::{Choice, Select};
use crate::app::part::part;
use crate::app::session::{Rate, Session, use_session};

/// Rows that are in the document at once; older ones are a click away.
const WINDOW: usize = 120;
/// The same while it plays: nobody reads what is pushed out ten times a second.
const WINDOW_PLAYING: usize = 24;
/// Events that the log shows, at most.
const EVENTS_MAX: usize = 20_000;
/// Events that are looked through, shown or not.
const SEARCHED_MAX: u64 = 100_000;

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct LogProps {
    /// The session.
    pub session: Session,
    /// The side of a comparison.
    #[prop_or_default]
    pub side: usize,
    /// Whether the filters are shown.
    #[prop_or(true)]
    pub filters: bool,
}

/// The log, oldest first, up to the playhead.
#[component]
pub fn Log(props: &LogProps) -> Html {
    let LogProps { session, side, filters } = props;
    use_session(session, Rate::Table);
    let node = use_state(|| None::<NodeId>);
    let group = use_state(KindGroup::default);
    let pages_back = use_state(|| 0_usize);
    let shows_traffic = use_state_eq(|| false);
    let list = use_node_ref();
    // Whoever asks for replication gets all of it.
    let hides_traffic = !*shows_traffic && *group != KindGroup::Replication;
    let accept = |event: &Event| {
        group.holds(event)
            && !(hides_traffic && is_replication_traffic(event))
            && node.as_ref().is_none_or(|node| concerns(event, node))
    };
    let (events, has_earlier, is_cut) = window(session, *side, *pages_back, &accept);
    let onscroll = use_following(&list, (events.last().map(|event| event.index), events.len()), *pages_back == 0);
    let page = |by: isize| {
        let pages_back = pages_back.clone();
        Callback::from(move |_| pages_back.set(pages_back.saturating_add_signed(by)))
    };
    let last = events.len().saturating_sub(1);
    html! {
        <div class="panel log" role="group" aria-label="Event log" part="log">
            <div class="panel-head">
                <h2>{ "Events" }</h2>
                if *filters {
                    { node_filter(session, *side, &node) }
                    { kind_filter(&group) }
                }
                { traffic_switch(session, *side, &shows_traffic) }
            </div>
            <div class="log-scroll" tabindex="0" role="group" aria-label="Events up to now" {onscroll} ref={list}>
                if has_earlier { <button class="button quiet" onclick={page(1)}>{ "Earlier events" }</button> }
                if is_cut { <p class="empty">{ "What happened longer ago is not searched." }</p> }
                if events.is_empty() { <p class="empty">{ nothing(session, *side) }</p> }
                <ol>{ for events.iter().enumerate().map(|(index, event)| row(session, *side, event, index == last && *pages_back == 0)) }</ol>
                if *pages_back > 0 { <button class="button quiet" onclick={page(-1)}>{ "Later events" }</button> }
            </div>
        </div>
    }
}

fn nothing(session: &Session, side: usize) -> &'static str {
    if session.event_count(side) == 0 {
        "Nothing has happened yet. Press play, or step forward."
    } else {
        "Nothing that is shown here has happened lately."
    }
}

/// The events of the window, whether there are earlier ones, and whether the search ended before the start of the run.
fn window(
    session: &Session,
    side: usize,
    pages_back: usize,
    accept: &dyn Fn(&Event) -> bool,
) -> (Vec<Event>, bool, bool) {
    let is_running = pages_back == 0 && session.read(scene::Player::is_playing);
    let wanted = if is_running { WINDOW_PLAYING } else { ((pages_back + 1) * WINDOW).min(EVENTS_MAX) };
    let first = session.event_count(side).saturating_sub(SEARCHED_MAX);
    // One more than is shown tells whether there are earlier ones.
    let mut events = session.recent_from(side, first, wanted + 1, accept);
    let has_earlier = events.len() > wanted;
    if has_earlier {
        events.remove(0);
    }
    let end = events.len().saturating_sub(pages_back * WINDOW);
    events.truncate(end);
    (events, has_earlier, first > 0 && !has_earlier)
}

/// Replication can be shown where anything is replicated.
fn traffic_switch(session: &Session, side: usize, shows: &UseStateHandle<bool>) -> Html {
    let snapshot = session.snapshot(side);
    let mut partitions = snapshot.topics.iter().flat_map(|topic| &topic.partitions);
    if !partitions.any(|partition| partition.replicas.len() > 1) {
        return Html::default();
    }
    let onchange = {
        let shows = shows.clone();
        Callback::from(move |_| shows.set(!*shows))
    };
    html! { <label class="check"><input type="checkbox" checked={**shows} {onchange} />{ "Replication" }</label> }
}

fn row(session: &Session, side: usize, event: &Event, is_now: bool) -> Html {
    let (session, moment) = (session.clone(), event.moment);
    let onclick = Callback::from(move |_| session.queue(move |player| player.seek_moment(side, moment)));
    html! {
        <li key={event.index} class={if is_now { "now" } else { "" }}>
            <button {onclick} title="Go to this moment"><time>{ event.moment.time.to_string() }</time><span>{ event.to_string() }</span></button>
        </li>
    }
}

fn node_filter(session: &Session, side: usize, node: &UseStateHandle<Option<NodeId>>) -> Html {
    let known = nodes(&session.snapshot(side));
    let all = std::iter::once(Choice::new("", "Everywhere"));
    let choices: Rc<[Choice]> = all
        .chain(known.iter().enumerate().map(|(index, (_, words))| Choice::new(index.to_string(), words.clone())))
        .collect();
    let selected =
        known.iter().position(|(id, _)| Some(id) == node.as_ref()).map_or_else(String::new, |index| index.to_string());
    let onselect = {
        let node = node.clone();
        Callback::from(move |value: AttrValue| {
            let chosen = value.parse::<usize>().ok().and_then(|index| known.get(index));
            node.set(chosen.map(|(id, _)| id.clone()));
        })
    };
    part!(Select { legend: "Where", quiet: true, choices, selected, onselect })
}

fn kind_filter(group: &UseStateHandle<KindGroup>) -> Html {
    let choices: Rc<[Choice]> =
        KindGroup::ALL.iter().enumerate().map(|(index, (_, words))| Choice::new(index.to_string(), *words)).collect();
    let selected = KindGroup::ALL.iter().position(|(known, _)| *known == **group).unwrap_or(0).to_string();
    let onselect = {
        let group = group.clone();
        Callback::from(move |value: AttrValue| {
            let chosen = value.parse::<usize>().ok().and_then(|index| KindGroup::ALL.get(index));
            group.set(chosen.map_or(KindGroup::All, |(group, _)| *group));
        })
    };
    part!(Select { legend: "What", quiet: true, choices, selected, onselect })
}

/// Keeps the newest row in view, unless the reader has scrolled up; what is to be called when the list scrolls.
/// `rows` are the number of the newest one and how many there are.
#[hook]
fn use_following(list: &NodeRef, rows: (Option<u64>, usize), is_wanted: bool) -> Callback<yew::Event> {
    /// Pixels from the end within which the reader counts as being there.
    const NEAR_END: i32 = 40;
    let is_at_end = use_mut_ref(|| true);
    {
        let (list, is_at_end) = (list.clone(), is_at_end.clone());
        use_effect_with((rows, is_wanted), move |(_, is_wanted)| {
            if let Some(list) = list.cast::<web_sys::Element>().filter(|_| *is_wanted && *is_at_end.borrow()) {
                list.set_scroll_top(list.scroll_height());
            }
        });
    }
    let last_top = use_mut_ref(|| 0);
    let list = list.clone();
    Callback::from(move |_| {
        if let Some(list) = list.cast::<web_sys::Element>() {
            let top = list.scroll_top();
            let is_near = list.scroll_height() - top - list.client_height() < NEAR_END;
            // Rows that came since the list was scrolled are no sign that its reader went up.
            let has_gone_up = top < last_top.replace(top);
            let mut is_at_end = is_at_end.borrow_mut();
            *is_at_end = is_near || *is_at_end && !has_gone_up;
        }
    })
}
