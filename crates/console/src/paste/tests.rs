//! Pasted texts: samples of several versions, broken lines, and a thousand mutations.
//!
//! The samples are of Kafka's own layout, typed for these tests.

use super::{Kind, Pasted, describe, groups, kind, properties, read, reassignment};

/// 4.x: ids, settings, eligible leaders, a broker down.
const DESCRIBE_4: &str = "Topic: d1\tTopicId: wmyzg8tZRB2NWMlDCjHHAQ\tPartitionCount: 3\tReplicationFactor: 3\tConfigs: min.insync.replicas=2,cleanup.policy=compact,delete\n\
    \tTopic: d1\tPartition: 0\tLeader: 1\tReplicas: 3,1,2\tIsr: 1,2\tElr: \tLastKnownElr: \n\
    \tTopic: d1\tPartition: 1\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\tElr: \tLastKnownElr: \n\
    \tTopic: d1\tPartition: 2\tLeader: none\tReplicas: 2,3,1\tIsr: \tElr: 2\tLastKnownElr: 2\n";

/// 3.x: no eligible leaders.
const DESCRIBE_3: &str = "Topic: orders\tTopicId: wmyzg8tZRB2NWMlDCjHHAQ\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: segment.bytes=1073741824\n\
    \tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n\
    \tTopic: orders\tPartition: 1\tLeader: 2\tReplicas: 2,1\tIsr: 2,1\n";

/// Tabs that became blanks, two topics, no ids.
const COLLAPSED: &str = "Topic: a PartitionCount: 1 ReplicationFactor: 1 Configs:\n\
      Topic: a Partition: 0 Leader: 7 Replicas: 7 Isr: 7\n\
    Topic: b PartitionCount: 1 ReplicationFactor: 2 Configs: retention.ms=86400000\n\
      Topic: b Partition: 0 Leader: 8 Replicas: 8,7 Isr: 8,7 Adding Replicas: 8 Removing Replicas: 7 Elr: N/A LastKnownElr: N/A\n";

const PLAN: &str = "Current partition replica assignment\n\n\
    {\"version\":1,\"partitions\":[{\"topic\":\"t\",\"partition\":0,\"replicas\":[1,2],\"log_dirs\":[\"any\",\"any\"]}]}\n\n\
    Proposed partition reassignment configuration\n\
    {\"version\":1,\"partitions\":[{\"topic\":\"t\",\"partition\":1,\"replicas\":[3,4]},{\"topic\":\"t\",\"partition\":0,\"replicas\":[4,3]}]}\n";

const PROPERTIES: &str =
    "# a broker\nprocess.roles=broker,controller\nnode.id=4\nnum.partitions = 6\nmin.insync.replicas: 2\n";

/// A classic group: offsets of two members, and one partition that nobody reads.
const OFFSETS: &str = "
GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID                            HOST            CLIENT-ID
group-154       orders-154      0          5               9               4               A-00000000-0000-0000-0000-000000000003 /127.0.0.1      A
group-154       orders-154      1          -               2000007         -               B-00000000-0000-0000-0000-000000000004 /127.0.0.1      B
group-154       payments        2          2000000         2000007         7               -                                      -               -
";

/// A group of the consumer protocol, with its notice, its members and its state.
const MEMBERS: &str = "
Warning: Consumer group 'g' is rebalancing.

GROUP           CONSUMER-ID            GROUP-INSTANCE-ID HOST            CLIENT-ID       #PARTITIONS     CURRENT-EPOCH   CURRENT-ASSIGNMENT   TARGET-EPOCH    TARGET-ASSIGNMENT   
g               0My8-YyUUOmdJCYi6NT0jQ worker-1          /127.0.0.1      A               2               2               orders:0,1;pay:0     3               orders:0            
g               6tET22H6khUJ13YtAAMLXQ                   /127.0.0.1      A               0               3               -                    3               orders:1            

GROUP           COORDINATOR (ID)          ASSIGNMENT-STRATEGY  STATE                #MEMBERS
g               broker:9092  (4)          range                Stable               2
";

/// Topics with their replicas, in one text.
fn topics(pasted: &Pasted) -> String {
    let topics =
        pasted.topics.iter().map(|topic| format!("{} {:?}", topic.name, topic.assignment.clone().unwrap_or_default()));
    topics.collect::<Vec<_>>().join("; ")
}

fn check(pasted: &Pasted, expected: &str, notes: &[&str], unread: &[(usize, &str)]) {
    assert_eq!(topics(pasted), expected);
    assert_eq!(pasted.notes, notes);
    let found: Vec<(usize, &str)> = pasted.unread.iter().map(|line| (line.number, line.expected.as_str())).collect();
    assert_eq!(found, unread);
}

