//! Panels beside and below a stage: log, inspector, code, describe. Each reads a snapshot and changes nothing.

pub mod buffer;
pub mod byte_meter;
pub mod clients;
pub mod code;
pub mod comparison;
pub mod configs;
pub mod coordinator_hash;
pub mod counter;
pub mod deck;
pub mod describe;
pub mod groups;
pub mod hash_steps;
pub mod inspector;
pub mod key_bytes;
pub mod lesson_panel;
pub mod log;
pub mod log_filter;
pub mod metrics;
pub mod producer_metrics;
pub mod prompt;
pub mod prompt_line;
pub mod readers;
pub mod residue_wheel;
pub mod shards;
pub mod shelf;
pub mod sign_rules;
pub mod stage_keys;
pub mod terminal;
pub mod timeline;
pub mod transaction_board;
pub mod window;

use engine::event::Record;
use scene::Palette;
use yew::{Html, html};

/// A record's key as a chip in text, with the color and sign that it has on the stage.
pub fn key_chip(palette: &Palette, record: &Record) -> Html {
    match (&record.key, &record.key_text) {
        (Some(key), Some(text)) => key_text_chip(palette, key, text),
        _ => html! { <span class="key none">{ "no key" }</span> },
    }
}

/// A key as a chip.
pub fn key_text_chip(palette: &Palette, key: &[u8], text: &str) -> Html {
    let look = palette.color(key);
    let corners = scene::palette::figure(look.glyph);
    let points: Vec<String> =
        corners.iter().map(|(x, y)| format!("{:.1},{:.1}", 6.0 + x * 4.5, 6.0 + y * 4.5)).collect();
    html! {
        <span class={format!("key k{}", look.color)} title={text.to_owned()}>
            <svg width="12" height="12" aria-hidden="true"><polygon points={points.join(" ")} /></svg>
            <span class="key-text">{ if text.is_empty() { "(empty)" } else { text } }</span>
        </span>
    }
}

/// What a tool printed, each line with a hanging indent of its own; selecting and copying give the text as it is.
pub fn printed_lines(text: &str) -> Html {
    let line =
        |(index, line): (usize, &str)| html! { <span key={index} class="printed-line">{ format!("{line}\n") }</span> };
    text.lines().enumerate().map(line).collect()
}
