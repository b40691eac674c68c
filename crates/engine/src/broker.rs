//! A broker: leader of partitions, answering clients.
//!
//! Follows `ReplicaManager` and `KafkaApis` of Kafka 4.3.1. Simplified: followers are not modelled yet,
//! so a leader's high watermark is its log end at once; with followers it waits for the in-sync ones.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use crate::error::KafkaError;
use crate::event::{Api, BatchView, EventKind, MessageView, Name, NodeId, TopicPartition};
use crate::message::{Acks, AdminRequest, ClusterImage, FetchedPartition, NewTopic, OffsetSpec, Payload};
use crate::outbox::{Outbox, Parcel};
use crate::queue::{Target, Timer};
use crate::rng::Stream;
use crate::storage::batch::ProducerStamp;
use crate::storage::{Log, LogSettings};
use crate::time::Duration;

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
    /// Producer ids that this broker has given out.
    ids_given: u64,
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
            ids_given: 0,
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
            Payload::InitProducerId { sender } => self.init_producer_id(message, *sender, outbox),
            Payload::ListOffsets { partitions, at, sender } => {
                self.list_offsets(message, partitions, *at, *sender, outbox);
            }
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
                    let found = self.read(&payload);
                    self.answer_fetch(&message, &payload, found, outbox);
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

    /// Appends a batch, unless the log knows it already.
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
        let appended = log.append_as_leader(batch, stamp, 0, outbox.moment)?;
        let base_offset = appended.base_offset;
        if appended.duplicate_of.is_some() {
            outbox.emit(EventKind::DuplicateIgnored { broker: self.id, batch: batch.clone(), base_offset });
            return Ok(Some(base_offset));
        }
        log.set_high_watermark(appended.last_offset + 1, outbox.now());
        let high_watermark = log.high_watermark;
        outbox.emit_cause(EventKind::BatchAppended { broker: self.id, batch: batch.clone(), base_offset });
        outbox.emit(EventKind::HighWatermarkAdvanced { partition: batch.partition.clone(), high_watermark });
        self.complete_fetches(&batch.partition, outbox);
        Ok(Some(base_offset))
    }

    /// A producer id from this broker's block of 1000.
    fn init_producer_id(&mut self, message: &MessageView, sender: u32, outbox: &mut Outbox) {
        let producer_id = u64::from(self.number) * 1_000 + self.ids_given;
        self.ids_given += 1;
        let payload = Payload::InitProducerIdAnswer { request: message.id, producer_id, epoch: 0 };
        outbox.send(Parcel::answer(message, Target::Producer(sender), payload, true));
    }

    fn list_offsets(
        &self,
        message: &MessageView,
        partitions: &[TopicPartition],
        at: OffsetSpec,
        sender: u32,
        outbox: &mut Outbox,
    ) {
        let offset = |partition: &TopicPartition| match self.logs.get(partition) {
            Some(log) if at == OffsetSpec::Earliest => Ok(log.log_start_offset),
            Some(log) => Ok(log.high_watermark),
            None => {
                let text = "This server does not host this topic-partition.";
                Err(KafkaError::new("UNKNOWN_TOPIC_OR_PARTITION", "UnknownTopicOrPartitionException", text))
            }
        };
        let offsets = partitions.iter().map(|partition| (partition.clone(), offset(partition))).collect();
        let payload = Payload::ListOffsetsAnswer { request: message.id, offsets };
        outbox.send(Parcel::answer(message, Target::Consumer(sender), payload, true));
    }

    /// A reader's fetch: a newer one takes the place of one that still waits.
    fn fetch(&mut self, message: &Rc<MessageView>, payload: &Rc<Payload>, outbox: &mut Outbox) {
        self.fetches.retain(|_, (held, _)| held.from != message.from);
        self.fetches.insert(message.id, (Rc::clone(message), Rc::clone(payload)));
        self.look_at_fetch(message.id, outbox);
    }

    fn complete_fetches(&mut self, partition: &TopicPartition, outbox: &mut Outbox) {
        let waits = |held: &Held| matches!(&*held.1, Payload::Fetch { from, .. } if from.iter().any(|(other, _)| other == partition));
        let ready: Vec<u64> = self.fetches.iter().filter(|(_, held)| waits(held)).map(|(id, _)| *id).collect();
        for id in ready {
            self.look_at_fetch(id, outbox);
        }
    }

    /// Answers a fetch if there is enough for it. While there is nothing at all it waits without a timer:
    /// an empty answer and the next request would change nothing.
    fn look_at_fetch(&mut self, id: u64, outbox: &mut Outbox) {
        let Some((message, payload)) = self.fetches.get(&id).cloned() else { return };
        let Payload::Fetch { limits, .. } = &*payload else { panic!("only Fetch requests wait here") };
        let found = self.read(&payload);
        let sizes = found.iter().flat_map(|fetched| &fetched.batches).map(|batch| u64::from(batch.size_bytes));
        let is_enough = sizes.sum::<u64>() >= u64::from(limits.bytes_min);
        if found.is_empty() {
            return;
        }
        if is_enough || found.iter().any(|fetched| fetched.error.is_some()) {
            self.fetches.remove(&id);
            self.answer_fetch(&message, &payload, found, outbox);
        } else {
            let timer = Timer::FetchExpired { request: id };
            outbox.wake(Target::Broker(self.number), outbox.now() + limits.wait_max, timer);
        }
    }

    fn read(&self, payload: &Payload) -> Vec<FetchedPartition> {
        let Payload::Fetch { from, limits, .. } = payload else { panic!("only Fetch requests are read for") };
        let mut found = Vec::new();
        let mut room = limits.bytes_max;
        for (partition, offset) in from {
            let Some(log) = self.logs.get(partition) else { continue };
            let bytes = limits.partition_bytes_max.min(room);
            let batches = if bytes > 0 { log.read(*offset, bytes, log.high_watermark) } else { Vec::new() };
            room = room.saturating_sub(batches.iter().map(|batch| batch.size_bytes).sum());
            let error = (*offset < log.log_start_offset || *offset > log.log_end_offset).then(|| {
                let text = "The requested offset is not within the range of offsets maintained by the server.";
                KafkaError::new("OFFSET_OUT_OF_RANGE", "OffsetOutOfRangeException", text)
            });
            if !batches.is_empty() || error.is_some() {
                found.push(FetchedPartition {
                    partition: partition.clone(),
                    high_watermark: log.high_watermark,
                    batches,
                    error,
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
