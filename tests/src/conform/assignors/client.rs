//! Lines of the assignors that run in the client.

use std::collections::BTreeMap;

use assignor::TopicPartition;
use assignor::client::{Assignor, Group, Member, Topic};
use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Lists, Names, read};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(rename = "id")]
    _id: String,
    #[serde(rename = "seq", default)]
    _seq: Value,
    #[serde(rename = "step", default)]
    _step: Value,
    #[serde(rename = "op", default)]
    _op: Value,
    #[serde(rename = "owned_gone", default)]
    _owned_gone: bool,
    topics: BTreeMap<String, u32>,
    #[serde(default)]
    replica_racks: BTreeMap<String, Vec<Vec<String>>>,
    members: Vec<LineMember>,
    assignment: Option<Lists>,
    error: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineMember {
    id: String,
    instance: Option<String>,
    rack: Option<String>,
    topics: Vec<String>,
    #[serde(default)]
    owned: Vec<String>,
    #[serde(default = "no_generation")]
    generation: i32,
}

fn no_generation() -> i32 {
    assignor::client::NO_GENERATION
}

pub(super) fn run(name: &str, line: &Value) -> Result<(Answer, Answer), String> {
    let assignor = Assignor::from_name(name).ok_or_else(|| format!("unknown assignor {name:?}"))?;
    let line: Line = read(line)?;
    let mut names = Names::default();
    line.topics.keys().for_each(|name| {
        names.number(name);
    });
    let subscriptions: Vec<Vec<u32>> =
        line.members.iter().map(|member| member.topics.iter().map(|name| names.number(name)).collect()).collect();
    let owned = |member: &'_ LineMember| member.owned.iter().map(|own| partition(own)).collect::<Result<Vec<_>, _>>();
    let owned = line.members.iter().map(owned).collect::<Result<Vec<_>, String>>()?;
    let parts: Vec<Vec<TopicPartition>> = line
        .members
        .iter()
        .zip(owned)
        .map(|(member, owned)| {
            let texts = member.owned.iter().filter_map(|own| own.rsplit_once('-'));
            texts.zip(owned).map(|((name, _), partition)| TopicPartition::new(names.number(name), partition)).collect()
        })
        .collect();
    let racks: Vec<Vec<Vec<&str>>> = names
        .listed
        .iter()
        .map(|name| {
            let rows = line.replica_racks.get(*name).map_or(&[][..], Vec::as_slice);
            rows.iter().map(|racks| racks.iter().map(String::as_str).collect()).collect()
        })
        .collect();
    let topics: Vec<Topic<'_>> = (names.listed.iter().zip(&racks))
        .map(|(name, racks)| Topic { name, partitions: line.topics.get(*name).copied().unwrap_or(0), racks })
        .collect();
    let members: Vec<Member<'_>> = (line.members.iter().zip(&subscriptions).zip(&parts))
        .map(|((member, topics), owned)| Member {
            id: &member.id,
            instance_id: member.instance.as_deref(),
            rack: member.rack.as_deref(),
            topics,
            owned,
            generation: member.generation,
            user_data_generation: member.generation,
        })
        .collect();
    let ids: Vec<&str> = members.iter().map(|member| member.id).collect();
    let result = assignor.assign(&Group { topics: &topics, members: &members });
    let found = Answer::found(result, &ids, &names.listed)?;
    Ok((found, Answer::recorded(line.assignment, line.error)?))
}

/// The partition of `topic-partition`.
fn partition(text: &str) -> Result<u32, String> {
    let partition = text.rsplit_once('-').and_then(|(_, partition)| partition.parse().ok());
    partition.ok_or_else(|| format!("owned must be topic-partition, found {text:?}"))
}
