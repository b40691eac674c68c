//! What differs between two sides, counted: keys that land elsewhere, keys that moved, and what that breaks.
//!
//! Draws nothing; `still.rs` marks the records, `chart.rs` draws the counts.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use engine::event::Name;
use engine::standstill::Standstill;
use engine::time::Duration;
use engine::{Snapshot, Time};

use crate::stage::shown_topics;
use crate::text;

/// One key on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    /// The topic.
    pub topic: Name,
    /// The key's bytes.
    pub key: Rc<[u8]>,
    /// The key as text.
    pub text: Name,
    /// Partitions that hold the key on the first side.
    pub left: BTreeSet<u32>,
    /// Partitions that hold the key on the second side.
    pub right: BTreeSet<u32>,
}

impl KeyRow {
    /// Whether both sides have seen the key.
    pub fn is_shared(&self) -> bool {
        !self.left.is_empty() && !self.right.is_empty()
    }
}

/// Two sides, key by key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Keys of both sides, by topic and bytes.
    pub rows: Vec<KeyRow>,
    /// Keys seen on both sides that lie in the same partitions.
    pub agreeing: usize,
    /// Keys seen on both sides.
    pub shared: usize,
}

type Places = BTreeMap<(Name, Rc<[u8]>), (Name, BTreeSet<u32>)>;

impl Comparison {
    /// Compares the logs of two sides, as far as the snapshots hold their records.
    pub fn of(left: &Snapshot, right: &Snapshot) -> Comparison {
        let (mut left, mut right) = (places(left), places(right));
        let mut keys = BTreeSet::new();
        keys.extend(left.keys().chain(right.keys()).cloned());
        let rows = keys.into_iter().filter_map(|key| {
            let (left, right) = (left.remove(&key), right.remove(&key));
            let text = left.as_ref().or(right.as_ref())?.0.clone();
            let set = |side: Option<(Name, BTreeSet<u32>)>| side.map(|(_, set)| set).unwrap_or_default();
            Some(KeyRow { topic: key.0, key: key.1, text, left: set(left), right: set(right) })
        });
        let rows: Vec<KeyRow> = rows.collect();
        let shared = rows.iter().filter(|row| row.is_shared()).count();
        let agreeing = rows.iter().filter(|row| row.is_shared() && row.left == row.right).count();
        Comparison { rows, agreeing, shared }
    }

    /// Keys of both sides that land elsewhere, as `StillOptions::diff` wants them.
    pub fn elsewhere(&self) -> BTreeSet<(Name, Rc<[u8]>)> {
        let differing = self.rows.iter().filter(|row| row.is_shared() && row.left != row.right);
        let mut keys = BTreeSet::new();
        keys.extend(differing.map(|row| (row.topic.clone(), row.key.clone())));
        keys
    }

    /// "3 of 4 keys land elsewhere".
    pub fn sentence(&self) -> String {
        match (self.shared, self.shared - self.agreeing) {
            (0, _) => "No key has arrived on both sides yet".to_string(),
            (1, 0) => "The key lands in the same partition".to_string(),
            (1, _) => "The key lands elsewhere".to_string(),
            (shared, 0) => format!("All {shared} keys land in the same partitions"),
            (shared, 1) => format!("1 of {shared} keys lands elsewhere"),
            (shared, elsewhere) => format!("{elsewhere} of {shared} keys land elsewhere"),
        }
    }
}

/// How long partitions of groups stood still on each side up to a time: "paused partition-seconds:
/// 0.6 / 6.0 / 3.0 since the last join or leave".
/// None if no side has a group.
///
/// ```
/// use engine::standstill::Standstill;
/// assert_eq!(scene::comparison::paused_sentence([(&Standstill::default(), engine::Time(0))]), None);
/// ```
pub fn paused_sentence<'a>(sides: impl IntoIterator<Item = (&'a Standstill, Time)>) -> Option<String> {
    let seconds = |(standstill, now): (&Standstill, Time)| {
        let groups: Vec<&Name> = standstill.groups().collect();
        let all = groups.iter().map(|group| standstill.of(group, now).since_change.0).sum();
        (!groups.is_empty()).then(|| text::tenths(Duration(all)))
    };
    let seconds: Vec<Option<String>> = sides.into_iter().map(seconds).collect();
    let has_groups = seconds.iter().any(Option::is_some);
    let told: Vec<String> = seconds.into_iter().map(|one| one.unwrap_or_else(|| "–".to_string())).collect();
    has_groups.then(|| format!("paused partition-seconds: {} since the last join or leave", told.join(" / ")))
}

