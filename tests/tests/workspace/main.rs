//! Rules of the workspace itself: who may see whom, how files look, which versions agree.
//!
//! Nothing here runs the product.

mod dependencies;
mod engine_rules;
mod ratchet;
mod simplified;
mod sources;
mod tidy;
mod types;
mod versions;
