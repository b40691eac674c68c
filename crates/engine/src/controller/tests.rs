//! Sequences through the controller: what it answers, what it tells, and when. Several are recorded.
//!
//! Brokers are not simulated here; the tests say what they would.

use super::brokers::UNFENCING;
use super::*;
use crate::command::ElectionKind;
use crate::event::{Event, Moment};
use crate::message::{AlterPartition, ConfigResource};
use crate::outbox::Post;
use crate::queue::Body;
use crate::scenario::Scenario;

/// A controller and what it has sent.
struct World {
    controller: Controller,
    post: Post,
    trace: Vec<Event>,
    now: Time,
}

/// Runs the steps on a cluster given as TOML and compares what each comes to. Steps, with brokers as
/// numbers and partitions as `topic-0`:
///
/// - `lose`, `hear`, `start`, `crash` (back without marker), `stop`: a broker's heartbeats and process
/// - `active`: the process that hosts the controller, or `none`
/// - `wait` seconds; `show` a partition; `told`: the events since the last time
/// - `isr` partition members; `preferred`, `unclean` partition; `move` partition replicas; `cancel` partition
/// - `create` name replicas; `set` and `unset` settings of `all`, a broker or a topic
fn check(cluster: &str, steps: &[(&str, &str)]) {
    let scenario: Scenario = toml::from_str(&format!("name = \"test\"\n{cluster}")).unwrap();
    let plan = Plan::new(&scenario).unwrap();
    let post = Post { brokers: plan.brokers.iter().map(|broker| broker.id).collect(), ..Post::default() };
    let mut world = World { controller: Controller::new(&plan), post, trace: Vec::new(), now: Time::ZERO };
    world.act(|controller, outbox| controller.start(&plan.topics, outbox));
    world.trace.clear();
    for (step, expected) in steps {
        assert_eq!(world.step(step), *expected, "after {step}");
        let controller = &world.controller;
        let leaderless = controller.partitions_that(|partition| partition.leader.is_none());
        assert!(controller.leaderless.iter().eq(&leaderless), "after {step}");
        let off = controller.partitions_that(|partition| partition.leader != partition.replicas.first().copied());
        assert!(controller.off_preferred.iter().eq(&off), "after {step}");
    }
}

impl World {
    fn act<T>(&mut self, act: impl FnOnce(&mut Controller, &mut Outbox) -> T) -> T {
        let moment = Moment { time: self.now, sequence: 0 };
        let mut outbox = Outbox { moment, cause: None, post: &mut self.post, trace: &mut self.trace };
        act(&mut self.controller, &mut outbox)
    }

    fn step(&mut self, step: &str) -> String {
        let words: Vec<&str> = step.split_whitespace().collect();
        let broker = || words[1].parse::<u32>().unwrap();
        match words[0] {
            "lose" => self.act(|controller, outbox| controller.contact_lost(broker(), outbox.now(), outbox)),
            "hear" => {
                self.act(|controller, outbox| controller.contact_restored(broker(), outbox));
                self.wait(UNFENCING);
            }
            "active" => self.act(|controller, outbox| controller.activate(words[1].parse().ok(), outbox)),
            "start" | "crash" => {
                let payload = Payload::BrokerRegistration { broker: broker(), is_clean: words[0] == "start" };
                return self.send(NodeId::Broker { id: broker() }, payload);
            }
            "stop" => {
                let payload = Payload::ControlledShutdown { broker: broker() };
                return self.send(NodeId::Broker { id: broker() }, payload);
            }
            "wait" => self.wait(Duration::from_secs(words[1].parse().unwrap())),
            "show" => return self.show(&partition(words[1])),
            "told" => return self.told(),
            "isr" => return self.propose(&partition(words[1]), &numbers(words[2]), 0),
            "isr-again" => return self.propose(&partition(words[1]), &numbers(words[2]), 1),
            _ => return self.send(NodeId::Admin, Payload::Admin(request(&words))),
        }
        String::new()
    }

    fn wait(&mut self, time: Duration) {
        let until = self.now + time;
        while self.post.queue.peek().is_some_and(|entry| entry.time <= until) {
            let entry = self.post.queue.pop().unwrap();
            self.now = entry.time;
            if let (Target::Controller, Body::Timer(timer)) = (entry.target, entry.body) {
                self.act(|controller, outbox| controller.wake(timer, outbox));
            }
        }
        self.now = until;
    }

