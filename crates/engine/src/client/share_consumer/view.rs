//! A share consumer as a plain value.

use std::rc::Rc;

use super::ShareConsumer;
use crate::snapshot::{HeldRecord, ShareConsumerSnapshot, WorkSnapshot};

impl ShareConsumer {
    /// The share consumer as it sees itself.
    pub fn snapshot(&self) -> ShareConsumerSnapshot {
        let held = |held: &super::Held| HeldRecord {
            partition: held.record.partition.clone(),
            offset: held.record.offset,
            delivery_count: held.record.delivery_count,
            acknowledgement: held.said,
        };
        let work = self.application.work().map(|work| WorkSnapshot {
            partition: work.partition.clone(),
            offset: work.offset,
            since: work.since,
            until: work.until,
        });
        ShareConsumerSnapshot {
            name: Rc::clone(self.name()),
            group: self.plan.member.settings.member.group.clone().unwrap_or_default(),
            member: Rc::clone(self.member.id()),
            state: self.member.state(),
            epoch: self.member.epoch().unwrap_or(0),
            process: self.process,
            is_explicit: self.plan.is_explicit,
            is_manual: self.plan.is_manual,
            is_paused: self.is_paused,
            is_closed: self.is_closed,
            error: self.error.clone(),
            topics: self.topics.clone(),
            assigned: self.assigned.iter().cloned().collect(),
            held: self.held.iter().map(held).collect(),
            working_on: work,
            read_count: self.read_count,
            acknowledged_counts: self.acknowledged_counts,
            recent: self.recent.iter().cloned().collect(),
            heartbeat_due: self.member.heartbeat_due(),
        }
    }
}
