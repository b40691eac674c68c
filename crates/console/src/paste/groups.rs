//! `kafka-consumer-groups.sh --describe`: offsets, members and states of groups, of 2.x to 4.x.
//!
//! Each header line says which columns follow, so the three outputs may stand one after the other. What the
//! members committed is set before they start.

use std::collections::{BTreeMap, BTreeSet};

use engine::order::Order;
use engine::scenario::{ConsumerSpec, Preload, Scripted, TopicSpec};
use engine::{Command, Duration};

use super::{PARTITIONS_MAX, Pasted};

/// Records of one partition at most. Greater offsets are moved down, and the lag stays.
const RECORDS_MAX: u64 = 1_000_000;

/// Batches of one partition, about.
const BATCHES: u64 = 100;

/// Groups begin when their offsets are there: the coordinator has to be found first.
const MEMBERS_START: Duration = Duration::from_millis(1_000);

/// When the committed offsets are set.
const OFFSETS_SET: Duration = Duration::from_millis(200);

const EXPECTED: &str = "A row has as many cells as the header line above it.";

/// A member while the text is read.
#[derive(Debug, Default)]
struct Member {
    client: String,
    instance: Option<String>,
    /// Whether it has an epoch of its own, which only the consumer protocol gives.
    has_epoch: bool,
}

/// A group while the text is read.
#[derive(Debug, Default)]
struct Group {
    members: BTreeMap<String, Member>,
    /// Ids in the order of the text.
    order: Vec<String>,
    topics: BTreeSet<String>,
    offsets: BTreeMap<(String, u32), u64>,
    assignor: Option<String>,
}

/// Everything that the text says.
#[derive(Debug, Default)]
struct Found {
    groups: BTreeMap<String, Group>,
    /// Log ends, by topic and partition; absent where the text has a dash.
    ends: BTreeMap<String, BTreeMap<u32, Option<u64>>>,
    brokers: BTreeSet<u32>,
}

/// Whether a line is a header of these outputs.
pub(super) fn is_header(line: &str) -> bool {
    let columns = columns(line);
    let has = |name: &str| columns.contains(&name);
    has("CURRENT-OFFSET") || (has("GROUP") && (has("CONSUMER-ID") || has("COORDINATOR")))
}

fn columns(line: &str) -> Vec<&str> {
    // The only header with a blank in it.
    line.split_whitespace().filter(|word| *word != "(ID)").collect()
}

/// Reads the text.
pub(super) fn read(text: &str) -> Pasted {
    let mut pasted = Pasted::default();
    let mut found = Found::default();
    let mut header: Vec<&str> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        if is_header(line) {
            header = columns(line);
            continue;
        }
        if notice(line, &mut found, &mut pasted) {
            continue;
        }
        if header.is_empty() {
            pasted.unread(number, line, "A header line with GROUP, TOPIC and other columns comes before the rows.");
            continue;
        }
        let Some(cells) = cells(&header, line) else {
            pasted.unread(number, line, EXPECTED);
            continue;
        };
        let row = if header.contains(&"CURRENT-OFFSET") {
            offsets_row(&cells, &mut found)
        } else if header.contains(&"COORDINATOR") {
            state_row(&cells, &mut found)
        } else {
            member_row(&cells, &mut found)
        };
        if let Err(expected) = row {
            pasted.unread(number, line, expected);
        }
    }
    finish(found, &mut pasted);
    pasted
}

/// What the tool says above a table.
fn notice(line: &str, found: &mut Found, pasted: &mut Pasted) -> bool {
    let Some(after) = line.trim().trim_start_matches("Warning: ").strip_prefix("Consumer group '") else {
        return false;
    };
    let Some((group, state)) = after.split_once("' ") else { return false };
    found.groups.entry(group.to_string()).or_default();
    if state.starts_with("is rebalancing") {
        pasted.note(format!("{group} is rebalancing; it is taken as if its members had joined one after the other."));
    }
    true
}

/// Cells by column. A member without an instance id has no cell for it.
fn cells<'a>(header: &[&'a str], line: &'a str) -> Option<BTreeMap<&'a str, &'a str>> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    // The coordinator is `host:port  (id)`.
    if let Some(at) = header.iter().position(|column| *column == "COORDINATOR") {
        let is_id = words.get(at + 1).is_some_and(|word| word.starts_with('(') && word.ends_with(')'));
        if is_id {
            words.remove(at);
        }
    }
    let instance = header.iter().position(|column| *column == "GROUP-INSTANCE-ID");
    if let Some(at) = instance.filter(|at| words.len() + 1 == header.len() && *at <= words.len()) {
        words.insert(at, "");
    }
    (words.len() == header.len()).then(|| header.iter().copied().zip(words).collect())
}

