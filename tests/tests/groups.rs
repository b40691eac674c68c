//! Groups at a real coordinator: what Admin and the tools ask of it, also through a failover, and what Kafka says to
//! input that is wrong.
//!
//! Deliberately not here: random runs (`fuzz.rs`), and what is recorded (`conformance.rs`).

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by a panic")]

use engine::group::GroupState;
use engine::scenario::ConsumerSpec;
use engine::snapshot::{ConsumerSnapshot, GroupSnapshot, MembershipSnapshot};
use engine::{Command, Duration, KafkaError, Outcome, Scenario, Timeline};

const PROTOCOLS: [&str; 2] = ["classic", "consumer"];

fn member(name: &str, configs: &[(&str, &str)]) -> ConsumerSpec {
    let own = [("group.id", "g"), ("auto.offset.reset", "earliest")];
    let configs = own.iter().chain(configs).map(|(name, value)| (name.to_string(), value.to_string()));
    let subscribe = vec!["orders".to_string()];
    ConsumerSpec { name: name.to_string(), subscribe, configs: configs.collect(), ..ConsumerSpec::default() }
}

/// Two members that have read and committed some records.
fn group(members: [ConsumerSpec; 2]) -> Timeline {
    let text = r#"
        name = "groups"
        cluster = { brokers = 3, configs = { "offsets.topic.num.partitions" = "3" } }
        topic = [{ name = "orders", partitions = 2, replication_factor = 3 }]
        [[producer]]
        name = "app"
        client = "java"
        workload = { topic = "orders", key_pattern = { prefix = "k-", count = 20 }, every = "100 ms" }
    "#;
    let mut scenario: Scenario = toml::from_str(text).unwrap();
    scenario.consumers = members.to_vec();
    let mut timeline = Timeline::new(scenario, ()).unwrap();
    pass(&mut timeline, 30);
    timeline
}

fn of_protocol(protocol: &str) -> Timeline {
    let configs = [("group.protocol", protocol)];
    group([member("A", &configs), member("B", &configs)])
}

fn pass(timeline: &mut Timeline, seconds: u64) {
    timeline.advance_to(timeline.now() + Duration::from_secs(seconds));
}

/// What came of a command within 20 seconds.
fn ask(timeline: &mut Timeline, command: Command) -> Result<Outcome, KafkaError> {
    let number = timeline.submit(command).unwrap();
    pass(timeline, 20);
    let outcome = timeline.outcome(number).unwrap();
    assert_ne!(outcome.status, engine::Status::Pending, "an answer within 20 s");
    match outcome.error.clone() {
        Some(error) => Err(error),
        None => Ok(outcome),
    }
}

fn refused(timeline: &mut Timeline, command: Command) -> (String, String) {
    let error = ask(timeline, command).unwrap_err();
    (error.exception, error.message)
}

fn close(timeline: &mut Timeline) {
    for consumer in ["A", "B"] {
        timeline.act(Command::CloseConsumer { consumer: consumer.to_string(), operation: None }).unwrap();
    }
    pass(timeline, 5);
}

fn found(timeline: &Timeline) -> Option<GroupSnapshot> {
    timeline.snapshot(0).groups.into_iter().find(|group| &*group.group == "g")
}

/// What the coordinator has of `orders-0` and `orders-1`.
fn committed(timeline: &Timeline) -> [Option<u64>; 2] {
    let snapshot = timeline.snapshot(0);
    let offsets = snapshot.group_offsets.iter().find(|offsets| &*offsets.group == "g");
    [0, 1].map(|number| {
        let committed = &offsets?.committed;
        committed.iter().find(|(partition, _)| partition.partition == number).map(|(_, offset)| *offset)
    })
}

fn consumer(timeline: &Timeline, name: &str) -> ConsumerSnapshot {
    timeline.snapshot(0).consumers.into_iter().find(|consumer| &*consumer.name == name).unwrap()
}

fn membership(timeline: &Timeline, name: &str) -> MembershipSnapshot {
    consumer(timeline, name).membership.unwrap()
}

