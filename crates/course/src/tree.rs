//! TOML and JSON text as one kind of tree, and the line of a place in that tree.
//!
//! Deliberately not here: types. `traced.rs` reads a tree into one and says at which path it failed.

use std::fmt::{self, Display, Formatter};

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One step from a value to a part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Segment<'v> {
    Key(&'v str),
    Index(usize),
}

/// A place in a tree.
#[derive(Debug, Default)]
pub(crate) struct Path<'v> {
    pub segments: Vec<Segment<'v>>,
    /// The name of the last segment is meant, not its value.
    pub ends_at_name: bool,
}

impl Display for Path<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        for (depth, segment) in self.segments.iter().enumerate() {
            match segment {
                Segment::Key(key) if depth == 0 => out.write_str(key)?,
                Segment::Key(key) => write!(out, ".{key}")?,
                Segment::Index(index) => write!(out, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// The line of a byte, counted from 1.
pub(crate) fn line_at(text: &str, byte: usize) -> usize {
    1 + text.bytes().take(byte).filter(|byte| *byte == b'\n').count()
}

/// The tree of a TOML file. What a tree cannot hold (dates, numbers without a value) is an error: its sentence and
/// its first byte.
pub(crate) fn of_toml(table: &DeTable<'_>) -> Result<Map<String, Value>, (String, usize)> {
    let mut map = Map::new();
    for (name, value) in table {
        map.insert(name.get_ref().to_string(), of_toml_value(value)?);
    }
    Ok(map)
}

fn of_toml_value(value: &Spanned<DeValue<'_>>) -> Result<Value, (String, usize)> {
    let start = value.span().start;
    Ok(match value.get_ref() {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Integer(number) => {
            let (digits, radix) = (number.as_str(), number.radix());
            let number = i64::from_str_radix(digits, radix).map(Number::from);
            let number = number.or_else(|_| u64::from_str_radix(digits, radix).map(Number::from));
            Value::Number(number.map_err(|_| ("this number does not fit into 64 bits".to_string(), start))?)
        }
        DeValue::Float(number) => {
            // JSON's own reader: that of the standard library would add 14 KB of tables to the module.
            let finite = serde_json::from_str(number.as_str().trim_start_matches('+'));
            Value::Number(finite.map_err(|_| ("this is not a finite number".to_string(), start))?)
        }
        DeValue::Datetime(_) => return Err(("a date is written in quotes".to_string(), start)),
        DeValue::Array(list) => Value::Array(list.iter().map(of_toml_value).collect::<Result<_, _>>()?),
        DeValue::Table(table) => Value::Object(of_toml(table)?),
    })
}

/// The first byte of a place in a TOML file; of the part of the path that the file has.
pub(crate) fn byte_in_toml(root: &Spanned<DeTable<'_>>, path: &Path<'_>) -> usize {
    let mut byte = root.span().start;
    let (mut table, mut list) = (Some(root.get_ref()), None);
    for (depth, segment) in (1..).zip(&path.segments) {
        let value = match (segment, table, list) {
            (Segment::Key(key), Some(table), _) => {
                let Some((name, value)) = table.get_key_value(*key) else { return byte };
                if path.ends_at_name && depth == path.segments.len() {
                    return name.span().start;
                }
                value
            }
            (Segment::Index(index), _, Some(list)) => {
                let list: &toml::de::DeArray<'_> = list;
                let Some(value) = list.get(*index) else { return byte };
                value
            }
            _ => return byte,
        };
        byte = value.span().start;
        (table, list) = (value.get_ref().as_table(), value.get_ref().as_array());
    }
    byte
}

/// The tree of a JSON text. A name that an object has twice is an error: the first of them would be lost.
pub(crate) fn of_json(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).map(|Json(value)| value)
}

struct Json(Value);

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(JsonVisitor).map(Json)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Value;

    fn expecting(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Value, E> {
        Number::from_f64(number).map(Value::Number).ok_or_else(|| E::custom("this is not a finite number"))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_string()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Json(value)) = items.next_element()? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            if map.contains_key(&name) {
                return Err(A::Error::custom(format!("duplicate field `{name}`")));
            }
            let Json(value) = fields.next_value()?;
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

/// The first byte of a place in a text that is JSON; of the part of the path that is found. Names that are written
/// with escapes are not found.
pub(crate) fn byte_in_json(text: &str, path: &Path<'_>) -> usize {
    let mut scan = Scan { bytes: text.as_bytes(), at: 0 };
    scan.skip_space();
    for (depth, segment) in (1..).zip(&path.segments) {
        let start = scan.at;
        let name_only = path.ends_at_name && depth == path.segments.len();
        if scan.enter(segment, name_only).is_none() {
            return start;
        }
    }
    scan.at
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Scan<'_> {
    fn skip_space(&mut self) {
        while self.bytes.get(self.at).is_some_and(|byte| b" \t\r\n,:".contains(byte)) {
            self.at += 1;
        }
    }

    /// Goes from the start of a list or an object to the start of one of its values, or of that value's name.
    fn enter(&mut self, segment: &Segment<'_>, name_only: bool) -> Option<()> {
        self.at += 1;
        for place in 0.. {
            self.skip_space();
            let start = self.at;
            if matches!(self.bytes.get(start)?, b']' | b'}') {
                return None;
            }
            match segment {
                Segment::Index(index) if *index == place => return Some(()),
                Segment::Index(_) => self.skip_value()?,
                Segment::Key(key) => {
                    self.skip_value()?;
                    if self.bytes.get(start + 1..self.at - 1) == Some(key.as_bytes()) {
                        if name_only {
                            self.at = start;
                        }
                        self.skip_space();
                        return Some(());
                    }
                    self.skip_space();
                    self.skip_value()?;
                }
            }
        }
        None
    }

    /// Past a value, or past a name.
    fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            let byte = *self.bytes.get(self.at)?;
            match byte {
                b'"' => self.skip_text()?,
                b'[' | b'{' => depth += 1,
                b']' | b'}' if depth == 0 => return Some(()),
                b']' | b'}' => depth -= 1,
                b',' | b':' if depth == 0 => return Some(()),
                _ => {}
            }
            self.at += 1;
            if depth == 0 && matches!(byte, b'"' | b']' | b'}') {
                return Some(());
            }
        }
    }

    /// From the quote that opens a text to the one that closes it.
    fn skip_text(&mut self) -> Option<()> {
        self.at += 1;
        while *self.bytes.get(self.at)? != b'"' {
            self.at += if self.bytes[self.at] == b'\\' { 2 } else { 1 };
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, segments: &[Segment<'_>], ends_at_name: bool, line: usize) {
        let path = Path { segments: segments.to_vec(), ends_at_name };
        let byte = if text.starts_with(['{', '[']) {
            of_json(text).expect(text);
            byte_in_json(text, &path)
        } else {
            byte_in_toml(&DeTable::parse(text).expect(text), &path)
        };
        assert_eq!(line_at(text, byte), line, "{path} in {text}");
    }

    #[test]
    fn a_path_leads_to_its_line() {
        use Segment::{Index, Key};
        let json =
            "{ \"a\\\"}\": [\"]\", \"\\\\\"],\n \"b\": {},\n \"list\": [\n  1,\n  { \"x\": [2, {}],\n \"y\":\n 3 } ] }";
        check(json, &[], false, 1);
        check(json, &[Key("b")], true, 2);
        check(json, &[Key("list"), Index(0)], false, 4);
        check(json, &[Key("list"), Index(1)], false, 5);
        check(json, &[Key("list"), Index(1), Key("y")], true, 6);
        check(json, &[Key("list"), Index(1), Key("y")], false, 7);
        check(json, &[Key("list"), Index(1), Key("z")], true, 5);
        check(json, &[Key("list"), Index(2)], false, 3);
        let toml = "a = 1\n[[list]]\nx = 1\n[[list]]\n\"y\" = [\n 2,\n 3 ]\n";
        check(toml, &[], false, 1);
        check(toml, &[Key("list"), Index(1)], false, 4);
        check(toml, &[Key("list"), Index(1), Key("y"), Index(1)], false, 7);
        check(toml, &[Key("list"), Index(1), Key("y"), Index(7)], false, 5);
    }

    #[test]
    fn what_a_tree_cannot_hold_is_an_error() {
        let toml = |text| of_toml(DeTable::parse(text).expect("it is TOML").get_ref()).expect_err(text);
        assert_eq!(toml("a = 1\nb = [1979-05-27]"), ("a date is written in quotes".to_string(), 11));
        assert_eq!(toml("a = nan"), ("this is not a finite number".to_string(), 4));
        assert_eq!(toml("a = 18446744073709551616"), ("this number does not fit into 64 bits".to_string(), 4));
        let twice = of_json("{ \"a\": 1,\n \"a\": 2 }").expect_err("a name comes twice");
        assert_eq!(twice.to_string(), "duplicate field `a` at line 2 column 4");
    }
}
