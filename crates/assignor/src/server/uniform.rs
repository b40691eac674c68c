//! Uniform for members with equal subscriptions: each keeps up to its share, the rest fills up who has room.
//!
//! `UniformHomogeneousAssignmentBuilder`; since 4.0.1 a member gives its extra partition back while others can take it.

use alloc::vec;
use alloc::vec::Vec;

use super::Spec;
use super::spec::Numbers;
use super::topic_order::TopicOrder;
use crate::java::capacity_of_copy;
use crate::{Assignment, AssignorError, TopicPartition};

/// What a member does with its extra partition if it had fewer before.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extra {
    /// It stays, so the first members get one more.
    Kept,
    /// It goes back while there are enough members behind to take it.
    GivenBack,
}

pub(super) fn assign(spec: &Spec<'_>, extra: Extra) -> Result<Assignment, AssignorError> {
    let group = spec.group;
    let subscribed = spec.subscribed(0);
    let subscribed = spec.ids(subscribed, capacity_of_copy(group.members[0].topics.len()));
    if subscribed.is_empty() {
        return Ok(vec![Vec::new(); group.members.len()]);
    }
    let numbers = Numbers::new(group);
    let mut taken = vec![false; numbers.all()];
    let previous = group.members.iter().flat_map(|member| member.previous);
    previous.filter_map(|own| numbers.of(*own)).for_each(|number| taken[number] = true);
    let mut open = Vec::new();
    let mut is_subscribed = vec![false; group.topics.len()];
    let mut total = 0;
    for &topic in &subscribed {
        is_subscribed[topic as usize] = true;
        let partitions = spec.partitions(topic)?;
        let all = (0..partitions).map(|partition| TopicPartition::new(topic, partition));
        open.extend(all.filter(|own| numbers.of(*own).is_some_and(|number| !taken[number])));
        total += partitions;
    }
    let mut shares = Shares {
        quota: total / spec.members(),
        extra: total % spec.members(),
        is_given_back: extra == Extra::GivenBack,
    };
    let mut assignment = Vec::with_capacity(group.members.len());
    let mut unfilled = Vec::new();
    for member in 0..spec.members() {
        let (kept, room) = shares.keep(spec, member, &is_subscribed, &mut open);
        if room > 0 {
            unfilled.push((member, room));
        }
        assignment.push(kept);
    }
    let mut open = open.into_iter();
    for (member, room) in unfilled {
        let list: &mut Vec<TopicPartition> = &mut assignment[member as usize];
        let mut order = TopicOrder::default();
        list.iter().for_each(|own| order.put(own.topic));
        for own in open.by_ref().take(room as usize) {
            order.compute(own.topic);
            list.push(own);
        }
        order.sort(list);
    }
    if open.next().is_some() { Err(AssignorError::PartitionsLeft) } else { Ok(assignment) }
}

/// How many partitions each member gets.
struct Shares {
    quota: u32,
    /// How many members still get one more.
    extra: u32,
    is_given_back: bool,
}

impl Shares {
    /// What a member keeps, and how much room it has; what is above its share goes to `open`.
    fn keep(
        &mut self,
        spec: &Spec<'_>,
        member: u32,
        is_subscribed: &[bool],
        open: &mut Vec<TopicPartition>,
    ) -> (Vec<TopicPartition>, u32) {
        let mut has_extra = self.extra > 0;
        let mut room = self.quota + u32::from(has_extra);
        let mut kept = Vec::new();
        for (topic, partitions) in spec.previous(member) {
            if !is_subscribed[topic as usize] {
                continue;
            }
            let stays = (partitions.len() as u32).min(room);
            let (stay, go) = partitions.split_at(stays as usize);
            kept.extend(stay.iter().map(|partition| TopicPartition::new(topic, *partition)));
            open.extend(go.iter().map(|partition| TopicPartition::new(topic, *partition)));
            room -= stays;
        }
        if self.is_given_back && room > 0 && has_extra && spec.members() - member > self.extra {
            // Others can still take the extra partition.
            room -= 1;
            has_extra = false;
        }
        self.extra -= u32::from(has_extra);
        (kept, room)
    }
}
