//! The Admin client without a controller, and on its way to a leader.
//!
//! What the controller accepts is tested there.

use super::*;
use crate::client::stand::{Client, Reply, Stand, error, image};
use crate::command::{PartitionName, Status};

impl Client for Admin {
    fn wake(&mut self, _: Timer, outbox: &mut Outbox) {
        Admin::wake(self, outbox);
    }

    fn receive(&mut self, answer: &Payload, outbox: &mut Outbox) {
        match answer {
            Payload::MetadataAnswer { request, image } => self.metadata_answer(*request, image, outbox),
            Payload::AdminAnswer { request, result, partitions } => self.answer(*request, result, partitions, outbox),
            other => panic!("{other:?}"),
        }
    }

    fn refused(&mut self, broker: u32, outbox: &mut Outbox) {
        self.broker_disconnected(broker, outbox);
    }
}

fn delete_records() -> AdminRequest {
    let partition = TopicPartition { topic: "t".into(), partition: 0 };
    AdminRequest::DeleteRecords { partition, before_offset: 3 }
}

fn outcome_of(name: Option<&str>) -> PartitionOutcome {
    PartitionOutcome {
        partition: PartitionName { topic: "t".to_string(), partition: 0 },
        error: name.map(error),
        low_watermark: name.is_none().then_some(3),
    }
}

#[test]
fn a_call_without_a_controller_times_out_after_a_minute() {
    let mut stand = Stand::new(Admin::default());
    let request = AdminRequest::DeleteTopic { topic: "t".into() };
    stand.act(|admin, outbox| admin.request(request, 0, outbox));
    stand.run(59_999, |_| Reply::Silence);
    assert_eq!(stand.outcome(0), None);
    stand.run(60_000, |_| Reply::Silence);
    let text = "TimeoutException: Timed out waiting for a node assignment. Call: deleteTopics";
    assert_eq!(stand.outcome(0).unwrap().error.unwrap().to_string(), text);
}

#[test]
fn records_are_deleted_by_the_leader_once_there_is_one() {
    let mut stand = Stand::new(Admin::default());
    stand.act(|admin, outbox| admin.request(delete_records(), 0, outbox));
    let mut leaders = vec![None, Some(2), Some(3)].into_iter();
    let mut asked_leaders = Vec::new();
    stand.run(5_000, |asked| match asked.payload {
        Payload::Metadata { .. } if asked.broker == 1 => Reply::Refuse,
        Payload::Metadata { .. } => {
            let leader = leaders.next().flatten();
            Reply::Answer(Payload::MetadataAnswer { request: asked.request, image: image(&[(leader, 0)]) })
        }
        _ => {
            asked_leaders.push(asked.broker);
            let stale = (asked.broker == 2).then_some("NOT_LEADER_OR_FOLLOWER");
            let partitions = vec![outcome_of(stale)];
            Reply::Answer(Payload::AdminAnswer { request: asked.request, result: Ok(()), partitions })
        }
    });
    assert_eq!(asked_leaders, [2, 3]);
    let outcome = stand.outcome(0).unwrap();
    assert_eq!((outcome.status, outcome.partitions[0].low_watermark), (Status::Done, Some(3)));
}

#[test]
fn a_request_fails_if_all_its_partitions_do() {
    let check = |refused: &[Option<&str>], status: Status| {
        let mut stand = Stand::new(Admin::default());
        let request =
            AdminRequest::ElectLeaders { election: crate::command::ElectionKind::Preferred, partitions: None };
        stand.act(|admin, outbox| admin.request(request, 0, outbox));
        let partitions: Vec<_> = refused.iter().map(|name| outcome_of(*name)).collect();
        stand.run(10, |asked| {
            let partitions = partitions.clone();
            Reply::Answer(Payload::AdminAnswer { request: asked.request, result: Ok(()), partitions })
        });
        let outcome = stand.outcome(0).unwrap();
        assert_eq!((outcome.status, outcome.partitions.len()), (status, refused.len()));
    };
    check(&[Some("ELECTION_NOT_NEEDED"), None], Status::Done);
    check(&[Some("ELECTION_NOT_NEEDED")], Status::Failed);
    check(&[], Status::Done);
}
