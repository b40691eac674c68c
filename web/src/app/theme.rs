//! Light, dark or as the system says, and whether motion is welcome. Colors themselves are in the style sheets.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;

use super::store;

/// What the reader chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system says.
    #[default]
    Auto,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl Theme {
    /// The value of the `data-theme` attribute.
    pub fn name(self) -> &'static str {
        match self {
            Theme::Auto => "auto",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// What the button offers next.
    pub fn next(self) -> Theme {
        match self {
            Theme::Auto => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::Auto,
        }
    }

    /// The remembered choice.
    pub fn remembered() -> Theme {
        match store::get("theme").as_deref() {
            Some("light") => Theme::Light,
            Some("dark") => Theme::Dark,
            _ => Theme::Auto,
        }
    }

    /// Applies the choice to the whole page and remembers it.
    pub fn apply(self) {
        let root =
            web_sys::window().and_then(|window| window.document()).and_then(|document| document.document_element());
        if let Some(root) = root {
            // The name is a constant that is valid for an attribute.
            let _ = root.set_attribute("data-theme", self.name());
        }
        store::set("theme", (self != Theme::Auto).then(|| self.name()));
    }
}

/// Whether the reader asked the system for less motion.
pub fn reduced_motion() -> bool {
    media("(prefers-reduced-motion: reduce)").is_some_and(|query| query.matches())
}

/// Tells `changed` when the system's theme or contrast changes, until it is dropped.
pub struct Watch {
    queries: Vec<web_sys::MediaQueryList>,
    listener: Closure<dyn FnMut()>,
}

impl Watch {
    /// Starts to watch.
    pub fn new(changed: impl Fn() + 'static) -> Watch {
        let listener = Closure::new(changed);
        let names = ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-reduced-motion: reduce)"];
        let queries: Vec<_> = names.into_iter().filter_map(media).collect();
        for query in &queries {
            let _ = query.add_event_listener_with_callback("change", listener.as_ref().unchecked_ref());
        }
        Watch { queries, listener }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        for query in &self.queries {
            let _ = query.remove_event_listener_with_callback("change", self.listener.as_ref().unchecked_ref());
        }
    }
}

fn media(query: &str) -> Option<web_sys::MediaQueryList> {
    web_sys::window()?.match_media(query).ok().flatten()
}
