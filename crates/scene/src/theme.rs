//! How a class looks: fills, edges and inks as tokens, and two themes that give the tokens colors.
//!
//! Painters, the exported SVG and the stylesheet of the stage all ask here, so they cannot differ. No
//! sizes here; those belong to the shapes.

mod groups;

use std::fmt::Write as _;

use crate::class::{Class, MEMBERS, Mark, Role};

/// A color with opacity, each part 0 to 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgba(pub u8, pub u8, pub u8, pub u8);

impl Rgba {
    const CLEAR: Rgba = Rgba(0, 0, 0, 0);

    /// An opaque color from 0xrrggbb.
    pub const fn hex(rgb: u32) -> Rgba {
        Rgba((rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8, 255)
    }

    /// As CSS: `#rrggbb`, or with opacity `#rrggbbaa`.
    pub fn css(self) -> String {
        let Rgba(red, green, blue, alpha) = self;
        let mut text = format!("#{red:02x}{green:02x}{blue:02x}");
        if alpha < 255 {
            let _ = write!(text, "{alpha:02x}");
        }
        text
    }

    fn mix(self, share: u8, other: Rgba) -> Rgba {
        let part =
            |a: u8, b: u8| ((u32::from(a) * u32::from(share) + u32::from(b) * u32::from(100 - share) + 50) / 100) as u8;
        Rgba(part(self.0, other.0), part(self.1, other.1), part(self.2, other.2), part(self.3, other.3))
    }
}

/// A named color of the product; `tokens.css` holds the same names and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Paper,
    Panel,
    Sunken,
    Ink,
    Ink2,
    Ink3,
    Line,
    Line2,
    Accent,
    AccentSoft,
    Good,
    Warn,
    Bad,
    OnAccent,
    Key(u8),
    Member(u8),
    OnMember,
}

/// Name, light and dark color of every token, in the order of [`Token::index`].
const TOKENS: [(&str, u32, u32); 35] = [
    ("paper", 0xf7f7f4, 0x0f1214),
    ("panel", 0xffffff, 0x171b1e),
    ("sunken", 0xefefea, 0x0b0e10),
    ("ink", 0x17191c, 0xe9ebec),
    ("ink-2", 0x4f565e, 0xa9b1b9),
    ("ink-3", 0x646b74, 0x8b949d),
    ("line", 0xdddfd9, 0x2a3035),
    ("line-2", 0xc5c9c2, 0x3b434a),
    ("accent", 0x0a5fb4, 0x6cb2ff),
    ("accent-soft", 0xe3eefb, 0x16283c),
    ("good", 0x17693f, 0x5ccf95),
    ("warn", 0x8f5100, 0xf0b35a),
    ("bad", 0xb3261e, 0xff8a80),
    ("on-accent", 0xffffff, 0x0b1520),
    ("k0", 0x2f6fd0, 0x7fb0ff),
    ("k1", 0xc25e00, 0xffb066),
    ("k2", 0x1c8a5a, 0x63d6a0),
    ("k3", 0xa23fb8, 0xe29bf2),
    ("k4", 0xb3263a, 0xff94a3),
    ("k5", 0x5a6b00, 0xc6d75e),
    ("k6", 0x007c91, 0x5fd3e6),
    ("k7", 0x7a4f2a, 0xd9ab7f),
    ("k8", 0x6b4fd8, 0xb9a7ff),
    ("k9", 0x00735f, 0x5fd6bf),
    ("k10", 0xb0126b, 0xff9acb),
    ("k11", 0x56616e, 0xb4bfcb),
    ("m0", 0x1c2f9e, 0x4c60d8),
    ("m1", 0x7a2a06, 0xb0521a),
    ("m2", 0x0d5424, 0x2c7d45),
    ("m3", 0x660f78, 0x9a3fa6),
    ("m4", 0x544400, 0x857000),
    ("m5", 0x034f66, 0x0b7790),
    ("m6", 0x820a3c, 0xb52a5c),
    ("m7", 0x1d232a, 0x5f6873),
    ("on-member", 0xffffff, 0xffffff),
];

