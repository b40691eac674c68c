//! A run of a cluster: commands in their written form, and what tests ask about it.
//!
//! What should come out is the tests' business.

use engine::snapshot::{PartitionSnapshot, ReplicaSnapshot};
use engine::{Command, Event, EventKind, Outcome, Scenario, Time, Timeline};

/// A run.
pub struct Run(pub Timeline);

/// A time in milliseconds.
pub fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

impl Run {
    /// Three brokers, and topics and clients in TOML. Runs for 10 ms.
    pub fn new(text: &str) -> Run {
        Run::on("brokers = 3", text)
    }

    /// The same on another cluster.
    pub fn on(cluster: &str, text: &str) -> Run {
        let scenario: Scenario = toml::from_str(&format!("name = \"run\"\n[cluster]\n{cluster}\n{text}")).unwrap();
        let mut run = Run(Timeline::new(scenario, ()).unwrap());
        run.until(10);
        run
    }

    /// Goes on to a time in milliseconds.
    pub fn until(&mut self, millis: u64) {
        self.0.advance_to(at(millis));
    }

    /// Acts, and lets everything happen that follows at once.
    pub fn act(&mut self, json: &str) -> Outcome {
        let command: Command = serde_json::from_str(json).unwrap();
        let outcome = self.0.act(command).unwrap();
        self.0.advance_to(self.0.now());
        self.0.outcome(outcome.command).unwrap_or(outcome)
    }

    /// A command about one broker.
    pub fn broker(&mut self, what: &str, broker: u32) {
        self.act(&format!(r#"{{ "do": "{what}", "broker": {broker} }}"#));
    }

    /// Sends one record to the first partition of `p`.
    pub fn send(&mut self, producer: &str) -> Outcome {
        self.act(&format!(
            r#"{{ "do": "send", "producer": "{producer}", "topic": "p", "partition": 0, "value": "v" }}"#
        ))
    }

    /// A partition.
    pub fn partition(&self, topic: &str, number: usize) -> PartitionSnapshot {
        let topics = self.0.snapshot(9).topics;
        topics.into_iter().find(|other| &*other.name == topic).unwrap().partitions.swap_remove(number)
    }

    /// A replica of the first partition of `p`.
    pub fn replica(&self, broker: u32) -> ReplicaSnapshot {
        self.partition("p", 0).logs.into_iter().find(|log| log.broker == broker).unwrap()
    }

    /// Log end offsets and high watermarks of all replicas of the first partition of `p`.
    pub fn offsets(&self) -> Vec<(u64, u64)> {
        self.partition("p", 0).logs.iter().map(|log| (log.log_end_offset, log.high_watermark)).collect()
    }

    /// Leader, in-sync set, eligible leaders and last known leader of the first partition of `p`, as the tools
    /// print them.
    pub fn state(&self) -> String {
        let partition = self.partition("p", 0);
        let leader = partition.leader.map_or("none".to_string(), |leader| leader.to_string());
        format!("{leader} {:?} {:?} {:?}", partition.isr, partition.elr, partition.last_known_elr)
    }

    /// Events of a kind, by its name.
    pub fn events(&mut self, kind: &str) -> Vec<Event> {
        self.0.events(Time::ZERO, Time::MAX, 99_999, &|event: &Event| event.kind.name() == kind)
    }

    /// Times of the events that are accepted, in milliseconds.
    pub fn times(&mut self, accept: impl Fn(&EventKind) -> bool) -> Vec<u64> {
        let events = self.0.events(Time::ZERO, Time::MAX, 99_999, &|event: &Event| accept(&event.kind));
        events.iter().map(|event| event.moment.time.millis()).collect()
    }

    /// Sentences of the events of a kind.
    pub fn sentences(&mut self, kind: &str) -> Vec<String> {
        self.events(kind).iter().map(Event::to_string).collect()
    }

    /// The error of an outcome, or of the command's number once it is known.
    pub fn error(&self, outcome: &Outcome) -> String {
        let outcome = self.0.outcome(outcome.command);
        outcome
            .and_then(|outcome| outcome.error)
            .map_or(String::new(), |error| format!("{}: {}", error.error, error.message))
    }
}
