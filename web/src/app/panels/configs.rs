//! Settings under Kafka's own names: what is in force and where it comes from, and what was given to producers.
//!
//! Values and sources are the engine's; nothing is changed here.

use std::rc::Rc;

use engine::Snapshot;
use engine::config_view::{ConfigEntry, ConfigSource, ConfigsOf};
use yew::{
    AttrValue, Callback, Event, Html, InputEvent, KeyboardEvent, Properties, TargetCast, component, html, use_state_eq,
};

use crate::app::controls::{Choice, Select};
use crate::app::part::part;
use crate::app::session::{Rate, Session, use_session};

/// Of what.
#[derive(Clone, Debug, PartialEq, Properties)]
pub struct ConfigsProps {
    /// The session.
    pub session: Session,
    /// The side of a comparison.
    #[prop_or_default]
    pub side: usize,
}

/// One line of the table: whose it is, name, value, source.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    of: String,
    name: String,
    value: String,
    source: String,
}

/// Everything that was set.
const SET: &str = "set";
/// The dynamic defaults of all brokers.
const BROKERS: &str = "brokers";

/// The table of one resource, or of everything that was set.
#[component]
pub fn Configs(props: &ConfigsProps) -> Html {
    let ConfigsProps { session, side } = props;
    use_session(session, Rate::Table);
    let chosen = use_state_eq(|| AttrValue::Static(SET));
    let filter = use_state_eq(String::new);
    let shows_defaults = use_state_eq(|| false);
    let snapshot = session.snapshot(*side);
    let choices = choices(&snapshot);
    let of = choices.iter().find(|choice| choice.value == *chosen).map_or(SET, |choice| &choice.value).to_owned();
    let mut rows = rows(session, *side, &snapshot, &of, *shows_defaults);
    let words = filter.trim().to_lowercase();
    rows.retain(|row| row.name.contains(&words) || row.of.to_lowercase().contains(&words));
    let onselect = {
        let chosen = chosen.clone();
        Callback::from(move |value| chosen.set(value))
    };
    let oninput = {
        let filter = filter.clone();
        Callback::from(move |event: InputEvent| {
            filter.set(event.target_unchecked_into::<web_sys::HtmlInputElement>().value());
        })
    };
    let onchange = {
        let shows_defaults = shows_defaults.clone();
        Callback::from(move |event: Event| {
            shows_defaults.set(event.target_unchecked_into::<web_sys::HtmlInputElement>().checked());
        })
    };
    let keep_keys = Callback::from(|event: KeyboardEvent| event.stop_propagation());
    html! {
        <section class="panel configs" aria-label="Configs">
            <div class="panel-head">
                <h2>{ "Configs" }</h2>
                { part!(Select { legend: "Of", choices, selected: of.clone(), onselect }) }
                <label class="field inline"><span class="hidden-visually">{ "Find a setting" }</span>
                    <input type="search" size="12" placeholder="find" value={(*filter).clone()} autocomplete="off" spellcheck="false" {oninput} onkeydown={keep_keys} />
                </label>
                if of != SET && of != BROKERS {
                    <label class="check"><input type="checkbox" checked={*shows_defaults} {onchange} />{ "Defaults too" }</label>
                }
            </div>
            { table(&rows) }
        </section>
    }
}

fn choices(snapshot: &Snapshot) -> Rc<[Choice]> {
    let first = [Choice::new(SET, "everything that is set")].into_iter();
    let topics = snapshot
        .topics
        .iter()
        .map(|topic| Choice::new(format!("topic {}", topic.name), format!("topic {}", topic.name)));
    let all = [Choice::new(BROKERS, "all brokers, dynamic defaults")].into_iter();
    let brokers = snapshot
        .brokers
        .iter()
        .map(|broker| Choice::new(format!("broker {}", broker.id), format!("broker {}", broker.id)));
    let groups = snapshot
        .groups
        .iter()
        .map(|group| Choice::new(format!("group {}", group.group), format!("group {}", group.group)));
    first.chain(topics).chain(groups).chain(all).chain(brokers).collect()
}

/// What a value of the menu stands for.
fn resource(value: &str) -> Option<ConfigsOf> {
    match value.split_once(' ') {
        Some(("topic", name)) => Some(ConfigsOf::Topic(name.to_owned())),
        Some(("group", id)) => Some(ConfigsOf::Group(id.to_owned())),
        Some(("broker", id)) => id.parse().ok().map(ConfigsOf::Broker),
        _ => (value == BROKERS).then_some(ConfigsOf::Brokers),
    }
}