impl Token {
    fn index(self) -> usize {
        match self {
            Token::Paper => 0,
            Token::Panel => 1,
            Token::Sunken => 2,
            Token::Ink => 3,
            Token::Ink2 => 4,
            Token::Ink3 => 5,
            Token::Line => 6,
            Token::Line2 => 7,
            Token::Accent => 8,
            Token::AccentSoft => 9,
            Token::Good => 10,
            Token::Warn => 11,
            Token::Bad => 12,
            Token::OnAccent => 13,
            Token::Key(key) => 14 + usize::from(key % 12),
            Token::Member(member) => 26 + usize::from(member % MEMBERS),
            Token::OnMember => 34,
        }
    }
}

/// A color by token, or a mixture: so many percent of the first in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tint {
    None,
    Of(Token),
    Mix(Token, u8, Token),
}

impl Tint {
    fn css(self) -> String {
        let name = |token: Token| TOKENS[token.index()].0;
        match self {
            Tint::None => "none".to_string(),
            Tint::Of(token) => format!("var(--{})", name(token)),
            Tint::Mix(token, share, other) => {
                format!("color-mix(in srgb, var(--{}) {share}%, var(--{}))", name(token), name(other))
            }
        }
    }
}

/// The look of a class in tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rule {
    fill: Tint,
    stroke: Tint,
    width: f32,
    dash: Option<(f32, f32)>,
    ink: Tint,
    glyph: Tint,
}

const PLAIN: Rule =
    Rule { fill: Tint::None, stroke: Tint::None, width: 1.0, dash: None, ink: Tint::Of(Token::Ink), glyph: Tint::None };

fn filled(fill: Token) -> Rule {
    Rule { fill: Tint::Of(fill), ..PLAIN }
}

fn edged(fill: Tint, stroke: Token) -> Rule {
    Rule { fill, stroke: Tint::Of(stroke), ..PLAIN }
}

fn lined(stroke: Token, width: f32) -> Rule {
    Rule { stroke: Tint::Of(stroke), width, ..PLAIN }
}

fn written(ink: Token) -> Rule {
    Rule { ink: Tint::Of(ink), ..PLAIN }
}

fn rule(class: Class) -> Rule {
    let rule = match class.role {
        Role::Chip | Role::Dot | Role::Bar | Role::Batch | Role::Cell | Role::Pulse => by_key(class),
        Role::Follower
        | Role::Segment
        | Role::Gap
        | Role::Tag
        | Role::TagText
        | Role::Rack
        | Role::RackText
        | Role::Crown
        | Role::Notice
        | Role::Entry
        | Role::Block
        | Role::Path => of_replicas(class),
        Role::Marker
        | Role::MarkerText
        | Role::Coordinator
        | Role::Pool
        | Role::Clock
        | Role::ClockText
        | Role::State => of_transactions(class),
        Role::Owner | Role::Socket | Role::Lag | Role::Commit | Role::Tick | Role::Gate => groups::rule(class),
        _ => by_role(class),
    };
    match class.role {
        _ if !class.has(Mark::Selected) => rule,
        Role::Pool | Role::Tag | Role::State => rule,
        _ => Rule { stroke: Tint::Of(Token::Accent), width: 2.0, ..rule },
    }
}

/// Roles whose color is that of a key, or neutral.
fn by_key(class: Class) -> Rule {
    let color = class.key.map_or(Token::Ink3, Token::Key);
    let pale = Rule {
        fill: Tint::Mix(color, 14, Token::Panel),
        stroke: Tint::Of(color),
        width: 1.25,
        glyph: Tint::Of(color),
        ..PLAIN
    };
    match class.role {
        // Aborted: it stays, and its color fades.
        Role::Chip if class.has(Mark::Muted) => Rule {
            fill: Tint::Of(Token::Panel),
            stroke: Tint::Mix(color, 55, Token::Panel),
            glyph: Tint::Mix(color, 55, Token::Panel),
            ink: Tint::Of(Token::Ink3),
            ..pale
        },
        // Open: an outline.
        Role::Chip if class.has(Mark::Open) => Rule { fill: Tint::Of(Token::Panel), dash: Some((4.0, 3.0)), ..pale },
        Role::Chip if class.has(Mark::Diff) => Rule { width: 2.5, fill: Tint::Mix(color, 20, Token::Panel), ..pale },
        Role::Chip if class.has(Mark::Lit) => Rule { width: 2.0, fill: Tint::Mix(color, 24, Token::Panel), ..pale },
        Role::Chip if class.key.is_none() => Rule { width: 1.0, ink: Tint::Of(Token::Ink2), ..pale },
        Role::Chip => pale,
        Role::Dot => Rule { fill: Tint::Of(color), glyph: Tint::Of(color), ..PLAIN },
        Role::Pulse => lined(class.key.map_or(Token::Accent, Token::Key), 2.0),
        Role::Bar => filled(class.key.map_or(Token::Accent, Token::Key)),
        Role::Cell => Rule { fill: Tint::Mix(class.key.map_or(Token::Accent, Token::Key), 22, Token::Panel), ..PLAIN },
        // A batch inside a producer: waiting is an outline, on its way is full.
        _ if class.has(Mark::Lit) => {
            Rule { ink: Tint::Of(Token::Accent), ..edged(Tint::Of(Token::AccentSoft), Token::Accent) }
        }
        _ => Rule { dash: Some((3.0, 2.0)), ink: Tint::Of(Token::Ink2), ..edged(Tint::None, Token::Line2) },
    }
}

