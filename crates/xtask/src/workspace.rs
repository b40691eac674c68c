//! Where the workspace lies and which version of each tool it wants, as its `Cargo.toml` says.
//!
//! No version is written in Rust: the root `Cargo.toml` is the one place.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result};

/// The folder that holds the root `Cargo.toml`.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .and_then(Path::parent)
        .expect("xtask lies two folders below the root")
}

/// Where `build` puts the site.
pub fn dist() -> PathBuf {
    root().join("dist")
}

/// The target folder of every wasm build; apart from the native one so that neither waits for the other's lock.
pub fn web_target() -> PathBuf {
    root().join("target").join("web")
}

/// A program of this workspace, which stands beside this one.
pub fn program(name: &str) -> Result<PathBuf> {
    let this = env::current_exe().context("cannot tell where this program is")?;
    Ok(this.with_file_name(format!("{name}{}", env::consts::EXE_SUFFIX)))
}

/// The version of `tool` in `[workspace.metadata.tools]`.
pub fn tool_version(tool: &str) -> Result<String> {
    let manifest = manifest()?;
    let value = &manifest["workspace"]["metadata"]["tools"]
        .get(tool)
        .with_context(|| format!("Cargo.toml has no {tool} in [workspace.metadata.tools]"))?;
    Ok(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

/// The exact version of wasm-bindgen in `[workspace.dependencies]`, without its `=`.
pub fn bindgen_version() -> Result<String> {
    let manifest = manifest()?;
    manifest["workspace"]["dependencies"]["wasm-bindgen"]
        .as_str()
        .and_then(|version| version.strip_prefix('='))
        .map(str::to_owned)
        .context("Cargo.toml: wasm-bindgen needs an exact version (\"=1.2.3\")")
}

fn manifest() -> Result<toml::Table> {
    let path = root().join("Cargo.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    text.parse().with_context(|| format!("cannot understand {}", path.display()))
}
