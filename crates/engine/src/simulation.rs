//! One world that runs forward: entries are taken from the queue and handled by their nodes.
//!
//! It cannot go back; the timeline does that with clones of it.

mod act;
mod clients;
mod drain;
pub(crate) mod links;
mod lookup;
mod processes;
mod read;
pub(crate) mod resolve;
mod resolve_group;
mod shares;

use std::rc::Rc;

use crate::broker::{Broker, Preloads};
use crate::client::admin::Admin;
use crate::client::producer::Producer;
use crate::client::reader::Reader;
use crate::client::share_consumer::ShareConsumer;
use crate::command::Outcome;
use crate::controller::Controller;
use crate::error::InputError;
use crate::event::{Event, EventKind, MessageView, Moment, Name, TopicPartition};
use crate::limits;
use crate::message::Payload;
use crate::order;
use crate::outbox::{Outbox, Post};
use crate::queue::{Body, Entry, Target, Timer};
use crate::scenario::{Plan, Preload, Scenario};
use crate::storage::preload::batches;
use crate::time::{Duration, Time};
use drain::Drain;
use processes::{Hosting, Process};

/// A world. Cloning one makes a checkpoint.
#[derive(Clone, Debug)]
pub struct Simulation {
    plan: Rc<Plan>,
    moment: Moment,
    /// Entries handled at the present time.
    at_this_time: u64,
    pub(crate) controller: Controller,
    pub(crate) brokers: Vec<Broker>,
    /// The brokers' processes, in the same order.
    processes: Vec<Process>,
    hosting: Hosting,
    drain: Drain,
    pub(crate) producers: Vec<Producer>,
    readers: Vec<Reader>,
    shares: Vec<ShareConsumer>,
    /// What has reached clients whose process stands still, in order.
    frozen: Vec<Entry>,
    admin: Admin,
    post: Post,
}

/// The entry that will be processed next.
#[derive(Clone, Debug, PartialEq)]
pub struct NextEntry {
    /// When.
    pub time: Time,
    /// The message that arrives, if it is an arrival.
    pub message: Option<Rc<MessageView>>,
}

impl Simulation {
    /// The world of a scenario at time 0, before anything has happened.
    ///
    /// ```
    /// let scenario = engine::Scenario::empty(3);
    /// let mut simulation = engine::Simulation::new(&scenario).unwrap();
    /// let mut trace = Vec::new();
    /// simulation.run_until(engine::Time::from_millis(1), &mut trace);
    /// assert_eq!(simulation.snapshot(10).brokers.len(), 3);
    /// ```
    pub fn new(scenario: &Scenario) -> Result<Simulation, InputError> {
        let plan = Rc::new(Plan::new(scenario)?);
        let mut post = Post {
            delay: plan.delay,
            transaction_version: plan.features.transaction_version,
            brokers: plan.brokers.iter().map(|broker| broker.id).collect(),
            producer_ids: plan.first_producer_id,
            ..Post::default()
        };
        post.queue.push(Time::ZERO, Target::Controller, Body::Timer(Timer::Start));
        let preloads = Rc::new(preloads(&plan));
        let mut simulation = Simulation {
            moment: Moment::default(),
            at_this_time: 0,
            controller: Controller::new(&plan),
            brokers: (0..)
                .zip(&plan.brokers)
                .map(|(number, broker)| Broker::new(number, broker, &plan, Rc::clone(&preloads)))
                .collect(),
            processes: vec![Process::default(); plan.brokers.len()],
            hosting: Hosting::default(),
            drain: Drain::new(plan.batch_time),
            producers: Vec::new(),
            readers: Vec::new(),
            shares: Vec::new(),
            frozen: Vec::new(),
            admin: Admin::default(),
            post,
            plan,
        };
        simulation.try_topics()?;
        let plan = Rc::clone(&simulation.plan);
        for producer in &plan.producers {
            simulation.add_producer(Rc::clone(producer));
        }
        for (number, consumer) in (0..).zip(&plan.consumers) {
            simulation.readers.push(Reader::new(number, consumer.clone()));
            let start = Time::ZERO + consumer.start;
            simulation.post.queue.push(start, Target::Consumer(number), Body::Timer(Timer::Start));
        }
        for consumer in &plan.share_consumers {
            simulation.add_share_consumer(Rc::clone(consumer));
        }
        for (index, scripted) in (0..).zip(&plan.script) {
            simulation.post.queue.push(Time::ZERO + scripted.at, Target::Admin, Body::Timer(Timer::Scripted { index }));
        }
        Ok(simulation)
    }

