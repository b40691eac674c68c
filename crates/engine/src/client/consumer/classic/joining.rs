//! What `poll` does for a membership: prepare, join, take the assignment.
//!
//! Follows `ConsumerCoordinator.poll`, `AbstractCoordinator.joinGroupIfNeeded`, `onJoinPrepare` and `onJoinComplete` of
//! Kafka 4.3.1. Everything here is done in steps: what has to wait for callbacks or answers goes on in a later pass.

use std::collections::BTreeSet;
use std::rc::Rc;

use assignor::client::Assignor;

use super::{Completing, Join, Preparing, Sent, State};
use crate::client::consumer::commits::Failure;
use crate::client::consumer::pattern::Pattern;
use crate::client::consumer_call::Topics;
use crate::client::reader::Reader;
use crate::error::KafkaError;
use crate::event::{Api, Name, RefreshReason, TopicPartition};
use crate::group::Callback;
use crate::limits::JOINS_AT_ONCE_MAX;
use crate::message::group::Subscription;
use crate::message::{JoinGroup, Payload};
use crate::outbox::Outbox;
use crate::queue::Target;
use crate::time::{Duration, Time};

/// How long librdkafka waits after a JoinGroup that failed for good before it tries again, as recorded.
const JOIN_PAUSE: Duration = Duration::from_secs(2);

impl Reader {
    /// `ConsumerCoordinator.poll`. False while it waits for the group.
    pub(in crate::client::consumer) fn poll_classic(&mut self, outbox: &mut Outbox) -> Result<bool, KafkaError> {
        if !self.is_auto_assigned() {
            return Ok(true);
        }
        if self.plan.settings.member.assignors.is_empty() {
            let text = "User configured partition.assignment.strategy to empty while trying to subscribe for group \
                        protocol to auto assign partitions";
            return Err(KafkaError::new("", "IllegalStateException", text));
        }
        let has_callback_behind = self.classic().preparing.is_some() || self.classic().completing.is_some();
        if !has_callback_behind {
            if let Some(error) = self.classic_mut().heartbeats.failed.take() {
                self.stop_heartbeats();
                return Err(error);
            }
            self.inner_mut().thread.polled = outbox.now();
        }
        self.join_if_needed(outbox)
    }

    /// `joinGroupIfNeeded`, without waiting.
    pub(in crate::client::consumer) fn join_if_needed(&mut self, outbox: &mut Outbox) -> Result<bool, KafkaError> {
        loop {
            if self.classic().completing.is_some() {
                if !self.complete_join(outbox) {
                    return Ok(false);
                }
                continue;
            }
            if self.classic().preparing.is_none() && self.coordinator(outbox).is_none() {
                return Ok(false);
            }
            if !self.rejoin_needed() {
                return Ok(true);
            }
            if self.classic().not_before > outbox.now() || !self.has_fresh_metadata() {
                return Ok(false);
            }
            self.classic_mut().heartbeats.is_alive = true;
            if self.classic().needs_prepare && !self.prepare_join(outbox) {
                return Ok(false);
            }
            match &self.classic().join {
                Join::None => {
                    if self.may_not_join() || self.coordinator(outbox).is_none() {
                        return Ok(false);
                    }
                    self.send_join(outbox);
                    return Ok(false);
                }
                Join::Sent(_) => return Ok(false),
                Join::Leading(_) => {
                    if !self.assign_group(outbox) {
                        return Ok(false);
                    }
                }
                Join::Ready(assigned) => {
                    let assigned = assigned.clone();
                    self.begin_completing(assigned, outbox);
                }
                Join::Failed(failure) => {
                    let failure = failure.clone();
                    self.join_failed(failure, outbox)?;
                }
            }
        }
    }

    /// `rejoinNeededOrPending`.
    fn rejoin_needed(&mut self) -> bool {
        self.look_at_metadata();
        if self.has_metadata_changed() {
            self.classic_mut().assignment_snapshot = None;
            self.request_rejoin_if_necessary("cached metadata has changed");
        }
        let topics = &self.inner().topics;
        // librdkafka looks once it has joined: what changes meanwhile makes it join again.
        let looks = !self.is_librdkafka() || matches!(self.classic().join, Join::None);
        if looks && self.classic().joined_subscription.as_ref().is_some_and(|joined| joined != topics) {
            self.request_rejoin_if_necessary("subscription has changed");
            self.classic_mut().joined_subscription = None;
        }
        let classic = self.classic();
        classic.rejoin_needed || !matches!(classic.join, Join::None)
    }

