//! The worked examples of elections, eligible replicas and reassignments, one partition at a time.
//!
//! Sequences through the whole controller are in `controller/tests.rs`.

use super::*;

/// Replicas 1,2,3 in which brokers come and go. A step is a broker with `-` (fenced), `+` (unfenced) or
/// `!` (back without its clean-shutdown marker). Expected: ISR, ELR, leader and the last known leader.
fn check(rules: Rules, steps: &[(&str, &str)]) {
    let mut partition =
        PartitionImage { leader: Some(1), replicas: vec![1, 2, 3], isr: vec![1, 2, 3], ..PartitionImage::default() };
    let mut alive = vec![1, 2, 3];
    for (step, expected) in steps {
        let (act, broker) = step.split_at(1);
        let broker: u32 = broker.parse().unwrap();
        alive.retain(|other| *other != broker);
        if act == "+" {
            alive.push(broker);
        }
        let is_acceptable = |replica: u32| alive.contains(&replica);
        let mut change = Change::new(&partition, rules, &is_acceptable);
        if act != "+" {
            change.isr.retain(|replica| *replica != broker);
        }
        if act == "!" {
            change.unclean_shutdown = Some(broker);
        }
        if let Some(after) = change.build() {
            assert_eq!(after.partition_epoch, partition.partition_epoch + 1, "{step}");
            partition = after;
        }
        assert_eq!(shown(&partition), *expected, "after {step} with {rules:?}");
    }
}

fn shown(partition: &PartitionImage) -> String {
    let list = |ids: &[u32]| ids.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let leader = partition.leader.map_or("none".to_string(), |leader| leader.to_string());
    let recovering = if partition.is_recovering { " recovering" } else { "" };
    format!(
        "isr {} elr {} last {} leader {leader} epoch {}{recovering}",
        list(&partition.isr),
        list(&partition.elr),
        list(&partition.last_known_elr),
        partition.leader_epoch
    )
}

const ONLINE: Rules = Rules { elr: false, min_isr: 1, election: Election::Online };

#[test]
fn without_elr_the_last_replica_in_sync_stays_and_leads_again() {
    check(
        ONLINE,
        &[
            ("-1", "isr 2,3 elr  last  leader 2 epoch 1"),
            ("-3", "isr 2 elr  last  leader 2 epoch 1"),
            ("-2", "isr 2 elr  last  leader none epoch 2"),
            ("+3", "isr 2 elr  last  leader none epoch 2"),
            ("+2", "isr 2 elr  last  leader 2 epoch 3"),
        ],
    );
}

#[test]
fn below_the_minimum_those_who_leave_stay_eligible() {
    check(
        Rules { elr: true, min_isr: 2, ..ONLINE },
        &[
            ("-1", "isr 2,3 elr  last  leader 2 epoch 1"),
            ("-2", "isr 3 elr 2 last  leader 3 epoch 2"),
            ("-3", "isr  elr 2,3 last 3 leader none epoch 3"),
            ("+2", "isr 2 elr 3 last  leader 2 epoch 4"),
        ],
    );
}

#[test]
fn an_unclean_return_takes_a_broker_out_of_the_eligible_ones() {
    check(
        Rules { elr: true, min_isr: 2, ..ONLINE },
        &[
            ("-1", "isr 2,3 elr  last  leader 2 epoch 1"),
            ("-2", "isr 3 elr 2 last  leader 3 epoch 2"),
            ("-3", "isr  elr 2,3 last 3 leader none epoch 3"),
            ("!2", "isr  elr 3 last 3 leader none epoch 3"),
            ("+2", "isr  elr 3 last 3 leader none epoch 3"),
            ("!3", "isr  elr  last 3 leader none epoch 3"),
            // Balanced recovery: nobody is eligible, so the last leader leads, with losses if need be.
            ("+3", "isr 3 elr  last  leader 3 epoch 4 recovering"),
        ],
    );
}

#[test]
fn an_unclean_election_takes_the_first_replica_that_is_alive() {
    for elr in [false, true] {
        check(
            Rules { elr, min_isr: 1, election: Election::Unclean },
            &[
                ("-1", "isr 2,3 elr  last  leader 2 epoch 1"),
                ("-2", "isr 3 elr  last  leader 3 epoch 2"),
                ("+1", "isr 3 elr  last  leader 3 epoch 2"),
                ("-3", "isr 1 elr  last  leader 1 epoch 3 recovering"),
            ],
        );
    }
}

