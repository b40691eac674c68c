//! The user thread: calls of the application one after the other, and what each waits for.
//!
//! Follows `ShareConsumerImpl` of Kafka 4.3.1, with the texts of its exceptions (verified on a running broker as far as
//! recordings have them). What an application does by itself is in `application.rs`.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::{Held, ShareCall, ShareConsumer};
use crate::client::consumer_call::Membership;
use crate::command::{Outcome, PartitionName, PartitionOutcome, Status};
use crate::error::KafkaError;
use crate::event::{EventKind, Name, TopicPartition};
use crate::group::GroupEvent;
use crate::outbox::Outbox;
use crate::share::{AcknowledgeType, DeliveredRecord, ShareEvent};
use crate::snapshot::{ClientProcess, ReadRecord};
use crate::time::{Duration, Time};

/// `KafkaShareConsumer.close()` waits that long at most (`DEFAULT_CLOSE_TIMEOUT_MS`).
const CLOSE_TIMEOUT: Duration = Duration::from_secs(30);
/// Records that are remembered for the picture.
const RECENT_MAX: usize = 64;

/// A call that has not returned.
#[derive(Clone, Debug)]
pub(super) enum Frame {
    /// Without a deadline the application calls again and again.
    Poll {
        deadline: Option<Time>,
        command: Option<u64>,
    },
    Commit {
        left: BTreeSet<(TopicPartition, u64)>,
        results: Vec<PartitionOutcome>,
        deadline: Time,
        command: Option<u64>,
    },
    Leave {
        is_close: bool,
        is_leaving: bool,
        deadline: Time,
        command: Option<u64>,
    },
}

impl Frame {
    pub fn due(&self) -> Option<Time> {
        match self {
            Frame::Poll { deadline, .. } => *deadline,
            Frame::Commit { deadline, .. } | Frame::Leave { deadline, .. } => Some(*deadline),
        }
    }
}

/// What became of a frame.
enum Turn {
    GoesOn,
    Waits,
}

impl ShareConsumer {
    /// Whether the application is in `poll`.
    pub(super) fn is_polling(&self) -> bool {
        matches!(self.frame, Some(Frame::Poll { .. })) && self.process == ClientProcess::Running
    }

    /// Runs the user thread until it waits for something.
    pub(super) fn advance(&mut self, outbox: &mut Outbox) {
        while let Turn::GoesOn = self.turn(outbox) {}
    }

    fn turn(&mut self, outbox: &mut Outbox) -> Turn {
        match self.frame.clone() {
            Some(Frame::Poll { deadline, command }) => self.go_on_polling(deadline, command, outbox),
            Some(Frame::Commit { left, results, deadline, command }) => {
                if !left.is_empty() && deadline > outbox.now() {
                    return Turn::Waits;
                }
                self.frame = None;
                self.end_commit(left, results, command, outbox);
                Turn::GoesOn
            }
            Some(Frame::Leave { is_close, is_leaving, deadline, command }) => {
                self.go_on_leaving(is_close, is_leaving, deadline, command, outbox)
            }
            None if self.application.is_working() => self.work(outbox),
            None => match self.calls.pop_front() {
                Some((call, command)) => {
                    self.begin(call, command, outbox);
                    Turn::GoesOn
                }
                None => self.act_by_itself(outbox),
            },
        }
    }

    fn work(&mut self, outbox: &mut Outbox) -> Turn {
        if self.go_on_working(outbox) { Turn::GoesOn } else { Turn::Waits }
    }

    fn act_by_itself(&mut self, outbox: &mut Outbox) -> Turn {
        let rests = self.plan.is_manual || self.is_paused || self.is_closed || self.topics.is_empty();
        if rests || self.process != ClientProcess::Running {
            return Turn::Waits;
        }
        self.take_next(outbox);
        Turn::GoesOn
    }

    fn begin(&mut self, call: ShareCall, command: u64, outbox: &mut Outbox) {
        if self.is_closed {
            return match call {
                ShareCall::Close => outbox.finish(command, Ok(None)),
                _ => outbox.throw(command, illegal_state("This consumer has already been closed.")),
            };
        }
        match call {
            ShareCall::Subscribe(topics) if topics.is_empty() => self.leave(false, Some(command), outbox),
            ShareCall::Subscribe(topics) => {
                self.subscribe(topics, outbox.now());
                outbox.finish(command, Ok(None));
            }
            ShareCall::Unsubscribe => self.leave(false, Some(command), outbox),
            ShareCall::Poll(timeout) => {
                let deadline = Some(outbox.now() + timeout);
                if let Err(error) = self.begin_poll(deadline, Some(command), outbox) {
                    outbox.throw(command, error);
                }
            }
            ShareCall::Acknowledge(partition, offset, said) => {
                match self.acknowledge(&partition, offset, said, outbox) {
                    Ok(()) => outbox.finish(command, Ok(None)),
                    Err(error) => outbox.throw(command, error),
                }
            }
            ShareCall::CommitSync => self.commit(Some(command), outbox),
            ShareCall::CommitAsync => {
                self.accept_implicitly(outbox);
                self.hand_over();
                outbox.finish(command, Ok(None));
            }
            ShareCall::Close => self.leave(true, Some(command), outbox),
            ShareCall::SetProcessing(time) => {
                self.application.processing = time;
                outbox.finish(command, Ok(None));
            }
            ShareCall::SetAcknowledging(rules) => {
                self.application.rules = rules;
                outbox.finish(command, Ok(None));
            }
        }
    }