fn by_role(class: Class) -> Rule {
    let (lit, muted, bad) = (class.has(Mark::Lit), class.has(Mark::Muted), class.has(Mark::Bad));
    match class.role {
        Role::Card if class.has(Mark::Diff) => {
            Rule { dash: Some((2.0, 3.0)), width: 1.5, ..edged(Tint::Mix(Token::Warn, 5, Token::Panel), Token::Warn) }
        }
        Role::Card if muted => Rule { dash: Some((4.0, 3.0)), ..edged(Tint::Of(Token::Panel), Token::Line2) },
        Role::Card => edged(Tint::Of(Token::Panel), Token::Line2),
        Role::CardTitle => written(if muted { Token::Ink3 } else { Token::Ink }),
        Role::CardSub | Role::Badge | Role::LaneName | Role::TileName => written(Token::Ink2),
        Role::CodeLine => written(if lit { Token::Accent } else { Token::Ink2 }),
        Role::CodeBand => filled(Token::AccentSoft),
        Role::Rule => lined(Token::Line, 1.0),
        Role::Link if bad => Rule { dash: Some((3.0, 5.0)), glyph: Tint::Of(Token::Bad), ..lined(Token::Bad, 2.0) },
        Role::Link if muted => Rule { dash: Some((8.0, 5.0)), glyph: Tint::Of(Token::Warn), ..lined(Token::Warn, 1.5) },
        Role::Link => lined(if lit { Token::Accent } else { Token::Line2 }, if lit { 2.0 } else { 1.5 }),
        Role::Broker if muted => {
            Rule { dash: Some((5.0, 4.0)), ..edged(Tint::Mix(Token::Sunken, 60, Token::Paper), Token::Ink3) }
        }
        Role::Broker => edged(Tint::Mix(Token::Sunken, 60, Token::Panel), Token::Line),
        Role::BrokerTitle if muted => written(Token::Ink2),
        Role::BrokerTitle | Role::TileCount => written(Token::Ink),
        // Nobody of a group may read it.
        Role::Lane if class.has(Mark::Diff) => Rule {
            dash: Some((4.0, 3.0)),
            glyph: Tint::Of(Token::Warn),
            ..edged(Tint::Mix(Token::Warn, 6, Token::Panel), Token::Warn)
        },
        Role::Lane => edged(Tint::Of(Token::Panel), Token::Line2),
        Role::LaneCount | Role::Offset | Role::Note | Role::ChartText | Role::Older => written(Token::Ink2),
        Role::OffsetNext => written(Token::Ink3),
        Role::FlagLine if muted => Rule { fill: Tint::Of(Token::Ink3), ..lined(Token::Ink3, 1.5) },
        Role::FlagLine if class.has(Mark::Diff) => Rule { fill: Tint::Of(Token::Warn), ..lined(Token::Warn, 1.5) },
        Role::FlagLine => Rule { fill: Tint::Of(Token::Accent), ..lined(Token::Accent, 1.5) },
        Role::FlagText => written(Token::OnAccent),
        Role::DiffSign => Rule { width: 1.5, ..edged(Tint::Of(Token::Warn), Token::Panel) },
        Role::Tile if bad => Rule { width: 2.0, ..edged(Tint::Of(Token::Panel), Token::Bad) },
        Role::Tile => edged(Tint::Of(Token::Panel), if lit { Token::Accent } else { Token::Line2 }),
        Role::TickText => written(Token::Good),
        Role::Request if bad => Rule { ink: Tint::Of(Token::OnAccent), ..filled(Token::Bad) },
        Role::Request => Rule { ink: Tint::Of(Token::OnAccent), ..filled(Token::Accent) },
        Role::Response if bad => Rule { ink: Tint::Of(Token::Bad), ..edged(Tint::Of(Token::Panel), Token::Bad) },
        Role::Response => Rule { ink: Tint::Of(Token::Ink2), ..edged(Tint::Of(Token::Panel), Token::Line2) },
        Role::Lost => Rule { ink: Tint::Of(Token::Bad), glyph: Tint::Of(Token::Bad), ..lined(Token::Bad, 2.0) },
        Role::BarTrack => filled(Token::Sunken),
        Role::CellText => written(Token::Ink),
        Role::Paper => filled(Token::Paper),
        _ => PLAIN,
    }
}

