//! An application that works by itself: it polls, works on one record after the other, and says what became of it.
//!
//! Nothing of this is Kafka's; it is the loop that users of the client write.

use std::collections::VecDeque;
use std::rc::Rc;

use super::ShareConsumer;
use crate::event::TopicPartition;
use crate::outbox::Outbox;
use crate::scenario::{Acknowledging, ShareConsumerPlan};
use crate::share::{AcknowledgeType, DeliveredRecord, ShareEvent};
use crate::time::{Duration, Time};

/// The application.
#[derive(Clone, Debug)]
pub(super) struct Application {
    /// Time that it works on a record.
    pub processing: Duration,
    pub rules: Acknowledging,
    /// Whether it says anything of its records.
    is_explicit: bool,
    /// Records that it has not begun with.
    ahead: VecDeque<(TopicPartition, u64)>,
    work: Option<Work>,
    /// Records that it has worked on.
    done_count: u64,
    /// Records of which it has said something since the last commit.
    uncommitted_count: u32,
}

/// What it works on.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub partition: TopicPartition,
    pub offset: u64,
    pub since: Time,
    pub until: Time,
    /// When it says that it still works.
    renews: Option<Time>,
}

impl Application {
    pub fn new(plan: &ShareConsumerPlan) -> Application {
        Application {
            processing: plan.processing,
            rules: plan.acknowledge.clone(),
            is_explicit: plan.is_explicit,
            ahead: VecDeque::new(),
            work: None,
            done_count: 0,
            uncommitted_count: 0,
        }
    }

    /// Records that `poll` returned.
    pub fn take_in(&mut self, records: &[DeliveredRecord]) {
        self.ahead.extend(records.iter().map(|record| (record.partition.clone(), record.offset)));
    }

    pub fn is_working(&self) -> bool {
        self.work.is_some()
    }

    pub fn work(&self) -> Option<&Work> {
        self.work.as_ref()
    }

    pub fn due(&self) -> Option<Time> {
        let work = self.work.as_ref()?;
        Some(work.renews.map_or(work.until, |renews| renews.min(work.until)))
    }

    /// It is closed.
    pub fn give_up(&mut self) {
        self.ahead.clear();
        self.work = None;
    }

    /// What it says of the next record that it has worked on.
    fn judge(&mut self) -> AcknowledgeType {
        self.done_count += 1;
        let is_nth = |every: Option<u32>| every.is_some_and(|every| self.done_count.is_multiple_of(u64::from(every)));
        if is_nth(self.rules.reject_every) {
            AcknowledgeType::Reject
        } else if is_nth(self.rules.release_every) {
            AcknowledgeType::Release
        } else {
            AcknowledgeType::Accept
        }
    }
}

impl ShareConsumer {
    /// The next thing that the application does by itself: a record, a commit, or `poll`.
    pub(super) fn take_next(&mut self, outbox: &mut Outbox) {
        let now = outbox.now();
        if self.application.rules.commit_every.is_some_and(|every| self.application.uncommitted_count >= every) {
            self.application.uncommitted_count = 0;
            return self.commit(None, outbox);
        }
        let Some((partition, offset)) = self.application.ahead.pop_front() else {
            self.application.uncommitted_count = 0;
            if let Err(error) = self.begin_poll(None, None, outbox) {
                self.throw_from_poll(error, None, outbox);
            }
            return;
        };
        let processing = self.application.processing;
        let until = now + processing;
        let renews = self.application.rules.renew_after.map(|after| now + after).filter(|at| *at < until);
        if processing > Duration::ZERO {
            let (consumer, partition) = (Rc::clone(self.name()), partition.clone());
            self.tell(ShareEvent::RecordWorkStarted { consumer, partition, offset, until }, outbox);
        }
        self.application.work = Some(Work { partition, offset, since: now, until, renews });
    }

    /// Goes on with the record at hand; whether something has happened.
    pub(super) fn go_on_working(&mut self, outbox: &mut Outbox) -> bool {
        let now = outbox.now();
        let Some(work) = self.application.work.clone() else { return false };
        let is_on_its_way = self.held.iter().any(|held| held.is_sent && held.is_at(&work.partition, work.offset));
        if work.until <= now && !is_on_its_way {
            self.application.work = None;
            // A renewed record need not be polled again: the application has it.
            self.held.iter_mut().filter(|held| held.is_at(&work.partition, work.offset)).for_each(|held| {
                held.is_renewed = false;
            });
            if self.application.is_explicit {
                let said = self.application.judge();
                // Its lock may be lost meanwhile; that shows when it is committed.
                let _ = self.acknowledge(&work.partition, work.offset, said, outbox);
                self.application.uncommitted_count += 1;
            }
            return true;
        }
        if work.renews.is_some_and(|at| at <= now) && work.until > now && !is_on_its_way {
            let said = self.acknowledge(&work.partition, work.offset, AcknowledgeType::Renew, outbox);
            self.hand_over_renewal(&work, said.is_ok());
            return true;
        }
        false
    }

    /// The renewal leaves at once, with whatever else was said; the next one is planned.
    fn hand_over_renewal(&mut self, work: &Work, is_said: bool) {
        if is_said {
            self.hand_over();
        }
        let after = self.application.rules.renew_after;
        if let Some(own) = &mut self.application.work {
            let next = work.renews.zip(after).map(|(at, after)| at + after);
            own.renews = next.filter(|at| is_said && *at < own.until);
        }
    }
}
