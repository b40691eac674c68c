//! Share links: scenario, seed, settings, commands and moment in one checked piece of text.
//!
//! Deliberately not here: the page's address; a link is the text after `#/s/` or in an attribute.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use engine::event::Moment;
use engine::limits::COMMANDS_MAX;
use engine::timeline::TimedCommand;
use engine::{InputError, Scenario};
use partitioner::hash::crc32::absorb_byte;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::settings::Settings;
use crate::{read, suggest, tree};

/// The newest version of links, which [`encode`] writes. All versions up to it are read.
pub const VERSION: u32 = 1;
/// Characters of a link: browsers take longer addresses, mail programs and chats break them.
pub const LINK_CHARS_MAX: usize = 1024 * 1024;
/// Bytes of the content of a link, so that a small link cannot ask for all memory.
pub const CONTENT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Version and checksum before the content.
const HEADER_BYTES: usize = 5;
/// The effort of the compressor, 0 to 10.
const COMPRESSION: u8 = 9;

/// What a link holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shared {
    /// The scenario.
    pub scenario: LinkScenario,
    /// The lesson that was open, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
    /// The act of the lesson.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<String>,
    /// Settings laid over the scenario, the seed among them.
    #[serde(default)]
    pub settings: Settings,
    /// The commands of the branch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<TimedCommand>,
    /// Where the playhead was.
    #[serde(default)]
    pub moment: Moment,
}

/// A scenario by name or in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkScenario {
    /// The name of a scenario file.
    Name(String),
    /// The scenario itself.
    Full(Box<Scenario>),
}

/// Why a link cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkError {
    /// Made by a newer Logarium.
    #[error("This link has version {version}; this page reads versions up to {max}. Open it on a newer Logarium.")]
    Version {
        /// The link's version.
        version: u32,
        /// The newest that can be read.
        max: u32,
    },
    /// The content is not what was shared.
    #[error("The link was changed or cut off on its way: its checksum does not match. Copy it again as a whole.")]
    Checksum,
    /// It cannot be a link.
    #[error("This is not a Logarium link: {reason}")]
    Broken {
        /// What is wrong.
        reason: String,
    },
    /// It is whole, but its scenario cannot be used.
    #[error("The link is whole, but its scenario cannot be used: {reason}")]
    Scenario {
        /// What is wrong.
        reason: String,
        /// Where, if that is known.
        path: String,
    },
}

impl LinkError {
    /// The stable name of the kind.
    pub fn code(&self) -> &'static str {
        match self {
            LinkError::Version { .. } => "link.version",
            LinkError::Checksum => "link.checksum",
            LinkError::Broken { .. } => "link.broken",
            LinkError::Scenario { .. } => "link.scenario",
        }
    }

    fn broken(reason: impl Into<String>) -> LinkError {
        LinkError::Broken { reason: reason.into() }
    }
}

impl From<InputError> for LinkError {
    fn from(error: InputError) -> LinkError {
        let reason = format!("{} {}", error.message, error.hint).trim_end().to_string();
        LinkError::Scenario { reason, path: error.path }
    }
}

impl From<LinkError> for InputError {
    fn from(error: LinkError) -> InputError {
        let path = match &error {
            LinkError::Scenario { path, .. } => path.clone(),
            _ => String::new(),
        };
        InputError::new(error.code(), error.to_string()).at(path)
    }
}

impl Shared {
    /// The scenario of this link with its settings applied. `named` finds a scenario by its name; `known` are the
    /// names that exist, for the hint.
    pub fn stage<'a>(
        &self,
        named: impl FnOnce(&str) -> Option<Scenario>,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Result<Scenario, LinkError> {
        let scenario = match &self.scenario {
            LinkScenario::Full(scenario) => (**scenario).clone(),
            LinkScenario::Name(name) => named(name).ok_or_else(|| unknown_scenario(name, known))?,
        };
        Ok(self.settings.apply(&scenario)?)
    }
}

