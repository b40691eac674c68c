//! What holds for every group: drawn at random, rebalanced a few times with members that come and go.

use std::collections::BTreeSet;

use crate::support::{Dice, Group, Member};
use assignor::client::Assignor;
use assignor::{Assignment, TopicPartition, server, share};

const GROUPS: u64 = 400;

/// Calls `visit` with many groups, each with and without racks.
fn each_group(is_equal: bool, mut visit: impl FnMut(&mut Dice, Group)) {
    for seed in 0..GROUPS {
        let mut dice = Dice::new(seed);
        let mut group = Group::random(&mut dice, is_equal);
        if seed % 3 == 0 {
            group = group.with_racks(&mut dice);
        }
        group.hash_order();
        visit(&mut dice, group);
    }
}

fn sizes(assignment: &Assignment) -> Vec<usize> {
    assignment.iter().map(Vec::len).collect()
}

fn is_even(assignment: &Assignment) -> bool {
    let sizes = sizes(assignment);
    sizes.iter().max().unwrap_or(&0) - sizes.iter().min().unwrap_or(&0) <= 1
}

#[test]
fn every_partition_is_assigned_once_and_to_a_subscriber() {
    for is_equal in [true, false] {
        each_group(is_equal, |_, group| {
            for assignor in Assignor::ALL {
                group.assert_each_once(&group.client(assignor).unwrap(), assignor.name());
            }
        });
    }
}

#[test]
fn the_same_input_gives_the_same_answer() {
    each_group(false, |_, group| {
        for assignor in Assignor::ALL {
            assert_eq!(group.client(assignor), group.client(assignor));
        }
    });
}

#[test]
fn range_and_round_robin_do_not_depend_on_the_order_of_the_input() {
    each_group(false, |dice, group| {
        let mut other = group.clone();
        dice.shuffle(&mut other.members);
        for assignor in [Assignor::Range, Assignor::RoundRobin] {
            let sorted = |group: &Group| {
                let lists = group.members.iter().zip(group.client(assignor).unwrap());
                lists
                    .map(|(member, list)| (member.id.clone(), list.into_iter().collect()))
                    .collect::<BTreeSet<(String, BTreeSet<TopicPartition>)>>()
            };
            assert_eq!(sorted(&group), sorted(&other), "{} {group:?}", assignor.name());
        }
    });
}

#[test]
fn range_gives_each_topic_evenly_and_in_runs() {
    each_group(false, |_, group| {
        let assignment = group.client(Assignor::Range).unwrap();
        for (topic, described) in group.topics.iter().enumerate() {
            let subscribers = group.subscribers(topic as u32);
            let parts: Vec<Vec<u32>> = subscribers
                .iter()
                .map(|member| {
                    assignment[*member]
                        .iter()
                        .filter(|own| own.topic == topic as u32)
                        .map(|own| own.partition)
                        .collect()
                })
                .collect();
            let counts = parts.iter().map(Vec::len);
            assert!(counts.clone().max().unwrap_or(0) - counts.min().unwrap_or(0) <= 1, "{parts:?}");
            if described.racks.is_empty() {
                assert!(parts.iter().all(|run| run.windows(2).all(|pair| pair[0] + 1 == pair[1])), "{parts:?}");
            }
        }
    });
}

#[test]
fn equal_subscriptions_are_balanced_by_all_but_range() {
    each_group(true, |_, group| {
        for assignor in [Assignor::RoundRobin, Assignor::Sticky, Assignor::CooperativeSticky] {
            let assignment = group.client(assignor).unwrap();
            assert!(is_even(&assignment), "{}: {:?} of {group:?}", assignor.name(), sizes(&assignment));
        }
    });
}

/// A member leaves or joins.
fn change(dice: &mut Dice, group: &mut Group, step: u32) {
    if group.members.len() > 1 && dice.one_in(2) {
        group.members.remove(dice.below(group.members.len() as u32) as usize);
    } else {
        let topics = group.members[0].topics.clone();
        group.members.push(Member { id: format!("joined-{step}"), topics, generation: -1, ..Member::default() });
    }
    group.hash_order();
}

