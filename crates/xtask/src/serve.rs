//! `serve`: builds for development and serves the site on this machine, under the policy of the published site.
//!
//! For rebuilds on every edit use `trunk serve`; this one serves what it built when it was started.

use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use tiny_http::{Header, Request, Response, Server};

use crate::wasm::Effort;
use crate::{site, wasm_target, workspace};

const DEFAULT_PORT: u16 = 8080;
/// How many ports after the wanted one are tried.
const PORTS_TRIED: u16 = 50;
/// Enough for a browser's parallel requests.
const THREADS: usize = 4;
const POLICY: &str = "Content-Security-Policy";

/// Builds, then serves until it is ended.
pub fn run(arguments: &[String]) -> Result<()> {
    let wanted = port(arguments)?;
    let toolchain = wasm_target::ensure()?;
    let folder = workspace::root().join("target").join("serve");
    site::assemble(toolchain, Effort::Develop, &folder)?;
    let headers = Headers::read(&folder)?;
    let (listener, port) = listen(wanted)?;
    let server = Server::from_listener(listener, None).map_err(|error| anyhow::anyhow!("cannot serve: {error}"))?;
    if port != wanted {
        println!("port {wanted} is taken");
    }
    println!("Logarium is at http://127.0.0.1:{port}/ (Ctrl+C ends it)");
    let site = Arc::new((server, folder, headers));
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let site = Arc::clone(&site);
            std::thread::spawn(move || {
                for request in site.0.incoming_requests() {
                    answer(request, &site.1, &site.2);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().map_err(|_| anyhow::anyhow!("a thread of the server ended"))?;
    }
    Ok(())
}

fn port(arguments: &[String]) -> Result<u16> {
    match arguments {
        [] => Ok(DEFAULT_PORT),
        [option, value] if option == "--port" => {
            value.parse().with_context(|| format!("--port {value}: expected a number from 1 to 65535"))
        }
        _ => bail!("serve takes only --port N"),
    }
}

/// The wanted port, else the next free one.
fn listen(wanted: u16) -> Result<(TcpListener, u16)> {
    for port in wanted..=wanted.saturating_add(PORTS_TRIED) {
        if let Ok(listener) = TcpListener::bind(("127.0.0.1", port)) {
            return Ok((listener, port));
        }
    }
    bail!("no port from {wanted} to {} is free: choose one with --port N", wanted.saturating_add(PORTS_TRIED))
}

/// What `_headers` says, in the notation of static hosts.
#[derive(Debug, PartialEq)]
struct Headers {
    policy: String,
    /// Pages that carry a policy of their own.
    without_policy: Vec<String>,
}

impl Headers {
    fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("_headers");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let mut headers = Self { policy: String::new(), without_policy: Vec::new() };
        let mut path = "";
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
            match line.trim().split_once(':') {
                _ if line.starts_with('/') => path = line.trim(),
                Some((POLICY, policy)) if path == "/*" => policy.trim().clone_into(&mut headers.policy),
                None if line.trim() == format!("! {POLICY}") => headers.without_policy.push(path.to_owned()),
                _ => bail!("static/_headers: cannot understand {line:?}"),
            }
        }
        anyhow::ensure!(!headers.policy.is_empty(), "static/_headers holds no {POLICY} for /*");
        Ok(headers)
    }
}

fn answer(request: Request, folder: &Path, headers: &Headers) {
    let url = request.url().split(['?', '#']).next().unwrap_or_default().to_owned();
    let sent = match locate(folder, &url).and_then(|path| Some((File::open(&path).ok()?, path))) {
        Some((file, path)) => {
            let mut response = Response::from_file(file)
                .with_header(header("Content-Type", content_type(&path)))
                .with_header(header("Cache-Control", "no-cache"));
            if !headers.without_policy.contains(&url) {
                response.add_header(header(POLICY, &headers.policy));
            }
            request.respond(response)
        }
        None => request.respond(Response::from_string("There is no such file.\n").with_status_code(404)),
    };
    // A browser that has gone away is no error of the server.
    drop(sent);
}

/// The file for a path of a URL; nothing outside `folder`.
fn locate(folder: &Path, url: &str) -> Option<PathBuf> {
    let inside = url.trim_start_matches('/');
    if inside.split('/').any(|part| part == "..") || inside.contains(['\\', '%', ':']) {
        return None;
    }
    let path = folder.join(inside);
    Some(if path.is_dir() { path.join("index.html") } else { path })
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webmanifest" => "application/manifest+json",
        "csv" => "text/csv; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    }
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("header names and values are plain ASCII")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Headers, locate};

    fn check(url: &str, expected: Option<&str>) {
        assert_eq!(locate(Path::new("/site"), url).as_deref(), expected.map(Path::new), "{url}");
    }

    #[test]
    fn only_files_of_the_site_are_found() {
        check("/a/b.js", Some("/site/a/b.js"));
        check("/../secret", None);
        check("/a/%2e%2e/secret", None);
    }

    #[test]
    fn headers_name_the_policy_and_its_exceptions() {
        let text =
            "# why\n/*\n  Content-Security-Policy: default-src 'none'\n/embed.html\n  ! Content-Security-Policy\n";
        let expected = Headers { policy: "default-src 'none'".into(), without_policy: vec!["/embed.html".into()] };
        assert_eq!(Headers::parse(text).expect("headers"), expected);
    }

    #[test]
    fn a_header_that_is_not_served_is_refused() {
        let refused = Headers::parse("/*\n  X-Other: 1\n").expect_err("not served");
        assert!(refused.to_string().contains("X-Other"), "{refused}");
    }
}
