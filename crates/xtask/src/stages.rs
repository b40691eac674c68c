//! The stages of `cargo xtask test`, each from its tools to its count.
//!
//! Their order and summary are in `test.rs`.

use std::process::Command;

use anyhow::Result;

use crate::report::{self, Count};
use crate::wasm_target::Toolchain;
use crate::{build, command, node_suite, tool_cache, trunk, wasm_target, workspace};

/// What a stage needs to have been done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Nothing: it runs first.
    First,
    /// Builds for this machine, one after the other.
    Native,
    /// Builds for the browser, one after the other. They compile into a folder of their own and mostly keep one
    /// core busy, so they run beside the native ones.
    Web,
    /// Everything before it.
    Last,
}

/// One stage: what it is called, what it may cost, and how it runs.
pub struct Stage {
    pub name: &'static str,
    pub lane: Lane,
    pub about: &'static str,
    pub run: fn() -> Result<Count>,
}

/// All stages; those that share a build stand together.
pub const ALL: [Stage; 9] = [
    Stage { name: "format", lane: Lane::First, about: "cargo fmt", run: format },
    Stage { name: "lints", lane: Lane::Native, about: "clippy for this machine, about 1 min from nothing", run: lints },
    Stage { name: "docs", lane: Lane::Native, about: "rustdoc with its warnings as errors", run: docs },
    Stage {
        name: "native",
        lane: Lane::Native,
        about: "unit, conformance, lesson and tidy tests, about 3 min from nothing",
        run: native,
    },
    Stage { name: "site", lane: Lane::Web, about: "dist/ within its size budget, about 2 min from nothing", run: site },
    Stage {
        name: "web lints",
        lane: Lane::Web,
        about: "clippy for the browser, about 1 min from nothing",
        run: web_lints,
    },
    Stage {
        name: "trunk",
        lane: Lane::Web,
        about: "trunk gives the same site; trunk itself is built once, about 5 min",
        run: trunk_site,
    },
    // Not beside the native builds: it compares the module with a program that those make.
    Stage { name: "wasm", lane: Lane::Last, about: "the module in Node", run: wasm },
    Stage { name: "browser", lane: Lane::Last, about: "every page in Chromium", run: browser },
];

fn format() -> Result<Count> {
    check(command::cargo().args(["fmt", "--all", "--check", "--", "--files-with-diff"]))
}

fn lints() -> Result<Count> {
    let warnings = ["--", "--deny", "warnings"];
    check(command::cargo().args(["clippy", "--quiet", "--workspace", "--all-targets"]).args(warnings))
}

fn docs() -> Result<Count> {
    let mut cargo = command::cargo();
    cargo.args(["doc", "--quiet", "--workspace", "--no-deps", "--document-private-items"]);
    check(cargo.env("RUSTDOCFLAGS", "--deny warnings"))
}

fn native() -> Result<Count> {
    let mut cargo = command::cargo();
    // bindgen has no tests of its own and would add a minute of compiling: every build of the site is its test.
    cargo.args(["test", "--quiet", "--workspace", "--exclude", "bindgen", "--no-fail-fast"]);
    let captured = command::watch(&mut cargo, |_| false)?;
    let count = report::libtest(&captured.text).with_exit(captured.success);
    if count.failed > 0 {
        println!("{}", captured.text);
    }
    Ok(count)
}

fn site() -> Result<Count> {
    // A site of an earlier run must not be judged in place of one that does not build.
    tool_cache::remove(&workspace::dist())?;
    build::run(&[])?;
    Ok(Count::one(true))
}

fn web_lints() -> Result<Count> {
    let toolchain = wasm_target::ensure()?;
    if toolchain == Toolchain::Debian {
        println!("  skipped: Debian's Rust for the web comes without clippy");
        return Ok(Count::default());
    }
    let target = workspace::tool_version("wasm-target")?;
    let mut cargo = toolchain.cargo();
    cargo.args(["clippy", "--quiet", "--package", "web", "--target", &target, "--target-dir"]);
    check(cargo.arg(workspace::web_target()).args(["--", "--deny", "warnings"]))
}

fn wasm() -> Result<Count> {
    // Chosen as in the native stage, so that nothing is compiled again with other features; the programs of a package
    // are built for its tests.
    let mut cargo = command::cargo();
    cargo.args(["test", "--quiet", "--workspace", "--exclude", "bindgen", "--no-run", "--test", "fuzz"]);
    command::run(&mut cargo)?;
    let trace = workspace::program("trace")?;
    node_cases(node_suite::plain("tests/wasm/run.mjs")?.env("LOGARIUM_TRACE", trace))
}

fn trunk_site() -> Result<Count> {
    trunk::same_site()
}

fn browser() -> Result<Count> {
    node_cases(&mut node_suite::browser("tests/browser/run.mjs")?)
}

/// A command that holds or does not; it says itself why.
fn check(command: &mut Command) -> Result<Count> {
    Ok(Count::one(command::status(command)?.success()))
}

/// A program of ours in Node: failed cases are shown, all are counted.
fn node_cases(command: &mut Command) -> Result<Count> {
    let captured = command::watch(command, |line| line.contains("\"ok\":false"))?;
    Ok(report::json_lines(&captured.text).with_exit(captured.success))
}
