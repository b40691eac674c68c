//! Starting other programs: shown or captured, bounded in time where they may hang.
//!
//! What a program's output means is up to the caller.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, bail};

/// A command that starts at the workspace's root.
pub fn new(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(crate::workspace::root());
    command
}

/// The cargo that started xtask, so that a toolchain chosen by the user (`cargo +nightly xtask`) holds for all.
pub fn cargo() -> Command {
    new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs with its output on the terminal; an exit status other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let status = status(command)?;
    if status.success() {
        return Ok(());
    }
    bail!("{} ended with {status}", describe(command))
}

/// Runs with its output on the terminal and returns how it ended.
pub fn status(command: &mut Command) -> Result<ExitStatus> {
    command.status().with_context(|| format!("cannot start {}", describe(command)))
}

/// What a captured program left behind.
pub struct Captured {
    pub success: bool,
    /// Standard output and standard error, in that order.
    pub text: String,
}

/// Runs without showing anything.
pub fn capture(command: &mut Command) -> Result<Captured> {
    let output = command.output().with_context(|| format!("cannot start {}", describe(command)))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(Captured { success: output.status.success(), text })
}

/// Runs without showing anything; an error shows the last lines of what the program said.
pub fn run_quietly(command: &mut Command) -> Result<()> {
    let captured = capture(command)?;
    if captured.success {
        return Ok(());
    }
    bail!("{} failed:\n{}", describe(command), last_lines(&captured.text, 20))
}

/// Runs and returns its standard output and how it ended; each line for which `shown` holds is printed at once.
///
/// Standard error goes to the terminal.
pub fn watch(command: &mut Command, shown: impl Fn(&str) -> bool) -> Result<Captured> {
    let described = describe(command);
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {described}"))?;
    let mut text = String::new();
    let output = BufReader::new(child.stdout.take().expect("stdout is piped above"));
    for line in output.split(b'\n') {
        let line = line.with_context(|| format!("cannot read what {described} says"))?;
        let line = String::from_utf8_lossy(&line);
        if shown(&line) {
            println!("  {line}");
        }
        text.push_str(&line);
        text.push('\n');
    }
    let status = child.wait().with_context(|| format!("cannot wait for {described}"))?;
    Ok(Captured { success: status.success(), text })
}

/// Runs quietly and ends the program when it takes longer than `limit`.
pub fn run_within(command: &mut Command, limit: Duration) -> Result<()> {
    let described = describe(command);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {described}"))?;
    let mut stderr = child.stderr.take().expect("stderr is piped above");
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        // A program that says something unreadable is judged by its exit status alone.
        let _unreadable = stderr.read_to_string(&mut text);
        // The receiver is gone when the limit has passed.
        let _late = sender.send(text);
    });
    let Ok(text) = receiver.recv_timeout(limit) else {
        child.kill().with_context(|| format!("cannot end {described}"))?;
        child.wait().with_context(|| format!("cannot end {described}"))?;
        bail!("{described} gave no answer in {} s", limit.as_secs());
    };
    let status = child.wait().with_context(|| format!("cannot wait for {described}"))?;
    if status.success() {
        return Ok(());
    }
    bail!("{described} failed: {}", last_lines(&text, 3))
}

/// The full path of `program` when it is on the `PATH`.
pub fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// `PATH` with `folders` before everything else.
pub fn path_with(folders: &[&Path]) -> Result<std::ffi::OsString> {
    let old = std::env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().map(|folder| folder.to_path_buf()).chain(std::env::split_paths(&old));
    std::env::join_paths(all).context("a folder's name holds the separator of PATH")
}

/// The last `count` lines of `text`.
pub fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

fn describe(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let mut text = program.to_string_lossy().into_owned();
    for argument in command.get_args().take(6) {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    format!("`{text}`")
}
