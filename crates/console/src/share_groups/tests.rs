//! The tool against clusters with and without a share group.

use std::collections::BTreeMap;

use engine::scenario::{ShareConsumerSpec, TopicSpec};
use engine::{Command, Duration, Scenario, Time, Timeline};

fn empty() -> Timeline {
    let mut timeline = Timeline::new(Scenario::empty(1), ()).expect("an empty scenario is good");
    timeline.advance_to(Time::ZERO);
    timeline
}

/// A share group `work` with a member for the topic `jobs`, at rest.
fn with_group() -> Timeline {
    let mut scenario = Scenario::empty(1);
    let settings = ["offsets.topic", "share.coordinator.state.topic"]
        .map(|topic| (format!("{topic}.replication.factor"), "1".to_string()));
    scenario.cluster.configs = BTreeMap::from(settings);
    scenario.cluster.configs.insert("share.coordinator.state.topic.min.isr".to_string(), "1".to_string());
    scenario.topics = vec![TopicSpec { name: "jobs".to_string(), partitions: Some(2), ..TopicSpec::default() }];
    let group = ("group.id".to_string(), "work".to_string());
    scenario.share_consumers = vec![ShareConsumerSpec {
        name: "worker".to_string(),
        subscribe: vec!["jobs".to_string()],
        configs: BTreeMap::from([group]),
        member_id: Some("AAAAAAAAAAAAAAAAAAAAAA".to_string()),
        ..ShareConsumerSpec::default()
    }];
    let mut timeline = Timeline::new(scenario, ()).expect("the scenario is good");
    timeline.advance_to(Time::from_millis(12_000));
    timeline
}

fn check(timeline: &mut Timeline, line: &str, exit: i32, expected: &str) {
    let printed = crate::run(timeline, &format!("kafka-share-groups.sh --bootstrap-server b {line}"));
    let text = printed.text();
    let text = text.split("Option                     ").next().unwrap_or_default();
    assert_eq!((printed.exit, text), (exit, expected), "{line}");
}

#[test]
fn a_cluster_without_share_groups_refuses_every_name() {
    let text = "org.apache.kafka.common.errors.GroupIdNotFoundException: Group nope not found.";
    let unknown = format!(
        "\nError: Executing share group command failed due to {text}\njava.util.concurrent.ExecutionException: {text}\nCaused by: {text}\n"
    );
    let mut timeline = empty();
    let mut check = |line: &str, exit: i32, expected: &str| check(&mut timeline, line, exit, expected);
    check("--list", 0, "");
    check("--describe --group nope", 0, &unknown);
    check("--describe --group nope --members", 0, &unknown);
    check(
        "--delete --group nope",
        0,
        "\nError: Deletion of some share groups failed:\n* Group 'nope' could not be deleted due to: java.lang.IllegalArgumentException: Group 'nope' is not a share group.\n",
    );
    check("--list --state nope", 1, "Invalid state list 'nope'. Valid states are: Dead, Empty, Stable\n");
    check("--delete", 1, "Option [delete] takes the options [group] or [all-groups]\n");
    check(
        "--reset-offsets --group g --to-latest",
        1,
        "Option [reset-offsets] takes one of these options: [execute], [dry-run]\n",
    );
}

#[test]
fn a_group_is_listed_and_described() {
    let mut timeline = with_group();
    check(&mut timeline, "--list", 0, "work\n");
    check(
        &mut timeline,
        "--list --state stable",
        0,
        "GROUP                     STATE\nwork                      Stable\n",
    );
    check(&mut timeline, "--list --state empty", 0, "GROUP                     STATE\n");
    let offsets = "\nGROUP           TOPIC           PARTITION  START-OFFSET  LAG\nwork            jobs            0          -             -\nwork            jobs            1          -             -\n";
    check(&mut timeline, "--describe --group work", 0, offsets);
    check(
        &mut timeline,
        "--describe --all-groups --members",
        0,
        "\nGROUP           CONSUMER-ID            HOST            CLIENT-ID       #PARTITIONS  ASSIGNMENT\nwork            AAAAAAAAAAAAAAAAAAAAAA /127.0.0.1      worker          2            jobs:0,1\n",
    );
    check(
        &mut timeline,
        "--reset-offsets --group work --topic jobs --to-latest --execute",
        1,
        "Share group 'work' is not empty.\n",
    );
}

#[test]
fn a_group_without_members_is_reset_and_forgets_topics() {
    let mut timeline = with_group();
    timeline.act(Command::CloseConsumer { consumer: "worker".to_string(), operation: None }).expect("it is there");
    timeline.advance_to(timeline.now() + Duration::from_secs(1));
    check(&mut timeline, "--list --state", 0, "GROUP                     STATE\nwork                      Empty\n");
    let plan = "\nGROUP           TOPIC           PARTITION  NEW-OFFSET\nwork            jobs            0          0\nwork            jobs            1          0\n";
    check(&mut timeline, "--reset-offsets --group work --all-topics --to-earliest --execute", 0, plan);
    let offsets = "\nGROUP           TOPIC           PARTITION  LEADER-EPOCH  START-OFFSET  LAG\nwork            jobs            0          0             0             0\nwork            jobs            1          0             0             0\n";
    check(&mut timeline, "--describe --group work --verbose", 0, offsets);
    let unknown = "\nError: Encountered some topic-level error, see the follow-up details.\n\nTOPIC           STATUS\nnope            Error: There is no offset information to delete.\n";
    check(&mut timeline, "--delete-offsets --group work --topic nope", 0, unknown);
    let done = "\nTOPIC           STATUS\njobs            Successful\n";
    check(&mut timeline, "--delete-offsets --group work --topic jobs", 0, done);
    check(&mut timeline, "--describe --group work", 0, "\nShare group 'work' has no offset information.\n");
    check(&mut timeline, "--delete --group work", 0, "Deletion of requested share groups ('work') was successful.\n");
    check(&mut timeline, "--list", 0, "");
}
