//! What a follower's fetch is answered with: data, news, and how much of it may leave now.
//!
//! Follows `ReplicaManager.readFromLog` and `ReplicationQuotaManager` of Kafka 4.3.1. Whose turn it is to
//! be answered is decided in `session.rs`.

use std::rc::Rc;

use super::Broker;
use super::replica::Replica;
use super::session::{Followed, Parked};
use crate::event::{BatchView, MessageView, TopicPartition};
use crate::message::{Payload, ReplicaAnswer, ReplicaFetched};
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};
use crate::storage::batch::Batch;

/// Why a session is looked at.
pub(super) enum Occasion {
    /// A request came; some of its partitions have errors. `is_once`: it does not wait.
    Asked { message: Rc<MessageView>, failed: Vec<ReplicaFetched>, is_once: bool },
    /// Something may be there to fetch.
    Data,
    /// `replica.fetch.wait.max.ms` is over.
    Expired,
}

/// How many bytes an answer may still take.
struct Budget {
    bytes: u64,
    /// Bytes of throttled partitions that were granted; without a grant they are only counted.
    granted: Option<u64>,
    held_back: u64,
}

impl Broker {
    /// Looks through what may be told to a follower, and answers or parks its fetch.
    pub(super) fn serve(&mut self, follower: u32, occasion: Occasion, outbox: &mut Outbox) {
        let Some(session) = self.sessions.get_mut(&follower) else { return };
        let is_due = matches!(occasion, Occasion::Expired);
        let (parked, mut told, is_once) = match occasion {
            Occasion::Asked { message, failed, is_once } => (Parked { message, since: outbox.now() }, failed, is_once),
            Occasion::Data | Occasion::Expired => match session.parked.take() {
                Some(parked) => (parked, Vec::new(), false),
                None => return,
            },
        };
        let is_told_all = is_due || is_once || !told.is_empty();
        let has_quiet = self.look_through(follower, is_told_all, &mut told, outbox);
        if !told.is_empty() || is_once {
            self.answer_replica_fetch(&parked.message, told, is_once, outbox);
            return;
        }
        let wait = self.settings.fetch_wait;
        let session = self.sessions.get_mut(&follower).expect("it was just there");
        session.parked = Some(parked);
        if has_quiet && let Some(expiry) = session.arm(outbox.now(), wait) {
            outbox.wake(Target::Broker(self.number), expiry, Timer::ReplicaFetchExpired { follower });
        }
    }

    /// What there is to tell. Offsets alone are told when they were asked for, or along with something else;
    /// true if some are left for later.
    fn look_through(
        &mut self,
        follower: u32,
        is_told_all: bool,
        told: &mut Vec<ReplicaFetched>,
        outbox: &mut Outbox,
    ) -> bool {
        let now = outbox.now();
        let session = self.sessions.get_mut(&follower).expect("the caller has it");
        let granted = session.granted.filter(|(ready, _)| *ready <= now).map(|(_, bytes)| bytes);
        let mut budget = Budget { bytes: u64::from(self.settings.response_bytes), granted, held_back: 0 };
        let mut quiet = Vec::new();
        for _ in 0..session.news.len() {
            let partition = session.news.pop_front().expect("its length was just taken");
            let Some(followed) = session.partitions.get_mut(&partition) else { continue };
            followed.is_listed = false;
            let Some(replica) = self.replicas.get(&partition).filter(|replica| replica.leadership().is_some()) else {
                continue;
            };
            let is_throttled = self.leader_throttle.is_on() && is_throttled(replica, follower);
            let batches = read(replica, followed, is_throttled, self.settings.fetch_bytes, &mut budget);
            let is_named = std::mem::take(&mut followed.is_named);
            let has_offsets = followed.told_high_watermark != Some(replica.log.high_watermark)
                || followed.told_log_start != replica.log.log_start_offset
                || followed.told_remote_end != replica.log.remote_end();
            let has_more = batches.is_empty() && followed.fetch_offset < replica.log.log_end_offset;
            if !batches.is_empty() || (is_named && has_offsets) {
                told.push(tell(partition.clone(), replica, followed, batches));
            } else if has_offsets {
                quiet.push(partition.clone());
            }
            if has_more {
                followed.is_listed = true;
                session.news.push_back(partition);
            }
        }
        let has_quiet = !quiet.is_empty() && !is_told_all && told.is_empty();
        for partition in quiet {
            let followed = session.partitions.get_mut(&partition).expect("it was just there");
            if !has_quiet {
                let replica = self.replicas.get(&partition).expect("it was just there");
                told.push(tell(partition, replica, followed, Vec::new()));
            } else if !followed.is_listed {
                followed.is_listed = true;
                session.news.push_back(partition);
            }
        }
        if granted.is_some() {
            session.granted = None;
        }
        if budget.held_back > 0 && session.granted.is_none() {
            let ready = self.leader_throttle.take(now, now, budget.held_back);
            session.granted = Some((ready, budget.held_back));
            outbox.wake(Target::Broker(self.number), ready, Timer::ThrottleFree { follower });
        }
        has_quiet
    }

