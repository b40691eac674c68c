//! The moving layer of one side: from a session's state to what its canvas shows.
//!
//! Keeps nothing between frames but the canvas; where things stand is a function of the playhead.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use scene::{FrameInput, Stage};
use web_sys::HtmlCanvasElement;

use super::painter::Painter;
use crate::app::session::Session;
use crate::app::theme;

/// What a canvas needs to follow a session.
#[derive(Default)]
pub struct MovingLayer {
    /// Where things stand; set whenever the still layer is laid out.
    stage: RefCell<Rc<Stage>>,
    painter: RefCell<Option<Painter>>,
    reduced_motion: Cell<bool>,
}

impl MovingLayer {
    /// Takes over a canvas.
    pub fn attach(&self, canvas: HtmlCanvasElement) {
        self.reduced_motion.set(theme::reduced_motion());
        self.painter.replace(Painter::new(canvas));
    }

    /// Lets the canvas go.
    pub fn detach(&self) {
        self.painter.replace(None);
    }

    /// Takes over a layout. True if it differs from the one that the canvas shows, which has to be painted again.
    pub fn set_stage(&self, stage: Stage) -> bool {
        let is_other = **self.stage.borrow() != stage;
        if is_other {
            self.stage.replace(Rc::new(stage));
        }
        is_other
    }

    /// The theme or the wish for less motion changed.
    pub fn theme_changed(&self) {
        self.reduced_motion.set(theme::reduced_motion());
        if let Some(painter) = &mut *self.painter.borrow_mut() {
            painter.theme_changed();
        }
    }

    /// Paints the present moment of a side.
    pub fn paint(&self, session: &Session, side: usize) {
        let mut painter = self.painter.borrow_mut();
        let Some(painter) = painter.as_mut() else { return };
        let list = moving(session, side, &self.stage.borrow(), self.reduced_motion.get());
        painter.paint(&list);
    }
}

/// The moving layer at the present moment, as a display list.
pub fn moving(session: &Session, side: usize, stage: &Stage, reduced_motion: bool) -> scene::DisplayList {
    let snapshot = session.snapshot(side);
    let events = session.recent_events(side);
    let palette = session.palette();
    session.read(|player| {
        let input = FrameInput {
            snapshot: &snapshot,
            events: &events,
            pace: player.timeline(side).observer(),
            mode: player.mode(),
            display: player.display(side),
            now: player.now(),
            palette: &palette,
            reduced_motion,
        };
        scene::frame(stage, &input)
    })
}
