//! A validated share consumer.
//!
//! What its settings mean is decided in `client/`.

use super::{ConsumerPlan, Refusal, refused};
use crate::client::configs::check_share_consumer;
use crate::error::InputError;
use crate::event::Name;
use crate::scenario::{Acknowledging, ConsumerSpec, ShareConsumerSpec};
use crate::time::Duration;

/// A validated share consumer.
#[derive(Clone, Debug)]
pub(crate) struct ShareConsumerPlan {
    /// What it has in common with a member of the consumer protocol.
    pub member: ConsumerPlan,
    pub topics: Vec<Name>,
    /// `share.acknowledgement.mode=explicit`.
    pub is_explicit: bool,
    /// `share.acquire.mode=RECORD_LIMIT`.
    pub is_limited: bool,
    pub processing: Duration,
    pub acknowledge: Acknowledging,
    pub is_manual: bool,
    pub start: Duration,
}

impl ShareConsumerPlan {
    /// Validates a share consumer; `path` is its place in the input.
    pub fn new(spec: &ShareConsumerSpec, path: &str, seed: u64) -> Result<ShareConsumerPlan, Refusal> {
        check_share_consumer(&spec.configs).map_err(|refusal| {
            let error = refused(&refusal, format!("{path}.configs.\"{}\"", refusal.name));
            if refusal.is_by_kafka() {
                return Refusal::Constructor(Box::new(refusal.kafka_error()), error);
            }
            Refusal::Input(error)
        })?;
        let own = |name: &str| spec.configs.get(name).map(|value| value.trim().to_ascii_lowercase());
        let is_explicit = own("share.acknowledgement.mode").is_some_and(|mode| mode == "explicit");
        let is_limited = own("share.acquire.mode").is_some_and(|mode| mode == "record_limit");
        if !is_explicit && spec.acknowledge != Acknowledging::default() {
            let text = "Only an application that acknowledges by itself says anything of its records.";
            return Err(InputError::new("scenario.share_consumer", text)
                .at(format!("{path}.acknowledge"))
                .hint("Set share.acknowledgement.mode to explicit.")
                .into());
        }
        check_rules(&spec.acknowledge, path)?;
        // The rest is that of a member of the consumer protocol, which commits no offsets.
        let mut configs = spec.configs.clone();
        configs.retain(|name, _| !name.starts_with("share."));
        configs.insert("group.protocol".to_string(), "consumer".to_string());
        configs.insert("enable.auto.commit".to_string(), "false".to_string());
        let member = ConsumerSpec {
            name: spec.name.clone(),
            subscribe: spec.subscribe.clone(),
            configs,
            member_id: spec.member_id.clone(),
            ..ConsumerSpec::default()
        };
        let (member, thrown) = ConsumerPlan::started(&member, path, seed)?;
        if let Some(error) = thrown {
            return Err(InputError::new("scenario.share_consumer", error.to_string()).at(path).into());
        }
        Ok(ShareConsumerPlan {
            member,
            topics: spec.subscribe.iter().map(|topic| Name::from(topic.as_str())).collect(),
            is_explicit,
            is_limited,
            processing: spec.processing.unwrap_or_default(),
            acknowledge: spec.acknowledge.clone(),
            is_manual: spec.is_manual,
            start: spec.start.unwrap_or_default(),
        })
    }
}

/// Rules that count have to count something.
pub(crate) fn check_rules(rules: &Acknowledging, path: &str) -> Result<(), InputError> {
    let counted = [
        ("release_every", rules.release_every),
        ("reject_every", rules.reject_every),
        ("commit_every", rules.commit_every),
    ];
    let none = counted.into_iter().find(|(_, every)| *every == Some(0)).map(|(name, _)| name);
    let none = none.or_else(|| (rules.renew_after == Some(Duration::ZERO)).then_some("renew_after"));
    match none {
        Some(name) => Err(InputError::new("scenario.share_consumer", format!("{name} is at least 1."))
            .at(format!("{path}.acknowledge.{name}"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(change: impl FnOnce(&mut ShareConsumerSpec)) -> Result<ShareConsumerPlan, String> {
        let mut spec =
            ShareConsumerSpec { name: "a".into(), subscribe: vec!["jobs".into()], ..ShareConsumerSpec::default() };
        spec.configs.insert("group.id".into(), "g".into());
        change(&mut spec);
        ShareConsumerPlan::new(&spec, "share_consumer[0]", 1).map_err(|refusal| refusal.input().to_string())
    }

    #[test]
    fn a_share_consumer_is_planned_with_what_it_was_given() {
        let set = |spec: &mut ShareConsumerSpec, name: &str, value: &str| {
            spec.configs.insert(name.into(), value.into());
        };
        let plain = plan(|_| {}).unwrap();
        assert_eq!((plain.is_explicit, plain.is_limited, plain.is_manual), (false, false, false));
        let own = plan(|spec| {
            set(spec, "share.acknowledgement.mode", "explicit");
            set(spec, "share.acquire.mode", "record_limit");
            spec.acknowledge.reject_every = Some(3);
        });
        let own = own.unwrap();
        assert_eq!((own.is_explicit, own.is_limited, own.acknowledge.reject_every), (true, true, Some(3)));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let check = |result: Result<ShareConsumerPlan, String>, part: &str| {
            let text = result.map(|_| ()).unwrap_err();
            assert!(text.contains(part), "{text}");
        };
        check(plan(|spec| spec.acknowledge.release_every = Some(2)), "Set share.acknowledgement.mode to explicit");
        let explicit = |spec: &mut ShareConsumerSpec| {
            spec.configs.insert("share.acknowledgement.mode".into(), "explicit".into());
            spec.acknowledge.release_every = Some(0);
        };
        check(plan(explicit), "release_every is at least 1");
        let isolated = |spec: &mut ShareConsumerSpec| {
            spec.configs.insert("isolation.level".into(), "read_committed".into());
            spec.configs.insert("auto.offset.reset".into(), "earliest".into());
        };
        check(plan(isolated), "auto.offset.reset, isolation.level cannot be set when using a share group.");
        check(plan(|spec| spec.subscribe.clear()), "something to read");
    }
}
