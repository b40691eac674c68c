//! The assignor for share groups (KIP-932): simple. A partition may go to several members.
//!
//! `org.apache.kafka.coordinator.group.assignor.SimpleAssignor` of 4.2 and later.

mod mixed;
mod same;
mod shares;

use alloc::vec::Vec;

use crate::server::{Group, Spec};
use crate::{Assignment, AssignorError};

/// The name of the assignor in `group.share.assignors`.
pub const SIMPLE: &str = "simple";

/// The target assignment of a share group: for each member of `group.members` its partitions, ascending by topic and
/// partition. Shared partitions are in several lists.
///
/// # Errors
/// What Kafka's assignor throws, and inputs that contradict themselves.
pub fn assign(group: &Group<'_>) -> Result<Assignment, AssignorError> {
    group.check()?;
    if group.members.is_empty() {
        return Ok(Vec::new());
    }
    let spec = Spec::new(group);
    if spec.is_homogeneous { same::assign(&spec) } else { mixed::assign(&spec) }
}
