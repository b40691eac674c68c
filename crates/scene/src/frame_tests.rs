//! Tests of the moving layer over messages made by hand.
//!
//! Times of a whole run are tested with the player.

use engine::Observer;

use super::*;
use crate::{LayoutOptions, layout, sample};

/// The moving layer at a point of a message's way, as text.
fn check(messages: Vec<MessageView>, now_us: u64, reduced_motion: bool) -> DisplayList {
    let mut snapshot = sample::placed("events", 3, &[("user-2", 0)]);
    snapshot.producers.push(sample::producer("orders", "java", "events", Some("user-1")));
    snapshot.in_flight = messages.into_iter().map(Rc::new).collect();
    let mut pace = Pace::default();
    for message in &snapshot.in_flight {
        let kind = EventKind::MessageSent { message: message.clone() };
        pace.observe(message.sent, &[Event { moment: message.sent, index: 0, cause: None, kind }]);
    }
    let palette = Palette::default();
    let stage = layout(&snapshot, &LayoutOptions { chip_width: 74.0, ..LayoutOptions::new(960.0) });
    let input = FrameInput {
        snapshot: &snapshot,
        events: &[],
        pace: &pace,
        mode: PaceMode::Elastic,
        display: now_us,
        now: Time(now_us),
        palette: &palette,
        reduced_motion,
    };
    frame(&stage, &input)
}

fn count(list: &DisplayList, role: Role) -> usize {
    list.items.iter().filter(|item| item.class.role == role).count()
}

fn chip_x(list: &DisplayList) -> f32 {
    let chip = list.items.iter().find(|item| item.class.role == Role::Chip).expect("a record is on its way");
    match chip.shape {
        Shape::Chip { x, .. } => x,
        _ => panic!("a record is a chip"),
    }
}

#[test]
fn records_ride_with_their_request_to_the_next_free_place_of_their_lane() {
    let at = |now| check(vec![sample::message(1, "orders", "events", 1, false)], now, false);
    let places = [0, 300_000, 600_000, 900_000, 1_000_000].map(|now| chip_x(&at(now)));
    assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{places:?}");
    let snapshot = sample::placed("events", 3, &[("user-2", 0)]);
    let stage = layout(&snapshot, &LayoutOptions { chip_width: 74.0, ..LayoutOptions::new(960.0) });
    let lane = stage.lane("events", 0).expect("the partition has a lane");
    let log = crate::log::Log::of(lane, &snapshot.topics[0].partitions[0]);
    assert_eq!(places[4], lane.landed(lane.landing(&log, 1), 0, 1).x);
}

#[test]
fn answers_run_back() {
    let at = |now| check(vec![sample::message(1, "orders", "events", 0, true)], now, false);
    let x = |list: &DisplayList| match list.items[0].shape {
        Shape::Pill { x, .. } => x,
        _ => panic!("an answer is a pill"),
    };
    assert!(x(&at(100_000)) > x(&at(900_000)));
    assert!(at(500_000).to_string().contains("response") && at(500_000).to_string().contains("\"ack\""));
}

#[test]
fn reduced_motion_shows_the_same_until_something_arrives() {
    let at = |now| check(vec![sample::message(1, "orders", "events", 2, false)], now, true);
    assert_eq!(at(0), at(700_000));
}

#[test]
fn many_records_become_dots_and_then_counts() {
    let messages = |count: u64| (1..=count).map(|id| sample::message(id, "orders", "events", 10, false)).collect();
    let few = check(messages(3), 500_000, false);
    assert_eq!((count(&few, Role::Chip), count(&few, Role::Request)), (12, 3));
    let many = check(messages(60), 500_000, false);
    assert_eq!((count(&many, Role::Dot), count(&many, Role::Request)), (600, 1));
    assert!(many.to_string().contains("Produce × 60"), "{many}");
    let most = check(messages(150), 500_000, false);
    assert_eq!((count(&most, Role::Dot), count(&most, Role::Request)), (0, 1));
}

