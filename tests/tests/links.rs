//! Links of version 1 are read forever, what is shared comes back, and no damage makes the reader panic.
//!
//! `tests/links/*.txt` are links as they were made once. They are never made again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use course::link::{LinkScenario, Shared, decode, encode, unknown_scenario};
use course::{LinkError, Settings};
use engine::timeline::TimedCommand;
use engine::{Command, Moment, Scenario, Time};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("links")
}

fn settings(entries: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::default();
    for (name, value) in entries {
        settings.set(name, value).expect("a setting");
    }
    settings
}

fn at(millis: u64, sequence: u64) -> Moment {
    Moment { time: Time::from_millis(millis), sequence }
}

fn grow(millis: u64, sequence: u64, partitions: i32) -> TimedCommand {
    let command = Command::CreatePartitions { topic: "events".to_string(), partitions, assignment: None };
    TimedCommand { moment: at(millis, sequence), command: Rc::new(command) }
}

/// What the stored links hold.
fn stored() -> BTreeMap<&'static str, Shared> {
    let by_name = Shared {
        scenario: LinkScenario::Name("grow-the-topic".to_string()),
        lesson: Some("grow-the-topic".to_string()),
        act: Some("to-six".to_string()),
        settings: settings(&[("client", "librdkafka"), ("grow", "6"), ("seed", "7"), ("keys", "user-1..3")]),
        commands: vec![grow(4_000, 12, 6)],
        moment: at(12_400, 96),
    };
    let mut scenario = Scenario::empty(3);
    scenario.seed = 11;
    let in_full = Shared {
        scenario: LinkScenario::Full(Box::new(scenario)),
        lesson: None,
        act: None,
        settings: Settings::default(),
        commands: Vec::new(),
        moment: Moment::default(),
    };
    BTreeMap::from([("by-name", by_name), ("in-full", in_full)])
}

#[test]
fn stored_links_of_version_1_decode_to_what_was_shared() {
    let stored = stored();
    let names: Vec<String> = fs::read_dir(folder())
        .expect("the folder exists")
        .map(|entry| entry.expect("an entry").path().file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert_eq!(names.len(), stored.len(), "{names:?}");
    for (name, shared) in stored {
        let text = fs::read_to_string(folder().join(format!("{name}.txt"))).expect("a stored link");
        assert_eq!(decode(&text), Ok(shared), "{name}");
    }
}

#[test]
fn what_is_shared_comes_back() {
    for (name, shared) in stored() {
        let link = encode(&shared);
        assert!(
            link.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'),
            "{name}: {link}"
        );
        assert!(link.len() < 600, "{name} has {} characters", link.len());
        assert_eq!(decode(&link), Ok(shared), "{name}");
    }
}

#[test]
fn every_scenario_file_fits_into_a_link() {
    let static_scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../static/scenarios");
    let mut count = 0;
    for entry in fs::read_dir(static_scenarios).expect("the folder exists") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a scenario file");
        let scenario = course::scenario_from_text(&text).expect("a valid scenario");
        let shared = Shared {
            scenario: LinkScenario::Full(Box::new(scenario.clone())),
            lesson: None,
            act: None,
            settings: Settings::default(),
            commands: vec![grow(0, 0, 6)],
            moment: at(5_000, 77),
        };
        let link = encode(&shared);
        assert!(link.len() < 2_000, "{} has {} characters", path.display(), link.len());
        assert_eq!(decode(&link), Ok(shared), "{}", path.display());
        assert_eq!(
            course::scenario_from_text(&course::scenario_to_toml(&scenario)),
            Ok(scenario),
            "{}",
            path.display()
        );
        count += 1;
    }
    assert!(count > 10, "only {count} scenarios were found");
}

fn check(link: &str, code: &str, contains: &str) {
    let error = decode(link).expect_err(link);
    assert_eq!(error.code(), code, "{link}: {error}");
    assert!(error.to_string().contains(contains), "{link}: {error}");
}

#[test]
fn a_link_that_cannot_be_read_says_why() {
    let whole = encode(&stored()["by-name"]);
    check("", "link.broken", "too short");
    check("AQ", "link.broken", "too short");
    check("https://example.org/#/s/x", "link.broken", "character 6 is \":\"");
    check("f\u{fc}r", "link.broken", "character 2 is no letter");
    check(&whole[..whole.len() - 8], "link.checksum", "cut off");
    check(&whole[..whole.len() - 3], "link.checksum", "cut off");
    check(&format!("{whole}AAAA"), "link.checksum", "changed");
    check(&whole.repeat(10_000), "link.broken", "longer than");
    let swapped = whole.replacen(&whole[20..21], if &whole[20..21] == "A" { "B" } else { "A" }, 1);
    check(&swapped, "link.checksum", "changed");
    assert_eq!(decode(&format!(" {}\n{} ", &whole[..30], &whole[30..])), decode(&whole), "line ends of a mail program");
}

