//! One side of a stage: the still layer as SVG, the canvas of the moving layer over it, and the same in words.
//!
//! Lays out for the width it gets and never scales. What a selection means is decided by others.

use std::rc::Rc;

use scene::still::DiffKeys;
use scene::{LayoutOptions, Stage, StillOptions};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use yew::{
    AttrValue, Callback, Html, KeyboardEvent, MouseEvent, NodeRef, Properties, component, hook, html, use_effect_with,
    use_memo, use_node_ref, use_state_eq,
};

use super::frame::MovingLayer;
use super::tree::Tree;
use super::{keyboard, style, svg};
use crate::app::part::part;
use crate::app::session::{Rate, Selection, Session, use_session};
use crate::app::theme;

/// Which side of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct StageViewProps {
    /// The session.
    pub session: Session,
    /// The side of a comparison, from 0.
    #[prop_or_default]
    pub side: usize,
    /// The heading of this side.
    #[prop_or_default]
    pub title: Option<AttrValue>,
    /// Keys to mark.
    #[prop_or_default]
    pub elsewhere: Option<Rc<DiffKeys>>,
    /// Ids to point at, as a lesson's step does.
    #[prop_or_default]
    pub point_at: Rc<[String]>,
    /// What a screen reader calls the picture.
    #[prop_or(AttrValue::Static("Stage"))]
    pub label: AttrValue,
}

/// One side of a stage.
#[component]
pub fn StageView(props: &StageViewProps) -> Html {
    let StageViewProps { session, side, .. } = props;
    use_session(session, Rate::Frame);
    let frame = use_node_ref();
    let canvas = use_node_ref();
    let layer = use_memo(session.clone(), |_| MovingLayer::default());
    let width = use_width(&frame);
    let focused = use_state_eq(|| None::<AttrValue>);
    let stop = use_state_eq(|| None::<AttrValue>);
    use_moving_layer(session, *side, &layer, &canvas, *width > 0);
    use_seen(session, &frame);
    if *width == 0 {
        return html! { <div class="scene-frame" ref={frame} /> };
    }

    let (stage, list) = still_layer(props, (*width as f32).max(LayoutOptions::WIDTH_MIN));
    let nodes = stage.tree(&session.snapshot(*side));
    if layer.set_stage(stage) {
        session.repaint();
    }
    let onfocus = {
        let (focused, stop) = (focused.clone(), stop.clone());
        Callback::from(move |id: Option<AttrValue>| {
            if id.is_some() {
                stop.set(id.clone());
            }
            focused.set(id);
        })
    };
    let onkeydown = {
        let (session, side) = (session.clone(), *side);
        Callback::from(move |event: KeyboardEvent| keyboard::on_tree_key(&session, side, &event))
    };
    html! {
        <div class="scene-frame" ref={frame}>
            { part!(Tree { nodes, label: props.label.clone(), stop: (*stop).clone(), selected: selected(session, *side), onfocus, onkeydown }) }
            <svg class="stage scene" width={list.width.to_string()} height={list.height.to_string()} aria-hidden="true"
                onclick={select_callback(session, *side)}>
                { svg::nodes(&list) }
                { svg::frames(&list, props.point_at.iter().map(String::as_str), "point-at") }
                { svg::frames(&list, focused.as_deref(), "focus-ring") }
            </svg>
            <canvas class="scene-motion" aria-hidden="true" ref={canvas} />
        </div>
    }
}

/// What is selected on a side.
fn selected(session: &Session, side: usize) -> Option<AttrValue> {
    session.selection().filter(|selection| selection.side == side).map(|selection| selection.id.to_string().into())
}

