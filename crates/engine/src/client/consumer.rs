//! The consumer: an application that polls, positions that are committed, and a membership.
//!
//! Follows `ClassicKafkaConsumer`, `ConsumerCoordinator` and `SubscriptionState` of Kafka 4.3.1; where the consumer
//! protocol differs, `AsyncKafkaConsumer`. It builds on the reader of `client/reader.rs`, which fetches and knows
//! positions: a reader with `Reader::consumer` has an application around it.
//!
//! Two threads are told apart. The **user thread** (`thread.rs`) runs the application: it is in `poll` all the time,
//! works on records, runs callbacks, or waits in a call. The **other thread** is the heartbeat thread of the classic
//! protocol, or the network thread of the consumer protocol; it runs while the user thread does not.
//!
//! A protocol plugs in at `membership.rs`, which hands every question to the protocol in use: `classic.rs` has
//! JoinGroup and SyncGroup, `network.rs` and `protocol.rs` have heartbeats that do all (KIP-848). A protocol
//! * runs its own thread in `wake_membership`, its part of `poll` in `poll_membership`,
//! * asks for callbacks with `Reader::call_back`: they run one after the other in the user thread, before anything
//!   that comes after them; `called_back` tells when each has returned,
//! * changes what is owned with `Reader::own`,
//! * leaves in steps (`leave`) when the application unsubscribes or closes.

mod calls;
mod classic;
mod closing;
mod commits;
mod coordinator;
mod librdkafka;
mod membership;
mod network;
mod pattern;
mod polling;
mod positions;
pub(crate) mod protocol;
pub(crate) mod settings;
#[cfg(test)]
mod tests;
mod thread;
mod view;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use super::consumer_call::{ConsumerCall, Topics};
use super::reader::{Reader, Reading};
use crate::error::KafkaError;
use crate::event::{EventKind, Name, TopicPartition};
use crate::group::{ClientMemberState, GroupEvent};
use crate::message::{ClusterImage, Payload};
use crate::outbox::Outbox;
use crate::scenario::ConsumerPlan;
use crate::snapshot::ClientProcess;
use crate::time::Time;

use commits::Commits;
use coordinator::Coordinator;
use membership::Membership;
use polling::Completed;
use positions::Lookup;
use thread::Thread;

/// What a reader has besides when an application polls it.
#[derive(Clone, Debug)]
pub(crate) struct Consumer {
    /// What the application subscribes to.
    pub subscription: Option<Topics>,
    /// `assign` was called.
    pub is_manual: bool,
    /// `SubscriptionState.subscription`: the topics that were named, or that match the pattern.
    pub topics: BTreeSet<Name>,
    pub thread: Thread,
    pub membership: Membership,
    pub coordinator: Coordinator,
    pub commits: Commits,
    /// Fetched and not polled yet, in order of arrival.
    pub buffer: VecDeque<Completed>,
    /// The question for committed offsets that is on its way.
    pub lookup: Option<Lookup>,
    /// Errors of fetches that the next `poll` throws.
    pub failures: VecDeque<KafkaError>,
    /// Answers that wait for a thread that looks at the network.
    pub inbox: VecDeque<Rc<Payload>>,
    /// The cluster as the last metadata had it.
    pub image: Rc<ClusterImage>,
    /// Metadata answers so far.
    pub metadata_version: u64,
    /// Records that its group had processed before.
    pub repeated_count: u64,
    /// The state that was told last.
    pub told_state: ClientMemberState,
    /// What it owns has changed, and that was not told yet.
    pub is_assignment_new: bool,
    /// What only consumers of librdkafka have.
    pub library: librdkafka::Own,
}

impl Consumer {
    /// A consumer that has not started.
    pub fn new(plan: &ConsumerPlan, instance: u32) -> Consumer {
        Consumer {
            subscription: None,
            is_manual: !plan.assign.is_empty(),
            topics: BTreeSet::new(),
            thread: Thread::new(plan),
            membership: Membership::new(plan, instance),
            coordinator: Coordinator::default(),
            commits: Commits::default(),
            buffer: VecDeque::new(),
            lookup: None,
            failures: VecDeque::new(),
            inbox: VecDeque::new(),
            image: Rc::default(),
            metadata_version: 0,
            repeated_count: 0,
            told_state: ClientMemberState::Unsubscribed,
            is_assignment_new: false,
            library: librdkafka::Own::default(),
        }
    }
}

impl Reader {
    /// The consumer around this reader.
    pub(super) fn inner(&self) -> &Consumer {
        self.consumer.as_ref().expect("only consumers come here")
    }

    /// The same to change it.
    pub(super) fn inner_mut(&mut self) -> &mut Consumer {
        self.consumer.as_mut().expect("only consumers come here")
    }

    /// The consumer's process starts: it subscribes and polls.
    pub(super) fn start_consumer(&mut self, outbox: &mut Outbox) {
        for text in &self.plan.warnings {
            outbox.emit(EventKind::Warned { client: self.node(), text: text.as_str().into() });
        }
        match self.plan.subscription.clone() {
            Some(topics) => self.subscribe(topics, outbox),
            None => self.want_assigned(outbox.now()),
        }
    }

