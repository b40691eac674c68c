//! The leader epochs of a log: which leader's records begin where.
//!
//! Follows `LeaderEpochFileCache` of Kafka 4.3.1. Who leads is decided by the controller, not here.

/// Leader epochs and the offsets at which they began, oldest first; both grow strictly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeaderEpochs {
    entries: Vec<(u32, u64)>,
}

impl LeaderEpochs {
    /// The entries, as in `leader-epoch-checkpoint`.
    pub fn entries(&self) -> &[(u32, u64)] {
        &self.entries
    }

    /// The latest epoch.
    pub fn latest(&self) -> Option<u32> {
        self.entries.last().map(|(epoch, _)| *epoch)
    }

    /// Remembers that an epoch begins at an offset. Entries that contradict it are dropped.
    pub fn assign(&mut self, epoch: u32, start: u64) {
        let is_known = self.entries.last().is_some_and(|last| last.0 == epoch && last.1 <= start);
        if !is_known {
            while self.entries.last().is_some_and(|last| last.0 >= epoch || last.1 >= start) {
                self.entries.pop();
            }
            self.entries.push((epoch, start));
        }
    }

    /// Where the records of an epoch end: the largest known epoch up to it, and its end. Nothing if the
    /// epoch is newer than all that are known.
    pub fn end_offset(&self, epoch: u32, log_end_offset: u64) -> Option<(u32, u64)> {
        if self.latest() == Some(epoch) {
            return Some((epoch, log_end_offset));
        }
        let next = self.entries.partition_point(|entry| entry.0 <= epoch);
        let (_, end) = self.entries.get(next)?;
        match next.checked_sub(1) {
            Some(floor) => Some((self.entries[floor].0, *end)),
            None => Some((epoch, *end)),
        }
    }

    /// The log was cut: entries that begin at or after its end go.
    pub fn truncate_from_end(&mut self, end: u64) {
        self.entries.retain(|entry| entry.1 < end);
    }

    /// The log begins later: the last entry before its start begins there, older ones go.
    pub fn truncate_from_start(&mut self, start: u64) {
        let later = self.entries.partition_point(|entry| entry.1 <= start);
        if let Some(floor) = later.checked_sub(1) {
            self.entries.drain(..floor);
            self.entries[0].1 = start;
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epochs(entries: &[(u32, u64)]) -> LeaderEpochs {
        let mut epochs = LeaderEpochs::default();
        entries.iter().for_each(|(epoch, start)| epochs.assign(*epoch, *start));
        epochs
    }

    fn check(assigned: &[(u32, u64)], entries: &[(u32, u64)]) {
        assert_eq!(epochs(assigned).entries(), entries, "{assigned:?}");
    }

    #[test]
    fn a_new_epoch_drops_entries_that_contradict_it() {
        check(&[(0, 0), (0, 5), (1, 5)], &[(0, 0), (1, 5)]);
        // An epoch without records leaves no trace once the next one begins at the same offset.
        check(&[(0, 0), (1, 1), (2, 2), (3, 2)], &[(0, 0), (1, 1), (3, 2)]);
        check(&[(0, 0), (3, 7), (2, 5)], &[(0, 0), (2, 5)]);
    }

    #[test]
    fn the_end_of_an_epoch_is_the_start_of_the_next_known_one() {
        let epochs = epochs(&[(1, 3), (2, 5), (5, 9)]);
        let cases =
            [(0, Some((0, 3))), (1, Some((1, 5))), (3, Some((2, 9))), (4, Some((2, 9))), (5, Some((5, 12))), (6, None)];
        for (epoch, end) in cases {
            assert_eq!(epochs.end_offset(epoch, 12), end, "epoch {epoch}");
        }
        assert_eq!(LeaderEpochs::default().end_offset(0, 0), None);
    }

    #[test]
    fn cuts_at_either_end_keep_the_epochs_of_what_is_left() {
        let mut log = epochs(&[(0, 0), (1, 4), (2, 8)]);
        log.truncate_from_end(8);
        assert_eq!(log.entries(), [(0, 0), (1, 4)]);
        log.truncate_from_start(6);
        assert_eq!(log.entries(), [(1, 6)]);
    }
}
