//! The leader's side of replication: fetch sessions of followers, and what is answered when.
//!
//! Follows `ReplicaManager.fetchMessages`, `DelayedFetch` and `FetchSession` (KIP-227) of Kafka 4.3.1.
//! A fetch that finds nothing is parked. Kafka's ends after `replica.fetch.wait.max.ms` and is sent again;
//! nobody could tell the difference, so here it stays until there is something to say, and what it could
//! say late waits for the moment at which Kafka's would end.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use super::Broker;
use super::partitions::PartitionMap;
use super::produce::not_leader;
use super::serve::Occasion;
use crate::error::KafkaError;
use crate::event::{MessageView, TopicPartition};
use crate::message::{ReplicaAnswer, ReplicaFetch, ReplicaFetchPartition, ReplicaFetched};
use crate::outbox::Outbox;
use crate::queue::{Target, Timer};
use crate::time::{Duration, Time};

/// The fetch session of one follower.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(super) partitions: PartitionMap<Followed>,
    /// Partitions that may have something to tell, each once.
    pub(super) news: VecDeque<TopicPartition>,
    pub(super) parked: Option<Parked>,
    /// When the last request came.
    asked: Time,
    /// A timer that ends the parked fetch is set for this time.
    expiry: Option<Time>,
    /// Throttled bytes that may leave, and when.
    pub(super) granted: Option<(Time, u64)>,
    /// Partitions whose in-sync set was last looked at while the follower's fetch was on its way.
    pub(super) passed_over: BTreeSet<TopicPartition>,
}

#[derive(Clone, Debug)]
pub(super) struct Parked {
    pub message: Rc<MessageView>,
    pub since: Time,
}

/// A partition of a session.
#[derive(Clone, Debug)]
pub(super) struct Followed {
    pub fetch_offset: u64,
    pub told_high_watermark: Option<u64>,
    pub told_log_start: u64,
    pub told_remote_end: u64,
    pub is_listed: bool,
    /// The request at hand names it: it is told what it does not know.
    pub is_named: bool,
}

impl Session {
    fn new(now: Time) -> Session {
        Session {
            partitions: PartitionMap::default(),
            news: VecDeque::new(),
            parked: None,
            asked: now,
            expiry: None,
            granted: None,
            passed_over: BTreeSet::new(),
        }
    }

    /// When the follower fetched last, counting the fetches that are not sent because nothing is new.
    fn last_fetch(&self, now: Time, wait: Duration) -> Time {
        match &self.parked {
            Some(parked) => parked.since + Duration(whole_waits(parked.since, now, wait) * wait.0),
            None => self.asked,
        }
    }

    /// The partition may have something to tell.
    fn list(&mut self, partition: &TopicPartition) {
        if let Some(followed) = self.partitions.get_mut(partition)
            && !followed.is_listed
        {
            followed.is_listed = true;
            self.news.push_back(partition.clone());
        }
    }

    /// A request names the partition.
    fn name(&mut self, asked: &ReplicaFetchPartition) {
        if self.partitions.get(&asked.partition).is_none() {
            let followed = Followed {
                fetch_offset: 0,
                told_high_watermark: None,
                told_log_start: 0,
                told_remote_end: 0,
                is_listed: false,
                is_named: false,
            };
            self.partitions.insert(&asked.partition, followed);
        }
        let followed = self.partitions.get_mut(&asked.partition).expect("it was just inserted");
        followed.fetch_offset = asked.fetch_offset;
        followed.is_named = true;
        self.list(&asked.partition);
    }

    /// When the parked fetch would end, as a time to set a timer for; nothing if one is set already.
    pub(super) fn arm(&mut self, now: Time, wait: Duration) -> Option<Time> {
        let parked = self.parked.as_ref().filter(|_| self.expiry.is_none())?;
        let expiry = parked.since + Duration((whole_waits(parked.since, now, wait) + 1) * wait.0);
        self.expiry = Some(expiry);
        Some(expiry)
    }

