//! Tests of the display axis over made-up traces.
//!
//! No engine runs here: the axis must hold for any trace.

use std::rc::Rc;

use engine::event::{Name, NodeId};

use super::*;

fn message(id: u64, sent: Moment, arrives: Time, is_response: bool) -> Rc<MessageView> {
    let producer = NodeId::Producer { name: Name::from("p") };
    let (from, to) = (producer, NodeId::Broker { id: 1 });
    Rc::new(MessageView {
        id,
        api: Api::Produce,
        version: None,
        is_response,
        from,
        to,
        sent,
        arrives,
        batches: Vec::new(),
        is_notable: true,
        error: None,
        end: None,
        markers: Vec::new(),
    })
}

fn event(moment: Moment, kind: EventKind) -> Event {
    Event { moment, index: 0, cause: None, kind }
}

/// A trace of hops sent every `every` microseconds, each on its way for `delay`: the display of each entry.
fn check(every: u64, delay: u64, hops: u64) -> Vec<(Time, Display)> {
    let mut pace = Pace::default();
    let mut entries: Vec<(u64, u64, bool)> = Vec::new();
    for id in 0..hops {
        entries.push((id * every, id, false));
        entries.push((id * every + delay, id, true));
    }
    entries.sort();
    let mut sent = BTreeMap::new();
    let mut places = Vec::new();
    for (sequence, (time, id, is_arrival)) in entries.into_iter().enumerate() {
        let moment = Moment { time: Time(time), sequence: sequence as u64 + 1 };
        let message = sent.entry(id).or_insert_with(|| message(id, moment, Time(time + delay), false)).clone();
        let next = NextEntry { time: Time(time), message: is_arrival.then(|| message.clone()) };
        let preview = pace.preview(PaceMode::Elastic, &next);
        let kind = if is_arrival {
            EventKind::MessageArrived { message: message.clone() }
        } else {
            EventKind::MessageSent { message: message.clone() }
        };
        if is_arrival {
            let progress = pace.progress(PaceMode::Elastic, &message, preview, Time(time));
            assert!(progress > 0.999, "a message stands at its goal when it arrives: {progress}");
        }
        pace.observe(moment, &[event(moment, kind)]);
        assert_eq!(pace.last(PaceMode::Elastic), preview, "the preview is exact");
        assert!(places.last().is_none_or(|(_, before)| *before <= preview), "the axis never runs backward");
        places.push((Time(time), preview));
    }
    places
}

#[test]
fn a_hop_without_delay_is_seen() {
    let places = check(1_000_000, 0, 1);
    assert!(places[1].1 - places[0].1 >= 250_000, "{places:?}");
}

#[test]
fn a_quiet_hour_passes_in_less_than_four_seconds() {
    let places = check(3_600_000_000, 1_000, 2);
    let hour = places[2].1 - places[1].1;
    assert!((2_000_000..4_000_000).contains(&hour), "{hour}");
}

#[test]
fn dense_runs_stay_close_to_even_time() {
    for (every, delay) in [(1_000, 0), (1_000, 5_000), (10_000, 0), (200, 0)] {
        let places = check(every, delay, 4_000_000 / every);
        let (time, display) = *places.last().expect("there are entries");
        let (early_time, early) = places[places.len() / 4];
        let ratio = (display - early) as f64 / time.since(early_time).0 as f64;
        assert!((0.9..2.6).contains(&ratio), "{every} {delay}: {ratio} once it runs");
        assert!(early < 6_000_000, "{every} {delay}: {early} for the first second");
    }
}

#[test]
fn quiet_time_is_compressed_steadily() {
    let mut before = 0;
    for quiet in (0..200_000_000).step_by(7_919) {
        let display = compressed(quiet);
        assert!(display >= before && display <= quiet, "{quiet}: {display}");
        before = display;
    }
    assert_eq!(compressed(QUIET_PLAIN), QUIET_PLAIN);
    assert!(compressed(30 * 86_400 * 1_000_000) < 5_000_000);
    for display in (0..5_000_000).step_by(997) {
        assert_eq!(compressed(stretched(display)), display);
    }
}

#[test]
fn entries_without_events_do_not_stretch_a_quiet_stretch() {
    let (mut busy, mut calm) = (Pace::default(), Pace::default());
    for sequence in 1..=7_200 {
        busy.observe(Moment { time: Time(sequence * 500_000), sequence }, &[]);
    }
    calm.observe(Moment { time: Time(3_600_000_000), sequence: 1 }, &[]);
    assert_eq!(busy.last(PaceMode::Elastic), calm.last(PaceMode::Elastic));
}

