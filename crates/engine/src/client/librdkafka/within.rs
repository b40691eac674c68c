//! How a producer instance hands calls, answers and timers on, if its library is librdkafka.
//!
//! Deliberately not here: what is done with them.

use std::rc::Rc;

use super::{Librdkafka, Offsets};
use crate::client::producer::Producer;
use crate::client::producer::calls::Calling;
use crate::client::producer::partitioning::KeyMemories;
use crate::event::MessageView;
use crate::message::Payload;
use crate::outbox::Outbox;
use crate::queue::Timer;
use crate::snapshot::{ClientProcess, ProducerState};
use crate::transaction::Call;

impl Librdkafka {
    /// The application makes a call. `timeout_ms` is its argument, where the function has one.
    pub fn obey(&mut self, calling: Calling, command: Option<u64>, timeout_ms: Option<u32>, outbox: &mut Outbox) {
        match calling {
            Calling::Send(outgoing) => self.produce(outgoing, outbox),
            Calling::Flush => self.flush(command, timeout_ms, outbox),
            Calling::Close(timeout) => self.close(command, timeout, outbox),
            Calling::PartitionsFor(_) => {
                // It is a call of the Java client; librdkafka's `metadata()` tells the whole cluster.
                let error = super::errors::worded("_NOT_IMPLEMENTED", "Local: Not implemented");
                command.into_iter().for_each(|command| outbox.throw(command, error.clone()));
            }
            Calling::InitTransactions => self.call(Call::InitTransactions, command, timeout_ms, None, outbox),
            Calling::BeginTransaction => self.call(Call::BeginTransaction, command, None, None, outbox),
            Calling::CommitTransaction => self.call(Call::CommitTransaction, command, timeout_ms, None, outbox),
            Calling::AbortTransaction => self.call(Call::AbortTransaction, command, timeout_ms, None, outbox),
            Calling::SendOffsets(given) => {
                let offsets =
                    Offsets { group: given.group, member: given.member, offsets: given.offsets, coordinator: None };
                self.call(Call::SendOffsetsToTransaction, command, timeout_ms, Some(offsets), outbox);
            }
        }
    }

    /// An answer of a broker.
    pub(super) fn receive(&mut self, answer: &Payload, outbox: &mut Outbox) {
        match answer {
            Payload::MetadataAnswer { request, image } => self.metadata_answer(*request, image, outbox),
            Payload::ProduceAnswer { request, results } => self.produce_answer(*request, results, outbox),
            Payload::InitProducerIdAnswer { request, result } => self.producer_id_answer(*request, result, outbox),
            Payload::FindCoordinatorAnswer { request, result } => {
                self.coordinator_answer(*request, result, outbox);
            }
            Payload::AddPartitionsToTxnAnswer { request, results } => {
                self.add_partitions_answer(*request, results, outbox);
            }
            Payload::AddOffsetsToTxnAnswer { request, result } => self.add_offsets_answer(*request, result, outbox),
            Payload::EndTxnAnswer { request, result } => self.end_answer(*request, result, outbox),
            Payload::TxnOffsetCommitAnswer { request, results } => self.offsets_answer(*request, results, outbox),
            other => panic!("a producer does not handle {other:?}"),
        }
    }
}

impl Producer {
    /// Lets the library work, if it is librdkafka, and takes over what others look at.
    fn within<T>(&mut self, act: impl FnOnce(&mut Librdkafka) -> T) -> Option<T> {
        let own = self.librdkafka.as_mut()?;
        let result = act(own);
        self.state = own.state;
        self.sent_count = own.sent_count;
        self.acknowledged_count = own.acknowledged_count;
        self.failed_count = own.failed_count;
        if let Some(last) = own.last.take() {
            self.last = Some(last);
        }
        Some(result)
    }

    /// The constructor.
    pub(in crate::client) fn start_librdkafka(&mut self, outbox: &mut Outbox) {
        self.within(|own| own.start(outbox));
    }

    /// A call of the application; false if the library is another.
    pub(crate) fn call_librdkafka(
        &mut self,
        calling: &Calling,
        command: Option<u64>,
        timeout_ms: Option<u32>,
        outbox: &mut Outbox,
    ) -> bool {
        // A process that stands still makes its calls when it goes on.
        if self.librdkafka.is_none() || self.process == ClientProcess::Frozen {
            return false;
        }
        if matches!(calling, Calling::Close(_)) {
            self.end_workload();
        }
        self.within(|own| own.obey(calling.clone(), command, timeout_ms, outbox)).is_some()
    }

    /// An answer of a broker; false if the library is another.
    pub(crate) fn answer_librdkafka(&mut self, answer: &Payload, outbox: &mut Outbox) -> bool {
        self.within(|own| own.receive(answer, outbox)).is_some()
    }

    /// A timer; false if it is not the library's.
    pub(crate) fn wake_librdkafka(&mut self, timer: Timer, outbox: &mut Outbox) -> bool {
        let worked = match timer {
            Timer::Wake if self.librdkafka.is_some() => {
                while let Some((calling, command)) = self.calls.next() {
                    self.call_librdkafka(&calling, command, None, outbox);
                }
                self.within(|own| own.rang(outbox))
            }
            Timer::Disconnected { broker } => self.within(|own| own.broker_disconnected(broker, outbox)),
            _ => None,
        };
        worked.is_some()
    }

    /// `purge()`; nothing for other libraries.
    pub(crate) fn purge(&mut self, in_flight: bool, outbox: &mut Outbox) {
        self.within(|own| own.purge_by_hand(in_flight, outbox));
    }

    /// `poll()`; nothing for other libraries.
    pub(crate) fn poll(&mut self, outbox: &mut Outbox) {
        self.within(|own| own.poll(outbox));
    }

    /// Whether the application polls by itself.
    pub(crate) fn set_polling(&mut self, is_polling: bool, outbox: &mut Outbox) {
        self.within(|own| own.set_polling(is_polling, outbox));
    }

    /// Fault: the connections break; false if the library is another.
    pub(crate) fn disconnect_librdkafka(&mut self, outbox: &mut Outbox) -> bool {
        self.within(|own| own.disconnect(outbox)).is_some()
    }

    /// Whether a message went over a connection that is gone.
    pub(crate) fn has_lost(&self, message: &MessageView) -> bool {
        match &self.librdkafka {
            Some(own) => own.has_lost(message),
            None => message.id < self.connected_since,
        }
    }

    /// A message went over a connection that is gone; false if the library is another.
    pub(crate) fn lose_librdkafka(&mut self, message: &Rc<MessageView>, outbox: &mut Outbox) -> bool {
        self.within(|own| own.lose(message, outbox)).is_some()
    }

    /// The process is gone. Returns the commands that will not come to an end.
    pub(crate) fn vanish_librdkafka(&mut self) -> Vec<u64> {
        self.within(Librdkafka::vanish).unwrap_or_default()
    }

    /// Where each key went last, for the next instance of the name.
    pub(crate) fn remembered_keys(&self) -> Rc<KeyMemories> {
        Rc::clone(self.librdkafka.as_ref().map_or(&self.keys, |own| &own.keys))
    }

    /// Takes over what the instance before remembered.
    pub(crate) fn remember_keys(&mut self, keys: Rc<KeyMemories>) {
        match &mut self.librdkafka {
            Some(own) => own.keys = keys,
            None => self.keys = keys,
        }
    }

    /// Whether it runs, and librdkafka's calls make sense.
    pub(crate) fn is_polled(&self) -> bool {
        self.librdkafka.is_some() && self.state != ProducerState::Closed
    }
}
