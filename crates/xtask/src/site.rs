//! Puts the static site together: what `web/index.html` names, the wasm module, the self-contained pages.
//!
//! The `data-trunk` links of the page are the only list of files, so that trunk and this give the same folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::page::{Page, Tag};
use crate::wasm::{self, Effort};
use crate::wasm_target::Toolchain;
use crate::{single_file, tool_cache, workspace};

/// `pages [DIR]`: makes the self-contained pages of a site that trunk has put together.
pub fn run(arguments: &[String]) -> Result<()> {
    let folder = match arguments {
        [] => std::env::var_os("TRUNK_STAGING_DIR").map(PathBuf::from),
        [folder] => Some(folder.into()),
        _ => None,
    };
    single_file::make_all(&folder.context("pages takes one folder, or TRUNK_STAGING_DIR as trunk sets it")?)
}

/// Builds the whole site into `out`, replacing what was there only when all has succeeded.
pub fn assemble(toolchain: Toolchain, effort: Effort, out: &Path) -> Result<()> {
    let web = workspace::root().join("web");
    let page = Page::read(&web.join("index.html"))?;
    let name = out.file_name().context("the site needs a folder of its own")?.to_string_lossy();
    let staging = workspace::root().join("target").join(format!("{name}.staging"));
    tool_cache::remove(&staging)?;
    fs::create_dir_all(&staging).with_context(|| format!("cannot make {}", staging.display()))?;
    wasm::build(toolchain, effort, &page, &staging)?;
    for tag in page.tags.iter().filter(|tag| tag.is_for_trunk()) {
        copy(tag, &web, &staging)?;
    }
    let html = page.rewrite(|tag| Ok(tag.is_for_trunk().then(String::new)))?;
    write(&staging.join("index.html"), html.as_bytes())?;
    single_file::make_all(&staging)?;
    tool_cache::remove(out)?;
    fs::rename(&staging, out).with_context(|| format!("cannot replace {}", out.display()))
}

/// Does what trunk does for `copy-file` and `copy-dir`.
fn copy(tag: &Tag, web: &Path, out: &Path) -> Result<()> {
    let kind = tag.attribute("rel").unwrap_or_default();
    if kind == "rust" {
        return Ok(());
    }
    let href = tag.attribute("href").context("a data-trunk link of web/index.html has no href")?;
    let from = web.join(href);
    let from = from.canonicalize().with_context(|| format!("web/index.html names {href}, which is not there"))?;
    let name = from.file_name().context("a data-trunk link names no file")?;
    let target = tag.attribute("data-target-path").map(|path| out.join(path));
    match kind {
        "copy-file" => copy_file(&from, &target.unwrap_or_else(|| out.to_owned()).join(name)),
        "copy-dir" => copy_folder(&from, &target.unwrap_or_else(|| out.join(name))),
        other => bail!("web/index.html: a data-trunk link with rel {other:?}; use rust, copy-file or copy-dir"),
    }
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    for file in files(from)? {
        let relative = file.strip_prefix(from).expect("a file of the folder");
        copy_file(&file, &to.join(relative))?;
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> Result<()> {
    ensure!(!to.exists(), "two sources of the site give {}", to.display());
    write(to, &fs::read(from).with_context(|| format!("cannot read {}", from.display()))?)
}

/// Writes a file and makes its folder.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// All files below a folder, sorted.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).with_context(|| format!("cannot read {}", next.display()))? {
            let path = entry.with_context(|| format!("cannot read {}", next.display()))?.path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

/// Paths below `folder` as they stand in a URL, sorted.
pub fn relative_files(folder: &Path) -> Result<Vec<String>> {
    let relative = |file: &PathBuf| {
        let path = file.strip_prefix(folder).expect("a file of the folder");
        path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    };
    Ok(files(folder)?.iter().map(relative).collect())
}
