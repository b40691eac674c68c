//! Groups for the tests: written down in short, or drawn at random.

use assignor::{Assignment, TopicPartition, Uuid, client, server};

/// A small generator of random numbers: xorshift.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) % u64::from(end.max(1))) as u32
    }

    pub fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for end in (1..list.len()).rev() {
            list.swap(end, self.below(end as u32 + 1) as usize);
        }
    }
}

/// A group whose texts and lists are its own, so that tests can change it.
#[derive(Clone, Debug, Default)]
pub struct Group {
    pub topics: Vec<Topic>,
    pub members: Vec<Member>,
}

#[derive(Clone, Debug, Default)]
pub struct Topic {
    pub name: String,
    pub partitions: u32,
    pub racks: Vec<Vec<String>>,
    pub assignable: Option<Vec<u32>>,
}

#[derive(Clone, Debug, Default)]
pub struct Member {
    pub id: String,
    pub instance: Option<String>,
    pub rack: Option<String>,
    pub topics: Vec<u32>,
    pub owned: Vec<TopicPartition>,
    pub generation: i32,
}

impl Group {
    /// Topics with these partitions, members with these ids, and everybody subscribes to everything.
    pub fn new(topics: &[(&str, u32)], ids: &[&str]) -> Self {
        let topic = |(name, partitions): &(&str, u32)| Topic {
            name: name.to_string(),
            partitions: *partitions,
            ..Topic::default()
        };
        let all: Vec<u32> = (0..topics.len() as u32).collect();
        let member =
            |id: &&str| Member { id: id.to_string(), topics: all.clone(), generation: -1, ..Member::default() };
        Self { topics: topics.iter().map(topic).collect(), members: ids.iter().map(member).collect() }
    }

    /// Random topics, subscriptions, racks and static members. `is_equal`: all subscribe to the same.
    pub fn random(dice: &mut Dice, is_equal: bool) -> Self {
        let topics: Vec<Topic> = (0..1 + dice.below(6))
            .map(|number| Topic {
                name: format!("topic-{}", number * 7 % 11),
                partitions: if dice.one_in(10) { 0 } else { 1 + dice.below(12) },
                ..Topic::default()
            })
            .collect();
        let count = topics.len() as u32;
        let subscription = |dice: &mut Dice| {
            let mut list: Vec<u32> = (0..count).filter(|_| !dice.one_in(3)).collect();
            if list.is_empty() {
                list.push(dice.below(count));
            }
            list
        };
        let shared = subscription(dice);
        let members = (0..1 + dice.below(12))
            .map(|number| Member {
                id: format!("member-{}", number * 13 % 17),
                instance: dice.one_in(4).then(|| format!("i{}", 99 - number)),
                topics: if is_equal { shared.clone() } else { subscription(dice) },
                generation: -1,
                ..Member::default()
            })
            .collect();
        Self { topics, members }
    }

    /// Puts members into racks and replicas on brokers in racks.
    pub fn with_racks(mut self, dice: &mut Dice) -> Self {
        for topic in &mut self.topics {
            let rack = |dice: &mut Dice| format!("r{}", dice.below(3));
            topic.racks = (0..topic.partitions).map(|_| vec![rack(dice), rack(dice)]).collect();
        }
        for member in &mut self.members {
            member.rack = (!dice.one_in(5)).then(|| format!("r{}", dice.below(4)));
        }
        self
    }

    /// Members own what this assignment gave them, in that generation.
    pub fn own(&mut self, assignment: &Assignment, generation: i32) {
        for (member, list) in self.members.iter_mut().zip(assignment) {
            member.owned.clone_from(list);
            member.generation = generation;
        }
    }

    /// Members in the order of Java's hash map.
    pub fn hash_order(&mut self) {
        let ids: Vec<&str> = self.members.iter().map(|member| member.id.as_str()).collect();
        let order = assignor::java::hash_map_order(&ids);
        self.members = order.into_iter().map(|place| self.members[place as usize].clone()).collect();
    }

    pub fn client(&self, assignor: client::Assignor) -> Result<Assignment, assignor::AssignorError> {
        self.client_by(client::Library::Java, assignor)
    }

