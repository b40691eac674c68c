//! Prose: a small safe part of Markdown as HTML, with links into the glossary.
//!
//! Deliberately not here: the rest of CommonMark. Its whole parser with its list of named characters would be a
//! twentieth of the module; a test holds every text of the site to what that parser makes of it.

/// Markdown as HTML: paragraphs, headings, fenced code, flat lists; code, emphasis, links, and a backslash before a sign.
///
/// `[term](glossary:slug)` becomes `<a class="term" href="#/glossary/slug" data-term="slug">`; other
/// links go to pages of this site (`#/...`) or to `https:` addresses, and anything else stays text. Raw HTML is
/// escaped, so the result is safe to insert whatever the text was.
///
/// ```
/// let html = course::html("An [offset](glossary:offset) and <b>text</b>.");
/// assert_eq!(
///     html,
///     "<p>An <a class=\"term\" href=\"#/glossary/offset\" data-term=\"offset\">offset</a> and &lt;b&gt;text&lt;/b&gt;.</p>\n"
/// );
/// ```
pub fn html(markdown: &str) -> String {
    let mut out = String::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        match Block::of(line) {
            Block::Blank => {}
            Block::Fence => {
                out.push_str("<pre><code>");
                for line in lines.by_ref().take_while(|line| !matches!(Block::of(line), Block::Fence)) {
                    escape(line, &mut out);
                    out.push('\n');
                }
                out.push_str("</code></pre>\n");
            }
            Block::Heading(level, text) => wrapped(&mut out, &format!("h{level}"), text),
            Block::Item(mut text) => {
                out.push_str("<ul>\n");
                loop {
                    wrapped(&mut out, "li", &joined(text, &mut lines));
                    let Some(Block::Item(next)) = lines.peek().map(|line| Block::of(line)) else { break };
                    text = next;
                    lines.next();
                }
                out.push_str("</ul>\n");
            }
            Block::Text(text) => wrapped(&mut out, "p", &joined(text, &mut lines)),
        }
    }
    out
}

/// What a line begins.
enum Block<'t> {
    Blank,
    /// A row of three backticks. The name of a language behind it is not kept.
    Fence,
    /// Its level from 1 to 6, its text.
    Heading(usize, &'t str),
    Item(&'t str),
    Text(&'t str),
}

impl Block<'_> {
    fn of(line: &str) -> Block<'_> {
        let text = line.trim();
        let level = text.bytes().take_while(|byte| *byte == b'#').count();
        if text.is_empty() {
            Block::Blank
        } else if text.starts_with("```") {
            Block::Fence
        } else if (1..=6).contains(&level) && text[level..].starts_with(' ') {
            Block::Heading(level, text[level..].trim())
        } else if let Some(item) = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")) {
            Block::Item(item.trim_start())
        } else {
            Block::Text(text)
        }
    }
}

/// A text with the lines that go on with it.
fn joined<'t>(first: &str, lines: &mut std::iter::Peekable<impl Iterator<Item = &'t str>>) -> String {
    let mut text = first.to_owned();
    while let Some(Block::Text(more)) = lines.peek().map(|line| Block::of(line)) {
        text.push('\n');
        text.push_str(more);
        lines.next();
    }
    text
}

fn wrapped(out: &mut String, tag: &str, text: &str) {
    out.push_str(&format!("<{tag}>"));
    inline(text, out);
    out.push_str(&format!("</{tag}>\n"));
}

/// The signs inside a text.
fn inline(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(place) = rest.find(['\\', '`', '*', '[', '!']) {
        escape(&rest[..place], out);
        rest = &rest[place..];
        rest = sign(rest, out).unwrap_or_else(|| {
            out.push_str(&rest[..1]);
            &rest[1..]
        });
    }
    escape(rest, out);
}

/// Writes what the sign at the beginning opens and returns what is behind it; nothing if it is only a letter.
fn sign<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    match text.as_bytes()[0] {
        b'\\' => {
            let next = text[1..].chars().next().filter(char::is_ascii_punctuation)?;
            escape(next.encode_utf8(&mut [0]), out);
            Some(&text[2..])
        }
        b'`' => {
            let (code, behind) = text[1..].split_once('`')?;
            out.push_str("<code>");
            escape(code, out);
            out.push_str("</code>");
            Some(behind)
        }
        b'*' => {
            let (mark, tag) = if text.starts_with("**") { ("**", "strong") } else { ("*", "em") };
            let (inside, behind) = text[mark.len()..].split_once(mark)?;
            let hugs = |side: Option<char>| side.is_some_and(|letter| !letter.is_whitespace());
            if !hugs(inside.chars().next()) || !hugs(inside.chars().next_back()) {
                return None;
            }
            out.push_str(&format!("<{tag}>"));
            inline(inside, out);
            out.push_str(&format!("</{tag}>"));
            Some(behind)
        }
        b'!' => {
            let (name, _, behind) = link(&text[1..])?;
            inline(name, out);
            Some(behind)
        }
        _ => {
            let (name, target, behind) = link(text)?;
            let opening = opening(target);
            out.push_str(opening.as_deref().unwrap_or_default());
            inline(name, out);
            out.push_str(opening.map_or("", |_| "</a>"));
            Some(behind)
        }
    }
}

