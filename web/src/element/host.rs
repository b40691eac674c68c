//! The page's side of a widget: where its news and its last link go.
//!
//! The object is made in `element.js`, which dispatches events after the call stack has unwound. Nothing is drawn here.

use std::rc::Rc;

use engine::InputError;
use js_sys::{Function, Reflect};
use serde::Serialize;
use wasm_bindgen::{JsCast, JsValue};

use crate::api::value;

/// A shared handle of the host object; two are equal if they are of the same widget.
#[derive(Clone)]
pub struct Host(Rc<JsValue>);

impl PartialEq for Host {
    fn eq(&self, other: &Host) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Host")
    }
}

/// What goes wrong, and whether the widget can show anything at all.
#[derive(Serialize)]
struct Problem<'a> {
    code: &'a str,
    message: String,
    path: Option<&'a str>,
    hint: Option<&'a str>,
    fatal: bool,
}

impl Host {
    /// Around the object that `element.js` made.
    pub fn new(object: JsValue) -> Host {
        Host(Rc::new(object))
    }

    /// Tells an event of the widget; `kind` is its name without `logarium-`.
    pub fn emit<T: Serialize>(&self, kind: &str, detail: &T) {
        self.call("emit", &kind.into(), &value::to_js(detail));
    }

    /// Tells a problem; the widget shows it.
    pub fn problem(&self, error: &InputError, fatal: bool) {
        let some = |text: &'_ str| !text.is_empty();
        let problem = Problem {
            code: error.code,
            message: error.to_string(),
            path: Some(error.path.as_str()).filter(|text| some(text)),
            hint: Some(error.hint.as_str()).filter(|text| some(text)),
            fatal,
        };
        self.emit("error", &problem);
    }

    /// Keeps the link of what is shown, for the case that this instance is lost.
    pub fn saved(&self, link: &str) {
        self.call("saved", &link.into(), &JsValue::UNDEFINED);
    }

    fn call(&self, name: &str, first: &JsValue, second: &JsValue) {
        let method = Reflect::get(&self.0, &name.into()).ok().and_then(|method| method.dyn_into::<Function>().ok());
        let method = method.expect("element.js gives the host both methods");
        // What a page does with it is the page's affair; `element.js` dispatches later.
        let _ = method.call2(&self.0, first, second);
    }
}