    /// Sends a message and says what the answer is; empty for a good one or none.
    fn send(&mut self, from: NodeId, payload: Payload) -> String {
        let view = MessageView {
            id: self.post.messages,
            api: Api::Metadata,
            version: None,
            is_response: false,
            from,
            to: NodeId::Controller,
            sent: Moment::default(),
            arrives: self.now,
            batches: Vec::new(),
            is_notable: false,
            error: None,
            end: None,
            markers: Vec::new(),
        };
        self.act(|controller, outbox| controller.handle(&view, &payload, outbox));
        let mut answer = String::new();
        let mut timers = Vec::new();
        while let Some(entry) = self.post.queue.pop() {
            match entry.body {
                Body::Message(_, payload) => answer += &answered(&payload),
                Body::Timer(timer) => timers.push((entry.time, entry.target, timer)),
            }
        }
        for (time, target, timer) in timers {
            self.post.queue.push(time, target, Body::Timer(timer));
        }
        answer
    }

    /// The leader proposes an in-sync set, as of an older partition epoch if asked to.
    fn propose(&mut self, partition: &TopicPartition, isr: &[u32], behind: u32) -> String {
        let image = self.controller.image().clone();
        let known = &image.topics[&partition.topic].partitions[partition.partition as usize];
        let epoch = |broker: u32| image.brokers.get(&broker).map_or(99, |broker| broker.epoch);
        let broker = known.leader.unwrap();
        let payload = Payload::AlterPartition(AlterPartition {
            broker,
            broker_epoch: epoch(broker),
            partition: partition.clone(),
            leader_epoch: known.leader_epoch,
            partition_epoch: known.partition_epoch - behind,
            isr: isr.iter().map(|member| (*member, epoch(*member))).collect(),
            is_recovered: true,
        });
        self.send(NodeId::Broker { id: broker }, payload)
    }

    fn show(&self, partition: &TopicPartition) -> String {
        let known = self.controller.partition(partition).unwrap();
        let leader = known.leader.map_or("none".to_string(), |leader| leader.to_string());
        let mut text = format!("leader {leader} replicas {} isr {}", list(&known.replicas), list(&known.isr));
        for (name, ids) in [("elr", &known.elr), ("last", &known.last_known_elr), ("adding", &known.adding)] {
            if !ids.is_empty() {
                text += &format!(" {name} {}", list(ids));
            }
        }
        text
    }

    fn told(&mut self) -> String {
        let told: Vec<String> = self
            .trace
            .drain(..)
            .filter(|event| !matches!(event.kind, EventKind::MessageSent { .. }))
            .map(|event| format!("{} {}", event.moment.time.millis() / 1_000, event.kind))
            .collect();
        told.join(" | ")
    }
}

fn answered(payload: &Payload) -> String {
    match payload {
        Payload::AdminAnswer { result: Err(error), .. } => error.to_string(),
        Payload::AdminAnswer { partitions, .. } => {
            let errors = partitions.iter().filter_map(|outcome| outcome.error.as_ref());
            errors.map(|error| error.to_string()).collect::<Vec<_>>().join(" | ")
        }
        Payload::AlterPartitionAnswer { result: Err(error), .. } => error.error.clone(),
        Payload::BrokerRegistrationAnswer { broker_epoch } => format!("epoch {broker_epoch}"),
        Payload::ControlledShutdownAnswer => "may stop".to_string(),
        _ => String::new(),
    }
}

