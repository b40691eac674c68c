//! Pages that carry everything inside: styles, script, wasm and every data file of the site.
//!
//! They open from a file and in a sandboxed frame, and hold their own content policy: nothing outside the page can be
//! loaded at all, and only the script and styles that were put in here run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use crate::page::{Page, Tag};
use crate::{compress, linker, site};

/// Source page and self-contained page, both in the site's folder.
const PAGES: [(&str, &str); 2] = [("index.html", "logarium.html"), ("embed.html", "embed.html")];

/// Files of these kinds are data that the app may ask for by path.
const DATA: [&str; 7] = ["css", "csv", "json", "md", "svg", "toml", "txt"];

/// Gives the app its data and the module before the app's own script runs.
const DOOR: &str = r#"// Everything this page needs is inside it.
const __text = (id) => document.getElementById(id).textContent;
globalThis.__logariumData = JSON.parse(__text("logarium-data"));
globalThis.__logariumWasm = () => {
  const packed = Uint8Array.from(atob(__text("logarium-wasm")), (character) => character.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(unpacked).arrayBuffer();
};
"#;

/// Makes the self-contained pages of the site in `folder`.
pub fn make_all(folder: &Path) -> Result<()> {
    let wasm = read_bytes(&folder.join("logarium_wasm_bg.wasm"))?;
    let wasm = BASE64_STANDARD.encode(compress::gzip(&wasm)?);
    let data = data(folder)?;
    for (source, target) in PAGES {
        let page = Page::read(&folder.join(source))?;
        let html = make(folder, &page, &wasm, &data).with_context(|| format!("cannot make {target} from {source}"))?;
        site::write(&folder.join(target), html.as_bytes())?;
    }
    Ok(())
}

/// One page with everything inside.
fn make(folder: &Path, page: &Page, wasm: &str, data: &str) -> Result<String> {
    let mut styles = Vec::new();
    let mut entry = None;
    let html = page.rewrite(|tag| match (tag.name, tag.attribute("rel").unwrap_or_default()) {
        ("script", _) => {
            anyhow::ensure!(entry.is_none(), "a page has one script");
            entry = Some(tag.file().context("a script needs a src")?.to_owned());
            Ok(Some(String::new()))
        }
        ("link", "stylesheet") => {
            let style = style(folder, tag)?;
            let text = format!("<style>{style}</style>");
            styles.push(style);
            Ok(Some(text))
        }
        ("link", "icon") => icon(folder, tag).map(Some),
        ("link", "preload" | "modulepreload" | "manifest" | "alternate") => Ok(Some(String::new())),
        (_, other) => {
            bail!("a link with rel {other:?}: say in single_file.rs what becomes of it")
        }
    })?;
    let entry = entry.context("the page has no script")?;
    let linked = linker::link(&entry, |name| read_text(&folder.join(name)))?;
    let script = format!("\n{DOOR}{linked}").replace("</script", "<\\/script").replace("<!--", "<\\!--");
    let policy = policy(&script, &styles);
    let head = format!("<head>\n<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">");
    let tail = format!(
        "<script type=\"application/json\" id=\"logarium-data\">{data}</script>\n\
         <script type=\"application/octet-stream\" id=\"logarium-wasm\">{wasm}</script>\n\
         <script type=\"module\">{script}</script>\n</body>"
    );
    let html = replace_once(&html, "<head>", &head)?;
    replace_once(&html, "</body>", &tail)
}

/// Every data file of the site by its path, as JSON that cannot end a script element.
fn data(folder: &Path) -> Result<String> {
    let mut files = BTreeMap::new();
    for path in site::relative_files(folder)? {
        let extension = path.rsplit('.').next().unwrap_or_default();
        if DATA.contains(&extension) {
            let text = read_text(&folder.join(&path))?;
            files.insert(path, text);
        }
    }
    let json = serde_json::to_string(&files).context("cannot write the data files as JSON")?;
    Ok(json.replace('<', "\\u003c"))
}

fn style(folder: &Path, tag: &Tag) -> Result<String> {
    let file = tag.file().context("a stylesheet needs an href")?;
    let text = read_text(&folder.join(file))?;
    for outside in ["@import", "url("] {
        anyhow::ensure!(!text.contains(outside), "{file} holds {outside}: a self-contained page cannot follow it");
    }
    Ok(text)
}

fn icon(folder: &Path, tag: &Tag) -> Result<String> {
    let file = tag.file().context("an icon needs an href")?;
    let kind = tag.attribute("type").context("an icon needs a type")?;
    let bytes = BASE64_STANDARD.encode(read_bytes(&folder.join(file))?);
    Ok(format!("<link rel=\"icon\" type=\"{kind}\" href=\"data:{kind};base64,{bytes}\">"))
}

/// Only what was put in runs; nothing can be fetched.
fn policy(script: &str, styles: &[String]) -> String {
    let hash = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    let styles: Vec<String> = styles.iter().map(|style| hash(style)).collect();
    format!(
        "default-src 'none'; script-src {} 'wasm-unsafe-eval'; style-src {}; img-src data: blob:; worker-src blob:; \
         base-uri 'none'; form-action 'none'",
        hash(script),
        styles.join(" ")
    )
}

fn replace_once(html: &str, from: &str, to: &str) -> Result<String> {
    anyhow::ensure!(html.matches(from).count() == 1, "the page needs exactly one {from}");
    Ok(html.replacen(from, to, 1))
}

fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
