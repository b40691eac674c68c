//! Members with different subscriptions: keep, give the rest to the least loaded, then move for a better balance.
//!
//! `AbstractStickyAssignor.GeneralAssignmentBuilder`. librdkafka takes it for members with equal subscriptions too.

use alloc::vec;
use alloc::vec::Vec;

use super::balance::{Search, Sizes};
use super::claims::Claims;
use super::movements::Movements;
use super::{Input, NOBODY, turns};
use crate::client::Library;
use crate::{Assignment, AssignorError, TopicPartition};

pub(super) fn assign(input: &Input<'_>, claims: Claims) -> Result<Assignment, AssignorError> {
    let previous = previous(input, &claims);
    let mut builder = Builder::new(input, claims, &previous);
    let mut open = builder.open();
    let is_first = builder.sizes.largest() == 0;
    builder.deal(&open);
    builder.balance(&mut open, &previous, is_first)?;
    Ok(builder.assignment)
}

/// For each partition the member that claims it with the newest generation below the newest of all.
fn previous(input: &Input<'_>, claims: &Claims) -> Vec<u32> {
    let mut owners = vec![NOBODY; input.layout.total as usize];
    for (number, member) in input.group.members.iter().enumerate() {
        let generation = claims.generations[number];
        if generation >= claims.newest {
            continue;
        }
        for partition in member.owned.iter().filter_map(|own| input.layout.number(*own)) {
            let owner = &mut owners[partition as usize];
            if *owner == NOBODY || generation > claims.generations[*owner as usize] {
                *owner = number as u32;
            }
        }
    }
    owners
}

/// Takes from each member what it does not subscribe to and what is not in its rack. Whether there was any, and
/// whether a partition stays that does not exist.
fn drop_lost(input: &Input<'_>, assignment: &mut Assignment) -> (bool, bool) {
    let mut subscribed = vec![NOBODY; input.group.topics.len()];
    let (mut revokes, mut is_odd) = (false, false);
    for (number, list) in assignment.iter_mut().enumerate().filter(|(_, list)| !list.is_empty()) {
        let number = number as u32;
        let topics = input.group.members[number as usize].topics;
        topics.iter().for_each(|topic| subscribed[*topic as usize] = number);
        list.retain(|own| {
            let fits = input.racks.as_ref().is_none_or(|racks| racks.matches(&input.layout, number, *own));
            let keeps = subscribed[own.topic as usize] == number && fits;
            revokes |= !keeps;
            is_odd |= keeps && input.layout.number(*own).is_none();
            keeps
        });
    }
    (revokes, is_odd)
}

struct Builder<'a> {
    input: &'a Input<'a>,
    assignment: Assignment,
    /// For each numbered partition who has it.
    owners: Vec<u32>,
    /// All partitions in the order in which they are looked at; as a rule topics with few subscribers first.
    all: Vec<TopicPartition>,
    /// For each topic how many members subscribe to it.
    subscribers: Vec<u32>,
    sizes: Sizes<'a>,
    /// Does a member lose a partition that it does not subscribe to, or that is in another rack?
    revokes: bool,
    /// Does a member keep a partition that does not exist?
    is_odd: bool,
    movements: Movements,
    search: Search,
}

impl<'a> Builder<'a> {
    fn new(input: &'a Input<'a>, claims: Claims, previous: &[u32]) -> Self {
        let takes_turns = input.library == Library::Librdkafka && claims.equal_subscriptions;
        let mut assignment = claims.owned;
        let layout = &input.layout;
        let mut subscribers = vec![0_u32; input.group.topics.len()];
        let topics = input.group.members.iter().flat_map(|member| member.topics);
        topics.for_each(|topic| subscribers[*topic as usize] += 1);
        let mut order = layout.by_name.clone();
        order.sort_by_key(|topic| subscribers[*topic as usize]);
        let partitions =
            |topic: u32| (0..layout.partitions[topic as usize]).map(move |p| TopicPartition::new(topic, p));
        let mut owners = vec![NOBODY; layout.total as usize];
        for (number, owned) in assignment.iter().enumerate() {
            for own in owned.iter().filter_map(|own| layout.number(*own)) {
                owners[own as usize] = number as u32;
            }
        }
        let all: Vec<TopicPartition> = if takes_turns && assignment.iter().any(|list| !list.is_empty()) {
            turns::order(input, &assignment, previous)
        } else {
            order.into_iter().flat_map(partitions).collect()
        };
        let (revokes, is_odd) = drop_lost(input, &mut assignment);
        let sizes = Sizes::new(input, assignment.iter().map(|list| list.len() as u32).collect());
        Self {
            input,
            assignment,
            owners,
            all,
            subscribers,
            sizes,
            revokes,
            is_odd,
            movements: Movements::default(),
            search: Search::default(),
        }
    }

