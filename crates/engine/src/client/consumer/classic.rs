//! Membership by the classic protocol.
//!
//! Follows `AbstractCoordinator` and `ConsumerCoordinator` of Kafka 4.3.1. `joining.rs` is what `poll` does,
//! `answers.rs` what answers of the coordinator mean, `assigning.rs` the leader's part, `heartbeat.rs` the heartbeat
//! thread.

mod answers;
mod assigning;
mod heartbeat;
mod joining;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use assignor::client::{Assignor, Library};

use super::commits::Failure;
use super::membership::{Identity, Membership};
use crate::client::consumer_call::Membership as Operation;
use crate::client::reader::Reader;
use crate::error::KafkaError;
use crate::event::{Api, Name, TopicPartition};
use crate::group::{Callback, ClientMemberState};
use crate::message::group::Joined;
use crate::message::{LeaveGroup, Payload};
use crate::outbox::Outbox;
use crate::queue::Target;
use crate::time::Time;

use heartbeat::Heartbeats;

/// No generation yet.
const NO_GENERATION: i32 = -1;
/// `JOIN_GROUP_TIMEOUT_LAPSE`.
const JOIN_LAPSE: crate::time::Duration = crate::time::Duration::from_secs(5);

/// A member of a classic group.
#[derive(Clone, Debug)]
pub(crate) struct Classic {
    library: Library,
    state: State,
    generation: i32,
    /// Empty without one.
    member: Name,
    /// The assignor of the generation.
    protocol: Option<Name>,
    /// All assignors of the list give partitions up one by one.
    is_cooperative: bool,
    rejoin_needed: bool,
    rejoin_reason: Name,
    needs_prepare: bool,
    preparing: Option<Preparing>,
    join: Join,
    completing: Option<Completing>,
    /// A join that failed is tried again then.
    not_before: Time,
    /// When a join failed last, and how many have at that time.
    failed_joins: (Time, u32),
    heartbeats: Heartbeats,
    is_leader: bool,
    /// Topics of the whole group, known to its leader.
    group_topics: BTreeSet<Name>,
    /// Topics that it watches, as of the metadata that it looked at last.
    metadata_snapshot: Snapshot,
    /// The same when the leader assigned.
    assignment_snapshot: Option<Snapshot>,
    /// What it was subscribed to when it joined.
    joined_subscription: Option<BTreeSet<Name>>,
    /// The metadata that was looked at for changes.
    checked_version: u64,
    /// Metadata newer than this is waited for.
    awaited_version: Option<u64>,
    /// `groupMetadata()`.
    told: (i32, Name),
    /// What the sticky assignors remember: the assignment and its generation.
    sticky: Option<(Vec<TopicPartition>, i32)>,
    cooperative_generation: i32,
    /// A LeaveGroup request on its way: its id and the broker.
    leaving: Option<(u64, u32)>,
    /// Why it is not a member any more.
    lost: Option<ClientMemberState>,
}

/// Topics with the racks of each partition.
type Snapshot = BTreeMap<Name, Vec<BTreeSet<Name>>>;

/// `AbstractCoordinator.MemberState`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unjoined,
    Preparing,
    Completing,
    Stable,
}

/// Where `onJoinPrepare` is.
#[derive(Clone, Debug)]
enum Preparing {
    /// It commits. Since when, the request, and when it is sent anew.
    Committing { since: Time, request: Option<u64>, not_before: Time },
    /// Its callback runs; then it owns these.
    Revoking { kept: Vec<TopicPartition> },
}

/// Where `onJoinComplete` is.
#[derive(Clone, Debug)]
enum Completing {
    /// Partitions are given up; then it owns `assigned`.
    Revoking { assigned: Vec<TopicPartition>, added: Vec<TopicPartition>, has_revoked: bool },
    /// `onPartitionsAssigned` runs.
    Assigning,
}