    fn answer_replica_fetch(
        &mut self,
        message: &MessageView,
        told: Vec<ReplicaFetched>,
        is_once: bool,
        outbox: &mut Outbox,
    ) {
        let mut views: Vec<BatchView> = Vec::new();
        for fetched in &told {
            if let ReplicaAnswer::Records { batches, .. } = &fetched.answer {
                views.extend(batches.iter().map(|batch| batch.view(&fetched.partition)));
            }
        }
        let bytes = views.iter().map(|view| u64::from(view.size_bytes)).sum();
        let crate::event::NodeId::Broker { id } = message.from else { panic!("followers are brokers") };
        let is_notable = is_once || !views.is_empty();
        let payload = Payload::ReplicaFetchAnswer { request: message.id, partitions: told };
        let mut parcel = Parcel::answer(message, outbox.broker_target(id), payload, is_notable);
        parcel.batches = views;
        parcel.held_until = self.uplink.take(outbox.now(), outbox.now(), bytes);
        outbox.send(parcel);
    }
}

/// Whether what a follower gets of this replica counts against the leader's throttle: only while it is not
/// in sync.
fn is_throttled(replica: &Replica, follower: u32) -> bool {
    let is_in_sync = replica.leadership().is_some_and(|leadership| leadership.isr.contains(&follower));
    replica.leader_throttled && !is_in_sync
}

/// Batches for a follower, within what the answer may hold.
fn read(
    replica: &Replica,
    followed: &Followed,
    is_throttled: bool,
    bytes_max: u32,
    budget: &mut Budget,
) -> Vec<Rc<Batch>> {
    let log = &replica.log;
    let room = budget.bytes.min(u64::from(bytes_max));
    if followed.fetch_offset >= log.log_end_offset || room == 0 || (is_throttled && budget.granted == Some(0)) {
        return Vec::new();
    }
    let batches = log.read(followed.fetch_offset, room as u32, log.log_end_offset);
    let bytes: u64 = batches.iter().map(|batch| u64::from(batch.size_bytes)).sum();
    if is_throttled {
        let Some(granted) = &mut budget.granted else {
            budget.held_back += bytes;
            return Vec::new();
        };
        *granted = granted.saturating_sub(bytes);
    }
    budget.bytes = budget.bytes.saturating_sub(bytes);
    batches
}

fn tell(
    partition: TopicPartition,
    replica: &Replica,
    followed: &mut Followed,
    batches: Vec<Rc<Batch>>,
) -> ReplicaFetched {
    let (high_watermark, log_start_offset) = (replica.log.high_watermark, replica.log.log_start_offset);
    followed.told_high_watermark = Some(high_watermark);
    followed.told_log_start = log_start_offset;
    let remote = Rc::clone(replica.log.remote());
    followed.told_remote_end = replica.log.remote_end();
    ReplicaFetched { partition, answer: ReplicaAnswer::Records { batches, high_watermark, log_start_offset, remote } }
}
