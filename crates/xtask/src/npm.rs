//! Packages of the npm registry at the versions of `Cargo.toml`, each in its own folder of the tool cache.
//!
//! None of them has dependencies or install scripts, so an exact version is an exact tree.

use std::path::PathBuf;

use anyhow::Result;

use crate::{command, system, tool_cache, workspace};

/// The `node_modules` folder that holds `package`.
pub fn modules_folder(package: &str) -> Result<PathBuf> {
    let version = workspace::tool_version(package)?;
    let folder = tool_cache::entry(package, &version, |folder| {
        system::ensure_node()?;
        println!("installing {package} {version} from npm (some seconds)");
        let mut install = command::new("npm");
        install
            .args(["install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--prefix"])
            .arg(folder)
            .arg(format!("{package}@{version}"));
        command::run_quietly(&mut install)
    })?;
    Ok(folder.join("node_modules"))
}
