//! Every bound of the engine, with its reason.
//!
//! Kafka's own limits are settings of the nodes and are not here.

/// Brokers of a scenario: more than fit on a stage.
pub const BROKERS_MAX: u32 = 64;
/// Topics at one time.
pub const TOPICS_MAX: u32 = 256;
/// Partitions of one topic; Kafka has no bound, the picture has.
pub const PARTITIONS_MAX: u32 = 4_096;
/// Producer instances of a run, closed ones included.
pub const PRODUCERS_MAX: u32 = 256;
/// Consumer instances of a run, closed ones included.
pub const CONSUMERS_MAX: u32 = 256;
/// Keys of one workload; more belong into the key lab.
pub const KEYS_MAX: u64 = 1_000_000;
/// Records in one burst.
pub const BURST_MAX: u32 = 100_000;
/// Bursts in a second: simulated time counts microseconds.
pub const RATE_MAX: u32 = 1_000_000;
/// Records that a partition may hold at time 0.
pub const PRELOAD_RECORDS_MAX: u64 = 1_000_000_000_000;
/// Batches that a partition may hold at time 0: each is an entry in memory.
pub const PRELOAD_BATCHES_MAX: u64 = 1_000_000;
/// Elections in one round of the controller's timers, as `MAX_ELECTIONS_PER_IMBALANCE`.
pub const ELECTIONS_MAX: usize = 1_000;
/// Commands on one branch: a link holds them all.
pub const COMMANDS_MAX: usize = 10_000;
/// Branches that are kept; the oldest goes first.
pub const BRANCHES_MAX: usize = 32;
/// Bytes of a key.
pub const KEY_BYTES_MAX: usize = 1_048_576;
/// Bytes of a value that are kept as text for showing.
pub const VALUE_TEXT_BYTES_MAX: usize = 1_024;
/// Entries of the event queue: a scenario that needs more is refused by a panic of ours.
pub const QUEUE_MAX: usize = 4_000_000;
/// Entries at one time: more is a loop of ours, which a panic tells of before a page stands still for long.
pub const ENTRIES_AT_ONCE_MAX: u64 = 4_000_000;
/// Joins of a consumer that fail at one time before it pauses: more is a loop where the network has no delay.
pub const JOINS_AT_ONCE_MAX: u32 = 8;
/// Entries between two checkpoints: a seek repeats at most this many.
pub const CHECKPOINT_ENTRIES: u64 = 2_048;
/// Bytes of all checkpoints of one timeline; beyond it every second one goes.
pub const CHECKPOINT_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Events of the trace that are kept in memory; older ones are derived again when they are asked for.
pub const TRACE_EVENTS_MAX: usize = 200_000;
/// Marks on the time bar.
pub const MARKS_MAX: usize = 2_000;
/// Records of a follower in a snapshot: as many as a lane shows.
pub const FOLLOWER_RECORDS_MAX: usize = 64;
/// Records of a partition in a snapshot, at most.
pub const SNAPSHOT_RECORDS_MAX: usize = 10_000;
/// Records of a partition of `__transaction_state` in a snapshot, at least: a coordinator's lane shows states
/// whatever is shown of other logs.
pub const STATE_RECORDS_MIN: usize = 512;
/// The furthest that a simulation may run: 30 days.
pub const TIME_MAX: crate::time::Time = crate::time::Time(30 * 86_400_000_000);
/// Keys whose last partition a producer remembers, for telling that a key has moved.
pub const KEYS_REMEMBERED_MAX: usize = 1_024;
