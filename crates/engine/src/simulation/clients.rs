//! The processes of clients: standing still, going on, dying, and what two clients of one process hand each other.
//!
//! Brokers' processes are in `processes.rs`. A producer that died is started again as a new one of its name.

use std::rc::Rc;

use super::Simulation;
use super::resolve::{Act, known};
use crate::client::producer::Outgoing;
use crate::command::Command;
use crate::error::InputError;
use crate::event::{Event, EventKind, NodeId};
use crate::outbox::{Copied, Outbox};
use crate::queue::{Body, Entry, Target, Timer};
use crate::snapshot::{ClientProcess, ProducerState};
use crate::transaction::TransactionEvent;

/// What happens to a client's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProcessFault {
    Freeze,
    Thaw,
    Crash,
}

impl Simulation {
    /// Which client is meant, if its process can do that.
    pub(super) fn resolve_client(&self, command: &Command) -> Result<Act, InputError> {
        let (name, fault) = match command {
            Command::Freeze { client } => (client, ProcessFault::Freeze),
            Command::Thaw { client } => (client, ProcessFault::Thaw),
            Command::Crash { client } => (client, ProcessFault::Crash),
            other => unreachable!("{other:?} is not for a client's process"),
        };
        let target = match (self.find_producer(name), self.find_reader(name), self.find_share(name)) {
            (Some(producer), ..) => Target::Producer(producer),
            (None, _, Some(share)) => Target::Share(share),
            (None, Some(reader), None) => Target::Consumer(reader),
            (None, None, None) => {
                let producers = self.producers.iter().map(|producer| &*producer.plan.name);
                let names: Vec<&str> =
                    producers.chain(self.newest_readers().map(|reader| &*reader.plan.name)).collect();
                let text = format!("There is no producer or reader \"{name}\".");
                return Err(InputError::new("command.unknown_client", text).at("client").hint(known(&names)));
            }
        };
        let process = self.client_process(target);
        let is_closed = match target {
            Target::Producer(number) => self.producers[number as usize].state == ProducerState::Closed,
            _ => false,
        };
        let is_possible = match fault {
            ProcessFault::Freeze => process == ClientProcess::Running && !is_closed,
            ProcessFault::Thaw => process == ClientProcess::Frozen,
            ProcessFault::Crash => process != ClientProcess::Crashed && !is_closed,
        };
        if is_possible {
            return Ok(Act::Client(target, fault));
        }
        let (is, hint) = match process {
            ClientProcess::Crashed => ("has died", "Start it again first."),
            _ if is_closed => ("is closed", "Start it again first."),
            ClientProcess::Frozen => ("stands still", "Let it go on first."),
            ClientProcess::Running => ("is running", "Freeze it first."),
        };
        Err(InputError::new("command.client_state", format!("\"{name}\" {is}.")).at("client").hint(hint))
    }

    fn client_process(&self, target: Target) -> ClientProcess {
        match target {
            Target::Producer(number) => self.producers[number as usize].process,
            Target::Consumer(number) => self.readers[number as usize].process,
            Target::Share(number) => self.shares[number as usize].process,
            _ => ClientProcess::Running,
        }
    }

    fn client_node(&self, target: Target) -> NodeId {
        match target {
            Target::Consumer(number) => self.readers[number as usize].node(),
            Target::Share(number) => self.shares[number as usize].node(),
            Target::Producer(number) => self.producers[number as usize].node(),
            other => unreachable!("{other:?} is no client"),
        }
    }

    /// Calls `send` for what copiers have read. A producer that is not there, or has died, sends nothing.
    pub(super) fn send_copies(&mut self, trace: &mut Vec<Event>) {
        if self.post.copied.is_empty() {
            return;
        }
        for Copied { producer, topic, record } in std::mem::take(&mut self.post.copied) {
            let Some(number) = self.find_producer(&producer) else { continue };
            let producer = &mut self.producers[number as usize];
            if producer.state == ProducerState::Closed || producer.process == ClientProcess::Crashed {
                continue;
            }
            let cause = trace.last().map(|event| event.index);
            let mut outbox = Outbox { cause, ..self.post.open(self.moment, trace) };
            producer.call_send(Outgoing::copy(&record, topic), &mut outbox);
            producer.run(&mut outbox);
        }
    }

    /// Keeps what reaches a process that stands still, and drops what reaches one that died; gives back the
    /// rest.
    #[inline]
    pub(super) fn intercept_client(&mut self, entry: Entry, outbox_of: &mut Vec<Event>) -> Option<Entry> {
        match self.client_process(entry.target) {
            ClientProcess::Running => Some(entry),
            ClientProcess::Frozen => {
                self.frozen.push(entry);
                None
            }
            ClientProcess::Crashed => {
                if let Body::Message(view, _) = &entry.body
                    && view.is_notable
                {
                    let mut outbox = self.post.open(self.moment, outbox_of);
                    outbox.emit_cause(EventKind::MessageLost { message: Rc::clone(view) });
                }
                None
            }
        }
    }

    /// SIGSTOP, SIGCONT or SIGKILL.
    pub(super) fn strike_client(
        &mut self,
        target: Target,
        fault: ProcessFault,
        cause: Option<u64>,
        trace: &mut Vec<Event>,
    ) {
        let client = self.client_node(target);
        let (process, event) = match fault {
            ProcessFault::Freeze => (ClientProcess::Frozen, TransactionEvent::ClientFrozen { client }),
            ProcessFault::Thaw => (ClientProcess::Running, TransactionEvent::ClientThawed { client }),
            ProcessFault::Crash => (ClientProcess::Crashed, TransactionEvent::ClientCrashed { client }),
        };
        let mut outbox = Outbox { cause, ..self.post.open(self.moment, trace) };
        outbox.emit_cause(EventKind::Transaction(event));
        match target {
            Target::Consumer(number) => self.readers[number as usize].set_process(process, &mut outbox),
            Target::Share(number) => self.shares[number as usize].set_process(process, &mut outbox),
            Target::Producer(number) if fault == ProcessFault::Crash => {
                self.producers[number as usize].crash(&mut outbox);
            }
            Target::Producer(number) => self.producers[number as usize].process = process,
            other => unreachable!("{other:?} is no client"),
        }
        if fault == ProcessFault::Freeze {
            return;
        }
        // What has piled up is handled in order: first what has arrived, then what was due, then the calls that
        // could not be made. A process that died leaves it to nobody.
        let now = self.moment.time;
        for entry in self.frozen.extract_if(.., |entry| entry.target == target).collect::<Vec<_>>() {
            if fault == ProcessFault::Thaw {
                self.post.queue.push(now, entry.target, entry.body);
            }
        }
        if fault == ProcessFault::Thaw {
            self.post.queue.push(now, target, Body::Timer(Timer::Wake));
        }
    }
}
