//! The three ways in which a group moves its partitions, as one difference between the sides of a comparison.
//!
//! What each of them does is the engine's; here is only which settings of consumers ask for it.

use std::collections::BTreeMap;

use engine::Scenario;
use engine::scenario::ConsumerSpec;

/// How a group rebalances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Classic, with an assignor that lets go of everything.
    Eager,
    /// Classic, with CooperativeSticky.
    Cooperative,
    /// The consumer protocol (KIP-848).
    Consumer,
}

/// Settings that only one of the protocols takes.
const OWN: [&str; 5] = [
    "group.protocol",
    "group.remote.assignor",
    "heartbeat.interval.ms",
    "partition.assignment.strategy",
    "session.timeout.ms",
];

impl Protocol {
    /// All of them.
    pub const ALL: [Protocol; 3] = [Protocol::Eager, Protocol::Cooperative, Protocol::Consumer];

    /// Its name in settings.
    pub fn text(self) -> &'static str {
        match self {
            Protocol::Eager => "eager",
            Protocol::Cooperative => "cooperative",
            Protocol::Consumer => "consumer",
        }
    }

    /// What a side with it is called.
    pub fn title(self) -> &'static str {
        match self {
            Protocol::Eager => "Classic, eager",
            Protocol::Cooperative => "Classic, cooperative",
            Protocol::Consumer => "Consumer (KIP-848)",
        }
    }

    /// The protocol that a scenario's first member of a group asks for.
    pub fn of(scenario: &Scenario) -> Option<Protocol> {
        let member = scenario.consumers.iter().find(|consumer| consumer.configs.contains_key("group.id"))?;
        let setting = |name: &str| member.configs.get(name).map_or("", String::as_str);
        let strategy = setting("partition.assignment.strategy");
        Some(match () {
            () if setting("group.protocol").eq_ignore_ascii_case("consumer") => Protocol::Consumer,
            () if strategy.contains("CooperativeSticky") && !strategy.contains(',') => Protocol::Cooperative,
            () => Protocol::Eager,
        })
    }

    /// Lets every member of a group use it. A scenario with a choice `protocol` has its own way.
    pub(super) fn apply(self, scenario: &mut Scenario) {
        if let Some(choice) = scenario.choices.get_mut("protocol") {
            *choice = self.text().to_string();
            return;
        }
        let members = scenario.consumers.iter_mut().filter(|consumer| consumer.configs.contains_key("group.id"));
        members.for_each(|member| self.ask_for(member));
    }

    fn ask_for(self, member: &mut ConsumerSpec) {
        let configs: &mut BTreeMap<String, String> = &mut member.configs;
        configs.retain(|name, _| !OWN.contains(&name.as_str()));
        let (name, value) = match self {
            Protocol::Eager => ("partition.assignment.strategy", "RangeAssignor"),
            Protocol::Cooperative => ("partition.assignment.strategy", "CooperativeStickyAssignor"),
            Protocol::Consumer => ("group.protocol", "consumer"),
        };
        configs.insert(name.to_string(), value.to_string());
    }
}
