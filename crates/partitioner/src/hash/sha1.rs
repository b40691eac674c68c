//! SHA-1, which pykafka's hashing partitioner reads as one big number.
//!
//! Deliberately not here: any claim of security. SHA-1 is broken for that; here it only spreads keys.

/// The digest of `key`, most significant byte first.
///
/// ```
/// assert_eq!(partitioner::hash::sha1::sha1(b"abc")[..4], [0xa9, 0x99, 0x3e, 0x36]);
/// ```
pub fn sha1(key: &[u8]) -> [u8; 20] {
    let mut state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let (blocks, tail) = key.as_chunks::<64>();
    for block in blocks {
        state = compress(state, block);
    }
    // The last one or two blocks: the tail, one bit, zeros, and the length in bits.
    let mut last = [0u8; 128];
    last[..tail.len()].copy_from_slice(tail);
    last[tail.len()] = 0x80;
    let used = if tail.len() < 56 { 64 } else { 128 };
    last[used - 8..used].copy_from_slice(&(key.len() as u64 * 8).to_be_bytes());
    for block in last[..used].as_chunks::<64>().0 {
        state = compress(state, block);
    }
    let mut digest = [0; 20];
    for (bytes, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *bytes = word.to_be_bytes();
    }
    digest
}

fn compress(state: [u32; 5], block: &[u8; 64]) -> [u32; 5] {
    let mut w = [0u32; 80];
    for (word, bytes) in w.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    for i in 16..80 {
        w[i] = (w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16]).rotate_left(1);
    }
    let [mut a, mut b, mut c, mut d, mut e] = state;
    for (i, word) in w.into_iter().enumerate() {
        let (f, k) = match i / 20 {
            0 => ((b & c) | (!b & d), 0x5a82_7999),
            1 => (b ^ c ^ d, 0x6ed9_eba1),
            2 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6u32),
        };
        let next = a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(k).wrapping_add(word);
        (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
    }
    let mut out = [a, b, c, d, e];
    for (number, before) in out.iter_mut().zip(state) {
        *number = number.wrapping_add(before);
    }
    out
}
