//! What an analysis found, for reading: placements, loads, agreement, moves. Shares are exact until printed.
//!
//! Deliberately not here: pictures and tables. Whoever shows a report chooses their form.

use std::fmt;

use crate::{Keys, Place, Plan};

/// A placement that the key did not decide, in the 16 bits of a stored placement.
pub(crate) const NOT_BY_KEY: u16 = u16::MAX;

/// Keys, and the records that they stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Load {
    /// Different keys.
    pub keys: u64,
    /// Records: the sum of the keys' weights.
    pub records: u64,
}

impl Load {
    pub(crate) fn add(&mut self, records: u64) {
        self.keys += 1;
        self.records += records;
    }
}

/// An exact fraction that prints as a percentage with two decimals.
///
/// ```
/// use keylab::Share;
/// assert_eq!(Share { part: 3390, whole: 20000 }.to_string(), "16.95 %");
/// assert_eq!(Share { part: 0, whole: 0 }.to_string(), "none");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many of them.
    pub part: u64,
    /// Of how many.
    pub whole: u64,
}

impl Share {
    /// The share in hundredths of a percent, rounded to the nearest; `None` of nothing.
    pub fn basis_points(self) -> Option<u64> {
        let (part, whole) = (u128::from(self.part), u128::from(self.whole));
        (part * 20_000 + whole).checked_div(whole * 2).map(|points| points as u64)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.basis_points() {
            Some(points) => write!(f, "{}.{:02} %", points / 100, points % 100),
            None => f.write_str("none"),
        }
    }
}

/// A share of the keys, and of the records that they stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlap {
    /// Each different key counts once.
    pub keys: Share,
    /// Each key counts with its weight.
    pub records: Share,
}

impl Overlap {
    pub(crate) fn add(&mut self, weight: u64, is_part: bool) {
        self.keys.whole += 1;
        self.records.whole += weight;
        if is_part {
            self.keys.part += 1;
            self.records.part += weight;
        }
    }
}

/// The answer to a [`Plan`] for some keys.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub(crate) plan: Plan,
    /// By slot of the plan, then by key.
    pub(crate) placements: Vec<Vec<u16>>,
    /// By slot, then by partition.
    pub(crate) loads: Vec<Vec<Load>>,
    /// By slot.
    pub(crate) not_by_key: Vec<Load>,
    /// By count, then by pair of clients.
    pub(crate) agreement: Vec<Vec<Overlap>>,
    /// By client, then by pair of counts.
    pub(crate) moves: Vec<Vec<Overlap>>,
    /// By count: keys that not all clients place alike.
    pub(crate) disagreement: Vec<Overlap>,
    /// Per key, one bit per count: clients disagree.
    pub(crate) disagrees: Vec<u8>,
    /// Per key, one bit per client: it moves between two counts.
    pub(crate) moving: Vec<u16>,
    /// Positions of the heaviest keys, the heaviest first.
    pub(crate) heaviest: Vec<u32>,
}

impl Report {
    /// The question.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// How many keys were placed.
    pub fn key_count(&self) -> usize {
        self.disagrees.len()
    }

    /// The partition of a key; `None` if this client does not derive it from the key.
    pub fn partition(&self, place: Place, key: usize) -> Option<u32> {
        let partition = self.placements[self.plan.slot(place)][key];
        (partition != NOT_BY_KEY).then_some(u32::from(partition))
    }

    /// What each partition gets, by number.
    pub fn loads(&self, place: Place) -> &[Load] {
        &self.loads[self.plan.slot(place)]
    }

    /// What this client places without looking at the key.
    pub fn not_by_key(&self, place: Place) -> Load {
        self.not_by_key[self.plan.slot(place)]
    }

    /// The share of keys that two clients place alike at a count, of those that both place by the key.
    pub fn agreement(&self, count: usize, one: usize, other: usize) -> Overlap {
        self.agreement[count][pair(one, other, self.plan.clients().len())]
    }

    /// The share of keys that land elsewhere when a client's topic goes from one count to another.
    pub fn moves(&self, client: usize, from: usize, to: usize) -> Overlap {
        self.moves[client][pair(from, to, self.plan.counts().len())]
    }

    /// The share of keys that not all clients place alike at a count, of those that any client places by the key.
    pub fn disagreement(&self, count: usize) -> Overlap {
        self.disagreement[count]
    }

    /// Do clients disagree about a key, at this count or at any?
    pub fn disagrees(&self, key: usize, count: Option<usize>) -> bool {
        let bits = self.disagrees[key];
        count.map_or(bits != 0, |count| bits >> count & 1 == 1)
    }

    /// Does a key move between any two of the counts, for this client or for any?
    pub fn key_moves(&self, key: usize, client: Option<usize>) -> bool {
        let bits = self.moving[key];
        client.map_or(bits != 0, |client| bits >> client & 1 == 1)
    }

    /// Positions of the heaviest keys, the heaviest first, at most [`HEAVIEST_MAX`](crate::limits::HEAVIEST_MAX).
    pub fn heaviest(&self) -> &[u32] {
        &self.heaviest
    }

    /// How much more the busiest partition gets than an even spread would give it, in percent of the even spread:
    /// 100 is even, 250 is two and a half times as much. By records; 0 if nothing is placed.
    pub fn busiest_percent(&self, place: Place) -> u64 {
        let loads = self.loads(place);
        let total: u128 = loads.iter().map(|load| u128::from(load.records)).sum();
        let busiest = loads.iter().map(|load| load.records).max().unwrap_or(0);
        (u128::from(busiest) * loads.len() as u128 * 100).checked_div(total).map_or(0, |percent| percent as u64)
    }

    /// Memory for placements, in bytes.
    pub fn placement_bytes(&self) -> usize {
        self.placements.len() * self.key_count() * size_of::<u16>()
    }

    pub(crate) fn assert_matches(&self, keys: &Keys) {
        assert_eq!(keys.len(), self.key_count(), "a report is read with the keys that it was made from");
    }
}

/// The position of an unordered pair of different numbers below `count`, among all such pairs.
pub(crate) fn pair(one: usize, other: usize, count: usize) -> usize {
    let (low, high) = (one.min(other), one.max(other));
    assert!(low < high && high < count, "a pair is of two different positions in the plan");
    low * (2 * count - low - 1) / 2 + (high - low - 1)
}

#[cfg(test)]
mod tests {
    use super::{Share, pair};

    #[track_caller]
    fn check(part: u64, whole: u64, expected: &str) {
        assert_eq!(Share { part, whole }.to_string(), expected);
    }

    #[test]
    fn shares_are_rounded_only_when_printed() {
        check(1, 3, "33.33 %");
        check(2, 3, "66.67 %");
        check(1, 8, "12.50 %");
        check(1, 20_000, "0.01 %");
        check(1, 20_001, "0.00 %");
        check(u64::MAX, u64::MAX, "100.00 %");
        check(0, 0, "none");
    }

    #[test]
    fn pairs_are_numbered_without_gaps() {
        let numbers: Vec<_> = (0..5).flat_map(|low| (low + 1..5).map(move |high| pair(high, low, 5))).collect();
        assert_eq!(numbers, (0..10).collect::<Vec<_>>());
    }
}
