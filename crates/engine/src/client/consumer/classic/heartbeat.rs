//! The heartbeat thread of the classic protocol.
//!
//! Follows `AbstractCoordinator.HeartbeatThread` and `Heartbeat` of Kafka 4.3.1. It runs beside the user thread and
//! finds out that the group is rebalancing, that the coordinator is silent, and that the application does not poll.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Reader, Sent, State};
use crate::client::consumer::librdkafka;
use crate::client::consumer_call::Membership as Operation;
use crate::error::KafkaError;
use crate::event::{Api, EventKind};
use crate::group::ClientMemberState;
use crate::message::{Heartbeat, Payload};
use crate::outbox::Outbox;
use crate::queue::Target;
use crate::time::Time;

/// The warning of a member that leaves because nobody polls.
const POLL_TIMEOUT: &str = "consumer poll timeout has expired. This means the time between subsequent calls to poll() \
                            was longer than the configured max.poll.interval.ms, which typically implies that the \
                            poll loop is spending too much time processing messages. You can address this either by \
                            increasing max.poll.interval.ms or by reducing the maximum size of batches returned in \
                            poll() with max.poll.records.";

/// The thread and its timers.
#[derive(Clone, Debug, Default)]
pub(super) struct Heartbeats {
    pub is_alive: bool,
    /// Off while the member joins.
    pub is_enabled: bool,
    /// What `poll` throws next.
    pub failed: Option<KafkaError>,
    /// When the next heartbeat is due.
    pub next: Time,
    /// When the session ends at the client.
    session_ends: Time,
    /// Heartbeats on their way, by request.
    sent: BTreeMap<u64, Sent>,
}

impl Reader {
    /// One pass through the thread's loop.
    pub(in crate::client::consumer) fn wake_classic(&mut self, outbox: &mut Outbox) {
        self.expire_classic(outbox);
        self.serve_classic(outbox);
        let now = outbox.now();
        let classic = self.classic_mut();
        if !classic.heartbeats.is_alive || !classic.heartbeats.is_enabled {
            return;
        }
        if matches!(classic.state, State::Unjoined | State::Preparing) {
            classic.heartbeats.is_enabled = false;
            return;
        }
        if self.inner().coordinator.broker.is_none() {
            self.coordinator(outbox);
        } else if self.classic().heartbeats.session_ends <= now && self.is_librdkafka() {
            self.reset_on_timeout(outbox);
        } else if self.classic().heartbeats.session_ends <= now {
            // No heartbeat was answered for so long: perhaps there is another coordinator.
            self.coordinator_unknown(outbox);
            self.coordinator(outbox);
        } else if !self.is_librdkafka() && self.is_poll_late(now) {
            self.leave_late(POLL_TIMEOUT, outbox);
        } else if self.classic().heartbeats.next <= now {
            self.send_heartbeat(outbox);
        }
    }

    /// The application does not poll: it leaves.
    pub(in crate::client::consumer) fn leave_late(&mut self, text: &str, outbox: &mut Outbox) {
        outbox.emit(EventKind::Warned { client: self.node(), text: text.into() });
        self.classic_mut().lost = Some(ClientMemberState::Stale);
        self.leave_classic(Operation::Default, "consumer poll timeout has expired.", outbox);
        self.tell_state(outbox);
    }

    /// No heartbeat was answered for as long as a session lasts: librdkafka takes its membership for lost.
    fn reset_on_timeout(&mut self, outbox: &mut Outbox) {
        let classic = self.classic_mut();
        classic.reset("session timed out", true);
        classic.lost = Some(ClientMemberState::Fenced);
        self.coordinator_unknown(outbox);
        self.tell_state(outbox);
        self.serve_classic(outbox);
    }

    /// When the thread has to look again.
    pub(in crate::client::consumer) fn classic_due(&self, now: Time) -> Option<Time> {
        let classic = self.classic();
        let heartbeats = &classic.heartbeats;
        let is_on = heartbeats.is_alive && heartbeats.is_enabled;
        let beats = [
            Some(heartbeats.next).filter(|_| self.inner().coordinator.broker.is_some()),
            Some(heartbeats.session_ends).filter(|_| self.inner().coordinator.broker.is_some()),
            self.poll_deadline(now).filter(|_| !self.is_librdkafka()),
        ];
        let beats = beats.into_iter().flatten().filter(|_| is_on);
        let sent = heartbeats.sent.values().map(|sent| sent.deadline);
        let join = match &classic.join {
            super::Join::Sent(sent) => Some(sent.deadline),
            _ => None,
        };
        let preparing = match &classic.preparing {
            Some(super::Preparing::Committing { since, not_before, .. }) => {
                Some((*since + self.plan.settings.member.poll_interval_max).min(if *not_before > now {
                    *not_before
                } else {
                    Time::MAX
                }))
            }
            _ => None,
        };
        beats.chain(sent).chain(join).chain(preparing).chain([classic.not_before]).filter(|at| *at > now).min()
    }

    /// When `max.poll.interval.ms` is over; nothing while the application is in `poll`.
    fn poll_deadline(&self, now: Time) -> Option<Time> {
        let thread = &self.inner().thread;
        let is_away = thread.was_frozen || !self.is_in_poll(now);
        is_away.then(|| thread.polled + self.plan.settings.member.poll_interval_max)
    }

