//! What an item of a picture means: its role, the color of its key, and its marks.
//!
//! No colors here: `theme.rs` says how a class looks.

use std::fmt;

/// How many colors members of groups have.
pub const MEMBERS: u8 = 8;

/// The part that an item plays. Its name is its CSS class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// The card of a producer or a reader.
    Card,
    /// The name on a card.
    CardTitle,
    /// The second line of a card.
    CardSub,
    /// A line of code on a card.
    CodeLine,
    /// The band behind the running line.
    CodeBand,
    /// A thin separator.
    Rule,
    /// A producer's state, as a small pill.
    State,
    /// One partition's open batch inside a producer.
    Batch,
    /// The connection between a client and a broker.
    Link,
    /// A broker's container.
    Broker,
    /// The name of a broker or of one side of a comparison.
    BrokerTitle,
    /// A remark beside a name, such as the rack or the role of controller.
    Badge,
    /// A partition's lane.
    Lane,
    /// The name of a partition.
    LaneName,
    /// How many records a partition holds.
    LaneCount,
    /// Records too old to be shown, counted.
    Older,
    /// An offset below its record.
    Offset,
    /// The next offset.
    OffsetNext,
    /// The line of a flag: high watermark, last stable offset, log start or log end.
    FlagLine,
    /// The letters of a flag.
    FlagText,
    /// A record.
    Chip,
    /// The small sign of a record that lands elsewhere on the other side.
    DiffSign,
    /// A partition among so many that only its count is shown.
    Tile,
    /// Its number.
    TileName,
    /// Its count.
    TileCount,
    /// A reader's position on a lane.
    Tick,
    /// The reader's name at its position.
    TickText,
    /// A moving request.
    Request,
    /// A moving answer.
    Response,
    /// A moving record among so many that it is a dot.
    Dot,
    /// A ring that spreads where something arrived.
    Pulse,
    /// The pieces of a lost message.
    Lost,
    /// A quiet sentence, such as that there is nothing yet.
    Note,
    /// A bar of a chart.
    Bar,
    /// The ground of a bar.
    BarTrack,
    /// Words and numbers around a chart.
    ChartText,
    /// A cell of a matrix.
    Cell,
    /// The number in a cell.
    CellText,
    /// A follower's lane.
    Follower,
    /// The frame of a closed segment, or a segment's file on the shelf.
    Segment,
    /// Offsets without a record between two records.
    Gap,
    /// A small box with a word about a replica or a broker, such as `ISR`.
    Tag,
    /// The word in it.
    TagText,
    /// The frame around the brokers of a rack.
    Rack,
    /// The name of a rack.
    RackText,
    /// The sign of the active controller.
    Crown,
    /// A word that stands for a moment where something happened.
    Notice,
    /// An entry of an index.
    Entry,
    /// A batch in a segment's file.
    Block,
    /// The way of a lookup.
    Path,
    /// A control record.
    Marker,
    /// The letter in it.
    MarkerText,
    /// The lane of a transaction coordinator: its log for one transactional id.
    Coordinator,
    /// A part of a producer's memory that a partition's batches hold.
    Pool,
    /// How long a call has waited, as a part of how long it may.
    Clock,
    /// The words beside it.
    ClockText,
    /// The tab of the member that owns a partition, and the bar and the tile of the member itself.
    Owner,
    /// A partition on a member's card.
    Socket,
    /// From a member's position to the high watermark.
    Lag,
    /// A committed offset.
    Commit,
    /// The barrier that members of a classic group wait at, and their places at it.
    Gate,
    /// Something that only groups others.
    Group,
    /// The paper below everything, in an exported picture.
    Paper,
}

impl Role {
    /// Every role, in the order of the definition.
    pub const ALL: [Role; 63] = [
        Role::Card,
        Role::CardTitle,
        Role::CardSub,
        Role::CodeLine,
        Role::CodeBand,
        Role::Rule,
        Role::State,
        Role::Batch,
        Role::Link,
        Role::Broker,
        Role::BrokerTitle,
        Role::Badge,
        Role::Lane,
        Role::LaneName,
        Role::LaneCount,
        Role::Older,
        Role::Offset,
        Role::OffsetNext,
        Role::FlagLine,
        Role::FlagText,
        Role::Chip,
        Role::DiffSign,
        Role::Tile,
        Role::TileName,
        Role::TileCount,
        Role::Tick,
        Role::TickText,
        Role::Request,
        Role::Response,
        Role::Dot,
        Role::Pulse,
        Role::Lost,
        Role::Note,
        Role::Bar,
        Role::BarTrack,
        Role::ChartText,
        Role::Cell,
        Role::CellText,
        Role::Follower,
        Role::Segment,
        Role::Gap,
        Role::Tag,
        Role::TagText,
        Role::Rack,
        Role::RackText,
        Role::Crown,
        Role::Notice,
        Role::Entry,
        Role::Block,
        Role::Path,
        Role::Marker,
        Role::MarkerText,
        Role::Coordinator,
        Role::Pool,
        Role::Clock,
        Role::ClockText,
        Role::Owner,
        Role::Socket,
        Role::Lag,
        Role::Commit,
        Role::Gate,
        Role::Group,
        Role::Paper,
    ];

