//! The calls of the application.
//!
//! Follows `ClassicKafkaConsumer` of Kafka 4.3.1, with the texts of its exceptions; where a call waits for something
//! it becomes a frame of the user thread.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::librdkafka;
use super::settings::no_group_id;
use crate::client::consumer_call::{ConsumerCall, Topics};
use crate::client::reader::{Pending, Reader, Reading};
use crate::error::KafkaError;
use crate::event::{EventKind, Name, TopicPartition};
use crate::group::CommitKind;
use crate::message::OffsetSpec;
use crate::order;
use crate::outbox::Outbox;
use crate::scenario::plan_assigned;
use crate::time::Time;

impl Reader {
    /// A call begins, now that the user thread is free.
    pub(super) fn begin(&mut self, call: ConsumerCall, command: u64, outbox: &mut Outbox) {
        let result = match call {
            ConsumerCall::Subscribe(topics) => self.call_subscribe(topics, command, outbox),
            ConsumerCall::Unsubscribe => return self.unsubscribe(command, outbox),
            ConsumerCall::Assign(partitions) if partitions.is_empty() => return self.unsubscribe(command, outbox),
            ConsumerCall::Assign(partitions) => self.call_assign(partitions, outbox).map(|()| true),
            ConsumerCall::CommitSync(offsets) => self.call_commit(offsets, true, command, outbox),
            ConsumerCall::CommitAsync(offsets) => self.call_commit(offsets, false, command, outbox),
            ConsumerCall::Seek(partition, offset) => self.call_seek(&partition, offset, outbox).map(|()| true),
            ConsumerCall::SeekToBeginning(partitions) => self.call_reset(partitions, OffsetSpec::Earliest),
            ConsumerCall::SeekToEnd(partitions) => self.call_reset(partitions, OffsetSpec::Latest),
            ConsumerCall::Pause(partitions) => self.set_paused(&partitions, true),
            ConsumerCall::Resume(partitions) => self.set_paused(&partitions, false),
            ConsumerCall::EnforceRebalance => self.call_enforce(),
            ConsumerCall::Close(operation) => return self.close(operation, Some(command), outbox),
            ConsumerCall::SlowCallback(callback, time) => {
                let slow = &mut self.inner_mut().thread.slow;
                slow.retain(|(other, _)| *other != callback);
                slow.push((callback, time));
                Ok(true)
            }
            ConsumerCall::SetProcessing(time) => {
                let least = self.plan.processing_min();
                self.inner_mut().thread.processing = time.max(least);
                Ok(true)
            }
        };
        match result {
            Ok(true) => outbox.finish(command, Ok(None)),
            Ok(false) => {}
            Err(error) => outbox.throw(command, error),
        }
    }

    /// Whether it has returned; a subscription to nothing is finished like `unsubscribe`.
    fn call_subscribe(&mut self, topics: Topics, command: u64, outbox: &mut Outbox) -> Result<bool, KafkaError> {
        if matches!(&topics, Topics::Named(names) if names.is_empty()) {
            self.unsubscribe(command, outbox);
            return Ok(false);
        }
        self.plan.settings.member.check_subscription(&topics)?;
        let is_other = match (&self.inner().subscription, &topics) {
            _ if self.inner().is_manual => true,
            (Some(before), now) => std::mem::discriminant(before) != std::mem::discriminant(now),
            (None, _) => false,
        };
        if is_other {
            return Err(exclusive());
        }
        self.subscribe(topics, outbox);
        Ok(true)
    }

    /// `SubscriptionState.subscribe`. What was fetched of other topics is dropped.
    pub(super) fn subscribe(&mut self, topics: Topics, outbox: &mut Outbox) {
        let now = outbox.now();
        if let Topics::Named(names) = &topics {
            for name in names {
                match librdkafka::is_pattern(name) && self.is_librdkafka() {
                    true => self.metadata.want_all(),
                    false => self.metadata.want(name, now),
                }
            }
            let names: BTreeSet<Name> = order::set(names.iter().cloned());
            if !self.is_librdkafka() {
                self.inner_mut().buffer.retain(|completed| names.contains(&completed.partition.topic));
                self.inner_mut().topics = names;
            }
        } else {
            self.metadata.want_all();
        }
        let consumer = self.inner_mut();
        consumer.subscription = Some(topics);
        consumer.thread.is_idle = false;
        self.match_pattern(outbox);
        self.find_topics(outbox);
        self.membership_subscribed();
    }

