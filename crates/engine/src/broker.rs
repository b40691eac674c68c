//! A broker: leader of some partitions, follower in others, answering clients.
//!
//! Follows `ReplicaManager` and `KafkaApis` of Kafka 4.3.1; the parts are in the files of its folder. Its
//! process and its connections are the simulation's business.

pub(crate) mod disk;
pub(crate) mod fetch;
pub(crate) mod fetcher;
pub(crate) mod image;
pub(crate) mod isr;
pub(crate) mod markers;
pub(crate) mod partitions;
pub(crate) mod passes;
pub(crate) mod produce;
pub(crate) mod replica;
pub(crate) mod serve;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod share;
pub(crate) mod throttle;
pub(crate) mod verification;

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use crate::config_view::{ConfigView, StaticConfigs};
use crate::coordinator::Coordinator;
use crate::coordinator::groups::GroupCoordinator;
use crate::coordinator::share::ShareCoordinator;
use crate::event::{MessageView, Name, NodeId, TopicPartition};
use crate::message::{AdminRequest, ClusterImage, Payload};
use crate::outbox::Outbox;
use crate::queue::{Target, Timer};
use crate::scenario::{BrokerPlan, Plan};
use crate::storage::batch::Batch;
use crate::time::{Duration, Time};

use fetch::WaitingFetch;
use fetcher::Fetcher;
use partitions::PartitionMap;
use produce::DelayedProduce;
use replica::Replica;
use session::Session;
use settings::{BrokerSettings, TopicSettings};
use share::Shares;
use throttle::Throttle;
use verification::Verifications;

/// A request that waits.
type Held = (Rc<MessageView>, Rc<Payload>);

/// What partitions hold at time 0: batches, and first offsets of segments.
pub(crate) type Preloads = BTreeMap<TopicPartition, (Vec<Rc<Batch>>, Vec<u64>)>;

/// One broker.
#[derive(Clone, Debug)]
pub(crate) struct Broker {
    pub id: u32,
    pub rack: Option<Name>,
    number: u32,
    seed: u64,
    fixed: Rc<StaticConfigs>,
    /// What partitions hold at time 0.
    preloads: Rc<Preloads>,
    /// When the first image of the cluster has arrived: a topic of the scenario that is made again later is empty.
    preloads_until: Time,
    pub settings: Rc<BrokerSettings>,
    topics: BTreeMap<Name, TopicSettings>,
    /// Raised by the controller with every registration.
    pub broker_epoch: u64,
    /// A process that was started again has no epoch before the controller has registered it, and fetches nothing.
    awaits_epoch: bool,
    /// When its process started: what it does at intervals counts from there.
    started: Time,
    pub image: Rc<ClusterImage>,
    /// Its replicas. Shared with checkpoints until they change.
    pub replicas: PartitionMap<Rc<Replica>>,
    /// Time that it needs for each Produce request.
    pub produce_time: Duration,
    /// Produce requests; the first one is being worked on.
    pub produces: VecDeque<Held>,
    /// Produce requests that wait for the high watermark.
    delayed: BTreeMap<u64, DelayedProduce>,
    /// Produce requests whose transactions are being verified.
    pub verifications: Verifications,
    /// Batches appended as leader.
    appended_count: u64,
    /// Fetches of readers that wait for records, by request.
    fetches: BTreeMap<u64, WaitingFetch>,
    /// Fetch sessions of followers.
    sessions: BTreeMap<u32, Session>,
    /// Fetchers by leader.
    fetchers: BTreeMap<u32, Fetcher>,
    pub fetches_held: bool,
    leader_throttle: Throttle,
    follower_throttle: Throttle,
    /// Its bandwidth.
    uplink: Throttle,
    alarms: Alarms,
    /// What it knows as coordinator of transactions.
    pub coordinator: Coordinator,
    /// What it knows as coordinator of groups.
    pub groups: GroupCoordinator,
    /// What it knows as share coordinator.
    pub share_coordinator: ShareCoordinator,
    /// Share partitions of what it leads, and who asks for them.
    pub shares: Shares,
    /// The cluster's `transaction.version`.
    pub transaction_version: u16,
}

/// Timers that are set, so that none is set twice.
#[derive(Clone, Debug, Default)]
struct Alarms {
    produce: Option<Time>,
    isr: Option<Time>,
    retention: Option<Time>,
    cleaner: Option<Time>,
    remote: Option<Time>,
}

