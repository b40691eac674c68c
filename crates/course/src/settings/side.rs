//! The other sides of a comparison as text, and the same text back.
//!
//! Deliberately not here: whether a producer, a topic or a choice of that name exists; only a scenario knows.

use engine::InputError;

use super::text::{SEED_MAX, client, count, number, wrong};
use super::{Protocol, Side};
use crate::suggest;

/// Sides beside the first one.
const OTHER_SIDES_MAX: usize = 2;

impl Side {
    pub(super) fn text(&self) -> String {
        match self {
            Side::Client(client) => client.clone(),
            Side::Partitions(partitions) => partitions.to_string(),
            Side::ClientOf { producer, client } => format!("client.{producer}={client}"),
            Side::PartitionsOf { topic, partitions } => format!("partitions.{topic}={partitions}"),
            Side::Seed(seed) => format!("seed={seed}"),
            Side::Protocols(protocols) => {
                let names: Vec<&str> = protocols.iter().map(|protocol| protocol.text()).collect();
                format!("protocol={}", names.join("+"))
            }
            Side::Choices { choice, values } => format!("choice.{choice}={}", values.join("+")),
        }
    }
}

/// Reads the other sides.
pub(super) fn side(value: &str) -> Result<Side, InputError> {
    if value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(Side::Partitions(count("compare", value)?));
    }
    // The name of a producer may hold any character, a client id never holds one of these.
    if let Some((what, value)) = value.rsplit_once('=') {
        return match (what.split_once('.'), what) {
            (Some(("client", producer)), _) => {
                Ok(Side::ClientOf { producer: producer.to_string(), client: client("compare", value)? })
            }
            (Some(("partitions", topic)), _) => {
                Ok(Side::PartitionsOf { topic: topic.to_string(), partitions: count("compare", value)? })
            }
            (Some(("choice", choice)), _) => {
                Ok(Side::Choices { choice: choice.to_string(), values: several(value, |value| Ok(value.to_string()))? })
            }
            (None, "protocol") => several(value, protocol).map(Side::Protocols),
            (None, "seed") => Ok(Side::Seed(number("compare", value, 0, SEED_MAX)?)),
            _ => Err(wrong("compare", what, "what can be compared")
                .hint(suggest::hint(what, ["choice", "client", "partitions", "protocol", "seed"]))),
        };
    }
    client("compare", value).map(Side::Client)
}

/// One or two values with a plus sign between them.
fn several<T>(text: &str, read: impl Fn(&str) -> Result<T, InputError>) -> Result<Vec<T>, InputError> {
    let values = text.split('+').map(|value| read(value.trim())).collect::<Result<Vec<T>, InputError>>()?;
    if values.len() > OTHER_SIDES_MAX {
        return Err(wrong("compare", text, "one value, or two with a plus sign between them"));
    }
    Ok(values)
}

fn protocol(value: &str) -> Result<Protocol, InputError> {
    let found = Protocol::ALL.into_iter().find(|protocol| protocol.text() == value);
    found.ok_or_else(|| {
        let names = Protocol::ALL.map(Protocol::text);
        wrong("compare", value, "a protocol of groups").hint(suggest::hint(value, names))
    })
}