    /// Simulated time.
    pub fn now(&self) -> Time {
        self.moment.time
    }

    /// Where the run is.
    pub fn moment(&self) -> Moment {
        self.moment
    }

    /// The entry that comes next, without processing it.
    pub fn peek(&self) -> Option<NextEntry> {
        self.post.queue.peek().map(|entry| NextEntry {
            time: entry.time,
            message: match &entry.body {
                Body::Message(view, _) => Some(Rc::clone(view)),
                Body::Timer(_) => None,
            },
        })
    }

    /// Time of the entry that comes next.
    pub fn next_time(&self) -> Option<Time> {
        self.post.queue.peek().map(|entry| entry.time)
    }

    /// Processes one entry and appends what happened to the trace; false if nothing is left.
    pub fn step(&mut self, trace: &mut Vec<Event>) -> bool {
        let Some(entry) = self.post.queue.pop() else { return false };
        let time = entry.time.max(self.moment.time);
        self.at_this_time = if time == self.moment.time { self.at_this_time + 1 } else { 0 };
        assert!(self.at_this_time < limits::ENTRIES_AT_ONCE_MAX, "time stands still at {time}: {:?}", entry.target);
        self.moment = Moment { time, sequence: self.moment.sequence + 1 };
        let is_of_client = matches!(entry.target, Target::Producer(_) | Target::Consumer(_) | Target::Share(_));
        self.handle(entry, trace);
        self.send_copies(trace);
        if cfg!(debug_assertions) {
            // What a client handles reaches no log.
            if is_of_client { self.check_clients() } else { self.check() }
        }
        true
    }

    /// Processes every entry up to and including `time`; the clock then shows `time`. Returns how many.
    pub fn run_until(&mut self, time: Time, trace: &mut Vec<Event>) -> u64 {
        let before = self.moment.sequence;
        while self.next_time().is_some_and(|next| next <= time) {
            self.step(trace);
        }
        self.wait_until(time);
        self.moment.sequence - before
    }

    /// Lets the clock show `time`; no entry may be due before it.
    pub fn wait_until(&mut self, time: Time) {
        self.moment.time = self.moment.time.max(time);
    }

    /// How far a time bar should reach at first: the scenario's own duration, else a second after the last
    /// record of its workloads, else 10 seconds.
    pub fn horizon(&self) -> Time {
        if let Some(duration) = self.plan.duration {
            return Time::ZERO + duration;
        }
        let scripted = self.plan.script.iter().map(|scripted| scripted.at).max();
        let workloads = self.plan.producers.iter().filter_map(|producer| producer.workload.as_ref());
        let ends = workloads.map(|workload| workload.ends_after());
        let last = ends.map(|end| end.unwrap_or(Duration::from_secs(60))).chain(scripted).max();
        Time::ZERO + last.unwrap_or(Duration::from_secs(9)) + Duration::from_secs(1)
    }

    /// What came of a command so far.
    pub fn outcome(&self, number: u64) -> Option<&Outcome> {
        self.post.outcomes.get(&number)
    }

    /// A digest of everything that has happened.
    pub fn trace_hash(&self) -> u64 {
        self.post.digest.value()
    }

    /// Rough size of what a clone copies, in bytes.
    pub fn own_bytes(&self) -> u64 {
        let brokers: u64 = self.brokers.iter().map(Broker::own_bytes).sum();
        let processes: u64 = self.processes.iter().map(Process::own_bytes).sum();
        let producers: u64 = self.producers.iter().map(Producer::own_bytes).sum();
        let readers = (self.readers.len() + self.shares.len()) * 6_144;
        let queue =
            (self.post.queue.len() + self.frozen.len()) * 64 + self.post.outcomes.len() * 96 + self.drain.own_bytes();
        brokers + processes + producers + (2_048 + readers + queue) as u64
    }