#[test]
fn pills_stay_between_their_boxes() {
    for now in [0, 10_000, 500_000, 990_000, 1_000_000] {
        let list = check(vec![sample::message(1, "orders", "events", 1, false)], now, false);
        let pill = list.items.iter().find(|item| item.class.role == Role::Request).expect("a request is on its way");
        let Shape::Pill { x, width, .. } = pill.shape else { panic!("a request is a pill") };
        assert!(x > 241.0 && x + width < 375.0, "{x} {width} at {now}");
    }
}

/// The moving layer of a snapshot with messages that were sent at the start.
fn moving(snapshot: &Snapshot, width: f32, now_us: u64) -> DisplayList {
    let mut pace = Pace::default();
    for message in &snapshot.in_flight {
        let kind = EventKind::MessageSent { message: message.clone() };
        pace.observe(message.sent, &[Event { moment: message.sent, index: 0, cause: None, kind }]);
    }
    let stage = layout(snapshot, &LayoutOptions { chip_width: 74.0, ..LayoutOptions::new(width) });
    let input = FrameInput {
        snapshot,
        events: &[],
        pace: &pace,
        mode: PaceMode::Elastic,
        display: now_us,
        now: Time(now_us),
        palette: &Palette::default(),
        reduced_motion: false,
    };
    frame(&stage, &input)
}

#[test]
fn a_frame_of_a_large_cluster_is_bounded() {
    let snapshot = sample::replicas::large();
    for width in [1_440.0, 768.0, 375.0] {
        let list = moving(&snapshot, width, 400_000);
        assert!(list.items.len() <= 80, "{} items at {width}", list.items.len());
        assert!(list.to_string().contains("Produce × 400"), "at {width}");
    }
    let snapshot = sample::groups::many(200, 1_000);
    for width in [1_440.0, 768.0, 375.0] {
        let list = moving(&snapshot, width, 400_000);
        assert!(list.items.len() <= 80 && list.to_string().contains("JoinGroup × 200"), "at {width}: {list}");
    }
    const { assert!(ITEMS_MAX < 1_450) };
}

#[test]
fn heartbeats_are_small_signs_and_other_requests_of_members_are_pills() {
    let list = moving(&sample::groups::stable(), 1_180.0, 400_000);
    let text = list.to_string();
    assert!(text.contains("OffsetCommit") && !text.contains("Heartbeat"), "{text}");
    let signs = list.items.iter().filter(|item| matches!(item.shape, Shape::Circle { radius, .. } if radius < 4.0));
    assert_eq!(signs.count(), 1);
}

/// The labels at members, so many microseconds of display after the events of a snapshot's story.
fn toasts(story: &Snapshot, snapshot: &Snapshot, display: u64) -> Vec<(Rc<str>, f32)> {
    let events = sample::groups::story(story);
    let mut pace = Pace::default();
    events.iter().for_each(|event| pace.observe(event.moment, std::slice::from_ref(event)));
    let stage = layout(snapshot, &LayoutOptions::new(1_180.0));
    let input = FrameInput {
        snapshot,
        events: &events,
        pace: &pace,
        mode: PaceMode::Even,
        display,
        now: Time(display),
        palette: &Palette::default(),
        reduced_motion: false,
    };
    let pills = frame(&stage, &input).items.into_iter().filter(|item| item.class.role == Role::Notice);
    pills
        .filter_map(|item| match item.shape {
            Shape::Pill { text, .. } => Some((text, item.opacity)),
            _ => None,
        })
        .collect()
}

#[test]
fn callbacks_pop_at_their_members_and_stay_while_they_run() {
    let running = sample::groups::consumer();
    let told = |snapshot: &Snapshot, display: u64| -> Vec<String> {
        toasts(&running, snapshot, display).into_iter().map(|(word, _)| word.to_string()).collect()
    };
    assert_eq!(told(&running, 500_000), ["joined", "joined", "revoking p5"]);
    assert_eq!(told(&running, 3_000_000), [""; 0], "after a while others tell it");
    let mut returned = running.clone();
    returned.consumers[1].membership.as_mut().expect("a member").callback = None;
    assert!(told(&returned, 500_000).contains(&"revoked p5".to_string()));
    let late = toasts(&running, &returned, 2_500_000);
    assert!(late.iter().all(|(_, opacity)| *opacity < 0.5), "{late:?}");
}

