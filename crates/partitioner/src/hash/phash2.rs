//! `erlang:phash2/1` of a binary: brod and wolff place keys with it.
//!
//! Deliberately not here: other Erlang terms. An iolist or a string hashes differently from the binary of the same text.

const GOLDEN: u32 = 0x9e37_79b9;
const RANGE: u32 = (1 << 27) - 1;

/// The hash of a binary, below 2^27.
///
/// ```
/// assert_eq!(partitioner::hash::phash2::phash2(b"abc"), 98228475);
/// ```
pub fn phash2(key: &[u8]) -> u32 {
    let mut state = [GOLDEN, GOLDEN, GOLDEN.wrapping_mul(13)];
    if key.is_empty() {
        return state[2] & RANGE;
    }
    let (blocks, tail) = key.as_chunks::<12>();
    for block in blocks {
        for (number, word) in state.iter_mut().zip(words(block)) {
            *number = number.wrapping_add(word);
        }
        state = mix(state);
    }
    let mut padded = [0u8; 12];
    padded[..tail.len()].copy_from_slice(tail);
    let [low, middle, high] = words(&padded);
    // The lowest byte of the third word belongs to the length, so the tail's bytes 8 to 10 start one byte higher.
    let state = [
        state[0].wrapping_add(low),
        state[1].wrapping_add(middle),
        state[2].wrapping_add(key.len() as u32).wrapping_add(high << 8),
    ];
    mix(state)[2] & RANGE
}

fn words(block: &[u8; 12]) -> [u32; 3] {
    let (words, _) = block.as_chunks::<4>();
    [u32::from_le_bytes(words[0]), u32::from_le_bytes(words[1]), u32::from_le_bytes(words[2])]
}

fn mix([mut a, mut b, mut c]: [u32; 3]) -> [u32; 3] {
    for (s1, s2, s3) in [(13, 8, 13), (12, 16, 5), (3, 10, 15)] {
        a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> s1);
        b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << s2);
        c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> s3);
    }
    [a, b, c]
}