#[test]
fn every_layout_of_describe_is_read() {
    let pasted = describe(DESCRIBE_4);
    check(
        &pasted,
        "d1 [[3, 1, 2], [1, 2, 3], [2, 3, 1]]",
        &[
            "d1-0 is led by 1, not by its preferred replica 3.",
            "d1-0 is under-replicated: 3 is not in sync.",
            "d1-2 has no leader.",
            "d1-2 is under-replicated: 2,3,1 is not in sync.",
        ],
        &[],
    );
    assert_eq!(pasted.topics[0].configs["cleanup.policy"], "compact,delete");
    assert_eq!(pasted.brokers, [1, 2, 3].into());
    check(&describe(DESCRIBE_3), "orders [[1, 2], [2, 1]]", &[], &[]);
    check(
        &describe(COLLAPSED),
        "a [[7]]; b [[8]]",
        &["b-0 is being reassigned; it is taken as it will be afterwards."],
        &[],
    );
}

#[test]
fn lines_that_cannot_be_read_are_told_and_nothing_else_is_lost() {
    let text = format!(
        "$ kafka-topics.sh --describe\n{DESCRIBE_3}\tTopic: orders\tPartition: x\tLeader: 1\tReplicas: 1\tIsr: 1\n\
         \tTopic: orders\tPartition: 4\tLeader: 1\tReplicas: 1,b\tIsr: 1\n\
         Topic: z\tPartitionCount: many\tConfigs: nope=1\n"
    );
    check(
        &describe(&text),
        "orders [[1, 2], [2, 1]]; z []",
        &["The text has no partitions of z, so its replicas are placed anew."],
        &[
            (1, "A line begins with \"Topic:\" and the name of a topic."),
            (5, "\"Partition:\" is followed by a number."),
            (6, "\"Replicas:\" is followed by broker ids with commas between them."),
            (7, "PartitionCount: is followed by a number."),
            (7, "A topic setting of Kafka 4.3: Unknown topic config name: nope."),
        ],
    );
}

#[test]
fn partitions_that_are_missing_are_filled_and_told() {
    let text = "Topic: t Partition: 2 Leader: 1 Replicas: 1,2 Isr: 1,2\nTopic: t Partition: 4 Leader: 2 Replicas: 2,1 Isr: 2,1\n";
    check(
        &describe(text),
        "t [[1, 2], [1, 2], [1, 2], [1, 2], [2, 1]]",
        &["Partitions 0, 1, 3 of t are not in the text; they get the replicas of the partition before them."],
        &[],
    );
}

#[test]
fn the_last_plan_of_a_text_is_read() {
    check(&reassignment(PLAN), "t [[4, 3], [3, 4]]", &["The text holds 2 plans; the last one is taken."], &[]);
    let broken = "{\"version\":1,\n\"partitions\":[{\"topic\":\"t\",\"partition\":0,\"replicas\":[1,]}]}";
    let pasted = reassignment(broken);
    assert_eq!((pasted.unread.len(), pasted.unread[0].number), (1, 2));
    let strange = "{\"partitions\":[{\"topic\":\"t\",\"partition\":-1,\"replicas\":[1]},{\"topic\":\"t\",\"partition\":0,\"replicas\":[2]}]}";
    check(
        &reassignment(strange),
        "t [[2]]",
        &[],
        &[(1, "An entry has a \"topic\", the number of a \"partition\" and a list of \"replicas\".")],
    );
}

#[test]
fn a_properties_file_gives_settings() {
    let pasted = properties(PROPERTIES);
    assert_eq!(pasted.brokers, [4].into());
    let configs: Vec<String> = pasted.configs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(configs, ["min.insync.replicas=2", "num.partitions=6"]);
    assert_eq!(pasted.notes, ["Hosts and directories are not simulated, so process.roles has no effect."]);
    let pasted = properties("retention.ms=5\nnope=1\nword\n");
    assert_eq!(pasted.topics[0].configs["retention.ms"], "5");
    assert_eq!(pasted.unread.iter().map(|line| line.number).collect::<Vec<_>>(), [2, 3]);
}

