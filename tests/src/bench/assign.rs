//! Groups of the sizes of Kafka's own assignor benchmarks, and their assignment.
//!
//! The same groups are built by `tests/bench/java/AssignorBench.java`.

use assignor::client::{self, Assignor};
use assignor::{Assignment, TopicPartition, Uuid, server, share};

/// Members, topics, partitions of each topic.
pub type Size = (u32, u32, u32);

/// Sizes of groups whose members subscribe to everything.
pub const SIZES: [Size; 6] =
    [(10, 10, 12), (100, 10, 12), (100, 100, 10), (500, 100, 10), (1_000, 100, 50), (10_000, 100, 1_000)];
/// Sizes of groups with five kinds of members, or with racks: Java takes long there.
pub const SMALL_SIZES: [Size; 3] = [(100, 10, 12), (100, 100, 10), (500, 100, 10)];

/// What is special about a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Everybody subscribes to everything and owns nothing.
    Fresh,
    /// One more member joins a group that has settled.
    Join,
    /// Five kinds of members, each with a fifth of the topics; nothing is owned.
    Mixed,
    /// One more member joins these.
    MixedJoin,
    /// Members and replicas are in three racks; nothing is owned.
    Racks,
}

impl Case {
    /// All cases; the number of one is its place.
    pub const ALL: [Self; 5] = [Self::Fresh, Self::Join, Self::Mixed, Self::MixedJoin, Self::Racks];

    /// The word in the name of a figure.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Join => "join",
            Self::Mixed => "mixed",
            Self::MixedJoin => "mixed-join",
            Self::Racks => "racks",
        }
    }

    /// The sizes that are measured.
    pub fn sizes(self) -> &'static [Size] {
        if matches!(self, Self::Fresh | Self::Join) { &SIZES } else { &SMALL_SIZES }
    }
}

/// The assignors that are measured: those of the client, then uniform and range of the server, then that for share
/// groups.
pub const NAMES: [&str; 7] =
    ["range", "roundrobin", "sticky", "cooperative-sticky", "server-uniform", "server-range", "share-simple"];

/// Does Java's client have the assignor?
pub fn is_of_client(number: usize) -> bool {
    number < Assignor::ALL.len()
}

/// Is the case measured for this assignor? Only some of them look at racks, or at what was owned.
pub fn is_measured(number: usize, case: Case) -> bool {
    match case {
        Case::Racks => matches!(NAMES[number], "range" | "sticky" | "cooperative-sticky"),
        _ => true,
    }
}

/// A group in full.
pub struct Group {
    names: Vec<String>,
    ids: Vec<String>,
    /// For each member its list in `subscriptions`.
    kinds: Vec<usize>,
    partitions: u32,
    racks: Option<Vec<Vec<&'static str>>>,
    subscriptions: Vec<Vec<u32>>,
    owned: Vec<Vec<TopicPartition>>,
}

const RACKS: [&str; 3] = ["rack-0", "rack-1", "rack-2"];
const KINDS: u32 = 5;

impl Group {
    /// A group for one assignor, which also says what is owned in a case with a joining member.
    pub fn new((members, topics, partitions): Size, case: Case, number: usize) -> Self {
        let mixed = matches!(case, Case::Mixed | Case::MixedJoin);
        let kinds = if mixed { KINDS } else { 1 };
        let joins = matches!(case, Case::Join | Case::MixedJoin);
        let mut group = Self {
            names: (0..topics).map(|topic| format!("topic-{topic}")).collect(),
            ids: (0..members).map(|member| format!("member-{member}")).collect(),
            kinds: Vec::new(),
            partitions,
            racks: (case == Case::Racks).then(|| {
                let row = |partition: u32| (0..2).map(|copy| RACKS[((partition + copy) % 3) as usize]).collect();
                (0..partitions).map(row).collect()
            }),
            subscriptions: (0..kinds).map(|kind| (0..topics).filter(|topic| topic % kinds == kind).collect()).collect(),
            owned: Vec::new(),
        };
        group.hash_order();
        if joins {
            let before = group.assign(number);
            let mut owned: Vec<(String, Vec<TopicPartition>)> = group.ids.drain(..).zip(before).collect();
            owned.push((format!("member-{members}"), Vec::new()));
            group.ids = owned.iter().map(|(id, _)| id.clone()).collect();
            group.hash_order();
            owned.sort();
            let of = |id: &String| {
                owned.binary_search_by(|(known, _)| known.cmp(id)).map_or(Vec::new(), |place| owned[place].1.clone())
            };
            group.owned = group.ids.iter().map(of).collect();
        }
        group
    }