fn number(cells: &BTreeMap<&str, &str>, column: &str) -> Result<Option<u64>, String> {
    match cells.get(column).copied() {
        None | Some("-") => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| format!("{column} is a number, or a dash.")),
    }
}

fn offsets_row(cells: &BTreeMap<&str, &str>, found: &mut Found) -> Result<(), String> {
    // Versions before 2.0 tell the group in the command only.
    let name = cells.get("GROUP").copied().unwrap_or("group");
    let (current, end) = (number(cells, "CURRENT-OFFSET")?, number(cells, "LOG-END-OFFSET")?);
    let partition = number(cells, "PARTITION")?;
    let topic = cells.get("TOPIC").copied().unwrap_or("-");
    let is_legal = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    if topic.len() > 249 || !topic.chars().all(is_legal) {
        return Err("TOPIC is the name of a topic, or a dash.".to_string());
    }
    let partition = match partition.map(u32::try_from) {
        Some(Ok(partition)) if partition < PARTITIONS_MAX => Some(partition),
        None => None,
        Some(_) => return Err(format!("PARTITION is a number below {PARTITIONS_MAX}, or a dash.")),
    };
    if let (Some(current), Some(end)) = (current, end)
        && current > end
    {
        return Err("CURRENT-OFFSET is not beyond LOG-END-OFFSET.".to_string());
    }
    let group = found.groups.entry(name.to_string()).or_default();
    let is_member = member(cells, group);
    if let (Some(partition), false) = (partition, topic == "-") {
        if is_member {
            group.topics.insert(topic.to_string());
        }
        if let Some(current) = current {
            group.offsets.insert((topic.to_string(), partition), current);
        }
        let known = found.ends.entry(topic.to_string()).or_default().entry(partition).or_default();
        *known = (*known).max(end.or(current));
    }
    Ok(())
}

/// Adds the member of a row; whether it has one.
fn member(cells: &BTreeMap<&str, &str>, group: &mut Group) -> bool {
    let text = |column: &str| cells.get(column).copied().filter(|text| !["-", ""].contains(text));
    let Some(id) = text("CONSUMER-ID") else { return false };
    if !group.members.contains_key(id) {
        group.order.push(id.to_string());
    }
    let member = group.members.entry(id.to_string()).or_default();
    if let Some(client) = text("CLIENT-ID") {
        member.client = client.to_string();
    }
    if let Some(instance) = text("GROUP-INSTANCE-ID") {
        member.instance = Some(instance.to_string());
    }
    member.has_epoch |= text("CURRENT-EPOCH").is_some();
    true
}

fn member_row(cells: &BTreeMap<&str, &str>, found: &mut Found) -> Result<(), String> {
    let name = cells.get("GROUP").copied().unwrap_or("group");
    number(cells, "#PARTITIONS")?;
    let mut assigned = Vec::new();
    // Versions before 4.0 wrote `orders(0,1), payments(2)`, and that is left alone.
    for topic in cells
        .get("CURRENT-ASSIGNMENT")
        .copied()
        .filter(|text| *text != "-")
        .into_iter()
        .flat_map(|text| text.split(';'))
    {
        let (topic, partitions) = topic.rsplit_once(':').ok_or("An assignment looks like orders:0,1;payments:2.")?;
        for partition in partitions.split(',') {
            match partition.parse::<u32>() {
                Ok(partition) if partition < PARTITIONS_MAX => assigned.push((topic.to_string(), partition)),
                _ => return Err("An assignment looks like orders:0,1;payments:2.".to_string()),
            }
        }
    }
    let group = found.groups.entry(name.to_string()).or_default();
    member(cells, group);
    for (topic, partition) in assigned {
        group.topics.insert(topic.clone());
        found.ends.entry(topic).or_default().entry(partition).or_default();
    }
    Ok(())
}

fn state_row(cells: &BTreeMap<&str, &str>, found: &mut Found) -> Result<(), String> {
    let name = cells.get("GROUP").copied().unwrap_or("group");
    let id = cells.get("COORDINATOR").copied().unwrap_or_default().trim_matches(['(', ')']);
    let broker = id.parse().map_err(|_| "COORDINATOR (ID) is a host, a port and the id of a broker.")?;
    number(cells, "#MEMBERS")?;
    found.brokers.insert(broker);
    let group = found.groups.entry(name.to_string()).or_default();
    group.assignor = cells.get("ASSIGNMENT-STRATEGY").copied().filter(|text| *text != "-").map(str::to_string);
    Ok(())
}

