//! Faults of brokers, and time that passes.
//!
//! Deliberately not here: waiting for a state, which is `await_state.rs`.

use engine::snapshot::BrokerState;
use engine::{Command, Duration};
use serde_json::Value;

use super::replay::{Replay, number};

/// The recordings go on after a pause when what was on its way has been answered: a fetch that waits for
/// records is answered after `replica.fetch.wait.max.ms`, 500 ms, and its follower asks no more.
const PAUSE_SETTLES: Duration = Duration::from_millis(600);

/// Who looks at the cluster after that is late enough to find answered what waited for the broker, and clients
/// back that were told to come back later. Another fault comes at once.
const RESUME_SETTLES: Duration = Duration::from_millis(600);

impl Replay {
    pub fn fault(&mut self, verb: &str, step: &Value) -> Result<(), String> {
        let broker = number(step, "broker")?;
        let is_kill = match step["signal"].as_str() {
            Some("KILL") => true,
            Some("TERM") => false,
            Some(other) => return Err(format!("unknown signal {other}")),
            None => verb == "kill_broker",
        };
        self.settles_in = Duration::ZERO;
        self.leaders = self.all_leaders();
        let known = self.snapshot().transactions;
        self.ids.extend(known.iter().map(|known| known.transactional_id.to_string()));
        match verb {
            "pause_broker" => {
                let is_follower = self.follows(broker);
                self.act(Command::PauseBroker { broker })?;
                if is_follower {
                    self.pass(PAUSE_SETTLES);
                }
                Ok(())
            }
            "resume_broker" => {
                self.act(Command::ResumeBroker { broker })?;
                self.settles_in = RESUME_SETTLES;
                Ok(())
            }
            "start_broker" => self.act(Command::StartBroker { broker }).map(drop),
            _ if is_kill => self.act(Command::KillBroker { broker }).map(drop),
            _ => {
                self.act(Command::StopBroker { broker })?;
                self.run_until("the broker stops", |replay| {
                    let brokers = replay.snapshot().brokers;
                    brokers.iter().any(|found| found.id == broker && found.state == BrokerState::Stopped)
                })
            }
        }
    }

    /// Whether a broker asks another one for records of a topic that an application writes to.
    fn follows(&self, broker: u32) -> bool {
        let topics = self.snapshot().topics;
        let partitions = topics.iter().filter(|topic| !topic.is_internal).flat_map(|topic| &topic.partitions);
        partitions.clone().any(|partition| {
            partition.leader.is_some_and(|leader| leader != broker) && partition.replicas.contains(&broker)
        })
    }

    pub fn sleep(&mut self, step: &Value) -> Result<(), String> {
        let millis: i64 = number(step, "ms")?;
        self.pass(Duration::from_millis(u64::try_from(millis).map_err(|_| "ms must not be negative")?));
        Ok(())
    }

    pub fn pass(&mut self, time: Duration) {
        let until = self.timeline.now() + time;
        self.timeline.advance_to(until);
    }
}