    /// Topics that match a pattern that the client evaluates (`updatePatternSubscription`).
    pub(super) fn match_pattern(&mut self, outbox: &mut Outbox) {
        let Some(Topics::Pattern(pattern)) = self.inner().subscription.clone() else { return };
        let Ok(pattern) = super::pattern::Pattern::new(&pattern) else { return };
        let excludes_internal = self.plan.settings.member.excludes_internal;
        let is_wanted = |name: &Name| {
            let is_internal = crate::controller::topic_names::INTERNAL_TOPICS.contains(&&**name);
            pattern.matches(name) && !(is_internal && excludes_internal)
        };
        let names: Vec<Name> = self.all_topics().into_keys().filter(is_wanted).collect();
        for name in &names {
            self.metadata.want_known(name, outbox.now());
        }
        self.inner_mut().topics = order::set(names);
    }

    fn call_assign(&mut self, partitions: Vec<TopicPartition>, outbox: &mut Outbox) -> Result<(), KafkaError> {
        if self.inner().subscription.is_some() {
            return Err(exclusive());
        }
        if self.plan.settings.member.group.is_some() {
            self.auto_commit_async(outbox);
        }
        self.plan.assign = partitions.iter().map(plan_assigned).collect();
        let consumer = self.inner_mut();
        consumer.is_manual = true;
        consumer.thread.is_idle = false;
        let mut partitions = partitions;
        order::Order::order_by_key(&mut partitions[..], Clone::clone);
        self.own(&partitions, outbox);
        self.want_assigned(outbox.now());
        Ok(())
    }

    /// Asks for the metadata of what is assigned by hand.
    pub(super) fn want_assigned(&mut self, now: Time) {
        for assigned in &self.plan.assign {
            self.metadata.want(&assigned.topic, now);
        }
    }

    fn call_commit(
        &mut self,
        offsets: Option<Vec<(TopicPartition, u64)>>,
        waits: bool,
        command: u64,
        outbox: &mut Outbox,
    ) -> Result<bool, KafkaError> {
        if self.plan.settings.member.group.is_none() {
            return Err(no_group_id());
        }
        let offsets = offsets.unwrap_or_else(|| self.consumed());
        if self.inner().library.has_failed {
            return Err(librdkafka::failed());
        }
        if waits {
            self.commit_sync(offsets, CommitKind::Sync, Some(command), outbox);
        } else {
            self.commit_async(offsets, Some(command), outbox);
        }
        Ok(false)
    }

    fn call_seek(&mut self, partition: &TopicPartition, offset: u64, outbox: &mut Outbox) -> Result<(), KafkaError> {
        let Some(reading) = self.partitions.get_mut(partition) else { return Err(not_assigned(partition)) };
        let before = reading.position.unwrap_or(0);
        *reading = Reading {
            position: Some(offset),
            preferred: reading.preferred.take(),
            is_paused: reading.is_paused,
            ..Reading::default()
        };
        outbox.emit(EventKind::PositionReset {
            consumer: Rc::clone(&self.plan.name),
            partition: partition.clone(),
            before,
            position: offset,
            error: None,
        });
        Ok(())
    }

    fn call_reset(&mut self, partitions: Vec<TopicPartition>, at: OffsetSpec) -> Result<bool, KafkaError> {
        let partitions = if partitions.is_empty() { self.owned() } else { partitions };
        if let Some(stranger) = partitions.iter().find(|partition| !self.partitions.contains_key(partition)) {
            return Err(not_assigned(stranger));
        }
        for partition in &partitions {
            if let Some(reading) = self.partitions.get_mut(partition) {
                let is_paused = reading.is_paused;
                *reading = Reading { reset: Some(Pending { at, lost: None }), is_paused, ..Reading::default() };
            }
        }
        self.listing.retain(|_, listing| !listing.partitions.iter().any(|partition| partitions.contains(partition)));
        Ok(true)
    }

    fn set_paused(&mut self, partitions: &[TopicPartition], is_paused: bool) -> Result<bool, KafkaError> {
        for partition in partitions {
            let Some(reading) = self.partitions.get_mut(partition) else { return Err(not_assigned(partition)) };
            reading.is_paused = is_paused;
        }
        Ok(true)
    }

    fn call_enforce(&mut self) -> Result<bool, KafkaError> {
        if self.plan.settings.member.group.is_none() {
            let text = "Tried to force a rebalance but consumer does not have a group.";
            return Err(KafkaError::new("", "IllegalStateException", text));
        }
        self.enforce_rebalance();
        Ok(true)
    }
}

fn exclusive() -> KafkaError {
    let text = "Subscription to topics, partitions and pattern are mutually exclusive";
    KafkaError::new("", "IllegalStateException", text)
}

fn not_assigned(partition: &TopicPartition) -> KafkaError {
    let text = format!("No current assignment for partition {partition}");
    KafkaError::new("", "IllegalStateException", text)
}
