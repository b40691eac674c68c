//! Test programs that run in Node: which arguments and environment they get.
//!
//! The programs lie in `tests/`; what they print is counted in `report.rs`.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::{command, npm, system, workspace};

/// A program that needs Node and the built site.
pub fn plain(script: &str) -> Result<Command> {
    ensure!(workspace::dist().is_dir(), "dist/ is missing: run `cargo xtask build` first");
    system::ensure_node()?;
    let mut node = command::new("node");
    node.arg(script).env("LOGARIUM_DIST", workspace::dist());
    Ok(node)
}

/// A program that also needs a browser.
pub fn browser(script: &str) -> Result<Command> {
    let mut node = plain(script)?;
    node.env("LOGARIUM_CHROMIUM", system::chromium()?)
        .env("LOGARIUM_PLAYWRIGHT", npm::modules_folder("playwright-core")?.join("playwright-core"))
        .env("LOGARIUM_AXE", npm::modules_folder("axe-core")?.join("axe-core"));
    Ok(node)
}
