//! The framed stage that every page shows: controls, one or two sides, hash strip, time bar, then panels.
//!
//! Puts parts together. What the controls do is the page's business.

use std::rc::Rc;

use scene::comparison::{Comparison, paused_sentence};
use yew::{AttrValue, Html, Properties, component, html, use_memo};

use super::live::Live;
use super::strip::HashStrip;
use super::time_bar::{BarParts, TimeBar};
use super::view::StageView;
use crate::app::part::part;
use crate::app::session::{Rate, Session, use_session};

/// What is shown.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct InstrumentProps {
    /// The session.
    pub session: Session,
    /// What each side is called, such as "written by Java".
    #[prop_or_default]
    pub titles: Rc<[AttrValue]>,
    /// The row of controls above the picture.
    #[prop_or_default]
    pub controls: Html,
    /// Parts of the time bar.
    #[prop_or(BarParts::ALL)]
    pub bar: BarParts,
    /// Whether a narrow stage has its controls below the picture.
    #[prop_or_default]
    pub controls_below: bool,
    /// Whether the hash strip is shown.
    #[prop_or(true)]
    pub strip: bool,
    /// Whether the time keys work on the whole page.
    #[prop_or_default]
    pub page_keys: bool,
    /// Ids to point at.
    #[prop_or_default]
    pub point_at: Rc<[String]>,
    /// What a screen reader calls the picture.
    #[prop_or(AttrValue::Static("Stage"))]
    pub label: AttrValue,
    /// Panels below the time bar.
    #[prop_or_default]
    pub children: Html,
}

/// The framed stage.
#[component]
pub fn Instrument(props: &InstrumentProps) -> Html {
    let InstrumentProps { session, titles, .. } = props;
    let revision = use_session(session, Rate::Table);
    let sides = session.read(scene::Player::sides);
    let comparison = use_memo((session.clone(), revision), |(session, _)| {
        (sides == 2).then(|| Comparison::of(&session.snapshot(0), &session.snapshot(1)))
    });
    let elsewhere = comparison.as_ref().as_ref().map(|comparison| Rc::new(comparison.elsewhere()));
    let paused = session.read(|player| {
        let standstill = |side: usize| (player.timeline(side).observer().standstill(), player.now());
        paused_sentence((0..sides).map(standstill)).filter(|_| sides > 1)
    });
    // Where groups are compared, keys that land alike are no news.
    let keys = comparison.as_ref().as_ref().filter(|one| paused.is_none() || !one.elsewhere().is_empty());
    let side = |side: usize| {
        // One side alone needs no name: the page has told it.
        let title = titles.get(side).filter(|_| sides > 1).cloned();
        let label = title.clone().unwrap_or_else(|| props.label.clone());
        part!(
            StageView {
                session: session.clone(),
                side,
                title,
                label,
                elsewhere: elsewhere.clone(),
                point_at: Rc::clone(&props.point_at)
            },
            key = side
        )
    };
    html! {
        <section class={if props.controls_below { "instrument controls-below" } else { "instrument" }} part="stage" aria-label={props.label.clone()}>
            <div class="controls" part="controls">
                { props.controls.clone() }
                if let Some(paused) = paused {
                    <strong class="difference" role="status">{ paused }</strong>
                }
                if let Some(comparison) = keys {
                    <strong class={if comparison.elsewhere().is_empty() { "difference agrees" } else { "difference" }} role="status">{ comparison.sentence() }</strong>
                }
            </div>
            <div class={format!("sides sides-{sides}")}>{ for (0..sides).map(side) }</div>
            if props.strip { { part!(HashStrip { session: session.clone(), is_pointed_at: props.point_at.iter().any(|id| id == "strip") }) } }
            { part!(TimeBar { session: session.clone(), parts: props.bar, page_keys: props.page_keys }) }
            { part!(Live { session: session.clone() }) }
            { props.children.clone() }
        </section>
    }
}
