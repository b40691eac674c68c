//! How wide text is, without a browser: an estimate that is never too small for the product's faces.
//!
//! Nothing is measured here. The estimate leans to the wide side of common system fonts, so that what
//! fits by it fits on the screen.

use std::rc::Rc;

use engine::time::Duration;

use crate::display::{CHIP_TEXT_END, CHIP_TEXT_SIZE, CHIP_TEXT_X, Face};

/// Width of a character of the monospaced face, in ems: DejaVu Sans Mono and Menlo are the widest.
const MONO_EM: f32 = 0.605;

/// Estimated width of a text in pixels.
pub fn width(text: &str, size: f32, face: Face) -> f32 {
    let ems: f32 = match face {
        Face::Mono | Face::MonoBold => text.chars().map(|letter| if is_wide(letter) { 1.1 } else { MONO_EM }).sum(),
        Face::Sans => text.chars().map(sans_em).sum(),
        Face::SansBold => text.chars().map(sans_em).sum::<f32>() * 1.09,
    };
    ems * size
}

/// The text, or as much of its beginning as fits together with an ellipsis. Empty if nothing fits.
pub fn fit(text: &Rc<str>, room: f32, size: f32, face: Face) -> Rc<str> {
    if width(text, size, face) <= room {
        return text.clone();
    }
    let room = room - width("…", size, face);
    let mut used = 0.0;
    let mut end = 0;
    for (at, letter) in text.char_indices() {
        used += width(letter.encode_utf8(&mut [0; 4]), size, face);
        if used > room {
            break;
        }
        end = at + letter.len_utf8();
    }
    match text[..end].trim_end_matches([' ', ',', '…']) {
        "" => "".into(),
        kept => format!("{kept}…").into(),
    }
}

/// The text, or its beginning and its end around an ellipsis: keys often differ at their end.
pub fn fit_middle(text: &Rc<str>, room: f32, size: f32, face: Face) -> Rc<str> {
    if width(text, size, face) <= room {
        return text.clone();
    }
    let letters: Vec<char> = text.chars().collect();
    let mut kept = letters.len().saturating_sub(1);
    while kept > 1 {
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        let short: String = letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect();
        if width(&short, size, face) <= room {
            return short.into();
        }
        kept -= 1;
    }
    fit(text, room, size, face)
}

/// Width of a chip that shows a key in full.
pub fn chip_width(key: &str) -> f32 {
    CHIP_TEXT_X + width(key, CHIP_TEXT_SIZE, Face::MonoBold) + CHIP_TEXT_END
}

/// Width of a pill around a word.
pub fn pill_width(word: &str) -> f32 {
    width(word, CHIP_TEXT_SIZE, Face::MonoBold) + 20.0
}

/// A count for people: `999`, `1,234`, `12.3k`, `4.5M`.
pub fn count(number: u64) -> String {
    match number {
        0..=999 => number.to_string(),
        1_000..=9_999 => format!("{},{:03}", number / 1_000, number % 1_000),
        10_000..=999_999 => format!("{}.{}k", number / 1_000, number % 1_000 / 100),
        1_000_000..=999_999_999 => format!("{}.{}M", number / 1_000_000, number % 1_000_000 / 100_000),
        _ => format!("{}.{}G", number / 1_000_000_000, number % 1_000_000_000 / 100_000_000),
    }
}

/// An amount of bytes for people, in powers of ten: `512 B`, `1.5 kB`, `500 GB`.
pub fn bytes(amount: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if amount < 1_000 {
        return format!("{amount} B");
    }
    let mut unit = 0;
    let mut tenths = amount / 100;
    while tenths >= 10_000 && unit + 1 < UNITS.len() {
        tenths /= 1_000;
        unit += 1;
    }
    let (whole, tenth) = (tenths / 10, tenths % 10);
    if tenth == 0 { format!("{whole} {}", UNITS[unit]) } else { format!("{whole}.{tenth} {}", UNITS[unit]) }
}

