//! Records of `__consumer_offsets`: keys to the byte, texts for people, and sizes by their schemas.
//!
//! Follows `GroupCoordinatorRecordHelpers` and the coordinator's record schemas of Kafka 4.3.1. When one is written is
//! not decided here. Simplified: sizes of the consumer protocol's values leave tagged fields out.

use std::rc::Rc;

use crate::coordinator::state_record::Writer;
use crate::event::internal::{
    ClassicGroupValue, ClassicMemberValue, CurrentValue, EpochValue, GroupRecord, InternalRecord, MemberValue,
    ShareGroupRecord, TargetValue,
};
use crate::event::{Name, Record, TopicPartition};

/// A record with its content.
pub(in crate::coordinator) fn record(content: InternalRecord, writer: Writer) -> Rc<Record> {
    let (key, key_text, value) = match &content {
        InternalRecord::Offset(offset) => {
            // Version, offset, leader epoch, empty metadata, timestamp, no tags.
            let size = 2 + 8 + 4 + 1 + 8 + 1;
            let (key, text) = offset_key(&offset.group, &offset.partition);
            (key, text, Some((format!("offset {}", offset.offset), size)))
        }
        InternalRecord::Group(group) => {
            let (key, text) = group_key(group);
            (key, text, group_value(group))
        }
        InternalRecord::State(_) | InternalRecord::Share(_) => panic!("states have topics of their own"),
    };
    let value = value.map(|(text, size)| (Name::from(text), size));
    writer.record(key.into(), key_text.into(), value, Some(content))
}

/// A key: its version, and its fields.
fn key(version: u16, texts: &[&str]) -> Vec<u8> {
    let text = |text: &&str| (text.len() as u16).to_be_bytes().into_iter().chain(text.bytes()).collect::<Vec<u8>>();
    version.to_be_bytes().into_iter().chain(texts.iter().flat_map(text)).collect()
}

fn offset_key(group: &Name, partition: &TopicPartition) -> (Vec<u8>, String) {
    let mut bytes = key(1, &[group, &partition.topic]);
    bytes.extend(partition.partition.to_be_bytes());
    (bytes, format!("{group} {partition}"))
}

fn group_key(record: &GroupRecord) -> (Vec<u8>, String) {
    match record {
        GroupRecord::Classic { group, .. } => (key(2, &[group]), group.to_string()),
        GroupRecord::Consumer { group, .. } => (key(3, &[group]), group.to_string()),
        GroupRecord::Member { group, member, .. } => (key(5, &[group, member]), format!("{group} {member}")),
        GroupRecord::Target { group, .. } => (key(6, &[group]), format!("{group} target")),
        GroupRecord::TargetMember { group, member, .. } => {
            (key(7, &[group, member]), format!("{group} {member} target"))
        }
        GroupRecord::Current { group, member, .. } => (key(8, &[group, member]), format!("{group} {member} current")),
        GroupRecord::Regex { group, pattern, .. } => (key(16, &[group, pattern]), format!("{group} {pattern}")),
        GroupRecord::Share { group, record } => share_key(group, record),
        GroupRecord::OffsetRemoved { group, partition } => offset_key(group, partition),
    }
}

