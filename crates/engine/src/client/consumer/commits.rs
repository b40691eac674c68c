//! Commits: by the application with and without waiting, by a timer, before rebalances.
//!
//! Follows `ConsumerCoordinator.commitOffsetsSync` and its kin of Kafka 4.3.1. What an error means is the
//! membership's business.

use std::collections::{BTreeMap, VecDeque};

use super::librdkafka;
use super::membership::Identity;
use super::thread::Frame;
use crate::client::reader::Reader;
use crate::error::KafkaError;
use crate::event::{Api, TopicPartition};
use crate::group::{CommitKind, GroupEvent};
use crate::message::{OffsetCommit, Payload};
use crate::outbox::Outbox;
use crate::queue::Target;
use crate::time::Time;

/// Offsets by partition.
pub(super) type Offsets = Vec<(TopicPartition, u64)>;

/// Commits of a consumer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Commits {
    /// On their way, by request.
    sent: BTreeMap<u64, Sent>,
    /// What came of those that somebody waits for.
    results: BTreeMap<u64, Result<(), Failure>>,
    /// `commitAsync` calls whose callback has not run yet.
    returned: VecDeque<Returned>,
    /// `commitAsync` calls that wait for the coordinator.
    waiting: VecDeque<(Offsets, Option<u64>)>,
    /// When the next automatic commit is due.
    next_auto: Option<Time>,
    /// A commit that nobody waited for was fenced: every `poll` throws from then on (`asyncCommitFenced`).
    pub is_fenced: bool,
    /// The last committed offsets that it knows of.
    pub known: BTreeMap<TopicPartition, u64>,
}

#[derive(Clone, Debug)]
struct Sent {
    offsets: Offsets,
    origin: Origin,
    broker: u32,
    deadline: Time,
    identity: Identity,
}

/// Who committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Somebody waits for the result.
    Waited,
    Async(Option<u64>),
    Auto,
}

#[derive(Clone, Debug)]
struct Returned {
    offsets: Offsets,
    origin: Origin,
    error: Option<Failure>,
}

/// A commit failed.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub error: KafkaError,
    /// A commit that waits is sent again.
    pub is_retriable: bool,
}

/// A `commitSync` that has not returned.
#[derive(Clone, Debug)]
pub(crate) struct SyncCommit {
    offsets: Offsets,
    how: CommitKind,
    command: Option<u64>,
    deadline: Time,
    request: Option<u64>,
    attempts: u32,
    not_before: Time,
    /// In whose name librdkafka commits: as it was when the application called.
    identity: Option<Identity>,
}

impl SyncCommit {
    /// When it goes on by itself.
    pub fn due(&self) -> Time {
        if self.not_before > Time::ZERO && self.request.is_none() { self.not_before } else { self.deadline }
    }
}

impl Commits {
    /// When it has to be looked at.
    pub fn due(&self, commits_automatically: bool) -> Option<Time> {
        let auto = self.next_auto.filter(|_| commits_automatically);
        self.sent.values().map(|sent| sent.deadline).chain(auto).min()
    }

    /// A broker that owes an answer for too long.
    pub fn late(&self, now: Time) -> Option<u32> {
        self.sent.values().find(|sent| sent.deadline <= now).map(|sent| sent.broker)
    }

    /// Whether automatic commits are on their way.
    pub fn has_auto(&self) -> bool {
        self.sent.values().any(|sent| sent.origin == Origin::Auto)
    }

    /// Whether `commitAsync` calls are on their way.
    pub fn has_async(&self) -> bool {
        let is_async = |sent: &Sent| matches!(sent.origin, Origin::Async(_));
        !self.waiting.is_empty() || self.sent.values().any(is_async)
    }

    /// What came of a commit that is waited for.
    pub fn take_result(&mut self, request: u64) -> Option<Result<(), Failure>> {
        self.results.remove(&request)
    }
}

impl Failure {
    /// The coordinator is not known, or the connection to it broke.
    pub fn not_available() -> Failure {
        Failure { error: KafkaError::protocol("COORDINATOR_NOT_AVAILABLE"), is_retriable: true }
    }

