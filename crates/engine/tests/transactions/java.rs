//! The Java client's transactions in a running cluster: zombies, frozen and dead processes, workloads.
//!
//! Texts and orders of requests are tested beside the client.

use engine::snapshot::{ClientProcess, LogRecord, ProducerSnapshot};
use engine::transaction::ClientState;
use engine::{Command, Scenario, Status, Time, Timeline};

/// A cluster whose leader of every partition of `fares` is broker 1, and producers in TOML.
struct Run(Timeline);

impl Run {
    fn new(text: &str) -> Run {
        let cluster = "name = \"run\"\n[cluster]\nbrokers = 3\n[[topic]]\nname = \"fares\"\nassignment = [[1, 2, 3]]";
        let scenario: Scenario = toml::from_str(&format!("{cluster}\n{text}")).unwrap();
        let mut run = Run(Timeline::new(scenario, ()).unwrap());
        run.until(10);
        run
    }

    fn until(&mut self, millis: u64) {
        self.0.advance_to(Time::from_millis(millis));
    }

    /// Gives a command; what came of it is asked for later.
    fn act(&mut self, json: &str) -> u64 {
        let command: Command = serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"));
        self.0.act(command).unwrap_or_else(|error| panic!("{json}: {error}")).command
    }

    fn call(&mut self, what: &str, producer: &str) -> u64 {
        self.act(&format!(r#"{{ "do": "{what}", "producer": "{producer}" }}"#))
    }

    fn send(&mut self, producer: &str, value: &str) -> u64 {
        self.act(&format!(
            r#"{{ "do": "send", "producer": "{producer}", "topic": "fares", "partition": 0, "value": "{value}" }}"#
        ))
    }

    /// `done`, `waits`, or the exception.
    fn told(&self, command: u64) -> String {
        let Some(outcome) = self.0.outcome(command) else { return "waits".to_string() };
        match (outcome.status, outcome.error) {
            (Status::Done, _) => "done".to_string(),
            (Status::Pending, _) => "waits".to_string(),
            (Status::Failed, error) => error.map_or_else(String::new, |error| error.exception),
        }
    }

    fn producer(&self, name: &str) -> ProducerSnapshot {
        let found = self.0.snapshot(99).producers.into_iter().rev().find(|producer| &*producer.name == name);
        found.unwrap()
    }

    /// The log of `fares`: values, and markers with their epoch.
    fn log(&self) -> Vec<String> {
        let topics = self.0.snapshot(99).topics;
        let topic = topics.into_iter().find(|topic| &*topic.name == "fares").unwrap();
        let line =
            |record: &LogRecord| match record.origin.as_ref().and_then(|origin| Some((origin.marker?, origin.epoch))) {
                Some((marker, epoch)) => format!("{marker:?} {epoch}"),
                None => record.record.value.as_deref().unwrap_or("-").to_string(),
            };
        topic.partitions[0].records.iter().map(line).collect()
    }
}

fn transactional(name: &str, more: &str) -> String {
    format!(
        "[[producer]]\nname = \"{name}\"\nconfigs = {{ \"transactional.id\" = \"fare-writer-7\", \"linger.ms\" = \"0\" }}\n{more}\n"
    )
}

#[test]
fn a_zombie_that_wakes_up_is_refused_step_by_step() {
    let mut run = Run::new(&(transactional("A", "") + &transactional("B", "")));
    let init = run.call("init_transactions", "A");
    run.until(1_000);
    assert_eq!(run.told(init), "done");
    run.call("begin_transaction", "A");
    run.send("A", "trip-9001 by A");
    run.until(1_200);
    run.act(r#"{ "do": "freeze", "client": "A" }"#);
    run.until(31_000);
    // The application would write on, but its process stands still.
    let late = run.send("A", "trip-9002 by A");
    let init = run.call("init_transactions", "B");
    run.until(32_000);
    assert_eq!((run.told(init), run.told(late)), ("done".to_string(), "waits".to_string()));
    assert_eq!(run.producer("B").producer_epoch, Some(2));
    run.call("begin_transaction", "B");
    run.send("B", "trip-9001 by B");
    run.call("commit_transaction", "B");
    run.until(41_000);
    assert_eq!(run.producer("A").process, ClientProcess::Frozen);
    run.act(r#"{ "do": "thaw", "client": "A" }"#);
    run.until(41_100);
    assert_eq!(run.told(late), "InvalidProducerEpochException");
    let commit = run.call("commit_transaction", "A");
    let abort = run.call("abort_transaction", "A");
    run.until(42_000);
    assert_eq!(
        (run.told(commit), run.told(abort)),
        ("InvalidProducerEpochException".into(), "ProducerFencedException".into())
    );
    assert_eq!(run.producer("A").client_state, Some(ClientState::FatalError));
    assert_eq!(run.log(), ["trip-9001 by A", "Abort 1", "trip-9001 by B", "Commit 3"]);
}

#[test]
fn a_producer_that_died_leaves_its_transaction_open_until_its_next_start() {
    let mut run = Run::new(&transactional("A", ""));
    run.call("init_transactions", "A");
    run.call("begin_transaction", "A");
    run.send("A", "lost");
    run.until(1_000);
    let commit = run.call("commit_transaction", "A");
    run.act(r#"{ "do": "crash", "client": "A" }"#);
    run.until(1_100);
    // Its last request was on its way, and the coordinator knows nothing of the crash.
    assert_ne!(run.told(commit), "waits");
    let refused = serde_json::from_str(r#"{ "do": "flush", "producer": "A" }"#).unwrap();
    assert_eq!(run.0.act(refused).unwrap_err().code, "command.client_state");
    run.act(
        r#"{ "do": "producer", "name": "A", "client": "java",
             "configs": { "transactional.id": "fare-writer-7", "linger.ms": "0" } }"#,
    );
    run.call("init_transactions", "A");
    run.call("begin_transaction", "A");
    run.send("A", "kept");
    let commit = run.call("commit_transaction", "A");
    run.until(5_000);
    assert_eq!(run.told(commit), "done");
    assert_eq!(run.log().iter().filter(|line| *line == "kept").count(), 1);
    assert_eq!(run.producer("A").process, ClientProcess::Running);
}

#[test]
fn a_frozen_producer_loses_its_transaction_to_the_timeout_and_goes_on_after_an_abort() {
    let text = transactional("A", "").replace("\"linger.ms\"", "\"transaction.timeout.ms\" = \"10000\", \"linger.ms\"");
    let mut run = Run::new(&text);
    run.call("init_transactions", "A");
    run.call("begin_transaction", "A");
    run.send("A", "slow");
    run.until(1_000);
    run.act(r#"{ "do": "freeze", "client": "A" }"#);
    run.until(30_000);
    assert_eq!(run.log(), ["slow", "Abort 1"]);
    run.act(r#"{ "do": "thaw", "client": "A" }"#);
    let abort = run.call("abort_transaction", "A");
    run.call("begin_transaction", "A");
    run.send("A", "again");
    let commit = run.call("commit_transaction", "A");
    run.until(31_000);
    assert_eq!((run.told(abort), run.told(commit)), ("done".to_string(), "done".to_string()));
    assert_eq!(run.log(), ["slow", "Abort 1", "again", "Commit 2"]);
}

#[test]
fn instances_of_one_id_fence_each_other_in_turn() {
    let workload = "workload = { topic = \"fares\", value = \"x\", partition = 0, every = \"1 s\", \
                    records_per_transaction = 1, init_on_fence = true }";
    let mut run = Run::new(&(transactional("A", workload) + &transactional("B", workload)));
    run.until(20_000);
    let commits = run.log().iter().filter(|line| line.starts_with("Commit")).count();
    let started = |name: &str| run.producer(name).producer_epoch.unwrap_or(0);
    assert!(started("A").max(started("B")) > 10, "each takes the id back when it has lost it");
    assert!(commits > 0 && commits < 40, "{commits}");
    let without = workload.replace("init_on_fence = true", "init_on_fence = false");
    let mut run = Run::new(&(transactional("A", &without) + &transactional("B", &without)));
    run.until(20_000);
    let states: Vec<_> = ["A", "B"].map(|name| run.producer(name).client_state.unwrap()).into();
    assert_eq!(states.iter().filter(|state| **state == ClientState::FatalError).count(), 1, "{states:?}");
}

#[test]
fn a_close_without_time_leaves_the_transaction_to_its_timeout() {
    let mut run = Run::new(
        "[[producer]]\nname = \"A\"\nconfigs = { \"transactional.id\" = \"fare-writer-7\", \"transaction.timeout.ms\" = \"15000\" }",
    );
    run.call("init_transactions", "A");
    run.until(1_000);
    run.call("begin_transaction", "A");
    let sent = run.send("A", "one");
    run.until(2_000);
    let close = run.act(r#"{ "do": "close", "producer": "A", "timeout_ms": 0 }"#);
    assert_eq!([sent, close].map(|command| run.told(command)), ["done", "done"]);
    run.until(15_900);
    assert_eq!(run.log(), ["one"]);
    run.until(30_000);
    assert_eq!(run.log(), ["one", "Abort 1"]);
    let again = run.call("close", "A");
    assert_eq!(run.told(again), "done", "Kafka's close may be called twice");
    let begin = run.call("begin_transaction", "A");
    assert_eq!(run.told(begin), "IllegalStateException");
}

#[test]
fn two_phase_commit_is_asked_for_by_a_setting() {
    let config = "configs = { \"transactional.id\" = \"x\", \"transaction.two.phase.commit.enable\" = \"true\" }";
    let mut run = Run::new(&format!("[[producer]]\nname = \"A\"\n{config}"));
    let init = run.call("init_transactions", "A");
    run.until(1_000);
    assert_eq!(run.told(init), "TransactionalIdAuthorizationException");
}
