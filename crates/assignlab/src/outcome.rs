//! What one assignor made of one change: who has what, what moved, and whose partitions stood still.
//!
//! Deliberately not here: the other assignors, and the changes before.

use assignor::{Assignment, AssignorError, TopicPartition, client, java};

use crate::{Assignor, Group, GroupMember, GroupTopic, Plan};

/// A rebalance of the cooperative assignor is followed by another one until nothing is taken away; two are enough.
const ROUNDS_MAX: u32 = 4;

/// A partition whose members changed. One that nobody had before does not move, it is dealt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The partition.
    pub partition: TopicPartition,
    /// Ids of the members that had it; several in a share group.
    pub from: Vec<String>,
    /// Ids of the members that have it now; none if nobody takes it.
    pub to: Vec<String>,
}

/// What one assignor made of one change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// For each member of the plan its partitions, ascending. After an error it is what members had before.
    pub assignment: Assignment,
    /// The generation of the group, which grows with each rebalance.
    pub generation: i32,
    /// How many rebalances the change took: 2 if the cooperative assignor had to take something away first.
    pub rounds: u32,
    /// What nobody had between the first rebalance and the second.
    pub freed: Vec<TopicPartition>,
    /// What changed hands.
    pub moves: Vec<Move>,
    /// What nobody had before.
    pub dealt: Vec<TopicPartition>,
    /// How many partitions stayed where they were.
    pub stayed: u32,
    /// How many partitions were taken from members that stay in the group, if only to be given back.
    pub revoked: u32,
    /// What the assignor threw.
    pub error: Option<AssignorError>,
}

impl Outcome {
    /// What the assignor makes of a plan, coming from another one and from what it gave then.
    pub(crate) fn after(assignor: Assignor, before: Option<(&Plan, &Outcome)>, plan: &Plan) -> Self {
        let generation = before.map_or(0, |(_, outcome)| outcome.generation);
        let mut held = Held::carried(before, plan);
        let mut outcome = Self { generation, ..Self::default() };
        let had = held.partitions.clone();
        while !plan.members.is_empty() && outcome.rounds < ROUNDS_MAX {
            let given = match held.assign(assignor, plan) {
                Ok(given) => given,
                Err(error) => {
                    outcome.error = Some(error);
                    break;
                }
            };
            outcome.generation += 1;
            outcome.rounds += 1;
            let is_over = assignor != COOPERATIVE || !held.loses(plan, &given);
            held = Held { generations: vec![outcome.generation; given.len()], partitions: given };
            if is_over {
                break;
            }
            if outcome.rounds == 1 {
                let nobody_has = |own: &TopicPartition| owners(&held.partitions, *own).next().is_none();
                outcome.freed = had.iter().flatten().copied().filter(nobody_has).collect();
                outcome.freed.sort_unstable();
            }
        }
        outcome.assignment = held.partitions;
        outcome.assignment.iter_mut().for_each(|list| list.sort_unstable());
        outcome.compare(assignor, before, &had, plan);
        outcome
    }

    /// Finds out what moved.
    fn compare(&mut self, assignor: Assignor, before: Option<(&Plan, &Outcome)>, had: &Assignment, plan: &Plan) {
        for own in plan.partitions() {
            let mut from = before.map(|(old, outcome)| outcome.ids_of_named(old, plan, own)).unwrap_or_default();
            let mut to: Vec<String> = self.owners(own).map(|member| plan.members[member].id.clone()).collect();
            from.sort_unstable();
            to.sort_unstable();
            match (from.is_empty(), from == to) {
                (true, true) => {}
                (true, false) => self.dealt.push(own),
                (false, true) => self.stayed += 1,
                (false, false) => self.moves.push(Move { partition: own, from, to }),
            }
        }
        let is_lost = |(member, own): &(usize, &TopicPartition)| !self.assignment[*member].contains(own);
        let all = had.iter().enumerate().flat_map(|(member, list)| list.iter().map(move |own| (member, own)));
        let lost = if assignor.is_eager() && self.error.is_none() { all.count() } else { all.filter(is_lost).count() };
        self.revoked = lost as u32;
    }

