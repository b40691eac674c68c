//! The wake-ups that a client has asked for, so that none is asked for twice.
//!
//! What is due when it wakes is the client's business.

use std::collections::BTreeSet;

use crate::outbox::Outbox;
use crate::queue::{Target, Timer};
use crate::time::Time;

/// Wake-ups that lie ahead.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alarm {
    ahead: BTreeSet<Time>,
}

impl Alarm {
    /// Wakes the client at `time`, unless it wakes earlier anyway and can look again then.
    pub fn set(&mut self, target: Target, time: Time, outbox: &mut Outbox) {
        let time = time.max(outbox.now());
        if self.ahead.first().is_none_or(|first| time < *first) {
            self.ahead.insert(time);
            outbox.wake(target, time, Timer::Wake);
        }
    }

    /// The client is awake now. Wake-ups of a process that stood still come late, all at once.
    pub fn rang(&mut self, now: Time) {
        while self.ahead.first().is_some_and(|first| *first <= now) {
            self.ahead.pop_first();
        }
    }
}
