//! `assign` for scripts: any assignor as a pure function, in the words of the recorded assignments.
//!
//! Who gets what is the assignor crate's; only names and shapes of the API are here.

use std::collections::BTreeMap;
use std::fmt;

use assignlab::{Assignor, Group, GroupMember, GroupTopic, Side, TopicPartition, UnknownAssignor, Uuid};
use engine::InputError;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::{error, value};

/// More would keep a page busy for seconds.
const MEMBERS_MAX: usize = 2_000;
/// Partitions of all topics together.
const PARTITIONS_MAX: u64 = 100_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AssignInput {
    topics: BTreeMap<String, TopicInput>,
    #[serde(default)]
    replica_racks: BTreeMap<String, Vec<Vec<String>>>,
    members: Vec<MemberInput>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TopicFields {
    id: Option<String>,
    partitions: i64,
    assignable: Option<Vec<u32>>,
}

/// A number of partitions, or an object with more.
#[derive(Default)]
struct TopicInput(TopicFields);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MemberInput {
    id: String,
    instance: Option<String>,
    rack: Option<String>,
    topics: Vec<String>,
    #[serde(default)]
    owned: Vec<String>,
    #[serde(default)]
    previous: BTreeMap<String, Vec<u32>>,
    generation: Option<i32>,
}

impl<'de> Deserialize<'de> for TopicInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = TopicInput;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of partitions, or an object with partitions")
            }
            fn visit_i64<E: Error>(self, partitions: i64) -> Result<TopicInput, E> {
                Ok(TopicInput(TopicFields { partitions, ..TopicFields::default() }))
            }
            fn visit_u64<E: Error>(self, partitions: u64) -> Result<TopicInput, E> {
                self.visit_i64(i64::try_from(partitions).unwrap_or(i64::MAX))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<TopicInput, A::Error> {
                TopicFields::deserialize(MapAccessDeserializer::new(map)).map(TopicInput)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

#[derive(Serialize)]
struct AssignResult {
    assignor: &'static str,
    runs: &'static str,
    assignment: Option<BTreeMap<String, Vec<String>>>,
    error: Option<String>,
}

/// The assignment of a group, from JSON.
#[wasm_bindgen]
pub fn api_assign(assignor: &str, input: &str) -> Result<JsValue, JsValue> {
    assign(assignor, input).map(|result| value::to_js(&result)).map_err(|error| error::to_js(&error))
}

fn assign(assignor: &str, input: &str) -> Result<AssignResult, InputError> {
    let assignor = Assignor::from_id(assignor).map_err(unknown)?;
    let group = group(input)?;
    let runs = if assignor.side() == Side::Member { "member" } else { "broker" };
    let (assignment, error) = match assignor.assign(&group) {
        Ok(lists) => {
            let name = |own: TopicPartition| format!("{}-{}", group.topics[own.topic as usize].name, own.partition);
            let named = lists.into_iter().map(|list| list.into_iter().map(name).collect());
            (Some(group.members.iter().map(|member| member.id.clone()).zip(named).collect()), None)
        }
        Err(error) => match error.java() {
            Some(thrown) => (None, Some(thrown)),
            None => return Err(InputError::new("input.invalid", error.to_string()).at("members")),
        },
    };
    Ok(AssignResult { assignor: assignor.id(), runs, assignment, error })
}

fn unknown(error: UnknownAssignor) -> InputError {
    let (UnknownAssignor::Server { name } | UnknownAssignor::Other { name }) = &error;
    let hint = course::suggest::hint(name, Assignor::ALL.into_iter().map(Assignor::id));
    InputError::new("assignor.unknown", error.to_string()).at("assignor").hint(hint)
}

fn group(input: &str) -> Result<Group, InputError> {
    let input: AssignInput = course::read::json(input).map_err(|refused| {
        let error = refused.input_error("input.invalid");
        let is_field = refused.message.starts_with("unknown field");
        let code = if is_field { "input.unknown_field" } else { "input.invalid" };
        InputError { code, path: refused.path, ..error }
    })?;
    if input.members.len() > MEMBERS_MAX {
        let text = format!("{} members are more than the {MEMBERS_MAX} that are taken.", input.members.len());
        return Err(InputError::new("input.too_large", text).at("members"));
    }
    let mut topics = Topics::default();
    for (name, topic) in input.topics {
        topics.add(name, topic.0)?;
    }
    for (name, racks) in input.replica_racks {
        let place = topics.place(&name);
        topics.listed[place as usize].racks = racks;
    }
    let members = input.members.into_iter().enumerate().map(|(place, member)| topics.member(place, member));
    let members = members.collect::<Result<_, _>>()?;
    Ok(Group { topics: topics.listed, members })
}

/// Topics with a number for each name; a name that only a member knows is a topic without metadata.
#[derive(Default)]
struct Topics {
    listed: Vec<GroupTopic>,
    places: BTreeMap<String, u32>,
    total: u64,
}

impl Topics {
    fn add(&mut self, name: String, fields: TopicFields) -> Result<(), InputError> {
        let at = |field: &str| format!("topics.{name}{field}");
        let id = match &fields.id {
            None => None,
            Some(text) => Some(Uuid::parse(text).ok_or_else(|| {
                InputError::new("input.invalid", format!("\"{text}\" is not the id of a topic."))
                    .hint("Kafka prints 22 letters, such as ZrotitD03wn9NXg3C1zgXA.")
                    .at(at(".id"))
            })?),
        };
        self.total += fields.partitions.max(0).unsigned_abs();
        if self.total > PARTITIONS_MAX || fields.partitions < -1 {
            let text =
                format!("All topics together have 0 to {PARTITIONS_MAX} partitions; -1 is a topic without metadata.");
            return Err(InputError::new("input.too_large", text).at(at("")));
        }
        let place = self.place(&name);
        let topic = &mut self.listed[place as usize];
        topic.id = id;
        topic.partitions = u32::try_from(fields.partitions).ok();
        topic.assignable = fields.assignable;
        Ok(())
    }

    fn place(&mut self, name: &str) -> u32 {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = self.listed.len() as u32;
        self.places.insert(name.to_owned(), place);
        self.listed.push(GroupTopic { name: name.to_owned(), ..GroupTopic::default() });
        place
    }

    fn member(&mut self, place: usize, member: MemberInput) -> Result<GroupMember, InputError> {
        let mut owned = Vec::new();
        for (number, text) in member.owned.iter().enumerate() {
            let parts = text.rsplit_once('-').and_then(|(name, partition)| Some((name, partition.parse().ok()?)));
            let (name, partition) = parts.ok_or_else(|| {
                InputError::new("input.invalid", format!("\"{text}\" is not a partition."))
                    .hint("Write topic-partition, such as orders-0.")
                    .at(format!("members[{place}].owned[{number}]"))
            })?;
            owned.push(TopicPartition { topic: self.place(name), partition });
        }
        for (name, partitions) in &member.previous {
            let topic = self.place(name);
            owned.extend(partitions.iter().map(|&partition| TopicPartition { topic, partition }));
        }
        // Without a generation what a member owns counts as of one and the same rebalance.
        let generation = member.generation.unwrap_or(if owned.is_empty() { -1 } else { 1 });
        Ok(GroupMember {
            topics: member.topics.iter().map(|name| self.place(name)).collect(),
            id: member.id,
            instance_id: member.instance,
            rack: member.rack,
            owned,
            generation,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::assign;

    fn given(assignor: &str, input: &str) -> String {
        match assign(assignor, input) {
            Ok(result) => result.error.unwrap_or_else(|| format!("{:?}", result.assignment.expect("one of both"))),
            Err(error) => format!("{} at {}: {error}", error.code, error.path),
        }
    }

    #[track_caller]
    fn check(assignor: &str, input: &str, expected: &str) {
        let found = given(assignor, input);
        assert!(found.starts_with(expected), "{assignor} {input}: {found}");
    }

    #[test]
    fn groups_are_read_in_the_words_of_the_recordings() {
        let two = r#"{"topics":{"t":3},"members":[{"id":"a","topics":["t"]},{"id":"b","topics":["t"]}]}"#;
        check("client-range", two, r#"{"a": ["t-0", "t-1"], "b": ["t-2"]}"#);
        check("roundrobin", two, r#"{"a": ["t-0", "t-2"], "b": ["t-1"]}"#);
        let kept = r#"{"topics":{"t":{"id":"ZrotitD03wn9NXg3C1zgXA","partitions":2}},
            "members":[{"id":"a","topics":["t"],"previous":{"t":[1]}},{"id":"b","topics":["t"],"owned":["t-0"]}]}"#;
        check("uniform", kept, r#"{"a": ["t-1"], "b": ["t-0"]}"#);
        check("sticky", kept, r#"{"a": ["t-1"], "b": ["t-0"]}"#);
        check("sticky", r#"{"topics":{},"members":[]}"#, "java.lang.ArithmeticException: / by zero");
        let gone = r#"{"topics":{},"members":[{"id":"a","topics":["t"]}]}"#;
        check("client-range", gone, r#"{"a": []}"#);
        check("server-range", gone, "org.apache.kafka.coordinator.group.api.assignor.PartitionAssignorException: ");
    }

    #[test]
    fn wrong_input_is_named_with_its_place() {
        let empty = r#"{"topics":{},"members":[]}"#;
        check("rang", empty, "assignor.unknown at assignor: There is no assignor \"rang\".");
        check(
            "server-X",
            empty,
            "assignor.unknown at assignor: ServerAssignor X is not supported. Supported assignors: uniform, range.",
        );
        check("range", r#"{"topics":{"t":"six"},"members":[]}"#, "input.invalid at topics.t: ");
        check("range", r#"{"topics":{"t":{"count":6}},"members":[]}"#, "input.unknown_field at topics.t.count: ");
        check("range", r#"{"topics":{"t":-2},"members":[]}"#, "input.too_large at topics.t: ");
        check("range", r#"{"topics":{"t":100001},"members":[]}"#, "input.too_large at topics.t: ");
        check("range", r#"{"topics":{}}"#, "input.invalid at : The field \"members\" is missing.");
        let owned = r#"{"topics":{"t":2},"members":[{"id":"a","topics":["t"],"owned":["t"]}]}"#;
        check("sticky", owned, "input.invalid at members[0].owned[0]: \"t\" is not a partition.");
        let twice = r#"{"topics":{"t":2},"members":[{"id":"a","topics":[]},{"id":"a","topics":[]}]}"#;
        check("range", twice, "input.invalid at members: Two members have the id a");
        check("range", r#"{"topics":{"t":{"id":"x","partitions":1}},"members":[]}"#, "input.invalid at topics.t.id: ");
    }
}
