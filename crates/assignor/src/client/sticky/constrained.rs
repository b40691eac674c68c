//! Members with equal subscriptions: each keeps up to its share, and the rest goes around in turn.
//!
//! `AbstractStickyAssignor.ConstrainedAssignmentBuilder`.

use alloc::borrow::ToOwned;
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use super::super::layout::PerPartition;
use super::super::racks::Racks;
use super::claims::Claims;
use super::queues::{Circle, Line};
use super::{Input, NOBODY};
use crate::{Assignment, AssignorError, TopicPartition};

/// The assignment, and each partition that changes hands with the member that gets it.
type Outcome = (Assignment, Vec<(TopicPartition, u32)>);

pub(super) fn assign(input: &Input<'_>, claims: Claims) -> Result<Outcome, AssignorError> {
    let count = input.group.members.len() as u32;
    if count == 0 {
        return Err(AssignorError::NoMembersToDivideBy);
    }
    let mut builder = Builder {
        least: input.layout.total / count,
        most: input.layout.total.div_ceil(count),
        over_wanted: input.layout.total % count,
        over: 0,
        below: Vec::new(),
        exact: Vec::new(),
        assignment: vec![Vec::new(); count as usize],
        revoked: PerPartition::new(NOBODY),
        moving: Vec::new(),
        input,
        claims: &claims,
    };
    builder.keep();
    let mut open = builder.open();
    let by_rank = |member: &u32| input.ranks[*member as usize];
    builder.below.sort_unstable_by_key(by_rank);
    builder.exact.sort_unstable_by_key(by_rank);
    let (below, exact) = match &input.racks {
        Some(racks) => {
            builder.rarest_first(racks, &mut open);
            builder.deal_in_racks(racks, &mut open)
        }
        None => (builder.below.iter().copied().collect(), builder.exact.iter().copied().collect()),
    };
    let below = builder.deal(&open, below, exact)?;
    builder.verify(below)?;
    Ok((builder.assignment, builder.moving))
}

struct Builder<'a> {
    input: &'a Input<'a>,
    claims: &'a Claims,
    /// The smallest share, and the largest.
    least: u32,
    most: u32,
    /// How many members have more than the smallest share, and how many shall.
    over: u32,
    over_wanted: u32,
    /// Members below the smallest share.
    below: Vec<u32>,
    /// Members that have exactly it and may get one more.
    exact: Vec<u32>,
    assignment: Assignment,
    /// Who owned what is above its owner's share, or not in its owner's rack.
    revoked: PerPartition<u32>,
    moving: Vec<(TopicPartition, u32)>,
}

