//! What of an answer is compared, and how a difference is told with its place.

use serde_json::{Value, json};

use super::run;

fn check(steps: Value, expected: Result<(), &str>) {
    let case = json!({ "brokers": 3, "configs": {}, "steps": steps, "final": {} });
    assert_eq!(run(&case, None), expected.map_err(str::to_owned), "{case}");
}

fn cli(line: &str, exit: i32, stdout: &str, stderr: &str) -> Value {
    let args: Vec<&str> = line.split(' ').collect();
    json!({ "do": "cli", "tool": "kafka-topics.sh", "args": args,
            "saw": { "exit": exit, "stdout": stdout, "stderr": stderr } })
}

#[test]
fn ids_usage_and_chosen_brokers_are_not_compared() {
    check(
        json!([
            cli("--create --topic a --partitions 1 --replication-factor 3", 0, "Created topic a.\n", "\n"),
            cli(
                "--describe --topic a",
                0,
                "Topic: a\tTopicId: <topic-id>\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=1\n\
                 \tTopic: a\tPartition: 0\tLeader: 9\tReplicas: 9,8,7\tIsr: 9,8,7\tElr: \tLastKnownElr: \n",
                "\n"
            ),
            cli("--alter --topic a", 1, "", "Missing required argument \"[partitions]\"\n<usage>\n"),
        ]),
        Ok(()),
    );
}

#[test]
fn the_first_difference_is_told_with_its_place() {
    check(
        json!([{ "do": "note" }, cli("--list --exclude-internal", 0, "__a\n", "\n")]),
        Err("step 1 cli: saw.stdout line 1 expected \"__a\", got \"\""),
    );
    check(json!([{ "do": "freeze" }]), Err("step 0 freeze: the runner does not know this verb yet"));
    check(
        json!([{ "do": "partition_count", "topic": "a", "saw": { "count": 2 } }]),
        Err("step 0 partition_count: saw.count expected 2, got null"),
    );
}
