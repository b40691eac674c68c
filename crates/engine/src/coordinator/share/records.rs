//! Records of `__share_group_state`: keys to the byte, texts for people, and sizes by their schemas.
//!
//! Follows `ShareCoordinatorRecordHelpers` and the coordinator's record schemas of Kafka 4.3.1. When one is written is
//! not decided here. Simplified: a topic id takes its 16 bytes, but they are those of its name.

use std::rc::Rc;

use crate::coordinator::state_record::Writer;
use crate::event::internal::{InternalRecord, ShareKey, ShareState, ShareStateRecord};
use crate::event::{Name, Record};

/// A record with its content.
pub(super) fn record(content: InternalRecord, writer: Writer) -> Rc<Record> {
    let InternalRecord::Share(record) = &content else { panic!("only states of share partitions are written here") };
    let (version, key, value) = match record {
        ShareStateRecord::Snapshot { key, value } => {
            // Two more epochs and two times than an update.
            (0, key, value.as_ref().map(|value| (text(value), size(value) + 4 + 8 + 8)))
        }
        ShareStateRecord::Update { key, value } => (1, key, Some((text(value), size(value)))),
    };
    let value = value.map(|(text, size)| (Name::from(text), size));
    let key_text = format!("{} {}", key.group, key.partition);
    writer.record(key_bytes(version, key).into(), key_text.into(), value, Some(content))
}

/// Version, group, topic id, partition.
fn key_bytes(version: u16, key: &ShareKey) -> Vec<u8> {
    let mut bytes = version.to_be_bytes().to_vec();
    bytes.extend((key.group.len() as u16).to_be_bytes());
    bytes.extend(key.group.bytes());
    let mut id: Vec<u8> = key.partition.topic.bytes().take(16).collect();
    id.resize(16, 0);
    bytes.extend(id);
    bytes.extend(key.partition.partition.to_be_bytes());
    bytes
}

fn text(state: &ShareState) -> String {
    let start = state.start_offset.map_or_else(|| "none".to_string(), |offset| offset.to_string());
    let batch = |batch: &crate::event::internal::StateBatch| {
        format!("{}-{} {} {}", batch.first_offset, batch.last_offset, batch.state.name(), batch.delivery_count)
    };
    let batches: Vec<String> = state.batches.iter().map(batch).collect();
    format!("start {start} complete {} [{}]", state.delivery_complete_count, batches.join(", "))
}

/// Version, snapshot epoch, leader epoch, start offset, delivery-complete count, batches of 19 bytes, no tags.
fn size(state: &ShareState) -> u32 {
    2 + 4 + 4 + 8 + 4 + 1 + 20 * state.batches.len() as u32 + 1
}
