//! One deserializer for everything that is read: a tree of values into a type, with the path to what failed.
//!
//! Deliberately not here: text, lines and sentences; `tree.rs` makes the trees, `read.rs` the errors. A single
//! deserializer keeps the module small: each type's code for reading is compiled once.

use std::fmt::{self, Display, Formatter};

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, Error as _, Expected, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

use crate::tree::{Path, Segment};

/// What a type said against a value.
#[derive(Debug)]
pub(crate) struct Refusal(String);

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

impl de::Error for Refusal {
    fn custom<T: Display>(message: T) -> Refusal {
        Refusal(message.to_string())
    }
}

/// Reads a tree into a type; the error is the type's sentence and where it arose.
pub(crate) fn read<T: DeserializeOwned>(value: &Value) -> Result<T, (String, Path<'_>)> {
    let mut path = Path::default();
    T::deserialize(Traced { value, path: &mut path }).map_err(|refusal| (refusal.0, path))
}

struct Traced<'v, 'p> {
    value: &'v Value,
    path: &'p mut Path<'v>,
}

impl<'v> Traced<'v, '_> {
    fn refused(&self, expected: &dyn Expected) -> Refusal {
        let found = match self.value {
            Value::Null => Unexpected::Other("null"),
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => Unexpected::Unsigned(number),
                (None, Some(number)) => Unexpected::Signed(number),
                (None, None) => Unexpected::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        Refusal::invalid_type(found, expected)
    }

    fn map<V: Visitor<'v>>(self, map: &'v Map<String, Value>, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_map(Fields {
            rest: map.iter(),
            value: &Value::Null,
            depth: self.path.segments.len(),
            path: self.path,
        })
    }

    fn list<V: Visitor<'v>>(self, list: &'v [Value], visitor: V) -> Result<V::Value, Refusal> {
        let mut items = Items { list, next: 0, depth: self.path.segments.len(), path: self.path };
        let value = visitor.visit_seq(&mut items)?;
        if items.next < list.len() {
            return Err(Refusal::invalid_length(list.len(), &"fewer elements in the list"));
        }
        Ok(value)
    }
}

impl<'v> Deserializer<'v> for Traced<'v, '_> {
    type Error = Refusal;

    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(list) => self.list(list, visitor),
            Value::Object(map) => self.map(map, visitor),
        }
    }

    fn deserialize_str<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.value {
            Value::String(text) => visitor.visit_borrowed_str(text),
            _ => Err(self.refused(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Refusal> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.value {
            Value::Array(list) => self.list(list, visitor),
            _ => Err(self.refused(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'v>>(self, _len: usize, visitor: V) -> Result<V::Value, Refusal> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Refusal> {
        match self.value {
            Value::Object(map) => self.map(map, visitor),
            _ => Err(self.refused(&visitor)),
        }
    }

    /// Fields by name only: a list of a struct's fields in their order is refused.
    fn deserialize_struct<V: Visitor<'v>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        self.deserialize_map(visitor)
    }

    fn deserialize_option<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Refusal> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'v>>(self, _name: &'static str, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'v>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refusal> {
        let (name, content) = match self.value {
            Value::String(name) => (name, None),
            Value::Object(map) if map.len() == 1 => {
                let (name, content) = map.iter().next().expect("it has one entry");
                (name, Some(content))
            }
            _ => return Err(self.refused(&"one word, or a map with one entry")),
        };
        visitor.visit_enum(Variant { name, content, path: self.path })
    }

    /// Does not look inside.
    fn deserialize_ignored_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, Refusal> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'v>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple_struct identifier
    }
}

struct Fields<'v, 'p> {
    rest: serde_json::map::Iter<'v>,
    value: &'v Value,
    depth: usize,
    path: &'p mut Path<'v>,
}

impl<'v> de::MapAccess<'v> for Fields<'v, '_> {
    type Error = Refusal;

    fn next_key_seed<K: DeserializeSeed<'v>>(&mut self, seed: K) -> Result<Option<K::Value>, Refusal> {
        let Some((name, value)) = self.rest.next() else { return Ok(None) };
        self.value = value;
        self.path.segments.push(Segment::Key(name));
        let key = seed.deserialize(BorrowedStrDeserializer::new(name));
        self.path.ends_at_name = key.is_err();
        key.map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'v>>(&mut self, seed: S) -> Result<S::Value, Refusal> {
        let value = seed.deserialize(Traced { value: self.value, path: self.path })?;
        self.path.segments.truncate(self.depth);
        Ok(value)
    }
}

struct Items<'v, 'p> {
    list: &'v [Value],
    next: usize,
    depth: usize,
    path: &'p mut Path<'v>,
}

impl<'v> de::SeqAccess<'v> for &mut Items<'v, '_> {
    type Error = Refusal;

    fn next_element_seed<S: DeserializeSeed<'v>>(&mut self, seed: S) -> Result<Option<S::Value>, Refusal> {
        let Some(value) = self.list.get(self.next) else { return Ok(None) };
        self.path.segments.push(Segment::Index(self.next));
        self.next += 1;
        let item = seed.deserialize(Traced { value, path: self.path })?;
        self.path.segments.truncate(self.depth);
        Ok(Some(item))
    }
}

struct Variant<'v, 'p> {
    name: &'v str,
    content: Option<&'v Value>,
    path: &'p mut Path<'v>,
}

impl<'v, 'p> Variant<'v, 'p> {
    fn content(self) -> Result<Traced<'v, 'p>, Refusal> {
        let value = self.content.ok_or_else(|| Refusal::custom(format!("\"{}\" needs a content", self.name)))?;
        self.path.segments.push(Segment::Key(self.name));
        Ok(Traced { value, path: self.path })
    }
}

impl<'v, 'p> de::EnumAccess<'v> for Variant<'v, 'p> {
    type Error = Refusal;
    type Variant = Variant<'v, 'p>;

    fn variant_seed<S: DeserializeSeed<'v>>(self, seed: S) -> Result<(S::Value, Variant<'v, 'p>), Refusal> {
        Ok((seed.deserialize(BorrowedStrDeserializer::new(self.name))?, self))
    }
}

impl<'v> de::VariantAccess<'v> for Variant<'v, '_> {
    type Error = Refusal;

    fn unit_variant(self) -> Result<(), Refusal> {
        match self.content {
            None => Ok(()),
            Some(_) => Err(Refusal::custom(format!("\"{}\" is a word without a content", self.name))),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'v>>(self, seed: S) -> Result<S::Value, Refusal> {
        seed.deserialize(self.content()?)
    }

    fn tuple_variant<V: Visitor<'v>>(self, _len: usize, visitor: V) -> Result<V::Value, Refusal> {
        self.content()?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'v>>(self, _fields: &'static [&'static str], visitor: V) -> Result<V::Value, Refusal> {
        self.content()?.deserialize_map(visitor)
    }
}
