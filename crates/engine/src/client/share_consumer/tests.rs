//! A share consumer on the stand: the tests play the group's coordinator and the leaders.

use std::rc::Rc;

use super::{ShareCall, ShareConsumer};
use crate::client::stand::{Asked, Client, Reply, Stand, image};
use crate::event::{EventKind, TopicPartition};
use crate::message::{MemberHeartbeat, Payload, ShareFetched};
use crate::outbox::Outbox;
use crate::queue::Timer;
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::share::{AcknowledgeType, DeliveredRecord, ShareEvent};
use crate::time::Duration;

struct Member(ShareConsumer);

impl Client for Member {
    fn wake(&mut self, timer: Timer, outbox: &mut Outbox) {
        self.0.wake(timer, outbox);
    }

    fn receive(&mut self, answer: &Payload, outbox: &mut Outbox) {
        self.0.receive(answer, outbox);
    }

    fn refused(&mut self, broker: u32, outbox: &mut Outbox) {
        self.0.broker_disconnected(broker, outbox);
    }
}

fn partition() -> TopicPartition {
    TopicPartition { topic: "t".into(), partition: 0 }
}

/// A manual member of a group; broker 1 coordinates and leads.
fn member(mode: &str) -> Stand<Member> {
    let text = format!(
        "name = \"s\"\n[[share_consumer]]\nname = \"c\"\nsubscribe = [\"t\"]\nis_manual = true\n\
         configs = {{ \"group.id\" = \"g\", \"share.acknowledgement.mode\" = \"{mode}\" }}\n"
    );
    let scenario: Scenario = toml::from_str(&text).unwrap();
    let plan = Plan::new(&scenario).unwrap().share_consumers.remove(0);
    let mut stand = Stand::new(Member(ShareConsumer::new(0, plan)));
    stand.act(|member, outbox| member.0.wake(Timer::Start, outbox));
    stand
}

/// Brokers that have these records, and what they were asked besides metadata.
#[derive(Default)]
struct Brokers {
    /// The offsets that each fetch finds; the last one finds nothing and waits.
    fetches: Vec<Vec<u64>>,
    asked: Vec<String>,
}

impl Brokers {
    fn reply(&mut self, asked: &Asked) -> Reply {
        let request = asked.request;
        let said = |list: &[(TopicPartition, crate::message::Acknowledgements)]| {
            list.iter()
                .flat_map(|(_, said)| said)
                .map(|(offset, said)| format!(" {offset}{}", &said.name()[..2]))
                .collect()
        };
        let taken = |list: &[(TopicPartition, crate::message::Acknowledgements)]| {
            list.iter().map(|(partition, _)| (partition.clone(), Ok(()))).collect()
        };
        let mut note = |name: &str, epoch: i32, said: String| self.asked.push(format!("{name} {epoch}{said}"));
        Reply::Answer(match asked.payload {
            Payload::Metadata { .. } => Payload::MetadataAnswer { request, image: image(&[(Some(1), 0)]) },
            Payload::FindCoordinator(_) => Payload::FindCoordinatorAnswer { request, result: Ok(1) },
            Payload::ShareGroupHeartbeat(heartbeat) => {
                note("heartbeat", heartbeat.epoch, String::new());
                let (epoch, assignment) = match heartbeat.epoch {
                    -1 => (-1, None),
                    0 => (2, Some(vec![partition()])),
                    epoch => (epoch, None),
                };
                let interval = Duration::from_secs(5);
                let member = Rc::clone(&heartbeat.member);
                let result = Ok(MemberHeartbeat { member, epoch, interval, assignment });
                Payload::ShareGroupHeartbeatAnswer { request, result }
            }
            Payload::ShareFetch(fetch) => {
                note("fetch", fetch.epoch, said(&fetch.acknowledgements));
                if self.fetches.is_empty() {
                    return Reply::Silence;
                }
                let record =
                    |offset| DeliveredRecord { partition: partition(), offset, delivery_count: 1, record: None };
                let records = self.fetches.remove(0).into_iter().map(record).collect();
                let acknowledged = taken(&fetch.acknowledgements);
                let result = Ok(ShareFetched { acknowledged, records: vec![(partition(), Ok(records))] });
                Payload::ShareFetchAnswer { request, result }
            }
            Payload::ShareAcknowledge(asked) => {
                note("acknowledge", asked.epoch, said(&asked.acknowledgements));
                Payload::ShareAcknowledgeAnswer { request, result: Ok(taken(&asked.acknowledgements)) }
            }
            other => panic!("{other:?}"),
        })
    }
}

