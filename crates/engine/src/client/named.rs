//! A small map by topic name, for what is looked up with every record.
//!
//! Names are shared, so the one that is looked for is nearly always the very one that is kept: two pointers are
//! compared, not two texts. Meant for the topics of one client; everything else has B-trees.

use std::cmp::Ordering;
use std::rc::Rc;

use crate::event::Name;

/// The map, in the order of its names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Named<T> {
    list: Vec<(Name, T)>,
}

impl<T> Default for Named<T> {
    fn default() -> Named<T> {
        Named { list: Vec::new() }
    }
}

impl<T> Named<T> {
    fn place(&self, name: &Name) -> Result<usize, usize> {
        self.list.binary_search_by(|(own, _)| compare(own, name))
    }

    /// What is kept under a name.
    pub fn get(&self, name: &Name) -> Option<&T> {
        self.place(name).ok().map(|place| &self.list[place].1)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, name: &Name) -> Option<&mut T> {
        self.place(name).ok().map(|place| &mut self.list[place].1)
    }

    /// What is kept under a name; made if there is nothing.
    pub fn entry(&mut self, name: &Name, make: impl FnOnce() -> T) -> &mut T {
        let place = match self.place(name) {
            Ok(place) => place,
            Err(place) => {
                self.list.insert(place, (Rc::clone(name), make()));
                place
            }
        };
        &mut self.list[place].1
    }

    /// Keeps something under a name.
    pub fn insert(&mut self, name: Name, value: T) {
        match self.place(&name) {
            Ok(place) => self.list[place].1 = value,
            Err(place) => self.list.insert(place, (name, value)),
        }
    }

    /// Forgets a name.
    pub fn remove(&mut self, name: &Name) {
        if let Ok(place) = self.place(name) {
            self.list.remove(place);
        }
    }

    /// Whether something is kept under a name.
    pub fn contains_key(&self, name: &Name) -> bool {
        self.place(name).is_ok()
    }

    /// Keeps what passes the test.
    pub fn retain(&mut self, mut test: impl FnMut(&Name, &mut T) -> bool) {
        self.list.retain_mut(|(name, value)| test(name, value));
    }

    /// Names and what is kept under them, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &T)> {
        self.list.iter().map(|(name, value)| (name, value))
    }

    /// The same, to change it.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Name, &mut T)> {
        self.list.iter_mut().map(|(name, value)| (&*name, value))
    }

    /// The names, in order.
    pub fn keys(&self) -> impl Iterator<Item = &Name> {
        self.list.iter().map(|(name, _)| name)
    }

    /// What is kept, in the order of the names.
    pub fn into_values(self) -> impl Iterator<Item = T> {
        self.list.into_iter().map(|(_, value)| value)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// Names in order; the text is read only of two that are not the same in memory.
pub(crate) fn compare(one: &Name, other: &Name) -> Ordering {
    if Rc::ptr_eq(one, other) { Ordering::Equal } else { one.cmp(other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_text_wherever_it_lies() {
        let mut map = Named::default();
        for (name, number) in [("orders", 1), ("events", 2), ("views", 3), ("orders", 4)] {
            map.insert(name.into(), number);
        }
        assert!(map.keys().map(|name| &**name).eq(["events", "orders", "views"]));
        assert_eq!(map.get(&"orders".into()), Some(&4));
        assert_eq!((map.get(&"order".into()), map.len()), (None, 3));
        *map.entry(&"clicks".into(), || 0) += 5;
        map.remove(&"views".into());
        assert!(map.iter().map(|(name, number)| (&**name, *number)).eq([("clicks", 5), ("events", 2), ("orders", 4)]));
        map.retain(|_, number| *number > 2);
        assert!(map.into_values().eq([5, 4]));
    }
}
