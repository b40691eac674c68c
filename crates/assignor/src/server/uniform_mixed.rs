//! Uniform for members with different subscriptions: keep, fill up the least loaded, then move topic by topic.
//!
//! `UniformHeterogeneousAssignmentBuilder`.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::Spec;
use super::spec::Numbers;
use super::topic_order::TopicOrder;
use crate::{Assignment, AssignorError, TopicPartition};

/// Nobody.
const NOBODY: u32 = u32::MAX;
/// How often all topics are balanced at most.
const ROUNDS: u32 = 16;

pub(super) fn assign(spec: &Spec<'_>) -> Result<Assignment, AssignorError> {
    let mut subscribers = vec![Vec::new(); spec.group.topics.len()];
    spec.each_subscription(|member, topics| {
        topics.iter().try_for_each(|topic| {
            subscribers[*topic as usize].push(member);
            spec.partitions(*topic).map(|_| ())
        })
    })?;
    let mut builder = Builder {
        spec,
        subscribers,
        numbers: Numbers::new(spec.group),
        owners: Vec::new(),
        sizes: vec![0; spec.group.members.len()],
        assignment: vec![Vec::new(); spec.group.members.len()],
        orders: vec![TopicOrder::default(); spec.group.members.len()],
    };
    builder.owners = vec![NOBODY; builder.numbers.all()];
    builder.keep()?;
    let mut topics: Vec<u32> =
        (0..spec.group.topics.len() as u32).filter(|topic| !builder.subscribers[*topic as usize].is_empty()).collect();
    topics.sort_unstable_by(|one, other| builder.compare_topics(*one, *other));
    builder.deal(&topics);
    topics.retain(|topic| builder.subscribers[*topic as usize].len() >= 2);
    builder.balance(&topics);
    let Builder { mut assignment, orders, .. } = builder;
    assignment.iter_mut().zip(orders).for_each(|(list, order)| order.sort(list));
    Ok(assignment)
}

struct Builder<'a> {
    spec: &'a Spec<'a>,
    /// For each topic the members that subscribe to it, in the order of the input.
    subscribers: Vec<Vec<u32>>,
    numbers: Numbers,
    /// For each numbered partition who has it.
    owners: Vec<u32>,
    /// How many partitions each member counts.
    sizes: Vec<u32>,
    assignment: Assignment,
    /// For each member the order of its topics.
    orders: Vec<TopicOrder>,
}

impl Builder<'_> {
    fn partitions(&self, topic: u32) -> u32 {
        self.spec.topic(topic).partitions.unwrap_or(0)
    }

    fn start(&self, topic: u32) -> usize {
        self.numbers.of(TopicPartition::new(topic, 0)).unwrap_or(0)
    }

    /// Partitions a subscriber, descending; then subscribers; then the id.
    fn compare_topics(&self, one: u32, other: u32) -> Ordering {
        let subscribers = |topic: u32| self.subscribers[topic as usize].len();
        // Java divides doubles.
        let share = |topic: u32| f64::from(self.partitions(topic)) / subscribers(topic) as f64;
        let by_subscribers = || subscribers(one).cmp(&subscribers(other));
        let by_id = || self.spec.topic(one).id.compare(self.spec.topic(other).id);
        share(other).total_cmp(&share(one)).then_with(by_subscribers).then_with(by_id)
    }

    /// Members keep what they had of topics that they still subscribe to.
    fn keep(&mut self) -> Result<(), AssignorError> {
        let mut subscribed = vec![NOBODY; self.spec.group.topics.len()];
        for (member, of_member) in self.spec.group.members.iter().enumerate() {
            if of_member.previous.is_empty() {
                continue;
            }
            of_member.topics.iter().for_each(|topic| subscribed[*topic as usize] = member as u32);
            let list = &mut self.assignment[member];
            list.extend(of_member.previous.iter().filter(|own| subscribed[own.topic as usize] == member as u32));
            list.sort_unstable();
            list.dedup();
            let before = self.spec.previous(member as u32).into_iter().map(|(topic, _)| topic);
            let before = before.filter(|topic| subscribed[*topic as usize] == member as u32);
            before.for_each(|topic| self.orders[member].put(topic));
            self.sizes[member] = list.len() as u32;
            let is_gone = |own: &TopicPartition| self.numbers.of(*own).is_none();
            if list.iter().any(is_gone) {
                return Err(self.out_of_bounds(member as u32, &subscribed));
            }
            for number in list.iter().filter_map(|own| self.numbers.of(*own)) {
                self.owners[number] = member as u32;
            }
        }
        Ok(())
    }

    /// The first partition that does not exist, in the order in which Java meets a member's previous ones.
    fn out_of_bounds(&self, member: u32, subscribed: &[u32]) -> AssignorError {
        let previous =
            self.spec.previous(member).into_iter().filter(|(topic, _)| subscribed[*topic as usize] == member);
        let mut all = previous.flat_map(|(topic, partitions)| {
            let count = self.partitions(topic);
            partitions.into_iter().map(move |partition| (partition, count))
        });
        let (partition, partitions) = all.find(|(partition, count)| partition >= count).unwrap_or_default();
        AssignorError::PartitionOutOfBounds { partition, partitions }
    }

    /// Gives what nobody has to the least loaded subscribers.
    fn deal(&mut self, topics: &[u32]) {
        for &topic in topics {
            let start = self.start(topic);
            let mut balancer = None;
            for partition in 0..self.partitions(topic) {
                if self.owners[start + partition as usize] == NOBODY {
                    let balancer = balancer.get_or_insert_with(|| self.balancer(topic));
                    let member = balancer.least_loaded(&self.sizes);
                    self.give(topic, partition, member);
                }
            }
        }
    }

    fn balancer(&self, topic: u32) -> Balancer {
        let mut members = self.subscribers[topic as usize].clone();
        members.sort_by_key(|member| self.sizes[*member as usize]);
        Balancer::new(members, &self.sizes)
    }

    fn give(&mut self, topic: u32, partition: u32, member: u32) {
        let own = TopicPartition::new(topic, partition);
        let number = self.start(topic) + partition as usize;
        let owner = core::mem::replace(&mut self.owners[number], member);
        if owner != NOBODY {
            let list = &mut self.assignment[owner as usize];
            if let Some(found) = list.iter().rposition(|other| *other == own) {
                list.swap_remove(found);
            }
            self.sizes[owner as usize] -= 1;
        }
        self.assignment[member as usize].push(own);
        self.orders[member as usize].compute(topic);
        self.sizes[member as usize] += 1;
    }

    /// Balances the topics in turn until one whole round changes nothing.
    fn balance(&mut self, topics: &[u32]) {
        let mut last_changed = None;
        for _ in 0..ROUNDS {
            for (place, &topic) in topics.iter().enumerate() {
                if last_changed == Some(place) {
                    return;
                }
                if self.balance_topic(topic) || last_changed.is_none() {
                    last_changed = Some(place);
                }
            }
        }
    }

    /// Moves partitions from the most loaded to the least loaded subscribers; whether any moved.
    fn balance_topic(&mut self, topic: u32) -> bool {
        let subscribers = self.subscribers[topic as usize].iter().map(|member| self.sizes[*member as usize]);
        if subscribers.clone().max().unwrap_or(0) - subscribers.min().unwrap_or(0) <= 1 {
            return false;
        }
        let mut balancer = self.balancer(topic);
        let start = self.start(topic);
        // For each subscriber its partitions of the topic, ascending; it gives its last one first.
        let mut held: Vec<Vec<u32>> = vec![Vec::new(); self.subscribers[topic as usize].len()];
        for partition in 0..self.partitions(topic) {
            if let Some(place) = self.place(topic, self.owners[start + partition as usize]) {
                held[place].push(partition);
            }
        }
        let mut has_moved = false;
        while !balancer.is_balanced() {
            let Some(partition) = self.take_from_most_loaded(topic, &mut balancer, &mut held) else {
                break;
            };
            let member = balancer.least_loaded(&self.sizes);
            if balancer.is_balanced() {
                break;
            }
            self.give(topic, partition, member);
            has_moved = true;
        }
        has_moved
    }

    fn take_from_most_loaded(&self, topic: u32, balancer: &mut Balancer, held: &mut [Vec<u32>]) -> Option<u32> {
        loop {
            let member = balancer.most_loaded(&self.sizes)?;
            match self.place(topic, member).and_then(|place| held[place].pop()) {
                Some(partition) => return Some(partition),
                None => balancer.exclude_most_loaded(),
            }
        }
    }

    /// The place of a member among the subscribers of a topic.
    fn place(&self, topic: u32, member: u32) -> Option<usize> {
        self.subscribers[topic as usize].binary_search(&member).ok()
    }
}