    /// The metadata of a leader have lost its topics: that is a change to it, so a group rebalances after its only
    /// broker was away. Simplified: Kafka compares once the coordinator is found, and by then metadata that have come
    /// back may hide it.
    pub(in crate::client::consumer) fn classic_rebootstrapped(&mut self) {
        if self.classic_mut().assignment_snapshot.take().is_some() {
            self.request_rejoin_if_necessary("cached metadata has changed");
        }
    }

    fn request_rejoin_if_necessary(&mut self, reason: &str) {
        if !self.classic().rejoin_needed {
            self.request_rejoin(reason);
        }
    }

    /// A pattern is matched against fresh metadata before each join (`ensureFreshMetadata`).
    fn has_fresh_metadata(&mut self) -> bool {
        let is_pattern = matches!(self.inner().subscription, Some(Topics::Pattern(_)));
        let is_new = matches!(self.classic().join, Join::None) && self.classic().preparing.is_none();
        if !is_pattern || !is_new {
            return true;
        }
        let version = self.inner().metadata_version;
        match self.classic().awaited_version {
            Some(awaited) => version > awaited,
            None => {
                self.metadata.request(RefreshReason::FirstUse);
                self.classic_mut().awaited_version = Some(version);
                false
            }
        }
    }

    /// `onJoinPrepare`. Whether it is done.
    fn prepare_join(&mut self, outbox: &mut Outbox) -> bool {
        loop {
            match self.classic().preparing.clone() {
                None => {
                    let since = outbox.now();
                    let committing = Preparing::Committing { since, request: None, not_before: since };
                    self.classic_mut().preparing = Some(committing);
                    let holds = self.plan.settings.member.auto_commit.is_some() && !self.is_librdkafka();
                    if holds && !self.classic().is_cooperative {
                        // What is to be given up is not read any further.
                        self.partitions.values_mut().for_each(|reading| reading.is_held = true);
                    }
                    if !self.commit_before_join(outbox) {
                        return false;
                    }
                }
                Some(Preparing::Committing { .. }) => {
                    if !self.is_committed_before_join(outbox) {
                        return false;
                    }
                    self.revoke_before_join();
                    if self.has_callbacks() {
                        return false;
                    }
                }
                Some(Preparing::Revoking { kept }) => {
                    self.own(&kept, outbox);
                    self.partitions.values_mut().for_each(|reading| reading.is_held = false);
                    let classic = self.classic_mut();
                    classic.is_leader = false;
                    classic.group_topics.clear();
                    classic.preparing = None;
                    classic.needs_prepare = false;
                    return true;
                }
            }
        }
    }

    /// Sends the commit before a join. False if it has to be waited for.
    fn commit_before_join(&mut self, outbox: &mut Outbox) -> bool {
        let retry = outbox.now() + self.plan.settings.member.retry_backoff.0;
        // librdkafka commits once the callback has returned.
        let sent = if self.is_librdkafka() { None } else { self.auto_commit_waited(outbox) };
        let Some(Preparing::Committing { request, not_before, .. }) = &mut self.classic_mut().preparing else {
            return true;
        };
        match sent {
            Some(Ok(id)) => {
                *request = Some(id);
                false
            }
            Some(Err(failure)) if failure.is_retriable => {
                *not_before = retry;
                false
            }
            _ => true,
        }
    }

    /// Whether the commit before a join is over: done, failed for good, or too late.
    fn is_committed_before_join(&mut self, outbox: &mut Outbox) -> bool {
        let now = outbox.now();
        let Some(Preparing::Committing { since, request, not_before }) = self.classic().preparing else { return true };
        if since + self.plan.settings.member.poll_interval_max <= now {
            return true;
        }
        match request {
            Some(id) => match self.inner_mut().commits.take_result(id) {
                None => false,
                Some(Err(failure)) if failure.is_retriable => {
                    let not_before = now + self.plan.settings.member.retry_backoff.0;
                    let committing = Preparing::Committing { since, request: None, not_before };
                    self.classic_mut().preparing = Some(committing);
                    false
                }
                Some(_) => true,
            },
            None if not_before > now => false,
            None if not_before > since => self.commit_before_join(outbox),
            None => true,
        }
    }

