//! From Rust to the module that the browser loads: cargo, then wasm-bindgen, then wasm-opt.
//!
//! Its flags are those of the `rust` link in `web/index.html`, so that trunk builds the same module.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::page::{Page, Tag};
use crate::wasm_target::Toolchain;
use crate::{binary, command, npm, system, workspace};

/// How much work goes into the module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effort {
    /// Compiles fast: what `serve` shows.
    Develop,
    /// Small and fast: what is published.
    Publish,
}

/// Builds the module into `out` as `<name>.js` and `<name>_bg.wasm`.
pub fn build(toolchain: Toolchain, effort: Effort, page: &Page, out: &Path) -> Result<()> {
    let link = page.rust_link()?;
    let name = link.attribute("data-bin").context("the rust link of web/index.html names no data-bin")?;
    let compiled = compile(toolchain, effort, link, name)?;
    let mut bindgen = command::new(binary::bindgen_folder()?.join("wasm-bindgen"));
    bindgen.args(["--target", "web", "--no-typescript", "--out-name", name, "--out-dir"]).arg(out).arg(&compiled);
    command::run(&mut bindgen)?;
    if effort == Effort::Publish {
        optimize(link, &out.join(format!("{name}_bg.wasm")))?;
    }
    Ok(())
}

fn compile(toolchain: Toolchain, effort: Effort, link: &Tag, name: &str) -> Result<PathBuf> {
    let attribute = match effort {
        Effort::Develop => "data-cargo-profile-dev",
        Effort::Publish => "data-cargo-profile-release",
    };
    let profile =
        link.attribute(attribute).with_context(|| format!("the rust link of web/index.html has no {attribute}"))?;
    let target = workspace::tool_version("wasm-target")?;
    println!("compiling the app for the browser, profile {profile} (about 1 min, then seconds)");
    let mut cargo = toolchain.cargo();
    cargo
        .args(["build", "--quiet", "--package", "web", "--bin", name, "--target", &target, "--profile", profile])
        .arg("--target-dir")
        .arg(workspace::web_target());
    command::run(&mut cargo)?;
    Ok(workspace::web_target().join(target).join(profile).join(format!("{name}.wasm")))
}

/// Builds the bench's plain module with the settings of the published one; its path.
pub fn bench_module(toolchain: Toolchain) -> Result<PathBuf> {
    let target = workspace::tool_version("wasm-target")?;
    println!("compiling the bench's module (about 1 min)");
    let mut cargo = toolchain.cargo();
    cargo
        .args(["build", "--quiet", "--package", "tests", "--example", "bench_wasm", "--target", &target])
        .args(["--profile", "web", "--target-dir"])
        .arg(workspace::web_target());
    command::run(&mut cargo)?;
    Ok(workspace::web_target().join(target).join("web/examples/bench_wasm.wasm"))
}

/// Shrinks the module in place; without Node it stays as it is, and that is said.
fn optimize(link: &Tag, module: &Path) -> Result<()> {
    if let Err(missing) = system::ensure_node() {
        println!("wasm-opt is skipped, the module stays a third larger: {missing:#}");
        return Ok(());
    }
    let level = link.attribute("data-wasm-opt").context("the rust link of web/index.html has no data-wasm-opt")?;
    println!("shrinking the module with wasm-opt (about 15 s)");
    let optimized = module.with_extension("optimized");
    let mut wasm_opt = command::new("node");
    wasm_opt
        .arg(npm::modules_folder("binaryen")?.join("binaryen/bin/wasm-opt"))
        .arg(format!("-O{level}"))
        .args(link.attribute("data-wasm-opt-params").unwrap_or_default().split_whitespace())
        .arg(module)
        .arg("--output")
        .arg(&optimized);
    command::run(&mut wasm_opt)?;
    fs::rename(&optimized, module).with_context(|| format!("cannot replace {}", module.display()))
}
