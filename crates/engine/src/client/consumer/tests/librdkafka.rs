//! A member of librdkafka on the same stand: what its application sees otherwise than Java's.
//!
//! Deliberately not here: who gets what, which is the assignors' business.

use super::*;

const LIBRARY: &str = "client = \"librdkafka\"";

/// Runs a member for ten seconds and compares what its application saw.
fn check(assignments: &[&[u32]], heartbeats: &[&'static str], expected: &[&str]) -> Stand<Member> {
    let mut stand = member(LIBRARY);
    let mut coordinator = Coordinator::new(assignments);
    coordinator.heartbeats = heartbeats.iter().copied().collect();
    stand.run(10_000, |asked| coordinator.answer(&asked));
    assert_eq!(told(&stand), expected);
    assert!(stand.ahead() < 6, "it does not spin");
    stand
}

fn refused(stand: &mut Stand<Member>, command: u64) -> String {
    call(stand, command, ConsumerCall::CommitSync(None));
    stand.outcome(command).and_then(|outcome| outcome.error).map_or_else(String::new, |error| error.to_string())
}

#[test]
fn callbacks_come_as_recorded() {
    check(&[&[0, 1], &[1]], &["REBALANCE_IN_PROGRESS"], &["assigned 0+1 @1", "revoked 0+1 @1", "assigned 1 @2"]);
    // Whoever has nothing gives up nothing, and is told so.
    check(&[&[], &[1]], &["REBALANCE_IN_PROGRESS"], &["assigned  @1", "revoked  @1", "assigned 1 @2"]);
    check(&[&[0, 1], &[0]], &["UNKNOWN_MEMBER_ID"], &["assigned 0+1 @1", "lost 0+1 @1", "assigned 0 @2"]);
}

#[test]
fn a_fenced_member_tells_once_and_does_nothing_any_more() {
    let text = "Broker: Static consumer fenced by other consumer with same group.instance.id";
    let failed = format!("poll _FATAL: Fatal error: {text}: Fatal consumer error: {text}");
    let mut stand = check(&[&[0]], &["FENCED_INSTANCE_ID"], &["assigned 0 @1", &failed]);
    assert_eq!(refused(&mut stand, 5), "_FATAL: Local: Fatal error");
}

#[test]
fn it_joins_without_a_poll_and_only_callbacks_wait() {
    let mut stand = member(LIBRARY);
    stand.act(|member, outbox| member.0.stop_poll(outbox.now()));
    let mut coordinator = Coordinator::new(&[&[0, 1]]);
    let mut joined = 0;
    stand.run(1_000, |asked| {
        joined += u32::from(matches!(asked.payload, Payload::SyncGroup(_)));
        coordinator.answer(&asked)
    });
    assert_eq!((joined, told(&stand).len()), (1, 0));
    stand.act(|member, outbox| member.0.resume_poll(outbox));
    stand.run(2_000, |asked| coordinator.answer(&asked));
    assert_eq!(told(&stand), ["assigned 0+1 @1"]);
    assert_eq!(refused(&mut stand, 5), "_NO_OFFSET: Local: No offset stored");
}

#[test]
fn an_application_that_does_not_poll_hears_of_it_when_it_does() {
    let mut stand = member(LIBRARY);
    let mut coordinator = Coordinator::new(&[&[0, 1], &[1]]);
    stand.run(1_000, |asked| coordinator.answer(&asked));
    stand.act(|member, outbox| member.0.stop_poll(outbox.now()));
    let mut requests = (0, 0);
    stand.run(400_000, |asked| {
        requests.0 += u32::from(matches!(asked.payload, Payload::LeaveGroup(_)));
        requests.1 += u32::from(matches!(asked.payload, Payload::JoinGroup(_)));
        coordinator.answer(&asked)
    });
    assert_eq!((requests, told(&stand).len()), ((1, 0), 1), "it leaves, and joins again when it is polled");
    stand.act(|member, outbox| member.0.resume_poll(outbox));
    stand.run(401_000, |asked| coordinator.answer(&asked));
    let exceeded = "poll _MAX_POLL_EXCEEDED: Application maximum poll interval (300000ms) exceeded by 500ms";
    assert_eq!(told(&stand), ["assigned 0+1 @1", exceeded, "lost 0+1 @1", "assigned 1 @2"]);
}

#[test]
fn a_group_that_does_not_take_it_is_asked_again_and_again() {
    let mut stand = member(LIBRARY);
    let mut coordinator = Coordinator::new(&[]);
    stand.run(5_000, |asked| match asked.payload {
        Payload::JoinGroup(_) => Reply::Answer(Payload::JoinGroupAnswer(JoinGroupAnswer {
            request: asked.request,
            member: "".into(),
            result: Err(error("INCONSISTENT_GROUP_PROTOCOL")),
        })),
        _ => coordinator.answer(&asked),
    });
    let told = told(&stand);
    let text = "poll INCONSISTENT_GROUP_PROTOCOL: JoinGroup failed: Broker: Inconsistent group protocol";
    assert_eq!(told, [text; 3], "every two seconds");
}

#[test]
fn a_topic_that_does_not_exist_is_told_and_nobody_joins_for_it() {
    let mut stand = member_of("x", LIBRARY);
    let mut coordinator = Coordinator::new(&[&[0]]);
    let mut joins = 0;
    stand.run(10_000, |asked| {
        joins += u32::from(matches!(asked.payload, Payload::JoinGroup(_)));
        coordinator.answer(&asked)
    });
    let text = "poll UNKNOWN_TOPIC_OR_PART: Subscribed topic not available: x: Broker: Unknown topic or partition";
    assert_eq!((joins, told(&stand)), (0, vec![text.to_string()]));
    // A topic that begins with ^ is a pattern.
    let mut stand = member_of("^t", LIBRARY);
    stand.run(1_000, |asked| coordinator.answer(&asked));
    assert_eq!(told(&stand), ["assigned 0 @1"]);
}