    fn is_poll_late(&self, now: Time) -> bool {
        self.poll_deadline(now).is_some_and(|deadline| deadline <= now)
    }

    fn send_heartbeat(&mut self, outbox: &mut Outbox) {
        let Some(broker) = self.inner().coordinator.broker else { return };
        let classic = self.classic();
        let (generation, member) = (classic.generation, Rc::clone(&classic.member));
        let payload = Payload::Heartbeat(Heartbeat {
            group: self.group(),
            generation,
            member: Rc::clone(&member),
            instance: self.plan.settings.member.instance.clone(),
            sender: Target::Consumer(self.number),
        });
        let request = self.send(Api::Heartbeat, broker, payload, true, outbox);
        let next = outbox.now() + self.plan.settings.member.heartbeat_interval;
        let deadline = outbox.now() + self.plan.settings.member.request_timeout;
        let heartbeats = &mut self.classic_mut().heartbeats;
        heartbeats.next = next;
        heartbeats.sent.insert(request, Sent { request, broker, deadline, generation, member });
    }

    /// `HeartbeatResponseHandler`.
    pub(super) fn heartbeat_answer(&mut self, request: u64, result: &Result<(), KafkaError>, outbox: &mut Outbox) {
        let Some(sent) = self.classic_mut().heartbeats.sent.remove(&request) else { return };
        self.connections.answered(sent.broker);
        let now = outbox.now();
        let Err(error) = result else { return self.heartbeat_received(now) };
        let is_stable = self.classic().state == State::Stable;
        match error.error.as_str() {
            "COORDINATOR_NOT_AVAILABLE" | "NOT_COORDINATOR" => {
                self.coordinator_unknown(outbox);
                self.heartbeat_failed(now);
            }
            "REBALANCE_IN_PROGRESS" => {
                if is_stable {
                    self.request_rejoin("group is already rebalancing");
                }
                self.heartbeat_received(now);
            }
            name @ ("ILLEGAL_GENERATION" | "UNKNOWN_MEMBER_ID" | "FENCED_INSTANCE_ID") => {
                if !self.classic().is_unchanged(sent.generation, &sent.member) {
                    return self.heartbeat_received(now);
                }
                self.reset_on_error("HEARTBEAT", error, outbox);
                if name == "FENCED_INSTANCE_ID" && self.is_librdkafka() {
                    self.library_failed(error, librdkafka::OF_CLASSIC);
                } else if name == "FENCED_INSTANCE_ID" {
                    let heartbeats = &mut self.classic_mut().heartbeats;
                    heartbeats.failed = Some(error.clone());
                } else {
                    self.heartbeat_failed(now);
                }
            }
            // The thread tries again, whatever it is.
            _ => self.heartbeat_failed(now),
        }
    }

    /// `Heartbeat.receiveHeartbeat`.
    fn heartbeat_received(&mut self, now: Time) {
        let session_ends = now + self.plan.settings.member.session_timeout;
        self.classic_mut().heartbeats.session_ends = session_ends;
    }

    /// `Heartbeat.failHeartbeat`.
    fn heartbeat_failed(&mut self, now: Time) {
        let next = now + self.plan.settings.member.retry_backoff.0;
        self.classic_mut().heartbeats.next = next;
    }

    /// `HeartbeatThread.enable`: all timers begin anew.
    pub(super) fn enable_heartbeats(&mut self, now: Time) {
        let member = &self.plan.settings.member;
        let (next, session_ends) = (now + member.heartbeat_interval, now + member.session_timeout);
        if !self.is_librdkafka() {
            self.inner_mut().thread.polled = now;
        }
        let heartbeats = &mut self.classic_mut().heartbeats;
        heartbeats.is_enabled = true;
        heartbeats.next = next;
        heartbeats.session_ends = session_ends;
    }

    /// `closeHeartbeatThread`.
    pub(in crate::client::consumer) fn stop_heartbeats(&mut self) {
        let heartbeats = &mut self.classic_mut().heartbeats;
        heartbeats.is_alive = false;
        heartbeats.is_enabled = false;
    }

    /// A coordinator was found: the session counts anew (`Heartbeat.resetSessionTimeout`).
    pub(in crate::client::consumer) fn classic_found_coordinator(&mut self, now: Time) {
        self.heartbeat_received(now);
    }

    /// Heartbeats on their way to a broker are lost.
    pub(super) fn heartbeats_lost(&mut self, broker: u32, now: Time) {
        let heartbeats = &mut self.classic_mut().heartbeats;
        let before = heartbeats.sent.len();
        heartbeats.sent.retain(|_, sent| sent.broker != broker);
        if heartbeats.sent.len() < before {
            self.heartbeat_failed(now);
        }
    }

    /// Requests that are owed an answer for too long: the broker counts as lost.
    fn expire_classic(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        let classic = self.classic();
        let join = match &classic.join {
            super::Join::Sent(sent) => Some(sent),
            _ => None,
        };
        let late = classic.heartbeats.sent.values().chain(join).find(|sent| sent.deadline <= now);
        if let Some(broker) = late.map(|sent| sent.broker)
            && self.connections.is_open(broker)
        {
            self.lose_connection(broker, outbox);
        }
    }
}