    /// Roles whose color is that of a member of a group, not that of a key.
    pub(crate) const OF_MEMBERS: [Role; 5] = [Role::Owner, Role::Socket, Role::Lag, Role::Commit, Role::Tick];

    /// The role as a CSS class.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Card => "card",
            Role::CardTitle => "card-title",
            Role::CardSub => "card-sub",
            Role::CodeLine => "code-line",
            Role::CodeBand => "code-band",
            Role::Rule => "rule",
            Role::State => "state",
            Role::Batch => "batch",
            Role::Link => "link",
            Role::Broker => "broker",
            Role::BrokerTitle => "broker-title",
            Role::Badge => "badge",
            Role::Lane => "lane",
            Role::LaneName => "lane-name",
            Role::LaneCount => "lane-count",
            Role::Older => "older",
            Role::Offset => "offset",
            Role::OffsetNext => "offset-next",
            Role::FlagLine => "flag-line",
            Role::FlagText => "flag-text",
            Role::Chip => "chip",
            Role::DiffSign => "diff-sign",
            Role::Tile => "tile",
            Role::TileName => "tile-name",
            Role::TileCount => "tile-count",
            Role::Tick => "tick",
            Role::TickText => "tick-text",
            Role::Request => "request",
            Role::Response => "response",
            Role::Dot => "dot",
            Role::Pulse => "pulse",
            Role::Lost => "lost",
            Role::Note => "note",
            Role::Bar => "bar",
            Role::BarTrack => "bar-track",
            Role::ChartText => "chart-text",
            Role::Cell => "cell",
            Role::CellText => "cell-text",
            Role::Follower => "follower",
            Role::Segment => "segment",
            Role::Gap => "gap",
            Role::Tag => "tag",
            Role::TagText => "tag-text",
            Role::Rack => "rack",
            Role::RackText => "rack-text",
            Role::Crown => "crown",
            Role::Notice => "notice",
            Role::Entry => "entry",
            Role::Block => "block",
            Role::Path => "path",
            Role::Marker => "marker",
            Role::MarkerText => "marker-text",
            Role::Coordinator => "coordinator",
            Role::Pool => "pool",
            Role::Clock => "clock",
            Role::ClockText => "clock-text",
            Role::Owner => "owner",
            Role::Socket => "socket",
            Role::Lag => "lag",
            Role::Commit => "commit",
            Role::Gate => "gate",
            Role::Group => "group",
            Role::Paper => "paper",
        }
    }
}

/// A remark on an item that changes its look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Stands out: the record's key lands in another partition on the other side, or a warning.
    Diff = 1,
    /// Chosen by the person who looks.
    Selected = 2,
    /// Running or busy right now.
    Lit = 4,
    /// Present but not in use: a closed producer, an empty lane.
    Muted = 8,
    /// Carries an error.
    Bad = 16,
    /// Not decided yet: a record of an open transaction, a state that is not replicated.
    Open = 32,
}

impl Mark {
    /// Marks that change the look of a role, the strongest last.
    const fn of(role: Role) -> &'static [Mark] {
        match role {
            Role::Chip => &[Mark::Muted, Mark::Open, Mark::Lit, Mark::Diff, Mark::Selected],
            Role::Card => &[Mark::Muted, Mark::Diff, Mark::Selected],
            Role::CardTitle => &[Mark::Muted],
            Role::CodeLine | Role::Batch => &[Mark::Lit],
            Role::State => &[Mark::Muted, Mark::Lit, Mark::Diff, Mark::Bad, Mark::Open],
            Role::Marker => &[Mark::Bad, Mark::Selected],
            Role::MarkerText => &[Mark::Bad],
            Role::Coordinator => &[Mark::Muted, Mark::Selected],
            Role::Pool => &[Mark::Muted, Mark::Lit, Mark::Bad],
            Role::Clock | Role::ClockText => &[Mark::Bad],
            Role::Link => &[Mark::Lit, Mark::Muted, Mark::Bad],
            Role::Broker => &[Mark::Muted, Mark::Selected],
            Role::BrokerTitle => &[Mark::Muted],
            Role::Lane => &[Mark::Diff, Mark::Selected],
            Role::Owner => &[Mark::Muted, Mark::Selected],
            Role::Socket => &[Mark::Muted, Mark::Open],
            Role::Gate => &[Mark::Muted, Mark::Lit],
            Role::Follower => &[Mark::Muted, Mark::Selected],
            Role::Tile => &[Mark::Lit, Mark::Bad, Mark::Selected],
            Role::FlagLine | Role::FlagText => &[Mark::Muted, Mark::Diff],
            Role::Tag | Role::TagText => &[Mark::Lit, Mark::Diff, Mark::Bad],
            Role::Segment => &[Mark::Muted, Mark::Bad, Mark::Lit, Mark::Selected],
            Role::Entry => &[Mark::Lit],
            Role::Block => &[Mark::Muted, Mark::Lit],
            Role::Notice => &[Mark::Diff, Mark::Bad],
            Role::Request | Role::Response => &[Mark::Bad],
            _ => &[],
        }
    }

    const ALL: [(Mark, &'static str); 6] = [
        (Mark::Diff, "diff"),
        (Mark::Selected, "selected"),
        (Mark::Lit, "lit"),
        (Mark::Muted, "muted"),
        (Mark::Bad, "bad"),
        (Mark::Open, "open"),
    ];
}

