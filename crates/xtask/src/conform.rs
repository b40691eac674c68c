//! `conform PATH...`: runs recordings of real brokers and clients and counts what agrees.
//!
//! The runner is a program of the `tests` package; this builds and starts it.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};

use crate::command;

/// The exit status is the runner's: 1 when any case failed.
pub fn run(arguments: &[String]) -> Result<ExitCode> {
    let has_path = arguments.iter().any(|argument| !argument.starts_with("--"));
    ensure!(has_path, "conform needs at least one file or folder of recordings, such as tests/conformance");
    let here = std::env::current_dir().context("the current folder is gone")?;
    for path in arguments.iter().filter(|argument| !argument.starts_with("--")) {
        ensure!(here.join(path).exists(), "there is no {path}: conform takes files and folders of recordings");
    }
    let mut runner = command::cargo();
    // Paths are the caller's: cargo finds the workspace by its manifest, the runner starts where the caller is.
    runner
        .current_dir(here)
        .args(["run", "--quiet", "--release", "--package", "tests", "--bin", "conform", "--manifest-path"])
        .arg(PathBuf::from(crate::workspace::root()).join("Cargo.toml"))
        .arg("--")
        .args(arguments);
    let status = command::status(&mut runner)?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
