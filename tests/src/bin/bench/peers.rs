//! The other side of each ratio: our wasm in Node, Java's `Utils.murmur2`, librdkafka's crc32.
//!
//! Each is left out, with a sentence, where its program is not installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::measure::Figures;

/// The Java programs: key placement, the record accumulator, and the assignors.
const PROGRAMS: [&str; 3] = ["KeyBench.java", "AccumulatorBench.java", "AssignorBench.java"];

/// Our own work in wasm; `LOGARIUM_BENCH_WASM` names the module.
pub fn wasm() -> Figures {
    let Some(module) = std::env::var_os("LOGARIUM_BENCH_WASM") else {
        println!("wasm is left out: LOGARIUM_BENCH_WASM does not name a module");
        return Figures::new();
    };
    let script = folder().join("wasm.mjs");
    figures("wasm", Command::new("node").arg(script).arg(module))
}

/// The Java client's own key hash, accumulator and assignors, from the jar that Maven fetches.
pub fn java() -> Figures {
    let place = std::env::temp_dir().join("logarium-bench-java");
    let source = folder().join("java");
    let copied =
        std::fs::create_dir_all(&place).is_ok() && run(Command::new("cp").arg("-r").arg(source.join(".")).arg(&place));
    let maven = ["-q", "dependency:copy-dependencies", "-DoutputDirectory=libs"];
    let fetched = copied && run(Command::new("mvn").args(maven).current_dir(&place));
    let compiled =
        fetched && run(Command::new("javac").args(["-cp", "libs/*", "-d", "out"]).args(PROGRAMS).current_dir(&place));
    if !compiled {
        println!("Java is left out: it needs java, javac and mvn");
        return Figures::new();
    }
    let program = |name: &&str| {
        let class = name.trim_end_matches(".java");
        figures("java", Command::new("java").args(["-cp", "libs/*:out", class]).current_dir(&place))
    };
    PROGRAMS.iter().flat_map(program).collect()
}

/// librdkafka's own partitioner function, from the library that is installed.
pub fn librdkafka() -> Figures {
    let program = std::env::temp_dir().join("logarium-bench-rdkafka");
    let source = folder().join("rdkafka.c");
    let compiled = run(Command::new("cc").args(["-O2", "-o"]).arg(&program).arg(source).arg("-lrdkafka"));
    if !compiled {
        println!("librdkafka is left out: it needs cc and the library with its headers (Debian: librdkafka-dev)");
        return Figures::new();
    }
    figures("librdkafka", &mut Command::new(program))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("bench")
}

fn run(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// Lines of a name and a number.
fn figures(side: &str, command: &mut Command) -> Figures {
    let output = match command.output() {
        Ok(output) if output.status.success() => output,
        other => {
            println!("{side} is left out: {other:?}");
            return Figures::new();
        }
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |line: &str| {
        let (name, value) = line.rsplit_once(' ')?;
        Some((format!("{side}/{name}"), value.parse().ok()?))
    };
    text.lines().filter_map(line).collect()
}
