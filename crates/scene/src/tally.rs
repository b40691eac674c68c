//! How often in-sync sets changed up to a moment, for panels that show what Kafka's meters count.
//!
//! Kept with the pace, so that a moment has the same counts however it was reached. It draws nothing.

use engine::event::EventKind;

/// Counts since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// In-sync sets that lost a replica.
    pub isr_shrinks: u64,
    /// In-sync sets that got a replica.
    pub isr_expands: u64,
}

impl Tally {
    /// Takes an event in. A change that swaps replicas counts as both.
    pub(crate) fn count(&mut self, kind: &EventKind) {
        if let EventKind::IsrChanged { before, isr, .. } = kind {
            self.isr_shrinks += u64::from(before.iter().any(|id| !isr.contains(id)));
            self.isr_expands += u64::from(isr.iter().any(|id| !before.contains(id)));
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::event::{EventKind, TopicPartition};

    use super::Tally;

    fn check(before: &[u32], isr: &[u32], shrinks: u64, expands: u64) {
        let mut tally = Tally::default();
        tally.count(&EventKind::IsrChanged {
            partition: TopicPartition { topic: "t".into(), partition: 0 },
            before: before.into(),
            isr: isr.into(),
            elr: [].into(),
            last_known_elr: [].into(),
        });
        assert_eq!((tally.isr_shrinks, tally.isr_expands), (shrinks, expands), "{before:?} {isr:?}");
    }

    #[test]
    fn a_set_shrinks_grows_or_does_both() {
        check(&[1, 2, 3], &[1, 2], 1, 0);
        check(&[1], &[1, 3], 0, 1);
        check(&[1, 2], &[1, 3], 1, 1);
        check(&[1, 2], &[2, 1], 0, 0);
    }
}
