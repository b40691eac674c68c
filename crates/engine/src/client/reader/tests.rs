//! A reader among brokers that fail: where it begins, whom it reads from, and what ends it.
//!
//! What brokers answer is played by the tests.

use super::*;
use crate::client::stand::{Asked, Client, Reply, Stand, error, image};
use crate::event::{Moment, Record};
use crate::message::FetchedPartition;
use crate::scenario::Scenario;
use crate::scenario::plan::Plan;
use crate::storage::batch::Batch;

impl Client for Reader {
    fn wake(&mut self, timer: Timer, outbox: &mut Outbox) {
        Reader::wake(self, timer, outbox);
    }

    fn receive(&mut self, answer: &Payload, outbox: &mut Outbox) {
        match answer {
            Payload::MetadataAnswer { request, image } => self.metadata_answer(*request, image, outbox),
            Payload::ListOffsetsAnswer { request, offsets } => self.offsets_answer(*request, offsets, outbox),
            Payload::FetchAnswer { request, partitions } => self.fetch_answer(*request, partitions, outbox),
            other => panic!("{other:?}"),
        }
    }

    fn refused(&mut self, broker: u32, outbox: &mut Outbox) {
        self.broker_disconnected(broker, outbox);
    }
}

fn reader(more: &str) -> Stand<Reader> {
    let text = format!("name = \"r\"\n[[consumer]]\nname = \"r\"\nassign = [\"t\"]\n{more}");
    let scenario: Scenario = toml::from_str(&text).unwrap();
    let plan = Plan::new(&scenario).unwrap().consumers.remove(0);
    let mut stand = Stand::new(Reader::new(0, plan));
    stand.act(|reader, outbox| reader.wake(Timer::Start, outbox));
    stand
}

fn partition() -> TopicPartition {
    TopicPartition { topic: "t".into(), partition: 0 }
}

/// A batch of `count` records without content.
fn batch(base_offset: u64, count: u32) -> Rc<Batch> {
    let records: Vec<Rc<Record>> = Vec::new();
    Rc::new(Batch {
        is_transactional: false,
        control: None,
        base_offset,
        last_offset: base_offset + u64::from(count) - 1,
        leader_epoch: 4,
        stamp: None,
        size_bytes: 100,
        codec: crate::event::Codec::None,
        count,
        records: records.into(),
        offsets: None,
        base_timestamp: 0,
        max_timestamp: 0,
        is_log_append_time: false,
        delete_horizon: None,
        appended: Moment::default(),
    })
}

fn fetched(high_watermark: u64, batches: Vec<Rc<Batch>>) -> FetchedPartition {
    FetchedPartition {
        partition: partition(),
        high_watermark,
        last_stable_offset: high_watermark,
        aborted: Vec::new(),
        batches,
        error: None,
        preferred_read_replica: None,
    }
}

fn failed(name: &str) -> FetchedPartition {
    FetchedPartition { error: Some(error(name)), ..fetched(0, Vec::new()) }
}

/// Answers with broker 1 as leader of a log from 5 to 8; fetches are the test's: offset and broker.
fn healthy(asked: &Asked, fetch: impl FnOnce(u64, u32) -> Option<FetchedPartition>) -> Reply {
    let request = asked.request;
    match asked.payload {
        Payload::Metadata { .. } => Reply::Answer(Payload::MetadataAnswer { request, image: image(&[(Some(1), 4)]) }),
        Payload::ListOffsets { at, .. } => {
            let offset = if *at == OffsetSpec::Earliest { 5 } else { 8 };
            Reply::Answer(Payload::ListOffsetsAnswer { request, offsets: vec![(partition(), Ok(offset))] })
        }
        Payload::Fetch { from, .. } => match fetch(from[0].1, asked.broker) {
            Some(fetched) => Reply::Answer(Payload::FetchAnswer { request, partitions: vec![fetched] }),
            None => Reply::Silence,
        },
        other => panic!("{other:?}"),
    }
}

fn position(stand: &Stand<Reader>) -> u64 {
    stand.client.snapshot().positions[0].position
}

#[test]
fn a_reader_begins_where_its_policy_says() {
    let check = |configs: &str, begins: u64| {
        let mut stand = reader(configs);
        stand.run(100, |asked| healthy(&asked, |_, _| None));
        assert_eq!(position(&stand), begins, "{configs}");
    };
    check("", 5);
    check("configs = { \"auto.offset.reset\" = \"earliest\" }", 5);
    check("configs = { \"auto.offset.reset\" = \"latest\" }", 8);
}

#[test]
fn without_a_policy_a_reader_fails_until_the_application_seeks() {
    let mut stand = reader("configs = { \"auto.offset.reset\" = \"none\" }");
    stand.run(100, |asked| healthy(&asked, |_, _| None));
    let text = "NoOffsetForPartitionException: Undefined offset with no reset policy for partitions: [t-0]";
    assert_eq!(stand.client.snapshot().error.unwrap().to_string(), text);
    stand.act(|reader, outbox| reader.seek(&partition(), 2, outbox));
    assert_eq!(stand.client.snapshot().error, None);
    stand.run(200, |asked| healthy(&asked, |_, _| Some(failed("OFFSET_OUT_OF_RANGE"))));
    let text = "OffsetOutOfRangeException: Fetch position FetchPosition{offset=2, offsetEpoch=Optional.empty, \
                currentLeader=LeaderAndEpoch{leader=Optional[broker1:9092 (id: 1 rack: null isFenced: false)], \
                epoch=4}} is out of range for partition t-0";
    assert_eq!(stand.client.snapshot().error.unwrap().to_string(), text);
}

