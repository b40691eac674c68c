//! Share groups at a broker: share partitions of the partitions that it leads, share sessions, and whoever waits.
//!
//! Follows `SharePartitionManager`, `DelayedShareFetch` and `ShareSessionCache` of Kafka 4.3.1. What a share partition
//! makes of a request is in `partition.rs`; its state lies with a share coordinator, which `persister.rs` asks. Which
//! members a group has and who gets which partition is not known here. Simplified: a fetch that finds nothing waits
//! until something comes, as long as its member goes on polling; Kafka's is answered after `fetch.max.wait.ms`, and
//! the member asks again.

mod acknowledging;
mod acquiring;
mod fetching;
mod opening;
mod partition;
pub(crate) mod persister;
mod view;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::Broker;
use crate::coordinator::writing::Asker;
use crate::error::KafkaError;
use crate::event::internal::ShareKey;
use crate::event::{EventKind, Name, TopicPartition};
use crate::outbox::Outbox;
use crate::queue::{Target, Timer};
use crate::share::ShareEvent;
use crate::time::Time;

use partition::{SharePartition, ShareRules};
pub(crate) use view::share_partitions;

use fetching::Serving;
use persister::{Call, CallFor};

/// What a broker knows of share groups.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shares {
    partitions: BTreeMap<ShareKey, Hosted>,
    /// Share sessions, by group and member.
    sessions: BTreeMap<(Name, Name), Session>,
    /// Requests that are not answered yet, by their ids.
    requests: BTreeMap<u64, Serving>,
    /// Questions to share coordinators, by number.
    calls: BTreeMap<u64, Call>,
    next_call: u64,
    /// The timer that is set.
    alarm: Option<Time>,
}

/// A share partition of which this broker leads the partition.
#[derive(Clone, Debug)]
enum Hosted {
    /// Its state is asked for.
    Opening,
    Open(Rc<SharePartition>),
}

/// A member's share session.
#[derive(Clone, Copy, Debug)]
struct Session {
    epoch: i32,
    /// Whose connection it belongs to.
    owner: Target,
}

impl Shares {
    /// The process ends. Questions go on being counted, so that no answer is taken for another one's.
    pub fn stop(&mut self) {
        *self = Shares { next_call: self.next_call, ..Shares::default() };
    }

    /// Rough size in bytes of what a checkpoint copies.
    pub fn own_bytes(&self) -> u64 {
        let waiting = self.requests.len() * 256 + self.calls.len() * 192;
        (self.partitions.len() * 96 + self.sessions.len() * 64 + waiting) as u64
    }

    fn open_mut(&mut self, key: &ShareKey) -> Option<&mut SharePartition> {
        match self.partitions.get_mut(key) {
            Some(Hosted::Open(open)) => Some(Rc::make_mut(open)),
            _ => None,
        }
    }
}

impl Broker {
    /// The settings of a share group.
    fn share_rules(&self, group: &str) -> ShareRules {
        let view = self.view();
        let number = |name: &str| view.group(group, name).trim().parse::<u64>().unwrap_or(0);
        ShareRules {
            lock_duration: crate::time::Duration::from_millis(number("share.record.lock.duration.ms")),
            delivery_limit: number("share.delivery.count.limit").min(u64::from(u16::MAX)) as u16,
            locks_max: number("share.partition.max.record.locks").min(u64::from(u32::MAX)) as u32,
            may_renew: view.group(group, "share.renew.acknowledge.enable").trim().eq_ignore_ascii_case("true"),
        }
    }

    /// The epoch of a share session, checked and counted on. Acknowledgements alone do not open one.
    fn share_session(
        &mut self,
        asker: &Asker,
        group: &Name,
        member: &Name,
        epoch: i32,
        may_open: bool,
    ) -> Result<(), KafkaError> {
        let key = (Rc::clone(group), Rc::clone(member));
        if epoch == 0 {
            if !may_open {
                return Err(KafkaError::protocol("INVALID_SHARE_SESSION_EPOCH"));
            }
            self.shares.sessions.insert(key, Session { epoch: 1, owner: asker.sender });
            return Ok(());
        }
        let session = self.shares.sessions.get_mut(&key);
        let session = session.ok_or_else(|| KafkaError::protocol("SHARE_SESSION_NOT_FOUND"))?;
        if epoch == persister::FINAL_EPOCH {
            return Ok(());
        }
        if epoch != session.epoch {
            return Err(KafkaError::protocol("INVALID_SHARE_SESSION_EPOCH"));
        }
        session.epoch = epoch.checked_add(1).unwrap_or(1);
        Ok(())
    }

