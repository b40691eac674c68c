//! A replica on a broker: its log, and what its broker knows about leader and in-sync set.
//!
//! Follows `Partition` and `Replica` of Kafka 4.3.1. Requests are handled in the files beside it; this one
//! holds the arithmetic of the high watermark and of "caught up".

use std::collections::VecDeque;
use std::rc::Rc;

use crate::message::PartitionImage;
use crate::storage::Log;
use crate::time::{Duration, Time};

/// A replica.
#[derive(Clone, Debug)]
pub(crate) struct Replica {
    pub log: Log,
    /// Number of its topic: a topic that was deleted and created again is another one.
    pub topic_number: u64,
    pub leader_epoch: u32,
    pub partition_epoch: u32,
    pub role: Role,
    /// `leader.replication.throttled.replicas` names it.
    pub leader_throttled: bool,
    /// `follower.replication.throttled.replicas` names it.
    pub follower_throttled: bool,
    /// First offset of the oldest segment, once the time at which retention could take it is known.
    pub watched: Option<u64>,
}

/// What a replica is at the moment.
#[derive(Clone, Debug)]
pub(crate) enum Role {
    /// Its broker knows no leader.
    Idle,
    /// It follows a leader.
    Follower { leader: u32, is_in_sync: bool },
    /// It leads. Behind a pointer, because the others have nothing like it.
    Leader(Box<Leadership>),
}

/// What a leader knows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leadership {
    /// The in-sync replicas that the controller knows of.
    pub isr: Vec<u32>,
    /// A change that was proposed to the controller.
    pub pending: Option<PendingIsr>,
    /// Log end offset when it became leader.
    pub epoch_start: u64,
    /// min(`min.insync.replicas`, replicas).
    pub min_isr: u32,
    /// The other replicas.
    pub remotes: Vec<Remote>,
    /// Produce requests that wait for the high watermark: the offset, the request, and which of its batches.
    pub waiting: VecDeque<(u64, u64, u32)>,
}

/// A proposed in-sync set.
#[derive(Clone, Debug)]
pub(crate) struct PendingIsr {
    pub isr: Vec<u32>,
    pub is_expansion: bool,
    /// The request that proposed it last.
    pub request: u64,
}

/// A follower as its leader sees it (`ReplicaState`).
#[derive(Clone, Debug)]
pub(crate) struct Remote {
    pub id: u32,
    /// Unknown until its first fetch.
    pub log_end_offset: Option<u64>,
    pub log_start_offset: u64,
    /// When it last had all that the leader had.
    pub last_caught_up: Time,
    last_fetch: Time,
    /// The leader's log end offset at that fetch.
    end_at_last_fetch: u64,
    pub broker_epoch: u64,
}

impl Remote {
    /// A replica that a new leader knows nothing about. Members of the in-sync set count as caught up.
    fn new(id: u32, is_in_sync: bool, now: Time, leader_end: u64) -> Remote {
        let caught_up = if is_in_sync { now } else { Time::ZERO };
        let end_at_last_fetch = leader_end;
        Remote {
            id,
            log_end_offset: None,
            log_start_offset: 0,
            last_caught_up: caught_up,
            last_fetch: caught_up,
            end_at_last_fetch,
            broker_epoch: 0,
        }
    }

    /// It fetches from `offset` on (`Replica.updateFetchStateOrThrow`).
    pub fn fetched(&mut self, offset: u64, broker_epoch: u64, now: Time, leader_end: u64) {
        if offset >= leader_end {
            self.last_caught_up = self.last_caught_up.max(now);
        } else if offset >= self.end_at_last_fetch {
            self.last_caught_up = self.last_caught_up.max(self.last_fetch);
        }
        self.log_end_offset = Some(offset);
        self.broker_epoch = broker_epoch;
        self.last_fetch = now;
        self.end_at_last_fetch = leader_end;
    }

    /// The leader is about to append: until now, fetches of this session that told nothing new were fetches
    /// of a follower that has everything.
    pub fn before_append(&mut self, last_fetch: Time, leader_end: u64) {
        if self.log_end_offset == Some(leader_end) {
            self.last_caught_up = self.last_caught_up.max(last_fetch);
            self.last_fetch = self.last_fetch.max(last_fetch);
        }
    }

    /// `Replica.isCaughtUp`.
    pub fn is_caught_up(&self, leader_end: u64, now: Time, lag_max: Duration) -> bool {
        self.log_end_offset == Some(leader_end) || now.since(self.last_caught_up) <= lag_max
    }
}

