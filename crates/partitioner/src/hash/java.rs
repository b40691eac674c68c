//! Java's `hashCode` of strings, byte arrays and boxed integers.
//!
//! Deliberately not here: the identity hash of `byte[]`, which differs in every run of a JVM.

/// `String.hashCode`: 31 · h + UTF-16 unit.
///
/// ```
/// assert_eq!(partitioner::hash::java::string_hash_code("42"), 1662);
/// ```
pub fn string_hash_code(text: &str) -> i32 {
    text.encode_utf16().fold(0i32, |h, unit| h.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// `Arrays.hashCode(byte[])`: starts at 1 and reads each byte as signed.
pub fn bytes_hash_code(bytes: &[u8]) -> i32 {
    bytes.iter().fold(1i32, |h, byte| h.wrapping_mul(31).wrapping_add(i32::from(*byte as i8)))
}

/// `Integer.hashCode`: the number itself.
pub fn integer_hash_code(value: i32) -> i32 {
    value
}

/// `Long.hashCode`: the two halves xored.
pub fn long_hash_code(value: i64) -> i32 {
    (value ^ ((value as u64) >> 32) as i64) as i32
}