#[test]
fn time_and_display_are_inverse_between_two_entries() {
    let mut pace = Pace::default();
    let moment = Moment { time: Time(1_000), sequence: 1 };
    pace.observe(moment, &[event(moment, EventKind::ProducerClosed { producer: "p".into() })]);
    let next = NextEntry { time: Time(90_000_000), message: None };
    for time in [1_000, 500_000, 30_000_000, 90_000_000] {
        let display = pace.display_at(PaceMode::Elastic, Time(time), Some(&next));
        let back = pace.time_at(PaceMode::Elastic, display, Some(&next));
        assert!(back.0 <= time && time - back.0 <= time / 10_000, "{time} {back:?}");
        assert_eq!(pace.display_at(PaceMode::Elastic, back, Some(&next)), display);
    }
}

#[test]
fn a_change_of_the_cluster_is_looked_at_longer_than_a_record() {
    let after = |kind: EventKind| {
        let mut pace = Pace::default();
        let first = Moment { time: Time(1_000), sequence: 1 };
        pace.observe(first, &[event(first, kind)]);
        let second = Moment { time: Time(1_000), sequence: 2 };
        pace.observe(second, &[event(second, EventKind::ProducerClosed { producer: "p".into() })]);
        pace.last(PaceMode::Elastic)
    };
    let partition = || engine::event::TopicPartition { topic: "events".into(), partition: 0 };
    let elected = |leader_epoch| EventKind::LeaderElected { partition: partition(), leader: 2, leader_epoch };
    assert!(after(elected(1)) >= after(elected(0)) + 300_000, "the first leader is part of the creation");
    let advanced = EventKind::HighWatermarkAdvanced { partition: partition(), high_watermark: 1 };
    assert!(after(EventKind::BrokerFenced { broker: 2 }) >= after(advanced) + 300_000);
}

#[test]
fn quiet_time_passes_as_it_is_at_first_however_far_the_next_entry_is() {
    for next in [3_000_000, 90_000_000, 8 * 86_400_000_000] {
        let mut pace = Pace::default();
        pace.observe(Moment { time: Time(1_000), sequence: 1 }, &[]);
        let next = NextEntry { time: Time(next), message: None };
        assert_eq!(pace.time_at(PaceMode::Elastic, 501_000, Some(&next)), Time(501_000));
    }
}

#[test]
fn even_time_is_simulated_time() {
    let mut pace = Pace::default();
    let moment = Moment { time: Time(5_000_000), sequence: 1 };
    pace.observe(moment, &[]);
    let next = NextEntry { time: Time(9_000_000), message: None };
    assert_eq!(pace.preview(PaceMode::Even, &next), 9_000_000);
    assert_eq!(pace.time_at(PaceMode::Even, 7_000_000, Some(&next)), Time(7_000_000));
    assert_eq!(pace.display(PaceMode::Even, moment), Some(5_000_000));
}

#[test]
fn a_lost_message_breaks_where_it_was() {
    let mut pace = Pace::default();
    let sent = Moment { time: Time(0), sequence: 1 };
    let lost = Moment { time: Time(500_000), sequence: 2 };
    let message = message(7, sent, Time(1_000_000), false);
    pace.observe(sent, &[event(sent, EventKind::MessageSent { message: message.clone() })]);
    pace.observe(lost, &[event(lost, EventKind::MessageLost { message: message.clone() })]);
    assert_eq!(pace.broken_at(&message), Some(0.5));
}

/// The display after an hour in which members of a group only send heartbeats, every three seconds.
#[test]
fn a_quiet_hour_of_a_stable_group_passes_in_a_breath() {
    let mut pace = Pace::default();
    let mut sequence = 0;
    let mut add = |pace: &mut Pace, time: u64, kind: EventKind| {
        sequence += 1;
        let moment = Moment { time: Time(time), sequence };
        pace.observe(moment, &[event(moment, kind)]);
    };
    let state = |state| {
        let group = Name::from("payments");
        let (group_type, before) = (engine::group::GroupType::Classic, None);
        EventKind::Group(GroupEvent::GroupStateChanged { broker: 1, group, group_type, before, state, epoch: 3 })
    };
    add(&mut pace, 0, state(engine::group::GroupState::Stable));
    for beat in 1..=1_200 {
        let time = beat * 3_000_000;
        let (sent, arrives) = (Moment { time: Time(time), sequence: beat }, Time(time + 2_000));
        let heartbeat = Rc::new(MessageView { api: Api::Heartbeat, ..(*message(beat, sent, arrives, false)).clone() });
        add(&mut pace, time, EventKind::MessageSent { message: Rc::clone(&heartbeat) });
        add(&mut pace, time + 2_000, EventKind::MessageArrived { message: heartbeat });
        if beat == 3 {
            assert!(pace.last(PaceMode::Elastic) > 2_000_000, "the first ones are seen");
        }
    }
    let hour = pace.last(PaceMode::Elastic);
    assert!(hour < 10_000_000, "{hour}");
    add(&mut pace, 3_601_000_000, state(engine::group::GroupState::PreparingRebalance));
    let at = pace.last(PaceMode::Elastic);
    add(&mut pace, 3_601_000_001, state(engine::group::GroupState::CompletingRebalance));
    assert!(pace.last(PaceMode::Elastic) - at >= 400_000, "a new state is looked at");
}
