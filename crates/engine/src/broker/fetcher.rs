//! The follower's side of replication: fetching from leaders, appending, truncating.
//!
//! Follows `AbstractFetcherThread` and `ReplicaFetcherThread` of Kafka 4.3.1 with one fetcher for each
//! leader. Simplified: a fetcher with something new to ask sends a fetch at once; Kafka's waits until its
//! fetch on the way is answered, half a second at most.

use std::rc::Rc;

use super::Broker;
use super::partitions::PartitionMap;
use super::replica::{Replica, Role};
use crate::event::{Api, EventKind, MessageView, NodeId, TopicPartition};
use crate::message::{Payload, ReplicaAnswer, ReplicaFetch, ReplicaFetchPartition, ReplicaFetched};
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};
use crate::storage::RemoteSegments;
use crate::storage::batch::Batch;
use crate::time::Time;

/// The fetches from one leader.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fetcher {
    partitions: PartitionMap<Following>,
    /// Partitions that the next request names, each once.
    changed: Vec<TopicPartition>,
    forgotten: Vec<TopicPartition>,
    /// The session has begun: a request names only what changed.
    has_session: bool,
    in_flight: Option<u64>,
    sent: Time,
    /// The connection broke, when; it is tried again as soon as that can help.
    pub broken_since: Option<Time>,
    retry: Option<Time>,
}

/// A partition of a fetcher.
#[derive(Clone, Debug)]
struct Following {
    is_changed: bool,
    /// After an error, or because of the throttle.
    not_before: Time,
    /// Fenced: nothing is asked until the controller tells something new.
    is_failed: bool,
    /// Answers to requests before this one are about an earlier epoch.
    first_request: u64,
}

/// What an answer means for a partition of the fetcher.
enum Next {
    /// Nothing changed.
    Quiet,
    /// The next request names it.
    Ask,
    /// As `Ask`, after throttled bytes came.
    Throttled(u64),
    /// The next request names it after a pause.
    Later,
    /// It is not asked for any more.
    Never,
}

impl Fetcher {
    /// Follows a partition in a new epoch.
    fn follow(&mut self, partition: &TopicPartition, first_request: u64) {
        let following = Following { is_changed: false, not_before: Time::ZERO, is_failed: false, first_request };
        self.changed.retain(|other| other != partition);
        self.forgotten.retain(|other| other != partition);
        // A new epoch means that the leader is up: there is no reason to wait for the next try.
        self.broken_since = None;
        self.partitions.insert(partition, following);
        self.change(partition);
    }

    fn leave(&mut self, partition: &TopicPartition) {
        if self.partitions.remove(partition).is_some() {
            self.changed.retain(|other| other != partition);
            self.forgotten.push(partition.clone());
        }
    }

    fn change(&mut self, partition: &TopicPartition) {
        if let Some(following) = self.partitions.get_mut(partition)
            && !following.is_changed
        {
            following.is_changed = true;
            self.changed.push(partition.clone());
        }
    }

    /// The connection is new: the next request names everything.
    fn begin_anew(&mut self) {
        self.has_session = false;
        self.in_flight = None;
        self.forgotten.clear();
        for partition in self.partitions.keys() {
            self.change(&partition);
        }
    }

    /// Rough size in bytes.
    pub fn own_bytes(&self) -> u64 {
        (160 + self.partitions.values().count() * 40 + self.changed.len() * 24) as u64
    }
}

impl Broker {
    /// Follows a leader in a partition from now on.
    pub(super) fn follow(&mut self, partition: &TopicPartition, leader: u32, outbox: &Outbox) {
        self.fetchers.entry(leader).or_default().follow(partition, outbox.post.messages);
    }

    /// Follows nobody in a partition any more.
    pub(super) fn leave(&mut self, partition: &TopicPartition) {
        self.fetchers.values_mut().for_each(|fetcher| fetcher.leave(partition));
    }

    /// Sends every fetch that has something new to ask.
    pub(super) fn send_fetches(&mut self, outbox: &mut Outbox) {
        self.fetchers.retain(|_, fetcher| !fetcher.partitions.is_empty());
        let is_new = |fetcher: &Fetcher| {
            fetcher.in_flight.is_none() || !fetcher.changed.is_empty() || !fetcher.forgotten.is_empty()
        };
        let leaders: Vec<u32> =
            self.fetchers.iter().filter(|(_, fetcher)| is_new(fetcher)).map(|(leader, _)| *leader).collect();
        leaders.into_iter().for_each(|leader| self.send_fetch(leader, false, outbox));
    }

