//! Patterns of topics that the broker evaluates, in the language of RE2/J.
//!
//! Follows the syntax of RE2/J 1.8, which Kafka 4.3.1 uses, and its words for what is wrong. A pattern has to match
//! a whole name. Deliberately not here: groups and what they capture, greedy or not; nobody asks for that.

mod parse;

use crate::event::Name;

pub use parse::check;

/// One step of a pattern.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    /// A character out of a set.
    One(Set),
    /// The start of the text.
    Start,
    /// Its end.
    End,
    /// A word begins or ends here, or does not.
    Boundary { is_one: bool },
    /// One after the other; nothing matches the empty text.
    All(Vec<Node>),
    /// One of them.
    Any(Vec<Node>),
    /// As often as `min`, and at most as often as `max`.
    Repeat { node: Box<Node>, min: u32, max: Option<u32> },
}

/// A set of characters.
#[derive(Clone, Debug, Default, PartialEq)]
struct Set {
    /// First and last, both in it.
    ranges: Vec<(char, char)>,
    is_negated: bool,
    /// Upper and lower case of ASCII letters are one.
    is_folded: bool,
}

impl Set {
    fn contains(&self, character: char) -> bool {
        let is_in = |character: char| self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&character));
        let folded = || is_in(character.to_ascii_lowercase()) || is_in(character.to_ascii_uppercase());
        (is_in(character) || self.is_folded && folded()) != self.is_negated
    }
}

/// A pattern that was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pattern(Node);

impl Pattern {
    /// Reads a pattern; the error is RE2/J's description.
    pub fn new(text: &str) -> Result<Pattern, &'static str> {
        parse::parse(text).map(Pattern)
    }

    /// Whether the whole name matches.
    pub fn matches(&self, name: &Name) -> bool {
        let text: Vec<char> = name.chars().collect();
        let ends = walk(&self.0, &text, &[0]);
        ends.last().is_some_and(|end| *end as usize == text.len())
    }
}

/// Where a node can end that begins at one of `starts`; places in `text`, ascending.
fn walk(node: &Node, text: &[char], starts: &[u32]) -> Vec<u32> {
    let at = |place: u32| text.get(place as usize).copied();
    let keep = |is_kept: &dyn Fn(u32) -> bool| starts.iter().copied().filter(|place| is_kept(*place)).collect();
    match node {
        Node::One(set) => {
            let is_in = |place: &&u32| at(**place).is_some_and(|character| set.contains(character));
            starts.iter().filter(is_in).map(|place| place + 1).collect()
        }
        Node::Start => keep(&|place| place == 0),
        Node::End => keep(&|place| place as usize == text.len()),
        Node::Boundary { is_one } => {
            let is_word = |place: Option<u32>| {
                place.and_then(at).is_some_and(|character| character.is_ascii_alphanumeric() || character == '_')
            };
            keep(&|place| (is_word(place.checked_sub(1)) != is_word(Some(place))) == *is_one)
        }
        Node::All(nodes) => nodes.iter().fold(starts.to_vec(), |places, node| walk(node, text, &places)),
        Node::Any(nodes) => union(nodes.iter().flat_map(|node| walk(node, text, starts)).collect()),
        Node::Repeat { node, min, max } => repeat(node, text, starts, *min, *max),
    }
}

fn repeat(node: &Node, text: &[char], starts: &[u32], min: u32, max: Option<u32>) -> Vec<u32> {
    let mut places = starts.to_vec();
    for _ in 0..min {
        let next = walk(node, text, &places);
        if next == places {
            break;
        }
        places = next;
    }
    let mut found = places.clone();
    for _ in min..max.unwrap_or(u32::MAX) {
        places = walk(node, text, &places);
        places.retain(|place| found.binary_search(place).is_err());
        if places.is_empty() {
            break;
        }
        found = union([found, places.clone()].concat());
    }
    found
}

fn union(mut places: Vec<u32>) -> Vec<u32> {
    places.sort_unstable();
    places.dedup();
    places
}