/// Where every key lies, with its text.
fn places(snapshot: &Snapshot) -> Places {
    let mut places = Places::new();
    for topic in shown_topics(snapshot) {
        for partition in &topic.partitions {
            for record in &partition.records {
                let (Some(key), Some(text)) = (&record.record.key, &record.record.key_text) else { continue };
                let place = places.entry((topic.name.clone(), key.clone()));
                place.or_insert_with(|| (text.clone(), BTreeSet::new())).1.insert(partition.partition);
            }
        }
    }
    places
}

/// Something that a key in two places breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// What.
    pub kind: BreakKind,
    /// The topic.
    pub topic: Name,
    /// The key as text.
    pub key: Name,
    /// The partitions concerned.
    pub partitions: Vec<u32>,
    /// The fact in one sentence.
    pub sentence: String,
}

/// Kinds of breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BreakKind {
    /// Records of one key lie in two partitions of a topic, so nothing orders them among each other.
    OrderSplit,
    /// A topic with compaction keeps a latest value of the key in each of its partitions.
    LatestTwice,
    /// Two topics of equal partition count hold the key under different numbers.
    JoinPartnerElsewhere,
}

/// What keys in two places break in one cluster, as far as the snapshot holds the records.
pub fn breaks(snapshot: &Snapshot) -> Vec<Break> {
    let places = places(snapshot);
    let mut breaks = Vec::new();
    for ((topic, _), (key, partitions)) in &places {
        if partitions.len() < 2 {
            continue;
        }
        let list: Vec<u32> = partitions.iter().copied().collect();
        let lanes = lanes(topic, &list);
        let sentence = format!("Records of {key} lie in {lanes}: no order holds between them.");
        breaks.push(Break {
            kind: BreakKind::OrderSplit,
            topic: topic.clone(),
            key: key.clone(),
            partitions: list.clone(),
            sentence,
        });
        if is_compacted(snapshot, topic) {
            let sentence =
                format!("Compaction works inside a partition, so {lanes} each keep a latest value of {key}.");
            breaks.push(Break {
                kind: BreakKind::LatestTwice,
                topic: topic.clone(),
                key: key.clone(),
                partitions: list,
                sentence,
            });
        }
    }
    breaks.extend(lost_partners(snapshot, &places));
    breaks
}

/// Keys that two topics of equal count hold in partitions without a common number.
fn lost_partners(snapshot: &Snapshot, places: &Places) -> Vec<Break> {
    let mut breaks = Vec::new();
    let pairs = shown_topics(snapshot).enumerate().flat_map(|(index, left)| {
        let others = shown_topics(snapshot).skip(index + 1);
        others.filter(|right| right.partitions.len() == left.partitions.len()).map(move |right| (left, right))
    });
    for (left, right) in pairs {
        for ((topic, key), (text, partitions)) in places.iter().filter(|((topic, _), _)| *topic == left.name) {
            let Some((_, partners)) = places.get(&(right.name.clone(), key.clone())) else { continue };
            if partitions.intersection(partners).next().is_some() {
                continue;
            }
            let list: Vec<u32> = partitions.iter().copied().collect();
            let other: Vec<u32> = partners.iter().copied().collect();
            let sentence = format!(
                "{text} lies in {} but in {}: a join by partition finds no partner.",
                lanes(topic, &list),
                lanes(&right.name, &other),
            );
            let kind = BreakKind::JoinPartnerElsewhere;
            breaks.push(Break { kind, topic: topic.clone(), key: text.clone(), partitions: list, sentence });
        }
    }
    breaks
}

fn is_compacted(snapshot: &Snapshot, topic: &str) -> bool {
    let found = snapshot.topics.iter().find(|one| &*one.name == topic);
    let policy = found.and_then(|topic| topic.configs.iter().find(|(name, _)| &***name == "cleanup.policy"));
    policy.is_some_and(|(_, value)| value.split(',').any(|part| part.trim() == "compact"))
}

/// "events-0 and events-5".
fn lanes(topic: &str, partitions: &[u32]) -> String {
    let names: Vec<String> = partitions.iter().map(|partition| format!("{topic}-{partition}")).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// How many keys two rules place alike, and which not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Keys that both rules place, and place alike.
    pub agreeing: usize,
    /// Keys that both rules place.
    pub placed: usize,
    /// Indexes of keys that they place differently.
    pub elsewhere: Vec<usize>,
}

impl Agreement {
    /// "7 of 30 keys agree".
    pub fn sentence(&self) -> String {
        format!("{} of {} keys agree", self.agreeing, self.placed)
    }

    /// "5 of 6 keys move", for the same client before and after growing.
    pub fn moved_sentence(&self) -> String {
        match (self.elsewhere.len(), self.placed) {
            (0, _) => "No key moves".to_string(),
            (1, placed) => format!("1 of {placed} keys moves"),
            (moved, placed) => format!("{moved} of {placed} keys move"),
        }
    }
}

