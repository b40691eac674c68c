//! What an application asks of its consumer.
//!
//! Names are resolved; what the calls do is the consumer's business.

use crate::event::{Name, TopicPartition};
use crate::group::Callback;
use crate::time::Duration;

/// A call of `KafkaConsumer`, or a change of what the application around it does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ConsumerCall {
    Subscribe(Topics),
    Unsubscribe,
    Assign(Vec<TopicPartition>),
    /// Offsets, or the positions of all that it owns.
    CommitSync(Option<Vec<(TopicPartition, u64)>>),
    CommitAsync(Option<Vec<(TopicPartition, u64)>>),
    Seek(TopicPartition, u64),
    /// No partitions mean all that it owns.
    SeekToBeginning(Vec<TopicPartition>),
    SeekToEnd(Vec<TopicPartition>),
    Pause(Vec<TopicPartition>),
    Resume(Vec<TopicPartition>),
    EnforceRebalance,
    Close(Membership),
    /// The next callback with a partition in it takes that long.
    SlowCallback(Callback, Duration),
    SetProcessing(Duration),
}

/// What a consumer subscribes to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Topics {
    Named(Vec<Name>),
    /// `java.util.regex.Pattern`, evaluated by the client.
    Pattern(Name),
    /// RE2/J, evaluated by the broker.
    Re2j(Name),
}

/// `CloseOptions.GroupMembershipOperation`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Membership {
    #[default]
    Default,
    LeaveGroup,
    RemainInGroup,
}