impl Builder<'_> {
    /// Every member keeps what it owned, up to its share.
    fn keep(&mut self) {
        let layout = &self.input.layout;
        for &member in &self.input.order {
            let mut owned = self.claims.owned[member as usize].clone();
            if let Some(racks) = &self.input.racks {
                owned.retain(|own| {
                    let fits = racks.matches(layout, member, *own);
                    if !fits {
                        self.revoked.set(layout, *own, member);
                    }
                    fits
                });
            }
            if self.claims.any_doubly {
                owned.retain(|own| !self.claims.doubly.get(layout, *own));
            }
            owned.sort_unstable_by_key(|own| (own.partition, layout.name_rank[own.topic as usize]));
            let kept = if (owned.len() as u32) < self.least {
                self.below.push(member);
                owned.len()
            } else if owned.len() as u32 >= self.most && self.over < self.over_wanted {
                self.over += 1;
                if self.over == self.over_wanted {
                    self.exact.clear();
                }
                self.most as usize
            } else {
                if self.over < self.over_wanted {
                    self.exact.push(member);
                }
                self.least as usize
            };
            owned.drain(kept..).for_each(|own| self.revoked.set(layout, own, member));
            owned.reserve_exact((self.most as usize).saturating_sub(owned.len()));
            self.assignment[member as usize] = owned;
        }
    }

    /// What nobody has, topics by name. Java walks along the sorted owned partitions; one that does not exist stops
    /// the walk, and all that follow count as open.
    fn open(&self) -> Vec<TopicPartition> {
        let layout = &self.input.layout;
        let key = |own: &TopicPartition| (layout.name_rank[own.topic as usize], own.partition);
        let kept = self.assignment.iter().flatten();
        if kept.clone().next().is_none() {
            return layout.all().collect();
        }
        if kept.clone().all(|own| layout.number(*own).is_some()) {
            let mut taken = vec![false; layout.total as usize];
            kept.filter_map(|own| layout.number(*own)).for_each(|number| taken[number as usize] = true);
            return layout.all().zip(taken).filter(|(_, taken)| !taken).map(|(own, _)| own).collect();
        }
        let mut kept: Vec<TopicPartition> = kept.copied().collect();
        kept.sort_by_key(key);
        let mut kept = kept.into_iter().peekable();
        layout.all().filter(|own| kept.next_if_eq(own).is_none()).collect()
    }

    /// Partitions that few members have in their racks come first; else the order stays.
    fn rarest_first(&self, racks: &Racks, open: &mut [TopicPartition]) {
        let mut members = vec![0_u32; racks.count as usize];
        racks.members.iter().flatten().for_each(|rack| members[*rack as usize] += 1);
        let layout = &self.input.layout;
        open.sort_by_cached_key(|own| {
            let number = layout.number(*own);
            number.map_or(0, |number| racks.of(number).iter().map(|rack| members[*rack as usize]).sum::<u32>())
        });
    }

    /// Deals in turn, each partition to a member in one of its racks; takes what was dealt out of `open`.
    fn deal_in_racks(&mut self, racks: &Racks, open: &mut Vec<TopicPartition>) -> (VecDeque<u32>, VecDeque<u32>) {
        let input = self.input;
        let mut below = Circle::new(racks, &input.ranks, self.below.iter().copied());
        let mut exact = Line::new(racks, self.exact.iter().copied());
        open.retain(|own| {
            let of_partition = input.layout.number(*own).map_or(&[][..], |number| racks.of(number));
            if let Some(member) = below.next(of_partition) {
                let count = self.give(*own, member);
                if count < self.least {
                    below.pass(member);
                } else {
                    below.remove(member);
                    if count < self.most && self.over < self.over_wanted {
                        exact.push(member);
                    }
                }
                return false;
            }
            let Some((place, member)) = exact.first(of_partition) else {
                return true;
            };
            if self.give(*own, member) == self.most {
                exact.remove(place);
                self.over += 1;
                if self.over == self.over_wanted {
                    exact.clear();
                }
            }
            false
        });
        (below.into_members(), exact.into_members())
    }

    /// Deals the rest in turn; who is still below the smallest share comes back.
    fn deal(
        &mut self,
        open: &[TopicPartition],
        mut below: VecDeque<u32>,
        mut exact: VecDeque<u32>,
    ) -> Result<VecDeque<u32>, AssignorError> {
        for &own in open {
            // Walking around a list again and again is taking the head of a queue and putting it behind.
            let Some(member) = below.pop_front().or_else(|| exact.pop_front()) else {
                return Err(AssignorError::NoUnfilledMembers);
            };
            let count = self.give(own, member);
            if count < self.least {
                below.push_back(member);
            } else if count == self.least {
                exact.push_back(member);
            } else if count == self.most {
                self.over += 1;
            }
        }
        Ok(below)
    }

    /// Gives a partition; how many the member has now.
    fn give(&mut self, own: TopicPartition, member: u32) -> u32 {
        let layout = &self.input.layout;
        let list = &mut self.assignment[member as usize];
        list.push(own);
        let was_claimed_twice = self.claims.any_doubly && self.claims.doubly.get(layout, own);
        let owner = self.revoked.get(layout, own);
        if was_claimed_twice || (owner != NOBODY && owner != member) {
            self.moving.push((own, member));
        }
        list.len() as u32
    }

    fn verify(&self, below: VecDeque<u32>) -> Result<(), AssignorError> {
        if below.is_empty() {
            return Ok(());
        }
        if self.over != self.over_wanted {
            return Err(AssignorError::TooFewOverMinimum);
        }
        let short = below.into_iter().filter(|member| self.assignment[*member as usize].len() as u32 != self.least);
        match short.min_by_key(|member| self.input.ranks[*member as usize]) {
            Some(member) => {
                Err(AssignorError::BelowMinimum { member: self.input.group.members[member as usize].id.to_owned() })
            }
            None => Ok(()),
        }
    }
}
