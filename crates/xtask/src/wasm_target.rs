//! A toolchain that can build for the browser: rustup's target where it can be had, else Debian's packages.
//!
//! Debian ships a compiler for the target but no built standard library; it is built from its source once, in place.
//! `LOGARIUM_WASM_TOOLCHAIN=rustup|debian` forces a route.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::{command, system, tool_cache, workspace};

/// How long rustup may take to fetch the target before Debian's route is tried.
const RUSTUP_LIMIT: Duration = Duration::from_secs(60);
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_SOURCE: &str = "/usr/lib/rustlib/src/rust/library/std/src/lib.rs";

/// Which cargo builds for the browser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Toolchain {
    /// The one that started xtask.
    Own,
    /// The one of Debian's packages.
    Debian,
}

impl Toolchain {
    /// A cargo command of this toolchain.
    pub fn cargo(self) -> Command {
        let mut cargo = match self {
            Self::Own => command::cargo(),
            Self::Debian => command::new(DEBIAN_CARGO),
        };
        self.prepare(&mut cargo);
        cargo
    }

    /// Sets the environment in which a program finds this toolchain's compiler.
    pub fn prepare(self, command: &mut Command) {
        if self == Self::Debian {
            command.env("RUSTC", DEBIAN_RUSTC).env("CARGO", DEBIAN_CARGO).env_remove("RUSTUP_TOOLCHAIN");
        }
    }

    /// The folder to put first on the `PATH` of programs that start `cargo` by name.
    pub fn folder(self) -> Option<&'static Path> {
        (self == Self::Debian).then_some(Path::new("/usr/bin"))
    }

    fn rustc(self) -> Command {
        match self {
            Self::Own => command::new(std::env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"))),
            Self::Debian => command::new(DEBIAN_RUSTC),
        }
    }
}

/// Finds or makes a toolchain for the browser.
pub fn ensure() -> Result<Toolchain> {
    let target = workspace::tool_version("wasm-target")?;
    let route = std::env::var("LOGARIUM_WASM_TOOLCHAIN").unwrap_or_default();
    match route.as_str() {
        "rustup" => own(&target).map(|()| Toolchain::Own),
        "debian" => debian(&target).map(|()| Toolchain::Debian),
        "" => match own(&target) {
            Ok(()) => Ok(Toolchain::Own),
            Err(refusal) => {
                println!("{refusal:#}; trying Debian's packages");
                debian(&target).map(|()| Toolchain::Debian).with_context(|| {
                    format!("the target {target} is missing ({refusal:#}); `rustup target add {target}` installs it where there is a network")
                })
            }
        },
        other => bail!("LOGARIUM_WASM_TOOLCHAIN is {other:?}: expected rustup or debian"),
    }
}

/// The toolchain that started xtask has the target, or rustup can add it.
fn own(target: &str) -> Result<()> {
    if has_std(Toolchain::Own, target) {
        return Ok(());
    }
    ensure!(command::find("rustup").is_some(), "this Rust has no {target} and there is no rustup");
    println!("rustup target add {target} (some seconds, at most {})", RUSTUP_LIMIT.as_secs());
    let mut rustup = command::new("rustup");
    rustup.args(["target", "add", target]).env("RUSTUP_MAX_RETRIES", "0").env("RUST_BACKTRACE", "0");
    command::run_within(&mut rustup, RUSTUP_LIMIT)?;
    ensure!(has_std(Toolchain::Own, target), "rustup added {target}, yet rustc does not find it");
    Ok(())
}

/// Whether the standard library of `target` lies where the compiler looks for it.
fn has_std(toolchain: Toolchain, target: &str) -> bool {
    let mut rustc = toolchain.rustc();
    let Ok(found) = command::capture(rustc.args(["--print", "target-libdir", "--target", target])) else {
        return false;
    };
    let Ok(files) = fs::read_dir(found.text.trim()) else {
        return false;
    };
    files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}

