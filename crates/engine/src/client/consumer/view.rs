//! A membership as plain values.

use super::Reader;
use super::membership::Membership;
use super::thread::Frame;
use crate::client::consumer_call::Topics;
use crate::event::TopicPartition;
use crate::group::Callback;
use crate::snapshot::MembershipSnapshot;

impl Reader {
    /// The membership, if there is a group or an application.
    pub(crate) fn membership_snapshot(&self) -> Option<MembershipSnapshot> {
        let consumer = self.consumer.as_ref()?;
        let member = &self.plan.settings.member;
        let group = member.group.clone()?;
        let (member_id, generation, heartbeat_due) = match &consumer.membership {
            Membership::Classic(classic) => classic.view(),
            Membership::Consumer(network) => {
                let member = network.member();
                (member.id().clone(), member.generation(), member.heartbeat_due())
            }
            Membership::None => ("".into(), -1, None),
        };
        let callback = consumer.thread.frames.iter().rev().find_map(|frame| match frame {
            Frame::Callback(running) => Some((running.callback, running.partitions.clone())),
            _ => None,
        });
        let is_new = |callback: &(Callback, Vec<TopicPartition>)| callback.0 == Callback::Assigned;
        let assigning = callback.as_ref().filter(|callback| is_new(callback)).map(|callback| &callback.1);
        let is_held = |partition: &TopicPartition| assigning.is_some_and(|new| new.contains(partition));
        let held = self.partitions.iter().filter(|(partition, reading)| reading.is_held || is_held(partition));
        let paused = self.partitions.iter().filter(|(_, reading)| reading.is_paused);
        let topics = match &consumer.subscription {
            Some(Topics::Named(names)) => names.clone(),
            _ => consumer.topics.iter().cloned().collect(),
        };
        Some(MembershipSnapshot {
            group,
            is_librdkafka: self.is_librdkafka(),
            protocol: member.protocol,
            member: member_id,
            instance: member.instance.clone(),
            state: self.member_state(),
            generation,
            owned: self.owned(),
            paused: paused.map(|(partition, _)| partition.clone()).collect(),
            held: held.map(|(partition, _)| partition.clone()).collect(),
            topics,
            callback,
            buffered_count: consumer.buffer.iter().map(super::Completed::count).sum(),
            busy_until: consumer.thread.work.as_ref().map(|work| work.until),
            heartbeat_due,
            committed: consumer.commits.known.iter().map(|(partition, offset)| (partition.clone(), *offset)).collect(),
            repeated_count: consumer.repeated_count,
            is_closed: consumer.thread.is_closed,
        })
    }
}
