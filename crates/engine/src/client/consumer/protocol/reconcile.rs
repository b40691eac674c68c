//! The way from what a member owns to what it was told to own: commit, revoke, assign, acknowledge.
//!
//! Follows `AbstractMembershipManager.maybeReconcile` and `revokeAndAssign` of Kafka 4.3.1. One reconciliation runs at
//! a time; a newer assignment waits for its end.

use std::collections::BTreeSet;

use assignor::client::Library;

use super::{Assignment, Knows, Member, Purpose, Step};
use crate::event::TopicPartition;
use crate::group::{Callback, ClientMemberState};

/// A reconciliation that runs.
#[derive(Clone, Debug)]
pub(super) struct Reconciliation {
    /// The part of the target whose topics are known.
    resolved: Assignment,
    revoked: Vec<TopicPartition>,
    added: Vec<TopicPartition>,
    /// The member has joined again since.
    pub is_outdated: bool,
}

impl Member {
    /// An assignment came with a heartbeat (`processAssignmentReceived`).
    pub(super) fn take_target(&mut self, partitions: &[TopicPartition]) {
        use ClientMemberState::{Acknowledging, Joining, Reconciling, Stable};
        if !matches!(self.state, Stable | Joining | Acknowledging | Reconciling) {
            return;
        }
        let partitions: BTreeSet<TopicPartition> = partitions.iter().cloned().collect();
        if self.target.number < 0 || self.target.partitions != partitions {
            self.target = Assignment { number: self.target.number + 1, partitions };
        }
        if self.current != self.target {
            self.enter(Reconciling);
        } else if matches!(self.state, Reconciling | Joining) {
            self.enter(Stable);
        }
    }

    /// Begins to reconcile if there is anything to do. Where positions are to be committed first, only a poll of the
    /// application may begin it: the records that it was given are processed then.
    pub(super) fn reconcile(&mut self, is_polled: bool, knows: Knows<'_>) {
        let is_due = self.state == ClientMemberState::Reconciling && self.current != self.target;
        if !is_due || self.reconciling.is_some() {
            return;
        }
        let resolved = self.resolved(knows);
        if self.current == resolved {
            return;
        }
        // librdkafka calls nothing if nothing changes; Java tells of the first assignment also if it is empty.
        let is_told = self.current.number >= 0 || self.library == Library::Librdkafka;
        if is_told && self.current.partitions == resolved.partitions {
            self.current = resolved;
            return self.enter(ClientMemberState::Acknowledging);
        }
        if self.commits && !is_polled {
            return;
        }
        let revoked: Vec<_> = self.owned.difference(&resolved.partitions).cloned().collect();
        let added = resolved.partitions.difference(&self.owned).cloned().collect();
        if !revoked.is_empty() {
            self.steps.push(Step::Hold(revoked.clone()));
        }
        self.reconciling = Some(Reconciliation { resolved, revoked, added, is_outdated: false });
        if self.commits {
            self.steps.push(Step::Commit(self.poll_interval));
        } else {
            self.committed();
        }
    }

    /// The part of the target whose topics are in the metadata, or were.
    fn resolved(&mut self, knows: Knows<'_>) -> Assignment {
        let seen = &mut self.seen;
        let is_known = |partition: &&TopicPartition| {
            let topic = &partition.topic;
            if knows(topic) {
                seen.insert(topic.clone());
            }
            seen.contains(topic)
        };
        let partitions: BTreeSet<TopicPartition> = self.target.partitions.iter().filter(is_known).cloned().collect();
        if partitions.len() < self.target.partitions.len() {
            self.steps.push(Step::RefreshMetadata);
        }
        Assignment { number: self.target.number, partitions }
    }

    /// The reconciliation that runs, unless it does not matter any more.
    fn still_reconciling(&mut self) -> Option<&Reconciliation> {
        let is_current = |reconciling: &Reconciliation| !reconciling.is_outdated;
        if self.state != ClientMemberState::Reconciling || !self.reconciling.as_ref().is_some_and(is_current) {
            self.reconciling = None;
        }
        self.reconciling.as_ref()
    }

    /// The commit before the reconciliation has ended, well or not.
    pub fn committed(&mut self) {
        let Some(reconciling) = self.still_reconciling() else { return };
        let revoked: Vec<_> =
            reconciling.revoked.clone().into_iter().filter(|partition| self.owned.contains(partition)).collect();
        if revoked.is_empty() {
            return self.revoked();
        }
        self.call(Callback::Revoked, revoked, Purpose::Revoke);
    }

    /// `onPartitionsRevoked` has returned: the new assignment takes effect. `onPartitionsAssigned` is called without
    /// new partitions too.
    pub(super) fn revoked(&mut self) {
        let Some(reconciling) = self.still_reconciling() else { return };
        let (assigned, added) = (reconciling.resolved.partitions.clone(), reconciling.added.clone());
        self.owned = assigned.clone();
        self.seen.retain(|topic| assigned.iter().any(|partition| partition.topic == *topic));
        self.called.push_back(Purpose::Assign);
        self.steps.push(Step::Call(Callback::Assigned, added, Some(assigned)));
    }

    /// `onPartitionsAssigned` has returned: the coordinator is told.
    pub(super) fn assigned(&mut self) {
        let Some(reconciling) = self.still_reconciling() else { return };
        self.current = reconciling.resolved.clone();
        self.reconciling = None;
        self.steps.push(Step::RestartAutoCommit);
        self.enter(ClientMemberState::Acknowledging);
    }
}
