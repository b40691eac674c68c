//! Tests of the player over real runs.
//!
//! Scenarios here are small and made for one question each.

use super::*;
use crate::display::DisplayList;
use crate::{FrameInput, LayoutOptions, Palette, StillOptions};

fn scenario(client: &str, partitions: u32, duration: &str) -> Scenario {
    toml::from_str(&format!(
        r#"
        name = "test"
        duration = "{duration}"
        [[topic]]
        name = "events"
        partitions = {partitions}
        [[producer]]
        name = "orders"
        client = "{client}"
        workload = {{ topic = "events", keys = ["user-1", "user-2", "user-3", "user-4"], value = "login", every = "500 ms" }}
        [[consumer]]
        name = "console"
        assign = ["events"]
        "#
    ))
    .expect("the scenario is well formed")
}

fn player(clients: &[&str]) -> Player {
    let sides = clients.iter().map(|client| (scenario(client, 3, "4 s"), Vec::new())).collect();
    Player::new(sides).expect("the scenarios are valid")
}

/// Everything that a side shows.
fn picture(player: &mut Player, side: usize) -> (DisplayList, DisplayList) {
    let palette = Palette::of_run(player.timeline(side).scenario(), []);
    let snapshot = player.snapshot(side, 100);
    let events = player.timeline_mut(side).recent(100, &|_| true);
    let stage = crate::layout(&snapshot, &LayoutOptions::new(960.0));
    let input = FrameInput {
        snapshot: &snapshot,
        events: &events,
        pace: player.timeline(side).observer(),
        mode: player.mode(),
        display: player.display(side),
        now: player.now(),
        palette: &palette,
        reduced_motion: false,
    };
    (crate::still(&stage, &snapshot, &StillOptions::new(&palette)), crate::frame(&stage, &input))
}

fn play_to_end(player: &mut Player) -> u64 {
    assert!(player.play());
    for tick in 0..100_000 {
        if player.tick(16_667, 10_000).finished {
            return tick;
        }
    }
    panic!("playing never ended");
}

#[test]
fn playing_ends_at_the_horizon() {
    let mut player = player(&["java"]);
    play_to_end(&mut player);
    assert_eq!(player.now(), Time::from_millis(4_000));
    assert!(!player.is_playing());
}

#[test]
fn a_moment_looks_the_same_however_it_is_reached() {
    let mut stepped = player(&["java"]);
    let mut sought = player(&["java"]);
    let mut moments = 0;
    while let Some((_, event)) = stepped.step().pop() {
        if stepped.now() > Time::from_millis(3_000) {
            break;
        }
        sought.seek(Time::from_millis(3_500));
        sought.seek_moment(0, event.moment);
        let (by_step, by_seek) = (picture(&mut stepped, 0), picture(&mut sought, 0));
        assert_eq!(by_step.0.to_string(), by_seek.0.to_string(), "still layer at {:?}", event.moment);
        assert_eq!(by_step.1.to_string(), by_seek.1.to_string(), "moving layer at {:?}", event.moment);
        moments += 1;
    }
    assert!(moments > 20, "{moments}");
}

#[test]
fn playing_and_seeking_show_the_same_state() {
    let mut played = player(&["java"]);
    let mut sought = player(&["java"]);
    play_to_end(&mut played);
    sought.seek(Time::from_millis(4_000));
    assert_eq!(picture(&mut played, 0).0, picture(&mut sought, 0).0);
    assert_eq!(played.display(0), sought.display(0));
    played.seek(Time::ZERO);
    played.seek(Time::from_millis(4_000));
    assert_eq!(picture(&mut played, 0), picture(&mut sought, 0));
}

#[test]
fn the_revision_stays_while_nothing_happens() {
    let mut player = player(&["java"]);
    player.seek(Time::from_millis(1_600));
    player.play();
    let before = player.revision();
    let mut frames = 0;
    while player.now() < Time::from_millis(1_850) {
        let changed = player.tick(16_667, 10_000);
        assert!(changed.moved);
        frames += u32::from(changed.revision == before);
    }
    assert!(frames >= 10, "{frames} frames without a new revision");
}

#[test]
fn sides_share_simulated_time() {
    let mut player = player(&["java", "librdkafka"]);
    player.play();
    for _ in 0..400 {
        player.tick(16_667, 10_000);
        for side in 0..2 {
            assert!(player.timeline(side).now() <= player.now());
            let due = player.timeline(side).peek().is_some_and(|next| next.time < player.now());
            assert!(!due, "side {side} is late at {}", player.now());
        }
    }
    assert!(player.now() > Time::from_millis(1_000));
}