    fn handle(&mut self, entry: Entry, trace: &mut Vec<Event>) {
        let Some(entry) = self.intercept(entry, trace) else { return };
        match &entry.body {
            Body::Timer(Timer::Scripted { index }) => self.act_scripted(*index, trace),
            Body::Timer(timer) => self.wake(entry.target, *timer, trace),
            Body::Message(view, payload) => {
                let sender = producer_of(entry.target, payload);
                let mut outbox = self.post.open(self.moment, trace);
                if let Some(number) = sender.filter(|number| self.producers[*number as usize].has_lost(view)) {
                    self.producers[number as usize].lose(view, &mut outbox);
                    return;
                }
                if view.is_notable {
                    outbox.emit_cause(EventKind::MessageArrived { message: Rc::clone(view) });
                }
                let Some(Entry { target, body: Body::Message(view, payload), .. }) = self.queue_up(entry, trace) else {
                    return;
                };
                self.deliver(target, &view, &payload, trace);
            }
        }
    }

    fn wake(&mut self, target: Target, timer: Timer, trace: &mut Vec<Event>) {
        let mut outbox = self.post.open(self.moment, trace);
        match (target, timer) {
            (Target::Producer(number), timer)
                if self.producers[number as usize].wake_librdkafka(timer, &mut outbox) => {}
            (Target::Controller, Timer::Start) => self.controller.start(&self.plan.topics, &mut outbox),
            (Target::Controller, Timer::Failover { generation }) => self.failover(generation, trace),
            (Target::Controller, Timer::BatchDue { generation }) => self.drained(generation, trace),
            (Target::Controller, timer) => self.controller.wake(timer, &mut outbox),
            (Target::Broker(number), Timer::Disconnected { broker }) => {
                self.brokers[number as usize].coordinator_lost(broker, &mut outbox);
                self.brokers[number as usize].share_coordinator_lost(broker, &mut outbox);
                self.brokers[number as usize].leader_disconnected(broker, self.moment.time);
                self.brokers[number as usize].marker_peer_lost(broker, &mut outbox);
                self.reach_again(number, broker, trace);
            }
            (Target::Broker(number), Timer::Resumed) => self.brokers[number as usize].restart_fetchers(&mut outbox),
            (Target::Broker(number), timer) => self.brokers[number as usize].wake(timer, &mut outbox),
            (Target::Producer(number), Timer::Disconnected { broker }) => {
                self.producers[number as usize].broker_disconnected(broker, &mut outbox);
            }
            (Target::Consumer(number), Timer::Disconnected { broker }) => {
                self.readers[number as usize].broker_disconnected(broker, &mut outbox);
            }
            (Target::Share(number), Timer::Disconnected { broker }) => {
                self.shares[number as usize].broker_disconnected(broker, &mut outbox);
            }
            (Target::Share(number), timer) => self.shares[number as usize].wake(timer, &mut outbox),
            (Target::Admin, Timer::Disconnected { broker }) => self.admin.broker_disconnected(broker, &mut outbox),
            (Target::Producer(number), timer) => self.producers[number as usize].wake(timer, &mut outbox),
            (Target::Consumer(number), timer) => self.readers[number as usize].wake(timer, &mut outbox),
            (Target::Admin, _) => self.admin.wake(&mut outbox),
        }
    }

    fn deliver(&mut self, target: Target, view: &Rc<MessageView>, payload: &Rc<Payload>, trace: &mut Vec<Event>) {
        let cause = trace.last().map(|event| event.index).filter(|_| view.is_notable);
        let mut outbox = Outbox { cause, ..self.post.open(self.moment, trace) };
        match (target, &**payload) {
            (Target::Producer(number), payload)
                if self.producers[number as usize].answer_librdkafka(payload, &mut outbox) => {}
            (Target::Controller, payload) => self.controller.handle(view, payload, &mut outbox),
            (Target::Broker(number), Payload::ControlledShutdownAnswer) => self.stop_process(number, true, trace),
            (Target::Broker(number), payload_of_broker) => {
                self.brokers[number as usize].handle(view, payload, &mut outbox);
                if matches!(payload_of_broker, Payload::BrokerRegistrationAnswer { .. }) {
                    self.registered(number, trace);
                }
            }
            (Target::Producer(number), Payload::MetadataAnswer { request, image }) => {
                self.producers[number as usize].metadata_answer(*request, image, &mut outbox);
            }
            (Target::Producer(number), Payload::ProduceAnswer { request, results }) => {
                self.producers[number as usize].produce_answer(*request, results, &mut outbox);
            }
            (Target::Producer(number), Payload::InitProducerIdAnswer { request, result }) => {
                self.producers[number as usize].producer_id_answer(*request, result, &mut outbox);
                self.producers[number as usize].transaction_answer(payload, &mut outbox);
            }
            (
                Target::Producer(number),
                Payload::FindCoordinatorAnswer { .. }
                | Payload::AddPartitionsToTxnAnswer { .. }
                | Payload::AddOffsetsToTxnAnswer { .. }
                | Payload::EndTxnAnswer { .. }
                | Payload::TxnOffsetCommitAnswer { .. },
            ) => self.producers[number as usize].transaction_answer(payload, &mut outbox),
            (Target::Consumer(number), Payload::MetadataAnswer { request, image }) => {
                self.readers[number as usize].metadata_answer(*request, image, &mut outbox);
            }
            (Target::Consumer(number), Payload::FetchAnswer { request, partitions }) => {
                self.readers[number as usize].fetch_answer(*request, partitions, &mut outbox);
            }
            (Target::Consumer(number), Payload::ListOffsetsAnswer { request, offsets }) => {
                self.readers[number as usize].offsets_answer(*request, offsets, &mut outbox);
            }
            (Target::Consumer(number), _) => self.readers[number as usize].group_answer(payload, &mut outbox),
            (Target::Share(number), payload) => self.shares[number as usize].receive(payload, &mut outbox),
            (Target::Admin, payload) => self.deliver_to_admin(payload, cause, trace),
            (target, payload) => panic!("{target:?} does not handle {payload:?}"),
        }
    }

