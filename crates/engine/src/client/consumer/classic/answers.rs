//! What answers of the coordinator mean to a member.
//!
//! Follows the response handlers of `AbstractCoordinator` and `OffsetCommitResponseHandler` of Kafka 4.3.1.

use std::rc::Rc;

use super::{Join, Reader, Sent, State};
use crate::client::consumer::commits::Failure;
use crate::client::consumer::membership::Identity;
use crate::error::KafkaError;
use crate::event::{Api, TopicPartition};
use crate::group::{ClientMemberState, GroupEvent};
use crate::message::group::Joined;
use crate::message::{JoinGroupAnswer, Payload, SyncGroup};
use crate::outbox::Outbox;
use crate::queue::Target;

impl Reader {
    /// An answer of the classic protocol.
    pub(in crate::client::consumer) fn classic_answer(&mut self, answer: &Payload, outbox: &mut Outbox) {
        match answer {
            Payload::JoinGroupAnswer(answer) => self.join_answer(answer, outbox),
            Payload::SyncGroupAnswer { request, result } => self.sync_answer(*request, result, outbox),
            Payload::HeartbeatAnswer { request, result } => self.heartbeat_answer(*request, result, outbox),
            Payload::LeaveGroupAnswer { request, .. } => {
                self.classic_mut().leaving.take_if(|(id, _)| id == request);
            }
            _ => {}
        }
        self.tell_state(outbox);
    }

    fn sent_join(&mut self, request: u64) -> Option<Sent> {
        match &self.classic().join {
            Join::Sent(sent) if sent.request == request => {
                let sent = sent.clone();
                self.connections.answered(sent.broker);
                Some(sent)
            }
            _ => None,
        }
    }

    /// `JoinGroupResponseHandler`.
    fn join_answer(&mut self, answer: &JoinGroupAnswer, outbox: &mut Outbox) {
        let Some(sent) = self.sent_join(answer.request) else { return };
        self.tell_join(answer, outbox);
        match &answer.result {
            Ok(joined) => {
                self.take_member_id(answer, outbox);
                self.joined(joined, outbox);
            }
            Err(error) => {
                match error.error.as_str() {
                    "MEMBER_ID_REQUIRED" => {
                        self.take_member_id(answer, outbox);
                        let classic = self.classic_mut();
                        classic.generation = super::NO_GENERATION;
                        let reason = format!("need to re-join with the given member-id: {}", answer.member);
                        classic.request_rejoin(&reason);
                    }
                    "UNKNOWN_MEMBER_ID" if self.classic().is_unchanged(sent.generation, &sent.member) => {
                        self.reset_on_error("JOIN_GROUP", error, outbox);
                    }
                    "COORDINATOR_NOT_AVAILABLE" | "NOT_COORDINATOR" => self.coordinator_unknown(outbox),
                    _ => {}
                }
                self.fail_join(error);
            }
        }
    }

    fn take_member_id(&mut self, answer: &JoinGroupAnswer, outbox: &mut Outbox) {
        if self.classic().member != answer.member {
            self.classic_mut().member = Rc::clone(&answer.member);
            let (consumer, member) = (self.name(), Rc::clone(&answer.member));
            self.tell(GroupEvent::MemberIdAssigned { consumer, member }, outbox);
        }
    }

    /// A generation has begun: the leader assigns, the others ask.
    fn joined(&mut self, joined: &Joined, outbox: &mut Outbox) {
        let classic = self.classic_mut();
        classic.state = State::Completing;
        classic.generation = joined.generation;
        classic.protocol = Some(Rc::clone(&joined.protocol));
        let leads = classic.member == joined.leader;
        self.enable_heartbeats(outbox.now());
        if leads {
            let classic = self.classic_mut();
            // What was waited for before the join is no answer about topics of other members.
            classic.awaited_version = None;
            classic.join = Join::Leading(Rc::new(joined.clone()));
            self.assign_group(outbox);
        } else {
            self.send_sync(Vec::new(), outbox);
        }
    }

    /// `sendSyncGroupRequest`.
    pub(super) fn send_sync(
        &mut self,
        assignments: Vec<(crate::event::Name, Vec<TopicPartition>)>,
        outbox: &mut Outbox,
    ) {
        let Some(broker) = self.inner().coordinator.broker else {
            return self.fail_join(&KafkaError::protocol("COORDINATOR_NOT_AVAILABLE"));
        };
        let classic = self.classic();
        let (generation, member) = (classic.generation, Rc::clone(&classic.member));
        let payload = Payload::SyncGroup(SyncGroup {
            group: self.group(),
            generation,
            member: Rc::clone(&member),
            instance: self.plan.settings.member.instance.clone(),
            protocol_type: "consumer".into(),
            protocol: classic.protocol.clone().unwrap_or_default(),
            assignments,
            sender: Target::Consumer(self.number),
        });
        let request = self.send(Api::SyncGroup, broker, payload, true, outbox);
        let deadline = outbox.now() + self.plan.settings.member.request_timeout;
        self.classic_mut().join = Join::Sent(Sent { request, broker, deadline, generation, member });
    }

    /// `SyncGroupResponseHandler`.
    fn sync_answer(&mut self, request: u64, result: &Result<Vec<TopicPartition>, KafkaError>, outbox: &mut Outbox) {
        let Some(sent) = self.sent_join(request) else { return };
        match result {
            Ok(assigned) => {
                let classic = self.classic_mut();
                if classic.has_no_generation() || classic.state != State::Completing {
                    // The generation was reset meanwhile: it joins again at once.
                    return self.fail_join(&KafkaError::protocol("ILLEGAL_GENERATION"));
                }
                classic.state = State::Stable;
                classic.rejoin_needed = false;
                classic.rejoin_reason = "".into();
                classic.join = Join::Ready(assigned.clone());
            }
            Err(error) => {
                match error.error.as_str() {
                    "UNKNOWN_MEMBER_ID" | "ILLEGAL_GENERATION"
                        if self.classic().is_unchanged(sent.generation, &sent.member) =>
                    {
                        self.reset_on_error("SYNC_GROUP", error, outbox);
                    }
                    "COORDINATOR_NOT_AVAILABLE" | "NOT_COORDINATOR" => self.coordinator_unknown(outbox),
                    _ => {}
                }
                self.fail_join(error);
            }
        }
    }

