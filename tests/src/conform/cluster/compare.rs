//! Expected against got: the first difference with its path, under the rules of normalization and tolerance.
//!
//! Deliberately not here: the shape of an answer. Verbs build it like the recording's `saw`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::text;

/// Half-width of the band around times that the recordings call "about", in milliseconds.
const ABOUT: i64 = 100;

/// Fields whose order says nothing.
const SETS: [&str; 5] = ["isr", "elr", "last_known_elr", "partitions", "members"];

/// Fields that hold producer ids.
const PRODUCER_IDS: [&str; 3] = ["pid", "prev_pid", "next_pid"];

/// Fields that are not the same in two runs of Kafka.
const NOT_COMPARED: [&str; 2] = ["coordinator_epoch", "note"];

/// Producer ids by the name that stands for them in the recording.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeMap<String, u64>);

impl Names {
    /// The id that a name stands for, once it has been seen.
    pub fn id(&self, name: &str) -> Option<u64> {
        self.0.get(name).copied()
    }

    /// The name that stands for an id, once it has been seen.
    pub fn of(&self, id: u64) -> Option<&str> {
        self.0.iter().find(|(_, known)| **known == id).map(|(name, _)| name.as_str())
    }

    /// What stands for `id` where the recording has `name`: the name itself unless one of the two is taken.
    pub fn bind(&mut self, name: &str, id: u64) -> String {
        if let Some((taken, _)) = self.0.iter().find(|(_, known)| **known == id) {
            return taken.clone();
        }
        match self.0.get(name) {
            Some(_) => format!("producer id {id}"),
            None => {
                self.0.insert(name.to_owned(), id);
                name.to_owned()
            }
        }
    }
}

/// Compares whatever `expected` has; what it leaves out was not looked at.
pub(super) fn same(names: &mut Names, path: &str, expected: &Value, got: &Value) -> Result<(), String> {
    let field = path.rsplit('.').next().unwrap_or(path);
    if NOT_COMPARED.contains(&field) {
        return Ok(());
    }
    match (expected, got) {
        (Value::Object(wanted), Value::Object(_)) => {
            wanted.iter().try_for_each(|(name, value)| same(names, &format!("{path}.{name}"), value, &got[name]))
        }
        (Value::Array(wanted), Value::Array(found)) if SETS.contains(&field) => {
            differ(path, &in_order(wanted), &in_order(found))
        }
        (Value::Array(wanted), Value::Array(found)) => {
            let pairs = wanted.iter().zip(found).enumerate();
            for (index, (wanted, found)) in pairs {
                same(names, &format!("{path}[{index}]"), wanted, found)?;
            }
            if wanted.len() == found.len() {
                return Ok(());
            }
            let shorter = wanted.len().min(found.len());
            let next = |list: &[Value]| list.get(shorter).cloned().unwrap_or(Value::Null);
            Err(format!("{path}[{shorter}] expected {}, got {}", next(wanted), next(found)))
        }
        (Value::String(name), Value::Number(id)) if PRODUCER_IDS.contains(&field) => {
            let shown = id.as_u64().map_or_else(|| id.to_string(), |id| names.bind(name, id));
            differ(path, expected, &Value::from(shown))
        }
        (Value::String(wanted), Value::String(found)) => {
            differ_in_text(path, wanted, &text::align(wanted, found, names))
        }
        (Value::Number(wanted), Value::Number(found)) if field.ends_with("_ms_about") => {
            let gap = wanted.as_i64().zip(found.as_i64()).map(|(wanted, found)| (wanted - found).abs());
            if gap.is_some_and(|gap| gap <= ABOUT) { Ok(()) } else { differ(path, expected, got) }
        }
        _ => differ(path, expected, got),
    }
}

fn differ(path: &str, expected: &Value, got: &Value) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("{path} expected {expected}, got {got}")) }
}

