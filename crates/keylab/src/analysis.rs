//! Places keys in steps, and counts as it goes.
//!
//! Deliberately not here: a clock. The caller says how many keys a step takes, and drops the analysis to cancel it.

use crate::{
    Keys, Load, Overlap, Plan, Report, limits,
    report::{NOT_BY_KEY, pair},
};

/// How far a piece of work has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Units done.
    pub done: u64,
    /// Units in all.
    pub total: u64,
}

impl Progress {
    /// Is everything done?
    pub fn is_done(self) -> bool {
        self.done == self.total
    }
}

/// The work of answering a [`Plan`] for some keys.
#[derive(Debug)]
pub struct Analysis {
    report: Report,
    placed: Vec<i32>,
    done: usize,
    total: usize,
}

/// Keys that are placed for all clients and counts before the next ones: their bytes stay in the cache.
const BLOCK: usize = 1_024;

impl Analysis {
    /// Work that has not begun.
    pub fn new(keys: &Keys, plan: Plan) -> Self {
        let (clients, counts, total) = (plan.clients().len(), plan.counts().len(), keys.len());
        let pairs = |count: usize| vec![Overlap::default(); count * (count - 1) / 2];
        let report = Report {
            placements: plan.places().map(|_| Vec::with_capacity(total)).collect(),
            loads: plan.places().map(|place| vec![Load::default(); plan.counts()[place.count] as usize]).collect(),
            not_by_key: vec![Load::default(); clients * counts],
            agreement: vec![pairs(clients); counts],
            moves: vec![pairs(counts); clients],
            disagreement: vec![Overlap::default(); counts],
            disagrees: Vec::with_capacity(total),
            moving: Vec::with_capacity(total),
            heaviest: Vec::new(),
            plan,
        };
        Self { report, placed: Vec::new(), done: 0, total }
    }

    /// Places about `budget` further keys, at least one. `keys` are those the analysis was made for.
    pub fn advance(&mut self, keys: &Keys, budget: usize) -> Progress {
        assert_eq!(keys.len(), self.total, "an analysis goes on with the keys that it began with");
        let until = self.total.min(self.done.saturating_add(budget.max(1)));
        while self.done < until {
            let end = until.min(self.done + BLOCK);
            self.place(keys, end);
            for key in self.done..end {
                self.compare(keys, key);
            }
            self.done = end;
        }
        Progress { done: self.done as u64, total: self.total as u64 }
    }

    /// The report.
    ///
    /// # Panics
    /// If keys are left to place.
    pub fn finish(self) -> Report {
        assert_eq!(self.done, self.total, "an analysis is finished when every key is placed");
        self.report
    }

    fn place(&mut self, keys: &Keys, end: usize) {
        let block: Vec<&[u8]> = (self.done..end).map(|key| keys.key(key)).collect();
        let Report { plan, placements, loads, not_by_key, .. } = &mut self.report;
        for place in plan.places() {
            let slot = plan.slot(place);
            self.placed.clear();
            plan.clients()[place.client].partition_many(&block, plan.counts()[place.count], &mut self.placed);
            for (key, partition) in (self.done..).zip(&self.placed) {
                let partition = u16::try_from(*partition).unwrap_or(NOT_BY_KEY);
                let load = if partition == NOT_BY_KEY {
                    &mut not_by_key[slot]
                } else {
                    &mut loads[slot][usize::from(partition)]
                };
                load.add(keys.weight(key));
                placements[slot].push(partition);
            }
        }
    }

    fn compare(&mut self, keys: &Keys, key: usize) {
        let weight = keys.weight(key);
        let Report { plan, placements, agreement, moves, disagreement, disagrees, moving, .. } = &mut self.report;
        let (clients, counts) = (plan.clients().len(), plan.counts().len());
        let at = |client: usize, count: usize| placements[client * counts + count][key];
        let mut disagrees_at = 0_u8;
        for count in 0..counts {
            let mut placed = false;
            for one in 0..clients {
                placed |= at(one, count) != NOT_BY_KEY;
                for other in one + 1..clients {
                    if let Some(same) = both_equal(at(one, count), at(other, count)) {
                        agreement[count][pair(one, other, clients)].add(weight, same);
                        disagrees_at |= u8::from(!same) << count;
                    }
                }
            }
            if placed {
                disagreement[count].add(weight, disagrees_at >> count & 1 == 1);
            }
        }
        let mut moves_for = 0_u16;
        for (client, moves) in moves.iter_mut().enumerate() {
            for from in 0..counts {
                for to in from + 1..counts {
                    if let Some(same) = both_equal(at(client, from), at(client, to)) {
                        moves[pair(from, to, counts)].add(weight, !same);
                        moves_for |= u16::from(!same) << client;
                    }
                }
            }
        }
        disagrees.push(disagrees_at);
        moving.push(moves_for);
        note_heavy(&mut self.report.heaviest, keys, key);
    }
}

/// Are two placements equal? `None` unless both are by the key.
fn both_equal(one: u16, other: u16) -> Option<bool> {
    (one != NOT_BY_KEY && other != NOT_BY_KEY).then_some(one == other)
}