/// The subscribers of a topic by load: a range of the least loaded that grows upward, and one of the most loaded
/// that grows downward. Sizes are the present ones, read where a range grows.
struct Balancer {
    members: Vec<u32>,
    least_end: usize,
    least_size: i64,
    least_next: usize,
    most_start: usize,
    most_end: usize,
    most_size: i64,
    /// One more than the place of the next member to give something up.
    most_next: usize,
}

impl Balancer {
    /// `members` are sorted by size; there is at least one.
    fn new(members: Vec<u32>, sizes: &[u32]) -> Self {
        let size = |member: Option<&u32>| member.map_or(0, |member| i64::from(sizes[*member as usize]));
        let (least_size, most_size) = (size(members.first()) - 1, size(members.last()) + 1);
        let count = members.len();
        Self {
            members,
            least_end: 0,
            least_size,
            least_next: 0,
            most_start: count,
            most_end: count,
            most_size,
            most_next: count,
        }
    }

    fn size(&self, place: usize, sizes: &[u32]) -> i64 {
        i64::from(sizes[self.members[place] as usize])
    }

    /// The member that gets the next partition.
    fn least_loaded(&mut self, sizes: &[u32]) -> u32 {
        if self.least_next >= self.least_end {
            self.least_size += 1;
            while self.least_end < self.members.len() && self.size(self.least_end, sizes) == self.least_size {
                self.least_end += 1;
            }
            self.least_next = 0;
        }
        self.least_next += 1;
        self.members[self.least_next - 1]
    }

    /// The member that gives the next partition up; none if nobody is left.
    fn most_loaded(&mut self, sizes: &[u32]) -> Option<u32> {
        if self.most_next <= self.most_start {
            if self.most_end <= self.most_start && self.most_start > 0 {
                self.most_size = self.size(self.most_start - 1, sizes);
            } else {
                self.most_size -= 1;
            }
            while self.most_start > 0 && self.size(self.most_start - 1, sizes) == self.most_size {
                self.most_start -= 1;
            }
            self.most_next = self.most_end;
        }
        self.most_next = self.most_next.checked_sub(1)?;
        Some(self.members[self.most_next])
    }

    /// The member that was just asked has nothing to give: takes it out of the range.
    fn exclude_most_loaded(&mut self) {
        self.most_end -= 1;
        self.members.swap(self.most_next, self.most_end);
    }

    fn is_balanced(&self) -> bool {
        self.most_size - self.least_size <= 1
    }
}
