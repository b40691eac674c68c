//! Reading the few tags of our HTML pages that a build acts on.
//!
//! A scanner for `<link>` and `<script>` as we write them, with quoted attributes; not a parser of HTML.

use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// One tag: where it stands and what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct Tag {
    /// Bytes of the page, from `<` to `>`; for a script to the end of `</script>`.
    pub range: Range<usize>,
    /// `link` or `script`.
    pub name: &'static str,
    attributes: Vec<(String, String)>,
}

impl Tag {
    /// The value of an attribute; an attribute without one is an empty text.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The file that a link or script loads.
    pub fn file(&self) -> Option<&str> {
        let attribute = if self.name == "script" { "src" } else { "href" };
        self.attribute(attribute).map(|value| value.trim_start_matches("./"))
    }

    /// Whether trunk handles this tag and takes it out of the page.
    pub fn is_for_trunk(&self) -> bool {
        self.attribute("data-trunk").is_some()
    }
}

/// A page with the tags that matter.
#[derive(Debug)]
pub struct Page {
    pub html: String,
    pub tags: Vec<Tag>,
}

impl Page {
    /// Reads a page from a file.
    pub fn read(path: &Path) -> Result<Self> {
        let html = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::scan(html).with_context(|| format!("cannot understand {}", path.display()))
    }

    /// Finds the tags of `html`.
    pub fn scan(html: String) -> Result<Self> {
        let mut tags = Vec::new();
        let mut at = 0;
        while let Some(found) = html[at..].find('<') {
            let start = at + found;
            let rest = &html[start..];
            if rest.starts_with("<!--") {
                at = start + rest.find("-->").context("a comment without end")? + 3;
                continue;
            }
            let name = ["link", "script"].into_iter().find(|name| opens(rest, name));
            let Some(name) = name else {
                at = start + 1;
                continue;
            };
            let (attributes, length) = attributes(&rest[1 + name.len()..])?;
            let mut end = start + 1 + name.len() + length;
            if name == "script" {
                end += html[end..].find("</script>").context("a script without end")? + "</script>".len();
            }
            tags.push(Tag { range: start..end, name, attributes });
            at = end;
        }
        Ok(Self { html, tags })
    }

    /// The link that tells trunk how to build the module.
    pub fn rust_link(&self) -> Result<&Tag> {
        self.tags
            .iter()
            .find(|tag| tag.is_for_trunk() && tag.attribute("rel") == Some("rust"))
            .context("web/index.html has no <link data-trunk rel=\"rust\">")
    }

    /// The page with each tag replaced as `replace` says; `None` keeps it.
    pub fn rewrite(&self, mut replace: impl FnMut(&Tag) -> Result<Option<String>>) -> Result<String> {
        let mut html = String::with_capacity(self.html.len());
        let mut at = 0;
        for tag in &self.tags {
            html.push_str(&self.html[at..tag.range.start]);
            match replace(tag)? {
                Some(text) => html.push_str(&text),
                None => html.push_str(&self.html[tag.range.clone()]),
            }
            at = tag.range.end;
        }
        html.push_str(&self.html[at..]);
        Ok(html)
    }
}

fn opens(text: &str, name: &str) -> bool {
    let after = text.get(1..1 + name.len());
    after == Some(name) && text[1 + name.len()..].starts_with([' ', '\n', '>'])
}

/// The attributes of a tag after its name, and the length up to and with its `>`.
fn attributes(text: &str) -> Result<(Vec<(String, String)>, usize)> {
    let mut attributes = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("/>").or_else(|| rest.strip_prefix('>')) {
            return Ok((attributes, text.len() - after.len()));
        }
        let end = rest.find(['=', ' ', '\n', '>', '/']).context("a tag without end")?;
        let name = rest[..end].to_owned();
        if name.is_empty() {
            bail!("cannot read the attributes at {:?}", rest.chars().take(30).collect::<String>());
        }
        rest = &rest[end..];
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix('=') {
            let quoted = after.strip_prefix('"').with_context(|| format!("the value of {name} needs double quotes"))?;
            let close = quoted.find('"').with_context(|| format!("the value of {name} has no end"))?;
            value = quoted[..close].to_owned();
            rest = &quoted[close + 1..];
        }
        attributes.push((name, value));
    }
}

#[cfg(test)]
mod tests {
    use super::Page;

    /// Each tag as `name[attribute=value ...]`, then the page without them.
    fn check(html: &str, expected: &[&str], rest: &str) {
        let page = Page::scan(html.to_owned()).expect("a page");
        let shown: Vec<String> = page
            .tags
            .iter()
            .map(|tag| {
                let attributes: Vec<String> =
                    tag.attributes.iter().map(|(name, value)| format!("{name}={value}")).collect();
                format!("{}[{}]", tag.name, attributes.join(" "))
            })
            .collect();
        assert_eq!(shown, expected, "{html}");
        assert_eq!(page.rewrite(|_| Ok(Some(String::new()))).expect("rewritten"), rest, "{html}");
    }

    #[test]
    fn links_and_scripts_are_found_with_their_attributes() {
        check(
            "<p><link data-trunk rel=\"rust\" href=\"a b\" /></p>",
            &["link[data-trunk= rel=rust href=a b]"],
            "<p></p>",
        );
        check("a<script type=\"module\"\n  src=\"./m.js\"></script>b", &["script[type=module src=./m.js]"], "ab");
        check("<!-- <link rel=\"x\"> --><linker>", &[], "<!-- <link rel=\"x\"> --><linker>");
    }

    #[test]
    fn a_value_without_quotes_is_refused() {
        let refused = Page::scan("<link rel=icon>".into()).expect_err("not as we write them");
        assert!(refused.to_string().contains("rel needs double quotes"), "{refused}");
    }
}