    /// Sends a fetch to a leader. `is_once`: although fetches are held, and without waiting there.
    fn send_fetch(&mut self, leader: u32, is_once: bool, outbox: &mut Outbox) {
        let now = outbox.now();
        let Some(fetcher) = self.fetchers.get_mut(&leader) else { return };
        if self.awaits_epoch || (self.fetches_held && !is_once) || fetcher.broken_since.is_some() {
            return;
        }
        let mut partitions = Vec::new();
        let mut later = Vec::new();
        for partition in std::mem::take(&mut fetcher.changed) {
            let Some(following) = fetcher.partitions.get_mut(&partition).filter(|following| !following.is_failed)
            else {
                continue;
            };
            if following.not_before > now {
                later.push(partition);
                continue;
            }
            following.is_changed = false;
            let replica = self.replicas.get(&partition).expect("what is followed is a replica");
            partitions.push(position(partition, replica));
        }
        let retry = later.iter().filter_map(|partition| fetcher.partitions.get(partition)).map(|it| it.not_before);
        if let Some(at) = retry.min().filter(|at| fetcher.retry != Some(*at)) {
            fetcher.retry = Some(at);
            outbox.wake(Target::Broker(self.number), at, Timer::FetchRetry { leader });
        }
        fetcher.changed = later;
        let payload = Payload::ReplicaFetch(ReplicaFetch {
            replica: self.id,
            broker_epoch: self.broker_epoch,
            is_full: !fetcher.has_session,
            is_once,
            partitions,
            forgotten: std::mem::take(&mut fetcher.forgotten),
        });
        fetcher.has_session = true;
        fetcher.sent = now;
        let (from, to) = (NodeId::Broker { id: self.id }, NodeId::Broker { id: leader });
        let target = outbox.broker_target(leader);
        let id = outbox.send(Parcel::request(Api::Fetch, from, to, target, payload, is_once));
        fetcher.in_flight = Some(id);
    }

    /// A leader's answer.
    pub(super) fn replica_fetched(
        &mut self,
        message: &MessageView,
        request: u64,
        partitions: &[ReplicaFetched],
        outbox: &mut Outbox,
    ) {
        let NodeId::Broker { id: leader } = message.from else { panic!("leaders are brokers") };
        let Some(fetcher) = self.fetchers.get_mut(&leader) else { return };
        let is_current = fetcher.in_flight == Some(request);
        if is_current {
            fetcher.in_flight = None;
        }
        let mut readable = Vec::new();
        for fetched in partitions {
            let partition = &fetched.partition;
            let following = self.fetchers.get(&leader).and_then(|fetcher| fetcher.partitions.get(partition));
            if following.is_none_or(|following| request < following.first_request) {
                continue;
            }
            let before = self.replicas.get(partition).map(|replica| replica.log.high_watermark);
            let next = self.take_answer(partition, &fetched.answer, outbox);
            if self.replicas.get(partition).map(|replica| replica.log.high_watermark) > before {
                readable.push(partition.clone());
            }
            self.plan_next(leader, partition, next, outbox);
        }
        self.complete_fetches(&readable, outbox);
        let has_changed = self.fetchers.get(&leader).is_some_and(|fetcher| !fetcher.changed.is_empty());
        if is_current || has_changed {
            self.send_fetch(leader, false, outbox);
        }
    }

    fn plan_next(&mut self, leader: u32, partition: &TopicPartition, next: Next, outbox: &Outbox) {
        let now = outbox.now();
        let fetcher = self.fetchers.get_mut(&leader).expect("its answer is being handled");
        let following = fetcher.partitions.get_mut(partition).expect("its answer is being handled");
        match next {
            Next::Quiet => return,
            Next::Ask => {}
            Next::Throttled(bytes) => following.not_before = self.follower_throttle.take(now, fetcher.sent, bytes),
            Next::Later => following.not_before = now + self.settings.fetch_backoff,
            Next::Never => {
                following.is_failed = true;
                return;
            }
        }
        fetcher.change(partition);
    }

