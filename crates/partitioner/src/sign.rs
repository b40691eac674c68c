//! How a hash of 32 bits becomes a partition number: the ways to treat its sign, and the modulo.
//!
//! Deliberately not here: which client uses which rule; that is one field of a catalogue entry.

use core::num::NonZeroU32;

/// The treatment of the sign bit. The rules are different functions: for the same hash they name different
/// partitions unless the hash is below 2^31.
///
/// ```
/// use partitioner::SignRule;
/// let hash = -1762245835_i32 as u32;
/// assert_eq!(SignRule::Mask.partition(hash, 6), Some(1));
/// assert_eq!(SignRule::Unsigned.partition(hash, 6), Some(3));
/// assert_eq!(SignRule::SignedNegate.partition(hash, 6), Some(1));
/// assert_eq!(SignRule::Signed.partition(hash, 6), None, "a signed remainder can be negative");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SignRule {
    /// Clear the sign bit, then modulo: Java, and Sarama's "reference" partitioner.
    Mask,
    /// Read the bits as an unsigned number: librdkafka's crc32, Platformatic.
    Unsigned,
    /// Signed remainder; a negative remainder is negated: Sarama, .NET and Java SDKs of Event Hubs.
    SignedNegate,
    /// Negate a negative hash, then read it as unsigned: librdkafka's fnv1a. Same partitions as `SignedNegate`.
    AbsFirst,
    /// Absolute value, where -2^31 becomes 0: the Scala producer since 0.8.2, Spring Cloud Stream.
    AbsMinZero,
    /// Remainder that is never negative because it rounds down, as in Python.
    Floor,
    /// Absolute value as most languages compute it: -2^31 stays negative. No client; a lesson compares it.
    NaiveAbs,
    /// Signed remainder as it is, negative for half of all hashes. No client any more; a lesson compares it.
    Signed,
}

impl SignRule {
    /// Every rule, in the order of the definition.
    pub const ALL: [Self; 8] = [
        Self::Mask,
        Self::Unsigned,
        Self::SignedNegate,
        Self::AbsFirst,
        Self::AbsMinZero,
        Self::Floor,
        Self::NaiveAbs,
        Self::Signed,
    ];

    /// The number that is divided by the partition count.
    #[inline]
    pub fn dividend(self, hash: u32) -> i64 {
        let signed = hash as i32;
        match self {
            Self::Mask => i64::from(hash & 0x7fff_ffff),
            Self::Unsigned => i64::from(hash),
            Self::AbsFirst => i64::from(signed.unsigned_abs()),
            Self::AbsMinZero => i64::from(signed.checked_abs().unwrap_or(0)),
            Self::NaiveAbs => i64::from(signed.wrapping_abs()),
            Self::SignedNegate | Self::Floor | Self::Signed => i64::from(signed),
        }
    }

    /// The remainder before a rule's last correction; negative where the dividend is negative, except for `Floor`.
    ///
    /// # Panics
    /// If `partitions` is 0.
    #[inline]
    pub fn remainder(self, hash: u32, partitions: u32) -> i64 {
        let (dividend, partitions) = (self.dividend(hash), i64::from(partitions));
        if self == Self::Floor { dividend.rem_euclid(partitions) } else { dividend % partitions }
    }

    /// The partition of `hash`; `None` if there are no partitions, or if this rule gives a negative number.
    #[inline]
    pub fn partition(self, hash: u32, partitions: u32) -> Option<u32> {
        if partitions == 0 {
            return None;
        }
        if let Some(magnitude) = self.magnitude(hash) {
            return Some(magnitude % partitions);
        }
        u32::try_from(self.remainder(hash, partitions)).ok()
    }

    /// The unsigned number whose plain modulo is the partition, for the rules that can be written in that way.
    #[inline]
    pub fn magnitude(self, hash: u32) -> Option<u32> {
        match self {
            Self::Mask => Some(hash & 0x7fff_ffff),
            Self::Unsigned => Some(hash),
            Self::SignedNegate | Self::AbsFirst => Some((hash as i32).unsigned_abs()),
            Self::AbsMinZero => Some((hash as i32).unsigned_abs() & 0x7fff_ffff),
            Self::Floor | Self::NaiveAbs | Self::Signed => None,
        }
    }

    /// Does the client hold the hash as a signed number?
    pub fn reads_signed(self) -> bool {
        self != Self::Unsigned
    }

    /// The rule in words, to follow a hash: "sign bit cleared".
    pub fn words(self) -> &'static str {
        match self {
            Self::Mask => "sign bit cleared",
            Self::Unsigned => "read as unsigned",
            Self::SignedNegate => "signed remainder, negated if negative",
            Self::AbsFirst => "negated if negative",
            Self::AbsMinZero => "absolute value",
            Self::Floor => "remainder rounded down",
            Self::NaiveAbs => "absolute value",
            Self::Signed => "signed remainder",
        }
    }

    /// The rule as a formula over a 32-bit `h` and a partition count `n`.
    pub fn formula(self) -> &'static str {
        match self {
            Self::Mask => "(h & 0x7fffffff) % n",
            Self::Unsigned => "h % n, h unsigned",
            Self::SignedNegate => "|h % n|, h signed",
            Self::AbsFirst => "|h| % n",
            Self::AbsMinZero => "|h| % n, -2^31 counts as 0",
            Self::Floor => "h mod n rounded down, h signed",
            Self::NaiveAbs => "abs(h) % n, abs(-2^31) stays negative",
            Self::Signed => "h % n, h signed",
        }
    }
}