/// The error for a name that no scenario file has.
pub fn unknown_scenario<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> LinkError {
    let hint = suggest::hint(name, known);
    LinkError::Scenario {
        reason: format!("there is no scenario \"{name}\". {hint}"),
        path: "scenario.name".to_string(),
    }
}

/// The text of a link: letters, digits, `-` and `_`.
///
/// ```
/// use course::link::{LinkScenario, Shared, decode, encode};
/// let shared = Shared {
///     scenario: LinkScenario::Name("grow-the-topic".to_string()),
///     lesson: None,
///     act: None,
///     settings: course::Settings::default(),
///     commands: Vec::new(),
///     moment: Default::default(),
/// };
/// assert_eq!(decode(&encode(&shared)), Ok(shared));
/// ```
pub fn encode(shared: &Shared) -> String {
    let json = serde_json::to_vec(shared).expect("a link is made of text, numbers and lists");
    let content = miniz_oxide::deflate::compress_to_vec(&json, COMPRESSION);
    let mut bytes = Vec::with_capacity(HEADER_BYTES + content.len());
    bytes.push(VERSION as u8);
    bytes.extend_from_slice(&checksum(VERSION as u8, &content).to_be_bytes());
    bytes.extend_from_slice(&content);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads a link. Spaces and line ends, as mail programs put them in, are left out. Never panics, never needs more
/// memory than [`CONTENT_BYTES_MAX`] asks for.
pub fn decode(link: &str) -> Result<Shared, LinkError> {
    if link.len() > LINK_CHARS_MAX {
        return Err(LinkError::broken(format!("it is longer than {LINK_CHARS_MAX} characters.")));
    }
    let text: String = link.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
    let bytes = bytes_of(text.trim_end_matches('='))?;
    let Some((header, content)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        return Err(LinkError::broken("it is too short."));
    };
    let [version, a, b, c, d] = *header;
    // Every version keeps these five bytes, so a damaged link is never mistaken for a newer one.
    if u32::from_be_bytes([a, b, c, d]) != checksum(version, content) {
        return Err(LinkError::Checksum);
    }
    match version {
        1 => version_1(content),
        0 => Err(LinkError::broken("there is no version 0.")),
        _ => Err(LinkError::Version { version: u32::from(version), max: VERSION }),
    }
}

fn bytes_of(text: &str) -> Result<Vec<u8>, LinkError> {
    use base64::DecodeError;
    URL_SAFE_NO_PAD.decode(text).map_err(|error| match error {
        DecodeError::InvalidByte(place, byte) if byte.is_ascii_graphic() => {
            LinkError::broken(format!("character {} is \"{}\".", place + 1, char::from(byte)))
        }
        DecodeError::InvalidByte(place, _) => {
            LinkError::broken(format!("character {} is no letter, digit, - or _.", place + 1))
        }
        // A length or a last character that no whole link can have: something is missing at the end.
        _ => LinkError::Checksum,
    })
}

fn checksum(version: u8, content: &[u8]) -> u32 {
    !content.iter().fold(absorb_byte(!0, version), |state, byte| absorb_byte(state, *byte))
}

fn version_1(content: &[u8]) -> Result<Shared, LinkError> {
    let json = miniz_oxide::inflate::decompress_to_vec_with_limit(content, CONTENT_BYTES_MAX)
        .map_err(|_| LinkError::broken("its content cannot be unpacked, or is too large."))?;
    let strange = || LinkError::broken("its content is not what a link holds.");
    let tree = std::str::from_utf8(&json).ok().and_then(|json| tree::of_json(json).ok()).ok_or_else(strange)?;
    let shared: Shared = read::value(&tree).map_err(|refused| refused.input_error("link.scenario"))?;
    if shared.commands.len() > COMMANDS_MAX {
        return Err(LinkError::broken(format!("it has more than {COMMANDS_MAX} commands.")));
    }
    let ordered = shared.commands.windows(2).all(|pair| pair[0].moment <= pair[1].moment);
    if !ordered {
        return Err(LinkError::broken("its commands are not in the order of their moments."));
    }
    Ok(shared)
}
