//! What a share coordinator makes of a request: pure, from one state to the next.
//!
//! Follows `ShareCoordinatorShard` and `PersisterStateBatchCombiner` of Kafka 4.3.1. When a state counts is not decided
//! here.

use std::rc::Rc;

use crate::error::KafkaError;
use crate::event::internal::{ShareKey, ShareState, ShareStateRecord, StateBatch};
use crate::message::ShareStateAsked;

/// What follows from a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    /// The state from now on.
    pub state: Option<Rc<ShareState>>,
    /// What is written for it; nothing if nothing changes.
    pub record: Option<ShareStateRecord>,
    /// What whoever asked is told.
    pub answer: Option<Rc<ShareState>>,
    /// The partition's leader has written.
    pub is_by_leader: bool,
}

/// Takes a request. Every so many updates the whole state is written.
pub(super) fn take(
    before: Option<&ShareState>,
    key: &ShareKey,
    asked: &ShareStateAsked,
    snapshots_every: u64,
) -> Result<Step, KafkaError> {
    match asked {
        ShareStateAsked::Initialize { state_epoch, start_offset } => {
            if before.is_some_and(|before| before.state_epoch > *state_epoch) {
                return Err(KafkaError::protocol("FENCED_STATE_EPOCH"));
            }
            let snapshot_epoch = before.map_or(0, |before| before.snapshot_epoch + 1);
            let (state_epoch, start_offset) = (*state_epoch, *start_offset);
            let leader_epoch = before.map_or(0, |before| before.leader_epoch);
            let state = ShareState { snapshot_epoch, state_epoch, start_offset, leader_epoch, ..ShareState::default() };
            Ok(whole(key, Rc::new(state), false))
        }
        ShareStateAsked::Read { leader_epoch } => {
            let state = known(before, *leader_epoch)?;
            // A newer leader is remembered, so that the one before cannot write any more.
            if state.leader_epoch == *leader_epoch {
                return Ok(Step {
                    state: None,
                    record: None,
                    answer: Some(Rc::new(state.clone())),
                    is_by_leader: false,
                });
            }
            let state = Rc::new(ShareState { leader_epoch: *leader_epoch, ..state.clone() });
            let value = Rc::new(ShareState { batches: Vec::new(), ..(*state).clone() });
            Ok(Step { answer: Some(Rc::clone(&state)), ..update(key, state, value) })
        }
        ShareStateAsked::Write(change) => {
            let state = known(before, change.leader_epoch)?;
            if change.state_epoch != state.state_epoch {
                return Err(KafkaError::protocol("FENCED_STATE_EPOCH"));
            }
            let mut next = updated(state, change);
            if next.update_count > snapshots_every {
                next.snapshot_epoch += 1;
                next.update_count = 0;
                return Ok(whole(key, Rc::new(next), true));
            }
            Ok(Step { is_by_leader: true, ..update(key, Rc::new(next), Rc::clone(change)) })
        }
        ShareStateAsked::Delete => {
            let record = before.map(|_| ShareStateRecord::Snapshot { key: key.clone(), value: None });
            Ok(Step { state: None, record, answer: None, is_by_leader: false })
        }
    }
}

fn known(before: Option<&ShareState>, leader_epoch: u32) -> Result<&ShareState, KafkaError> {
    let state = before.ok_or_else(|| KafkaError::protocol("UNKNOWN_TOPIC_OR_PARTITION"))?;
    if state.leader_epoch > leader_epoch { Err(KafkaError::protocol("FENCED_LEADER_EPOCH")) } else { Ok(state) }
}

fn whole(key: &ShareKey, state: Rc<ShareState>, is_by_leader: bool) -> Step {
    let record = ShareStateRecord::Snapshot { key: key.clone(), value: Some(Rc::clone(&state)) };
    Step { state: Some(state), record: Some(record), answer: None, is_by_leader }
}

fn update(key: &ShareKey, state: Rc<ShareState>, value: Rc<ShareState>) -> Step {
    let record = ShareStateRecord::Update { key: key.clone(), value };
    Step { state: Some(state), record: Some(record), answer: None, is_by_leader: false }
}

/// The state with a change on top: newer batches cover older ones, and what is below the start offset goes.
pub(super) fn updated(before: &ShareState, change: &ShareState) -> ShareState {
    let start_offset = change.start_offset.or(before.start_offset);
    let mut batches = before.batches.clone();
    for batch in &change.batches {
        batches = covered(&batches, batch);
    }
    let from = start_offset.unwrap_or(0);
    let batches = batches.into_iter().filter(|batch| batch.last_offset >= from);
    let batches = batches.map(|batch| StateBatch { first_offset: batch.first_offset.max(from), ..batch }).collect();
    ShareState {
        snapshot_epoch: before.snapshot_epoch,
        update_count: before.update_count + 1,
        state_epoch: before.state_epoch,
        leader_epoch: change.leader_epoch,
        start_offset,
        delivery_complete_count: change.delivery_complete_count,
        batches: joined(batches),
    }
}