/// Keeps the heaviest keys in order; of equally heavy ones the first.
fn note_heavy(heaviest: &mut Vec<u32>, keys: &Keys, key: usize) {
    let weight = keys.weight(key);
    let full = heaviest.len() == limits::HEAVIEST_MAX;
    if full && heaviest.last().is_some_and(|last| keys.weight(*last as usize) >= weight) {
        return;
    }
    let at = heaviest.partition_point(|known| keys.weight(*known as usize) >= weight);
    heaviest.insert(at, key as u32);
    heaviest.truncate(limits::HEAVIEST_MAX);
}

#[cfg(test)]
mod tests {
    use super::Analysis;
    use crate::{Keys, ParseOptions, Parser, Place, Plan, Report};

    fn keys(text: &str) -> Keys {
        let mut parser = Parser::new(ParseOptions::default());
        parser.feed(text.as_bytes()).unwrap();
        parser.finish().unwrap().keys
    }

    /// The keys of the published shares.
    fn users() -> Keys {
        keys(&(0..20_000).map(|number| format!("user-{number}\n")).collect::<String>())
    }

    fn report(keys: &Keys, clients: &[&str], counts: &[u32], budget: usize) -> Report {
        let mut analysis = Analysis::new(keys, Plan::new(clients, counts).unwrap());
        while !analysis.advance(keys, budget).is_done() {}
        analysis.finish()
    }

    #[track_caller]
    fn check(report: &Report, from: u32, to: u32, moved: u64, percent: &str) {
        let position = |wanted| report.plan().counts().iter().position(|count| *count == wanted).unwrap();
        let moves = report.moves(0, position(from), position(to));
        assert_eq!((moves.keys.part, moves.keys.to_string().as_str()), (moved, percent), "{from} to {to}");
        assert_eq!(moves.records, moves.keys);
    }

    #[test]
    fn published_shares_of_keys_move_when_a_topic_grows() {
        let report = report(&users(), &["java"], &[3, 4, 6, 7, 8, 12, 16], 1_000);
        check(&report, 3, 6, 9_935, "49.68 %");
        check(&report, 3, 4, 14_994, "74.97 %");
        check(&report, 6, 8, 14_939, "74.70 %");
        check(&report, 6, 12, 10_053, "50.27 %");
        check(&report, 12, 16, 14_920, "74.60 %");
        check(&report, 6, 7, 17_217, "86.09 %");
    }

    #[test]
    fn published_shares_of_keys_agree_between_clients() {
        let users = users();
        let all = report(&users, &["java", "librdkafka", "librdkafka-murmur2_random", "platformatic"], &[6, 8], 7_777);
        assert_eq!(all.agreement(0, 0, 1).keys.to_string(), "16.95 %");
        assert_eq!(all.agreement(0, 1, 0), all.agreement(0, 0, 1));
        assert_eq!(all.agreement(0, 0, 2).keys.to_string(), "100.00 %");
        // murmur2 read as unsigned: half of all keys elsewhere, and none at a power of two.
        assert_eq!(all.agreement(0, 0, 3).keys.to_string(), "49.92 %");
        assert_eq!(all.agreement(1, 0, 3).keys.to_string(), "100.00 %");
        let thirty = keys(&(1..=30).map(|number| format!("user-{number}\n")).collect::<String>());
        assert_eq!(report(&thirty, &["java", "librdkafka"], &[6], 9).agreement(0, 0, 1).keys.part, 7);
    }

    #[test]
    fn steps_of_any_length_give_the_same_report() {
        let keys = keys("key,count\na,5\nb,0\n,7\nc,5\n\u{e9},1\n");
        let clients = ["java", "librdkafka", "kafka-go", "sarama"];
        let whole = report(&keys, &clients, &[1, 3, 10], usize::MAX);
        for budget in 0..4 {
            assert_eq!(report(&keys, &clients, &[1, 3, 10], budget), whole);
        }
    }

    #[test]
    fn loads_add_up_and_keys_that_do_not_decide_are_counted_apart() {
        let keys = keys("key,count\na,5\nb,0\n,7\nc,5\n");
        let report = report(&keys, &["java", "librdkafka", "kafka-go"], &[3], 10);
        for (client, (placed, apart)) in [(17, 0), (10, 7), (0, 17)].into_iter().enumerate() {
            let place = Place { client, count: 0 };
            let records: u64 = report.loads(place).iter().map(|load| load.records).sum();
            assert_eq!((records, report.not_by_key(place).records), (placed, apart), "client {client}");
        }
        assert_eq!(report.agreement(0, 0, 1).keys.whole, 3, "the empty key is not compared");
        assert_eq!(report.agreement(0, 0, 2).keys.to_string(), "none");
        assert_eq!(report.heaviest(), [2, 0, 3, 1]);
        let java = Place { client: 0, count: 0 };
        let busiest = report.loads(java).iter().map(|load| load.records).max();
        assert_eq!(Some(report.busiest_percent(java)), busiest.map(|records| records * 300 / 17));
    }
}
