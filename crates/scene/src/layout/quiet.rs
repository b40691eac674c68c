//! Partitions that nobody has written to yet: small boxes instead of empty lanes, on a stage of transactions and where
//! readers have chosen other partitions.
//!
//! A box opens into a lane as soon as a record is meant for its partition, so no record flies to a box. Other stages
//! keep their empty lanes: there it is worth seeing which partitions get nothing.

use std::collections::BTreeSet;

use engine::Snapshot;
use engine::event::{Name, TopicPartition};
use engine::order;
use engine::snapshot::{ConsumerSnapshot, PartitionSnapshot};

use super::Layout;
use super::brokers::Held;
use crate::display::Face;
use crate::members::membership;
use crate::stage::{Area, LaneForm, QuietBox, is_transactional, shown_topics};
use crate::text;

/// With so many partitions all have lanes.
const ALL_LANES: usize = 4;
/// Boxes on one stage, at most; with more partitions the forms for many are better.
const BOXES: usize = 96;
/// The same for partitions as a whole.
const PARTITIONS: usize = 144;
const BOX: f32 = 22.0;
const BOX_GAP: f32 = 4.0;
/// Between the lanes of a broker and the boxes.
const TOP: f32 = 4.0;
/// From row to row of boxes.
const PITCH: f32 = 28.0;
/// Between the name of a topic and its boxes, where these do not begin where lanes do.
const NAME_GAP: f32 = 12.0;
/// A name leaves at least so much of the width to boxes.
const NAME_SHARE: f32 = 0.6;

/// Which partitions are quiet.
#[derive(Default)]
pub(super) struct Quiet(BTreeSet<(Name, u32)>);

impl Quiet {
    /// None where there is nothing to gain, or too many.
    pub fn of(snapshot: &Snapshot, selected: Option<&str>) -> Quiet {
        let all = || shown_topics(snapshot).flat_map(|topic| topic.partitions.iter().map(move |one| (topic, one)));
        let is_transactional = is_transactional(snapshot);
        if !is_transactional && !are_chosen(snapshot) || !(ALL_LANES + 1..=PARTITIONS).contains(&all().count()) {
            return Quiet::default();
        }
        let (awaited, read) = (awaited(snapshot), if is_transactional { BTreeSet::new() } else { read(snapshot) });
        let quiet = all().filter(|(topic, partition)| {
            let place = (topic.name.clone(), partition.partition);
            let is_told = awaited.contains(&place) || read.contains(&place) || is_selected(selected, &place);
            is_untouched(partition) && !is_told
        });
        let quiet: BTreeSet<(Name, u32)> = order::set(quiet.map(|(topic, one)| (topic.name.clone(), one.partition)));
        if quiet.len() > BOXES { Quiet::default() } else { Quiet(quiet) }
    }

    pub fn holds(&self, topic: &Name, partition: u32) -> bool {
        !self.0.is_empty() && self.0.contains(&(topic.clone(), partition))
    }
}

/// Nothing was ever written, and nothing is wrong with it that its lane would tell.
fn is_untouched(partition: &PartitionSnapshot) -> bool {
    let is_moving = !partition.adding.is_empty() || !partition.removing.is_empty();
    partition.log_end_offset == 0 && partition.logs.iter().all(|log| log.log_end_offset == 0) && !is_moving
}

/// Whether readers tell which partitions count: all have begun, so each is known with what it reads. What members of
/// groups own is not their choice, and what nobody owns is worth seeing.
fn are_chosen(snapshot: &Snapshot) -> bool {
    let has_chosen = |reader: &ConsumerSnapshot| !reader.positions.is_empty() && membership(reader).is_none();
    !snapshot.consumers.is_empty() && snapshot.consumers.iter().all(has_chosen)
}

/// Partitions that somebody reads.
fn read(snapshot: &Snapshot) -> BTreeSet<(Name, u32)> {
    let positions = snapshot.consumers.iter().flat_map(|reader| &reader.positions);
    order::set(positions.map(|at| (at.topic.clone(), at.partition)))
}

/// Partitions that records or markers are meant for.
fn awaited(snapshot: &Snapshot) -> BTreeSet<(Name, u32)> {
    let place = |at: &TopicPartition| (at.topic.clone(), at.partition);
    let batches = snapshot.producers.iter().flat_map(|producer| &producer.batches);
    let parts = snapshot.producers.iter().flat_map(|producer| &producer.transaction_partitions);
    let coordinated = snapshot.transactions.iter().flat_map(|transaction| &transaction.partitions);
    let on_the_way = snapshot.in_flight.iter().flat_map(|message| &message.batches).map(|batch| &batch.partition);
    let known = parts.chain(coordinated).chain(on_the_way).map(place);
    order::set(batches.map(|batch| (batch.topic.clone(), batch.partition)).chain(known))
}

