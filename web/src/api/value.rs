//! Values on their way to JavaScript: plain objects, never `Map`s; absent is `null`.
//!
//! The way in is not here: plain data arrives as JSON text, so that unknown fields are noticed.

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

/// A plain JavaScript value.
///
/// # Panics
/// If the value holds an integer that JavaScript cannot hold exactly; ours are below 2^53.
pub fn to_js<T: Serialize + ?Sized>(value: &T) -> JsValue {
    value.serialize(&Serializer::json_compatible()).expect("values of the API are plain data")
}
