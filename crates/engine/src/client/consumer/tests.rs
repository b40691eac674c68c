//! A member of a classic group on the stand: the tests play the coordinator and the brokers.

mod librdkafka;

use std::collections::VecDeque;
use std::rc::Rc;

use crate::client::consumer_call::ConsumerCall;
use crate::client::reader::Reader;
use crate::client::stand::{Asked, Client, Reply, Stand, error, image};
use crate::event::{EventKind, Name, TopicPartition};
use crate::group::{Callback, ClientMemberState, GroupEvent};
use crate::message::group::Joined;
use crate::message::{JoinGroupAnswer, Payload};
use crate::outbox::Outbox;
use crate::queue::Timer;
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;

/// A consumer among brokers that answer the common questions in order.
struct Member(Reader);

impl Client for Member {
    fn wake(&mut self, timer: Timer, outbox: &mut Outbox) {
        self.0.wake(timer, outbox);
    }

    fn receive(&mut self, answer: &Payload, outbox: &mut Outbox) {
        match answer {
            Payload::MetadataAnswer { request, image } => self.0.metadata_answer(*request, image, outbox),
            Payload::ListOffsetsAnswer { request, offsets } => self.0.offsets_answer(*request, offsets, outbox),
            Payload::FetchAnswer { request, partitions } => self.0.fetch_answer(*request, partitions, outbox),
            other => self.0.group_answer(&Rc::new(other.clone()), outbox),
        }
    }

    fn refused(&mut self, broker: u32, outbox: &mut Outbox) {
        self.0.broker_disconnected(broker, outbox);
    }
}

fn member(more: &str) -> Stand<Member> {
    member_of("t", more)
}

fn member_of(topic: &str, more: &str) -> Stand<Member> {
    let text = format!(
        "name = \"r\"\n[[consumer]]\nname = \"c\"\nsubscribe = [\"{topic}\"]\n{more}\n[consumer.configs]\n\"group.id\" = \"g\"\n\
         \"enable.auto.commit\" = \"false\"\n"
    );
    let scenario: Scenario = toml::from_str(&text).unwrap();
    let plan = Plan::new(&scenario).unwrap().consumers.remove(0);
    let mut stand = Stand::new(Member(Reader::new(0, plan)));
    stand.act(|member, outbox| member.0.wake(Timer::Start, outbox));
    stand
}

fn partition(number: u32) -> TopicPartition {
    TopicPartition { topic: "t".into(), partition: number }
}

/// The coordinator: each generation gives what is next in the list.
struct Coordinator {
    assignments: VecDeque<Vec<u32>>,
    generation: i32,
    /// What heartbeats are answered with next.
    heartbeats: VecDeque<&'static str>,
}

impl Coordinator {
    fn new(assignments: &[&[u32]]) -> Coordinator {
        let assignments = assignments.iter().map(|list| list.to_vec()).collect();
        Coordinator { assignments, generation: 0, heartbeats: VecDeque::new() }
    }

    fn answer(&mut self, asked: &Asked) -> Reply {
        let request = asked.request;
        Reply::Answer(match asked.payload {
            Payload::Metadata { .. } => {
                Payload::MetadataAnswer { request, image: image(&[(Some(1), 0), (Some(1), 0)]) }
            }
            Payload::FindCoordinator(_) => Payload::FindCoordinatorAnswer { request, result: Ok(2) },
            Payload::JoinGroup(join) if join.member.is_empty() => Payload::JoinGroupAnswer(JoinGroupAnswer {
                request,
                member: "c-1".into(),
                result: Err(error("MEMBER_ID_REQUIRED")),
            }),
            Payload::JoinGroup(join) => {
                self.generation += 1;
                let joined = Joined {
                    generation: self.generation,
                    protocol: Name::from("range"),
                    leader: "other".into(),
                    members: Vec::new(),
                    skip_assignment: false,
                };
                let member = Rc::clone(&join.member);
                Payload::JoinGroupAnswer(JoinGroupAnswer { request, member, result: Ok(joined) })
            }
            Payload::SyncGroup(_) => {
                let assigned = self.assignments.pop_front().unwrap_or_default();
                Payload::SyncGroupAnswer { request, result: Ok(assigned.into_iter().map(partition).collect()) }
            }
            Payload::Heartbeat(_) => {
                let result =
                    self.heartbeats.pop_front().filter(|name| !name.is_empty()).map_or(Ok(()), |name| Err(error(name)));
                Payload::HeartbeatAnswer { request, result }
            }
            Payload::OffsetFetch(fetch) => {
                let partitions = fetch.partitions.clone().unwrap_or_default();
                let offsets = partitions.into_iter().map(|partition| (partition, Ok(Some(7)))).collect();
                Payload::OffsetFetchAnswer { request, result: Ok(offsets) }
            }
            Payload::OffsetCommit(commit) => {
                let results = commit.offsets.iter().map(|(partition, _)| (partition.clone(), Ok(()))).collect();
                Payload::OffsetCommitAnswer { request, results }
            }
            Payload::LeaveGroup(_) => Payload::LeaveGroupAnswer { request, result: Ok(vec![Ok(())]) },
            Payload::Fetch { .. } => return Reply::Silence,
            other => panic!("{other:?}"),
        })
    }
}

