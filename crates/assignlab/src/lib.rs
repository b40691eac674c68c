//! The arithmetic of the assignment lab: a group that changes, and what every assignor makes of each change.
//!
//! A [`Plan`] is a group with its topics, a [`Change`] makes another plan of it, and a [`Story`] is a plan with the
//! changes that followed. Every assignor of Kafka goes through the story by itself: after each change it continues
//! from what it gave before. An [`Outcome`] says who has what, what moved, and whose partitions stood still.
//!
//! ```
//! use assignlab::{Assignor, Settings};
//!
//! let story = Settings::from_link("topics=orders:6&members=A&do=join:B,join:C")?.story;
//! let moved = |id| Ok::<_, assignlab::UnknownAssignor>(story.step().outcome(Assignor::from_id(id)?).moves.len());
//! assert_eq!((moved("client-range")?, moved("client-roundrobin")?, moved("client-sticky")?), (3, 4, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: [`limits`], `plan`, `change`, `error`, `assignor_id`, `outcome`, `story`, `settings`.
//!
//! Deliberately not here: a coordinator. Nobody waits, polls or fails; a change is followed by one rebalance, or by
//! as many as the cooperative assignor needs. Assignors themselves are the crate `assignor`'s.

mod assignor_id;
mod change;
mod error;
pub mod limits;
mod outcome;
mod plan;
mod settings;
mod story;

pub use assignor::{Assignment, AssignorError, TopicPartition, Uuid};
pub use assignor_id::{Assignor, Group, GroupMember, GroupTopic, Side, UnknownAssignor};
pub use change::Change;
pub use error::{LinkError, Refused};
pub use outcome::{Move, Outcome};
pub use plan::{Member, Plan, Subscription, Topic};
pub use settings::{SAMPLES, Settings};
pub use story::{Step, Story};
