//! Elections that somebody asks for, and those of the periodic checks.
//!
//! Who wins is decided in `change.rs`. The checks are armed only while one could change something.

use std::rc::Rc;

use super::Controller;
use super::change::Election;
use super::partitions::at;
use super::refusals::{Code, no_such_partition};
use crate::command::{ElectionKind, PartitionName, PartitionOutcome};
use crate::error::KafkaError;
use crate::event::TopicPartition;
use crate::limits::ELECTIONS_MAX;
use crate::outbox::Outbox;
use crate::queue::{Target, Timer};
use crate::time::Duration;

impl Controller {
    /// ElectLeaders. When all partitions are meant, those that need no election are not answered.
    pub(super) fn elect_leaders(
        &mut self,
        kind: ElectionKind,
        partitions: Option<&[TopicPartition]>,
        outbox: &mut Outbox,
    ) -> Vec<PartitionOutcome> {
        let all;
        let asked = match partitions {
            Some(partitions) => partitions,
            None => {
                all = self.partitions_that(|_| true);
                &all
            }
        };
        let mut outcomes = Vec::new();
        for partition in asked {
            let error = self.elect_one(kind, partition, outbox).err();
            let is_needless = error.as_ref() == Some(&KafkaError::from(Code::ElectionNotNeeded));
            if partitions.is_some() || !is_needless {
                outcomes.push(outcome(partition, error));
            }
        }
        outcomes
    }

    fn elect_one(
        &mut self,
        kind: ElectionKind,
        partition: &TopicPartition,
        outbox: &mut Outbox,
    ) -> Result<(), KafkaError> {
        let Some(known) = self.partition(partition) else {
            return Err(no_such_partition(partition, self.image.topics.contains_key(&partition.topic)));
        };
        let (election, is_needless, missing) = match kind {
            ElectionKind::Preferred => {
                let is_preferred = known.leader.is_some() && known.leader == known.replicas.first().copied();
                (Election::Preferred, is_preferred, Code::PreferredLeaderNotAvailable)
            }
            ElectionKind::Unclean => (Election::Unclean, known.leader.is_some(), Code::EligibleLeadersNotAvailable),
        };
        if is_needless {
            return Err(Code::ElectionNotNeeded.into());
        }
        if self.elect(partition, election, outbox) { Ok(()) } else { Err(missing.into()) }
    }

    /// Sets the timers of the periodic checks, if they could change something at the next point of their grid.
    pub(super) fn arm_checks(&mut self, outbox: &mut Outbox) {
        let view = self.configs(None);
        let balances = view.broker_flag("auto.leader.rebalance.enable");
        let balance_every = Duration::from_secs(view.broker_number("leader.imbalance.check.interval.seconds") as u64);
        let unclean_every = view.broker_millis("unclean.leader.election.interval.ms");
        if self.preferred_due.is_none() && balances && self.off_preferred.iter().any(|one| self.could_balance(one)) {
            let due = self.next_check(balance_every, outbox.now());
            self.preferred_due = Some(due);
            outbox.wake(Target::Controller, due, Timer::PreferredLeaders);
        }
        if self.unclean_due.is_none() && self.leaderless.iter().any(|one| self.could_elect_unclean(one)) {
            let due = self.next_check(unclean_every, outbox.now());
            self.unclean_due = Some(due);
            outbox.wake(Target::Controller, due, Timer::UncleanElections);
        }
    }

    fn could_balance(&self, partition: &TopicPartition) -> bool {
        self.partition(partition).is_some_and(|known| {
            known.replicas.first().is_some_and(|preferred| known.isr.contains(preferred) && self.is_active(*preferred))
        })
    }

    fn could_elect_unclean(&self, partition: &TopicPartition) -> bool {
        let topic = self.image.topics.get(&partition.topic);
        topic.is_some_and(|topic| {
            let known = topic.partitions.get(partition.partition as usize);
            known.is_some_and(|known| known.replicas.iter().any(|replica| self.is_active(*replica)))
                && self.configs(None).topic_flag(topic, "unclean.leader.election.enable")
        })
    }

    /// `maybeBalancePartitionLeaders`: every partition goes to its preferred replica if it can.
    pub(super) fn balance_leaders(&mut self, outbox: &mut Outbox) {
        let off = Rc::clone(&self.off_preferred);
        let due: Vec<_> = off.iter().filter(|one| self.could_balance(one)).take(ELECTIONS_MAX).collect();
        for partition in &due {
            self.elect(partition, Election::Preferred, outbox);
        }
        if due.len() == ELECTIONS_MAX {
            self.preferred_due = Some(outbox.now());
            outbox.wake(Target::Controller, outbox.now(), Timer::PreferredLeaders);
        }
    }

    /// `maybeElectUncleanLeaders`: leaderless partitions of topics that allow it take whoever is there.
    pub(super) fn elect_unclean_leaders(&mut self, outbox: &mut Outbox) {
        let leaderless = Rc::clone(&self.leaderless);
        let due: Vec<_> = leaderless.iter().filter(|one| self.could_elect_unclean(one)).take(ELECTIONS_MAX).collect();
        for partition in &due {
            self.elect(&at(&partition.topic, partition.partition), Election::Unclean, outbox);
        }
        if due.len() == ELECTIONS_MAX {
            self.unclean_due = Some(outbox.now());
            outbox.wake(Target::Controller, outbox.now(), Timer::UncleanElections);
        }
    }
}

/// What an Admin request came to for one partition.
pub(super) fn outcome(partition: &TopicPartition, error: Option<KafkaError>) -> PartitionOutcome {
    let partition = PartitionName { topic: partition.topic.to_string(), partition: partition.partition };
    PartitionOutcome { partition, error, low_watermark: None }
}
