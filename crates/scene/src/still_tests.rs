//! Pictures of replicated clusters as text: what is told of brokers, replicas, offsets and links.

use super::*;
use crate::sample::{self, groups, replicas, transactions};
use crate::{LayoutOptions, layout};

/// The labels and words of a picture, one a line.
fn words(snapshot: &Snapshot, width: f32) -> Vec<String> {
    fn collect(items: &[Item], words: &mut Vec<String>) {
        for item in items {
            words.extend(item.label.as_deref().map(str::to_string));
            if let Shape::Text { text, .. } = &item.shape {
                words.push(text.to_string());
            }
            collect(&item.children, words);
        }
    }
    let stage = layout(snapshot, &LayoutOptions { chip_width: 80.0, ..LayoutOptions::new(width) });
    let mut all = Vec::new();
    collect(&still(&stage, snapshot, &StillOptions::new(&Palette::default())).items, &mut all);
    all
}

/// Every one of the sentences is in the picture, at every width.
fn check(snapshot: &Snapshot, expected: &[&str]) {
    for width in [1_180.0, 640.0, 343.0] {
        let words = words(snapshot, width);
        for sentence in expected {
            assert!(words.iter().any(|word| word == sentence), "{sentence:?} at {width} in {words:#?}");
        }
    }
}

#[test]
fn a_crashed_broker_keeps_its_lanes_and_says_why_it_is_grey() {
    check(
        &replicas::crashed(),
        &[
            "Broker 2, stopped, fenced, leads no partition",
            "stopped",
            "fenced",
            "out of sync",
            "ISR 3,1",
            "epoch 1",
            "page-views-0, follower, log end offset 4, high watermark 3, out of sync",
            "active controller",
        ],
    );
}

#[test]
fn every_replica_has_its_own_high_watermark_and_end() {
    check(
        &replicas::high_watermark(),
        &[
            "fetches held",
            "page-views-0, follower, log end offset 3, high watermark 2, in sync",
            "page-views-0, follower, log end offset 4, high watermark 3, in sync",
            "high watermark 3",
            "LEO 3",
            "LEO 4",
            "LEO 5",
        ],
    );
}

#[test]
fn a_partition_without_a_leader_names_who_may_lead() {
    check(&replicas::leaderless(), &["no leader", "ELR", "last leader", "Broker 3, controller, leads no partition"]);
}

#[test]
fn a_move_shows_its_bytes_and_the_throttle() {
    check(&replicas::moving(), &["adding", "copied 210 GB of 500 GB · 42 % · throttle 50 MB/s", "rack eu-1a"]);
}

#[test]
fn gaps_and_segments_stay_visible() {
    check(
        &replicas::compacted(),
        &["closed segments, below offset 7", "active segment, from offset 7", "no record at offset 8", "LSO"],
    );
    let wide = words(&replicas::compacted(), 1_180.0);
    for sentence in ["log start offset 1", "no records at offsets 1 to 2", "no records at offsets 4 to 5"] {
        assert!(wide.iter().any(|word| word == sentence), "{sentence} in {wide:#?}");
    }
}

#[test]
fn links_say_how_they_are() {
    check(
        &replicas::faults(),
        &[
            "the link between broker 3 and the controller is cut",
            "the link between broker 1 and broker 2 is slower by 200 ms",
            "ISR 2 < min 2",
            "paused",
            "shutting down",
        ],
    );
}

#[test]
fn a_cluster_without_followers_has_no_tags_and_no_crown() {
    let snapshot = crate::sample::placed("events", 3, &[("user-1", 0)]);
    let stage = layout(&snapshot, &LayoutOptions::new(960.0));
    let picture = still(&stage, &snapshot, &StillOptions::new(&Palette::default())).to_string();
    assert!(!picture.contains("tag") && !picture.contains("crown") && !picture.contains("LEO"), "{picture}");
}

#[test]
fn a_commit_between_its_markers_says_which_partition_has_none() {
    check(
        &transactions::committing(),
        &[
            "offset 3, trip-9001, committed",
            "offset 4, COMMIT marker of producer id 4001, epoch 1",
            "offset 1, driver-512, transaction open",
            "last stable offset 1",
            "PrepareCommit at offset 3, now",
            "CompleteCommit, once every marker is written",
            "transactional id fare-writer-7, PrepareCommit, producer id 4001, epoch 1, coordinated by broker 1, \
             logged in __transaction_state-36, partitions: driver-payouts-1",
            "transaction coordinator",
            "read_committed",
            "read_uncommitted",
            "waits for the coordinator",
        ],
    );
}

#[test]
fn instances_of_one_id_show_who_is_fenced_frozen_and_crashed() {
    check(&transactions::fenced(), &["stands still", "crashed", "ProducerFenced", "id 4001, epoch 2"]);
}