    /// Looks at everything once: timeouts, the other thread, the user thread, metadata.
    pub(super) fn run_consumer(&mut self, outbox: &mut Outbox) {
        self.expire(outbox);
        if self.inner().thread.is_closed {
            return;
        }
        self.expire_coordinator(outbox);
        self.watch_poll(outbox);
        self.wake_membership(outbox);
        self.advance(outbox);
        self.tell_state(outbox);
        if !self.inner().thread.is_closed {
            self.refresh_metadata(outbox);
        }
    }

    /// When the consumer has to look again.
    pub(super) fn consumer_due(&self, now: Time) -> Option<Time> {
        let consumer = self.inner();
        if consumer.thread.is_closed {
            return None;
        }
        let due = [
            consumer.thread.due(now),
            consumer.coordinator.due(),
            consumer.commits.due(self.plan.settings.member.auto_commit.is_some() && self.is_in_poll(now)),
            consumer.lookup.as_ref().map(Lookup::due),
            self.membership_due(now),
            self.poll_limit_due(now),
        ];
        due.into_iter().flatten().filter(|at| *at > now).min()
    }

    /// An answer of a coordinator arrived. It waits if no thread looks at the network.
    pub(super) fn consumer_answer(&mut self, answer: &Rc<Payload>, outbox: &mut Outbox) {
        if self.is_network_polled(outbox.now()) {
            self.take_answer(answer, outbox);
        } else {
            self.inner_mut().inbox.push_back(Rc::clone(answer));
        }
        self.run(outbox);
    }

    /// Takes answers that have waited.
    pub(super) fn take_inbox(&mut self, outbox: &mut Outbox) {
        while let Some(answer) = self.inner_mut().inbox.pop_front() {
            self.take_answer(&answer, outbox);
        }
    }

    fn take_answer(&mut self, answer: &Payload, outbox: &mut Outbox) {
        match answer {
            Payload::FindCoordinatorAnswer { request, result } => self.coordinator_found(*request, result, outbox),
            Payload::OffsetCommitAnswer { request, results } => self.committed(*request, results, outbox),
            Payload::OffsetFetchAnswer { request, result } => self.offsets_fetched(*request, result, outbox),
            other => self.membership_answer(other, outbox),
        }
    }

    /// Sets what is owned (`SubscriptionState.assignFromSubscribed`): kept partitions keep their positions.
    pub(super) fn own(&mut self, partitions: &[TopicPartition], outbox: &mut Outbox) {
        let owned: BTreeSet<TopicPartition> = crate::order::set(partitions.iter().cloned());
        let before: BTreeSet<TopicPartition> = crate::order::set(self.partitions.keys().cloned());
        if before == owned {
            return;
        }
        self.partitions.retain(|partition, _| owned.contains(partition));
        for partition in &owned {
            if !before.contains(partition) {
                self.partitions.insert(partition.clone(), Reading::default());
            }
        }
        self.inner_mut().buffer.retain(|completed| owned.contains(&completed.partition));
        self.inner_mut().is_assignment_new = true;
        let _ = outbox;
    }

    /// Tells what it owns once the callbacks that belong to a change have returned.
    pub(super) fn tell_assignment(&mut self, outbox: &mut Outbox) {
        if std::mem::take(&mut self.inner_mut().is_assignment_new) {
            self.tell(GroupEvent::AssignmentChanged { consumer: self.name(), owned: self.owned() }, outbox);
        }
    }

    /// The application calls a method. A consumer that is closed throws.
    pub(super) fn take_call(&mut self, call: ConsumerCall, command: u64, outbox: &mut Outbox) {
        if self.inner().thread.is_closed {
            return outbox.throw(command, closing::closed());
        }
        self.inner_mut().thread.calls.push_back((call, command));
        self.run(outbox);
    }

    /// Its process stands still, goes on, or has died.
    pub(super) fn process_changed(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        match self.process {
            ClientProcess::Running => {}
            ClientProcess::Frozen => {
                self.leave_poll(now);
                self.inner_mut().thread.was_frozen = true;
            }
            ClientProcess::Crashed => self.finish_work(now, outbox),
        }
    }

    /// Fresh metadata is about to be taken over: a pattern may match other topics.
    pub(super) fn see_topics(&mut self, image: &Rc<ClusterImage>, outbox: &mut Outbox) {
        let consumer = self.inner_mut();
        consumer.image = Rc::clone(image);
        consumer.metadata_version += 1;
        self.match_pattern(outbox);
        self.find_topics(outbox);
    }

    /// What it owns, in order of topic and number.
    pub(super) fn owned(&self) -> Vec<TopicPartition> {
        self.partitions.keys().cloned().collect()
    }

    /// Tells what happened to it.
    pub(super) fn tell(&self, event: GroupEvent, outbox: &mut Outbox) {
        outbox.emit(EventKind::Group(event));
    }

    /// Its name on the stage.
    pub(super) fn name(&self) -> Name {
        Rc::clone(&self.plan.name)
    }

    /// Partitions of a topic, as the metadata has it; none if it does not know the topic.
    pub(super) fn partition_count(&self, topic: &Name) -> Option<u32> {
        self.metadata.topics.get(topic).map(|known| known.leaders.len() as u32)
    }

    /// All topics that the last metadata had, with their partition counts.
    pub(super) fn all_topics(&self) -> BTreeMap<Name, u32> {
        let topics = self.inner().image.topics.iter();
        crate::order::map(topics.map(|(name, topic)| (Rc::clone(name), topic.partitions.len() as u32)))
    }
}
