//! What every input must hold before an assignor looks at it.

use alloc::borrow::ToOwned;
use alloc::vec;
use alloc::vec::Vec;

use crate::java::{self, compare_strings};
use crate::{InputProblem, TopicPartition};

/// What the check reads of a member.
#[derive(Clone, Copy)]
pub(crate) struct MemberView<'a> {
    pub id: &'a str,
    pub topics: &'a [u32],
    pub named: &'a [TopicPartition],
}

/// The numbers of members and topics in Java's order of their texts.
pub(crate) struct Sorted {
    pub members: Vec<u32>,
    pub topics: Vec<u32>,
}

/// Ids and names are unique, and topic numbers exist.
pub(crate) fn check<'a>(
    names: &[&str],
    members: impl Iterator<Item = MemberView<'a>> + Clone,
) -> Result<Sorted, InputProblem> {
    let ids: Vec<&str> = members.clone().map(|member| member.id).collect();
    let sorted = Sorted { members: java::sorted(&ids), topics: java::sorted(names) };
    if let Some(name) = repeated(names, &sorted.topics) {
        return Err(InputProblem::DuplicateTopic { name: name.to_owned() });
    }
    if let Some(id) = repeated(&ids, &sorted.members) {
        return Err(InputProblem::DuplicateMember { id: id.to_owned() });
    }
    let count = names.len() as u32;
    let mut seen = vec![u32::MAX; names.len()];
    let mut last: &[u32] = &[];
    for (number, member) in members.enumerate() {
        let unknown = |topic: u32| InputProblem::NoSuchTopic { member: member.id.to_owned(), topic };
        if let Some(named) = member.named.iter().find(|named| named.topic >= count) {
            return Err(unknown(named.topic));
        }
        // Members of one mind often share one list.
        if core::ptr::eq(member.topics, last) {
            continue;
        }
        last = member.topics;
        for &topic in member.topics {
            let place = seen.get_mut(topic as usize).ok_or_else(|| unknown(topic))?;
            if core::mem::replace(place, number as u32) == number as u32 {
                let topic = names[topic as usize].to_owned();
                return Err(InputProblem::SubscribedTwice { member: member.id.to_owned(), topic });
            }
        }
    }
    Ok(sorted)
}

/// A text that is there twice.
fn repeated<'a>(texts: &[&'a str], order: &[u32]) -> Option<&'a str> {
    let text = |place: u32| texts[place as usize];
    order.windows(2).find(|pair| text(pair[0]) == text(pair[1])).map(|pair| text(pair[0]))
}

/// Members sorted as `MemberInfo.compareTo` does: static ones by instance id first, then the others by member id.
///
/// Of equal instance ids the first in the input comes first; that is the order of the map that Java sorts.
pub(crate) fn static_first<'a>(by_id: &[u32], instances: impl Iterator<Item = Option<&'a str>>) -> Vec<u32> {
    let instances: Vec<Option<&str>> = instances.collect();
    let instance = |member: &u32| instances[*member as usize];
    let mut order: Vec<u32> = (0..instances.len() as u32).filter(|member| instance(member).is_some()).collect();
    order.sort_by(|one, other| compare_strings(instance(one).unwrap_or_default(), instance(other).unwrap_or_default()));
    order.extend(by_id.iter().filter(|member| instance(member).is_none()));
    order
}

/// For each topic the members that subscribe to it, in the order in which `members` gives them.
pub(crate) struct Subscribers {
    starts: Vec<u32>,
    members: Vec<u32>,
    /// All topics have the same subscribers, so one list serves them all.
    shared: bool,
}

impl Subscribers {
    /// `members` are numbers with the topics that count; a topic number is below `topics`.
    pub(crate) fn new<'a>(topics: usize, members: impl Iterator<Item = (u32, &'a [u32])> + Clone) -> Self {
        let mut all = members.clone();
        let first = all.next().map_or(&[][..], |(_, topics)| topics);
        if all.all(|(_, topics)| core::ptr::eq(topics, first) || topics == first) {
            let members: Vec<u32> = members.map(|(member, _)| member).collect();
            let mut starts = vec![0; topics];
            first.iter().for_each(|&topic| starts[topic as usize] = 1);
            return Self { starts, members, shared: true };
        }
        let mut starts = vec![0_u32; topics + 1];
        for (_, subscribed) in members.clone() {
            subscribed.iter().for_each(|&topic| starts[topic as usize + 1] += 1);
        }
        for topic in 0..topics {
            starts[topic + 1] += starts[topic];
        }
        let mut next = starts.clone();
        let mut listed = vec![0; starts[topics] as usize];
        for (member, subscribed) in members {
            for &topic in subscribed {
                listed[next[topic as usize] as usize] = member;
                next[topic as usize] += 1;
            }
        }
        Self { starts, members: listed, shared: false }
    }

    pub(crate) fn of(&self, topic: u32) -> &[u32] {
        let topic = topic as usize;
        match (self.shared, self.starts[topic]) {
            (true, 0) => &[],
            (true, _) => &self.members,
            (false, start) => &self.members[start as usize..self.starts[topic + 1] as usize],
        }
    }
}