    pub(super) fn subscribe(&mut self, topics: Vec<Name>, now: Time) {
        topics.iter().for_each(|topic| self.metadata.want(topic, now));
        self.member.subscribe(topics.clone(), None);
        self.topics = topics;
    }

    /// `poll` begins. What it throws is an error.
    pub(super) fn begin_poll(
        &mut self,
        deadline: Option<Time>,
        command: Option<u64>,
        outbox: &mut Outbox,
    ) -> Result<(), KafkaError> {
        if self.topics.is_empty() {
            return Err(illegal_state("Consumer is not subscribed to any topics."));
        }
        self.accept_implicitly(outbox);
        let is_open = |held: &Held| held.said.is_none() && !held.is_sent && !held.is_renewed;
        if self.plan.is_explicit && self.held.iter().any(is_open) {
            return Err(illegal_state("All records must be acknowledged in explicit acknowledgement mode."));
        }
        self.hand_over();
        self.frame = Some(Frame::Poll { deadline, command });
        self.poll_membership(outbox);
        Ok(())
    }

    fn go_on_polling(&mut self, deadline: Option<Time>, command: Option<u64>, outbox: &mut Outbox) -> Turn {
        if let Some(error) = self.failures.pop_front() {
            self.frame = None;
            self.poll_returned(outbox);
            self.throw_from_poll(error, command, outbox);
            return Turn::GoesOn;
        }
        let renewed: Vec<DeliveredRecord> = self.take_renewed();
        let records = if renewed.is_empty() { self.take_fetched(outbox) } else { renewed };
        let is_over = deadline.is_some_and(|deadline| deadline <= outbox.now());
        // An application that polls by itself can be told something in between.
        let is_interrupted = command.is_none() && !self.calls.is_empty();
        if records.is_empty() && !is_over && !is_interrupted {
            return Turn::Waits;
        }
        self.frame = None;
        self.poll_returned(outbox);
        if !records.is_empty() {
            self.application.take_in(&records);
            let (consumer, records) = (Rc::clone(self.name()), records.clone());
            self.tell(ShareEvent::RecordsPolled { consumer, records }, outbox);
        }
        if let Some(command) = command {
            let outcome = Outcome { status: Status::Done, delivered: records, ..Outcome::pending(command) };
            outbox.post.outcomes.insert(command, outcome.clone());
            outbox.emit(EventKind::CommandFinished { outcome: outcome.into() });
        }
        Turn::GoesOn
    }

    pub(super) fn throw_from_poll(&mut self, error: KafkaError, command: Option<u64>, outbox: &mut Outbox) {
        let consumer = Rc::clone(self.name());
        self.tell_group(GroupEvent::PollFailed { consumer, error: error.clone().into() }, outbox);
        match command {
            Some(command) => outbox.throw(command, error),
            None => {
                // An application that works by itself ends with its first exception.
                self.error = Some(error);
                self.leave(true, None, outbox);
            }
        }
    }

    /// Records whose locks were renewed are returned again, and nothing else with them (KIP-1222).
    fn take_renewed(&mut self) -> Vec<DeliveredRecord> {
        let renewed = self.held.iter_mut().filter(|held| held.is_renewed && !held.is_sent && held.said.is_none());
        let take = |held: &mut Held| {
            held.is_renewed = false;
            held.record.clone()
        };
        renewed.map(take).collect()
    }

    /// What was fetched, at most about `max.poll.records` of it.
    fn take_fetched(&mut self, outbox: &Outbox) -> Vec<DeliveredRecord> {
        let count = (self.plan.member.settings.records_max as usize).min(self.buffer.len());
        let mut records = Vec::with_capacity(count);
        for (broker, record) in self.buffer.drain(..count) {
            if let Some(content) = &record.record {
                self.recent.push_back(ReadRecord {
                    topic: Rc::clone(&record.partition.topic),
                    partition: record.partition.partition,
                    offset: record.offset,
                    read: outbox.moment,
                    record: Rc::clone(content),
                });
            }
            records.push(record.clone());
            self.held.push(Held { broker, record, said: None, is_sent: false, is_renewed: false });
        }
        self.read_count += records.len() as u64;
        let surplus = self.recent.len().saturating_sub(RECENT_MAX);
        self.recent.drain(..surplus);
        records
    }