#[test]
fn brokers_talk_beside_their_boxes() {
    let snapshot = sample::replicas::high_watermark();
    let list = moving(&snapshot, 1_180.0, 500_000);
    let stage = layout(&snapshot, &LayoutOptions::new(1_180.0));
    let right = stage.brokers[0].area.right();
    let words: Vec<(&str, f32)> = list
        .items
        .iter()
        .filter_map(|item| match &item.shape {
            Shape::Pill { x, width, text, .. } => Some((&**text, x + width)),
            _ => None,
        })
        .collect();
    assert_eq!(words.iter().map(|(word, _)| *word).collect::<Vec<_>>(), ["Fetch", "records × 2", "AlterPartition"]);
    // Words that are wider than the gutter stand in a head, and a sign is on the way.
    let (wide, short) = words.split_last().expect("three words");
    assert!(short.iter().all(|(_, end)| *end > right), "{words:?} {right}");
    let head = stage.brokers.iter().find(|broker| broker.broker == Some(3)).expect("the controller").area;
    assert!(wide.1 < head.right() && wide.1 > head.x, "{words:?} {head:?}");
    assert_eq!(count(&list, Role::Request), 3, "a sign and its words beside a pill");
    assert!(stage.wires.iter().flatten().all(|(x, _)| *x >= right), "{:?}", stage.wires);
}

#[test]
fn fetched_records_fly_to_the_followers_lane() {
    let mut snapshot = sample::replicas::high_watermark();
    snapshot.in_flight = vec![sample::replicas::fetch(1, 2, 1, true).into()];
    let list = moving(&snapshot, 1_180.0, 1_000_000);
    let stage = layout(&snapshot, &LayoutOptions { chip_width: 74.0, ..LayoutOptions::new(1_180.0) });
    let lane = stage.replica("page-views", 0, 1).expect("a follower");
    let log = crate::log::Log::of(lane, &snapshot.topics[0].partitions[0]);
    let chips: Vec<f32> = list
        .items
        .iter()
        .filter_map(|item| match item.shape {
            Shape::Chip { x, .. } => Some(x),
            _ => None,
        })
        .collect();
    let landed = |index| lane.landed(lane.landing(&log, 2), index, 2).x;
    assert_eq!(chips, [landed(0), landed(1)]);
}

#[test]
fn a_record_stands_clear_of_its_request_on_every_width() {
    for width in [960.0, 640.0, 375.0, 320.0] {
        for now in (0..=560_000).step_by(20_000) {
            let mut snapshot = sample::placed("events", 3, &[("user-2", 0)]);
            snapshot.producers.push(sample::producer("orders", "java", "events", Some("user-1")));
            snapshot.in_flight = vec![sample::message(1, "orders", "events", 1, false).into()];
            let list = moving(&snapshot, width, now);
            let (mut pill, mut chip) = (None, None);
            for item in &list.items {
                match item.shape {
                    Shape::Pill { y, height, .. } => pill = Some(y + height),
                    Shape::Chip { y, .. } => chip = Some(y),
                    _ => {}
                }
            }
            let (pill, chip) = (pill.expect("a request"), chip.expect("a record"));
            assert!(chip >= pill, "{chip} {pill} at {width} after {now}");
        }
    }
}

#[test]
fn what_is_unknown_to_the_stage_is_not_drawn() {
    let list = check(vec![sample::message(1, "nobody", "events", 1, false)], 0, false);
    assert_eq!(list.items, []);
    let quiet = MessageView { is_notable: false, ..sample::message(1, "orders", "events", 1, false) };
    assert_eq!(check(vec![quiet], 0, false).items, []);
}