    /// Calls an assignor of that library.
    pub fn client_by(
        &self,
        library: client::Library,
        assignor: client::Assignor,
    ) -> Result<Assignment, assignor::AssignorError> {
        let racks: Vec<Vec<Vec<&str>>> = self
            .topics
            .iter()
            .map(|topic| topic.racks.iter().map(|racks| racks.iter().map(String::as_str).collect()).collect())
            .collect();
        let topics: Vec<client::Topic<'_>> = (self.topics.iter().zip(&racks))
            .map(|(topic, racks)| client::Topic { name: &topic.name, partitions: topic.partitions, racks })
            .collect();
        let members: Vec<client::Member<'_>> = self
            .members
            .iter()
            .map(|member| client::Member {
                id: &member.id,
                instance_id: member.instance.as_deref(),
                rack: member.rack.as_deref(),
                topics: &member.topics,
                owned: &member.owned,
                generation: member.generation,
                user_data_generation: member.generation,
            })
            .collect();
        assignor.assign_by(library, &client::Group { topics: &topics, members: &members })
    }

    /// Calls a server-side assignor; topics without partitions are unknown to it, and ids follow from the names.
    pub fn server(
        &self,
        assign: impl Fn(&server::Group<'_>) -> Result<Assignment, assignor::AssignorError>,
    ) -> Result<Assignment, assignor::AssignorError> {
        let topics: Vec<server::Topic<'_>> = self
            .topics
            .iter()
            .map(|topic| server::Topic {
                name: &topic.name,
                id: id(&topic.name),
                partitions: (topic.partitions > 0).then_some(topic.partitions),
                assignable: topic.assignable.as_deref(),
            })
            .collect();
        let members: Vec<server::Member<'_>> = self
            .members
            .iter()
            .map(|member| server::Member {
                id: &member.id,
                instance_id: member.instance.as_deref(),
                topics: &member.topics,
                previous: &member.owned,
            })
            .collect();
        assign(&server::Group { topics: &topics, members: &members })
    }

    /// The subscribers of each topic.
    pub fn subscribers(&self, topic: u32) -> Vec<usize> {
        (0..self.members.len()).filter(|member| self.members[*member].topics.contains(&topic)).collect()
    }

    /// Every partition that somebody subscribes to is in exactly one list, and that of a subscriber.
    pub fn assert_each_once(&self, assignment: &Assignment, what: &str) {
        let mut owners = std::collections::BTreeMap::new();
        for (member, list) in assignment.iter().enumerate() {
            for own in list {
                assert_eq!(owners.insert(*own, member), None, "{what}: {own:?} twice in {assignment:?} of {self:?}");
                assert!(self.members[member].topics.contains(&own.topic), "{what}: {own:?} at {member} of {self:?}");
            }
        }
        for (number, topic) in self.topics.iter().enumerate() {
            let number = number as u32;
            let expected = if self.subscribers(number).is_empty() { 0 } else { topic.partitions };
            let found = owners.keys().filter(|own| own.topic == number && own.partition < topic.partitions).count();
            assert_eq!(found, expected as usize, "{what}: {} in {assignment:?} of {self:?}", topic.name);
        }
    }

    /// `member: topic-partition …` a member, in the order of the input.
    pub fn text(&self, assignment: &Assignment) -> String {
        let name = |own: &TopicPartition| format!("{}-{}", self.topics[own.topic as usize].name, own.partition);
        let line = |(member, list): (&Member, &Vec<TopicPartition>)| {
            format!("{}: {}", member.id, list.iter().map(name).collect::<Vec<_>>().join(" "))
        };
        self.members.iter().zip(assignment).map(line).collect::<Vec<_>>().join("; ")
    }
}

/// An id from a name.
pub fn id(name: &str) -> Uuid {
    let mix = |seed: u64| {
        name.bytes().fold(seed, |mix, byte| (mix ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(29))
    };
    Uuid { most_significant: mix(0xCBF2_9CE4_8422_2325), least_significant: mix(0x8422_2325_CBF2_9CE4) }
}

/// Partitions that have another owner than before; those that nobody had do not count.
pub fn moves(before: &[Vec<TopicPartition>], ids_before: &[String], after: &Assignment, ids: &[String]) -> usize {
    let owner = |lists: &[Vec<TopicPartition>], ids: &[String], own: &TopicPartition| {
        lists.iter().position(|list| list.contains(own)).map(|place| ids[place].clone())
    };
    let all = before.iter().flatten();
    all.filter(|own| owner(before, ids_before, own) != owner(after, ids, own)).count()
}
