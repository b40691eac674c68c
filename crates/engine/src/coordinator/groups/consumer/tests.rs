//! The coordinator's side of KIP-848, request by request.

pub(in crate::coordinator::groups) mod bench;
mod epochs;
mod example;
mod migration;
mod patterns;
mod reconciling;
mod size;
mod statics;
