//! What the browser remembers for the reader: theme, progress, speed. Never anything that a picture depends on.
//!
//! In a sandboxed frame storage throws; then everything works and nothing is remembered.

const PREFIX: &str = "logarium.";

/// A remembered text.
pub fn get(name: &str) -> Option<String> {
    storage()?.get_item(&format!("{PREFIX}{name}")).ok().flatten()
}

/// Remembers a text, or forgets it.
pub fn set(name: &str, value: Option<&str>) {
    let Some(storage) = storage() else { return };
    let name = format!("{PREFIX}{name}");
    // A full or forbidden storage loses a comfort, nothing else.
    let _ = match value {
        Some(value) => storage.set_item(&name, value),
        None => storage.remove_item(&name),
    };
}

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}
