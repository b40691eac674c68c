//! A group of 200 members and 1,000 partitions into which one more member comes, from its first request on.
//!
//! Nothing is produced: what is measured is the group. Clocks are elsewhere.

use std::collections::BTreeMap;

use engine::group::GroupState;
use engine::scenario::{ConsumerSpec, TopicSpec};
use engine::{Command, Duration, Scenario, Time, Timeline};

/// Members before the newcomer.
pub const MEMBERS: usize = 200;
/// Partitions of the topic that they share.
pub const PARTITIONS: u32 = 1_000;
/// When the group has settled.
const SETTLED: Time = Time::from_millis(60_000);

/// What is measured: a name, the settings of the members, and the simulated seconds that the rebalance takes.
type Kind = (&'static str, &'static [(&'static str, &'static str)], u64);

/// One kind of group for each protocol.
pub const KINDS: [Kind; 3] = [
    ("eager", &[("partition.assignment.strategy", "org.apache.kafka.clients.consumer.RangeAssignor")], 5),
    (
        "cooperative",
        &[("partition.assignment.strategy", "org.apache.kafka.clients.consumer.CooperativeStickyAssignor")],
        10,
    ),
    ("consumer", &[("group.protocol", "consumer")], 15),
];

fn member(kind: usize, number: usize) -> ConsumerSpec {
    let (_, settings, _) = KINDS[kind];
    let own = [("group.id", "g")];
    let configs = own.iter().chain(settings).map(|(name, value)| (name.to_string(), value.to_string()));
    ConsumerSpec {
        name: format!("member-{number}"),
        subscribe: vec!["events".to_string()],
        configs: configs.collect(),
        ..ConsumerSpec::default()
    }
}

/// The group at rest.
pub fn settled(kind: usize) -> Timeline {
    let mut scenario = Scenario::empty(3);
    scenario.topics.push(TopicSpec {
        name: "events".to_string(),
        partitions: Some(PARTITIONS),
        replication_factor: Some(1),
        ..TopicSpec::default()
    });
    scenario.consumers = (0..MEMBERS).map(|number| member(kind, number)).collect();
    let mut timeline = Timeline::new(scenario, ()).expect("the measured group is valid");
    timeline.advance_to(SETTLED);
    timeline
}

/// One more member comes, and the group settles again: this is what is timed.
pub fn join(kind: usize, timeline: &mut Timeline) -> u64 {
    let newcomer = Command::Consumer(member(kind, MEMBERS));
    timeline.act(newcomer).expect("it can be started");
    let (.., seconds) = KINDS[kind];
    timeline.advance_to(SETTLED + Duration::from_secs(seconds))
}

/// Whether everything has an owner, and each member has its share.
pub fn is_balanced(timeline: &Timeline) -> bool {
    let snapshot = timeline.snapshot(0);
    let is_stable = snapshot.groups.iter().all(|group| group.state == GroupState::Stable);
    let mut owners: BTreeMap<u32, usize> = BTreeMap::new();
    let mut least = usize::MAX;
    let mut most = 0;
    for membership in snapshot.consumers.iter().filter_map(|consumer| consumer.membership.as_ref()) {
        least = least.min(membership.owned.len());
        most = most.max(membership.owned.len());
        membership.owned.iter().for_each(|own| *owners.entry(own.partition).or_default() += 1);
    }
    is_stable && owners.len() == PARTITIONS as usize && owners.values().all(|count| *count == 1) && most - least <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measured_groups_rebalance_within_the_time_that_is_measured() {
        for (kind, (name, ..)) in KINDS.iter().enumerate() {
            let mut timeline = settled(kind);
            assert!(is_balanced(&timeline), "{name} has not settled");
            join(kind, &mut timeline);
            assert!(is_balanced(&timeline), "{name} has not settled again");
            assert_eq!(timeline.snapshot(0).consumers.len(), MEMBERS + 1);
        }
    }
}