/// Text and size of a value; none for a tombstone.
fn group_value(record: &GroupRecord) -> Option<(String, u32)> {
    match record {
        GroupRecord::Classic { value, .. } => value.as_ref().map(|value| (classic_text(value), classic_size(value))),
        GroupRecord::Consumer { value, .. } => value.as_ref().map(epoch_value),
        GroupRecord::Target { value, .. } => value.as_ref().map(target_value),
        GroupRecord::Member { value, .. } => value.as_ref().map(|value| member_value(value)),
        GroupRecord::TargetMember { value, .. } => value.as_ref().map(|value| partitions_value(value)),
        GroupRecord::Current { value, .. } => value.as_ref().map(|value| current_value(value)),
        GroupRecord::Share { record, .. } => match record {
            ShareGroupRecord::Epoch(value) => value.as_ref().map(epoch_value),
            ShareGroupRecord::Target(value) => value.as_ref().map(target_value),
            ShareGroupRecord::Member { value, .. } => value.as_ref().map(|value| member_value(value)),
            ShareGroupRecord::Current { value, .. } => value.as_ref().map(|value| current_value(value)),
            ShareGroupRecord::TargetMember { value, .. } | ShareGroupRecord::Initialized(value) => {
                value.as_ref().map(|value| partitions_value(value))
            }
        },
        GroupRecord::Regex { value, .. } => value.as_ref().map(|value| {
            let topics: u32 = value.topics.iter().map(|topic| compact(topic)).sum();
            (format!("matches [{}]", value.topics.join(", ")), 2 + 1 + topics + 8 + 8 + 1)
        }),
        GroupRecord::OffsetRemoved { .. } => None,
    }
}

fn epoch_value(value: &EpochValue) -> (String, u32) {
    (format!("epoch {}", value.epoch), 2 + 4 + 8 + 1)
}

fn target_value(value: &TargetValue) -> (String, u32) {
    (format!("epoch {}", value.epoch), 2 + 4 + 1)
}

fn member_value(value: &MemberValue) -> (String, u32) {
    let texts = [Some(&value.client), Some(&value.host), value.instance.as_ref(), value.rack.as_ref()];
    let others = [value.pattern.as_ref(), value.assignor.as_ref()];
    let texts: u32 = texts.into_iter().chain(others).map(nullable).sum();
    let topics: u32 = value.topics.iter().map(|topic| compact(topic)).sum();
    (format!("subscribes to [{}]", value.topics.join(", ")), 2 + texts + 1 + topics + 4 + 1)
}

fn partitions_value(value: &[TopicPartition]) -> (String, u32) {
    (listed(value.iter()), 2 + by_topic(value.iter(), 4) + 1)
}

fn current_value(value: &CurrentValue) -> (String, u32) {
    let lists = [&value.assigned, &value.revoking];
    let lists: u32 = lists.iter().map(|list| by_topic(list.iter().map(|(partition, _)| partition), 8)).sum();
    let text = listed(value.assigned.iter().map(|(partition, _)| partition));
    (format!("epoch {} {} {text}", value.epoch, value.state.name()), 2 + 4 + 4 + 1 + lists + 1)
}

fn share_key(group: &Name, record: &ShareGroupRecord) -> (Vec<u8>, String) {
    match record {
        ShareGroupRecord::Member { member, .. } => (key(10, &[group, member]), format!("{group} {member}")),
        ShareGroupRecord::Epoch(_) => (key(11, &[group]), group.to_string()),
        ShareGroupRecord::Target(_) => (key(12, &[group]), format!("{group} target")),
        ShareGroupRecord::TargetMember { member, .. } => {
            (key(13, &[group, member]), format!("{group} {member} target"))
        }
        ShareGroupRecord::Current { member, .. } => (key(14, &[group, member]), format!("{group} {member} current")),
        ShareGroupRecord::Initialized(_) => (key(15, &[group]), format!("{group} initialized")),
    }
}

fn classic_text(value: &ClassicGroupValue) -> String {
    let protocol = value.protocol.as_deref().unwrap_or("none");
    let members: Vec<String> =
        value.members.iter().map(|member| format!("{} {}", member.member, listed(member.assigned.iter()))).collect();
    format!("generation {} protocol {protocol} [{}]", value.generation, members.join(", "))
}

/// `GroupMetadataValue` 3.
fn classic_size(value: &ClassicGroupValue) -> u32 {
    let fixed = 2 + 4 + 8 + 4;
    let texts = plain(&value.protocol_type) + optional(value.protocol.as_ref()) + optional(value.leader.as_ref());
    fixed + texts + value.members.iter().map(classic_member_size).sum::<u32>()
}