fn alter(offset: u64) -> Command {
    Command::AlterConsumerGroupOffsets { group: "g".to_string(), offsets: [("orders-0".to_string(), offset)].into() }
}

fn delete_offsets(partition: &str) -> Command {
    Command::DeleteConsumerGroupOffsets { group: "g".to_string(), partitions: vec![partition.to_string()] }
}

fn delete(group: &str) -> Command {
    Command::DeleteConsumerGroup { group: group.to_string() }
}

fn error(exception: &str, text: &str) -> (String, String) {
    (exception.to_string(), text.to_string())
}

/// The broker that coordinates dies.
fn kill_coordinator(timeline: &mut Timeline) -> u32 {
    let broker = found(timeline).unwrap().coordinator.unwrap();
    timeline.act(Command::KillBroker { broker }).unwrap();
    broker
}

#[test]
fn admin_changes_nothing_of_a_group_with_members() {
    for protocol in PROTOCOLS {
        let mut timeline = of_protocol(protocol);
        let not_known = error("UnknownMemberIdException", "The coordinator is not aware of this member.");
        assert_eq!(refused(&mut timeline, alter(1)), not_known, "{protocol}");
        let not_empty = error("GroupNotEmptyException", "The group is not empty.");
        assert_eq!(refused(&mut timeline, delete("g")), not_empty, "{protocol}");
        let text = "Deleting offsets of a topic is forbidden while the consumer group is actively subscribed to it.";
        let subscribed = error("GroupSubscribedToTopicException", text);
        assert_eq!(refused(&mut timeline, delete_offsets("orders-0")), subscribed, "{protocol}");
        assert_eq!(found(&timeline).unwrap().members.len(), 2);
        assert!(committed(&timeline).iter().all(|offset| offset.is_some_and(|offset| offset > 1)));
    }
}

#[test]
fn admin_changes_offsets_of_a_group_without_members_and_deletes_it() {
    for protocol in PROTOCOLS {
        let mut timeline = of_protocol(protocol);
        close(&mut timeline);
        let [_, kept] = committed(&timeline);
        ask(&mut timeline, alter(3)).unwrap();
        assert_eq!(committed(&timeline), [Some(3), kept], "{protocol}");
        let nowhere = [("orders-7".to_string(), 3)].into();
        let asked = Command::AlterConsumerGroupOffsets { group: "g".to_string(), offsets: nowhere };
        let unknown = error("UnknownTopicOrPartitionException", "This server does not host this topic-partition.");
        assert_eq!(refused(&mut timeline, asked), unknown);
        assert_eq!(refused(&mut timeline, delete_offsets("orders-7")), unknown);
        ask(&mut timeline, delete_offsets("orders-0")).unwrap();
        assert_eq!(committed(&timeline), [None, kept], "{protocol}");
        ask(&mut timeline, delete("g")).unwrap();
        assert_eq!((found(&timeline), committed(&timeline)), (None, [None, None]), "{protocol}");
        let not_found = error("GroupIdNotFoundException", "The group id does not exist.");
        assert_eq!(refused(&mut timeline, delete("g")), not_found);
        assert_eq!(refused(&mut timeline, delete_offsets("orders-0")), not_found);
    }
}

#[test]
fn admin_finds_the_next_coordinator_and_that_knows_everything() {
    for protocol in PROTOCOLS {
        let mut timeline = of_protocol(protocol);
        close(&mut timeline);
        let [_, kept] = committed(&timeline);
        ask(&mut timeline, alter(3)).unwrap();
        let first = kill_coordinator(&mut timeline);
        ask(&mut timeline, delete_offsets("orders-0")).unwrap();
        assert_eq!(committed(&timeline), [None, kept], "{protocol}");
        timeline.act(Command::StartBroker { broker: first }).unwrap();
        pass(&mut timeline, 20);
        let second = kill_coordinator(&mut timeline);
        assert_ne!(first, second);
        ask(&mut timeline, alter(5)).unwrap();
        assert_eq!(committed(&timeline), [Some(5), kept], "{protocol}");
        timeline.act(Command::StartBroker { broker: second }).unwrap();
        pass(&mut timeline, 20);
        kill_coordinator(&mut timeline);
        ask(&mut timeline, delete("g")).unwrap();
        assert_eq!(found(&timeline), None, "{protocol}");
    }
}