/// Of a text of many lines, only the first line that differs is told.
fn differ_in_text(path: &str, expected: &str, got: &str) -> Result<(), String> {
    if expected == got {
        return Ok(());
    }
    let [wanted, found] = [expected, got].map(|text| text.split('\n').collect::<Vec<_>>());
    let differing = wanted.iter().zip(&found).position(|(wanted, found)| wanted != found);
    let index = differing.unwrap_or(wanted.len().min(found.len()));
    let line = |lines: &[&str]| lines.get(index).map_or(Value::Null, |line| Value::from(*line));
    let place = if wanted.len().max(found.len()) > 1 { format!("{path} line {}", index + 1) } else { path.to_owned() };
    Err(format!("{place} expected {}, got {}", line(&wanted), line(&found)))
}

fn in_order(list: &[Value]) -> Value {
    let mut list: Vec<Value> = list.iter().map(any_group_partition).collect();
    list.sort_by_key(Value::to_string);
    Value::Array(list)
}

/// The number of a group's partition belongs to a group id that the recording does not show.
fn any_group_partition(name: &Value) -> Value {
    match name.as_str().and_then(|name| name.strip_prefix("__consumer_offsets-")) {
        Some(number) if number.parse::<u32>().is_ok() => Value::from("__consumer_offsets-N"),
        _ => name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Names, same};

    fn check(expected: Value, got: Value, difference: Option<&str>) {
        let found = same(&mut Names::default(), "saw", &expected, &got);
        assert_eq!(found.err().as_deref(), difference, "{expected} against {got}");
    }

    #[test]
    fn only_what_was_recorded_is_compared() {
        check(json!({ "offset": 2 }), json!({ "offset": 2, "partition": 0 }), None);
        check(json!({ "offset": 2 }), json!({ "offset": 0 }), Some("saw.offset expected 2, got 0"));
        check(json!({ "client": null }), json!({}), None);
        check(json!({ "offset": 2 }), json!({}), Some("saw.offset expected 2, got null"));
    }

    #[test]
    fn lists_have_an_order_and_sets_have_none() {
        check(json!({ "isr": [1, 2, 3] }), json!({ "isr": [3, 1, 2] }), None);
        check(json!({ "replicas": [1, 2] }), json!({ "replicas": [2, 1] }), Some("saw.replicas[0] expected 1, got 2"));
        let of_group = |number| json!({ "partitions": ["t-0", format!("__consumer_offsets-{number}")] });
        check(of_group(45), of_group(3), None);
        check(json!([1, 2]), json!([1]), Some("saw[1] expected 2, got null"));
        check(json!([1]), json!([1, 2]), Some("saw[1] expected null, got 2"));
    }

    #[test]
    fn producer_ids_have_one_name_each() {
        let pids = |ids: &[Value]| Value::Array(ids.iter().map(|id| json!({ "pid": id })).collect());
        check(pids(&[json!("P1"), json!("P2"), json!("P1")]), pids(&[json!(7), json!(3), json!(7)]), None);
        let other = Some("saw[1].pid expected \"P1\", got \"producer id 8\"");
        check(pids(&[json!("P1"), json!("P1")]), pids(&[json!(7), json!(8)]), other);
        let same = Some("saw[1].pid expected \"P2\", got \"P1\"");
        check(pids(&[json!("P1"), json!("P2")]), pids(&[json!(7), json!(7)]), same);
        check(json!({ "pid": null }), json!({ "pid": 7 }), Some("saw.pid expected null, got 7"));
    }

    #[test]
    fn times_are_about_right() {
        check(json!({ "elapsed_ms_about": 2000 }), json!({ "elapsed_ms_about": 2100 }), None);
        let late = Some("saw.elapsed_ms_about expected 2000, got 2101");
        check(json!({ "elapsed_ms_about": 2000 }), json!({ "elapsed_ms_about": 2101 }), late);
    }

    #[test]
    fn the_first_line_that_differs_is_told() {
        check(json!("a\nb\n"), json!("a\nc\n"), Some("saw line 2 expected \"b\", got \"c\""));
        check(json!("a\n"), json!("a\nb\n"), Some("saw line 2 expected \"\", got \"b\""));
        check(json!("a"), json!("b"), Some("saw expected \"a\", got \"b\""));
    }
}
