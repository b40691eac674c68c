//! A list that grows at its end and is shared between checkpoints.
//!
//! Full chunks, and shelves of chunks, are shared by all clones, so a clone costs a pointer for some
//! thousand items. Nothing in the middle is ever changed.

use std::rc::Rc;

/// Items in a shared chunk.
const CHUNK: usize = 32;
/// Chunks in a shared shelf.
const SHELF_CHUNKS: usize = 64;
/// Items on a shared shelf.
const SHELF: usize = CHUNK * SHELF_CHUNKS;

type Chunk<T> = Rc<[T]>;

/// The list.
#[derive(Clone, Debug)]
pub(crate) struct Shelves<T> {
    shelves: Vec<Rc<[Chunk<T>]>>,
    chunks: Vec<Chunk<T>>,
    tail: Vec<T>,
}

impl<T> Default for Shelves<T> {
    fn default() -> Shelves<T> {
        Shelves { shelves: Vec::new(), chunks: Vec::new(), tail: Vec::new() }
    }
}

impl<T: Clone> Shelves<T> {
    /// How many items there are.
    pub fn len(&self) -> usize {
        self.shelves.len() * SHELF + self.chunks.len() * CHUNK + self.tail.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an item at the end.
    pub fn push(&mut self, item: T) {
        self.tail.push(item);
        if self.tail.len() == CHUNK {
            self.chunks.push(std::mem::take(&mut self.tail).into());
        }
        if self.chunks.len() == SHELF_CHUNKS {
            self.shelves.push(std::mem::take(&mut self.chunks).into());
        }
    }

    /// The item at a place.
    pub fn get(&self, index: usize) -> Option<&T> {
        let (shelf, rest) = (index / SHELF, index % SHELF);
        if let Some(shelf) = self.shelves.get(shelf) {
            return Some(&shelf[rest / CHUNK][rest % CHUNK]);
        }
        let rest = index - self.shelves.len() * SHELF;
        match self.chunks.get(rest / CHUNK) {
            Some(chunk) => Some(&chunk[rest % CHUNK]),
            None => self.tail.get(rest - self.chunks.len() * CHUNK),
        }
    }

    /// The first item.
    pub fn first(&self) -> Option<&T> {
        self.get(0)
    }

    /// The last item.
    pub fn last(&self) -> Option<&T> {
        self.len().checked_sub(1).and_then(|index| self.get(index))
    }

    /// The items from a place on.
    pub fn from(&self, start: usize) -> impl Iterator<Item = &T> {
        (start..self.len()).map_while(|index| self.get(index))
    }

    /// All items.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.from(0)
    }

    /// The place of the first item for which `is_before` does not hold, as of slices.
    pub fn partition_point(&self, is_before: impl Fn(&T) -> bool) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(middle).is_some_and(&is_before) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Drops all items from a place on.
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len() {
            return;
        }
        // What is left of the broken shelf becomes chunks again, and of the broken chunk, the tail.
        let rest: Vec<T> = self.from(len - len % CHUNK).take(len % CHUNK).cloned().collect();
        let shelves = len / SHELF;
        let mut chunks = (len % SHELF) / CHUNK;
        if let Some(shelf) = self.shelves.get(shelves) {
            self.chunks = shelf[..chunks].to_vec();
            chunks = self.chunks.len();
        }
        self.shelves.truncate(shelves);
        self.chunks.truncate(chunks);
        self.tail = rest;
    }

    /// Bytes that a clone does not share.
    pub fn own_bytes(&self) -> u64 {
        let pointers = (self.shelves.len() + self.chunks.len()) * size_of::<Chunk<T>>();
        (pointers + self.tail.len() * size_of::<T>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pushed: usize, kept: usize) {
        let mut list = Shelves::default();
        (0..pushed).for_each(|number| list.push(number));
        let whole = list.clone();
        list.truncate(kept);
        assert!(list.iter().copied().eq(0..kept.min(pushed)), "{pushed} cut to {kept}");
        (list.len()..pushed + 40).for_each(|number| list.push(number));
        assert!(list.iter().copied().eq(0..pushed + 40), "{pushed} cut to {kept} and filled again");
        assert!(whole.iter().copied().eq(0..pushed), "the clone of {pushed} keeps all");
        assert_eq!(whole.partition_point(|number| *number < kept), kept.min(pushed));
    }

    #[test]
    fn a_cut_keeps_what_is_before_it_and_leaves_clones_alone() {
        let lengths = [0, 1, 31, 32, 33, 2_047, 2_048, 2_049, 4_096, 5_000];
        for pushed in lengths {
            for kept in lengths {
                check(pushed, kept);
            }
        }
    }
}
