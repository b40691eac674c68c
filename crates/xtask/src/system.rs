//! Programs that belong to the system: a C compiler, Node, Chromium.
//!
//! On Debian and Ubuntu they are installed when they are missing and that is allowed; elsewhere a sentence names them.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::{command, workspace};

/// Node and npm are there, and new enough.
pub fn ensure_node() -> Result<()> {
    if !node_is_usable()? {
        install("Node and npm", &["nodejs", "npm"])?;
    }
    if node_is_usable()? {
        return Ok(());
    }
    bail!(
        "Node {} or newer with npm is needed, and the one here is older: install it from nodejs.org or your system",
        workspace::tool_version("node-min")?
    )
}

/// Whether a Node that is new enough can be started, with npm.
pub fn node_is_usable() -> Result<bool> {
    let minimum: u32 = workspace::tool_version("node-min")?.parse().context("node-min is a number")?;
    let Ok(version) = command::capture(command::new("node").arg("--version")) else {
        return Ok(false);
    };
    let major = version.text.trim().trim_start_matches('v').split('.').next().and_then(|n| n.parse::<u32>().ok());
    Ok(major.is_some_and(|major| major >= minimum) && command::find("npm").is_some())
}

/// The path of a Chromium or Chrome.
pub fn chromium() -> Result<PathBuf> {
    if let Some(found) = find_chromium() {
        return Ok(found);
    }
    install("Chromium", &["chromium", "fonts-noto-core"])?;
    find_chromium().context("Chromium was installed, yet no chromium is on the PATH")
}

fn find_chromium() -> Option<PathBuf> {
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].into_iter().find_map(command::find)
}

/// A C compiler is there (crates with C parts and the linker of native builds need it).
pub fn ensure_c_compiler() -> Result<()> {
    if command::find("cc").is_none() {
        install("a C compiler", &["gcc", "libc6-dev"])?;
    }
    Ok(())
}

/// Installs Debian packages, or says what to install.
pub fn install(what: &str, packages: &[&str]) -> Result<()> {
    let list = packages.join(" ");
    if command::find("apt-get").is_none() {
        bail!("cannot find {what}: install it with your system's package manager (Debian's name: {list})");
    }
    let prefix = match privilege()? {
        Some(prefix) => prefix,
        None => bail!("cannot find {what}: run `apt-get install {list}` as root, then repeat the command"),
    };
    println!("installing {what} with apt-get: {list} (about 1 min)");
    let apt = |arguments: &[&str]| {
        let mut words = prefix.to_vec();
        words.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq"]);
        words.extend(arguments);
        command::run_quietly(command::new(words[0]).args(&words[1..]))
    };
    if let Err(error) = apt(&["update"]) {
        println!("apt-get update failed, trying with the lists at hand: {error:#}");
    }
    let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
    arguments.extend(packages);
    apt(&arguments).with_context(|| format!("cannot install {what}: install {list} by hand, then repeat the command"))
}

/// What to put before a command that needs root: nothing for root, `sudo` where it asks no password.
pub fn privilege() -> Result<Option<&'static [&'static str]>> {
    let user = command::capture(command::new("id").arg("-u"))?;
    if user.text.trim() == "0" {
        return Ok(Some(&[]));
    }
    let sudo = command::find("sudo").is_some()
        && command::capture(command::new("sudo").args(["-n", "true"])).is_ok_and(|tried| tried.success);
    Ok(sudo.then_some(&["sudo", "-n"]))
}
