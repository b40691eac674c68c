//! One case on its way: the cluster, what is known about it, and which verb is whose.
//!
//! Deliberately not here: the verbs themselves. Each file beside this one has those of one kind.

use std::collections::{BTreeMap, BTreeSet};

use engine::event::TopicPartition;
use engine::snapshot::{PartitionSnapshot, Snapshot};
use engine::{Command, Duration, Outcome, Status, Time, Timeline};
use serde_json::{Value, json};

use super::compare::{Names, same};
use super::offstage::Offstage;
use super::sends::Pending;
use super::{at_step, setup};

/// Calls of the clients give up within their own timeouts, two minutes at most by default, plus a minute for
/// metadata; a call without an answer after that has none.
const CALL_PATIENCE: Duration = Duration::from_secs(300);

/// A case that is being replayed.
pub(super) struct Replay {
    pub timeline: Timeline,
    pub names: Names,
    /// Topics whose replicas the controller placed at random: which brokers they are is not compared.
    pub placed: BTreeSet<String>,
    /// Results that their Futures bring later.
    pub pending: Vec<Pending>,
    /// Who sends with a producer id in requests of a chosen version: the name in the step that first got it.
    pub writers: BTreeMap<String, String>,
    /// The producer whose record failed in the step before, and in this one.
    pub failed_before: Option<String>,
    pub failed: Option<String>,
    /// Leaders before the last fault, by partition.
    pub leaders: BTreeMap<String, Option<u32>>,
    /// How long the next look at the cluster waits before it sees anything.
    pub settles_in: Duration,
    /// Transactional ids that were known before some fault.
    pub ids: BTreeSet<String>,
    /// Many records were sent at once without linger, so where their batches end was chance.
    pub batches_are_chance: bool,
    /// Keyless records went to partitions that were drawn.
    pub partitions_are_chance: bool,
    /// How many records more than in the recording a partition holds, where their number is chance.
    pub surplus: BTreeMap<String, i64>,
    /// Topics that a producer has looked for in vain.
    pub missed: BTreeSet<String>,
    pub offstage: Offstage,
}

impl Replay {
    pub fn new(case: &Value) -> Result<Replay, String> {
        let offstage = Offstage::of(case);
        let timeline = setup::timeline(case)?;
        let mut replay = Replay {
            timeline,
            names: Names::default(),
            placed: BTreeSet::new(),
            pending: Vec::new(),
            writers: BTreeMap::new(),
            failed_before: None,
            failed: None,
            leaders: BTreeMap::new(),
            settles_in: Duration::ZERO,
            ids: BTreeSet::new(),
            batches_are_chance: false,
            partitions_are_chance: false,
            surplus: BTreeMap::new(),
            missed: BTreeSet::new(),
            offstage,
        };
        for command in replay.offstage.before_the_first_step() {
            replay.act(command)?;
        }
        Ok(replay)
    }

    pub fn step(&mut self, number: usize, verb: &str, step: &Value) -> Result<(), String> {
        if let Some(topic) = self.offstage.deleted_before(number)
            && self.topic_exists(topic)
        {
            self.act(Command::DeleteTopic { topic: topic.to_owned() })?;
        }
        self.failed_before = self.failed.take();
        self.run_verb(number, verb, step)?;
        self.remember_writer(step);
        Ok(())
    }

    fn remember_writer(&mut self, step: &Value) {
        let Some(writer) = step["p"].as_str() else { return };
        for pid in [&step["saw"]["pid"], &step["saw"]["client"]["pid"]] {
            if let Some(pid) = pid.as_str() {
                self.writers.entry(pid.to_owned()).or_insert_with(|| writer.to_owned());
            }
        }
    }

    fn run_verb(&mut self, number: usize, verb: &str, step: &Value) -> Result<(), String> {
        let saw = &step["saw"];
        match verb {
            "note" => Ok(()),
            "cli" => self.cli(step),
            "create_topic" | "delete_topic" | "create_partitions" | "alter_topic_config" | "delete_records"
            | "move_leadership" | "partition_count" | "describe_partition" | "describe_producers" => {
                self.admin(verb, step)
            }
            "producer" => self.producer(step),
            "send" => self.send(step),
            "send_async" => self.send_async(number, step),
            "send_many" | "send_burst" => self.send_together(verb, step),
            "send_keyless" => self.send_keyless(step),
            "send_until_refused" => self.send_until_refused(step),
            "new_producer_record" => self.new_producer_record(step),
            "partitions_for" => self.partitions_for(step),
            "elapsed" => self.elapsed(step),
            "send_with_timestamp" => self.send_with_timestamp(step),
            "init_transactions"
            | "begin_transaction"
            | "commit_transaction"
            | "abort_transaction"
            | "send_offsets_to_transaction"
            | "flush"
            | "close" => self.producer_call(verb, step),
            "raw_init_producer_id"
            | "raw_init_producer_id_repeated"
            | "raw_add_partitions_to_txn"
            | "raw_end_txn"
            | "raw_produce" => self.raw_request(verb, step),
            "init_transactions_and_find_record" => self.find_records(number, step),
            "describe_transaction" => self.describe_transaction(step),
            "group_offsets" => self.group_offsets(step),
            "await_complete" => self.await_complete(step),
            "await_complete_with_new_coordinator" => self.await_complete_with_new_coordinator(step),
            "fetch" => self.fetch(number, step),
            "observe" => self.observe(step),
            "log" | "log_on_each_replica" => self.show_log(verb, step),
            "segments" | "list_partition_directory" | "dump_log" | "leader_epoch_checkpoint" | "replica_offsets" => {
                self.show_disk(verb, step)
            }
            "pause_broker" | "resume_broker" | "kill_broker" | "stop_broker" | "start_broker" => self.fault(verb, step),
            "sleep_ms" => self.sleep(step),
            "await" | "await_isr" => self.await_condition(verb, step),
            "await_brokers" => self.await_brokers(step),
            "await_reassignment_done" => self.await_reassignment_done(),
            "wait_until_unchanged" => {
                self.wait_until_unchanged(step)?;
                self.compare("saw", saw, &json!({ "ok": true }))
            }
            _ => Err("the runner does not know this verb yet".into()),
        }
    }

