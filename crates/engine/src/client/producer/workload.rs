//! The application in front of a producer: it makes records and calls `send`.
//!
//! A Java application is one thread here: while `send` blocks, it makes no more records.

use std::collections::VecDeque;
use std::rc::Rc;

use super::transactions::workload::TransactionLoop;
use super::{Outgoing, Producer};
use crate::event::Name;
use crate::outbox::Outbox;
use crate::queue::Timer;
use crate::rng::Stream;
use crate::scenario::plan::{KeySource, Pace};
use crate::scenario::{WhenFull, WorkloadPlan};
use crate::time::{Duration, Time};

/// How long the application polls before it tries a refused record again.
const POLL: Duration = Duration::from_millis(10);

/// A workload with its progress.
#[derive(Clone, Debug)]
pub(crate) struct RunningWorkload {
    plan: Rc<WorkloadPlan>,
    sent: u64,
    bursts: u64,
    draws: Stream,
    /// When the burst that was sent last should have been sent.
    due: Time,
    /// `send` blocks: the next burst waits for it.
    is_blocked: bool,
    /// Records that were refused and are kept, in order.
    kept: VecDeque<Outgoing>,
    /// When they are tried again.
    retry_at: Time,
    /// Of an application that writes in transactions.
    pub transactions: TransactionLoop,
}

impl RunningWorkload {
    /// What it goes by.
    pub fn plan(&self) -> &Rc<WorkloadPlan> {
        &self.plan
    }

    /// It goes on when the call has returned, if there is one.
    pub fn wait_for_call(&mut self, is_busy: bool) {
        self.is_blocked = is_busy;
    }

    /// Whether every record was sent.
    pub fn is_over(&self) -> bool {
        self.plan.count.is_some_and(|count| self.sent >= count)
    }

    /// Whether refused records have to go first.
    fn is_held_up(&self) -> bool {
        !self.kept.is_empty() && (self.plan.when_full == WhenFull::Retry || self.is_over())
    }

    /// Rough size in bytes.
    pub fn own_bytes(&self) -> usize {
        self.kept.len() * 160
    }

    /// The next record.
    pub fn next(&mut self) -> Outgoing {
        let plan = Rc::clone(&self.plan);
        let number = self.sent;
        self.sent += 1;
        let key_count = plan.keys.count();
        let index = match plan.skew_percent {
            Some(percent) if key_count > 1 => self.skewed(percent, key_count),
            _ => number % key_count,
        };
        let value = match plan.values.len() as u64 {
            0 => None,
            count => Some(Rc::clone(&plan.values[(number % count) as usize])),
        };
        let value_size = plan.value_size.unwrap_or(value.as_ref().map_or(0, |value| value.len() as u32));
        Outgoing {
            topic: Rc::clone(&plan.topic),
            key: key(&plan.keys, index),
            classes: [None, None],
            value,
            value_size,
            partition: plan.partitions.map(|count| (number % u64::from(count)) as i32).or(plan.partition),
            timestamp: None,
            headers: None,
            command: None,
        }
    }

    /// From this burst to the next one.
    pub(super) fn pause(&mut self) -> Duration {
        let pause = self.plan.pace.pause(self.bursts);
        self.bursts += 1;
        pause
    }

    fn skewed(&mut self, percent: u32, key_count: u64) -> u64 {
        if self.draws.below(100) < u64::from(percent) { 0 } else { 1 + self.draws.below(key_count - 1) }
    }
}

fn key(source: &KeySource, index: u64) -> Option<(Rc<[u8]>, Name)> {
    match source {
        KeySource::None => None,
        KeySource::List(keys) => Some(keys[index as usize].clone()),
        KeySource::Pattern { prefix, first, encoding, .. } => {
            let text = format!("{prefix}{}", first + index);
            let bytes = encoding.encode(&text).unwrap_or_else(|_| text.clone().into_bytes());
            Some((bytes.into(), text.into()))
        }
    }
}