#[test]
fn sticky_stays_even_and_moves_no_more_than_it_must() {
    for assignor in [Assignor::Sticky, Assignor::CooperativeSticky] {
        for seed in 0..GROUPS {
            let mut dice = Dice::new(seed);
            let mut group = Group::random(&mut dice, true);
            group.hash_order();
            let mut generation = 1;
            for step in 0..5 {
                let first = group.client(assignor).unwrap();
                group.own(&first, generation);
                // A cooperative group needs a second round when something moves.
                let settled = group.client(assignor).unwrap();
                assert!(is_even(&settled), "{:?} of {group:?}", sizes(&settled));
                group.assert_each_once(&settled, assignor.name());
                let kept = |(before, after): (&Vec<TopicPartition>, &Vec<TopicPartition>)| {
                    before.iter().all(|own| after.contains(own))
                };
                assert!(first.iter().zip(&settled).all(kept), "nothing moves when nobody came or left: {group:?}");
                group.own(&settled, generation + 1);
                generation += 2;
                let before: Vec<(String, Vec<TopicPartition>)> =
                    group.members.iter().map(|member| (member.id.clone(), member.owned.clone())).collect();
                change(&mut dice, &mut group, step);
                let after = group.client(assignor).unwrap();
                let all: usize = before.iter().map(|(_, list)| list.len()).sum();
                let most = all.div_ceil(group.members.len());
                for (member, list) in group.members.iter().zip(&after) {
                    let had = before.iter().find(|(id, _)| *id == member.id).map_or(&[][..], |(_, list)| list);
                    let kept = had.iter().filter(|own| list.contains(own)).count();
                    assert!(kept + 1 >= had.len().min(most), "{} kept {kept} of {} in {group:?}", member.id, had.len());
                }
            }
        }
    }
}

#[test]
fn a_cooperative_member_gets_nothing_that_another_still_owns() {
    each_group(false, |dice, mut group| {
        let assignment = group.client(Assignor::CooperativeSticky).unwrap();
        group.own(&assignment, 1);
        change(dice, &mut group, 0);
        let after = group.client(Assignor::CooperativeSticky).unwrap();
        for (place, list) in after.iter().enumerate() {
            for own in list {
                let others = group.members.iter().enumerate().filter(|(other, _)| *other != place);
                let holder = others.clone().find(|(_, member)| member.owned.contains(own));
                assert!(holder.is_none(), "{own:?} is still owned by {holder:?} and given to {place}");
            }
        }
    });
}

#[test]
fn the_coordinator_assigns_each_partition_once() {
    for is_equal in [true, false] {
        each_group(is_equal, |dice, mut group| {
            group.topics.iter_mut().for_each(|topic| topic.partitions = topic.partitions.max(1));
            for assignor in server::Assignor::ALL {
                for step in 0..4 {
                    let assignment = group.server(|group| assignor.assign(group)).unwrap();
                    group.assert_each_once(&assignment, assignor.name());
                    if is_equal && assignor == server::Assignor::Uniform {
                        assert!(is_even(&assignment), "{:?} of {group:?}", sizes(&assignment));
                    }
                    group.own(&assignment, 1);
                    if assignor == server::Assignor::Uniform {
                        let again = group.server(|group| assignor.assign(group)).unwrap();
                        assert_eq!(sorted(&again), sorted(&assignment), "uniform keeps what is even: {group:?}");
                    }
                    change(dice, &mut group, step);
                }
            }
        });
    }
}

fn sorted(assignment: &Assignment) -> Vec<BTreeSet<TopicPartition>> {
    assignment.iter().map(|list| list.iter().copied().collect()).collect()
}

#[test]
fn a_share_group_reaches_every_partition() {
    for is_equal in [true, false] {
        each_group(is_equal, |_, mut group| {
            group.topics.iter_mut().for_each(|topic| topic.partitions = topic.partitions.max(1));
            let assignment = group.server(share::assign).unwrap();
            for (topic, described) in group.topics.iter().enumerate() {
                let topic = topic as u32;
                let subscribers = group.subscribers(topic);
                for partition in (0..described.partitions).filter(|_| !subscribers.is_empty()) {
                    let own = TopicPartition::new(topic, partition);
                    let holders = assignment.iter().filter(|list| list.contains(&own)).count();
                    assert!(holders >= 1, "{own:?} has nobody in {group:?}");
                }
            }
            for (member, list) in group.members.iter().zip(&assignment) {
                assert!(list.iter().all(|own| member.topics.contains(&own.topic)), "{member:?} has {list:?}");
                assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "ascending, each once: {list:?}");
            }
        });
    }
}
