//! Layouts of random snapshots: nothing overlaps, nothing leaves the width, every word is inside its box.
//!
//! The random source is a counter with fixed seeds, so a failure can be repeated.

use super::*;
use crate::display::{Anchor, DisplayList, Item, Primitive};
use crate::{Palette, StillOptions, sample, still};

const WIDTHS: [f32; 7] = [1440.0, 960.0, 721.0, 640.0, 480.0, 375.0, 320.0];
/// Words may be wider than estimated by so much before they count as outside.
const SLACK: f32 = 0.5;

/// Small numbers that look random: a linear congruence.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn word(&mut self, letters_max: u64) -> String {
        let length = 1 + self.below(letters_max);
        (0..length)
            .map(|_| char::from(b'A' + self.below(58) as u8))
            .filter(|letter| letter.is_alphanumeric())
            .chain(['w'])
            .collect()
    }

    fn snapshot(&mut self) -> Snapshot {
        let brokers = 1 + [0, 2, 5, 40][self.below(4) as usize];
        let mut snapshot = sample::cluster(brokers);
        for number in 0..self.below(3) {
            let partitions = [1, 3, 6, 12, 48, 1_000][self.below(6) as usize];
            let name = format!("{}{number}", self.word(40));
            let mut topic = sample::topic(&name, partitions, brokers);
            for partition in topic.partitions.iter_mut().take(60) {
                for record in 0..self.below(30) {
                    let key = self.word(30);
                    let key = (self.below(5) > 0).then_some(&*key);
                    sample::append(partition, sample::record(record, key));
                }
                partition.log_end_offset += self.below(2) * 7_000_000_000;
                partition.high_watermark -= partition.record_count.min(self.below(3));
            }
            if self.below(2) == 0 {
                self.replicate(&mut topic, brokers);
            }
            snapshot.topics.push(topic);
        }
        self.fail(&mut snapshot);
        let clients = partitioner::clients();
        for number in 0..[0, 1, 2, 9, 120][self.below(5) as usize] {
            let client = clients[self.below(clients.len() as u64) as usize].id;
            let key = self.word(30);
            let name = format!("{}{number}", self.word(30));
            snapshot.producers.push(sample::producer(&name, client, &self.word(20), Some(&key)));
        }
        for number in 0..self.below(3) {
            snapshot.consumers.push(sample::reader(&format!("{}{number}", self.word(30)), "t", 3, self.below(9)));
        }
        if self.below(2) == 0 {
            self.transact(&mut snapshot);
        }
        if self.below(2) == 0 {
            self.gather(&mut snapshot);
        }
        snapshot
    }

    /// Groups in every state, with members that own and await anything.
    fn gather(&mut self, snapshot: &mut Snapshot) {
        use engine::group::{Callback, GroupState, GroupType};
        use sample::groups;
        let topics: Vec<engine::event::Name> = snapshot.topics.iter().map(|topic| topic.name.clone()).collect();
        for number in 0..1 + self.below(4) {
            let name = format!("{}{number}", self.word(40));
            let protocol = [GroupType::Classic, GroupType::Consumer][self.below(2) as usize];
            let first = snapshot.consumers.len();
            for member in 0..[0, 1, 3, 7, 30, 250][self.below(6) as usize] {
                let owned: Vec<u32> = (0..self.below(9) as u32).collect();
                let mut one = groups::member(&format!("{}{number}-{member}", self.word(30)), &name, protocol, &owned);
                let topic = topics.first().cloned().unwrap_or_else(|| "events".into());
                one.positions.iter_mut().for_each(|at| at.topic = topic.clone());
                let membership = groups::of(&mut one);
                membership.owned.iter_mut().for_each(|at| at.topic = topic.clone());
                membership.topics = topics.clone();
                membership.held = membership.owned.iter().skip(2).cloned().collect();
                let callbacks = [Callback::Revoked, Callback::Assigned, Callback::Lost];
                let callback = callbacks[self.below(3) as usize];
                membership.callback = (self.below(3) == 0).then(|| (callback, membership.owned.clone()));
                membership.repeated_count = self.below(2) * 70_000;
                membership.instance = (self.below(3) == 0).then(|| self.word(30).into());
                membership.is_closed = self.below(9) == 0;
                snapshot.consumers.push(one);
            }
            let states = [
                GroupState::Stable,
                GroupState::PreparingRebalance,
                GroupState::CompletingRebalance,
                GroupState::Reconciling,
                GroupState::Empty,
            ];
            let members = &snapshot.consumers[first..];
            let mut state = groups::group(&name, protocol, states[self.below(5) as usize], members);
            state.coordinator = (self.below(4) > 0).then(|| 1 + self.below(snapshot.brokers.len() as u64) as u32);
            state.due = (self.below(2) == 0).then_some(engine::Time(61_000_000));
            for known in &mut state.members {
                known.is_joining = self.below(2) == 0;
                known.target.truncate(1);
            }
            snapshot.groups.push(state);
        }
    }

    /// Transactional ids in every state, with producers that use them, and records and partitions that know of them.
    fn transact(&mut self, snapshot: &mut Snapshot) {
        use engine::snapshot::{ClientProcess, Fate};
        use engine::transaction::{Call, ClientState, MarkerKind, WaitReason};
        use sample::transactions;
        let committing = transactions::committing();
        snapshot
            .topics
            .push(engine::snapshot::TopicSnapshot { is_internal: true, ..sample::topic("__transaction_state", 50, 1) });
        for number in 0..1 + self.below(5) {
            let mut transaction = committing.transactions[0].clone();
            transaction.transactional_id = format!("{}{number}", self.word(40)).into();
            transaction.coordinator = (self.below(4) > 0).then(|| 1 + self.below(snapshot.brokers.len() as u64) as u32);
            transaction.log.truncate(self.below(5) as usize);
            transaction.pending_state = (self.below(3) == 0).then_some(transaction.state);
            snapshot.transactions.push(transaction);
        }
        let states =
            [ClientState::Ready, ClientState::InTransaction, ClientState::FatalError, ClientState::Initializing];
        for producer in snapshot.producers.iter_mut().take(5) {
            let writer = transactions::writer(&producer.name, states[self.below(4) as usize]);
            let calls = vec![transactions::waiting(Call::SendOffsetsToTransaction, WaitReason::Coordinator)];
            let process =
                [ClientProcess::Running, ClientProcess::Frozen, ClientProcess::Crashed][self.below(3) as usize];
            *producer =
                engine::snapshot::ProducerSnapshot { calls, process, client: producer.client.clone(), ..writer };
        }
        for partition in snapshot.topics.iter_mut().flat_map(|topic| &mut topic.partitions).take(40) {
            for record in &mut partition.records {
                let fate = [Fate::Open, Fate::Committed, Fate::Aborted][self.below(3) as usize];
                let marker = (self.below(4) == 0).then_some(MarkerKind::Abort);
                record.origin = Some(transactions::origin(4_001, 7, Some(fate), marker));
            }
            partition.producers = committing.topics[0].partitions[2].producers.clone();
            partition.producers[0].transaction_start = (self.below(2) == 0).then_some(0);
            partition.last_stable_offset = partition.log_start_offset;
        }
    }
}

