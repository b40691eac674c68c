//! A large group settles, and nobody ends with what another one has.

use std::collections::BTreeSet;

use super::bench::{Bench, heartbeat, joining};
use crate::event::TopicPartition;
use crate::message::ConsumerGroupHeartbeat;

#[test]
fn two_hundred_members_share_a_thousand_partitions() {
    let mut bench = Bench::new(&[("t", 600), ("u", 400)]);
    let ids: Vec<String> = (0..200).map(|number| format!("member-{number}")).collect();
    let mut epochs = vec![0; ids.len()];
    let mut owned: Vec<Vec<TopicPartition>> = vec![Vec::new(); ids.len()];
    for (place, id) in ids.iter().enumerate() {
        let answer = bench.later(20).send(&joining(id, &["t", "u"])).expect("it joins");
        (epochs[place], owned[place]) = (answer.epoch, answer.assignment.unwrap_or_default());
    }
    for _ in 0..6 {
        bench.later(1_000);
        for (place, id) in ids.iter().enumerate() {
            let asked = ConsumerGroupHeartbeat { owned: Some(owned[place].clone()), ..heartbeat(id, epochs[place]) };
            let answer = bench.send(&asked).expect("it is a member");
            epochs[place] = answer.epoch;
            owned[place] = answer.assignment.unwrap_or(std::mem::take(&mut owned[place]));
        }
    }
    assert_eq!(bench.stands().2, "Stable");
    let all: BTreeSet<&TopicPartition> = owned.iter().flatten().collect();
    assert_eq!((all.len(), owned.iter().map(Vec::len).sum::<usize>()), (1_000, 1_000));
    assert!(owned.iter().all(|own| own.len() == 5));
}