#[test]
fn admin_removes_a_static_member_whose_process_is_gone() {
    for protocol in PROTOCOLS {
        let mut configs = vec![("group.protocol", protocol), ("group.instance.id", "i-A")];
        if protocol == "classic" {
            configs.push(("session.timeout.ms", "600000"));
            configs.push(("max.poll.interval.ms", "700000"));
        }
        let mut timeline = group([member("A", &configs), member("B", &[("group.protocol", protocol)])]);
        timeline.act(Command::Crash { client: "A".to_string() }).unwrap();
        pass(&mut timeline, 10);
        assert_eq!(found(&timeline).unwrap().members.len(), 2, "{protocol}");
        let remove =
            |instance: &str| Command::RemoveMembers { group: "g".to_string(), instances: vec![instance.to_string()] };
        let not_known = error("UnknownMemberIdException", "The coordinator is not aware of this member.");
        assert_eq!(refused(&mut timeline, remove("i-Z")).0, not_known.0, "{protocol}");
        ask(&mut timeline, remove("i-A")).unwrap();
        let group = found(&timeline).unwrap();
        assert_eq!((group.members.len(), group.state), (1, GroupState::Stable), "{protocol}");
        assert_eq!(membership(&timeline, "B").owned.len(), 2, "{protocol}");
    }
}

fn tool(timeline: &mut Timeline, arguments: &str) -> String {
    let line = format!("kafka-consumer-groups.sh --bootstrap-server localhost:9092 {arguments}");
    console::run(timeline, &line).text()
}

#[test]
fn the_tool_resets_and_deletes_at_the_coordinator() {
    for protocol in PROTOCOLS {
        let mut timeline = of_protocol(protocol);
        let reset = "--group g --reset-offsets --topic orders:0 --to-offset 4 --execute";
        let text = tool(&mut timeline, reset);
        let active = "Assignments can only be reset if the group 'g' is inactive, but the current state is Stable.";
        assert!(text.contains(active), "{text}");
        assert!(committed(&timeline)[0].is_some_and(|offset| offset > 4));
        let text = tool(&mut timeline, "--group g --delete");
        assert!(text.contains("* Group 'g' could not be deleted due to:"), "{text}");
        assert!(text.contains("GroupNotEmptyException: The group is not empty."), "{text}");
        let text = tool(&mut timeline, "--group g --delete-offsets --topic orders");
        assert!(text.contains("Encountered some partition-level error, see the follow-up details."), "{text}");
        close(&mut timeline);
        let [_, kept] = committed(&timeline);
        let dry = tool(&mut timeline, "--group g --reset-offsets --topic orders:0 --to-offset 4 --dry-run");
        assert_ne!(committed(&timeline)[0], Some(4), "a plan changes nothing: {dry}");
        kill_coordinator(&mut timeline);
        pass(&mut timeline, 20);
        let text = tool(&mut timeline, reset);
        assert_eq!(committed(&timeline), [Some(4), kept], "{protocol}: {text}");
        let text = tool(&mut timeline, "--group g --delete-offsets --topic orders:0");
        assert!(text.contains("Request succeeded for deleting offsets from group g."), "{text}");
        assert_eq!(committed(&timeline), [None, kept], "{protocol}");
        let text = tool(&mut timeline, "--group g --delete");
        assert!(text.contains("Deletion of requested consumer groups ('g') was successful."), "{text}");
        assert_eq!(found(&timeline), None, "{protocol}");
    }
}

/// The error that ended a consumer.
fn ended(timeline: &Timeline, name: &str) -> (String, String) {
    let thrown = consumer(timeline, name).error.unwrap_or_else(|| panic!("{name} goes on"));
    (thrown.exception, thrown.message)
}

