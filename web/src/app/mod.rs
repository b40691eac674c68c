//! The single-page app: its shell, its pages and what they share.
//!
//! A page shows and asks; it never simulates. Clocks and frames live in `frame_loop` and `session` only.

pub mod assign;
pub mod controls;
pub mod data;
pub mod embed;
pub mod frame_loop;
pub mod glossary;
pub mod home;
pub mod keys;
pub mod lesson;
pub mod model;
pub mod not_found;
pub mod opening;
pub mod overlay;
pub mod panels;
pub mod part;
pub mod play;
pub mod player_moves;
pub mod reveal;
pub mod router;
pub mod session;
pub mod share;
pub mod shared;
pub mod shell;
pub mod size;
pub mod stage;
pub mod statistics;
pub mod store;
pub mod theme;

use yew::{AttrValue, Html};

/// Markdown of our own data as nodes. The converter escapes raw HTML, so nothing foreign gets in.
pub fn prose(markdown: &str) -> Html {
    Html::from_html_unchecked(AttrValue::from(course::html(markdown)))
}