impl Numbers {
    /// Followers with logs, tags and moves of every kind.
    fn replicate(&mut self, topic: &mut engine::snapshot::TopicSnapshot, brokers: u32) {
        for partition in &mut topic.partitions {
            let first = self.below(u64::from(brokers)) as u32;
            partition.replicas = (0..brokers.min(3)).map(|step| (first + step) % brokers + 1).collect();
            partition.isr = partition.replicas.iter().copied().filter(|_| self.below(4) > 0).collect();
            partition.leader = partition.isr.first().copied();
            partition.elr = partition.replicas.iter().copied().filter(|_| self.below(4) == 0).collect();
            partition.leader_epoch = self.below(2_000) as u32;
            partition.min_isr = 2;
            partition.log_start_offset = partition.log_end_offset.min(self.below(3));
            partition.size_bytes = self.below(1 << 40);
            partition.is_recovering = self.below(9) == 0;
            sample::replicas::follow(partition);
            for replica in &mut partition.logs {
                replica.log_end_offset -= replica.log_end_offset.min(self.below(3));
                replica.records.retain(|record| record.offset < replica.log_end_offset);
                replica.size_bytes = self.below(1 << 40);
                (replica.segment_count, replica.active_base_offset) = (2, self.below(20));
            }
            if self.below(5) == 0 {
                partition.adding = partition.replicas.iter().copied().skip(1).take(1).collect();
            }
            partition.records.retain(|_| self.below(6) > 0);
            partition.record_count = partition.records.len() as u64;
        }
    }

