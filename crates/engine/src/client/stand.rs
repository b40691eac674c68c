//! A stand for one client: tests play the brokers and the controller.
//!
//! It knows no cluster; what is answered is the test's business.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::error::KafkaError;
use crate::event::{Event, Moment, NodeId};
use crate::message::{ClusterImage, PartitionImage, Payload, TopicImage};
use crate::outbox::{Outbox, Post};
use crate::queue::{Body, Timer};
use crate::scenario::{ProducerPlan, ProducerSpec};
use crate::time::Time;

/// What a producer of a library is made from, with these settings.
pub(super) fn producer_plan(client: &str, configs: &[(&str, &str)]) -> Rc<ProducerPlan> {
    let spec = ProducerSpec {
        name: "p".to_string(),
        client: client.to_string(),
        configs: configs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
        workload: None,
        metadata_age: None,
        random_start: None,
        only: Vec::new(),
    };
    Rc::new(ProducerPlan::new(&spec, "producer").expect("a test gives settings that make sense"))
}

/// A client on the stand.
pub(super) trait Client {
    fn wake(&mut self, timer: Timer, outbox: &mut Outbox);
    fn receive(&mut self, answer: &Payload, outbox: &mut Outbox);
    fn refused(&mut self, broker: u32, outbox: &mut Outbox);
}

/// A request of the client.
pub(super) struct Asked<'a> {
    /// The broker; 0 is the controller.
    pub broker: u32,
    pub request: u64,
    pub payload: &'a Payload,
    pub now: Time,
}

/// What becomes of a request.
pub(super) enum Reply {
    Answer(Payload),
    /// Nobody answers.
    Silence,
    /// The broker is down.
    Refuse,
}

/// One client, its queue and its trace.
pub(super) struct Stand<C> {
    pub client: C,
    pub trace: Vec<Event>,
    post: Post,
    moment: Moment,
}

impl<C: Client> Stand<C> {
    /// A client in a cluster of the brokers 1, 2 and 3.
    pub fn new(client: C) -> Stand<C> {
        let post = Post { brokers: vec![1, 2, 3], transaction_version: 2, ..Post::default() };
        Stand { client, trace: Vec::new(), post, moment: Moment::default() }
    }

    /// Lets the client do something now.
    pub fn act<T>(&mut self, act: impl FnOnce(&mut C, &mut Outbox) -> T) -> T {
        self.moment.sequence += 1;
        let mut outbox = Outbox { moment: self.moment, cause: None, post: &mut self.post, trace: &mut self.trace };
        act(&mut self.client, &mut outbox)
    }

    /// Runs up to and including a time in milliseconds.
    pub fn run(&mut self, until: u64, mut reply: impl FnMut(Asked) -> Reply) {
        let until = Time::from_millis(until);
        while self.post.queue.peek().is_some_and(|entry| entry.time <= until) {
            let entry = self.post.queue.pop().unwrap();
            self.moment.time = entry.time.max(self.moment.time);
            match entry.body {
                Body::Timer(timer) => self.act(|client, outbox| client.wake(timer, outbox)),
                Body::Message(view, payload) => {
                    let broker = match view.to {
                        NodeId::Broker { id } => id,
                        _ => 0,
                    };
                    let asked = Asked { broker, request: view.id, payload: &payload, now: self.moment.time };
                    match reply(asked) {
                        Reply::Answer(answer) => self.act(|client, outbox| client.receive(&answer, outbox)),
                        Reply::Refuse => self.act(|client, outbox| client.refused(broker, outbox)),
                        Reply::Silence => {}
                    }
                }
            }
        }
        self.moment.time = until;
    }

    /// Queue, counters and the features of the cluster.
    pub fn post_mut(&mut self) -> &mut Post {
        &mut self.post
    }

    /// Entries that lie ahead.
    pub fn ahead(&self) -> usize {
        self.post.queue.len()
    }

    /// The outcome of a command.
    pub fn outcome(&self, command: u64) -> Option<crate::command::Outcome> {
        self.post.outcomes.get(&command).cloned()
    }
}

/// A cluster with the topic `t` whose partitions have these leaders and epochs.
pub(super) fn image(leaders: &[(Option<u32>, u32)]) -> Rc<ClusterImage> {
    let partition = |(leader, leader_epoch): &(Option<u32>, u32)| PartitionImage {
        leader: *leader,
        leader_epoch: *leader_epoch,
        ..PartitionImage::default()
    };
    let topic = TopicImage {
        number: 0,
        topic_id: "id".into(),
        replication_factor: 3,
        configs: BTreeMap::new(),
        partitions: leaders.iter().map(partition).collect(),
    };
    Rc::new(ClusterImage { topics: BTreeMap::from([("t".into(), Rc::new(topic))]), ..ClusterImage::default() })
}

/// An error by its name; the text is the name again.
pub(super) fn error(name: &str) -> KafkaError {
    KafkaError::new(name, &format!("{name} exception"), name)
}