    /// Rough size in bytes.
    pub fn own_bytes(&self) -> u64 {
        (256 + self.partitions.values().count() * 48 + (self.news.len() + self.passed_over.len()) * 24) as u64
    }
}

fn whole_waits(since: Time, now: Time, wait: Duration) -> u64 {
    now.since(since).0 / wait.0.max(1)
}

impl Broker {
    /// A follower fetches.
    pub(super) fn replica_fetch(&mut self, message: &Rc<MessageView>, fetch: &ReplicaFetch, outbox: &mut Outbox) {
        let now = outbox.now();
        if fetch.is_full {
            self.sessions.insert(fetch.replica, Session::new(now));
        }
        let Some(session) = self.sessions.get_mut(&fetch.replica) else {
            // The connection that the session belonged to is gone.
            let sender = outbox.broker_target(fetch.replica);
            outbox.refuse(self.id, sender);
            return;
        };
        session.parked = None;
        session.asked = now;
        for partition in &fetch.forgotten {
            session.partitions.remove(partition);
        }
        let mut failed = Vec::new();
        let mut readable = Vec::new();
        for asked in &fetch.partitions {
            match self.check_replica_fetch(fetch.replica, asked) {
                Err(answer) => {
                    self.sessions.get_mut(&fetch.replica).expect("seen above").partitions.remove(&asked.partition);
                    failed.push(ReplicaFetched { partition: asked.partition.clone(), answer });
                }
                Ok(()) => {
                    self.sessions.get_mut(&fetch.replica).expect("seen above").name(asked);
                    if self.follower_fetched(fetch, asked, outbox) {
                        readable.push(asked.partition.clone());
                    }
                }
            }
        }
        self.look_again(fetch.replica, outbox);
        self.complete_fetches(&readable, outbox);
        let occasion = Occasion::Asked { message: Rc::clone(message), failed, is_once: fetch.is_once };
        self.serve(fetch.replica, occasion, outbox);
    }

    fn check_replica_fetch(&self, follower: u32, asked: &ReplicaFetchPartition) -> Result<(), ReplicaAnswer> {
        let failed = |error: KafkaError| Err(ReplicaAnswer::Failed(error));
        let Some(replica) = self.replicas.get(&asked.partition) else {
            return failed(self.not_hosted(&asked.partition));
        };
        let Some(leadership) = replica.leadership() else { return failed(not_leader()) };
        if asked.leader_epoch < replica.leader_epoch {
            let text = "The leader epoch in the request is older than the epoch on the broker.";
            return failed(KafkaError::new("FENCED_LEADER_EPOCH", "FencedLeaderEpochException", text));
        }
        if asked.leader_epoch > replica.leader_epoch {
            let text = "The leader epoch in the request is newer than the epoch on the broker.";
            return failed(KafkaError::new("UNKNOWN_LEADER_EPOCH", "UnknownLeaderEpochException", text));
        }
        if !leadership.remotes.iter().any(|remote| remote.id == follower) {
            return failed(not_leader());
        }
        let log = &replica.log;
        if let Some(epoch) = asked.last_fetched_epoch
            && let Some((known, end_offset)) = log.end_offset_for_epoch(epoch)
            && (known < epoch || end_offset < asked.fetch_offset)
        {
            return Err(ReplicaAnswer::Diverging { epoch: known, end_offset });
        }
        if asked.fetch_offset < log.log_start_offset || asked.fetch_offset > log.log_end_offset {
            let (log_start_offset, log_end_offset) = (log.log_start_offset, log.log_end_offset);
            return Err(ReplicaAnswer::OutOfRange { log_start_offset, log_end_offset });
        }
        Ok(())
    }