/// An amount of memory for people, in powers of 1,024 as Kafka's settings are: `512 B`, `256 KiB`, `32 MiB`.
pub fn memory(amount: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if amount < 1_024 {
        return format!("{amount} B");
    }
    let unit = (1..UNITS.len()).take_while(|unit| amount >> (10 * (unit + 1)) > 0).count();
    let size = 1_u64 << (10 * (unit + 1));
    let (whole, tenth) = (amount / size, (amount % size) / (size / 10));
    if tenth == 0 { format!("{whole} {}", UNITS[unit]) } else { format!("{whole}.{} {}", tenth.min(9), UNITS[unit]) }
}

fn is_wide(letter: char) -> bool {
    // East Asian text and pictographs take a whole em even in a monospaced face.
    matches!(letter, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ff60}' | '\u{1f000}'..)
}

fn sans_em(letter: char) -> f32 {
    match letter {
        'i' | 'j' | 'l' | '\'' | '|' => 0.29,
        'f' | 't' | 'r' | 'I' | '.' | ',' | ':' | ';' | '!' | '(' | ')' | '[' | ']' | '/' | '·' => 0.40,
        ' ' => 0.33,
        '-' => 0.40,
        's' | 'c' | 'z' | 'J' => 0.55,
        'm' | 'M' | 'W' | '%' | '@' => 1.0,
        'w' => 0.84,
        'A'..='Z' => 0.76,
        '…' => 1.0,
        _ if is_wide(letter) => 1.1,
        _ => 0.64,
    }
}

/// How long something waits, in microseconds, as far as it matters: `850 ms`, `1.2 s`, `60 s`.
pub fn waited(micros: u64) -> String {
    let tenths = micros / 100_000;
    match micros {
        0..1_000_000 => format!("{} ms", micros / 1_000),
        _ if tenths.is_multiple_of(10) || tenths >= 1_000 => format!("{} s", tenths / 10),
        _ => format!("{}.{} s", tenths / 10, tenths % 10),
    }
}

/// Seconds to a tenth, rounded: `5.6`.
pub fn tenths(duration: Duration) -> String {
    let tenths = (duration.0 + 50_000) / 100_000;
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortened_text_fits_its_room() {
        let text: Rc<str> = "orders-service-of-the-warehouse".into();
        for room in [0.0, 5.0, 20.0, 60.0, 100.0, 150.0] {
            for face in [Face::Sans, Face::SansBold, Face::Mono, Face::MonoBold] {
                assert!(width(&fit(&text, room, 12.0, face), 12.0, face) <= room, "{room} {face:?}");
                assert!(width(&fit_middle(&text, room, 12.0, face), 12.0, face) <= room, "{room} {face:?}");
            }
        }
    }

    #[test]
    fn long_keys_keep_their_beginning_and_their_end() {
        let key: Rc<str> = "customer-000000017".into();
        assert_eq!(&*fit_middle(&key, 60.0, 11.0, Face::Mono), "cust…0017");
    }

    #[test]
    fn bytes_are_told_in_powers_of_ten() {
        let amounts = [0, 999, 1_500, 1_048_576, 500_000_000_000, u64::MAX].map(bytes);
        assert_eq!(amounts, ["0 B", "999 B", "1.5 kB", "1 MB", "500 GB", "18.4 EB"]);
    }

    #[test]
    fn memory_is_told_in_powers_of_1024() {
        let amounts = [0, 1_023, 1_024, 262_144, 33_554_432, 33_554_432 - 3 * 16_384, 1_073_741_823, 1_u64 << 52];
        let told = ["0 B", "1023 B", "1 KiB", "256 KiB", "32 MiB", "31.9 MiB", "1023.9 MiB", "4096 TiB"];
        assert_eq!(amounts.map(memory), told);
    }

    #[test]
    fn counts_stay_short() {
        let counts = [7, 999, 1_234, 12_345, 4_567_890].map(count);
        assert_eq!(counts, ["7", "999", "1,234", "12.3k", "4.5M"]);
    }

    #[test]
    fn a_wait_is_told_as_far_as_it_matters() {
        let told = [0, 850_000, 1_250_000, 60_000_000, 128_700_000].map(waited);
        assert_eq!(told, ["0 ms", "850 ms", "1.2 s", "60 s", "128 s"]);
    }
}
