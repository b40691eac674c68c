//! Brings an element onto the screen. When that is wanted is decided by `session.rs`.

use web_sys::{Element, ScrollBehavior, ScrollToOptions};

use super::theme;

/// Scrolls until the upper part of an element stands in the lower half of the window: what is read stays above it.
pub fn reveal(element: &Element) {
    let Some(window) = web_sys::window() else { return };
    let Some(height) = window.inner_height().ok().and_then(|height| height.as_f64()) else { return };
    let options = ScrollToOptions::new();
    options.set_top(element.get_bounding_client_rect().top() - height * 0.45);
    options.set_behavior(if theme::reduced_motion() { ScrollBehavior::Instant } else { ScrollBehavior::Smooth });
    window.scroll_by_with_scroll_to_options(&options);
}
