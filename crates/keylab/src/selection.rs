//! Which keys a table shows, and in which order, worked out in steps.
//!
//! Deliberately not here: rows. A selection is positions; a table asks for the few it draws.

use std::cmp::Ordering;

use crate::{Keys, Place, Progress, Report};

/// The keys to keep; every condition must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only keys that clients place differently at a count.
    pub disagrees: bool,
    /// Only keys that move between counts.
    pub moves: bool,
    /// Only keys in this partition: the keys that share it.
    pub partition: Option<(Place, u32)>,
    /// Only keys that contain these bytes.
    pub contains: Vec<u8>,
}

impl Filter {
    fn keeps(&self, keys: &Keys, report: &Report, key: usize) -> bool {
        (!self.disagrees || report.disagrees(key, None))
            && (!self.moves || report.key_moves(key, None))
            && self.partition.is_none_or(|(place, partition)| report.partition(place, key) == Some(partition))
            && contains(keys.key(key), &self.contains)
    }
}

fn contains(key: &[u8], part: &[u8]) -> bool {
    part.is_empty() || key.windows(part.len()).any(|window| window == part)
}

/// The order of the keys; equal ones stay in the order of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As in the input.
    #[default]
    Input,
    /// The heaviest first.
    Weight,
    /// By their bytes.
    Key,
    /// By partition; keys that do not decide come last.
    Partition(Place),
}

impl Order {
    fn compare(self, keys: &Keys, report: &Report, one: u32, other: u32) -> Ordering {
        let (a, b) = (one as usize, other as usize);
        let order = match self {
            Self::Input => Ordering::Equal,
            Self::Weight => keys.weight(b).cmp(&keys.weight(a)),
            Self::Key => keys.key(a).cmp(keys.key(b)),
            Self::Partition(place) => {
                let rank = |key| report.partition(place, key).unwrap_or(u32::MAX);
                rank(a).cmp(&rank(b))
            }
        };
        order.then(one.cmp(&other))
    }
}

/// The work of filtering and sorting: scan, sort short runs, merge them until one is left.
#[derive(Clone, Debug)]
pub struct Selection {
    filter: Filter,
    order: Order,
    scanned: usize,
    positions: Vec<u32>,
    sorted_until: usize,
    run: usize,
    merged: Vec<u32>,
    left: usize,
    right: usize,
    done: bool,
}

const RUN: usize = 512;

impl Selection {
    /// Work that has not begun.
    pub fn new(filter: Filter, order: Order) -> Self {
        Self {
            filter,
            order,
            scanned: 0,
            positions: Vec::new(),
            sorted_until: 0,
            run: RUN,
            merged: Vec::new(),
            left: 0,
            right: 0,
            done: false,
        }
    }

    /// Works on about `budget` further keys. `keys` and `report` are the same in every step.
    pub fn advance(&mut self, keys: &Keys, report: &Report, budget: usize) -> Progress {
        report.assert_matches(keys);
        let mut budget = budget.max(1);
        while !self.done && budget > 0 {
            let used = if self.scanned < keys.len() {
                self.scan(keys, report, budget)
            } else if self.order == Order::Input {
                self.done = true;
                0
            } else if self.sorted_until < self.positions.len() {
                self.sort_run(keys, report)
            } else {
                self.merge(keys, report, budget)
            };
            budget = budget.saturating_sub(used);
        }
        self.done |= keys.is_empty();
        self.progress(keys.len())
    }

    /// Positions of the keys, in order.
    ///
    /// # Panics
    /// If something is left to do.
    pub fn into_positions(self) -> Vec<u32> {
        assert!(self.done, "a selection is read when it is done");
        self.positions
    }

    fn progress(&self, total: usize) -> Progress {
        let count = self.positions.len().max(1);
        let passes = count.div_ceil(RUN).next_power_of_two().ilog2();
        let passes_done = (self.run / RUN).ilog2();
        let all = total + if self.order == Order::Input { 0 } else { count * (passes as usize + 1) };
        let now = self.scanned + self.sorted_until + count * passes_done as usize + self.merged.len();
        let done = if self.done { all } else { now.min(all.saturating_sub(1)) };
        Progress { done: done as u64, total: all as u64 }
    }

    fn scan(&mut self, keys: &Keys, report: &Report, budget: usize) -> usize {
        let until = keys.len().min(self.scanned + budget);
        let kept = (self.scanned..until).filter(|key| self.filter.keeps(keys, report, *key));
        self.positions.extend(kept.map(|key| key as u32));
        let used = until - self.scanned;
        self.scanned = until;
        used
    }

