//! Topics of a group as assignors want them: by number, with their ids; and a hash that tells when they have changed.
//!
//! Deliberately not here: which topics a group subscribes to.

use std::collections::BTreeMap;
use std::rc::Rc;

use assignor::server;
use assignor::{TopicPartition as Place, Uuid};

use crate::event::{Name, TopicPartition};
use crate::message::{BrokerImage, ClusterImage};

/// Topics by number.
pub(super) struct Topics<'a> {
    pub names: Vec<&'a Name>,
    pub numbers: BTreeMap<&'a Name, u32>,
    image: &'a ClusterImage,
}

impl<'a> Topics<'a> {
    /// The topics of these names that are there; names may come twice.
    pub fn of(names: impl Iterator<Item = &'a Name>, image: &'a ClusterImage) -> Topics<'a> {
        let mut numbers: BTreeMap<&Name, u32> = BTreeMap::new();
        for name in names {
            if let Some((known, _)) = image.topics.get_key_value(name) {
                numbers.insert(known, 0);
            }
        }
        numbers.values_mut().zip(0..).for_each(|(number, place)| *number = place);
        Topics { names: numbers.keys().copied().collect(), numbers, image }
    }

    /// `ModernGroup.computeMetadataHash`: another id, other partitions or other racks of a topic make another hash.
    pub fn hash(&self) -> u64 {
        if self.names.is_empty() {
            return 0;
        }
        let rack = |(id, broker): (&u32, &BrokerImage)| Some((*id, Hash::of(broker.rack.as_ref()?)));
        let racks: BTreeMap<u32, u64> = self.image.brokers.iter().filter_map(rack).collect();
        let mut hash = Hash::default();
        for name in &self.names {
            let topic = &self.image.topics[*name];
            hash.text(name);
            hash.text(&topic.topic_id);
            hash.number(topic.partitions.len() as u64);
            let by_rack = topic.partitions.iter().filter(|_| !racks.is_empty());
            by_rack.for_each(|partition| {
                // Racks of a partition have no order.
                let known = partition.replicas.iter().filter_map(|id| racks.get(id));
                hash.number(known.fold(0, |sum, rack| sum.wrapping_add(*rack)));
            });
        }
        hash.0
    }

    /// A topic as an assignor wants it. `assignable`: in a share group, the partitions that may be given.
    pub fn describe<'b>(&self, name: &'b Name, assignable: Option<&'b [u32]>) -> server::Topic<'b> {
        let topic = &self.image.topics[name];
        server::Topic {
            name,
            id: Uuid::parse(&topic.topic_id).unwrap_or_default(),
            partitions: Some(topic.partitions.len() as u32),
            assignable,
        }
    }

    /// Partitions that are there, by number.
    pub fn places(&self, partitions: &[TopicPartition]) -> Vec<Place> {
        let place = |partition: &TopicPartition| {
            let (name, topic) = self.numbers.get_key_value(&partition.topic)?;
            let count = self.image.topics[*name].partitions.len() as u32;
            (partition.partition < count).then(|| Place::new(*topic, partition.partition))
        };
        partitions.iter().filter_map(place).collect()
    }

    /// The partitions behind numbers: topics stay in the order in which the assignor came by them.
    pub fn dealt(&self, places: Vec<Place>) -> Rc<[TopicPartition]> {
        let mut met: BTreeMap<u32, usize> = BTreeMap::new();
        for place in &places {
            let before = met.len();
            met.entry(place.topic).or_insert(before);
        }
        let mut topics: Vec<Vec<Place>> = vec![Vec::new(); met.len()];
        places.into_iter().for_each(|place| topics[met[&place.topic]].push(place));
        topics.into_iter().flat_map(|own| self.partitions(own).to_vec()).collect()
    }

    /// The partitions behind numbers, in order.
    pub fn partitions(&self, mut places: Vec<Place>) -> Rc<[TopicPartition]> {
        places.sort_unstable();
        let name = |place: Place| TopicPartition {
            topic: Rc::clone(self.names[place.topic as usize]),
            partition: place.partition,
        };
        places.into_iter().map(name).collect()
    }
}

/// FNV-1a over bytes, 64 bits.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn of(text: &str) -> u64 {
        let mut hash = Hash::default();
        hash.text(text);
        hash.0
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        text.bytes().for_each(|byte| self.word(u64::from(byte)));
    }

    fn number(&mut self, number: u64) {
        number.to_le_bytes().into_iter().for_each(|byte| self.word(u64::from(byte)));
    }

    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    }
}
