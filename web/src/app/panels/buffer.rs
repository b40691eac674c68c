//! Each producer's memory: how full it is, which partitions hold it, and who waits for it.
//!
//! The numbers are the client's; nothing is estimated from bytes per record.

use engine::Time;
use engine::snapshot::{BufferSnapshot, CallSnapshot, ProducerSnapshot};
use scene::pool;
use yew::{Html, Properties, component, html, use_node_ref};

use crate::app::session::{Rate, Session, use_session};
use crate::app::stage::svg;
use crate::app::stage::view::use_width;

/// Partitions of one producer that are listed.
const PARTITIONS_MAX: usize = 16;
/// No picture is narrower.
const WIDTH_MIN: f32 = 240.0;

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct BufferProps {
    /// The session.
    pub session: Session,
}

/// A gauge for each producer.
#[component]
pub fn Buffer(props: &BufferProps) -> Html {
    let session = &props.session;
    use_session(session, Rate::Table);
    let snapshot = session.snapshot(0);
    let now = session.read(scene::Player::now);
    let frame = use_node_ref();
    let width = use_width(&frame);
    let width = (*width as f32).max(WIDTH_MIN);
    html! {
        <section class="panel buffer" aria-label="Buffers of the producers">
            <h2>{ "Buffers" }</h2>
            <div class="buffers" ref={frame}>
                if snapshot.producers.is_empty() { <p class="empty">{ "There is no producer." }</p> }
                { for snapshot.producers.iter().map(|producer| one(producer, now, width)) }
            </div>
        </section>
    }
}

fn one(producer: &ProducerSnapshot, now: Time, width: f32) -> Html {
    let buffer = &producer.buffer;
    let most = buffer.batches.iter().map(|(_, count)| *count).max().unwrap_or(1).max(1);
    let rest = buffer.batches.len().saturating_sub(PARTITIONS_MAX);
    html! {
        <article key={producer.name.to_string()} class="buffer-of">
            <h3>{ producer.name.to_string() }</h3>
            <p>{ words(buffer) }</p>
            { svg::picture(&pool::gauge(buffer, width), &words(buffer)) }
            { for producer.calls.iter().take(1).map(|call| html! { <p class="waits">{ waits(&producer.client, call, now) }</p> }) }
            if !buffer.batches.is_empty() {
                <dl class="facts shares">
                    { for buffer.batches.iter().take(PARTITIONS_MAX).map(|(partition, count)| html! {
                        <div key={partition.to_string()}>
                            <dt class="mono">{ partition.to_string() }</dt>
                            <dd><svg class="share" width="100%" height="12" aria-hidden="true"><rect class="meter-fill" width={format!("{}%", count * 100 / most)} height="12" rx="3" /></svg><span>{ count }</span></dd>
                        </div>
                    }) }
                </dl>
            }
            if rest > 0 { <p class="empty">{ format!("and {rest} more partitions") }</p> }
        </article>
    }
}

/// "45 of 2,048 buffers, 31.2 MiB of 32 MiB free"; librdkafka counts messages.
pub fn words(buffer: &BufferSnapshot) -> String {
    use scene::text::memory;
    let free = format!("{} of {} free", memory(buffer.available_bytes), memory(buffer.total_bytes));
    let full = if pool::is_full(buffer) { ", full" } else { "" };
    if buffer.messages.is_none() && buffer.buffer_bytes == 0 {
        return free;
    }
    format!("{}{full}, {free}", pool::words(buffer))
}

/// "send() waits for room in the buffer: 1.2 s of 60 s".
pub fn waits(client: &str, call: &CallSnapshot, now: Time) -> String {
    let told = |until: Time| scene::text::waited(until.since(call.since).0);
    let limit = call.deadline.map_or_else(String::new, |deadline| format!(" of {}", told(deadline)));
    format!("{}() waits for {}: {}{limit}", scene::code::method(client, call.call), reason(call), told(now))
}

fn reason(call: &CallSnapshot) -> &'static str {
    use engine::transaction::WaitReason;
    match call.reason {
        WaitReason::Metadata => "the topic's metadata",
        WaitReason::Buffer => "room in the buffer",
        WaitReason::Coordinator => "the transaction coordinator",
        WaitReason::Batches => "batches to be acknowledged",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(buffer: BufferSnapshot, expected: &str) {
        assert_eq!(words(&buffer), expected);
    }

    #[test]
    fn memory_is_told_in_buffers_or_in_messages() {
        let java = BufferSnapshot {
            total_bytes: 33_554_432,
            available_bytes: 33_554_432 - 3 * 16_384,
            buffer_bytes: 16_384,
            ..BufferSnapshot::default()
        };
        check(java.clone(), "3 of 2,048 buffers, 31.9 MiB of 32 MiB free");
        let rdkafka = BufferSnapshot { messages: Some((100_000, 7)), buffer_bytes: 0, ..java };
        check(rdkafka, "7 of 100.0k messages, 31.9 MiB of 32 MiB free");
    }
}
