//! Brings the stage's rules, which `scene` writes for its classes, to the document or the shadow root.
//!
//! A constructed style sheet is allowed where inline styles are not. It holds no colors: tokens have them.

use std::cell::RefCell;

use js_sys::{Array, Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};

thread_local! {
    static SHEET: RefCell<Option<JsValue>> = const { RefCell::new(None) };
}

/// Makes sure that the root of `node` has the rules.
pub fn adopt(node: &web_sys::Node) {
    // Every browser that runs our wasm knows constructed sheets; one that does not shows plain shapes.
    let _ = try_adopt(node);
}

fn try_adopt(node: &web_sys::Node) -> Result<(), JsValue> {
    let sheet = sheet()?;
    let root: JsValue = node.get_root_node().into();
    let name = JsValue::from_str("adoptedStyleSheets");
    let adopted: Array = Array::from(&Reflect::get(&root, &name)?);
    if !adopted.includes(&sheet, 0) {
        adopted.push(&sheet);
        Reflect::set(&root, &name, &adopted)?;
    }
    Ok(())
}

fn sheet() -> Result<JsValue, JsValue> {
    if let Some(sheet) = SHEET.with_borrow(Clone::clone) {
        return Ok(sheet);
    }
    let constructor: Function = Reflect::get(&js_sys::global(), &"CSSStyleSheet".into())?.dyn_into()?;
    let sheet = Reflect::construct(&constructor, &Array::new())?;
    let replace: Function = Reflect::get(&sheet, &"replaceSync".into())?.dyn_into()?;
    replace.call1(&sheet, &scene::theme::stylesheet().into())?;
    SHEET.set(Some(sheet.clone()));
    Ok(sheet)
}