/// Topics with records by partition, members with their settings, and what is committed.
fn check_groups(text: &str, expected: [&str; 3], notes: &[&str], unread: &[(usize, &str)]) {
    let pasted = groups(text);
    let topics = pasted.topics.iter().map(|topic| {
        let records = topic.preloads.iter().map(|preload| (preload.partition, preload.records.unwrap_or(0)));
        format!("{} {} {:?}", topic.name, topic.partitions.unwrap_or(0), records.collect::<Vec<_>>())
    });
    let members = pasted.consumers.iter().map(|consumer| {
        let configs = consumer.configs.iter().map(|(name, value)| format!("{name}={value}"));
        let id = consumer.member_id.as_deref().unwrap_or("-");
        format!("{} {id} {} {}", consumer.name, consumer.subscribe.join(","), configs.collect::<Vec<_>>().join(","))
    });
    let commits = pasted.script.iter().map(|scripted| format!("{:?}", scripted.command));
    let found = [topics.collect::<Vec<_>>(), members.collect(), commits.collect()].map(|texts| texts.join("; "));
    assert_eq!(found, expected);
    assert_eq!(pasted.notes, notes);
    let found: Vec<(usize, &str)> = pasted.unread.iter().map(|line| (line.number, line.expected.as_str())).collect();
    assert_eq!(found, unread);
}

#[test]
fn groups_are_built_with_their_members_and_offsets() {
    check_groups(
        OFFSETS,
        [
            "orders-154 2 [(0, 9), (1, 1000000)]; payments 3 [(2, 1000000)]",
            "A - orders-154 group.id=group-154; B - orders-154 group.id=group-154",
            "AlterConsumerGroupOffsets { group: \"group-154\", offsets: {\"orders-154-0\": 5, \"payments-2\": 999993} }",
        ],
        &[
            "Offsets of orders-154 are moved down so that no partition has more than 1000000 records; the lag stays.",
            "Offsets of payments are moved down so that no partition has more than 1000000 records; the lag stays.",
        ],
        &[],
    );
    check_groups(
        MEMBERS,
        [
            "orders 2 []; pay 1 []",
            "A 0My8-YyUUOmdJCYi6NT0jQ orders,pay group.id=g,group.instance.id=worker-1,group.protocol=consumer,group.remote.assignor=range; \
             A-2 6tET22H6khUJ13YtAAMLXQ orders,pay group.id=g,group.protocol=consumer,group.remote.assignor=range",
            "",
        ],
        &["g is rebalancing; it is taken as if its members had joined one after the other."],
        &[],
    );
    assert_eq!(groups(MEMBERS).brokers, [4].into());
}

#[test]
fn rows_of_groups_that_cannot_be_read_are_told() {
    check_groups(
        "g t 0\nGROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n\
         g t 0 x 9 - - - -\ng t many 1 9 8 - - -\ng t 0 10 9 0 - - -\ng t! 0 1 9 8 - - -\ng t 0 1\ng t 0 1 9 8 - - -\n",
        ["t 1 [(0, 9)]", "", "AlterConsumerGroupOffsets { group: \"g\", offsets: {\"t-0\": 1} }"],
        &[],
        &[
            (1, "A header line with GROUP, TOPIC and other columns comes before the rows."),
            (3, "CURRENT-OFFSET is a number, or a dash."),
            (4, "PARTITION is a number, or a dash."),
            (5, "CURRENT-OFFSET is not beyond LOG-END-OFFSET."),
            (6, "TOPIC is the name of a topic, or a dash."),
            (7, "A row has as many cells as the header line above it."),
        ],
    );
}

#[test]
fn a_text_is_known_by_its_look() {
    assert_eq!(
        [kind(DESCRIBE_4), kind(COLLAPSED), kind(PLAN), kind(PROPERTIES), kind(OFFSETS), kind(MEMBERS)],
        [Kind::Describe, Kind::Describe, Kind::Reassignment, Kind::Properties, Kind::Groups, Kind::Groups]
    );
}

#[test]
fn what_was_read_makes_a_good_scenario() {
    for text in [DESCRIBE_4, DESCRIBE_3, COLLAPSED, PLAN, PROPERTIES, OFFSETS, MEMBERS] {
        let scenario = read(text).scenario("pasted");
        assert!(engine::Simulation::new(&scenario).is_ok(), "{text}");
    }
}

#[test]
fn a_thousand_mutations_are_read_without_panic() {
    let samples = [DESCRIBE_4, DESCRIBE_3, COLLAPSED, PLAN, PROPERTIES, OFFSETS, MEMBERS];
    let mut random = engine::rng::Stream::new(7, "paste", "mutations");
    for round in 0..1_000 {
        let mut bytes = samples[round % samples.len()].as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"\t\n:,={}[]\"0-"[random.below(12) as usize]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let pasted = [read(&text), describe(&text), groups(&text), reassignment(&text), properties(&text)];
        assert!(pasted.iter().all(|pasted| pasted.unread.len() <= text.lines().count() * 8 + 8), "{text}");
    }
}