/// The future of a join.
#[derive(Clone, Debug)]
enum Join {
    None,
    /// JoinGroup or SyncGroup is on its way.
    Sent(Sent),
    /// It leads and has to assign.
    Leading(Rc<Joined>),
    Ready(Vec<TopicPartition>),
    Failed(Failure),
}

/// A request on its way, with the generation and member id in it.
#[derive(Clone, Debug)]
struct Sent {
    request: u64,
    broker: u32,
    deadline: Time,
    generation: i32,
    member: Name,
}

impl Classic {
    /// A membership that has not begun.
    pub fn new(library: Library, assignors: &[Assignor]) -> Classic {
        let is_cooperative = !assignors.is_empty() && assignors.iter().all(|one| *one == Assignor::CooperativeSticky);
        Classic {
            library,
            state: State::Unjoined,
            generation: NO_GENERATION,
            member: "".into(),
            protocol: None,
            is_cooperative,
            rejoin_needed: true,
            rejoin_reason: "".into(),
            needs_prepare: true,
            preparing: None,
            join: Join::None,
            completing: None,
            not_before: Time::ZERO,
            heartbeats: Heartbeats::default(),
            is_leader: false,
            group_topics: BTreeSet::new(),
            metadata_snapshot: Snapshot::new(),
            assignment_snapshot: None,
            joined_subscription: None,
            checked_version: 0,
            failed_joins: (Time::ZERO, 0),
            awaited_version: None,
            told: (NO_GENERATION, "".into()),
            sticky: None,
            cooperative_generation: NO_GENERATION,
            leaving: None,
            lost: None,
        }
    }

    /// The generation of `groupMetadata()`.
    pub fn told_generation(&self) -> i32 {
        self.told.0
    }

    /// Whether the heartbeat thread looks at the network.
    pub fn polls_network(&self) -> bool {
        self.heartbeats.is_enabled
    }

    /// Whether nothing is waited for any more.
    pub fn has_left(&self) -> bool {
        self.leaving.is_none()
    }

    /// Member id, the generation of `groupMetadata()`, and when the next heartbeat is due.
    pub fn view(&self) -> (Name, i32, Option<Time>) {
        let due = Some(self.heartbeats.next).filter(|_| self.heartbeats.is_enabled);
        (Rc::clone(&self.member), self.told.0, due)
    }

    /// The state to show.
    pub fn shown_state(&self) -> ClientMemberState {
        match self.state {
            _ if self.preparing.is_some() => ClientMemberState::PreparingRebalance,
            State::Unjoined => self.lost.unwrap_or(ClientMemberState::Joining),
            State::Preparing => ClientMemberState::Joining,
            State::Completing => ClientMemberState::CompletingRebalance,
            State::Stable => ClientMemberState::Stable,
        }
    }

    /// In whose name it commits (`sendOffsetCommitRequest`).
    pub fn commit_identity(&self, instance: Option<Name>) -> Result<Identity, Failure> {
        if self.library == Library::Librdkafka {
            return Ok(Identity { generation: self.generation, member: Rc::clone(&self.member), instance });
        }
        let throws = |error: &str, exception: &str, text: &str| {
            Err(Failure { error: KafkaError::new(error, exception, text), is_retriable: false })
        };
        match self.state {
            State::Stable => Ok(Identity { generation: self.generation, member: Rc::clone(&self.member), instance }),
            State::Preparing | State::Completing => throws(
                "REBALANCE_IN_PROGRESS",
                "RebalanceInProgressException",
                "Offset commit cannot be completed since the consumer is undergoing a rebalance for auto partition \
                 assignment. You can try completing the rebalance by calling poll() and then retry the operation.",
            ),
            State::Unjoined => throws(
                "",
                "CommitFailedException",
                "Offset commit cannot be completed since the consumer is not part of an active group for auto \
                 partition assignment; it is likely that the consumer was kicked out of the group.",
            ),
        }
    }

    /// Its JoinGroup waits at the coordinator, and what is sent after it waits behind it.
    pub fn waits_for_join(&self) -> bool {
        self.state == State::Preparing && matches!(self.join, Join::Sent(_))
    }

