//! Waiting until the cluster is in a state, at most two minutes of simulated time.
//!
//! Deliberately not here: waiting for the answer of a call; that is part of the call.

use engine::snapshot::{BrokerState, PartitionSnapshot};
use engine::{Duration, Time};
use serde_json::{Value, json};

use super::replay::{Replay, text};

/// How long any state may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long files must stay the same: longer than cleaner and retention check sleep between two rounds.
const STILL: Duration = Duration::from_secs(5);

/// A state of a partition in the controller's metadata.
#[derive(Clone, Debug, PartialEq)]
enum Condition {
    /// That many in-sync replicas.
    IsrCount(usize),
    /// These in-sync replicas.
    Isr(Vec<u32>),
    /// One of these leads; `None` is nobody.
    Leader(Vec<Option<u32>>),
    /// Somebody else leads.
    LeaderIsNot(u32),
    /// Another broker leads than before the last fault.
    LeaderMoved,
}

impl Condition {
    fn parse(words: &str) -> Option<Condition> {
        if words == "no leader" {
            return Some(Condition::Leader(vec![None]));
        }
        if words == "leader moved" {
            return Some(Condition::LeaderMoved);
        }
        if let Some(list) = words.strip_prefix("isr = ") {
            let brokers = list.trim_matches(['[', ']']).split(',').map(|broker| broker.trim().parse().ok());
            return brokers.collect::<Option<Vec<u32>>>().map(Condition::exactly);
        }
        if let Some(rest) = words.strip_prefix("isr ") {
            return rest.strip_prefix("has ").unwrap_or(rest).parse().ok().map(Condition::IsrCount);
        }
        let rest = words.strip_prefix("leader ")?;
        let rest = rest.strip_prefix("is ").unwrap_or(rest);
        if let Some(other) = rest.strip_prefix("not ") {
            return other.parse().ok().map(Condition::LeaderIsNot);
        }
        let leaders = rest.split(" or ").map(|word| match word {
            "none" => Some(None),
            broker => broker.parse().ok().map(Some),
        });
        leaders.collect::<Option<_>>().map(Condition::Leader)
    }

    fn exactly(mut brokers: Vec<u32>) -> Condition {
        brokers.sort_unstable();
        Condition::Isr(brokers)
    }

    fn holds(&self, partition: &PartitionSnapshot, before: Option<u32>) -> bool {
        match self {
            Condition::IsrCount(count) => partition.isr.len() == *count,
            Condition::Isr(brokers) => {
                let mut isr = partition.isr.clone();
                isr.sort_unstable();
                isr == *brokers
            }
            Condition::Leader(leaders) => leaders.contains(&partition.leader),
            Condition::LeaderIsNot(other) => partition.leader.is_some_and(|leader| leader != *other),
            Condition::LeaderMoved => partition.leader.is_some() && partition.leader != before,
        }
    }
}

impl Replay {
    pub fn await_condition(&mut self, verb: &str, step: &Value) -> Result<(), String> {
        let name = text(step, "partition")?;
        let condition = match step["condition"].as_str() {
            Some(words) => Condition::parse(words).ok_or_else(|| format!("unknown condition {words:?}"))?,
            None if verb == "await_isr" => {
                let count = step["count"].as_u64().or_else(|| step["isr"].as_u64());
                let list = step["isr"].as_array().map(|list| list.iter().filter_map(Value::as_u64).collect::<Vec<_>>());
                match (list, count) {
                    (Some(list), _) => Condition::exactly(list.into_iter().map(|broker| broker as u32).collect()),
                    (None, Some(count)) => Condition::IsrCount(count as usize),
                    (None, None) => return Err("await_isr needs a condition, a count or a list".into()),
                }
            }
            None => return Err("condition must be a text".into()),
        };
        let before = match self.leaders.get(name) {
            Some(leader) => *leader,
            None => self.partition(name)?.leader,
        };
        self.run_until(&format!("{condition:?} of {name}"), |replay| {
            replay.partition(name).is_ok_and(|partition| condition.holds(&partition, before))
        })?;
        self.compare("saw", &step["saw"], &json!({ "ok": true }))
    }

    pub fn await_brokers(&mut self, step: &Value) -> Result<(), String> {
        let count = step["count"].as_u64().ok_or("count must be a number")?;
        self.run_until(&format!("{count} brokers take part"), |replay| {
            let brokers = replay.snapshot().brokers;
            let takes_part = brokers.iter().filter(|broker| broker.state == BrokerState::Running && !broker.is_fenced);
            takes_part.count() as u64 == count
        })
    }

    pub fn await_reassignment_done(&mut self) -> Result<(), String> {
        self.run_until("no reassignment is listed", |replay| {
            let topics = replay.snapshot().topics;
            let mut partitions = topics.iter().flat_map(|topic| &topic.partitions);
            partitions.all(|partition| partition.adding.is_empty() && partition.removing.is_empty())
        })
    }

    /// Cleaner and retention have done their work when the leader's segment files stay as they are.
    pub fn wait_until_unchanged(&mut self, step: &Value) -> Result<(), String> {
        let name = text(step, "partition")?;
        let deadline = self.timeline.now() + PATIENCE;
        let mut seen = self.leader_segments(name)?;
        let mut since = self.timeline.now();
        while self.timeline.now().since(since) < STILL {
            if !self.next_instant(deadline.min(since + STILL)) {
                let limit = since + STILL;
                self.timeline.advance_to(limit);
            }
            let segments = self.leader_segments(name)?;
            if segments != seen {
                (seen, since) = (segments, self.timeline.now());
            }
            if self.timeline.now() >= deadline {
                return Err(format!("{name} goes on changing"));
            }
        }
        Ok(())
    }

    /// Runs instant by instant until the state is reached.
    pub fn run_until(&mut self, state: &str, holds: impl Fn(&Replay) -> bool) -> Result<(), String> {
        let deadline = self.timeline.now() + PATIENCE;
        while !holds(self) {
            if !self.next_instant(deadline) {
                return Err(format!("not within {} s of simulated time: {state}", PATIENCE.0 / 1_000_000));
            }
        }
        Ok(())
    }

    /// Everything of the next time at which something happens; false if there is nothing up to `limit`.
    fn next_instant(&mut self, limit: Time) -> bool {
        let next = self.timeline.peek().map(|next| next.time).filter(|time| *time <= limit);
        next.map(|time| self.timeline.advance_to(time)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::Condition;

    fn check(words: &str, expected: Option<Condition>) {
        assert_eq!(Condition::parse(words), expected, "{words}");
    }

    #[test]
    fn conditions_are_read_in_the_words_of_the_recordings() {
        check("isr 2", Some(Condition::IsrCount(2)));
        check("isr has 2", Some(Condition::IsrCount(2)));
        check("isr = [3, 1]", Some(Condition::Isr(vec![1, 3])));
        check("leader 3", Some(Condition::Leader(vec![Some(3)])));
        check("leader is 3", Some(Condition::Leader(vec![Some(3)])));
        check("leader is 1 or none", Some(Condition::Leader(vec![Some(1), None])));
        check("leader is not 3", Some(Condition::LeaderIsNot(3)));
        check("leader moved", Some(Condition::LeaderMoved));
        check("no leader", Some(Condition::Leader(vec![None])));
        check("leader is gone", None);
        check("full moon", None);
    }
}
