//! The memory of a producer: buffers that are handed out, and callers that wait for some.
//!
//! Follows `BufferPool` of Kafka 4.3.1. What is written into the buffers is the accumulator's business; here
//! is only how much of `buffer.memory` is taken.

use std::collections::VecDeque;

/// A caller that waits: how much it wants, and how much of it was collected so far.
#[derive(Clone, Copy, Debug)]
struct Waiter {
    ticket: u64,
    wanted: u64,
    collected: u64,
}

/// `buffer.memory`, cut into buffers of `batch.size` and a rest.
#[derive(Clone, Debug)]
pub(crate) struct BufferPool {
    total: u64,
    /// Size of the buffers that are kept for reuse: `batch.size`.
    poolable: u64,
    /// Buffers that were given back and are kept.
    free: u64,
    /// Memory that is neither handed out nor kept as a buffer.
    unpooled: u64,
    waiters: VecDeque<Waiter>,
    tickets: u64,
}

/// What came of asking for memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Allocation {
    /// The caller has it.
    Granted,
    /// The caller waits in line, under this number.
    Waits(u64),
}

impl BufferPool {
    /// An untouched pool.
    pub fn new(total: u64, poolable: u32) -> BufferPool {
        BufferPool {
            total,
            poolable: u64::from(poolable),
            free: 0,
            unpooled: total,
            waiters: VecDeque::new(),
            tickets: 0,
        }
    }

    /// Takes memory, or joins the line. Kafka's exhausted pool is asked by threads; here each caller is one.
    pub fn allocate(&mut self, size: u32) -> Allocation {
        let size = u64::from(size);
        assert!(size <= self.total, "a record that is larger than the pool is refused before it asks");
        if size == self.poolable && self.free > 0 {
            self.free -= 1;
            return Allocation::Granted;
        }
        if self.available() >= size {
            self.free_up(size);
            self.unpooled -= size;
            return Allocation::Granted;
        }
        let ticket = self.tickets;
        self.tickets += 1;
        self.waiters.push_back(Waiter { ticket, wanted: size, collected: 0 });
        Allocation::Waits(ticket)
    }

    /// Gives memory back, then lets those who wait collect, the first in line first.
    pub fn release(&mut self, size: u32) {
        if u64::from(size) == self.poolable {
            self.free += 1;
        } else {
            self.unpooled += u64::from(size);
        }
        self.serve();
    }

    /// A caller gives up; what it had collected goes to the next ones.
    pub fn give_up(&mut self, ticket: u64) {
        let Some(place) = self.waiters.iter().position(|waiter| waiter.ticket == ticket) else { return };
        let gone = self.waiters.remove(place).expect("it was just found");
        self.unpooled += gone.collected;
        self.serve();
    }

    /// Whether a caller still waits.
    pub fn is_waiting(&self, ticket: u64) -> bool {
        self.waiters.iter().any(|waiter| waiter.ticket == ticket)
    }

    /// `queued`: how many wait.
    pub fn waiting(&self) -> u32 {
        self.waiters.len() as u32
    }

    /// `availableMemory`: what is not handed out, nor collected by somebody who waits.
    pub fn available(&self) -> u64 {
        self.unpooled + self.free * self.poolable
    }

    /// `buffer.memory`.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// `batch.size`.
    pub fn poolable(&self) -> u64 {
        self.poolable
    }

    fn serve(&mut self) {
        while let Some(first) = self.waiters.front_mut() {
            if first.collected == 0 && first.wanted == self.poolable && self.free > 0 {
                self.free -= 1;
            } else {
                let missing = first.wanted - first.collected;
                while self.free > 0 && self.unpooled < missing {
                    self.free -= 1;
                    self.unpooled += self.poolable;
                }
                let got = missing.min(self.unpooled);
                self.unpooled -= got;
                first.collected += got;
                if first.collected < first.wanted {
                    return;
                }
            }
            self.waiters.pop_front();
        }
    }

    /// Turns kept buffers into plain memory until there is enough of it.
    fn free_up(&mut self, size: u64) {
        while self.free > 0 && self.unpooled < size {
            self.free -= 1;
            self.unpooled += self.poolable;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Allocation::{Granted, Waits};
    use super::BufferPool;

    /// Available memory after each step: sizes above 0 are asked for, below 0 are given back.
    fn check(what: &str, total: u64, steps: &[(i64, u64)]) {
        let mut pool = BufferPool::new(total, 100);
        for (step, available) in steps {
            match u32::try_from(*step) {
                Ok(size) => drop(pool.allocate(size)),
                Err(_) => pool.release(step.unsigned_abs() as u32),
            }
            assert_eq!(pool.available(), *available, "{what}: {step}");
        }
    }

    #[test]
    fn buffers_are_kept_and_taken_apart_as_needed() {
        check("all comes back", 250, &[(100, 150), (100, 50), (-100, 150), (-100, 250)]);
        check("a kept buffer is taken apart", 200, &[(100, 100), (-100, 200), (150, 50)]);
        check("what does not fit waits for a kept buffer", 250, &[(100, 150), (100, 50), (100, 50), (-100, 50)]);
    }

    #[test]
    fn the_first_in_line_is_served_first() {
        let mut pool = BufferPool::new(200, 100);
        assert_eq!([pool.allocate(100), pool.allocate(100)], [Granted, Granted]);
        assert_eq!([pool.allocate(150), pool.allocate(50)], [Waits(0), Waits(1)]);
        pool.release(100);
        assert_eq!([pool.is_waiting(0), pool.is_waiting(1)], [true, true], "the large one collects in pieces");
        pool.release(100);
        assert_eq!([pool.is_waiting(0), pool.is_waiting(1)], [false, false]);
        assert_eq!(pool.available(), 0);
    }

    #[test]
    fn who_gives_up_leaves_what_was_collected_to_the_next() {
        let mut pool = BufferPool::new(200, 100);
        pool.allocate(100);
        pool.allocate(100);
        assert_eq!([pool.allocate(150), pool.allocate(60)], [Waits(0), Waits(1)]);
        pool.release(100);
        pool.give_up(0);
        assert_eq!([pool.waiting(), pool.is_waiting(1) as u32], [0, 0]);
        assert_eq!(pool.available(), 40);
    }
}
