//! `fuzz [--seeds N]`: random clusters, transactions, groups and faults, many seeds.
//!
//! The runner is a program of the `tests` package; this builds and starts it.

use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use crate::command;

const DEFAULT_SEEDS: u64 = 2_000;

/// The exit status is the runner's: 1 when a seed broke a rule.
pub fn run(arguments: &[String]) -> Result<ExitCode> {
    let seeds = match arguments {
        [] => DEFAULT_SEEDS,
        [option, value] if option == "--seeds" => {
            value.parse().with_context(|| format!("--seeds {value}: expected a whole number"))?
        }
        _ => bail!("fuzz takes only --seeds N"),
    };
    println!("running {seeds} seeds (about 2 min per 1000)");
    let mut runner = command::cargo();
    runner.args(["run", "--quiet", "--release", "--package", "tests", "--bin", "fuzz", "--", "--seeds"]);
    let status = command::status(runner.arg(seeds.to_string()))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