    /// What a leader says about one partition.
    fn take_answer(&mut self, partition: &TopicPartition, answer: &ReplicaAnswer, outbox: &mut Outbox) -> Next {
        match answer {
            ReplicaAnswer::Records { batches, high_watermark, log_start_offset, remote } => {
                self.learn_remote(partition, remote, outbox);
                self.append_fetched(partition, batches, *high_watermark, *log_start_offset, outbox)
            }
            ReplicaAnswer::Diverging { epoch, end_offset } => {
                let log = &self.replicas.get(partition).expect("what is followed is a replica").log;
                let end = log.log_end_offset;
                let to = match log.end_offset_for_epoch(*epoch) {
                    None => log.high_watermark,
                    Some((own, own_end)) if own != *epoch => own_end.min(end),
                    Some((_, own_end)) => own_end.min(end).min(*end_offset),
                };
                self.truncate(partition, to, outbox)
            }
            ReplicaAnswer::OutOfRange { log_start_offset, log_end_offset } => {
                let log = &self.replicas.get(partition).expect("what is followed is a replica").log;
                if log.log_end_offset > *log_end_offset {
                    self.truncate(partition, *log_end_offset, outbox)
                } else if log.log_end_offset < *log_start_offset {
                    self.start_at(partition, *log_start_offset, outbox);
                    Next::Ask
                } else {
                    Next::Later
                }
            }
            ReplicaAnswer::Failed(error) if error.error == "FENCED_LEADER_EPOCH" => Next::Never,
            ReplicaAnswer::Failed(_) => Next::Later,
        }
    }

    fn append_fetched(
        &mut self,
        partition: &TopicPartition,
        batches: &[Rc<Batch>],
        high_watermark: u64,
        leader_start: u64,
        outbox: &mut Outbox,
    ) -> Next {
        let now = outbox.now();
        let replica = Rc::make_mut(self.replicas.get_mut(partition).expect("what is followed is a replica"));
        let is_throttled = replica.is_throttled_follower();
        let high_watermark_before = replica.log.high_watermark;
        let (before, start_before) = (replica.log.log_end_offset, replica.log.log_start_offset);
        let mut rolls = Vec::new();
        let mut bytes = 0;
        for batch in batches.iter().filter(|batch| batch.base_offset >= before) {
            rolls.extend(replica.log.append_as_follower(batch, now));
            bytes += u64::from(batch.size_bytes);
        }
        let log = &mut replica.log;
        let end = log.log_end_offset;
        let high_watermark = high_watermark.min(end);
        let is_advanced = high_watermark > log.high_watermark;
        if is_advanced {
            log.set_high_watermark(high_watermark, now);
        }
        let leader_start = leader_start.min(log.high_watermark);
        let has_start = leader_start > start_before;
        if has_start {
            log.advance_log_start(leader_start);
        }
        rolls.into_iter().for_each(|roll| self.tell_roll(partition, Some(roll), outbox));
        let broker = self.id;
        if end > before {
            outbox.emit(EventKind::BatchReplicated { broker, partition: partition.clone(), log_end_offset: end });
        }
        if is_advanced {
            let partition = partition.clone();
            outbox.emit(EventKind::FollowerHighWatermarkAdvanced { broker, partition, high_watermark });
        }
        if has_start {
            let partition = partition.clone();
            outbox.emit(EventKind::LogStartMoved { broker, partition, log_start_offset: leader_start });
        }
        if has_start {
            self.log_changed(partition, outbox);
        }
        if is_advanced {
            self.high_watermark_moved(partition, high_watermark_before, outbox);
        }
        match (end > before, is_throttled && self.follower_throttle.is_on()) {
            (true, true) => Next::Throttled(bytes),
            (true, false) => Next::Ask,
            (false, _) if has_start => Next::Ask,
            (false, _) => Next::Quiet,
        }
    }

    /// What the leader has copied to remote storage need not stay on the disk here.
    fn learn_remote(&mut self, partition: &TopicPartition, remote: &RemoteSegments, outbox: &mut Outbox) {
        let replica = self.replicas.get_mut(partition).expect("what is followed is a replica");
        if !Rc::ptr_eq(replica.log.remote(), remote) {
            Rc::make_mut(replica).log.set_remote(Rc::clone(remote));
            self.log_changed(partition, outbox);
        }
    }

    fn truncate(&mut self, partition: &TopicPartition, to: u64, outbox: &mut Outbox) -> Next {
        let replica = Rc::make_mut(self.replicas.get_mut(partition).expect("what is followed is a replica"));
        let log = &mut replica.log;
        let (before, epoch) = (log.log_end_offset, log.latest_epoch());
        log.truncate_to(to, outbox.now());
        let log_end_offset = log.log_end_offset;
        let is_same = log.latest_epoch() == epoch;
        if log_end_offset < before {
            let partition = partition.clone();
            outbox.emit(EventKind::LogTruncated { broker: self.id, partition, before, log_end_offset });
        } else if is_same {
            return Next::Later;
        }
        Next::Ask
    }