    /// The leader learns where a follower stands; true if the high watermark moved.
    fn follower_fetched(&mut self, fetch: &ReplicaFetch, asked: &ReplicaFetchPartition, outbox: &mut Outbox) -> bool {
        let replica = self.replicas.get_mut(&asked.partition).expect("it was checked");
        let (log, leadership) = Rc::make_mut(replica).leading().expect("it was checked");
        let log_end = log.log_end_offset;
        let remote = leadership.remote_mut(fetch.replica).expect("it was checked");
        let is_news = remote.log_end_offset != Some(asked.fetch_offset);
        remote.log_start_offset = asked.log_start_offset;
        remote.fetched(asked.fetch_offset, fetch.broker_epoch, outbox.now(), log_end);
        self.expand_isr(&asked.partition, fetch.replica, outbox);
        is_news && self.advance_high_watermark(&asked.partition, outbox)
    }

    /// Tells the sessions of a partition's followers that there may be something.
    pub(super) fn list_news(&mut self, partition: &TopicPartition, is_data: bool, outbox: &mut Outbox) {
        let wait = self.settings.fetch_wait;
        let Some(leadership) = self.replicas.get(partition).and_then(|replica| replica.leadership()) else { return };
        for remote in &leadership.remotes {
            let Some(session) = self.sessions.get_mut(&remote.id) else { continue };
            session.list(partition);
            if !is_data && let Some(expiry) = session.arm(outbox.now(), wait) {
                let timer = Timer::ReplicaFetchExpired { follower: remote.id };
                outbox.wake(Target::Broker(self.number), expiry, timer);
            }
        }
    }

    /// Answers parked fetches of followers that data has come for.
    pub(super) fn serve_followers(&mut self, outbox: &mut Outbox) {
        let has_news = |(_, session): &(&u32, &Session)| session.parked.is_some() && !session.news.is_empty();
        let mut after = None;
        // One after the other, because answering changes the sessions.
        while let Some(follower) = self
            .sessions
            .range(after.map_or(0, |last: u32| last + 1)..)
            .find(|(id, session)| has_news(&(id, session)))
            .map(|(id, _)| *id)
        {
            self.serve(follower, Occasion::Data, outbox);
            after = Some(follower);
        }
    }

    /// A parked fetch has waited for `replica.fetch.wait.max.ms`.
    pub(super) fn replica_fetch_expired(&mut self, follower: u32, outbox: &mut Outbox) {
        let (now, wait) = (outbox.now(), self.settings.fetch_wait);
        let Some(session) = self.sessions.get_mut(&follower) else { return };
        session.expiry = None;
        let Some(parked) = session.parked.as_ref().filter(|_| !session.news.is_empty()) else { return };
        if now > parked.since && now.since(parked.since).0.is_multiple_of(wait.0.max(1)) {
            self.serve(follower, Occasion::Expired, outbox);
        } else if let Some(expiry) = session.arm(now, wait) {
            outbox.wake(Target::Broker(self.number), expiry, Timer::ReplicaFetchExpired { follower });
        }
    }

    /// A throttle lets the next bytes through.
    pub(super) fn throttle_free(&mut self, follower: u32, outbox: &mut Outbox) {
        self.serve(follower, Occasion::Data, outbox);
    }

    /// The follower's connection broke or it does not ask any more: its parked fetch will not be answered.
    pub fn withdraw_fetch(&mut self, follower: u32, now: Time) {
        let wait = self.settings.fetch_wait;
        if let Some(session) = self.sessions.get_mut(&follower) {
            session.asked = session.last_fetch(now, wait);
            session.parked = None;
        }
    }

    /// Whether a follower's fetch is parked here.
    pub(super) fn is_fetching(&self, follower: u32) -> bool {
        self.sessions.get(&follower).is_some_and(|session| session.parked.is_some())
    }

    /// The leader is about to append to a partition.
    pub(super) fn before_append(&mut self, partition: &TopicPartition, now: Time) {
        let wait = self.settings.fetch_wait;
        let Some(replica) = self.replicas.get_mut(partition) else { return };
        let Some((log, leadership)) = Rc::make_mut(replica).leading() else { return };
        let log_end = log.log_end_offset;
        for remote in &mut leadership.remotes {
            if let Some(session) = self.sessions.get(&remote.id) {
                remote.before_append(session.last_fetch(now, wait), log_end);
            }
        }
    }
}
