//! Share groups for the picture: members that read one partition together, and how each record fares.
//!
//! No places and no shapes. Members of share groups are put among the consumers of a snapshot, so that their cards,
//! headings and links are those of any group; who reads a partition together, and what is in flight, is found here.

use engine::Snapshot;
use engine::event::TopicPartition;
use engine::group::GroupType;
use engine::snapshot::{
    ConsumerSnapshot, InFlightRecord, MembershipSnapshot, ShareConsumerSnapshot, SharePartitionSnapshot,
};

use crate::members::{Group, Groups, Member};

/// A snapshot whose members of share groups stand among its consumers, behind the others.
#[must_use]
pub fn with_share_members(mut snapshot: Snapshot) -> Snapshot {
    snapshot.consumers.extend(snapshot.share_consumers.iter().map(as_member));
    snapshot
}

fn as_member(member: &ShareConsumerSnapshot) -> ConsumerSnapshot {
    ConsumerSnapshot {
        name: member.name.clone(),
        is_paused: member.is_paused,
        process: member.process,
        error: member.error.clone(),
        read_count: member.read_count,
        recent: member.recent.clone(),
        membership: Some(MembershipSnapshot {
            group: member.group.clone(),
            protocol: GroupType::Share,
            member: member.member.clone(),
            state: member.state,
            generation: member.epoch,
            owned: member.assigned.clone(),
            topics: member.topics.clone(),
            busy_until: member.working_on.as_ref().map(|work| work.until),
            heartbeat_due: member.heartbeat_due,
            is_closed: member.is_closed,
            ..MembershipSnapshot::default()
        }),
        ..ConsumerSnapshot::default()
    }
}

/// What one share group does with a partition.
#[derive(Clone, Debug)]
pub(crate) struct Sharing<'a> {
    pub group: usize,
    /// Which of its members read it.
    pub members: Vec<usize>,
    /// What the leader knows of it; nothing before it is initialized.
    pub state: Option<&'a SharePartitionSnapshot>,
}

impl Sharing<'_> {
    /// Its record at an offset, as long as it is in flight.
    pub fn record(&self, offset: u64) -> Option<&InFlightRecord> {
        let in_flight = &self.state?.in_flight;
        let at = in_flight.binary_search_by_key(&offset, |record| record.offset).ok()?;
        in_flight.get(at)
    }
}

/// What share groups do with a partition, in the order of groups.
pub(crate) fn sharings<'a>(
    snapshot: &'a Snapshot,
    groups: &Groups<'_>,
    topic: &str,
    partition: u32,
) -> Vec<Sharing<'a>> {
    let shared = groups.groups.iter().enumerate().filter(|(_, group)| group.group_type() == GroupType::Share);
    let of_group = |(number, group): (usize, &Group<'_>)| {
        let is_here = |at: &TopicPartition| at.partition == partition && *at.topic == *topic;
        let reads = |member: &Member<'_>| !member.is_gone() && member.membership.owned.iter().any(is_here);
        let members: Vec<usize> = (0..).zip(&group.members).filter(|(_, one)| reads(one)).map(|(at, _)| at).collect();
        let state = snapshot.share_partitions.iter().find(|one| one.group == *group.name && is_here(&one.partition));
        (state.is_some() || !members.is_empty()).then_some(Sharing { group: number, members, state })
    };
    shared.filter_map(of_group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::shares;

    #[test]
    fn members_of_share_groups_are_members_that_read_together() {
        let snapshot = with_share_members(shares::two_members());
        let groups = Groups::of(&snapshot);
        assert_eq!((groups.groups.len(), groups.groups[0].group_type()), (1, GroupType::Share));
        assert!(groups.places("jobs", 0).is_empty(), "nobody owns a partition of a share group");
        let sharings = sharings(&snapshot, &groups, "jobs", 0);
        assert_eq!(sharings[0].members, [0, 1]);
        assert_eq!(sharings[0].record(3).map(|record| record.delivery_count), Some(2));
        assert!(sharings[0].record(99).is_none());
    }
}