    pub(super) fn fail_join(&mut self, error: &KafkaError) {
        let failure = Failure { error: error.clone(), is_retriable: is_retriable(error) };
        self.classic_mut().join = Join::Failed(failure);
    }

    /// `resetStateOnResponseError`: ILLEGAL_GENERATION keeps the member id.
    pub(super) fn reset_on_error(&mut self, api: &str, error: &KafkaError, outbox: &mut Outbox) {
        let keeps_member = error.error == "ILLEGAL_GENERATION";
        let reason = format!("encountered {} from {api} response", error.error);
        let classic = self.classic_mut();
        classic.reset(&reason, !keeps_member);
        classic.lost = Some(ClientMemberState::Fenced);
        self.tell_state(outbox);
    }

    /// The coordinator owes nothing any more: what was on its way has failed.
    pub(in crate::client::consumer) fn classic_lost_coordinator(&mut self, broker: u32, outbox: &mut Outbox) {
        self.heartbeats_lost(broker, outbox.now());
        let classic = self.classic_mut();
        classic.leaving.take_if(|(_, other)| *other == broker);
        if matches!(&classic.join, Join::Sent(sent) if sent.broker == broker) {
            self.fail_join(&KafkaError::new("", "DisconnectException", ""));
        }
    }

    /// `OffsetCommitResponseHandler`.
    pub(in crate::client::consumer) fn classic_commit_failed(
        &mut self,
        error: &KafkaError,
        partition: &TopicPartition,
        identity: &Identity,
        outbox: &mut Outbox,
    ) -> Failure {
        let fatal = |error: KafkaError| Failure { error, is_retriable: false };
        let is_unchanged =
            !self.is_auto_assigned() || self.classic().is_unchanged(identity.generation, &identity.member);
        let is_preparing = self.classic().state == State::Preparing;
        match error.error.as_str() {
            "COORDINATOR_LOAD_IN_PROGRESS" | "UNKNOWN_TOPIC_OR_PARTITION" => {
                Failure { error: error.clone(), is_retriable: true }
            }
            "COORDINATOR_NOT_AVAILABLE" | "NOT_COORDINATOR" | "REQUEST_TIMED_OUT" => {
                self.coordinator_unknown(outbox);
                Failure { error: error.clone(), is_retriable: true }
            }
            "FENCED_INSTANCE_ID" if is_unchanged => fatal(error.clone()),
            "FENCED_INSTANCE_ID" if is_preparing => fatal(rebalancing(
                "Offset commit cannot be completed since the consumer member's old generation is fenced by its group \
                 instance id, it is possible that this consumer has already participated another rebalance and got a \
                 new generation",
            )),
            "FENCED_INSTANCE_ID" => fatal(commit_failed()),
            "REBALANCE_IN_PROGRESS" => {
                self.request_rejoin("offset commit failed since group is already rebalancing");
                fatal(rebalancing(
                    "Offset commit cannot be completed since the consumer group is executing a rebalance at the \
                     moment. You can try completing the rebalance by calling poll() and then retry commit again",
                ))
            }
            "UNKNOWN_MEMBER_ID" | "ILLEGAL_GENERATION" if !is_unchanged && is_preparing => fatal(rebalancing(
                "Offset commit cannot be completed since the consumer member's generation is already stale, meaning it \
                 has already participated another rebalance and got a new generation. You can try completing the \
                 rebalance by calling poll() and then retry commit again",
            )),
            "UNKNOWN_MEMBER_ID" | "ILLEGAL_GENERATION" => {
                self.reset_on_error("OFFSET_COMMIT", error, outbox);
                fatal(commit_failed())
            }
            "GROUP_AUTHORIZATION_FAILED" | "OFFSET_METADATA_TOO_LARGE" | "INVALID_COMMIT_OFFSET_SIZE" => {
                fatal(error.clone())
            }
            _ => {
                let _ = partition;
                let text = format!("Unexpected error in commit: {}", error.message);
                fatal(KafkaError::new(&error.error, "KafkaException", text))
            }
        }
    }
}

/// Errors after which a join is tried again (`RetriableException`).
fn is_retriable(error: &KafkaError) -> bool {
    matches!(
        error.error.as_str(),
        "COORDINATOR_NOT_AVAILABLE" | "NOT_COORDINATOR" | "COORDINATOR_LOAD_IN_PROGRESS" | "REQUEST_TIMED_OUT"
    ) || error.exception == "DisconnectException"
}

fn rebalancing(text: &str) -> KafkaError {
    KafkaError::new("REBALANCE_IN_PROGRESS", "RebalanceInProgressException", text)
}

/// `new CommitFailedException()`.
fn commit_failed() -> KafkaError {
    let text = "Commit cannot be completed since the group has already rebalanced and assigned the partitions to \
                another member. This means that the time between subsequent calls to poll() was longer than the \
                configured max.poll.interval.ms, which typically implies that the poll loop is spending too much time \
                message processing. You can address this either by increasing max.poll.interval.ms or by reducing the \
                maximum size of batches returned in poll() with max.poll.records.";
    KafkaError::new("", "CommitFailedException", text)
}
