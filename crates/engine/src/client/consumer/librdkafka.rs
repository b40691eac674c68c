//! What a consumer of librdkafka does otherwise than Java's.
//!
//! Follows librdkafka 2.16.0 with the binding for Python. Its main thread keeps the membership whatever the application
//! does: it joins, syncs and sends heartbeats, and only callbacks wait for a `poll`. The binding calls assign() or
//! unassign() once a callback has returned. Errors are messages that `poll` returns. Deliberately not here: the requests
//! of both protocols, which are the same for both clients.

use std::collections::BTreeSet;

use assignor::client::Library;

use super::Consumer;
use super::commits::{Failure, Offsets};
use super::membership::Membership;
use super::pattern::Pattern;
use super::thread::{Frame, Running};
use crate::client::consumer_call::Topics;
use crate::client::librdkafka::errors;
use crate::client::reader::Reader;
use crate::error::KafkaError;
use crate::event::{Name, TopicPartition};
use crate::group::{Callback, GroupEvent};
use crate::message::JoinGroupAnswer;
use crate::outbox::Outbox;
use crate::time::{Duration, Time};

/// How often the main thread looks whether the application polls.
const CHECKS: Duration = Duration::from_millis(500);

/// What comes before the text of a fatal error of the classic protocol.
pub(super) const OF_CLASSIC: &str = "Fatal consumer error";
/// The same of the consumer protocol.
pub(super) const OF_CONSUMER: &str = "ConsumerGroupHeartbeat fatal error";

/// What only consumers of librdkafka have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Own {
    /// When the main thread began to look whether the application polls.
    checks_from: Option<Time>,
    /// `max.poll.interval.ms` is exceeded, and the application has not polled since.
    pub is_late: bool,
    /// It has had a fatal error.
    pub has_failed: bool,
    /// Topics that it subscribes to and that do not exist, as the application was told.
    unavailable: BTreeSet<Name>,
}

/// Whether a topic of a subscription is a pattern.
pub(super) fn is_pattern(topic: &str) -> bool {
    topic.starts_with('^')
}

/// A subscription as a member of the consumer protocol tells it: topics, and the pattern that the broker evaluates.
pub(super) fn subscription(names: &[Name]) -> (Vec<Name>, Option<Name>) {
    let (patterns, topics): (Vec<Name>, Vec<Name>) = names.iter().cloned().partition(|name| is_pattern(name));
    let joined = (!patterns.is_empty()).then(|| Name::from(patterns.join("|")));
    (topics, joined)
}

/// There is nothing to commit.
pub(super) fn no_offset() -> KafkaError {
    errors::plain("_NO_OFFSET")
}

/// What a call raises once the consumer has failed.
pub(super) fn failed() -> KafkaError {
    errors::plain("_FATAL")
}

/// A call took too long.
pub(super) fn timed_out() -> KafkaError {
    errors::plain("_TIMED_OUT")
}

/// What `poll` returns when there is neither an offset nor a rule where to begin. Simplified: the text was not recorded.
pub(super) fn no_reset() -> KafkaError {
    errors::plain("_AUTO_OFFSET_RESET")
}

impl Reader {
    /// Whether it is a consumer of librdkafka.
    pub(super) fn is_librdkafka(&self) -> bool {
        self.plan.settings.member.library == Library::Librdkafka
    }

    /// One turn of the main thread: the member joins as soon as it has to and no callback is waited for.
    pub(super) fn serve_classic(&mut self, outbox: &mut Outbox) {
        let consumer = self.inner();
        let is_away = consumer.library.has_failed || is_leaving(consumer) || is_called_back(consumer);
        if !self.is_librdkafka() || !self.is_auto_assigned() || is_away {
            return;
        }
        if let Err(error) = self.join_if_needed(outbox) {
            self.join_refused(&error);
        }
    }

    fn join_refused(&mut self, error: &KafkaError) {
        if error.error == "FENCED_INSTANCE_ID" {
            return self.library_failed(error, OF_CLASSIC);
        }
        let error = errors::of_broker(error);
        let text = format!("JoinGroup failed: {}", error.message);
        self.inner_mut().failures.push_back(errors::worded(&error.error, text));
    }

