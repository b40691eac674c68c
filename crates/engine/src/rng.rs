//! Randomness: one small generator, and one stream for each purpose.
//!
//! A stream is named by its purpose and its owner, so a new producer or a new fault never shifts the
//! numbers that the others draw. Nothing here is seeded from outside the scenario.

use partitioner::Random;

use crate::event::Name;

/// A stream of numbers that follows from a seed and a name (SplitMix64).
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    state: u64,
}

impl Stream {
    /// The stream of one purpose ("partitioner", "workload", "topic id") and one owner.
    pub fn new(seed: u64, purpose: &str, owner: &str) -> Stream {
        let mut state = seed ^ 0x6c6f_6761_7269_756d;
        for byte in purpose.bytes().chain([0]).chain(owner.bytes()) {
            state = mix(state ^ u64::from(byte));
        }
        Stream { state }
    }

    /// 64 random bits.
    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// A version-4 uuid as `Uuid.toString` of Kafka has it: 22 characters of URL-safe base64.
    pub fn uuid(&mut self) -> Name {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let high = (self.draw() & 0xffff_ffff_ffff_0fff) | 0x4000;
        let low = (self.draw() & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000;
        let bits = (u128::from(high) << 64) | u128::from(low);
        let digit = |at: u32| ALPHABET[if at < 21 { (bits >> (122 - 6 * at)) & 63 } else { (bits << 4) & 63 } as usize];
        (0..22).map(|at| char::from(digit(at))).collect::<String>().into()
    }

    /// A number below `bound`, which is at least 1.
    pub fn below(&mut self, bound: u64) -> u64 {
        // Multiply-shift: the bias is below 2^-32 for every bound in `limits.rs`.
        ((u128::from(self.draw()) * u128::from(bound)) >> 64) as u64
    }
}

/// The source that a partitioner draws from.
#[derive(Clone, Debug, PartialEq)]
pub enum PartitionerSource {
    /// Seeded by the scenario.
    Seeded(Stream),
    /// Counts up, as the mock in Kafka's own partitioner tests does.
    Counting(u32),
}

impl Random for PartitionerSource {
    fn next_u31(&mut self) -> u32 {
        match self {
            PartitionerSource::Seeded(stream) => (stream.draw() >> 33) as u32,
            PartitionerSource::Counting(next) => {
                let value = *next & 0x7fff_ffff;
                *next = next.wrapping_add(1);
                value
            }
        }
    }
}

/// The linear congruential source of Kafka's `MockRandom` (server-common tests, 4.3.1) behind
/// `java.util.Random`'s `nextInt(bound)`. Replica placement draws from it, so that published
/// placements can be repeated: they start at 17.
#[derive(Clone, Debug, PartialEq)]
pub struct JavaRandom {
    state: u64,
}

impl JavaRandom {
    /// A source with that start value.
    pub fn new(state: u64) -> JavaRandom {
        JavaRandom { state }
    }

    fn next(&mut self, bits: u32) -> i32 {
        self.state = self.state.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(3_037_000_493);
        (self.state >> (64 - bits)) as i32
    }

    /// `Random.nextInt(bound)`; `bound` is at least 1.
    pub fn next_int(&mut self, bound: u32) -> u32 {
        let bound = bound as i32;
        let mut drawn = self.next(31);
        if bound & (bound - 1) == 0 {
            return ((i64::from(bound) * i64::from(drawn)) >> 31) as u32;
        }
        loop {
            let value = drawn % bound;
            if drawn.wrapping_sub(value).wrapping_add(bound - 1) >= 0 {
                return value as u32;
            }
            drawn = self.next(31);
        }
    }

    /// `Collections.shuffle`.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for index in (1..list.len()).rev() {
            let other = self.next_int(index as u32 + 1) as usize;
            list.swap(index, other);
        }
    }
}

fn mix(mut value: u64) -> u64 {
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_different_owners_differ() {
        let draw = |owner| Stream::new(7, "partitioner", owner).draw();
        assert_ne!(draw("a"), draw("b"));
        assert_eq!(draw("a"), draw("a"));
    }

    #[test]
    fn bounded_draws_stay_below_their_bound_and_reach_every_value() {
        let mut stream = Stream::new(1, "test", "");
        let mut seen = [0u32; 6];
        for _ in 0..600 {
            seen[stream.below(6) as usize] += 1;
        }
        assert!(seen.iter().all(|count| *count > 50), "{seen:?}");
    }
}
