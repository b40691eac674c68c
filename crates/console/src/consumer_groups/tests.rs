//! kafka-consumer-groups.sh: tables and objections that were recorded from Kafka 4.3.1, over groups made by hand.
//!
//! What a coordinator does is tested in the engine.

use engine::event::TopicPartition;
use engine::group::{GroupState, GroupType};
use engine::snapshot::{
    GroupMemberSnapshot, GroupOffsetsSnapshot, GroupSnapshot, PartitionSnapshot, Snapshot, TopicSnapshot,
};
use engine::{Scenario, Timeline};

use super::arguments::Arguments;
use super::{describe, run};
use crate::stop::Stop;
use crate::{Input, Printed};

fn names(topic: &str, partitions: &[u32]) -> Vec<TopicPartition> {
    partitions.iter().map(|partition| TopicPartition { topic: topic.into(), partition: *partition }).collect()
}

fn topic(name: &str, ends: &[u64]) -> TopicSnapshot {
    let partition = |(partition, end): (u32, &u64)| PartitionSnapshot {
        partition,
        leader: Some(1),
        high_watermark: *end,
        ..PartitionSnapshot::default()
    };
    TopicSnapshot {
        name: name.into(),
        topic_id: "7Qr2-dikQj6B0zMeyGKVbg".into(),
        is_internal: false,
        replication_factor: 1,
        configs: Default::default(),
        partitions: (0..).zip(ends).map(partition).collect(),
    }
}

fn member(id: &str, client: &str, assigned: Vec<TopicPartition>) -> GroupMemberSnapshot {
    GroupMemberSnapshot {
        member: id.into(),
        client: client.into(),
        host: "/127.0.0.1".into(),
        assigned,
        ..GroupMemberSnapshot::default()
    }
}

/// A group with what it committed, over one topic with these log ends.
struct Cluster {
    group: GroupSnapshot,
    topic: TopicSnapshot,
    committed: Vec<(TopicPartition, u64)>,
}

impl Cluster {
    fn snapshot(&self) -> Snapshot {
        let offsets = GroupOffsetsSnapshot {
            group: self.group.group.clone(),
            coordinator: Some(1),
            committed: self.committed.clone(),
            ..GroupOffsetsSnapshot::default()
        };
        Snapshot {
            groups: vec![self.group.clone()],
            group_offsets: vec![offsets],
            topics: vec![self.topic.clone()],
            ..Snapshot::default()
        }
    }
}

fn group(id: &str, state: GroupState, members: Vec<GroupMemberSnapshot>) -> GroupSnapshot {
    GroupSnapshot {
        group: id.into(),
        coordinator: Some(1),
        state,
        epoch: 3,
        assignment_epoch: 3,
        assignor: "range".into(),
        protocol_type: "consumer".into(),
        members,
        ..GroupSnapshot::default()
    }
}

fn of_consumer_protocol(mut cluster: Cluster, epochs: &[i32]) -> Cluster {
    cluster.group.group_type = GroupType::Consumer;
    cluster.group.assignor = "uniform".into();
    for (member, epoch) in cluster.group.members.iter_mut().zip(epochs) {
        member.epoch = *epoch;
        if member.target.is_empty() {
            member.target = member.assigned.clone();
        }
    }
    cluster
}

fn active() -> Cluster {
    let members = vec![
        member("B-00000000-0000-0000-0000-000000000004", "B", names("orders-154", &[2])),
        member("A-00000000-0000-0000-0000-000000000003", "A", names("orders-154", &[1, 0])),
    ];
    Cluster {
        group: group("group-154", GroupState::Stable, members),
        topic: topic("orders-154", &[9, 5, 12]),
        committed: names("orders-154", &[0, 1, 2]).into_iter().map(|name| (name, 5)).collect(),
    }
}

fn empty() -> Cluster {
    let committed = names("pay-156", &[0]).into_iter().map(|name| (name, 2)).collect();
    Cluster { group: group("group-156", GroupState::Empty, Vec::new()), topic: topic("pay-156", &[2]), committed }
}

