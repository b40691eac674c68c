//! `fuzz --seeds N [--from SEED] [--only clusters|transactions|groups]`: runs that many seeds and prints
//! `N passed, N failed`.
//!
//! The rules are in `tests::fuzz`; a failing seed prints the rule that it broke.

use std::panic::catch_unwind;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1)?.parse::<u64>().ok()
    };
    let (from, seeds) = (number("--from").unwrap_or(0), number("--seeds").unwrap_or(100));
    let only = arguments.iter().position(|argument| argument == "--only").and_then(|at| arguments.get(at + 1));
    let only = only.map(String::as_str);
    let failed = (from..from + seeds).filter(|seed| catch_unwind(|| run(*seed, only)).is_err()).count();
    println!("{} passed, {failed} failed", seeds - failed as u64);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a seed, and panics where a rule is broken.
type Rules = fn(u64);

fn run(seed: u64, only: Option<&str>) {
    let kinds: [(&str, Rules); 3] = [
        ("clusters", tests::fuzz::run),
        ("transactions", tests::fuzz::transactions::run),
        ("groups", tests::fuzz::groups::run),
    ];
    kinds.into_iter().filter(|(name, _)| only.is_none_or(|only| only == *name)).for_each(|(_, run)| run(seed));
    if seed % 100 == 99 {
        println!("{} seeds", seed + 1);
    }
}
