//! When a record counts: appended, replicated, visible.
//!
//! Who may be in the in-sync set is tested in `in_sync.rs`.

use engine::Status;

use crate::run::Run;

const CLIENTS: &str = r#"
[[topic]]
name = "p"
assignment = [[1, 2, 3]]
[[producer]]
name = "all"
configs = { "linger.ms" = "0" }
[[producer]]
name = "one"
configs = { acks = "1", "linger.ms" = "0" }
[[consumer]]
name = "reader"
assign = ["p"]
"#;

#[test]
fn a_record_counts_once_every_in_sync_follower_has_asked_for_what_comes_after_it() {
    let mut run = Run::new(CLIENTS);
    run.broker("hold_fetches", 2);
    run.broker("hold_fetches", 3);
    let sent = run.send("all");
    assert_eq!(sent.status, Status::Pending);
    assert_eq!(run.offsets(), [(1, 0), (0, 0), (0, 0)], "append");
    run.broker("fetch_once", 2);
    run.broker("fetch_once", 3);
    assert_eq!(run.offsets(), [(1, 0), (1, 0), (1, 0)], "both fetch(0)");
    run.broker("fetch_once", 2);
    assert_eq!(run.offsets(), [(1, 0), (1, 0), (1, 0)], "2 fetch(1)");
    assert_eq!(run.0.outcome(sent.command), None, "acks=all is not answered");
    assert_eq!(run.0.snapshot(0).consumers[0].read_count, 0);
    run.broker("fetch_once", 3);
    assert_eq!(run.offsets(), [(1, 1), (1, 0), (1, 1)], "3 fetch(1)");
    assert_eq!(run.0.outcome(sent.command).unwrap().record.unwrap().offset, Some(0), "acks=all is answered");
    assert_eq!(run.0.snapshot(0).consumers[0].read_count, 1);
    run.broker("fetch_once", 2);
    assert_eq!(run.offsets(), [(1, 1), (1, 1), (1, 1)], "2 next fetch");
    assert_eq!(run.send("one").record.unwrap().offset, Some(1), "acks=1 is answered at once");
    assert_eq!(run.offsets()[0], (2, 1), "and not visible");
    run.broker("release_fetches", 2);
    run.broker("release_fetches", 3);
    run.until(600);
    assert_eq!(run.offsets(), [(2, 2); 3]);
}

#[test]
fn a_follower_learns_the_high_watermark_within_half_a_second() {
    let mut run = Run::new(CLIENTS);
    run.until(120);
    run.send("all");
    let offsets = run.offsets();
    assert_eq!((offsets[0], offsets[1].0, offsets[2].0), ((1, 1), 1, 1), "stored everywhere in no time");
    run.until(620);
    assert_eq!(run.offsets(), [(1, 1); 3]);
}

#[test]
fn an_idle_cluster_has_nothing_to_do() {
    let mut run = Run::new("[[topic]]\nname = \"p\"\npartitions = 12\nreplication_factor = 3");
    // New leaders look once after their followers.
    run.until(15_000);
    let before = run.0.moment().sequence;
    run.until(8 * 86_400_000);
    assert_eq!(run.0.moment().sequence, before);
}

#[test]
fn the_high_watermark_in_the_checkpoint_follows_every_five_seconds() {
    let mut run = Run::new(CLIENTS);
    run.send("all");
    run.until(4_999);
    assert_eq!(run.replica(1).checkpointed_high_watermark, 0);
    run.until(5_000);
    assert_eq!(run.replica(1).checkpointed_high_watermark, 1);
}

#[test]
fn an_acknowledgment_that_does_not_come_in_time_is_an_error() {
    let mut run = Run::new(&CLIENTS.replace(r#"{ "linger.ms""#, r#"{ retries = "0", "linger.ms""#));
    run.broker("hold_fetches", 3);
    let sent = run.send("all");
    run.until(30_005);
    assert_eq!(run.error(&sent), "", "neither the broker nor the client has given up");
    run.until(30_010);
    assert!(run.error(&sent).starts_with("REQUEST_TIMED_OUT"), "{}", run.error(&sent));
}
