//! The bench's work as a plain wasm module, built with the settings of the site's module.
//!
//! Exports take and return numbers, so that Node needs no glue; the clock is Node's.

#![expect(unsafe_code, reason = "an export without mangling is an unsafe attribute, though nothing here is unsafe")]

use std::cell::RefCell;

use tests::bench::{self, assign, rebalance};

thread_local! {
    static KEYS: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
    static GROUP: RefCell<Option<assign::Group>> = const { RefCell::new(None) };
    static TIMELINE: RefCell<Option<engine::Timeline>> = const { RefCell::new(None) };
}

fn client(number: u32) -> &'static str {
    if number == 0 { "java" } else { "librdkafka" }
}

/// Makes the keys of the next measurements; returns how many.
#[unsafe(no_mangle)]
pub extern "C" fn make_keys(length: u32) -> u32 {
    KEYS.with(|keys| *keys.borrow_mut() = bench::keys(length as usize));
    bench::KEYS as u32
}

/// Places the keys one by one: client 0 is java, 1 is librdkafka.
#[unsafe(no_mangle)]
pub extern "C" fn place_one_by_one(number: u32) -> u64 {
    KEYS.with(|keys| bench::place_one_by_one(client(number), &keys.borrow()))
}

/// Places the keys in one call.
#[unsafe(no_mangle)]
pub extern "C" fn place_many(number: u32) -> u64 {
    KEYS.with(|keys| bench::place_many(client(number), &keys.borrow(), &mut Vec::with_capacity(bench::KEYS)))
}

/// Runs the busy cluster for so many simulated seconds; returns the entries that were processed.
#[unsafe(no_mangle)]
pub extern "C" fn run(seconds: u32) -> u64 {
    let timeline = bench::run(bench::busy(), u64::from(seconds));
    let entries = timeline.moment().sequence;
    TIMELINE.with(|kept| *kept.borrow_mut() = Some(timeline));
    entries
}

/// Runs the loaded cluster until it has written a million records; returns the entries that were processed.
#[unsafe(no_mangle)]
pub extern "C" fn load() -> u64 {
    bench::run(bench::loaded(), bench::MILLION_RECORDS_SECONDS).moment().sequence
}

/// Runs a minute of the producer that fills its buffer, or of one that the brokers keep up with; returns the
/// records in the logs. As natively, taking the run apart is not part of it.
#[unsafe(no_mangle)]
pub extern "C" fn fill(keeps_up: u32) -> u64 {
    let scenario = if keeps_up == 0 { bench::fill_the_buffer() } else { bench::keep_up() };
    let timeline = bench::run(scenario, bench::FILL_SECONDS);
    let records = bench::records(&timeline);
    TIMELINE.with(|kept| *kept.borrow_mut() = Some(timeline));
    records
}

/// Drops the run that is kept.
#[unsafe(no_mangle)]
pub extern "C" fn forget() {
    TIMELINE.with(|kept| *kept.borrow_mut() = None);
}

/// Seeks in the cluster that was run; returns the digest of the trace there.
#[unsafe(no_mangle)]
pub extern "C" fn seek(micros: f64) -> u64 {
    TIMELINE.with(|kept| {
        kept.borrow_mut().as_mut().map_or(0, |timeline| {
            timeline.seek(engine::Time(micros as u64));
            timeline.trace_hash()
        })
    })
}

/// Bytes of all checkpoints of the cluster that was run.
#[unsafe(no_mangle)]
pub extern "C" fn checkpoint_bytes() -> u64 {
    TIMELINE.with(|kept| kept.borrow().as_ref().map_or(0, engine::Timeline::checkpoint_bytes))
}

/// How many assignments are measured.
#[unsafe(no_mangle)]
pub extern "C" fn assignments() -> u32 {
    assign::rows().count() as u32
}

/// Makes the group of a measurement; its name is then in `name_byte`.
#[unsafe(no_mangle)]
pub extern "C" fn make_group(row: u32) {
    if let Some((number, case, size)) = assign::rows().nth(row as usize) {
        GROUP.with(|group| *group.borrow_mut() = Some(assign::Group::new(size, case, number)));
    }
}

/// A byte of the name of a measurement; 0 behind its end.
#[unsafe(no_mangle)]
pub extern "C" fn name_byte(row: u32, place: u32) -> u32 {
    let name = assign::rows().nth(row as usize).map(|(number, case, size)| assign::figure(number, case, size));
    name.and_then(|name| name.as_bytes().get(place as usize).copied()).map_or(0, u32::from)
}

/// Assigns the partitions of the group that was made; returns how many.
#[unsafe(no_mangle)]
pub extern "C" fn assign_group(row: u32) -> u64 {
    let number = assign::rows().nth(row as usize).map_or(0, |(number, ..)| number);
    GROUP.with(|group| group.borrow().as_ref().map_or(0, |group| group.run(number)))
}

/// Makes the large group of that kind, at rest.
#[unsafe(no_mangle)]
pub extern "C" fn make_large_group(kind: u32) {
    let settled = rebalance::settled(kind as usize);
    TIMELINE.with(|kept| *kept.borrow_mut() = Some(settled));
}

/// One more member joins it; returns the entries that were processed until it has settled again.
#[unsafe(no_mangle)]
pub extern "C" fn rebalance(kind: u32) -> u64 {
    TIMELINE.with(|kept| kept.borrow_mut().as_mut().map_or(0, |timeline| rebalance::join(kind as usize, timeline)))
}
