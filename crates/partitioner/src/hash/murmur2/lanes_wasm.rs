//! Steps of murmur2 over a block of states in wasm's own vector instructions: a module that is built for size gets
//! none from the compiler.
//!
//! The same steps for other targets are in `lanes.rs`; what they compute is said in `murmur2.rs`.

use core::arch::wasm32::{i32x4_mul, u32x4, u32x4_extract_lane, u32x4_shr, u32x4_splat, v128, v128_xor};

use super::{BLOCK, MULTIPLIER};

/// Two words of every key.
pub(super) fn absorb_pairs(states: &mut [u32; BLOCK], low: &[u32; BLOCK], high: &[u32; BLOCK]) {
    let (states, low, high) = (states.as_chunks_mut::<4>().0, low.as_chunks::<4>().0, high.as_chunks::<4>().0);
    for ((state, low), high) in states.iter_mut().zip(low).zip(high) {
        *state = stored(mix(mix(loaded(state), loaded(low)), loaded(high)));
    }
}

/// The final avalanche of every key.
pub(super) fn finish_all(states: &mut [u32; BLOCK]) {
    for state in states.as_chunks_mut::<4>().0 {
        let h = loaded(state);
        let h = i32x4_mul(v128_xor(h, u32x4_shr(h, 13)), u32x4_splat(MULTIPLIER));
        *state = stored(v128_xor(h, u32x4_shr(h, 15)));
    }
}

fn mix(h: v128, word: v128) -> v128 {
    let multiplier = u32x4_splat(MULTIPLIER);
    let k = i32x4_mul(word, multiplier);
    let k = i32x4_mul(v128_xor(k, u32x4_shr(k, 24)), multiplier);
    v128_xor(i32x4_mul(h, multiplier), k)
}

fn loaded([a, b, c, d]: &[u32; 4]) -> v128 {
    u32x4(*a, *b, *c, *d)
}

fn stored(lanes: v128) -> [u32; 4] {
    [
        u32x4_extract_lane::<0>(lanes),
        u32x4_extract_lane::<1>(lanes),
        u32x4_extract_lane::<2>(lanes),
        u32x4_extract_lane::<3>(lanes),
    ]
}
