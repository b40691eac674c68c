//! Sizes of records and batches in the v2 format, to the byte.
//!
//! Follows `DefaultRecord.sizeInBytes` and `DefaultRecordBatch.RECORD_BATCH_OVERHEAD` of Kafka 4.3.1.
//! Compression is not here.

/// Bytes of a batch header.
pub(crate) const BATCH_OVERHEAD: u32 = 61;
/// Upper bound for a record's own overhead (`DefaultRecord.MAX_RECORD_OVERHEAD`).
const RECORD_OVERHEAD_MAX: u32 = 21;

/// Bytes of one record inside a batch, its length prefix included. `key` and `value` are sizes in bytes.
pub(crate) fn record_size(offset_delta: u32, timestamp_delta_millis: i64, key: Option<u32>, value: Option<u32>) -> u32 {
    let body = 1
        + varint_size(timestamp_delta_millis)
        + varint_size(i64::from(offset_delta))
        + field_size(key)
        + field_size(value)
        + varint_size(0);
    varint_size(i64::from(body)) + body
}

/// Upper bound of the size of a batch with this one record, as the producer checks it.
pub(crate) fn batch_size_upper_bound(key: Option<u32>, value: Option<u32>) -> u32 {
    BATCH_OVERHEAD + RECORD_OVERHEAD_MAX + field_size(key) + field_size(value) + varint_size(0)
}

fn field_size(bytes: Option<u32>) -> u32 {
    match bytes {
        Some(bytes) => varint_size(i64::from(bytes)) + bytes,
        None => varint_size(-1),
    }
}

/// Bytes of a number as a zigzag varint.
fn varint_size(value: i64) -> u32 {
    let zigzag = ((value << 1) ^ (value >> 63)) as u64;
    let bits = 64 - (zigzag | 1).leading_zeros();
    bits.div_ceil(7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_agree_with_the_java_client() {
        // A keyless record with a value of 1,024 bytes takes 1,033 bytes; 15 of them fill a batch.
        assert_eq!(record_size(0, 0, None, Some(1024)), 1033);
        assert_eq!(BATCH_OVERHEAD + 15 * 1033, 15_556);
        // Kafka reports 2,087 bytes for the key `k` and a value of 2,000 bytes.
        assert_eq!(batch_size_upper_bound(Some(1), Some(2000)), 2087);
    }

    #[test]
    fn varints_grow_every_seven_bits() {
        let cases = [(0, 1), (-1, 1), (63, 1), (64, 2), (-64, 1), (-65, 2), (8191, 2), (8192, 3), (i64::MIN, 10)];
        for (value, size) in cases {
            assert_eq!(varint_size(value), size, "{value}");
        }
    }
}
