//! Commands: checked against the present state, then handed to the nodes they are for.
//!
//! When a command was given is the timeline's business; which nodes it names is found out in `resolve.rs`.

use std::rc::Rc;

use super::Simulation;
use super::clients::ProcessFault;
use super::resolve::{Act, End};
use crate::client::producer::Producer;
use crate::client::producer::calls::Calling;
use crate::client::reader::Reader;
use crate::command::{Command, SCRIPT_FROM};
use crate::error::{InputError, KafkaError};
use crate::event::{Event, EventKind, LinkState, Moment, NodeId, TopicPartition};
use crate::outbox::Outbox;
use crate::queue::{Body, Target, Timer};
use crate::scenario::{ConsumerPlan, ProducerPlan};
use crate::snapshot::ClientProcess;

impl Simulation {
    /// Applies a command now. A command that makes no sense is refused and nothing changes; what Kafka
    /// refuses is told by events and the outcome.
    pub fn act(&mut self, number: u64, command: &Command, trace: &mut Vec<Event>) -> Result<(), InputError> {
        let act = self.resolve(number, command)?;
        self.moment = Moment { time: self.moment.time, sequence: self.moment.sequence + 1 };
        self.apply(number, command, act, trace);
        self.send_copies(trace);
        Ok(())
    }

    /// A command of the scenario's script is due. What a program would do that has died or is closed, it does not;
    /// any other command that makes no sense is told.
    pub(super) fn act_scripted(&mut self, index: u32, trace: &mut Vec<Event>) {
        let plan = Rc::clone(&self.plan);
        let command = &plan.script[index as usize].command;
        let number = SCRIPT_FROM + u64::from(index);
        // The Java client lets a closed producer be flushed and closed; a program that has closed it runs no further.
        if let Command::Flush { producer, .. } | Command::Close { producer, .. } = command
            && self.running(producer).is_err_and(|error| error.code == "command.closed_producer")
        {
            return;
        }
        match self.resolve(number, command) {
            Ok(act) => self.apply(number, command, act, trace),
            Err(error) if matches!(error.code, "command.closed_producer" | "command.client_state") => {}
            Err(error) => self.refuse(number, command, error.to_string(), trace),
        }
    }

    fn apply(&mut self, number: u64, command: &Command, act: Act, trace: &mut Vec<Event>) {
        let mut outbox = self.post.open(self.moment, trace);
        outbox.emit_cause(EventKind::CommandApplied { number, command: Rc::new(command.clone()) });
        match act {
            Act::Admin(request) => self.admin.request(request, number, &mut outbox),
            Act::Raw(request) => self.admin.raw_request(request, number, &mut outbox),
            Act::Group(asked) => self.admin.group_request(asked, number, &mut outbox),
            Act::Consume(consumer, call) => self.readers[consumer as usize].call(call, number, &mut outbox),
            Act::Call(producer, calling) => {
                let producer = &mut self.producers[producer as usize];
                if producer.call_librdkafka(&calling, Some(number), command.timeout_ms(), &mut outbox) {
                    return;
                }
                producer.call(calling, Some(number), &mut outbox);
                producer.run(&mut outbox);
            }
            Act::StartConsumer(plan, thrown) => {
                self.add_consumer(plan);
                self.post.open(self.moment, trace).finish(number, thrown.map_or(Ok(None), Err));
            }
            Act::StartShare(plan) => {
                self.add_share_consumer(plan);
                self.post.open(self.moment, trace).finish(number, Ok(None));
            }
            Act::Share(share, call) => self.shares[share as usize].call(call, number, &mut outbox),
            Act::RefuseConsumer(error) => outbox.finish(number, Err(error)),
            at_once => {
                let cause = outbox.cause;
                self.act_at_once(at_once, cause, trace);
                self.post.open(self.moment, trace).finish(number, Ok(None));
            }
        }
    }