/// A link made of any version and any content, with a right checksum.
fn sealed(version: u8, content: &[u8]) -> String {
    use base64::Engine as _;
    let mut crc = crc32fast::Hasher::new();
    crc.update(&[version]);
    crc.update(content);
    let bytes = [&[version][..], &crc.finalize().to_be_bytes(), content].concat();
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes)
}

fn deflated(content: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec(content, 9)
}

#[test]
fn a_whole_link_with_wrong_content_says_what_is_wrong() {
    check(&sealed(2, b"whatever comes next"), "link.version", "version 2");
    check(&sealed(0, b""), "link.broken", "no version 0");
    check(&sealed(1, b"not deflated"), "link.broken", "unpacked");
    check(&sealed(1, &deflated(b"not json")), "link.broken", "not what a link holds");
    check(&sealed(1, &deflated(&vec![b' '; 40 << 20])), "link.broken", "too large");
    check(&sealed(1, &deflated(&b"[".repeat(200_000))), "link.broken", "not what a link holds");
    check(
        &sealed(1, &deflated(br#"{"scenario":{"full":{"name":"x","brokers":3}}}"#)),
        "link.scenario",
        "\"brokers\" is not a field",
    );
    check(
        &sealed(1, &deflated(br#"{"scenario":{"name":"x"},"settings":{"cleint":"java"}}"#)),
        "link.scenario",
        "cleint",
    );
    let backwards = br#"{"scenario":{"name":"x"},"commands":[
        {"moment":{"time":2,"sequence":2},"command":{"do":"delete_topic","topic":"a"}},
        {"moment":{"time":1,"sequence":1},"command":{"do":"delete_topic","topic":"a"}}]}"#;
    check(&sealed(1, &deflated(backwards)), "link.broken", "order of their moments");
}

#[test]
fn an_unknown_scenario_is_named_with_the_nearest_one() {
    let error = unknown_scenario("grow-teh-topic", ["key-bytes", "grow-the-topic"]);
    assert_eq!(error.code(), "link.scenario");
    assert!(
        error.to_string().ends_with("there is no scenario \"grow-teh-topic\". Did you mean \"grow-the-topic\"?"),
        "{error}"
    );
    let shared = &stored()["by-name"];
    assert!(matches!(shared.stage(|_| None, ["grow-the-topic"]), Err(LinkError::Scenario { .. })));
}

/// A small generator, so that every run damages in the same way.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

#[test]
fn a_thousand_damaged_links_give_typed_errors() {
    let mut state = 1;
    let links: Vec<String> = stored().values().map(encode).collect();
    for round in 0..1_000 {
        let mut link = links[round % links.len()].clone().into_bytes();
        for _ in 0..=random(&mut state) % 3 {
            let place = random(&mut state) as usize % link.len();
            match random(&mut state) % 4 {
                0 => link[place] = random(&mut state) as u8 & 0x7f,
                1 => link.truncate(place.max(1)),
                2 => link.insert(place, b'A' + (random(&mut state) % 26) as u8),
                _ => drop(link.remove(place)),
            }
            if link.is_empty() {
                link.push(b'A');
            }
        }
        let damaged = String::from_utf8_lossy(&link).into_owned();
        match decode(&damaged) {
            Ok(shared) => assert!(links.iter().any(|whole| decode(whole).as_ref() == Ok(&shared)), "{damaged}"),
            Err(error) => assert!(error.to_string().len() > 20, "{damaged}: {error}"),
        }
    }
}

#[test]
fn a_thousand_damaged_contents_give_typed_errors() {
    let mut state = 2;
    for round in 0..1_000 {
        let shared = &stored()[if round % 2 == 0 { "by-name" } else { "in-full" }];
        let mut json = serde_json::to_vec(shared).expect("plain data");
        for _ in 0..=random(&mut state) % 3 {
            let place = random(&mut state) as usize % json.len();
            json[place] = b" {}[]\",:0123456789abcdefxyz-"[random(&mut state) as usize % 28];
        }
        if let Err(error) = decode(&sealed(1, &deflated(&json))) {
            assert!(["link.broken", "link.scenario"].contains(&error.code()), "{error}");
        }
    }
}
