//! `test`: runs every stage, also after one has failed, and ends with the sum.
//!
//! What a stage does is in `stages.rs`.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::report::Count;
use crate::stages::{self, Stage};
use crate::system;

/// `test [STAGE...]`: all stages, or those named.
pub fn run(arguments: &[String]) -> Result<ExitCode> {
    if let Some(unknown) = arguments.iter().find(|name| !stages::ALL.iter().any(|stage| stage.name == **name)) {
        let names: Vec<_> = stages::ALL.iter().map(|stage| stage.name).collect();
        bail!("test has no stage {unknown:?}; they are {}", names.join(", "));
    }
    system::ensure_c_compiler()?;
    let wanted = |stage: &&Stage| arguments.is_empty() || arguments.iter().any(|name| name == stage.name);
    let mut total = Count::default();
    let mut lines = Vec::new();
    for stage in stages::ALL.iter().filter(wanted) {
        let count = run_stage(stage, &mut lines);
        total += count;
    }
    println!("\n{}", lines.join("\n"));
    println!("{} passed, {} failed", total.passed, total.failed);
    Ok(if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs one stage; one that cannot run at all is one failure.
fn run_stage(stage: &Stage, lines: &mut Vec<String>) -> Count {
    println!("== {}: {}", stage.name, stage.about);
    let start = Instant::now();
    let count = (stage.run)().unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        Count::one(false)
    });
    let outcome = if count.failed == 0 { "ok" } else { "FAILED" };
    let seconds = start.elapsed().as_secs();
    let line =
        format!("{:<10} {outcome:<7} {:>5} passed {:>4} failed {seconds:>5} s", stage.name, count.passed, count.failed);
    println!("{line}");
    lines.push(line);
    count
}