/// Moves replicas 1,2,3 with this in-sync set and leader to `target`.
fn check_move(leader: u32, isr: &[u32], target: &[u32], expected: &str) {
    let partition = PartitionImage {
        leader: Some(leader),
        replicas: vec![1, 2, 3],
        isr: vec![1, 2, 3],
        ..PartitionImage::default()
    };
    let mut change = Change::new(&partition, ONLINE, &|_| true);
    change.isr = isr.to_vec();
    change.adding = target.iter().copied().filter(|id| !partition.replicas.contains(id)).collect();
    change.removing = partition.replicas.iter().copied().filter(|id| !target.contains(id)).collect();
    change.replicas = [target, &change.removing].concat();
    let after = change.build().unwrap_or_else(|| partition.clone());
    let found = format!(
        "{:?} isr {:?} +{:?} -{:?} leader {:?} epoch {}",
        after.replicas, after.isr, after.adding, after.removing, after.leader, after.leader_epoch
    );
    assert_eq!(found, expected, "{isr:?} to {target:?}");
}

#[test]
fn a_move_waits_for_the_new_replicas_and_then_drops_the_old_ones() {
    let target = [2, 3, 4];
    check_move(1, &[1, 2, 3], &target, "[2, 3, 4, 1] isr [1, 2, 3] +[4] -[1] leader Some(1) epoch 0");
    check_move(1, &[1, 2, 3, 4], &target, "[2, 3, 4] isr [2, 3, 4] +[] -[] leader Some(2) epoch 1");
    check_move(2, &[1, 2, 3, 4], &target, "[2, 3, 4] isr [2, 3, 4] +[] -[] leader Some(2) epoch 1");
    // Another order of the same replicas is done at once, and nobody loses a leadership.
    check_move(1, &[1, 2, 3], &[3, 2, 1], "[3, 2, 1] isr [1, 2, 3] +[] -[] leader Some(1) epoch 0");
    // Fewer come than go: all that stay must be in sync.
    check_move(1, &[1, 2], &[2, 3], "[2, 3, 1] isr [1, 2] +[] -[1] leader Some(1) epoch 0");
    check_move(1, &[1, 2, 3], &[2, 3], "[2, 3] isr [2, 3] +[] -[] leader Some(2) epoch 1");
    check_move(1, &[1], &[2, 3], "[2, 3, 1] isr [1] +[] -[1] leader Some(1) epoch 0");
}

#[test]
fn a_move_to_fewer_replicas_than_the_minimum_leaves_nobody_eligible_who_is_no_replica() {
    let partition =
        PartitionImage { leader: Some(1), replicas: vec![1, 2], isr: vec![1, 2], ..PartitionImage::default() };
    let rules = Rules { elr: true, min_isr: 2, ..ONLINE };
    let mut change = Change::new(&partition, rules, &|_| true);
    change.removing = vec![2];
    let moved = change.build().unwrap();
    assert_eq!((&moved.replicas[..], &moved.isr[..], &moved.elr[..]), (&[1][..], &[1][..], &[][..]));
    // Its broker comes back without a clean-shutdown marker: the last known leader leads.
    let gone = PartitionImage { leader: None, isr: Vec::new(), last_known_elr: vec![1], ..moved };
    assert_eq!(Change::new(&gone, rules, &|_| true).build().and_then(|after| after.leader), Some(1));
}

#[test]
fn the_preferred_replica_leads_only_if_it_is_in_sync() {
    let partition =
        PartitionImage { leader: Some(2), replicas: vec![1, 2], isr: vec![2, 1], ..PartitionImage::default() };
    let rules = Rules { election: Election::Preferred, ..ONLINE };
    let elected = Change::new(&partition, rules, &|_| true).build().and_then(|after| after.leader);
    assert_eq!(elected, Some(1));
    let lagging = PartitionImage { isr: vec![2], ..partition };
    assert_eq!(Change::new(&lagging, rules, &|_| true).build(), None);
}
