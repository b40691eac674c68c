//! What becomes of one partition: its in-sync set, its eligible replicas, its leader and its epochs.
//!
//! Follows `PartitionChangeBuilder` and `PartitionReassignmentReplicas` of Kafka 4.3.1. Arithmetic only:
//! nothing here looks at topics or brokers, or tells anybody.

use crate::message::PartitionImage;

/// How a leader is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Election {
    /// The present leader if it may stay, else the first replica that may lead.
    Online,
    /// The first replica, if it may lead.
    Preferred,
    /// As `Online`, and in the end anybody who is alive.
    Unclean,
}

/// The rules of a topic at this moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Whether eligible leader replicas (KIP-966) are on.
    pub elr: bool,
    /// `min.insync.replicas`, at most the number of replicas.
    pub min_isr: u32,
    pub election: Election,
}

/// A change that is being put together: targets beside the present state.
pub(super) struct Change<'a> {
    partition: &'a PartitionImage,
    rules: Rules,
    /// Registered, not fenced, not shutting down.
    is_acceptable: &'a dyn Fn(u32) -> bool,
    pub isr: Vec<u32>,
    pub replicas: Vec<u32>,
    pub adding: Vec<u32>,
    pub removing: Vec<u32>,
    pub is_recovering: bool,
    /// Came back without its clean-shutdown marker, so it is not eligible any more.
    pub unclean_shutdown: Option<u32>,
    elr: Vec<u32>,
}

/// Who leads, and whether records may be lost by it.
struct Elected {
    leader: Option<u32>,
    is_unclean: bool,
}

impl<'a> Change<'a> {
    /// No change yet.
    pub fn new(partition: &'a PartitionImage, rules: Rules, is_acceptable: &'a dyn Fn(u32) -> bool) -> Change<'a> {
        Change {
            partition,
            rules,
            is_acceptable,
            isr: partition.isr.clone(),
            replicas: partition.replicas.clone(),
            adding: partition.adding.clone(),
            removing: partition.removing.clone(),
            is_recovering: partition.is_recovering,
            unclean_shutdown: None,
            elr: partition.elr.clone(),
        }
    }

    /// The partition after the change, with its epochs raised; none if nothing changes.
    pub fn build(mut self) -> Option<PartitionImage> {
        self.complete_reassignment();
        self.find_eligible();
        let elected = self.elect();
        let before = self.partition;
        let mut after = before.clone();
        let mut is_leader_told = elected.leader != before.leader;
        if is_leader_told {
            after.leader = elected.leader;
            if let Some(leader) = elected.leader.filter(|leader| self.elr.contains(leader)) {
                self.isr = vec![leader];
                self.elr.retain(|replica| *replica != leader);
            }
        }
        after.is_recovering = self.is_recovering;
        if is_leader_told && elected.is_unclean {
            self.isr = elected.leader.into_iter().collect();
            self.elr.clear();
            after.is_recovering = true;
        }
        // Without eligible leader replicas the last in-sync replica stays in the set even when it is lost.
        if !self.isr.is_empty() || self.rules.elr {
            after.isr = self.isr;
        }
        after.elr = if self.rules.elr { self.elr } else { Vec::new() };
        is_leader_told |= before.replicas.iter().any(|replica| !self.replicas.contains(replica));
        after.last_known_elr = last_known(before, &after, is_leader_told, self.rules.elr);
        after.replicas = self.replicas;
        after.adding = self.adding;
        after.removing = self.removing;
        if after == *before && !is_leader_told {
            return None;
        }
        after.leader_epoch += u32::from(is_leader_told);
        after.partition_epoch += 1;
        Some(after)
    }

    /// Takes the old replicas away as soon as the new ones are in sync.
    fn complete_reassignment(&mut self) {
        if self.adding.is_empty() && self.removing.is_empty() {
            return;
        }
        let stays = |replica: &u32| !self.removing.contains(replica);
        let isr: Vec<u32> = self.isr.iter().copied().filter(stays).collect();
        let replicas: Vec<u32> = self.replicas.iter().copied().filter(stays).collect();
        let is_complete = !isr.is_empty()
            && self.adding.iter().all(|replica| isr.contains(replica))
            && (self.adding.len() >= self.removing.len() || replicas.iter().all(|replica| isr.contains(replica)));
        if is_complete {
            self.isr = isr;
            self.replicas = replicas;
            self.adding.clear();
            self.removing.clear();
        }
    }

    /// Who left the in-sync set below its minimum stays eligible: it has everything that was acknowledged.
    fn find_eligible(&mut self) {
        if !self.rules.elr {
            return;
        }
        // A reassignment that ends here may leave fewer replicas than the minimum.
        if self.isr.len() >= self.replicas.len().min(self.rules.min_isr as usize) {
            self.elr.clear();
            return;
        }
        self.elr.extend(&self.partition.isr);
        self.elr.retain(|replica| !self.isr.contains(replica) && self.unclean_shutdown != Some(*replica));
        self.elr.sort_unstable();
        self.elr.dedup();
    }

    fn elect(&self) -> Elected {
        let clean = |leader| Elected { leader: Some(leader), is_unclean: false };
        let unclean = |leader| Elected { leader: Some(leader), is_unclean: true };
        let preferred = self.replicas.first().copied();
        if self.rules.election == Election::Preferred
            && let Some(preferred) = preferred.filter(|replica| self.may_lead(*replica))
        {
            return clean(preferred);
        }
        if let Some(leader) = self.partition.leader.filter(|leader| self.may_lead(*leader)) {
            return clean(leader);
        }
        if let Some(leader) = self.replicas.iter().find(|replica| self.may_lead(**replica)) {
            return clean(*leader);
        }
        if let Some(leader) = self.last_known_leader() {
            return unclean(leader);
        }
        if self.rules.election == Election::Unclean
            && let Some(leader) = self.replicas.iter().find(|replica| (self.is_acceptable)(**replica))
        {
            return unclean(*leader);
        }
        Elected { leader: None, is_unclean: false }
    }

    fn may_lead(&self, replica: u32) -> bool {
        let is_candidate = self.isr.contains(&replica) || (self.isr.is_empty() && self.elr.contains(&replica));
        is_candidate && (self.is_acceptable)(replica)
    }

    /// Balanced recovery: when nobody is eligible, the last leader is taken even if it may lack records.
    fn last_known_leader(&self) -> Option<u32> {
        let is_allowed = self.rules.elr && self.isr.is_empty() && self.elr.is_empty();
        let [last] = self.partition.last_known_elr[..] else { return None };
        Some(last).filter(|last| is_allowed && (self.is_acceptable)(*last))
    }
}

/// The last known leader is noted when the in-sync set becomes empty and forgotten when somebody leads.
fn last_known(before: &PartitionImage, after: &PartitionImage, is_leader_told: bool, elr: bool) -> Vec<u32> {
    let noted = before.last_known_elr.clone();
    if !elr {
        return noted;
    }
    let becomes_empty = after.isr.is_empty() && !before.isr.is_empty();
    if becomes_empty && (noted.len() != 1 || noted.first().copied() != before.leader) {
        return before.leader.into_iter().collect();
    }
    let is_led = if is_leader_told { after.leader.is_some() } else { before.leader.is_some() };
    if is_led { Vec::new() } else { noted }
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;
