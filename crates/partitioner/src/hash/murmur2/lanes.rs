//! Steps of murmur2 over a block of states, as loops that the compiler turns into vector instructions.
//!
//! The same steps for wasm are in `lanes_wasm.rs`; what they compute is said in `murmur2.rs`.

use super::{BLOCK, finish, mix};

/// Two words of every key.
#[inline(always)]
pub(super) fn absorb_pairs(states: &mut [u32; BLOCK], low: &[u32; BLOCK], high: &[u32; BLOCK]) {
    for ((state, low), high) in states.iter_mut().zip(low).zip(high) {
        *state = mix(mix(*state, *low), *high);
    }
}

/// The final avalanche of every key.
#[inline(always)]
pub(super) fn finish_all(states: &mut [u32; BLOCK]) {
    for state in states {
        *state = finish(*state);
    }
}
