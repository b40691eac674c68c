//! `conform PATH... [--json]`: replays recordings of Kafka and its clients and reports the first differences.
//!
//! Deliberately not here: the comparison itself, which is `tests::conform`, so that tests can call it too.

use std::{path::PathBuf, process::ExitCode};

const USAGE: &str = "usage: conform PATH... [--json]
  PATH    a recording (.json, .jsonl), or a folder that is searched with all that is below it
  --json  print the results as one JSON document instead of text";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (options, paths): (Vec<String>, Vec<String>) =
        arguments.into_iter().partition(|argument| argument.starts_with('-'));
    if options.iter().any(|option| option == "--help" || option == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    if let Some(unknown) = options.iter().find(|option| *option != "--json") {
        eprintln!("unknown option {unknown}\n{USAGE}");
        return ExitCode::from(2);
    }
    if paths.is_empty() {
        eprintln!("name at least one file or folder of recordings\n{USAGE}");
        return ExitCode::from(2);
    }
    let report = tests::conform::run(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
    if options.is_empty() {
        println!("{report}");
    } else {
        println!("{:#}", report.to_json());
    }
    if report.failed() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