    /// Whether it is still what it was when a request left.
    fn is_unchanged(&self, generation: i32, member: &Name) -> bool {
        self.generation == generation && self.member == *member
    }

    /// `hasGenerationReset`.
    fn has_no_generation(&self) -> bool {
        self.generation == NO_GENERATION
    }

    /// `onJoinPrepare` and `onLeavePrepare`: whether what it owned is lost.
    fn has_lost_all(&self) -> bool {
        self.generation == NO_GENERATION || self.member.is_empty()
    }

    fn request_rejoin(&mut self, reason: &str) {
        self.rejoin_needed = true;
        self.rejoin_reason = reason.into();
    }

    /// `resetStateAndRejoin`.
    fn reset(&mut self, reason: &str, resets_member: bool) {
        self.state = State::Unjoined;
        self.generation = NO_GENERATION;
        self.protocol = None;
        if resets_member {
            self.member = "".into();
        }
        self.request_rejoin(reason);
        self.needs_prepare = true;
    }
}

impl Reader {
    fn classic(&self) -> &Classic {
        match &self.inner().membership {
            Membership::Classic(classic) => classic,
            _ => unreachable!("only members of a classic group come here"),
        }
    }

    fn classic_mut(&mut self) -> &mut Classic {
        match &mut self.inner_mut().membership {
            Membership::Classic(classic) => classic,
            _ => unreachable!("only members of a classic group come here"),
        }
    }

    /// `requestRejoin`.
    pub(super) fn request_rejoin(&mut self, reason: &str) {
        self.classic_mut().request_rejoin(reason);
    }

    /// `onLeavePrepare`: the callback that gives up everything.
    pub(super) fn prepare_classic_leave(&mut self) {
        let owned = self.owned();
        if !self.is_auto_assigned() || owned.is_empty() {
            return;
        }
        let classic = self.classic();
        let is_rebalancing = matches!(classic.state, State::Preparing | State::Completing);
        let is_lost = classic.has_lost_all() || (is_rebalancing && classic.library == Library::Java);
        let callback = if is_lost { Callback::Lost } else { Callback::Revoked };
        self.call_back(callback, owned);
    }

    /// `maybeLeaveGroup`: static members stay until their session ends, unless the application says otherwise.
    pub(super) fn leave_classic(&mut self, operation: Operation, reason: &str, outbox: &mut Outbox) {
        let is_dynamic = self.plan.settings.member.instance.is_none();
        let leaves = match operation {
            Operation::LeaveGroup => true,
            Operation::Default => is_dynamic,
            Operation::RemainInGroup => false,
        };
        let classic = self.classic();
        let is_member = classic.state != State::Unjoined && !classic.member.is_empty();
        if let Some(broker) = self.inner().coordinator.broker.filter(|_| leaves && is_member) {
            let member = (Rc::clone(&self.classic().member), self.plan.settings.member.instance.clone());
            let payload = Payload::LeaveGroup(LeaveGroup {
                group: self.group(),
                members: vec![member],
                reason: reason.into(),
                sender: Target::Consumer(self.number),
            });
            let request = self.send(Api::LeaveGroup, broker, payload, true, outbox);
            self.classic_mut().leaving = Some((request, broker));
        }
        let classic = self.classic_mut();
        classic.reset("consumer pro-actively leaving the group", true);
        // A callback that runs returns first.
        classic.preparing.take_if(|preparing| matches!(preparing, Preparing::Committing { .. }));
        if classic.completing.is_none() {
            classic.join = Join::None;
        }
    }

    /// How long JoinGroup may take: a rebalance and five seconds.
    fn join_timeout(&self) -> crate::time::Duration {
        let rebalance = crate::time::Duration(self.plan.settings.member.poll_interval_max.0 + JOIN_LAPSE.0);
        rebalance.max(self.plan.settings.member.request_timeout)
    }
}