    /// Whether its JoinGroup has to wait: for the commit of what was revoked, for an application that does not poll, or
    /// for a topic.
    pub(super) fn may_not_join(&self) -> bool {
        let consumer = self.inner();
        let waits = consumer.library.is_late || consumer.commits.has_auto() || consumer.topics.is_empty();
        self.is_librdkafka() && waits
    }

    /// Tells of the answer to a JoinGroup.
    pub(super) fn tell_join(&mut self, answer: &JoinGroupAnswer, outbox: &mut Outbox) {
        if !self.is_librdkafka() {
            return;
        }
        let consumer = self.name();
        let told = match &answer.result {
            Ok(joined) => GroupEvent::JoinAnswered {
                consumer,
                generation: joined.generation,
                protocol: Name::clone(&joined.protocol),
                is_leader: joined.leader == answer.member,
                members: joined.members.len() as u32,
                error: None,
            },
            Err(error) => GroupEvent::JoinAnswered {
                consumer,
                generation: -1,
                protocol: Name::from(""),
                is_leader: false,
                members: 0,
                error: Some(Box::new(errors::of_broker(error))),
            },
        };
        self.tell(told, outbox);
    }

    /// A callback has returned: the binding calls assign() or unassign(). What is given up is committed first, if that
    /// is done automatically.
    pub(super) fn follow_callback(&mut self, running: &Running, outbox: &mut Outbox) {
        if !self.is_librdkafka() {
            return;
        }
        let named = &running.partitions;
        let owned = match running.callback {
            Callback::Assigned => self.owned().into_iter().chain(named.iter().cloned()).collect(),
            Callback::Revoked | Callback::Lost => {
                self.owned().into_iter().filter(|partition| !named.contains(partition)).collect()
            }
        };
        if running.callback == Callback::Revoked {
            let offset =
                |partition: &TopicPartition| Some((partition.clone(), self.partitions.get(partition)?.stored?));
            let offsets: Offsets = named.iter().filter_map(offset).collect();
            self.auto_commit_of(offsets, outbox);
        }
        self.own(&sorted(owned), outbox);
        self.tell_assignment(outbox);
    }

    /// What `commit()` commits: offsets behind records that the application has got, unless they are committed.
    pub(super) fn stored(&self) -> Offsets {
        let known = &self.inner().commits.known;
        let offset = |(partition, reading): (&TopicPartition, &crate::client::reader::Reading)| {
            let stored = reading.stored.filter(|stored| known.get(partition).is_none_or(|known| known < stored))?;
            Some((partition.clone(), stored))
        };
        self.partitions.iter().filter_map(offset).collect()
    }

    /// What the application commits inside a callback.
    pub(super) fn committed_in_callback(&self) -> Offsets {
        if !self.plan.listener.commits_unread || !self.is_librdkafka() {
            return self.consumed();
        }
        let position = |partition: &TopicPartition| self.partitions[partition].stored.unwrap_or(0);
        self.owned().into_iter().map(|partition| (partition.clone(), position(&partition))).collect()
    }

    /// Requests to the coordinator share a connection, and the coordinator answers a JoinGroup before it reads on.
    pub(super) fn is_behind_join(&self) -> bool {
        let waits = matches!(&self.inner().membership, Membership::Classic(classic) if classic.waits_for_join());
        waits && self.is_librdkafka()
    }

    /// What an error in the answer to a commit means.
    pub(super) fn library_commit_failed(&mut self, error: &KafkaError, outbox: &mut Outbox) -> Failure {
        let is_lost = matches!(error.error.as_str(), "COORDINATOR_NOT_AVAILABLE" | "NOT_COORDINATOR");
        if is_lost {
            self.coordinator_unknown(outbox);
        }
        let is_retriable =
            is_lost || matches!(error.error.as_str(), "COORDINATOR_LOAD_IN_PROGRESS" | "REQUEST_TIMED_OUT");
        Failure { error: errors::of_broker(error), is_retriable }
    }

    /// An error that it cannot get over. It is told once, and the member does nothing any more.
    pub(super) fn library_failed(&mut self, error: &KafkaError, reason: &str) {
        let text = errors::of_broker(error).message;
        let error = errors::worded("_FATAL", format!("Fatal error: {text}: {reason}: {text}"));
        let consumer = self.inner_mut();
        consumer.library.has_failed = true;
        consumer.failures.push_back(error);
    }

