//! `fuzz --seeds N [--from SEED]`: runs that many seeds and prints `N passed, N failed`.
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
    let failed = (from..from + seeds).filter(|seed| catch_unwind(|| run(*seed)).is_err()).count();
    println!("{} passed, {failed} failed", seeds - failed as u64);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(seed: u64) {
    tests::fuzz::run(seed);
    tests::fuzz::transactions::run(seed);
    if seed % 100 == 99 {
        println!("{} seeds", seed + 1);
    }
}