    /// Compares what Futures brought since.
    pub fn settle(&mut self) -> Result<(), String> {
        for Pending { step, command, saw, .. } in std::mem::take(&mut self.pending) {
            let outcome = self.finish(command).map_err(|difference| at_step(step, "send_async", &difference))?;
            let got = self.sent(&outcome, &saw);
            self.compare("saw", &saw, &got).map_err(|difference| at_step(step, "send_async", &difference))?;
        }
        Ok(())
    }

    /// `expected` is all that is compared: what a recording leaves out was not looked at.
    pub fn compare(&mut self, path: &str, expected: &Value, got: &Value) -> Result<(), String> {
        same(&mut self.names, path, expected, got)
    }

    /// Gives a command and lets simulated time run until its answer is there.
    pub fn act(&mut self, command: Command) -> Result<Outcome, String> {
        let outcome = self.timeline.act(command).map_err(|error| error.to_string())?;
        self.finish(outcome.command)
    }

    /// Runs until a command is finished.
    pub fn finish(&mut self, command: u64) -> Result<Outcome, String> {
        let deadline = self.timeline.now() + CALL_PATIENCE;
        loop {
            match self.timeline.outcome(command) {
                Some(outcome) if outcome.status != Status::Pending => return Ok(outcome),
                _ => {}
            }
            if !self.next_entry(deadline) {
                return Err(format!("no answer within {} s of simulated time", CALL_PATIENCE.0 / 1_000_000));
            }
        }
    }

    /// Takes the next entry of the queue; false if there is none up to `limit`.
    pub fn next_entry(&mut self, limit: Time) -> bool {
        self.timeline.peek().is_some_and(|next| next.time <= limit) && self.timeline.step_entry()
    }

    /// Lets everything happen that the present instant still holds. Looking takes no time, but in the recorded
    /// cluster what takes none here was over by then.
    pub fn settle_instant(&mut self) {
        let settles_in = std::mem::take(&mut self.settles_in);
        self.pass(settles_in);
        let now = self.timeline.now();
        while self.next_entry(now) {}
    }

    pub fn snapshot(&self) -> Snapshot {
        self.timeline.snapshot(0)
    }

    pub fn topic_exists(&self, topic: &str) -> bool {
        self.snapshot().topics.iter().any(|found| *found.name == *topic)
    }

    /// A partition as the controller has it.
    pub fn partition(&self, name: &str) -> Result<PartitionSnapshot, String> {
        let (topic, number) = partition_name(name)?;
        let snapshot = self.snapshot();
        let found = snapshot.topics.into_iter().find(|found| *found.name == *topic);
        let partition = found.and_then(|found| found.partitions.into_iter().nth(number as usize));
        partition.ok_or_else(|| format!("there is no partition {name}"))
    }

    /// The leaders of all partitions, by partition.
    pub fn all_leaders(&self) -> BTreeMap<String, Option<u32>> {
        let snapshot = self.snapshot();
        let partitions = snapshot.topics.iter().flat_map(|topic| {
            topic.partitions.iter().map(|found| (format!("{}-{}", topic.name, found.partition), found.leader))
        });
        partitions.collect()
    }
}

/// `t-0` as topic and number.
pub(super) fn partition_name(name: &str) -> Result<(&str, u32), String> {
    TopicPartition::split(name).ok_or_else(|| format!("{name:?} is no partition"))
}

/// The partitions that a step lists.
pub(super) fn listed(step: &Value) -> impl Iterator<Item = &str> {
    step["partitions"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// A text argument of a step.
pub(super) fn text<'a>(step: &'a Value, field: &str) -> Result<&'a str, String> {
    step[field].as_str().ok_or_else(|| format!("{field} must be a text"))
}

/// A number argument of a step.
pub(super) fn number<N: TryFrom<i64>>(step: &Value, field: &str) -> Result<N, String> {
    let found = step[field].as_i64().and_then(|number| N::try_from(number).ok());
    found.ok_or_else(|| format!("{field} must be a number"))
}