fn finish(found: Found, pasted: &mut Pasted) {
    let Found { groups, ends, brokers } = found;
    pasted.brokers = brokers;
    let mut shifts: BTreeMap<(String, u32), u64> = BTreeMap::new();
    for (topic, partitions) in ends {
        let mut preloads = Vec::new();
        for (partition, end) in &partitions {
            let end = end.unwrap_or(0);
            let kept = end.min(RECORDS_MAX);
            if end > kept {
                shifts.insert((topic.clone(), *partition), end - kept);
                pasted.note(format!(
                    "Offsets of {topic} are moved down so that no partition has more than {RECORDS_MAX} records; the lag stays."
                ));
            }
            if kept > 0 {
                let batch = kept.div_ceil(BATCHES).max(10).min(kept);
                preloads.push(Preload {
                    partition: *partition,
                    records: Some(kept),
                    batch_records: u32::try_from(batch).ok(),
                    ..Preload::default()
                });
            }
        }
        let count = partitions.last_key_value().map(|(last, _)| last + 1);
        pasted.topics.push(TopicSpec { name: topic, partitions: count, preloads, ..TopicSpec::default() });
    }
    let mut names = BTreeSet::new();
    for (name, group) in groups {
        let offsets: BTreeMap<String, u64> = group
            .offsets
            .iter()
            .map(|((topic, partition), offset)| {
                let shift = shifts.get(&(topic.clone(), *partition)).copied().unwrap_or(0);
                (format!("{topic}-{partition}"), offset.saturating_sub(shift))
            })
            .collect();
        if !offsets.is_empty() {
            let command = Command::AlterConsumerGroupOffsets { group: name.clone(), offsets };
            pasted.script.push(Scripted { at: OFFSETS_SET, command, only: Vec::new() });
        }
        members(&name, &group, &mut names, pasted);
    }
}

/// The members as consumers that subscribe to whatever the group reads.
fn members(name: &str, group: &Group, names: &mut BTreeSet<String>, pasted: &mut Pasted) {
    let all = &group.members;
    let is_consumer = all.iter().any(|(id, member)| is_of_consumer_protocol(id, member));
    if !all.is_empty() && group.topics.is_empty() {
        pasted.note(format!("The text does not say what the members of {name} read, so they are left out."));
        return;
    }
    let mut ids: Vec<&String> = group.order.iter().collect();
    // Those of one client id keep the order of the text.
    ids.order_by_key(|id| all[*id].client.clone());
    for id in ids {
        let member = &all[id];
        let client = if member.client.is_empty() { id } else { &member.client };
        let mut card = client.clone();
        for again in 2.. {
            if names.insert(card.clone()) {
                break;
            }
            card = format!("{client}-{again}");
        }
        let mut configs = BTreeMap::from([("group.id".to_string(), name.to_string())]);
        if let Some(instance) = &member.instance {
            configs.insert("group.instance.id".to_string(), instance.clone());
        }
        if is_consumer {
            configs.insert("group.protocol".to_string(), "consumer".to_string());
        }
        if let Some((setting, value)) = assignor(group.assignor.as_deref(), is_consumer) {
            configs.insert(setting.to_string(), value.to_string());
        }
        pasted.consumers.push(ConsumerSpec {
            name: card,
            subscribe: group.topics.iter().cloned().collect(),
            configs,
            member_id: is_consumer.then(|| id.clone()),
            start: Some(MEMBERS_START),
            ..ConsumerSpec::default()
        });
    }
}

/// A member of the classic protocol has an id that begins with its client id or instance id and a dash.
fn is_of_consumer_protocol(id: &str, member: &Member) -> bool {
    let begins = |name: &str| id.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
    member.has_epoch || !(begins(&member.client) || member.instance.as_deref().is_some_and(begins))
}

/// The setting that leads to an assignor; none for the default.
fn assignor(name: Option<&str>, is_consumer: bool) -> Option<(&'static str, &'static str)> {
    const CLASSIC: &str = "partition.assignment.strategy";
    Some(match (name?, is_consumer) {
        ("range", true) => ("group.remote.assignor", "range"),
        ("roundrobin", false) => (CLASSIC, "org.apache.kafka.clients.consumer.RoundRobinAssignor"),
        ("sticky", false) => (CLASSIC, "org.apache.kafka.clients.consumer.StickyAssignor"),
        ("cooperative-sticky", false) => (CLASSIC, "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"),
        _ => return None,
    })
}