    /// Members that had a partition of another plan, by id.
    fn ids_of_named(&self, old: &Plan, plan: &Plan, own: TopicPartition) -> Vec<String> {
        let Some(topic) = old.topic(&plan.topics[own.topic as usize].name) else { return Vec::new() };
        let own = TopicPartition { topic: topic as u32, ..own };
        self.owners(own).map(|member| old.members[member].id.clone()).collect()
    }

    /// Places of the members that have a partition; several in a share group.
    pub fn owners(&self, own: TopicPartition) -> impl Iterator<Item = usize> + '_ {
        owners(&self.assignment, own)
    }

    /// How a partition came to where it is, if it was elsewhere.
    pub fn move_of(&self, own: TopicPartition) -> Option<&Move> {
        self.moves.iter().find(|moved| moved.partition == own)
    }

    /// How many partitions each member has.
    pub fn counts(&self) -> Vec<usize> {
        self.assignment.iter().map(Vec::len).collect()
    }

    /// The smallest and the largest count; `None` without members.
    pub fn spread(&self) -> Option<(usize, usize)> {
        let counts = || self.assignment.iter().map(Vec::len);
        counts().min().zip(counts().max())
    }

    /// How many members have nothing.
    pub fn idle(&self) -> usize {
        self.assignment.iter().filter(|list| list.is_empty()).count()
    }

    /// Partitions that nobody has.
    pub fn without_member(&self, plan: &Plan) -> Vec<TopicPartition> {
        plan.partitions().filter(|own| self.owners(*own).next().is_none()).collect()
    }

    /// For each partition number that every topic has, the member that has it of all topics. Empty unless there are
    /// two topics or more.
    pub fn meetings(&self, plan: &Plan) -> Vec<Option<usize>> {
        let shared = plan.topics.iter().map(|topic| topic.partitions).min().unwrap_or(0);
        let topics = plan.topics.len() as u32;
        let has_all = |member: &usize, partition: u32| {
            (0..topics).all(|topic| self.assignment[*member].contains(&TopicPartition { topic, partition }))
        };
        let meeting = |partition| (0..self.assignment.len()).find(|member| has_all(member, partition));
        if topics < 2 { Vec::new() } else { (0..shared).map(meeting).collect() }
    }

    /// What happened, in one sentence: `p2 and p5 move to C, 4 stay.`
    pub fn sentence(&self, plan: &Plan) -> String {
        if let Some(error) = &self.error {
            return error.java().unwrap_or_else(|| error.to_string());
        }
        if plan.members.is_empty() {
            return "Nobody is in the group, so no assignor runs.".to_owned();
        }
        let mut targets: Vec<(&[String], Vec<TopicPartition>)> = Vec::new();
        for moved in &self.moves {
            match targets.iter_mut().find(|(to, _)| *to == moved.to) {
                Some((_, list)) => list.push(moved.partition),
                None => targets.push((&moved.to, vec![moved.partition])),
            }
        }
        let mut parts: Vec<String> = targets.iter().map(|(to, list)| moving(plan, to, list)).collect();
        if !self.dealt.is_empty() {
            parts.push(format!("{} dealt for the first time", named(plan, &self.dealt)));
        }
        match (parts.is_empty(), self.stayed) {
            (true, 0) => return "There is nothing to assign.".to_owned(),
            (true, stayed) => return format!("Nothing moves, {stayed} stay."),
            (false, 0) => {}
            (false, 1) => parts.push("1 stays".to_owned()),
            (false, stayed) => parts.push(format!("{stayed} stay")),
        }
        format!("{}.", parts.join(", "))
    }
}

/// The assignor that takes away before it gives.
const COOPERATIVE: Assignor = Assignor::Client(client::Assignor::CooperativeSticky);

/// What members have before a rebalance, in the order of the plan.
struct Held {
    partitions: Assignment,
    generations: Vec<i32>,
}