    fn sort_run(&mut self, keys: &Keys, report: &Report) -> usize {
        let end = self.positions.len().min(self.sorted_until + RUN);
        let order = self.order;
        self.positions[self.sorted_until..end].sort_unstable_by(|a, b| order.compare(keys, report, *a, *b));
        let used = (end - self.sorted_until) * RUN.ilog2() as usize / 2;
        self.sorted_until = end;
        used
    }

    /// Merges pairs of runs of length `self.run`, one element at a time.
    fn merge(&mut self, keys: &Keys, report: &Report, budget: usize) -> usize {
        let count = self.positions.len();
        if self.run >= count {
            self.done = true;
            return 0;
        }
        if self.merged.is_empty() {
            self.merged.reserve_exact(count);
            (self.left, self.right) = (0, self.run);
        }
        let until = count.min(self.merged.len() + budget);
        let used = until - self.merged.len();
        while self.merged.len() < until {
            let pair = self.merged.len() / (2 * self.run) * (2 * self.run);
            if self.merged.len() == pair {
                (self.left, self.right) = (pair, count.min(pair + self.run));
            }
            let (middle, end) = (count.min(pair + self.run), count.min(pair + 2 * self.run));
            let (left, right) = (self.positions.get(self.left), self.positions.get(self.right));
            let take_left = match (left.filter(|_| self.left < middle), right.filter(|_| self.right < end)) {
                (Some(left), Some(right)) => self.order.compare(keys, report, *left, *right).is_le(),
                (left, _) => left.is_some(),
            };
            let from = if take_left { &mut self.left } else { &mut self.right };
            self.merged.push(self.positions[*from]);
            *from += 1;
        }
        if self.merged.len() == count {
            std::mem::swap(&mut self.positions, &mut self.merged);
            self.merged.clear();
            self.run *= 2;
        }
        used
    }
}

#[cfg(test)]
mod tests {
    use super::{Filter, Order, Selection};
    use crate::{Analysis, Keys, ParseOptions, Parser, Place, Plan, Report};

    fn sample(count: u32) -> (Keys, Report) {
        let mut parser = Parser::new(ParseOptions::default());
        parser.feed(b"key,count\n").unwrap();
        for number in 0..count {
            parser.feed(format!("user-{},{}\n", number * 7919 % 10_007, number * 31 % 97).as_bytes()).unwrap();
        }
        let keys = parser.finish().unwrap().keys;
        let mut analysis = Analysis::new(&keys, Plan::new(&["java", "librdkafka"], &[6, 12]).unwrap());
        analysis.advance(&keys, usize::MAX);
        (keys, analysis.finish())
    }

    /// Equals what the standard library's stable sort gives, for steps of several lengths.
    #[track_caller]
    fn check(count: u32, filter: &Filter, order: Order) {
        let (keys, report) = sample(count);
        let mut expected: Vec<u32> = (0..count).filter(|key| filter.keeps(&keys, &report, *key as usize)).collect();
        expected.sort_by(|a, b| order.compare(&keys, &report, *a, *b));
        for budget in [1_000_000, 700, 1] {
            let mut selection = Selection::new(filter.clone(), order);
            let mut before = 0;
            loop {
                let progress = selection.advance(&keys, &report, budget);
                if progress.is_done() {
                    break;
                }
                assert!(progress.done >= before || selection.scanned < keys.len(), "progress never goes back");
                before = progress.done;
            }
            assert_eq!(selection.into_positions(), expected, "{filter:?} {order:?} steps of {budget}");
        }
    }

    #[test]
    fn every_order_equals_a_stable_sort() {
        let place = Place { client: 1, count: 0 };
        for order in [Order::Input, Order::Weight, Order::Key, Order::Partition(place)] {
            for count in [0, 1, 511, 513, 3_000] {
                check(count, &Filter::default(), order);
            }
        }
    }

    #[test]
    fn every_condition_of_a_filter_must_hold() {
        let place = Place { client: 0, count: 1 };
        let conditions = [
            Filter { disagrees: true, ..Filter::default() },
            Filter { moves: true, ..Filter::default() },
            Filter { partition: Some((place, 7)), ..Filter::default() },
            Filter { contains: b"-99".to_vec(), ..Filter::default() },
            Filter { disagrees: true, moves: true, partition: Some((place, 7)), contains: b"9".to_vec() },
        ];
        for filter in &conditions {
            check(2_000, filter, Order::Weight);
        }
        let (keys, report) = sample(2_000);
        let kept = |filter: &Filter| (0..2_000).filter(|key| filter.keeps(&keys, &report, *key)).count();
        let counts: Vec<_> = conditions.iter().map(kept).collect();
        assert!(counts[4] > 0 && counts[4] < counts[2], "{counts:?}");
        assert!(counts[2] < counts[1] && counts[1] < counts[0], "{counts:?}");
    }
}