fn check(cluster: &Cluster, line: &str, expected: &[&str]) {
    let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
    let words = [vec!["--bootstrap-server".to_string(), "b".to_string(), "--describe".to_string()], words].concat();
    let words = [words, vec!["--group".to_string(), cluster.group.group.to_string()]].concat();
    let mut printed = Printed::default();
    let arguments = Arguments::read(&words, &mut printed).expect(line);
    let ids = arguments.options.all("group").to_vec();
    let stopped = describe::show(&cluster.snapshot(), ids, &arguments.options, &mut printed);
    assert_eq!((stopped, printed.text()), (Ok(()), expected.join("\n")), "{line}");
}

#[test]
fn offsets_are_shown_by_member_and_partition() {
    let rows = [
        "",
        "GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID                            HOST            CLIENT-ID",
        "group-154       orders-154      0          5               9               4               A-00000000-0000-0000-0000-000000000003 /127.0.0.1      A",
        "group-154       orders-154      1          5               5               0               A-00000000-0000-0000-0000-000000000003 /127.0.0.1      A",
        "group-154       orders-154      2          5               12              7               B-00000000-0000-0000-0000-000000000004 /127.0.0.1      B",
        "",
    ];
    check(&active(), "", &rows);
    check(&active(), "--offsets", &rows);
    check(
        &active(),
        "--verbose",
        &[
            "",
            "GROUP           TOPIC           PARTITION  LEADER-EPOCH    CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID                            HOST            CLIENT-ID",
            "group-154       orders-154      0          -               5               9               4               A-00000000-0000-0000-0000-000000000003 /127.0.0.1      A",
            "group-154       orders-154      1          -               5               5               0               A-00000000-0000-0000-0000-000000000003 /127.0.0.1      A",
            "group-154       orders-154      2          -               5               12              7               B-00000000-0000-0000-0000-000000000004 /127.0.0.1      B",
            "",
        ],
    );
}

#[test]
fn what_is_not_known_is_a_dash() {
    let mut cluster = active();
    cluster.committed.truncate(2);
    cluster.topic.partitions[1].leader = None;
    cluster.group.members.truncate(1);
    check(
        &cluster,
        "",
        &[
            "",
            "GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID                            HOST            CLIENT-ID",
            "group-154       orders-154      2          -               12              -               B-00000000-0000-0000-0000-000000000004 /127.0.0.1      B",
            "group-154       orders-154      0          5               9               4               -                                      -               -",
            "group-154       orders-154      1          5               -               -               -                                      -               -",
            "",
        ],
    );
    cluster.committed.clear();
    cluster.group.members.clear();
    check(&cluster, "", &[""]);
}

#[test]
fn members_are_shown_in_the_order_of_the_coordinator() {
    check(
        &active(),
        "--members",
        &[
            "",
            "GROUP           CONSUMER-ID                            HOST            CLIENT-ID       #PARTITIONS     ",
            "group-154       B-00000000-0000-0000-0000-000000000004 /127.0.0.1      B               1               ",
            "group-154       A-00000000-0000-0000-0000-000000000003 /127.0.0.1      A               2               ",
            "",
        ],
    );
    check(
        &active(),
        "--members --verbose",
        &[
            "",
            "GROUP           CONSUMER-ID                            HOST            CLIENT-ID       #PARTITIONS     CURRENT-EPOCH   CURRENT-ASSIGNMENT   TARGET-EPOCH    TARGET-ASSIGNMENT   ",
            "group-154       B-00000000-0000-0000-0000-000000000004 /127.0.0.1      B               1               -               orders-154:2         -               -                   ",
            "group-154       A-00000000-0000-0000-0000-000000000003 /127.0.0.1      A               2               -               orders-154:0,1       -               -                   ",
            "",
        ],
    );
}

