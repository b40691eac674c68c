//! `setup`: makes every tool that any command needs, so that later commands need no network.
//!
//! The other commands do not require it: each makes what it needs itself.

use anyhow::Result;

use crate::{binary, command, npm, system, wasm_target};

/// Makes one thing and says where it is.
type Step = fn() -> Result<String>;

/// Installs and builds what is missing and says where it is.
pub fn run(arguments: &[String]) -> Result<()> {
    crate::expect_no_arguments("setup", arguments)?;
    println!("fetching the crates of Cargo.lock (about 1 min the first time)");
    command::run(command::cargo().args(["fetch", "--locked", "--quiet"]))?;
    let steps: [(&str, Step); 7] = [
        ("C compiler", || system::ensure_c_compiler().map(|()| "there".into())),
        ("wasm target", || wasm_target::ensure().map(|toolchain| format!("{toolchain:?} toolchain"))),
        ("wasm-bindgen", || binary::bindgen_folder().map(|folder| folder.display().to_string())),
        ("Node", || system::ensure_node().map(|()| "there".into())),
        ("npm packages", || {
            for package in ["binaryen", "playwright-core", "axe-core"] {
                npm::modules_folder(package)?;
            }
            Ok("binaryen, playwright-core, axe-core".into())
        }),
        ("Chromium", || system::chromium().map(|path| path.display().to_string())),
        ("trunk", || binary::trunk_folder().map(|folder| folder.display().to_string())),
    ];
    for (name, step) in steps {
        println!("{name}: {}", step()?);
    }
    Ok(())
}
