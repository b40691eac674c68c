//! Proof that `trunk build` gives the site that `cargo xtask build` gives.
//!
//! Trunk is handed the tools of our cache and no network.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::report::Count;
use crate::{binary, command, npm, site, wasm_target, workspace};

/// Builds the site with trunk and compares it with `dist/`.
pub fn same_site() -> Result<Count> {
    let toolchain = wasm_target::ensure()?;
    let trunk = binary::trunk_folder()?;
    let bindgen = binary::bindgen_folder()?;
    let wasm_opt = npm::modules_folder("binaryen")?.join(".bin");
    let mut folders: Vec<&Path> = vec![&trunk, &bindgen, &wasm_opt];
    folders.extend(toolchain.folder());
    let theirs = workspace::web_target().join("trunk");
    let mut build = command::new(trunk.join("trunk"));
    build
        .args(["build", "--release", "--offline", "--dist"])
        .arg(&theirs)
        .env("PATH", command::path_with(&folders)?)
        // The module is compiled already: the same profile, features and folder as in our own build.
        .env("CARGO_TARGET_DIR", workspace::web_target())
        .env_remove("NO_COLOR");
    toolchain.prepare(&mut build);
    command::run(&mut build)?;
    let mut count = Count::default();
    let ours = workspace::dist();
    let (our_files, their_files) = (site::relative_files(&ours)?, site::relative_files(&theirs)?);
    if our_files != their_files {
        println!("  xtask made {our_files:?}\n  trunk made {their_files:?}");
    }
    count += Count::one(our_files == their_files);
    for file in our_files.iter().filter(|file| their_files.contains(file)) {
        let same = read(&ours.join(file))? == read(&theirs.join(file))?;
        if !same {
            println!("  {file} differs between trunk and xtask");
        }
        count += Count::one(same);
    }
    Ok(count)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