    /// What a `commitAsync` callback is given.
    fn asynchronous(self) -> KafkaError {
        if !self.is_retriable {
            return self.error;
        }
        let text = "Offset commit failed with a retriable exception. You should retry committing the latest consumed \
                    offsets.";
        KafkaError::new("", "RetriableCommitFailedException", text).caused_by(self.error)
    }
}

impl Reader {
    /// `SubscriptionState.allConsumed`: the positions of all that it owns. Of librdkafka what was stored and is not
    /// committed yet.
    pub(super) fn consumed(&self) -> Offsets {
        if self.is_librdkafka() {
            return self.stored();
        }
        let positions = self.partitions.iter();
        positions.filter_map(|(partition, reading)| Some((partition.clone(), reading.position?))).collect()
    }

    /// `commitSync`: it returns when the offsets are committed, or throws.
    pub(super) fn commit_sync(&mut self, offsets: Offsets, how: CommitKind, command: Option<u64>, outbox: &mut Outbox) {
        let deadline = outbox.now() + self.plan.settings.member.api_timeout;
        self.commit_sync_until(offsets, how, command, deadline);
    }

    /// The same with another timeout.
    pub(super) fn commit_sync_until(
        &mut self,
        offsets: Offsets,
        how: CommitKind,
        command: Option<u64>,
        deadline: Time,
    ) {
        let commit = SyncCommit {
            offsets,
            how,
            command,
            deadline,
            request: None,
            attempts: 0,
            not_before: Time::ZERO,
            identity: None,
        };
        self.inner_mut().thread.frames.push(Frame::Commit(commit));
    }

    /// Whether the commit got on.
    pub(super) fn step_commit(&mut self, mut commit: SyncCommit, outbox: &mut Outbox) -> bool {
        let now = outbox.now();
        if commit.offsets.is_empty() {
            let error = self.is_librdkafka().then(librdkafka::no_offset);
            return self.finish_sync(commit, error, outbox);
        }
        if let Some(request) = commit.request {
            match self.inner_mut().commits.take_result(request) {
                Some(Ok(())) => return self.finish_sync(commit, None, outbox),
                Some(Err(failure)) if !failure.is_retriable => {
                    return self.finish_sync(commit, Some(failure.error), outbox);
                }
                Some(Err(_)) => self.pause_sync(&mut commit, now),
                None => {}
            }
        }
        if commit.deadline <= now {
            let error = self.sync_timeout(&commit);
            return self.finish_sync(commit, Some(error), outbox);
        }
        if self.is_librdkafka() && commit.identity.is_none() {
            commit.identity = self.commit_identity().ok();
        }
        if commit.request.is_none() && commit.not_before <= now && !self.is_behind_join() {
            let identity = commit.identity.clone().map_or_else(|| self.commit_identity(), Ok);
            let sent = identity
                .and_then(|identity| self.send_commit_as(identity, commit.offsets.clone(), Origin::Waited, outbox));
            match sent {
                Ok(request) => commit.request = Some(request),
                Err(failure) if failure.is_retriable => commit.not_before = Time::ZERO,
                Err(failure) => return self.finish_sync(commit, Some(failure.error), outbox),
            }
        }
        self.inner_mut().thread.frames.push(Frame::Commit(commit));
        false
    }

    fn pause_sync(&mut self, commit: &mut SyncCommit, now: Time) {
        commit.request = None;
        commit.not_before = now + self.retry_pause(commit.attempts);
        commit.attempts += 1;
    }

    fn sync_timeout(&self, commit: &SyncCommit) -> KafkaError {
        if self.is_librdkafka() {
            return librdkafka::timed_out();
        }
        let offset = |(partition, offset): &(TopicPartition, u64)| {
            format!("{partition}=OffsetAndMetadata{{offset={offset}, leaderEpoch=null, metadata=''}}")
        };
        let offsets: Vec<String> = commit.offsets.iter().map(offset).collect();
        let millis = self.plan.settings.member.api_timeout.millis();
        let offsets = offsets.join(", ");
        let text = format!("Timeout of {millis}ms expired before successfully committing offsets {{{offsets}}}");
        KafkaError::new("", "TimeoutException", text)
    }