/// Roles of producers' states and memory, of coordinators and of control records.
fn of_transactions(class: Class) -> Rule {
    let (lit, muted, bad, warns, open) = (
        class.has(Mark::Lit),
        class.has(Mark::Muted),
        class.has(Mark::Bad),
        class.has(Mark::Diff),
        class.has(Mark::Open),
    );
    let tinted = |token: Token| Rule {
        ink: Tint::Of(token),
        glyph: Tint::Of(token),
        ..edged(Tint::Mix(token, 10, Token::Panel), token)
    };
    match class.role {
        Role::State if open => Rule {
            dash: Some((3.0, 3.0)),
            ink: Tint::Of(if muted { Token::Ink3 } else { Token::Accent }),
            ..edged(Tint::None, if muted { Token::Line2 } else { Token::Accent })
        },
        Role::State if bad => tinted(Token::Bad),
        Role::State if warns => tinted(Token::Warn),
        Role::State if lit => tinted(Token::Good),
        Role::State => Rule { ink: Tint::Of(Token::Ink2), ..edged(Tint::None, Token::Line2) },
        // COMMIT is full and ABORT an outline, so that they differ where there is no room for the letter.
        Role::Marker if bad => Rule { width: 1.75, ..edged(Tint::Of(Token::Panel), Token::Bad) },
        Role::Marker => Rule { width: 1.75, ..edged(Tint::Mix(Token::Good, 18, Token::Panel), Token::Good) },
        Role::MarkerText => written(if bad { Token::Bad } else { Token::Good }),
        Role::Coordinator if muted => Rule { dash: Some((4.0, 3.0)), ..edged(Tint::None, Token::Line2) },
        Role::Coordinator => edged(Tint::Mix(Token::Warn, 4, Token::Panel), Token::Line2),
        Role::Pool if bad => {
            Rule { ink: Tint::Of(Token::Bad), ..edged(Tint::Mix(Token::Bad, 30, Token::Panel), Token::Panel) }
        }
        Role::Pool if lit => edged(Tint::Mix(Token::Accent, 48, Token::Panel), Token::Panel),
        Role::Pool if muted => edged(Tint::Mix(Token::Ink3, 45, Token::Panel), Token::Panel),
        Role::Pool => edged(Tint::Mix(Token::Accent, 26, Token::Panel), Token::Panel),
        Role::Clock => filled(if bad { Token::Bad } else { Token::Warn }),
        _ => written(if bad { Token::Bad } else { Token::Warn }),
    }
}

