//! CRC-32 as zlib and librdkafka compute it, eight bytes a step.
//!
//! Deliberately not here: other polynomials. No Kafka client uses one for keys.

/// The polynomial 0x04c11db7 with its bits in reverse order.
pub const POLYNOMIAL: u32 = 0xedb8_8320;

static TABLES: [[u32; 256]; 8] = tables();

/// The checksum of `key`: initial value and final xor 0xffffffff.
///
/// ```
/// assert_eq!(partitioner::hash::crc32::crc32(b"abc"), 891568578);
/// ```
#[inline]
pub fn crc32(key: &[u8]) -> u32 {
    !absorb(!0, key)
}

/// The state after one byte.
#[inline]
pub fn absorb_byte(state: u32, byte: u8) -> u32 {
    (state >> 8) ^ TABLES[0][usize::from(state as u8 ^ byte)]
}

#[inline]
fn absorb(mut state: u32, bytes: &[u8]) -> u32 {
    let (blocks, tail) = bytes.as_chunks::<8>();
    for block in blocks {
        state = absorb_block(state, u64::from_le_bytes(*block));
    }
    let (words, tail) = tail.as_chunks::<4>();
    for word in words {
        let [b0, b1, b2, b3] = (state ^ u32::from_le_bytes(*word)).to_le_bytes();
        state = TABLES[3][usize::from(b0)]
            ^ TABLES[2][usize::from(b1)]
            ^ TABLES[1][usize::from(b2)]
            ^ TABLES[0][usize::from(b3)];
    }
    tail.iter().fold(state, |state, byte| absorb_byte(state, *byte))
}

#[inline]
fn absorb_block(state: u32, block: u64) -> u32 {
    let [b0, b1, b2, b3, b4, b5, b6, b7] = (block ^ u64::from(state)).to_le_bytes().map(usize::from);
    let first = TABLES[7][b0] ^ TABLES[6][b1] ^ TABLES[5][b2] ^ TABLES[4][b3];
    first ^ (TABLES[3][b4] ^ TABLES[2][b5] ^ TABLES[1][b6] ^ TABLES[0][b7])
}

/// Table `t` holds the effect of a byte that is followed by `t` zero bytes.
const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0u32; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut state = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            state = if state & 1 == 1 { (state >> 1) ^ POLYNOMIAL } else { state >> 1 };
            bit += 1;
        }
        tables[0][byte] = state;
        byte += 1;
    }
    let mut table = 1;
    while table < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[table - 1][byte];
            tables[table][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        table += 1;
    }
    tables
}
