//! The recorded assignments: what the runner says of a line that is changed, and the order inside the lists.
//!
//! That every recorded line passes is a test of `conformance.rs`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tests::conform::{self, Verdict};

fn recording(kind: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/assignors");
    fs::read_to_string(folder.join(format!("{kind}.jsonl"))).expect("a recording")
}

/// The first recorded line of a kind for which `is_it` holds.
fn line(kind: &str, is_it: impl Fn(&Value) -> bool) -> Value {
    let text = recording(kind);
    let mut lines = text.lines().map(|line| serde_json::from_str(line).expect("a recording is JSON"));
    lines.find(is_it).unwrap_or_else(|| panic!("{kind} has such a line"))
}

/// What the runner says of one line.
fn verdict(name: &str, line: &Value) -> Verdict {
    let path = scratch(name);
    fs::write(&path, line.to_string()).expect("a file for one test");
    let report = conform::run(std::slice::from_ref(&path));
    fs::remove_file(path).ok();
    assert_eq!(report.cases().len(), 1);
    report.cases()[0].verdict.clone()
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("assignors-{name}.jsonl"))
}

#[track_caller]
fn check(name: &str, mut line: Value, change: impl FnOnce(&mut Value), difference: &str) {
    assert_eq!(verdict(name, &line), Verdict::Passed, "before the change");
    change(&mut line);
    assert_eq!(verdict(name, &line), Verdict::Failed(difference.into()));
}

#[test]
fn client_lists_have_the_order_of_javas() {
    for kind in ["client-range", "client-roundrobin", "client-sticky", "client-cooperative-sticky"] {
        assert_eq!(conform::other_orders(&recording(kind)), Ok(vec![]), "{kind}");
    }
}

#[test]
fn another_order_would_be_told() {
    let mut line = line("client-range", |line| line["id"] == "client-range-2");
    let own = "m1-1b09423e-1146-3d8b-b98c-a6a67385c3da";
    line["assignment"][own].as_array_mut().expect("a list").reverse();
    assert_eq!(verdict("order", &line), Verdict::Passed, "sets are compared");
    assert_eq!(conform::other_orders(&line.to_string()).map(|others| others.len()), Ok(1));
}

#[test]
fn a_changed_assignment_is_reported_with_the_first_difference() {
    let two = json!({"id":"client-roundrobin-1","topics":{"t":3},"members":[{"id":"a","topics":["t"]},{"id":"b","topics":["t"]}],
        "assignment":{"a":["t-0","t-2"],"b":["t-1"]}});
    check(
        "moved",
        two.clone(),
        |line| line["assignment"] = json!({"a":["t-0"],"b":["t-1","t-2"]}),
        "assignment of a: expected [t-0], got [t-0 t-2]",
    );
    check(
        "stranger",
        two.clone(),
        |line| line["assignment"]["c"] = json!([]),
        "assignment of c: there is no such member",
    );
    check(
        "missing",
        two,
        |line| line["assignment"] = json!({"b":["t-1"]}),
        "assignment of a: expected [], got [t-0 t-2]",
    );
    let server = line("server-uniform", |line| line["id"] == "server-uniform-2");
    check(
        "server",
        server,
        |line| line["assignment"]["m1"]["t1"] = json!([0, 2]),
        "assignment of m1: expected [t1-0 t1-2], got [t1-0 t1-1 t1-2]",
    );
}

#[test]
fn a_changed_error_is_reported() {
    let error = line("client-sticky", |line| line["id"] == "client-sticky-0");
    check(
        "error",
        error.clone(),
        |line| line["error"] = json!("java.lang.ArithmeticException: by zero"),
        "error: expected \"java.lang.ArithmeticException: by zero\", got \"java.lang.ArithmeticException: / by zero\"",
    );
    let assignment = |line: &mut Value| {
        line["assignment"] = json!({});
        line.as_object_mut().expect("an object").remove("error");
    };
    let expected = "expected an assignment, got the error \"java.lang.ArithmeticException: / by zero\"";
    check("no-error", error.clone(), assignment, expected);
    let both = |line: &mut Value| line["assignment"] = json!({});
    check("both", error, both, "a line has either an assignment or an error");
}

#[test]
fn unknown_fields_and_kinds_are_failures() {
    let simple = line("client-range", |line| line["id"] == "client-range-2");
    let field = |line: &mut Value| line["weather"] = json!("fair");
    let Verdict::Failed(reason) = ({
        let mut line = simple.clone();
        field(&mut line);
        verdict("field", &line)
    }) else {
        panic!("an unknown field passes");
    };
    assert!(reason.starts_with("the line cannot be read: unknown field `weather`"), "{reason}");
    let kind = |line: &mut Value| line["id"] = json!("client-random-2");
    check("kind", simple, kind, "unknown family \"client-random\"");
    let server =
        line("server-range", |line| line["subscription_type"] == "homogeneous" && line["members"][0].is_object());
    let mixed = |line: &mut Value| line["subscription_type"] = json!("heterogeneous");
    check("type", server, mixed, "subscription_type is \"heterogeneous\", and the members' topics make it homogeneous");
}

#[test]
fn a_claim_to_a_partition_that_is_gone_is_left_out_with_its_reason() {
    let gone = line("client-sticky", |line| line["owned_gone"] == true);
    let reason = "no difference; not counted: a member owns a partition that no longer exists";
    assert_eq!(verdict("gone", &gone), Verdict::LeftOut(reason.into()));
}
