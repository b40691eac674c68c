//! The one door through which data files come: lessons, scenarios, the glossary.
//!
//! Text only, each file once. What the text means is read by `course`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

thread_local! {
    static BASE: RefCell<String> = const { RefCell::new(String::new()) };
    static LOADED: RefCell<BTreeMap<String, Rc<str>>> = const { RefCell::new(BTreeMap::new()) };
}

/// Why a file could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataError {
    /// Its path inside the site.
    pub path: String,
    /// What went wrong, as a sentence.
    pub reason: String,
}

impl fmt::Display for DataError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({})", self.reason, self.path)
    }
}

/// Sets the URL of the folder that holds the site's files.
pub fn set_base(url: &str) {
    BASE.with_borrow_mut(|base| url.clone_into(base));
}

/// The text of a file of the site, such as `lessons/key-bytes.toml`.
///
/// The single-file page carries its data in `globalThis.__logariumData`, so that is asked first.
pub async fn load(path: &str) -> Result<Rc<str>, DataError> {
    if let Some(known) = LOADED.with_borrow(|loaded| loaded.get(path).cloned()) {
        return Ok(known);
    }
    let text = match embedded(path) {
        Some(text) => text,
        None => fetch(path).await.map_err(|reason| DataError { path: path.to_owned(), reason })?,
    };
    let text: Rc<str> = text.into();
    LOADED.with_borrow_mut(|loaded| loaded.insert(path.to_owned(), Rc::clone(&text)));
    Ok(text)
}

fn embedded(path: &str) -> Option<String> {
    let data = js_sys::Reflect::get(&js_sys::global(), &JsValue::from_str("__logariumData")).ok()?;
    if !data.is_object() {
        return None;
    }
    js_sys::Reflect::get(&data, &JsValue::from_str(path)).ok()?.as_string()
}

async fn fetch(path: &str) -> Result<String, String> {
    let window = web_sys::window().ok_or("There is no window to load files with.")?;
    let url = BASE.with_borrow(|base| format!("{base}{path}"));
    let unreachable = "The file could not be loaded. Check the connection and try again.";
    let response = JsFuture::from(window.fetch_with_str(&url)).await.map_err(|_| unreachable)?;
    let response: web_sys::Response = response.dyn_into().map_err(|_| unreachable)?;
    if !response.ok() {
        return Err(format!("The server has no such file (status {}).", response.status()));
    }
    let text = response.text().map_err(|_| unreachable)?;
    JsFuture::from(text).await.ok().and_then(|text| text.as_string()).ok_or_else(|| unreachable.to_owned())
}