    fn finish_sync(&mut self, commit: SyncCommit, error: Option<KafkaError>, outbox: &mut Outbox) -> bool {
        if let Some(request) = commit.request {
            self.inner_mut().commits.results.remove(&request);
        }
        self.return_commits(outbox);
        self.tell_commit(commit.how, commit.offsets, error.clone(), outbox);
        match (commit.command, error) {
            (Some(command), Some(error)) => outbox.throw(command, error),
            (Some(command), None) => outbox.finish(command, Ok(None)),
            (None, _) => {}
        }
        true
    }

    fn tell_commit(&mut self, how: CommitKind, offsets: Offsets, error: Option<KafkaError>, outbox: &mut Outbox) {
        let error = error.map(Box::new);
        self.tell(GroupEvent::CommitReturned { consumer: self.name(), how, offsets, error }, outbox);
    }

    /// `commitAsync`: its callback runs in a later call of `poll`, `commitSync`, `commitAsync` or `close`.
    pub(super) fn commit_async(&mut self, offsets: Offsets, command: Option<u64>, outbox: &mut Outbox) {
        self.return_commits(outbox);
        if !offsets.is_empty() && self.coordinator(outbox).is_none() {
            self.inner_mut().commits.waiting.push_back((offsets, command));
            return;
        }
        self.commit_in_background(offsets, Origin::Async(command), outbox);
    }

    fn commit_in_background(&mut self, offsets: Offsets, origin: Origin, outbox: &mut Outbox) {
        let sent =
            if offsets.is_empty() { Ok(()) } else { self.send_commit(offsets.clone(), origin, outbox).map(drop) };
        match sent {
            Ok(()) if !offsets.is_empty() => {}
            result => {
                let error = result.err();
                self.inner_mut().commits.returned.push_back(Returned { offsets, origin, error });
            }
        }
    }

    /// The coordinator is known again: `commitAsync` calls that waited are sent.
    pub(super) fn send_waiting_commits(&mut self, outbox: &mut Outbox) {
        while self.inner().coordinator.broker.is_some()
            && let Some((offsets, command)) = self.inner_mut().commits.waiting.pop_front()
        {
            self.commit_in_background(offsets, Origin::Async(command), outbox);
        }
    }

    /// `invokeCompletedOffsetCommitCallbacks`.
    pub(super) fn return_commits(&mut self, outbox: &mut Outbox) {
        self.send_waiting_commits(outbox);
        while let Some(Returned { offsets, origin, error }) = self.inner_mut().commits.returned.pop_front() {
            match origin {
                Origin::Async(command) => {
                    let error = error.map(Failure::asynchronous);
                    self.tell_commit(CommitKind::Async, offsets, error.clone(), outbox);
                    if let Some(command) = command {
                        outbox.finish(command, error.map_or(Ok(None), Err));
                    }
                }
                Origin::Auto => {
                    if error.as_ref().is_some_and(|failure| failure.is_retriable) {
                        let next = outbox.now() + self.plan.settings.member.retry_backoff.0;
                        self.inner_mut().commits.next_auto = Some(next);
                    }
                    self.tell_commit(CommitKind::Auto, offsets, error.map(Failure::asynchronous), outbox);
                }
                Origin::Waited => {}
            }
        }
    }

    /// `maybeAutoCommitOffsetsAsync`.
    pub(super) fn commit_automatically(&mut self, outbox: &mut Outbox) {
        let Some(interval) = self.plan.settings.member.auto_commit else { return };
        let now = outbox.now();
        match self.inner().commits.next_auto {
            None => self.inner_mut().commits.next_auto = Some(now + interval),
            Some(next) if next <= now => {
                self.inner_mut().commits.next_auto = Some(now + interval);
                self.auto_commit_async(outbox);
            }
            Some(_) => {}
        }
    }

    /// Commits all positions without waiting, as before partitions are given up by `assign`.
    pub(super) fn auto_commit_async(&mut self, outbox: &mut Outbox) {
        let offsets = self.consumed();
        self.auto_commit_of(offsets, outbox);
    }