/// Batches in order with another one on top of them.
fn covered(batches: &[StateBatch], new: &StateBatch) -> Vec<StateBatch> {
    let mut result = Vec::with_capacity(batches.len() + 2);
    let before = |batch: &StateBatch| batch.first_offset < new.first_offset;
    for batch in batches.iter().filter(|batch| before(batch)) {
        let last_offset = batch.last_offset.min(new.first_offset - 1);
        result.push(StateBatch { last_offset, ..*batch });
    }
    result.push(*new);
    for batch in batches.iter().filter(|batch| batch.last_offset > new.last_offset) {
        let first_offset = batch.first_offset.max(new.last_offset + 1);
        result.push(StateBatch { first_offset, ..*batch });
    }
    result
}

/// Neighbors that are alike become one batch.
fn joined(batches: Vec<StateBatch>) -> Vec<StateBatch> {
    let mut result: Vec<StateBatch> = Vec::with_capacity(batches.len());
    for batch in batches {
        match result.last_mut() {
            Some(last)
                if last.last_offset + 1 == batch.first_offset
                    && (last.state, last.delivery_count) == (batch.state, batch.delivery_count) =>
            {
                last.last_offset = batch.last_offset;
            }
            _ => result.push(batch),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::TopicPartition;
    use crate::share::RecordState::{self, Acknowledged, Available};

    fn key() -> ShareKey {
        ShareKey { group: "g".into(), partition: TopicPartition { topic: "t".into(), partition: 0 } }
    }

    fn batch(first_offset: u64, last_offset: u64, state: RecordState, delivery_count: u16) -> StateBatch {
        StateBatch { first_offset, last_offset, state, delivery_count }
    }

    fn change(start: u64, batches: &[StateBatch]) -> ShareState {
        ShareState { start_offset: Some(start), batches: batches.to_vec(), ..ShareState::default() }
    }

    #[track_caller]
    fn check(before: &[StateBatch], change_of: ShareState, expected: &[StateBatch]) {
        let before = ShareState { start_offset: Some(0), batches: before.to_vec(), ..ShareState::default() };
        assert_eq!(updated(&before, &change_of).batches, expected);
    }

    #[test]
    fn newer_batches_cover_older_ones() {
        let old = [batch(0, 9, Available, 1)];
        let new = batch(3, 5, Acknowledged, 1);
        check(&old, change(0, &[new]), &[batch(0, 2, Available, 1), new, batch(6, 9, Available, 1)]);
        check(&old, change(4, &[new]), &[batch(4, 5, Acknowledged, 1), batch(6, 9, Available, 1)]);
        check(&[], change(0, &[batch(0, 1, Available, 1), batch(2, 4, Available, 1)]), &[batch(0, 4, Available, 1)]);
        check(&old, change(10, &[]), &[]);
    }

    #[test]
    fn only_the_newest_leader_and_state_epoch_may_write() {
        let asked = |state_epoch, leader_epoch| {
            let state = ShareState { state_epoch, leader_epoch, ..change(0, &[]) };
            let known = ShareState { state_epoch: 1, leader_epoch: 4, ..ShareState::default() };
            take(Some(&known), &key(), &ShareStateAsked::Write(Rc::new(state)), 500).err().map(|error| error.error)
        };
        assert_eq!(asked(1, 4), None);
        assert_eq!(asked(1, 3).as_deref(), Some("FENCED_LEADER_EPOCH"));
        assert_eq!(asked(0, 4).as_deref(), Some("FENCED_STATE_EPOCH"));
        let nothing = take(None, &key(), &ShareStateAsked::Read { leader_epoch: 0 }, 500);
        assert_eq!(nothing.err().map(|error| error.error).as_deref(), Some("UNKNOWN_TOPIC_OR_PARTITION"));
    }

    #[test]
    fn a_reader_in_a_newer_epoch_shuts_the_one_before_out() {
        let known = ShareState { leader_epoch: 4, start_offset: Some(7), ..ShareState::default() };
        let read = |leader_epoch| take(Some(&known), &key(), &ShareStateAsked::Read { leader_epoch }, 500).unwrap();
        assert_eq!(read(4).record, None);
        let newer = read(5);
        assert_eq!(newer.answer.map(|state| (state.leader_epoch, state.start_offset)), Some((5, Some(7))));
        assert!(matches!(newer.record, Some(ShareStateRecord::Update { .. })));
    }

    #[test]
    fn every_so_many_updates_everything_is_written() {
        let mut state = ShareState { start_offset: Some(0), ..ShareState::default() };
        let mut kinds = Vec::new();
        for _ in 0..4 {
            let step = take(Some(&state), &key(), &ShareStateAsked::Write(Rc::new(change(0, &[]))), 2).unwrap();
            kinds.push(matches!(step.record, Some(ShareStateRecord::Snapshot { .. })));
            state = (*step.state.unwrap()).clone();
        }
        assert_eq!((kinds, state.snapshot_epoch), (vec![false, false, true, false], 1));
    }
}