fn classic_member_size(member: &ClassicMemberValue) -> u32 {
    let texts = plain(&member.member) + plain(&member.client) + plain(&member.host);
    let topics: u32 = member.topics.iter().map(|topic| plain(topic)).sum();
    // ConsumerProtocolSubscription 3: version, topics, no user data, owned partitions, generation, no rack.
    let subscription = 2 + 4 + topics + 4 + 4 + plain_by_topic(&member.owned) + 4 + 2;
    // ConsumerProtocolAssignment 3: version, partitions, no user data.
    let assignment = 2 + 4 + plain_by_topic(&member.assigned) + 4;
    texts + optional(member.instance.as_ref()) + 4 + 4 + 4 + subscription + 4 + assignment
}

/// Bytes of a text of the older formats: its length in two bytes.
fn plain(text: &str) -> u32 {
    2 + text.len() as u32
}

fn optional(text: Option<&Name>) -> u32 {
    text.map_or(2, |text| plain(text))
}

/// Bytes of a text of the compact formats, as long as it has fewer than 127 bytes.
fn compact(text: &str) -> u32 {
    1 + text.len() as u32
}

fn nullable(text: Option<&Name>) -> u32 {
    text.map_or(1, |text| compact(text))
}

fn topics<'a>(partitions: impl Iterator<Item = &'a TopicPartition>) -> Vec<(&'a str, u32)> {
    let mut topics: Vec<(&str, u32)> = Vec::new();
    for partition in partitions {
        match topics.iter_mut().find(|(topic, _)| *topic == &*partition.topic) {
            Some((_, count)) => *count += 1,
            None => topics.push((&partition.topic, 1)),
        }
    }
    topics
}

fn plain_by_topic(partitions: &[TopicPartition]) -> u32 {
    topics(partitions.iter()).into_iter().map(|(topic, count)| plain(topic) + 4 + 4 * count).sum()
}

/// Bytes of partitions by topic id, `each` for one.
fn by_topic<'a>(partitions: impl Iterator<Item = &'a TopicPartition>, each: u32) -> u32 {
    1 + topics(partitions).into_iter().map(|(_, count)| 16 + 1 + each * count + 1).sum::<u32>()
}

fn listed<'a>(partitions: impl Iterator<Item = &'a TopicPartition>) -> String {
    let names: Vec<String> = partitions.map(TopicPartition::to_string).collect();
    format!("[{}]", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Duration;

    #[test]
    fn keys_begin_with_their_version() {
        let partition = TopicPartition { topic: "in".into(), partition: 7 };
        let removed = GroupRecord::OffsetRemoved { group: "g".into(), partition };
        assert_eq!(group_key(&removed).0, [0, 1, 0, 1, b'g', 0, 2, b'i', b'n', 0, 0, 0, 7]);
        let classic = GroupRecord::Classic { group: "g".into(), value: None };
        assert_eq!((group_key(&classic).0, group_value(&classic)), (vec![0, 2, 0, 1, b'g'], None));
    }

    #[test]
    fn a_classic_group_has_the_size_of_its_schema() {
        let partition = |partition| TopicPartition { topic: "in".into(), partition };
        let member = ClassicMemberValue {
            member: "m-1".into(),
            instance: None,
            client: "m".into(),
            host: "/h".into(),
            session_timeout: Duration::from_secs(45),
            rebalance_timeout: Duration::from_secs(300),
            topics: vec!["in".into()],
            owned: vec![partition(0)],
            assigned: vec![partition(0), partition(1)],
        };
        let empty = ClassicGroupValue {
            protocol_type: "consumer".into(),
            generation: 1,
            protocol: Some("range".into()),
            leader: Some("m-1".into()),
            members: Vec::new(),
        };
        assert_eq!(classic_size(&empty), 18 + (2 + 8) + (2 + 5) + (2 + 3));
        let subscription = 2 + 4 + 4 + 4 + 4 + (4 + 4 + 4) + 4 + 2;
        let assignment = 2 + 4 + (4 + 4 + 8) + 4;
        assert_eq!(classic_member_size(&member), 5 + 2 + 3 + 4 + 4 + 4 + (4 + subscription) + (4 + assignment));
    }
}
