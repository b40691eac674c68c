//! Random commands: everything that a person can do to a cluster, possible or not.
//!
//! Deliberately not here: what must hold afterwards (`model.rs`, `logs.rs`, `recovery.rs`).

use std::collections::BTreeMap;

use engine::command::{ElectionKind, PartitionName, Reassignment};
use engine::rng::Stream;
use engine::{Command, Duration};

use super::clusters::{TOPICS, producer, workload};

/// Any command. Names and numbers reach a little beyond what exists.
pub(super) fn command(dice: &mut Stream) -> Command {
    match dice.below(10) {
        0..=4 => fault(dice),
        5 | 6 => admin(dice),
        7 => storage(dice),
        _ => client(dice),
    }
}

fn topic(dice: &mut Stream) -> String {
    format!("topic-{}", dice.below(TOPICS + 1))
}

fn partition(dice: &mut Stream) -> u32 {
    dice.below(6) as u32
}

fn broker(dice: &mut Stream) -> u32 {
    dice.below(4) as u32 + 1
}

fn node(dice: &mut Stream) -> String {
    match dice.below(6) {
        0 => "controller".to_string(),
        1 => format!("producer-{}", dice.below(4)),
        2 => format!("reader-{}", dice.below(3)),
        _ => format!("broker-{}", broker(dice)),
    }
}

fn fault(dice: &mut Stream) -> Command {
    let broker = broker(dice);
    match dice.below(14) {
        0 | 1 => Command::KillBroker { broker },
        2 => Command::StopBroker { broker },
        3 | 4 => Command::StartBroker { broker },
        5 | 6 => Command::PauseBroker { broker },
        7 | 8 => Command::ResumeBroker { broker },
        9 => Command::CutLink { from: node(dice), to: node(dice) },
        10 => Command::HealLink { from: node(dice), to: node(dice) },
        11 => Command::SlowLink { from: node(dice), to: node(dice), delay: Duration(dice.below(400_000)) },
        12 => Command::SlowDisk { broker, time: Duration(dice.below(3) * dice.below(40_000)) },
        _ => match dice.below(4) {
            0 | 1 => Command::HoldFetches { broker },
            2 => Command::FetchOnce { broker },
            _ => Command::ReleaseFetches { broker },
        },
    }
}

fn admin(dice: &mut Stream) -> Command {
    let topic = topic(dice);
    match dice.below(9) {
        0 => Command::CreateTopic {
            topic,
            partitions: Some(dice.below(6) as i32 - 1),
            replication_factor: Some(dice.below(4) as i32 - 1),
            assignment: None,
            configs: BTreeMap::new(),
        },
        1 | 2 => Command::CreatePartitions { topic, partitions: dice.below(14) as i32 - 1, assignment: None },
        3 if dice.below(3) == 0 => Command::DeleteTopic { topic },
        3 | 4 => {
            let replicas = (0..dice.below(3) + 1).map(|_| broker(dice)).collect();
            let partitions = vec![Reassignment { topic, partition: partition(dice), replicas }];
            Command::Reassign { partitions, allow_replication_factor_change: None }
        }
        5 => {
            let partitions = vec![PartitionName { topic, partition: partition(dice) }];
            Command::CancelReassignment { partitions }
        }
        6 | 7 => {
            let is_rare = dice.below(6) == 0;
            let election = if is_rare { ElectionKind::Unclean } else { ElectionKind::Preferred };
            let one = dice.below(2) == 0;
            let partition = PartitionName { topic, partition: partition(dice) };
            Command::ElectLeaders { election, partitions: one.then(|| vec![partition]) }
        }
        _ => config(dice, topic),
    }
}

fn config(dice: &mut Stream, topic: String) -> Command {
    let (name, value) = match dice.below(5) {
        0 => ("min.insync.replicas", Some((dice.below(4)).to_string())),
        1 => ("unclean.leader.election.enable", Some("true".to_string())),
        2 => ("retention.ms", Some("1000".to_string())),
        3 => ("segment.ms", Some((dice.below(3_000)).to_string())),
        _ => ("retention.ms", None),
    };
    match (dice.below(4), value) {
        (0, Some(value)) => Command::AlterConfigs {
            topic: None,
            broker: (dice.below(2) == 0).then(|| broker(dice)),
            set: BTreeMap::from([(name.to_string(), value)]),
            delete: Vec::new(),
        },
        (_, value) => Command::AlterTopicConfig { topic, name: name.to_string(), value },
    }
}

fn storage(dice: &mut Stream) -> Command {
    let (topic, partition) = (topic(dice), partition(dice));
    match dice.below(4) {
        0 => Command::DeleteRecords { topic, partition, before_offset: dice.below(40) as i64 - 1 },
        1 => Command::RollSegment { topic, partition },
        2 => Command::CleanLog { topic, partition },
        _ => Command::Seek { consumer: format!("reader-{}", dice.below(3)), topic, partition, offset: dice.below(60) },
    }
}

fn client(dice: &mut Stream) -> Command {
    let producer_name = format!("producer-{}", dice.below(4));
    match dice.below(8) {
        0 => Command::Producer(producer(dice, producer_name)),
        1 | 2 => Command::Send {
            producer: producer_name,
            topic: topic(dice),
            key: (dice.below(3) > 0).then(|| format!("user-{}", dice.below(9))),
            key_encoding: None,
            value_encoding: None,
            value: Some("x".to_string()),
            value_bytes: None,
            partition: (dice.below(4) == 0).then(|| dice.below(10) as i32 - 1),
            timestamp_ms: None,
            headers: Vec::new(),
        },
        3 | 4 => {
            let workload = (dice.below(2) == 0).then(|| workload(dice));
            Command::SetWorkload { producer: producer_name, workload }
        }
        5 => Command::Disconnect { producer: producer_name },
        6 if dice.below(2) == 0 => Command::StopPoll { consumer: format!("reader-{}", dice.below(3)) },
        6 => Command::ResumePoll { consumer: format!("reader-{}", dice.below(3)) },
        _ if dice.below(2) == 0 => Command::Flush { producer: producer_name, timeout_ms: None },
        _ => Command::Close {
            producer: producer_name,
            timeout_ms: (dice.below(2) == 0).then(|| dice.below(3_000) as u32),
        },
    }
}
