//! The single-page app: its shell, its pages and what they share.
//!
//! A page shows and asks; it never simulates. Clocks and frames live in `frame_loop` and `session` only.

pub mod data;
pub mod embed;
pub mod frame_loop;
pub mod home;
pub mod keys;
pub mod lesson;
pub mod model;
pub mod not_found;
pub mod panels;
pub mod play;
pub mod router;
pub mod shell;
pub mod stage;
pub mod store;
pub mod theme;