impl Held {
    /// What is left of an outcome in another plan: members and topics that are still there.
    fn carried(before: Option<(&Plan, &Outcome)>, plan: &Plan) -> Self {
        let of_member = |member: &crate::Member| {
            let (old, outcome) = before?;
            let place = old.member(&member.id)?;
            let still = |own: &TopicPartition| {
                let topic = plan.topic(&old.topics[own.topic as usize].name)?;
                Some(TopicPartition { topic: topic as u32, ..*own })
            };
            Some((outcome.assignment[place].iter().filter_map(still).collect(), outcome.generation))
        };
        let nothing = || (Vec::new(), client::NO_GENERATION);
        let members = plan.members.iter().map(|member| of_member(member).unwrap_or_else(nothing));
        let (partitions, generations) = members.unzip();
        Self { partitions, generations }
    }

    /// One rebalance.
    fn assign(&self, assignor: Assignor, plan: &Plan) -> Result<Assignment, AssignorError> {
        let topics = plan.topics.iter().map(|topic| GroupTopic {
            name: topic.name.clone(),
            partitions: Some(topic.partitions),
            racks: topic.racks_by_partition(),
            ..GroupTopic::default()
        });
        let ids: Vec<&str> = plan.members.iter().map(|member| member.id.as_str()).collect();
        // Simplified: members that share a bucket of Java's map come in the order in which they joined; a coordinator
        // walks through its own table first, which may turn two of them around.
        let order = java::hash_map_order(&ids);
        let members = order.iter().map(|&place| self.member(assignor, plan, place as usize));
        let given = assignor.assign(&Group { topics: topics.collect(), members: members.collect() })?;
        let mut by_plan = vec![Vec::new(); ids.len()];
        for (place, list) in order.into_iter().zip(given) {
            by_plan[place as usize] = list;
        }
        Ok(by_plan)
    }

    fn member(&self, assignor: Assignor, plan: &Plan, place: usize) -> GroupMember {
        let member = &plan.members[place];
        let topics = plan.subscribed(member);
        let mut owned = self.partitions[place].clone();
        // A cooperative member gives up what it does not subscribe to any more before it joins.
        if assignor == COOPERATIVE {
            owned.retain(|own| topics.contains(&own.topic));
        }
        GroupMember {
            id: member.id.clone(),
            instance_id: member.instance_id.clone(),
            rack: member.rack.clone(),
            topics,
            owned,
            generation: self.generations[place],
        }
    }

    /// Does a member lose something that it subscribes to?
    fn loses(&self, plan: &Plan, given: &Assignment) -> bool {
        let topics = |place: usize| plan.subscribed(&plan.members[place]);
        let is_lost =
            |place: usize, own: &TopicPartition| topics(place).contains(&own.topic) && !given[place].contains(own);
        self.partitions.iter().enumerate().any(|(place, list)| list.iter().any(|own| is_lost(place, own)))
    }
}

fn owners(assignment: &Assignment, own: TopicPartition) -> impl Iterator<Item = usize> + '_ {
    assignment.iter().enumerate().filter(move |(_, list)| list.contains(&own)).map(|(member, _)| member)
}

/// `p2 and p5 move to C`.
fn moving(plan: &Plan, to: &[String], list: &[TopicPartition]) -> String {
    let verb = match (to.is_empty(), list.len() == 1) {
        (false, true) => "moves to",
        (false, false) => "move to",
        (true, true) => "is left to",
        (true, false) => "are left to",
    };
    let who = if to.is_empty() { "nobody".to_owned() } else { joined(to) };
    format!("{} {verb} {who}", named(plan, list))
}

/// Up to four partitions by name, more of them as a number.
fn named(plan: &Plan, list: &[TopicPartition]) -> String {
    if list.len() > 4 {
        return format!("{} partitions", list.len());
    }
    joined(&list.iter().map(|own| plan.label(*own)).collect::<Vec<_>>())
}

/// `a, b and c`.
fn joined(texts: &[String]) -> String {
    match texts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
