//! What the group tools ask of the cluster: groups, their offsets, and the ends of the logs they read.
//!
//! Nothing is printed here.

use engine::command::Outcome;
use engine::event::TopicPartition;
use engine::order::Order;
use engine::snapshot::{BrokerSnapshot, BrokerState, GroupSnapshot, PartitionSnapshot, Snapshot};
use engine::{Command, Duration, KafkaError, Observer, Time, Timeline};

use crate::client::{ask, read, send};
use crate::exception::Exception;
use crate::java_order::{hash_order, string_hash};
use crate::place::unix_millis;
use crate::stop::Stop;

/// How often an Admin client asks again for a coordinator: `retry.backoff.max.ms`.
const BACKOFF: Duration = Duration::from_millis(1_000);

/// The Admin client of a tool for groups.
pub(crate) struct Service<'a, O: Observer> {
    pub(crate) timeline: &'a mut Timeline<O>,
    /// How long each request may take.
    pub(crate) timeout: Duration,
}

impl<'a, O: Observer> Service<'a, O> {
    pub(crate) fn new(timeline: &'a mut Timeline<O>, timeout: Duration) -> Service<'a, O> {
        Service { timeline, timeout }
    }

    /// ListGroups at every broker: all groups that a coordinator has, in the order of the client's hash table.
    pub(crate) fn listings(&mut self) -> Result<Vec<GroupSnapshot>, Exception> {
        let snapshot = read(self.timeline, "findAllBrokers", self.timeout).map_err(Exception::in_future)?;
        let known = snapshot.groups.into_iter().filter(|group| group.coordinator.is_some()).collect();
        Ok(hash_order(known, |group: &GroupSnapshot| string_hash(&group.group)))
    }

    /// The cluster, once every one of these groups has a coordinator.
    pub(crate) fn coordinated(&mut self, groups: &[String], call: &str) -> Result<Snapshot, Exception> {
        let lookup = format!("{call}(api=FIND_COORDINATOR)");
        let began = self.timeline.now();
        let deadline = began + self.timeout;
        let mut tries = 0;
        loop {
            let patience = Duration(deadline.since(self.timeline.now()).0);
            let snapshot = read(self.timeline, &lookup, patience)?;
            tries += 1;
            if groups.iter().all(|group| has_coordinator(&snapshot, group)) {
                return Ok(snapshot);
            }
            let next = self.timeline.now() + BACKOFF;
            if next > deadline {
                self.timeline.advance_to(deadline);
                return Err(timed_out(&lookup, deadline, tries));
            }
            self.timeline.advance_to(next);
        }
    }

    /// Asks for a change, and gives the outcome whatever it is; none if nobody answers.
    pub(crate) fn ask(&mut self, command: Command) -> Result<Option<Outcome>, Stop> {
        ask(self.timeline, command, self.timeout)
    }

    /// Asks for a change. What Kafka refuses is an inner error.
    pub(crate) fn send(&mut self, command: Command) -> Result<Result<Outcome, KafkaError>, Stop> {
        send(self.timeline, command, self.timeout)
    }
}

/// Whether the broker that has the group's partition of `__consumer_offsets`, or would have it, is there.
fn has_coordinator(snapshot: &Snapshot, group: &str) -> bool {
    let Some(topic) = snapshot.topics.iter().find(|topic| &*topic.name == "__consumer_offsets") else {
        // FindCoordinator creates it.
        return snapshot.brokers.iter().any(|broker| broker.state == BrokerState::Running);
    };
    let count = topic.partitions.len().max(1) as u32;
    let number = string_hash(group).checked_abs().unwrap_or(0) as u32 % count;
    let leader = topic.partitions.get(number as usize).and_then(|partition| partition.leader);
    let is_running = |broker: &BrokerSnapshot| Some(broker.id) == leader && broker.state == BrokerState::Running;
    snapshot.brokers.iter().any(is_running)
}

/// A call that was tried again and again until its time was up.
/// Simplified: how often is counted without the client's random part of the backoff.
fn timed_out(call: &str, deadline: Time, tries: u32) -> Exception {
    let at = unix_millis(deadline.millis() as i64);
    let text = format!(
        "Call(callName={call}, deadlineMs={at}, tries={tries}, nextAllowedTryMs={at}) timed out at {at} after \
         {tries} attempt(s)"
    );
    let mut exception = Exception::new("org.apache.kafka.common.errors.TimeoutException", text);
    exception.cause = Some(Box::new(Exception::new(
        "org.apache.kafka.common.errors.CoordinatorNotAvailableException",
        "The coordinator is not available.",
    )));
    exception
}

/// A group that the cluster has.
pub(crate) fn group<'a>(snapshot: &'a Snapshot, id: &str) -> Option<&'a GroupSnapshot> {
    snapshot.groups.iter().find(|group| *group.group == *id)
}

/// What a group has committed, by topic and partition.
pub(crate) fn committed(snapshot: &Snapshot, group: &str) -> Vec<(TopicPartition, u64)> {
    let found = snapshot.group_offsets.iter().find(|known| *known.group == *group);
    let mut committed = found.map(|known| known.committed.clone()).unwrap_or_default();
    committed.order();
    committed
}

/// A partition that the cluster has.
pub(crate) fn partition<'a>(snapshot: &'a Snapshot, name: &TopicPartition) -> Option<&'a PartitionSnapshot> {
    let topic = snapshot.topics.iter().find(|topic| *topic.name == *name.topic)?;
    topic.partitions.get(name.partition as usize)
}

/// DescribeTopics of a topic that is not there.
pub(crate) fn unknown_topic() -> Exception {
    let class = "org.apache.kafka.common.errors.UnknownTopicOrPartitionException";
    Exception::new(class, "This server does not host this topic-partition.")
}
