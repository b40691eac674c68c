//! The last rule: when every fault is over, every partition heals by itself.
//!
//! Deliberately not here: the faults (`acts.rs`).

use engine::command::{ElectionKind, PartitionName};
use engine::snapshot::{BrokerState, PartitionSnapshot, Snapshot, TopicSnapshot};
use engine::{Command, Duration};

use super::Watched;

/// How much simulated time healing may take: sessions, retries with their back-off, and catching up.
const PATIENCE: Duration = Duration::from_secs(120);

/// Ends every fault, then waits until all replicas of all partitions are in sync.
pub(super) fn check(seed: u64, timeline: &mut Watched) {
    let deadline = timeline.now() + PATIENCE;
    loop {
        // A broker that was shutting down is started again when it has stopped.
        for command in cures(&timeline.snapshot(0), timeline.observer().were_elrs_cleared()) {
            let cured = timeline.act(command);
            assert!(cured.is_ok(), "seed {seed}: a fault cannot be ended: {cured:?}");
        }
        let ill = ill(&timeline.snapshot(0));
        let Some(first) = ill.first() else { return };
        assert!(timeline.now() < deadline, "seed {seed}: {first} does not heal");
        let next = timeline.now() + Duration::from_secs(1);
        timeline.advance_to(next);
    }
}

/// The commands that end the faults of a moment.
pub(super) fn cures(snapshot: &Snapshot, were_elrs_cleared: bool) -> Vec<Command> {
    let mut cures = Vec::new();
    if were_elrs_cleared {
        cures.extend(last_means(snapshot));
    }
    for link in &snapshot.links {
        cures.push(Command::HealLink { from: link.from.in_commands(), to: link.to.in_commands() });
    }
    for found in &snapshot.brokers {
        let broker = found.id;
        match found.state {
            BrokerState::Paused => cures.push(Command::ResumeBroker { broker }),
            BrokerState::Stopped => cures.push(Command::StartBroker { broker }),
            BrokerState::Running | BrokerState::ShuttingDown => {}
        }
        if found.fetches_held {
            cures.push(Command::ReleaseFetches { broker });
        }
        if found.produce_time != Duration::ZERO {
            cures.push(Command::SlowDisk { broker, time: Duration::ZERO });
        }
    }
    cures
}

/// A change of `min.insync.replicas` clears the ELR and the last known leader. A partition that had no leader
/// then gets one from an unclean election only.
fn last_means(snapshot: &Snapshot) -> Option<Command> {
    let nobody_may_lead = |partition: &&PartitionSnapshot| {
        let is_empty = partition.isr.is_empty() && partition.elr.is_empty() && partition.last_known_elr.is_empty();
        partition.leader.is_none() && is_empty
    };
    let hopeless = snapshot.topics.iter().flat_map(|topic| {
        let partitions = topic.partitions.iter().filter(nobody_may_lead);
        partitions.map(|found| PartitionName { topic: topic.name.to_string(), partition: found.partition })
    });
    let partitions: Vec<PartitionName> = hopeless.collect();
    let elect = |partitions| Command::ElectLeaders { election: ElectionKind::Unclean, partitions: Some(partitions) };
    (!partitions.is_empty()).then(|| elect(partitions))
}

/// Partitions and brokers that are not as they should be, in words.
fn ill(snapshot: &Snapshot) -> Vec<String> {
    let mut ill = Vec::new();
    for broker in snapshot.brokers.iter().filter(|broker| broker.is_fenced) {
        ill.push(format!("broker {} ({:?}, fenced)", broker.id, broker.state));
    }
    for topic in &snapshot.topics {
        for partition in &topic.partitions {
            let is_full = partition.replicas.iter().all(|broker| partition.isr.contains(broker));
            let is_moving = !partition.adding.is_empty() || !partition.removing.is_empty();
            if partition.leader.is_none() || !is_full || is_moving {
                ill.push(in_words(topic, partition));
            }
        }
    }
    ill
}

fn in_words(topic: &TopicSnapshot, partition: &PartitionSnapshot) -> String {
    let PartitionSnapshot { leader, replicas, isr, elr, last_known_elr, adding, removing, .. } = partition;
    let ends: Vec<(u32, u64, u64)> =
        partition.logs.iter().map(|log| (log.broker, log.high_watermark, log.log_end_offset)).collect();
    format!(
        "{}-{} (leader {leader:?}, replicas {replicas:?}, ISR {isr:?}, ELR {elr:?}, last known {last_known_elr:?}, \
         adding {adding:?}, removing {removing:?}, broker, high watermark and end {ends:?})",
        topic.name, partition.partition
    )
}
