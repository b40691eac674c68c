//! What happens to groups: members come, go, stand still and die; applications call; brokers and links break.
//!
//! Deliberately not here: what must hold (`watch.rs`, `rest.rs`, `calm.rs`).

use std::collections::BTreeMap;

use engine::group::Callback;
use engine::rng::Stream;
use engine::{Command, Duration};

use super::Run;
use super::stage::{self, CONSUMERS, PATTERNS, TOPICS};
use crate::fuzz::faults;

/// Does one thing.
pub(super) fn act(dice: &mut Stream, run: &mut Run) {
    let consumer = CONSUMERS[dice.below(CONSUMERS.len() as u64) as usize].to_string();
    match dice.below(20) {
        0..=6 => process(dice, run, consumer),
        7..=12 => {
            let call = call(dice, consumer);
            run.act(call);
        }
        13..=15 => {
            let asked = admin(dice, run);
            run.act(asked);
        }
        _ => {
            let fault = faults::fault(dice, &CONSUMERS);
            run.act(fault);
        }
    }
}

/// A process starts, stands still, goes on, ends or dies.
fn process(dice: &mut Stream, run: &mut Run, consumer: String) {
    let client = consumer.clone();
    match dice.below(12) {
        0 => run.act(Command::Freeze { client }),
        1 | 2 => run.act(Command::Thaw { client }),
        3 => run.act(Command::Crash { client }),
        4 => run.act(Command::StopPoll { consumer }),
        5 | 6 => run.act(Command::ResumePoll { consumer }),
        7 => {
            let operation = [None, Some("LEAVE_GROUP"), Some("REMAIN_IN_GROUP")][dice.below(3) as usize];
            run.act(Command::CloseConsumer { consumer, operation: operation.map(str::to_string) })
        }
        _ => {
            if dice.below(3) == 0 {
                run.act(Command::Crash { client });
            }
            let spec = stage::member(dice, &consumer, stage::plan_of(&run.plans, &consumer));
            run.act(Command::Consumer(spec))
        }
    };
}

fn partition(dice: &mut Stream) -> String {
    format!("{}-{}", TOPICS[dice.below(3) as usize], dice.below(6))
}

fn offsets(dice: &mut Stream) -> BTreeMap<String, u64> {
    BTreeMap::from([(partition(dice), dice.below(60))])
}

/// A call of an application, wanted or not.
fn call(dice: &mut Stream, consumer: String) -> Command {
    match dice.below(17) {
        0 | 1 => Command::CommitSync { consumer, offsets: None },
        2 | 3 => Command::CommitAsync { consumer, offsets: None },
        4 if dice.below(4) == 0 => Command::CommitSync { consumer, offsets: Some(offsets(dice)) },
        4 if dice.below(3) == 0 => Command::CommitAsync { consumer, offsets: Some(offsets(dice)) },
        4 | 5 => Command::EnforceRebalance { consumer },
        6 => Command::Unsubscribe { consumer },
        7 if dice.below(3) == 0 => {
            let name = partition(dice);
            let (topic, number) = name.rsplit_once('-').expect("it has a number");
            let (topic, partition) = (topic.to_string(), number.parse().expect("it has a number"));
            Command::Seek { consumer, topic, partition, offset: dice.below(60) }
        }
        7 if dice.below(2) == 0 => Command::SeekToBeginning { consumer, partitions: Vec::new() },
        7 => Command::SeekToEnd { consumer, partitions: Vec::new() },
        8 => Command::Pause { consumer, partitions: vec![partition(dice)] },
        9 => Command::Resume { consumer, partitions: vec![partition(dice)] },
        10 => Command::SetProcessing { consumer, time: Duration(dice.below(2) * dice.below(50_000)) },
        11..=13 => {
            let callback = [Callback::Revoked, Callback::Lost, Callback::Assigned][dice.below(3) as usize];
            let most = if dice.below(3) == 0 { 40_000_000 } else { 3_000_000 };
            Command::SlowCallback { consumer, callback, time: Duration(dice.below(most)) }
        }
        _ => subscribe(dice, consumer),
    }
}

fn subscribe(dice: &mut Stream, consumer: String) -> Command {
    let (mut topics, mut pattern, mut re2j) = (Vec::new(), None, None);
    match dice.below(6) {
        0 => pattern = Some(PATTERNS[dice.below(3) as usize].0.to_string()),
        1 => re2j = Some(PATTERNS[dice.below(3) as usize].0.to_string()),
        2 => topics.push(TOPICS[dice.below(4) as usize].to_string()),
        _ => topics.extend([TOPICS[0].to_string(), TOPICS[dice.below(3) as usize + 1].to_string()]),
    }
    Command::Subscribe { consumer, topics, pattern, re2j }
}

fn admin(dice: &mut Stream, run: &Run) -> Command {
    let group = run.plans[dice.below(run.plans.len() as u64) as usize].0.clone();
    let topic = TOPICS[dice.below(4) as usize].to_string();
    match dice.below(12) {
        0..=2 => Command::CreatePartitions { topic, partitions: dice.below(9) as i32 + 1, assignment: None },
        3 | 4 => Command::CreateTopic {
            topic,
            partitions: Some(dice.below(5) as i32 + 1),
            replication_factor: Some(3),
            assignment: None,
            configs: BTreeMap::new(),
        },
        5 if dice.below(3) == 0 => Command::DeleteTopic { topic },
        5 | 6 => Command::AlterConsumerGroupOffsets { group, offsets: offsets(dice) },
        7 => Command::DeleteConsumerGroupOffsets { group, partitions: vec![partition(dice)] },
        8 => Command::DeleteConsumerGroup { group },
        9 => {
            let name = CONSUMERS[dice.below(CONSUMERS.len() as u64) as usize];
            let instances = if dice.below(4) == 0 { Vec::new() } else { vec![format!("i-{name}")] };
            Command::RemoveMembers { group, instances }
        }
        _ => Command::AlterGroupConfigs {
            group,
            set: BTreeMap::from([(
                "consumer.session.timeout.ms".to_string(),
                (45_000 + dice.below(2_000)).to_string(),
            )]),
            delete: Vec::new(),
        },
    }
}