impl Broker {
    /// A broker without partitions.
    pub fn new(number: u32, broker: &BrokerPlan, plan: &Plan, preloads: Rc<Preloads>) -> Broker {
        let image = Rc::<ClusterImage>::default();
        let view = ConfigView { fixed: &plan.fixed, image: &image, broker: broker.id };
        let settings = Rc::new(BrokerSettings::new(&view));
        Broker {
            id: broker.id,
            rack: broker.rack.as_deref().map(Name::from),
            number,
            seed: plan.seed,
            fixed: Rc::clone(&plan.fixed),
            preloads,
            preloads_until: Time::ZERO + plan.delay,
            topics: BTreeMap::new(),
            broker_epoch: 0,
            awaits_epoch: false,
            started: Time::ZERO,
            image,
            replicas: PartitionMap::default(),
            produce_time: broker.produce_time,
            produces: VecDeque::new(),
            delayed: BTreeMap::new(),
            verifications: Verifications::default(),
            appended_count: 0,
            fetches: BTreeMap::new(),
            sessions: BTreeMap::new(),
            fetchers: BTreeMap::new(),
            fetches_held: false,
            leader_throttle: Throttle::new(settings.leader_throttle),
            follower_throttle: Throttle::new(settings.follower_throttle),
            uplink: Throttle::new(broker.bandwidth),
            alarms: Alarms::default(),
            coordinator: Coordinator::default(),
            groups: GroupCoordinator::new(plan.seed, broker.id),
            share_coordinator: ShareCoordinator::default(),
            shares: Shares::default(),
            transaction_version: plan.features.transaction_version,
            settings,
        }
    }

    /// Its name on the stage.
    pub fn node(&self) -> NodeId {
        NodeId::Broker { id: self.id }
    }

    /// Who handles what is sent to it.
    pub fn target(&self) -> Target {
        Target::Broker(self.number)
    }

    /// Its place in the plan.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Handles a message.
    pub fn handle(&mut self, message: &Rc<MessageView>, payload: &Rc<Payload>, outbox: &mut Outbox) {
        self.take(message, payload, outbox);
        self.coordinate(outbox);
    }

    fn take(&mut self, message: &Rc<MessageView>, payload: &Rc<Payload>, outbox: &mut Outbox) {
        match &**payload {
            Payload::Image(image) => self.take_image(image, outbox),
            Payload::Metadata { topics, sender } => self.metadata(message, topics, *sender, outbox),
            Payload::Produce(_) if self.produce_time == Duration::ZERO && self.produces.is_empty() => {
                self.produce(message, payload, outbox);
            }
            Payload::Produce(_) => {
                self.produces.push_back((Rc::clone(message), Rc::clone(payload)));
                if self.produces.len() == 1 {
                    self.work_on_produce(outbox);
                }
            }
            Payload::FindCoordinator(asked) => self.find_coordinator(message, asked, outbox),
            Payload::InitProducerId(asked) => self.init_producer_id(message, asked, outbox),
            Payload::WriteTxnMarkers { markers, sender } => self.write_markers(message, markers, *sender, outbox),
            Payload::AddPartitionsToTxnAnswer { request, results } => {
                self.partitions_added(message, *request, results, outbox);
            }
            Payload::AddPartitionsToTxn(asked) => self.add_partitions(message, asked, outbox),
            Payload::AddOffsetsToTxn(asked) => self.add_offsets(message, asked, outbox),
            Payload::TxnOffsetCommit(asked) => self.commit_offsets(message, asked, outbox),
            Payload::EndTxn(asked) => self.end_txn(message, asked, outbox),
            Payload::WriteTxnMarkersAnswer { request, results } => self.markers_answered(*request, results, outbox),
            Payload::Fetch { .. } => self.fetch(message, payload, outbox),
            Payload::ListOffsets { partitions, at, sender } => {
                self.list_offsets(message, partitions, *at, *sender, outbox);
            }
            Payload::ReplicaFetch(fetch) => self.replica_fetch(message, fetch, outbox),
            Payload::ReplicaFetchAnswer { request, partitions } => {
                self.replica_fetched(message, *request, partitions, outbox);
            }
            Payload::JoinGroup(_)
            | Payload::SyncGroup(_)
            | Payload::Heartbeat(_)
            | Payload::LeaveGroup(_)
            | Payload::OffsetCommit(_)
            | Payload::OffsetFetch(_)
            | Payload::ConsumerGroupHeartbeat(_)
            | Payload::DeleteGroup(_)
            | Payload::OffsetDelete(_)
            | Payload::ShareGroupHeartbeat(_)
            | Payload::AlterShareOffsets(_)
            | Payload::DeleteShareOffsets(_) => self.group_request(message, payload, outbox),
            Payload::ShareFetch(asked) => self.share_fetch(message, asked, outbox),
            Payload::ShareAcknowledge(asked) => self.share_acknowledge(message, asked, outbox),
            Payload::ShareState(asked) => self.share_state_request(message, asked, outbox),
            Payload::ShareStateAnswer { request, result } => self.share_state_answered(*request, result, outbox),
            Payload::AlterPartitionAnswer { request, partition, result } => {
                self.alter_partition_answer(*request, partition, result, outbox);
            }
            Payload::BrokerRegistrationAnswer { broker_epoch } => {
                self.broker_epoch = *broker_epoch;
                self.awaits_epoch = false;
                self.send_fetches(outbox);
            }
            Payload::Admin(AdminRequest::DeleteRecords { partition, before_offset }) => {
                self.delete_records(message, partition, *before_offset, outbox);
            }
            other => panic!("a broker does not handle {other:?}"),
        }
    }

    /// A timer fired.
    pub fn wake(&mut self, timer: Timer, outbox: &mut Outbox) {
        self.fire(timer, outbox);
        self.coordinate(outbox);
    }