fn request(words: &[&str]) -> AdminRequest {
    let resource = || match (words[1], words[1].parse()) {
        ("all", _) => ConfigResource::Brokers,
        (_, Ok(broker)) => ConfigResource::Broker(broker),
        (topic, _) => ConfigResource::Topic(topic.into()),
    };
    let pair = |text: &&str| match text.split_once('=') {
        Some((name, value)) => (Name::from(name), Some(Name::from(value))),
        None => (Name::from(*text), None),
    };
    match words[0] {
        "preferred" | "unclean" => {
            let election = if words[0] == "unclean" { ElectionKind::Unclean } else { ElectionKind::Preferred };
            AdminRequest::ElectLeaders { election, partitions: words.get(1).map(|one| vec![partition(one)]) }
        }
        "move" => AdminRequest::AlterReassignments {
            changes: vec![(partition(words[1]), Some(numbers(words[2])))],
            allow_factor_change: words.len() < 4,
        },
        "cancel" => {
            AdminRequest::AlterReassignments { changes: vec![(partition(words[1]), None)], allow_factor_change: true }
        }
        "create" => AdminRequest::CreateTopic(NewTopic {
            name: words[1].into(),
            partitions: -1,
            replication_factor: -1,
            assignment: Some(vec![numbers(words[2])]),
            topic_id: None,
            configs: words[3..].iter().map(pair).map(|(name, value)| (name, value.unwrap())).collect(),
        }),
        "grow" => AdminRequest::CreatePartitions {
            topic: words[1].into(),
            partitions: words[2].parse().unwrap(),
            assignment: None,
        },
        "set" | "unset" => {
            AdminRequest::AlterConfigs { resource: resource(), changes: words[2..].iter().map(pair).collect() }
        }
        other => panic!("there is no step {other}"),
    }
}

fn partition(text: &str) -> TopicPartition {
    let (topic, partition) = TopicPartition::split(text).unwrap();
    TopicPartition { topic: topic.into(), partition }
}

fn numbers(text: &str) -> Vec<u32> {
    text.split(',').map(|number| number.parse().unwrap()).collect()
}