/// Callbacks with their partitions and generations, and what else the member told.
fn told(stand: &Stand<Member>) -> Vec<String> {
    let told = |event: &EventKind| match event {
        EventKind::Group(GroupEvent::CallbackStarted { callback, partitions, generation, .. }) => {
            let numbers: Vec<String> = partitions.iter().map(|one| one.partition.to_string()).collect();
            let name = match callback {
                Callback::Assigned => "assigned",
                Callback::Revoked => "revoked",
                Callback::Lost => "lost",
            };
            Some(format!("{name} {} @{generation}", numbers.join("+")))
        }
        EventKind::Group(GroupEvent::PollFailed { error, .. }) if error.exception.is_empty() => {
            Some(format!("poll {error}"))
        }
        EventKind::Group(GroupEvent::PollFailed { error, .. }) => Some(format!("poll {}", error.exception)),
        EventKind::Group(GroupEvent::CommitReturned { error, .. }) => {
            Some(error.as_ref().map_or("committed".to_string(), |error| format!("commit {}", error.exception)))
        }
        EventKind::Group(GroupEvent::ConsumerClosed { .. }) => Some("closed".to_string()),
        _ => None,
    };
    stand.trace.iter().filter_map(|event| told(&event.kind)).collect()
}

fn call(stand: &mut Stand<Member>, command: u64, call: ConsumerCall) {
    stand.act(|member, outbox| member.0.call(call, command, outbox));
}

#[test]
fn a_member_joins_and_reads_from_committed_offsets() {
    let mut stand = member("");
    let mut coordinator = Coordinator::new(&[&[0, 1]]);
    stand.run(1_000, |asked| coordinator.answer(&asked));
    assert_eq!(told(&stand), ["assigned 0+1 @1"]);
    let snapshot = stand.client.0.snapshot();
    let membership = snapshot.membership.unwrap();
    assert_eq!((membership.state, &*membership.member), (ClientMemberState::Stable, "c-1"));
    assert_eq!(snapshot.positions.iter().map(|at| at.position).collect::<Vec<_>>(), [7, 7]);
    assert!(stand.ahead() < 6, "it does not spin");
}

#[test]
fn an_eager_member_gives_everything_up_before_it_joins_again() {
    let mut stand = member("");
    let mut coordinator = Coordinator::new(&[&[0, 1], &[1]]);
    coordinator.heartbeats = VecDeque::from(["", "REBALANCE_IN_PROGRESS"]);
    stand.run(10_000, |asked| coordinator.answer(&asked));
    assert_eq!(told(&stand), ["assigned 0+1 @1", "revoked 0+1 @1", "assigned 1 @2"]);
}

#[test]
fn a_member_that_is_unknown_has_lost_everything() {
    let mut stand = member("");
    let mut coordinator = Coordinator::new(&[&[0, 1], &[0]]);
    coordinator.heartbeats = VecDeque::from(["UNKNOWN_MEMBER_ID"]);
    stand.run(10_000, |asked| coordinator.answer(&asked));
    assert_eq!(told(&stand), ["assigned 0+1 @1", "lost 0+1 @1", "assigned 0 @2"]);
}

#[test]
fn closing_revokes_and_leaves() {
    let mut stand = member("listener = { commit_in_revoked = true }");
    let mut coordinator = Coordinator::new(&[&[0, 1]]);
    stand.run(1_000, |asked| coordinator.answer(&asked));
    call(&mut stand, 5, ConsumerCall::Close(Default::default()));
    let mut left = 0;
    stand.run(2_000, |asked| {
        left += u32::from(matches!(asked.payload, Payload::LeaveGroup(_)));
        coordinator.answer(&asked)
    });
    assert_eq!(told(&stand), ["assigned 0+1 @1", "revoked 0+1 @1", "committed", "closed"]);
    assert_eq!(left, 1);
    assert!(stand.outcome(5).is_some_and(|outcome| outcome.error.is_none()));
    call(&mut stand, 6, ConsumerCall::CommitSync(None));
    let text = "IllegalStateException: This consumer has already been closed.";
    assert_eq!(stand.outcome(6).unwrap().error.unwrap().to_string(), text);
}

#[test]
fn an_application_that_does_not_poll_leaves_the_group() {
    let mut stand = member("");
    let mut coordinator = Coordinator::new(&[&[0, 1], &[1]]);
    stand.run(1_000, |asked| coordinator.answer(&asked));
    stand.act(|member, outbox| member.0.stop_poll(outbox.now()));
    let mut left = 0;
    stand.run(400_000, |asked| {
        left += u32::from(matches!(asked.payload, Payload::LeaveGroup(_)));
        coordinator.answer(&asked)
    });
    assert_eq!((left, told(&stand).len()), (1, 1), "nothing of the user thread runs");
    assert!(stand.trace.iter().any(|event| matches!(&event.kind, EventKind::Warned { .. })));
    stand.act(|member, outbox| member.0.resume_poll(outbox));
    stand.run(401_000, |asked| coordinator.answer(&asked));
    assert_eq!(told(&stand), ["assigned 0+1 @1", "lost 0+1 @1", "assigned 1 @2"]);
}