/// Roles of replicas, of brokers that fail, and of files.
fn of_replicas(class: Class) -> Rule {
    let (lit, muted, bad, warns) =
        (class.has(Mark::Lit), class.has(Mark::Muted), class.has(Mark::Bad), class.has(Mark::Diff));
    match class.role {
        Role::Follower if muted => Rule { dash: Some((4.0, 3.0)), ..edged(Tint::None, Token::Line2) },
        Role::Follower => edged(Tint::Mix(Token::Panel, 55, Token::Sunken), Token::Line2),
        Role::Segment if bad => {
            Rule { dash: Some((5.0, 4.0)), width: 1.5, ..edged(Tint::Mix(Token::Bad, 6, Token::Panel), Token::Bad) }
        }
        Role::Segment if lit => Rule { width: 2.0, ..edged(Tint::Of(Token::Panel), Token::Accent) },
        Role::Segment if muted => Rule { width: 1.25, ..edged(Tint::None, Token::Ink3) },
        Role::Segment => edged(Tint::Of(Token::Panel), Token::Line2),
        Role::Gap => Rule { dash: Some((2.0, 2.0)), ink: Tint::Of(Token::Ink2), ..edged(Tint::None, Token::Ink3) },
        Role::Tag if bad => edged(Tint::Mix(Token::Bad, 8, Token::Panel), Token::Bad),
        Role::Tag if warns => edged(Tint::Mix(Token::Warn, 8, Token::Panel), Token::Warn),
        Role::Tag if lit => edged(Tint::Mix(Token::Good, 8, Token::Panel), Token::Good),
        Role::Tag => edged(Tint::Of(Token::Panel), Token::Line2),
        Role::TagText if bad => written(Token::Bad),
        Role::TagText if warns => written(Token::Warn),
        Role::TagText if lit => written(Token::Good),
        Role::TagText | Role::RackText => written(Token::Ink2),
        Role::Rack => Rule { dash: Some((2.0, 4.0)), ..edged(Tint::None, Token::Ink3) },
        Role::Crown => Rule { glyph: Tint::Of(Token::Warn), ink: Tint::Of(Token::Warn), ..PLAIN },
        Role::Notice if bad => Rule { ink: Tint::Of(Token::OnAccent), ..filled(Token::Bad) },
        Role::Notice if warns => {
            Rule { ink: Tint::Of(Token::Warn), ..edged(Tint::Mix(Token::Warn, 8, Token::Panel), Token::Warn) }
        }
        Role::Notice => Rule { ink: Tint::Of(Token::Accent), ..edged(Tint::Of(Token::AccentSoft), Token::Accent) },
        Role::Entry => lined(if lit { Token::Accent } else { Token::Ink3 }, if lit { 3.0 } else { 1.25 }),
        Role::Block if lit => {
            Rule { width: 2.0, ink: Tint::Of(Token::Accent), ..edged(Tint::Of(Token::AccentSoft), Token::Accent) }
        }
        Role::Block if muted => {
            Rule { dash: Some((3.0, 2.0)), ink: Tint::Of(Token::Ink2), ..edged(Tint::Of(Token::Sunken), Token::Ink3) }
        }
        Role::Block => Rule { ink: Tint::Of(Token::Ink2), ..edged(Tint::Of(Token::Panel), Token::Line2) },
        _ => Rule { glyph: Tint::Of(Token::Accent), ink: Tint::Of(Token::Accent), ..lined(Token::Accent, 2.0) },
    }
}

/// The look of a class, with colors resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// The fill of rectangles, circles and figures.
    pub fill: Option<Rgba>,
    /// The edge of rectangles, circles, figures, lines and curves.
    pub stroke: Option<Rgba>,
    /// Width of the edge in pixels.
    pub stroke_width: f32,
    /// Lengths of dash and gap; none is solid.
    pub dash: Option<(f32, f32)>,
    /// Text.
    pub ink: Rgba,
    /// Signs of keys.
    pub glyph: Rgba,
}

/// Colors for every token.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    colors: [Rgba; TOKENS.len()],
}

impl Theme {
    /// Dark ink on light paper.
    pub fn light() -> Theme {
        Theme { colors: TOKENS.map(|(_, light, _)| Rgba::hex(light)) }
    }

    /// Light ink on dark paper.
    pub fn dark() -> Theme {
        Theme { colors: TOKENS.map(|(_, _, dark)| Rgba::hex(dark)) }
    }

    /// The same with some tokens changed. `token` is asked for each name of `tokens.css`, without the dashes in
    /// front: for pages that set their own colors, and for forced colors.
    ///
    /// ```
    /// use scene::theme::{Rgba, Theme};
    /// let brand = Theme::light().with(|token| (token == "accent").then_some(Rgba::hex(0x800080)));
    /// assert_ne!(brand, Theme::light());
    /// ```
    #[must_use]
    pub fn with(mut self, token: impl Fn(&str) -> Option<Rgba>) -> Theme {
        for (color, (name, _, _)) in self.colors.iter_mut().zip(TOKENS) {
            *color = token(name).unwrap_or(*color);
        }
        self
    }