#[test]
fn a_full_pool_says_who_holds_it_and_who_waits() {
    check(
        &transactions::full_pool(),
        &[
            "2,048 of 2,048 buffers, full",
            "events-11, 2,037 batches",
            "send() waits for room in the buffer, 1 more behind it",
        ],
    );
}

#[test]
fn flags_that_are_out_of_view_stand_side_by_side() {
    let mut snapshot = crate::sample::placed("events", 1, &[("user-1", 0); 30]);
    let partition = &mut snapshot.topics[0].partitions[0];
    (partition.last_stable_offset, partition.high_watermark) = (1, 3);
    let stage = layout(&snapshot, &LayoutOptions::new(960.0));
    let picture = still(&stage, &snapshot, &StillOptions::new(&Palette::default()));
    fn pinned(items: &[Item]) -> Vec<(f32, f32)> {
        let own = |item: &Item| match (&item.label, &item.shape) {
            (Some(label), Shape::Rect { x, width, .. }) if label.ends_with("before the records in view") => {
                Some((*x, x + width))
            }
            _ => None,
        };
        items.iter().flat_map(|item| own(item).into_iter().chain(pinned(&item.children))).collect()
    }
    let flags = pinned(&picture.items);
    assert!(matches!(flags[..], [(_, end), (start, _)] if end < start), "{flags:?}");
}

#[test]
fn topics_of_kafka_itself_have_no_lanes() {
    let mut snapshot = transactions::committing();
    let internal =
        engine::snapshot::TopicSnapshot { is_internal: true, ..crate::sample::topic("__transaction_state", 50, 3) };
    snapshot.topics.push(internal);
    let stage = layout(&snapshot, &LayoutOptions::new(960.0));
    assert!(stage.lanes.iter().all(|lane| &*lane.topic != "__transaction_state"));
    assert_eq!(stage.coordinators.len(), 1);
}

#[test]
fn a_coordinators_log_shows_the_state_that_counts_however_narrow_it_is() {
    for width in [1_440.0, 990.0, 704.0, 343.0, 280.0] {
        let words = words(&transactions::committing(), width);
        let is_told = words.iter().any(|word| word.starts_with("PrepareCommit at offset") && word.ends_with(", now"));
        assert!(is_told, "at {width} in {words:#?}");
    }
}

#[test]
fn many_batches_share_a_pill_by_partition() {
    let batch = |partition| engine::snapshot::BatchSnapshot {
        topic: "clicks".into(),
        partition,
        record_count: 15,
        size_bytes: 16_000,
        is_in_flight: partition == 0,
    };
    let mut snapshot = sample::cluster(1);
    let batches = (0..16).map(|index| batch(2 - index % 3)).collect();
    snapshot.producers = vec![engine::snapshot::ProducerSnapshot {
        batches,
        ..sample::producer("clicks-service", "java", "clicks", None)
    }];
    check(
        &snapshot,
        &[
            "5 batches of clicks-0, 75 records, 80000 bytes, in flight",
            "5 batches of clicks-1, 75 records, 80000 bytes, waiting",
            "6 batches of clicks-2, 90 records, 96000 bytes, waiting",
        ],
    );
}

#[test]
fn a_barrier_shows_who_has_joined_and_who_is_missing() {
    check(
        &groups::eager(),
        &[
            "PreparingRebalance",
            "members wait for each other",
            "consumer-A has joined",
            "consumer-B has not joined yet",
            "consumer-C has joined",
            "nobody of payments owns it",
            "owns events-4 and may not read it",
            "owns nothing",
        ],
    );
    let mut completing = groups::eager();
    completing.groups[0].state = engine::group::GroupState::CompletingRebalance;
    check(&completing, &["everybody has joined, the assignment is to come", "consumer-B has joined"]);
    let consumer = words(&groups::consumer(), 1_180.0);
    assert!(!consumer.iter().any(|word| word.contains("joined")), "{consumer:#?}");
}

#[test]
fn lanes_tell_owners_pauses_positions_and_lag() {
    let snapshot = groups::cooperative();
    check(
        &snapshot,
        &[
            "owned by consumer-A of payments",
            "paused for payments",
            "payments reads from offset 3",
            "lag 1 of payments",
            "nobody of payments owns it",
            "group coordinator",
        ],
    );
    let stage = layout(&snapshot, &LayoutOptions::new(1_180.0));
    let tree = stage.tree(&snapshot);
    let lanes: Vec<&str> = tree[0].children.iter().map(|lane| &*lane.label).collect();
    assert!(lanes[0].ends_with(", read by consumer-A of payments, position 3, committed 2, lag 1"), "{}", lanes[0]);
    assert!(lanes[2].contains(", owned by consumer-A of payments and read by nobody, position 5"), "{}", lanes[2]);
    assert!(lanes[5].ends_with(", read by nobody of payments, committed 2, lag 4"), "{}", lanes[5]);
    let group = tree.iter().find(|node| &*node.id == "group:payments").expect("the group is in the tree");
    assert_eq!(
        &*group.label,
        "group payments, classic protocol, Stable, generation 4, assignor cooperative-sticky, coordinated by broker 1, \
         kept in __consumer_offsets-43, 3 members, 2 of 6 partitions paused"
    );
    assert_eq!(
        &*group.children[0].label,
        "consumer consumer-A, member of payments, stable, generation 3, owns p0, p1, p2, may not read p2, in \
         onPartitionsRevoked with p2, has read 12 records, lag 3"
    );
}