    /// Commits these without waiting, if commits are automatic.
    pub(super) fn auto_commit_of(&mut self, offsets: Offsets, outbox: &mut Outbox) {
        if self.plan.settings.member.auto_commit.is_some() && !offsets.is_empty() && self.coordinator(outbox).is_some()
        {
            self.commit_in_background(offsets, Origin::Auto, outbox);
        }
    }

    /// Commits all positions and gives back the request; its result is waited for with `take_result`. Nothing if
    /// there is nothing to commit, or nobody to commit to.
    pub(super) fn auto_commit_waited(&mut self, outbox: &mut Outbox) -> Option<Result<u64, Failure>> {
        self.plan.settings.member.auto_commit?;
        let offsets = self.consumed();
        if offsets.is_empty() {
            return None;
        }
        self.coordinator(outbox)?;
        Some(self.send_commit(offsets, Origin::Waited, outbox))
    }

    /// The next automatic commit is a whole interval away.
    pub(super) fn reschedule_auto_commit(&mut self, now: Time) {
        let interval = self.plan.settings.member.auto_commit;
        self.inner_mut().commits.next_auto = interval.map(|interval| now + interval);
    }

    fn send_commit(&mut self, offsets: Offsets, origin: Origin, outbox: &mut Outbox) -> Result<u64, Failure> {
        self.coordinator(outbox).ok_or_else(Failure::not_available)?;
        let identity = self.commit_identity()?;
        self.send_commit_as(identity, offsets, origin, outbox)
    }

    fn send_commit_as(
        &mut self,
        identity: Identity,
        offsets: Offsets,
        origin: Origin,
        outbox: &mut Outbox,
    ) -> Result<u64, Failure> {
        let broker = self.coordinator(outbox).ok_or_else(Failure::not_available)?;
        let payload = Payload::OffsetCommit(OffsetCommit {
            group: self.group(),
            generation: identity.generation,
            member: identity.member.clone(),
            instance: identity.instance.clone(),
            offsets: offsets.clone(),
            sender: Target::Consumer(self.number),
        });
        let request = self.send(Api::OffsetCommit, broker, payload, true, outbox);
        let deadline = outbox.now() + self.plan.settings.member.request_timeout;
        self.inner_mut().commits.sent.insert(request, Sent { offsets, origin, broker, deadline, identity });
        Ok(request)
    }

    /// The coordinator's answer to a commit.
    pub(super) fn committed(
        &mut self,
        request: u64,
        results: &[(TopicPartition, Result<(), KafkaError>)],
        outbox: &mut Outbox,
    ) {
        let Some(sent) = self.inner_mut().commits.sent.remove(&request) else { return };
        self.connections.answered(sent.broker);
        let mut failure = None;
        for (partition, result) in results {
            match result {
                Ok(()) => {
                    let found = sent.offsets.iter().find(|(other, _)| other == partition);
                    if let Some((_, offset)) = found {
                        self.inner_mut().commits.known.insert(partition.clone(), *offset);
                    }
                }
                Err(error) if failure.is_none() => {
                    failure = Some(self.commit_failed(error, partition, &sent.identity, outbox));
                }
                Err(_) => {}
            }
        }
        self.commit_ended(request, sent, failure.map_or(Ok(()), Err));
    }

    fn commit_ended(&mut self, request: u64, sent: Sent, result: Result<(), Failure>) {
        let commits = &mut self.inner_mut().commits;
        match sent.origin {
            Origin::Waited => drop(commits.results.insert(request, result)),
            origin => {
                let error = result.err();
                commits.is_fenced |= error.as_ref().is_some_and(|failure| failure.error.error == "FENCED_INSTANCE_ID");
                commits.returned.push_back(Returned { offsets: sent.offsets, origin, error });
            }
        }
    }

    /// Commits on their way to a broker whose connection broke have failed.
    pub(super) fn commits_lost(&mut self, broker: u32) {
        let commits = &mut self.inner_mut().commits;
        let lost: Vec<(u64, Sent)> = commits.sent.extract_if(.., |_, sent| sent.broker == broker).collect();
        for (request, sent) in lost {
            self.commit_ended(request, sent, Err(Failure::disconnected()));
        }
    }
}

impl Failure {
    fn disconnected() -> Failure {
        Failure { error: KafkaError::new("", "DisconnectException", ""), is_retriable: true }
    }
}