    /// The look of a class.
    pub fn look(&self, class: Class) -> Look {
        let rule = rule(class);
        let ink = self.color(rule.ink).unwrap_or(Rgba::CLEAR);
        Look {
            fill: self.color(rule.fill),
            stroke: self.color(rule.stroke),
            stroke_width: rule.width,
            dash: rule.dash,
            ink,
            glyph: self.color(rule.glyph).unwrap_or(ink),
        }
    }

    fn color(&self, tint: Tint) -> Option<Rgba> {
        match tint {
            Tint::None => None,
            Tint::Of(token) => Some(self.colors[token.index()]),
            Tint::Mix(token, percent, other) => {
                Some(self.colors[token.index()].mix(percent, self.colors[other.index()]))
            }
        }
    }
}

/// The rules of the stage as a stylesheet over the tokens of `tokens.css`.
///
/// Every item is a `<g>` with its class; rectangles, circles, lines, curves and figures in it have the class
/// `s`, signs of keys `g`; text has none.
pub fn stylesheet() -> String {
    let mut css = String::from(
        "/* How the parts of a stage look, made from one table; places and sizes are in the picture itself. */\n\
         .stage .s { fill: var(--fill); stroke: var(--edge); stroke-width: var(--width); stroke-dasharray: var(--dash); }\n\
         .stage text { fill: var(--text); stroke: none; }\n\
         .stage .g { fill: var(--sign); stroke: none; }\n\
         .stage .h { fill: none; stroke: var(--sign); stroke-opacity: 0.38; }\n",
    );
    for class in Class::all() {
        let rule = rule(class);
        let dash = rule.dash.map_or_else(|| "none".to_string(), |(dash, gap)| format!("{dash} {gap}"));
        let glyph = if rule.glyph == Tint::None { rule.ink } else { rule.glyph };
        let selector: String = class.to_string().split(' ').fold(String::new(), |all, name| all + "." + name);
        let _ = writeln!(
            css,
            ".stage {selector} {{ --fill: {}; --edge: {}; --width: {}px; --dash: {dash}; --text: {}; --sign: {}; }}",
            rule.fill.css(),
            rule.stroke.css(),
            rule.width,
            rule.ink.css(),
            glyph.css(),
        );
    }
    css
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_the_stylesheet() {
        let css = include_str!("../../../web/styles/tokens.css");
        for (name, light, dark) in TOKENS {
            let value = format!("--{name}: light-dark({}, {})", Rgba::hex(light).css(), Rgba::hex(dark).css());
            assert!(css.contains(&value), "{value}");
        }
    }

    /// Roles that have a fill of their own and never hold words.
    const WORDLESS: [Role; 8] =
        [Role::Bar, Role::Dot, Role::Tick, Role::FlagLine, Role::DiffSign, Role::Pool, Role::Clock, Role::Lag];

    /// The class of the box that holds the words of a class, if it is another one's.
    fn ground(class: Class) -> Class {
        let role = match class.role {
            Role::FlagText => Role::FlagLine,
            Role::TagText => Role::Tag,
            Role::MarkerText => Role::Marker,
            // An empty place at the gate, with the letter of who is missing.
            Role::Owner if class.has(Mark::Muted) => Role::Paper,
            _ => return class,
        };
        let marks = [Mark::Lit, Mark::Muted, Mark::Diff, Mark::Bad];
        marks.into_iter().fold(Class::new(role), |ground, mark| ground.mark(mark, class.has(mark)))
    }

    #[test]
    fn words_can_be_read_on_their_ground() {
        for theme in [Theme::light(), Theme::dark()] {
            let panel = theme.color(Tint::Of(Token::Panel)).expect("a token has a color");
            for class in Class::all().filter(|class| !WORDLESS.contains(&class.role)) {
                let ground = theme.look(ground(class)).fill;
                let ratio = contrast(theme.look(class).ink, ground.unwrap_or(panel));
                assert!(ratio >= 4.5, "{class}: {ratio}");
            }
        }
    }

    fn contrast(a: Rgba, b: Rgba) -> f64 {
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        a.max(b) / a.min(b)
    }

    fn luminance(color: Rgba) -> f64 {
        let part = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(color.0) + 0.7152 * part(color.1) + 0.0722 * part(color.2)
    }
}
