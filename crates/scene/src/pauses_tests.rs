//! The three protocols as lists of events: a third member joins, the second one leaves.
//!
//! Times and owners are those of the course; the engine's own runs are tested where they are recorded.

use engine::event::Moment;
use engine::group::GroupType;

use super::*;

/// Events with their times in tenths of a second.
#[derive(Default)]
struct Story(Vec<Event>);

impl Story {
    fn push(&mut self, tenths: u64, kind: EventKind) {
        let sequence = self.0.len() as u64;
        let moment = Moment { time: Time(tenths * 100_000), sequence };
        self.0.push(Event { moment, index: sequence, cause: None, kind });
    }

    /// Six partitions, A with p0 to p2 and B with p3 to p5.
    fn begin() -> Story {
        let mut story = Story::default();
        story.push(0, EventKind::TopicCreated { topic: "events".into(), partitions: 6, replication_factor: 1 });
        story.join(0, "A");
        story.owns(10, "A", &[0, 1, 2, 3, 4, 5]);
        story.join(30, "B");
        story.owns(40, "A", &[0, 1, 2]);
        story.owns(40, "B", &[3, 4, 5]);
        story
    }

    fn join(&mut self, at: u64, consumer: &str) {
        let (group, member, client) = ("g".into(), format!("{consumer}-id").into(), consumer.into());
        self.push(at, EventKind::Group(GroupEvent::MemberJoined { broker: 1, group, member, client, instance: None }));
    }

    fn revokes(&mut self, at: u64, consumer: &str, partitions: &[u32]) {
        let event = GroupEvent::CallbackStarted {
            consumer: consumer.into(),
            callback: Callback::Revoked,
            partitions: parts(partitions),
            generation: 1,
            owned: parts(partitions),
        };
        self.push(at, EventKind::Group(event));
    }

    fn owns(&mut self, at: u64, consumer: &str, partitions: &[u32]) {
        let event = GroupEvent::AssignmentChanged { consumer: consumer.into(), owned: parts(partitions) };
        self.push(at, EventKind::Group(event));
    }

    fn closes(&mut self, at: u64, consumer: &str) {
        self.push(at, EventKind::Group(GroupEvent::ConsumerClosed { consumer: consumer.into() }));
    }

    fn state(&mut self, at: u64, state: GroupState) {
        let (group, group_type) = ("g".into(), GroupType::Classic);
        let event = GroupEvent::GroupStateChanged { broker: 1, group, group_type, before: None, state, epoch: 1 };
        self.push(at, EventKind::Group(event));
    }

    /// What happened between two times.
    fn toll(&self, from: u64, to: u64) -> Toll {
        let (from, to) = (Time(from * 100_000), Time(to * 100_000));
        let until = |time: Time| {
            let events: Vec<Event> = self.0.iter().filter(|event| event.moment.time <= time).cloned().collect();
            Pauses::of(&events).group("g").expect("the group is known").clone()
        };
        until(to).since(&until(from), from, to)
    }
}

fn parts(partitions: &[u32]) -> Vec<TopicPartition> {
    partitions.iter().map(|partition| TopicPartition { topic: "events".into(), partition: *partition }).collect()
}

/// Partitions stopped and moved, and partition-seconds, by the join and by the leave.
fn check(story: &Story, join: (usize, usize, &str), leave: &str) {
    let toll = story.toll(150, 230);
    assert_eq!((toll.stopped, toll.moved, &*toll.seconds()), join);
    assert_eq!(story.toll(230, 300).seconds(), leave);
}

#[test]
fn an_eager_rebalance_stops_everything_for_a_moment() {
    let mut story = Story::begin();
    story.join(161, "C");
    for (consumer, all) in [("A", [0, 1, 2]), ("B", [3, 4, 5])] {
        story.revokes(176, consumer, &all);
        story.owns(176, consumer, &[]);
    }
    for (consumer, owned) in [("A", [0, 1]), ("B", [2, 3]), ("C", [4, 5])] {
        story.owns(177, consumer, &owned);
    }
    story.revokes(241, "B", &[2, 3]);
    story.closes(241, "B");
    for (consumer, all) in [("A", [0, 1]), ("C", [4, 5])] {
        story.revokes(266, consumer, &all);
        story.owns(266, consumer, &[]);
    }
    story.owns(267, "A", &[0, 1, 2]);
    story.owns(267, "C", &[3, 4, 5]);
    check(&story, (6, 3, "0.6"), "5.6");
}

#[test]
fn a_cooperative_rebalance_stops_only_what_moves_and_for_longer() {
    let mut story = Story::begin();
    story.join(160, "C");
    story.revokes(190, "A", &[2]);
    story.owns(190, "A", &[0, 1]);
    story.revokes(190, "B", &[5]);
    story.owns(190, "B", &[3, 4]);
    story.owns(190, "C", &[]);
    story.owns(220, "C", &[2, 5]);
    story.closes(241, "B");
    story.owns(250, "A", &[0, 1, 3]);
    story.owns(250, "C", &[2, 4, 5]);
    check(&story, (2, 2, "6.0"), "1.8");
}

#[test]
fn the_consumer_protocol_moves_each_partition_when_it_is_free() {
    let mut story = Story::begin();
    story.join(162, "C");
    story.revokes(184, "B", &[5]);
    story.owns(184, "B", &[3, 4]);
    story.revokes(210, "A", &[2]);
    story.owns(210, "A", &[0, 1]);
    story.owns(212, "C", &[2, 5]);
    story.closes(241, "B");
    story.owns(260, "A", &[0, 1, 4]);
    story.owns(262, "C", &[2, 3, 5]);
    check(&story, (2, 2, "3.0"), "4.0");
}

#[test]
fn time_in_a_callback_counts_and_time_without_members_does_not() {
    let mut story = Story::begin();
    // The callback takes two seconds, and only then the assignment changes.
    story.revokes(100, "A", &[0, 1, 2]);
    story.owns(120, "A", &[]);
    story.owns(120, "B", &[0, 1, 2, 3, 4, 5]);
    assert_eq!(story.toll(90, 130), Toll { stopped: 3, moved: 3, partition_micros: 6_000_000 });
    story.closes(140, "B");
    story.state(140, GroupState::Empty);
    assert_eq!(story.toll(130, 900).seconds(), "0.0");
}

#[test]
fn a_crash_pauses_what_the_member_owned_until_others_have_it() {
    let mut story = Story::begin();
    let client = NodeId::Consumer { name: "B".into() };
    story.push(100, EventKind::Transaction(TransactionEvent::ClientCrashed { client }));
    story.owns(145, "A", &[0, 1, 2, 3, 4, 5]);
    assert_eq!(story.toll(90, 200), Toll { stopped: 3, moved: 3, partition_micros: 13_500_000 });
    // New partitions are nobody's at first.
    story.push(200, EventKind::PartitionsCreated { topic: "events".into(), before: 6, after: 8 });
    assert_eq!(story.toll(200, 210).seconds(), "2.0");
}
