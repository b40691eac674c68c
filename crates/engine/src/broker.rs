//! A broker: leader of partitions, answering clients.
//!
//! Follows `ReplicaManager` and `KafkaApis` of Kafka 4.3.1. Simplified: followers are not modelled yet,
//! so a leader's high watermark is its log end at once; with followers it waits for the in-sync ones.
//! Of idempotence only the recognition of repeated batches is here, without producer ids and sequences.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use crate::error::KafkaError;
use crate::event::{Api, BatchView, EventKind, MessageView, Name, NodeId, TopicPartition};
use crate::message::{Acks, AdminRequest, ClusterImage, FetchedPartition, NewTopic, Payload};
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};
use crate::rng::Stream;
use crate::storage::batch::ProducerStamp;
use crate::storage::{Log, LogSettings};
use crate::time::Duration;

/// `fetch.max.wait.ms`: how long a fetch that finds nothing is kept.
const FETCH_WAIT: Duration = Duration::from_millis(500);
/// `max.partition.fetch.bytes`: at most this much of one partition in an answer.
const FETCH_BYTES: u32 = 1_048_576;

/// `NUM_BATCHES_TO_RETAIN`: batches of a producer that a leader knows again.
const BATCHES_REMEMBERED: usize = 5;

type Held = (Rc<MessageView>, Rc<Payload>);

/// One broker.
#[derive(Clone, Debug)]
pub(crate) struct Broker {
    pub id: u32,
    pub rack: Option<Name>,
    number: u32,
    produce_time: Duration,
    auto_create_topics: bool,
    image: Rc<ClusterImage>,
    pub logs: BTreeMap<TopicPartition, Log>,
    /// Produce requests; the first one is being worked on.
    pub produces: VecDeque<Held>,
    /// The last batches of each idempotent producer in each partition: first record and base offset.
    recent: BTreeMap<(TopicPartition, u64), VecDeque<(u64, u64)>>,
    /// Fetches that wait for records, by request.
    fetches: BTreeMap<u64, Held>,
}

impl Broker {
    /// A broker without partitions.
    pub fn new(number: u32, plan: &crate::scenario::BrokerPlan, auto_create_topics: bool) -> Broker {
        Broker {
            id: plan.id,
            rack: plan.rack.as_deref().map(Name::from),
            number,
            produce_time: plan.produce_time,
            auto_create_topics,
            image: Rc::default(),
            logs: BTreeMap::new(),
            produces: VecDeque::new(),
            recent: BTreeMap::new(),
            fetches: BTreeMap::new(),
        }
    }

    fn node(&self) -> NodeId {
        NodeId::Broker { id: self.id }
    }

    /// Handles a message.
    pub fn handle(&mut self, message: &Rc<MessageView>, payload: &Rc<Payload>, outbox: &mut Outbox) {
        match &**payload {
            Payload::Image(image) => self.take_image(image, outbox),
            Payload::Metadata { topics, sender } => self.metadata(message, topics, *sender, outbox),
            Payload::Produce { .. } if self.produce_time == Duration::ZERO => self.produce(message, payload, outbox),
            Payload::Produce { .. } => {
                self.produces.push_back((Rc::clone(message), Rc::clone(payload)));
                if self.produces.len() == 1 {
                    self.work_on_produce(outbox);
                }
            }
            Payload::Fetch { .. } => self.fetch(message, payload, outbox),
            other => panic!("a broker does not handle {other:?}"),
        }
    }

    /// A timer fired.
    pub fn wake(&mut self, timer: Timer, outbox: &mut Outbox) {
        match timer {
            Timer::Produced => {
                if let Some((message, payload)) = self.produces.pop_front() {
                    self.produce(&message, &payload, outbox);
                }
                if !self.produces.is_empty() {
                    self.work_on_produce(outbox);
                }
            }
            Timer::FetchExpired { request } => {
                if let Some((message, payload)) = self.fetches.remove(&request) {
                    self.answer_fetch(&message, &payload, Vec::new(), outbox);
                }
            }
            _ => {}
        }
    }

    fn work_on_produce(&self, outbox: &mut Outbox) {
        outbox.wake(Target::Broker(self.number), outbox.now() + self.produce_time, Timer::Produced);
    }

    /// The controller's image: logs appear for new partitions and go with deleted topics.
    fn take_image(&mut self, image: &Rc<ClusterImage>, outbox: &Outbox) {
        self.image = Rc::clone(image);
        self.logs.retain(|partition, _| image.topics.contains_key(&partition.topic));
        self.recent.retain(|(partition, _), _| image.topics.contains_key(&partition.topic));
        for (topic, topic_image) in &image.topics {
            for (partition, state) in (0..).zip(&topic_image.partitions) {
                if state.leader == Some(self.id) {
                    let key = TopicPartition { topic: Rc::clone(topic), partition };
                    let jitter = Stream::new(0, "segment jitter", &key.to_string());
                    let new = || Log::new(Rc::new(LogSettings::default()), outbox.now(), jitter);
                    self.logs.entry(key).or_insert_with(new);
                }
            }
        }
    }

    fn metadata(&mut self, message: &MessageView, topics: &[Name], sender: Target, outbox: &mut Outbox) {
        for topic in topics.iter().filter(|topic| !self.image.topics.contains_key(*topic)) {
            let by_producer = matches!(sender, Target::Producer(_));
            if self.auto_create_topics && by_producer {
                self.create_automatically(topic, outbox);
            }
        }
        let payload = Payload::MetadataAnswer { request: message.id, image: Rc::clone(&self.image) };
        outbox.send(Parcel::answer(message, sender, payload, true));
    }