#[test]
fn a_position_that_is_gone_is_reset_and_told() {
    let mut stand = reader("");
    stand.run(10, |asked| healthy(&asked, |_, _| None));
    stand.act(|reader, outbox| reader.seek(&partition(), 2, outbox));
    stand.run(100, |asked| healthy(&asked, |offset, _| (offset < 5).then(|| failed("OFFSET_OUT_OF_RANGE"))));
    let resets: Vec<_> = stand
        .trace
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::PositionReset { before, position, error, .. } => Some((*before, *position, error.is_some())),
            _ => None,
        })
        .collect();
    assert_eq!(resets, [(5, 2, false), (2, 5, true)]);
}

#[test]
fn batches_without_content_move_the_position_and_count() {
    let mut stand = reader("");
    stand.run(100, |asked| {
        healthy(&asked, |offset, _| (offset == 5).then(|| fetched(8, vec![batch(4, 3), batch(7, 1)])))
    });
    let snapshot = stand.client.snapshot();
    assert_eq!((position(&stand), snapshot.read_count, snapshot.read_bytes), (8, 3, (0, 200)));
}

#[test]
fn an_idle_reader_leaves_its_fetch_where_it_is() {
    let mut stand = reader("");
    let mut fetches = 0;
    stand.run(8 * 86_400_000, |asked| {
        healthy(&asked, |_, _| {
            fetches += 1;
            None
        })
    });
    assert_eq!(fetches, 1);
    assert!(stand.ahead() <= 2, "only the next metadata refresh lies ahead: {}", stand.ahead());
}

#[test]
fn a_reader_that_stays_behind_asks_again_when_there_is_more() {
    let mut stand = reader("behind = 1");
    let mut asked_for = Vec::new();
    stand.run(60_000, |asked| {
        healthy(&asked, |offset, _| {
            asked_for.push(offset);
            (offset < 8).then(|| fetched(8, vec![batch(5, 3)]))
        })
    });
    assert_eq!(asked_for, [5, 8], "at 7, one behind the high watermark, it waits for what comes after 8");
    assert_eq!(position(&stand), 7);
}

#[test]
fn a_preferred_replica_is_kept_until_it_fails_or_its_time_is_over() {
    let mut stand = reader("configs = { \"client.rack\" = \"a\", \"metadata.max.age.ms\" = \"10000\" }");
    let mut brokers = Vec::new();
    let mut fetch = |from_follower: Option<FetchedPartition>, until: u64, stand: &mut Stand<Reader>| {
        stand.run(until, |asked| {
            healthy(&asked, |_, broker| {
                brokers.push(broker);
                let redirect = FetchedPartition { preferred_read_replica: Some(3), ..fetched(5, Vec::new()) };
                if broker == 1 { Some(redirect) } else { from_follower.clone() }
            })
        });
        std::mem::take(&mut brokers)
    };
    assert_eq!(fetch(None, 9_000, &mut stand), [1, 3]);
    assert_eq!(stand.client.snapshot().positions[0].read_from, Some(3));
    assert_eq!(fetch(None, 12_000, &mut stand), [1, 3], "the leader is asked again");
    stand.act(|reader, outbox| reader.broker_disconnected(3, outbox));
    assert_eq!(fetch(None, 12_001, &mut stand), [1], "back to the leader");
}

#[test]
fn a_broker_that_stops_answering_is_given_up_after_the_request_timeout() {
    let mut stand = reader("");
    stand.run(1_000, |asked| healthy(&asked, |_, _| None));
    stand.act(|reader, outbox| reader.answers_stopped(1, outbox));
    let mut fetches = Vec::new();
    stand.run(40_000, |asked| {
        let now = asked.now.millis();
        match (asked.payload, asked.broker) {
            (Payload::Metadata { .. }, 1) => Reply::Silence,
            (Payload::Metadata { .. }, _) => {
                Reply::Answer(Payload::MetadataAnswer { request: asked.request, image: image(&[(Some(2), 5)]) })
            }
            _ => healthy(&asked, |_, broker| {
                fetches.push((now, broker));
                None
            }),
        }
    });
    assert_eq!(fetches.last(), Some(&(31_000, 2)), "the new leader is asked: {fetches:?}");
}

#[test]
fn a_reader_that_does_not_poll_reads_nothing() {
    let mut stand = reader("");
    stand.run(10, |asked| healthy(&asked, |_, _| None));
    stand.act(|reader, _| reader.stop_poll(Time::ZERO));
    let request = stand.client.fetching[&1].request;
    let late = Payload::FetchAnswer { request, partitions: vec![fetched(8, vec![batch(5, 3)])] };
    stand.act(|reader, outbox| reader.receive(&late, outbox));
    assert_eq!((position(&stand), stand.client.snapshot().is_paused), (5, true));
    stand.act(Reader::resume_poll);
    stand.run(20, |asked| healthy(&asked, |offset, _| (offset < 8).then(|| fetched(8, vec![batch(5, 3)]))));
    assert_eq!(position(&stand), 8);
}