    /// What is done as soon as it is said.
    fn act_at_once(&mut self, act: Act, cause: Option<u64>, trace: &mut Vec<Event>) {
        let mut outbox = Outbox { cause, ..self.post.open(self.moment, trace) };
        match act {
            Act::SetWorkload(producer, workload) => {
                self.producers[producer as usize].set_workload(workload, &mut outbox);
            }
            Act::Disconnect(producer) => self.producers[producer as usize].disconnect(&mut outbox),
            Act::Purge(producer, in_flight) => self.producers[producer as usize].purge(in_flight, &mut outbox),
            Act::Poll(producer) => self.producers[producer as usize].poll(&mut outbox),
            Act::SetPolling(producer, polls) => self.producers[producer as usize].set_polling(polls, &mut outbox),
            Act::Start(plan) => self.replace_producer(plan, trace),
            Act::Client(target, fault) => self.strike_client(target, fault, cause, trace),
            Act::StartBroker(number) => self.start_process(number, trace),
            Act::StopBroker(number) => self.shut_down_process(number, trace),
            Act::KillBroker(number) => self.stop_process(number, false, trace),
            Act::PauseBroker(number) => self.pause_process(number, trace),
            Act::ResumeBroker(number) => self.resume_process(number, trace),
            Act::SetLink(from, to, state) => self.set_link(&from, &to, state, trace),
            Act::SlowDisk(number, time) => self.brokers[number as usize].produce_time = time,
            Act::SetBatchTime(time, is_stalled) => self.set_drain(time, is_stalled, trace),
            Act::HoldFetches(number) => {
                let id = self.brokers[number as usize].id;
                self.brokers[number as usize].hold_fetches();
                self.withdraw_fetches(id);
            }
            Act::FetchOnce(number) => self.brokers[number as usize].fetch_once(&mut outbox),
            Act::ReleaseFetches(number) => self.brokers[number as usize].release_fetches(&mut outbox),
            Act::Seek(reader, partition, offset) => {
                self.readers[reader as usize].seek(&partition, offset, &mut outbox);
            }
            Act::StopShare(share) => self.shares[share as usize].stop_poll(&mut outbox),
            Act::ResumeShare(share) => self.shares[share as usize].resume_poll(&mut outbox),
            Act::StopPoll(reader) => self.readers[reader as usize].stop_poll(self.moment.time),
            Act::ResumePoll(reader) => self.readers[reader as usize].resume_poll(&mut outbox),
            Act::RollSegment(partition) => self.on_replicas(&partition, trace, |broker, partition, outbox| {
                broker.roll_segment(partition, outbox);
            }),
            Act::CleanLog(partition) => self.on_replicas(&partition, trace, |broker, partition, outbox| {
                broker.clean_log(partition, outbox);
            }),
            Act::Admin(_)
            | Act::Raw(_)
            | Act::Group(_)
            | Act::Consume(..)
            | Act::Call(..)
            | Act::StartConsumer(..)
            | Act::StartShare(_)
            | Act::Share(..)
            | Act::RefuseConsumer(_) => {
                unreachable!("they end by an answer")
            }
        }
    }

    /// A command that no longer makes sense, on a scenario that has changed: it is told, and nothing else
    /// happens.
    pub(crate) fn pass_over(&mut self, number: u64, command: &Command, trace: &mut Vec<Event>) {
        let reason = self.resolve(number, command).err().map_or_else(String::new, |error| error.to_string());
        self.moment = Moment { time: self.moment.time, sequence: self.moment.sequence + 1 };
        self.refuse(number, command, reason, trace);
    }

    fn refuse(&mut self, number: u64, command: &Command, reason: String, trace: &mut Vec<Event>) {
        let mut outbox = self.post.open(self.moment, trace);
        outbox.emit_cause(EventKind::CommandApplied { number, command: Rc::new(command.clone()) });
        outbox.finish(number, Err(KafkaError::new("NOT_APPLICABLE", "", reason)));
    }