    /// Nothing, a producer, or a transactional id.
    fn selected(&mut self, snapshot: &Snapshot) -> Option<std::rc::Rc<str>> {
        match self.below(3) {
            0 => snapshot.producers.last().map(|producer| format!("producer:{}", producer.name).into()),
            1 => snapshot.transactions.last().map(|one| format!("transaction:{}", one.transactional_id).into()),
            _ => None,
        }
    }

    fn fail(&mut self, snapshot: &mut Snapshot) {
        use engine::snapshot::BrokerState;
        for broker in &mut snapshot.brokers {
            let rack = self.below(3);
            broker.rack = (rack > 0).then(|| format!("zone-{rack}").into());
            broker.is_fenced = self.below(4) == 0;
            broker.fetches_held = self.below(6) == 0;
            broker.state = [BrokerState::Running, BrokerState::Running, BrokerState::Stopped, BrokerState::Paused]
                [self.below(4) as usize];
        }
    }
}

fn check(seed: u64) {
    let mut numbers = Numbers(seed);
    let snapshot = numbers.snapshot();
    let palette = Palette::default();
    for width in WIDTHS {
        let chip_width = numbers.below(200) as f32;
        let title = (numbers.below(2) == 0).then(|| numbers.word(60).into());
        let selected = numbers.selected(&snapshot);
        let options = LayoutOptions { chip_width, title, selected, ..LayoutOptions::new(width) };
        let stage = layout(&snapshot, &options);
        let context = format!("seed {seed} at {width}");
        let mut boxes: Vec<Area> = stage.producers.iter().chain(&stage.readers).map(|card| card.area).collect();
        boxes.extend(stage.brokers.iter().map(|broker| broker.area));
        assert_apart(&boxes, &context);
        let lanes: Vec<Area> = stage.lanes.iter().map(|lane| lane.outer).collect();
        assert_apart(&lanes, &context);
        let logs: Vec<Area> = stage.coordinators.iter().map(|log| log.outer).chain(lanes).collect();
        assert_apart(&logs, &context);
        let list = still(&stage, &snapshot, &StillOptions::new(&palette));
        let picture = Area::new(0.0, 0.0, list.width, list.height);
        list.items.iter().for_each(|item| assert_inside(item, picture, &context));
        assert_words_apart(&list, &context);
    }
}

fn assert_apart(boxes: &[Area], context: &str) {
    for (index, one) in boxes.iter().enumerate() {
        for other in &boxes[index + 1..] {
            let apart =
                one.right() <= other.x || other.right() <= one.x || one.bottom() <= other.y || other.bottom() <= one.y;
            assert!(apart, "{context}: {one:?} and {other:?}");
        }
    }
}

/// Everything inside the nearest card, broker or picture around it.
fn assert_inside(item: &Item, around: Area, context: &str) {
    item.shape.draw(&mut |primitive| {
        let area = extent(&primitive);
        let inside = area.x >= around.x - SLACK
            && area.right() <= around.right() + SLACK
            && area.y >= around.y - SLACK
            && area.bottom() <= around.bottom() + SLACK;
        assert!(inside, "{context}: {primitive:?} {area:?} in {around:?}");
    });
    let around = match (&item.shape, item.children.is_empty()) {
        (crate::Shape::Rect { x, y, width, height, .. }, false) => Area::new(*x, *y, *width, *height),
        _ => around,
    };
    // A lane's flag and the sign of a chip stand a little over the edge of what they mark, on purpose.
    let room = if item.class.role == crate::Role::Group { 10.0 } else { 3.0 };
    let around = Area::new(around.x - room, around.y - room, around.width + 2.0 * room, around.height + 2.0 * room);
    item.children.iter().for_each(|child| assert_inside(child, around, context));
}