#[test]
fn what_a_member_has_to_give_up_is_its_own_until_it_has() {
    let mut cluster = of_consumer_protocol(active(), &[3, 2]);
    cluster.group.state = GroupState::Reconciling;
    let member = &mut cluster.group.members[1];
    (member.assigned, member.target) = (names("orders-154", &[1]), names("orders-154", &[1]));
    member.revoking = names("orders-154", &[0]);
    check(
        &cluster,
        "--members --verbose",
        &[
            "",
            "Warning: Consumer group 'group-154' is rebalancing.",
            "",
            "GROUP           CONSUMER-ID                            HOST            CLIENT-ID       #PARTITIONS     CURRENT-EPOCH   CURRENT-ASSIGNMENT   TARGET-EPOCH    TARGET-ASSIGNMENT   ",
            "group-154       B-00000000-0000-0000-0000-000000000004 /127.0.0.1      B               1               3               orders-154:2         3               orders-154:2        ",
            "group-154       A-00000000-0000-0000-0000-000000000003 /127.0.0.1      A               2               2               orders-154:0,1       3               orders-154:1        ",
            "",
        ],
    );
}

#[test]
fn a_static_member_brings_a_column() {
    let mut cluster = active();
    cluster.group.members[0].instance = Some("worker-1".into());
    check(
        &cluster,
        "--members",
        &[
            "",
            "GROUP           CONSUMER-ID                            GROUP-INSTANCE-ID HOST            CLIENT-ID       #PARTITIONS     ",
            "group-154       B-00000000-0000-0000-0000-000000000004 worker-1          /127.0.0.1      B               1               ",
            "group-154       A-00000000-0000-0000-0000-000000000003                   /127.0.0.1      A               2               ",
            "",
        ],
    );
}

#[test]
fn states_name_the_coordinator_and_the_assignor() {
    check(
        &active(),
        "--state",
        &[
            "",
            "GROUP           COORDINATOR (ID)          ASSIGNMENT-STRATEGY  STATE                #MEMBERS",
            "group-154       localhost:19092  (1)      range                Stable               2",
            "",
        ],
    );
    let header = "GROUP           COORDINATOR (ID)          ASSIGNMENT-STRATEGY  STATE                GROUP-EPOCH     TARGET-ASSIGNMENT-EPOCH   #MEMBERS";
    check(
        &active(),
        "--state --verbose",
        &[
            "",
            header,
            "group-154       localhost:19092  (1)      range                Stable               -               -                         2",
            "",
        ],
    );
    check(
        &of_consumer_protocol(active(), &[3, 3]),
        "--state --verbose",
        &[
            "",
            header,
            "group-154       localhost:19092  (1)      uniform              Stable               3               3                         2",
            "",
        ],
    );
}

#[test]
fn a_group_without_members_is_told_before_its_table() {
    let notice = "Consumer group 'group-156' has no active members.";
    let header = "GROUP           CONSUMER-ID     HOST            CLIENT-ID       #PARTITIONS     ";
    check(
        &empty(),
        "",
        &[
            "",
            notice,
            "",
            "GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID     HOST            CLIENT-ID",
            "group-156       pay-156         0          2               2               0               -               -               -",
            "",
        ],
    );
    check(&empty(), "--members", &["", notice, "", header, ""]);
    check(
        &empty(),
        "--state",
        &[
            "",
            notice,
            "",
            "GROUP           COORDINATOR (ID)          ASSIGNMENT-STRATEGY  STATE                #MEMBERS",
            "group-156       localhost:19092  (1)      -                    Empty                0",
            "",
        ],
    );
}