    /// A session ends: what its member holds goes back, by these writes.
    fn end_share_session(&mut self, group: &Name, member: &Name, outbox: &mut Outbox) -> BTreeSet<(ShareKey, u64)> {
        let mut writes = BTreeSet::new();
        self.shares.sessions.remove(&(Rc::clone(group), Rc::clone(member)));
        let rules = self.share_rules(group);
        let keys: Vec<ShareKey> = self.shares.partitions.keys().filter(|key| key.group == *group).cloned().collect();
        for key in keys {
            let Some(open) = self.shares.open_mut(&key) else { continue };
            let effects = open.release(member, &rules);
            writes.extend(effects.write.as_ref().map(|write| (key.clone(), write.id)));
            self.carry_out_share(&key, effects, outbox);
        }
        self.forget_unused(group);
        writes
    }

    /// `onGroupEmpty`: without a session a group's share partitions are closed, once nothing of them is being written.
    fn forget_unused(&mut self, group: &Name) {
        if self.shares.sessions.keys().any(|(other, _)| other == group) {
            return;
        }
        self.shares
            .partitions
            .retain(|key, hosted| key.group != *group || matches!(hosted, Hosted::Open(open) if open.is_writing()));
    }

    /// The connection of a client broke: its sessions end, and nobody waits for answers.
    pub(crate) fn share_client_lost(&mut self, client: Target, outbox: &mut Outbox) {
        self.shares.requests.retain(|_, serving| serving.asker.sender != client);
        let owned = self.shares.sessions.iter().filter(|(_, session)| session.owner == client);
        let owned: Vec<(Name, Name)> = owned.map(|(key, _)| key.clone()).collect();
        for (group, member) in owned {
            self.end_share_session(&group, &member, outbox);
        }
    }

    /// Tells what happened, and has written what is to be written.
    fn carry_out_share(&mut self, key: &ShareKey, effects: partition::ShareEffects, outbox: &mut Outbox) {
        tell(effects.events, outbox);
        if let Some(write) = effects.write {
            self.call_share_coordinator(key.clone(), CallFor::Write { id: write.id, state: write.state }, outbox);
        }
        self.arm_shares(outbox);
    }

    /// This broker does not lead a partition any more: nobody is served from its memory.
    pub(crate) fn share_resigned(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        if self.shares.partitions.is_empty() {
            return;
        }
        let keys = self.shares.partitions.keys().filter(|key| key.partition == *partition).cloned();
        for key in keys.collect::<Vec<_>>() {
            self.drop_share_partition(&key, &KafkaError::protocol("NOT_LEADER_OR_FOLLOWER"), outbox);
        }
    }

    /// Closes a share partition; whoever waits for one of its writes learns why.
    fn drop_share_partition(&mut self, key: &ShareKey, error: &KafkaError, outbox: &mut Outbox) {
        self.shares.partitions.remove(key);
        let lost: Vec<u64> =
            self.shares.calls.iter().filter(|(_, call)| call.is_of_leader(key)).map(|(id, _)| *id).collect();
        for call in lost {
            let Some(call) = self.shares.calls.remove(&call) else { continue };
            if let CallFor::Write { id, .. } = call.what {
                self.share_acknowledged(key, id, Err(error.clone()), outbox);
            }
        }
        self.look_at_share_fetches(std::slice::from_ref(&key.partition), outbox);
    }

    /// Timers: locks, fetches that have waited for long enough, and questions that are asked again.
    pub(super) fn shares_woke(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        if self.shares.alarm.is_none_or(|set| set > now) {
            return;
        }
        self.shares.alarm = None;
        self.expire_locks(outbox);
        self.expire_share_fetches(outbox);
        self.expire_share_calls(outbox);
        self.arm_shares(outbox);
    }

    fn expire_locks(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let is_due =
            |hosted: &Hosted| matches!(hosted, Hosted::Open(open) if open.next_due().is_some_and(|due| due <= now));
        let due = self.shares.partitions.iter().filter(|(_, hosted)| is_due(hosted)).map(|(key, _)| key.clone());
        for key in due.collect::<Vec<_>>() {
            let rules = self.share_rules(&key.group);
            let Some(open) = self.shares.open_mut(&key) else { continue };
            let effects = open.expire(&rules, now);
            self.carry_out_share(&key, effects, outbox);
            self.look_at_share_fetches(std::slice::from_ref(&key.partition), outbox);
        }
    }

    /// Sets the timer for the first thing that is due.
    fn arm_shares(&mut self, outbox: &mut Outbox) {
        let lock = |hosted: &Hosted| match hosted {
            Hosted::Open(open) => open.next_due(),
            Hosted::Opening => None,
        };
        let locks = self.shares.partitions.values().filter_map(lock);
        let fetches = self.shares.requests.values().filter_map(|serving| serving.deadline);
        let calls = self.shares.calls.values().map(Call::due);
        let Some(due) = locks.chain(fetches).chain(calls).min() else { return };
        if self.shares.alarm.is_none_or(|set| due < set) {
            self.shares.alarm = Some(due);
            outbox.wake(self.target(), due, Timer::Shares);
        }
    }
}

fn tell(events: Vec<ShareEvent>, outbox: &mut Outbox) {
    for event in events {
        outbox.emit(EventKind::Share(event));
    }
}
