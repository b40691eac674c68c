//! Sorting, and maps and sets gathered from anything, compiled once instead of once per type.
//!
//! The sorts of the standard library bring 4 to 7 KB for every type of element, and so does collecting into a B-tree
//! map; some sixty of them were a twentieth of the browser's module. Meant for lists of a few hundred elements. Long
//! lists of numbers, as the key lab has them, are not sorted here.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Sorting in place; elements that compare equal keep their order.
pub trait Order<T> {
    /// Puts the elements in the order that `compare` says.
    fn order_by(&mut self, compare: impl Fn(&T, &T) -> Ordering);

    /// Puts the elements in the order of their keys.
    fn order_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        self.order_by(|one, other| key(one).cmp(&key(other)));
    }

    /// Puts the elements in their own order.
    fn order(&mut self)
    where
        T: Ord,
    {
        self.order_by(T::cmp);
    }
}

impl<T> Order<T> for [T] {
    fn order_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) {
        let places = ordered_places(self.len(), &|one, other| compare(&self[one], &self[other]));
        move_to_places(places, &mut |one, other| self.swap(one, other));
    }
}

/// For each place of the sorted list, the place where its element stands now.
fn ordered_places(length: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..length).collect();
    places.sort_by(|one, other| compare(*one, *other));
    places
}

/// Swaps until each place has the element that `places` names for it, one cycle after the other.
fn move_to_places(mut places: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..places.len() {
        let mut hole = start;
        while places[hole] != start {
            let from = std::mem::replace(&mut places[hole], hole);
            swap(hole, from);
            hole = from;
        }
        places[hole] = hole;
    }
}

/// The map of these pairs; of two with the same key the later one counts.
pub fn map<K: Ord, V>(pairs: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    for (key, value) in pairs {
        map.insert(key, value);
    }
    map
}

/// The set of these elements.
pub fn set<T: Ord>(elements: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    for element in elements {
        set.insert(element);
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sorts_as_the_standard_library_does() {
        let mut state = 1_u32;
        for length in 0..70 {
            let mut list = Vec::new();
            for number in 0..length {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                list.push((state >> 28, number));
            }
            let mut expected = list.clone();
            expected.sort_by_key(|(key, _)| *key);
            list.order_by_key(|(key, _)| *key);
            assert_eq!(list, expected);
            list.order_by(|one, other| other.cmp(one));
            expected.sort_by(|one, other| other.cmp(one));
            assert_eq!(list, expected);
            list.order();
            expected.sort();
            assert_eq!(list, expected);
        }
    }

    #[test]
    fn it_gathers_as_the_standard_library_does() {
        let pairs = [(3, 'a'), (1, 'b'), (3, 'c')];
        assert_eq!(map(pairs), BTreeMap::from(pairs));
        assert_eq!(set(pairs), BTreeSet::from(pairs));
    }
}
