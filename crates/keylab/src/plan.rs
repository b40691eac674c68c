//! What is asked: which clients, and which partition counts.
//!
//! Deliberately not here: keys. One plan can be answered for any of them.

use partitioner::{Client, client, clients};
use thiserror::Error;

use crate::limits;

/// Clients and partition counts side by side, checked once.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    clients: Vec<&'static Client>,
    counts: Vec<u32>,
}

/// One client at one partition count, as positions in a [`Plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Position in [`Plan::clients`].
    pub client: usize,
    /// Position in [`Plan::counts`].
    pub count: usize,
}

/// Why a plan cannot be answered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    /// No client.
    #[error("choose at least one client")]
    NoClient,
    /// No partition count.
    #[error("choose at least one partition count")]
    NoCount,
    /// A client that the catalogue does not have.
    #[error("there is no client \"{id}\"{}", hint(*similar))]
    UnknownClient {
        /// What was asked for.
        id: String,
        /// The id in the catalogue that is most like it.
        similar: Option<&'static str>,
    },
    /// A partition count that the lab does not do.
    #[error("{count} partitions: expected a number from 1 to {max}", max = limits::PARTITIONS_MAX)]
    CountOutOfRange {
        /// What was asked for.
        count: u32,
    },
    /// Too much side by side.
    #[error("{clients} clients and {counts} counts: at most {max_clients} clients, {max_counts} counts and {max_places} pairs of both",
        max_clients = limits::CLIENTS_MAX, max_counts = limits::COUNTS_MAX, max_places = limits::PLACES_MAX)]
    TooMuch {
        /// Clients asked for.
        clients: usize,
        /// Counts asked for.
        counts: usize,
    },
}

fn hint(similar: Option<&str>) -> String {
    similar.map_or_else(String::new, |id| format!("; did you mean \"{id}\"?"))
}

impl Plan {
    /// A plan for the clients with these ids of the catalogue. Repeated ones count once; counts are sorted.
    ///
    /// # Errors
    /// If there is nothing to do, too much of it, or something that does not exist.
    pub fn new<S: AsRef<str>>(ids: &[S], counts: &[u32]) -> Result<Self, PlanError> {
        let mut chosen: Vec<&'static Client> = Vec::new();
        for id in ids.iter().map(AsRef::as_ref) {
            let client =
                client(id).ok_or_else(|| PlanError::UnknownClient { id: id.to_owned(), similar: similar_id(id) })?;
            if !chosen.iter().any(|known| known.id == client.id) {
                chosen.push(client);
            }
        }
        let mut counts = counts.to_vec();
        counts.sort_unstable();
        counts.dedup();
        if let Some(count) = counts.iter().copied().find(|count| !(1..=limits::PARTITIONS_MAX).contains(count)) {
            return Err(PlanError::CountOutOfRange { count });
        }
        match (chosen.len(), counts.len()) {
            (0, _) => Err(PlanError::NoClient),
            (_, 0) => Err(PlanError::NoCount),
            (clients, of)
                if clients > limits::CLIENTS_MAX || of > limits::COUNTS_MAX || clients * of > limits::PLACES_MAX =>
            {
                Err(PlanError::TooMuch { clients, counts: of })
            }
            _ => Ok(Self { clients: chosen, counts }),
        }
    }

    /// The clients in the order in which they were asked for.
    pub fn clients(&self) -> &[&'static Client] {
        &self.clients
    }

    /// The partition counts, ascending.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Every pair of a client and a count, client by client.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let (clients, counts) = (self.clients.len(), self.counts.len());
        (0..clients).flat_map(move |client| (0..counts).map(move |count| Place { client, count }))
    }

    /// Does the plan have this place?
    pub fn has(&self, place: Place) -> bool {
        place.client < self.clients.len() && place.count < self.counts.len()
    }

    pub(crate) fn slot(&self, place: Place) -> usize {
        assert!(self.has(place), "the place is one of this plan's");
        place.client * self.counts.len() + place.count
    }
}

/// The id of the catalogue that shares the longest beginning with `id`, if at least three letters.
fn similar_id(id: &str) -> Option<&'static str> {
    let id = id.to_lowercase();
    let shared = |other: &str| other.bytes().zip(id.bytes()).take_while(|(a, b)| a == b).count();
    let best = clients().iter().map(|client| (shared(client.id), client.id)).rev().max_by_key(|(length, _)| *length);
    best.filter(|(length, _)| *length >= 3).map(|(_, id)| id)
}

#[cfg(test)]
mod tests {
    use super::Plan;

    #[track_caller]
    fn check(ids: &[&str], counts: &[u32], expected: &str) {
        let text = match Plan::new(ids, counts) {
            Ok(plan) => {
                let ids: Vec<_> = plan.clients().iter().map(|client| client.id).collect();
                format!("{} {:?}", ids.join(" "), plan.counts())
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(text, expected);
    }

    #[test]
    fn repeated_clients_and_counts_count_once() {
        check(&["java", "librdkafka", "java"], &[12, 6, 12], "java librdkafka [6, 12]");
    }

    #[test]
    fn what_cannot_be_done_says_why() {
        check(&[], &[6], "choose at least one client");
        check(&["java"], &[], "choose at least one partition count");
        check(&["librdkafak"], &[6], "there is no client \"librdkafak\"; did you mean \"librdkafka\"?");
        check(&["xyz"], &[6], "there is no client \"xyz\"");
        check(&["java"], &[6, 0], "0 partitions: expected a number from 1 to 10000");
        check(
            &["java"],
            &[1, 2, 3, 4, 5, 6, 7, 8, 9],
            "1 clients and 9 counts: at most 12 clients, 8 counts and 40 pairs of both",
        );
    }
}
