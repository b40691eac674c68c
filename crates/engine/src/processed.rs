//! Which records the applications of a group have worked on: for the picture only.
//!
//! Nothing in Kafka knows it; committed offsets are in `__consumer_offsets`.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::event::{Name, TopicPartition};

/// Ranges of offsets: the first of each, and the one after its last.
type Ranges = Vec<(u64, u64)>;

/// Ranges of offsets by group and partition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Processed {
    groups: Rc<BTreeMap<(Name, TopicPartition), Ranges>>,
}

impl Processed {
    /// The group has worked on `first` up to but not including `end`.
    pub fn mark(&mut self, group: &Name, partition: &TopicPartition, first: u64, end: u64) {
        if first >= end {
            return;
        }
        let groups = Rc::make_mut(&mut self.groups);
        let ranges = groups.entry((Rc::clone(group), partition.clone())).or_default();
        let at = ranges.partition_point(|(_, until)| *until < first);
        let touched = ranges[at..].iter().take_while(|(from, _)| *from <= end).count();
        let touching = &ranges[at..at + touched];
        let from = touching.first().map_or(first, |(from, _)| (*from).min(first));
        let until = touching.last().map_or(end, |(_, until)| (*until).max(end));
        ranges.splice(at..at + touched, [(from, until)]);
    }

    /// The parts of a range that the group has worked on before.
    pub fn overlap(&self, group: &Name, partition: &TopicPartition, first: u64, end: u64) -> Vec<(u64, u64)> {
        let ranges = self.groups.get(&(Rc::clone(group), partition.clone()));
        let cut = |(from, until): &(u64, u64)| ((*from).max(first), (*until).min(end));
        ranges.into_iter().flatten().map(cut).filter(|(from, until)| from < until).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_grow_together() {
        let (group, partition) = (Name::from("g"), TopicPartition { topic: "t".into(), partition: 0 });
        let mut processed = Processed::default();
        for (first, end) in [(0, 3), (10, 12), (5, 6), (3, 5), (6, 6)] {
            processed.mark(&group, &partition, first, end);
        }
        assert_eq!(processed.overlap(&group, &partition, 0, 100), [(0, 6), (10, 12)]);
        assert_eq!(processed.overlap(&group, &partition, 4, 11), [(4, 6), (10, 11)]);
        processed.mark(&group, &partition, 2, 20);
        assert_eq!(processed.overlap(&group, &partition, 0, 100), [(0, 20)]);
        assert_eq!(processed.overlap(&"other".into(), &partition, 0, 100), []);
    }
}
