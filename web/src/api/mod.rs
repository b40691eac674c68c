//! The JavaScript API: what `logarium.js` calls, a second client of the crates below beside the app.
//!
//! Reading order: [`value`], [`error`], [`keys`], [`assign`], [`catalog`], [`simulation`]. No rule of Kafka is here, and no DOM.

pub mod assign;
pub mod catalog;
pub mod error;
pub mod keys;
pub mod panic;
pub mod picture;
pub mod query;
pub mod simulation;
pub mod value;

use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[derive(Serialize)]
struct Version {
    logarium: &'static str,
    kafka: &'static str,
    link: u32,
}

/// Versions of this program, of the Kafka that it simulates, and of the links that it writes.
#[wasm_bindgen]
pub fn api_version() -> JsValue {
    value::to_js(&Version {
        logarium: env!("CARGO_PKG_VERSION"),
        kafka: engine::version::KAFKA,
        link: course::link::VERSION,
    })
}