impl Producer {
    /// Replaces what the application sends by itself; its start counts from now.
    pub fn set_workload(&mut self, plan: Option<Rc<WorkloadPlan>>, outbox: &mut Outbox) {
        self.workload_generation += 1;
        let start = plan.as_ref().map(|plan| outbox.now() + plan.start);
        let owner = format!("{}/{}", self.plan.name, self.workload_generation);
        let draws = Stream::new(u64::from(self.number), "workload", &owner);
        let begun = |plan| RunningWorkload {
            plan,
            sent: 0,
            bursts: 0,
            due: start.unwrap_or_default(),
            draws,
            is_blocked: false,
            kept: VecDeque::new(),
            retry_at: Time::ZERO,
            transactions: TransactionLoop::default(),
        };
        self.workload = plan.map(begun).map(Box::new);
        if let Some(start) = start {
            self.arm_workload(start, outbox);
        }
    }

    /// Sends the records that are due now and sets the timer for the next ones.
    pub fn send_burst(&mut self, outbox: &mut Outbox) {
        if self.workload.as_ref().is_some_and(|workload| workload.plan.records_per_transaction.is_some()) {
            return self.write_in_transactions(outbox);
        }
        let Some(mut workload) = self.workload.take() else { return };
        self.try_again(&mut workload, outbox);
        for _ in 0..workload.plan.burst {
            if workload.is_over() || workload.is_held_up() || self.is_blocked() {
                break;
            }
            let record = workload.next();
            if workload.plan.when_full == WhenFull::Drop {
                self.call_send(record, outbox);
            } else if !self.finds_room(&record, outbox) {
                workload.kept.push_back(record);
                workload.retry_at = outbox.now() + POLL;
            }
        }
        workload.is_blocked = self.is_blocked();
        self.workload = Some(workload);
        self.arm_next_burst(outbox);
    }

    /// Calls `send` for what was refused before, as far as there is room now.
    fn try_again(&mut self, workload: &mut RunningWorkload, outbox: &mut Outbox) {
        if outbox.now() < workload.retry_at {
            return;
        }
        while let Some(record) = workload.kept.front() {
            if !self.finds_room(record, outbox) {
                workload.retry_at = outbox.now() + POLL;
                return;
            }
            workload.kept.pop_front();
        }
    }

    /// Calls `send`; false if the library refused the record because its queue is full.
    fn finds_room(&mut self, record: &Outgoing, outbox: &mut Outbox) -> bool {
        self.call_send(record.clone(), outbox);
        !self.librdkafka.as_ref().is_some_and(|own| own.found_no_room())
    }

    /// The application thread goes on after `send` has returned.
    pub fn unblock_workload(&mut self, outbox: &mut Outbox) {
        if self.is_blocked() {
            return;
        }
        let Some(workload) = self.workload.as_mut().filter(|workload| workload.is_blocked) else { return };
        workload.is_blocked = false;
        if workload.plan.records_per_transaction.is_some() {
            return self.arm_workload(outbox.now(), outbox);
        }
        self.arm_next_burst(outbox);
    }

    /// The next burst comes when the pace says. With a time between bursts that is a timetable, and a thread that
    /// was blocked catches up; with a rate it counts from this burst, and the thread is late from then on.
    fn arm_next_burst(&mut self, outbox: &mut Outbox) {
        let Some(workload) = self.workload.as_mut().filter(|workload| !workload.is_blocked) else { return };
        if workload.is_held_up() {
            let at = workload.retry_at;
            return self.arm_workload(at, outbox);
        }
        if workload.is_over() {
            return;
        }
        let pause = workload.pause();
        let from = match workload.plan.pace {
            Pace::Every(_) => workload.due,
            Pace::Rate(_) => outbox.now(),
        };
        workload.due = from + pause;
        let next = workload.due.max(outbox.now());
        self.arm_workload(next, outbox);
    }

    fn is_blocked(&self) -> bool {
        self.calls.is_busy()
    }

    pub(super) fn arm_workload(&mut self, at: Time, outbox: &mut Outbox) {
        outbox.wake(self.target(), at, Timer::Workload { generation: self.workload_generation });
    }
}
