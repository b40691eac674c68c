//! Topics that members subscribe to by a pattern: when patterns are resolved, and what follows.
//!
//! Follows `maybeUpdateRegularExpressions`, `handleRegularExpressionsResult` and `TopicRegexResolver` of Kafka
//! 4.3.1: every topic counts that the whole pattern matches, internal ones too. Kafka resolves in another thread;
//! here it is done before the member that asked for it sends its next heartbeat. Simplified: everybody may see every
//! topic; Kafka leaves out those that the member may not describe.

use std::rc::Rc;

use super::heartbeat::Subscribed;
use super::{ConsumerGroup, write};
use crate::coordinator::groups::effects::{Effects, GroupContext};
use crate::event::Name;
use crate::event::internal::{GroupRecord, RegexValue};
use crate::message::ClusterImage;
use crate::re2j::Pattern;
use crate::time::Duration;

/// `REGEX_BATCH_REFRESH_MIN_INTERVAL_MS`.
const REFRESH_INTERVAL_MIN: Duration = Duration::from_secs(10);

impl ConsumerGroup {
    /// A member that has told its subscription has another pattern, or the same.
    pub(super) fn change_pattern(
        &mut self,
        before: Option<&Name>,
        after: Option<&Name>,
        context: &GroupContext<'_>,
        effects: &mut Effects,
    ) -> Subscribed {
        let mut subscribed = Subscribed { is_changed: before != after, ..Subscribed::default() };
        let mut is_new = false;
        if subscribed.is_changed {
            before.into_iter().for_each(|before| self.drop_pattern(before, effects));
            match after {
                Some(after) if self.patterns.get(after) == Some(&1) => is_new = true,
                Some(after) => subscribed.asks_for_epoch = self.resolved.contains_key(after),
                None => subscribed.asks_for_epoch = true,
            }
        }
        subscribed.has_to_resolve = self.has_to_resolve(is_new, context);
        subscribed
    }

    fn has_to_resolve(&self, is_new: bool, context: &GroupContext<'_>) -> bool {
        if self.patterns.is_empty() {
            return false;
        }
        let last = self.resolved.values().map(|resolved| (resolved.resolved, resolved.version)).max();
        let Some((time, resolved_version)) = last else { return true };
        context.now > time + REFRESH_INTERVAL_MIN
            && (is_new
                || self.patterns.len() != self.resolved.len()
                || resolved_version < version(context.image)
                || context.now > time + context.settings.regex_refresh_interval)
    }

    /// Forgets what a pattern meant if nobody subscribes by it any more.
    pub(super) fn drop_pattern(&mut self, pattern: &Name, effects: &mut Effects) {
        if !self.patterns.contains_key(pattern) && self.resolved.remove(pattern).is_some() {
            let (group, pattern) = (Rc::clone(&self.name), Rc::clone(pattern));
            write(GroupRecord::Regex { group, pattern, value: None }, effects);
        }
    }

    /// Resolves the patterns of all members.
    pub(super) fn resolve(&mut self, context: &GroupContext<'_>, effects: &mut Effects) {
        let mut is_changed = false;
        let patterns: Vec<Name> = self.patterns.keys().cloned().collect();
        for text in patterns {
            let pattern = Pattern::new(&text);
            let is_meant = |topic: &&Name| pattern.as_ref().is_ok_and(|pattern| pattern.matches(topic));
            let topics: Vec<Name> = context.image.topics.keys().filter(is_meant).cloned().collect();
            let known = self.resolved.get(&text);
            is_changed |= known.map_or(!topics.is_empty(), |known| known.topics != topics);
            let value = RegexValue { topics, version: version(context.image), resolved: context.now };
            let value = Rc::new(value);
            let record = GroupRecord::Regex {
                group: Rc::clone(&self.name),
                pattern: Rc::clone(&text),
                value: Some(Rc::clone(&value)),
            };
            write(record, effects);
            self.resolved.insert(text, value);
        }
        let hash = self.hash_topics(context);
        if is_changed || hash != self.metadata_hash {
            self.seen = Rc::downgrade(context.image);
            self.bump(hash, effects);
        }
        self.tell_state(context, effects);
    }
}

/// How many topics were ever created: more of them ask for another look.
fn version(image: &ClusterImage) -> u64 {
    image.topics.values().map(|topic| topic.number + 1).max().unwrap_or(0)
}
