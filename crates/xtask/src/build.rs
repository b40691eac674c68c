//! `build`: the static site in `dist/`, with the size of its first page held to a budget.
//!
//! What the site consists of is said in `site.rs`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::page::Page;
use crate::wasm::Effort;
use crate::{compress, linker, site, wasm_target, workspace};

/// What a visitor of the first page may have to load, in bytes of brotli. Raise it only by saying why.
///
/// The design asks for 300 KB. One module serves the app, the element and the API; with the labs, the playground, the
/// brokers' logs, Kafka's tools, transaction coordinators, two producers in full, with groups (coordinator and member of
/// two protocols, their tools, the assignment lab: 330 KB together), and with share groups and librdkafka's consumer
/// (105 KB) it takes six times that: a third is what pages, widgets and the API say and draw, a quarter the engine and
/// the tools, an eighth texts and tables. A second module for other pages would halve it, and would make every build
/// longer by that module's time.
const FIRST_PAGE_BUDGET: usize = 1_800 * 1024;

/// Builds the site and shows its sizes.
pub fn run(arguments: &[String]) -> Result<()> {
    crate::expect_no_arguments("build", arguments)?;
    let toolchain = wasm_target::ensure()?;
    let dist = workspace::dist();
    site::assemble(toolchain, Effort::Publish, &dist)?;
    let total = show_sizes(&dist)?;
    ensure!(
        total <= FIRST_PAGE_BUDGET,
        "the first page is {} KB of brotli and its budget is {} KB: make it smaller, or raise the budget in build.rs and say why",
        total.div_ceil(1024),
        FIRST_PAGE_BUDGET / 1024
    );
    println!("the site is in {}", dist.display());
    Ok(())
}

/// Prints a line per file of the first page and returns their sum as brotli.
fn show_sizes(dist: &Path) -> Result<usize> {
    println!("{:<28} {:>10} {:>10} {:>10}", "first page", "raw", "gzip", "brotli");
    let mut sums = [0; 3];
    for file in first_page(dist)? {
        let bytes = fs::read(dist.join(&file)).with_context(|| format!("cannot read {file}"))?;
        let sizes = [bytes.len(), compress::gzip(&bytes)?.len(), compress::brotli_size(&bytes)?];
        println!("{file:<28} {:>10} {:>10} {:>10}", sizes[0], sizes[1], sizes[2]);
        for (sum, size) in sums.iter_mut().zip(sizes) {
            *sum += size;
        }
    }
    println!("{:<28} {:>10} {:>10} {:>10}  of {FIRST_PAGE_BUDGET}", "total", sums[0], sums[1], sums[2]);
    for page in ["logarium.html", "embed.html"] {
        let bytes = fs::read(dist.join(page)).with_context(|| format!("cannot read {page}"))?;
        println!("{page:<28} {:>10} {:>10}             self-contained", bytes.len(), compress::gzip(&bytes)?.len());
    }
    Ok(sums[2])
}

/// The files that a visitor loads before anything is clicked.
fn first_page(dist: &Path) -> Result<Vec<String>> {
    let page = Page::read(&dist.join("index.html"))?;
    let mut files = vec!["index.html".to_owned(), "logarium_wasm_bg.wasm".to_owned()];
    for tag in &page.tags {
        let file = tag.file().unwrap_or_default();
        match (tag.name, tag.attribute("rel")) {
            ("link", Some("stylesheet" | "icon")) => files.push(file.to_owned()),
            ("script", _) => {
                let read =
                    |name: &str| fs::read_to_string(dist.join(name)).with_context(|| format!("cannot read {name}"));
                files.extend(linker::reachable(file, read)?);
            }
            _ => {}
        }
    }
    Ok(files)
}
