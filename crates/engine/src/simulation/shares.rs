//! Share consumers of a run: started, found by their names, and told what an application calls.
//!
//! What they do is in `client/share_consumer/`.

use std::rc::Rc;

use super::Simulation;
use super::resolve::Act;
use crate::client::share_consumer::{ShareCall, ShareConsumer};
use crate::command::Command;
use crate::error::InputError;
use crate::event::{Name, TopicPartition};
use crate::limits::CONSUMERS_MAX;
use crate::queue::{Body, Target, Timer};
use crate::scenario::{Refusal, ShareConsumerPlan, ShareConsumerSpec, check_rules};
use crate::time::Duration;

/// `poll` waits that long unless it is said.
const POLL_TIMEOUT_MS: u32 = 1_000;

impl Simulation {
    /// Adds a share consumer.
    pub(super) fn add_share_consumer(&mut self, plan: Rc<ShareConsumerPlan>) {
        let number = self.shares.len() as u32;
        let start = self.moment.time + plan.start;
        self.shares.push(ShareConsumer::new(number, plan));
        self.post.queue.push(start, Target::Share(number), Body::Timer(Timer::Start));
    }

    /// The newest share consumer of that name.
    pub(super) fn find_share(&self, name: &str) -> Option<u32> {
        self.shares.iter().rposition(|share| **share.name() == *name).map(|number| number as u32)
    }

    /// The newest of each name, in the order of first creation.
    pub(super) fn newest_shares(&self) -> impl Iterator<Item = &ShareConsumer> {
        let is_first = |(number, share): &(usize, &ShareConsumer)| {
            self.shares[..*number].iter().all(|other| other.name() != share.name())
        };
        let newest =
            |(_, first): (usize, &ShareConsumer)| self.shares.iter().rfind(|other| other.name() == first.name());
        self.shares.iter().enumerate().filter(is_first).filter_map(newest)
    }

    /// A share consumer that is to start. One of its name must have ended. What Kafka's constructor throws is data.
    pub(super) fn resolve_share_consumer(&self, spec: &ShareConsumerSpec) -> Result<Act, InputError> {
        let before = self.find_share(&spec.name).map(|number| &self.shares[number as usize]);
        let reader = self.find_reader(&spec.name).map(|number| &self.readers[number as usize]);
        if before.is_some_and(|share| !share.has_ended()) || reader.is_some_and(|reader| !reader.has_ended()) {
            let text = format!("There is a consumer \"{}\" already.", spec.name);
            return Err(InputError::new("command.consumer_state", text).at("name").hint("Close it first."));
        }
        if self.shares.len() >= CONSUMERS_MAX as usize {
            let text = format!("A run holds {CONSUMERS_MAX} share consumer instances at most.");
            return Err(InputError::new("command.too_many", text).at("name"));
        }
        match ShareConsumerPlan::new(spec, "share_consumer", self.plan.seed) {
            Ok(plan) => Ok(Act::StartShare(Rc::new(plan))),
            Err(Refusal::Constructor(error, _)) => Ok(Act::RefuseConsumer(*error)),
            Err(Refusal::Input(error)) => Err(error),
        }
    }

    /// Resolves a command for a share consumer; none if it names none.
    pub(super) fn resolve_share(&self, command: &Command) -> Option<Result<Act, InputError>> {
        let (name, call) = match command {
            Command::SharePoll { consumer, timeout_ms } => {
                let timeout = Duration::from_millis(u64::from(timeout_ms.unwrap_or(POLL_TIMEOUT_MS)));
                (consumer, Ok(ShareCall::Poll(timeout)))
            }
            Command::Acknowledge { consumer, topic, partition, offset, acknowledgement } => {
                let place = TopicPartition { topic: topic.as_str().into(), partition: *partition };
                (consumer, Ok(ShareCall::Acknowledge(place, *offset, acknowledgement.unwrap_or_default())))
            }
            Command::SetAcknowledging { consumer, acknowledge } => {
                let call =
                    check_rules(acknowledge, "command").map(|()| ShareCall::SetAcknowledging(acknowledge.clone()));
                (consumer, call)
            }
            Command::CommitSync { consumer, offsets } => {
                (consumer, without_offsets(offsets.is_some(), ShareCall::CommitSync))
            }
            Command::CommitAsync { consumer, offsets } => {
                (consumer, without_offsets(offsets.is_some(), ShareCall::CommitAsync))
            }
            Command::CloseConsumer { consumer, .. } => (consumer, Ok(ShareCall::Close)),
            Command::SetProcessing { consumer, time } => (consumer, Ok(ShareCall::SetProcessing(*time))),
            Command::Unsubscribe { consumer } => (consumer, Ok(ShareCall::Unsubscribe)),
            Command::Subscribe { consumer, topics, pattern, re2j } => {
                let call = if pattern.is_some() || re2j.is_some() {
                    let text = "A share consumer subscribes to topics by their names.";
                    Err(InputError::new("command.subscription", text).at("pattern"))
                } else {
                    Ok(ShareCall::Subscribe(topics.iter().map(|topic| Name::from(topic.as_str())).collect()))
                };
                (consumer, call)
            }
            _ => return None,
        };
        let is_for_shares = matches!(
            command,
            Command::SharePoll { .. } | Command::Acknowledge { .. } | Command::SetAcknowledging { .. }
        );
        match self.find_share(name) {
            Some(number) => Some(call.map(|call| Act::Share(number, call))),
            None if is_for_shares => {
                let names: Vec<&str> = self.newest_shares().map(|share| &**share.name()).collect();
                let text = format!("There is no share consumer \"{name}\".");
                let error = InputError::new("command.unknown_consumer", text).at("consumer");
                Some(Err(error.hint(super::resolve::known(&names))))
            }
            None => None,
        }
    }
}

fn without_offsets(has_offsets: bool, call: ShareCall) -> Result<ShareCall, InputError> {
    if has_offsets {
        let text = "A share consumer commits what it has acknowledged, not offsets.";
        return Err(InputError::new("command.share_commit", text).at("offsets"));
    }
    Ok(call)
}
