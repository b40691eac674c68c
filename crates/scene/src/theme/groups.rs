//! How members of groups look, and what is theirs: deep full colors with a letter on them, unlike those of keys.
//!
//! The colors themselves are tokens, in the file above.

use super::{Rule, Tint, Token, edged, filled, lined};
use crate::class::{Class, Mark, Role};

/// The rule of a role of members.
pub(super) fn rule(class: Class) -> Rule {
    let (lit, muted, open) = (class.has(Mark::Lit), class.has(Mark::Muted), class.has(Mark::Open));
    let color = class.key.map_or(Token::Ink3, Token::Member);
    let outline = Rule { dash: Some((3.0, 2.0)), ink: Tint::Of(Token::Ink2), ..edged(Tint::None, Token::Ink3) };
    match class.role {
        // Nobody, somebody who is missing, or an owner that does not read.
        Role::Owner if muted || class.key.is_none() => outline,
        Role::Owner => Rule { ink: Tint::Of(Token::OnMember), glyph: Tint::Of(Token::OnMember), ..filled(color) },
        // Still owned, but it may not be read.
        Role::Socket if open => Rule {
            dash: Some((3.0, 2.0)),
            glyph: Tint::Of(Token::Warn),
            ..edged(Tint::Mix(Token::Warn, 6, Token::Panel), Token::Warn)
        },
        // Told to have it, and it has not got it yet.
        Role::Socket if muted || class.key.is_none() => outline,
        Role::Socket => edged(Tint::Mix(color, 14, Token::Panel), color),
        Role::Lag => filled(color),
        Role::Commit => lined(color, 2.0),
        Role::Tick if class.key.is_none() => Rule { glyph: Tint::Of(Token::Good), ..filled(Token::Good) },
        Role::Tick => Rule { glyph: Tint::Of(color), ..filled(color) },
        Role::Gate if lit => lined(Token::Warn, 3.0),
        _ => Rule { dash: Some((2.0, 3.0)), ..lined(Token::Ink3, 1.5) },
    }
}