#[test]
fn a_group_in_rebalance_shows_what_is_and_what_shall_be() {
    let mut cluster = active();
    cluster.group = group(
        "group-165",
        GroupState::Reconciling,
        vec![
            member("0My8-YyUUOmdJCYi6NT0jQ", "A", names("orders-165", &[0, 1, 2, 3])),
            member("6tET22H6khUJ13YtAAMLXQ", "B", Vec::new()),
        ],
    );
    cluster.group.members[0].target = names("orders-165", &[1, 0]);
    cluster.group.members[1].target = names("orders-165", &[2, 3]);
    let cluster = of_consumer_protocol(cluster, &[2, 3]);
    check(
        &cluster,
        "--members --verbose",
        &[
            "",
            "Warning: Consumer group 'group-165' is rebalancing.",
            "",
            "GROUP           CONSUMER-ID            HOST            CLIENT-ID       #PARTITIONS     CURRENT-EPOCH   CURRENT-ASSIGNMENT   TARGET-EPOCH    TARGET-ASSIGNMENT   ",
            "group-165       0My8-YyUUOmdJCYi6NT0jQ /127.0.0.1      A               4               2               orders-165:0,1,2,3   3               orders-165:0,1      ",
            "group-165       6tET22H6khUJ13YtAAMLXQ /127.0.0.1      B               0               3               -                    3               orders-165:2,3      ",
            "",
        ],
    );
}

#[test]
fn members_of_both_protocols_bring_a_column() {
    let mut cluster = of_consumer_protocol(active(), &[2, 2]);
    cluster.group.members[1].is_classic = true;
    cluster.group.assignment_epoch = 2;
    check(
        &cluster,
        "--members --verbose",
        &[
            "",
            "GROUP           CONSUMER-ID                            HOST            CLIENT-ID       #PARTITIONS     CURRENT-EPOCH   CURRENT-ASSIGNMENT   TARGET-EPOCH    TARGET-ASSIGNMENT    UPGRADED",
            "group-154       B-00000000-0000-0000-0000-000000000004 /127.0.0.1      B               1               2               orders-154:2         2               orders-154:2         true",
            "group-154       A-00000000-0000-0000-0000-000000000003 /127.0.0.1      A               2               2               orders-154:0,1       2               orders-154:0,1       false",
            "",
        ],
    );
}

#[test]
fn an_unknown_group_ends_the_tool() {
    let error = describe::described(&Snapshot::default(), vec!["nope".to_string()]).expect_err("there is none");
    let Stop::Failed(exception) = error else { panic!("{error:?} is no exception") };
    let text = "org.apache.kafka.common.errors.GroupIdNotFoundException: Group nope not found.";
    let trace = format!("java.util.concurrent.ExecutionException: {text}\nCaused by: {text}\n");
    assert_eq!((exception.text(), exception.trace()), (text, trace));
}