/// Compares two rules, each a client id and a partition count, over a list of keys. A client that is not in the
/// catalogue places no key.
///
/// ```
/// let keys: Vec<String> = (1..=30).map(|number| format!("user-{number}")).collect();
/// let agreement = scene::comparison::agreement(&keys, ("java", 6), ("librdkafka", 6));
/// assert_eq!(agreement.sentence(), "7 of 30 keys agree");
/// ```
pub fn agreement<K: AsRef<[u8]>>(keys: &[K], left: (&str, u32), right: (&str, u32)) -> Agreement {
    let mut agreement = Agreement::default();
    let (Some(left_client), Some(right_client)) = (partitioner::client(left.0), partitioner::client(right.0)) else {
        return agreement;
    };
    for (index, key) in keys.iter().enumerate() {
        let key = Some(key.as_ref());
        let (Some(left), Some(right)) = (left_client.partition(key, left.1), right_client.partition(key, right.1))
        else {
            continue;
        };
        agreement.placed += 1;
        if left == right {
            agreement.agreeing += 1;
        } else {
            agreement.elsewhere.push(index);
        }
    }
    agreement
}

#[cfg(test)]
mod tests {
    use engine::event::{Event, EventKind, Moment};
    use engine::group::GroupEvent;

    use super::*;
    use crate::sample;

    #[test]
    fn growing_moves_keys() {
        let keys: Vec<String> = (1..=6).map(|number| format!("cust-{number}")).collect();
        assert_eq!(agreement(&keys, ("java", 6), ("java", 8)).moved_sentence(), "5 of 6 keys move");
    }

    #[test]
    fn two_sides_are_counted_by_key() {
        let java = sample::placed("events", 3, &[("user-1", 2), ("user-2", 2), ("user-3", 2), ("user-4", 1)]);
        let librdkafka =
            sample::placed("events", 3, &[("user-1", 2), ("user-2", 1), ("user-3", 0), ("user-4", 0), ("user-9", 0)]);
        let comparison = Comparison::of(&java, &librdkafka);
        assert_eq!(comparison.sentence(), "3 of 4 keys land elsewhere");
        assert_eq!((comparison.rows.len(), comparison.elsewhere().len()), (5, 3));
    }

    #[test]
    fn pauses_are_told_side_by_side() {
        let mut sides = [Standstill::default(), Standstill::default()];
        for (side, until) in sides.iter_mut().zip([600_000, 6_049_999]) {
            let at = |time: u64, fact: GroupEvent| {
                let moment = Moment { time: Time(time), sequence: 0 };
                Event { moment, index: 0, cause: None, kind: EventKind::Group(fact) }
            };
            let (group, member, consumer) = (Name::from("g"), Name::from("A-id"), Name::from("A"));
            let owns = |owned| GroupEvent::AssignmentChanged { consumer: consumer.clone(), owned };
            let client = consumer.clone();
            side.take(&at(0, GroupEvent::MemberJoined { broker: 1, group, member, client, instance: None }));
            side.take(&at(0, owns(sample::groups::parts("events", &[0]))));
            side.take(&at(0, owns(Vec::new())));
            side.take(&at(until, owns(sample::groups::parts("events", &[0]))));
        }
        let sides = sides.iter().map(|side| (side, Time(9_000_000)));
        assert_eq!(
            paused_sentence(sides).as_deref(),
            Some("paused partition-seconds: 0.6 / 6.0 since the last join or leave")
        );
    }

    fn check(snapshot: &Snapshot, expected: &[&str]) {
        let sentences: Vec<String> = breaks(snapshot).into_iter().map(|one| one.sentence).collect();
        assert_eq!(sentences, expected);
    }

    #[test]
    fn a_key_in_two_partitions_breaks_order_and_compaction() {
        let mut snapshot = sample::placed("events", 6, &[("user-3", 0), ("user-3", 5), ("user-1", 2)]);
        check(&snapshot, &["Records of user-3 lie in events-0 and events-5: no order holds between them."]);
        snapshot.topics[0].configs.insert("cleanup.policy".into(), "compact,delete".into());
        assert_eq!(breaks(&snapshot)[1].kind, BreakKind::LatestTwice);
    }

    #[test]
    fn a_partner_in_another_partition_breaks_a_join() {
        let mut snapshot = sample::placed("orders", 3, &[("a", 0), ("b", 1)]);
        snapshot.topics.extend(sample::placed("payments", 3, &[("a", 2), ("b", 1)]).topics);
        check(&snapshot, &["a lies in orders-0 but in payments-2: a join by partition finds no partner."]);
    }
}