    /// In the implicit mode whoever polls or commits accepts what it got before.
    fn accept_implicitly(&mut self, outbox: &mut Outbox) {
        if self.plan.is_explicit {
            return;
        }
        let mut chosen = Vec::new();
        for held in self.held.iter_mut().filter(|held| held.said.is_none() && !held.is_sent) {
            held.said = Some(AcknowledgeType::Accept);
            chosen.push((held.record.partition.clone(), held.record.offset));
        }
        for (partition, offset) in chosen {
            self.tell_chosen(partition, offset, AcknowledgeType::Accept, outbox);
        }
    }

    /// `acknowledge`.
    pub(super) fn acknowledge(
        &mut self,
        partition: &TopicPartition,
        offset: u64,
        said: AcknowledgeType,
        outbox: &mut Outbox,
    ) -> Result<(), KafkaError> {
        if !self.plan.is_explicit {
            return Err(illegal_state("Implicit acknowledgement of delivery is being used."));
        }
        let held = self.held.iter_mut().find(|held| !held.is_sent && held.is_at(partition, offset));
        let Some(held) = held else { return Err(illegal_state("The record cannot be acknowledged.")) };
        held.said = Some(said);
        self.tell_chosen(partition.clone(), offset, said, outbox);
        Ok(())
    }

    fn tell_chosen(
        &self,
        partition: TopicPartition,
        offset: u64,
        acknowledgement: AcknowledgeType,
        outbox: &mut Outbox,
    ) {
        let consumer = Rc::clone(self.name());
        self.tell(ShareEvent::AcknowledgementChosen { consumer, partition, offset, acknowledgement }, outbox);
    }

    /// `commitSync` waits for what becomes of everything that was said.
    pub(super) fn commit(&mut self, command: Option<u64>, outbox: &mut Outbox) {
        self.accept_implicitly(outbox);
        let left = crate::order::set(self.hand_over());
        let deadline = outbox.now() + self.plan.member.settings.member.api_timeout;
        self.frame = Some(Frame::Commit { left, results: Vec::new(), deadline, command });
    }

    /// What came of acknowledgements of a partition.
    pub(super) fn note_result(&mut self, partition: &TopicPartition, offsets: &[u64], error: Option<&KafkaError>) {
        let Some(Frame::Commit { left, results, .. }) = &mut self.frame else { return };
        let before = left.len();
        for offset in offsets {
            left.remove(&(partition.clone(), *offset));
        }
        if left.len() < before {
            let name = PartitionName { topic: partition.topic.to_string(), partition: partition.partition };
            let known = results.iter_mut().find(|known| known.partition == name);
            match known {
                Some(known) => known.error = known.error.take().or_else(|| error.cloned()),
                None => results.push(PartitionOutcome { partition: name, error: error.cloned(), low_watermark: None }),
            }
        }
    }

    fn end_commit(
        &mut self,
        left: BTreeSet<(TopicPartition, u64)>,
        mut results: Vec<PartitionOutcome>,
        command: Option<u64>,
        outbox: &mut Outbox,
    ) {
        for partition in crate::order::set(left.into_iter().map(|(partition, _)| partition)) {
            let name = PartitionName { topic: partition.topic.to_string(), partition: partition.partition };
            let error = Some(KafkaError::protocol("REQUEST_TIMED_OUT"));
            results.push(PartitionOutcome { partition: name, error, low_watermark: None });
        }
        if let Some(command) = command {
            outbox.finish_partitions(command, Ok(None), results);
        }
    }

    /// `close` or `unsubscribe`: what was said is sent, sessions end, and the group is left.
    pub(super) fn leave(&mut self, is_close: bool, command: Option<u64>, outbox: &mut Outbox) {
        self.hand_over();
        self.end_sessions(outbox);
        self.application.give_up();
        let deadline = outbox.now() + CLOSE_TIMEOUT;
        self.frame = Some(Frame::Leave { is_close, is_leaving: false, deadline, command });
    }

    fn go_on_leaving(
        &mut self,
        is_close: bool,
        is_leaving: bool,
        deadline: Time,
        command: Option<u64>,
        outbox: &mut Outbox,
    ) -> Turn {
        let is_late = deadline <= outbox.now();
        if !is_leaving {
            if !self.have_sessions_ended() && !is_late {
                return Turn::Waits;
            }
            self.frame = Some(Frame::Leave { is_close, is_leaving: true, deadline, command });
            match is_close {
                true => self.member.close(Membership::Default),
                false => self.member.unsubscribe(),
            }
            self.take_steps(outbox);
            self.tend_membership(outbox);
            return Turn::GoesOn;
        }
        if !self.has_left() && !is_late {
            return Turn::Waits;
        }
        self.frame = None;
        self.held.clear();
        self.topics.clear();
        if is_close {
            self.is_closed = true;
            let consumer = Rc::clone(self.name());
            self.tell_group(GroupEvent::ConsumerClosed { consumer }, outbox);
        }
        if let Some(command) = command {
            outbox.finish(command, Ok(None));
        }
        Turn::GoesOn
    }
}

fn illegal_state(text: &str) -> KafkaError {
    KafkaError::new("", "IllegalStateException", text)
}
