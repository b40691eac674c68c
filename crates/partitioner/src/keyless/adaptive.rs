//! Tables of weights: partitions with short queues are drawn more often.
//!
//! Deliberately not here: when a table is replaced; the owner of the queues decides that.

use alloc::vec::Vec;

use super::View;

/// Cumulated weights over partitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LoadTable {
    partitions: Vec<u32>,
    cumulated: Vec<u64>,
}

impl LoadTable {
    /// `BuiltInPartitioner.updatePartitionLoadStats` of Kafka 3.3 and later: the weight is the longest queue plus
    /// one minus the own queue. No table if the topic has fewer than two partitions, if some partition has no
    /// queue yet, if no partition is left, or if all partitions are there with queues of equal length.
    pub(super) fn java(view: &View) -> Option<Self> {
        let sizes = queue_of_every_partition(view)?;
        let partitions = eligible(view, sizes);
        let longest = partitions.iter().map(|partition| size(sizes, *partition)).max()?;
        let equal = partitions.iter().all(|partition| size(sizes, *partition) == longest);
        if sizes.len() < 2 || equal && partitions.len() == sizes.len() {
            return None;
        }
        Some(Self::cumulate(partitions, |partition| longest + 1 - size(sizes, partition)))
    }

    /// franz-go weighs a partition by 1 / (records waiting + 1).
    ///
    /// Simplified: franz-go computes with floating point numbers; these are integers of 32 fractional bits.
    pub(super) fn franz_go(view: &View) -> Option<Self> {
        let sizes = queue_of_every_partition(view)?;
        let partitions = eligible(view, sizes);
        if partitions.is_empty() {
            return None;
        }
        Some(Self::cumulate(partitions, |partition| (1 << 32) / (size(sizes, partition) + 1)))
    }

    /// The first partition whose cumulated weight is above `random` modulo the total.
    pub(super) fn draw(&self, random: u32) -> u32 {
        self.at(u64::from(random) % self.total())
    }

    /// The partition at the fraction `random` / 2^31 of the total, walked from the last partition to the first.
    pub(super) fn draw_from_the_last(&self, random: u32) -> u32 {
        let share = (u128::from(self.total()) * u128::from(random)) >> 31;
        self.at(self.total() - 1 - share as u64)
    }

    pub(super) fn partitions(&self) -> &[u32] {
        &self.partitions
    }

    pub(super) fn cumulated(&self) -> &[u64] {
        &self.cumulated
    }

    fn at(&self, weight: u64) -> u32 {
        let index = self.cumulated.partition_point(|end| *end <= weight);
        self.partitions[index.min(self.partitions.len() - 1)]
    }

    fn total(&self) -> u64 {
        *self.cumulated.last().expect("a table has at least one partition")
    }

    fn cumulate(partitions: Vec<u32>, weight: impl Fn(u32) -> u64) -> Self {
        let mut sum = 0;
        let cumulated = partitions
            .iter()
            .map(|partition| {
                sum += weight(*partition);
                sum
            })
            .collect();
        Self { partitions, cumulated }
    }
}

fn queue_of_every_partition<'a>(view: &View<'a>) -> Option<&'a [u32]> {
    view.queue_sizes.filter(|sizes| sizes.len() >= view.partitions as usize)
}

fn eligible(view: &View, sizes: &[u32]) -> Vec<u32> {
    let present = |partition: &u32| sizes.get(*partition as usize).is_some_and(|size| *size != View::LEFT_OUT);
    view.available.iter().copied().filter(present).collect()
}

fn size(sizes: &[u32], partition: u32) -> u64 {
    u64::from(sizes[partition as usize])
}