impl Leadership {
    /// Takes over an image. `was_leading`: in the epoch before it led, too, and remembers its followers.
    pub fn renewed(
        before: Option<Leadership>,
        image: &PartitionImage,
        own: u32,
        log_end: u64,
        now: Time,
    ) -> Leadership {
        let mut known = before.unwrap_or_default();
        let remotes = image.replicas.iter().filter(|id| **id != own).map(|id| {
            let mut remote = Remote::new(*id, image.isr.contains(id), now, log_end);
            if let Some(old) = known.remotes.iter().find(|remote| remote.id == *id) {
                remote.log_end_offset = old.log_end_offset;
                remote.broker_epoch = old.broker_epoch;
            }
            remote
        });
        Leadership {
            remotes: remotes.collect(),
            isr: image.isr.clone(),
            pending: None,
            epoch_start: log_end,
            min_isr: 1,
            waiting: std::mem::take(&mut known.waiting),
        }
    }

    /// The same epoch with another in-sync set or other replicas.
    pub fn update(&mut self, image: &PartitionImage, own: u32, now: Time, log_end: u64) {
        self.isr.clone_from(&image.isr);
        self.pending = None;
        self.remotes.retain(|remote| image.replicas.contains(&remote.id));
        for id in image.replicas.iter().filter(|id| **id != own) {
            if !self.remotes.iter().any(|remote| remote.id == *id) {
                self.remotes.push(Remote::new(*id, false, now, log_end));
            }
        }
    }

    /// The larger one of the in-sync sets that may be in force (`maximalIsr`).
    pub fn maximal_isr(&self) -> &[u32] {
        match &self.pending {
            Some(pending) if pending.is_expansion => &pending.isr,
            _ => &self.isr,
        }
    }

    /// Whether acks=all is refused.
    pub fn is_under_min_isr(&self) -> bool {
        (self.isr.len() as u32) < self.min_isr
    }

    /// The offset that the high watermark may move to (`maybeIncrementLeaderHW`); nothing while the in-sync
    /// set is too small. `may_join`: whether a replica outside the in-sync set could join it.
    pub fn high_watermark(
        &self,
        log_end: u64,
        now: Time,
        lag_max: Duration,
        may_join: impl Fn(&Remote) -> bool,
    ) -> Option<u64> {
        let maximal = self.maximal_isr();
        if self.is_under_min_isr() {
            return None;
        }
        let counts = |remote: &&Remote| {
            maximal.contains(&remote.id) || (remote.is_caught_up(log_end, now, lag_max) && may_join(remote))
        };
        let mut lowest = log_end;
        for remote in self.remotes.iter().filter(counts) {
            lowest = lowest.min(remote.log_end_offset?);
        }
        Some(lowest)
    }

    /// A follower.
    pub fn remote_mut(&mut self, id: u32) -> Option<&mut Remote> {
        self.remotes.iter_mut().find(|remote| remote.id == id)
    }

    /// Whether a follower may be about to leave the in-sync set.
    pub fn has_laggard(&self, log_end: u64) -> bool {
        self.remotes.iter().any(|remote| remote.log_end_offset != Some(log_end) && self.isr.contains(&remote.id))
    }
}

impl Replica {
    /// What it knows as leader, if it leads.
    pub fn leadership(&self) -> Option<&Leadership> {
        match &self.role {
            Role::Leader(leadership) => Some(leadership),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub fn leadership_mut(&mut self) -> Option<&mut Leadership> {
        match &mut self.role {
            Role::Leader(leadership) => Some(leadership),
            _ => None,
        }
    }

    /// Log and leadership at once, if it leads.
    pub fn leading(&mut self) -> Option<(&mut Log, &mut Leadership)> {
        match &mut self.role {
            Role::Leader(leadership) => Some((&mut self.log, leadership)),
            _ => None,
        }
    }

    /// Rough size in bytes of what a checkpoint holds for it: nothing but a pointer if an older one holds
    /// the same.
    pub fn own_bytes(replica: &Rc<Replica>) -> u64 {
        if Rc::strong_count(replica) > 2 {
            return size_of::<Rc<Replica>>() as u64;
        }
        let leadership = replica.leadership().map_or(0, |leadership| {
            size_of::<Leadership>()
                + leadership.remotes.len() * size_of::<Remote>()
                + leadership.waiting.len() * 24
                + leadership.isr.len() * 4
        });
        size_of::<Replica>() as u64 + leadership as u64 + replica.log.own_bytes()
    }
}