fn is_selected(selected: Option<&str>, (topic, partition): &(Name, u32)) -> bool {
    selected.and_then(|id| id.strip_prefix("partition:")).is_some_and(|id| *id == format!("{topic}-{partition}"))
}

impl Layout<'_> {
    /// The quiet partitions of a broker, from a top edge on; the bottom edge of the last ones.
    pub(super) fn quiet(&mut self, broker: Option<u32>, topics: &[Held], at: Area) -> f32 {
        let mut y = at.y;
        for (index, held) in topics.iter().enumerate() {
            y = self.quiet_topic(broker, held, Area { y: y + if index == 0 { TOP } else { 0.0 }, ..at });
        }
        y
    }

    /// The name of a topic, then a box for each of its quiet partitions.
    fn quiet_topic(&mut self, broker: Option<u32>, held: &Held, at: Area) -> f32 {
        let is_beside = matches!(self.lanes.form, LaneForm::Full | LaneForm::Row);
        let name_width = if is_beside {
            self.lanes.name_width + 14.0
        } else {
            (text::width(&held.topic, 12.0, Face::Mono) + NAME_GAP).min(at.width * NAME_SHARE).ceil()
        };
        let columns = (((at.width - name_width + BOX_GAP) / (BOX + BOX_GAP)).floor() as usize).max(1);
        for (index, partition) in held.partitions.iter().enumerate() {
            let (row, column) = (index / columns, index % columns);
            let x = at.x + name_width + column as f32 * (BOX + BOX_GAP);
            let area = Area::new(x, at.y + row as f32 * PITCH, BOX, BOX);
            let mut lane = self.lane(broker, held, &[*partition], area, area);
            lane.form = LaneForm::Cell;
            self.stage.lanes.push(lane);
        }
        let rows = held.partitions.len().div_ceil(columns);
        let area = Area::new(at.x, at.y, name_width, BOX);
        self.stage.quiet.push(QuietBox { topic: held.topic.clone(), broker, area, is_beside });
        at.y + rows as f32 * PITCH
    }
}

#[cfg(test)]
mod tests {
    use engine::snapshot::BatchSnapshot;
    use engine::transaction::ClientState;

    use super::*;
    use crate::{LayoutOptions, layout, sample};

    /// How many of eight partitions, of which number 2 has a record, have lanes.
    fn check(change: impl FnOnce(&mut Snapshot), lanes: &[u32]) {
        let mut snapshot = sample::cluster(3);
        snapshot.topics.push(sample::topic("fares", 8, 3));
        sample::append(&mut snapshot.topics[0].partitions[2], sample::record(0, Some("trip-9001")));
        snapshot.producers.push(sample::transactions::writer("service", ClientState::Ready));
        snapshot.producers[0].transaction_partitions.clear();
        snapshot.producers[0].batches.clear();
        change(&mut snapshot);
        let stage = layout(&snapshot, &LayoutOptions::new(1_180.0));
        let found = (0..8).filter(|one| stage.lane("fares", *one).is_some_and(|lane| lane.form == LaneForm::Full));
        assert_eq!(found.collect::<Vec<u32>>(), lanes);
        assert!((0..8).all(|one| stage.lane("fares", one).is_some()), "every partition is on the stage");
    }

    #[test]
    fn a_box_opens_before_a_record_comes_to_it() {
        check(|_| {}, &[2]);
        let batch =
            BatchSnapshot { topic: "fares".into(), partition: 5, record_count: 1, size_bytes: 80, is_in_flight: false };
        check(|snapshot| snapshot.producers[0].batches.push(batch), &[2, 5]);
        // A move shows how far it has come.
        check(|snapshot| snapshot.topics[0].partitions[3].adding = vec![2], &[2, 3]);
    }

    #[test]
    fn stages_without_transactions_keep_their_empty_lanes_unless_readers_chose_others() {
        let all = [0, 1, 2, 3, 4, 5, 6, 7];
        check(|snapshot| snapshot.producers.clear(), &all);
        check(
            |snapshot| {
                snapshot.producers.clear();
                let mut reader = sample::reader("console", "fares", 1, 0);
                reader.positions.iter_mut().for_each(|at| at.partition = 6);
                snapshot.consumers.push(reader);
            },
            &[2, 6],
        );
    }
}
