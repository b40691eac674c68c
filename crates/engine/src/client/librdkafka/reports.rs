//! Delivery reports: what they say, and when the application gets them.
//!
//! A message counts for the limits of the queue until its report is served by `poll()`. The application polls all
//! the time unless it is told to stop. Deliberately not here: what led to a report.

use std::rc::Rc;

use super::Librdkafka;
use super::message::{Key, Message};
use super::sending::InFlight;
use crate::command::RecordMetadata;
use crate::error::KafkaError;
use crate::event::EventKind;
use crate::outbox::Outbox;

/// The reports of one batch: one event for `poll()`.
#[derive(Clone, Debug)]
pub(super) struct Report {
    /// The number of a `send` command, if there is one, for each message.
    commands: Vec<(u64, u64)>,
    /// Messages and bytes that leave the queue.
    count: u64,
    bytes: u64,
    topic: crate::event::Name,
    partition: u32,
    base_offset: Option<u64>,
    error: Option<KafkaError>,
}

impl Report {
    /// The commands that it answers.
    pub fn commands(&self) -> Vec<u64> {
        self.commands.iter().map(|(command, _)| *command).collect()
    }
}

impl Librdkafka {
    /// Reports that a batch is written. Messages that were given up before are not reported again.
    pub(super) fn report_written(&mut self, request: InFlight, base_offset: Option<u64>, outbox: &mut Outbox) {
        let count = request.messages.len() as u64;
        if count == 0 {
            return;
        }
        self.acknowledged_count += count;
        outbox.emit(EventKind::BatchAcknowledged {
            producer: Rc::clone(&self.plan.name),
            batch: request.view.clone(),
            base_offset,
        });
        let offset = |message: &Message| message.number - request.first;
        self.reports.push_back(Report {
            commands: request.messages.iter().filter_map(|it| Some((it.record.command?, offset(it)))).collect(),
            count,
            bytes: request.messages.iter().map(Message::queue_bytes).sum(),
            topic: request.key.0,
            partition: request.key.1,
            base_offset,
            error: None,
        });
        self.serve_if_polled(outbox);
    }

    /// Reports that messages are lost.
    pub(super) fn report_failed(
        &mut self,
        messages: Vec<Message>,
        key: Option<&Key>,
        error: &KafkaError,
        outbox: &mut Outbox,
    ) {
        if messages.is_empty() {
            return;
        }
        let count = messages.len() as u64;
        self.failed_count += count;
        if let Some(txn) = &mut self.txn {
            txn.failed += count;
        }
        outbox.emit(EventKind::SendFailed {
            producer: Rc::clone(&self.plan.name),
            records: messages.iter().map(|message| Rc::clone(&message.record)).collect(),
            error: error.clone().into(),
        });
        self.reports.push_back(Report {
            commands: messages.iter().filter_map(|it| Some((it.record.command?, 0))).collect(),
            count,
            bytes: messages.iter().map(Message::queue_bytes).sum(),
            topic: key.map_or_else(|| Rc::from(""), |key| Rc::clone(&key.0)),
            partition: key.map_or(0, |key| key.1),
            base_offset: None,
            error: Some(error.clone()),
        });
        self.serve_if_polled(outbox);
    }

    fn serve_if_polled(&mut self, outbox: &mut Outbox) {
        if self.is_polling {
            self.serve_reports(outbox);
        }
    }

    /// `poll()`: all reports that wait are served.
    pub fn poll(&mut self, outbox: &mut Outbox) {
        self.serve_reports(outbox);
        self.wake_soon(outbox);
    }

    /// The application polls from now on, or does not.
    pub fn set_polling(&mut self, is_polling: bool, outbox: &mut Outbox) {
        self.is_polling = is_polling;
        self.serve_if_polled(outbox);
        self.wake_soon(outbox);
    }

    pub(super) fn serve_reports(&mut self, outbox: &mut Outbox) {
        while let Some(report) = self.reports.pop_front() {
            self.queued_records -= report.count;
            self.queued_bytes -= report.bytes;
            for (command, delta) in report.commands {
                match &report.error {
                    Some(error) => outbox.fail_future(command, error.clone()),
                    None => {
                        let metadata = RecordMetadata {
                            topic: Rc::clone(&report.topic),
                            partition: report.partition,
                            offset: report.base_offset.map(|base| base + delta),
                        };
                        outbox.finish(command, Ok(Some(metadata)));
                    }
                }
            }
        }
    }

    /// `purge()`: queued messages are given up, and those in flight if that is wanted. What is in flight may
    /// still get into the log.
    pub(super) fn purge(&mut self, queued: bool, in_flight: bool, outbox: &mut Outbox) {
        if queued {
            let error = super::errors::plain("_PURGE_QUEUE");
            for name in self.topics.keys().cloned().collect::<Vec<_>>() {
                let Some(topic) = self.topics.get_mut(&name) else { continue };
                let unassigned = topic.unassigned.take_all();
                let mut all = Vec::new();
                for (number, partition) in (0..).zip(&mut topic.partitions) {
                    all.push(((Rc::clone(&name), number), partition.queue.take_all()));
                }
                self.report_failed(unassigned, None, &error, outbox);
                for (key, messages) in all {
                    self.report_failed(messages, Some(&key), &error, outbox);
                }
            }
        }
        // With idempotence the answer decides.
        if in_flight && self.identity.is_none() {
            let error = super::errors::plain("_PURGE_INFLIGHT");
            let taken = |request: &mut InFlight| (request.key.clone(), std::mem::take(&mut request.messages));
            for (key, messages) in self.requests.messages_mut().map(taken).collect::<Vec<_>>() {
                self.report_failed(messages, Some(&key), &error, outbox);
            }
        }
    }

    /// Events that wait for `poll()`.
    pub fn report_count(&self) -> u64 {
        self.reports.len() as u64
    }
}