    /// Adds a producer that starts at this instant.
    pub(super) fn add_producer(&mut self, plan: Rc<ProducerPlan>) -> u32 {
        let number = self.producers.len() as u32;
        self.producers.push(Producer::new(number, plan, self.plan.seed));
        self.post.queue.push(self.moment.time, Target::Producer(number), Body::Timer(Timer::Start));
        number
    }

    /// Adds a consumer that starts at this instant.
    pub(super) fn add_consumer(&mut self, plan: Rc<ConsumerPlan>) {
        let number = self.readers.len() as u32;
        self.readers.push(Reader::new(number, (*plan).clone()));
        let start = self.moment.time + plan.start;
        self.post.queue.push(start, Target::Consumer(number), Body::Timer(Timer::Start));
    }

    /// A service is deployed again: its old instance closes, the new one remembers where keys went.
    fn replace_producer(&mut self, plan: Rc<ProducerPlan>, trace: &mut Vec<Event>) {
        let before = self.find_producer(&plan.name);
        let new = self.add_producer(plan);
        if let Some(before) = before {
            let keys = self.producers[before as usize].remembered_keys();
            self.producers[new as usize].remember_keys(keys);
            match self.producers[before as usize].process {
                ClientProcess::Running => {}
                ClientProcess::Crashed => return,
                // A process that stands still cannot shut down: it is killed.
                ClientProcess::Frozen => {
                    return self.strike_client(Target::Producer(before), ProcessFault::Crash, None, trace);
                }
            }
            let mut outbox = self.post.open(self.moment, trace);
            self.producers[before as usize].end_workload();
            self.producers[before as usize].call(Calling::Close(None), None, &mut outbox);
            self.producers[before as usize].run(&mut outbox);
        }
    }

    /// Does something to every replica of a partition whose broker runs.
    fn on_replicas(
        &mut self,
        partition: &TopicPartition,
        trace: &mut Vec<Event>,
        mut does: impl FnMut(&mut crate::broker::Broker, &TopicPartition, &mut Outbox),
    ) {
        let mut outbox = self.post.open(self.moment, trace);
        for (broker, process) in self.brokers.iter_mut().zip(&self.processes) {
            if process.is_running() {
                does(broker, partition, &mut outbox);
            }
        }
    }

    /// A link is cut, healed or slowed down. Simplified: fetches of followers that waited across a cut link
    /// are asked again as soon as it works; Kafka's connection may need up to `replica.socket.timeout.ms`.
    fn set_link(&mut self, from: &End, to: &End, state: LinkState, trace: &mut Vec<Event>) {
        let before = self.post.links.state(&from.node, &to.node);
        self.post.links.set(&from.node, &to.node, state);
        let mut outbox = self.post.open(self.moment, trace);
        if before != state {
            let (from, to) = (from.node.clone(), to.node.clone());
            outbox.emit_cause(EventKind::LinkChanged { from, to, link: state });
        }
        let now = self.moment.time;
        if let (Some(one), Some(other)) = (from.broker, to.broker) {
            for (follower, leader) in [(one, other), (other, one)] {
                let (follower_id, leader_id) = (self.brokers[follower as usize].id, self.brokers[leader as usize].id);
                if state == LinkState::Cut {
                    self.brokers[leader as usize].withdraw_fetch(follower_id, now);
                } else if before == LinkState::Cut {
                    self.brokers[follower as usize].restart_fetcher(leader_id, &mut outbox);
                }
            }
        }
        for (end, other) in [(from, to), (to, from)] {
            if end.broker.is_some() && other.broker.is_none() && (before == LinkState::Cut) != (state == LinkState::Cut)
            {
                self.silence(&end.node, Some(&other.node), state == LinkState::Cut, trace);
            }
            if let (Some(broker), NodeId::Controller) = (end.broker, &other.node) {
                self.look_at_contact(broker, trace);
            }
        }
    }
}