/// Division of many 32-bit numbers by one divisor, with two multiplications each instead of a division.
///
/// ```
/// let modulo = partitioner::FastModulo::new(48).expect("48 is not 0");
/// assert_eq!(modulo.of(4_000_000_000), 4_000_000_000 % 48);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastModulo {
    divisor: NonZeroU32,
    inverse: u64,
    inverse_31: u32,
    shift_31: u32,
}

impl FastModulo {
    /// `None` if `divisor` is 0.
    #[inline]
    pub fn new(divisor: u32) -> Option<Self> {
        // Rounded up, so that the product of inverse and number carries the remainder in its fraction (Lemire).
        // For a divisor of 1 it wraps to 0, and so does every remainder.
        let divisor = NonZeroU32::new(divisor)?;
        let inverse = (u64::MAX / u64::from(divisor.get())).wrapping_add(1);
        // For numbers below 2^31 an inverse of 32 bits is exact, and products of 32 bits suit vector units.
        let shift_31 = 63 - (divisor.get() - 1).leading_zeros();
        let inverse_31 = ((1u64 << shift_31) / u64::from(divisor.get()) + 1) as u32;
        Some(Self { divisor, inverse, inverse_31, shift_31 })
    }

    /// The divisor; never 0.
    #[inline]
    pub fn divisor(self) -> NonZeroU32 {
        self.divisor
    }

    /// `number % divisor`.
    #[inline]
    pub fn of(self, number: u32) -> u32 {
        let fraction = self.inverse.wrapping_mul(u64::from(number));
        ((u128::from(fraction) * u128::from(self.divisor.get())) >> 64) as u32
    }

    /// `number % divisor` for a number below 2^31; other numbers give a wrong answer.
    #[inline]
    pub fn of_31_bits(self, number: u32) -> u32 {
        let quotient = (u64::from(number) * u64::from(self.inverse_31)) >> self.shift_31;
        number.wrapping_sub((quotient as u32).wrapping_mul(self.divisor.get()))
    }
}

#[cfg(test)]
mod tests {
    use super::{FastModulo, SignRule};

    #[track_caller]
    fn check(rule: SignRule, hash: u32, partitions: u32, expected: Option<u32>) {
        assert_eq!(rule.partition(hash, partitions), expected, "{rule:?} of {hash:#x} mod {partitions}");
    }

    #[track_caller]
    fn check_modulo(modulo: FastModulo, number: u32, divisor: u32) {
        assert_eq!(modulo.of(number), number % divisor, "{number} mod {divisor}");
        let number = number & 0x7fff_ffff;
        assert_eq!(modulo.of_31_bits(number), number % divisor, "{number} mod {divisor}");
    }

    #[test]
    fn rules_differ_at_the_edges_of_the_sign() {
        let edges = [0, 1, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_ffff];
        let expected = [
            (SignRule::Mask, [0, 1, 7, 0, 1, 7]),
            (SignRule::Unsigned, [0, 1, 7, 8, 9, 5]),
            (SignRule::SignedNegate, [0, 1, 7, 8, 7, 1]),
            (SignRule::AbsFirst, [0, 1, 7, 8, 7, 1]),
            (SignRule::AbsMinZero, [0, 1, 7, 0, 7, 1]),
            (SignRule::Floor, [0, 1, 7, 2, 3, 9]),
        ];
        for (rule, partitions) in expected {
            for (hash, partition) in edges.into_iter().zip(partitions) {
                check(rule, hash, 10, Some(partition));
            }
        }
        check(SignRule::Signed, 0x8000_0000, 10, None);
        check(SignRule::NaiveAbs, 0x8000_0000, 10, None);
        check(SignRule::NaiveAbs, 0x8000_0001, 10, Some(7));
    }

    #[test]
    fn no_partition_exists_when_the_count_is_zero() {
        for rule in SignRule::ALL {
            check(rule, 12345, 0, None);
        }
    }

    #[test]
    fn fast_modulo_equals_the_division() {
        let mut number = 1u32;
        for divisor in [1, 2, 3, 6, 7, 12, 48, 50, 1000, 65_537, 0x7fff_ffff, 0x8000_0000, u32::MAX] {
            let modulo = FastModulo::new(divisor).unwrap();
            for edge in [0, 1, divisor - 1, divisor, divisor.wrapping_add(1), 0x8000_0000, u32::MAX] {
                check_modulo(modulo, edge, divisor);
            }
            for _ in 0..1000 {
                number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                assert_eq!(modulo.of(number), number % divisor, "{number} mod {divisor}");
            }
        }
        assert_eq!(FastModulo::new(0), None);
    }
}
