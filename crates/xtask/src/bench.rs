//! `bench`: starts the measurements, native first, then in Node and in the browser.
//!
//! What is measured and which bars hold is said where it is measured: `tests/src/bin/bench/` and `tests/bench/`.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::wasm::{self, Effort};
use crate::{command, node_suite, site, wasm_target, workspace};

/// Arguments are handed to the native program.
pub fn run(arguments: &[String]) -> Result<ExitCode> {
    if let Some(first) = arguments.iter().find(|argument| !argument.starts_with("--")) {
        bail!("bench takes options only, got {first:?}");
    }
    println!("building the site and the native program (about 2 min, then 1 min)");
    let toolchain = wasm_target::ensure()?;
    site::assemble(toolchain, Effort::Publish, &workspace::dist())?;
    let module = wasm::bench_module(toolchain)?;
    let mut native = command::cargo();
    native.args(["run", "--quiet", "--release", "--package", "tests", "--bin", "bench", "--"]).args(arguments);
    // A Java machine compiles for the processor that it runs on; so does this.
    native.env("LOGARIUM_BENCH_WASM", module).env("RUSTFLAGS", "-C target-cpu=native");
    let native_held = command::status(&mut native)?.success();
    let browser_held = command::status(&mut node_suite::browser("tests/bench/run.mjs")?)?.success();
    Ok(if native_held && browser_held { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