#[test]
fn a_hop_without_delay_takes_its_time_on_both_sides() {
    let mut player = player(&["java", "librdkafka"]);
    player.play();
    let mut travelling = 0;
    for _ in 0..200 {
        player.tick(16_667, 10_000);
        let flying = (0..2).all(|side| player.snapshot(side, 0).in_flight.iter().any(|message| message.is_notable));
        travelling += u32::from(flying);
    }
    assert!(travelling >= 15, "both sides were on their way in {travelling} frames");
}

#[test]
fn stepping_back_undoes_a_step() {
    let sides = [3, 6].map(|partitions| (scenario("java", partitions, "4 s"), Vec::new()));
    let mut player = Player::new(sides.into()).expect("the scenarios are valid");
    for _ in 0..12 {
        player.step();
    }
    let (before, events) = (picture(&mut player, 0).0, player.timeline(0).observer().event_count());
    let forward = player.step();
    let back = player.step_back();
    let moments =
        |events: &[(usize, Event)]| events.iter().map(|(side, event)| (*side, event.moment)).collect::<Vec<_>>();
    assert_eq!(moments(&forward), moments(&back));
    assert!(!forward.is_empty());
    assert_eq!(player.timeline(0).observer().event_count(), events);
    assert_eq!(picture(&mut player, 0).0, before);
}

#[test]
fn acting_at_the_end_lets_playing_go_on() {
    let mut player = player(&["java"]);
    play_to_end(&mut player);
    let grow = Command::CreatePartitions { topic: "events".into(), partitions: 6, assignment: None };
    let outcomes = player.act(None, &grow).expect("the command is well formed");
    assert_eq!(outcomes.len(), 1);
    assert!(player.horizon() > player.now());
    assert!(player.play() && player.tick(16_667, 10_000).moved);
    assert!(player.undo(None));
    assert_eq!(player.snapshot(0, 0).topics[0].partitions.len(), 3);
}

#[test]
fn even_time_runs_one_to_one() {
    let mut player = player(&["java"]);
    player.set_mode(PaceMode::Even);
    player.play();
    for _ in 0..60 {
        player.tick(16_667, 10_000);
    }
    assert!(player.now().0.abs_diff(1_000_020) <= 1, "{}", player.now());
    player.set_speed(10_000);
    player.tick(100_000, 10_000);
    assert!(player.now().0.abs_diff(2_000_020) <= 1, "{}", player.now());
}

#[test]
fn marks_are_visited_in_both_directions() {
    let mut player = player(&["java", "librdkafka"]);
    player.seek(Time::from_millis(1_100));
    let grow = Command::CreatePartitions { topic: "events".into(), partitions: 6, assignment: None };
    player.act(Some(1), &grow).expect("the command is well formed");
    player.seek(Time::ZERO);
    assert!(player.next_mark(true));
    assert_eq!(player.now(), Time::from_millis(1_100));
    player.seek(Time::from_millis(3_000));
    assert!(player.next_mark(false));
    assert_eq!(player.now(), Time::from_millis(1_100));
    assert_eq!(player.timeline(0).now(), player.timeline(1).now());
    while player.next_mark(true) {}
    assert!(player.now() <= player.horizon());
}

#[test]
fn four_sides_are_refused_with_a_sentence() {
    let sides = vec![(scenario("java", 3, "1 s"), Vec::new()); 4];
    let error = Player::new(sides).expect_err("four are too many");
    assert_eq!(error.code, "player.too_many_sides");
}

#[test]
fn partitions_of_kafkas_own_topics_do_not_count() {
    let mut scenario = scenario("java", 3, "4 s");
    scenario.producers[0].configs.insert("transactional.id".into(), "fare-writer-7".into());
    scenario.producers[0].workload = None;
    // Kafka's own topics have three replicas.
    scenario.cluster.brokers = engine::scenario::Brokers::Count(3);
    let init = engine::Command::InitTransactions { producer: "orders".into(), timeout_ms: None };
    scenario.script.push(engine::scenario::Scripted { at: engine::Duration(0), command: init, only: Vec::new() });
    let mut player = Player::new(vec![(scenario, Vec::new())]).expect("the scenario is valid");
    play_to_end(&mut player);
    assert!(player.snapshot(0, 0).topics.iter().any(|topic| topic.is_internal));
    assert_eq!(player.partition_count(0), 3);
}
