//! Which events a script asked for.
//!
//! Names and bounds only; the timeline finds the events.

use course::condition::kind_of;
use engine::{Event, InputError};

/// Every kind of event, as the field `kind` of an event names it.
pub const KINDS: [&str; 23] = [
    "broker_registered",
    "topic_created",
    "partitions_created",
    "topic_deleted",
    "leader_elected",
    "producer_started",
    "producer_closed",
    "metadata_refreshed",
    "record_partitioned",
    "sticky_partition_switched",
    "message_sent",
    "message_arrived",
    "message_lost",
    "batch_appended",
    "duplicate_ignored",
    "high_watermark_advanced",
    "batch_acknowledged",
    "batch_retried",
    "send_failed",
    "records_read",
    "command_applied",
    "command_finished",
    "warned",
];

/// The kinds that were asked for; all, if none was named.
pub struct Query {
    kinds: Option<Vec<String>>,
}

impl Query {
    /// Refuses a kind that does not exist.
    pub fn new(kinds: Option<Vec<String>>) -> Result<Query, InputError> {
        let unknown = kinds.iter().flatten().find(|kind| !KINDS.contains(&kind.as_str()));
        if let Some(kind) = unknown {
            let hint = course::suggest::hint(kind, KINDS);
            let message = format!("There is no event kind \"{kind}\".");
            return Err(InputError::new("query.kinds", message).at("query.kinds").hint(hint));
        }
        Ok(Query { kinds })
    }

    /// Whether an event is of a kind that was asked for.
    pub fn accepts(&self, event: &Event) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| kinds.iter().any(|kind| kind == kind_of(event)))
    }
}

#[cfg(test)]
mod tests {
    use engine::event::EventKind;
    use engine::{Event, Moment};

    use super::Query;

    fn check(kinds: Option<&[&str]>, accepted: bool) {
        let kinds = kinds.map(|kinds| kinds.iter().map(|kind| kind.to_string()).collect());
        let kind = EventKind::BrokerRegistered { broker: 1 };
        let event = Event { moment: Moment::default(), index: 0, cause: None, kind };
        assert_eq!(Query::new(kinds).expect("known kinds").accepts(&event), accepted);
    }

    #[test]
    fn only_the_kinds_that_were_named_are_accepted() {
        check(None, true);
        check(Some(&["broker_registered", "topic_created"]), true);
        check(Some(&["topic_created"]), false);
        check(Some(&[]), false);
    }

    #[test]
    fn an_unknown_kind_is_refused_with_the_likely_one() {
        let refused = Query::new(Some(vec!["topic_createt".to_string()])).err().expect("unknown");
        assert!(refused.hint.contains("topic_created"), "{refused}");
    }
}