/// Runs a line against a broker without groups: status, and all that is printed up to a list of options.
fn check_line(line: &str, exit: i32, expected: &str) {
    let mut timeline = Timeline::new(Scenario::empty(1), ()).expect("an empty scenario is good");
    timeline.advance_to(engine::Time::ZERO);
    let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
    let words = [vec!["--bootstrap-server".to_string(), "b".to_string()], words].concat();
    let printed = run(&mut timeline, &words, &Input::default());
    let text = printed.text();
    let text = text.split("Option                     ").next().unwrap_or_default();
    assert_eq!((printed.exit, text), (exit, expected), "{line}");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    for (line, expected) in [
        (
            "--describe --group g --members --state",
            "Option [describe] takes at most one of these options: [members], [offsets], [state]",
        ),
        (
            "--describe --group g --members --offsets",
            "Option [describe] takes at most one of these options: [members], [offsets], [state]",
        ),
        ("--describe --group g --state stable", "Option [describe] does not take a value for [state]"),
        ("--list --group g", "Option \"[group]\" can't be used with option \"[list]\""),
        ("--delete --all-groups --group g", "Option \"[group]\" can't be used with option \"[all-groups]\""),
        ("--list --describe", "Option [describe] takes one of these options: [group], [all-groups]"),
        (
            "--reset-offsets --group g --topic t --to-earliest --execute --dry-run",
            "Option [reset-offsets] only accepts one of [execute] and [dry-run]",
        ),
        (
            "--reset-offsets --group g --topic t --to-earliest --to-latest --dry-run",
            "Option \"[to-earliest]\" can't be used with option \"[to-latest]\"",
        ),
        (
            "--reset-offsets --group g --to-earliest --dry-run",
            "One of the reset scopes should be defined: --all-topics, --topic.",
        ),
        (
            "--reset-offsets --group g --all-topics --dry-run",
            "Option '[reset-offsets]' requires one of the following scenarios: [[shift-by], [to-offset], [to-earliest], [to-current], [to-latest], [by-duration], [to-datetime], [from-file]]",
        ),
        ("--list --type bogus", "Invalid types list 'bogus'. Valid types are: Consumer, Classic"),
        (
            "--list --state bogus",
            "Invalid state list 'bogus'. Valid states are: Assigning, Empty, Dead, Stable, Reconciling, PreparingRebalance, CompletingRebalance",
        ),
        (
            "--timeout 5",
            "Command must include exactly one action: --list, --describe, --delete, --reset-offsets, --delete-offsets, --validate-regex",
        ),
        ("--delete-offsets --group g", "Option [delete-offsets] takes the following options: [topic], [group]"),
    ] {
        check_line(line, 1, &format!("{expected}\n"));
    }
    let main = "Exception in thread \"main\" joptsimple";
    check_line("--list --bogus", 1, &format!("{main}.UnrecognizedOptionException: bogus is not a recognized option\n"));
    check_line(
        "--describe --group",
        1,
        &format!("{main}.OptionMissingRequiredArgumentException: Option group requires an argument\n"),
    );
    check_line(
        "--delete --group g --members",
        1,
        &format!(
            "{main}.UnavailableOptionException: Option(s) [members] are unavailable given other options on the command line\n"
        ),
    );
}

#[test]
fn a_cluster_without_groups_has_little_to_tell() {
    check_line("--list", 0, "");
    check_line("--list --state", 0, "GROUP                     STATE               \n");
    check_line(
        "--list --type --state stable",
        0,
        "GROUP                     TYPE                 STATE               \n",
    );
    check_line("--describe --all-groups", 0, "");
    let header = "\nGROUP           TOPIC           PARTITION  NEW-OFFSET\n";
    check_line("--reset-offsets --group nope --all-topics --to-earliest --dry-run", 0, header);
    let unknown = "This server does not host this topic-partition.";
    let failed = "\nError: Executing consumer group command failed due to";
    let class = "org.apache.kafka.common.errors.UnknownTopicOrPartitionException";
    for scenario in ["--to-earliest", "--by-duration 1h", "--to-datetime yesterday"] {
        let line = format!("--reset-offsets --group g --topic t {scenario} --dry-run");
        check_line(&line, 0, &format!("{failed} {unknown}\n{class}: {unknown}\n"));
    }
    check_line(
        "--reset-offsets --group g --topic t --shift-by x --dry-run",
        0,
        &format!(
            "{failed} Cannot parse argument 'x' of option shift-by\njoptsimple.OptionArgumentConversionException: Cannot parse argument 'x' of option shift-by\nCaused by: joptsimple.internal.ReflectionException: java.lang.NumberFormatException: For input string: \"x\"\nCaused by: java.lang.NumberFormatException: For input string: \"x\"\n"
        ),
    );
    check_line("--validate-regex foo.*", 0, "The regular expression `foo.*` is valid.\n");
    check_line("--validate-regex (foo", 0, "The regular expression `(foo` is invalid: missing closing ).\n");
    let group = format!("{failed} org.apache.kafka.common.errors.GroupIdNotFoundException: Group nope not found.\n");
    let trace = "java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.GroupIdNotFoundException: Group nope not found.\nCaused by: org.apache.kafka.common.errors.GroupIdNotFoundException: Group nope not found.\n";
    check_line("--describe --group nope --members", 0, &format!("{group}{trace}"));
}
