//! Tools that are Rust programs, built once into the tool cache: wasm-bindgen and trunk.
//!
//! They run for seconds and compile for minutes, so they are built without optimization.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::{command, tool_cache, workspace};

/// The folder that holds a `wasm-bindgen` of the version that `Cargo.lock` pins.
pub fn bindgen_folder() -> Result<PathBuf> {
    let version = workspace::bindgen_version()?;
    let source = fs::read(workspace::root().join("crates/bindgen/src/main.rs"))
        .context("cannot read crates/bindgen/src/main.rs")?;
    // The program's own source is part of the key: a change of it must not meet an old binary.
    let mut checksum = flate2::Crc::new();
    checksum.update(&source);
    let key = format!("{version}-{:08x}", checksum.sum());
    tool_cache::entry("wasm-bindgen", &key, |folder| {
        println!("building wasm-bindgen {version}, once (about 1 min)");
        let target = folder.join("target");
        let mut build = unoptimized(command::cargo());
        build.args(["build", "--quiet", "--release", "--package", "bindgen", "--target-dir"]).arg(&target);
        command::run(&mut build)?;
        let built = target.join("release").join(executable("bindgen"));
        let kept = folder.join(executable("wasm-bindgen"));
        fs::copy(&built, &kept).with_context(|| format!("cannot copy {}", built.display()))?;
        tool_cache::remove(&target)
    })
}

/// The folder that holds trunk.
pub fn trunk_folder() -> Result<PathBuf> {
    let version = workspace::tool_version("trunk")?;
    let folder = tool_cache::entry("trunk", &version, |folder| {
        println!("building trunk {version}, once (about 5 min)");
        let target = folder.join("target");
        let mut install = unoptimized(command::cargo());
        install
            .current_dir(folder)
            .args(["install", "trunk", "--quiet", "--locked", "--version", &version])
            .args(["--no-default-features", "--features", "rustls", "--root"])
            .arg(folder)
            .env("CARGO_TARGET_DIR", &target);
        command::run(&mut install)?;
        tool_cache::remove(&target)
    })?;
    Ok(folder.join("bin"))
}

fn unoptimized(mut cargo: Command) -> Command {
    cargo
        .env_remove("CARGO_BUILD_TARGET")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        .env("CARGO_PROFILE_RELEASE_STRIP", "debuginfo");
    cargo
}

fn executable(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}
