//! What the runner takes for a difference.

use serde_json::{Value, json};

fn check(steps: &Value, reason: &str) {
    let case = json!({ "group": "g", "configs": {}, "topics": { "jobs": 1 }, "steps": steps });
    assert_eq!(super::run(&case, None).err().as_deref().unwrap_or("passed"), reason);
}

fn join() -> Value {
    json!({ "at_ms": 0, "do": "join", "member": "A", "configs": { "share.acknowledgement.mode": "explicit" } })
}

#[test]
fn what_nobody_knows_is_a_failure() {
    check(&json!([{ "at_ms": 0, "do": "wait", "s": 5 }]), "step 0 wait: unknown field \"s\"");
    check(&json!([{ "at_ms": 0, "do": "dream" }]), "step 0 dream: unknown verb");
    check(&json!([{ "at_ms": 0, "do": "wait", "ms": 5 }]), "passed");
}

#[test]
fn what_is_delivered_has_to_be_what_was_recorded() {
    let poll =
        |records: Value| json!({ "at_ms": 0, "do": "poll", "member": "A", "timeout_ms": 1000, "records": records });
    let produce = || json!({ "at_ms": 0, "do": "produce", "partition": "jobs-0", "count": 2 });
    // The group begins at the end of the log: a first poll has it join and open the partition.
    let before =
        || [join(), json!({ "at_ms": 0, "do": "poll", "member": "A", "timeout_ms": 8000, "records": [] }), produce()];
    let with = |last: Value| Value::from(before().into_iter().chain([last]).collect::<Vec<_>>());
    check(&with(poll(json!([["jobs-0", 0, 1], ["jobs-0", 1, 1]]))), "passed");
    check(
        &with(poll(json!([["jobs-0", 0, 2], ["jobs-0", 1, 1]]))),
        "step 3 poll: records of jobs-0 expected [(0, 2), (1, 1)], got [(0, 1), (1, 1)]",
    );
    let rest = [poll(json!([["jobs-0", 0, 1]])), poll(json!([["jobs-0", 1, 1]]))];
    check(&Value::from(before().into_iter().chain(rest).collect::<Vec<_>>()), "passed");
    check(&with(poll(json!([]))), "step 3 poll: expected no records, got [(\"jobs-0\", 0, 1), (\"jobs-0\", 1, 1)]");
}

#[test]
fn a_result_that_differs_is_told() {
    let said = |result: Value| {
        let mut step = json!({ "at_ms": 0, "do": "acknowledge", "member": "A", "type": "ACCEPT", "partition": "jobs-0", "offset": 7 });
        step.as_object_mut().unwrap().extend(result.as_object().unwrap().clone());
        json!([join(), step])
    };
    let error = "java.lang.IllegalStateException";
    let message = "The record cannot be acknowledged.";
    check(&said(json!({ "error": error, "message": message })), "passed");
    check(
        &said(json!({ "result": "ok" })),
        &format!("step 1 acknowledge: result expected \"ok\", got \"{error}: {message}\""),
    );
}
