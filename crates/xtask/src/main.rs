//! `cargo xtask`: the commands of this workspace, from nothing to a site, its proof and its measurements.
//!
//! This file only picks the command. It uses no crate of the workspace: it starts programs of it.

mod bench;
mod binary;
mod build;
mod clean;
mod command;
mod compress;
mod conform;
mod fuzz;
mod linker;
mod node_suite;
mod npm;
mod page;
mod report;
mod serve;
mod setup;
mod single_file;
mod site;
mod stages;
mod system;
mod test;
mod tool_cache;
mod trunk;
mod wasm;
mod wasm_target;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

const HELP: &str = "\
cargo xtask COMMAND

  serve [--port N]    build for development and serve on this machine (first time about 2 min, then seconds);
                      needs neither Node nor a browser
  build               the static site in dist/, small and optimized, with its size table (about 2 min, then 1 min)
  test                everything that is proved: format, lints, unit tests, lessons, wasm, trunk, browser
                      (first time about 40 min because trunk is built once, then about 12, and 30 from nothing)
  bench               measure against the bars of this project (about 3 min)
  fuzz [--seeds N]    random scenarios and faults over N seeds, 2000 unless told (about 1 min per 1000)
  conform PATH...     run recordings of real brokers and clients, count what agrees
  setup               install and build every tool that the commands above need, so that they need no network
  clean [--tools]     remove what was built; with --tools also the cached tools
  pages DIR           make the self-contained pages of the site in DIR (trunk calls this)
  help                this text

Tools are kept in $LOGARIUM_TOOLS, else in the user's cache folder, by version.
LOGARIUM_WASM_TOOLCHAIN=rustup|debian chooses where the wasm target comes from.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode> {
    let (name, rest) = match arguments.split_first() {
        Some((name, rest)) => (name.as_str(), rest),
        None => ("help", &[][..]),
    };
    match name {
        "serve" => serve::run(rest)?,
        "build" => build::run(rest)?,
        "test" => return test::run(rest),
        "bench" => return bench::run(rest),
        "fuzz" => return fuzz::run(rest),
        "conform" => return conform::run(rest),
        "setup" => setup::run(rest)?,
        "clean" => clean::run(rest)?,
        "pages" => site::run(rest)?,
        "help" | "--help" | "-h" => println!("{HELP}"),
        other => bail!("there is no command {other:?}; `cargo xtask help` lists them"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses arguments of a command that takes none.
fn expect_no_arguments(command: &str, arguments: &[String]) -> Result<()> {
    match arguments.first() {
        None => Ok(()),
        Some(first) => {
            bail!("{command} takes no arguments, got {first:?}; `cargo xtask help` lists what is taken")
        }
    }
}
