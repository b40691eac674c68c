//! The time track: density, marks and a playhead that can be dragged or moved by keys.
//!
//! The playhead moves by SVG attributes set in each frame, so that playing renders nothing.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use engine::Time;
use engine::timeline::MarkKind;
use scene::Player;
use yew::{
    Callback, Html, KeyboardEvent, NodeRef, PointerEvent, Properties, component, html, use_effect_with, use_mut_ref,
};

use crate::app::session::{Rate, Session, use_session};

/// Bars of the density strip.
const BINS: usize = 96;

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct TrackProps {
    /// The session.
    pub session: Session,
}

/// The track and the readout of simulated time.
#[component]
pub fn Track(props: &TrackProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let nodes = use_mut_ref(TrackNodes::default).borrow().clone();
    {
        let nodes = nodes.clone();
        use_effect_with(session.clone(), move |session| {
            // At once too: the first frame may be late, and nobody should meet an empty readout until then.
            nodes.show(session);
            let subscription = session.on_frame(move |session| nodes.show(session));
            move || drop(subscription)
        });
    }
    let drag = Drag {
        session: session.clone(),
        track: nodes.track.clone(),
        wanted: Rc::default(),
        held: use_mut_ref(|| None),
    };
    let (onpointerdown, onpointermove, onpointerup) = (drag.down(), drag.moved(), drag.up());
    let onpointercancel = onpointerup.clone();
    let onkeydown = {
        let session = session.clone();
        Callback::from(move |event: KeyboardEvent| on_key(&session, &event))
    };
    html! {
        <>
            <div class="track" role="slider" tabindex="0" aria-label="Simulated time" aria-valuemin="0" ref={nodes.track.clone()}
                {onpointerdown} {onpointermove} {onpointerup} {onpointercancel} {onkeydown}>
                <svg width="100%" height="100%" aria-hidden="true">
                    <rect class="track-fill" height="100%" ref={nodes.fill.clone()} />
                    { session.read(bars) }
                    { session.read(marks) }
                    <rect class="track-head" width="3" height="100%" ref={nodes.head.clone()} />
                </svg>
            </div>
            <output class="readout" ref={nodes.readout.clone()} />
        </>
    }
}

/// What is changed in each frame without Yew.
#[derive(Clone, Default)]
struct TrackNodes {
    track: NodeRef,
    fill: NodeRef,
    head: NodeRef,
    readout: NodeRef,
}

impl TrackNodes {
    fn show(&self, session: &Session) {
        let (now, horizon, is_playing) = session.read(|player| (player.now(), player.horizon(), player.is_playing()));
        let place = format!("{:.3}%", fraction(now, horizon) * 100.0);
        let text = readout(now, is_playing);
        set(&self.fill, "width", &place);
        set(&self.head, "x", &place);
        set(&self.track, "aria-valuemax", &horizon.millis().to_string());
        set(&self.track, "aria-valuenow", &now.millis().to_string());
        set(&self.track, "aria-valuetext", &text);
        if let Some(readout) = self.readout.get()
            && readout.text_content().as_deref() != Some(&text)
        {
            readout.set_text_content(Some(&text));
        }
    }
}

fn set(node: &NodeRef, name: &str, value: &str) {
    if let Some(element) = node.cast::<web_sys::Element>() {
        // Names and values are valid for every attribute used here.
        let _ = element.set_attribute(name, value);
    }
}

/// `t = 2.4 s` while it runs, `t = 2.407 s` when it stands.
fn readout(now: Time, is_playing: bool) -> String {
    match is_playing {
        true => format!("t = {}.{} s", now.millis() / 1_000, now.millis() % 1_000 / 100),
        false if now.millis().is_multiple_of(100) => {
            format!("t = {}.{} s", now.millis() / 1_000, now.millis() % 1_000 / 100)
        }
        false => format!("t = {now}"),
    }
}

fn fraction(time: Time, horizon: Time) -> f64 {
    if horizon == Time::ZERO { 0.0 } else { (time.0 as f64 / horizon.0 as f64).clamp(0.0, 1.0) }
}

fn bars(player: &Player) -> Html {
    let density = player.timeline(0).density(BINS, player.horizon());
    let highest = density.iter().copied().max().unwrap_or(0).max(1);
    let bar = |(index, count): (usize, u32)| {
        let height = (f64::from(count) / f64::from(highest)).sqrt() * 46.0;
        let x = format!("{:.3}%", index as f64 / BINS as f64 * 100.0);
        html! {
            <rect key={index} class="track-bar" {x} y={format!("{:.1}%", 100.0 - height)}
                width={format!("{:.3}%", 82.0 / BINS as f64)} height={format!("{height:.1}%")} />
        }
    };
    density.into_iter().enumerate().filter(|(_, count)| *count > 0).map(bar).collect()
}

