//! Prose: a small safe part of Markdown as HTML, with links into the glossary.
//!
//! Deliberately not here: raw HTML and pictures. They are shown as text.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd};

/// Markdown as HTML. `[term](glossary:slug)` becomes `<a class="term" href="#/glossary/slug" data-term="slug">`; other
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
    // Which of the open links are drawn as links; the others lose their tags.
    let mut links = Vec::new();
    let events = Parser::new_ext(markdown, Options::empty()).filter_map(move |event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        Event::Start(Tag::Link { dest_url, .. }) => {
            let opening = opening(&dest_url);
            links.push(opening.is_some());
            opening.map(|tag| Event::InlineHtml(CowStr::from(tag)))
        }
        Event::End(TagEnd::Link) => {
            links.pop().filter(|is_link| *is_link).map(|_| Event::InlineHtml(CowStr::from("</a>")))
        }
        other => Some(other),
    });
    let mut out = String::new();
    pulldown_cmark::html::push_html(&mut out, events);
    out
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
        assert_eq!(html("<div onclick=x>"), "&lt;div onclick=x&gt;");
    }

    #[test]
    fn code_and_emphasis_stay() {
        check("`a < b` and *c*", "<code>a &lt; b</code> and <em>c</em>");
    }
}