fn debian(target: &str) -> Result<()> {
    let lld = format!("/usr/lib/llvm-{}/bin/lld", workspace::tool_version("debian-lld")?);
    let needed = [DEBIAN_CARGO, DEBIAN_RUSTC, DEBIAN_SOURCE, &lld];
    if !needed.into_iter().all(|file| Path::new(file).exists()) {
        let package = format!("lld-{}", workspace::tool_version("debian-lld")?);
        let packages = ["rustc-web", "cargo-web", "rust-web-src", &package];
        system::install("Debian's Rust for the web", &packages)?;
    }
    let version = command::capture(command::new(DEBIAN_RUSTC).arg("-vV"))?.text;
    let library = PathBuf::from(format!("/usr/lib/rustlib/{target}/lib"));
    let mark = library.join(".built-with-bitcode-for");
    if fs::read_to_string(&mark).is_ok_and(|built_for| built_for == version) {
        return Ok(());
    }
    build_std(target, &library)?;
    // What was compiled against another standard library cannot be linked with this one.
    tool_cache::remove(&workspace::web_target().join(target))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc -vV names no host")?;
    let linker = PathBuf::from(format!("/usr/lib/rustlib/{host}/bin/rust-lld"));
    if !linker.exists() {
        as_root(&["mkdir", "-p", &parent(&linker)])?;
        as_root(&["ln", "-s", &lld, &linker.to_string_lossy()])?;
    }
    ensure!(has_std(Toolchain::Debian, target), "the standard library was built, yet {DEBIAN_RUSTC} does not find it");
    // Written last: a mark that is there says that all before it was done.
    let note = std::env::temp_dir().join(format!("logarium-built-for-{}", std::process::id()));
    fs::write(&note, version).with_context(|| format!("cannot write {}", note.display()))?;
    as_root(&["cp", &note.to_string_lossy(), &mark.to_string_lossy()])?;
    fs::remove_file(&note).with_context(|| format!("cannot remove {}", note.display()))
}

/// Builds the standard library for `target` from Debian's source and puts it into `library`.
fn build_std(target: &str, library: &Path) -> Result<()> {
    println!("building Rust's standard library for {target}, once (about 2 min)");
    let seed = std::env::temp_dir().join(format!("logarium-std-{}", std::process::id()));
    fs::create_dir_all(seed.join("src")).with_context(|| format!("cannot make {}", seed.display()))?;
    fs::write(seed.join("Cargo.toml"), "[package]\nname = \"std_seed\"\nversion = \"0.0.0\"\nedition = \"2021\"\n")
        .context("cannot write the seed of the standard library")?;
    fs::write(seed.join("src/lib.rs"), "").context("cannot write the seed of the standard library")?;
    let mut cargo = Toolchain::Debian.cargo();
    cargo
        .current_dir(&seed)
        .args(["build", "--release", "--target", target, "-Zbuild-std=std,panic_abort,proc_macro,test"])
        .env("RUSTC_BOOTSTRAP", "1");
    for inherited in ["CARGO_TARGET_DIR", "RUSTFLAGS", "CARGO_BUILD_TARGET", "RUSTC_WRAPPER"] {
        cargo.env_remove(inherited);
    }
    // The published module is linked with fat LTO, which needs the bitcode that cargo leaves out by default.
    cargo.env("RUSTFLAGS", "-Cembed-bitcode=yes");
    command::run_quietly(&mut cargo)?;
    let built = seed.join("target").join(target).join("release").join("deps");
    // Crates of an earlier build would stand beside the new ones as second candidates.
    as_root(&["rm", "-rf", &library.to_string_lossy()])?;
    as_root(&["mkdir", "-p", &library.to_string_lossy()])?;
    let files = fs::read_dir(&built).with_context(|| format!("cannot read {}", built.display()))?;
    for file in files.flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        if name.ends_with(".rlib") && !name.starts_with("libstd_seed") {
            as_root(&["cp", &file.path().to_string_lossy(), &library.to_string_lossy()])?;
        }
    }
    tool_cache::remove(&seed)
}

fn as_root(words: &[&str]) -> Result<()> {
    let prefix = system::privilege()?.context("Debian's Rust lies in /usr/lib: run this command once as root")?;
    let words: Vec<&str> = prefix.iter().chain(words).copied().collect();
    command::run_quietly(command::new(words[0]).args(&words[1..]))
}

fn parent(path: &Path) -> String {
    path.parent().expect("the linker lies in a folder").to_string_lossy().into_owned()
}