/// `[name](target)` at the beginning, and what is behind it. No link stands in the name of another.
fn link(text: &str) -> Option<(&str, &str, &str)> {
    let (name, behind) = text.strip_prefix('[')?.split_once(']')?;
    let (target, behind) = behind.strip_prefix('(')?.split_once(')')?;
    (!name.contains('[')).then_some((name, target, behind))
}

fn escape(text: &str, out: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            letter => out.push(letter),
        }
    }
}

/// The opening tag of a link, if its target is allowed.
fn opening(target: &str) -> Option<String> {
    if let Some(slug) = target.strip_prefix("glossary:") {
        let is_slug = !slug.is_empty() && slug.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        return is_slug.then(|| format!("<a class=\"term\" href=\"#/glossary/{slug}\" data-term=\"{slug}\">"));
    }
    let is_plain = !target.contains(['"', '\'', '<', '>', '&', ' ']);
    let is_inside = target.starts_with("#/");
    (is_plain && (is_inside || target.starts_with("https://"))).then(|| {
        let elsewhere = if is_inside { "" } else { " rel=\"noopener\"" };
        format!("<a href=\"{target}\"{elsewhere}>")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(markdown: &str, expected: &str) {
        assert_eq!(html(markdown).trim_end(), format!("<p>{expected}</p>"));
    }

    #[test]
    fn links_lead_to_the_glossary_to_pages_and_to_https_only() {
        check("[a](#/learn/x)", "<a href=\"#/learn/x\">a</a>");
        check("[a](https://kafka.apache.org/)", "<a href=\"https://kafka.apache.org/\" rel=\"noopener\">a</a>");
        check("[a](javascript:alert)", "a");
        check("[a](glossary:a\"b)", "a");
        check(
            "[a [b](glossary:b)](javascript:x)",
            "[a <a class=\"term\" href=\"#/glossary/b\" data-term=\"b\">b</a>](javascript:x)",
        );
    }

    #[test]
    fn raw_html_and_pictures_are_text() {
        check("a <script>x</script>", "a &lt;script&gt;x&lt;/script&gt;");
        check("![alt](https://example.org/x.png)", "alt");
        check("<div onclick=x>", "&lt;div onclick=x&gt;");
    }

    #[test]
    fn code_and_emphasis_stay() {
        check("`a < b` and *c*", "<code>a &lt; b</code> and <em>c</em>");
        check("**a `*` b** and 2 * 3 * 4", "<strong>a <code>*</code> b</strong> and 2 * 3 * 4");
        check("\\*a\\*, an open `b, an open [c", "*a*, an open `b, an open [c");
    }

    #[test]
    fn blocks_end_where_the_next_begins() {
        let text = "## A *b*\none\ntwo\n- three\n  four\n- five\n\n```\n- <six>\n\n```\nseven";
        let expected = "<h2>A <em>b</em></h2>\n<p>one\ntwo</p>\n<ul>\n<li>three\nfour</li>\n<li>five</li>\n</ul>\n\
                        <pre><code>- &lt;six&gt;\n\n</code></pre>\n<p>seven</p>\n";
        assert_eq!(html(text), expected);
        assert_eq!(html(text), commonmark(text));
    }

    /// What CommonMark's own parser makes of a text without links into the glossary.
    fn commonmark(text: &str) -> String {
        let mut out = String::new();
        pulldown_cmark::html::push_html(&mut out, pulldown_cmark::Parser::new(text));
        out
    }

    #[test]
    fn every_text_of_the_site_reads_as_in_commonmark() {
        // Links differ on purpose: both sides get them as plain addresses.
        let without_links = |text: &str| text.replace("](", "] (");
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../static");
        let mut texts = vec![std::fs::read_to_string(folder.join("docs/embed.md")).unwrap()];
        let mut files = vec![folder.join("glossary.toml")];
        files.extend(std::fs::read_dir(folder.join("lessons")).unwrap().map(|file| file.unwrap().path()));
        for file in files.iter().filter(|file| file.extension().is_some_and(|name| name == "toml")) {
            let table: toml::Table = std::fs::read_to_string(file).unwrap().parse().unwrap();
            table.into_iter().for_each(|(_, value)| strings(value, &mut texts));
        }
        assert!(texts.len() > 500, "only {} texts were found", texts.len());
        for text in texts.iter().map(|text| without_links(text)) {
            assert_eq!(html(&text), commonmark(&text));
        }
    }

    fn strings(value: toml::Value, out: &mut Vec<String>) {
        match value {
            toml::Value::String(text) => out.push(text),
            toml::Value::Array(items) => items.into_iter().for_each(|item| strings(item, out)),
            // What a check expects is output of a tool, not prose.
            toml::Value::Table(table) => {
                table.into_iter().filter(|(name, _)| name != "expected").for_each(|(_, value)| strings(value, out));
            }
            _ => {}
        }
    }
}