fn list(ids: &[u32]) -> String {
    ids.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

const THREE: &str = "cluster = { brokers = 3 }";
const FOUR: &str = "cluster = { brokers = 4, configs = { \"auto.leader.rebalance.enable\" = \"false\" } }";
const NO_ELR: &str = "cluster = { brokers = 3, features = { \"eligible.leader.replicas.version\" = 0 } }";

#[test]
fn a_silent_broker_is_fenced_and_its_partitions_go_on() {
    check(
        THREE,
        &[
            ("create d1 3,1,2 min.insync.replicas=2", ""),
            ("create d2 3", ""),
            ("create d3 1,3 min.insync.replicas=2", ""),
            ("wait 2", ""),
            ("lose 3", ""),
            ("wait 8", ""),
            ("show d1-0", "leader 3 replicas 3,1,2 isr 3,1,2"),
            ("wait 1", ""),
            ("show d1-0", "leader 1 replicas 3,1,2 isr 1,2"),
            ("show d2-0", "leader none replicas 3 isr  elr 3 last 3"),
            ("show d3-0", "leader 1 replicas 1,3 isr 1 elr 3"),
            ("create d4 3,1,2", ""),
            ("show d4-0", "leader 1 replicas 3,1,2 isr 1,2"),
            (
                "create d5 3",
                "InvalidReplicaAssignmentException: All brokers specified in the manual partition assignment for \
                 partition 0 are fenced or in controlled shutdown.",
            ),
            ("hear 3", ""),
            ("show d2-0", "leader 3 replicas 3 isr 3"),
            ("isr d1-0 1,2,3", ""),
            ("show d1-0", "leader 1 replicas 3,1,2 isr 1,2,3"),
            ("isr d3-0 1,3", ""),
            ("show d3-0", "leader 1 replicas 1,3 isr 1,3"),
        ],
    );
}

#[test]
fn what_a_lost_broker_means_is_told_broker_first() {
    check(
        THREE,
        &[
            ("create b 1,2", ""),
            ("create a 2,1", ""),
            ("wait 10", ""),
            (
                "told",
                "0 Topic b created: 1 partition, replication factor 2. | 0 Broker 1 leads b-0, leader epoch 0. | \
                      0 Topic a created: 1 partition, replication factor 2. | 0 Broker 2 leads a-0, leader epoch 0.",
            ),
            ("lose 1", ""),
            ("wait 20", ""),
            (
                "told",
                "19 Broker 1 fenced. | 19 ISR of a-0 shrinks from 2,1 to 2. | 19 ISR of b-0 shrinks from 1,2 to 2. \
                      | 19 Broker 2 leads b-0, leader epoch 1.",
            ),
            ("hear 1", ""),
            ("told", "30 Broker 1 unfenced."),
        ],
    );
}

#[test]
fn heartbeats_that_come_back_in_time_change_nothing() {
    check(
        THREE,
        &[
            ("create t 1,2", ""),
            ("lose 1", ""),
            ("wait 8", ""),
            ("hear 1", ""),
            ("wait 20", ""),
            ("show t-0", "leader 1 replicas 1,2 isr 1,2"),
            ("lose 1", ""),
            ("wait 8", ""),
            ("active 2", ""),
            ("wait 8", ""),
            ("show t-0", "leader 1 replicas 1,2 isr 1,2"),
            // The new controller has given the broker a whole session.
            ("wait 1", ""),
            ("show t-0", "leader 2 replicas 1,2 isr 2"),
            ("active none", ""),
            ("hear 1", ""),
            ("show t-0", "leader 2 replicas 1,2 isr 2"),
            ("active 3", ""),
            ("isr t-0 2,1", ""),
        ],
    );
}

#[test]
fn a_shutdown_in_order_hands_over_before_the_broker_stops() {
    check(
        NO_ELR,
        &[
            ("create t 1,2", ""),
            ("create alone 1", ""),
            (
                "told",
                "0 Topic t created: 1 partition, replication factor 2. | 0 Broker 1 leads t-0, leader epoch 0. | \
                      0 Topic alone created: 1 partition, replication factor 1. | 0 Broker 1 leads alone-0, leader epoch 0.",
            ),
            ("stop 1", "may stop"),
            (
                "told",
                "0 alone-0 has no leader. | 0 ISR of t-0 shrinks from 1,2 to 2. | 0 Broker 2 leads t-0, leader epoch 1. \
                      | 0 Broker 1 fenced.",
            ),
            ("show alone-0", "leader none replicas 1 isr 1"),
            ("start 1", "epoch 3"),
            ("show alone-0", "leader 1 replicas 1 isr 1"),
        ],
    );
}

#[test]
fn a_process_that_comes_back_waits_for_the_session_of_the_one_before() {
    check(
        THREE,
        &[
            ("create t 1,2 min.insync.replicas=2", ""),
            ("create alone 1", ""),
            ("lose 1", ""),
            ("wait 5", ""),
            ("crash 1", ""),
            ("wait 3", ""),
            ("show t-0", "leader 1 replicas 1,2 isr 1,2"),
            ("wait 1", ""),
            // It died, so it is not eligible; what it led alone it leads again, with losses.
            ("show t-0", "leader 2 replicas 1,2 isr 2"),
            ("show alone-0", "leader 1 replicas 1 isr 1"),
            (
                "told",
                "0 Topic t created: 1 partition, replication factor 2. | 0 Broker 1 leads t-0, leader epoch 0. | \
                      0 Topic alone created: 1 partition, replication factor 1. | 0 Broker 1 leads alone-0, leader epoch 0. | \
                      9 Broker 1 fenced. | 9 ISR of alone-0 shrinks from 1 to none; ELR 1; last known leader 1. | \
                      9 alone-0 has no leader. | 9 ISR of t-0 shrinks from 1,2 to 2; ELR 1. | 9 Broker 2 leads t-0, leader epoch 1. | \
                      9 Broker 1 registered. | 9 ISR of alone-0 stays none; last known leader 1. | 9 ISR of t-0 stays 2. | \
                      9 Broker 1 unfenced. | 9 ISR of alone-0 grows from none to 1. | 9 Broker 1 leads alone-0, leader epoch 2.",
            ),
        ],
    );
}

#[test]
fn a_process_that_dies_while_it_waits_does_not_come_back() {
    check(
        THREE,
        &[
            ("create t 1,2", ""),
            ("lose 1", ""),
            ("wait 5", ""),
            ("start 1", ""),
            ("lose 1", ""),
            ("wait 4", ""),
            ("show t-0", "leader 2 replicas 1,2 isr 2"),
            ("isr t-0 2,1", "INELIGIBLE_REPLICA"),
            ("start 1", "epoch 3"),
            ("isr t-0 2,1", ""),
        ],
    );
}

#[test]
fn elections_are_refused_as_recorded() {
    let unknown = "UnknownTopicOrPartitionException: No such";
    check(
        FOUR,
        &[
            ("create le 3,1,2", ""),
            ("preferred le-0", "ElectionNotNeededException: Leader election not needed for topic partition."),
            ("lose 3", ""),
            ("wait 9", ""),
            ("preferred le-0", "PreferredLeaderNotAvailableException: The preferred leader was not available."),
            ("preferred", "PreferredLeaderNotAvailableException: The preferred leader was not available."),
            ("hear 3", ""),
            ("isr le-0 1,2,3", ""),
            ("preferred le-0", ""),
            ("show le-0", "leader 3 replicas 3,1,2 isr 1,2,3"),
            ("preferred", ""),
            ("unclean le-0", "ElectionNotNeededException: Leader election not needed for topic partition."),
            ("preferred le-9", &format!("{unknown} partition as le-9")),
            ("preferred nope-0", &format!("{unknown} topic as nope")),
            ("create one 4", ""),
            ("lose 4", ""),
            ("wait 9", ""),
            (
                "unclean one-0",
                "EligibleLeadersNotAvailableException: Eligible topic partition leaders are not available.",
            ),
        ],
    );
}

#[test]
fn the_periodic_checks_move_leaders_back_and_elect_where_it_is_allowed() {
    check(
        THREE,
        &[
            ("create t 3,1", ""),
            ("create u 3,1 min.insync.replicas=1", ""),
            ("lose 3", ""),
            ("wait 20", ""),
            ("hear 3", ""),
            ("isr t-0 1,3", ""),
            ("wait 279", ""),
            ("show t-0", "leader 1 replicas 3,1 isr 1,3"),
            ("wait 1", ""),
            ("show t-0", "leader 3 replicas 3,1 isr 1,3"),
            ("lose 1", ""),
            ("wait 9", ""),
            ("show u-0", "leader none replicas 3,1 isr  elr 1 last 1"),
            ("set u unclean.leader.election.enable=true", ""),
            ("wait 290", ""),
            ("show u-0", "leader none replicas 3,1 isr  elr 1 last 1"),
            ("wait 1", ""),
            ("show u-0", "leader 3 replicas 3,1 isr 3"),
        ],
    );
}

#[test]
fn a_proposed_isr_is_checked_in_kafkas_order() {
    check(
        FOUR,
        &[
            ("create t 1,2,3", ""),
            ("isr t-0 1,2", ""),
            ("show t-0", "leader 1 replicas 1,2,3 isr 1,2"),
            ("isr-again t-0 1,2,3", "INVALID_UPDATE_VERSION"),
            ("isr t-0 1,2,4", "INVALID_REQUEST"),
            ("isr t-0 2", "INVALID_REQUEST"),
            ("isr t-0 1,1", "INVALID_REQUEST"),
            ("lose 3", ""),
            ("wait 9", ""),
            ("isr t-0 1,2,3", "INELIGIBLE_REPLICA"),
            ("hear 3", ""),
            ("isr t-0 1,2,3", ""),
            ("show t-0", "leader 1 replicas 1,2,3 isr 1,2,3"),
        ],
    );
}

#[test]
fn a_reassignment_ends_when_the_new_replicas_are_in_sync() {
    check(
        FOUR,
        &[
            ("create p 1,2,3", ""),
            ("cancel p-0", "NoReassignmentInProgressException: No partition reassignment is in progress."),
            ("move p-0 2,3,4", ""),
            ("show p-0", "leader 1 replicas 2,3,4,1 isr 1,2,3 adding 4"),
            ("cancel p-0", ""),
            ("show p-0", "leader 1 replicas 2,3,1 isr 1,2,3"),
            ("move p-0 2,3,4", ""),
            (
                "told",
                "0 Topic p created: 1 partition, replication factor 3. | 0 Broker 1 leads p-0, leader epoch 0. | \
                      0 p-0: adding 4, removing 1. | 0 Broker 1 leads p-0, leader epoch 1. | \
                      0 p-0: reassignment cancelled, replicas 2,3,1. | 0 p-0: adding 4, removing 1.",
            ),
            ("isr p-0 1,2,3,4", "NEW_LEADER_ELECTED"),
            ("show p-0", "leader 2 replicas 2,3,4 isr 2,3,4"),
            (
                "told",
                "0 ISR of p-0 changes from 1,2,3 to 2,3,4. | 0 Broker 2 leads p-0, leader epoch 2. | \
                      0 p-0: reassignment completed, replicas 2,3,4.",
            ),
            ("move p-0 4,3,2", ""),
            ("show p-0", "leader 2 replicas 4,3,2 isr 2,3,4"),
            ("move p-0 4,3 keep", "InvalidReplicationFactorException: The replication factor is changed from 3 to 2"),
            (
                "move p-0 4,9",
                "InvalidReplicaAssignmentException: The manual partition assignment includes broker 9, but no such broker is registered.",
            ),
            ("move q-0 4", "UnknownTopicOrPartitionException: Unable to find a topic named q."),
            ("move p-1 4", "UnknownTopicOrPartitionException: Unable to find partition p:1."),
        ],
    );
    // Those in sync are all new: to go back would need an unclean election.
    check(
        FOUR,
        &[
            ("create p 1", ""),
            ("move p-0 2,3", ""),
            ("isr p-0 1,2", ""),
            ("lose 1", ""),
            ("wait 9", ""),
            ("show p-0", "leader 2 replicas 2,3,1 isr 2 adding 2,3"),
            (
                "cancel p-0",
                "InvalidReplicaAssignmentException: Unable to revert partition assignment for p:0 because it would require an unclean leader election.",
            ),
        ],
    );
}

#[test]
fn settings_are_altered_all_or_nothing() {
    check(
        THREE,
        &[
            ("create cfg 1,2,3 retention.ms=1000", ""),
            ("set cfg retention.ms=86400000 min.insync.replicas=2", ""),
            ("unset cfg retention.ms nope", ""),
            ("set cfg segment.ms=5 nope=1", "InvalidConfigurationException: Unknown topic config name: nope"),
            (
                "set cfg segment.ms=abc",
                "InvalidConfigurationException: Invalid value abc for configuration segment.ms: Not a number of type LONG",
            ),
            ("set nope retention.ms=1", "UnknownTopicOrPartitionException: The topic 'nope' does not exist."),
            ("set 1 log.cleaner.threads=2", ""),
            ("set 1 node.id=7", "InvalidRequestException: Cannot update these configs dynamically: [node.id]"),
            (
                "set 1 min.insync.replicas=2",
                "InvalidConfigurationException: Broker-level min.insync.replicas cannot be altered while ELR is enabled.",
            ),
            (
                "unset all min.insync.replicas",
                "InvalidConfigurationException: Cluster-level min.insync.replicas cannot be removed while ELR is enabled.",
            ),
            ("set all min.insync.replicas=1", ""),
            (
                "set 9 log.cleaner.threads=2",
                "TimeoutException: Timed out waiting for a node assignment. Call: incrementalAlterConfigs",
            ),
            (
                "create bad 1 cleanup.policy=foo",
                "InvalidConfigurationException: Invalid value foo for configuration cleanup.policy: String must be one of: compact, delete",
            ),
            (
                "told",
                "0 Topic cfg created: 1 partition, replication factor 3. | 0 Broker 1 leads cfg-0, leader epoch 0. | \
                      0 retention.ms of topic cfg is 86400000. | 0 min.insync.replicas of topic cfg is 2. | 0 retention.ms of topic cfg is back at its default. | \
                      0 log.cleaner.threads of broker 1 is 2.",
            ),
        ],
    );
    check(NO_ELR, &[("set 1 min.insync.replicas=2", ""), ("unset all min.insync.replicas", "")]);
}

#[test]
fn another_minimum_forgets_who_was_eligible() {
    check(
        THREE,
        &[
            ("create t 1,2 min.insync.replicas=2", ""),
            ("lose 2", ""),
            ("wait 9", ""),
            ("show t-0", "leader 1 replicas 1,2 isr 1 elr 2"),
            ("set t min.insync.replicas=1", ""),
            ("show t-0", "leader 1 replicas 1,2 isr 1"),
        ],
    );
}
