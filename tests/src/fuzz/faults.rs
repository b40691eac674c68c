//! Faults of a cluster of three brokers and its links.
//!
//! Deliberately not here: how they end (`recovery.rs`).

use engine::rng::Stream;
use engine::{Command, Duration};

/// A broker or a link breaks, or works again.
pub(super) fn fault(dice: &mut Stream, clients: &[&str]) -> Command {
    let broker = dice.below(3) as u32 + 1;
    match dice.below(16) {
        0 | 1 => Command::KillBroker { broker },
        2 => Command::StopBroker { broker },
        3..=5 => Command::StartBroker { broker },
        6 => Command::PauseBroker { broker },
        7 | 8 => Command::ResumeBroker { broker },
        9 => Command::CutLink { from: node(dice, clients), to: node(dice, clients) },
        10 | 11 => Command::HealLink { from: node(dice, clients), to: node(dice, clients) },
        12 => Command::SlowLink {
            from: node(dice, clients),
            to: node(dice, clients),
            delay: Duration(dice.below(1_500_000)),
        },
        13 => Command::HoldFetches { broker },
        14 => Command::ReleaseFetches { broker },
        _ => Command::FetchOnce { broker },
    }
}

fn node(dice: &mut Stream, clients: &[&str]) -> String {
    match dice.below(8) {
        0 => "controller".to_string(),
        1..=3 => clients[dice.below(clients.len() as u64) as usize].to_string(),
        _ => format!("broker-{}", dice.below(3) + 1),
    }
}
