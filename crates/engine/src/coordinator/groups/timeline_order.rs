//! The order in which the coordinator's maps of members are walked.
//!
//! Follows `TimelineHashMap` and `BaseHashTable` of Kafka 4.3.1: it decides in which order members are described, and
//! who of two members comes first where an assignor's hash map puts both into one bucket. Only names are kept here.

use assignor::java::string_hash;

use crate::event::Name;

/// Keys in slots; the number of slots is a power of two and never shrinks.
#[derive(Clone, Debug)]
pub(crate) struct TimelineOrder {
    slots: Vec<Vec<Name>>,
    size: u32,
}

/// `BaseHashTable.findSlot`: the upper bits after Fibonacci hashing.
fn slot(key: &str, slots: usize) -> usize {
    let spread = i64::from(string_hash(key)).wrapping_mul(-7_046_029_254_386_353_131) as u64;
    (spread >> (64 - slots.ilog2())) as usize
}

impl Default for TimelineOrder {
    fn default() -> TimelineOrder {
        TimelineOrder { slots: vec![Vec::new(); 2], size: 0 }
    }
}

impl TimelineOrder {
    /// A key that is not there yet.
    pub fn add(&mut self, key: &Name) {
        // More than three quarters of the slots would be taken.
        if u64::from(self.size + 1) * 4 > self.slots.len() as u64 * 3 {
            let count = self.slots.len() * 2;
            let before = std::mem::replace(&mut self.slots, vec![Vec::new(); count]);
            for key in before.into_iter().flatten() {
                self.slots[slot(&key, count)].push(key);
            }
        }
        let place = slot(key, self.slots.len());
        self.slots[place].push(Name::clone(key));
        self.size += 1;
    }

    /// The key is gone.
    pub fn remove(&mut self, key: &Name) {
        let place = slot(key, self.slots.len());
        let before = self.slots[place].len();
        self.slots[place].retain(|other| other != key);
        self.size -= (before - self.slots[place].len()) as u32;
    }

    /// All keys; of those in one slot the newest comes first.
    pub fn iter(&self) -> impl Iterator<Item = &Name> {
        self.slots.iter().flat_map(|slot| slot.iter().rev())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(keys: &[&str]) -> TimelineOrder {
        let mut order = TimelineOrder::default();
        keys.iter().for_each(|key| order.add(&Name::from(*key)));
        order
    }

    /// Members of groups on a running broker, in the order in which they were described.
    #[test]
    fn members_are_described_in_the_recorded_order() {
        let check = |joined: &[&str], left: &[&str], described: &[&str]| {
            let mut order = order(joined);
            left.iter().for_each(|key| order.remove(&Name::from(*key)));
            assert_eq!(order.iter().map(|key| &**key).collect::<Vec<_>>(), described);
        };
        check(
            &["HLi6CDZ-sEilBWkLNv52EQ", "D9fq1d-kmTLmyA5JYmYxmA"],
            &[],
            &["HLi6CDZ-sEilBWkLNv52EQ", "D9fq1d-kmTLmyA5JYmYxmA"],
        );
        check(
            &["JaSVw3eHSVQRU3rgjbo_Hw", "1idiOEvluGQqsFcu0epVPw", "pnYMyin7kK_zLde4BtNy7g"],
            &["1idiOEvluGQqsFcu0epVPw"],
            &["pnYMyin7kK_zLde4BtNy7g", "JaSVw3eHSVQRU3rgjbo_Hw"],
        );
        check(
            &[
                "x9Hft9TVeq5C7sibC273eg",
                "L-R7Ten1aikK5DjvlJmlpQ",
                "Lk4lROpOEy9FBn2l2NXGPA",
                "OmRGqhXkJ_ABVGEzH76Euw",
                "jtsuoFZ1CQ8nWM8YB5iAqw",
                "2EUrbFBKnq6kKk-p29EDgg",
                "lYAxEk7PsSq0SYFVGcqeVw",
                "NkaY_WVYs3BaanmbM-eZfg",
            ],
            &["L-R7Ten1aikK5DjvlJmlpQ", "OmRGqhXkJ_ABVGEzH76Euw"],
            &[
                "lYAxEk7PsSq0SYFVGcqeVw",
                "jtsuoFZ1CQ8nWM8YB5iAqw",
                "NkaY_WVYs3BaanmbM-eZfg",
                "2EUrbFBKnq6kKk-p29EDgg",
                "Lk4lROpOEy9FBn2l2NXGPA",
                "x9Hft9TVeq5C7sibC273eg",
            ],
        );
    }

    #[test]
    fn a_key_that_is_gone_leaves_the_others_where_they_are() {
        let mut three = order(&["a", "b", "c"]);
        let rest: Vec<Name> = three.iter().filter(|key| &***key != "b").cloned().collect();
        three.remove(&Name::from("b"));
        three.remove(&Name::from("b"));
        assert_eq!(three.iter().cloned().collect::<Vec<_>>(), rest);
    }
}