/// The class of an item. Prints as CSS classes: `chip k3 diff`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its part.
    pub role: Role,
    /// The color of its key, 0 to 11, or of its member, 0 to 7; none is neutral.
    pub key: Option<u8>,
    marks: u8,
}

impl Class {
    /// A class without color and marks.
    pub const fn new(role: Role) -> Class {
        Class { role, key: None, marks: 0 }
    }

    /// The same with the color of a key.
    #[must_use]
    pub const fn key(mut self, key: Option<u8>) -> Class {
        self.key = key;
        self
    }

    /// The same with a mark, if `on`.
    #[must_use]
    pub const fn mark(mut self, mark: Mark, on: bool) -> Class {
        if on {
            self.marks |= mark as u8;
        }
        self
    }

    /// Whether it has a mark.
    pub const fn has(self, mark: Mark) -> bool {
        self.marks & mark as u8 != 0
    }

    /// Every class that looks different from its role alone, roles first: what a stylesheet has to name.
    pub fn all() -> impl Iterator<Item = Class> {
        let plain = Role::ALL.into_iter().map(Class::new);
        let keyed = [Role::Chip, Role::Dot, Role::Pulse, Role::Bar, Role::Cell].into_iter().flat_map(|role| {
            let keys = (0..12).map(move |key| Class::new(role).key(Some(key)));
            keys.chain([Class::new(role)])
        });
        let marked = Role::ALL
            .into_iter()
            .flat_map(|role| Mark::of(role).iter().map(move |mark| Class::new(role).mark(*mark, true)));
        let chips = (0..12).flat_map(|key| {
            Mark::of(Role::Chip).iter().map(move |mark| Class::new(Role::Chip).key(Some(key)).mark(*mark, true))
        });
        let members = Role::OF_MEMBERS
            .into_iter()
            .flat_map(|role| (0..MEMBERS).map(move |member| Class::new(role).key(Some(member))));
        let marked_members =
            members.clone().flat_map(|class| Mark::of(class.role).iter().map(move |mark| class.mark(*mark, true)));
        plain.chain(keyed).chain(marked).chain(chips).chain(members).chain(marked_members)
    }

    /// A number that is the same for equal classes only; painters keep styles by it.
    pub const fn index(self) -> u32 {
        let key = match self.key {
            Some(key) => key as u32 + 1,
            None => 0,
        };
        (self.role as u32) << 10 | (key & 15) << 6 | self.marks as u32
    }
}

impl From<Role> for Class {
    fn from(role: Role) -> Class {
        Class::new(role)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.role.name())?;
        if let Some(key) = self.key {
            write!(out, " k{key}")?;
        }
        for (mark, name) in Mark::ALL {
            if self.has(mark) {
                write!(out, " {name}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_prints_as_css_classes() {
        let class = Class::new(Role::Chip).key(Some(3)).mark(Mark::Diff, true).mark(Mark::Lit, false);
        assert_eq!(class.to_string(), "chip k3 diff");
    }

    #[test]
    fn every_role_has_its_own_name_and_index() {
        let names: std::collections::BTreeSet<_> = Role::ALL.iter().map(|role| role.name()).collect();
        let indexes: std::collections::BTreeSet<_> = Role::ALL.iter().map(|role| Class::new(*role).index()).collect();
        assert_eq!((names.len(), indexes.len()), (Role::ALL.len(), Role::ALL.len()));
        // A role that is not listed has no rule in the stylesheet, and a browser fills its shapes with black.
        assert_eq!(Role::ALL.len(), Role::Paper as usize + 1, "the last role of the enum is the last of the list");
    }
}