    /// When the main thread will find that the application has not polled for too long, or has found.
    pub(super) fn poll_limit_due(&self, now: Time) -> Option<Time> {
        let consumer = self.inner();
        let own = &consumer.library;
        let is_watched = self.is_auto_assigned() && !own.is_late && !own.has_failed && !is_leaving(consumer);
        let is_polling = self.is_in_poll(now) || is_called_back(consumer);
        let from = own.checks_from.filter(|_| is_watched && !is_polling)?;
        let checks = self.poll_limit().0.saturating_sub(from.0) / CHECKS.0 + 1;
        Some(from + Duration(checks * CHECKS.0))
    }

    /// When `max.poll.interval.ms` ends.
    fn poll_limit(&self) -> Time {
        self.inner().thread.polled + self.plan.settings.member.poll_interval_max
    }

    /// The main thread looks whether the application polls. A member of a classic group leaves when it does not; one of
    /// the consumer protocol stays until it does.
    pub(super) fn watch_poll(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        if !self.is_librdkafka() || !self.is_auto_assigned() {
            return;
        }
        self.inner_mut().library.checks_from.get_or_insert(now);
        if self.poll_limit_due(now).is_none_or(|due| due > now) {
            return;
        }
        let limit = self.plan.settings.member.poll_interval_max.millis();
        let exceeded = now.since(self.poll_limit()).millis();
        let text = format!("Application maximum poll interval ({limit}ms) exceeded by {exceeded}ms");
        let consumer = self.inner_mut();
        consumer.library.is_late = true;
        consumer.failures.push_back(errors::worded("_MAX_POLL_EXCEEDED", text.as_str()));
        if let Membership::Classic(_) = consumer.membership {
            self.leave_late(&text, outbox);
        }
    }

    /// The application polls, after too long a time or in time.
    pub(super) fn library_polled(&mut self, outbox: &mut Outbox) {
        let was_late = std::mem::take(&mut self.inner_mut().library.is_late);
        if was_late && matches!(self.inner().membership, Membership::Consumer(_)) {
            self.network_polled_late(outbox);
        }
    }

    /// Topics of the subscription that exist; the application is told once of each that does not.
    pub(super) fn find_topics(&mut self, outbox: &mut Outbox) {
        let Some(Topics::Named(names)) = self.inner().subscription.clone() else { return };
        if !self.is_librdkafka() || self.inner().metadata_version == 0 {
            return;
        }
        let mut found = BTreeSet::new();
        let mut missing = BTreeSet::new();
        for name in names {
            if is_pattern(&name) {
                found.extend(self.matching(&name));
            } else if self.inner().image.topics.contains_key(&name) {
                found.insert(name);
            } else {
                missing.insert(name);
            }
        }
        found.iter().for_each(|name| self.metadata.want_known(name, outbox.now()));
        let consumer = self.inner_mut();
        let told = std::mem::replace(&mut consumer.library.unavailable, missing.clone());
        for topic in missing.difference(&told) {
            let unknown = errors::plain("UNKNOWN_TOPIC_OR_PART");
            let text = format!("Subscribed topic not available: {topic}: {}", unknown.message);
            consumer.failures.push_back(errors::worded(&unknown.error, text));
        }
        consumer.topics = found;
    }

    /// Topics that a pattern finds: it need not match to the end.
    fn matching(&self, pattern: &str) -> Vec<Name> {
        let Ok(pattern) = Pattern::new(&format!("(?:{pattern}).*")) else { return Vec::new() };
        self.all_topics().into_keys().filter(|name| pattern.matches(name)).collect()
    }
}

fn is_leaving(consumer: &Consumer) -> bool {
    consumer.thread.frames.iter().any(|frame| matches!(frame, Frame::Leave(_)))
}

fn is_called_back(consumer: &Consumer) -> bool {
    let thread = &consumer.thread;
    !thread.callbacks.is_empty() || thread.frames.iter().any(|frame| matches!(frame, Frame::Callback(_)))
}

fn sorted(mut partitions: Vec<TopicPartition>) -> Vec<TopicPartition> {
    crate::order::Order::order_by_key(&mut partitions[..], Clone::clone);
    partitions
}
