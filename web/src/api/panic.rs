//! What is left to do when an invariant of ours broke: tell the message to the page's side of the door.
//!
//! Nothing is repaired here. The instance traps right after; `instance.js` starts a fresh one.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use js_sys::Function;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

static DEAD: AtomicBool = AtomicBool::new(false);

thread_local! {
    static LISTENER: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Calls `listener(message)` when this instance panics, before it traps.
#[wasm_bindgen]
pub fn on_panic(listener: Function) {
    LISTENER.with_borrow_mut(|slot| *slot = Some(listener));
    // Yew puts a hook of its own in place when it first renders, unless it was given one.
    yew::set_custom_panic_hook(Box::new(|info| {
        // One panic is told. What still calls into a dead instance panics again and is no news.
        if DEAD.swap(true, Ordering::Relaxed) {
            return;
        }
        console_error_panic_hook::hook(info);
        LISTENER.with(|slot| {
            let listener = slot.try_borrow().ok().and_then(|slot| slot.clone());
            if let Some(listener) = listener {
                // The page's side catches its own errors; there is nobody left here to tell.
                let _ = listener.call1(&JsValue::NULL, &info.to_string().into());
            }
        });
    }));
}

/// Whether this instance has panicked: callbacks that are still to come must do nothing.
pub fn is_dead() -> bool {
    DEAD.load(Ordering::Relaxed)
}