    /// The callback before a join: everything by an eager protocol, else what it does not subscribe to any more.
    fn revoke_before_join(&mut self) {
        let owned = self.owned();
        let classic = self.classic();
        let (callback, given, kept) = if classic.has_lost_all() {
            (Callback::Lost, owned, Vec::new())
        } else if classic.is_cooperative {
            let topics = &self.inner().topics;
            let (kept, given) = owned.into_iter().partition(|partition| topics.contains(&partition.topic));
            (Callback::Revoked, given, kept)
        } else {
            (Callback::Revoked, owned, Vec::new())
        };
        let is_eager = !classic.is_cooperative && callback == Callback::Revoked;
        self.classic_mut().preparing = Some(Preparing::Revoking { kept });
        if !given.is_empty() || is_eager {
            self.call_back(callback, given);
        }
    }

    /// `sendJoinGroupRequest`.
    fn send_join(&mut self, outbox: &mut Outbox) {
        let Some(broker) = self.inner().coordinator.broker else { return };
        let member = &self.plan.settings.member;
        let payload = Payload::JoinGroup(JoinGroup {
            group: self.group(),
            member: Rc::clone(&self.classic().member),
            instance: member.instance.clone(),
            client_id: Rc::clone(&self.plan.client_id),
            protocol_type: "consumer".into(),
            protocols: self.subscriptions(),
            session_timeout: member.session_timeout,
            rebalance_timeout: member.poll_interval_max,
            can_skip_assignment: !self.is_librdkafka(),
            reason: Rc::clone(&self.classic().rejoin_reason),
            sender: Target::Consumer(self.number),
        });
        let request = self.send(Api::JoinGroup, broker, payload, true, outbox);
        let deadline = outbox.now() + self.join_timeout();
        if self.classic().joined_subscription.is_none() {
            // Another subscription asks for new metadata, which are there before the group is.
            self.classic_mut().metadata_snapshot = self.watched_topics();
        }
        let topics = self.inner().topics.clone();
        let classic = self.classic_mut();
        classic.joined_subscription = Some(topics);
        classic.state = State::Preparing;
        classic.lost = None;
        classic.heartbeats.is_enabled = false;
        classic.join = Join::Sent(Sent {
            request,
            broker,
            deadline,
            generation: classic.generation,
            member: Rc::clone(&classic.member),
        });
        self.tell_state(outbox);
    }

    /// What the member tells the leader, for each of its assignors.
    fn subscriptions(&self) -> Vec<(Name, Rc<Subscription>)> {
        let classic = self.classic();
        let subscription = |assignor: &Assignor| {
            let user_data = match assignor {
                Assignor::Sticky => {
                    classic.sticky.clone().map(|(partitions, generation)| (partitions, Some(generation)))
                }
                Assignor::CooperativeSticky => Some((Vec::new(), Some(classic.cooperative_generation))),
                Assignor::Range | Assignor::RoundRobin => None,
            };
            let subscription = Subscription {
                topics: self.inner().topics.iter().cloned().collect(),
                owned: self.owned(),
                generation: classic.generation,
                rack: self.plan.settings.rack.clone(),
                user_data,
            };
            (Name::from(assignor.name()), Rc::new(subscription))
        };
        self.plan.settings.member.assignors.iter().map(subscription).collect()
    }

    /// A join failed: at once again, after a pause, or out of `poll`.
    fn join_failed(&mut self, failure: Failure, outbox: &mut Outbox) -> Result<(), KafkaError> {
        let exception = failure.error.exception.clone();
        self.classic_mut().join = Join::None;
        let error = failure.error.error.as_str();
        if error != "MEMBER_ID_REQUIRED" {
            self.request_rejoin(&format!("rebalance failed due to {exception}"));
        }
        let is_at_once = matches!(
            error,
            "UNKNOWN_MEMBER_ID" | "ILLEGAL_GENERATION" | "REBALANCE_IN_PROGRESS" | "MEMBER_ID_REQUIRED"
        );
        if is_at_once && self.may_join_at_once(outbox.now()) {
            return Ok(());
        }
        if !failure.is_retriable && !is_at_once && self.is_librdkafka() {
            self.classic_mut().not_before = outbox.now() + JOIN_PAUSE;
            return Err(failure.error);
        }
        if !failure.is_retriable && !is_at_once {
            return Err(failure.error);
        }
        self.classic_mut().not_before = outbox.now() + self.plan.settings.member.retry_backoff.0;
        Ok(())
    }

