//! The stage in words: a tree for the keyboard and for screen readers, beside the picture. The words are `scene`'s.
//!
//! It takes no room on the page; the picture shows which of its nodes has the focus.

use scene::tree::Node;
use yew::{AttrValue, Callback, FocusEvent, Html, KeyboardEvent, Properties, component, html};

/// What the tree shows.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct TreeProps {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// What the whole is called.
    pub label: AttrValue,
    /// The node that Tab reaches; the first if it is not there.
    pub stop: Option<AttrValue>,
    /// The selected node.
    pub selected: Option<AttrValue>,
    /// Told the node that has the focus, or none.
    pub onfocus: Callback<Option<AttrValue>>,
    /// Told every key.
    pub onkeydown: Callback<KeyboardEvent>,
}

/// The tree.
#[component]
pub fn Tree(props: &TreeProps) -> Html {
    let is_there = props.stop.as_deref().is_some_and(|id| contains(&props.nodes, id));
    let stop = if is_there { props.stop.as_deref() } else { props.nodes.first().map(|node| &*node.id) };
    let onfocusin =
        props.onfocus.reform(|event: FocusEvent| event.target().and_then(|target| super::keyboard::node_id(&target)));
    let onfocusout = props.onfocus.reform(|_: FocusEvent| None);
    html! {
        <ul class="hidden-visually" role="tree" aria-label={props.label.clone()} {onfocusin} {onfocusout} onkeydown={props.onkeydown.clone()}>
            { for props.nodes.iter().map(|node| branch(node, stop, props.selected.as_deref())) }
        </ul>
    }
}

fn branch(node: &Node, stop: Option<&str>, selected: Option<&str>) -> Html {
    let id = node.id.to_string();
    let is_selected = selected == Some(&*node.id);
    html! {
        <li key={id.clone()} role="treeitem" data-node={id} aria-label={node.label.to_string()}
            aria-selected={if is_selected { "true" } else { "false" }} tabindex={if stop == Some(&*node.id) { "0" } else { "-1" }}>
            if !node.children.is_empty() {
                <ul role="group">{ for node.children.iter().map(|child| branch(child, stop, selected)) }</ul>
            }
        </li>
    }
}

fn contains(nodes: &[Node], id: &str) -> bool {
    nodes.iter().any(|node| &*node.id == id || contains(&node.children, id))
}
