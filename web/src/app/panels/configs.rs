//! Settings that were given, of topics and producers, under Kafka's own names. Defaults are not listed here.

use yew::{Html, Properties, component, html};

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

/// The table.
#[component]
pub fn Configs(props: &ConfigsProps) -> Html {
    let ConfigsProps { session, side } = props;
    use_session(session, Rate::Table);
    let snapshot = session.snapshot(*side);
    let topics = snapshot
        .topics
        .iter()
        .flat_map(|topic| topic.configs.iter().map(move |(name, value)| (&topic.name, name, value)));
    let producers = snapshot
        .producers
        .iter()
        .flat_map(|producer| producer.configs.iter().map(move |(name, value)| (&producer.name, name, value)));
    let rows: Vec<_> = topics.chain(producers).collect();
    html! {
        <section class="panel configs" aria-label="Configs">
            <h2>{ "Configs" }</h2>
            if rows.is_empty() {
                <p class="empty">{ "Nothing is set: everything has Kafka's defaults." }</p>
            } else {
                <table class="table">
                    <thead><tr><th scope="col">{ "Of" }</th><th scope="col">{ "Name" }</th><th scope="col">{ "Value" }</th></tr></thead>
                    <tbody>{ for rows.iter().map(|(of, name, value)| html! {
                        <tr key={format!("{of} {name}")}><td>{ of.to_string() }</td><td class="mono">{ name.to_string() }</td><td class="mono">{ value.to_string() }</td></tr>
                    }) }</tbody>
                </table>
            }
        </section>
    }
}
