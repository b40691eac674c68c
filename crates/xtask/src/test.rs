//! `test`: runs every stage, also after one has failed, and ends with the sum. Native builds and those for the
//! browser run at the same time.
//!
//! What a stage does is in `stages.rs`.

use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::report::Count;
use crate::stages::{self, Lane, Stage};
use crate::system;

/// `test [STAGE...]`: all stages, or those named.
pub fn run(arguments: &[String]) -> Result<ExitCode> {
    if let Some(unknown) = arguments.iter().find(|name| !stages::ALL.iter().any(|stage| stage.name == **name)) {
        let names: Vec<_> = stages::ALL.iter().map(|stage| stage.name).collect();
        bail!("test has no stage {unknown:?}; they are {}", names.join(", "));
    }
    system::ensure_c_compiler()?;
    let wanted = |stage: &&Stage| arguments.is_empty() || arguments.iter().any(|name| name == stage.name);
    let chosen: Vec<&'static Stage> = stages::ALL.iter().filter(wanted).collect();
    let mut done = run_lane(&chosen, Lane::First);
    // Two builds at once leave no core idle, and never wait for each other's target folder.
    let (native, web) = thread::scope(|scope| {
        let web = scope.spawn(|| run_lane(&chosen, Lane::Web));
        (run_lane(&chosen, Lane::Native), web.join().expect("a stage that fails is counted and does not panic"))
    });
    done.extend(native);
    done.extend(web);
    done.extend(run_lane(&chosen, Lane::Last));
    let mut total = Count::default();
    println!();
    for (line, count) in done {
        println!("{line}");
        total += count;
    }
    println!("{} passed, {} failed", total.passed, total.failed);
    Ok(if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs the stages of a lane in their order; a line and a count for each.
fn run_lane(chosen: &[&'static Stage], lane: Lane) -> Vec<(String, Count)> {
    chosen.iter().filter(|stage| stage.lane == lane).map(|stage| run_stage(stage)).collect()
}

/// Runs one stage; one that cannot run at all is one failure.
fn run_stage(stage: &Stage) -> (String, Count) {
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
    (line, count)
}