/// The layout and the still layer of a side at a width.
fn still_layer(props: &StageViewProps, width: f32) -> (Stage, scene::DisplayList) {
    let snapshot = props.session.snapshot(props.side);
    let palette = props.session.palette();
    let mut options = LayoutOptions::new(width);
    options.title = props.title.as_deref().map(Rc::from);
    options.chip_width = palette.widest_chip();
    let selected = selected(&props.session, props.side);
    options.selected = selected.as_deref().map(Rc::from);
    let stage = scene::layout(&snapshot, &options);
    let still = StillOptions { palette: &palette, selected: selected.as_deref(), diff: props.elsewhere.as_deref() };
    let list = scene::still(&stage, &snapshot, &still);
    (stage, list)
}

fn select_callback(session: &Session, side: usize) -> Callback<MouseEvent> {
    let session = session.clone();
    Callback::from(move |event: MouseEvent| {
        let id = event.target().and_then(|target| svg_id(&target));
        session.select(id.map(|id| Selection { side, id: id.into() }));
    })
}

/// The id of the item that a node belongs to.
fn svg_id(target: &web_sys::EventTarget) -> Option<String> {
    let element: &web_sys::Element = target.dyn_ref()?;
    element.closest("[data-id]").ok().flatten()?.get_attribute("data-id")
}

/// The width of an element in whole pixels, kept up to date.
#[hook]
pub fn use_width(node: &NodeRef) -> yew::UseStateHandle<u32> {
    let width = use_state_eq(|| 0_u32);
    {
        let width = width.clone();
        use_effect_with(node.clone(), move |node| {
            let element = node.cast::<web_sys::Element>();
            let measure = {
                let node = node.clone();
                move || {
                    if let Some(element) = node.cast::<web_sys::Element>() {
                        width.set(element.client_width().max(0) as u32);
                    }
                }
            };
            measure();
            let callback = Closure::<dyn FnMut()>::new(measure);
            let observer = web_sys::ResizeObserver::new(callback.as_ref().unchecked_ref()).ok();
            if let (Some(observer), Some(element)) = (&observer, &element) {
                observer.observe(element);
            }
            move || {
                if let Some(observer) = observer {
                    observer.disconnect();
                }
                drop(callback);
            }
        });
    }
    width
}

/// Connects the canvas with the session's frames and with changes of the theme.
#[hook]
fn use_moving_layer(session: &Session, side: usize, layer: &Rc<MovingLayer>, canvas: &NodeRef, is_there: bool) {
    let attached = use_state_eq(|| false);
    {
        // The canvas appears with the first known width, and the effect runs after that render.
        let (canvas, layer, attached) = (canvas.clone(), Rc::clone(layer), attached.clone());
        use_effect_with((is_there, session.clone()), move |_| {
            if let Some(canvas) = canvas.cast::<web_sys::HtmlCanvasElement>() {
                style::adopt(&canvas);
                layer.attach(canvas);
                attached.set(true);
            }
        });
    }
    let layer = Rc::clone(layer);
    use_effect_with((session.clone(), side, *attached), move |(session, side, _)| {
        let side = *side;
        let subscription = {
            let layer = Rc::clone(&layer);
            session.on_frame(move |session| layer.paint(session, side))
        };
        let watch = {
            let (session, layer) = (session.clone(), Rc::clone(&layer));
            theme::Watch::new(move || {
                layer.theme_changed();
                session.repaint();
            })
        };
        move || drop((subscription, watch))
    });
}

/// Tells the session whether this view is on the screen.
#[hook]
fn use_seen(session: &Session, node: &NodeRef) {
    let node = node.clone();
    use_effect_with(session.clone(), move |session| {
        let view = Rc::new(session.view(node.cast()));
        let callback = {
            let view = Rc::clone(&view);
            Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
                let last = entries.pop();
                if let Some(entry) = last.dyn_ref::<web_sys::IntersectionObserverEntry>() {
                    view.set_seen(entry.is_intersecting());
                }
            })
        };
        let observer = web_sys::IntersectionObserver::new(callback.as_ref().unchecked_ref()).ok();
        if let (Some(observer), Some(element)) = (&observer, node.cast::<web_sys::Element>()) {
            observer.observe(&element);
        }
        move || {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            drop((callback, view));
        }
    });
}
