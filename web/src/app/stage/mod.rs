//! The stage: the picture of a running cluster with its time bar. Computes no picture: that is `scene`'s work.
//!
//! Read `view` first: it puts the still layer (SVG by Yew) and the moving layer (one canvas) on top of each other.

pub mod frame;
pub mod instrument;
pub mod keyboard;
pub mod live;
pub mod painter;
pub mod picture;
pub mod strip;
pub mod style;
pub mod svg;
pub mod time_bar;
pub mod titles;
pub mod track;
pub mod tree;
pub mod view;
