//! The one `requestAnimationFrame` loop of the page, shared by every stage on it.
//!
//! It asks each member for a frame and stops as soon as none wants one. It knows no engine and no picture.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;

/// Something that moves.
pub trait Animated {
    /// Whether another frame would change anything.
    fn wants_frame(&self) -> bool;
    /// One frame at `now_ms`, the browser's time in milliseconds.
    fn frame(self: Rc<Self>, now_ms: f64);
}

/// A place in the loop; dropping it leaves.
pub struct Membership {
    id: u32,
}

type FrameCallback = Closure<dyn FnMut(f64)>;

#[derive(Default)]
struct Loop {
    members: RefCell<BTreeMap<u32, Rc<dyn Animated>>>,
    next_id: Cell<u32>,
    pending: Cell<Option<i32>>,
    callback: RefCell<Option<FrameCallback>>,
    visibility: RefCell<Option<Closure<dyn FnMut()>>>,
}

thread_local! {
    static LOOP: Rc<Loop> = Rc::default();
}

/// Joins the loop.
pub fn join(member: Rc<dyn Animated>) -> Membership {
    let id = LOOP.with(|frames| {
        let id = frames.next_id.replace(frames.next_id.get() + 1);
        frames.members.borrow_mut().insert(id, member);
        frames.watch_visibility();
        id
    });
    wake();
    Membership { id }
}

/// Asks for a frame if a member wants one and the page can be seen.
pub fn wake() {
    LOOP.with(Rc::clone).request();
}

impl Drop for Membership {
    fn drop(&mut self) {
        // During the page's own end the loop may be gone already.
        let _ = LOOP.try_with(|frames| {
            let left = frames.members.borrow_mut().remove(&self.id);
            if frames.members.borrow().is_empty() {
                frames.cancel();
            }
            drop(left);
        });
    }
}

impl Loop {
    fn request(self: Rc<Self>) {
        let wanted = self.members.borrow().values().any(|member| member.wants_frame());
        let Some(window) = web_sys::window() else {
            return;
        };
        let hidden = window.document().is_some_and(|document| document.hidden());
        if !wanted || hidden || self.pending.get().is_some() {
            return;
        }
        let mut callback = self.callback.borrow_mut();
        let callback = callback.get_or_insert_with(|| {
            let frames = Rc::clone(&self);
            Closure::new(move |now_ms| Rc::clone(&frames).run(now_ms))
        });
        self.pending.set(window.request_animation_frame(callback.as_ref().unchecked_ref()).ok());
    }

    fn run(self: Rc<Self>, now_ms: f64) {
        self.pending.set(None);
        // A frame may make members come and go, so the loop walks a copy.
        let members: Vec<_> = self.members.borrow().values().cloned().collect();
        for member in members {
            if member.wants_frame() {
                member.frame(now_ms);
            }
        }
        self.request();
    }

    fn cancel(&self) {
        if let (Some(id), Some(window)) = (self.pending.take(), web_sys::window()) {
            // The id came from this window.
            let _ = window.cancel_animation_frame(id);
        }
    }

    fn watch_visibility(&self) {
        let mut visibility = self.visibility.borrow_mut();
        let document = web_sys::window().and_then(|window| window.document());
        if let (None, Some(document)) = (visibility.as_ref(), document) {
            let listener = Closure::new(wake);
            let _ = document.add_event_listener_with_callback("visibilitychange", listener.as_ref().unchecked_ref());
            *visibility = Some(listener);
        }
    }
}