fn extent(primitive: &Primitive<'_>) -> Area {
    match *primitive {
        Primitive::Rect(x, y, width, height, _)
        | Primitive::Open(x, y, width, height, _)
        | Primitive::Hatch(x, y, width, height) => Area::new(x, y, width, height),
        Primitive::Line((x1, y1), (x2, y2)) => Area::new(x1.min(x2), y1.min(y2), (x1 - x2).abs(), (y1 - y2).abs()),
        Primitive::Curve([(x1, y1), .., (x2, y2)]) => {
            Area::new(x1.min(x2), y1.min(y2), (x1 - x2).abs(), (y1 - y2).abs())
        }
        Primitive::Circle(x, y, radius) | Primitive::Figure(x, y, radius, _) | Primitive::Glyph(x, y, radius, _) => {
            Area::new(x - radius, y - radius, 2.0 * radius, 2.0 * radius)
        }
        Primitive::Text(x, y, text, size, face, anchor) => {
            assert!(size >= 11.0, "\"{text}\" is set in {size} px");
            let width = text::width(text, size, face);
            let left = match anchor {
                Anchor::Start => x,
                Anchor::Middle => x - width / 2.0,
                Anchor::End => x - width,
            };
            Area::new(left, y - size * 0.75, width, size * 0.9)
        }
    }
}

/// No two texts lie on each other.
fn assert_words_apart(list: &DisplayList, context: &str) {
    let mut words: Vec<(Area, String)> = Vec::new();
    list.items.iter().for_each(|item| collect_words(item, &mut words));
    words.sort_by(|one, other| one.0.y.total_cmp(&other.0.y));
    for (index, (one, text)) in words.iter().enumerate() {
        for (other, second) in words[index + 1..].iter().take_while(|(other, _)| other.y < one.bottom()) {
            let apart = one.right() <= other.x + SLACK || other.right() <= one.x + SLACK;
            assert!(apart, "{context}: \"{text}\" {one:?} on \"{second}\" {other:?}");
        }
    }
}

fn collect_words(item: &Item, words: &mut Vec<(Area, String)>) {
    item.shape.draw(&mut |primitive| {
        if let Primitive::Text(_, _, text, ..) = primitive
            && !text.is_empty()
        {
            words.push((extent(&primitive), text.to_string()));
        }
    });
    item.children.iter().for_each(|child| collect_words(child, words));
}

#[test]
fn nothing_overlaps_or_leaves_the_width() {
    (0..150).for_each(check);
}

#[test]
fn an_empty_cluster_says_what_is_missing() {
    let stage = layout(&sample::cluster(0), &LayoutOptions::new(960.0));
    let notes: Vec<&str> = stage.notes.iter().map(|(note, _)| &**note).collect();
    assert_eq!(notes, ["No broker yet.", "No producer yet."]);
}

#[test]
fn every_partition_has_its_place_at_any_count() {
    for partitions in [1, 16, 17, 48, 49, 240, 241, 1_000, 4_096] {
        let mut snapshot = sample::cluster(3);
        snapshot.topics.push(sample::topic("events", partitions, 3));
        for width in WIDTHS {
            let stage = layout(&snapshot, &LayoutOptions::new(width));
            let placed = (0..partitions).filter(|partition| stage.lane("events", *partition).is_some()).count();
            assert_eq!(placed, partitions as usize, "{partitions} at {width}");
        }
    }
}

#[test]
fn every_replica_has_its_place_in_its_broker() {
    for (brokers, partitions) in [(3, 3), (3, 8), (12, 30), (40, 400)] {
        let snapshot = sample::replicas::replicated(brokers, partitions, 3, 0);
        for width in WIDTHS {
            let stage = layout(&snapshot, &LayoutOptions::new(width));
            for partition in &snapshot.topics[0].partitions {
                assert!(stage.lane("page-views", partition.partition).is_some(), "{brokers} at {width}");
                for broker in partition.replicas.iter().filter(|_| !stage.is_merged) {
                    let lane = stage.replica("page-views", partition.partition, *broker).expect("a lane");
                    let (x, y) = lane.area.center();
                    assert!(stage.broker(*broker).expect("a box").area.holds(x, y), "{brokers} at {width}");
                }
            }
        }
    }
}

