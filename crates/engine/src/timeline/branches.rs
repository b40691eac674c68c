//! Branches: futures that were set aside by acting in the past.

use serde::Serialize;

use super::{Observer, TimedCommand, Timeline};
use crate::event::Moment;
use crate::limits::BRANCHES_MAX;

/// A future that was set aside.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BranchInfo {
    /// Its number.
    pub id: u64,
    /// Where it left the others.
    pub forked: Moment,
    /// How far it had been run.
    pub end: Moment,
    /// Its commands after the fork.
    pub command_count: u64,
}

#[derive(Clone, Debug)]
struct Branch {
    info: BranchInfo,
    commands: Vec<TimedCommand>,
}

/// The branches, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Branches {
    list: Vec<Branch>,
    next_id: u64,
}

impl<O: Observer> Timeline<O> {
    /// Futures that were set aside, oldest first.
    pub fn branches(&self) -> Vec<BranchInfo> {
        self.branches.list.iter().map(|branch| branch.info.clone()).collect()
    }

    /// Goes on with a branch, at the moment where it was left; the present future is set aside in turn.
    /// False: no such branch.
    pub fn open_branch(&mut self, id: u64) -> bool {
        let Some(index) = self.branches.list.iter().position(|branch| branch.info.id == id) else { return false };
        let branch = self.branches.list.remove(index);
        let forked = branch.info.forked;
        self.seek_moment(forked);
        self.set_future_aside(forked);
        self.commands = branch.commands;
        self.seek_moment(branch.info.end);
        self.seek_moment(forked);
        true
    }

    /// Keeps the future after `moment` (which is the present, before a command that was just applied) as
    /// a branch, and forgets it here.
    pub(super) fn set_future_aside(&mut self, moment: Moment) {
        let command_count = self.commands.len() - self.applied;
        let has_future = self.end.sequence > moment.sequence || command_count > 0;
        if has_future {
            let id = self.branches.next_id;
            self.branches.next_id += 1;
            let info = BranchInfo { id, forked: moment, end: self.end, command_count: command_count as u64 };
            self.branches.list.push(Branch { info, commands: self.commands.clone() });
            let surplus = self.branches.list.len().saturating_sub(BRANCHES_MAX);
            self.branches.list.drain(..surplus);
        }
        self.commands.truncate(self.applied);
        self.cut(moment);
    }

    /// Forgets the future without keeping it.
    pub(super) fn forget_future(&mut self) {
        self.cut(self.moment());
    }

    fn cut(&mut self, moment: Moment) {
        self.checkpoints.truncate(moment.sequence);
        let start = self.checkpoints.at_or_before(moment).moment().sequence;
        self.chunks.truncate(start);
        self.bar.truncate(moment);
        self.end = moment;
        self.revision += 1;
    }
}