    fn deliver_to_admin(&mut self, payload: &Payload, cause: Option<u64>, trace: &mut Vec<Event>) {
        let mut outbox = Outbox { cause, ..self.post.open(self.moment, trace) };
        match payload {
            Payload::OffsetCommitAnswer { .. }
            | Payload::LeaveGroupAnswer { .. }
            | Payload::DeleteGroupAnswer { .. }
            | Payload::ShareOffsetsAnswer { .. }
            | Payload::OffsetDeleteAnswer { .. } => self.admin.group_answer(payload, &mut outbox),
            Payload::MetadataAnswer { request, image } => {
                self.admin.metadata_answer(*request, image, &mut outbox);
            }
            Payload::FindCoordinatorAnswer { request, result } => {
                self.admin.coordinator_answer(*request, result, &mut outbox);
            }
            Payload::InitProducerIdAnswer { request, result } | Payload::EndTxnAnswer { request, result } => {
                self.admin.raw_answer(*request, result.clone().map(Some), &mut outbox);
            }
            Payload::AddPartitionsToTxnAnswer { request, results } => {
                self.admin.raw_partitions_answer(*request, results, &mut outbox);
            }
            Payload::ProduceAnswer { request, results } => {
                self.admin.produce_answer(*request, results, &mut outbox);
            }
            Payload::WriteTxnMarkersAnswer { request, results } => {
                self.admin.markers_answer(*request, results, &mut outbox);
            }
            Payload::AdminAnswer { request, result, partitions } => {
                self.admin.answer(*request, result, partitions, &mut outbox);
            }
            other => panic!("the Admin client does not handle {other:?}"),
        }
    }

    /// Creates the scenario's topics on a copy of the controller, to refuse what Kafka would refuse.
    fn try_topics(&self) -> Result<(), InputError> {
        let mut controller = self.controller.clone();
        let mut post = self.post.clone();
        let mut trace = Vec::new();
        let mut outbox = post.open(self.moment, &mut trace);
        for (index, topic) in self.plan.topics.iter().enumerate() {
            controller.create_topic(topic, &mut outbox).map_err(|error| {
                InputError::new("scenario.topic_refused", format!("Kafka refuses the topic: {}", error.message))
                    .at(format!("topic[{index}]"))
            })?;
        }
        Ok(())
    }
}

/// Batches of the scenario's partitions, made once for all replicas.
fn preloads(plan: &Plan) -> Preloads {
    let mut number = 0;
    let filled = |(topic, preload): &(Name, Preload)| {
        let partition = TopicPartition { topic: Rc::clone(topic), partition: preload.partition };
        (partition, (batches(preload, &mut number), preload.segments.clone()))
    };
    order::map(plan.preloads.iter().map(filled))
}

/// The producer at one end of a message, if one is.
fn producer_of(target: Target, payload: &Payload) -> Option<u32> {
    match (target, payload.sender()) {
        (Target::Producer(number), _) | (_, Some(Target::Producer(number))) => Some(number),
        _ => None,
    }
}