#[test]
fn members_tell_how_their_processes_are() {
    check(&groups::failing(), &["crashed", "stands still", "owns events-4"]);
    let wide = words(&groups::failing(), 1_180.0);
    assert!(wide.iter().any(|word| word == "5 twice"), "{wide:#?}");
    let mut idle = groups::failing();
    groups::of(&mut idle.consumers[2]).busy_until = None;
    check(&idle, &["consumer-C"]);
    let wide = words(&idle, 1_180.0);
    assert!(wide.iter().any(|word| word == "static worker-3 · lag 2"), "{wide:#?}");
    let narrow = words(&groups::failing(), 390.0);
    assert!(narrow.iter().any(|word| word == "p5") && !narrow.iter().any(|word| word == "events-5"), "{narrow:#?}");
}

#[test]
fn colors_of_members_are_not_those_of_keys() {
    use crate::theme::{Rgba, Theme};
    let distance = |a: Rgba, b: Rgba| {
        let part = |one: u8, other: u8| (f64::from(one) - f64::from(other)).powi(2);
        (part(a.0, b.0) + part(a.1, b.1) + part(a.2, b.2)).sqrt()
    };
    for theme in [Theme::light(), Theme::dark()] {
        let of = |role: Role, key: u8| theme.look(Class::new(role).key(Some(key))).fill.expect("it is filled");
        for member in 0..crate::class::MEMBERS {
            let own = of(Role::Owner, member);
            for key in 0..crate::palette::COLORS {
                assert!(distance(own, of(Role::Dot, key)) > 30.0, "member {member} and key {key}");
            }
            for other in 0..member {
                assert!(distance(own, of(Role::Owner, other)) > 30.0, "members {member} and {other}");
            }
        }
    }
}

#[test]
fn records_of_a_share_group_tell_who_holds_them_and_how_often_they_were_delivered() {
    use crate::sample::shares;
    let snapshot = crate::with_share_members(shares::two_members());
    // On narrow stages the last records alone have room.
    let wide = words(&snapshot, 1_180.0);
    for sentence in [
        "workers starts at offset 1, all before it is done",
        "acknowledged by workers",
        "archived: nobody of workers gets it any more, 5 deliveries",
        "held by worker-1 of workers until 30.000 s, 2 deliveries",
        "held by worker-2 of workers until 30.000 s, 1 delivery",
        "available to workers again, 1 delivery",
        "worker-1 of workers reads it",
        "worker-2 of workers reads it",
        "reads jobs-0",
    ] {
        assert!(wide.iter().any(|word| word == sentence), "{sentence:?} in {wide:#?}");
    }
    let stage = layout(&snapshot, &LayoutOptions::new(1_180.0));
    let tree = stage.tree(&snapshot);
    let lane = &*tree[0].children[0].label;
    let shared = ", shared by worker-1 and worker-2 of workers, start offset 1, 2 records held";
    assert!(lane.ends_with(shared), "{lane}");
    let group = tree.iter().find(|node| &*node.id == "group:workers").expect("the group is in the tree");
    assert_eq!(
        &*group.children[0].label,
        "share consumer worker-1, member of workers, stable, epoch 2, reads p0, holds 0 records, has read 4 records, \
         accepted 1, released 0, rejected 0"
    );
}

#[test]
fn colors_of_records_in_flight_are_those_of_their_members() {
    use crate::sample::shares;
    let snapshot = crate::with_share_members(shares::two_members());
    let stage = layout(&snapshot, &LayoutOptions::new(1_180.0));
    let list = still(&stage, &snapshot, &StillOptions::new(&Palette::default()));
    let mut held = Vec::new();
    let mut visit = vec![&list.items];
    while let Some(items) = visit.pop() {
        for item in items {
            if item.label.as_deref().is_some_and(|label| label.starts_with("held by")) {
                held.push(item.class.key);
            }
            visit.push(&item.children);
        }
    }
    held.sort();
    assert_eq!(held, [Some(0), Some(1)]);
}
