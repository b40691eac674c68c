//! Bob Jenkins' lookup3, folded to 16 bits as the Azure Event Hubs SDKs do with a partition key.
//!
//! Deliberately not here: the mapping inside the Event Hubs service, which is not published.

/// The hash of a partition key, `(short)(c ^ b)` of lookup3 with initial values 0.
///
/// ```
/// assert_eq!(partitioner::hash::lookup3::event_hubs(b"7"), -15263);
/// ```
pub fn event_hubs(key: &[u8]) -> i16 {
    let (b, c) = lookup3(key);
    (c ^ b) as i16
}

/// The two result words `b` and `c` of lookup3 (`hashlittle2`) with both initial values 0.
fn lookup3(key: &[u8]) -> (u32, u32) {
    let first = 0xdead_beef_u32.wrapping_add(key.len() as u32);
    let mut state = [first; 3];
    let mut rest = key;
    while rest.len() > 12 {
        let (block, after) = rest.split_at(12);
        state = mix(add(state, block));
        rest = after;
    }
    if rest.is_empty() {
        return (state[1], state[2]);
    }
    let [_, b, c] = finish(add(state, rest));
    (b, c)
}

/// Adds up to twelve bytes as three little-endian words; missing bytes are 0.
fn add(state: [u32; 3], bytes: &[u8]) -> [u32; 3] {
    let mut block = [0u8; 12];
    block[..bytes.len()].copy_from_slice(bytes);
    let mut out = state;
    for (number, word) in out.iter_mut().zip(block.as_chunks::<4>().0) {
        *number = number.wrapping_add(u32::from_le_bytes(*word));
    }
    out
}

fn mix([mut a, mut b, mut c]: [u32; 3]) -> [u32; 3] {
    for (s1, s2, s3) in [(4, 6, 8), (16, 19, 4)] {
        a = a.wrapping_sub(c) ^ c.rotate_left(s1);
        c = c.wrapping_add(b);
        b = b.wrapping_sub(a) ^ a.rotate_left(s2);
        a = a.wrapping_add(c);
        c = c.wrapping_sub(b) ^ b.rotate_left(s3);
        b = b.wrapping_add(a);
    }
    [a, b, c]
}

fn finish([mut a, mut b, mut c]: [u32; 3]) -> [u32; 3] {
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    c = (c ^ b).wrapping_sub(b.rotate_left(24));
    [a, b, c]
}