    fn fire(&mut self, timer: Timer, outbox: &mut Outbox) {
        match timer {
            Timer::Produced => {
                if let Some((message, payload)) = self.produces.pop_front() {
                    self.produce(&message, &payload, outbox);
                }
                if !self.produces.is_empty() {
                    self.work_on_produce(outbox);
                }
            }
            Timer::FetchExpired { request } => self.fetch_expired(request, outbox),
            Timer::ProduceExpired => self.expire_produces(outbox),
            Timer::IsrCheck => self.check_isr(outbox),
            Timer::ReplicaFetchExpired { follower } => self.replica_fetch_expired(follower, outbox),
            Timer::ThrottleFree { follower } => self.throttle_free(follower, outbox),
            Timer::FetchRetry { leader } => self.retry_fetch(leader, outbox),
            Timer::Reconnect { leader } => self.reconnect(leader, outbox),
            Timer::VerificationExpired => self.expire_verifications(outbox),
            Timer::VerifyAgain { request } => self.verify_again(request, outbox),
            Timer::Retention => self.check_retention(outbox),
            Timer::Cleaner => self.run_cleaner(outbox),
            Timer::Remote => self.tend_remote_storage(outbox),
            Timer::Shares => self.shares_woke(outbox),
            Timer::SharePollEnded { request } => self.share_poll_ended(request, outbox),
            Timer::ShareClientLost { consumer } => self.share_client_lost(Target::Share(consumer), outbox),
            other => self.coordinator_woke(other, outbox),
        }
    }

    fn work_on_produce(&self, outbox: &mut Outbox) {
        outbox.wake(Target::Broker(self.number), outbox.now() + self.produce_time, Timer::Produced);
    }

    /// The first point after `now` of a grid that began `delay` after the process.
    pub(crate) fn next_on_grid(&self, delay: Duration, interval: Duration, now: Time) -> Time {
        let origin = self.started + delay;
        if now < origin {
            return origin;
        }
        let passed = now.since(origin).0 / interval.0.max(1);
        origin + Duration((passed + 1).saturating_mul(interval.0.max(1)))
    }

    /// The settings in force, as its image tells them.
    pub(crate) fn view(&self) -> ConfigView<'_> {
        ConfigView { fixed: &self.fixed, image: &self.image, broker: self.id }
    }

    /// Settings may have changed.
    fn resolve_settings(&mut self, now: Time) {
        let settings = BrokerSettings::new(&self.view());
        let (after, every) = (settings.producer_expiration, settings.producer_check_interval);
        let is_new = (after, every) != (self.settings.producer_expiration, self.settings.producer_check_interval);
        for replica in self.replicas.values_mut().filter(|_| is_new) {
            Rc::make_mut(replica).log.set_producer_expiry(after, every);
        }
        self.leader_throttle.set_rate(settings.leader_throttle, now);
        self.follower_throttle.set_rate(settings.follower_throttle, now);
        self.settings = Rc::new(settings);
    }

    /// The process ends: what it had in memory is gone, its logs stay. A killed process finds its high
    /// watermarks in their checkpoint when it starts again. Simplified: nothing that was written is lost with
    /// a process; Kafka relies on other replicas for that.
    pub fn stopped(&mut self, is_clean: bool, now: Time) {
        for replica in self.replicas.values_mut() {
            let replica = Rc::make_mut(replica);
            replica.role = replica::Role::Idle;
            replica.log.close(now, is_clean);
        }
        self.produces.clear();
        self.delayed.clear();
        self.verifications.stop();
        self.fetches.clear();
        self.sessions.clear();
        self.fetchers.clear();
        self.fetches_held = false;
        self.alarms = Alarms::default();
        self.coordinator.stop();
        self.groups.stop();
        self.share_coordinator.stop();
        self.shares.stop();
        self.image = Rc::default();
        self.awaits_epoch = true;
    }

    /// The process starts. `is_clean`: the one before it shut down in order.
    pub fn started(&mut self, is_clean: bool, now: Time) {
        self.started = now;
        self.resolve_settings(now);
        let interval = self.settings.checkpoint_interval;
        for replica in self.replicas.values_mut() {
            let replica = Rc::make_mut(replica);
            replica.log.open(now, interval, is_clean);
            replica.watched = None;
        }
    }

    /// Rough size of what a checkpoint copies, in bytes.
    pub fn own_bytes(&self) -> u64 {
        let replicas: u64 = self.replicas.values().map(Replica::own_bytes).sum();
        let sessions: u64 = self.sessions.values().map(Session::own_bytes).sum();
        let fetchers: u64 = self.fetchers.values().map(Fetcher::own_bytes).sum();
        let held = (self.delayed.len() * 192 + self.fetches.len() * 64 + self.produces.len() * 16) as u64;
        let held = held + self.verifications.own_bytes() + self.coordinator.own_bytes() + self.groups.own_bytes();
        let held = held + self.share_coordinator.own_bytes() + self.shares.own_bytes();
        1_024 + replicas + sessions + fetchers + held + self.topics.len() as u64 * 128
    }
}