fn marks(player: &Player) -> Html {
    let horizon = player.horizon();
    let mark = |mark: &engine::timeline::Mark| {
        let x = format!("{:.3}%", fraction(mark.moment.time, horizon) * 100.0);
        let class = match mark.kind {
            MarkKind::Command => "mark command",
            MarkKind::Topology => "mark topology",
            MarkKind::Metadata => "mark metadata",
            MarkKind::Switch => "mark switch",
            MarkKind::Transaction => "mark transaction",
            MarkKind::Group => "mark group",
            MarkKind::Error => "mark error",
        };
        html! { <rect key={mark.moment.sequence} {class} {x} y="5" width="2" height="11" /> }
    };
    let sides = 0..player.sides();
    sides
        .flat_map(|side| player.timeline(side).marks().iter())
        .filter(|mark| mark.moment.time <= horizon)
        .map(mark)
        .collect()
}

/// Dragging asks for many places; only the last one before a frame is gone to. The clock stands while the playhead is
/// held, and what played before goes on from where it is let go.
#[derive(Clone)]
struct Drag {
    session: Session,
    track: NodeRef,
    wanted: Rc<Cell<Option<f64>>>,
    /// While the playhead is held: whether it played before.
    held: Rc<RefCell<Option<bool>>>,
}

impl Drag {
    fn down(&self) -> Callback<PointerEvent> {
        let drag = self.clone();
        Callback::from(move |event: PointerEvent| {
            let was_playing = drag.session.read(Player::is_playing);
            // A second finger finds the clock standing, but it was not the reader who stopped it.
            drag.held.borrow_mut().get_or_insert(was_playing);
            if let Some(track) = drag.track.cast::<web_sys::Element>() {
                // Without capture, dragging ends at the edge of the track: a comfort.
                let _ = track.set_pointer_capture(event.pointer_id());
            }
            drag.session.queue(Player::pause);
            drag.go(&event);
        })
    }

    fn moved(&self) -> Callback<PointerEvent> {
        let drag = self.clone();
        Callback::from(move |event: PointerEvent| {
            if drag.held.borrow().is_some() {
                drag.go(&event);
            }
        })
    }

    fn up(&self) -> Callback<PointerEvent> {
        let drag = self.clone();
        Callback::from(move |_| {
            if drag.held.take() == Some(true) {
                drag.session.queue(play_on);
            }
        })
    }

    fn go(&self, event: &PointerEvent) {
        let Some(track) = self.track.cast::<web_sys::Element>() else { return };
        let area = track.get_bounding_client_rect();
        let place = ((f64::from(event.client_x()) - area.left()) / area.width().max(1.0)).clamp(0.0, 1.0);
        if self.wanted.replace(Some(place)).is_none() {
            let wanted = Rc::clone(&self.wanted);
            self.session.queue(move |player| {
                let place = wanted.take().unwrap_or_default();
                player.seek(Time((player.horizon().0 as f64 * place) as u64));
            });
        }
    }
}

/// Playing on at the end would reach beyond it: there it stands, as when it had played to the end.
fn play_on(player: &mut Player) {
    if player.now() < player.horizon() {
        player.play();
    }
}

fn on_key(session: &Session, event: &KeyboardEvent) {
    if event.shift_key() {
        return;
    }
    let parts: i64 = match event.key().as_str() {
        "ArrowRight" | "ArrowUp" => 1,
        "ArrowLeft" | "ArrowDown" => -1,
        "PageUp" => 10,
        "PageDown" => -10,
        "End" => 100,
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    session.queue(move |player| {
        let step = (player.horizon().0 / 100).max(1) as i64;
        let now = player.now().0 as i64 + parts * step;
        player.seek(Time((now.max(0) as u64).min(player.horizon().0)));
    });
}

#[cfg(test)]
mod tests {
    use super::readout;
    use engine::Time;

    fn check(micros: u64, is_playing: bool, expected: &str) {
        assert_eq!(readout(Time(micros), is_playing), expected);
    }

    #[test]
    fn the_readout_is_calm_while_it_runs_and_exact_when_it_stands() {
        check(0, false, "t = 0.0 s");
        check(2_400_000, false, "t = 2.4 s");
        check(1_634_512, false, "t = 1.634 s");
        check(1_634_512, true, "t = 1.6 s");
    }
}
