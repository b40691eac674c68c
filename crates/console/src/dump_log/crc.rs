//! The checksum of a batch: CRC-32C over the batch as Kafka would write it, from its attributes on.
//!
//! Follows `DefaultRecordBatch.writeHeader` and `DefaultRecord.writeTo` of 4.3.1. Simplified: a value of
//! which only the size or the beginning is known is filled up with zeros.

use engine::event::Record;
use engine::log_view::BatchInSegment;
use engine::transaction::MarkerKind;

use crate::place::unix_millis;

/// Attribute bit of `message.timestamp.type=LogAppendTime`.
const APPEND_TIME: i16 = 0x08;
/// Attribute bit of a batch inside a transaction.
const TRANSACTIONAL: i16 = 0x10;
/// Attribute bit of a marker.
const CONTROL: i16 = 0x20;
/// Attribute bit of a batch whose base timestamp is a delete horizon.
const DELETE_HORIZON: i16 = 0x40;

/// The checksum, unsigned as the tool prints it.
pub(super) fn of_batch(batch: &BatchInSegment) -> u32 {
    let mut attributes = 0;
    if batch.is_log_append_time {
        attributes |= APPEND_TIME;
    }
    if batch.is_transactional {
        attributes |= TRANSACTIONAL;
    }
    if batch.control.is_some() {
        attributes |= CONTROL;
    }
    if batch.delete_horizon.is_some() {
        attributes |= DELETE_HORIZON;
    }
    let base = unix_millis(batch.base_timestamp);
    let (producer, epoch, sequence) =
        batch.producer.map_or((-1, -1, -1), |(id, epoch, sequence)| (id as i64, epoch as i16, sequence));
    let mut bytes = Vec::with_capacity(batch.size_bytes as usize);
    bytes.extend(attributes.to_be_bytes());
    bytes.extend(((batch.last_offset - batch.base_offset) as i32).to_be_bytes());
    bytes.extend(base.to_be_bytes());
    bytes.extend(unix_millis(batch.max_timestamp).to_be_bytes());
    bytes.extend(producer.to_be_bytes());
    bytes.extend(epoch.to_be_bytes());
    bytes.extend(sequence.to_be_bytes());
    bytes.extend((batch.count as i32).to_be_bytes());
    for (offset, record) in &batch.records {
        let (delta, time) = ((offset - batch.base_offset) as i64, unix_millis(record.create_time) - base);
        match batch.control {
            Some((marker, coordinator_epoch)) => write_marker(&mut bytes, time, marker, coordinator_epoch),
            None => write_record(&mut bytes, delta, time, record),
        }
    }
    crc32c(&bytes)
}

fn write_record(bytes: &mut Vec<u8>, offset_delta: i64, time_delta: i64, record: &Record) {
    let mut body = vec![0];
    write_varint(&mut body, time_delta);
    write_varint(&mut body, offset_delta);
    write_field(&mut body, record.key.as_deref());
    let value = record.value.as_ref().map(|text| {
        let mut value = text.as_bytes().to_vec();
        value.resize(record.value_size as usize, 0);
        value
    });
    write_field(&mut body, value.as_deref());
    let headers = record.headers.as_deref().unwrap_or_default();
    write_varint(&mut body, headers.len() as i64);
    for (name, value) in headers {
        write_field(&mut body, Some(name.as_bytes()));
        write_field(&mut body, Some(value.as_bytes()));
    }
    write_varint(bytes, body.len() as i64);
    bytes.extend(body);
}

/// Version and type are the key of a marker; version and coordinator epoch its value.
fn write_marker(bytes: &mut Vec<u8>, time_delta: i64, marker: MarkerKind, coordinator_epoch: u32) {
    let mut body = vec![0];
    write_varint(&mut body, time_delta);
    write_varint(&mut body, 0);
    write_field(&mut body, Some(&[0, 0, 0, u8::from(marker == MarkerKind::Commit)]));
    let epoch = coordinator_epoch.to_be_bytes();
    write_field(&mut body, Some(&[0, 0, epoch[0], epoch[1], epoch[2], epoch[3]]));
    write_varint(&mut body, 0);
    write_varint(bytes, body.len() as i64);
    bytes.extend(body);
}

fn write_field(bytes: &mut Vec<u8>, field: Option<&[u8]>) {
    match field {
        Some(field) => {
            write_varint(bytes, field.len() as i64);
            bytes.extend(field);
        }
        None => write_varint(bytes, -1),
    }
}

/// A zigzag varint.
fn write_varint(bytes: &mut Vec<u8>, value: i64) {
    let mut rest = ((value << 1) ^ (value >> 63)) as u64;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// CRC-32C (Castagnoli).
fn crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0x82f6_3b78 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_rfc_3720() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
    }

    #[test]
    fn varints_are_zigzag() {
        let check = |value: i64, expected: &[u8]| {
            let mut bytes = Vec::new();
            write_varint(&mut bytes, value);
            assert_eq!(bytes, expected, "{value}");
        };
        check(0, &[0]);
        check(-1, &[1]);
        check(63, &[126]);
        check(64, &[0x80, 1]);
    }
}
