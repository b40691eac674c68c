//! Counters of the debug overlay: renders of Yew, frames and their cost. They decide nothing.

use std::cell::Cell;

/// What was counted since the page was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Renders of components that look at a session.
    pub renders: u64,
    /// Frames of sessions.
    pub frames: u64,
    /// Queue entries that were processed.
    pub entries: u64,
    /// Milliseconds of the last frame, from the browser's time stamp to its end.
    pub frame_ms: f64,
}

thread_local! {
    static COUNTED: Cell<Statistics> = const { Cell::new(Statistics { renders: 0, frames: 0, entries: 0, frame_ms: 0.0 }) };
}

/// A component was rendered.
pub fn rendered() {
    change(|counted| counted.renders += 1);
}

/// That many queue entries were processed.
pub fn entries_processed(count: u64) {
    change(|counted| counted.entries += count);
}

/// A session ended its frame, which the browser began at `began_ms`.
pub fn frame_ended(began_ms: f64) {
    let now_ms = web_sys::window().and_then(|window| window.performance()).map_or(began_ms, |clock| clock.now());
    change(|counted| {
        counted.frames += 1;
        counted.frame_ms = (now_ms - began_ms).max(0.0);
    });
}

/// The counters.
pub fn read() -> Statistics {
    COUNTED.get()
}

fn change(edit: impl FnOnce(&mut Statistics)) {
    let mut counted = COUNTED.get();
    edit(&mut counted);
    COUNTED.set(counted);
}