fn rows(session: &Session, side: usize, snapshot: &Snapshot, of: &str, shows_defaults: bool) -> Vec<Row> {
    if let Some(resource) = resource(of) {
        let entries = session.read(|player| player.timeline(side).configs(&resource)).unwrap_or_default();
        return entries
            .into_iter()
            .filter(|entry| shows_defaults || is_set(entry))
            .map(|entry| row(of, entry))
            .collect();
    }
    let mut rows = Vec::new();
    let topics = snapshot.topics.iter().map(|topic| format!("topic {}", topic.name));
    let brokers = snapshot.brokers.iter().map(|broker| format!("broker {}", broker.id));
    let groups = snapshot.groups.iter().map(|group| format!("group {}", group.group));
    for of in topics.chain(groups).chain([BROKERS.to_owned()]).chain(brokers) {
        let entries =
            resource(&of).and_then(|resource| session.read(|player| player.timeline(side).configs(&resource)));
        let own = entries.unwrap_or_default().into_iter().filter(|entry| is_own(&of, entry));
        rows.extend(own.map(|entry| row(&of, entry)));
    }
    for producer in &snapshot.producers {
        rows.extend(producer.configs.iter().map(|(name, value)| Row {
            of: producer.name.to_string(),
            name: name.to_string(),
            value: value.to_string(),
            source: "given to the client".to_owned(),
        }));
    }
    rows
}

fn is_set(entry: &ConfigEntry) -> bool {
    entry.source != ConfigSource::DefaultConfig
}

/// Whether somebody set it for this resource itself; what a broker passes on is listed at the broker.
fn is_own(of: &str, entry: &ConfigEntry) -> bool {
    match entry.source {
        ConfigSource::DynamicTopicConfig => of.starts_with("topic"),
        ConfigSource::DynamicGroupConfig => of.starts_with("group "),
        ConfigSource::DynamicBrokerConfig | ConfigSource::StaticBrokerConfig => of.starts_with("broker "),
        ConfigSource::DynamicDefaultBrokerConfig => of == BROKERS,
        ConfigSource::DefaultConfig => false,
    }
}

fn row(of: &str, entry: ConfigEntry) -> Row {
    let hidden = if entry.is_sensitive { "hidden" } else { "none" };
    let source = entry.source.to_string();
    Row { of: of.to_owned(), name: entry.name, value: entry.value.unwrap_or_else(|| hidden.to_owned()), source }
}

fn table(rows: &[Row]) -> Html {
    if rows.is_empty() {
        return html! { <p class="empty">{ "Nothing is set here: everything has Kafka's defaults." }</p> };
    }
    let line = |row: &Row| {
        html! {
            <tr key={format!("{} {}", row.of, row.name)}>
                <td>{ &row.of }</td><td class="mono">{ &row.name }</td><td class="mono">{ &row.value }</td><td class="mono source">{ &row.source }</td>
            </tr>
        }
    };
    html! {
        <div class="table-frame" tabindex="0" role="region" aria-label="Settings">
            <table class="table">
                <thead><tr><th scope="col">{ "Of" }</th><th scope="col">{ "Name" }</th><th scope="col">{ "Value" }</th><th scope="col">{ "Source" }</th></tr></thead>
                <tbody>{ for rows.iter().map(line) }</tbody>
            </table>
        </div>
    }
}

/// Settings of a topic or a broker that are not at their defaults, each with its source.
pub fn in_force(session: &Session, side: usize, of: &ConfigsOf) -> Vec<String> {
    let entries = session.read(|player| player.timeline(side).configs(of)).unwrap_or_default();
    let set = entries.into_iter().filter(is_set);
    set.map(|entry| format!("{}={} ({})", entry.name, entry.value.unwrap_or_default(), entry.source)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(of: &str, source: ConfigSource, expected: bool) {
        let entry = ConfigEntry {
            name: "retention.ms".to_owned(),
            value: Some("5".to_owned()),
            source,
            is_sensitive: false,
            is_read_only: false,
            synonyms: Vec::new(),
        };
        assert_eq!(is_own(of, &entry), expected, "{of} {source}");
    }

    #[test]
    fn a_setting_is_listed_where_somebody_set_it() {
        check("topic a", ConfigSource::DynamicTopicConfig, true);
        check("topic a", ConfigSource::StaticBrokerConfig, false);
        check("broker 1", ConfigSource::StaticBrokerConfig, true);
        check("broker 1", ConfigSource::DynamicDefaultBrokerConfig, false);
        check(BROKERS, ConfigSource::DynamicDefaultBrokerConfig, true);
        check("broker 1", ConfigSource::DefaultConfig, false);
    }

    #[test]
    fn every_choice_but_the_first_names_a_resource() {
        assert_eq!(resource("topic a-b"), Some(ConfigsOf::Topic("a-b".to_owned())));
        assert_eq!(resource("group g-1"), Some(ConfigsOf::Group("g-1".to_owned())));
        assert_eq!(resource("broker 7"), Some(ConfigsOf::Broker(7)));
        assert_eq!(resource(BROKERS), Some(ConfigsOf::Brokers));
        assert_eq!(resource(SET), None);
    }
}