    /// What nobody has, in the order of `all`.
    fn open(&self) -> Vec<TopicPartition> {
        let input = self.input;
        let kept = self.assignment.iter().flatten();
        if !self.is_odd {
            let mut taken = vec![false; input.layout.total as usize];
            kept.filter_map(|own| input.layout.number(*own)).for_each(|number| taken[number as usize] = true);
            let is_open = |own: &TopicPartition| input.layout.number(*own).is_some_and(|at| !taken[at as usize]);
            return self.all.iter().copied().filter(is_open).collect();
        }
        // One that does not exist stops Java's walk along the sorted owned partitions.
        let key = |own: &TopicPartition| {
            (self.subscribers[own.topic as usize], input.layout.name_rank[own.topic as usize], own.partition)
        };
        let mut kept: Vec<TopicPartition> = kept.copied().collect();
        kept.sort_by_key(key);
        let mut kept = kept.into_iter().peekable();
        self.all.iter().copied().filter(|own| kept.next_if_eq(own).is_none()).collect()
    }

    /// Gives open partitions to the least loaded subscribers, in their racks first.
    fn deal(&mut self, open: &[TopicPartition]) {
        let input = self.input;
        let mut rest = Vec::new();
        for &own in open {
            let in_rack = input.racks.as_ref().zip(input.layout.number(own));
            let member = match in_rack {
                Some((racks, number)) => self.sizes.least_in_rack(own.topic, racks.of(number)),
                None => None,
            };
            match member {
                Some(member) => self.give(own, member),
                None => rest.push(own),
            }
        }
        for own in rest {
            if let Some((_, member)) = self.sizes.least(own.topic) {
                self.give(own, member);
            }
        }
    }

    fn give(&mut self, own: TopicPartition, member: u32) {
        self.assignment[member as usize].push(own);
        if let Some(number) = self.input.layout.number(own) {
            self.owners[number as usize] = member;
        }
        self.sizes.add(member, true);
    }

    fn balance(
        &mut self,
        open: &mut Vec<TopicPartition>,
        previous: &[u32],
        is_first: bool,
    ) -> Result<(), AssignorError> {
        let may_move = |own: &TopicPartition| self.subscribers[own.topic as usize] >= 2;
        let movable: Vec<TopicPartition> = self.all.iter().copied().filter(may_move).collect();
        open.retain(may_move);
        for member in 0..self.assignment.len() as u32 {
            if !self.can_change(member) {
                self.sizes.leave(member);
            }
        }
        let before = (!is_first).then(|| (self.assignment.clone(), self.sizes.of.clone()));
        if !self.revokes {
            self.reassign(open, previous)?;
        }
        let has_moved = self.reassign(&movable, previous)?;
        let takes_part = |member: &usize| self.sizes.takes_part(*member as u32);
        let score = |sizes: &[u32]| Sizes::score((0..sizes.len()).filter(takes_part).map(|member| sizes[member]));
        if let Some((assignment, sizes)) = before
            && has_moved
            && score(&self.sizes.of) >= score(&sizes)
        {
            self.assignment = assignment;
        }
        Ok(())
    }

    /// Can the member get more than it has, or lose something to somebody?
    fn can_change(&self, member: u32) -> bool {
        let topics = self.input.group.members[member as usize].topics;
        let most: u32 = topics.iter().map(|topic| self.input.layout.partitions[*topic as usize]).sum();
        let list = &self.assignment[member as usize];
        (list.len() as u32) < most || list.iter().any(|own| self.subscribers[own.topic as usize] >= 2)
    }

    /// Moves partitions as long as the balance gets better; whether one has moved.
    fn reassign(&mut self, movable: &[TopicPartition], previous: &[u32]) -> Result<bool, AssignorError> {
        let mut has_moved = false;
        loop {
            let mut moves = false;
            for &own in movable {
                if self.search.is_balanced(&self.sizes, &self.owners) {
                    break;
                }
                if let Some(member) = self.better_owner(own, previous)? {
                    self.move_to(own, member);
                    moves = true;
                }
            }
            has_moved |= moves;
            if !moves {
                return Ok(has_moved);
            }
        }
    }

    /// Who should have the partition instead of its owner, if somebody.
    fn better_owner(&self, own: TopicPartition, previous: &[u32]) -> Result<Option<u32>, AssignorError> {
        let Some(number) = self.input.layout.number(own).map(|number| number as usize) else {
            return Ok(None);
        };
        let size = self.sizes.of[self.owners[number] as usize];
        let before = previous[number];
        if before != NOBODY {
            if !self.sizes.takes_part(before) {
                return Err(AssignorError::PreviousOwnerIsFixed);
            }
            if size > self.sizes.of[before as usize] + 1 {
                return Ok(Some(before));
            }
        }
        Ok(self.sizes.least(own.topic).filter(|(least, _)| size > least + 1).map(|(_, member)| member))
    }

    /// Moves the partition, or another one of the topic that came from that member.
    fn move_to(&mut self, own: TopicPartition, member: u32) {
        let layout = &self.input.layout;
        let owner = |own: TopicPartition| layout.number(own).map_or(NOBODY, |number| self.owners[number as usize]);
        let own = self.movements.instead_of(own, owner(own), member);
        let from = owner(own);
        self.movements.note(layout, own, from, member);
        let list = &mut self.assignment[from as usize];
        if let Some(found) = list.iter().position(|other| *other == own) {
            list.remove(found);
        }
        self.sizes.add(from, false);
        self.give(own, member);
    }
}
