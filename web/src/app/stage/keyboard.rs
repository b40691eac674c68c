//! Keys of the stage: walking its tree, and the time keys that work on the whole page.
//!
//! Text fields and native controls keep their own keys.

use scene::Player;
use wasm_bindgen::JsCast;
use yew::KeyboardEvent;

use crate::app::session::{Selection, Session};

/// Speeds that the bracket keys walk through, in thousandths.
pub const SPEEDS: [u32; 9] = [100, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 100_000];

/// The next faster or slower speed.
pub fn next_speed(speed: u32, is_faster: bool) -> u32 {
    let next = match is_faster {
        true => SPEEDS.into_iter().find(|known| *known > speed),
        false => SPEEDS.into_iter().rev().find(|known| *known < speed),
    };
    next.unwrap_or(speed)
}

/// Arrow keys inside the tree: up and down walk in reading order, left and right leave and enter.
pub fn on_tree_key(session: &Session, side: usize, event: &KeyboardEvent) {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let Some(node) = target.and_then(|target| target.closest("[role=treeitem]").ok().flatten()) else { return };
    let key = event.key();
    let next = match key.as_str() {
        "ArrowDown" => neighbor(&node, 1),
        "ArrowUp" => neighbor(&node, -1),
        "ArrowRight" => node.query_selector("[role=treeitem]").ok().flatten(),
        "ArrowLeft" => node.parent_element().and_then(|parent| parent.closest("[role=treeitem]").ok().flatten()),
        "Enter" | " " => {
            let id = node.get_attribute("data-node");
            session.select(id.map(|id| Selection { side, id: id.into() }));
            Some(node.clone())
        }
        "Escape" => {
            session.select(None);
            Some(node.clone())
        }
        _ => return,
    };
    if event.shift_key() {
        return;
    }
    event.prevent_default();
    event.stop_propagation();
    if let Some(next) = next {
        focus(&next);
    }
}

/// The id of the tree's node that an event was for.
pub fn node_id(target: &web_sys::EventTarget) -> Option<yew::AttrValue> {
    let element: &web_sys::Element = target.dyn_ref()?;
    let node = element.closest("[data-node]").ok().flatten()?;
    node.get_attribute("data-node").map(yew::AttrValue::from)
}

/// The node so many places further in reading order.
fn neighbor(node: &web_sys::Element, step: i32) -> Option<web_sys::Element> {
    let tree = node.closest("[role=tree]").ok().flatten()?;
    let nodes = tree.query_selector_all("[role=treeitem]").ok()?;
    let place =
        (0..nodes.length()).find(|index| nodes.get(*index).is_some_and(|other| other.is_same_node(Some(node))))?;
    let next = place.checked_add_signed(step)?;
    nodes.get(next)?.dyn_into().ok()
}

fn focus(node: &web_sys::Element) {
    if let Some(node) = node.dyn_ref::<web_sys::HtmlElement>() {
        // Focus fails only for a node that has left the document.
        let _ = node.focus();
    }
}

/// A time key, from anywhere on the page or in the widget. True if it was one.
pub fn on_time_key(session: &Session, event: &KeyboardEvent) -> bool {
    if event.default_prevented() || event.ctrl_key() || event.meta_key() || event.alt_key() || keeps_its_keys(event) {
        return false;
    }
    let shift = event.shift_key();
    match event.key().as_str() {
        " " => session.toggle_play(),
        "ArrowRight" if shift => session.queue(|player| player.next_mark(true)),
        "ArrowLeft" if shift => session.queue(|player| player.next_mark(false)),
        "ArrowRight" => session.queue(|player| player.step()),
        "ArrowLeft" => session.queue(|player| player.step_back()),
        "[" => session.queue(|player| player.set_speed(next_speed(player.speed(), false))),
        "]" => session.queue(|player| player.set_speed(next_speed(player.speed(), true))),
        "Home" => session.queue(Player::to_start),
        _ => return false,
    }
    event.prevent_default();
    true
}

/// Whether the element that has the focus uses this key itself.
fn keeps_its_keys(event: &KeyboardEvent) -> bool {
    // Inside a shadow root the event's target is the host; the path begins with the real one.
    let first = event.composed_path().get(0);
    let Some(target) = first.dyn_ref::<web_sys::Element>() else { return false };
    let is_space = event.key() == " ";
    match target.tag_name().to_ascii_lowercase().as_str() {
        "input" | "select" | "textarea" => true,
        "button" | "a" | "summary" => is_space,
        _ => {
            matches!(target.get_attribute("role").as_deref(), Some("slider" | "treeitem"))
                && event.key().starts_with("Arrow")
                && !event.shift_key()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::next_speed;

    fn check(speed: u32, is_faster: bool, expected: u32) {
        assert_eq!(next_speed(speed, is_faster), expected, "{speed} faster: {is_faster}");
    }

    #[test]
    fn brackets_walk_through_the_speeds_and_stop_at_the_ends() {
        check(1_000, true, 2_000);
        check(1_000, false, 500);
        check(1_500, true, 2_000);
        check(100, false, 100);
        check(100_000, true, 100_000);
    }
}
