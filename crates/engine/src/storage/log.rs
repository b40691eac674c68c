//! The log of one replica: segments in offset order, with log start, end and high watermark.
//!
//! Follows `UnifiedLog` and `LocalLog` of Kafka 4.3.1. Segments are shared between checkpoints, so a clone
//! of a log costs a pointer for each. When its passes run is the broker's business.

use std::rc::Rc;

use super::batch::Batch;
use super::checkpoint::Checkpoint;
use super::epochs::LeaderEpochs;
use super::files::Files;
use super::producers::{ProducerExpiry, ProducerState, ProducerStates};
use super::remote::RemoteSegments;
use super::segment::Segment;
use super::settings::LogSettings;
use super::transactions::Transactions;
use crate::event::RollReason;
use crate::rng::Stream;
use crate::time::{Duration, Time};

/// A new segment was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Roll {
    /// Its first offset.
    pub base_offset: u64,
    pub reason: RollReason,
}

/// One replica's log.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    pub(super) settings: Rc<LogSettings>,
    /// Draws the jitter of each new segment.
    pub(super) jitter: Stream,
    /// Oldest first, never empty; the last one is active.
    pub(super) segments: Vec<Rc<Segment>>,
    /// First offset, remote storage included. Moved by [`Log::advance_log_start`] and retention.
    pub log_start_offset: u64,
    /// The next offset.
    pub log_end_offset: u64,
    /// What this replica takes for the high watermark. Moved by [`Log::set_high_watermark`].
    pub high_watermark: u64,
    /// Bytes of all local segments.
    pub size_bytes: u64,
    pub(super) epochs: LeaderEpochs,
    pub(super) producers: Rc<ProducerStates>,
    pub(super) producer_expiry: ProducerExpiry,
    pub(super) transactions: Transactions,
    /// Producer states at the start of segments, by offset: the `.snapshot` files.
    pub(super) snapshots: Vec<(u64, Rc<ProducerStates>)>,
    pub(super) checkpoint: Checkpoint,
    /// The cleaner's checkpoint.
    pub(super) clean_until: Option<u64>,
    pub(super) files: Files,
    pub(super) remote: RemoteSegments,
}

impl Log {
    /// An empty log with one segment.
    pub fn new(settings: Rc<LogSettings>, now: Time, mut jitter: Stream) -> Log {
        let mut first = Segment::new(0, now, draw_jitter(&settings, &mut jitter));
        // Loading a log opens the index of its active segment.
        first.has_index_file = true;
        Log {
            settings,
            jitter,
            segments: vec![Rc::new(first)],
            log_start_offset: 0,
            log_end_offset: 0,
            high_watermark: 0,
            size_bytes: 0,
            epochs: LeaderEpochs::default(),
            producers: Rc::default(),
            producer_expiry: ProducerExpiry { since: now, ..ProducerExpiry::default() },
            transactions: Transactions::default(),
            snapshots: Vec::new(),
            checkpoint: Checkpoint::new(now),
            clean_until: None,
            files: Files::default(),
            remote: RemoteSegments::default(),
        }
    }

    /// Obeys other settings from now on.
    pub fn set_settings(&mut self, settings: Rc<LogSettings>) {
        self.settings = settings;
    }

    /// The settings that it obeys.
    pub fn settings(&self) -> &LogSettings {
        &self.settings
    }

    /// The segment that is appended to.
    pub(super) fn active(&self) -> &Rc<Segment> {
        self.segments.last().expect("a log has a segment")
    }

    pub(super) fn active_mut(&mut self) -> &mut Segment {
        Rc::make_mut(self.segments.last_mut().expect("a log has a segment"))
    }

    /// First offset of the active segment.
    pub fn active_base_offset(&self) -> u64 {
        self.active().base_offset
    }

    /// Local segments.
    pub fn segment_count(&self) -> u32 {
        self.segments.len() as u32
    }

    /// Appends a batch that a leader has numbered, in a new segment if it must be.
    /// Simplified: a follower closes segments as if each batch came alone; Kafka looks once at all batches
    /// of a fetch, so that a follower's segments may begin at other offsets than the leader's.
    pub fn append_as_follower(&mut self, batch: &Rc<Batch>, now: Time) -> Option<Roll> {
        let roll = self.roll_for(batch, now);
        self.push(Rc::clone(batch), now);
        roll
    }

    /// Opens a new segment if this batch demands it.
    pub(super) fn roll_for(&mut self, batch: &Batch, now: Time) -> Option<Roll> {
        let reason = self.active().roll_reason(&self.settings, batch, now)?;
        // A follower of a compacted log may leave a gap before it.
        self.roll_at(self.log_end_offset.max(batch.base_offset), now, reason)
    }

    pub(super) fn push(&mut self, batch: Rc<Batch>, now: Time) {
        self.epochs.assign(batch.leader_epoch, batch.base_offset);
        self.log_end_offset = batch.end();
        self.size_bytes += u64::from(batch.size_bytes);
        let aborted = if batch.stamp.is_some() { self.note_producer(&batch) } else { None };
        let interval = self.settings.index_interval_bytes;
        let active = self.active_mut();
        active.append(batch, interval, now);
        active.aborted.extend(aborted);
    }

