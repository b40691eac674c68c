//! `clean [--tools]`: removes what the other commands made.
//!
//! It touches nothing of the system: packages that were installed stay.

use anyhow::{Result, bail};

use crate::{tool_cache, workspace};

/// Removes the site, screenshots and the target folder, and with `--tools` the tool cache.
pub fn run(arguments: &[String]) -> Result<()> {
    let root = workspace::root();
    let mut folders = vec![root.join("dist"), root.join("tests/browser/artifacts"), root.join("target")];
    match arguments {
        [] => {}
        [option] if option == "--tools" => folders.extend(tool_cache::entries()?),
        _ => bail!("clean takes only --tools"),
    }
    for folder in folders.into_iter().filter(|folder| folder.exists()) {
        println!("removing {}", folder.display());
        tool_cache::remove(&folder)?;
    }
    Ok(())
}
