//! Every recording below `tests/conformance` is replayed and must pass, except for families that are named here,
//! and the runner must tell when one does not.
//!
//! Deliberately not here: the text of differences of other families than partitioners; each brings its own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use tests::conform::{self, Verdict};

#[test]
fn every_recording_passes() {
    let report = conform::run(&required());
    let failed = report.cases().iter().filter_map(|case| match &case.verdict {
        Verdict::Failed(difference) => Some(format!("{}: {difference}", case.id)),
        _ => None,
    });
    let failed: Vec<String> = failed.collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(report.passed() >= 2_554, "{report}");
}

#[test]
fn a_changed_partition_is_reported_with_the_first_difference() {
    check(
        "keyed.json",
        |keyed| keyed["results"]["java/BuiltInPartitioner"]["partitions"][3][5] = json!(4),
        "java/BuiltInPartitioner",
        "partition of key 0x616263 with 12 partitions: expected 4, got 3",
    );
    check(
        "keyed.json",
        |keyed| keyed["results"]["librdkafka/consistent_random"]["partitions"][0] = json!([0, 0, 0, 0, 0, 0, 0]),
        "librdkafka/consistent_random",
        "partition of key 0x with 1 partitions: expected 0, got null",
    );
    check(
        "keyed.json",
        |keyed| keyed["results"]["librdkafka/fnv1a"]["null_key_raw_function"][6] = json!(34),
        "librdkafka/fnv1a",
        "partition of a missing key with 50 partitions: expected 34, got 35",
    );
}

#[test]
fn a_changed_hash_is_reported_with_the_first_difference() {
    check(
        "keyed.json",
        |keyed| keyed["results"]["brod/hash (erlang:phash2)"]["hash_u27"][0] = json!(1),
        "brod/hash (erlang:phash2)",
        "hash_u27 of key 0x: expected 1, got 13708901",
    );
    check(
        "keyed.json",
        |keyed| keyed["results"]["kafkajs2/LegacyPartitioner"]["hash_raw"][0] = json!(275_646_681),
        "kafkajs2/LegacyPartitioner",
        "hash_raw of key 0x: expected 275646681, got 275646684",
    );
    check(
        "keyed.json",
        |keyed| keyed["results"]["java/BuiltInPartitioner"]["java_util_Arrays_hashCode"][0] = json!(0),
        "java/BuiltInPartitioner",
        "java_util_Arrays_hashCode of key 0x: expected 0, got 1",
    );
}

#[test]
fn a_changed_keyless_choice_is_reported_with_its_place() {
    check(
        "keyed.json",
        |keyed| keyed["java_keyless_sequences"]["sticky_bytes"][0]["record_partitions_then_next"][3] = json!(0),
        "java_keyless_sequences/sticky_bytes[0]",
        "record_partitions_then_next[3]: expected 0, got 1",
    );
    check(
        "keyed.json",
        |keyed| keyed["java_keyless_sequences"]["adaptive"][0]["range_end"] = json!(20),
        "java_keyless_sequences/adaptive[0]",
        "range_end: expected 20, got 21",
    );
    check(
        "keyed.json",
        |keyed| keyed["java_keyless_sequences"]["round_robin"][1]["partitions"][0] = json!(0),
        "java_keyless_sequences/round_robin[1]",
        "partitions[0]: expected 0, got 1",
    );
}

#[test]
fn a_changed_vector_is_reported() {
    check(
        "upstream.json",
        |upstream| upstream["vectors"][0]["expected_hash"] = json!(1),
        "vectors[0] Apache Kafka Java Utils.murmur2 (signed int32)",
        "expected_hash: expected 1, got 3504634814",
    );
}

#[test]
fn unknown_names_and_fields_are_failures() {
    check(
        "upstream.json",
        |upstream| upstream["vectors"][0]["client"] = json!("NoSuchLib"),
        "vectors[0] NoSuchLib Utils.murmur2 (signed int32)",
        "unknown client \"NoSuchLib\"",
    );
    check(
        "upstream.json",
        |upstream| upstream["vectors"][0]["partitioner"] = json!("Utils.crc32"),
        "vectors[0] Apache Kafka Java Utils.crc32",
        "unknown partitioner \"Utils.crc32\" of client \"Apache Kafka Java\"",
    );
    check(
        "keyed.json",
        |keyed| keyed["results"]["java/BuiltInPartitioner"]["hash_x"] = json!([]),
        "java/BuiltInPartitioner",
        "unknown field \"hash_x\", found []",
    );
    check(
        "keyed.json",
        |keyed| keyed["java_keyless_sequences"]["sticky_batch"] = json!([]),
        "java_keyless_sequences/sticky_batch",
        "unknown sequence \"sticky_batch\"",
    );
    check(
        "keyed.json",
        |keyed| keyed["results"]["sarama/NewCustomHashPartitioner2"] = json!({ "partitions": [] }),
        "sarama/NewCustomHashPartitioner2",
        "unknown partitioner \"NewCustomHashPartitioner2\" of client \"sarama\"",
    );
}