#[test]
fn the_running_one_of_two_classic_processes_with_one_instance_id_is_fenced() {
    let static_one = [("group.instance.id", "i"), ("enable.auto.commit", "false")];
    let mut timeline = group([member("A", &static_one), member("B", &[])]);
    timeline.act(Command::Consumer(member("second", &static_one))).unwrap();
    pass(&mut timeline, 10);
    let text = "The broker rejected this static consumer since another consumer with the same group.instance.id has \
                registered with a different member.id.";
    assert_eq!(ended(&timeline, "A"), error("FencedInstanceIdException", text));
    assert_eq!(membership(&timeline, "second").owned.len(), 1);
}

#[test]
fn the_second_of_two_processes_of_the_consumer_protocol_with_one_instance_id_is_refused() {
    let static_one = [("group.protocol", "consumer"), ("group.instance.id", "i")];
    let mut timeline = group([member("A", &static_one), member("B", &[("group.protocol", "consumer")])]);
    timeline.act(Command::Consumer(member("second", &static_one))).unwrap();
    pass(&mut timeline, 10);
    let (exception, text) = ended(&timeline, "second");
    let (own, running) = (membership(&timeline, "second").member, membership(&timeline, "A").member);
    let expected = format!(
        "Static member {own} with instance id i cannot join the group because the instance id is owned by {running} member."
    );
    assert_eq!((exception.as_str(), text), ("UnreleasedInstanceIdException", expected));
    assert_eq!(membership(&timeline, "A").owned.len(), 1);
}

#[test]
fn a_member_without_a_common_assignor_is_refused() {
    let class = |name: &str| format!("org.apache.kafka.clients.consumer.{name}Assignor");
    let (range, robin) = (class("Range"), class("RoundRobin"));
    let with = |name: &str, class: &str| member(name, &[("partition.assignment.strategy", class)]);
    let mut timeline = group([with("A", &range), with("B", &range)]);
    timeline.act(Command::Consumer(with("other", &robin))).unwrap();
    pass(&mut timeline, 10);
    let text = "The group member's supported protocols are incompatible with those of existing members or first group \
                member tried to join with empty protocol type or empty protocol list.";
    assert_eq!(ended(&timeline, "other"), error("InconsistentGroupProtocolException", text));
    assert_eq!(found(&timeline).unwrap().members.len(), 2);
}

#[test]
fn a_bad_pattern_is_refused_by_whoever_reads_it() {
    let mut timeline = of_protocol("consumer");
    let by = |pattern: Option<&str>, re2j: Option<&str>| {
        let mut spec = member("bad", &[("group.protocol", "consumer")]);
        spec.subscribe.clear();
        (spec.pattern, spec.re2j) = (pattern.map(str::to_string), re2j.map(str::to_string));
        spec
    };
    timeline.act(Command::Consumer(by(None, Some("orders(")))).unwrap();
    pass(&mut timeline, 10);
    let text = "Invalid RE2J SubscriptionPattern provided in the call to subscribe. SubscribedTopicRegex `orders(` is not a valid regular expression: missing closing ).";
    assert_eq!(ended(&timeline, "bad"), error("InvalidRegularExpression", text));
    assert_eq!(found(&timeline).unwrap().members.len(), 2);
}

#[test]
fn a_topic_that_is_not_there_is_waited_for() {
    for protocol in PROTOCOLS {
        let mut spec = member("waits", &[("group.protocol", protocol), ("metadata.max.age.ms", "2000")]);
        spec.subscribe = vec!["missing".to_string()];
        let mut timeline = of_protocol(protocol);
        timeline.act(Command::Consumer(spec)).unwrap();
        pass(&mut timeline, 20);
        assert_eq!(consumer(&timeline, "waits").error, None, "{protocol}");
        assert_eq!(membership(&timeline, "waits").owned, [], "{protocol}");
        assert_eq!(found(&timeline).unwrap().members.len(), 3, "{protocol}");
        let topic = Command::CreateTopic {
            topic: "missing".to_string(),
            partitions: Some(2),
            replication_factor: Some(3),
            assignment: None,
            configs: Default::default(),
        };
        timeline.act(topic).unwrap();
        pass(&mut timeline, 30);
        assert_eq!(membership(&timeline, "waits").owned.len(), 2, "{protocol}");
    }
}