#[test]
fn leaders_stand_before_followers_and_both_in_order() {
    let stage = layout(&sample::replicas::crashed(), &LayoutOptions::new(1_180.0));
    let ids: Vec<&str> = stage.lanes.iter().map(|lane| &*lane.id).collect();
    let expected = [
        "partition:page-views-2",
        "replica:page-views-0@1",
        "replica:page-views-1@1",
        "replica:page-views-0@2",
        "replica:page-views-1@2",
        "replica:page-views-2@2",
        "partition:page-views-0",
        "partition:page-views-1",
        "replica:page-views-2@3",
    ];
    assert_eq!(ids, expected);
}

#[test]
fn the_still_layer_of_a_large_cluster_is_bounded() {
    for (brokers, partitions) in [(12, 200), (40, 4_000)] {
        let snapshot = sample::replicas::replicated(brokers, partitions, 3, 0);
        for width in WIDTHS {
            let stage = layout(&snapshot, &LayoutOptions::new(width));
            let list = still(&stage, &snapshot, &StillOptions::new(&Palette::default()));
            assert!(count(&list.items) < 1_600, "{} items for {partitions} at {width}", count(&list.items));
        }
    }
}

#[test]
fn the_still_layer_of_a_large_group_is_bounded_and_its_tree_names_all_members() {
    let snapshot = sample::groups::many(200, 1_000);
    for width in WIDTHS {
        let stage = layout(&snapshot, &LayoutOptions::new(width));
        let list = still(&stage, &snapshot, &StillOptions::new(&Palette::default()));
        assert!(count(&list.items) < 2_300, "{} items at {width}", count(&list.items));
        let tree = stage.tree(&snapshot);
        let group = tree.iter().find(|node| &*node.id == "group:payments").expect("the group is in the tree");
        assert_eq!(group.children.len(), 200);
    }
}

#[test]
fn members_stand_beside_brokers_and_on_narrow_stages_below() {
    let snapshot = sample::groups::stable();
    for width in WIDTHS {
        let stage = layout(&snapshot, &LayoutOptions::new(width));
        let (broker, group) = (stage.brokers[0].area, stage.groups[0].area);
        assert_eq!(width >= 360.0, group.x > broker.right(), "{width}");
        assert_eq!(width < 360.0, group.y > broker.bottom(), "{width}");
        let is_at_left = stage.producers[0].area.right() < broker.x;
        assert_eq!(width >= 1_040.0, is_at_left, "{width}");
        assert_eq!(stage.groups[0].cards, (0, 3));
    }
}

fn count(items: &[Item]) -> usize {
    items.iter().map(|item| 1 + count(&item.children)).sum()
}

#[test]
fn records_keep_a_stage_as_it_is() {
    let (empty, full) =
        (sample::placed("events", 3, &[]), sample::placed("events", 3, &[("user-1", 0), ("user-2", 2)]));
    let options = LayoutOptions::new(640.0);
    assert_eq!(layout(&empty, &options), layout(&full, &options));
}

#[test]
fn a_tree_names_what_the_stage_shows() {
    let mut snapshot = sample::placed("events", 3, &[("user-1", 2), ("user-2", 2)]);
    snapshot.producers.push(sample::producer("orders", "java", "events", Some("user-2")));
    let stage = layout(&snapshot, &LayoutOptions::new(960.0));
    let tree = stage.tree(&snapshot);
    let ids: Vec<&str> = tree.iter().map(|node| &*node.id).collect();
    assert_eq!(ids, ["producer:orders", "broker:1"]);
    let lane = &tree[1].children[2];
    assert_eq!(&*lane.label, "events-2, 2 records, next offset 2, high watermark 2, leader broker 1");
    assert_eq!(&*lane.children[1].label, "offset 1, user-2");
}