    /// Closes the active segment, unless it is empty.
    pub fn roll(&mut self, now: Time, reason: RollReason) -> Option<Roll> {
        self.roll_at(self.log_end_offset, now, reason)
    }

    fn roll_at(&mut self, base_offset: u64, now: Time, reason: RollReason) -> Option<Roll> {
        if self.active().size_bytes == 0 {
            return None;
        }
        self.active_mut().close();
        let jitter_ms = draw_jitter(&self.settings, &mut self.jitter);
        self.segments.push(Rc::new(Segment::new(base_offset, now, jitter_ms)));
        self.forget_producers(now);
        if self.snapshots.last().is_none_or(|last| last.0 < base_offset) {
            self.snapshots.push((base_offset, Rc::clone(&self.producers)));
        }
        Some(Roll { base_offset, reason })
    }

    /// When producers that write no more are forgotten, from now on.
    pub fn set_producer_expiry(&mut self, after: Duration, every: Duration) {
        self.producer_expiry = ProducerExpiry { after, every, ..self.producer_expiry };
    }

    /// Drops the producers that the last check would have dropped.
    pub(super) fn forget_producers(&mut self, now: Time) {
        let (expiry, now_ms) = (self.producer_expiry, now.millis() as i64);
        if self.producers.values().any(|state| expiry.is_over(state, now_ms)) {
            Rc::make_mut(&mut self.producers).retain(|_, state| !expiry.is_over(state, now_ms));
        }
    }

    /// What is known of a producer, unless the last check would have dropped it.
    pub fn producer(&self, producer_id: u64, now: Time) -> Option<&ProducerState> {
        let state = self.producers.get(&producer_id)?;
        (!self.producer_expiry.is_over(state, now.millis() as i64)).then_some(state)
    }

    /// All producers that are known.
    pub fn known_producers(&self, now: Time) -> impl Iterator<Item = (u64, &ProducerState)> {
        let (expiry, now_ms) = (self.producer_expiry, now.millis() as i64);
        self.producers.iter().filter(move |(_, state)| !expiry.is_over(state, now_ms)).map(|(id, state)| (*id, state))
    }

    /// The snapshot of a segment that goes is renamed like its other files.
    pub(super) fn delete_snapshot(&mut self, offset: u64, gone: Time) {
        if let Ok(place) = self.snapshots.binary_search_by_key(&offset, |(offset, _)| *offset) {
            let (_, states) = self.snapshots.remove(place);
            self.files.delete(Files::snapshot(offset), Files::snapshot_bytes(&states), gone);
        }
    }

    /// Remembers that a leader's records begin here.
    pub fn assign_epoch_start(&mut self, epoch: u32, offset: u64) {
        self.epochs.assign(epoch, offset);
    }

    /// The latest leader epoch in the log.
    pub fn latest_epoch(&self) -> Option<u32> {
        self.epochs.latest()
    }

    /// Leader epochs and where they began, oldest first.
    pub fn leader_epochs(&self) -> &[(u32, u64)] {
        self.epochs.entries()
    }

    /// The largest known epoch up to `epoch`, and where its records end; nothing if `epoch` is newer than all.
    pub fn end_offset_for_epoch(&self, epoch: u32) -> Option<(u32, u64)> {
        self.epochs.end_offset(epoch, self.log_end_offset)
    }

    /// Takes an offset for the high watermark, but nothing outside the log. It may go back.
    pub fn set_high_watermark(&mut self, offset: u64, now: Time) {
        let offset = offset.clamp(self.log_start_offset, self.log_end_offset);
        self.checkpoint.change(self.high_watermark, now);
        self.high_watermark = offset;
        self.transactions.replicated(offset);
    }

    /// The high watermark in the checkpoint file, which is written every
    /// `replica.high.watermark.checkpoint.interval.ms`.
    pub fn checkpointed_high_watermark(&self, now: Time) -> u64 {
        self.checkpoint.value(self.high_watermark, now)
    }

    /// Moves the log start offset forward, as DeleteRecords does and as followers learn it, at most to the
    /// log end. Whole segments below it stay until the next retention pass.
    pub fn advance_log_start(&mut self, offset: u64) {
        let offset = offset.min(self.log_end_offset);
        if offset > self.log_start_offset {
            self.log_start_offset = offset;
            self.high_watermark = self.high_watermark.max(offset);
            self.epochs.truncate_from_start(offset);
        }
    }

    /// Bytes that a clone does not share.
    pub fn own_bytes(&self) -> u64 {
        // The active segment and the producers' state are copied by the first append after a clone.
        let pointers = self.segments.len() * size_of::<Rc<Segment>>() + self.snapshots.len() * 16;
        let pointers = pointers + self.producers.len() * size_of::<ProducerState>();
        let own = self.active().own_bytes() + self.files.own_bytes() + self.transactions.own_bytes();
        size_of::<Log>() as u64 + pointers as u64 + own
    }
}

/// How much earlier than `segment.ms` a new segment may be closed, in milliseconds.
pub(super) fn draw_jitter(settings: &LogSettings, source: &mut Stream) -> i64 {
    match settings.segment_jitter_ms.min(settings.segment_ms) {
        0 => 0,
        bound => source.below(bound as u64) as i64,
    }
}
