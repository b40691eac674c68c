//! The `wasm-bindgen` program, built from the crate that `Cargo.lock` pins.
//!
//! It understands the options that trunk and `cargo xtask` pass, with their usual meaning, and refuses all others.
//! xtask copies it into the tool cache under the name `wasm-bindgen` (rustc refuses a binary of that name here).
//! Trunk's own build in `cargo xtask test` is its test.
//! It is not the whole command line of upstream's program: only `--target web` and `nodejs` are made.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

/// What the command line asked for.
#[derive(Debug, Default)]
struct Options {
    input: Option<PathBuf>,
    target: String,
    out_dir: Option<PathBuf>,
    out_name: Option<String>,
    typescript: bool,
    keep_debug: bool,
    demangle: bool,
    show_version: bool,
}

fn main() -> Result<()> {
    let options = parse(std::env::args().skip(1))?;
    if options.show_version {
        println!("wasm-bindgen {}", wasm_bindgen_shared::version());
        return Ok(());
    }
    generate(&options)
}

fn parse(arguments: impl Iterator<Item = String>) -> Result<Options> {
    let mut options = Options { target: "bundler".into(), typescript: true, demangle: true, ..Options::default() };
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let (name, inline) = match argument.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(value.to_owned())),
            _ => (argument, None),
        };
        let mut value = || inline.clone().or_else(|| arguments.next()).with_context(|| format!("{name} needs a value"));
        match name.as_str() {
            "--target" => options.target = value()?,
            "--out-dir" => options.out_dir = Some(value()?.into()),
            "--out-name" => options.out_name = Some(value()?),
            "--no-typescript" => options.typescript = false,
            "--typescript" => options.typescript = true,
            "--keep-debug" => options.keep_debug = true,
            "--no-demangle" => options.demangle = false,
            // Both are detected from the module since 0.2.100; trunk may still pass them.
            "--reference-types" | "--weak-refs" => {}
            "--version" | "-V" => options.show_version = true,
            other if other.starts_with('-') => {
                bail!("unknown option {other}: see crates/bindgen/src/main.rs for those that are understood")
            }
            path => options.input = Some(path.into()),
        }
    }
    Ok(options)
}

fn generate(options: &Options) -> Result<()> {
    let input = options.input.as_ref().context("expected the path of a .wasm file")?;
    let out_dir = options.out_dir.as_ref().context("expected --out-dir and a folder")?;
    let mut bindgen = Bindgen::new();
    match options.target.as_str() {
        "web" => bindgen.web(true)?,
        "nodejs" => bindgen.nodejs(true)?,
        other => bail!("--target {other} is not made here: expected web or nodejs"),
    };
    if let Some(name) = &options.out_name {
        bindgen.out_name(name);
    }
    bindgen
        .input_path(input)
        .typescript(options.typescript)
        .keep_debug(options.keep_debug)
        .demangle(options.demangle)
        // Upstream's program lets `init()` find the module beside the script; the crate leaves that out by default.
        .omit_default_module_path(false);
    bindgen.generate(out_dir)
}
