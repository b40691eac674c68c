//! From the name of a panel in a lesson's data to the panel. Shows nothing of its own.

use std::rc::Rc;

use course::{Panel, Settings};
use yew::{AttrValue, Html};

use super::buffer::Buffer;
use super::byte_meter::ByteMeter;
use super::comparison::ComparisonTable;
use super::coordinator_hash::CoordinatorHash;
use super::counter::Counter;
use super::groups::Groups;
use super::hash_steps::HashSteps;
use super::key_bytes::KeyBytes;
use super::readers::Readers;
use super::residue_wheel::ResidueWheel;
use super::shards::Shards;
use super::shelf::Shelf;
use super::sign_rules::SignRules;
use super::terminal::Terminal;
use super::timeline::Timeline;
use super::transaction_board::TransactionBoard;
use super::window::MetadataWindow;
use crate::app::assign::AssignorBench;
use crate::app::part::part;
use crate::app::session::Session;
use crate::app::size::SizePanel;

/// The panel that a lesson opens.
pub fn lesson_panel(panel: Panel, session: &Session, titles: &Rc<[AttrValue]>, settings: &Settings) -> Html {
    let session = session.clone();
    match panel {
        Panel::HashSteps => part!(HashSteps { session }),
        Panel::Compare => part!(ComparisonTable { session, titles: Rc::clone(titles) }),
        Panel::SignRules => part!(SignRules { session }),
        Panel::KeyBytes => part!(KeyBytes { session }),
        Panel::ResidueWheel => part!(ResidueWheel { session, grow: settings.grow }),
        Panel::ByteMeter => part!(ByteMeter { session }),
        Panel::Terminal => part!(Terminal { session }),
        Panel::Readers => part!(Readers { session }),
        Panel::Window => part!(MetadataWindow { session }),
        Panel::Shelf => part!(Shelf { session }),
        Panel::Sizing => part!(SizePanel),
        Panel::TransactionBoard => part!(TransactionBoard { session }),
        Panel::Timeline => part!(Timeline { session }),
        Panel::Buffer => part!(Buffer { session }),
        Panel::Shards => part!(Shards { session }),
        Panel::Counter => part!(Counter { session }),
        Panel::AssignorBench => part!(AssignorBench),
        Panel::CoordinatorHash => part!(CoordinatorHash { session }),
        Panel::Groups => part!(Groups { session, titles: Rc::clone(titles) }),
    }
}