    /// Members in the order of Java's map. What one subscribes to follows from its number, as in Java.
    fn hash_order(&mut self) {
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let order = assignor::java::hash_map_order(&ids);
        self.ids = order.into_iter().map(|place| self.ids[place as usize].clone()).collect();
        let number = |id: &String| id.trim_start_matches("member-").parse::<usize>().expect("members are numbered");
        self.kinds = self.ids.iter().map(|id| number(id) % self.subscriptions.len()).collect();
    }

    fn owned(&self, member: usize) -> &[TopicPartition] {
        self.owned.get(member).map_or(&[], Vec::as_slice)
    }

    /// The assignment by the assignor of that number.
    pub fn assign(&self, number: usize) -> Assignment {
        let result = match Assignor::ALL.get(number) {
            Some(assignor) => self.assign_on_client(*assignor),
            None => self.assign_on_server(NAMES[number]),
        };
        result.expect("the measured group is valid")
    }

    /// How many partitions are assigned.
    pub fn run(&self, number: usize) -> u64 {
        self.assign(number).iter().map(|list| list.len() as u64).sum()
    }

    fn assign_on_client(&self, assignor: Assignor) -> Result<Assignment, assignor::AssignorError> {
        let racks = self.racks.as_deref().unwrap_or(&[]);
        let topic = |name| client::Topic { name, partitions: self.partitions, racks };
        let topics: Vec<client::Topic<'_>> = self.names.iter().map(|name| topic(name)).collect();
        let members: Vec<client::Member<'_>> = (self.ids.iter().enumerate())
            .map(|(place, id)| {
                let owned = self.owned(place);
                let generation = if owned.is_empty() { client::NO_GENERATION } else { 1 };
                client::Member {
                    id,
                    instance_id: None,
                    rack: self.racks.as_ref().map(|_| RACKS[place % 3]),
                    topics: &self.subscriptions[self.kinds[place]],
                    owned,
                    generation,
                    user_data_generation: generation,
                }
            })
            .collect();
        assignor.assign(&client::Group { topics: &topics, members: &members })
    }

    fn assign_on_server(&self, name: &str) -> Result<Assignment, assignor::AssignorError> {
        let id = |number: usize| Uuid {
            most_significant: 0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(number as u64 + 1),
            least_significant: 1,
        };
        let topics: Vec<server::Topic<'_>> = (self.names.iter().enumerate())
            .map(|(number, name)| server::Topic {
                name,
                id: id(number),
                partitions: Some(self.partitions),
                assignable: None,
            })
            .collect();
        let members: Vec<server::Member<'_>> = (self.ids.iter().enumerate())
            .map(|(place, id)| server::Member {
                id,
                instance_id: None,
                topics: &self.subscriptions[self.kinds[place]],
                previous: self.owned(place),
            })
            .collect();
        let group = server::Group { topics: &topics, members: &members };
        match name {
            "server-uniform" => server::Assignor::Uniform.assign(&group),
            "server-range" => server::Assignor::Range.assign(&group),
            _ => share::assign(&group),
        }
    }
}

/// `NAME/CASE/MEMBERSxTOPICSxPARTITIONS`: the name of a figure, without its side.
pub fn figure(number: usize, case: Case, (members, topics, partitions): Size) -> String {
    format!("assign-ms/{}/{}/{members}x{topics}x{partitions}", NAMES[number], case.name())
}

/// Everything that is measured.
pub fn rows() -> impl Iterator<Item = (usize, Case, Size)> {
    let cases = (0..NAMES.len()).flat_map(|number| Case::ALL.map(|case| (number, case)));
    let cases = cases.filter(|(number, case)| is_measured(*number, *case));
    cases.flat_map(|(number, case)| case.sizes().iter().map(move |size| (number, case, *size)))
}