#[test]
fn broken_and_unknown_files_are_failures() {
    let folder = Scratch::new("broken");
    for (name, text, expected) in [
        ("cut.json", "{\"results\":", "not JSON: EOF while parsing a value at line 1 column 11"),
        ("odd.json", "{\"a\":1}", "unknown kind of file: it has neither family nor results nor vectors"),
        ("new.json", "{\"family\":\"dreams\",\"id\":\"x\"}", "unknown family \"dreams\""),
        ("later.json", "{\"family\":\"share\",\"id\":\"x\",\"steps\":[]}", "topics must be named"),
        ("empty.jsonl", "\n", "the file has no line"),
        ("lines.jsonl", "{\"id\":\"dream-1\"}\n", "unknown family \"dream\""),
        ("cut.jsonl", "{", "not JSON: EOF while parsing an object at line 1 column 1"),
    ] {
        let path = folder.write(name, text);
        assert_eq!(failures(&path), [expected], "{name}");
    }
    assert_eq!(failures(&folder.0.join("none.json")), ["cannot be read: No such file or directory (os error 2)"]);
}

#[test]
fn a_relaxed_case_is_shown_and_counted_neither_way() {
    let folder = Scratch::new("relaxed");
    folder.write("relaxed.json", r#"{"share/x":{"mode":"report","reason":"it flips"}}"#);
    let path = folder.write("x.json", r#"{"family":"share","id":"x","steps":[]}"#);
    let report = conform::run(&[path]);
    let reason = "topics must be named; not counted: it flips";
    assert_eq!(report.cases()[0].verdict, Verdict::LeftOut(reason.into()));
    assert_eq!((report.passed(), report.failed()), (0, 0));
}

#[test]
fn the_program_ends_with_the_count_and_a_status() {
    let folder = Scratch::new("program");
    let bad = folder.write("bad.json", "{}");
    let good = recordings().join("partitioners/upstream.json");
    let (text, success) = program(&[&good]);
    assert_eq!((text.lines().last(), success), (Some("155 passed, 0 failed"), true));
    let (text, success) = program(&[&good, &bad]);
    assert_eq!((text.lines().last(), success), (Some("155 passed, 1 failed"), false));
    assert!(text.contains(&format!("FAIL {}: unknown kind of file", bad.display())), "{text}");
    let (text, success) = program(&[&bad, Path::new("--json")]);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&document["failed"], &document["cases"][0]["verdict"]), (&json!(1), &json!("failed")));
    assert!(!success);
}

/// Changes one recording and expects exactly one failing case with this id and difference.
#[track_caller]
fn check(file: &str, change: impl FnOnce(&mut Value), id: &str, difference: &str) {
    let text = fs::read_to_string(recordings().join("partitioners").join(file)).expect("a recording");
    let mut document: Value = serde_json::from_str(&text).expect("a recording is JSON");
    change(&mut document);
    let folder = Scratch::new(&format!("changed-{:x}", fingerprint(id, difference)));
    let path = folder.write(file, &document.to_string());
    let report = conform::run(&[path]);
    let failed = report.cases().iter().filter_map(|case| match &case.verdict {
        Verdict::Failed(difference) => Some((case.id.as_str(), difference.as_str())),
        _ => None,
    });
    assert_eq!(failed.collect::<Vec<_>>(), [(id, difference)]);
}

fn failures(path: &Path) -> Vec<String> {
    let report = conform::run(&[path.to_path_buf()]);
    let difference = |verdict: &Verdict| match verdict {
        Verdict::Failed(difference) => Some(difference.clone()),
        _ => None,
    };
    report.cases().iter().filter_map(|case| difference(&case.verdict)).collect()
}

fn program(arguments: &[&Path]) -> (String, bool) {
    let output = Command::new(env!("CARGO_BIN_EXE_conform")).args(arguments).output().expect("the program starts");
    (String::from_utf8(output.stdout).expect("the program prints text"), output.status.success())
}

/// The folders whose recordings have to pass.
fn required() -> Vec<PathBuf> {
    let entries = fs::read_dir(recordings()).expect("the folder is there");
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders
}

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance")
}

fn fingerprint(id: &str, difference: &str) -> u32 {
    partitioner::hash::crc32::crc32(format!("{id}\n{difference}").as_bytes())
}

/// A folder of its own for one test, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("conformance-{name}"));
        fs::create_dir_all(&folder).expect("a folder for one test");
        Self(folder)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a file for one test");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}