    /// The leader's log begins after this one ends: begin anew there.
    fn start_at(&mut self, partition: &TopicPartition, offset: u64, outbox: &mut Outbox) {
        let replica = Rc::make_mut(self.replicas.get_mut(partition).expect("what is followed is a replica"));
        let before = replica.log.log_end_offset;
        replica.log.truncate_fully_and_start_at(offset, outbox.now());
        let (broker, log_end_offset) = (self.id, offset);
        outbox.emit(EventKind::LogTruncated { broker, partition: partition.clone(), before, log_end_offset });
        let partition = partition.clone();
        outbox.emit(EventKind::LogStartMoved { broker, partition, log_start_offset: offset });
    }

    /// Partitions that had to wait are asked for again.
    pub(super) fn retry_fetch(&mut self, leader: u32, outbox: &mut Outbox) {
        if let Some(fetcher) = self.fetchers.get_mut(&leader) {
            fetcher.retry = None;
            if !fetcher.changed.is_empty() || fetcher.in_flight.is_none() {
                self.send_fetch(leader, false, outbox);
            }
        }
    }

    /// The connection to a leader broke.
    pub fn leader_disconnected(&mut self, leader: u32, now: Time) {
        if let Some(fetcher) = self.fetchers.get_mut(&leader) {
            fetcher.begin_anew();
            fetcher.broken_since.get_or_insert(now);
        }
    }

    /// A leader can be reached again: its fetcher's next try after `replica.fetch.backoff.ms` gets through.
    pub fn leader_reachable(&mut self, leader: u32, outbox: &mut Outbox) {
        let now = outbox.now();
        let backoff = self.settings.fetch_backoff;
        if let Some(fetcher) = self.fetchers.get_mut(&leader)
            && let Some(since) = fetcher.broken_since
        {
            let tries = now.since(since).0.div_ceil(backoff.0.max(1)).max(1);
            let at = since + crate::time::Duration(tries * backoff.0);
            outbox.wake(Target::Broker(self.number), at, Timer::Reconnect { leader });
        }
    }

    /// A broken connection is tried again, and works.
    pub(super) fn reconnect(&mut self, leader: u32, outbox: &mut Outbox) {
        if let Some(fetcher) = self.fetchers.get_mut(&leader)
            && fetcher.broken_since.take().is_some()
        {
            self.send_fetch(leader, false, outbox);
        }
    }

    /// The process goes on after a pause: what was on its way is not waited for.
    pub fn restart_fetchers(&mut self, outbox: &mut Outbox) {
        for fetcher in self.fetchers.values_mut() {
            fetcher.begin_anew();
            fetcher.broken_since = None;
        }
        self.send_fetches(outbox);
    }

    /// The link to a leader works again: what was on its way is not waited for.
    pub fn restart_fetcher(&mut self, leader: u32, outbox: &mut Outbox) {
        if let Some(fetcher) = self.fetchers.get_mut(&leader) {
            fetcher.begin_anew();
            fetcher.broken_since = None;
        }
        self.send_fetch(leader, false, outbox);
    }

    /// The fetchers stop asking by themselves.
    pub fn hold_fetches(&mut self) {
        self.fetches_held = true;
        self.fetchers.values_mut().for_each(|fetcher| fetcher.in_flight = None);
    }

    /// The fetchers ask by themselves again.
    pub fn release_fetches(&mut self, outbox: &mut Outbox) {
        self.fetches_held = false;
        self.send_fetches(outbox);
    }

    /// One fetch from each leader although fetches are held.
    pub fn fetch_once(&mut self, outbox: &mut Outbox) {
        let leaders: Vec<u32> = self.fetchers.keys().copied().collect();
        leaders.into_iter().for_each(|leader| self.send_fetch(leader, true, outbox));
    }
}

/// Where a follower stands.
fn position(partition: TopicPartition, replica: &Replica) -> ReplicaFetchPartition {
    ReplicaFetchPartition {
        partition,
        fetch_offset: replica.log.log_end_offset,
        last_fetched_epoch: replica.log.latest_epoch(),
        leader_epoch: replica.leader_epoch,
        log_start_offset: replica.log.log_start_offset,
    }
}

impl Replica {
    /// Whether what it fetches counts against the follower's throttle: only while it is not in sync.
    fn is_throttled_follower(&self) -> bool {
        self.follower_throttled && !matches!(self.role, Role::Follower { is_in_sync: true, .. })
    }
}