/// The words over a crashed cluster, with their places, so long after the events.
fn notices(kinds: Vec<EventKind>, after_us: u64, reduced_motion: bool) -> Vec<(String, Area, f32)> {
    let snapshot = sample::replicas::crashed();
    let moment = engine::event::Moment { time: Time(1_000), sequence: 9 };
    let events: Vec<Event> = (0..).zip(kinds).map(|(index, kind)| Event { moment, index, cause: None, kind }).collect();
    let mut pace = Pace::default();
    pace.observe(moment, &events);
    let stage = layout(&snapshot, &LayoutOptions { chip_width: 74.0, ..LayoutOptions::new(1_180.0) });
    let display = pace.display(PaceMode::Elastic, moment).expect("the moment is recent") + after_us;
    let input = FrameInput {
        snapshot: &snapshot,
        events: &events,
        pace: &pace,
        mode: PaceMode::Elastic,
        display,
        now: Time(1_000),
        palette: &Palette::default(),
        reduced_motion,
    };
    let list = frame(&stage, &input);
    let words = list.items.iter().filter(|item| item.class.role == Role::Notice).map(|item| match &item.shape {
        Shape::Pill { x, y, width, height, text } => {
            (text.to_string(), Area::new(*x, *y, *width, *height), item.opacity)
        }
        _ => panic!("a word is a pill"),
    });
    words.collect()
}

#[test]
fn a_failure_is_told_where_it_happened_for_a_moment() {
    let partition = TopicPartition { topic: "page-views".into(), partition: 0 };
    let kinds = || {
        vec![
            EventKind::BrokerFenced { broker: 2 },
            EventKind::LeaderElected { partition: partition.clone(), leader: 3, leader_epoch: 1 },
            EventKind::IsrChanged {
                partition: partition.clone(),
                before: [2, 3, 1].into(),
                isr: [3, 1].into(),
                elr: [].into(),
                last_known_elr: [].into(),
            },
            EventKind::LogTruncated { broker: 2, partition: partition.clone(), before: 6, log_end_offset: 4 },
        ]
    };
    let shown = notices(kinds(), 100_000, false);
    let words: Vec<&str> = shown.iter().map(|(word, ..)| &**word).collect();
    assert_eq!(words, ["truncated to 4", "ISR 3,1", "leader, epoch 1", "fenced"]);
    for (index, (word, one, _)) in shown.iter().enumerate() {
        for (other, area, _) in &shown[index + 1..] {
            let apart =
                one.bottom() <= area.y || area.bottom() <= one.y || one.right() <= area.x || area.right() <= one.x;
            assert!(apart, "{word} on {other}");
        }
    }
    let late = notices(kinds(), 900_000, false);
    assert!(late.iter().all(|(.., opacity)| *opacity < 0.5) && late.len() == 4, "{late:?}");
    assert_eq!(notices(kinds(), 1_100_000, false).len(), 0);
    let fenced = || EventKind::BrokerFenced { broker: 2 };
    assert_eq!(notices(vec![fenced(), fenced()], 100_000, false).len(), 1, "the same word is said once");
    assert_eq!(notices(kinds(), 100_000, true), notices(kinds(), 900_000, true), "reduced motion does not fade");
}

#[test]
fn what_is_left_of_a_lock_shrinks_with_time() {
    let snapshot = crate::with_share_members(sample::shares::two_members());
    let stage = layout(&snapshot, &LayoutOptions::new(960.0));
    let bars = |now: u64| -> Vec<f32> {
        let input = FrameInput {
            snapshot: &snapshot,
            events: &[],
            pace: &Pace::default(),
            mode: PaceMode::Elastic,
            display: 0,
            now: Time::from_millis(now),
            palette: &Palette::default(),
            reduced_motion: false,
        };
        let list = frame(&stage, &input);
        let bars = list.items.iter().filter(|item| item.class.role == Role::Clock);
        bars.map(|item| item.shape.clone())
            .filter_map(|shape| match shape {
                Shape::Rect { width, .. } => Some(width),
                _ => None,
            })
            .collect()
    };
    let (full, half, over) = (bars(0), bars(15_000), bars(30_000));
    assert_eq!((full.len(), full[0] / 2.0), (2, half[0]), "two records are held, and half of their locks is left");
    assert_eq!(over, [0.0, 0.0]);
}
