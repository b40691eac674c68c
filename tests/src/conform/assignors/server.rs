//! Lines of the assignors that run in the coordinator, for consumer groups and for share groups.

use std::collections::BTreeMap;

use assignor::server::{Assignor, Group, Member, Topic};
use assignor::{TopicPartition, Uuid, share};
use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Names, read};

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
    subscription_type: String,
    topics: BTreeMap<String, LineTopic>,
    members: Vec<LineMember>,
    assignment: Option<BTreeMap<String, BTreeMap<String, Vec<u32>>>>,
    error: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineTopic {
    id: String,
    partitions: i64,
    assignable: Option<Vec<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineMember {
    id: String,
    instance: Option<String>,
    topics: Vec<String>,
    #[serde(default)]
    previous: BTreeMap<String, Vec<u32>>,
}

pub(super) fn run(kind: &str, line: &Value) -> Result<(Answer, Answer), String> {
    let line: Line = read(line)?;
    let mut names = Names::default();
    // If any topic says what may be assigned, those that do not say it may not be assigned at all.
    let is_limited = line.topics.values().any(|topic| topic.assignable.is_some());
    let mut topics = Vec::new();
    for (name, topic) in &line.topics {
        names.number(name);
        let id = Uuid::parse(&topic.id).ok_or_else(|| format!("{name} has no topic id: {:?}", topic.id))?;
        let assignable = topic.assignable.as_deref().or(is_limited.then_some(&[]));
        topics.push(Topic { name, id, partitions: u32::try_from(topic.partitions).ok(), assignable });
    }
    let number = |name: &String| {
        names.numbers.get(name.as_str()).copied().ok_or_else(|| format!("the topic {name:?} is not in the line"))
    };
    let mut subscriptions = Vec::new();
    let mut previous = Vec::new();
    for member in &line.members {
        subscriptions.push(member.topics.iter().map(number).collect::<Result<Vec<u32>, String>>()?);
        let mut owned = Vec::new();
        for (name, partitions) in &member.previous {
            let topic = number(name)?;
            owned.extend(partitions.iter().map(|partition| TopicPartition::new(topic, *partition)));
        }
        previous.push(owned);
    }
    check_type(&line, &subscriptions)?;
    let members: Vec<Member<'_>> = (line.members.iter().zip(&subscriptions).zip(&previous))
        .map(|((member, topics), previous)| Member {
            id: &member.id,
            instance_id: member.instance.as_deref(),
            topics,
            previous,
        })
        .collect();
    let group = Group { topics: &topics, members: &members };
    let result = match kind.split_once('-') {
        Some(("share", share::SIMPLE)) => share::assign(&group),
        Some(("server", name)) => {
            Assignor::from_name(name).ok_or_else(|| format!("unknown assignor {name:?}"))?.assign(&group)
        }
        _ => return Err(format!("unknown assignor {kind:?}")),
    };
    let ids: Vec<&str> = members.iter().map(|member| member.id).collect();
    let found = Answer::found(result, &ids, &names.listed)?;
    let list = |topics: BTreeMap<String, Vec<u32>>| {
        let texts = |(name, partitions): (String, Vec<u32>)| {
            partitions.into_iter().map(move |partition| format!("{name}-{partition}"))
        };
        topics.into_iter().flat_map(texts).collect()
    };
    let recorded = line.assignment.map(|members| members.into_iter().map(|(id, topics)| (id, list(topics))).collect());
    Ok((found, Answer::recorded(recorded, line.error)?))
}

/// The type follows from the subscriptions; a line that says otherwise contradicts itself.
fn check_type(line: &Line, subscriptions: &[Vec<u32>]) -> Result<(), String> {
    let sorted = |topics: &Vec<u32>| {
        let mut topics = topics.clone();
        topics.sort_unstable();
        topics
    };
    let mut sets = subscriptions.iter().map(sorted);
    let first = sets.next();
    let is_homogeneous = sets.all(|set| Some(&set) == first.as_ref());
    let expected = if is_homogeneous { "homogeneous" } else { "heterogeneous" };
    if line.subscription_type == expected {
        Ok(())
    } else {
        Err(format!("subscription_type is {:?}, and the members' topics make it {expected}", line.subscription_type))
    }
}