    /// Whether a join that failed is tried again without a pause. Simplified: Kafka's client does so as often as it takes,
    /// which a network slows down; here requests may take no time at all.
    fn may_join_at_once(&mut self, now: Time) -> bool {
        let (last, count) = &mut self.classic_mut().failed_joins;
        *count = if *last == now { *count + 1 } else { 1 };
        *last = now;
        *count <= JOINS_AT_ONCE_MAX
    }

    /// The beginning of `onJoinComplete`: what is not assigned any more is given up first.
    fn begin_completing(&mut self, assigned: Vec<TopicPartition>, outbox: &mut Outbox) {
        let classic = self.classic();
        if classic.has_no_generation() || classic.state != State::Stable {
            let reason = "rebalance failed since the generation/state was modified by heartbeat thread before the \
                          rebalance callback triggered";
            let classic = self.classic_mut();
            classic.reset(reason, true);
            classic.join = Join::None;
            return;
        }
        let classic = self.classic_mut();
        classic.told = (classic.generation, Rc::clone(&classic.member));
        classic.awaited_version = None;
        if !classic.is_leader {
            classic.assignment_snapshot = None;
        }
        let is_cooperative = classic.is_cooperative;
        if self.is_librdkafka() {
            let snapshot = self.watched_topics();
            let classic = self.classic_mut();
            classic.metadata_snapshot = snapshot.clone();
            classic.assignment_snapshot = Some(snapshot);
        } else if !self.matches_subscription(&assigned) {
            self.request_rejoin("received assignment does not match the current subscription");
            self.end_join();
            return;
        }
        let assigned: BTreeSet<TopicPartition> = crate::order::set(assigned);
        let owned = self.owned();
        let is_new = |partition: &&TopicPartition| !self.partitions.contains_key(*partition);
        let added = assigned.iter().filter(is_new).cloned().collect();
        let revoked: Vec<TopicPartition> =
            owned.into_iter().filter(|partition| is_cooperative && !assigned.contains(partition)).collect();
        let has_revoked = !revoked.is_empty();
        let assigned = assigned.into_iter().collect();
        self.classic_mut().completing = Some(Completing::Revoking { assigned, added, has_revoked });
        if has_revoked {
            self.call_back(Callback::Revoked, revoked);
        }
        let _ = outbox;
    }

    /// `checkAssignmentMatchedSubscription`.
    fn matches_subscription(&self, assigned: &[TopicPartition]) -> bool {
        let consumer = self.inner();
        match &consumer.subscription {
            Some(Topics::Pattern(text)) => Pattern::new(text)
                .is_ok_and(|pattern| assigned.iter().all(|partition| pattern.matches(&partition.topic))),
            _ => assigned.iter().all(|partition| consumer.topics.contains(&partition.topic)),
        }
    }

    /// The rest of `onJoinComplete`, as far as callbacks have returned. False if they have not.
    fn complete_join(&mut self, outbox: &mut Outbox) -> bool {
        if self.has_callbacks() {
            return false;
        }
        match self.classic_mut().completing.take() {
            Some(Completing::Revoking { assigned, added, has_revoked }) => {
                if has_revoked {
                    self.request_rejoin("need to revoke partitions and re-join");
                }
                self.remember_assignment(&assigned);
                if !self.is_librdkafka() {
                    self.reschedule_auto_commit(outbox.now());
                    self.own(&assigned, outbox);
                }
                self.classic_mut().completing = Some(Completing::Assigning);
                self.call_back(Callback::Assigned, added);
                false
            }
            _ => {
                self.end_join();
                true
            }
        }
    }

    /// `ConsumerPartitionAssignor.onAssignment` of the assignor that was chosen.
    fn remember_assignment(&mut self, assigned: &[TopicPartition]) {
        let classic = self.classic_mut();
        let generation = classic.told.0;
        match classic.protocol.as_deref().and_then(Assignor::from_name) {
            Some(Assignor::Sticky) => classic.sticky = Some((assigned.to_vec(), generation)),
            Some(Assignor::CooperativeSticky) => classic.cooperative_generation = generation,
            _ => {}
        }
    }

    /// `resetJoinGroupFuture`: the next join begins with `onJoinPrepare`.
    fn end_join(&mut self) {
        let classic = self.classic_mut();
        classic.join = Join::None;
        classic.needs_prepare = true;
    }
}