    /// `auto.create.topics.enable`: the answer still says that the topic is unknown; the client asks again.
    fn create_automatically(&self, topic: &Name, outbox: &mut Outbox) {
        let topic = NewTopic {
            name: Rc::clone(topic),
            partitions: -1,
            replication_factor: -1,
            assignment: None,
            configs: BTreeMap::new(),
        };
        let payload = Payload::Admin(AdminRequest::CreateTopic(topic));
        outbox.send(Parcel::request(
            Api::CreateTopics,
            self.node(),
            NodeId::Controller,
            Target::Controller,
            payload,
            true,
        ));
    }

    fn produce(&mut self, message: &MessageView, payload: &Payload, outbox: &mut Outbox) {
        let Payload::Produce { acks, batches, sender, .. } = payload else {
            panic!("only Produce requests are queued")
        };
        let results: Vec<_> = batches.iter().map(|batch| self.append(&batch.view, batch.stamp, outbox)).collect();
        if *acks == Acks::None {
            return;
        }
        let error = results.iter().find_map(|result| result.as_ref().err().cloned());
        let payload = Payload::ProduceAnswer { request: message.id, results };
        let mut parcel = Parcel::answer(message, Target::Producer(*sender), payload, true);
        parcel.error = error;
        outbox.send(parcel);
    }

    /// Appends a batch, unless an idempotent producer sends one again that is among its last five.
    fn append(
        &mut self,
        batch: &BatchView,
        stamp: Option<ProducerStamp>,
        outbox: &mut Outbox,
    ) -> Result<Option<u64>, KafkaError> {
        let Some(log) = self.logs.get_mut(&batch.partition) else {
            let text = "This server does not host this topic-partition.";
            return Err(KafkaError::new("UNKNOWN_TOPIC_OR_PARTITION", "UnknownTopicOrPartitionException", text));
        };
        let first = batch.records.first().map_or(0, |record| record.id.number);
        let producer = stamp.map(|stamp| (batch.partition.clone(), stamp.producer_id));
        let known = producer.as_ref().and_then(|producer| self.recent.get(producer));
        if let Some((_, base_offset)) = known.and_then(|known| known.iter().find(|(number, _)| *number == first)) {
            let base_offset = *base_offset;
            outbox.emit(EventKind::DuplicateIgnored { broker: self.id, batch: batch.clone(), base_offset });
            return Ok(Some(base_offset));
        }
        let appended = log.append_as_leader(batch, None, 0, outbox.moment)?;
        let base_offset = appended.base_offset;
        if let Some(producer) = producer {
            let recent = self.recent.entry(producer).or_default();
            recent.push_back((first, base_offset));
            if recent.len() > BATCHES_REMEMBERED {
                recent.pop_front();
            }
        }
        log.set_high_watermark(appended.last_offset + 1, outbox.now());
        let high_watermark = log.high_watermark;
        outbox.emit_cause(EventKind::BatchAppended { broker: self.id, batch: batch.clone(), base_offset });
        outbox.emit(EventKind::HighWatermarkAdvanced { partition: batch.partition.clone(), high_watermark });
        self.complete_fetches(&batch.partition, outbox);
        Ok(Some(base_offset))
    }

    fn fetch(&mut self, message: &Rc<MessageView>, payload: &Rc<Payload>, outbox: &mut Outbox) {
        let found = self.read(payload);
        if found.is_empty() {
            self.fetches.insert(message.id, (Rc::clone(message), Rc::clone(payload)));
            let timer = Timer::FetchExpired { request: message.id };
            outbox.wake(Target::Broker(self.number), outbox.now() + FETCH_WAIT, timer);
        } else {
            self.answer_fetch(message, payload, found, outbox);
        }
    }

    fn complete_fetches(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        let waits = |held: &Held| matches!(&*held.1, Payload::Fetch { from, .. } if from.iter().any(|(other, _)| other == partition));
        let ready: Vec<u64> = self.fetches.iter().filter(|(_, held)| waits(held)).map(|(id, _)| *id).collect();
        for id in ready {
            let found = self.fetches.get(&id).map(|(_, payload)| self.read(payload)).unwrap_or_default();
            if !found.is_empty()
                && let Some((message, payload)) = self.fetches.remove(&id)
            {
                self.answer_fetch(&message, &payload, found, outbox);
            }
        }
    }

    fn read(&self, payload: &Payload) -> Vec<FetchedPartition> {
        let Payload::Fetch { from, .. } = payload else { panic!("only Fetch requests are read for") };
        let mut found = Vec::new();
        for (partition, offset) in from {
            let Some(log) = self.logs.get(partition) else { continue };
            let batches = log.read(*offset, FETCH_BYTES, log.high_watermark);
            if !batches.is_empty() {
                found.push(FetchedPartition {
                    partition: partition.clone(),
                    high_watermark: log.high_watermark,
                    batches,
                    error: None,
                    preferred_read_replica: None,
                });
            }
        }
        found
    }

    fn answer_fetch(
        &self,
        message: &MessageView,
        payload: &Payload,
        found: Vec<FetchedPartition>,
        outbox: &mut Outbox,
    ) {
        let Payload::Fetch { sender, .. } = payload else { panic!("only Fetch requests are answered here") };
        let views =
            |part: &FetchedPartition| part.batches.iter().map(|batch| batch.view(&part.partition)).collect::<Vec<_>>();
        let batches: Vec<BatchView> = found.iter().flat_map(views).collect();
        let is_notable = !found.is_empty();
        let answer = Payload::FetchAnswer { request: message.id, partitions: found };
        let mut parcel = Parcel::answer(message, Target::Consumer(*sender), answer, is_notable);
        parcel.batches = batches;
        outbox.send(parcel);
    }
}
