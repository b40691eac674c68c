//! How much the lab does side by side: what a page can show, and a browser can compute while somebody waits.

/// Topics of a plan.
pub const TOPICS_MAX: usize = 8;
/// Partitions of one topic.
pub const PARTITIONS_MAX: u32 = 100;
/// Partitions of all topics together.
pub const PARTITIONS_TOTAL_MAX: u32 = 240;
/// Members of a group.
pub const MEMBERS_MAX: usize = 24;
/// Changes of a story.
pub const CHANGES_MAX: usize = 40;
/// Characters of a member's id, an instance id or a rack.
pub const ID_LENGTH_MAX: usize = 24;
/// Characters of a topic's name; Kafka takes 249.
pub const TOPIC_LENGTH_MAX: usize = 40;
/// Racks that are listed for one topic.
pub const RACKS_MAX: usize = 100;
