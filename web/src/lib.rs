//! The browser's side of Logarium: the app, and later doors beside it, over one engine.
//!
//! Nothing of Kafka lives here. Rules, clusters and pictures come from the crates below; this one shows them.

pub mod api;
pub mod app;
mod decimal;
pub mod element;

use app::part::{Part, PartProps};
use wasm_bindgen::prelude::wasm_bindgen;

/// Mounts the app inside `root` and replaces what is there.
///
/// `base` is the URL of the folder that holds the site's files; data is loaded relative to it.
#[wasm_bindgen]
pub fn start(root: web_sys::Element, base: &str) {
    app::data::set_base(base);
    root.set_inner_html("");
    let app = PartProps::of::<app::shell::App>(());
    yew::Renderer::<Part>::with_root_and_props(root, app).render();
}