fn call(stand: &mut Stand<Member>, brokers: &mut Brokers, call: ShareCall, command: u64, until: u64) -> Option<String> {
    stand.act(|member, outbox| member.0.call(call, command, outbox));
    stand.run(until, |asked| brokers.reply(&asked));
    stand.outcome(command).and_then(|outcome| outcome.error).map(|error| error.message)
}

fn poll() -> ShareCall {
    ShareCall::Poll(Duration::from_secs(1))
}

#[test]
fn acknowledgements_leave_with_the_next_fetch() {
    let mut stand = member("implicit");
    let mut brokers = Brokers { fetches: vec![vec![0, 1], vec![2]], ..Brokers::default() };
    stand.run(500, |asked| brokers.reply(&asked));
    assert!(brokers.asked.is_empty(), "it joins with its first poll: {:?}", brokers.asked);
    call(&mut stand, &mut brokers, poll(), 1, 1_000);
    call(&mut stand, &mut brokers, poll(), 2, 2_000);
    assert_eq!(brokers.asked, ["heartbeat 0", "heartbeat 2", "fetch 0", "fetch 1 0AC 1AC"]);
    call(&mut stand, &mut brokers, ShareCall::Close, 3, 3_000);
    // What it has polled last is not accepted, but goes back.
    assert_eq!(brokers.asked[4..], ["acknowledge -1", "heartbeat -1"]);
    assert!(stand.client.0.has_ended());
}

#[test]
fn an_explicit_member_has_to_say_something_of_every_record() {
    let mut stand = member("explicit");
    let mut brokers = Brokers { fetches: vec![vec![0, 1]], ..Brokers::default() };
    call(&mut stand, &mut brokers, poll(), 1, 1_000);
    let say = |offset, said| ShareCall::Acknowledge(partition(), offset, said);
    assert_eq!(call(&mut stand, &mut brokers, say(0, AcknowledgeType::Accept), 2, 1_000), None);
    let all = "All records must be acknowledged in explicit acknowledgement mode.";
    assert_eq!(call(&mut stand, &mut brokers, poll(), 3, 1_000).as_deref(), Some(all));
    assert_eq!(call(&mut stand, &mut brokers, say(1, AcknowledgeType::Accept), 4, 1_000), None);
    assert_eq!(call(&mut stand, &mut brokers, say(1, AcknowledgeType::Reject), 5, 1_000), None, "it thinks again");
    let unknown = "The record cannot be acknowledged.";
    assert_eq!(call(&mut stand, &mut brokers, say(7, AcknowledgeType::Accept), 6, 1_000).as_deref(), Some(unknown));
    assert_eq!(call(&mut stand, &mut brokers, ShareCall::CommitSync, 7, 1_000), None);
    assert_eq!(brokers.asked.last().map(String::as_str), Some("acknowledge 1 0AC 1RE"));
    assert_eq!(call(&mut stand, &mut brokers, say(1, AcknowledgeType::Accept), 8, 1_000).as_deref(), Some(unknown));
}

#[test]
fn heartbeats_keep_the_pace_of_the_coordinator() {
    let mut stand = member("implicit");
    let mut brokers = Brokers::default();
    call(&mut stand, &mut brokers, poll(), 1, 21_000);
    let beats = brokers.asked.iter().filter(|asked| asked.starts_with("heartbeat")).count();
    // One joins, one tells that the assignment was taken, and then one every five seconds.
    assert_eq!(beats, 2 + 4, "{:?}", brokers.asked);
}

#[test]
fn a_session_that_the_broker_does_not_know_is_opened_anew() {
    let mut stand = member("explicit");
    let mut brokers = Brokers { fetches: vec![vec![0]], ..Brokers::default() };
    call(&mut stand, &mut brokers, poll(), 1, 1_000);
    stand.act(|member, outbox| member.0.broker_disconnected(1, outbox));
    let said = ShareCall::Acknowledge(partition(), 0, AcknowledgeType::Accept);
    assert_eq!(call(&mut stand, &mut brokers, said, 2, 3_000), None);
    call(&mut stand, &mut brokers, ShareCall::CommitSync, 3, 4_000);
    let results = stand.trace.iter().filter_map(|event| match &event.kind {
        EventKind::Share(ShareEvent::AcknowledgementsReturned { results, .. }) => results[0].error.clone(),
        _ => None,
    });
    assert_eq!(results.map(|error| error.error).collect::<Vec<_>>(), ["SHARE_SESSION_NOT_FOUND"]);
    call(&mut stand, &mut brokers, poll(), 4, 4_500);
    assert_eq!(brokers.asked.last().map(String::as_str), Some("fetch 0"));
}
